// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/report/counters.hpp"
#include "bench/telemetry/cupti/kernel_trace.hpp"
#include "bench/telemetry/nvml.hpp"

namespace sectorbench {

/// Facts about the machine and the run, as they go into the JSON context.
using evidence = std::vector<std::pair<std::string, std::string>>;

/// The device while a batch of the row's launches ran.
struct device_reading {
  double sm_clock_hz = 0;  ///< 0 if it could not be measured
  gpu_condition condition;
};

/// What was seen of a row besides its time. What could not be had is empty.
struct observation {
  metric_values metrics;
  std::string counters_error;  ///< why a reading failed that was expected to work
  std::optional<batch_trace> trace;
  std::optional<device_reading> state;
  std::vector<std::string> throttled;  ///< reasons for which the clocks were held down meanwhile
};

/// Whether something is read in this run, and why not.
struct source_status {
  bool on = false;
  std::string state = "off";  ///< "on", "off" or the obstacle: "permission", "missing", ...
  std::string reason;         ///< one line, with the remedy if there is one
};

}  // namespace sectorbench
