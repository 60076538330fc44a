// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// A grid-stride loop: each thread takes `steps` elements, a whole grid's width apart.
///
/// The host chooses the grid for the number of steps, so that the kernel need not divide to know
/// how often it loops.
struct grid_loop {
  static constexpr std::string_view kName = "grid_loop";
  static constexpr std::string_view kSummary =
      "thread t moves t, t + threads, t + 2 threads, ...: a grid-stride loop";
  static constexpr std::string_view kMapping =
      "thread t, step j: element t + j T, T = threads of the launch";
  static constexpr std::array kParameters{parameter_spec{"steps", 1, kMaxParameter, 8}};
  static constexpr bool kThreadsAffine = true;

  index_t n;
  unsigned steps;

  static constexpr grid_loop make(index_t n, std::span<const index_t> values) {
    return {n, static_cast<unsigned>(std::min(values[0], n))};
  }
  constexpr launch_shape shape(block_size block) const {
    return row_of_threads(groups_of(index_t{steps}, n), block);
  }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t threads = index_t{t.grid_x} * t.block_size_x;
    index_t at = t.column();
    for (unsigned k = 0; k < steps; ++k) {
      a.move(at < n, at, at);
      at += threads;
    }
  }
};

}  // namespace sectorbench
