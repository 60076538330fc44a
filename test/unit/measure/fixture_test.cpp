// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/support/interrupt.hpp"
#include "kernels/own_kernel.hpp"
#include "test/support/fake_backend.hpp"

namespace sectorbench {
namespace {

using test::fake_backend;
using test::kSeed;
using test::switched_on;

using texts = std::vector<std::string>;

// 1024 floats at stride 8: 32 requests of 32 sectors on each side, 8192 useful bytes.
constexpr const char* kRow = "stride/copy/f32/stride:8";
constexpr const char* kMover = "memcpy/copy/f32";
constexpr index_t kElements = 1024;

constexpr std::string_view kLoadRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr std::string_view kLoadSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr std::string_view kStoreRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
constexpr std::string_view kStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";

metric_values right_metrics() {
  metric_values metrics;
  metrics.emplace(kLoadRequests, 32);
  metrics.emplace(kLoadSectors, 1024);
  metrics.emplace(kStoreRequests, 32);
  metrics.emplace(kStoreSectors, 1024);
  metrics.emplace("dram__bytes_read.sum", 4096);
  metrics.emplace("dram__bytes_write.sum", 12288);
  return metrics;
}

class collecting_reporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    rows.insert(rows.end(), runs.begin(), runs.end());
  }
  std::vector<benchmark_run> rows;
};

bool has(const benchmark_run& row, const std::string& key) { return row.counters.contains(key); }

double value_of(const benchmark_run& row, const std::string& key) {
  const auto found = row.counters.find(key);
  if (found != row.counters.end()) return found->second.value;
  ADD_FAILURE() << key << " has no value";
  return -1;
}

// Rows run through the library as the program runs them, on a device that does what a test wants.
class RowFixture : public testing::Test {
 protected:
  std::vector<benchmark_run> run(const std::vector<row_spec>& rows) {
    row_runner runner(device_, timing_, kSeed, model_);
    for (const row_spec& spec : rows) {
      const auto fixture =
          std::make_shared<row_fixture>(suite_row{spec, spec.name()}, runner, tally_, rules_);
      benchmark::RegisterBenchmark(spec.name().c_str(),
                                   [fixture](benchmark::State& state) { fixture->Run(state); })
          ->UseManualTime()
          ->MinTime(min_time_s_);
    }
    collecting_reporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    benchmark::ClearRegisteredBenchmarks();
    EXPECT_EQ(reporter.rows.size(), rows.size());
    for (const benchmark_run& row : reporter.rows)
      EXPECT_TRUE(row_label::parse(row.report_label)) << row.report_label;
    return reporter.rows;
  }

  benchmark_run run(const char* name = kRow, index_t elements = kElements) {
    return run(std::vector{test::row_of(name, elements)}).at(0);
  }

  std::string label_of(const char* name = kRow, index_t elements = kElements) {
    const benchmark_run row = run(name, elements);
    EXPECT_EQ(state_of(row), row_state::kMeasured) << message_of(row);
    return row.report_label;
  }

  void count(const metric_values& metrics) {
    device_.counting = switched_on();
    device_.counted = [metrics](const program&) { return metrics; };
  }
  void trace(const batch_trace& result) {
    device_.checking_clocks = switched_on();
    device_.traced = [result] { return result; };
  }
  void take(double launch_s) {
    device_.seconds = [launch_s](int launches) { return launches * launch_s; };
  }

  fake_backend device_;
  std::shared_ptr<const predictor> model_;
  run_tally tally_;
  timing_rules timing_;
  fixture_rules rules_;
  double min_time_s_ = 1e-4;
};

using RowLabels = RowFixture;
using RowCounting = RowFixture;

// ---- What each row says

