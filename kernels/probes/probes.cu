// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "kernels/probes/probes.hpp"
#include "sectorbench/execution/registry.hpp"

#if defined(__CUDACC__)
#include "sectorbench/execution/access_kernel.cuh"
#endif

namespace sectorbench {
namespace {

constexpr int kBlockThreads = 256;
constexpr int kUnroll = 4;            // independent accesses of a thread
constexpr int kL1Region = 16 * 1024;  // bytes that a block walks in L1
constexpr int kGranule = 64;          // by which the passes of spaced accesses are apart
constexpr index_t kBlocks = 1 << 18;  // of short and empty blocks, at least

constexpr index_t places(const probe& p) { return p.bytes / p.spacing; }

/// Passes over the buffer, each a granule further, so that a launch does enough.
constexpr index_t passes(const probe& p) {
  if (p.once) return 1;
  const index_t room = std::max<index_t>(1, p.spacing / kGranule);
  return std::clamp<index_t>(index_t{1 << 23} / std::max<index_t>(1, places(p)), 1, room);
}

constexpr index_t dense_threads(const probe& p) {
  return p.bytes / 16 / std::max({1, p.loads, p.stores}) / kBlockThreads * kBlockThreads;
}

/// Enough to go through the buffer once.
constexpr index_t blocks_of(const probe& p) {
  if (p.blocks > 0) return p.blocks;
  return std::max(p.occupancy > 0 ? kBlocks / 4 : kBlocks, p.bytes / (128 * p.loads * p.warps));
}

#if defined(__CUDACC__)

/// True for no value that a probe loads, and no compiler knows it.
__device__ bool never(std::uint32_t value, std::uint32_t also) {
  return value == 0x9e3779b9U && also == 0x7f4a7c15U;
}

template <int Loads, int Stores>
__global__ void dense_probe(const uint4* in, uint4* out, index_t threads) {
  const index_t i = this_lane().column();
  if (i >= threads) return;
  // Each block's tile is contiguous: far apart, the streams of a thread cost DRAM more.
  const uint4* const from = in + index_t{blockIdx.x} * kBlockThreads * Loads + threadIdx.x;
  uint4* const to = out + index_t{blockIdx.x} * kBlockThreads * Stores + threadIdx.x;
  uint4 value[Loads > 0 ? Loads : 1]{};
#pragma unroll
  for (int k = 0; k < Loads; ++k) value[k] = __ldg(from + k * kBlockThreads);
  uint4 sum{static_cast<std::uint32_t>(i), 1, 2, 3};
#pragma unroll
  for (int k = 0; k < Loads; ++k) {
    sum.x ^= value[k].x;
    sum.y ^= value[k].y;
    sum.z ^= value[k].z;
    sum.w ^= value[k].w;
  }
#pragma unroll
  for (int k = 0; k < Stores; ++k) to[k * kBlockThreads] = sum;
  if (Stores == 0 && never(sum.x, sum.y) && never(sum.z, sum.w)) out[0] = sum;
}

__global__ void spaced_loads_probe(const char* in, uint4* out, index_t count, index_t spacing) {
  const index_t threads = count / kUnroll;
  const index_t i = this_lane().column();
  if (i >= threads) return;
  const char* const from = in + index_t{blockIdx.y} * kGranule;
  uint4 value[kUnroll];
#pragma unroll
  for (int k = 0; k < kUnroll; ++k)
    value[k] = __ldg(reinterpret_cast<const uint4*>(from + (k * threads + i) * spacing));
  uint4 sum{};
#pragma unroll
  for (int k = 0; k < kUnroll; ++k) {
    sum.x ^= value[k].x ^ value[k].z;
    sum.y ^= value[k].y ^ value[k].w;
  }
  if (never(sum.x, sum.y)) out[0] = sum;
}

__global__ void spaced_stores_probe(char* out, index_t count, index_t spacing) {
  const index_t threads = count / kUnroll;
  const index_t i = this_lane().column();
  if (i >= threads) return;
  char* const to = out + index_t{blockIdx.y} * kGranule;
#pragma unroll
  for (int k = 0; k < kUnroll; ++k)
    *reinterpret_cast<index_t*>(to + (k * threads + i) * spacing) = i;
}

__global__ void spaced_copies_probe(const char* in, char* out, index_t count, index_t spacing) {
  const index_t threads = count / kUnroll;
  const index_t i = this_lane().column();
  if (i >= threads) return;
  const index_t pass = index_t{blockIdx.y} * kGranule;
  uint4 value[kUnroll];
#pragma unroll
  for (int k = 0; k < kUnroll; ++k)
    value[k] = __ldg(reinterpret_cast<const uint4*>(in + pass + (k * threads + i) * spacing));
#pragma unroll
  for (int k = 0; k < kUnroll; ++k)
    *reinterpret_cast<uint2*>(out + pass + (k * threads + i) * spacing) =
        uint2{value[k].x ^ value[k].z, value[k].y ^ value[k].w};
}

__global__ void l2_loads_probe(const char* in, uint4* out, index_t bytes, index_t spacing,
                               int rounds) {
  const index_t warp = this_lane().column() / 32, warps = index_t{gridDim.x} * blockDim.x / 32;
  const index_t request = 32 * spacing;
  index_t at = warp * request * kUnroll % bytes;
  std::uint32_t sum = 0, also = 1;
  for (int round = 0; round < rounds; ++round) {
    std::uint32_t value[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k)
      value[k] = __ldcg(reinterpret_cast<const std::uint32_t*>(in + at + k * request +
                                                               (threadIdx.x & 31) * spacing));
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
      sum ^= value[k];
      also += value[k];
    }
    at += warps * request * kUnroll;
    while (at >= bytes) at -= bytes;
  }
  if (never(sum, also)) out[0].x = sum;
}

__global__ void l2_stores_probe(char* out, index_t bytes, index_t spacing, int rounds) {
  const index_t warp = this_lane().column() / 32, warps = index_t{gridDim.x} * blockDim.x / 32;
  const index_t request = 32 * spacing;
  index_t at = warp * request * kUnroll % bytes;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < kUnroll; ++k)
      __stcg(
          reinterpret_cast<std::uint32_t*>(out + at + k * request + (threadIdx.x & 31) * spacing),
          static_cast<std::uint32_t>(round));
    at += warps * request * kUnroll;
    while (at >= bytes) at -= bytes;
  }
}

