// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sectorbench/execution/workload.hpp"

/// @file
/// Where a backend keeps what proofs need: the same places on the CPU and on the GPU.

namespace sectorbench {

/// Bytes of the buffers that one workload needs. The output lies between two guard zones.
struct buffer_plan {
  index_t in = 0, out = 0, coverage = 0, indices = 0;
  index_t total() const { return in + out + coverage + indices; }
};

/// @param guard_bytes poisoned bytes before and after the output that must stay so; a multiple of
/// the alignment that the output shall have
buffer_plan plan_buffers(const workload& work, index_t guard_bytes);

/// Bytes [begin, end) of the output, from its aligned start.
struct byte_range_of_output {
  index_t begin = 0, end = 0;
};

/// The bytes that a launch of `body` stores; all others must stay poisoned.
byte_range_of_output stored_bytes(const program& body);

/// A request that counts what `body` touches in `bits`, which hold `plan_buffers(body,
/// ...).coverage` zero bytes. @param input, output the aligned starts of the buffers
proof_request counting_request(const program& body, const void* input, const void* output,
                               std::uint32_t* bits, proof_tally* tally);

/// The verdict on what such a request counted. @param count says what the bits of a side add up to
template <class Count>
coverage_verdict judge(const program& body, const proof_request& counted, const proof_tally& tally,
                       const Count& count) {
  coverage_verdict verdict = verdict_of(tally);
  if (loads_elements(body.operation()))
    verdict.loads =
        judge(counted.loads, count(counted.loads, counted.loaded), tally.loads_out_of_range);
  if (stores_elements(body.operation()))
    verdict.stores =
        judge(counted.stores, count(counted.stores, counted.stored), tally.stores_out_of_range);
  return verdict;
}

/// Whether a launch leaves elements within its extent alone, which must then still be poisoned.
bool leaves_gaps(const program& body);

/// A request that compares what lies at `output` (its aligned start) with what `body` says of an
/// input filled with `seed`. Where the body leaves gaps it marks what is stored in `bits`, which
/// hold as many zero bytes as for `counting_request`; where stores are many-to-one `matched` is
/// set, and what `count_unmatched` adds belongs to the tally.
proof_request comparing_request(const program& body, std::uint64_t seed, const void* output,
                                std::uint32_t* bits, proof_tally* tally);

}  // namespace sectorbench
