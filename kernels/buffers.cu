// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/buffers.hpp"
#include "sectorbench/execution/host_memory.hpp"

#if defined(__CUDACC__)
#include "sectorbench/cuda/error.hpp"
#endif

namespace sectorbench {
namespace {

/// Bytes of element i that are not poison, unless it is marked as touched.
SECTORBENCH_HD int stray_bytes(const unsigned char* data, index_t i, int width,
                               const std::uint32_t* touched) {
  if ((touched[i / 32] >> (i % 32) & 1U) != 0) return 0;
  int stray = 0;
  for (int byte = 0; byte < width; ++byte) stray += data[i * width + byte] != kPoison ? 1 : 0;
  return stray;
}

}  // namespace

void fill_on_host(void* data, index_t words, std::uint64_t seed) {
  auto* const out = static_cast<std::uint64_t*>(data);
#pragma omp parallel for schedule(static)
  for (index_t i = 0; i < words; ++i) out[i] = fill_word(static_cast<std::uint64_t>(i), seed);
}

index_t count_unpoisoned_on_host(const void* data, index_t bytes) {
  const auto* const begin = static_cast<const unsigned char*>(data);
  return bytes - std::count(begin, begin + bytes, kPoison);
}

index_t count_stray_on_host(const void* data, index_t elements, int width,
                            const std::uint32_t* touched) {
  index_t stray = 0;
#pragma omp parallel for schedule(static) reduction(+ : stray)
  for (index_t i = 0; i < elements; ++i)
    stray += stray_bytes(static_cast<const unsigned char*>(data), i, width, touched);
  return stray;
}

coverage_counts count_coverage_on_host(const side_extent& extent, const coverage_bits& bits) {
  coverage_counts counts;
  share_out(coverage_bits::words(extent.elements), false,
            [&](index_t word) { count_coverage(extent, bits, word, counts); });
  return counts;
}

void count_unmatched_on_host(const proof_request& request) {
  share_out(coverage_bits::words(request.stores.elements), false,
            [&](index_t word) { count_unmatched(request, word); });
}

#if defined(__CUDACC__)

namespace {

constexpr unsigned kBlockThreads = 256;

__global__ void fill_kernel(std::uint64_t* out, index_t words, std::uint64_t seed) {
  const index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < words) out[i] = fill_word(static_cast<std::uint64_t>(i), seed);
}

__global__ void count_unpoisoned_kernel(const unsigned char* data, index_t bytes,
                                        unsigned long long* count) {
  const index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < bytes && data[i] != kPoison) atomicAdd(count, 1ULL);
}

__global__ void count_stray_kernel(const unsigned char* data, index_t elements, int width,
                                   const std::uint32_t* touched, unsigned long long* count) {
  const index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= elements) return;
  const int stray = stray_bytes(data, i, width, touched);
  if (stray > 0) atomicAdd(count, static_cast<unsigned long long>(stray));
}

__global__ void count_coverage_kernel(side_extent extent, coverage_bits bits,
                                      coverage_counts* counts) {
  const index_t word = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (word < coverage_bits::words(extent.elements)) count_coverage(extent, bits, word, *counts);
}

__global__ void count_unmatched_kernel(proof_request request) {
  const index_t word = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (word < coverage_bits::words(request.stores.elements)) count_unmatched(request, word);
}

unsigned blocks_for(index_t threads) {
  return static_cast<unsigned>(groups_of(kBlockThreads, threads));
}

}  // namespace

void launch_fill(void* data, index_t words, std::uint64_t seed, CUstream_st* stream) {
  if (words == 0) return;
  fill_kernel<<<blocks_for(words), kBlockThreads, 0, stream>>>(static_cast<std::uint64_t*>(data),
                                                               words, seed);
  SECTORBENCH_CUDA_CHECK(cudaGetLastError());
}

void launch_count_unpoisoned(const void* data, index_t bytes, unsigned long long* count,
                             CUstream_st* stream) {
  if (bytes == 0) return;
  count_unpoisoned_kernel<<<blocks_for(bytes), kBlockThreads, 0, stream>>>(
      static_cast<const unsigned char*>(data), bytes, count);
  SECTORBENCH_CUDA_CHECK(cudaGetLastError());
}

void launch_count_stray(const void* data, index_t elements, int width, const std::uint32_t* touched,
                        unsigned long long* count, CUstream_st* stream) {
  if (elements == 0) return;
  count_stray_kernel<<<blocks_for(elements), kBlockThreads, 0, stream>>>(
      static_cast<const unsigned char*>(data), elements, width, touched, count);
  SECTORBENCH_CUDA_CHECK(cudaGetLastError());
}

void launch_count_coverage(const side_extent& extent, const coverage_bits& bits,
                           coverage_counts* counts, CUstream_st* stream) {
  const index_t words = coverage_bits::words(extent.elements);
  count_coverage_kernel<<<blocks_for(words), kBlockThreads, 0, stream>>>(extent, bits, counts);
  SECTORBENCH_CUDA_CHECK(cudaGetLastError());
}

void launch_count_unmatched(const proof_request& request, CUstream_st* stream) {
  const index_t words = coverage_bits::words(request.stores.elements);
  count_unmatched_kernel<<<blocks_for(words), kBlockThreads, 0, stream>>>(request);
  SECTORBENCH_CUDA_CHECK(cudaGetLastError());
}

#endif

}  // namespace sectorbench
