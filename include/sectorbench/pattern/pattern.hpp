// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "sectorbench/pattern/element.hpp"
#include "sectorbench/pattern/launch.hpp"
#include "sectorbench/pattern/operation.hpp"
#include "sectorbench/pattern/portability.hpp"

/// @file
/// What a pattern is: one body that says what each thread of a launch loads and stores.
///
/// The body never moves a byte itself. It speaks to an `access`, which hands the pattern's place or
/// the dense rank to a *memory*, and the memory decides what a load or store is: a kernel's data, a
/// CPU's data, a proof that counts, a trace that the sector model reads. So one body serves them
/// all, and they cannot disagree:
///
///     struct reverse {  // n elements, back to front
///       static constexpr std::string_view kName = "reverse";
///       ...
///       template <class Access>
///       SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
///         const index_t rank = index_t{t.block_x} * t.block_size_x + t.thread_x;
///         a.move(rank < n, n - 1 - rank, rank);
///       }
///     };
///
/// A memory has a type `value` and these verbs; `on` is the lane's predicate, given instead of a
/// branch so that the k-th call of a warp's lanes is one request even where lanes are off:
///
///     value load(bool on, index_t i);            // element i of the load side
///     void store(bool on, index_t i, value v);   // element i of the store side
///     value made(bool on, index_t i);            // what `write` stores at i without a load
///     void sink(bool on, value v);               // what `read` does with a loaded value
///     index_t index(bool on, index_t slot, const Meant& meant);   // entry of the index list
///     pack<value, V> load(bool on, index_t i, together_t<V>);     // V elements by one access
///     void store(bool on, index_t i, pack<value, V> v);
///     void stage(bool on, index_t slot, value v);   // the block's own memory, between phases
///     value staged(bool on, index_t slot);
///     value sum(value a, value b);                  // as numbers of the element type
///     value worked(value v, unsigned times);        // dependent multiply-adds
///
/// A pattern that goes through an index list says in its body what each entry means, as a callable;
/// timed memories load the entry, the others call `meant`, and the list is made by calling it. Its
/// loads are requests of their own and no useful bytes.
///
/// A body in phases is `run<0>`, `run<1>`, ...; all threads of a block end one phase before any
/// begins the next. Nothing but staged values lives from one phase to the next.
///
/// Not modelled here: element types, time, caches, CUDA.

namespace sectorbench {

/// How often a side touches the elements of its extent.
enum class coverage {
  kBijection,  ///< each element exactly once
  kInjection,  ///< each element at most once, and as many as the side says
  kManyToOne,  ///< any number of times; which of several stores to one stays is a race
};

/// What one side of a pattern declares.
struct side_extent {
  index_t elements = 0;  ///< indices lie in [0, elements)
  index_t first = 0;     ///< elements between the buffer's aligned start and index 0
  coverage covers = coverage::kBijection;
  index_t touched = -1;   ///< how many accesses there are; negative: as many as elements
  index_t distinct = -1;  ///< of kManyToOne: how many elements they touch; negative: not said

  /// Elements that a launch moves on this side, repeated ones counted repeatedly.
  constexpr index_t moved() const { return touched < 0 ? elements : touched; }

  /// Whether the number of elements that a launch touches is declared, and that number; of others
  /// the most there can be.
  constexpr bool says_distinct() const { return covers != coverage::kManyToOne || distinct >= 0; }
  constexpr index_t touched_once() const {
    if (covers != coverage::kManyToOne) return moved();
    return distinct < 0 ? elements : distinct;
  }
};

/// One named whole-number parameter of a pattern, and the value a suite takes when none is given.
struct parameter_spec {
  std::string_view name;
  index_t lowest = 1;
  index_t highest = 1;
  index_t typical = 1;
};

/// The largest value of a parameter without a bound of its own: products of two stay in 64 bits.
inline constexpr index_t kMaxParameter = (index_t{1} << 31) - 1;

/// Says that V neighbouring elements move as one access, which must lie at a multiple of its size.
template <int V>
struct together_t {};
template <int V>
inline constexpr together_t<V> together{};

/// What such an access moves; aligned to its size, where it has the size of an access.
template <class Value, int V>
struct alignas(V * sizeof(Value) <= 16 ? V * sizeof(Value) : alignof(Value)) pack {
  Value at[V];
};

/// The verbs a body uses: `take`, `put`, and `move`, which is one of each; index lists, staged
/// values and arithmetic.
///
/// `at` is the place that the pattern gives the element, `rank` its position in dense order. Which
/// of them the memory sees is the operation's choice.
template <class Op, class Memory>
class access {
 public:
  SECTORBENCH_HD constexpr explicit access(Memory& memory) : memory_(memory) {}

