// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "sectorbench/cuda/error.hpp"

/// @file
/// Device memory, and host memory that kernels can reach, that free themselves.
///
///     device_buffer in(std::int64_t{256} << 20);
///     SECTORBENCH_CUDA_CHECK(cudaMemset(in.data(), 0xff, std::size_t{256} << 20));
///
///     mapped_array<unsigned> flag(1);   // flag.device() for the kernel, flag.host()[0] here
///
/// It does not model pools, managed memory or memory of another process.
///
/// Source: CUDA Runtime API, section "Memory Management".

namespace sectorbench {

/// Bytes that kernels of the current device read and write, at least 256-byte aligned and not
/// initialised: of its own memory unless said otherwise. Move-only; a buffer that was moved from
/// has neither data nor bytes.
class device_buffer {
 public:
  /// An empty buffer.
  device_buffer() = default;

  /// Allocates `bytes` on the current device.
  /// @pre bytes >= 0 @throws cuda_error that names the bytes wanted and free
  explicit device_buffer(std::int64_t bytes) {
    void* data = nullptr;
    const cudaError_t code = cudaMalloc(&data, static_cast<std::size_t>(bytes));
    if (code != cudaSuccess)
      throw_cuda_error(code, "cudaMalloc of " + std::to_string(bytes) + " bytes" + free_bytes(),
                       __FILE__, __LINE__);
    data_ = {data, release{bytes, false}};
  }

  /// Allocates page-locked host memory. @pre bytes >= 0 @throws cuda_error
  static device_buffer pinned(std::int64_t bytes) {
    void* data = nullptr;
    const auto size = static_cast<std::size_t>(bytes);
    SECTORBENCH_CUDA_CHECK(cudaHostAlloc(&data, size, cudaHostAllocMapped | cudaHostAllocPortable));
    device_buffer buffer;
    buffer.data_ = {data, release{bytes, true}};
    return buffer;
  }

  /// Allocates on another device. @pre the current device reaches its memory @throws cuda_error
  static device_buffer on(int device, std::int64_t bytes) {
    int current = 0;
    SECTORBENCH_CUDA_CHECK(cudaGetDevice(&current));
    SECTORBENCH_CUDA_CHECK(cudaSetDevice(device));
    try {
      device_buffer buffer(bytes);
      SECTORBENCH_CUDA_CHECK(cudaSetDevice(current));
      return buffer;
    } catch (...) {
      note_cuda_failure(cudaSetDevice(current), "cudaSetDevice");
      throw;
    }
  }

  void* data() const noexcept { return data_.get(); }
  /// The start of the buffer as elements of type T.
  template <typename T>
  T* as() const noexcept {
    return static_cast<T*>(data());
  }
  std::int64_t bytes() const noexcept { return data_ ? data_.get_deleter().bytes : 0; }

 private:
  struct release {
    std::int64_t bytes;
    bool on_host;
    void operator()(void* data) const noexcept {
      if (on_host)
        note_cuda_failure(cudaFreeHost(data), "cudaFreeHost");
      else
        note_cuda_failure(cudaFree(data), "cudaFree");
    }
  };

  static std::string free_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess) return {};
    return " (" + std::to_string(free) + " of " + std::to_string(total) + " free)";
  }

  std::unique_ptr<void, release> data_;
};

/// An array in page-locked host memory that kernels of the current device read and write in
/// place. Zeroed; move-only; an array that was moved from is empty.
template <typename T>
class mapped_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Allocates `count` elements. @pre count >= 1 @throws cuda_error
  explicit mapped_array(std::size_t count) : count_(count) {
    void* host = nullptr;
    SECTORBENCH_CUDA_CHECK(cudaHostAlloc(&host, count * sizeof(T), cudaHostAllocMapped));
    host_.reset(static_cast<T*>(host));
    for (T& element : this->host()) element = T{};
    void* device = nullptr;
    SECTORBENCH_CUDA_CHECK(cudaHostGetDevicePointer(&device, host, 0));
    device_ = static_cast<T*>(device);
  }

  std::span<T> host() const noexcept { return {host_.get(), host_ ? count_ : 0}; }
  /// The array's address in kernels.
  T* device() const noexcept { return device_; }

 private:
  struct release {
    void operator()(T* host) const noexcept {
      note_cuda_failure(cudaFreeHost(host), "cudaFreeHost");
    }
  };

  std::unique_ptr<T, release> host_;
  T* device_ = nullptr;
  std::size_t count_;
};

}  // namespace sectorbench
