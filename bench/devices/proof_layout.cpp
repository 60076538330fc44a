// SPDX-License-Identifier: Apache-2.0
#include "bench/devices/proof_layout.hpp"

namespace sectorbench {
namespace {

/// Words of the bits of one side: touched once, touched again.
index_t words_of(bool used, const side_extent& side) {
  return used ? 2 * coverage_bits::words(side.elements) : 0;
}
index_t load_words(const program& body) {
  return words_of(loads_elements(body.operation()), body.loads());
}
index_t store_words(const program& body) {
  return words_of(stores_elements(body.operation()), body.stores());
}

proof_request request_for(const program& body, proof_tally* tally) {
  proof_request request;
  request.loads = body.loads();
  request.stores = body.stores();
  request.width = size_of(body.type());
  request.tally = tally;
  return request;
}

}  // namespace

buffer_plan plan_buffers(const workload& work, index_t guard_bytes) {
  // Inputs are filled by words of 8 bytes.
  const auto whole_words = [](index_t bytes) { return groups_of(8, bytes) * 8; };
  const buffer_bytes needs = work.needs();
  const program& body = work.meaning();
  return {whole_words(needs.in), whole_words(needs.out) + 2 * guard_bytes,
          (load_words(body) + store_words(body)) * 4, needs.indices};
}

byte_range_of_output stored_bytes(const program& body) {
  const index_t width = size_of(body.type());
  if (!stores_elements(body.operation())) return {0, body.shape().threads() * width};
  const side_extent stores = body.stores();
  return {stores.first * width, (stores.first + stores.elements) * width};
}

proof_request counting_request(const program& body, const void* input, const void* output,
                               std::uint32_t* bits, proof_tally* tally) {
  proof_request request = request_for(body, tally);
  const auto address = [&](const void* start, const side_extent& side) {
    return reinterpret_cast<std::uintptr_t>(start) +
           static_cast<std::uint64_t>(side.first * request.width);
  };
  request.load_address = address(input, request.loads);
  request.store_address = address(output, request.stores);
  if (loads_elements(body.operation()))
    request.loaded = {bits, bits + coverage_bits::words(request.loads.elements)};
  bits += load_words(body);
  if (stores_elements(body.operation()))
    request.stored = {bits, bits + coverage_bits::words(request.stores.elements)};
  return request;
}

bool leaves_gaps(const program& body) {
  return stores_elements(body.operation()) && body.stores().covers != coverage::kBijection;
}

proof_request comparing_request(const program& body, std::uint64_t seed, const void* output,
                                std::uint32_t* bits, proof_tally* tally) {
  proof_request request = request_for(body, tally);
  if (leaves_gaps(body)) {
    std::uint32_t* const second = bits + coverage_bits::words(request.stores.elements);
    if (request.stores.covers == coverage::kManyToOne) {
      request.stored = {bits, nullptr};
      request.matched = second;
    } else {
      request.stored = {bits, second};
    }
  }
  request.out = static_cast<const char*>(output) + stored_bytes(body).begin;
  request.seed = seed;
  return request;
}

}  // namespace sectorbench
