// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sectorbench/execution/host_memory.hpp"
#include "sectorbench/execution/registry.hpp"
#include "sectorbench/execution/workload.hpp"
#include "sectorbench/model/list_model.hpp"

#if defined(__CUDACC__)
#include "sectorbench/execution/access_kernel.cuh"
#endif

namespace sectorbench {

/// The pattern as kernels take it; overloaded where one points to memory that kernels cannot reach.
template <access_pattern P>
const P& for_kernels(const P& pattern) {
  return pattern;
}

namespace detail {

[[noreturn]] inline void refuse_launch() {
  throw std::logic_error(
      "the pattern's source was compiled without nvcc and has no GPU kernels; make it a .cu file");
}

}  // namespace detail

/// What a program does whatever its element type: proof and model.
template <access_pattern P, class Op>
class untyped_program : public program {
 public:
  untyped_program(const P& pattern, block_size block) : pattern_(pattern), block_(block) {}

  launch_shape shape() const final { return pattern_.shape(block_); }
  side_extent loads() const final { return pattern_.loads(); }
  side_extent stores() const final { return pattern_.stores(); }
  operation_kind operation() const final { return Op::kKind; }
  int together() const final { return together_in<P>(); }
  std::string_view refusal() const final { return refusal_of(pattern_); }
  index_t flops() const final {
    if constexpr (computing_pattern<P>)
      return pattern_.flops();
    else
      return 0;
  }

  void prove(const proof_request& request) const final {
    on_all_cores(shape(), false,
                 [&](const lane& first) { prove_block<Op>(pattern_, request, first); });
  }
  void launch_proof([[maybe_unused]] const proof_request& request,
                    [[maybe_unused]] CUstream_st* stream) const final {
#if defined(__CUDACC__)
    enqueue(proof_kernel<P, Op>, shape(), stream, for_kernels(pattern_), request);
#else
    detail::refuse_launch();
#endif
  }
  index_t indices() const final { return index_entries(pattern_); }
  index_t index_loads() const final { return index_loads_of(pattern_); }
  void fill_indices(index_entry* list) const final {
    on_all_cores(indexing_shape(pattern_, block_), false, [&](const lane& first) {
      const index_list_memory memory{list};
      for_each_thread_of(first, [&](const lane& thread) {
        run_all(pattern_, thread, access<copy, const index_list_memory>{memory});
      });
    });
  }
  void launch_fill_indices([[maybe_unused]] index_entry* list,
                           [[maybe_unused]] CUstream_st* stream) const final {
#if defined(__CUDACC__)
    enqueue(index_list_kernel<P>, indexing_shape(pattern_, block_), stream, for_kernels(pattern_),
            list);
#else
    detail::refuse_launch();
#endif
  }
  launch_totals totals() const final {
    if constexpr (kFollowsLists) {
      launch_totals sum;
      const index_t threads = block_.threads();
      for (const placed_side& side : placed_sides()) {
        const index_t blocks = shape().blocks();
        const index_t period = side.places.repeats_after(threads, side.width, blocks);
        sum += periodic_totals(period, [&](index_t first, index_t last) {
          launch_totals part;
          part.of(side.what) = count_side(side, threads, first, last);
          return part;
        });
      }
      return sum;
    }
    index_t period = shape().blocks();
    if constexpr (requires { pattern_.repeats_after(block_, 1); })
      period = std::min(period, pattern_.repeats_after(block_, size_of(type())));
    return periodic_totals(period, [&](index_t first, index_t last) {
      return count_blocks<Op>(pattern_, block_, size_of(type()), first, last);
    });
  }

  index_t walked_threads() const override { return kFollowsLists ? 0 : shape().threads(); }

