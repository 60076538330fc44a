// SPDX-License-Identifier: Apache-2.0
#include <sectorbench/benchmark/timer.hpp>
#include <vector>

namespace {

// A benchmark that was there before, on the CPU.
void saxpy(benchmark::State& state) {
  const std::vector<float> x(10000, 1.0F);
  std::vector<float> y(x.size(), 2.0F);
  sectorbench::timer timer(state, static_cast<std::int64_t>(3 * x.size() * sizeof(float)));
  for (auto _ : state)
    timer.launch([&](CUstream_st*) {
      for (std::size_t i = 0; i < x.size(); ++i) y[i] += 0.5F * x[i];
      benchmark::DoNotOptimize(y.data());
    });
}
BENCHMARK(saxpy)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
