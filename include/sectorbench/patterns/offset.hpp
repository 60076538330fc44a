// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sectorbench/patterns/contiguous.hpp"

namespace sectorbench {

/// The contiguous access, started some elements after an aligned address: on the load side, on the
/// store side, or on both.
struct offset {
  static constexpr std::string_view kName = "offset";
  static constexpr std::string_view kSummary =
      "contiguous, but loads and stores start some elements off alignment";
  static constexpr std::string_view kMapping =
      "thread t: loads element t + loads, stores element t + stores";
  static constexpr std::array kParameters{parameter_spec{"loads", 0, kMaxParameter, 1},
                                          parameter_spec{"stores", 0, kMaxParameter, 1}};
  static constexpr bool kThreadsAffine = true;

  contiguous dense;
  index_t load_offset, store_offset;

  static constexpr offset make(index_t n, std::span<const index_t> values) {
    return {{n}, values[0], values[1]};
  }
  constexpr launch_shape shape(block_size block) const { return dense.shape(block); }
  constexpr side_extent loads() const { return {dense.n, load_offset}; }
  constexpr side_extent stores() const { return {dense.n, store_offset}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    dense.run(t, a);
  }
};

}  // namespace sectorbench
