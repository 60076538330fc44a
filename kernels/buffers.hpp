// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sectorbench/verify/proof.hpp"

struct CUstream_st;

namespace sectorbench {

/// What outputs hold before a launch that is to be verified.
inline constexpr unsigned char kPoison = 0xa5;

/// Fills `words` words of 8 bytes in device memory with `filled(...)`. @throws cuda_error
void launch_fill(void* data, index_t words, std::uint64_t seed, CUstream_st* stream);

/// Adds to `*count` (device memory) the bytes in [data, data + bytes) that are not poison.
/// @throws cuda_error
void launch_count_unpoisoned(const void* data, index_t bytes, unsigned long long* count,
                             CUstream_st* stream);

/// Adds to `*count` (device memory) the bytes of elements that `touched` does not mark and that are
/// not poison. @param data the first of `elements` elements of `width` bytes @throws cuda_error
void launch_count_stray(const void* data, index_t elements, int width, const std::uint32_t* touched,
                        unsigned long long* count, CUstream_st* stream);

/// Adds to `*counts` (device memory) what the bits of a side say. @throws cuda_error
void launch_count_coverage(const side_extent& extent, const coverage_bits& bits,
                           coverage_counts* counts, CUstream_st* stream);

/// Adds to the request's tally what was stored to and holds no value meant for it. @pre its
/// `matched` is not null @throws cuda_error
void launch_count_unmatched(const proof_request& request, CUstream_st* stream);

/// The same on the CPU's cores.
coverage_counts count_coverage_on_host(const side_extent& extent, const coverage_bits& bits);
void fill_on_host(void* data, index_t words, std::uint64_t seed);
index_t count_unpoisoned_on_host(const void* data, index_t bytes);
index_t count_stray_on_host(const void* data, index_t elements, int width,
                            const std::uint32_t* touched);
void count_unmatched_on_host(const proof_request& request);

}  // namespace sectorbench
