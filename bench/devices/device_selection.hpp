// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/devices/backend.hpp"
#include "bench/options/options.hpp"

namespace sectorbench {

/// The device asked for is not there, or is broken: what() is one line with the remedy.
class device_unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where the rows will be measured, and what a person must know about it.
struct selected_device {
  std::unique_ptr<backend> device;
  std::string notice;           ///< one line, or empty: why the CPU is measured
  bool blocking = false;        ///< batches are timed with the queue held
  std::string blocking_reason;  ///< why so
  std::string tool;             ///< profiler or checker that the process runs under, or empty
};

/// Chooses the backends: one, or with --device=all as many as there are GPUs. A GPU that is absent
/// is a fact (auto then measures the CPU and says so); a GPU that is broken, or present but
/// unusable by this build, is an error.
/// @throws device_unavailable, usage_error where an option does not suit the device
std::vector<selected_device> select_devices(const options& wanted);

}  // namespace sectorbench
