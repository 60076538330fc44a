// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// The requests of `stride`, in another order: the warps of each `span` elements of a row change
/// places. What a request touches, and what a whole span touches, stays the same.
///
/// It shows what the order of requests is worth: shuffled within a page of 2 MiB, neighbouring
/// requests no longer lie in the same row of DRAM, while pages and caches see the same.
struct reordered {
  static constexpr std::string_view kName = "reordered";
  static constexpr std::string_view kSummary =
      "neighbouring threads move elements a step apart, warps in another order";
  static constexpr std::string_view kMapping =
      "column c, row r of threads: element c' step + r, c' from warps that change places within "
      "a span";
  static constexpr std::array kParameters{parameter_spec{"step", 1, kMaxParameter, 32},
                                          parameter_spec{"span", 1, kMaxParameter, 524288}};
  static constexpr std::array kTypes{element_type::kF32, element_type::kF64};
  static constexpr bool kThreadsAffine = false;

  index_t n, step;
  index_t whole, rest;  // n = step * whole + rest
  unsigned together;    // warps that change places among themselves, a power of two

  static constexpr reordered make(index_t n, std::span<const index_t> values) {
    const index_t warps = std::clamp<index_t>(values[1] / values[0] / 32, 1, index_t{1} << 30);
    return {n, values[0], n / values[0], n % values[0],
            std::bit_floor(static_cast<unsigned>(warps))};
  }
  constexpr launch_shape shape(block_size block) const {
    launch_shape grid = row_of_threads(whole + (rest > 0 ? 1 : 0), block);
    const index_t rows = std::min(step, n);
    grid.grid_y = std::min(rows, kMaxGridYZ);
    grid.grid_z = groups_of(grid.grid_y, rows);
    return grid;
  }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t column = shuffled(t.column());
    const index_t row = index_t{t.block_z} * t.grid_y + t.block_y;
    const index_t at = column * step + row;
    const index_t rank = row * whole + (row < rest ? row : rest) + column;
    a.move(row < step && at < n, at, rank);
  }

 private:
  SECTORBENCH_HD constexpr index_t shuffled(index_t column) const {
    const index_t warp = column >> 5, first = warp & ~index_t{together - 1};
    // A span that has no column of the shortest row keeps its order.
    if ((first + together) * 32 > whole) return column;
    const unsigned place = static_cast<unsigned>(warp) * 0x9e3779b1U & (together - 1);
    return ((first + place) << 5) | (column & 31);
  }
};

}  // namespace sectorbench
