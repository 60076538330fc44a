// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// A matrix of n elements in rows of `columns`, the last of which may be shorter, and its
/// transposed: column after column without gaps. For transposes.
struct matrix {
  index_t n, columns;
  index_t whole, rest;  // n = columns * whole + rest: `rest` columns have one row more

  constexpr matrix(index_t elements, index_t wanted)
      : n(elements), columns(std::min(wanted, elements)), whole(n / columns), rest(n % columns) {}

  SECTORBENCH_HD constexpr index_t rows() const { return whole + (rest > 0 ? 1 : 0); }
  /// The number of tiles after which those of `grid` lie alike in lines, in both places.
  constexpr index_t repeats_after(index_t tile, const launch_shape& grid, int width) const {
    const bool all_whole = rest == 0 && columns % tile == 0 && whole % tile == 0;
    const bool by_lines = steps_to_line(columns * width) == 1 && steps_to_line(whole * width) == 1;
    if (!all_whole || !by_lines || grid.grid_z > 1) return grid.blocks();
    const index_t steps = steps_to_line(tile * width);
    return steps == 1 ? 1 : grid.grid_x * steps;
  }
  SECTORBENCH_HD constexpr bool holds(index_t row, index_t column) const {
    return row < whole ? column < columns : row == whole && column < rest;
  }
  /// Where the element lies, and where it lies in the transposed.
  SECTORBENCH_HD constexpr index_t place(index_t row, index_t column) const {
    return row * columns + column;
  }
  SECTORBENCH_HD constexpr index_t transposed(index_t row, index_t column) const {
    return column * whole + (column < rest ? column : rest) + row;
  }
};

/// A launch whose blocks of `block` threads each take a tile of `tile` x `tile` elements of a grid
/// of `across` x `down` elements.
constexpr launch_shape launch_of_tiles(index_t tile, index_t across, index_t down,
                                       block_size block) {
  launch_shape grid;
  grid.block = block;
  grid.grid_x = groups_of(tile, across);
  const index_t groups = groups_of(tile, down);
  grid.grid_y = std::min(groups, kMaxGridYZ);
  grid.grid_z = groups_of(grid.grid_y, groups);
  return grid;
}

/// The blocks of all transposes: rows of one warp.
inline constexpr block_size kTransposeBlock{32, 8};

/// The number of a block's tile along y.
SECTORBENCH_HD constexpr index_t tile_row(const lane& t) {
  return index_t{t.block_z} * t.grid_y + t.block_y;
}

inline constexpr parameter_spec kColumns{"columns", 1, kMaxParameter, 4096};

}  // namespace sectorbench
