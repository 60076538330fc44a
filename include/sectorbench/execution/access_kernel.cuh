// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <type_traits>

#include "sectorbench/cuda/device.hpp"
#include "sectorbench/cuda/error.hpp"
#include "sectorbench/pattern/arithmetic.hpp"
#include "sectorbench/pattern/launch_mode.hpp"
#include "sectorbench/pattern/pattern.hpp"
#include "sectorbench/verify/fill.hpp"
#include "sectorbench/verify/proof.hpp"

namespace sectorbench {

/// What the intrinsics of accesses call a word of so many bytes.
template <int Bytes>
using machine_word =
    std::conditional_t<Bytes == 16, uint4,
                       std::conditional_t<Bytes == 8, unsigned long long, element_bits<Bytes>>>;

/// Loads and stores by cache operators.
template <load_op Op, class Word>
__device__ Word load_by(const Word* from) {
  if constexpr (Op == load_op::kCa) return __ldca(from);
  if constexpr (Op == load_op::kCg) return __ldcg(from);
  if constexpr (Op == load_op::kCs) return __ldcs(from);
  return __ldg(from);
}
template <store_op Op, class Word>
__device__ void store_by(Word* to, Word value) {
  if constexpr (Op == store_op::kWb) __stwb(to, value);
  if constexpr (Op == store_op::kCg) __stcg(to, value);
  if constexpr (Op == store_op::kCs) __stcs(to, value);
}

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

/// The same, by other cache operators than plain ones.
template <class T, load_op Loads, store_op Stores>
struct cache_op_memory : global_memory<T> {
  using word = machine_word<sizeof(T)>;

  __device__ T load(bool on, index_t i) const {
    if (!on) return T{};
    return __builtin_bit_cast(T, load_by<Loads>(reinterpret_cast<const word*>(this->in + i)));
  }
  __device__ void store(bool on, index_t i, T v) const {
    if (on) store_by<Stores>(reinterpret_cast<word*>(this->out + i), __builtin_bit_cast(word, v));
  }
};

/// Runs a pattern's body over global memory.
template <class Op, access_pattern P, class T, class Memory>
__device__ void run_access(const P& pattern, Memory memory, T* out, bool keep) {
  const lane thread = this_lane();
  for_each_phase<P>([&](auto phase) {
    begin_phase<decltype(phase)::value>();
    run_phase<decltype(phase)::value>(pattern, thread, access<Op, Memory>{memory});
  });
  if constexpr (Op::kStores == side::kNone) {
    if (keep) out[thread_rank(thread)] = memory.checksum;
  }
}

/// Runs a pattern's body over global memory. Where the operation stores nothing, `keep` decides
/// whether the thread's checksum is stored instead: off when timed, on when verified. As it is a
/// run-time argument the machine code is the same, and the loads cannot be removed.
template <access_pattern P, class Op, class T>
__global__ void access_kernel(P pattern, const T* __restrict__ in, T* __restrict__ out,
                              std::uint64_t seed, bool keep,
                              const index_entry* __restrict__ indices) {
  run_access<Op>(pattern, global_memory<T>{in, out, seed, indices, slots_in_shared_memory<P, T>()},
                 out, keep);
}

/// The same by cache operators.
template <access_pattern P, class Op, class T, load_op Loads, store_op Stores>
__global__ void cache_op_kernel(P pattern, const T* __restrict__ in, T* __restrict__ out,
                                std::uint64_t seed, bool keep,
                                const index_entry* __restrict__ indices) {
  run_access<Op>(pattern, cache_op_memory<T, Loads, Stores>{{in, out, seed, indices}}, out, keep);
}

/// Dynamic shared memory of a block of `kernel` so that an SM holds at most `blocks`. Lets the
/// kernel have it, and gives the SM's memory to shared memory as far as it goes. @throws cuda_error
inline int shared_bytes_for(const void* kernel, int blocks) {
  const auto attribute = [device = current_device()](cudaDeviceAttr which) {
    int value = 0;
    SECTORBENCH_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
  };
  cudaFuncAttributes own{};
  SECTORBENCH_CUDA_CHECK(cudaFuncGetAttributes(&own, kernel));
  const int taken = static_cast<int>(own.sharedSizeBytes);
  const int most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - taken;
  const int share = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / blocks -
                    attribute(cudaDevAttrReservedSharedMemoryPerBlock) - taken;
  const int bytes = std::max(0, std::min(most, share));
  SECTORBENCH_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  SECTORBENCH_CUDA_CHECK(cudaFuncSetAttribute(
      kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
  return bytes;
}

/// Blocks of `threads` threads of a kernel that an SM holds at a time. @throws cuda_error
inline int blocks_per_sm(const void* kernel, int threads, int shared_bytes) {
  int blocks = 0;
  SECTORBENCH_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, kernel, threads, static_cast<std::size_t>(shared_bytes)));
  return blocks;
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

/// Queues a kernel whose blocks have `shared_bytes` of shared memory besides their own. @throws
/// cuda_error
template <class... Parameters, class... Arguments>
void enqueue_with(void (*kernel)(Parameters...), const launch_shape& shape, int shared_bytes,
                  CUstream_st* stream, const Arguments&... arguments) {
  const auto u = [](index_t v) { return static_cast<unsigned>(v); };
  kernel<<<dim3(u(shape.grid_x), u(shape.grid_y), u(shape.grid_z)),
           dim3(shape.block.x, shape.block.y), static_cast<std::size_t>(shared_bytes), stream>>>(
      arguments...);
  SECTORBENCH_CUDA_CHECK(cudaGetLastError());
}

/// Queues a kernel. @throws cuda_error
template <class... Parameters, class... Arguments>
void enqueue(void (*kernel)(Parameters...), const launch_shape& shape, CUstream_st* stream,
             const Arguments&... arguments) {
  enqueue_with(kernel, shape, 0, stream, arguments...);
}

}  // namespace sectorbench
