// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// `Share` neighbouring threads load the same element.
///
/// The bytes asked for are `Share` times the distinct ones: `useful_bytes` counts the former,
/// `unique_bytes` the latter.
template <int Share>
struct broadcast {
  static constexpr std::string_view kName = "broadcast";
  static constexpr std::string_view kSummary = "neighbouring threads load the same element";
  static constexpr std::string_view kMapping =
      "thread t: loads element t / share, stores element t";
  static constexpr std::array kParameters{parameter_spec{"share", Share, Share, Share}};
  static constexpr std::array kOperations{operation_kind::kGather, operation_kind::kRead};
  static constexpr bool kThreadsAffine = false;

  index_t n;

  static constexpr broadcast make(index_t n, std::span<const index_t>) { return {n}; }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr index_t repeats_after(block_size block, int width) const {
    // Every Share blocks the lanes of a warp begin an element together.
    return Share * steps_to_line(index_t{block.threads()} * width);
  }
  constexpr side_extent loads() const { return {groups_of(Share, n), 0, coverage::kManyToOne, n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t rank = t.column();
    // Unsigned, so that dividing by a power of two is a shift.
    const auto at = static_cast<index_t>(static_cast<std::uint64_t>(rank) / Share);
    a.move(rank < n, at, rank);
  }
};

}  // namespace sectorbench