  /// Loads the element, or makes one if the operation loads none.
  SECTORBENCH_HD constexpr auto take(bool on, index_t at, index_t rank) const {
    if constexpr (Op::kLoads == side::kNone) {
      return memory_.made(on, at);
    } else {
      return memory_.load(on, Op::kLoads == side::kPattern ? at : rank);
    }
  }

  /// Stores the element, or sinks it if the operation stores none.
  template <class Value>
  SECTORBENCH_HD constexpr void put(bool on, index_t at, index_t rank, Value value) const {
    if constexpr (Op::kStores == side::kNone) {
      memory_.sink(on, value);
    } else {
      memory_.store(on, Op::kStores == side::kPattern ? at : rank, value);
    }
  }

  /// The same of V elements at once. @pre the operation loads and stores
  template <int V>
  SECTORBENCH_HD constexpr auto take(bool on, index_t at, index_t rank, together_t<V> v) const {
    static_assert(Op::kLoads != side::kNone);
    return memory_.load(on, Op::kLoads == side::kPattern ? at : rank, v);
  }
  template <class Value, int V>
  SECTORBENCH_HD constexpr void put(bool on, index_t at, index_t rank,
                                    const pack<Value, V>& values) const {
    static_assert(Op::kStores != side::kNone);
    memory_.store(on, Op::kStores == side::kPattern ? at : rank, values);
  }

  /// Keeps a value in the block's slot, and reads what an earlier phase kept there.
  template <class Value>
  SECTORBENCH_HD constexpr void stage(bool on, index_t slot, Value value) const {
    memory_.stage(on, slot, value);
  }
  SECTORBENCH_HD constexpr auto staged(bool on, index_t slot) const {
    return memory_.staged(on, slot);
  }

  /// The sum of two elements, and an element after so many dependent multiply-adds. Sums come
  /// first: neither of two summed elements was worked on. @pre the pattern says its `flops()`
  template <class Value>
  SECTORBENCH_HD constexpr Value sum(Value a, Value b) const {
    return memory_.sum(a, b);
  }
  template <class Value>
  SECTORBENCH_HD constexpr Value worked(Value value, unsigned times) const {
    return memory_.worked(value, times);
  }

  /// Loads entry `slot` of the pattern's index list; `meant()` is what stands there.
  template <class Meant>
  SECTORBENCH_HD constexpr index_t index(bool on, index_t slot, const Meant& meant) const {
    return memory_.index(on, slot, meant);
  }

  /// Takes the element and puts it.
  SECTORBENCH_HD constexpr void move(bool on, index_t at, index_t rank) const {
    put(on, at, rank, take(on, at, rank));
  }

