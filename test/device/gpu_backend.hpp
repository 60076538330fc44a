// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bench/cases/row.hpp"
#include "bench/devices/backend.hpp"
#include "bench/telemetry/gpu_observer.hpp"
#include "test/device/require_gpu.hpp"

namespace sectorbench {

/// Base of the suites that measure on GPU 0; the stream is held where nothing forbids it.
class gpu_backend_test : public gpu_test {
 protected:
  void SetUp() override {
    gpu_test::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const std::string tool = blocking_forbidden();
    device_ = make_cuda_backend(0, {.blocking = tool.empty(), .blocking_reason = tool}, {});
  }

  backend& device() { return *device_; }

 private:
  std::unique_ptr<backend> device_;
};

/// The row called `name` with so many elements.
inline row_spec row_of(std::string_view name, index_t elements) {
  row_spec row = parse_row(name);
  row.elements = elements;
  return row;
}

}  // namespace sectorbench
