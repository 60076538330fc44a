// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/counters.hpp"
#include "bench/observation.hpp"
#include "bench/prediction.hpp"
#include "bench/runner.hpp"

/// @file
/// The formulas of the table of counters.

namespace sectorbench {

/// The values of one row, by the keys of the table.
class counter_values {
 public:
  /// @throws std::logic_error if the table has no such key, or it was set before
  void set(std::string_view key, double value);
  /// Keys of the set that have no value.
  std::vector<std::string_view> missing(counter_set set) const;
  const std::map<std::string, double, std::less<>>& all() const { return values_; }

 private:
  std::map<std::string, double, std::less<>> values_;
};

/// What rates of a row are compared with; 0 where there is none.
struct rate_references {
  double stride1_bytes_per_s = 0;
  double ceiling_bytes_per_s = 0;
  double peak_bytes_per_s = 0;
};

/// Size, time and fractions. @param in_cache the working set fits in the last cache
void add_measurement(counter_values& to, const row_spec& row, const program& body,
                     index_t index_bytes, const measurement& result,
                     const rate_references& references, bool in_cache);

/// What the sector model says of a launch. @param unique_bytes distinct bytes that it moves
/// @param totals null for a mover
void add_prediction(counter_values& to, const row_spec& row, index_t unique_bytes,
                    const launch_totals* totals);

/// What the hardware counted, and what follows from it. Keys without a metric stay away.
void add_counts(counter_values& to, const row_spec& row, const measurement& result,
                double peak_bytes_per_s, const launch_totals& model, const metric_values& metrics);

/// What the model of traffic and time says. @param mean_s of a launch
void add_model(counter_values& to, const row_prediction& model, double mean_s);

void add_trace(counter_values& to, const batch_trace& trace);
void add_state(counter_values& to, const device_reading& state);

/// A count that differs from the model's: "load_sectors 8388609 counted, 8388608 predicted".
struct count_mismatch {
  std::string what;  ///< "load_requests", "load_sectors", "store_requests" or "store_sectors"
  double counted = 0;
  std::uint64_t predicted = 0;
};
std::string describe(const count_mismatch& mismatch);

/// The value of the table's key `key` among what was read; none if the chip has no metric for it.
std::optional<double> metric_of(const metric_values& metrics, std::string_view key);

/// Where counters and model differ; index lists are loaded like elements. Counts that were not read
/// differ from nothing.
std::vector<count_mismatch> mismatches(const launch_totals& model, const metric_values& metrics);

}  // namespace sectorbench
