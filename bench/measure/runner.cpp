// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/runner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <numeric>
#include <utility>

#include "bench/cases/row_list.hpp"
#include "bench/devices/disturbance.hpp"
#include "bench/support/interrupt.hpp"

namespace sectorbench {
namespace {

/// The second fill: one byte's value collides too often for one fill to prove a u8 row.
constexpr std::uint64_t other_seed(std::uint64_t seed) { return seed + 0x5851f42d4c957f2dULL; }

std::string hex_of(const bits128& bits, int width) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::uint32_t words[] = {bits.x, bits.y, bits.z, bits.w};
  std::string text = "0x";
  for (int byte = width - 1; byte >= 0; --byte) {
    const std::uint32_t value = words[byte / 4] >> (byte % 4 * 8) & 0xff;
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text;
}

std::string misaligned_text(const misalignment& found) {
  const auto number = [](auto value) { return std::to_string(value); };
  return number(found.count) + " accesses of " + number(found.bytes) +
         " bytes are not aligned to their size, the lowest at address " + number(found.address) +
         ", which leaves remainder " + number(found.address % found.bytes) +
         "; take a base and rows that are multiples of " + number(found.bytes) +
         " bytes, or narrower accesses";
}

}  // namespace

std::vector<std::string> throttled_between(const gpu_condition& before,
                                           const gpu_condition& after) {
  std::vector<std::string> reasons;
  const auto add = [&](std::string_view reason) {
    if (!std::ranges::count(reasons, reason)) reasons.emplace_back(reason);
  };
  for (const std::string_view name : throttle_names(after.clock_event_reasons.value_or(0)))
    add(name);
  // These grow while clocks are held down, also between two looks at the reasons.
  if (before.power_throttled_ns < after.power_throttled_ns && before.power_throttled_ns)
    add("power");
  if (before.thermal_throttled_ns < after.thermal_throttled_ns && before.thermal_throttled_ns)
    add("thermal");
  return reasons;
}

bool is_disturbed(const measurement& result) {
  return result.disturbed.value_or(0) > kDisturbedShare;
}

timing_rules timing_rules::for_protocol(protocol_kind protocol) {
  timing_rules rules;
  if (protocol == protocol_kind::kReference) {
    rules.fixed_launches = 10;
    rules.samples_per_round = 1;
    rules.blocking = false;
    rules.reference_s = 0;
  }
  if (protocol == protocol_kind::kProfile) {
    rules.fixed_launches = 1;
    rules.samples_per_round = 1;
    rules.warmup_launches = 1;
    rules.blocking = false;
    rules.references = false;
    rules.observe = false;
  }
  return rules;
}

row_runner::state& row_runner::state_of(const row_spec& row) {
  state& known = states_[row.key()];
  if (!known.work) known.work = make_workload(row);
  return known;
}

void row_runner::stop_if_interrupted() {
  if (const int signal = interrupt_signal(); signal != 0)
    throw interrupted(std::string("interrupted by ") + interrupt_name(signal));
}

void row_runner::prove(const row_spec& row, const workload& work) {
  const program& body = work.meaning();
  const std::string key = row.coverage_key();
  if (proven_.contains(key)) return;
  const coverage_verdict verdict = device_.prove(body);
  stop_if_interrupted();  // then it is none
  if (!verdict.ok())
    throw verification_failed("the pattern does not cover what it declares: " + describe(verdict));
  if (verdict.misaligned.count > 0) throw not_applicable(misaligned_text(verdict.misaligned));
  proven_.insert(key);
}

void row_runner::compare(const row_spec& row, const workload& work, std::uint64_t seed,
                         const char* when) {
  const comparison found = device_.compare(work.meaning(), seed);
  stop_if_interrupted();
  if (found.ok()) return;
  std::string text = std::string("wrong result ") + when + ": ";
  if (found.wrong > 0) {
    const int width = size_of(row.type);
    const bool sums = !stores_elements(row.operation);
    const bool one_of_several = !sums && work.meaning().stores().covers == coverage::kManyToOne;
    text += std::to_string(found.wrong) + (sums ? " checksums" : " elements") +
            " wrong, the first at " + (sums ? "thread " : "index ") + std::to_string(found.first) +
            ": got " + hex_of(found.got, width) + ", expected " +
            (one_of_several ? "one of those stored there, e.g. " : "") +
            hex_of(found.expected, width);
  }
  if (found.strayed > 0)
    text += std::string(found.wrong > 0 ? "; " : "") + std::to_string(found.strayed) +
            " bytes overwritten outside the row's output";
  throw verification_failed(text);
}

void row_runner::verify_launch(const row_spec& row, const workload& work, std::uint64_t seed) {
  stop_if_interrupted();
  device_.fill_input(seed);
  device_.poison_output();
  device_.run_once(work, seed, true);
  compare(row, work, seed, "before timing");
}

void row_runner::prepare(const row_spec& row) {
  if (!lost_.empty()) throw device_lost(lost_);
  stop_if_interrupted();
  device_.activate();
  state& known = state_of(row);
  if (!known.verification_error.empty()) throw verification_failed(known.verification_error);
  const std::string key = row.key();
  if (current_ == key && known.verified) return;
  current_.clear();
  own_.reset();
  const own_work* const own = own_work_of(*known.work);
  if (own != nullptr && !own->error().empty()) throw std::runtime_error(own->error());
  device_.acquire(*known.work);
  try {
    if (own != nullptr)
      verify_own(*own);
    else if (!known.verified)
      verify(row, known);
    else
      device_.fill_input(seed_);
  } catch (const verification_failed& failure) {
    known.verification_error = failure.what();
    throw;
  }
  known.verified = true;
  current_ = key;
}

void row_runner::verify(const row_spec& row, const state& known) {
  prove(row, *known.work);
  verify_launch(row, *known.work, other_seed(seed_));
  verify_launch(row, *known.work, seed_);
}

void row_runner::verify_own(const own_work& work) {
  own_.emplace(device_, work);
  const auto require = [](const std::string& fault) {
    stop_if_interrupted();
    if (!fault.empty()) throw verification_failed("wrong result before timing: " + fault);
  };
  const std::string first = own_->launch_once(other_seed(seed_));
  // Work elsewhere need not be done when the outputs are read: not they are the fault then.
  if (const std::string fault = own_->launch_held(); !fault.empty())
    throw verification_failed(fault);
  require(first);
  require(own_->launch_once(seed_));
  require(own_->launch_again(seed_));
}

void row_runner::warm_up(const row_spec& row) {
  const workload& work = *state_of(row).work;
  if (rules_.observe) condition_before_ = device_.condition();
  for (int i = 0; i < rules_.warmup_launches; ++i) {
    stop_if_interrupted();
    device_.run_once(work, seed_, false);
  }
  // Last, so that what is compared afterwards is what the timed launches wrote.
  if (own_)
    own_->reset_outputs();
  else
    device_.poison_output();
}

int row_runner::choose_launches(const workload& work) {
  if (rules_.fixed_launches > 0) return rules_.fixed_launches;
  const auto time = [&](int launches) {
    stop_if_interrupted();
    return device_.time(work, seed_, launches, false);
  };
  timed_sample once = time(1);
  if (!once.disturbed) return launches_for(once.elapsed_s);
  // On a CPU a launch may be preempted, and the first ones meet caches and threads that are cold.
  constexpr int kTries = 10;
  double best_s = once.elapsed_s;
  int launches = 1;
  for (int i = 0; i < kTries; ++i) {
    // Time that is lost once a sample weighs less, the more launches the sample has.
    const bool lost = once.disturbed.value_or(0) > kDisturbedShare;
    const bool may_grow = lost && once.elapsed_s < kTries * rules_.sample_s;
    launches = std::max(launches_for(best_s),
                        may_grow ? std::min(2 * launches, device_.max_launches()) : 1);
    once = time(launches);
    best_s = std::min(best_s, once.elapsed_s / launches);
  }
  return launches_for(best_s);
}

int row_runner::launches_for(double once_s) const {
  const double launches = std::ceil(rules_.sample_s / once_s);
  return static_cast<int>(std::clamp(launches, 1.0, static_cast<double>(device_.max_launches())));
}

int row_runner::launches_per_round(const row_spec& row) {
  state& known = state_of(row);
  if (known.launches == 0) known.launches = choose_launches(*known.work);
  return known.launches * rules_.samples_per_round;
}

double row_runner::time_round(const row_spec& row, std::vector<timed_sample>& samples) {
  state& known = state_of(row);
  double total_s = 0;
  for (int i = 0; i < rules_.samples_per_round; ++i) {
    stop_if_interrupted();
    samples.push_back(undisturbed_sample(known));
    total_s += samples.back().elapsed_s;
  }
  return total_s;
}

timed_sample row_runner::undisturbed_sample(state& known) {
  constexpr int kTries = 10;
  const double most_s =
      2 * kTries * rules_.sample_s;  // of long samples each costs more than it may help
  timed_sample best = device_.time(*known.work, seed_, known.launches, rules_.blocking);
  double spent_s = best.elapsed_s;
  for (int i = 1; i < kTries && best.disturbed.value_or(0) > kDisturbedShare && spent_s < most_s;
       ++i) {
    stop_if_interrupted();
    ++known.discarded;
    const timed_sample again = device_.time(*known.work, seed_, known.launches, rules_.blocking);
    spent_s += again.elapsed_s;
    if (again.disturbed.value_or(0) < *best.disturbed) best = again;
  }
  return best;
}

measurement row_runner::finish(const row_spec& row, const std::vector<timed_sample>& samples) {
  state& known = state_of(row);
  try {
    if (own_) {
      if (const std::string fault = own_->fault_of_outputs(); !fault.empty())
        throw verification_failed("wrong result after timing: " + fault);
    } else {
      if (!stores_elements(row.operation)) device_.run_once(*known.work, seed_, true);
      compare(row, *known.work, seed_, "after timing");
    }
  } catch (const verification_failed& failure) {
    known.verification_error = failure.what();
    known.latest.reset();  // an earlier body's number falls with it
    throw;
  }
  known.latest = std::make_unique<measurement>(summarise(samples, known.launches));
  known.latest->discarded = std::exchange(known.discarded, 0);
  if (const own_work* const own = own_work_of(*known.work))
    known.latest->verified = own->is_checked();
  return *known.latest;
}

observation row_runner::observe(const row_spec& row) {
  observation seen;
  if (!rules_.observe) return seen;
  state& known = state_of(row);
  stop_if_interrupted();
  seen.state = device_.watch(*known.work, seed_, known.launches);
  if (seen.state) seen.throttled = throttled_between(condition_before_, seen.state->condition);
  if (row.pattern->mover && row.pattern->own == nullptr) return seen;
  if (device_.clock_check().on && !known.traced) trace(known);
  if (device_.counters().on && !known.metrics && known.counters_error.empty()) count(known);
  seen.trace = known.trace;
  if (known.metrics) seen.metrics = *known.metrics;
  seen.counters_error = known.counters_error;
  return seen;
}

void row_runner::trace(state& known) {
  known.traced = true;
  try {
    known.trace = device_.trace(*known.work, seed_, known.launches, rules_.blocking);
  } catch (const cupti_unavailable&) {
    // The row has its time all the same, and no second opinion on it.
  }
}

void row_runner::count(state& known) {
  const auto begin = std::chrono::steady_clock::now();
  try {
    known.metrics = device_.count(*known.work, seed_);
    ++counted_rows_;
  } catch (const cupti_unavailable& why) {
    known.counters_error = why.what();
  }
  counting_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

const measurement& row_runner::reference(const row_spec& row) {
  static const measurement kNone;
  if (!rules_.references) return kNone;
  state& known = state_of(row);
  if (known.latest) return *known.latest;
  try {
    prepare(row);
    launches_per_round(row);
    warm_up(row);
    std::vector<timed_sample> samples;
    double total_s = 0;
    do {
      total_s += time_round(row, samples);
    } while (total_s < rules_.reference_s);
    finish(row, samples);
  } catch (const not_applicable&) {
    return kNone;
  } catch (const verification_failed&) {
    return kNone;
  }
  return *known.latest;
}

const measurement* row_runner::known(const row_spec& row) const {
  const auto found = states_.find(row.key());
  return found == states_.end() ? nullptr : found->second.latest.get();
}

const launch_totals* row_runner::totals(const row_spec& row) {
  const auto accessed = accessed_as(row);
  if (!accessed) return nullptr;
  state& known = state_of(*accessed);
  if (!known.totals) {
    auto totals = std::make_unique<launch_totals>(known.work->meaning().totals());
    stop_if_interrupted();
    known.totals = std::move(totals);
  }
  return known.totals.get();
}

const row_prediction* row_runner::prediction(const row_spec& row) {
  const auto accessed = model_ ? accessed_as(row) : std::nullopt;
  if (!accessed) return nullptr;
  state& known = state_of(*accessed);
  if (!known.prediction) {
    const int blocks = device_.blocks_per_sm(*state_of(row).work);
    auto predicted =
        std::make_unique<row_prediction>(model_->predict(known.work->meaning(), blocks));
    stop_if_interrupted();
    known.prediction = std::move(predicted);
  }
  return known.prediction.get();
}

std::optional<counted_launch> row_runner::counted(const row_spec& row) {
  const state& known = state_of(row);
  const own_work* const own = own_work_of(*known.work);
  if (own == nullptr || !known.metrics || !known.latest) return std::nullopt;
  const kernel_record launched = known.trace ? known.trace->longest : kernel_record{};
  return counted_launch{*known.metrics,
                        known.latest->mean_s,
                        launched.blocks,
                        launched.block_threads,
                        static_cast<double>(own->loads().moved()),
                        static_cast<double>(own->stores().moved()),
                        static_cast<double>(own->held_bytes())};
}

std::optional<row_prediction> row_runner::limits(const row_spec& row) {
  if (const row_prediction* const predicted = prediction(row)) return *predicted;
  const auto seen = model_ ? counted(row) : std::nullopt;
  return seen ? limits_of_counts(*seen, model_->device()) : std::nullopt;
}

const program& row_runner::body(const row_spec& row) { return state_of(row).work->meaning(); }

index_t row_runner::index_bytes(const row_spec& row) { return body(row).index_bytes(); }

bool row_runner::fits_in_cache(const row_spec& row) {
  const index_t cache = device_.last_cache_bytes();
  return cache > 0 && footprint_bytes(row) <= cache;
}

index_t row_runner::footprint_bytes(const row_spec& row) {
  const workload& work = *state_of(row).work;
  if (const own_work* const own = own_work_of(work)) return own->held_bytes();
  const program& body = work.meaning();
  const index_t loaded = loads_elements(row.operation) ? body.loads().elements : 0;
  const index_t stored = stores_elements(row.operation) ? body.stores().elements : 0;
  return (loaded + stored) * size_of(row.type) + work.needs().indices;
}

}  // namespace sectorbench