TEST_F(RowFixture, QuietRowHasNumbersAndNoLabel) {
  const benchmark_run row = run();
  EXPECT_EQ(state_of(row), row_state::kMeasured) << message_of(row);
  EXPECT_EQ(row.report_label, "");
  EXPECT_EQ(row.run_name.function_name, kRow);
  EXPECT_NEAR(row.real_accumulated_time / static_cast<double>(row.iterations), 1e-4, 1e-12);
  EXPECT_EQ(value_of(row, "elements"), 1024);
  EXPECT_EQ(value_of(row, "access_bytes"), 4);
  EXPECT_EQ(value_of(row, "launch_threads"), 2048);
  EXPECT_EQ(value_of(row, "block_threads"), 256);
  EXPECT_EQ(value_of(row, "useful_bytes"), 8192);
  EXPECT_NEAR(value_of(row, "useful_bytes_per_second"), 8192e4, 1);
  EXPECT_NEAR(value_of(row, "bytes_per_second"), 8192e4, 1);
  EXPECT_NEAR(value_of(row, "items_per_second"), 1024e4, 1);
  EXPECT_EQ(value_of(row, "launches_per_sample"), 20);  // that fill 2 ms
  EXPECT_EQ(value_of(row, "samples"), 3);
  EXPECT_EQ(value_of(row, "load_sectors_predicted"), 1024);
  EXPECT_EQ(value_of(row, "efficiency_predicted"), 0.125);
  EXPECT_EQ(value_of(row, "verified"), 1);
  // The references take as long and move as many bytes.
  EXPECT_NEAR(value_of(row, "fraction_of_stride1"), 1, 1e-12);
  EXPECT_NEAR(value_of(row, "fraction_of_ceiling"), 1, 1e-12);
  EXPECT_EQ(value_of(row, "fraction_of_peak"), 0);
  EXPECT_EQ(tally_.count(run_tally::outcome::kOk), 1);
  ASSERT_EQ(tally_.finished().size(), 1u);
  EXPECT_NEAR(tally_.finished()[0].result.mean_s, 1e-4, 1e-12);
}

TEST_F(RowFixture, RowOfTheCpuSaysHowDisturbedItWas) {
  device_.disturbed = [] { return 0.25; };
  const benchmark_run row = run();
  EXPECT_EQ(value_of(row, "disturbed"), 0.25);
  EXPECT_GT(value_of(row, "samples_discarded"), 0);
  EXPECT_EQ(value_of(row, "fraction_of_stride1"), 0) << "a disturbed reference is none";
  EXPECT_EQ(value_of(row, "fraction_of_ceiling"), 0);
  EXPECT_EQ(row.report_label, "disturbed=25 %;references=disturbed");
  ASSERT_EQ(tally_.finished().size(), 1u);
  EXPECT_TRUE(is_disturbed(tally_.finished()[0].result));
}

TEST_F(RowFixture, KeysOfEveryRowAreThereAndOthersOnlyWhereTheyAreRead) {
  const benchmark_run row = run();
  ASSERT_FALSE(kCounters.empty());
  for (const counter_spec& counter : kCounters)
    EXPECT_EQ(has(row, std::string(counter.key)), counter.set == counter_set::kEvery)
        << counter.key;
  for (const auto& [key, value] : row.counters)
    EXPECT_EQ(key.find("_measured"), std::string::npos) << key;
  const auto every = std::ranges::count(kCounters, counter_set::kEvery, &counter_spec::set);
  EXPECT_EQ(row.counters.size(), static_cast<std::size_t>(every) + 2)
      << "the library's own are bytes and items per second";
}

TEST_F(RowFixture, RowOnAGpuHasItsNumberAndState) {
  device_.number = 1;
  device_.watched = device_reading{1.98e9, {}};
  device_.watched->condition.temperature_c = 41;
  device_.watched->condition.memory_clock_mhz = 3201;
  const benchmark_run row = run();
  EXPECT_EQ(value_of(row, "gpu_index"), 1);
  EXPECT_EQ(value_of(row, "sm_clock_hz"), 1.98e9);
  EXPECT_EQ(value_of(row, "temperature_c"), 41);
  EXPECT_EQ(value_of(row, "memory_clock_hz"), 3.201e9);
  EXPECT_FALSE(has(row, "power_w"));
  EXPECT_FALSE(has(row, "throttle_reasons"));
  EXPECT_EQ(row.report_label, "");
}

TEST_F(RowFixture, RowsAreObservedAfterTheirTimesAreTaken) {
  count(right_metrics());
  trace({1, 1, 0, 1, 1});
  device_.watched = device_reading{};
  const row_spec stride_one = test::row_of("stride/copy/f32/stride:1", kElements);
  timing_.references = false;
  run({stride_one});
  const test::calls asked = device_.taken();
  const test::calls end{"time 20 blocked", "compare", "watch 20", "trace 20 blocked", "count"};
  ASSERT_GT(asked.size(), end.size());
  EXPECT_EQ(test::calls(asked.end() - 5, asked.end()), end);
}

// ---- Counters

