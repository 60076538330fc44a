// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/devices/backend.hpp"
#include "bench/predict/device_file.hpp"
#include "kernels/probes/probes.hpp"
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

/// The calibrated description as a file, with the source of each figure and the record of the
/// probes among its evidence. @param facts of the machine and the run
device_file passport_of(const calibration& found, const evidence& facts);

/// Where passports lie: a file for each GPU in the user's cache, by its UUID; none if neither
/// XDG_CACHE_HOME nor HOME is set.
std::optional<std::string> passport_path(const std::string& gpu_uuid);

}  // namespace sectorbench
