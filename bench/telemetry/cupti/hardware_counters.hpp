// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/telemetry/cupti/obstacle.hpp"

/// @file
/// Hardware counters of chosen launches, read in this process.
///
///     const auto counters = open_hardware_counters(0, {"dram__bytes_read.sum"});
///     const auto values = counters->read(1, [](int) {}, [&](int) { launch(); wait(); });
///     values[0][0];  // bytes read from DRAM by that launch
///
/// Each launch is a range of its own and is run again for every pass that its metrics take; what
/// comes before it in a pass is not counted. Nothing is saved or restored between passes, nor are
/// caches flushed: the launch must do the same each time, and finds the caches as its caller
/// leaves them. Durations are not measured here: reading counters stretches a launch.
///
/// Source: CUPTI documentation, chapter "Range Profiling" (user range, user replay).

namespace sectorbench {

/// The metrics of one chip, as CUPTI offers them. Needs no GPU.
class metric_catalogue {
 public:
  virtual ~metric_catalogue() = default;

  /// Whether the chip offers the metric, rollup included: "dram__bytes_read.sum".
  virtual bool offers(const std::string& metric) const = 0;
  /// At most `count` metrics that may have been meant, the nearest first.
  virtual std::vector<std::string> near(const std::string& metric, std::size_t count) const = 0;
  /// Passes that reading these metrics takes. @pre each is offered @throws cupti_unavailable
  virtual int passes(std::span<const std::string> metrics) const = 0;
};

/// Reads metrics of launches on one device.
class hardware_counters {
 public:
  virtual ~hardware_counters() = default;

  /// CUPTI's name of the chip, such as "GH100".
  virtual const std::string& chip() const = 0;
  /// The metrics that are read, in this order.
  virtual const std::vector<std::string>& metrics() const = 0;
  /// Those asked for that the chip does not offer.
  virtual const std::vector<std::string>& not_offered() const = 0;
  /// How often a launch runs for one reading.
  virtual int passes() const = 0;
  virtual const metric_catalogue& catalogue() const = 0;

  /// Counts `ranges` launches: for each pass and each i, `prepare(i)` is called, then `launch(i)`
  /// is counted. Both must wait for the device. The profiler is off before and after.
  /// @returns for each range one value per metric
  /// @throws cupti_unavailable, and what the callbacks throw
  virtual std::vector<std::vector<double>> read(int ranges, const std::function<void(int)>& prepare,
                                                const std::function<void(int)>& launch) = 0;
};

/// The catalogue of a chip, such as "GH100". @throws cupti_unavailable
std::unique_ptr<metric_catalogue> open_metric_catalogue(const std::string& chip);

/// The counters of the current device, whose number is `device`. "a|b" is the first of both that
/// the chip offers; metrics that it does not offer are left out. @throws cupti_unavailable
std::unique_ptr<hardware_counters> open_hardware_counters(int device,
                                                          std::vector<std::string> metrics);

/// The version of the CUPTI that is loaded, such as 130001 for 13.0 Update 1. @throws
/// cupti_unavailable
unsigned cupti_version();

}  // namespace sectorbench
