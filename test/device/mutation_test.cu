// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/runner.hpp"
#include "sectorbench/execution/access_kernel.cuh"
#include "test/device/gpu_backend.hpp"

// Kernels that do not do what their row says, run in the place of those that do.

namespace sectorbench {
namespace mutants {

inline constexpr index_t kVictim = 17;
inline constexpr index_t kOther = 900;
// Odd, so that an input of 4-byte elements has one spare one to load past its end.
inline constexpr index_t kElements = 1001;

template <class Self>
struct mutant {
  static constexpr std::string_view kName = "mutant";
  static constexpr std::string_view kSummary = "contiguous, but for one element";
  static constexpr std::string_view kMapping = "as a test needs it";
  static constexpr auto kParameters = kNoParameters;
  static constexpr bool kThreadsAffine = false;

  index_t n;

  static constexpr Self make(index_t n, std::span<const index_t>) { return {{n}}; }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n + 1, block); }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }
};

struct dropping : mutant<dropping> {
  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t at = t.column();
    a.move(at < n && at != kVictim, at, at);
  }
};

struct swapping : mutant<swapping> {
  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t at = t.column();
    const index_t from = at == kVictim ? kOther : at == kOther ? kVictim : at;
    a.put(at < n, at, at, a.take(at < n, from, from));
  }
};

// Loads the element before the victim twice, and never the victim.
struct repeating : mutant<repeating> {
  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t at = t.column();
    const index_t from = at == kVictim ? at - 1 : at;
    a.put(at < n, at, at, a.take(at < n, from, from));
  }
};

// Moves the element before the victim twice, and never the victim.
struct revisiting : mutant<revisiting> {
  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t at = t.column() == kVictim ? kVictim - 1 : t.column();
    a.move(at < n, at, at);
  }
};

struct overrunning : mutant<overrunning> {
  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t at = t.column();
    a.move(at <= n, at, at);
  }
};

struct underrunning : mutant<underrunning> {
  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t at = t.column();
    a.move(at < n, at, at);
    a.put(at == 0, -1, -1, a.take(at == 0, 0, 0));
  }
};

}  // namespace mutants

namespace {

using namespace mutants;

constexpr std::uint64_t kSeed = 42;

using launcher = void (*)(const launch_shape& shape, const launch_data& data, CUstream_st* stream);

template <class P, class Op, class T>
void launch_mutant(const launch_shape& shape, const launch_data& data, CUstream_st* stream) {
  enqueue(access_kernel<P, Op, T>, shape, stream, P::make(kElements, {}),
          static_cast<const T*>(data.in), static_cast<T*>(data.out), data.seed, data.keep,
          data.indices);
}

void launch_nothing(const launch_shape&, const launch_data&, CUstream_st*) {}

// What is launched once the first `right_launches` have been as they should.
struct misbehaviour {
  launcher launch = nullptr;
  int right_launches = 0;
};

class mutant_workload final : public workload {
 public:
  mutant_workload(std::unique_ptr<workload> real, const misbehaviour& wrong)
      : real_(std::move(real)), wrong_(wrong) {}

  void run(const launch_data& data) const override { real_->run(data); }
  void launch(const launch_data& data, CUstream_st* stream) const override {
    if (launched_++ < wrong_.right_launches)
      real_->launch(data, stream);
    else
      wrong_.launch(real_->meaning().shape(), data, stream);
  }
  const program& meaning() const override { return real_->meaning(); }
  buffer_bytes needs() const override { return real_->needs(); }

 private:
  std::unique_ptr<workload> real_;
  misbehaviour wrong_;
  mutable int launched_ = 0;
};

misbehaviour current;

std::unique_ptr<workload> make_mutant(operation_kind operation, element_type type, index_t n,
                                      std::span<const index_t> values, block_size block) {
  const pattern_entry& real = *find_pattern("contiguous", {});
  return std::make_unique<mutant_workload>(real.make(operation, type, n, values, block), current);
}

class Mutants : public gpu_backend_test {
 protected:
  row_spec mutant_row(operation_kind operation, element_type type, const misbehaviour& wrong) {
    current = wrong;
    entry_ = *find_pattern("contiguous", {});
    entry_.make = &make_mutant;
    row_spec row;
    row.pattern = &entry_;
    row.operation = operation;
    row.type = type;
    row.elements = kElements;
    return row;
  }

  // Prepares, times and finishes the row: why it was refused, or "measured".
  std::string verdict_on(const row_spec& row) {
    timing_rules rules;
    rules.fixed_launches = 4;
    rules.samples_per_round = 2;
    rules.blocking = blocking_forbidden().empty();
    row_runner runner(device(), rules, kSeed);
    try {
      runner.prepare(row);
      runner.launches_per_round(row);
      runner.warm_up(row);
      std::vector<timed_sample> samples;
      runner.time_round(row, samples);
      runner.finish(row, samples);
    } catch (const verification_failed& failure) {
      EXPECT_EQ(runner.known(row), nullptr) << "a refused row has no number";
      EXPECT_THROW(runner.prepare(row), verification_failed) << "refused once, refused for ever";
      return failure.what();
    }
    return "measured";
  }