__global__ void l2_copies_probe(const char* in, char* out, index_t bytes, index_t spacing,
                                int rounds) {
  const index_t warp = this_lane().column() / 32, warps = index_t{gridDim.x} * blockDim.x / 32;
  const index_t request = 32 * spacing;
  index_t at = warp * request * kUnroll % bytes;
  for (int round = 0; round < rounds; ++round) {
    std::uint32_t value[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k)
      value[k] = __ldcg(reinterpret_cast<const std::uint32_t*>(in + at + k * request +
                                                               (threadIdx.x & 31) * spacing));
#pragma unroll
    for (int k = 0; k < kUnroll; ++k)
      __stcg(
          reinterpret_cast<std::uint32_t*>(out + at + k * request + (threadIdx.x & 31) * spacing),
          value[k]);
    at += warps * request * kUnroll;
    while (at >= bytes) at -= bytes;
  }
}

__global__ void l1_loads_probe(const char* in, uint4* out, int rounds) {
  const char* const region = in + index_t{blockIdx.x % 64} * kL1Region;
  const int lane = static_cast<int>(threadIdx.x & 31);
  std::uint32_t sum = 0, also = 1;
  for (int round = 0; round < rounds; ++round) {
    std::uint32_t value[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k)
      value[k] = __ldca(reinterpret_cast<const std::uint32_t*>(
          region + (lane * 128 + k * 4096 + round % 32 * 4) % kL1Region));
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) {
      sum ^= value[k];
      also += value[k];
    }
  }
  if (never(sum, also)) out[0].x = sum;
}

template <class Words, bool Stores>
__global__ void short_blocks_probe(const char* in, char* out, index_t mask) {
  const index_t i = this_lane().column() & mask;
  const Words value = __ldg(reinterpret_cast<const Words*>(in) + i);
  const auto first = *reinterpret_cast<const std::uint32_t*>(&value);
  // One comparison: of two, the compiler might know that they exclude each other.
  if (Stores || first == 0x9e3779b9U) reinterpret_cast<Words*>(out)[i] = value;
}

