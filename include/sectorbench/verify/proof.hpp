// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "sectorbench/pattern/arithmetic.hpp"
#include "sectorbench/pattern/pattern.hpp"
#include "sectorbench/verify/fill.hpp"

/// @file
/// Proofs: does a body touch what its pattern declares, and did a launch store what the body says?
///
/// The proof memory carries as value the index that an element was loaded from. Counting the
/// indices proves coverage; comparing a buffer with what lay at those indices proves a launch. Both
/// run on the CPU, in a kernel, and for small n at compile time:
///
///     static_assert(sectorbench::prove<sectorbench::copy>(
///                       sectorbench::stride::make(1000, std::array<index_t, 1>{7}), {}).ok());
///
/// Not covered: anything about time, and stores outside the buffers' guard zones.

namespace sectorbench {

namespace detail {

/// Sets bit `i` and tells whether it was set before; atomic when threads run at once.
SECTORBENCH_HD constexpr bool set_bit(std::uint32_t* words, index_t i) {
  std::uint32_t& word = words[i / 32];
  const std::uint32_t bit = 1U << (i % 32);
  std::uint32_t before = 0;
  if (__builtin_is_constant_evaluated()) {
    before = word;
    word = before | bit;
  } else {
    // A bit that is seen set stays so; many threads that set one would wait for each other.
#if defined(__CUDA_ARCH__)
    before = __ldca(&word);
    if ((before & bit) == 0) before = atomicOr(&word, bit);
#else
    before = __atomic_load_n(&word, __ATOMIC_RELAXED);
    if ((before & bit) == 0) before = __atomic_fetch_or(&word, bit, __ATOMIC_RELAXED);
#endif
  }
  return (before & bit) != 0;
}

/// Adds one to a counter.
SECTORBENCH_HD constexpr void count_one(unsigned long long& counter) {
  if (__builtin_is_constant_evaluated()) {
    ++counter;
  } else {
#if defined(__CUDA_ARCH__)
    atomicAdd(&counter, 1ULL);
#else
    __atomic_fetch_add(&counter, 1ULL, __ATOMIC_RELAXED);
#endif
  }
}

/// Lowers `smallest` to `value` if that is less.
SECTORBENCH_HD constexpr void lower_to(unsigned long long& smallest, unsigned long long value) {
  if (__builtin_is_constant_evaluated()) {
    if (value < smallest) smallest = value;
  } else {
#if defined(__CUDA_ARCH__)
    atomicMin(&smallest, value);
#else
    unsigned long long seen = __atomic_load_n(&smallest, __ATOMIC_RELAXED);
    while (value < seen && !__atomic_compare_exchange_n(&smallest, &seen, value, true,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#endif
  }
}

/// The element of type T at `bytes`, as the low bytes of 128 bits.
template <class T>
SECTORBENCH_HD constexpr bits128 widened(T v) {
  if constexpr (sizeof(T) == 16) {
    return v;
  } else if constexpr (sizeof(T) == 8) {
    return {static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(v >> 32), 0, 0};
  } else {
    return {v, 0, 0, 0};
  }
}

template <class T>
SECTORBENCH_HD constexpr T narrowed(const bits128& v) {
  if constexpr (sizeof(T) == 16) {
    return v;
  } else if constexpr (sizeof(T) == 8) {
    return (std::uint64_t{v.y} << 32) | v.x;
  } else {
    return static_cast<T>(v.x);
  }
}

}  // namespace detail

/// Calls `body` with a value of the unsigned type of `width` bytes. @pre width is 1, 2, 4, 8 or 16.
template <class Body>
SECTORBENCH_HD constexpr auto with_element_of(int width, const Body& body) {
  switch (width) {
    case 1:
      return body(std::uint8_t{});
    case 2:
      return body(std::uint16_t{});
    case 4:
      return body(std::uint32_t{});
    case 8:
      return body(std::uint64_t{});
    default:
      return body(bits128{});
  }
}

/// One bit per index: touched, and touched again. Null words: not counted.
struct coverage_bits {
  std::uint32_t* once = nullptr;
  std::uint32_t* again = nullptr;

  /// Words of 32 bits that each of the two needs for `elements` indices.
  static constexpr index_t words(index_t elements) { return groups_of(32, elements); }
};

/// What a proof counted. Indices are those of the side concerned.
struct proof_tally {
  static constexpr unsigned long long kNone = ~0ULL;

  unsigned long long loads_out_of_range = 0;
  unsigned long long stores_out_of_range = 0;
  unsigned long long wrong = 0;            ///< stored elements (read: sums) with wrong bits
  unsigned long long first_wrong = kNone;  ///< the lowest such index (read: thread)
  bits128 expected{}, got{};               ///< of the index that was asked for

  unsigned long long misaligned = 0;            ///< accesses of several elements
  unsigned long long first_misaligned = kNone;  ///< the lowest such address
  unsigned misaligned_bytes = 0;                ///< the size of such an access
  unsigned long long slots_misused = 0;         ///< see `misused_slots`
};

/// What a proof shall count and compare. Pointers are to element 0 of each side.
struct proof_request {
  side_extent loads, stores;
  coverage_bits loaded, stored;
  const void* out = nullptr;  ///< what a launch left behind, to compare; null: nothing is compared
  /// Where stores are many-to-one: bits of the indices that hold one of the values meant for them.
  std::uint32_t* matched = nullptr;
  std::uint64_t load_address = 0, store_address = 0;  ///< of element 0 of each side
  int width = 4;                                      ///< bytes of an element
  std::uint64_t seed = 0;                             ///< of the input's fill
  unsigned long long probe = proof_tally::kNone;  ///< the index whose bits the tally shall record
  proof_tally* tally = nullptr;
};

/// What a proof keeps of a value: the index it was loaded from; of one that was computed also the
/// index of the element that was added and the multiply-adds done on the sum.
struct computed_origin {
  index_t from = 0;
  index_t added = -1;
  unsigned worked = 0;
};

/// A slot of a proof's block: where its value came from, and the phases that staged and read it
/// last. A slot is misused if it is read in no later phase than it was staged in, if it is staged
/// in the phase that staged or read it before, or if there is no such slot. Eight bytes, so that
/// the slots of a block fit where the values do; indices have 48 bits.
struct proof_slot {
  std::uint32_t low = 0;
  std::uint16_t high = 0;
  std::int8_t staged = -1, read = -1;

  SECTORBENCH_HD constexpr void stage(index_t from, int phase) {
    low = static_cast<std::uint32_t>(from);
    high = static_cast<std::uint16_t>(from >> 32);
    staged = static_cast<std::int8_t>(phase);
  }
  SECTORBENCH_HD constexpr index_t from() const { return index_t{high} << 32 | low; }
};

/// The memory of a proof: a value is the index that the element came from.
template <class Op, bool Computes = false>
class proof_memory {
 public:
  using value = std::conditional_t<Computes, computed_origin, index_t>;

  /// @param slots the block's, `slot_count` of them, as new before the first phase
  SECTORBENCH_HD constexpr proof_memory(const proof_request& request, index_t thread,
                                        proof_slot* slots = nullptr, index_t slot_count = 0)
      : request_(request), thread_(thread), slots_(slots), slot_count_(slot_count) {}

  SECTORBENCH_HD constexpr void begin_phase(int phase) { phase_ = phase; }

  SECTORBENCH_HD constexpr value load(bool on, index_t i) const {
    if (on) touch(i, request_.loads, request_.loaded, request_.tally->loads_out_of_range);
    return {i};
  }
  SECTORBENCH_HD constexpr value made(bool, index_t i) const { return {i}; }
  template <class Meant>
  SECTORBENCH_HD constexpr index_t index(bool on, index_t, const Meant& meant) const {
    return on ? meant() : 0;
  }
  SECTORBENCH_HD constexpr void store(bool on, index_t i, value from) const {
    if (!on) return;
    if (!touch(i, request_.stores, request_.stored, request_.tally->stores_out_of_range)) return;
    if (request_.out != nullptr) compare(i, expected_from(from));
  }
  template <int V>
  SECTORBENCH_HD constexpr pack<value, V> load(bool on, index_t i, together_t<V>) const {
    if (on) check_alignment<V>(request_.load_address, i);
    pack<value, V> values{};
    for (int k = 0; k < V; ++k) values.at[k] = load(on, i + k);
    return values;
  }
  template <int V>
  SECTORBENCH_HD constexpr void store(bool on, index_t i, const pack<value, V>& from) const {
    if (on) check_alignment<V>(request_.store_address, i);
    for (int k = 0; k < V; ++k) store(on, i + k, from.at[k]);
  }
  SECTORBENCH_HD constexpr void stage(bool on, index_t slot, index_t from) const {
    if (!on) return;
    const bool there = slot >= 0 && slot < slot_count_;
    if (there && slots_[slot].staged < phase_ && slots_[slot].read < phase_) {
      slots_[slot].stage(from, phase_);
    } else {
      detail::count_one(request_.tally->slots_misused);
    }
  }
  SECTORBENCH_HD constexpr index_t staged(bool on, index_t slot) const {
    if (!on) return 0;
    const bool there = slot >= 0 && slot < slot_count_;
    if (!there || slots_[slot].staged < 0 || slots_[slot].staged >= phase_) {
      detail::count_one(request_.tally->slots_misused);
      return 0;
    }
    slots_[slot].read = static_cast<std::int8_t>(phase_);
    return slots_[slot].from();
  }
  SECTORBENCH_HD constexpr value sum(value a, value b) const { return {a.from, b.from, 0}; }
  SECTORBENCH_HD constexpr value worked(value v, unsigned times) const {
    return {v.from, v.added, v.worked + times};
  }
  SECTORBENCH_HD constexpr void sink(bool on, value from) {
    if (!on || request_.out == nullptr) return;
    const bits128 sum = sum_;
    const bits128 element = expected_from(from);
    sum_ = with_element_of(request_.width, [&](auto type) {
      using T = decltype(type);
      return detail::widened(folded(detail::narrowed<T>(sum), detail::narrowed<T>(element)));
    });
  }
  /// The thread's body has run.
  SECTORBENCH_HD constexpr void finish() const {
    if constexpr (Op::kStores == side::kNone) {
      if (request_.out != nullptr) compare(thread_, sum_);
    }
  }

 private:
  /// Marks an index; false if it lies outside the side's extent.
  SECTORBENCH_HD static constexpr bool touch(index_t i, const side_extent& extent,
                                             const coverage_bits& bits,
                                             unsigned long long& out_of_range) {
    if (i < 0 || i >= extent.elements) {
      detail::count_one(out_of_range);
      return false;
    }
    if (bits.once != nullptr && detail::set_bit(bits.once, i) && bits.again != nullptr)
      detail::set_bit(bits.again, i);
    return true;
  }

  template <int V>
  SECTORBENCH_HD constexpr void check_alignment(std::uint64_t base, index_t i) const {
    const auto bytes = static_cast<unsigned>(V * request_.width);
    const std::uint64_t address = base + static_cast<std::uint64_t>(i * request_.width);
    if (address % bytes == 0) return;
    detail::count_one(request_.tally->misaligned);
    detail::lower_to(request_.tally->first_misaligned, address);
    request_.tally->misaligned_bytes = bytes;
  }

  /// The element of the input, or the one made, at index `i`.
  template <class T>
  SECTORBENCH_HD constexpr T element(index_t i) const {
    if constexpr (Op::kLoads == side::kNone)
      return sectorbench::made<T>(i, request_.seed);
    else
      return filled<T>(static_cast<std::uint64_t>(request_.loads.first + i) * sizeof(T),
                       request_.seed);
  }

  SECTORBENCH_HD constexpr bits128 expected_from(value from) const {
    return with_element_of(request_.width, [&](auto type) {
      using T = decltype(type);
      if constexpr (!Computes) {
        return detail::widened(element<T>(from));
      } else if constexpr (sizeof(T) == 1 || sizeof(T) == 16) {
        return bits128{};  // no pattern computes with these
      } else {
        T result = element<T>(from.from);
        if (from.added >= 0) result = sum_of(result, element<T>(from.added));
        return detail::widened(worked_on(result, from.worked));
      }
    });
  }

  SECTORBENCH_HD constexpr void compare(index_t i, const bits128& expected) const {
    const proof_request& r = request_;
    const bits128 got = with_element_of(r.width, [&](auto type) {
      return detail::widened(static_cast<const decltype(type)*>(r.out)[i]);
    });
    const auto index = static_cast<unsigned long long>(i);
    if (r.matched != nullptr) {
      if (got == expected) detail::set_bit(r.matched, i);
    } else if (!(got == expected)) {
      detail::count_one(r.tally->wrong);
      detail::lower_to(r.tally->first_wrong, index);
    }
    if (index == r.probe) {
      r.tally->expected = expected;
      r.tally->got = got;
    }
  }

  const proof_request& request_;
  index_t thread_;
  proof_slot* slots_;
  index_t slot_count_;
  int phase_ = 0;
  bits128 sum_{};
};

/// The proof memory of pattern P under operation Op.
template <class Op, class P>
using proof_memory_of = proof_memory<Op, computing_pattern<P>>;

/// Runs the body of every thread of a block against the proof memory, phase by phase. @param first
/// the block's first thread
template <class Op, access_pattern P>
constexpr void prove_block(const P& pattern, const proof_request& request, const lane& first) {
  std::array<proof_slot, slots_of<P>()> slots{};
  for_each_phase<P>([&](auto phase) {
    lane thread = first;
    for (thread.thread_y = 0; thread.thread_y < thread.block_size_y; ++thread.thread_y)
      for (thread.thread_x = 0; thread.thread_x < thread.block_size_x; ++thread.thread_x) {
        proof_memory_of<Op, P> memory(request, thread_rank(thread), slots.data(), slots_of<P>());
        memory.begin_phase(phase);
        run_phase<decltype(phase)::value>(pattern, thread, access<Op, decltype(memory)>{memory});
        memory.finish();
      }
  });
}

/// What is wrong with one side's coverage.
enum class coverage_fault { kNone, kOutOfRange, kRepeated, kMissed, kTooMany };

/// The verdict on one side: the fault, how many indices have it and which is the first.
struct side_verdict {
  coverage_fault fault = coverage_fault::kNone;
  std::uint64_t count = 0;
  index_t first = 0;

  constexpr bool ok() const { return fault == coverage_fault::kNone; }
};

/// Accesses of several elements that do not lie at a multiple of their size.
struct misalignment {
  std::uint64_t count = 0;
  std::uint64_t address = 0;  ///< the lowest
  unsigned bytes = 0;         ///< of one access
};

/// The verdict on a pattern: what its sides touch, and how it uses its slots.
struct coverage_verdict {
  side_verdict loads, stores;
  std::uint64_t slots_misused = 0;
  misalignment misaligned{};  ///< no fault of the pattern's, but nothing that can be launched

  constexpr bool ok() const { return loads.ok() && stores.ok() && slots_misused == 0; }
};

/// The part of the verdict that the tally alone tells.
constexpr coverage_verdict verdict_of(const proof_tally& tally) {
  coverage_verdict verdict;
  verdict.slots_misused = tally.slots_misused;
  if (tally.misaligned > 0)
    verdict.misaligned = {tally.misaligned, tally.first_misaligned, tally.misaligned_bytes};
  return verdict;
}

/// What the bits of one side add up to.
struct coverage_counts {
  unsigned long long repeated = 0, missed = 0;
  unsigned long long first_repeated = proof_tally::kNone, first_missed = proof_tally::kNone;
};

namespace detail {

/// Counts the set bits of `word`, whose lowest bit stands for index `base`.
SECTORBENCH_HD constexpr void count_bits(std::uint32_t word, index_t base,
                                         unsigned long long& count, unsigned long long& first) {
  for (int bit = 0; word != 0; ++bit, word >>= 1) {
    if ((word & 1) == 0) continue;
    count_one(count);
    lower_to(first, static_cast<unsigned long long>(base + bit));
  }
}

}  // namespace detail

/// Adds what the 32 indices from 32 x `word` on say of a side. @pre word < words(elements)
SECTORBENCH_HD constexpr void count_coverage(const side_extent& extent, const coverage_bits& bits,
                                             index_t word, coverage_counts& counts) {
  const index_t valid = extent.elements - word * 32;
  const std::uint32_t mask = valid >= 32 ? ~0U : (1U << valid) - 1;
  detail::count_bits(bits.again[word] & mask, word * 32, counts.repeated, counts.first_repeated);
  detail::count_bits(~bits.once[word] & mask, word * 32, counts.missed, counts.first_missed);
}

/// Adds to the tally which of the 32 indices from 32 x `word` on were stored to and hold none of
/// the values meant for them. @pre request.matched is not null, word < words(elements)
SECTORBENCH_HD constexpr void count_unmatched(const proof_request& request, index_t word) {
  detail::count_bits(request.stored.once[word] & ~request.matched[word], word * 32,
                     request.tally->wrong, request.tally->first_wrong);
}

/// Judges what was counted for one side against what it declares.
/// @param out_of_range how many indices lay outside the extent
constexpr side_verdict judge(const side_extent& extent, const coverage_counts& counts,
                             std::uint64_t out_of_range) {
  if (out_of_range > 0) return {coverage_fault::kOutOfRange, out_of_range, 0};
  if (extent.covers != coverage::kManyToOne && counts.repeated > 0)
    return {coverage_fault::kRepeated, counts.repeated,
            static_cast<index_t>(counts.first_repeated)};
  if (!extent.says_distinct()) return {};
  const auto untouched = static_cast<std::uint64_t>(extent.elements - extent.touched_once());
  if (counts.missed > untouched)
    return {coverage_fault::kMissed, counts.missed - untouched,
            static_cast<index_t>(counts.first_missed)};
  if (counts.missed < untouched) return {coverage_fault::kTooMany, untouched - counts.missed, 0};
  return {};
}

/// One line for people: "stores: 3 elements repeated, the first is 17"; empty if all is well.
inline std::string describe(const coverage_verdict& verdict) {
  std::string text;
  const auto add = [&](const char* name, const side_verdict& side) {
    if (side.ok()) return;
    if (!text.empty()) text += "; ";
    text += std::string(name) + ": " + std::to_string(side.count);
    if (side.fault == coverage_fault::kOutOfRange) {
      text += " accesses outside the buffer";
    } else if (side.fault == coverage_fault::kTooMany) {
      text += " elements more than declared";
    } else {
      text += side.fault == coverage_fault::kRepeated ? " elements repeated" : " elements missed";
      text += ", the first is " + std::to_string(side.first);
    }
  };
  add("loads", verdict.loads);
  add("stores", verdict.stores);
  if (verdict.slots_misused > 0)
    text += (text.empty() ? "" : "; ") + std::to_string(verdict.slots_misused) +
            " uses of staged slots that no barrier orders or that are not there";
  return text;
}

/// Calls `body(first)` with the first thread of every block of a launch, x fastest.
template <class Body>
constexpr void for_each_block(const launch_shape& shape, const Body& body) {
  const auto u = [](index_t v) { return static_cast<unsigned>(v); };
  for (index_t z = 0; z < shape.grid_z; ++z)
    for (index_t y = 0; y < shape.grid_y; ++y)
      for (index_t x = 0; x < shape.grid_x; ++x)
        body(lane{0, 0, u(x), u(y), u(z), shape.block.x, shape.block.y, u(shape.grid_x),
                  u(shape.grid_y)});
}

/// Calls `body(lane)` for every thread of a launch, in the order of `thread_rank`.
template <class Body>
constexpr void for_each_lane(const launch_shape& shape, const Body& body) {
  for_each_block(shape, [&](lane thread) {
    for (thread.thread_y = 0; thread.thread_y < shape.block.y; ++thread.thread_y)
      for (thread.thread_x = 0; thread.thread_x < shape.block.x; ++thread.thread_x) body(thread);
  });
}

/// Proves by running every thread of the launch, one after another, that the pattern covers what it
/// declares under operation `Op`. Time and memory grow with n; usable at compile time for small n.
template <class Op, access_pattern P>
constexpr coverage_verdict prove(const P& pattern, block_size block) {
  const side_extent loads = pattern.loads(), stores = pattern.stores();
  const auto words = [](const side_extent& extent) {
    std::vector<std::uint32_t> zeros;  // grown one by one: clang 14 has no other constexpr way
    for (index_t k = 0; k < coverage_bits::words(extent.elements); ++k) zeros.push_back(0);
    return zeros;
  };
  auto loaded = words(loads), loaded_again = words(loads);
  auto stored = words(stores), stored_again = words(stores);
  proof_tally tally;
  proof_request request;
  request.loads = loads;
  request.stores = stores;
  request.loaded = {loaded.data(), loaded_again.data()};
  request.stored = {stored.data(), stored_again.data()};
  request.tally = &tally;
  for_each_block(pattern.shape(block),
                 [&](const lane& first) { prove_block<Op>(pattern, request, first); });
  const auto verdict = [](const side_extent& extent, const coverage_bits& bits,
                          std::uint64_t out_of_range) {
    coverage_counts counts;
    for (index_t word = 0; word < coverage_bits::words(extent.elements); ++word)
      count_coverage(extent, bits, word, counts);
    return judge(extent, counts, out_of_range);
  };
  coverage_verdict result = verdict_of(tally);
  if (Op::kLoads != side::kNone)
    result.loads = verdict(loads, request.loaded, tally.loads_out_of_range);
  if (Op::kStores != side::kNone)
    result.stores = verdict(stores, request.stored, tally.stores_out_of_range);
  return result;
}

}  // namespace sectorbench
