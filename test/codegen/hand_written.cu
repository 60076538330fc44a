// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/access_kernel.cuh"
#include "sectorbench/pattern/element.hpp"
#include "test/support/hand_written.cuh"

// Generic and hand-written kernels side by side, for machine_code_equal_test.py.

namespace sectorbench {

#define SECTORBENCH_BOTH(T)                                                                      \
  template __global__ void access_kernel<contiguous, copy, T>(                                   \
      contiguous, const T* __restrict__, T* __restrict__, std::uint64_t, bool,                   \
      const index_entry* __restrict__);                                                          \
  template __global__ void hand_contiguous_kernel<T>(contiguous, const T* __restrict__,          \
                                                     T* __restrict__, std::uint64_t, bool);      \
  template __global__ void access_kernel<stride, copy, T>(stride, const T* __restrict__,         \
                                                          T* __restrict__, std::uint64_t, bool,  \
                                                          const index_entry* __restrict__);      \
  template __global__ void hand_stride_kernel<T>(stride, const T* __restrict__, T* __restrict__, \
                                                 std::uint64_t, bool);

SECTORBENCH_BOTH(std::uint8_t)
SECTORBENCH_BOTH(std::uint16_t)
SECTORBENCH_BOTH(std::uint32_t)
SECTORBENCH_BOTH(std::uint64_t)
SECTORBENCH_BOTH(bits128)

}  // namespace sectorbench
