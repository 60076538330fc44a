// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "bench/report/library.hpp"
#include "sectorbench/benchmark/timer.hpp"
#include "sectorbench/cuda/buffer.hpp"
#include "test/device/require_gpu.hpp"

namespace sectorbench {
namespace {

constexpr std::int64_t kCount = std::int64_t{1} << 22;

__global__ void copy_kernel(const float* from, float* to) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

using TimerOnGpu = gpu_test;

class collecting_reporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    rows.insert(rows.end(), runs.begin(), runs.end());
  }
  std::vector<benchmark_run> rows;
};

benchmark_run row_of(const launch_clock::launch& queue) {
  benchmark::RegisterBenchmark("row",
                               [&](benchmark::State& state) {
                                 timer timer(state, 8 * kCount);
                                 for (auto _ : state) timer.launch(queue);
                               })
      ->UseManualTime()
      ->MinTime(0.01);
  collecting_reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
  return reporter.rows.at(0);
}

TEST_F(TimerOnGpu, BenchmarkHasTimeSpreadAndTheCountersOfItsKernel) {
  const device_buffer from(4 * kCount), to(4 * kCount);
  const benchmark_run row = row_of([&](cudaStream_t stream) {
    copy_kernel<<<kCount / 256, 256, 0, stream>>>(from.as<float>(), to.as<float>());
  });
  ASSERT_EQ(state_of(row), row_state::kMeasured) << message_of(row);
  EXPECT_GT(row.real_accumulated_time, 0);
  EXPECT_GE(row.counters.at("samples").value, 1);
  const auto sectors = row.counters.find("load_sectors_measured");
  if (sectors == row.counters.end()) GTEST_SKIP() << "counters cannot be read here";
  EXPECT_EQ(sectors->second.value, 4 * kCount / 32);
  EXPECT_EQ(row.counters.at("store_sectors_measured").value, 4 * kCount / 32);
  EXPECT_EQ(row.counters.at("bytes_used_per_sector_measured").value, 32);
}

TEST_F(TimerOnGpu, LaunchInAnotherStreamIsTheRowsError) {
  const device_buffer from(4 * kCount), to(4 * kCount);
  const benchmark_run row = row_of(
      [&](cudaStream_t) { copy_kernel<<<kCount / 256, 256>>>(from.as<float>(), to.as<float>()); });
  EXPECT_EQ(state_of(row), row_state::kFailed);
  EXPECT_NE(message_of(row).find("stream"), std::string::npos) << message_of(row);
}

TEST_F(TimerOnGpu, LaunchThatFailsIsTheRowsError) {
  const benchmark_run row =
      row_of([&](cudaStream_t stream) { copy_kernel<<<1, 4096, 0, stream>>>(nullptr, nullptr); });
  EXPECT_EQ(state_of(row), row_state::kFailed);
  EXPECT_NE(message_of(row).find("cudaErrorInvalid"), std::string::npos) << message_of(row);
}

}  // namespace
}  // namespace sectorbench
