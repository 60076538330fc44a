// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "sectorbench/execution/host_memory.hpp"
#include "sectorbench/execution/registry.hpp"

#if defined(__CUDACC__)
#include "sectorbench/cuda/error.hpp"
#endif

namespace sectorbench {
namespace {

/// Runs the registered contiguous copy's body to say what a copy means.
std::unique_ptr<workload> contiguous_copy(element_type type, index_t n, block_size block) {
  for (const pattern_entry& entry : registered_patterns())
    if (entry.name == "contiguous") return entry.make(operation_kind::kCopy, type, n, {}, block);
  throw std::logic_error("the contiguous pattern is not registered");
}

/// The vendor's own copy: cudaMemcpyAsync, memcpy by all cores on the CPU.
class memcpy_mover final : public workload {
 public:
  memcpy_mover(element_type type, index_t n, block_size block)
      : meaning_(contiguous_copy(type, n, block)), bytes_(n * size_of(type)) {}

  void run(const launch_data& data) const override {
    constexpr index_t kPiece = index_t{1} << 20;
    const auto* const in = static_cast<const char*>(data.in);
    auto* const out = static_cast<char*>(data.out);
    const index_t pieces = groups_of(kPiece, bytes_);
    share_out(pieces, data.by_team, [&](index_t piece) {
      const index_t first = piece * kPiece;
      std::memcpy(out + first, in + first,
                  static_cast<std::size_t>(std::min(kPiece, bytes_ - first)));
    });
  }
  void launch([[maybe_unused]] const launch_data& data,
              [[maybe_unused]] CUstream_st* stream) const override {
#if defined(__CUDACC__)
    SECTORBENCH_CUDA_CHECK(cudaMemcpyAsync(data.out, data.in, static_cast<std::size_t>(bytes_),
                                           cudaMemcpyDefault, stream));
#else
    throw std::logic_error("this build has no CUDA kernels");
#endif
  }
  // It has no loads and stores that could be told anything.
  bool takes(const cache_ops&) const override { return true; }
  const program& meaning() const override { return meaning_->meaning(); }
  buffer_bytes needs() const override { return {bytes_, bytes_}; }

 private:
  std::unique_ptr<workload> meaning_;
  index_t bytes_;
};

std::unique_ptr<workload> make_memcpy(operation_kind operation, element_type type, index_t n,
                                      std::span<const index_t>, block_size block) {
  if (operation != operation_kind::kCopy) throw std::invalid_argument("memcpy only copies");
  return std::make_unique<memcpy_mover>(type, n, block);
}

struct any_type {};

constexpr auto kOperations = std::array{operation_kind::kCopy};
constexpr auto kTypes = types_of<any_type>();

const entry_registration registration({"memcpy", "the vendor's copy: cudaMemcpy or memcpy",
                                       "byte i to byte i, by whatever the vendor takes",
                                       kNoParameters, kOperations, kTypes, true, &make_memcpy});

}  // namespace
}  // namespace sectorbench
