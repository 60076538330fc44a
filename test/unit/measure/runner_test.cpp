// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/runner.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "bench/measure/fixture.hpp"
#include "bench/support/interrupt.hpp"
#include "test/support/fake_backend.hpp"

namespace sectorbench {
namespace {

using test::calls;
using test::fake_backend;
using test::kSeed;

row_spec row_of(std::string_view name, index_t elements = 1000) {
  return test::row_of(name, elements);
}

const calls kAcquisition{"activate", "acquire"};
const calls kVerification{"fill other", "poison", "run other and keep", "compare other",
                          "fill",       "poison", "run and keep",       "compare"};

calls operator+(calls first, const calls& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

class RowRunner : public testing::Test {
 protected:
  // One body, as the fixture runs it.
  static measurement body_of(row_runner& runner, const row_spec& row, int rounds = 1) {
    runner.launches_per_round(row);
    runner.warm_up(row);
    std::vector<timed_sample> samples;
    for (int i = 0; i < rounds; ++i) runner.time_round(row, samples);
    return runner.finish(row, samples);
  }

  static std::string refusal_of(row_runner& runner, const row_spec& row) {
    try {
      runner.prepare(row);
    } catch (const verification_failed& failure) {
      return failure.what();
    }
    return "prepared";
  }

  fake_backend device_;
  const row_spec row_ = row_of("stride/copy/f32/stride:8");
};

TEST_F(RowRunner, PrepareAcquiresProvesAndVerifiesWithTwoFills) {
  row_runner runner(device_, {}, kSeed);
  runner.prepare(row_);
  EXPECT_EQ(device_.taken(), (kAcquisition + calls{"prove"} + kVerification));
}

TEST_F(RowRunner, BodyWarmsUpTimesAndComparesAgain) {
  row_runner runner(device_, {}, kSeed);
  runner.prepare(row_);
  device_.taken();
  body_of(runner, row_);
  EXPECT_EQ(device_.taken(),
            (calls{"time 1", "condition", "run", "run", "run", "poison", "time 20 blocked",
                   "time 20 blocked", "time 20 blocked", "compare"}));
}

TEST_F(RowRunner, SecondBodyProvesAndVerifiesNothingAgain) {
  row_runner runner(device_, {}, kSeed);
  runner.prepare(row_);
  body_of(runner, row_);
  device_.taken();
  runner.prepare(row_);
  EXPECT_EQ(device_.taken(), calls{"activate"});
  body_of(runner, row_);
  EXPECT_EQ(device_.taken(), (calls{"condition", "run", "run", "run", "poison", "time 20 blocked",
                                    "time 20 blocked", "time 20 blocked", "compare"}));
}

TEST_F(RowRunner, AnotherRowInBetweenCostsTheInputAgainAndNoProof) {
  row_runner runner(device_, {}, kSeed);
  runner.prepare(row_);
  runner.prepare(row_of("contiguous/copy/f32"));
  device_.taken();
  runner.prepare(row_);
  EXPECT_EQ(device_.taken(), (kAcquisition + calls{"fill"}));
}

TEST_F(RowRunner, TypesShareAProofAndNotAVerification) {
  row_runner runner(device_, {}, kSeed);
  runner.prepare(row_);
  device_.taken();
  runner.prepare(row_of("stride/copy/u8/stride:8"));
  EXPECT_EQ(device_.taken(), (kAcquisition + kVerification));
  runner.prepare(row_of("stride/copy/u8/stride:8", 1001));
  EXPECT_EQ(device_.taken(), (kAcquisition + calls{"prove"} + kVerification));
}

// The checksums of the timed launches are not kept: one more launch keeps them.
TEST_F(RowRunner, ReadKeepsItsChecksumsAfterTiming) {
  row_runner runner(device_, {}, kSeed);
  const row_spec row = row_of("contiguous/read/f32");
  runner.prepare(row);
  body_of(runner, row);
  const calls asked = device_.taken();
  ASSERT_GE(asked.size(), 3u);
  EXPECT_EQ(calls(asked.end() - 3, asked.end()),
            (calls{"time 20 blocked", "run and keep", "compare"}));
}

// ---- Failures

TEST_F(RowRunner, UncoveredPatternIsNeverLaunchedAndRemembered) {
  device_.verdict.stores = {coverage_fault::kRepeated, 3, 17};
  row_runner runner(device_, {}, kSeed);
  const std::string expected =
      "the pattern does not cover what it declares: stores: 3 elements repeated, the first is 17";
  EXPECT_EQ(refusal_of(runner, row_), expected);
  EXPECT_EQ(device_.taken(), (kAcquisition + calls{"prove"}));
  EXPECT_EQ(refusal_of(runner, row_), expected);
  EXPECT_EQ(device_.taken(), calls{"activate"});
}

TEST_F(RowRunner, WrongResultOfEitherFillIsRememberedAndNotTriedAgain) {
  for (const int at : {1, 2}) {
    fake_backend device;
    device.found = [at](int number) {
      return number == at ? comparison{2, 7, {1, 0, 0, 0}, {0xabcdef01, 0, 0, 0}, 4} : comparison{};
    };
    row_runner runner(device, {}, kSeed);
    const std::string expected =
        "wrong result before timing: 2 elements wrong, the first at index 7: got 0xabcdef01, "
        "expected 0x00000001; 4 bytes overwritten outside the row's output";
    EXPECT_EQ(refusal_of(runner, row_), expected);
    device.taken();
    EXPECT_EQ(refusal_of(runner, row_), expected);
    EXPECT_EQ(device.taken(), calls{"activate"});
    EXPECT_EQ(runner.known(row_), nullptr);
  }
}

TEST_F(RowRunner, EvidenceIsAsWideAsTheElement) {
  device_.found = [](int) {
    return comparison{1, 0, {0x01020304, 5, 6, 7}, {0xa1a2a3a4, 0xb, 0xc, 0xd0000000}, 0};
  };
  row_runner runner(device_, {}, kSeed);
  const auto evidence_of = [&](const char* name) {
    const std::string text = refusal_of(runner, row_of(name));
    return text.substr(text.find("got"));
  };
  EXPECT_EQ(evidence_of("contiguous/copy/u8"), "got 0xa4, expected 0x04");
  EXPECT_EQ(evidence_of("contiguous/copy/f16"), "got 0xa3a4, expected 0x0304");
  EXPECT_EQ(evidence_of("contiguous/copy/f64"),
            "got 0x0000000ba1a2a3a4, expected 0x0000000501020304");
  EXPECT_EQ(evidence_of("contiguous/copy/f32x4"),
            "got 0xd00000000000000c0000000ba1a2a3a4, expected 0x00000007000000060000000501020304");
}

TEST_F(RowRunner, WrongResultAfterTimingTakesTheNumberAway) {
  row_runner runner(device_, {}, kSeed);
  runner.prepare(row_);
  body_of(runner, row_);
  ASSERT_NE(runner.known(row_), nullptr);
  device_.found = [](int) { return comparison{1, 3, {}, {}, 0}; };
  EXPECT_THROW(body_of(runner, row_), verification_failed);
  EXPECT_EQ(runner.known(row_), nullptr) << "an earlier body's number outlived the failure";
  EXPECT_EQ(refusal_of(runner, row_).substr(0, 26), "wrong result after timing:");
}

TEST_F(RowRunner, RowThatDoesNotFitIsSkippedEachTimeAndOthersRun) {
  row_runner runner(device_, {}, kSeed);
  device_.refusal = "too large";
  EXPECT_THROW(runner.prepare(row_), not_applicable);
  EXPECT_THROW(runner.prepare(row_), not_applicable);
  EXPECT_EQ(device_.taken(), (kAcquisition + kAcquisition));
  device_.refusal.clear();
  runner.prepare(row_of("contiguous/copy/f32"));
  EXPECT_EQ(device_.taken(), (kAcquisition + calls{"prove"} + kVerification));
}

TEST_F(RowRunner, LostDeviceRefusesEveryLaterRow) {
  row_runner runner(device_, {}, kSeed);
  runner.prepare(row_);
  device_.taken();
  runner.lose_device("not run: earlier CUDA error in a/b/c");
  for (const row_spec& row : {row_, row_of("contiguous/copy/f32")}) {
    try {
      runner.prepare(row);
      ADD_FAILURE() << "prepared on a lost device";
    } catch (const device_lost& reason) {
      EXPECT_STREQ(reason.what(), "not run: earlier CUDA error in a/b/c");
    }
    EXPECT_THROW(runner.reference(row), device_lost);
  }
  EXPECT_EQ(device_.taken(), calls{});
}

TEST_F(RowRunner, BackendsOwnErrorsPassAndAreNotRemembered) {
  row_runner runner(device_, {}, kSeed);
  device_.found = [](int) -> comparison { throw std::runtime_error("driver"); };
  EXPECT_THROW(runner.prepare(row_), std::runtime_error);
  device_.found = [](int) { return comparison{}; };
  device_.taken();
  runner.prepare(row_);
  EXPECT_EQ(device_.taken(), (kAcquisition + kVerification));
}

TEST(RowRunnerDeathTest, SignalStopsBeforeTheNextStep) {
  const auto stopped = [] {
    fake_backend device;
    row_runner runner(device, {}, kSeed);
    const row_spec row = row_of("contiguous/copy/f32");
    runner.prepare(row);
    runner.launches_per_round(row);
    device.taken();
    end_on_interrupts();
    note_first_interrupt();
    std::raise(SIGTERM);
    std::vector<timed_sample> samples;
    const std::vector<std::function<void()>> steps{
        [&] { runner.prepare(row); }, [&] { runner.prepare(row_of("contiguous/copy/u8")); },
        [&] { runner.warm_up(row); }, [&] { runner.time_round(row, samples); },
        [&] { runner.observe(row); }, [&] { runner.reference(row); }};
    for (const auto& step : steps) {
      try {
        step();
        std::exit(1);
      } catch (const interrupted& reason) {
        if (reason.what() != std::string("interrupted by SIGTERM")) std::exit(2);
      }
    }
    // Looking at the device is no step.
    std::exit(device.taken() == calls{"condition"} ? 0 : 3);
  };
  EXPECT_EXIT(stopped(), testing::ExitedWithCode(0), "");
}

// ---- References

TEST_F(RowRunner, ReferenceIsMeasuredOnceForItsTime) {
  timing_rules rules;
  rules.reference_s = 0.01;  // a round is 3 samples of 20 launches of 0.1 ms
  row_runner runner(device_, rules, kSeed);
  const measurement& first = runner.reference(row_);
  EXPECT_EQ(first.samples, 6);
  EXPECT_DOUBLE_EQ(first.mean_s, 1e-4);
  device_.taken();
  EXPECT_EQ(&runner.reference(row_), &first);
  EXPECT_EQ(device_.taken(), calls{});
}

TEST_F(RowRunner, MeasuredRowServesAsReferenceWithItsLatestNumber) {
  row_runner runner(device_, {}, kSeed);
  runner.prepare(row_);
  body_of(runner, row_);
  device_.seconds = [](int launches) { return launches * 3e-4; };
  body_of(runner, row_, 2);
  device_.taken();
  EXPECT_DOUBLE_EQ(runner.reference(row_).mean_s, 3e-4);
  EXPECT_EQ(runner.reference(row_).samples, 6);
  EXPECT_EQ(device_.taken(), calls{});
}

TEST_F(RowRunner, ReferenceThatCannotBeMeasuredHasNoSamples) {
  row_runner runner(device_, {}, kSeed);
  device_.refusal = "too large";
  EXPECT_EQ(runner.reference(row_).samples, 0);
  EXPECT_EQ(runner.reference(row_).rate(1000), 0.0);
  EXPECT_EQ(runner.known(row_), nullptr);
  device_.refusal.clear();
  device_.found = [](int) { return comparison{1, 3, {}, {}, 0}; };
  EXPECT_EQ(runner.reference(row_).samples, 0);
  EXPECT_EQ(runner.known(row_), nullptr);
}

// ---- Launches

TEST_F(RowRunner, SampleTakesAsManyLaunchesAsFillItsTime) {
  const auto launches = [&](double once_s) {
    device_.seconds = [once_s](int count) { return count * once_s; };
    row_runner runner(device_, {}, kSeed);
    return runner.launches_per_round(row_) / timing_rules{}.samples_per_round;
  };
  EXPECT_EQ(timing_rules{}.sample_s, 2e-3);
  EXPECT_EQ(launches(2e-4), 10);
  EXPECT_EQ(launches(3e-4), 7);
  EXPECT_EQ(launches(1.0), 1);
  EXPECT_EQ(launches(1e-9), 256);
  EXPECT_EQ(launches(0.0), 256);
}

TEST_F(RowRunner, LaunchesAreChosenOncePerRow) {
  row_runner runner(device_, {}, kSeed);
  EXPECT_EQ(runner.launches_per_round(row_), 60);
  EXPECT_EQ(device_.taken(), calls{"time 1"});
  device_.seconds = [](int) { return 1.0; };
  EXPECT_EQ(runner.launches_per_round(row_), 60);
  EXPECT_EQ(device_.taken(), calls{});
}

// On a CPU single launches take 4 ms where the scheduler's tick is lost, and 20 us otherwise.
TEST_F(RowRunner, LostTicksDoNotDecideHowManyLaunchesASampleHas) {
  device_.most_launches = 1 << 16;
  device_.seconds = [](int launches) { return 4e-3 + launches * 20e-6; };
  device_.disturbed = [] { return 0.5; };
  row_runner runner(device_, {}, kSeed);
  const int launches = runner.launches_per_round(row_) / timing_rules{}.samples_per_round;
  EXPECT_GE(launches, 50) << "2 ms / 20 us are 100; of 4.02 ms for one launch it would be 1";
  EXPECT_LE(launches, 100);
}

TEST_F(RowRunner, DisturbedSampleIsTakenAgainUntilOneIsNot) {
  row_runner runner(device_, {}, kSeed);
  runner.launches_per_round(row_);
  std::vector<double> shares{0.9, 0.2, 0.05};  // first to last
  device_.disturbed = [&] {
    if (shares.empty()) return 0.0;
    const double share = shares.front();
    shares.erase(shares.begin());
    return share;
  };
  std::vector<timed_sample> samples;
  runner.time_round(row_, samples);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].disturbed, 0.05);
  EXPECT_EQ(samples[1].disturbed, 0.0);
  const measurement result = runner.finish(row_, samples);
  EXPECT_EQ(result.discarded, 2);
  EXPECT_NEAR(*result.disturbed, 0.05 / 3, 1e-12) << "of three samples of one length";
  EXPECT_FALSE(is_disturbed(result));
}

TEST_F(RowRunner, RowThatStaysDisturbedSaysSoAndEnds) {
  row_runner runner(device_, {}, kSeed);
  runner.launches_per_round(row_);
  device_.disturbed = [] { return 0.5; };
  std::vector<timed_sample> samples;
  runner.time_round(row_, samples);
  const measurement result = runner.finish(row_, samples);
  EXPECT_EQ(samples.size(), 3u);
  EXPECT_EQ(result.discarded, 3 * 9);
  EXPECT_DOUBLE_EQ(*result.disturbed, 0.5);
  EXPECT_TRUE(is_disturbed(result));
}

// A GPU's samples do not know it: nothing is taken again, and the row has no such number.
TEST_F(RowRunner, WhereDisturbanceIsNotSeenNothingIsTakenAgain) {
  row_runner runner(device_, {}, kSeed);
  runner.launches_per_round(row_);
  std::vector<timed_sample> samples;
  device_.taken();
  runner.time_round(row_, samples);
  EXPECT_EQ(device_.taken().size(), 3u);
  EXPECT_EQ(runner.finish(row_, samples).disturbed, std::nullopt);
}

TEST(Summarise, TrimmedMinimumIsTheMeanOfTheShortestQuarter) {
  std::vector<timed_sample> samples;
  for (const double seconds : {9.0, 1.0, 5.0, 2.0, 7.0}) samples.push_back({seconds, true});
  EXPECT_DOUBLE_EQ(summarise(samples, 1).trimmed_min_s, 1.5);  // 2 of 5
  samples.pop_back();
  EXPECT_DOUBLE_EQ(summarise(samples, 1).trimmed_min_s, 1.0);  // 1 of 4
}

TEST_F(RowRunner, ReferenceProtocolIsThreeWarmUpsAndOneUnblockedBatchOfTen) {
  const timing_rules rules = timing_rules::for_protocol(protocol_kind::kReference);
  row_runner runner(device_, rules, kSeed);
  runner.prepare(row_);
  device_.taken();
  EXPECT_EQ(runner.launches_per_round(row_), 10);
  const measurement result = body_of(runner, row_);
  EXPECT_EQ(device_.taken(),
            (calls{"condition", "run", "run", "run", "poison", "time 10", "compare"}));
  EXPECT_EQ(result.samples, 1);
  EXPECT_EQ(result.launches_per_sample, 10);
  EXPECT_EQ(result.cv, 0.0);
  EXPECT_FALSE(runner.lost_blocking(result)) << "nothing was to be blocked";
}

TEST_F(RowRunner, RoundIsTheSumOfItsSamples) {
  row_runner runner(device_, {}, kSeed);
  runner.launches_per_round(row_);
  std::vector<timed_sample> samples;
  EXPECT_DOUBLE_EQ(runner.time_round(row_, samples), 3 * 20 * 1e-4);
  EXPECT_DOUBLE_EQ(runner.time_round(row_, samples), 3 * 20 * 1e-4);
  EXPECT_EQ(samples.size(), 6u);
}

TEST_F(RowRunner, SampleThatWasNotBlockedIsTold) {
  row_runner runner(device_, {}, kSeed);
  runner.prepare(row_);
  EXPECT_FALSE(runner.lost_blocking(body_of(runner, row_)));
  device_.blocks = false;
  EXPECT_TRUE(runner.lost_blocking(body_of(runner, row_)));
}

// ---- What else a row is asked for

TEST_F(RowRunner, TotalsAreTheModelsAndAMoverHasNone) {
  row_runner runner(device_, {}, kSeed);
  const launch_totals* const totals =
      runner.totals(row_of("stride/copy/f32/stride:8", index_t{1} << 20));
  ASSERT_NE(totals, nullptr);
  EXPECT_EQ(totals->loads.requests, 32768u);
  EXPECT_EQ(totals->loads.sectors, 32u * 32768);
  EXPECT_EQ(runner.totals(row_of("memcpy/copy/f32")), nullptr);
  EXPECT_EQ(device_.taken(), calls{});
}

TEST_F(RowRunner, FootprintIsBothSidesOfTheRow) {
  row_runner runner(device_, {}, kSeed);
  EXPECT_EQ(runner.footprint_bytes(row_), 8000);
  EXPECT_EQ(runner.footprint_bytes(row_of("memcpy/copy/f64")), 16000);
  EXPECT_EQ(runner.footprint_bytes(row_of("contiguous/read/u8")), 1000);
}

// ---- Summaries, by hand

std::vector<timed_sample> samples_of(std::initializer_list<double> seconds) {
  std::vector<timed_sample> samples;
  for (const double elapsed_s : seconds) samples.push_back({elapsed_s, true});
  return samples;
}

TEST(Summary, OddNumberOfSamples) {
  const measurement result = summarise(samples_of({3, 1, 2}), 10);
  EXPECT_EQ(result.samples, 3);
  EXPECT_EQ(result.launches_per_sample, 10);
  EXPECT_DOUBLE_EQ(result.min_s, 0.1);
  EXPECT_DOUBLE_EQ(result.median_s, 0.2);
  EXPECT_DOUBLE_EQ(result.mean_s, 0.2);
  EXPECT_DOUBLE_EQ(result.cv, 0.5);  // standard deviation 0.1
  EXPECT_TRUE(result.all_blocked);
}

TEST(Summary, EvenNumberOfSamplesHasTheMiddleOfTwoAsMedian) {
  const measurement result = summarise(samples_of({8, 1, 4, 3}), 1);
  EXPECT_DOUBLE_EQ(result.min_s, 1);
  EXPECT_DOUBLE_EQ(result.median_s, 3.5);
  EXPECT_DOUBLE_EQ(result.mean_s, 4);
  EXPECT_NEAR(result.cv, 2.94392 / 4, 1e-6);  // sqrt(26 / 3)
}

TEST(Summary, OneSampleHasNoSpread) {
  const measurement result = summarise(samples_of({0.5}), 5);
  EXPECT_EQ(result.samples, 1);
  EXPECT_DOUBLE_EQ(result.min_s, 0.1);
  EXPECT_DOUBLE_EQ(result.median_s, 0.1);
  EXPECT_DOUBLE_EQ(result.mean_s, 0.1);
  EXPECT_EQ(result.cv, 0.0);
}

TEST(Summary, OneUnblockedSampleIsEnoughToSaySo) {
  auto samples = samples_of({1, 1});
  samples[1].blocked = false;
  EXPECT_FALSE(summarise(samples, 1).all_blocked);
}

// 2^24 bytes in a millisecond, timed in batches of ten.
TEST(Summary, RateIsOfOneLaunchInBytesPerSecond) {
  const measurement result = summarise(samples_of({10e-3, 10e-3}), 10);
  EXPECT_DOUBLE_EQ(result.rate(index_t{1} << 24), 16.777216e9);
  EXPECT_EQ(measurement{}.rate(1000), 0.0);
}

// ---- The tally

suite_row named(const std::string& name) { return {{}, name}; }

measurement mean_of(double seconds) {
  measurement result;
  result.mean_s = seconds;
  return result;
}

TEST(RunTally, CountsTheLatestOutcomeOfEachRow) {
  using enum run_tally::outcome;
  run_tally tally;
  tally.record_ok(named("a"), mean_of(1));
  tally.record_ok(named("a"), mean_of(2));
  tally.record("b", kSkipped);
  tally.record("c", kFailed);
  EXPECT_EQ(tally.count(kOk), 1);
  EXPECT_EQ(tally.count(kSkipped), 1);
  EXPECT_EQ(tally.count(kFailed), 1);
  EXPECT_EQ(tally.count(kInterrupted), 0);
  ASSERT_EQ(tally.finished().size(), 1u);
  EXPECT_EQ(tally.finished()[0].result.mean_s, 2);
}

// The library enters a body several times: a row may fail in a later one.
TEST(RunTally, RowThatFailsLaterLosesItsNumber) {
  using enum run_tally::outcome;
  run_tally tally;
  tally.record_ok(named("a"), mean_of(1));
  tally.record_ok(named("b"), mean_of(2));
  tally.record("a", kFailed);
  EXPECT_EQ(tally.count(kOk), 1);
  EXPECT_EQ(tally.count(kFailed), 1);
  ASSERT_EQ(tally.finished().size(), 1u);
  EXPECT_EQ(tally.finished()[0].row.name, "b");
}

}  // namespace
}  // namespace sectorbench
