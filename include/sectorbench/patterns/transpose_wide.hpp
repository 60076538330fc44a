// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sectorbench/pattern/matrix.hpp"

namespace sectorbench {

/// A transpose through shared memory whose loads and stores are of 16 bytes: V elements of a row,
/// and V of a row of the transposed. A block stages a tile of 64 x 64, its rows padded by one
/// element. Rows and columns must be multiples of V.
template <int V>
struct transpose_wide {
  static constexpr std::string_view kName = "transpose_wide";
  static constexpr std::string_view kSummary =
      "a transpose through a padded tile in shared memory by 16-byte accesses";
  static constexpr std::string_view kMapping =
      "access i of a tile of 64 x 64: row i / (64/v), columns from v (i mod (64/v)) on; puts the "
      "same of the transposed";
  static constexpr std::array kParameters{kColumns, parameter_spec{"v", V, V, V}};
  static constexpr std::array kOperations{operation_kind::kCopy};
  static constexpr auto kTypes = types_of_access<V, 16, 16>();
  static constexpr int kTogether = V;
  static constexpr bool kThreadsAffine = false;
  static constexpr int kPhases = 2;
  static constexpr int kTile = 64;
  static constexpr int kPitch = kTile + 1;
  static constexpr int kSlots = kTile * kPitch;

  matrix of;

  index_t columns;  // asked for: a matrix has no more than n

  static constexpr transpose_wide make(index_t n, std::span<const index_t> values) {
    return {{n, values[0]}, values[0]};
  }
  constexpr launch_shape shape(block_size) const {
    return launch_of_tiles(kTile, of.columns, of.rows(), kTransposeBlock);
  }
  constexpr index_t repeats_after(block_size block, int width) const {
    return of.repeats_after(kTile, shape(block), width);
  }
  constexpr side_extent loads() const { return {of.n}; }
  constexpr side_extent stores() const { return {of.n}; }
  constexpr std::string_view refusal() const {
    if (columns % V != 0) return "columns must be a multiple of v, so that each row is aligned";
    if (of.n % columns != 0)
      return "the last row must be a whole one: take a number of elements that is a multiple of "
             "columns";
    if (of.whole % V != 0) return "rows (elements / columns) must be a multiple of v";
    return {};
  }

  template <int Phase, class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t first_row = tile_row(t) * kTile, first_column = index_t{t.block_x} * kTile;
    const int thread = static_cast<int>(t.thread_y * kTransposeBlock.x + t.thread_x);
    if constexpr (Phase == 0) {
      decltype(a.take(true, first_row, first_row, together<kTogether>)) values[kSteps];
      for (int k = 0; k < kSteps; ++k) {
        const auto [line, along] = piece(thread, k);
        const index_t row = first_row + line, column = first_column + along;
        const index_t at = of.place(row, column);
        values[k] = a.take(of.holds(row, column + V - 1), at, at, together<kTogether>);
      }
      for (int k = 0; k < kSteps; ++k) {
        const auto [line, along] = piece(thread, k);
        const bool on = of.holds(first_row + line, first_column + along + V - 1);
        for (int j = 0; j < V; ++j) a.stage(on, line * kPitch + along + j, values[k].at[j]);
      }
    } else {
      pack<decltype(a.staged(true, 0)), V> values[kSteps];
      for (int k = 0; k < kSteps; ++k) {
        const auto [line, along] = piece(thread, k);
        const bool on = of.holds(first_row + along + V - 1, first_column + line);
        for (int j = 0; j < V; ++j) values[k].at[j] = a.staged(on, (along + j) * kPitch + line);
      }
      for (int k = 0; k < kSteps; ++k) {
        const auto [line, along] = piece(thread, k);
        const index_t row = first_row + along, column = first_column + line;
        const index_t at = of.transposed(row, column);
        a.put(of.holds(row + V - 1, column), at, at, values[k]);
      }
    }
  }

 private:
  static constexpr int kAccessesOfLine = kTile / V;
  static constexpr int kThreads = static_cast<int>(kTransposeBlock.threads());
  static constexpr int kSteps = kTile * kAccessesOfLine / kThreads;

  struct place_in_tile {
    int line, along;
  };
  SECTORBENCH_HD static constexpr place_in_tile piece(int thread, int step) {
    const int access = step * kThreads + thread;
    return {access / kAccessesOfLine, access % kAccessesOfLine * V};
  }
};

}  // namespace sectorbench
