// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "bench/sectors/layout.hpp"

/// @file
/// What all warps of a launch cost.

namespace sectorbench::sectors {

/// A warp of the launch, and what it costs.
struct warp_cost {
  block_place block{};
  std::int64_t warp = 0;
  double per_request = 0;  ///< sectors, or wavefronts of shared memory
};

/// An average warp's request, of one instruction or of all.
struct launch_average {
  double cost = 0;   ///< sectors, or wavefronts of shared memory
  double ideal = 0;  ///< the same if the bytes lay side by side
  double lines = 0;  ///< of global memory
  double requested_bytes = 0, unique_bytes = 0;
  double error = 0;        ///< of `cost`, with 95 % confidence; 0 if all warps are counted
  warp_cost fewest, most;  ///< the first ones of those counted

  /// Distinct bytes of those in the sectors, 0 to 1; 0 if nothing is touched.
  double efficiency() const { return cost > 0 ? unique_bytes / (cost * kSectorBytes) : 0; }
};

struct launch_view {
  extent block, grid;
  std::int64_t warps = 0;     ///< of the launch
  std::int64_t requests = 0;  ///< of all instructions
  std::int64_t counted = 0;   ///< warps that were looked at
  bool is_exact = false;      ///< they stand for all; else they were drawn at random
  std::vector<launch_average> instructions;
  launch_average all;
};

/// Most warps of a launch, so that sums of their sectors are exact in a double.
inline constexpr std::int64_t kMaxLaunchWarps = std::int64_t{1} << 40;

/// Counts a launch: every warp, or those of the blocks that stand for all (periods.hpp), or, where
/// these are too many, warps drawn at random with a fixed seed.
/// @pre there is a block and a grid of at most kMaxLaunchWarps warps
/// @throws usage_error with the block and the warp whose accesses no GPU takes; where warps are
/// drawn, of these and of the outermost blocks only.
launch_view launch_of(const layout& of, bool is_shared);

}  // namespace sectorbench::sectors