 private:
  Memory& memory_;
};

/// A memory that ignores everything: what others that move no element start from.
struct null_memory {
  using value = int;
  SECTORBENCH_HD constexpr value load(bool, index_t) const { return 0; }
  SECTORBENCH_HD constexpr void store(bool, index_t, value) const {}
  template <int V>
  SECTORBENCH_HD constexpr pack<value, V> load(bool, index_t, together_t<V>) const {
    return {};
  }
  template <int V>
  SECTORBENCH_HD constexpr void store(bool, index_t, const pack<value, V>&) const {}
  SECTORBENCH_HD constexpr value made(bool, index_t) const { return 0; }
  SECTORBENCH_HD constexpr void sink(bool, value) const {}
  SECTORBENCH_HD constexpr void stage(bool, index_t, value) const {}
  SECTORBENCH_HD constexpr value staged(bool, index_t) const { return 0; }
  SECTORBENCH_HD constexpr value sum(value, value) const { return 0; }
  SECTORBENCH_HD constexpr value worked(value, unsigned) const { return 0; }
  template <class Meant>
  SECTORBENCH_HD constexpr index_t index(bool, index_t, const Meant&) const {
    return 0;
  }
};

/// Whether a pattern's kernels exist for every cache operator.
template <class P>
constexpr bool has_cache_ops() {
  if constexpr (requires { P::kCacheOps; })
    return P::kCacheOps;
  else
    return false;
}

/// Elements that one access of a pattern moves.
template <class P>
constexpr int together_in() {
  if constexpr (requires { P::kTogether; })
    return P::kTogether;
  else
    return 1;
}

/// How many phases the pattern's body has; 1 unless it says otherwise.
template <class P>
constexpr int phases_of() {
  if constexpr (requires { P::kPhases; })
    return P::kPhases;
  else
    return 1;
}

/// How many slots a block of the pattern stages values in; 0 unless it says otherwise.
template <class P>
constexpr int slots_of() {
  if constexpr (requires { P::kSlots; })
    return P::kSlots;
  else
    return 0;
}

/// One phase of a body.
template <int Phase, class P, class Access>
SECTORBENCH_HD constexpr void run_phase(const P& pattern, const lane& thread, const Access& a) {
  if constexpr (phases_of<P>() == 1)
    pattern.run(thread, a);
  else
    pattern.template run<Phase>(thread, a);
}

/// Calls `body(phase)` for each phase in turn; a phase is a std::integral_constant of its number.
template <class P, int Phase = 0, class Body>
SECTORBENCH_HD constexpr void for_each_phase(const Body& body) {
  body(std::integral_constant<int, Phase>{});
  if constexpr (Phase + 1 < phases_of<P>()) for_each_phase<P, Phase + 1>(body);
}

/// All phases of a thread's body, for memories that need no other thread's values.
template <class P, class Access>
SECTORBENCH_HD constexpr void run_all(const P& pattern, const lane& thread, const Access& a) {
  for_each_phase<P>([&](auto phase) { run_phase<decltype(phase)::value>(pattern, thread, a); });
}

/// Why the pattern cannot be launched with its n and values; empty if it can.
template <class P>
constexpr std::string_view refusal_of(const P& pattern) {
  if constexpr (constexpr int kTogether = together_in<P>(); kTogether > 1)
    if (pattern.loads().first % kTogether != 0 || pattern.stores().first % kTogether != 0)
      return "first must be a multiple of v, so that each access is aligned";
  if constexpr (requires { pattern.refusal(); })
    return pattern.refusal();
  else
    return {};
}

/// Whether a pattern computes: it says how many floating-point operations a launch takes.
template <class P>
concept computing_pattern = requires(const P pattern) {
  { pattern.flops() } -> std::same_as<index_t>;
};

/// What a type must offer to be a pattern.
///
/// - `kName`, `kSummary` (one line), `kMapping` (one line: which element each thread moves);
/// - `kParameters` (a range of parameter_spec, may be empty);
/// - `make(n, values)`, only if it is registered: the pattern over n elements with one value per
///   parameter. @pre n >= 1 and every value within its spec;
/// - `kThreadsAffine`: whether, in a run of threads of a block whose first and last are active at
///   every call, all are active and lie at equal distances. The model then looks at those two only;
/// - `shape(block)`: the launch that covers all n elements with such blocks;
/// - `loads()`, `stores()`: what each side declares;
/// - `indices()`, only with an index list: how many entries it has; `index_loads()`, only if a
///   launch does not load each once: how many it loads; `index_threads()`, only if the first so
///   many threads meet all entries;
/// - `repeats_after(block, width)`, only if its requests repeat: the number of blocks after which
///   they are the same again, whole lines further on;
/// - `kOperations`, `kTypes`, only where not all make sense: arrays of those that do;
/// - `refusal()`, only if some n and values make no launch: why these do not, or nothing;
/// - `flops()`, only if it computes: floating-point operations of a launch;
/// - `kTogether`, only if its accesses move several elements: how many;
/// - `kCacheOps`, only if true: its kernels of f32 and f32x4 exist for every cache operator;
/// - `kPhases`, `kSlots`, only if it stages: how many phases, and how many slots a block has;
/// - `run(lane, access)`, or `run<Phase>(lane, access)`: the body.
template <class P>
concept access_pattern = requires(const P pattern, block_size block, const lane thread,
                                  const access<copy, null_memory> copying) {
  { P::kName } -> std::convertible_to<std::string_view>;
  { P::kSummary } -> std::convertible_to<std::string_view>;
  { P::kMapping } -> std::convertible_to<std::string_view>;
  { P::kThreadsAffine } -> std::convertible_to<bool>;
  std::span<const parameter_spec>(P::kParameters);
  { pattern.shape(block) } -> std::same_as<launch_shape>;
  { pattern.loads() } -> std::same_as<side_extent>;
  { pattern.stores() } -> std::same_as<side_extent>;
  run_all(pattern, thread, copying);
  requires phases_of<P>()
  == 1 || slots_of<P>() > 0;
};

/// The operations that the pattern takes; all unless it says otherwise.
template <class P>
constexpr auto operations_of() {
  if constexpr (requires { P::kOperations; })
    return P::kOperations;
  else
    return std::array{operation_kind::kCopy, operation_kind::kGather, operation_kind::kScatter,
                      operation_kind::kRead, operation_kind::kWrite};
}

/// The element types that the pattern takes; all unless it says otherwise.
template <class P>
constexpr auto types_of() {
  if constexpr (requires { P::kTypes; })
    return P::kTypes;
  else
    return std::array{element_type::kU8, element_type::kF16, element_type::kF32, element_type::kF64,
                      element_type::kF32x4};
}

/// One entry of an index list in memory.
using index_entry = std::uint32_t;

/// How many elements an index list can tell apart.
inline constexpr index_t kMaxIndexed = index_t{1} << 32;

/// Entries of the pattern's index list; 0 if it has none.
template <class P>
constexpr index_t index_entries(const P& pattern) {
  if constexpr (requires { pattern.indices(); })
    return pattern.indices();
  else
    return 0;
}

/// Entries that a launch loads, repeated ones counted repeatedly.
template <class P>
constexpr index_t index_loads_of(const P& pattern) {
  if constexpr (requires { pattern.index_loads(); })
    return pattern.index_loads();
  else
    return index_entries(pattern);
}

/// The launch that makes the index list.
template <class P>
constexpr launch_shape indexing_shape(const P& pattern, block_size block) {
  if constexpr (requires { pattern.index_threads(); })
    return row_of_threads(pattern.index_threads(), block);
  else
    return pattern.shape(block);
}

/// The memory that makes an index list: it writes what each entry means, and moves no element.
struct index_list_memory : null_memory {
  index_entry* list;

  SECTORBENCH_HD explicit index_list_memory(index_entry* entries) : list(entries) {}
  template <class Meant>
  SECTORBENCH_HD index_t index(bool on, index_t slot, const Meant& meant) const {
    const index_t entry = on ? meant() : 0;
    if (on) write(list[slot], static_cast<index_entry>(entry));
    return entry;
  }

 private:
  /// Several threads may write one entry, all of them the same.
  SECTORBENCH_HD static void write(index_entry& to, index_entry value) {
#if defined(__CUDA_ARCH__)
    to = value;
#else
    __atomic_store_n(&to, value, __ATOMIC_RELAXED);
#endif
  }
};

/// The list of parameters of a pattern that has none.
inline constexpr std::span<const parameter_spec> kNoParameters{};

}  // namespace sectorbench