__global__ void empty_blocks_probe(uint4* out) {
  if (never(blockDim.x, blockDim.y)) out[0].x = 1;
}

__global__ void walked_stores_probe(char* out, index_t threads, index_t spacing) {
  const index_t i = this_lane().column();
  if (i >= threads) return;
    // Back to back, and the compiler knows no alignment by which it could join them.
#pragma unroll
  for (int k = 0; k < kUnroll; ++k)
    reinterpret_cast<std::uint32_t*>(out + i * spacing)[k] = static_cast<std::uint32_t>(i ^ k);
}

using dense_kernel = void (*)(const uint4*, uint4*, index_t);

dense_kernel dense_kernel_of(int loads, int stores) {
  switch (loads * 10 + stores) {
    case 1:
      return dense_probe<0, 1>;
    case 2:
      return dense_probe<0, 2>;
    case 11:
      return dense_probe<1, 1>;
    case 21:
      return dense_probe<2, 1>;
    case 22:
      return dense_probe<2, 2>;
    case 40:
      return dense_probe<4, 0>;
    case 41:
      return dense_probe<4, 1>;
    case 81:
      return dense_probe<8, 1>;
    case 161:
      return dense_probe<16, 1>;
    default:
      return nullptr;
  }
}

using short_kernel = void (*)(const char*, char*, index_t);

template <class Words>
short_kernel short_kernel_with(int stores) {
  return stores > 0 ? short_blocks_probe<Words, true> : short_blocks_probe<Words, false>;
}

short_kernel short_kernel_of(int loads, int stores) {
  switch (loads) {
    case 1:
      return short_kernel_with<std::uint32_t>(stores);
    case 2:
      return short_kernel_with<uint2>(stores);
    case 4:
      return short_kernel_with<uint4>(stores);
    default:
      return nullptr;
  }
}

#endif  // __CUDACC__

/// Runs the registered contiguous copy's body to say how large the buffers are.
std::unique_ptr<workload> buffers_of(std::int64_t bytes) {
  for (const pattern_entry& entry : registered_patterns())
    if (entry.name == "contiguous")
      return entry.make(operation_kind::kCopy, element_type::kF32, bytes / 4, {}, {});
  throw std::logic_error("the contiguous pattern is not registered");
}

class probe_workload final : public workload {
 public:
  explicit probe_workload(const probe& wanted)
      : probe_(wanted), buffers_(buffers_of(wanted.bytes)) {
#if defined(__CUDACC__)
    if (probe_.kind == probe_kind::kDense)
      check(dense_kernel_of(probe_.loads, probe_.stores) != nullptr);
    if (probe_.kind == probe_kind::kShortBlocks)
      check(short_kernel_of(probe_.loads, probe_.stores) != nullptr);
#endif
  }

  void run(const launch_data&) const override {
    throw std::logic_error("probes measure GPUs only");
  }
  bool takes(const cache_ops&) const override { return true; }
  const program& meaning() const override { return buffers_->meaning(); }
  buffer_bytes needs() const override { return {probe_.bytes, probe_.bytes}; }

