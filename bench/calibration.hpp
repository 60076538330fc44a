// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/backend.hpp"
#include "kernels/probes.hpp"
#include "sectorbench/model/device_description.hpp"

/// @file
/// Measures what data sheets do not say of a GPU, with probe kernels that are no rows of a suite.

namespace sectorbench {

/// What one probe showed.
struct probe_result {
  std::string name;       ///< "dense 2:1", "spaced loads 128", ...
  std::string unit;       ///< of the work: "bytes", "sectors", ...
  double work = 0;        ///< of one launch
  double seconds = 0;     ///< of one launch; 0 if it was only counted
  metric_values metrics;  ///< of one launch; empty if it was only timed
};

/// The calibrated description, and everything it was derived from.
struct calibration {
  device_description device;
  std::vector<probe_result> probes;
  bool counted = false;  ///< false: no counters, so that granule, fills and bounds are assumed
};

/// Measures the device. Takes less than twenty seconds on an H200.
/// @throws device_unavailable if it is no GPU, and what the backend throws
calibration calibrate(backend& device);

}  // namespace sectorbench
