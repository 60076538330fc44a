// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/cases/row.hpp"
#include "bench/devices/backend.hpp"
#include "bench/measure/measurement.hpp"
#include "bench/measure/own_verifier.hpp"
#include "bench/options/options.hpp"
#include "bench/predict/counted.hpp"
#include "bench/predict/prediction.hpp"

namespace sectorbench {

/// Whether other work on the machine took more of the row's time than its number bears.
bool is_disturbed(const measurement& result);

/// Why clocks were held down between two looks at a GPU: "power", "thermal", ...
std::vector<std::string> throttled_between(const gpu_condition& before, const gpu_condition& after);

/// A launch did not do what its pattern says: what() holds the evidence.
class verification_failed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// SIGINT or SIGTERM came.
class interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How rows are timed.
struct timing_rules {
  double sample_s = 2e-3;     ///< what a sample spans at least, as far as max_launches allows
  int fixed_launches = 0;     ///< launches per sample, if not chosen by time
  int samples_per_round = 3;  ///< taken at once, so that every row has a spread
  int warmup_launches = 3;    ///< before the samples of each body
  bool blocking = true;       ///< hold the queue until a sample's launches are in it
  double reference_s = 0.05;  ///< how long a row that only serves as reference is timed
  bool references = true;     ///< measure the rows that fractions refer to
  bool observe = true;        ///< look at the device besides timing it

  static timing_rules for_protocol(protocol_kind protocol);
};

/// The order of things that makes a number trustworthy: acquire, prove, verify, warm up, time,
/// verify again. Keeps what need not be done twice in a process, as Google Benchmark enters a body
/// four to seven times for each row.
class row_runner {
 public:
  /// @param model predicts rows on the device; null: nothing does
  row_runner(backend& device, const timing_rules& rules, std::uint64_t seed,
             std::shared_ptr<const predictor> model = nullptr)
      : device_(device), rules_(rules), seed_(seed), model_(std::move(model)) {}

  /// Makes the row ready to be timed: buffers, coverage proof, two verified launches.
  /// @throws not_applicable, verification_failed, device_lost, interrupted, and what the backend
  /// throws
  void prepare(const row_spec& row);

  /// Launches without timing, then poisons the output. @pre prepare(row) was the last call
  void warm_up(const row_spec& row);

  /// Launches of one round of samples. @pre prepare(row)
  int launches_per_round(const row_spec& row);

  /// Times one round and adds its samples. Returns the seconds of all its launches.
  double time_round(const row_spec& row, std::vector<timed_sample>& samples);

  /// Compares what the timed launches left behind, and keeps the measurement for fractions.
  measurement finish(const row_spec& row, const std::vector<timed_sample>& samples);

  /// What is to be seen of the row besides its time, in launches of their own. Counters and second
  /// clock are read once in a process. @pre warm_up(row) came before
  observation observe(const row_spec& row);

  /// Measures a row that is not printed, once in a process. A row that cannot be measured has no
  /// samples.
  const measurement& reference(const row_spec& row);

  /// The latest measurement of the row in this process, or null.
  const measurement* known(const row_spec& row) const;

  /// The sector model's totals, or null for what no body describes.
  const launch_totals* totals(const row_spec& row);

  /// What the model of traffic and time says, or null for what no body describes and without a
  /// description of the device. @pre prepare(row) was the last call
  const row_prediction* prediction(const row_spec& row);

  /// What was counted of a row of the author's kernels in this process; none of others.
  std::optional<counted_launch> counted(const row_spec& row);

  /// What limits the row: by its prediction, or of the author's kernels that name no accesses by
  /// what was counted in this process. None where nothing says so.
  std::optional<row_prediction> limits(const row_spec& row);

  /// The description that predicts rows, or null.
  const predictor* model() const { return model_.get(); }
  /// What the hardware counted of the row in this process; empty if nothing was read.
  metric_values metrics(const row_spec& row) {
    return state_of(row).metrics.value_or(metric_values());
  }

  /// The program of the row's kernel, or of what a mover means.
  const program& body(const row_spec& row);

  /// Blocks of the row that an SM holds at a time, or 0. @pre prepare(row) was the last call
  int blocks_per_sm(const row_spec& row) { return device_.blocks_per_sm(*state_of(row).work); }

  /// Bytes of the index list that one launch reads.
  index_t index_bytes(const row_spec& row);

  /// Bytes of the arrays that the row works on: of both, or of the one that a read or write uses,
  /// gaps included, and of the index list.
  index_t footprint_bytes(const row_spec& row);
  /// Whether they fit in the last cache, so that the row's rate is no memory bandwidth.
  bool fits_in_cache(const row_spec& row);

  /// From now on every row is refused for this reason.
  void lose_device(const std::string& reason) { lost_ = reason; }

  /// Whether samples that should have been blocked were not.
  bool lost_blocking(const measurement& result) const {
    return rules_.blocking && !result.all_blocked;
  }

  const backend& device() const { return device_; }

  /// Rows whose counters were read, and the wall time that this took.
  int counted_rows() const { return counted_rows_; }
  double counting_s() const { return counting_s_; }

 private:
  struct state {
    std::unique_ptr<workload> work;
    bool verified = false;
    std::string verification_error;
    int launches = 0;
    int discarded = 0;  // samples since the last measurement
    std::unique_ptr<launch_totals> totals;
    std::unique_ptr<row_prediction> prediction;
    std::unique_ptr<measurement> latest;
    std::optional<metric_values> metrics;
    std::string counters_error;
    std::optional<batch_trace> trace;
    bool traced = false;
  };

  state& state_of(const row_spec& row);
  void prove(const row_spec& row, const workload& work);
  void verify(const row_spec& row, const state& known);
  void verify_own(const own_work& work);
  void verify_launch(const row_spec& row, const workload& work, std::uint64_t seed);
  void compare(const row_spec& row, const workload& work, std::uint64_t seed, const char* when);
  int choose_launches(const workload& work);
  int launches_for(double once_s) const;
  timed_sample undisturbed_sample(state& known);
  void trace(state& known);
  void count(state& known);
  static void stop_if_interrupted();

  backend& device_;
  timing_rules rules_;
  std::uint64_t seed_;
  std::shared_ptr<const predictor> model_;
  std::string lost_;
  std::string current_;              // key of the row whose input is in place
  std::optional<own_verifier> own_;  // of that row, if it is the author's kernel
  std::map<std::string, state> states_;
  std::set<std::string> proven_;
  gpu_condition condition_before_;
  int counted_rows_ = 0;
  double counting_s_ = 0;
};

}  // namespace sectorbench
