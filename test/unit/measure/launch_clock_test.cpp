// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/benchmark/launch_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/report/library.hpp"
#include "sectorbench/benchmark/timer.hpp"

namespace sectorbench {
namespace {

#if !SECTORBENCH_HAS_CUDA  // there a launch is queued, and test/device times it

constexpr double kLaunch_s = 0.5e-3;  // at least
constexpr int kBefore = 3 + 1;        // warm-ups, and one to choose a batch by

void spin() {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  while (std::chrono::duration<double>(clock::now() - start).count() < kLaunch_s) {
  }
}

std::map<std::string, double> map_of(const launch_clock& clock, std::int64_t bytes = 0) {
  const auto counters = clock.counters(bytes);
  return {counters.begin(), counters.end()};
}

TEST(LaunchClock, ACallIsALaunchOfABatch) {
  launch_clock clock;
  int launches = 0;
  const auto queue = [&](CUstream_st* stream) {
    EXPECT_EQ(stream, nullptr);
    ++launches;
    spin();
  };
  EXPECT_TRUE(clock.counters(0).empty());
  const double first_s = clock.next(queue);
  EXPECT_GE(first_s, kLaunch_s);
  const int batch = launches - kBefore;
  EXPECT_EQ(batch, map_of(clock).at("launches_per_sample"));
  EXPECT_LE(batch, 4);  // 2 ms of them
  for (int i = 1; i < batch; ++i) EXPECT_EQ(clock.next(queue), first_s);
  EXPECT_EQ(launches, kBefore + batch);  // none more than iterations were given
  EXPECT_EQ(map_of(clock).at("samples"), 1);
  clock.next(queue);
  EXPECT_EQ(launches, kBefore + 2 * batch);
  EXPECT_EQ(map_of(clock).at("samples"), 2);
  EXPECT_GE(map_of(clock).at("time_median_s"), map_of(clock).at("time_min_s"));
}

class collecting_reporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    rows.insert(rows.end(), runs.begin(), runs.end());
  }
  std::vector<benchmark_run> rows;
};

benchmark_run row_of(const launch_clock::launch& queue, std::int64_t bytes) {
  benchmark::RegisterBenchmark("row",
                               [&](benchmark::State& state) {
                                 timer timer(state, bytes);
                                 for (auto _ : state) timer.launch(queue);
                               })
      ->UseManualTime()
      ->MinTime(0.01);
  collecting_reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
  return reporter.rows.at(0);
}

TEST(Timer, BenchmarkHasTheTimeOfALaunchItsRateAndItsSpread) {
  const benchmark_run row = row_of([](CUstream_st*) { spin(); }, 1000);
  EXPECT_EQ(state_of(row), row_state::kMeasured) << message_of(row);
  const double seconds = row.real_accumulated_time / static_cast<double>(row.iterations);
  EXPECT_GE(seconds, kLaunch_s);
  EXPECT_NEAR(row.counters.at("bytes_per_second").value, 1000 / seconds, 1e-6 * 1000 / seconds);
  for (const char* const key : {"time_min_s", "time_median_s", "time_cv", "samples"})
    EXPECT_TRUE(row.counters.contains(key)) << key;
}

TEST(Timer, ErrorOfALaunchIsTheRowsAndEndsIt) {
  int launches = 0;
  const benchmark_run row = row_of(
      [&](CUstream_st*) {
        ++launches;
        throw std::runtime_error("no such kernel");
      },
      0);
  EXPECT_EQ(state_of(row), row_state::kFailed);
  EXPECT_EQ(message_of(row), "no such kernel");
  EXPECT_EQ(launches, 1);
}

#endif

}  // namespace
}  // namespace sectorbench
