// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sectorbench/patterns/contiguous.hpp"
#include "sectorbench/patterns/stride.hpp"

/// @file
/// Copy kernels as a person writes them, with the parameters of `access_kernel`: what the generic
/// kernels are measured against, in machine code and in time.

namespace sectorbench {

template <class T>
__global__ void hand_contiguous_kernel(contiguous p, const T* __restrict__ in, T* __restrict__ out,
                                       std::uint64_t, bool) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < p.n) out[i] = in[i];
}

template <class T>
__global__ void hand_stride_kernel(stride p, const T* __restrict__ in, T* __restrict__ out,
                                   std::uint64_t, bool) {
  const std::int64_t column = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t row = std::int64_t{blockIdx.z} * gridDim.y + blockIdx.y;
  const std::int64_t i = column * p.step + row;
  if (row < p.step && i < p.n) out[i] = in[i];
}

}  // namespace sectorbench
