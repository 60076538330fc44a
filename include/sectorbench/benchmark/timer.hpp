// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <exception>
#include <memory>

#include "sectorbench/benchmark/launch_clock.hpp"

/// @file
/// The clock and the counters for a Google Benchmark program that is there already. Link
/// `sectorbench::timer`; any version of the library from 1.7.1 on will do.
///
///     void saxpy(benchmark::State& state) {
///       ...
///       sectorbench::timer timer(state, 3 * n * sizeof(float));
///       for (auto _ : state)
///         timer.launch([&](cudaStream_t s) { saxpy_kernel<<<grid, block, 0, s>>>(n, a, x, y); });
///     }
///     BENCHMARK(saxpy)->UseManualTime();
///
/// The time is that of one launch among many that follow each other; nothing is verified. The
/// counters have the names of docs/counters.md.

namespace sectorbench {

/// Times the body of one benchmark. @pre the benchmark has UseManualTime()
class timer {
 public:
  /// @param useful_bytes that one launch has to load and store; the rate follows from them
  explicit timer(benchmark::State& state, std::int64_t useful_bytes = 0)
      : state_(state), useful_bytes_(useful_bytes) {}
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;

  /// One iteration: `queue` queues one launch in the stream that it is given. It may be called
  /// often, or not at all. An error ends the benchmark with its text.
  void launch(const launch_clock::launch& queue) {
    if (failed_) return;
    try {
      if (!clock_) clock_ = std::make_unique<launch_clock>();
      state_.SetIterationTime(clock_->next(queue));
    } catch (const std::exception& error) {
      failed_ = true;
      state_.SkipWithError(error.what());
    }
  }

  ~timer() {
    if (failed_ || !clock_) return;
    if (useful_bytes_ > 0) state_.SetBytesProcessed(state_.iterations() * useful_bytes_);
    for (const auto& [key, value] : clock_->counters(useful_bytes_))
      state_.counters[key] = benchmark::Counter(value);
  }

 private:
  benchmark::State& state_;
  std::int64_t useful_bytes_;
  std::unique_ptr<launch_clock> clock_;
  bool failed_ = false;
};

}  // namespace sectorbench
