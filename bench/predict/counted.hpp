// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "bench/predict/prediction.hpp"
#include "bench/report/counters.hpp"

/// @file
/// What limits a launch whose accesses nobody described, from what the hardware counted of it.

namespace sectorbench {

/// How busy the busiest pipe of the SMs was, in percent, where a profiler says so.
inline constexpr std::string_view kExecutionMetric =
    "sm__throughput.avg.pct_of_peak_sustained_elapsed";

/// A launch as it was seen.
struct counted_launch {
  metric_values metrics;  ///< by CUPTI's names; what one is missing for is not judged
  double seconds = 0;     ///< measured
  index_t blocks = 0;     ///< 0: not known
  int block_threads = 0;
  /// Useful bytes; none: whole sectors are taken for useful.
  std::optional<double> loaded_bytes, stored_bytes;
  double held_bytes = 0;  ///< of its buffers; 0: not known

  double useful_bytes() const;
  /// Useful bytes of each sector that requests touch, 32 at best.
  double used_per_sector() const;
};

/// Counts in the place of a model's: each resource's time as the model of time has it, and as the
/// limit the one that takes at least three quarters of the time that was measured. Where none does,
/// the launch waits: for DRAM, where that is busy for two fifths of the time and requests use half
/// of their sectors or less, else for too few bytes under way. None without counts of L2 or DRAM,
/// and without figures of time.
std::optional<row_prediction> limits_of_counts(const counted_launch& launch,
                                               const device_description& device);

}  // namespace sectorbench
