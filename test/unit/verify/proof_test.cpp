// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/verify/proof.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "sectorbench/patterns/contiguous.hpp"

namespace sectorbench {
namespace {

// Patterns that are nearly right: each makes one mistake that benchmarks have been published with.

/// Where `Derived::at(thread)` says; one thread per element unless `threads` says otherwise.
template <class Derived>
struct mistaken {
  static constexpr std::string_view kName = "mistaken";
  static constexpr std::string_view kSummary = "wrong on purpose";
  static constexpr std::string_view kMapping = "as a test needs it";
  static constexpr auto kParameters = kNoParameters;
  static constexpr bool kThreadsAffine = false;

  index_t n = 0;
  coverage covers = coverage::kBijection;
  index_t touched = -1;

  static constexpr Derived make(index_t n, std::span<const index_t>) {
    Derived pattern;
    pattern.n = n;
    return pattern;
  }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr side_extent loads() const { return {n, 0, covers, touched}; }
  constexpr side_extent stores() const { return {n, 0, covers, touched}; }

  template <class Access>
  constexpr void run(const lane& t, const Access& a) const {
    const index_t thread = t.column();
    const index_t at = static_cast<const Derived&>(*this).at(thread);
    a.move(static_cast<const Derived&>(*this).on(thread, at), at, thread);
  }
  constexpr bool on(index_t thread, index_t) const { return thread < n; }
};

/// (i * 8) % n: touches n / gcd(8, n) elements, each gcd(8, n) times.
struct modulo_stride : mistaken<modulo_stride> {
  constexpr index_t at(index_t thread) const { return thread * 8 % n; }
};

/// if (i * 8 < n) ...: moves an eighth of the bytes.
struct guarded_stride : mistaken<guarded_stride> {
  constexpr index_t at(index_t thread) const { return thread * 8; }
  constexpr bool on(index_t, index_t place) const { return place < n; }
};

/// No guard at all: the last block runs past the end.
struct unguarded : mistaken<unguarded> {
  constexpr index_t at(index_t thread) const { return thread; }
  constexpr bool on(index_t, index_t) const { return true; }
};

/// The guard lets one element too many pass.
struct guarded_too_late : mistaken<guarded_too_late> {
  constexpr index_t at(index_t thread) const { return thread; }
  constexpr bool on(index_t, index_t place) const { return place <= n; }
};

/// Starts in front of the buffer.
struct neighbour : mistaken<neighbour> {
  constexpr index_t at(index_t thread) const { return thread - 1; }
};

/// n / block blocks: the tail is never launched.
struct rounded_down : mistaken<rounded_down> {
  constexpr launch_shape shape(block_size block) const {
    return {n / block.threads(), 1, 1, block};
  }
  constexpr index_t at(index_t thread) const { return thread; }
};

/// Two threads take the same element, one element nobody.
struct one_repeated : mistaken<one_repeated> {
  constexpr index_t at(index_t thread) const { return thread == 700 ? 701 : thread; }
};

/// One thread too many, which writes element 0 again.
struct one_twice : mistaken<one_twice> {
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n + 1, block); }
  constexpr index_t at(index_t thread) const { return thread == n ? 0 : thread; }
  constexpr bool on(index_t thread, index_t) const { return thread <= n; }
};

/// i * 8 in 32 bits, as if n were 2^29 + ...: wraps to negative places.
struct narrow_product : mistaken<narrow_product> {
  constexpr index_t at(index_t thread) const {
    const auto wide = static_cast<std::uint32_t>(thread + (index_t{1} << 28)) * 8U;
    return static_cast<std::int32_t>(wide);
  }
};

template <class P, class Op = copy>
std::string verdict_on(index_t n, block_size block = {}) {
  return describe(prove<Op>(P::make(n, {}), block));
}

std::string both(const std::string& what) { return "loads: " + what + "; stores: " + what; }

TEST(Proof, ModuloStrideRepeatsElements) {
  EXPECT_EQ(verdict_on<modulo_stride>(1000), both("125 elements repeated, the first is 0"));
  EXPECT_EQ((verdict_on<modulo_stride, read>(1000)),
            "loads: 125 elements repeated, the first is 0");
  EXPECT_EQ((verdict_on<modulo_stride, write>(1000)),
            "stores: 125 elements repeated, the first is 0");
}

TEST(Proof, ModuloStrideIsRightWhereNoFactorIsShared) {
  EXPECT_EQ(verdict_on<modulo_stride>(1001), "");
}

TEST(Proof, GuardedStrideMissesElements) {
  EXPECT_EQ(verdict_on<guarded_stride>(1000), both("875 elements missed, the first is 1"));
}

TEST(Proof, MissingGuardLeavesTheBuffer) {
  EXPECT_EQ(verdict_on<unguarded>(1000), both("24 accesses outside the buffer"));
  EXPECT_EQ(verdict_on<unguarded>(1024), "");
}

TEST(Proof, LateGuardLeavesTheBufferByOne) {
  EXPECT_EQ(verdict_on<guarded_too_late>(1000), both("1 accesses outside the buffer"));
}

