// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sectorbench/pattern/matrix.hpp"

namespace sectorbench {

/// How the rows of a staged tile lie in the slots.
enum class tile_layout {
  kPlain,     ///< one behind the other: a column is all in one bank
  kPadded,    ///< one slot between them
  kSwizzled,  ///< without gaps, the columns of row r in the order of c xor r
};

/// A transpose through shared memory: a block stages a tile of 32 x 32 that it reads by rows, and
/// writes it by rows of the transposed.
template <tile_layout Layout>
struct transpose_tile {
  static constexpr std::string_view kName = Layout == tile_layout::kPlain ? "transpose_tiled"
                                            : Layout == tile_layout::kPadded
                                                ? "transpose_tiled_padded"
                                                : "transpose_tiled_swizzled";
  static constexpr std::string_view kSummary =
      Layout == tile_layout::kPlain ? "a transpose through a tile in shared memory, columns in one "
                                      "bank"
      : Layout == tile_layout::kPadded
          ? "a transpose through a tile in shared memory, its rows padded by one element"
          : "a transpose through a tile in shared memory, its columns in the order of c xor r";
  static constexpr std::string_view kMapping =
      "thread (x, y) of a tile of 32 x 32: takes row y, column x, puts row x, column y";
  static constexpr std::array kParameters{kColumns};
  static constexpr std::array kOperations{operation_kind::kCopy};
  static constexpr std::array kTypes{element_type::kF16, element_type::kF32, element_type::kF64};
  static constexpr bool kThreadsAffine = false;
  static constexpr int kPhases = 2;
  static constexpr int kTile = 32;
  static constexpr int kPitch = Layout == tile_layout::kPadded ? kTile + 1 : kTile;
  static constexpr int kSlots = kTile * kPitch;

  matrix of;

  static constexpr transpose_tile make(index_t n, std::span<const index_t> values) {
    return {{n, values[0]}};
  }
  constexpr launch_shape shape(block_size) const {
    return launch_of_tiles(kTile, of.columns, of.rows(), kTransposeBlock);
  }
  constexpr index_t repeats_after(block_size block, int width) const {
    return of.repeats_after(kTile, shape(block), width);
  }
  constexpr side_extent loads() const { return {of.n}; }
  constexpr side_extent stores() const { return {of.n}; }

  template <int Phase, class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t first_row = tile_row(t) * kTile, first_column = index_t{t.block_x} * kTile;
    const int x = static_cast<int>(t.thread_x), y = static_cast<int>(t.thread_y);
    if constexpr (Phase == 0) {
      decltype(a.take(true, first_row, first_row)) values[kSteps];
      for (int k = 0; k < kSteps; ++k) {
        const index_t row = first_row + y + k * kRows, column = first_column + x;
        const index_t at = of.place(row, column);
        values[k] = a.take(of.holds(row, column), at, at);
      }
      for (int k = 0; k < kSteps; ++k) {
        const index_t row = first_row + y + k * kRows, column = first_column + x;
        a.stage(of.holds(row, column), slot(y + k * kRows, x), values[k]);
      }
    } else {
      for (int k = 0; k < kSteps; ++k) {
        const index_t row = first_row + x, column = first_column + y + k * kRows;
        const index_t at = of.transposed(row, column);
        const bool on = of.holds(row, column);
        a.put(on, at, at, a.staged(on, slot(x, y + k * kRows)));
      }
    }
  }

 private:
  static constexpr int kRows = static_cast<int>(kTransposeBlock.y);
  static constexpr int kSteps = kTile / kRows;

  SECTORBENCH_HD static constexpr int slot(int row, int column) {
    return row * kPitch + (Layout == tile_layout::kSwizzled ? column ^ row : column);
  }
};

}  // namespace sectorbench