  reuse_profile profile() const final {
    const index_t blocks = shape().blocks();
    if constexpr (kFollowsLists) {
      reuse_profile of_lists;
      sample_blocks<Op>(pattern_, block_, size_of(type()), 0, 0, of_lists);  // its first warp
      const std::vector<placed_side> sides = placed_sides();
      const auto sample = [&](traced_request::kind what, index_t bytes) {
        std::vector<placed_side> calls;
        std::ranges::copy_if(sides, std::back_inserter(calls),
                             [&](const placed_side& side) { return side.what == what; });
        return sample_side(calls, static_cast<std::uint64_t>(bytes), block_.threads());
      };
      using enum traced_request::kind;
      of_lists.loads = sample(kLoad, loads().elements * size_of(type()));
      of_lists.stores = sample(kStore, stores().elements * size_of(type()));
      of_lists.indices = sample(kIndex, indices() * index_t{sizeof(index_entry)});
      order_profile(of_lists);
      return of_lists;
    }
    const index_t size = P::kThreadsAffine ? blocks : 4096;
    const auto pieces = static_cast<std::size_t>(groups_of(size, blocks));
    std::vector<reuse_profile> parts(pieces);
#pragma omp parallel for schedule(dynamic) if (pieces > 1)
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      if (stop_passes) continue;
      const index_t first = static_cast<index_t>(piece) * size;
      sample_blocks<Op>(pattern_, block_, size_of(type()), first, std::min(first + size, blocks),
                        parts[piece]);
    }
    for (std::size_t piece = 1; piece < pieces; ++piece) append(parts[piece], parts.front());
    order_profile(parts.front());
    return std::move(parts.front());
  }

 private:
  static constexpr bool kFollowsLists = requires(const P& pattern) {
    pattern.places(side::kPattern, 0);
  };

  /// Of a pattern that follows lists: what its threads call.
  std::vector<placed_side> placed_sides() const {
    std::vector<placed_side> sides;
    if constexpr (kFollowsLists) {
      using enum traced_request::kind;
      const auto add = [&](traced_request::kind what, const repeated_places& places, int width) {
        sides.push_back({what, places, pattern_.n, width, static_cast<int>(sides.size())});
      };
      const int last = static_cast<int>(pattern_.indices() / pattern_.length) - 1;
      for (int list = 0; list <= last; ++list)
        add(kIndex, pattern_.index_places(list), sizeof(index_entry));
      if (Op::kLoads != side::kNone) add(kLoad, pattern_.places(Op::kLoads, 0), size_of(type()));
      if (Op::kStores != side::kNone)
        add(kStore, pattern_.places(Op::kStores, last), size_of(type()));
    }
    return sides;
  }

  /// The totals of a launch whose blocks repeat after `period`, by those of the blocks [first,
  /// last).
  template <class Count>
  launch_totals periodic_totals(index_t period, const Count& count) const {
    const index_t blocks = shape().blocks();
    const index_t times = (blocks - 1) / period;  // the last block may end early
    launch_totals sum;
    if (times > 0) sum = in_pieces(0, period, count) *= static_cast<std::uint64_t>(times);
    return sum += in_pieces(times * period, blocks, count);
  }

  template <class Count>
  launch_totals in_pieces(index_t begin, index_t end, const Count& count) const {
    // Lane by lane a large launch takes seconds, so that all cores share it.
    const index_t size = P::kThreadsAffine ? end - begin : 1024;
    const index_t pieces = groups_of(size, end - begin);
    launch_totals sum;
#pragma omp parallel for schedule(dynamic) if (pieces > 1)
    for (index_t piece = 0; piece < pieces; ++piece) {
      if (stop_passes) continue;
      const index_t first = begin + piece * size;
      const launch_totals part = count(first, first + std::min(size, end - first));
#pragma omp critical
      sum += part;
    }
    return sum;
  }

 protected:
  P pattern_;
  block_size block_;
};

/// A program for elements of type T.
template <access_pattern P, class Op, class T, element_type Type>
class typed_program final : public untyped_program<P, Op> {
 public:
  using untyped_program<P, Op>::untyped_program;

  element_type type() const override { return Type; }

