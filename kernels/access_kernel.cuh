// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sectorbench/access/fill.hpp"
#include "sectorbench/access/pattern.hpp"
#include "sectorbench/access/proof.hpp"
#include "sectorbench/cuda/error.hpp"

namespace sectorbench {

/// The memory of a measuring kernel: verbs are loads and stores of global memory.
///
/// `in` is const and restrict in the kernel, so loads go through the read-only path (ld.global.nc).
template <class T>
struct global_memory {
  using value = T;

  const T* in;
  T* out;
  std::uint64_t seed;
  const index_entry* indices;
  T sum{};

  template <class Meant>
  __device__ index_t index(bool on, index_t slot, const Meant&) const {
    return on ? index_t{indices[slot]} : 0;
  }
  __device__ T load(bool on, index_t i) const { return on ? in[i] : T{}; }
  __device__ void store(bool on, index_t i, T v) const {
    if (on) out[i] = v;
  }
  __device__ T made(bool, index_t i) const { return sectorbench::made<T>(i, seed); }
  __device__ void sink(bool on, T v) {
    if (on) sum = folded(sum, v);
  }
};

/// The coordinates of the calling thread.
__device__ inline lane this_lane() {
  return {threadIdx.x, threadIdx.y, blockIdx.x, blockIdx.y, blockIdx.z,
          blockDim.x,  blockDim.y,  gridDim.x,  gridDim.y};
}

/// Runs a pattern's body over global memory. Where the operation stores nothing, `keep` decides
/// whether the thread's checksum is stored instead: off when timed, on when verified. As it is a
/// run-time argument the machine code is the same, and the loads cannot be removed.
template <access_pattern P, class Op, class T>
__global__ void access_kernel(P pattern, const T* __restrict__ in, T* __restrict__ out,
                              std::uint64_t seed, bool keep,
                              const index_entry* __restrict__ indices) {
  const lane thread = this_lane();
  global_memory<T> memory{in, out, seed, indices};
  pattern.run(thread, access<Op, global_memory<T>>{memory});
  if constexpr (Op::kStores == side::kNone) {
    if (keep) out[thread_rank(thread)] = memory.sum;
  }
}

/// Runs a pattern's body against the proof memory.
template <access_pattern P, class Op>
__global__ void proof_kernel(P pattern, proof_request request) {
  const lane thread = this_lane();
  proof_memory<Op> memory(request, thread_rank(thread));
  pattern.run(thread, access<Op, proof_memory<Op>>{memory});
  memory.finish();
}

/// Runs a pattern's body against the memory that makes its index list.
template <access_pattern P>
__global__ void index_list_kernel(P pattern, index_entry* list) {
  index_list_memory memory{list};
  pattern.run(this_lane(), access<copy, index_list_memory>{memory});
}

/// Queues a kernel. @throws cuda_error
template <class... Parameters, class... Arguments>
void enqueue(void (*kernel)(Parameters...), const launch_shape& shape, CUstream_st* stream,
             const Arguments&... arguments) {
  const auto u = [](index_t v) { return static_cast<unsigned>(v); };
  kernel<<<dim3(u(shape.grid_x), u(shape.grid_y), u(shape.grid_z)),
           dim3(shape.block.x, shape.block.y), 0, stream>>>(arguments...);
  SECTORBENCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace sectorbench
