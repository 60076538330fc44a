// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sectorbench/pattern/pattern.hpp"

namespace sectorbench {

/// Only the first `lanes` lanes of each warp work; the whole array is still covered.
struct active {
  static constexpr std::string_view kName = "active";
  static constexpr std::string_view kSummary = "only some lanes of each warp work";
  static constexpr std::string_view kMapping =
      "lane l of warp w: element w lanes + l where l < lanes, else nothing";
  static constexpr std::array kParameters{parameter_spec{"lanes", 1, 32, 8}};
  static constexpr bool kThreadsAffine = false;

  index_t n;
  unsigned lanes;

  static constexpr active make(index_t n, std::span<const index_t> values) {
    return {n, static_cast<unsigned>(values[0])};
  }
  constexpr launch_shape shape(block_size block) const {
    return row_of_threads(groups_of(index_t{lanes}, n) * 32, block);
  }
  constexpr index_t repeats_after(block_size block, int width) const {
    const index_t blocks = blocks_to_warps(block.threads());
    return blocks * steps_to_line(blocks * block.threads() / 32 * lanes * width);
  }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t thread = t.column();
    const unsigned lane = static_cast<unsigned>(thread & 31);
    const index_t at = (thread >> 5) * lanes + lane;
    a.move(lane < lanes && at < n, at, at);
  }
};

}  // namespace sectorbench
