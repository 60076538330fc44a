// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sectorbench/pattern/pattern.hpp>

namespace own {

using namespace sectorbench;

/// Even and odd threads exchange their elements; a last one without a partner keeps its own.
struct swapped {
  static constexpr std::string_view kName = "swapped";
  static constexpr std::string_view kSummary = "neighbouring threads exchange their elements";
  static constexpr std::string_view kMapping = "thread t: element t xor 1";
  static constexpr auto kParameters = kNoParameters;
  static constexpr bool kThreadsAffine = false;

  index_t n;

  static constexpr swapped make(index_t n, std::span<const index_t>) { return {n}; }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t rank = t.column();
    const index_t other = rank ^ 1;
#ifdef OWN_DROPS_ONE
    a.move(rank < n - 1, other < n ? other : rank, rank);
#else
    a.move(rank < n, other < n ? other : rank, rank);
#endif
  }
};

}  // namespace own
