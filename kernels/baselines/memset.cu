// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "sectorbench/execution/host_memory.hpp"
#include "sectorbench/execution/registry.hpp"

#if defined(__CUDACC__)
#include "sectorbench/execution/access_kernel.cuh"
#endif

namespace sectorbench {
namespace {

/// The byte that is set.
SECTORBENCH_HD constexpr unsigned char byte_of(std::uint64_t seed) {
  return static_cast<unsigned char>(scrambled_word(0, seed));
}

/// Marks element i as stored, and compares it if the request says so.
SECTORBENCH_HD inline void prove_element(const proof_request& request, index_t i) {
  if (request.stored.once != nullptr && detail::set_bit(request.stored.once, i))
    detail::set_bit(request.stored.again, i);
  if (request.out == nullptr) return;
  const bool right = with_element_of(request.width, [&](auto type) {
    const auto* const bytes =
        reinterpret_cast<const unsigned char*>(static_cast<const decltype(type)*>(request.out) + i);
    for (int k = 0; k < request.width; ++k)
      if (bytes[k] != byte_of(request.seed)) return false;
    return true;
  });
  if (right) return;
  detail::count_one(request.tally->wrong);
  detail::lower_to(request.tally->first_wrong, static_cast<unsigned long long>(i));
}

#if defined(__CUDACC__)
__global__ void prove_kernel(proof_request request) {
  const index_t i = this_lane().column();
  if (i < request.stores.elements) prove_element(request, i);
}
#endif

/// The vendor's own way to write: cudaMemsetAsync, memset by all cores on the CPU. It is its own
/// meaning: one byte everywhere, another for each seed.
class memset_program final : public program {
 public:
  memset_program(element_type type, index_t n, block_size block)
      : type_(type), n_(n), block_(block) {}

  launch_shape shape() const override { return row_of_threads(n_, block_); }
  side_extent loads() const override { return {n_}; }
  side_extent stores() const override { return {n_}; }
  operation_kind operation() const override { return operation_kind::kWrite; }
  element_type type() const override { return type_; }
  index_t flops() const override { return 0; }
  int together() const override { return 1; }
  std::string_view refusal() const override { return {}; }
  bool takes(const cache_ops&) const override { return true; }
  index_t indices() const override { return 0; }
  void fill_indices(index_entry*) const override {}
  void launch_fill_indices(index_entry*, CUstream_st*) const override {}
  launch_totals totals() const override { return {}; }
  reuse_profile profile() const override { return {}; }

  void run(const launch_data& data) const override {
    constexpr index_t kPiece = index_t{1} << 20;
    auto* const out = static_cast<char*>(data.out);
    const index_t bytes = n_ * size_of(type_), pieces = groups_of(kPiece, bytes);
    share_out(pieces, data.by_team, [&](index_t piece) {
      const index_t first = piece * kPiece;
      std::memset(out + first, byte_of(data.seed),
                  static_cast<std::size_t>(std::min(kPiece, bytes - first)));
    });
  }
  void prove(const proof_request& request) const override {
#pragma omp parallel for schedule(static)
    for (index_t i = 0; i < n_; ++i) prove_element(request, i);
  }
  void launch([[maybe_unused]] const launch_data& data,
              [[maybe_unused]] CUstream_st* stream) const override {
#if defined(__CUDACC__)
    SECTORBENCH_CUDA_CHECK(cudaMemsetAsync(data.out, byte_of(data.seed),
                                           static_cast<std::size_t>(n_ * size_of(type_)), stream));
#else
    throw std::logic_error("this build has no CUDA kernels");
#endif
  }
  void launch_proof([[maybe_unused]] const proof_request& request,
                    [[maybe_unused]] CUstream_st* stream) const override {
#if defined(__CUDACC__)
    enqueue(prove_kernel, shape(), stream, request);
#else
    throw std::logic_error("this build has no CUDA kernels");
#endif
  }

 private:
  element_type type_;
  index_t n_;
  block_size block_;
};

std::unique_ptr<workload> make_memset(operation_kind operation, element_type type, index_t n,
                                      std::span<const index_t>, block_size block) {
  if (operation != operation_kind::kWrite) throw std::invalid_argument("memset only writes");
  return std::make_unique<memset_program>(type, n, block);
}

struct any_type {};

constexpr auto kOperations = std::array{operation_kind::kWrite};
constexpr auto kTypes = types_of<any_type>();

const entry_registration registration({"memset", "the vendor's fill: cudaMemset or memset",
                                       "one byte everywhere, by whatever the vendor takes",
                                       kNoParameters, kOperations, kTypes, true, &make_memset});

}  // namespace
}  // namespace sectorbench
