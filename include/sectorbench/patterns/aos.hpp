// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// An array of structures of `fields` elements, of which each thread moves one field of its
/// structure: n elements out of an array that is `fields` times as large.
struct aos {
  static constexpr std::string_view kName = "aos";
  static constexpr std::string_view kSummary = "array of structures: each thread moves one field";
  static constexpr std::string_view kMapping = "thread t: element t fields + field";
  static constexpr std::array kParameters{parameter_spec{"fields", 1, 4096, 3},
                                          parameter_spec{"field", 0, 4095, 0}};
  static constexpr bool kThreadsAffine = true;

  index_t n, fields, field;

  /// A field beyond the structure's last is its last.
  static constexpr aos make(index_t n, std::span<const index_t> values) {
    return {n, values[0], std::min(values[1], values[0] - 1)};
  }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr side_extent loads() const { return {n * fields, 0, coverage::kInjection, n}; }
  constexpr side_extent stores() const { return loads(); }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t rank = t.column();
    a.move(rank < n, rank * fields + field, rank);
  }
};

}  // namespace sectorbench
