// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/runner.hpp"
#include "kernels/buffers.hpp"
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/contiguous.hpp"
#include "test/support/tampered_workload.hpp"

namespace sectorbench {
namespace {

using test::misdeed;
using test::tampered_row;

constexpr std::uint64_t kSeed = 42;

row_spec row_of(std::string_view name, index_t elements) {
  row_spec row = parse_row(name);
  row.elements = elements;
  return row;
}

timing_rules quick_rules() {
  timing_rules rules;
  rules.fixed_launches = 1;
  rules.samples_per_round = 1;
  return rules;
}

// What preparing the row says: the reason for which it was refused, or "verified".
std::string verdict_on(const row_spec& row) {
  const auto device = make_host_backend();
  row_runner runner(*device, quick_rules(), kSeed);
  try {
    runner.prepare(row);
  } catch (const verification_failed& failure) {
    EXPECT_EQ(runner.known(row), nullptr) << "a refused row has no number";
    return failure.what();
  }
  return "verified";
}

std::string verdict_on(const std::string& name, index_t elements, misdeed run) {
  const tampered_row row(row_of(name, elements), std::move(run));
  return verdict_on(row.spec());
}

// The real run, then `spoil(out)` on its output seen as elements of type T.
template <class T, class Spoil>
misdeed after_run(const Spoil& spoil) {
  return [spoil](const workload& real, const launch_data& data) {
    real.run(data);
    spoil(static_cast<T*>(data.out));
  };
}

const char* const kRows[] = {"stride/copy/f32/stride:8", "stride/gather/f32/stride:8",
                             "stride/scatter/f32/stride:8", "stride/write/f32/stride:8"};

TEST(Mutation, HonestRunIsVerified) {
  for (const char* name : kRows)
    EXPECT_EQ(verdict_on(name, 1000, [](const auto& real, const auto& data) { real.run(data); }),
              "verified")
        << name;
}

TEST(Mutation, DroppedElementIsFoundAtItsIndex) {
  for (const char* name : kRows) {
    const std::string verdict = verdict_on(
        name, 1000, after_run<std::uint32_t>([](auto* out) { std::memset(out + 17, kPoison, 4); }));
    EXPECT_TRUE(
        verdict.starts_with("wrong result before timing: 1 elements wrong, the first at "
                            "index 17: got 0xa5a5a5a5, expected 0x"))
        << name << ": " << verdict;
  }
}

TEST(Mutation, SwappedElementsAreFoundBoth) {
  for (const char* name : kRows) {
    const std::string verdict = verdict_on(
        name, 1000, after_run<std::uint32_t>([](auto* out) { std::swap(out[5], out[900]); }));
    EXPECT_TRUE(verdict.starts_with(
        "wrong result before timing: 2 elements wrong, the first at index 5: got 0x"))
        << name << ": " << verdict;
  }
}

TEST(Mutation, RepeatedElementIsFoundWhereItTookAnothersPlace) {
  for (const char* name : kRows) {
    const std::string verdict =
        verdict_on(name, 1000, after_run<std::uint32_t>([](auto* out) { out[8] = out[7]; }));
    EXPECT_TRUE(verdict.starts_with(
        "wrong result before timing: 1 elements wrong, the first at index 8: got 0x"))
        << name << ": " << verdict;
  }
}

TEST(Mutation, LaunchThatNeverRanIsAllWrong) {
  for (const char* name : kRows)
    EXPECT_TRUE(verdict_on(name, 1000, [](const auto&, const auto&) {})
                    .starts_with("wrong result before timing: 1000 elements wrong, the first at "
                                 "index 0: got 0xa5a5a5a5"))
        << name;
}

TEST(Mutation, OneWrongBitShowsBothValues) {
  const std::string verdict = verdict_on(
      "contiguous/copy/f64", 1000, after_run<std::uint64_t>([](auto* out) { out[999] ^= 1; }));
  EXPECT_TRUE(verdict.starts_with(
      "wrong result before timing: 1 elements wrong, the first at index 999: got 0x"))
      << verdict;
  const std::size_t got = verdict.find("got 0x") + 6, expected = verdict.find("expected 0x") + 11;
  EXPECT_EQ(verdict.substr(got, 15), verdict.substr(expected, 15)) << verdict;
  EXPECT_NE(verdict[got + 15], verdict[expected + 15]) << verdict;
}

TEST(Mutation, EveryTypeAndOperationShowsOneFlippedBit) {
  constexpr index_t n = 1003;
  for (const auto& [operation, operation_name] : kOperations)
    for (const auto& [type, type_name] : kElementTypes)
      for (const index_t at : {index_t{0}, n / 2, n - 1}) {
        const bool sums = operation == operation_kind::kRead;
        const int width = size_of(type);
        const std::string verdict = verdict_on(
            "unrolled/" + std::string(operation_name) + "/" + std::string(type_name) + "/unroll:2",
            n, after_run<unsigned char>([=](auto* out) { out[at / 2 * width] ^= 4; }));
        const std::string place = std::to_string(at / 2);
        EXPECT_TRUE(verdict.starts_with(
            sums ? "wrong result before timing: 1 checksums wrong, the first at thread " + place
                 : "wrong result before timing: 1 elements wrong, the first at index " + place))
            << operation_name << " of " << type_name << ": " << verdict;
        EXPECT_EQ(verdict.size() - verdict.find("expected 0x") - 11,
                  static_cast<std::size_t>(2 * width));
      }
}

// ---- Bytes collide: a swap of equal ones shows only in a fill where they differ.

// The seeds of the fills with which a row is verified, in order.
std::vector<std::uint64_t> seeds_of_fills() {
  std::vector<std::uint64_t> seeds;
  verdict_on("contiguous/copy/u8", 100, [&](const workload& real, const launch_data& data) {
    seeds.push_back(data.seed);
    real.run(data);
  });
  return seeds;
}

TEST(MutationOfBytes, ThereAreTwoDifferentFills) {
  const auto seeds = seeds_of_fills();
  ASSERT_EQ(seeds.size(), 2u);
  EXPECT_NE(seeds[0], seeds[1]);
  EXPECT_EQ(seeds[1], kSeed);
}

TEST(MutationOfBytes, SwapIsFoundByWhicheverFillTellsThemApart) {
  constexpr std::uint64_t n = 4000;
  const auto seeds = seeds_of_fills();
  ASSERT_EQ(seeds.size(), 2u);
  int kinds[2][2] = {};
  for (std::uint64_t a = 0; a < n / 2; ++a) {
    const std::uint64_t b = n - 1 - a;
    bool equal[2];
    for (int fill = 0; fill < 2; ++fill)
      equal[fill] = filled<std::uint8_t>(a, seeds[fill]) == filled<std::uint8_t>(b, seeds[fill]);
    if (++kinds[equal[0]][equal[1]] > 2) continue;  // two of each kind suffice
    const std::string verdict =
        verdict_on("stride/copy/u8/stride:3", n,
                   after_run<std::uint8_t>([=](auto* out) { std::swap(out[a], out[b]); }));
    const std::string found = "wrong result before timing: 2 elements wrong, the first at index " +
                              std::to_string(a) + ": ";
    EXPECT_EQ(verdict.starts_with(found), !(equal[0] && equal[1])) << verdict;
  }
  EXPECT_GT(kinds[false][false], 0);
  EXPECT_GT(kinds[true][false], 0) << "no pair that only the second fill tells apart";
  EXPECT_GT(kinds[false][true], 0) << "no pair that only the first fill tells apart";
}

// ---- Stores outside the output

TEST(Mutation, StorePastTheEndIsCounted) {
  EXPECT_EQ(verdict_on("stride/copy/f32/stride:8", 1000,
                       after_run<std::uint32_t>([](auto* out) { out[1000] = 7; })),
            "wrong result before timing: 4 bytes overwritten outside the row's output");
  EXPECT_EQ(verdict_on("stride/copy/u8/stride:8", 1003,
                       after_run<std::uint8_t>([](auto* out) { out[1003] = 7; })),
            "wrong result before timing: 1 bytes overwritten outside the row's output");
}

TEST(Mutation, StoreBeforeTheStartIsCounted) {
  EXPECT_EQ(verdict_on("contiguous/copy/f64", 1000,
                       after_run<std::uint64_t>([](auto* out) { out[-1] = 7; })),
            "wrong result before timing: 8 bytes overwritten outside the row's output");
}

TEST(Mutation, StoreIntoTheOffsetIsCounted) {
  EXPECT_EQ(verdict_on("offset/copy/f32/loads:0/stores:8", 1000,
                       after_run<std::uint32_t>([](auto* out) { out[7] = 7; })),
            "wrong result before timing: 4 bytes overwritten outside the row's output");
}

// Between the fields and rows that a pattern stores, everything must stay as it was.
TEST(Mutation, StoreIntoAGapOfTheOutputIsCounted) {
  EXPECT_EQ(verdict_on("aos/copy/f32/fields:3/field:1", 1000,
                       after_run<std::uint32_t>([](auto* out) { out[3 * 500] = 7; })),
            "wrong result before timing: 4 bytes overwritten outside the row's output");
  EXPECT_EQ(verdict_on("pitch/write/u8/columns:10/pitch:16", 1000,
                       after_run<std::uint8_t>([](auto* out) { out[16 * 7 + 10] = 7; })),
            "wrong result before timing: 1 bytes overwritten outside the row's output");
}

TEST(Mutation, WrongEntryOfAnIndexListIsAWrongElement) {
  const misdeed with_one_wrong_entry = [](const workload& real, const launch_data& data) {
    std::vector<index_entry> list(data.indices, data.indices + 1000);
    list[3] = list[4];
    launch_data wrong = data;
    wrong.indices = list.data();
    real.run(wrong);
  };
  const std::string verdict = verdict_on("random/gather/f32", 1000, with_one_wrong_entry);
  EXPECT_TRUE(
      verdict.starts_with("wrong result before timing: 1 elements wrong, the first at "
                          "index 3:"))
      << verdict;
}

TEST(Mutation, ShiftedStoresAreWrongInsideAndOutside) {
  const std::string verdict =
      verdict_on("contiguous/copy/f32", 1000, [](const workload& real, launch_data data) {
        data.out = static_cast<std::uint32_t*>(data.out) + 1;
        real.run(data);
      });
  EXPECT_TRUE(verdict.starts_with("wrong result before timing: 1000 elements wrong")) << verdict;
  EXPECT_TRUE(verdict.ends_with("; 4 bytes overwritten outside the row's output")) << verdict;
}

// ---- Reading and writing

TEST(MutationOfRead, SkippedElementChangesItsThreadsChecksum) {
  // Thread 3 walks elements 12 to 15 and skips the last.
  const std::string verdict =
      verdict_on("chunk/read/f32/chunk:4", 1000, [](const workload& real, const launch_data& data) {
        real.run(data);
        if (!data.keep) return;
        const auto* const in = static_cast<const std::uint32_t*>(data.in);
        std::uint32_t sum = 0;
        for (int i = 12; i < 15; ++i) sum = sum * 31 + in[i];
        static_cast<std::uint32_t*>(data.out)[3] = sum;
      });
  EXPECT_TRUE(verdict.starts_with(
      "wrong result before timing: 1 checksums wrong, the first at thread 3: got 0x"))
      << verdict;
}

TEST(MutationOfRead, ElementsInAnotherOrderAreFound) {
  const std::string verdict =
      verdict_on("chunk/read/u8/chunk:4", 1000, [](const workload& real, const launch_data& data) {
        real.run(data);
        const auto* const in = static_cast<const std::uint8_t*>(data.in);
        unsigned sum = 0;
        for (int i : {0, 2, 1, 3}) sum = sum * 31 + in[i];
        if (data.keep) static_cast<std::uint8_t*>(data.out)[0] = static_cast<std::uint8_t>(sum);
      });
  EXPECT_TRUE(
      verdict.starts_with("wrong result before timing: 1 checksums wrong, the first at thread 0"))
      << verdict;
}

TEST(MutationOfRead, LaunchThatReadsNothingIsAllWrong) {
  EXPECT_TRUE(verdict_on("contiguous/read/f32", 1000, [](const auto&, const auto&) {
              }).starts_with("wrong result before timing: 1024 checksums wrong"));
}

TEST(MutationOfWrite, ValueOfTheNeighbourIsFound) {
  const std::string verdict =
      verdict_on("contiguous/write/f32x4", 1000, [](const workload& real, const launch_data& data) {
        real.run(data);
        static_cast<bits128*>(data.out)[30] = made<bits128>(31, data.seed);
      });
  EXPECT_TRUE(
      verdict.starts_with("wrong result before timing: 1 elements wrong, the first at index 30"))
      << verdict;
}

TEST(MutationOfWrite, ValuesOfAnotherSeedAreFound) {
  const std::string verdict =
      verdict_on("contiguous/write/f64", 1000, [](const workload& real, launch_data data) {
        data.seed ^= 1;
        real.run(data);
      });
  EXPECT_TRUE(verdict.starts_with("wrong result before timing: 1000 elements wrong")) << verdict;
}

// ---- Launches that are only wrong while they are timed

TEST(Mutation, WrongTimedLaunchIsFoundAfterwardsAndGivesNoNumber) {
  const tampered_row row(row_of("stride/copy/f32/stride:8", 1000),
                         [](const workload& real, const launch_data& data) {
                           real.run(data);
                           if (!data.keep) static_cast<std::uint32_t*>(data.out)[6] = 0;
                         });
  const auto device = make_host_backend();
  row_runner runner(*device, quick_rules(), kSeed);
  runner.prepare(row.spec());
  runner.launches_per_round(row.spec());
  runner.warm_up(row.spec());
  std::vector<timed_sample> samples;
  runner.time_round(row.spec(), samples);
  try {
    runner.finish(row.spec(), samples);
    FAIL() << "the wrong element was not found";
  } catch (const verification_failed& failure) {
    EXPECT_TRUE(std::string(failure.what())
                    .starts_with("wrong result after timing: 1 elements wrong, the first at "
                                 "index 6: got 0x00000000, expected 0x"))
        << failure.what();
  }
  EXPECT_EQ(runner.known(row.spec()), nullptr);
  EXPECT_THROW(runner.prepare(row.spec()), verification_failed);
}

TEST(Mutation, MemcpyIsVerifiedLikeAnyRow) {
  EXPECT_TRUE(verdict_on("memcpy/copy/f32", 1000, [](const workload& real, const auto& data) {
                real.run(data);
                static_cast<std::uint32_t*>(data.out)[3] ^= 1;
              }).starts_with("wrong result before timing: 1 elements wrong, the first at index 3"));
}

// ---- Patterns at fault are refused before anything is launched

/// Moves only every eighth element.
struct sparse : contiguous {
  static constexpr sparse make(index_t n, std::span<const index_t>) { return {{n}}; }
  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    a.move(t.column() * 8 < n, t.column() * 8, t.column());
  }
};

TEST(Mutation, PatternThatSkipsElementsIsRefusedUnlaunched) {
  row_spec row = row_of("contiguous/copy/f32", 1000);
  pattern_entry entry = *row.pattern;
  entry.make = [](operation_kind, element_type, index_t n, std::span<const index_t> values,
                  block_size block) -> std::unique_ptr<workload> {
    using skipping = typed_program<sparse, copy, std::uint32_t, element_type::kF32>;
    return std::make_unique<test::tampered_workload>(
        std::make_unique<skipping>(sparse::make(n, values), block),
        [](const auto&, const auto&) { ADD_FAILURE() << "launched unproven"; });
  };
  row.pattern = &entry;
  EXPECT_EQ(verdict_on(row),
            "the pattern does not cover what it declares: loads: 875 elements missed, the first is "
            "1; stores: 875 elements missed, the first is 1");
}

}  // namespace
}  // namespace sectorbench
