// SPDX-License-Identifier: Apache-2.0
#include "bench/fixture.hpp"

#include <algorithm>
#include <array>

#include "bench/counters.hpp"
#include "bench/text.hpp"

#if SECTORBENCH_HAS_CUDA
#include "sectorbench/cuda/error.hpp"
#endif

namespace sectorbench {

void run_tally::record(const std::string& name, outcome how) {
  outcome& known = outcomes_.try_emplace(name, how).first->second;
  if (known != outcome::kFailed) known = how;  // a repetition that works makes no failure good
  if (known != outcome::kOk)
    std::erase_if(finished_, [&](const finished_row& other) { return other.row.name == name; });
}

void run_tally::record_ok(const suite_row& row, const measurement& result) {
  record(row.name, outcome::kOk);
  if (outcomes_[row.name] != outcome::kOk) return;
  const auto same = [&](const finished_row& other) { return other.row.name == row.name; };
  const auto found = std::ranges::find_if(finished_, same);
  if (found == finished_.end())
    finished_.push_back({row, result});
  else
    found->result = result;
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
    if (rounds > 0 && (wall_limited || wall_s() > max_wall_s_)) {
      // The library cannot be left early: what it still asks for is credited at the mean time.
      wall_limited = true;
      state.SetIterationTime(measured_s / rounds);
      continue;
    }
    const double round_s = runner_.time_round(row_.spec, samples);
    state.SetIterationTime(round_s);
    measured_s += round_s;
    ++rounds;
  }
  const measurement result = runner_.finish(row_.spec, samples);
  set_counters(state, result, wall_limited);
  tally_.record_ok(row_, result);
}

double row_fixture::fraction_of_ceiling(double rate) {
  double best = 0;
  for (const row_spec& ceiling : ceiling_of(row_.spec)) {
    const measurement* const known = runner_.known(ceiling);
    if (known != nullptr) best = std::max(best, known->rate(useful_bytes(ceiling)));
  }
  return best > 0 ? rate / best : 0;
}

void row_fixture::set_counters(benchmark::State& state, const measurement& result,
                               bool wall_limited) {
  const row_spec& spec = row_.spec;
  const index_t bytes = useful_bytes(spec);
  const double rate = result.rate(bytes);
  const row_spec stride_one = stride_one_of(spec);
  const measurement* const reference = runner_.known(stride_one);
  const double reference_rate = reference != nullptr ? reference->rate(bytes) : 0;
  const index_t cache = runner_.device().last_cache_bytes();
  const bool in_cache = cache > 0 && runner_.footprint_bytes(spec) <= cache;
  const double peak = runner_.device().peak_bytes_per_s();
  const double of_peak = peak > 0 && !in_cache ? rate / peak : 0;
  const launch_totals* const totals = runner_.totals(spec);
  const launch_totals none;
  const launch_totals& model = totals != nullptr ? *totals : none;
  const double sector_bytes = static_cast<double>(model.sector_bytes());

  state.SetBytesProcessed(state.iterations() * bytes);
  state.SetItemsProcessed(state.iterations() * spec.elements);
  const std::array values{
      static_cast<double>(spec.elements),
      static_cast<double>(bytes),
      rate,
      reference_rate > 0 ? rate / reference_rate : 0,
      fraction_of_ceiling(rate),
      of_peak,
      static_cast<double>(result.launches_per_sample),
      static_cast<double>(result.samples),
      result.min_s,
      result.median_s,
      result.cv,
      static_cast<double>(model.loads.requests),
      static_cast<double>(model.loads.sectors),
      static_cast<double>(model.stores.requests),
      static_cast<double>(model.stores.sectors),
      model.loads.sectors_per_request(),
      model.stores.sectors_per_request(),
      model.loads.lines_per_request(),
      model.stores.lines_per_request(),
      sector_bytes > 0 ? static_cast<double>(bytes) / sector_bytes : 0,
      1.0,
  };
  static_assert(values.size() == kCounters.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    state.counters[std::string(kCounters[i].key)] = benchmark::Counter(values[i]);

  std::string label;
  const auto say = [&](const std::string& part) { label += (label.empty() ? "" : ";") + part; };
  if (in_cache) say("cache_resident=" + std::string(runner_.device().last_cache_name()));
  if (of_peak > 1) say("above_peak=1");
  if (spec.pattern->mover) say("mover=1");
  if (wall_limited) say("wall_limited=1");
  if (runner_.lost_blocking(result)) say("blocking=gave_up");
  if (!label.empty()) state.SetLabel(label.c_str());
}

}  // namespace sectorbench
