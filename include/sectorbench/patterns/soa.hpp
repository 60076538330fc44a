// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// A structure of arrays: each thread moves all fields of its index, which lie in `Fields` arrays
/// one after another; first all loads, then all stores.
template <int Fields>
struct soa {
  static constexpr std::string_view kName = "soa";
  static constexpr std::string_view kSummary =
      "structure of arrays: each thread moves all fields of its index";
  static constexpr std::string_view kMapping = "thread t, field f: element f m + t, m = n / fields";
  static constexpr std::array kParameters{parameter_spec{"fields", Fields, Fields, Fields}};
  static constexpr std::array kOperations{operation_kind::kCopy, operation_kind::kGather,
                                          operation_kind::kRead};
  static constexpr std::array kTypes{element_type::kF32, element_type::kF64};
  static constexpr bool kThreadsAffine = true;

  index_t n;
  index_t whole, rest;  // n = Fields * whole + rest: the first arrays may be one longer

  static constexpr soa make(index_t n, std::span<const index_t>) {
    return {n, n / Fields, n % Fields};
  }
  constexpr launch_shape shape(block_size block) const {
    return row_of_threads(whole + (rest > 0 ? 1 : 0), block);
  }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t thread = t.column();
    decltype(a.take(true, thread, thread)) values[Fields];
    for (int f = 0; f < Fields; ++f) {
      const index_t at = start_of(f) + thread;
      values[f] = a.take(thread < length_of(f), at, at);
    }
    for (int f = 0; f < Fields; ++f) {
      const index_t at = start_of(f) + thread;
      a.put(thread < length_of(f), at, at, values[f]);
    }
  }

 private:
  SECTORBENCH_HD constexpr index_t start_of(index_t f) const {
    return f * whole + (f < rest ? f : rest);
  }
  SECTORBENCH_HD constexpr index_t length_of(index_t f) const { return whole + (f < rest ? 1 : 0); }
};

}  // namespace sectorbench