TEST_F(RowCounting, CountsThatEqualTheModelNeedNoLabel) {
  count(right_metrics());
  const benchmark_run row = run();
  EXPECT_EQ(row.report_label, "");
  EXPECT_EQ(value_of(row, "counters_equal_model"), 1);
  EXPECT_EQ(value_of(row, "load_requests_measured"), 32);
  EXPECT_EQ(value_of(row, "load_sectors_measured"), 1024);
  EXPECT_EQ(value_of(row, "store_sectors_measured"), 1024);
  EXPECT_EQ(value_of(row, "sector_bytes_measured"), 65536);
  EXPECT_EQ(value_of(row, "bytes_used_per_sector_measured"), 4);
  EXPECT_EQ(value_of(row, "dram_amplification_measured"), 2);
  EXPECT_NEAR(value_of(row, "dram_bytes_per_second_measured"), 16384e4, 1);
  EXPECT_EQ(value_of(row, "dram_fraction_of_peak_measured"), 0);
  EXPECT_EQ(tally_.compared(), 1);
  EXPECT_EQ(tally_.differences(), texts{});
}

TEST_F(RowCounting, PeakOfTheDeviceIsWhatDramRatesAreComparedWith) {
  count(right_metrics());
  device_.peak = 16384e5;
  EXPECT_NEAR(value_of(run(), "dram_fraction_of_peak_measured"), 0.1, 1e-9);
}

TEST_F(RowCounting, MismatchIsInTheLabelTheCountersAndTheTally) {
  metric_values metrics = right_metrics();
  metrics.find(kLoadSectors)->second = 1025;
  count(metrics);
  const benchmark_run row = run();
  EXPECT_EQ(state_of(row), row_state::kMeasured);
  EXPECT_EQ(row.report_label, "mismatch=load_sectors");
  EXPECT_EQ(value_of(row, "counters_equal_model"), 0);
  EXPECT_EQ(value_of(row, "load_sectors_measured"), 1025);
  EXPECT_EQ(tally_.compared(), 1);
  EXPECT_EQ(tally_.differences(),
            texts{"stride/copy/f32/stride:8: load_sectors 1025 counted, 1024 predicted"});
  EXPECT_EQ(tally_.count(run_tally::outcome::kOk), 1);
}

TEST_F(RowCounting, SeveralMismatchesAreAllNamed) {
  metric_values metrics = right_metrics();
  metrics.find(kStoreRequests)->second = 0;
  metrics.find(kLoadSectors)->second = 128;
  count(metrics);
  EXPECT_EQ(label_of(), "mismatch=load_sectors,store_requests");
  EXPECT_EQ(tally_.differences(),
            texts{"stride/copy/f32/stride:8: load_sectors 128 counted, 1024 predicted, "
                  "store_requests 0 counted, 32 predicted"});
}

// The row's time stands, and no key is 0 in the place of a count.
TEST_F(RowCounting, ReadingThatFailsLeavesTheTimeAndNoKeys) {
  device_.counting = switched_on();
  device_.counted = [](const program&) -> metric_values {
    throw cupti_unavailable(cupti_obstacle::kFailed, "CUPTI returned 0 of 1 readings");
  };
  const benchmark_run row = run();
  EXPECT_EQ(state_of(row), row_state::kMeasured);
  EXPECT_EQ(row.report_label, "counters=failed");
  EXPECT_NEAR(value_of(row, "useful_bytes_per_second"), 8192e4, 1);
  for (const counter_spec& counter : kCounters)
    EXPECT_EQ(has(row, std::string(counter.key)), counter.set == counter_set::kEvery)
        << counter.key;
  EXPECT_EQ(tally_.compared(), 1);
  EXPECT_EQ(tally_.differences(),
            texts{"stride/copy/f32/stride:8: CUPTI returned 0 of 1 readings"});
  EXPECT_EQ(tally_.count(run_tally::outcome::kOk), 1);
}

TEST_F(RowCounting, ReadingThatFailsIsOneRowsAndNotTheNexts) {
  device_.counting = switched_on();
  device_.counted = [](const program& body) -> metric_values {
    if (body.type() == element_type::kF64)
      throw cupti_unavailable(cupti_obstacle::kFailed, "dropped");
    return right_metrics();
  };
  const auto rows =
      run({test::row_of("stride/copy/f64/stride:8", kElements), test::row_of(kRow, kElements)});
  EXPECT_EQ(rows.at(0).report_label, "counters=failed");
  EXPECT_EQ(rows.at(1).report_label, "");
  EXPECT_EQ(value_of(rows.at(1), "counters_equal_model"), 1);
  EXPECT_EQ(tally_.compared(), 2);
  EXPECT_EQ(tally_.differences(), texts{"stride/copy/f64/stride:8: dropped"});
}

