// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// One element per thread, thread after thread: the coalesced access.
struct contiguous {
  static constexpr std::string_view kName = "contiguous";
  static constexpr std::string_view kSummary = "thread t moves element t";
  static constexpr std::string_view kMapping = "thread t: element t";
  static constexpr auto kParameters = kNoParameters;
  static constexpr bool kThreadsAffine = true;
  static constexpr bool kCacheOps = true;

  index_t n;

  static constexpr contiguous make(index_t n, std::span<const index_t>) { return {n}; }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t at = t.column();
    a.move(at < n, at, at);
  }
};

}  // namespace sectorbench
