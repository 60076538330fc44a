// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// Thread t moves the element that entry t of an index list names; the list is a permutation that
/// looks random.
///
/// The permutation is a Feistel network over the next power of two, walked until it falls below n;
/// it needs no state, so that proof and model know it without the list.
struct random {
  static constexpr std::string_view kName = "random";
  static constexpr std::string_view kSummary = "thread t moves element list[t] of a permutation";
  static constexpr std::string_view kMapping = "thread t: element list[t], a random permutation";
  static constexpr auto kParameters = kNoParameters;
  static constexpr bool kThreadsAffine = false;

  index_t n;
  unsigned low_bits, high_bits;  // of the network's halves

  static constexpr random make(index_t n, std::span<const index_t>) {
    const auto bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
    const unsigned used = bits < 2 ? 2 : bits;  // each half needs a bit
    return {n, used / 2, used - used / 2};
  }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }
  constexpr index_t indices() const { return n; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t rank = t.column();
    const bool on = rank < n;
    a.move(on, a.index(on, rank, [&] { return permuted(rank); }), rank);
  }

  /// Where the permutation of [0, n) sends `index`.
  SECTORBENCH_HD constexpr index_t permuted(index_t index) const {
    auto value = static_cast<std::uint64_t>(index);
    do {
      value = scrambled(value);
    } while (value >= static_cast<std::uint64_t>(n));
    return static_cast<index_t>(value);
  }

 private:
  /// A permutation of the numbers that have the network's bits: each round changes one half by what
  /// the other says, which the same round would undo.
  SECTORBENCH_HD constexpr std::uint64_t scrambled(std::uint64_t value) const {
    constexpr std::uint32_t kRounds = 6;
    const std::uint64_t low_mask = (std::uint64_t{1} << low_bits) - 1;
    const std::uint64_t high_mask = (std::uint64_t{1} << high_bits) - 1;
    std::uint64_t low = value & low_mask, high = value >> low_bits;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      if (round % 2 == 0)
        low ^= mixed(static_cast<std::uint32_t>(high), round) & low_mask;
      else
        high ^= mixed(static_cast<std::uint32_t>(low), round) & high_mask;
    }
    return high << low_bits | low;
  }

  /// The finaliser of MurmurHash3 over a value and a round's number.
  SECTORBENCH_HD static constexpr std::uint32_t mixed(std::uint32_t value, std::uint32_t round) {
    value ^= (round + 1) * 0x9e3779b9U;
    value = (value ^ value >> 16) * 0x85ebca6bU;
    value = (value ^ value >> 13) * 0xc2b2ae35U;
    return value ^ value >> 16;
  }
};

}  // namespace sectorbench
