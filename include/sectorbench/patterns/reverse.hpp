// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// Back to front: the lanes of a warp in the reverse order, and the warps too.
struct reverse {
  static constexpr std::string_view kName = "reverse";
  static constexpr std::string_view kSummary = "thread t moves element n - 1 - t";
  static constexpr std::string_view kMapping = "thread t: element n - 1 - t";
  static constexpr auto kParameters = kNoParameters;
  static constexpr bool kThreadsAffine = true;

  index_t n;

  static constexpr reverse make(index_t n, std::span<const index_t>) { return {n}; }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t rank = t.column();
    a.move(rank < n, n - 1 - rank, rank);
  }
};

}  // namespace sectorbench
