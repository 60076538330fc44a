// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/buffers.hpp"

#if defined(__CUDACC__)
#include "sectorbench/cuda/error.hpp"
#endif

namespace sectorbench {

void fill_on_host(void* data, index_t words, std::uint64_t seed) {
  auto* const out = static_cast<std::uint64_t*>(data);
#pragma omp parallel for schedule(static)
  for (index_t i = 0; i < words; ++i) out[i] = fill_word(static_cast<std::uint64_t>(i), seed);
}

index_t count_unpoisoned_on_host(const void* data, index_t bytes) {
  const auto* const begin = static_cast<const unsigned char*>(data);
  return bytes - std::count(begin, begin + bytes, kPoison);
}

coverage_counts count_coverage_on_host(const side_extent& extent, const coverage_bits& bits) {
  coverage_counts counts;
#pragma omp parallel for schedule(static)
  for (index_t word = 0; word < coverage_bits::words(extent.elements); ++word)
    count_coverage(extent, bits, word, counts);
  return counts;
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

__global__ void count_coverage_kernel(side_extent extent, coverage_bits bits,
                                      coverage_counts* counts) {
  const index_t word = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (word < coverage_bits::words(extent.elements)) count_coverage(extent, bits, word, *counts);
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

void launch_count_coverage(const side_extent& extent, const coverage_bits& bits,
                           coverage_counts* counts, CUstream_st* stream) {
  const index_t words = coverage_bits::words(extent.elements);
  count_coverage_kernel<<<blocks_for(words), kBlockThreads, 0, stream>>>(extent, bits, counts);
  SECTORBENCH_CUDA_CHECK(cudaGetLastError());
}

#endif

}  // namespace sectorbench