  template <class P, class Op, class T>
  std::string verdict_on(element_type type, int right_launches = 0) {
    return verdict_on(mutant_row(Op::kKind, type, {&launch_mutant<P, Op, T>, right_launches}));
  }

 private:
  pattern_entry entry_;
};

void expect_says(const std::string& verdict, const std::string& text) {
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, text, verdict);
}

constexpr auto kF32 = element_type::kF32;
constexpr auto kU8 = element_type::kU8;
using f32 = std::uint32_t;
using u8 = std::uint8_t;

// Launches before any is timed: two verified ones and three to warm up.
constexpr int kVerifyingLaunches = 2;
constexpr int kLaunchesBeforeTiming = 5;

TEST_F(Mutants, HonestWorkloadIsMeasured) {
  constexpr int kAlways = std::numeric_limits<int>::max();
  EXPECT_EQ((verdict_on<dropping, copy, f32>(kF32, kAlways)), "measured");
  EXPECT_EQ((verdict_on<dropping, read, f32>(kF32, kAlways)), "measured");
}

TEST_F(Mutants, DroppedElementIsFoundAtItsIndex) {
  expect_says(verdict_on<dropping, copy, f32>(kF32),
              "wrong result before timing: 1 elements wrong, the first at index 17: "
              "got 0xa5a5a5a5, expected 0x");
  expect_says(verdict_on<dropping, copy, u8>(kU8),
              "wrong result before timing: 1 elements wrong, the first at index 17: "
              "got 0xa5, expected 0x");
  expect_says(verdict_on<dropping, write, f32>(kF32),
              "1 elements wrong, the first at index 17: got 0xa5a5a5a5");
}

TEST_F(Mutants, SwappedElementsAreFoundEvenOfOneByte) {
  expect_says(verdict_on<swapping, copy, u8>(kU8), "2 elements wrong, the first at index 17");
  expect_says(verdict_on<swapping, copy, f32>(kF32), "2 elements wrong, the first at index 17");
}

TEST_F(Mutants, RepeatedElementIsFoundWhereItDoesNotBelong) {
  expect_says(verdict_on<repeating, copy, f32>(kF32), "1 elements wrong, the first at index 17");
  expect_says(verdict_on<revisiting, copy, f32>(kF32),
              "1 elements wrong, the first at index 17: got 0xa5a5a5a5");
}

TEST_F(Mutants, StoreOutsideTheOutputIsFound) {
  expect_says(verdict_on<overrunning, copy, f32>(kF32),
              "bytes overwritten outside the row's output");
  expect_says(verdict_on<underrunning, copy, f32>(kF32),
              "bytes overwritten outside the row's output");
}

TEST_F(Mutants, ReadThatSkipsOrSwapsAnElementIsFoundAtItsThread) {
  expect_says(verdict_on<dropping, read, f32>(kF32), "1 checksums wrong, the first at thread 17");
  expect_says(verdict_on<swapping, read, f32>(kF32), "2 checksums wrong, the first at thread 17");
}

TEST_F(Mutants, MissingLaunchIsFound) {
  expect_says(verdict_on(mutant_row(operation_kind::kCopy, kF32, {&launch_nothing, 0})),
              "1001 elements wrong, the first at index 0: got 0xa5a5a5a5");
}

TEST_F(Mutants, KernelThatIsRightUntilItWasVerifiedIsFoundAfterTiming) {
  expect_says(verdict_on<dropping, copy, f32>(kF32, kVerifyingLaunches),
              "wrong result after timing: 1 elements wrong, the first at index 17");
  expect_says(
      verdict_on(mutant_row(operation_kind::kCopy, kF32, {&launch_nothing, kVerifyingLaunches})),
      "wrong result after timing: 1001 elements wrong");
}

TEST_F(Mutants, KernelThatIsWrongOnlyWhenTimedIsFoundAfterTiming) {
  expect_says(verdict_on<swapping, copy, f32>(kF32, kLaunchesBeforeTiming),
              "wrong result after timing: 2 elements wrong, the first at index 17");
  expect_says(verdict_on<swapping, copy, u8>(kU8, kLaunchesBeforeTiming + 7),
              "wrong result after timing: 2 elements wrong, the first at index 17");
  expect_says(verdict_on<overrunning, copy, f32>(kF32, kLaunchesBeforeTiming), "after timing: ");
  expect_says(verdict_on<dropping, read, f32>(kF32, kLaunchesBeforeTiming),
              "wrong result after timing: 1 checksums wrong, the first at thread 17");
}

TEST_F(Mutants, ComparisonNamesIndexAndBits) {
  const row_spec row =
      mutant_row(operation_kind::kCopy, kF32, {&launch_mutant<repeating, copy, f32>, 0});
  const auto work = make_workload(row);
  device().acquire(*work);
  device().fill_input(kSeed);
  device().poison_output();
  device().run_once(*work, kSeed, true);
  const comparison found = device().compare(work->meaning(), kSeed);
  EXPECT_EQ(found.wrong, 1u);
  EXPECT_EQ(found.first, kVictim);
  EXPECT_EQ(found.got.x, filled<f32>((kVictim - 1) * 4, kSeed));
  EXPECT_EQ(found.expected.x, filled<f32>(kVictim * 4, kSeed));
  EXPECT_EQ(found.strayed, 0u);
}

}  // namespace
}  // namespace sectorbench
