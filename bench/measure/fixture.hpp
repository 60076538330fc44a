// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/cases/suite.hpp"
#include "bench/measure/row_counters.hpp"
#include "bench/measure/runner.hpp"
#include "bench/report/label.hpp"
#include "bench/report/library.hpp"

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
  /// How the row's counters compare with the model; `difference` is empty where they are equal.
  void record_counters(const std::string& name, const std::string& difference);

  int count(outcome how) const;
  /// Rows whose counters were compared with the model.
  int compared() const { return static_cast<int>(differences_.size()); }
  /// "row: difference" of those whose counters are not the model's, or could not be read.
  std::vector<std::string> differences() const;
  /// Measured rows whose results nothing checked.
  int unverified() const;
  /// Whether launches of a row never ended: what they use may not be let go of.
  bool hangs() const { return hangs_; }
  void record_hang() { hangs_ = true; }
  /// Measured rows in the order in which they first ended.
  const std::vector<finished_row>& finished() const { return finished_; }

 private:
  std::map<std::string, outcome> outcomes_;
  std::map<std::string, std::string> differences_;
  std::vector<finished_row> finished_;
  bool hangs_ = false;
};

/// What all rows of a run share.
struct fixture_rules {
  double max_wall_s = 30;  ///< bound on the wall time of one row
  bool profile = false;    ///< name the row's launch for profilers
  std::string tool{};      ///< profiler or checker that the process runs under, or empty
};

/// The Google Benchmark fixture of one row: SetUp acquires, proves and verifies; the body times.
/// Turns every exception into the row's error, so that later rows run.
class row_fixture : public benchmark::Fixture {
 public:
  row_fixture(suite_row row, row_runner& runner, run_tally& tally, const fixture_rules& rules)
      : row_(std::move(row)), runner_(runner), tally_(tally), rules_(rules) {}

  void SetUp(benchmark::State& state) override;

 protected:
  void BenchmarkCase(benchmark::State& state) override;

 private:
  void time_row(benchmark::State& state);
  void report(benchmark::State& state, const measurement& result, bool wall_limited);
  row_label label_of(const measurement& result, const observation& seen,
                     const rate_references& compared, bool in_cache, bool wall_limited);
  void add_counters_label(row_label& label, const observation& seen);
  rate_references references();
  /// Runs `step`; an exception ends the row. Whether it ran to its end.
  template <class Step>
  bool guarded(benchmark::State& state, const Step& step);
  void end_row(benchmark::State& state, run_tally::outcome how, const std::string& message);
  double wall_s() const;

  suite_row row_;
  row_runner& runner_;
  run_tally& tally_;
  fixture_rules rules_;
  std::optional<std::chrono::steady_clock::time_point> first_body_;
  bool ready_ = false;
};

}  // namespace sectorbench
