// SPDX-License-Identifier: Apache-2.0
#include "bench/telemetry/cupti/kernel_trace.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "test/support/with_fake_cupti.hpp"

namespace sectorbench {
namespace {

using test::kFakeKernels;
using test::use_fake_cupti_scenario;

using records = std::vector<kernel_record>;

void nothing() {}

void expect_fake_kernels(const records& traced) {
  ASSERT_EQ(traced.size(), kFakeKernels.size());
  for (std::size_t i = 0; i < traced.size(); ++i) {
    EXPECT_EQ(traced[i].name, kFakeKernels[i].name);
    EXPECT_EQ(traced[i].start_ns, kFakeKernels[i].start_ns);
    EXPECT_EQ(traced[i].end_ns, kFakeKernels[i].end_ns);
  }
}

// The sums are exact but for the last bits of the conversion to seconds.

TEST(BatchTrace, KernelsAndGapsAddUpToWhatTheyCover) {
  // 2000, 2000 and 3000 ns with gaps of 500 and 700 between them: 8200 in all.
  const records three{{"a", 10'000, 12'000}, {"b", 12'500, 14'500}, {"c", 15'200, 18'200}};
  const batch_trace sum = summarise(three, 8.2e-6);
  EXPECT_EQ(sum.kernels, 3);
  EXPECT_DOUBLE_EQ(sum.kernel_s, 7000e-9 / 3);
  EXPECT_EQ(sum.longest.name, "c");
  EXPECT_DOUBLE_EQ(sum.gap_s, 600e-9);
  EXPECT_DOUBLE_EQ(sum.event_s, 8.2e-6);
  EXPECT_DOUBLE_EQ(sum.covered_s, 8.2e-6);
  EXPECT_NEAR(sum.disagreement(), 0, 1e-12);
}

TEST(BatchTrace, DisagreementIsAShareOfTheEventTime) {
  const records two{{"a", 0, 1000}, {"b", 1200, 2200}};  // 2200 ns
  EXPECT_NEAR(summarise(two, 2.0e-6).disagreement(), 0.1, 1e-12);
  EXPECT_NEAR(summarise(two, 2.5e-6).disagreement(), -0.12, 1e-12);
}

TEST(BatchTrace, WithoutAnEventTimeThereIsNoDisagreement) {
  const records one{{"a", 0, 1000}};
  EXPECT_EQ(summarise(one, 0).disagreement(), 0);
}

TEST(BatchTrace, SingleKernelHasNoGap) {
  const records one{{"a", 5'000, 9'000}};
  const batch_trace sum = summarise(one, 5e-6);
  EXPECT_EQ(sum.kernels, 1);
  EXPECT_DOUBLE_EQ(sum.kernel_s, 4e-6);
  EXPECT_EQ(sum.gap_s, 0);
  EXPECT_DOUBLE_EQ(sum.covered_s, 4e-6);
  EXPECT_NEAR(sum.disagreement(), -0.2, 1e-12);
}

TEST(BatchTrace, KernelsThatTouchOrOverlapHaveNoGapBetweenThem) {
  // The second begins as the first ends, the third 400 ns before the second ends; then 300 ns.
  const records four{{"a", 0, 1000}, {"b", 1000, 2000}, {"c", 1600, 2600}, {"d", 2900, 3900}};
  const batch_trace sum = summarise(four, 4e-6);
  EXPECT_EQ(sum.kernels, 4);
  EXPECT_DOUBLE_EQ(sum.kernel_s, 1e-6);
  EXPECT_DOUBLE_EQ(sum.gap_s, 100e-9);
  EXPECT_DOUBLE_EQ(sum.covered_s, 4.3e-6);
  EXPECT_NEAR(sum.disagreement(), 0.075, 1e-12);  // what overlaps counts twice
}

TEST(BatchTrace, LongTimesKeepTheirNanoseconds) {
  constexpr std::uint64_t kBoot = 1'750'000'000'000'000'000;
  const records two{{"a", kBoot, kBoot + 3510}, {"b", kBoot + 4600, kBoot + 8110}};
  const batch_trace sum = summarise(two, 8.11e-6);
  EXPECT_DOUBLE_EQ(sum.kernel_s, 3510e-9);
  EXPECT_DOUBLE_EQ(sum.gap_s, 1090e-9);
  EXPECT_DOUBLE_EQ(sum.covered_s, 8.11e-6);
}

class KernelTracer : public test::fake_cupti_test {};

TEST_F(KernelTracer, KernelsOfABatchComeInTheOrderOfTheirStart) {
  const auto tracer = open_kernel_tracer();
  int batches = 0;
  expect_fake_kernels(tracer->trace([&] { ++batches; }));
  EXPECT_EQ(batches, 1);
}

TEST_F(KernelTracer, EachTraceHasItsOwnKernelsOnly) {
  const auto tracer = open_kernel_tracer();
  expect_fake_kernels(tracer->trace(nothing));
  expect_fake_kernels(tracer->trace(nothing));
}

TEST_F(KernelTracer, TracingIsOnOnlyDuringTheBatch) {
  const auto on = [&] { return calls().tracing_enabled - calls().tracing_disabled; };
  const auto tracer = open_kernel_tracer();
  EXPECT_EQ(on(), 0);
  tracer->trace([&] { EXPECT_EQ(on(), 1); });
  EXPECT_EQ(on(), 0);
}

TEST_F(KernelTracer, ExceptionOfTheBatchPassesAndLeavesTracingOff) {
  const auto tracer = open_kernel_tracer();
  EXPECT_THROW(tracer->trace([] { throw std::domain_error("not launched"); }), std::domain_error);
  EXPECT_EQ(calls().tracing_enabled, calls().tracing_disabled);
}

TEST_F(KernelTracer, TraceAfterAFailedBatchHasItsOwnKernelsOnly) {
  const auto tracer = open_kernel_tracer();
  EXPECT_THROW(tracer->trace([] { throw std::domain_error("not launched"); }), std::domain_error);
  expect_fake_kernels(tracer->trace(nothing));
}

std::string obstacle_to_opening(const char* scenario) {
  use_fake_cupti_scenario(scenario);
  try {
    open_kernel_tracer();
  } catch (const cupti_unavailable& error) {
    return std::string(name_of(error.obstacle())) + ": " + error.what();
  }
  return "";
}

TEST_F(KernelTracer, OtherProfilerIsFoundWhenItIsOpened) {
  EXPECT_EQ(obstacle_to_opening("other_profiler"),
            "other_profiler: another profiler is attached (CUPTI 39, "
            "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED): run without it, or end it");
}

TEST_F(KernelTracer, NeedsNoPermissionToReadCounters) {
  EXPECT_EQ(obstacle_to_opening("permission"), "");
}

TEST_F(KernelTracer, EveryCallIsCheckedAndTracingIsOffAfterwards) {
  for (const std::string function :
       {"cuptiActivityRegisterCallbacks", "cuptiActivityEnable", "cuptiActivityFlushAll"}) {
    EXPECT_EQ(obstacle_to_opening(("fail:" + function + ":999").c_str()),
              "failed: " + function + ": CUPTI_ERROR_UNKNOWN (CUPTI 999)");
    EXPECT_EQ(calls().tracing_enabled, calls().tracing_disabled);
  }
  use_fake_cupti_scenario("healthy");
  open_kernel_tracer();
}

}  // namespace
}  // namespace sectorbench