  void launch([[maybe_unused]] const launch_data& data,
              [[maybe_unused]] CUstream_st* stream) const override {
#if defined(__CUDACC__)
    const auto* const in = static_cast<const char*>(data.in);
    auto* const out = static_cast<char*>(data.out);
    auto* const vectors = static_cast<uint4*>(data.out);
    const launch_shape persistent = rows(index_t{probe_.sms} * 8, 1);
    switch (probe_.kind) {
      case probe_kind::kDense: {
        const index_t threads = dense_threads(probe_);
        enqueue(dense_kernel_of(probe_.loads, probe_.stores), of_threads(threads), stream,
                static_cast<const uint4*>(data.in), vectors, threads);
        break;
      }
      case probe_kind::kSpacedLoads:
        enqueue(spaced_loads_probe, spaced(), stream, in, vectors, places(probe_),
                index_t{probe_.spacing});
        break;
      case probe_kind::kSpacedStores:
        enqueue(spaced_stores_probe, spaced(), stream, out, places(probe_),
                index_t{probe_.spacing});
        break;
      case probe_kind::kSpacedCopies:
        enqueue(spaced_copies_probe, spaced(), stream, in, out, places(probe_),
                index_t{probe_.spacing});
        break;
      case probe_kind::kL2Loads:
        enqueue(l2_loads_probe, persistent, stream, in, vectors, probe_.bytes,
                index_t{probe_.spacing}, probe_.rounds);
        break;
      case probe_kind::kL2Stores:
        enqueue(l2_stores_probe, persistent, stream, out, probe_.bytes, index_t{probe_.spacing},
                probe_.rounds);
        break;
      case probe_kind::kL2Copies:
        enqueue(l2_copies_probe, persistent, stream, in, out, probe_.bytes, index_t{probe_.spacing},
                probe_.rounds);
        break;
      case probe_kind::kL1Loads:
        enqueue(l1_loads_probe, persistent, stream, in, vectors, probe_.rounds);
        break;
      case probe_kind::kShortBlocks:
        enqueue_with(short_kernel_of(probe_.loads, probe_.stores), rows(blocks_of(probe_), 1),
                     shared_bytes(), stream, in, out, probe_.bytes / (4 * probe_.loads) - 1);
        break;
      case probe_kind::kEmptyBlocks:
        enqueue(empty_blocks_probe, rows(blocks_of(probe_), 1), stream, vectors);
        break;
      case probe_kind::kWalkedStores:
        enqueue(walked_stores_probe, of_threads(places(probe_)), stream, out, places(probe_),
                index_t{probe_.spacing});
        break;
    }
#else
    throw std::logic_error("this build has no CUDA kernels");
#endif
  }

 private:
  static void check(bool exists) {
    if (!exists) throw std::invalid_argument("no probe kernel has these loads and stores");
  }
  block_size block() const {
    const bool of_warps =
        probe_.kind == probe_kind::kShortBlocks || probe_.kind == probe_kind::kEmptyBlocks;
    return {of_warps ? static_cast<unsigned>(probe_.warps) * 32 : kBlockThreads, 1};
  }
  launch_shape rows(index_t x, index_t y) const { return {x, y, 1, block()}; }
  launch_shape of_threads(index_t threads) const {
    return rows(groups_of(kBlockThreads, threads), 1);
  }
  launch_shape spaced() const {
    return rows(groups_of(kBlockThreads, places(probe_) / kUnroll), passes(probe_));
  }

#if defined(__CUDACC__)
  /// Of each of the short blocks, so that an SM holds no more than wanted; asks the device once.
  int shared_bytes() const {
    if (probe_.occupancy > 0 && !shared_bytes_)
      shared_bytes_ = sectorbench::shared_bytes_for(
          reinterpret_cast<const void*>(short_kernel_of(probe_.loads, probe_.stores)),
          probe_.occupancy);
    return shared_bytes_.value_or(0);
  }
#endif

  probe probe_;
  std::unique_ptr<workload> buffers_;
  mutable std::optional<int> shared_bytes_;
};

}  // namespace

double probe::work() const {
  const auto persistent_requests =
      static_cast<double>(index_t{sms} * 8 * (kBlockThreads / 32)) * rounds * kUnroll;
  switch (kind) {
    case probe_kind::kDense:
      return 16.0 * static_cast<double>(dense_threads(*this)) * (loads + stores);
    case probe_kind::kSpacedLoads:
    case probe_kind::kSpacedStores:
    case probe_kind::kSpacedCopies:
      return static_cast<double>(places(*this) / kUnroll * kUnroll * passes(*this));
    case probe_kind::kL2Loads:
    case probe_kind::kL2Stores:
    case probe_kind::kL2Copies:
      return std::min(32, spacing) * persistent_requests;  // lanes 4 bytes apart: 4 sectors
    case probe_kind::kL1Loads:
      return 32 * persistent_requests;
    case probe_kind::kShortBlocks:
    case probe_kind::kEmptyBlocks:
      return static_cast<double>(blocks_of(*this));
    case probe_kind::kWalkedStores:
      return static_cast<double>(places(*this));
  }
  return 0;
}

std::unique_ptr<workload> make_probe(const probe& wanted) {
  return std::make_unique<probe_workload>(wanted);
}

}  // namespace sectorbench