TEST(Proof, PlaceInFrontOfTheBufferIsOutside) {
  EXPECT_EQ(verdict_on<neighbour>(1000), both("1 accesses outside the buffer"));
}

TEST(Proof, GridThatIsRoundedDownMissesTheTail) {
  EXPECT_EQ(verdict_on<rounded_down>(1000), both("232 elements missed, the first is 768"));
  EXPECT_EQ(verdict_on<rounded_down>(1024), "");
}

TEST(Proof, OneRepeatedElementIsFound) {
  EXPECT_EQ(verdict_on<one_repeated>(1000), both("1 elements repeated, the first is 701"));
  EXPECT_EQ(verdict_on<one_twice>(1000), both("1 elements repeated, the first is 0"));
  EXPECT_EQ(verdict_on<one_twice>(1), both("1 elements repeated, the first is 0"));
}

TEST(Proof, ProductIn32BitsLeavesTheBuffer) {
  EXPECT_EQ(verdict_on<narrow_product>(1000), both("1000 accesses outside the buffer"));
}

// The dense side of these is right: only the pattern's side is refused.
TEST(Proof, OnlyTheSideAtFaultIsNamed) {
  EXPECT_EQ((verdict_on<modulo_stride, gather>(1000)),
            "loads: 125 elements repeated, the first is 0");
  EXPECT_EQ((verdict_on<modulo_stride, scatter>(1000)),
            "stores: 125 elements repeated, the first is 0");
}

TEST(Proof, CompilerRefusesTheSamePatterns) {
  static_assert(!prove<copy>(modulo_stride::make(24, {}), {32}).ok());
  static_assert(!prove<copy>(guarded_stride::make(24, {}), {32}).ok());
  static_assert(!prove<copy>(unguarded::make(31, {}), {32}).ok());
  static_assert(!prove<copy>(rounded_down::make(33, {}), {32}).ok());
  static_assert(prove<copy>(rounded_down::make(64, {}), {32}).ok());
}

template <class P>
std::string verdict_where(coverage covers, index_t touched = -1) {
  P pattern = P::make(1000, {});
  pattern.covers = covers;
  pattern.touched = touched;
  return describe(prove<copy>(pattern, {}));
}

TEST(Proof, InjectionTouchesAsManyAsItSaysAndRepeatsNone) {
  EXPECT_EQ(verdict_where<guarded_stride>(coverage::kInjection, 125), "");
  EXPECT_EQ(verdict_where<guarded_stride>(coverage::kInjection, 126),
            "loads: 1 elements missed, the first is 1; stores: 1 elements missed, the first is 1");
  EXPECT_EQ(verdict_where<guarded_stride>(coverage::kInjection, 120),
            "loads: 5 elements more than declared; stores: 5 elements more than declared");
  EXPECT_NE(verdict_where<modulo_stride>(coverage::kInjection), "");
  EXPECT_NE(verdict_where<unguarded>(coverage::kInjection), "");
}

TEST(Proof, ManyToOneMayRepeatAndMissButStaysInside) {
  EXPECT_EQ(verdict_where<guarded_stride>(coverage::kManyToOne), "");
  EXPECT_EQ(verdict_where<modulo_stride>(coverage::kManyToOne), "");
  EXPECT_NE(verdict_where<unguarded>(coverage::kManyToOne), "");
}

// Elements 2k and 2k + 1 go to place 3k of a larger output.
struct folded_in_threes {
  static constexpr std::string_view kName = "folded_in_threes";
  static constexpr std::string_view kSummary = "two elements to a place";
  static constexpr std::string_view kMapping = "thread t: element t, place 3 (t / 2)";
  static constexpr auto kParameters = kNoParameters;
  static constexpr bool kThreadsAffine = false;

  index_t n, distinct;

  static constexpr folded_in_threes make(index_t n, std::span<const index_t>) { return {n, -1}; }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const {
    return {3 * (n / 2), 0, coverage::kManyToOne, n, distinct};
  }
  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t rank = t.column();
    a.put(rank < n, rank / 2 * 3, rank, a.take(rank < n, rank, rank));
  }
};

TEST(Proof, ManyToOneTouchesAsManyAsItSays) {
  const auto verdict = [](index_t distinct) {
    return describe(prove<copy>(folded_in_threes{100, distinct}, {}));
  };
  EXPECT_EQ(verdict(-1), "");
  EXPECT_EQ(verdict(50), "");
  EXPECT_EQ(verdict(51), "stores: 1 elements missed, the first is 1");
  EXPECT_EQ(verdict(49), "stores: 1 elements more than declared");
}

