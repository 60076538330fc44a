// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sectorbench/pattern/launch.hpp"
#include "sectorbench/verify/proof.hpp"

namespace sectorbench {

/// What an index map does: thread i of n copies element `places[i]` of n floats.
struct map_verdict {
  coverage_verdict coverage;       ///< whether each element is loaded once and stored once
  double sectors_per_request = 0;  ///< of a warp's 32 threads, if each is
};

/// Runs the map in blocks of 256 threads against the proof, then against the sector model.
map_verdict judge_map(std::span<const index_t> places);

}  // namespace sectorbench
