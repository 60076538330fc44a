// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include "sectorbench/cuda/error.hpp"

/// @file
/// A CUDA stream that destroys itself.
///
///     cuda_stream stream;
///     SECTORBENCH_CUDA_CHECK(cudaMemsetAsync(data, 0, bytes, stream.get()));
///     stream.synchronize();
///
/// It does not model priorities, capture, or streams that wait for the legacy default stream.
///
/// Source: CUDA Runtime API, section "Stream Management".

namespace sectorbench {

/// A non-blocking stream of the device that was current when it was made. Move-only; a stream
/// that was moved from is null.
class cuda_stream {
 public:
  /// Creates the stream. @throws cuda_error
  cuda_stream() {
    cudaStream_t stream = nullptr;
    SECTORBENCH_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    stream_.reset(stream);
  }

  cudaStream_t get() const noexcept { return stream_.get(); }

  /// Waits until all work in the stream is done. @throws cuda_error also for errors of that work
  void synchronize() const { SECTORBENCH_CUDA_CHECK(cudaStreamSynchronize(get())); }

 private:
  struct destroy {
    void operator()(cudaStream_t stream) const noexcept {
      note_cuda_failure(cudaStreamDestroy(stream), "cudaStreamDestroy");
    }
  };
  std::unique_ptr<std::remove_pointer_t<cudaStream_t>, destroy> stream_;
};

}  // namespace sectorbench
