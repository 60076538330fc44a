// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sectorbench {

/// What the caches hold when a timed launch begins.
enum class cache_mode {
  kWarm,  ///< what the launch before it left
  kCold,  ///< nothing of the row's: a buffer larger than the last cache was written since
};

}  // namespace sectorbench
