// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "bench/telemetry/tools_attached.hpp"
#include "kernels/timing.hpp"
#include "sectorbench/cuda/device.hpp"

namespace sectorbench {

/// Whether SECTORBENCH_REQUIRE_GPU=1 turns a missing GPU into a failure.
inline bool gpu_required() {
  const char* value = std::getenv("SECTORBENCH_REQUIRE_GPU");
  return value != nullptr && std::string_view(value) == "1";
}

/// Base of the suites that need a GPU: skipped without one, failed where one is broken.
class gpu_test : public ::testing::Test {
 protected:
  void SetUp() override {
    device_presence found = probe_devices();
    if (found.state == device_state::kPresent)
      found = classify_devices(query_device(0).driver_version, kernel_status(), found.count);
    if (found.state == device_state::kBroken) FAIL() << found.detail;
    if (found.state == device_state::kAbsent) {
      if (gpu_required()) FAIL() << found.detail << ", and SECTORBENCH_REQUIRE_GPU=1";
      GTEST_SKIP() << found.detail;
    }
  }

  /// Why streams must not be held in this process, or "".
  static std::string blocking_forbidden() {
    const process_view view = this_process();
    return launch_blocking_requested(view) ? "CUDA_LAUNCH_BLOCKING" : attached_tool(view);
  }
};

}  // namespace sectorbench
