// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// Consecutive threads move elements `step` apart, and every element is moved once.
///
/// The n elements are seen as rows: row r holds elements r, r + step, r + 2 step, ... The launch
/// walks columns along x and rows along y (and z beyond the grid's limit), so the map needs no
/// division. Any step >= 1 and any n; the first n % step rows are one column longer.
struct stride {
  static constexpr std::string_view kName = "stride";
  static constexpr std::string_view kSummary = "neighbouring threads move elements a stride apart";
  static constexpr std::string_view kMapping = "column c, row r of threads: element c stride + r";
  static constexpr std::array kParameters{parameter_spec{"stride", 1, kMaxParameter, 8}};
  static constexpr bool kThreadsAffine = true;
  static constexpr bool kCacheOps = true;

  index_t n, step;
  index_t whole, rest;  // n = step * whole + rest

  static constexpr stride make(index_t n, std::span<const index_t> values) {
    return {n, values[0], n / values[0], n % values[0]};
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
    const index_t column = t.column();
    const index_t row = index_t{t.block_z} * t.grid_y + t.block_y;
    const index_t at = column * step + row;
    const index_t rank = row * whole + (row < rest ? row : rest) + column;
    a.move(row < step && at < n, at, rank);
  }
};

}  // namespace sectorbench