TEST_F(RowCounting, OtherErrorOfAReadingFailsTheRow) {
  device_.counting = switched_on();
  device_.counted = [](const program&) -> metric_values { throw std::runtime_error("driver"); };
  const benchmark_run row = run();
  EXPECT_EQ(state_of(row), row_state::kFailed);
  EXPECT_EQ(message_of(row), "driver");
  EXPECT_EQ(tally_.count(run_tally::outcome::kFailed), 1);
  EXPECT_TRUE(tally_.finished().empty());
}

TEST_F(RowCounting, MoverSaysWhyItHasNone) {
  count(right_metrics());
  const benchmark_run row = run(kMover);
  EXPECT_EQ(row.report_label, "mover=1;counters=not load/store unit");
  for (const auto& [key, value] : row.counters)
    EXPECT_EQ(key.find("_measured"), std::string::npos) << key;
  EXPECT_FALSE(has(row, "counters_equal_model"));
  EXPECT_EQ(value_of(row, "load_sectors_predicted"), 0);
  EXPECT_EQ(value_of(row, "access_bytes"), 0);
  EXPECT_EQ(tally_.compared(), 0);
  EXPECT_EQ(std::ranges::count(device_.asked, "count"), 0);
}

// A kernel that declares these bytes, without a check.
kernel declaring(kernel_bytes bytes) {
  return {.name = "mine",
          .summary = "for a test",
          .buffers =
              [](const kernel_parameters&) {
                return std::vector{input<float>("x", 1024), output<float>("y", 1024)};
              },
          .bytes = [bytes](const kernel_parameters&) { return bytes; },
          .run_on_host = [](const kernel_arguments&) {}};
}
// As many sectors as 1024 threads touch at stride 8.
metric_values metrics_of_kernel() {
  metric_values metrics = right_metrics();
  metrics.emplace("lts__t_sectors_srcunit_tex_op_read.sum", 1024);
  metrics.emplace("lts__t_sectors_srcunit_tex_op_write.sum", 1024);
  return metrics;
}

TEST_F(RowCounting, KernelHasItsCountsAndNoModelToEqual) {
  count(metrics_of_kernel());
  const own_kernel mine(declaring({4096, 4096}), "here");
  const benchmark_run row = run(std::vector{row_of_own(mine.entry(), {})}).at(0);
  EXPECT_EQ(state_of(row), row_state::kMeasured) << message_of(row);
  EXPECT_EQ(row.report_label, "kernel=1;unverified=it has no check");
  EXPECT_EQ(value_of(row, "useful_bytes"), 8192);
  EXPECT_EQ(value_of(row, "load_sectors_measured"), 1024);
  EXPECT_EQ(value_of(row, "bytes_used_per_sector_measured"), 4);
  EXPECT_EQ(value_of(row, "verified"), 0);
  EXPECT_FALSE(has(row, "counters_equal_model"));
  EXPECT_EQ(tally_.compared(), 0);
  EXPECT_EQ(tally_.unverified(), 1);
}

TEST_F(RowCounting, KernelThatDeclaresMoreThanWasCountedFails) {
  count(metrics_of_kernel());
  const own_kernel mine(declaring({32 * 1024 + 1, 4096}), "here");
  const benchmark_run row = run(std::vector{row_of_own(mine.entry(), {})}).at(0);
  EXPECT_EQ(state_of(row), row_state::kFailed);
  EXPECT_NE(message_of(row).find("32769 useful bytes"), std::string::npos) << message_of(row);
  EXPECT_EQ(tally_.count(run_tally::outcome::kFailed), 1);
}

TEST_F(RowFixture, KernelThatIsNotHeldWithItsQueueFails) {
  const own_kernel mine(declaring({4096, 4096}), "here");
  const row_spec spec = row_of_own(mine.entry(), {});
  EXPECT_EQ(state_of(run(std::vector{spec}).at(0)), row_state::kMeasured);
  device_.leaks = true;
  const benchmark_run row = run(std::vector{spec}).at(0);
  EXPECT_EQ(state_of(row), row_state::kFailed);
  EXPECT_NE(message_of(row).find("stream"), std::string::npos) << message_of(row);
}

// In 100 us an H200 could do far more than this.
TEST_F(RowCounting, KernelIsJudgedByItsCounts) {
  count(metrics_of_kernel());
  take(100e-6);
  model_ = std::make_shared<const predictor>(find_device("h200"), "a test");
  const own_kernel mine(declaring({4096, 4096}), "here");
  const benchmark_run row = run(std::vector{row_of_own(mine.entry(), {})}).at(0);
  EXPECT_NE(row.report_label.find("limited_by=in_flight"), std::string::npos) << row.report_label;
  EXPECT_FALSE(has(row, "time_predicted_low_s"));  // nothing predicts it
}

