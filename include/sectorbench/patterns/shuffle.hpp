// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// Each warp moves 32 neighbouring elements, its lanes in another order: with map 1 the order of
/// the reversed bits of the lane's number, with map 2 a fixed one without symmetry.
template <int Map>
struct shuffle {
  static constexpr std::string_view kName = "shuffle";
  static constexpr std::string_view kSummary = "the lanes of a warp move its elements in disorder";
  static constexpr std::string_view kMapping =
      "thread t: element t - l + p(l), l = t mod 32; p: 1 reverses bits, 2 is (13 l + 7) mod 32";
  static constexpr std::array kParameters{parameter_spec{"map", Map, Map, Map}};
  static constexpr bool kThreadsAffine = false;

  index_t n;

  static constexpr shuffle make(index_t n, std::span<const index_t>) { return {n}; }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr index_t repeats_after(block_size block, int width) const {
    const index_t blocks = blocks_to_warps(block.threads());
    return blocks * steps_to_line(blocks * block.threads() * width);
  }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t rank = t.column();
    const index_t first = rank & ~index_t{31};
    // The last elements, if they fill no warp, keep their order.
    const index_t at = first + 32 <= n ? first + place(static_cast<unsigned>(rank & 31)) : rank;
    a.move(rank < n, at, rank);
  }

 private:
  SECTORBENCH_HD static constexpr index_t place(unsigned lane) {
    if constexpr (Map == 1) {
      return (lane & 1) << 4 | (lane & 2) << 2 | (lane & 4) | (lane & 8) >> 2 | (lane & 16) >> 4;
    } else {
      return (13 * lane + 7) & 31;
    }
  }
};

}  // namespace sectorbench