  void run(const launch_data& data) const override {
    static_assert(phases_of<P>() == 1 || Op::kStores != side::kNone,
                  "a checksum does not live from one phase to the next");
    const T* const in = first_load(data);
    T* const out = first_store(data);
    const std::uint64_t seed = data.seed;
    const index_entry* const indices = data.indices;
    on_all_cores(this->shape(), data.by_team,
                 [this, seed, in, out, indices, keep = data.keep](const lane& first) {
                   std::array<T, slots_of<P>()> slots;
                   T sum{};
                   for_each_phase<P>([&](auto phase) {
                     for_each_thread_of(first, [&](const lane& thread) {
                       host_memory<T> memory{in, out, seed, indices, slots.data()};
                       run_phase<decltype(phase)::value>(this->pattern_, thread,
                                                         access<Op, host_memory<T>>{memory});
                       if constexpr (Op::kStores == side::kNone) {
                         if (keep) out[thread_rank(thread)] = memory.checksum;
                         sum = added(sum, memory.checksum);
                       }
                     });
                   });
                   if constexpr (Op::kStores == side::kNone) keep_alive(sum);
                 });
  }

  void launch([[maybe_unused]] const launch_data& data,
              [[maybe_unused]] CUstream_st* stream) const override {
#if defined(__CUDACC__)
    enqueue_with(kernel_of(data.ops), this->shape(), data.shared_bytes, stream, this->pattern_,
                 first_load(data), first_store(data), data.seed, data.keep, data.indices);
#else
    detail::refuse_launch();
#endif
  }

  bool takes(const cache_ops& ops) const override { return kHasCacheOps || of_sides(ops).plain(); }
#if defined(__CUDACC__)
  int shared_bytes_for(int blocks, const cache_ops& ops) const override {
    return sectorbench::shared_bytes_for(reinterpret_cast<const void*>(kernel_of(ops)), blocks);
  }
  int blocks_per_sm(const cache_ops& ops, int shared_bytes) const override {
    return sectorbench::blocks_per_sm(reinterpret_cast<const void*>(kernel_of(ops)),
                                      static_cast<int>(this->shape().block.threads()),
                                      shared_bytes);
  }
#endif

 private:
  static constexpr bool kHasCacheOps =
      has_cache_ops<P>() && (Type == element_type::kF32 || Type == element_type::kF32x4) &&
      Op::kLoads != side::kUnit && Op::kStores != side::kUnit;

  /// The operators that the operation has a use for.
  static constexpr cache_ops of_sides(cache_ops ops) {
    if (Op::kLoads == side::kNone) ops.loads = load_op::kNc;
    if (Op::kStores == side::kNone) ops.stores = store_op::kWb;
    return ops;
  }

#if defined(__CUDACC__)
  using kernel = void (*)(P, const T*, T*, std::uint64_t, bool, const index_entry*);

  template <load_op Loads, store_op Stores>
  static constexpr kernel kernel_with() {
    constexpr cache_ops kOps{Loads, Stores};
    if constexpr (kOps.plain())
      return access_kernel<P, Op, T>;
    else if constexpr (kHasCacheOps && of_sides(kOps) == kOps)
      return cache_op_kernel<P, Op, T, Loads, Stores>;
    else
      return nullptr;
  }
  template <load_op Loads>
  static constexpr std::array<kernel, kStoreOps.size()> kernels_with() {
    return {kernel_with<Loads, store_op::kWb>(), kernel_with<Loads, store_op::kCg>(),
            kernel_with<Loads, store_op::kCs>()};
  }
  /// @pre takes(ops)
  static kernel kernel_of(const cache_ops& wanted) {
    static constexpr std::array<std::array<kernel, kStoreOps.size()>, kLoadOps.size()> kKernels{
        kernels_with<load_op::kNc>(), kernels_with<load_op::kCa>(), kernels_with<load_op::kCg>(),
        kernels_with<load_op::kCs>()};
    const cache_ops ops = of_sides(wanted);
    return kKernels[static_cast<std::size_t>(ops.loads)][static_cast<std::size_t>(ops.stores)];
  }
#endif

  const T* first_load(const launch_data& data) const {
    return static_cast<const T*>(data.in) + this->loads().first;
  }
  T* first_store(const launch_data& data) const {
    // The checksums of `read` lie at the buffer's start, whatever the pattern's stores declare.
    const index_t first = Op::kStores == side::kNone ? 0 : this->stores().first;
    return static_cast<T*>(data.out) + first;
  }
};

