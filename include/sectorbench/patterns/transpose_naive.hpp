// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sectorbench/pattern/matrix.hpp"

namespace sectorbench {

/// A transpose without staging: a warp takes 32 neighbours of a row and puts them 32 rows apart, or
/// the other way round. Each block takes tiles of 32 x 32, four elements a thread.
template <bool CoalescedReads>
struct transpose_naive {
  static constexpr std::string_view kName =
      CoalescedReads ? "transpose_naive_read" : "transpose_naive_write";
  static constexpr std::string_view kSummary =
      CoalescedReads ? "a transpose that reads rows and writes columns, 32 elements a warp"
                     : "a transpose that reads columns and writes rows, 32 elements a warp";
  static constexpr std::string_view kMapping =
      CoalescedReads ? "thread (x, y): row y, column x into place x rows + y"
                     : "thread (x, y): row x, column y into place y rows + x";
  static constexpr std::array kParameters{kColumns};
  static constexpr std::array kOperations{operation_kind::kCopy};
  static constexpr std::array kTypes{element_type::kF16, element_type::kF32, element_type::kF64};
  static constexpr bool kThreadsAffine = false;

  matrix of;

  static constexpr transpose_naive make(index_t n, std::span<const index_t> values) {
    return {{n, values[0]}};
  }
  constexpr launch_shape shape(block_size) const {
    return CoalescedReads ? launch_of_tiles(kTile, of.columns, of.rows(), kTransposeBlock)
                          : launch_of_tiles(kTile, of.rows(), of.columns, kTransposeBlock);
  }
  constexpr index_t repeats_after(block_size block, int width) const {
    return of.repeats_after(kTile, shape(block), width);
  }
  constexpr side_extent loads() const { return {of.n}; }
  constexpr side_extent stores() const { return {of.n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    constexpr int kSteps = kTile / kTransposeBlock.y;
    const index_t x = index_t{t.block_x} * kTile + t.thread_x;
    const index_t y = tile_row(t) * kTile + t.thread_y;
    decltype(a.take(true, x, x)) values[kSteps];
    for (int k = 0; k < kSteps; ++k) {
      const auto [row, column] = element(x, y + k * kTransposeBlock.y);
      const index_t at = of.place(row, column);
      values[k] = a.take(of.holds(row, column), at, at);
    }
    for (int k = 0; k < kSteps; ++k) {
      const auto [row, column] = element(x, y + k * kTransposeBlock.y);
      const index_t at = of.transposed(row, column);
      a.put(of.holds(row, column), at, at, values[k]);
    }
  }

 private:
  static constexpr int kTile = 32;

  struct position {
    index_t row, column;
  };
  SECTORBENCH_HD static constexpr position element(index_t x, index_t y) {
    return CoalescedReads ? position{y, x} : position{x, y};
  }
};

}  // namespace sectorbench
