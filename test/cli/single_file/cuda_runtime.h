// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <cstring>

/// @file
/// As much of CUDA's runtime as docs/single_file/coalescing.cu uses, on the CPU. A launch takes as
/// many milliseconds as its grid has rows, so that what the program prints does not depend on time.

#define __global__
#define __restrict__

enum cudaError_t { cudaSuccess, cudaErrorFake };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned columns, unsigned rows = 1, unsigned layers = 1)  // NOLINT: as CUDA's
      : x(columns), y(rows), z(layers) {}
};
inline dim3 blockIdx(0), threadIdx(0), gridDim(0), blockDim(0);

struct cudaDeviceProp {
  char name[8];
  int l2CacheSize;
};

/// What has been launched so far takes this long.
inline float fake_clock_ms = 0;
using cudaEvent_t = float*;

/// Called after each thread.
inline void (*after_thread)() = [] {};

template <class Kernel, class... Arguments>
void launch_kernel(Kernel kernel, dim3 grid, dim3 block, Arguments... arguments) {
  gridDim = grid;
  blockDim = block;
  for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z)
    for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
      for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x) {
          kernel(arguments...);
          after_thread();
        }
  fake_clock_ms += static_cast<float>(grid.y);
}

inline const char* cudaGetErrorString(cudaError_t) { return "fake failure"; }
/// FAKE_CUDA_FAILURE=1: launches fail.
inline cudaError_t cudaGetLastError() {
  return std::getenv("FAKE_CUDA_FAILURE") != nullptr ? cudaErrorFake : cudaSuccess;
}
/// FAKE_L2_BYTES is the size of L2.
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* gpu, int) {
  const char* const l2_bytes = std::getenv("FAKE_L2_BYTES");
  *gpu = {"fake", l2_bytes != nullptr ? std::atoi(l2_bytes) : 1};
  return cudaSuccess;
}
template <class T>
cudaError_t cudaMalloc(T** to, std::size_t bytes) {
  *to = static_cast<T*>(std::malloc(bytes));
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* from) {
  std::free(from);
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new float(0);
  return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event) {
  *event = fake_clock_ms;
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t stop) {
  *ms = *stop - *start;
  return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