TEST_F(RowCounting, KernelIsHeldAgainstTheRowThatItNames) {
  count(metrics_of_kernel());
  kernel named = declaring({4096, 4096});
  std::string row_name = "stride/copy/f32/stride:8/elements:1024";
  named.accesses = [&](const kernel_parameters&) { return row_name; };
  const own_kernel mine(named, "here");
  const benchmark_run equal = run(std::vector{row_of_own(mine.entry(), {})}).at(0);
  EXPECT_EQ(value_of(equal, "counters_equal_model"), 1) << message_of(equal);
  row_name = "stride/copy/f32/stride:1/elements:1024";
  const benchmark_run other = run(std::vector{row_of_own(mine.entry(), {})}).at(0);
  EXPECT_EQ(value_of(other, "counters_equal_model"), 0);
  EXPECT_EQ(tally_.differences().size(), 1U);
}

TEST_F(RowCounting, MoverOfARunWithoutCountersSaysNothingOfThem) {
  EXPECT_EQ(label_of(kMover), "mover=1");
}

TEST_F(RowCounting, CountersThatAreOffAreNeitherReadNorToldOf) {
  device_.counting = {false, "permission", "no permission to read GPU counters"};
  device_.counted = [](const program&) { return right_metrics(); };
  const benchmark_run row = run();
  EXPECT_EQ(row.report_label, "");
  EXPECT_FALSE(has(row, "load_sectors_measured"));
  EXPECT_EQ(tally_.compared(), 0);
  EXPECT_EQ(std::ranges::count(device_.asked, "count"), 0);
}

TEST_F(RowCounting, MetricsBesideTheTablesKeepTheirNames) {
  metric_values metrics = right_metrics();
  metrics["lts__t_sectors_op_read.sum"] = 77;
  metrics["smsp__cycles_active.avg"] = 0.5;
  count(metrics);
  const benchmark_run row = run();
  EXPECT_EQ(value_of(row, "lts__t_sectors_op_read.sum"), 77);
  EXPECT_EQ(value_of(row, "smsp__cycles_active.avg"), 0.5);
  EXPECT_FALSE(has(row, std::string(kLoadSectors)));
  EXPECT_FALSE(has(row, "dram__bytes_read.sum"));
  EXPECT_EQ(row.report_label, "");
}

TEST_F(RowCounting, MetricThatTheChipLacksLeavesItsKeysOut) {
  metric_values metrics = right_metrics();
  metrics.erase("dram__bytes_write.sum");
  count(metrics);
  const benchmark_run row = run();
  EXPECT_EQ(value_of(row, "dram_read_bytes_measured"), 4096);
  EXPECT_FALSE(has(row, "dram_write_bytes_measured"));
  EXPECT_FALSE(has(row, "dram_bytes_measured"));
  EXPECT_FALSE(has(row, "dram_amplification_measured"));
  EXPECT_EQ(value_of(row, "counters_equal_model"), 1);
  EXPECT_EQ(row.report_label, "");
}

// 32 requests for the list, of 4 sectors each; the elements are only stored.
TEST_F(RowCounting, IndexListsAreLoadsOfTheirOwn) {
  const launch_totals model =
      make_workload(test::row_of("random/write/f32", kElements))->meaning().totals();
  metric_values metrics = right_metrics();
  metrics.find(kLoadSectors)->second = 128;
  metrics.find(kStoreSectors)->second = static_cast<double>(model.stores.sectors);
  count(metrics);
  const benchmark_run row = run("random/write/f32");
  EXPECT_EQ(row.report_label, "");
  EXPECT_EQ(value_of(row, "index_bytes"), 4096);
  EXPECT_EQ(value_of(row, "useful_bytes"), 4096);
  EXPECT_EQ(value_of(row, "index_requests_predicted"), 32);
  EXPECT_EQ(value_of(row, "index_sectors_predicted"), 128);
  EXPECT_EQ(value_of(row, "load_requests_predicted"), 0);
  EXPECT_EQ(value_of(row, "load_requests_measured"), 32);
  EXPECT_EQ(value_of(row, "counters_equal_model"), 1);
}

// The library enters a body as often as it likes.
TEST_F(RowCounting, RowIsCountedOnceHoweverOftenItsBodyRuns) {
  count(right_metrics());
  min_time_s_ = 1;
  timing_.references = false;
  EXPECT_EQ(label_of(), "");
  EXPECT_EQ(std::ranges::count(device_.asked, "count"), 1);
  EXPECT_GT(std::ranges::count(device_.asked, "watch 20"), 1);
  EXPECT_EQ(tally_.compared(), 1);
}

