// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// Each thread walks `length` consecutive elements: the classic pattern of a CPU's threads.
///
/// The dense rank puts the k-th elements of all threads side by side, so that `gather` loads in
/// chunks and stores coalesced.
struct chunk {
  static constexpr std::string_view kName = "chunk";
  static constexpr std::string_view kSummary = "each thread walks a run of consecutive elements";
  static constexpr std::string_view kMapping = "thread t, step j: element t chunk + j";
  static constexpr std::array kParameters{parameter_spec{"chunk", 1, kMaxParameter, 32}};
  static constexpr bool kThreadsAffine = true;

  index_t n;
  unsigned length;      // counts steps, indexes nothing
  index_t whole, rest;  // n = length * whole + rest

  static constexpr chunk make(index_t n, std::span<const index_t> values) {
    const index_t length = std::min(values[0], n);  // a longer chunk would only walk past the end
    return {n, static_cast<unsigned>(length), n / length, n % length};
  }
  constexpr launch_shape shape(block_size block) const {
    return row_of_threads(whole + (rest > 0 ? 1 : 0), block);
  }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t thread = t.column();
    const index_t first = thread * length;
    for (unsigned k = 0; k < length; ++k) {
      const index_t at = first + k;
      a.move(at < n, at, k * whole + (k < rest ? k : rest) + thread);
    }
  }
};

}  // namespace sectorbench