TEST(Proof, ManyToOneStoresHoldOneOfTheValuesMeant) {
  constexpr std::uint64_t kSeed = 3;
  const folded_in_threes pattern{100, 50};
  std::vector<std::uint32_t> out(150);
  for (std::size_t k = 0; k < 50; ++k)
    out[3 * k] = filled<std::uint32_t>((2 * k + k % 2) * 4, kSeed);
  const auto wrong = [&] {
    std::vector<std::uint32_t> touched(5), matched(5);
    proof_tally tally;
    proof_request request;
    request.loads = pattern.loads();
    request.stores = pattern.stores();
    request.stored = {touched.data(), nullptr};
    request.matched = matched.data();
    request.out = out.data();
    request.seed = kSeed;
    request.tally = &tally;
    for_each_block(pattern.shape({}),
                   [&](const lane& first) { prove_block<copy>(pattern, request, first); });
    for (index_t word = 0; word < 5; ++word) count_unmatched(request, word);
    return std::pair(tally.wrong, tally.first_wrong);
  };
  EXPECT_EQ(wrong(), std::pair(0ULL, +proof_tally::kNone));
  out[3] = filled<std::uint32_t>(4 * 4, kSeed);  // what belongs to the next place
  EXPECT_EQ(wrong(), std::pair(1ULL, 3ULL));
  out[147] ^= 1;
  EXPECT_EQ(wrong(), std::pair(2ULL, 3ULL));
}

side_verdict judged(index_t n, std::vector<std::uint32_t>& once,
                    std::vector<std::uint32_t>& again) {
  const side_extent extent{n};
  coverage_counts counts;
  for (index_t word = 0; word < coverage_bits::words(n); ++word)
    count_coverage(extent, {once.data(), again.data()}, word, counts);
  return judge(extent, counts, 0);
}

TEST(Proof, EveryWordsBoundaryIsJudged) {
  for (const index_t n : {1, 2, 31, 32, 33, 63, 64, 65, 1000}) {
    std::vector<std::uint32_t> once(static_cast<std::size_t>(coverage_bits::words(n)), ~0U);
    std::vector<std::uint32_t> again(once.size());
    // Bits beyond n are nobody's.
    again.back() = n % 32 == 0 ? 0 : ~0U << (n % 32);
    EXPECT_TRUE(judged(n, once, again).ok()) << n;
    once.back() &= ~(1U << ((n - 1) % 32));
    const side_verdict missed = judged(n, once, again);
    EXPECT_EQ(missed.fault, coverage_fault::kMissed) << n;
    EXPECT_EQ(missed.first, n - 1);
    EXPECT_EQ(missed.count, 1u);
    again[0] |= 1;
    const side_verdict repeated = judged(n, once, again);
    EXPECT_EQ(repeated.fault, coverage_fault::kRepeated) << n;
    EXPECT_EQ(repeated.first, 0);
  }
}

// ---- What a launch left behind

struct outcome {
  unsigned long long wrong, first_wrong;
  bits128 expected, got;
};

/// Compares `out` with a contiguous copy of an input filled with `seed`.
template <class T>
outcome compare_copy(const std::vector<T>& out, std::uint64_t seed, unsigned long long probe) {
  const contiguous pattern{static_cast<index_t>(out.size())};
  proof_tally tally;
  proof_request request;
  request.loads = pattern.loads();
  request.stores = pattern.stores();
  request.out = out.data();
  request.width = sizeof(T);
  request.seed = seed;
  request.probe = probe;
  request.tally = &tally;
  for_each_lane(pattern.shape({}), [&](const lane& thread) {
    proof_memory<copy> memory(request, thread_rank(thread));
    pattern.run(thread, access<copy, proof_memory<copy>>{memory});
    memory.finish();
  });
  return {tally.wrong, tally.first_wrong, tally.expected, tally.got};
}

template <class T>
void expect_every_flipped_bit_is_found() {
  constexpr std::uint64_t kSeed = 3;
  std::vector<T> out(40);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = filled<T>(i * sizeof(T), kSeed);
  EXPECT_EQ(compare_copy(out, kSeed, 0).wrong, 0u);
  EXPECT_EQ(compare_copy(out, kSeed, 0).first_wrong, proof_tally::kNone);
  for (std::size_t bit = 0; bit < sizeof(T) * 8; ++bit) {
    std::vector<T> flipped = out;
    reinterpret_cast<unsigned char*>(&flipped[17])[bit / 8] ^=
        static_cast<unsigned char>(1U << bit % 8);
    const outcome found = compare_copy(flipped, kSeed, 17);
    EXPECT_EQ(found.wrong, 1u) << "bit " << bit;
    EXPECT_EQ(found.first_wrong, 17u);
    EXPECT_EQ(found.expected, detail::widened(out[17]));
    EXPECT_EQ(found.got, detail::widened(flipped[17]));
  }
}

TEST(ProofOfALaunch, EveryFlippedBitOfEveryTypeIsFound) {
  expect_every_flipped_bit_is_found<std::uint8_t>();
  expect_every_flipped_bit_is_found<std::uint16_t>();
  expect_every_flipped_bit_is_found<std::uint32_t>();
  expect_every_flipped_bit_is_found<std::uint64_t>();
  expect_every_flipped_bit_is_found<bits128>();
}

}  // namespace
}  // namespace sectorbench
