// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "sectorbench/pattern/arithmetic.hpp"
#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// A stride copy that works on each element between load and store: `fma` multiply-adds, each of
/// which needs the one before. Threads go over the elements as in `stride`.
struct compute {
  static constexpr std::string_view kName = "compute";
  static constexpr std::string_view kSummary =
      "a stride copy with dependent multiply-adds on each element";
  static constexpr std::string_view kMapping =
      "column c, row r of threads: element c step + r, after fma multiply-adds";
  static constexpr std::array kParameters{parameter_spec{"step", 1, kMaxParameter, 1},
                                          parameter_spec{"fma", 1, 1 << 20, 16}};
  static constexpr std::array kOperations{operation_kind::kCopy};
  static constexpr auto kTypes = kNumberTypes;
  static constexpr bool kThreadsAffine = true;

  index_t n, step;
  unsigned times;

  static constexpr compute make(index_t n, std::span<const index_t> values) {
    return {n, values[0], static_cast<unsigned>(values[1])};
  }
  constexpr launch_shape shape(block_size block) const {
    launch_shape grid = row_of_threads(groups_of(step, n), block);
    const index_t rows = std::min(step, n);
    grid.grid_y = std::min(rows, kMaxGridYZ);
    grid.grid_z = groups_of(grid.grid_y, rows);
    return grid;
  }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }
  constexpr index_t flops() const { return 2 * n * times; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t row = index_t{t.block_z} * t.grid_y + t.block_y;
    const index_t at = t.column() * step + row;
    const bool on = row < step && at < n;
    a.put(on, at, at, a.worked(a.take(on, at, at), times));
  }
};

}  // namespace sectorbench
