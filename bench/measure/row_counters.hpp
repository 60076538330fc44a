// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/measure/runner.hpp"
#include "bench/report/counters.hpp"
#include "bench/telemetry/observation.hpp"

/// @file
/// The formulas of the table of counters.

namespace sectorbench {

/// What rates of a row are compared with; 0 where there is none.
struct rate_references {
  double stride1_bytes_per_s = 0;
  double ceiling_bytes_per_s = 0;
  double peak_bytes_per_s = 0;
  bool disturbed = false;  ///< one of the rows was: its rate is not among these
};

/// Size, time and fractions. @param in_cache the working set fits in the last cache
void add_measurement(counter_values& to, const row_spec& row, const program& body,
                     index_t index_bytes, const measurement& result,
                     const rate_references& references, bool in_cache);

/// What the hardware counted, and what follows from it. Keys without a metric stay away.
/// @param model null where nothing says what the launch accesses
void add_counts(counter_values& to, const row_spec& row, const measurement& result,
                double peak_bytes_per_s, const launch_totals* model, const metric_values& metrics);

void add_trace(counter_values& to, const batch_trace& trace);
void add_state(counter_values& to, const device_reading& state);

/// A count that differs from the model's: "load_sectors 8388609 counted, 8388608 predicted".
struct count_mismatch {
  std::string what;  ///< "load_requests", "load_sectors", "store_requests" or "store_sectors"
  double counted = 0;
  std::uint64_t predicted = 0;
};
std::string describe(const count_mismatch& mismatch);

/// Which of the useful bytes that a kernel declares nothing was seen to ask for, or "": neither the
/// sectors of requests nor those that L1 and L2 exchange are as many. Other units than the one for
/// loads and stores make no requests that are counted.
std::string overstated(const side_extent& loads, const side_extent& stores,
                       const metric_values& metrics);

/// Where counters and model differ; index lists are loaded like elements. Counts that were not read
/// differ from nothing.
std::vector<count_mismatch> mismatches(const launch_totals& model, const metric_values& metrics);

}  // namespace sectorbench
