// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// An array of structures of arrays: tiles of 32 structures, in which each field is an array; each
/// thread moves all fields of its structure, first all loads, then all stores.
template <int Fields>
struct aosoa {
  static constexpr std::string_view kName = "aosoa";
  static constexpr std::string_view kSummary =
      "array of structures of arrays of 32: each thread moves all fields of its structure";
  static constexpr std::string_view kMapping =
      "thread t, field f: element (t - l) fields + 32 f + l, l = t mod 32";
  static constexpr std::array kParameters{parameter_spec{"fields", Fields, Fields, Fields}};
  static constexpr std::array kOperations{operation_kind::kCopy, operation_kind::kGather,
                                          operation_kind::kRead};
  static constexpr std::array kTypes{element_type::kF32, element_type::kF64};
  static constexpr bool kThreadsAffine = false;

  index_t n;

  static constexpr aosoa make(index_t n, std::span<const index_t>) { return {n}; }
  constexpr launch_shape shape(block_size block) const {
    return row_of_threads(groups_of(32 * Fields, n) * 32, block);
  }
  constexpr index_t repeats_after(block_size block, int width) const {
    const index_t blocks = blocks_to_warps(block.threads());
    return blocks * steps_to_line(blocks * block.threads() * Fields * width);
  }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t thread = t.column();
    const index_t lane = thread & 31;
    const index_t first = (thread - lane) * Fields + lane;
    decltype(a.take(true, first, first)) values[Fields];
    for (int f = 0; f < Fields; ++f) {
      const index_t at = first + 32 * f;
      values[f] = a.take(at < n, at, at);
    }
    for (int f = 0; f < Fields; ++f) {
      const index_t at = first + 32 * f;
      a.put(at < n, at, at, values[f]);
    }
  }
};

}  // namespace sectorbench
