// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/fixture.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/devices/host_info.hpp"
#include "bench/predict/prediction_metrics.hpp"
#include "bench/support/format.hpp"
#include "bench/support/text.hpp"
#include "bench/telemetry/nvtx.hpp"
#include "kernels/timing.hpp"

#if SECTORBENCH_HAS_CUDA
#include "sectorbench/cuda/error.hpp"
#endif

namespace sectorbench {

void run_tally::record(const std::string& name, outcome how) {
  outcome& known = outcomes_.try_emplace(name, how).first->second;
  if (known != outcome::kFailed) known = how;  // a repetition that works makes no failure good
  if (known == outcome::kOk) return;
  differences_.erase(name);
  std::erase_if(finished_, [&](const finished_row& other) { return other.row.name == name; });
}

void run_tally::record_ok(const suite_row& row, const measurement& result) {
  record(row.name, outcome::kOk);
  if (outcomes_[row.name] != outcome::kOk) return;
  const auto same = [&](const finished_row& other) { return other.row.name == row.name; };
  const auto found = std::ranges::find_if(finished_, same);
  if (found == finished_.end())
    finished_.push_back({row, result});
  else {
    // A row is as disturbed as the worst of its repetitions.
    const auto worst = std::max(found->result.disturbed, result.disturbed);
    found->result = result;
    found->result.disturbed = worst;
  }
}

void run_tally::record_counters(const std::string& name, const std::string& difference) {
  differences_[name] = difference;
}

std::vector<std::string> run_tally::differences() const {
  std::vector<std::string> texts;
  for (const auto& [name, difference] : differences_)
    if (!difference.empty()) texts.push_back(name + ": " + difference);
  return texts;
}

int run_tally::unverified() const {
  return static_cast<int>(std::ranges::count_if(
      finished_, [](const finished_row& row) { return !row.result.verified; }));
}

int run_tally::count(outcome how) const {
  return static_cast<int>(
      std::ranges::count_if(outcomes_, [&](const auto& row) { return row.second == how; }));
}

double row_fixture::wall_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - *first_body_).count();
}

void row_fixture::end_row(benchmark::State& state, run_tally::outcome how,
                          const std::string& message) {
  tally_.record(row_.name, how);
  const std::string line = sanitize(one_line(message));
  if (how == run_tally::outcome::kInterrupted) {
    row_label label;
    label.add("interrupted");
    state.SetLabel(label.text().c_str());
  }
  if (how == run_tally::outcome::kSkipped)
    skip_row(state, line);
  else
    fail_row(state, line);
}

template <class Step>
bool row_fixture::guarded(benchmark::State& state, const Step& step) {
  using enum run_tally::outcome;
  try {
    step();
    return true;
  } catch (const not_applicable& reason) {
    end_row(state, kSkipped, reason.what());
  } catch (const interrupted& reason) {
    end_row(state, kInterrupted, reason.what());
  } catch (const launch_hangs& reason) {
    runner_.lose_device("not run: launches of " + row_.name + " still run");
    tally_.record_hang();
    end_row(state, kFailed,
            std::string(reason.what()) + " after " + format_exact(rules_.max_wall_s) +
                " s; a kernel that needs longer needs a larger --max_wall=");
#if SECTORBENCH_HAS_CUDA
  } catch (const cuda_error& error) {
    if (error.sticky())
      runner_.lose_device("not run: earlier CUDA error in " + row_.name + " (" + error.name() +
                          ")");
    end_row(state, kFailed, error.what());
#endif
  } catch (const std::exception& error) {
    end_row(state, kFailed, error.what());
  }
  return false;
}

void row_fixture::SetUp(benchmark::State& state) {
  ready_ = guarded(state, [&] {
    // The row itself first: one that cannot be measured needs no reference.
    runner_.prepare(row_.spec);
    const row_spec stride_one = stride_one_of(row_.spec);
    if (!(stride_one == row_.spec)) runner_.reference(stride_one);
    for (const row_spec& ceiling : ceiling_of(row_.spec))
      if (!(ceiling == row_.spec)) runner_.reference(ceiling);
    runner_.totals(row_.spec);
    runner_.prepare(row_.spec);
    runner_.prediction(row_.spec);
  });
}

