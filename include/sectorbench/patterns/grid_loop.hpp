// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "sectorbench/access/pattern.hpp"

namespace sectorbench {

/// A grid-stride loop: a fixed number of blocks, each thread steps by the size of the grid.
struct grid_loop {
  static constexpr std::string_view kName = "grid_loop";
  static constexpr std::string_view kSummary =
      "a fixed grid; thread t moves t, t + threads, t + 2 threads, ...";
  static constexpr std::array kParameters{parameter_spec{"blocks", 1, kMaxGridX, 8192}};
  static constexpr bool kThreadsAffine = true;

  index_t n, blocks;

  static constexpr grid_loop make(index_t n, std::span<const index_t> values) {
    return {n, values[0]};
  }
  constexpr launch_shape shape(block_size block) const {
    launch_shape grid = row_of_threads(n, block);
    grid.grid_x = std::min(grid.grid_x, blocks);
    return grid;
  }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t threads = index_t{t.grid_x} * t.block_size_x;
    for (index_t at = t.column(); at < n; at += threads) a.move(true, at, at);
  }
};

}  // namespace sectorbench
