// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include "sectorbench/cuda/error.hpp"

/// @file
/// CUDA events that destroy themselves, and the time between two of them.
///
///     cuda_event start, stop;
///     start.record(stream);
///     launch(stream);
///     stop.record(stream);
///     stop.synchronize();
///     const double seconds = elapsed_s(start, stop);
///
/// The time is that from the device reaching the first event to its reaching the second: with a
/// single launch between them it holds launch latency too. `kernels/timing.hpp` keeps that out.
///
/// Source: CUDA Runtime API, section "Event Management".

namespace sectorbench {

/// An event with a time stamp. Move-only; an event that was moved from is null.
class cuda_event {
 public:
  /// Creates the event on the current device. @throws cuda_error
  cuda_event() {
    cudaEvent_t event = nullptr;
    SECTORBENCH_CUDA_CHECK(cudaEventCreate(&event));
    event_.reset(event);
  }

  cudaEvent_t get() const noexcept { return event_.get(); }

  /// Marks the present end of `stream`. @throws cuda_error
  void record(cudaStream_t stream) const { SECTORBENCH_CUDA_CHECK(cudaEventRecord(get(), stream)); }

  /// Waits until the device has reached the event.
  /// @throws cuda_error also for errors of the work before it
  void synchronize() const { SECTORBENCH_CUDA_CHECK(cudaEventSynchronize(get())); }

 private:
  struct destroy {
    void operator()(cudaEvent_t event) const noexcept {
      note_cuda_failure(cudaEventDestroy(event), "cudaEventDestroy");
    }
  };
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, destroy> event_;
};

/// Seconds from `start` to `stop`, with the device's resolution of about half a microsecond.
/// @pre both were recorded and reached @throws cuda_error
inline double elapsed_s(const cuda_event& start, const cuda_event& stop) {
  float elapsed_ms = 0;
  SECTORBENCH_CUDA_CHECK(cudaEventElapsedTime(&elapsed_ms, start.get(), stop.get()));
  return static_cast<double>(elapsed_ms) * 1e-3;
}

}  // namespace sectorbench