// ---- Labels

TEST_F(RowLabels, WorkingSetThatFitsInTheLastCache) {
  device_.cache = "l2";
  device_.peak = 1e9;
  device_.cache_bytes = 8192;
  const benchmark_run inside = run();
  EXPECT_EQ(inside.report_label, "cache_resident=l2");
  EXPECT_EQ(value_of(inside, "fraction_of_peak"), 0);
  device_.cache_bytes = 8191;
  const benchmark_run outside = run();
  EXPECT_EQ(outside.report_label, "");
  EXPECT_NEAR(value_of(outside, "fraction_of_peak"), 0.08192, 1e-9);
  device_.cache_bytes = 8191;
  EXPECT_EQ(label_of("contiguous/read/f32", 2047), "cache_resident=l2");
}

// 16 MiB written in 8.182 us to a memory of 1792 GB/s.
TEST_F(RowLabels, RateAboveThePeak) {
  device_.cache = "l2";
  device_.peak = 1792e9;
  device_.cache_bytes = 8 << 20;
  take(8.182e-6);
  const benchmark_run row = run("contiguous/write/f32", 1 << 22);
  EXPECT_EQ(row.report_label, "above_peak=write-back pending in l2");
  EXPECT_NEAR(value_of(row, "fraction_of_peak"), 1.14425, 1e-5);
  take(158.758e-6);
  const benchmark_run large = run("contiguous/write/f32", 1 << 26);
  EXPECT_EQ(large.report_label, "");
  EXPECT_NEAR(value_of(large, "fraction_of_peak"), 0.94355, 1e-5);
}

TEST_F(RowLabels, RateAboveThePeakWithinTheCacheIsTheCaches) {
  device_.cache = "l2";
  device_.peak = 1792e9;
  device_.cache_bytes = 96 << 20;
  take(8.182e-6);
  EXPECT_EQ(label_of("contiguous/write/f32", 1 << 22), "cache_resident=l2");
}

TEST_F(RowLabels, LaunchOfLessThanTenEventFloors) {
  constexpr double kFloor = 1.0 / (1 << 20);  // about a microsecond, and exact
  device_.floor_s = kFloor;
  take(5 * kFloor);
  EXPECT_EQ(label_of(), "near_event_floor=5.0");
  take(9.96 * kFloor);
  EXPECT_EQ(label_of(), "near_event_floor=10.0");
  take(10 * kFloor);
  EXPECT_EQ(label_of(), "");
  device_.floor_s = 0;
  take(1e-9);
  EXPECT_EQ(label_of(), "");
}

TEST_F(RowLabels, GapsOfMoreThanAHundredth) {
  trace({20, 95e-6, 5e-6, 2e-3, 2e-3});
  const benchmark_run row = run();
  EXPECT_EQ(row.report_label, "gap_share=5.0 %");
  EXPECT_NEAR(value_of(row, "kernel_time_s"), 95e-6, 1e-18);
  EXPECT_NEAR(value_of(row, "gap_us"), 5, 1e-9);
  EXPECT_NEAR(value_of(row, "traced_time_s"), 1e-4, 1e-15);
  EXPECT_EQ(value_of(row, "clock_disagreement"), 0);
  trace({20, 99, 1, 2e3, 2e3});
  EXPECT_EQ(label_of(), "");
  trace({1, 1e-4, 0, 1e-4, 1e-4});
  EXPECT_EQ(label_of(), "");
}

TEST_F(RowLabels, ClocksThatDifferByMoreThanHalfAPercent) {
  const auto label_for = [&](double covered_s) {
    trace({100, 1e-4, 0, 1e-2, covered_s});
    return label_of();
  };
  EXPECT_EQ(label_for(1.0060e-2), "clock_check=differs by 0.60 %");
  EXPECT_EQ(label_for(0.9940e-2), "clock_check=differs by -0.60 %");
  EXPECT_EQ(label_for(1.0049e-2), "");
  EXPECT_EQ(label_for(0.9951e-2), "");
  trace({100, 1e-4, 0, 1e-2, 0.9940e-2});
  EXPECT_NEAR(value_of(run(), "clock_disagreement"), 0.006, 1e-12);
}

