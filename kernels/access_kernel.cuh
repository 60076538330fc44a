// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sectorbench/access/arithmetic.hpp"
#include "sectorbench/access/fill.hpp"
#include "sectorbench/access/pattern.hpp"
#include "sectorbench/access/proof.hpp"
#include "sectorbench/cuda/error.hpp"

namespace sectorbench {

/// What the intrinsics of accesses call a word of so many bytes.
template <int Bytes>
using machine_word = std::conditional_t<
    Bytes == 16, uint4, std::conditional_t<Bytes == 8, unsigned long long, element_bits<Bytes>>>;

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
  T* slots = nullptr;
  T checksum{};

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
    if (on) checksum = folded(checksum, v);
  }
  template <int V>
  __device__ pack<T, V> load(bool on, index_t i, together_t<V>) const {
    using word = machine_word<V * sizeof(T)>;
    return __builtin_bit_cast(pack<T, V>, on ? *reinterpret_cast<const word*>(in + i) : word{});
  }
  template <int V>
  __device__ void store(bool on, index_t i, const pack<T, V>& v) const {
    using word = machine_word<V * sizeof(T)>;
    // Left to itself the compiler may store the elements in pieces.
    if (on) __stwb(reinterpret_cast<word*>(out + i), __builtin_bit_cast(word, v));
  }
  __device__ void stage(bool on, index_t slot, T v) const {
    if (on) slots[slot] = v;
  }
  __device__ T staged(bool on, index_t slot) const { return on ? slots[slot] : T{}; }
  __device__ T sum(T a, T b) const { return sum_of(a, b); }
  __device__ T worked(T v, unsigned times) const { return worked_on(v, times); }
};

/// The slots of a block that runs P, in its shared memory.
template <access_pattern P, class Slot>
__device__ Slot* slots_in_shared_memory() {
  if constexpr (slots_of<P>() > 0) {
    __shared__ Slot slots[slots_of<P>()];
    return slots;
  } else {
    return nullptr;
  }
}

/// Waits for the block's other threads before every phase but the first.
template <int Phase>
__device__ void begin_phase() {
  if constexpr (Phase > 0) __syncthreads();
}

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
  global_memory<T> memory{in, out, seed, indices, slots_in_shared_memory<P, T>()};
  for_each_phase<P>([&](auto phase) {
    begin_phase<decltype(phase)::value>();
    run_phase<decltype(phase)::value>(pattern, thread, access<Op, global_memory<T>>{memory});
  });
  if constexpr (Op::kStores == side::kNone) {
    if (keep) out[thread_rank(thread)] = memory.checksum;
  }
}

/// Runs a pattern's body against the proof memory.
template <access_pattern P, class Op>
__global__ void proof_kernel(P pattern, proof_request request) {
  const lane thread = this_lane();
  using memory_type = proof_memory_of<Op, P>;
  auto* const slots = slots_in_shared_memory<P, proof_slot>();
  if constexpr (slots_of<P>() > 0) {
    const unsigned threads = blockDim.x * blockDim.y;
    for (int slot = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x); slot < slots_of<P>();
         slot += static_cast<int>(threads))
      slots[slot] = proof_slot{};
    __syncthreads();
  }
  memory_type memory(request, thread_rank(thread), slots, slots_of<P>());
  for_each_phase<P>([&](auto phase) {
    begin_phase<decltype(phase)::value>();
    memory.begin_phase(decltype(phase)::value);
    run_phase<decltype(phase)::value>(pattern, thread, access<Op, memory_type>{memory});
  });
  memory.finish();
}

/// Runs a pattern's body against the memory that makes its index list.
template <access_pattern P>
__global__ void index_list_kernel(P pattern, index_entry* list) {
  const index_list_memory memory{list};
  run_all(pattern, this_lane(), access<copy, const index_list_memory>{memory});
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
