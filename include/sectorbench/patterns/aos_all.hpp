// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// An array of structures of `Fields` elements; each thread moves all fields of its structure,
/// first all loads, then all stores. The dense rank is that of a structure of arrays.
template <int Fields>
struct aos_all {
  static constexpr std::string_view kName = "aos_all";
  static constexpr std::string_view kSummary =
      "array of structures: each thread moves all fields of its structure";
  static constexpr std::string_view kMapping = "thread t, field f: element t fields + f";
  static constexpr std::array kParameters{parameter_spec{"fields", Fields, Fields, Fields}};
  static constexpr std::array kOperations{operation_kind::kCopy, operation_kind::kGather,
                                          operation_kind::kRead};
  static constexpr std::array kTypes{element_type::kF32, element_type::kF64};
  static constexpr bool kThreadsAffine = true;

  index_t n;
  index_t whole, rest;  // n = Fields * whole + rest

  static constexpr aos_all make(index_t n, std::span<const index_t>) {
    return {n, n / Fields, n % Fields};
  }
  constexpr launch_shape shape(block_size block) const {
    return row_of_threads(groups_of(Fields, n), block);
  }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t thread = t.column();
    decltype(a.take(true, thread, thread)) values[Fields];
    for (int f = 0; f < Fields; ++f) {
      const index_t at = thread * Fields + f;
      values[f] = a.take(at < n, at, rank_of(thread, f));
    }
    for (int f = 0; f < Fields; ++f) {
      const index_t at = thread * Fields + f;
      a.put(at < n, at, rank_of(thread, f), values[f]);
    }
  }

 private:
  SECTORBENCH_HD constexpr index_t rank_of(index_t thread, index_t f) const {
    return f * whole + (f < rest ? f : rest) + thread;
  }
};

}  // namespace sectorbench
