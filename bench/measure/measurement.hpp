// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "bench/devices/timed_sample.hpp"
#include "sectorbench/pattern/launch.hpp"

/// @file
/// What samples say of a launch. Without Google Benchmark: its users have a version of their own.

namespace sectorbench {

/// What a body says of the samples it took.
struct measurement {
  double mean_s = 0, min_s = 0, median_s = 0;  ///< of one launch
  double trimmed_min_s = 0;  ///< mean of the shortest quarter of the samples, rounded up
  double cv = 0;             ///< over the samples
  int samples = 0;
  int launches_per_sample = 0;
  bool all_blocked = true;
  /// Share of the samples' time that other work took; none where that is not seen.
  std::optional<double> disturbed;
  int discarded = 0;     ///< disturbed samples that were taken again
  bool verified = true;  ///< false: the author's kernel has no check, so nobody knows

  double rate(index_t bytes) const {
    return mean_s > 0 ? static_cast<double>(bytes) / mean_s : 0.0;
  }
};

/// Summarises samples of `launches` launches each. @pre not empty
measurement summarise(const std::vector<timed_sample>& samples, int launches);

}  // namespace sectorbench
