// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "sectorbench/pattern/pattern.hpp"
#include "sectorbench/pattern/repeated_places.hpp"

/// @file
/// Places from an index list that is given, not computed: what sparse matrices, meshes and traces
/// of programs do.
///
/// A list of `length` entries is repeated `count` times, each time `delta` elements further on:
/// access r = i * length + j goes to element list[j] + delta * i. The other side is dense.

namespace sectorbench {

/// The places of one side: entries[j] + delta * i, for i from 0 to count - 1.
struct repeated_list {
  std::vector<index_t> entries;  ///< not negative
  index_t delta = 0;             ///< not negative

  /// What a side with these places declares. Costs time and memory for the list, not for count.
  /// @pre entries is not empty, count >= 1, all places fit 63 bits
  side_extent extent(index_t count) const {
    const auto accesses = static_cast<index_t>(entries.size()) * count;
    const index_t elements = *std::ranges::max_element(entries) + delta * (count - 1) + 1;
    const index_t different = distinct(count);
    if (different < accesses) return {elements, 0, coverage::kManyToOne, accesses, different};
    if (accesses < elements) return {elements, 0, coverage::kInjection, accesses};
    return {elements};
  }

  /// How many different places there are. Those that are equal modulo delta are reached `delta`
  /// apart: in units of it each entry covers count places in a row, and runs may overlap.
  index_t distinct(index_t count) const {
    std::vector<index_t> sorted = entries;
    const index_t step = std::max<index_t>(delta, 1);
    const index_t run = delta == 0 ? 1 : count;
    std::ranges::sort(
        sorted, {}, [&](index_t entry) { return std::pair(delta == 0 ? 0 : entry % step, entry); });
    index_t places = 0;
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      const bool joins = k > 0 && (delta == 0 || sorted[k] % step == sorted[k - 1] % step);
      const index_t gap = joins ? (sorted[k] - sorted[k - 1]) / step : run;
      places += std::min(gap, run);
    }
    return places;
  }
};

/// Divides by one number again and again, without a division: floor(v / divisor) for every v with
/// (v + 1) * divisor <= 2^64.
///
/// With 2^64 - 1 = factor * divisor + rest, (v + 1) * factor / 2^64 lies below (v + 1) / divisor,
/// and by less than 1 / divisor.
class fixed_divisor {
 public:
  constexpr fixed_divisor() = default;  ///< the quotient is always 0
  constexpr explicit fixed_divisor(index_t divisor)
      : factor_(~std::uint64_t{0} / static_cast<std::uint64_t>(divisor)) {}

  SECTORBENCH_HD constexpr index_t quotient(index_t value) const {
    __extension__ using wide = unsigned __int128;
    return static_cast<index_t>(
        static_cast<std::uint64_t>(wide{static_cast<std::uint64_t>(value) + 1} * factor_ >> 64));
  }

 private:
  std::uint64_t factor_ = 0;
};

/// One or two index lists: with one a side follows it and the other is dense; with two the loads
/// follow the first and the stores the second.
///
/// The timed kernel reads the entries in memory; `meant` holds them once more, for proof and model.
template <int Lists>
struct indexed {
  static_assert(Lists == 1 || Lists == 2);
  static constexpr std::string_view kName = "indexed";
  static constexpr std::string_view kSummary = "elements that a given index list names";
  static constexpr std::string_view kMapping =
      "thread r: element list[r mod length] + delta (r / length)";
  static constexpr auto kParameters = kNoParameters;
  static constexpr bool kThreadsAffine = false;
  static constexpr auto kOperations = [] {
    using enum operation_kind;
    if constexpr (Lists == 1)
      return std::array{kGather, kScatter, kRead, kWrite};
    else
      return std::array{kCopy};
  }();

  index_t n, length;        // accesses, and entries of one list
  index_t dense;            // elements of the dense side: n, or fewer where it begins anew
  fixed_divisor by_length;  // rank to repetition
  fixed_divisor by_wrap;    // repetition to how often the dense side began anew
  index_t delta[Lists];
  const index_entry* meant;  // Lists * length entries
  side_extent loaded, stored;

  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr side_extent loads() const { return loaded; }
  constexpr side_extent stores() const { return stored; }
  constexpr index_t indices() const { return Lists * length; }
  constexpr index_t index_loads() const { return Lists * n; }
  constexpr index_t index_threads() const { return length; }

  /// Where side `goes` of list `list` lies.
  constexpr repeated_places places(side goes, int list) const {
    if (goes == side::kPattern) return {meant + list * length, length, delta[list]};
    if (dense < n) return {.length = dense};
    return {.delta = 1};
  }
  /// Which entries of list `list` are loaded.
  constexpr repeated_places index_places(int list) const {
    return {.length = length, .first = list * length};
  }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t rank = t.column();
    const bool on = rank < n;
    const index_t repetition = by_length.quotient(rank);
    const index_t entry = rank - repetition * length;
    const auto place = [&](int list) {
      const index_t slot = list * length + entry;
      return a.index(on, slot, [&] { return index_t{meant[slot]}; }) + delta[list] * repetition;
    };
    const index_t unit = rank - by_wrap.quotient(repetition) * dense;
    const index_t from = place(0);
    const index_t to = Lists == 1 ? from : place(Lists - 1);
    a.put(on, to, unit, a.take(on, from, unit));
  }
};

}  // namespace sectorbench