TEST_F(RowLabels, ClocksOfShortLaunchesThatDifferByMoreThanTwoPercent) {
  const auto label_for = [&](double covered_s) {
    trace({100, 5e-6, 0, 5e-4, covered_s});
    return label_of();
  };
  EXPECT_EQ(label_for(5.105e-4), "clock_check=differs by 2.10 %");
  EXPECT_EQ(label_for(4.895e-4), "clock_check=differs by -2.10 %");
  EXPECT_EQ(label_for(5.095e-4), "");
  EXPECT_EQ(label_for(4.905e-4), "");
  trace({100, 10e-6, 0, 1.0001e-3, 1.0061e-3});
  EXPECT_EQ(label_of(), "clock_check=differs by 0.60 %");
}

TEST_F(RowLabels, RowWhoseTraceFailedHasNoneOfItsKeys) {
  device_.checking_clocks = switched_on();
  device_.traced = []() -> batch_trace {
    throw cupti_unavailable(cupti_obstacle::kFailed, "no kernel was recorded");
  };
  const benchmark_run row = run();
  EXPECT_EQ(state_of(row), row_state::kMeasured);
  EXPECT_EQ(row.report_label, "");
  EXPECT_FALSE(has(row, "kernel_time_s"));
  EXPECT_FALSE(has(row, "clock_disagreement"));
}

TEST_F(RowLabels, ClocksThatWereHeldDown) {
  device_.watched = device_reading{};
  device_.watched->condition.clock_event_reasons = 0x24;
  const benchmark_run row = run();
  EXPECT_EQ(row.report_label, "throttled=power,thermal");
  EXPECT_EQ(value_of(row, "throttle_reasons"), 36);
  device_.watched->condition.clock_event_reasons = 0x1;  // idle between the launches
  EXPECT_EQ(label_of(), "");
  device_.watched->condition.clock_event_reasons.reset();
  device_.condition_now.thermal_throttled_ns = 5;
  device_.watched->condition.thermal_throttled_ns = 6;
  EXPECT_EQ(label_of(), "throttled=thermal");
}

TEST_F(RowLabels, OtherProcessesOnTheGpu) {
  device_.watched = device_reading{};
  device_.watched->condition.other_processes = 2;
  const benchmark_run row = run();
  EXPECT_EQ(row.report_label, "shared=2_processes");
  EXPECT_EQ(value_of(row, "other_processes"), 2);
  device_.watched->condition.other_processes = 0;
  EXPECT_EQ(label_of(), "");
}

TEST_F(RowLabels, ToolThatTheProcessRunsUnder) {
  rules_.tool = "ncu";
  EXPECT_EQ(label_of(), "tool=ncu");
  rules_.tool = "a=b;c";
  EXPECT_EQ(label_of(), "tool=a_b_c");
}

TEST_F(RowLabels, RowForAProfiler) {
  rules_.profile = true;
  timing_ = timing_rules::for_protocol(protocol_kind::kProfile);
  count(right_metrics());
  device_.counting = {};  // they are the profiler's
  const benchmark_run row = run();
  EXPECT_EQ(row.report_label, "profile=1");
  EXPECT_EQ(value_of(row, "launches_per_sample"), 1);
  EXPECT_EQ(value_of(row, "samples"), 1);
  EXPECT_EQ(value_of(row, "fraction_of_stride1"), 0);
  EXPECT_EQ(value_of(row, "fraction_of_ceiling"), 0);
}

TEST_F(RowLabels, BatchThatCouldNotBeHeld) {
  device_.blocks = false;
  EXPECT_EQ(label_of(), "blocking=gave_up");
  timing_.blocking = false;
  EXPECT_EQ(label_of(), "");
}

TEST_F(RowLabels, RowWhoseWallTimeRanOut) {
  rules_.max_wall_s = 0;
  min_time_s_ = 1;
  timing_.references = false;
  const benchmark_run row = run();
  EXPECT_EQ(row.report_label, "wall_limited=1");
  EXPECT_EQ(value_of(row, "samples"), 3);  // of one round
  EXPECT_NEAR(value_of(row, "bytes_per_second"), 8192e4, 1);
}

TEST_F(RowLabels, ManyTogetherStayOneLabel) {
  device_.cache = "l2";
  device_.cache_bytes = 1 << 20;
  device_.blocks = false;
  device_.floor_s = 1.0 / (1 << 15);
  take(1.0 / (1 << 14));
  rules_.profile = true;
  rules_.tool = "nsys";
  device_.watched = device_reading{};
  device_.watched->condition.clock_event_reasons = 0x8;
  device_.watched->condition.other_processes = 1;
  trace({20, 60e-6, 20e-6, 2e-3, 2.2e-3});
  metric_values metrics = right_metrics();
  metrics.find(kStoreSectors)->second = 1;
  count(metrics);
  EXPECT_EQ(label_of(),
            "cache_resident=l2;blocking=gave_up;profile=1;tool=nsys;near_event_floor=2.0;"
            "throttled=hardware slowdown;shared=1_processes;gap_share=25.0 %;"
            "clock_check=differs by 10.00 %;mismatch=store_sectors");
}

