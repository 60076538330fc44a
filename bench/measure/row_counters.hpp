// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/measure/counts.hpp"
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

void add_trace(counter_values& to, const batch_trace& trace);
void add_state(counter_values& to, const device_reading& state);

}  // namespace sectorbench
