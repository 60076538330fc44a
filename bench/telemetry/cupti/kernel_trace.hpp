// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/telemetry/cupti/obstacle.hpp"

/// @file
/// When each kernel of a batch began and ended, by a clock that is not the events'.
///
/// Tracing can slow a kernel down, so that these times check a measurement and are none.
///
/// Source: CUPTI documentation, chapter "Activity".

namespace sectorbench {

/// One kernel, by its mangled name, in nanoseconds of one clock.
struct kernel_record {
  std::string name;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  int registers = 0;  ///< of a thread
  std::int64_t blocks = 0;
  int block_threads = 0;
};

/// Records kernels. One at a time in a process.
class kernel_tracer {
 public:
  virtual ~kernel_tracer() = default;

  /// Runs `batch`, which must wait for its kernels, and returns them in the order of their start.
  /// Nothing is recorded before or after.
  /// @throws cupti_unavailable, and what `batch` throws
  virtual std::vector<kernel_record> trace(const std::function<void()>& batch) = 0;
};

/// @throws cupti_unavailable
std::unique_ptr<kernel_tracer> open_kernel_tracer();

/// What a traced batch of launches tells of the event clock.
struct batch_trace {
  int kernels = 0;          ///< that were recorded
  double kernel_s = 0;      ///< mean duration of one; a row's launch may have several
  double gap_s = 0;         ///< mean time between the end of one and the start of the next
  double event_s = 0;       ///< the event pair's time of the same batch
  double covered_s = 0;     ///< durations and gaps together
  kernel_record longest{};  ///< the kernel that took longest

  /// How far the two clocks differ, as a share of the event time.
  double disagreement() const { return event_s > 0 ? covered_s / event_s - 1 : 0; }
};

/// The disagreement that is put up with: 0.5 %, and 2 % where launches take less than 10 us.
constexpr double clock_tolerance(const batch_trace& trace) {
  return trace.event_s < 10e-6 * trace.kernels ? 0.02 : 0.005;
}

/// Sums up the records of a batch. @pre in the order of their start; not empty
batch_trace summarise(const std::vector<kernel_record>& records, double event_s);

}  // namespace sectorbench
