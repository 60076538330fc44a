// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// K independent elements per thread, one block width apart, all loads before the first store.
///
/// Each of the K requests of a warp is coalesced; K of them are in flight at once, which is what a
/// GPU needs to reach its memory's rate.
template <int K>
struct unrolled {
  static constexpr std::string_view kName = "unrolled";
  static constexpr std::string_view kSummary =
      "each thread moves k elements, a block width apart: all loads, then all stores";
  static constexpr std::string_view kMapping =
      "thread t of block b, step j: element (b unroll + j) B + t, B = threads of a block";
  static constexpr std::array kParameters{parameter_spec{"unroll", K, K, K}};
  static constexpr bool kThreadsAffine = true;

  index_t n;

  static constexpr unrolled make(index_t n, std::span<const index_t>) { return {n}; }
  constexpr launch_shape shape(block_size block) const {
    return row_of_threads(groups_of(index_t{block.threads()} * K, n) * block.threads(), block);
  }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t width = t.block_size_x;
    const index_t block = index_t{t.block_x} * width * K;
    // A block inside the array needs no predicates: a thread has seven of them, and eight elements
    // would make the assembler store early to free one. The same for all threads of the block.
    if (block + width * K <= n)
      move_all<true>(block + t.thread_x, width, a);
    else
      move_all<false>(block + t.thread_x, width, a);
  }

 private:
  template <bool Inside, class Access>
  SECTORBENCH_HD constexpr void move_all(index_t first, index_t width, const Access& a) const {
    decltype(a.take(true, first, first)) values[K];
    for (int k = 0; k < K; ++k) {
      const index_t at = first + width * k;
      values[k] = a.take(Inside || at < n, at, at);
    }
    for (int k = 0; k < K; ++k) {
      const index_t at = first + width * k;
      a.put(Inside || at < n, at, at, values[k]);
    }
  }
};

}  // namespace sectorbench
