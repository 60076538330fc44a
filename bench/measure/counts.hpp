// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/measure/measurement.hpp"
#include "bench/report/counters.hpp"
#include "sectorbench/model/launch_totals.hpp"
#include "sectorbench/pattern/pattern.hpp"

/// @file
/// Those formulas of the table of counters that need no row. Without Google Benchmark: users of
/// launch_clock have a version of their own.

namespace sectorbench {

/// How the samples of a launch spread.
void add_spread(counter_values& to, const measurement& result);

/// What the hardware counted, and what follows from it. Keys without a metric stay away.
/// @param useful_bytes and mean_s of a launch @param model null where nothing says what the launch
/// accesses
void add_counts(counter_values& to, index_t useful_bytes, double mean_s, double peak_bytes_per_s,
                const launch_totals* model, const metric_values& metrics);

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
