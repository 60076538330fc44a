// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <stdexcept>

#include "kernels/traps.hpp"
#include "sectorbench/execution/instantiate.hpp"

namespace sectorbench::traps {
namespace {

/// Runs one program and means another.
class impostor final : public workload {
 public:
  impostor(std::unique_ptr<workload> does, std::unique_ptr<workload> claims)
      : does_(std::move(does)), claims_(std::move(claims)) {}

  void run(const launch_data& data) const override { does_->run(data); }
  void launch(const launch_data& data, CUstream_st* stream) const override {
    does_->launch(data, stream);
  }
  const program& meaning() const override { return claims_->meaning(); }
  buffer_bytes needs() const override { return claims_->needs(); }

 private:
  std::unique_ptr<workload> does_, claims_;
};

#if defined(__CUDACC__)
__global__ void removed_loads_kernel(const std::uint32_t* __restrict__ in, index_t n) {
  const index_t at = this_lane().column();
  std::uint32_t sum = 0;
  if (at < n) sum += in[at];
}
#endif

/// Each thread reads an element; nothing depends on the sums.
class removed_loads final : public workload {
 public:
  removed_loads(index_t n, std::unique_ptr<workload> claims) : n_(n), claims_(std::move(claims)) {}

  void run(const launch_data& data) const override {
    const auto* const in = static_cast<const std::uint32_t*>(data.in);
    on_all_cores(meaning().shape(), data.by_team, [in, n = n_](const lane& first) {
      std::uint32_t sum = 0;
      for_each_thread_of(first, [&](const lane& thread) {
        const index_t at = thread.column();
        if (at < n) sum += in[at];
      });
    });
  }
  void launch([[maybe_unused]] const launch_data& data,
              [[maybe_unused]] CUstream_st* stream) const override {
#if defined(__CUDACC__)
    enqueue(removed_loads_kernel, meaning().shape(), stream,
            static_cast<const std::uint32_t*>(data.in), n_);
#else
    throw std::logic_error("this build has no CUDA kernels");
#endif
  }
  const program& meaning() const override { return claims_->meaning(); }
  buffer_bytes needs() const override { return claims_->needs(); }

 private:
  index_t n_;
  std::unique_ptr<workload> claims_;
};

void accept_only(operation_kind wanted, operation_kind operation, element_type type) {
  if (operation != wanted || type != element_type::kF32)
    throw std::invalid_argument("a trap is for f32 and one operation");
}

std::unique_ptr<workload> registered(std::string_view name, operation_kind operation, index_t n,
                                     std::span<const index_t> values, block_size block) {
  for (const pattern_entry& entry : registered_patterns())
    if (entry.name == name) return entry.make(operation, element_type::kF32, n, values, block);
  throw std::logic_error("the pattern " + std::string(name) + " is not registered");
}

template <access_pattern P>
std::unique_ptr<workload> make_declared(operation_kind operation, element_type type, index_t n,
                                        std::span<const index_t> values, block_size block) {
  accept_only(operation_kind::kCopy, operation, type);
  return std::make_unique<typed_program<P, copy, std::uint32_t, element_type::kF32>>(
      P::make(n, values), block);
}

template <access_pattern P>
std::unique_ptr<workload> make_claimed(operation_kind operation, element_type type, index_t n,
                                       std::span<const index_t> values, block_size block) {
  return std::make_unique<impostor>(make_declared<P>(operation, type, n, values, block),
                                    registered(P::kClaims, operation, n, values, block));
}

std::unique_ptr<workload> make_removed_loads(operation_kind operation, element_type type, index_t n,
                                             std::span<const index_t> values, block_size block) {
  accept_only(operation_kind::kRead, operation, type);
  return std::make_unique<removed_loads>(n, registered("contiguous", operation, n, values, block));
}

constexpr std::array kCopies{operation_kind::kCopy};
constexpr std::array kReads{operation_kind::kRead};
constexpr std::array kTypes{element_type::kF32};

template <access_pattern P>
pattern_entry entry_of(std::string_view name, pattern_entry::maker make) {
  pattern_entry entry;
  entry.name = name;
  entry.summary = P::kSummary;
  entry.mapping = P::kMapping;
  entry.parameters = P::kParameters;
  entry.operations = kCopies;
  entry.types = kTypes;
  entry.make = make;
  return entry;
}

template <access_pattern P>
const pattern_entry& claimed() {
  static const pattern_entry entry = entry_of<P>(P::kName, &make_claimed<P>);
  return entry;
}

}  // namespace

const pattern_entry& skips_as_stride() { return claimed<skips>(); }
const pattern_entry& modulo_as_stride() { return claimed<modulo>(); }
const pattern_entry& division_as_stride() { return claimed<division>(); }
const pattern_entry& fresh_as_contiguous() { return claimed<fresh>(); }

const pattern_entry& removed_loads_as_read() {
  static const pattern_entry entry = [] {
    pattern_entry read = entry_of<fresh>("trap_removed_loads", &make_removed_loads);
    read.summary = "nobody uses what was read";
    read.operations = kReads;
    return read;
  }();
  return entry;
}

const pattern_entry& skips_as_declared() {
  static const pattern_entry entry = entry_of<skips>("trap_skips_declared", &make_declared<skips>);
  return entry;
}
const pattern_entry& modulo_as_declared() {
  static const pattern_entry entry =
      entry_of<modulo>("trap_modulo_declared", &make_declared<modulo>);
  return entry;
}

}  // namespace sectorbench::traps