namespace detail {

template <class P>
inline constexpr auto kOperationsOf = operations_of<P>();
template <class P>
inline constexpr auto kTypesOf = types_of<P>();

/// Nothing that a pattern does not offer is instantiated.
template <access_pattern P, class Op, class T, element_type Type>
std::unique_ptr<workload> make_one([[maybe_unused]] const P& pattern,
                                   [[maybe_unused]] block_size block) {
  if constexpr (std::ranges::find(kTypesOf<P>, Type) != kTypesOf<P>.end())
    return std::make_unique<typed_program<P, Op, T, Type>>(pattern, block);
  else
    throw std::invalid_argument("the pattern does not take this element type");
}

template <access_pattern P, class Op>
std::unique_ptr<workload> make_typed([[maybe_unused]] const P& pattern, element_type type,
                                     block_size block) {
  if constexpr (std::ranges::find(kOperationsOf<P>, Op::kKind) != kOperationsOf<P>.end()) {
    switch (type) {
      case element_type::kU8:
        return make_one<P, Op, std::uint8_t, element_type::kU8>(pattern, block);
      case element_type::kF16:
        return make_one<P, Op, std::uint16_t, element_type::kF16>(pattern, block);
      case element_type::kF32:
        return make_one<P, Op, std::uint32_t, element_type::kF32>(pattern, block);
      case element_type::kF64:
        return make_one<P, Op, std::uint64_t, element_type::kF64>(pattern, block);
      case element_type::kF32x4:
        return make_one<P, Op, bits128, element_type::kF32x4>(pattern, block);
    }
    throw std::invalid_argument("no such element type");
  } else {
    throw std::invalid_argument("the pattern does not take this operation");
  }
}

template <access_pattern P>
std::unique_ptr<workload> make_bound(const P& pattern, operation_kind operation, element_type type,
                                     block_size block) {
  switch (operation) {
    case operation_kind::kCopy:
      return make_typed<P, copy>(pattern, type, block);
    case operation_kind::kGather:
      return make_typed<P, gather>(pattern, type, block);
    case operation_kind::kScatter:
      return make_typed<P, scatter>(pattern, type, block);
    case operation_kind::kRead:
      return make_typed<P, read>(pattern, type, block);
    case operation_kind::kWrite:
      return make_typed<P, write>(pattern, type, block);
  }
  throw std::invalid_argument("no such operation");
}

template <access_pattern P>
std::unique_ptr<workload> make_program(operation_kind operation, element_type type, index_t n,
                                       std::span<const index_t> values, block_size block) {
  return make_bound<P>(P::make(n, values), operation, type, block);
}

template <access_pattern P>
pattern_entry entry_of(std::string place) {
  static_assert(is_name(P::kName),
                "kName is lower case letters, digits and underscores, a letter first");
  static_assert(std::ranges::all_of(P::kParameters,
                                    [](const parameter_spec& spec) {
                                      return is_name(spec.name) && spec.name != "elements" &&
                                             spec.name != "block" && spec.name != "gpu";
                                    }),
                "a parameter's name is lower case letters, digits and underscores, a letter first, "
                "and not elements, block or gpu");
  pattern_entry entry{P::kName,         P::kSummary, P::kMapping, P::kParameters,
                      kOperationsOf<P>, kTypesOf<P>, false,       &make_program<P>};
  entry.place = std::move(place);
  return entry;
}

template <access_pattern... Ps>
std::array<entry_registration, sizeof...(Ps)> register_all(const std::string& place) {
  return {entry_registration(entry_of<Ps>(place))...};
}

}  // namespace detail

/// Instantiates patterns (or one pattern with several fixed values) of the suite for all operations
/// and element types, and registers them. To be used once in a file.
#define SECTORBENCH_PATTERN(...)                                                   \
  namespace {                                                                      \
  const auto registrations = ::sectorbench::detail::register_all<__VA_ARGS__>(""); \
  }

}  // namespace sectorbench
