// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// An array that begins `first` elements into the buffer, moved V elements at a time. An access
/// must lie at a multiple of its size, so that the array may begin at multiples of V only.
template <int V>
struct wide {
  static constexpr std::string_view kName = "wide";
  static constexpr std::string_view kSummary = "each thread moves v neighbours by one access";
  static constexpr std::string_view kMapping =
      "thread t: elements first + t v to first + t v + v-1";
  static constexpr std::array kParameters{parameter_spec{"first", 0, kMaxParameter, 0},
                                          parameter_spec{"v", V, V, V}};
  static constexpr std::array kOperations{operation_kind::kCopy};
  static constexpr auto kTypes = types_of_access<V, 4, 16>();
  static constexpr int kTogether = V;
  static constexpr bool kThreadsAffine = true;

  index_t n, first;

  static constexpr wide make(index_t n, std::span<const index_t> values) { return {n, values[0]}; }
  constexpr launch_shape shape(block_size block) const {
    return row_of_threads(groups_of(V, n), block);
  }
  constexpr side_extent loads() const { return {n, first}; }
  constexpr side_extent stores() const { return {n, first}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t at = t.column() * V;
    const index_t block_end = (index_t{t.block_x} + 1) * t.block_size_x * V;
    const bool whole = at + V <= n;
    a.put(whole, at, at, a.take(whole, at, at, together<kTogether>));
    // Only the last block may hold a thread with fewer elements than V.
    if (block_end <= n) return;
    for (int k = 0; k < V - 1; ++k) a.move(!whole && at + k < n, at + k, at + k);
  }
};

}  // namespace sectorbench
