// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/library.hpp"
#include "bench/runner.hpp"
#include "bench/suite.hpp"

namespace sectorbench {

/// How each row of the run ended; main makes the exit code of it.
class run_tally {
 public:
  enum class outcome { kOk, kFailed, kSkipped, kInterrupted };

  /// One row that was measured.
  struct finished_row {
    suite_row row;
    measurement result;
  };

  /// A row that was measured before and now ends otherwise loses its measurement.
  void record(const std::string& name, outcome how);
  void record_ok(const suite_row& row, const measurement& result);

  int count(outcome how) const;
  /// Measured rows in the order in which they first ended.
  const std::vector<finished_row>& finished() const { return finished_; }

 private:
  std::map<std::string, outcome> outcomes_;
  std::vector<finished_row> finished_;
};

/// The Google Benchmark fixture of one row: SetUp acquires, proves and verifies; the body times.
/// Turns every exception into the row's error, so that later rows run.
class row_fixture : public benchmark::Fixture {
 public:
  row_fixture(suite_row row, row_runner& runner, run_tally& tally, double max_wall_s)
      : row_(std::move(row)), runner_(runner), tally_(tally), max_wall_s_(max_wall_s) {}

  void SetUp(benchmark::State& state) override;

 protected:
  void BenchmarkCase(benchmark::State& state) override;

 private:
  void time_row(benchmark::State& state);
  void set_counters(benchmark::State& state, const measurement& result, bool wall_limited);
  double fraction_of_ceiling(double rate);
  /// Runs `step`; an exception ends the row. Whether it ran to its end.
  template <class Step>
  bool guarded(benchmark::State& state, const Step& step);
  void end_row(benchmark::State& state, run_tally::outcome how, const std::string& message);
  double wall_s() const;

  suite_row row_;
  row_runner& runner_;
  run_tally& tally_;
  double max_wall_s_;
  std::optional<std::chrono::steady_clock::time_point> first_body_;
  bool ready_ = false;
};

}  // namespace sectorbench
