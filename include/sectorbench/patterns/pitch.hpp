// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// A matrix of rows of `columns` elements that begin `pitch` elements apart, walked by blocks of
/// two dimensions: which threads form a warp depends on the block's shape. Swapped, x goes down the
/// rows, so that neighbouring threads take elements that lie a pitch apart.
template <bool Swapped>
struct pitched {
  static constexpr std::string_view kName = Swapped ? "pitch_swapped" : "pitch";
  static constexpr std::string_view kSummary =
      Swapped ? "2-D rows with x and y swapped: neighbouring threads take neighbouring rows"
              : "2-D rows, tight or padded, in 2-D blocks";
  static constexpr std::string_view kMapping =
      Swapped ? "thread (x, y): element x pitch + y, y < columns"
              : "thread (x, y): element y pitch + x, x < columns";
  static constexpr std::array kParameters{parameter_spec{"columns", 1, kMaxParameter, 1000},
                                          parameter_spec{"pitch", 1, kMaxParameter, 1024}};
  static constexpr bool kThreadsAffine = false;

  index_t n, columns, distance;
  index_t rows, last;  // the last row may be shorter

  static constexpr pitched make(index_t n, std::span<const index_t> values) {
    const index_t columns = std::min(values[0], n);
    const index_t rows = groups_of(columns, n);
    return {n, columns, values[1], rows, n - (rows - 1) * columns};
  }
  constexpr std::string_view refusal() const {
    return distance < columns ? "rows would overlap: pitch must be at least columns" : "";
  }
  constexpr launch_shape shape(block_size block) const {
    launch_shape grid;
    grid.block = block;
    grid.grid_x = groups_of(index_t{block.x}, Swapped ? rows : columns);
    const index_t groups = groups_of(index_t{block.y}, Swapped ? columns : rows);
    grid.grid_y = std::min(groups, kMaxGridYZ);
    grid.grid_z = groups_of(grid.grid_y, groups);
    return grid;
  }
  constexpr index_t repeats_after(block_size block, int width) const {
    const launch_shape grid = shape(block);
    if (grid.grid_z > 1) return grid.blocks();  // of which the last may be empty
    const index_t step = index_t{block.y} * width;
    if constexpr (Swapped) {
      if (last < columns) return grid.blocks();  // columns differ in length
      return grid.grid_x * std::lcm(steps_to_line(step), steps_to_line(step * rows));
    }
    return grid.grid_x * std::lcm(steps_to_line(step * columns), steps_to_line(step * distance));
  }
  constexpr side_extent loads() const {
    return {(rows - 1) * distance + last, 0,
            distance > columns ? coverage::kInjection : coverage::kBijection, n};
  }
  constexpr side_extent stores() const { return loads(); }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t x = t.column();
    const index_t y = (index_t{t.block_z} * t.grid_y + t.block_y) * t.block_size_y + t.thread_y;
    const index_t row = Swapped ? x : y, column = Swapped ? y : x;
    const bool on = row < rows && column < (row + 1 < rows ? columns : last);
    // Columns beyond the end of the last row are one element shorter.
    const index_t rank = Swapped ? column * rows + row - (column > last ? column - last : 0)
                                 : row * columns + column;
    a.move(on, row * distance + column, rank);
  }
};

using pitch = pitched<false>;
using pitch_swapped = pitched<true>;

}  // namespace sectorbench
