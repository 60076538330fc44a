// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/cases/row.hpp"
#include "bench/predict/counted.hpp"
#include "bench/predict/prediction.hpp"
#include "bench/telemetry/observation.hpp"

/// @file
/// A row's prediction in words, for somebody new to the field.
///
/// What is said follows from the causes that the prediction names: sectors stored in part, sectors
/// and granules used in part, what is fetched again, distances, bytes in flight. No pattern's name
/// decides; only the remedy asks what a pattern has: an index list, staged values, arithmetic.

namespace sectorbench {

/// What was measured of a row, as far as it was.
struct measured_row {
  std::optional<double> seconds;  ///< of one launch
  metric_values metrics;
};

/// A few plain sentences, each one entry: what limits the row, how much that costs, and what helps;
/// then, where a time or DRAM bytes were measured, whether each agrees. "The array" is elements x
/// element size, which is what one side of a copy moves. Empty for a mover, which has no
/// prediction.
/// @param measured metrics by CUPTI's names, bytes of one launch
/// @pre unless the row is a mover's, the prediction is this row's on this device
std::vector<std::string> explain(const row_spec& row, const row_prediction& prediction,
                                 const device_description& device, const measured_row& measured);

/// The same of a launch that was counted; "the useful bytes" are all that it moves. Empty where
/// nothing says what limits it.
std::vector<std::string> explain_counts(const counted_launch& launch,
                                        const device_description& device);

/// The sentences as lines under the row's name, ready to print; empty if there are none.
std::string explained(const std::string& name, const std::vector<std::string>& sentences);

}  // namespace sectorbench
