// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/runner.hpp"
#include "test/support/fake_backend.hpp"

namespace sectorbench {
namespace {

using test::calls;
using test::fake_backend;
using test::kSeed;
using test::switched_on;

row_spec row_of(std::string_view name) { return test::row_of(name, 1000); }

const char* const kMetric = "dram__bytes_read.sum";

class Observation : public testing::Test {
 protected:
  Observation() {
    device_.counting = device_.checking_clocks = switched_on();
    device_.counted = [](const program&) { return metric_values{{kMetric, 11}}; };
    device_.traced = [] { return batch_trace{20, 9e-5, 1e-5, 2e-3, 2e-3}; };
    device_.watched = device_reading{1.98e9, {}};
  }

  // One body, as the fixture runs it, up to what is observed.
  static void body_of(row_runner& runner, const row_spec& row) {
    runner.prepare(row);
    runner.launches_per_round(row);
    runner.warm_up(row);
    std::vector<timed_sample> samples;
    runner.time_round(row, samples);
    runner.finish(row, samples);
  }

  observation observed(row_runner& runner, const row_spec& row) {
    body_of(runner, row);
    device_.taken();
    return runner.observe(row);
  }

  fake_backend device_;
  const row_spec row_ = row_of("stride/copy/f32/stride:8");
};

TEST_F(Observation, WatchesThenTracesThenCounts) {
  row_runner runner(device_, {}, kSeed);
  const observation seen = observed(runner, row_);
  EXPECT_EQ(device_.taken(), (calls{"watch 20", "trace 20 blocked", "count"}));
  EXPECT_EQ(seen.metrics, (metric_values{{kMetric, 11}}));
  EXPECT_EQ(seen.counters_error, "");
  ASSERT_TRUE(seen.trace);
  EXPECT_EQ(seen.trace->kernels, 20);
  ASSERT_TRUE(seen.state);
  EXPECT_EQ(seen.state->sm_clock_hz, 1.98e9);
  EXPECT_EQ(seen.throttled, std::vector<std::string>{});
}

TEST_F(Observation, NothingOfItIsInTheTimedBody) {
  row_runner runner(device_, {}, kSeed);
  runner.prepare(row_);
  device_.taken();
  body_of(runner, row_);
  EXPECT_EQ(device_.taken(),
            (calls{"activate", "time 1", "condition", "run", "run", "run", "poison",
                   "time 20 blocked", "time 20 blocked", "time 20 blocked", "compare"}));
}

TEST_F(Observation, TraceIsHeldAsTheSamplesAre) {
  timing_rules rules;
  rules.blocking = false;
  row_runner runner(device_, rules, kSeed);
  observed(runner, row_);
  EXPECT_EQ(device_.taken(), (calls{"watch 20", "trace 20", "count"}));
}

TEST_F(Observation, CountersAndTraceAreReadOnceAndTheConditionEachTime) {
  row_runner runner(device_, {}, kSeed);
  observed(runner, row_);
  device_.counted = [](const program&) { return metric_values{{kMetric, 12}}; };
  device_.traced = [] { return batch_trace{}; };
  device_.watched->sm_clock_hz = 1.5e9;
  for (int body = 0; body < 2; ++body) {
    const observation seen = observed(runner, row_);
    EXPECT_EQ(device_.taken(), calls{"watch 20"});
    EXPECT_EQ(seen.metrics, (metric_values{{kMetric, 11}}));
    ASSERT_TRUE(seen.trace);
    EXPECT_EQ(seen.trace->kernels, 20);
    EXPECT_EQ(seen.state.value().sm_clock_hz, 1.5e9);
  }
  EXPECT_EQ(runner.counted_rows(), 1);
}

TEST_F(Observation, EachRowHasItsOwn) {
  row_runner runner(device_, {}, kSeed);
  double reading = 0;
  device_.counted = [&](const program&) { return metric_values{{kMetric, ++reading}}; };
  EXPECT_EQ(observed(runner, row_).metrics.at(kMetric), 1);
  EXPECT_EQ(observed(runner, row_of("stride/copy/u8/stride:8")).metrics.at(kMetric), 2);
  EXPECT_EQ(device_.taken(), (calls{"watch 20", "trace 20 blocked", "count"}));
  EXPECT_EQ(observed(runner, row_).metrics.at(kMetric), 1);
  EXPECT_EQ(runner.counted_rows(), 2);
}

TEST_F(Observation, ReferencesAreNotObserved) {
  row_runner runner(device_, {}, kSeed);
  runner.reference(row_);
  for (const std::string& call : device_.taken())
    EXPECT_FALSE(call.starts_with("watch") || call.starts_with("trace") || call == "count") << call;
  EXPECT_EQ(runner.counted_rows(), 0);
}

TEST_F(Observation, MoverIsWatchedAndNeitherTracedNorCounted) {
  row_runner runner(device_, {}, kSeed);
  const observation seen = observed(runner, row_of("memcpy/copy/f32"));
  EXPECT_EQ(device_.taken(), calls{"watch 20"});
  EXPECT_TRUE(seen.state);
  EXPECT_FALSE(seen.trace);
  EXPECT_TRUE(seen.metrics.empty());
  EXPECT_EQ(seen.counters_error, "");
  EXPECT_EQ(runner.counted_rows(), 0);
}

TEST_F(Observation, WhatIsOffIsNotAskedFor) {
  device_.counting = {};
  {
    row_runner runner(device_, {}, kSeed);
    const observation seen = observed(runner, row_);
    EXPECT_EQ(device_.taken(), (calls{"watch 20", "trace 20 blocked"}));
    EXPECT_TRUE(seen.metrics.empty());
    EXPECT_EQ(seen.counters_error, "");
  }
  device_.counting = switched_on();
  device_.checking_clocks = {};
  device_.watched.reset();
  row_runner runner(device_, {}, kSeed);
  const observation seen = observed(runner, row_);
  EXPECT_EQ(device_.taken(), (calls{"watch 20", "count"}));
  EXPECT_FALSE(seen.trace);
  EXPECT_FALSE(seen.state);
  EXPECT_EQ(seen.metrics.at(kMetric), 11);
}

TEST_F(Observation, ReadingThatFailsIsRememberedAndNotTriedAgain) {
  row_runner runner(device_, {}, kSeed);
  device_.counted = [](const program&) -> metric_values {
    throw cupti_unavailable(cupti_obstacle::kFailed, "the last range was dropped");
  };
  for (int body = 0; body < 3; ++body) {
    const observation seen = observed(runner, row_);
    EXPECT_EQ(seen.counters_error, "the last range was dropped");
    EXPECT_TRUE(seen.metrics.empty());
    EXPECT_TRUE(seen.trace) << "another reading fell with it";
    EXPECT_EQ(device_.taken(),
              body == 0 ? (calls{"watch 20", "trace 20 blocked", "count"}) : calls{"watch 20"});
    device_.counted = [](const program&) { return metric_values{{kMetric, 1}}; };
  }
  EXPECT_EQ(observed(runner, row_of("contiguous/copy/f32")).counters_error, "")
      << "another row has its error";
}

TEST_F(Observation, TraceThatFailsIsNotTriedAgainAndCostsNothingElse) {
  row_runner runner(device_, {}, kSeed);
  device_.traced = []() -> batch_trace {
    throw cupti_unavailable(cupti_obstacle::kFailed, "no kernel was recorded");
  };
  for (int body = 0; body < 2; ++body) {
    const observation seen = observed(runner, row_);
    EXPECT_FALSE(seen.trace);
    EXPECT_EQ(seen.counters_error, "");
    EXPECT_EQ(seen.metrics.at(kMetric), 11);
    EXPECT_EQ(device_.taken(),
              body == 0 ? (calls{"watch 20", "trace 20 blocked", "count"}) : calls{"watch 20"});
  }
}

TEST_F(Observation, OtherErrorsPass) {
  row_runner runner(device_, {}, kSeed);
  device_.counted = [](const program&) -> metric_values { throw std::runtime_error("driver"); };
  EXPECT_THROW(observed(runner, row_), std::runtime_error);
  EXPECT_EQ(runner.counted_rows(), 0);
}

TEST_F(Observation, ThatIsNotWantedAsksForNothing) {
  timing_rules rules;
  rules.observe = false;
  row_runner runner(device_, rules, kSeed);
  body_of(runner, row_);
  for (const std::string& call : device_.taken()) EXPECT_NE(call, "condition");
  const observation seen = runner.observe(row_);
  EXPECT_EQ(device_.taken(), calls{});
  EXPECT_TRUE(seen.metrics.empty());
  EXPECT_FALSE(seen.trace);
  EXPECT_FALSE(seen.state);
  EXPECT_EQ(runner.counted_rows(), 0);
  EXPECT_EQ(runner.counting_s(), 0);
}

TEST_F(Observation, ThrottlingIsThatSinceTheBodysWarmUp) {
  row_runner runner(device_, {}, kSeed);
  device_.condition_now.power_throttled_ns = 100;
  device_.watched->condition.power_throttled_ns = 101;
  EXPECT_EQ(observed(runner, row_).throttled, std::vector<std::string>{"power"});
  device_.condition_now.power_throttled_ns = 101;
  EXPECT_EQ(observed(runner, row_).throttled, std::vector<std::string>{});
  device_.watched->condition.clock_event_reasons = 0x20;
  EXPECT_EQ(observed(runner, row_).throttled, std::vector<std::string>{"thermal"});
}

TEST_F(Observation, ThrottlingOfAMoverIsToldToo) {
  row_runner runner(device_, {}, kSeed);
  device_.watched->condition.clock_event_reasons = 0x4;
  EXPECT_EQ(observed(runner, row_of("memcpy/copy/f32")).throttled,
            std::vector<std::string>{"power"});
}

// ---- Why clocks were held down

struct look {
  std::optional<std::uint64_t> reasons, power_ns, thermal_ns;
};

std::string throttled(const look& before, const look& after) {
  const auto condition_of = [](const look& one) {
    gpu_condition condition;
    condition.clock_event_reasons = one.reasons;
    condition.power_throttled_ns = one.power_ns;
    condition.thermal_throttled_ns = one.thermal_ns;
    return condition;
  };
  std::string text;
  for (const std::string& reason : throttled_between(condition_of(before), condition_of(after)))
    text += (text.empty() ? "" : ", ") + reason;
  return text;
}

TEST(ThrottledBetween, ReasonsAreThoseOfTheSecondLook) {
  EXPECT_EQ(throttled({}, {0x0, {}, {}}), "");
  EXPECT_EQ(throttled({}, {0x4, {}, {}}), "power");
  EXPECT_EQ(throttled({}, {0x24, {}, {}}), "power, thermal");
  EXPECT_EQ(throttled({}, {0xc8, {}, {}}), "hardware slowdown, hardware thermal, power brake");
  EXPECT_EQ(throttled({0x4, {}, {}}, {0x20, {}, {}}), "thermal");
  EXPECT_EQ(throttled({0x4, {}, {}}, {}), "");
}

TEST(ThrottledBetween, IdlenessAndChosenClocksAreNoReasons) {
  EXPECT_EQ(throttled({}, {0x3, {}, {}}), "");
}

TEST(ThrottledBetween, CountersThatGrewAreReasons) {
  EXPECT_EQ(throttled({{}, 10, 20}, {{}, 11, 20}), "power");
  EXPECT_EQ(throttled({{}, 10, 20}, {{}, 10, 21}), "thermal");
  EXPECT_EQ(throttled({{}, 10, 20}, {{}, 12, 22}), "power, thermal");
  EXPECT_EQ(throttled({{}, 0, 0}, {{}, 1, 1}), "power, thermal");
}

TEST(ThrottledBetween, CountersThatDidNotGrowAreNone) {
  EXPECT_EQ(throttled({{}, 10, 20}, {{}, 10, 20}), "");
  EXPECT_EQ(throttled({{}, 10, 20}, {{}, 9, 0}), "");  // the driver was loaded anew
}

TEST(ThrottledBetween, CounterThatIsAbsentInEitherLookTellsNothing) {
  EXPECT_EQ(throttled({}, {{}, 10, 20}), "");
  EXPECT_EQ(throttled({{}, 10, 20}, {}), "");
  EXPECT_EQ(throttled({}, {}), "");
  EXPECT_EQ(throttled({{}, {}, 20}, {{}, 10, 21}), "thermal");
}

TEST(ThrottledBetween, ReasonOfBothKindsStandsOnce) {
  EXPECT_EQ(throttled({{}, 10, 20}, {0x24, 11, 21}), "power, thermal");
  EXPECT_EQ(throttled({{}, 10, 20}, {0x20, 11, 20}), "thermal, power");
}

// ---- Protocols

TEST(Protocols, OnlyProfileLeavesReferencesAndObservationOut) {
  for (const protocol_kind protocol : {protocol_kind::kDefault, protocol_kind::kReference}) {
    EXPECT_TRUE(timing_rules::for_protocol(protocol).references);
    EXPECT_TRUE(timing_rules::for_protocol(protocol).observe);
  }
  const timing_rules rules = timing_rules::for_protocol(protocol_kind::kProfile);
  EXPECT_FALSE(rules.references);
  EXPECT_FALSE(rules.observe);
  EXPECT_FALSE(rules.blocking);
  EXPECT_EQ(rules.fixed_launches, 1);
  EXPECT_EQ(rules.samples_per_round, 1);
  EXPECT_EQ(rules.warmup_launches, 1);
}

TEST_F(Observation, ProfileProtocolIsOneWarmUpAndOneUnblockedLaunch) {
  row_runner runner(device_, timing_rules::for_protocol(protocol_kind::kProfile), kSeed);
  runner.prepare(row_);
  device_.taken();
  body_of(runner, row_);
  EXPECT_EQ(device_.taken(), (calls{"activate", "run", "poison", "time 1", "compare"}));
  runner.observe(row_);
  EXPECT_EQ(device_.taken(), calls{});
  EXPECT_EQ(runner.known(row_)->samples, 1);
}

TEST_F(Observation, WithoutReferencesNoneIsMeasured) {
  timing_rules rules;
  rules.references = false;
  row_runner runner(device_, rules, kSeed);
  EXPECT_EQ(runner.reference(row_).samples, 0);
  EXPECT_EQ(runner.known(row_), nullptr);
  EXPECT_EQ(device_.taken(), calls{});
}

// With several GPUs another one may have been used since.
TEST_F(Observation, DeviceIsActivatedBeforeAnythingElse) {
  row_runner runner(device_, {}, kSeed);
  runner.prepare(row_);
  ASSERT_FALSE(device_.asked.empty());
  EXPECT_EQ(device_.taken().front(), "activate");
  runner.reference(row_of("contiguous/copy/f32"));
  ASSERT_FALSE(device_.asked.empty());
  EXPECT_EQ(device_.taken().front(), "activate");
  runner.prepare(row_);
  EXPECT_EQ(device_.taken(), (calls{"activate", "acquire", "fill"}));
  runner.prepare(row_);
  EXPECT_EQ(device_.taken(), calls{"activate"});
}

}  // namespace
}  // namespace sectorbench