// ---- Rows that end otherwise

TEST_F(RowFixture, WrongResultIsAnErrorWithoutNumbers) {
  count(right_metrics());
  device_.found = [](int number) {
    return number == 1 ? comparison{2, 7, {1, 0, 0, 0}, {2, 0, 0, 0}, 0} : comparison{};
  };
  timing_.references = false;
  const auto rows =
      run({test::row_of(kRow, kElements), test::row_of("contiguous/copy/f32", kElements)});
  EXPECT_EQ(state_of(rows.at(0)), row_state::kFailed);
  EXPECT_EQ(message_of(rows.at(0)),
            "wrong result before timing: 2 elements wrong, the first at index 7: got 0x00000002, "
            "expected 0x00000001");
  EXPECT_FALSE(has(rows.at(0), "useful_bytes"));
  EXPECT_FALSE(has(rows.at(0), "counters_equal_model"));
  EXPECT_EQ(state_of(rows.at(1)), row_state::kMeasured);
  EXPECT_EQ(tally_.count(run_tally::outcome::kFailed), 1);
  EXPECT_EQ(tally_.count(run_tally::outcome::kOk), 1);
  EXPECT_EQ(tally_.compared(), 1);
}

TEST_F(RowFixture, RowThatDoesNotFitIsSkippedWithItsReason) {
  device_.refusal = "does not fit";
  const benchmark_run row = run();
  EXPECT_EQ(state_of(row), row_state::kSkipped);
  EXPECT_EQ(message_of(row), "does not fit");
  EXPECT_EQ(row.report_label, "");
  EXPECT_FALSE(has(row, "useful_bytes"));
  EXPECT_EQ(tally_.count(run_tally::outcome::kSkipped), 1);
  EXPECT_EQ(tally_.compared(), 0);
}

class RowFixtureDeathTest : public RowFixture {
 protected:
  void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }

  // Ends the process after two rows, the first of which meets the signal when it has been timed for
  // the `number`-th time; says how they ended.
  [[noreturn]] void run_interrupted(int signal, int number) {
    end_on_interrupts();
    note_first_interrupt();
    timing_.references = false;
    count(right_metrics());
    int timed = 0;
    device_.seconds = [&](int launches) {
      if (++timed == number) std::raise(signal);
      return launches * 1e-4;
    };
    for (const benchmark_run& row :
         run({test::row_of(kRow, kElements), test::row_of("contiguous/copy/f32", kElements)})) {
      const row_label label = row_label::parse(row.report_label).value();
      std::fprintf(stderr, "%s %s interrupted=%s counters=%zu; ",
                   state_of(row) == row_state::kFailed ? "failed" : "measured",
                   message_of(row).c_str(), label.value("interrupted").value_or("0").c_str(),
                   row.counters.size());
    }
    std::exit(tally_.count(run_tally::outcome::kInterrupted));
  }
};

TEST_F(RowFixtureDeathTest, SignalInTheMiddleOfARowEndsItAndThoseThatFollow) {
  EXPECT_EXIT(run_interrupted(SIGINT, 3), testing::ExitedWithCode(2),
              "^failed interrupted by SIGINT interrupted=1 counters=0; "
              "failed interrupted by SIGINT interrupted=1 counters=0; $");
}

// A sample of one launch chooses how many the others have, and three of those are a round.
TEST_F(RowFixtureDeathTest, SignalAfterTheLastSampleEndsTheRowAsWell) {
  EXPECT_EXIT(run_interrupted(SIGTERM, 4), testing::ExitedWithCode(2),
              "^failed interrupted by SIGTERM interrupted=1 counters=0; "
              "failed interrupted by SIGTERM interrupted=1 counters=0; $");
}

TEST_F(RowFixtureDeathTest, RowBeforeTheSignalKeepsItsNumbers) {
  EXPECT_EXIT(run_interrupted(SIGINT, 5), testing::ExitedWithCode(1),
              "^measured  interrupted=0 counters=[0-9]+; "
              "failed interrupted by SIGINT interrupted=1 counters=0; $");
}

}  // namespace
}  // namespace sectorbench
