// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "sectorbench/pattern/arithmetic.hpp"
#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// The sum of two vectors, whose elements neighbouring threads take `step` apart. The two lie one
/// behind the other in the input. Threads go over the vectors as in `stride`.
struct add {
  static constexpr std::string_view kName = "add";
  static constexpr std::string_view kSummary = "the sum of two vectors, an element a thread";
  static constexpr std::string_view kMapping =
      "column c, row r of threads: elements i and n + i, i = c step + r, into element i";
  static constexpr std::array kParameters{parameter_spec{"step", 1, kMaxParameter, 1}};
  static constexpr std::array kOperations{operation_kind::kCopy};
  static constexpr auto kTypes = kNumberTypes;
  static constexpr bool kThreadsAffine = true;

  index_t n, step;

  static constexpr add make(index_t n, std::span<const index_t> values) { return {n, values[0]}; }
  constexpr launch_shape shape(block_size block) const {
    launch_shape grid = row_of_threads(groups_of(step, n), block);
    const index_t rows = std::min(step, n);
    grid.grid_y = std::min(rows, kMaxGridYZ);
    grid.grid_z = groups_of(grid.grid_y, rows);
    return grid;
  }
  constexpr side_extent loads() const { return {2 * n}; }
  constexpr side_extent stores() const { return {n}; }
  constexpr index_t flops() const { return n; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t row = index_t{t.block_z} * t.grid_y + t.block_y;
    const index_t at = t.column() * step + row;
    const bool on = row < step && at < n;
    const auto first = a.take(on, at, at);
    const auto second = a.take(on, n + at, n + at);
    a.put(on, at, at, a.sum(first, second));
  }
};

}  // namespace sectorbench