void row_fixture::BenchmarkCase(benchmark::State& state) {
  if (!ready_) return;
  if (!first_body_) first_body_ = std::chrono::steady_clock::now();
  guarded(state, [&] { time_row(state); });
}

void row_fixture::time_row(benchmark::State& state) {
  const int launches = runner_.launches_per_round(row_.spec);
  runner_.warm_up(row_.spec);
  std::vector<timed_sample> samples;
  double measured_s = 0;
  int rounds = 0;
  bool wall_limited = false;
  while (state.KeepRunningBatch(launches)) {
    if (rounds > 0 && (wall_limited || wall_s() > rules_.max_wall_s)) {
      // The library cannot be left early: what it still asks for is credited at the mean time.
      wall_limited = true;
      state.SetIterationTime(measured_s / rounds);
      continue;
    }
    const nvtx_range named(rules_.profile ? row_.name : "");
    const double round_s = runner_.time_round(row_.spec, samples);
    state.SetIterationTime(round_s);
    measured_s += round_s;
    ++rounds;
  }
  const measurement result = runner_.finish(row_.spec, samples);
  report(state, result, wall_limited);
  tally_.record_ok(row_, result);
}

rate_references row_fixture::references() {
  const row_spec stride_one = stride_one_of(row_.spec);
  const measurement* const one = runner_.known(stride_one);
  rate_references found;
  found.disturbed = one != nullptr && is_disturbed(*one);
  if (one != nullptr && !is_disturbed(*one))
    found.stride1_bytes_per_s = one->rate(useful_bytes(stride_one));
  for (const row_spec& ceiling : ceiling_of(row_.spec))
    if (const measurement* const known = runner_.known(ceiling)) {
      if (is_disturbed(*known)) found.disturbed = true;
      found.ceiling_bytes_per_s =
          std::max(found.ceiling_bytes_per_s, known->rate(useful_bytes(ceiling)));
    }
  // The best of several is no ceiling where one of them might have been better.
  if (found.disturbed) found.ceiling_bytes_per_s = 0;
  found.peak_bytes_per_s = runner_.device().peak_bytes_per_s();
  return found;
}

void row_fixture::report(benchmark::State& state, const measurement& result, bool wall_limited) {
  const row_spec& spec = row_.spec;
  const bool in_cache = runner_.fits_in_cache(spec);
  const launch_totals* const model = runner_.totals(spec);
  const observation seen = runner_.observe(spec);
  const rate_references compared = references();

  counter_values values;
  add_measurement(values, spec, runner_.body(spec), runner_.index_bytes(spec), result, compared,
                  in_cache);
  add_prediction(values, spec, runner_.body(spec).unique_bytes(), model);
  if (result.disturbed) {
    values.set("disturbed", *result.disturbed);
    values.set("samples_discarded", result.discarded);
    values.set("load_average", read_host_info().load_1min);
  }
  if (const auto index = runner_.device().index()) {
    values.set("gpu_index", *index);
    values.set("blocks_per_sm", runner_.blocks_per_sm(spec));
  }
  if (seen.state) add_state(values, *seen.state);
  if (seen.trace) add_trace(values, *seen.trace);
  if (!seen.metrics.empty()) {
    const program& body = runner_.body(spec);
    const bool own = spec.pattern->own != nullptr;
    if (const auto lie = own ? overstated(body.loads(), body.stores(), seen.metrics) : "";
        !lie.empty())
      throw verification_failed(lie);
    add_counts(values, body.useful_bytes(), result.mean_s, compared.peak_bytes_per_s, model,
               seen.metrics);
  }
  const row_prediction* const predicted = runner_.prediction(spec);
  if (predicted != nullptr) add_model(values, *predicted, result.mean_s);
  if (const auto missing = values.missing(counter_set::kEvery); !missing.empty())
    throw std::logic_error("no value for " + std::string(missing.front()));

  state.SetBytesProcessed(state.iterations() * useful_bytes(spec));
  state.SetItemsProcessed(state.iterations() * spec.elements);
  for (const auto& [key, value] : values.all()) state.counters[key] = benchmark::Counter(value);
  // Metrics that a person asked for have no entry in the table; they keep CUPTI's names.
  for (const auto& [metric, value] : seen.metrics)
    if (!is_table_metric(metric) && std::isfinite(value))
      state.counters[metric] = benchmark::Counter(value);

  const std::string label = label_of(result, seen, compared, in_cache, wall_limited).text();
  if (!label.empty()) state.SetLabel(label.c_str());
}

row_label row_fixture::label_of(const measurement& result, const observation& seen,
                                const rate_references& compared, bool in_cache, bool wall_limited) {
  constexpr double kAboveCeiling = 1.1;  // beyond what rates of the same bytes differ by
  constexpr double kShortInFloors = 10;
  constexpr double kLargeGapShare = 0.01;
  const backend& device = runner_.device();
  const double rate = result.rate(useful_bytes(row_.spec));
  row_label label;
  if (in_cache) label.add("cache_resident", device.last_cache_name());
  if (!in_cache && device.peak_bytes_per_s() > 0 && rate > device.peak_bytes_per_s())
    label.add("above_peak", stores_elements(row_.spec.operation)
                                ? "write-back pending in " + std::string(device.last_cache_name())
                                : "served by " + std::string(device.last_cache_name()));
  if (compared.ceiling_bytes_per_s > 0 && rate > kAboveCeiling * compared.ceiling_bytes_per_s)
    label.add("implausible", "above the ceiling");
  if (is_disturbed(result)) label.add("disturbed", format_percent(*result.disturbed, 0));
  if (compared.disturbed) label.add("references", "disturbed");
  if (row_.spec.pattern->own != nullptr) {
    label.add("kernel");
    if (!result.verified) label.add("unverified", "it has no check");
    if (seen.metrics.empty()) label.add("bytes", "declared and not counted");
  } else if (row_.spec.pattern->mover) {
    label.add("mover");
  }
  if (wall_limited) label.add("wall_limited");
  if (runner_.lost_blocking(result)) label.add("blocking", "gave_up");
  if (rules_.profile) label.add("profile");
  if (!rules_.tool.empty()) label.add("tool", rules_.tool);
  if (result.mean_s < kShortInFloors * device.event_floor_s())
    label.add("near_event_floor", format_fixed(result.mean_s / device.event_floor_s(), 1));
  if (!seen.throttled.empty()) {
    std::string reasons;
    for (const std::string& reason : seen.throttled)
      reasons += (reasons.empty() ? "" : ",") + reason;
    label.add("throttled", reasons);
  }
  if (seen.state && seen.state->condition.other_processes.value_or(0) > 0)
    label.add("shared", std::to_string(*seen.state->condition.other_processes) + "_processes");
  if (seen.trace) {
    const double gap_share = seen.trace->gap_s / (seen.trace->gap_s + seen.trace->kernel_s);
    if (gap_share > kLargeGapShare) label.add("gap_share", format_percent(gap_share, 1));
    if (std::abs(seen.trace->disagreement()) > clock_tolerance(*seen.trace))
      label.add("clock_check", "differs by " + format_percent(seen.trace->disagreement(), 2));
  }
  add_counters_label(label, seen);
  if (const auto limits = runner_.limits(row_.spec)) add_model_label(label, *limits);
  return label;
}

void row_fixture::add_counters_label(row_label& label, const observation& seen) {
  if (!runner_.device().counters().on) return;
  const launch_totals* const model = runner_.totals(row_.spec);
  std::string difference = seen.counters_error;
  if (row_.spec.pattern->mover && row_.spec.pattern->own == nullptr) {
    label.add("counters", "not load/store unit");
    return;
  }
  if (!difference.empty()) {
    label.add("counters", "failed");
  } else if (model == nullptr) {
    return;
  } else if (const auto found = mismatches(*model, seen.metrics); !found.empty()) {
    std::string names;
    for (const count_mismatch& mismatch : found) {
      names += (names.empty() ? "" : ",") + mismatch.what;
      difference += (difference.empty() ? "" : ", ") + describe(mismatch);
    }
    label.add("mismatch", names);
  }
  tally_.record_counters(row_.name, difference);
}

}  // namespace sectorbench
