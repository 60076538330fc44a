// SPDX-License-Identifier: Apache-2.0
#include "bench/lessons/traps.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "bench/support/format.hpp"
#include "bench/support/text.hpp"
#include "kernels/traps.hpp"

namespace sectorbench {
namespace {

constexpr index_t kLeastElements = 1024;

double rate_of(index_t bytes, double elapsed_s) { return static_cast<double>(bytes) / elapsed_s; }

std::string gigabytes(double bytes_per_s) { return format_significant(bytes_per_s * 1e-9); }
std::string gigabytes_per_s(double bytes_per_s) { return gigabytes(bytes_per_s) + " GB/s"; }

/// "1.25 times", in as many digits as anybody wants.
std::string times(double ratio) {
  return (ratio < 100 ? format_fixed(ratio, 2) : format_significant(ratio)) + " times";
}

index_t power_of_two_elements(index_t bytes) {
  const auto elements =
      static_cast<std::uint64_t>(std::max(bytes / size_of(element_type::kF32), kLeastElements));
  return static_cast<index_t>(std::bit_floor(elements));
}

void add_rates(trap_result& to, double claimed_bytes_per_s, double true_bytes_per_s) {
  to.figures.emplace_back("claimed_gbps", claimed_bytes_per_s * 1e-9);
  to.figures.emplace_back("true_gbps", true_bytes_per_s * 1e-9);
}

/// Notes how long the calls that queue launches take on the host.
class host_clocked final : public workload {
 public:
  explicit host_clocked(std::unique_ptr<workload> real) : real_(std::move(real)) {}

  void run(const launch_data& data) const override { real_->run(data); }
  void launch(const launch_data& data, CUstream_st* stream) const override {
    const auto begin = std::chrono::steady_clock::now();
    real_->launch(data, stream);
    queueing_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  const program& meaning() const override { return real_->meaning(); }
  buffer_bytes needs() const override { return real_->needs(); }

  void restart() { queueing_s_ = 0; }
  double queueing_s() const { return queueing_s_; }

 private:
  std::unique_ptr<workload> real_;
  mutable double queueing_s_ = 0;
};

/// What is measured once and serves several mistakes.
class hall {
 public:
  hall(backend& device, const trap_settings& settings)
      : device_(device),
        seed_(settings.seed),
        rules_(rules_for_traps(settings.rules)),
        n_(power_of_two_elements(settings.buffer_bytes)),
        runner_(device, rules_, seed_) {}

  trap_result skips();
  trap_result modulo();
  trap_result division();
  trap_result host_clock();
  trap_result no_warm_up();
  trap_result fits_in_cache();
  trap_result removed_loads();
  trap_result mib_per_ms();
  trap_result one_direction();

 private:
  static timing_rules rules_for_traps(timing_rules rules) {
    rules.references = true;  // the right measurements are such
    rules.observe = false;
    return rules;
  }

  row_spec trap_row(const pattern_entry& entry, std::vector<index_t> values,
                    operation_kind operation = operation_kind::kCopy) const {
    return {&entry, operation, element_type::kF32, std::move(values), n_, {}};
  }
  row_spec honest_row(const char* name, std::vector<index_t> values,
                      operation_kind operation = operation_kind::kCopy) const {
    return trap_row(*find_pattern(name, values), values, operation);
  }
  row_spec stride_row(index_t stride) const { return honest_row("stride", {stride}); }

  /// A verified row's measurement.
  const measurement& measured(const row_spec& row) {
    const measurement& known = runner_.reference(row);
    if (known.samples > 0) return known;
    runner_.prepare(row);  // says why not
    throw std::runtime_error(row.name() + " could not be measured");
  }
  /// By the median, as a mistake and its right measurement are taken apart in time.
  double rate(const row_spec& row) { return rate_of(useful_bytes(row), measured(row).median_s); }

  /// Why the row gets no number, or "" if it would get one.
  std::string refusal(const row_spec& row) {
    try {
      runner_.prepare(row);
    } catch (const verification_failed& failure) {
      return failure.what();
    }
    return "";
  }

  /// Times what no row may be: it was not verified.
  double unverified_s(const workload& work);
  double unverified_rate(const row_spec& row) {
    return rate_of(useful_bytes(row), unverified_s(*make_workload(row)));
  }

  backend& device_;
  std::uint64_t seed_;
  timing_rules rules_;
  index_t n_;
  row_runner runner_;
};

double hall::unverified_s(const workload& work) {
  device_.acquire(work);
  device_.fill_input(seed_);
  device_.poison_output();
  for (int i = 0; i < rules_.warmup_launches; ++i) device_.run_once(work, seed_, false);
  int launches = rules_.fixed_launches;
  if (launches == 0) {
    constexpr double kShortest_s = 1e-9;  // where nothing is done, no time may pass
    const double once_s = std::max(device_.time(work, seed_, 1, false).elapsed_s, kShortest_s);
    launches = static_cast<int>(std::clamp(std::ceil(rules_.sample_s / once_s), 1.0,
                                           static_cast<double>(device_.max_launches())));
  }
  std::vector<timed_sample> samples;
  for (int i = 0; i < rules_.samples_per_round; ++i)
    samples.push_back(device_.time(work, seed_, launches, rules_.blocking));
  return std::max(summarise(samples, launches).median_s, 1e-12);
}

/// How both checks took a body that leaves elements out.
std::string judged(const std::string& by_contents, const std::string& by_coverage) {
  const auto said = [](const std::string& refusal) {
    return refusal.empty() ? "NOT CAUGHT" : refusal;
  };
  return "verification: " + said(by_contents) + "; coverage proof: " + said(by_coverage);
}

trap_result hall::skips() {
  constexpr index_t kStride = 2;
  trap_result result;
  result.name = "skips";
  result.mistake = "a guard that leaves elements out: if (i * stride < n) out[i * stride] = ...";
  const double one = rate(stride_row(1));
  const double right = rate(stride_row(kStride));
  const row_spec claimed = trap_row(traps::skips_as_stride(), {kStride});
  const double wrong = unverified_rate(claimed);
  result.claim = "stride 2 moves " + format_bytes(useful_bytes(claimed)) + " at " +
                 gigabytes_per_s(wrong) + ", " + times(wrong / one) + " stride 1";
  result.truth = "only " + std::to_string(n_ / kStride) + " of " + std::to_string(n_) +
                 " elements are moved; stride 2 that moves them all: " + gigabytes_per_s(right) +
                 ", " + times(right / one) + " stride 1";
  const std::string by_contents = refusal(claimed);
  const std::string by_coverage = refusal(trap_row(traps::skips_as_declared(), {kStride}));
  result.must_be_refused = true;
  result.refused = !by_contents.empty() && !by_coverage.empty();
  result.caught_by = judged(by_contents, by_coverage);
  add_rates(result, wrong, right);
  result.figures.emplace_back("stride1_gbps", one * 1e-9);
  return result;
}

trap_result hall::modulo() {
  constexpr std::array<index_t, 3> kStrides{8, 16, 32};
  constexpr index_t kPerSector = kSectorBytes / size_of(element_type::kF32);
  trap_result result;
  result.name = "modulo";
  result.mistake = "an index that wraps: (i * stride) % n with n a power of two";
  result.must_be_refused = result.refused = true;
  for (const index_t stride : kStrides) {
    const row_spec honest = stride_row(stride);
    const row_spec claimed = trap_row(traps::modulo_as_stride(), {stride});
    const double right = rate(honest);
    const double wrong = unverified_rate(claimed);
    const std::string by_contents = refusal(claimed);
    const std::string by_coverage = refusal(trap_row(traps::modulo_as_declared(), {stride}));
    result.refused = result.refused && !by_contents.empty() && !by_coverage.empty();
    result.caught_by = judged(by_contents, by_coverage);  // of the last, as the numbers below are
    if (stride == kStrides.back()) add_rates(result, wrong, right);
    const std::string which = "stride" + std::to_string(stride);
    result.figures.emplace_back(which + "_claimed_gbps", wrong * 1e-9);
    result.figures.emplace_back(which + "_true_gbps", right * 1e-9);
    result.figures.emplace_back(which + "_sector_share",
                                1 / static_cast<double>(std::max(stride / kPerSector, index_t{1})));
    const bool last = stride == kStrides.back();
    result.claim += gigabytes(wrong) + (last ? " GB/s" : ", ");
    result.truth += gigabytes(right) + (last ? " GB/s" : ", ");
  }
  result.claim = "strides 8, 16, 32: " + result.claim;
  result.truth +=
      " when every element is moved; the trap moves 1/8, 1/16, 1/32 of them in 1, 1/2, 1/4 of the "
      "sectors, again and again";
  return result;
}

trap_result hall::division() {
  trap_result result;
  result.name = "division";
  result.mistake = "the right elements, found by 64-bit division and remainder in the index";
  std::string costs;
  for (const index_t stride : {index_t{1}, index_t{8}}) {
    const double right = rate(stride_row(stride));
    const double wrong = rate(trap_row(traps::division_as_stride(), {stride}));
    const std::string which = "stride " + std::to_string(stride);
    result.claim += (stride > 1 ? ", " : "") + which + " at " + gigabytes_per_s(wrong);
    result.truth += (stride > 1 ? ", " : "") + which + " at " + gigabytes_per_s(right);
    costs += (stride > 1 ? " and " : "") + format_fixed(right / wrong, 2);
    if (stride == 1) add_rates(result, wrong, right);
    const std::string key = "stride" + std::to_string(stride);
    result.figures.emplace_back(key + "_claimed_gbps", wrong * 1e-9);
    result.figures.emplace_back(key + "_true_gbps", right * 1e-9);
  }
  result.truth += " without dividing; with it a copy takes " + costs + " times the time";
  result.caught_by =
      "the audit of the kernels' code (no div, no rem); not by verification, as every element is "
      "right";
  return result;
}

trap_result hall::host_clock() {
  constexpr int kLaunches = 20;
  trap_result result;
  result.name = "host_clock";
  result.mistake = "the host's clock around launches, without waiting for the device";
  result.caught_by = "only events, or a clock read after waiting, make samples";
  if (!device_.index()) {
    result.applicable = false;
    result.claim = "the time that queueing takes, whatever the kernel does";
    result.truth = "not applicable: the CPU has no queue, a call returns when its work is done";
    return result;
  }
  const row_spec row = honest_row("contiguous", {});
  measured(row);  // its kernel is loaded from here on
  host_clocked work(make_workload(row));
  device_.acquire(work);
  device_.fill_input(seed_);
  device_.run_once(work, seed_, false);
  work.restart();
  const double event_s = device_.time(work, seed_, kLaunches, false).elapsed_s / kLaunches;
  const double host_s = std::max(work.queueing_s() / kLaunches, 1e-9);
  const double wrong = rate_of(useful_bytes(row), host_s);
  const double right = rate_of(useful_bytes(row), event_s);
  result.claim = "a copy takes " + format_time(host_s) + ": " + gigabytes_per_s(wrong);
  result.truth = "the same launches between two events take " + format_time(event_s) +
                 " each: " + gigabytes_per_s(right);
  const double peak = device_.peak_bytes_per_s();
  if (peak > 0 && wrong > peak)
    result.caught_by += "; label above_peak: the claim is " + times(wrong / peak) +
                        " the peak of " + gigabytes_per_s(peak);
  add_rates(result, wrong, right);
  return result;
}

trap_result hall::no_warm_up() {
  trap_result result;
  result.name = "no_warm_up";
  result.mistake = "the first launch of a kernel is the one that is timed";
  const row_spec row = trap_row(traps::fresh_as_contiguous(), {});
  const auto work = make_workload(row);
  device_.acquire(*work);
  device_.fill_input(seed_);
  const double first_s = std::max(device_.time(*work, seed_, 1, false).elapsed_s, 1e-9);
  const measurement& settled = measured(row);
  const double wrong = rate_of(useful_bytes(row), first_s);
  const double right = rate(row);
  result.claim = "a copy takes " + format_time(first_s) + ": " + gigabytes_per_s(wrong);
  result.truth = "later launches take " + format_time(settled.median_s) + ": " +
                 gigabytes_per_s(right) + "; the first one also " +
                 (device_.index() ? "loads the kernel's code" : "touches pages nobody has touched");
  result.caught_by = "two verified launches and " + std::to_string(rules_.warmup_launches) +
                     " warm-ups come before every row's first sample";
  add_rates(result, wrong, right);
  result.figures.emplace_back("first_launch_s", first_s);
  result.figures.emplace_back("settled_s", settled.median_s);
  return result;
}

trap_result hall::fits_in_cache() {
  constexpr index_t kUsual = index_t{4} << 20;
  trap_result result;
  result.name = "fits_in_cache";
  result.mistake = "a buffer that the last cache holds, called memory bandwidth";
  const index_t cache = device_.last_cache_bytes();
  const row_spec large = honest_row("contiguous", {});
  row_spec small = large;
  index_t bytes = std::min(kUsual, large.buffer_bytes() / 4);
  if (cache > 0) bytes = std::min(bytes, cache / 4);
  small.elements = power_of_two_elements(bytes);
  const double wrong = rate(small);
  const double right = rate(large);
  result.claim = "memory moves " + gigabytes_per_s(wrong) + ", measured with buffers of " +
                 format_bytes(small.buffer_bytes());
  result.truth = gigabytes_per_s(right) + " with buffers of " + format_bytes(large.buffer_bytes()) +
                 (runner_.fits_in_cache(large) ? ", which fit too: take larger ones" : "");
  const std::string name(device_.last_cache_name());
  if (runner_.fits_in_cache(small))
    result.caught_by = "label cache_resident=" + name + ": the copy touches " +
                       format_bytes(runner_.footprint_bytes(small)) + ", " + name + " holds " +
                       format_bytes(cache) + "; no percentage of the peak then";
  else
    result.caught_by = cache > 0 ? "NOT CAUGHT: " + name + " holds " + format_bytes(cache)
                                 : "NOT CAUGHT: the size of the last cache is not known here";
  add_rates(result, wrong, right);
  result.figures.emplace_back("cache_resident", runner_.fits_in_cache(small) ? 1 : 0);
  return result;
}

trap_result hall::removed_loads() {
  trap_result result;
  result.name = "removed_loads";
  result.mistake = "a read whose result nobody uses: the compiler removes the loads";
  const row_spec honest = honest_row("contiguous", {}, operation_kind::kRead);
  const row_spec claimed = trap_row(traps::removed_loads_as_read(), {}, operation_kind::kRead);
  const double right = rate(honest);
  const double wrong = unverified_rate(claimed);
  result.claim = format_bytes(useful_bytes(claimed)) + " are read at " + gigabytes_per_s(wrong);
  result.truth = gigabytes_per_s(right) + " where each thread's checksum is wanted; the claim is " +
                 times(wrong / right) + " that";
  const std::string by_checksum = refusal(claimed);
  result.must_be_refused = true;
  result.refused = !by_checksum.empty();
  result.caught_by =
      "verification: " + (by_checksum.empty() ? std::string("NOT CAUGHT") : by_checksum);
  add_rates(result, wrong, right);
  return result;
}

trap_result hall::mib_per_ms() {
  const row_spec row = honest_row("contiguous", {});
  return mib_per_ms_trap(useful_bytes(row), measured(row).median_s);
}

trap_result hall::one_direction() {
  const row_spec row = honest_row("contiguous", {});
  return one_direction_trap(row.buffer_bytes(), measured(row).median_s);
}

void append_wrapped(std::string& to, std::string_view first_indent, const std::string& text) {
  constexpr std::size_t kLineWidth = 120;
  const std::string indent(first_indent.size(), ' ');
  std::string_view lead = first_indent;
  for (const std::string& line : wrap(text, kLineWidth - first_indent.size())) {
    to.append(lead).append(line).append("\n");
    lead = indent;
  }
}

}  // namespace

double trap_result::figure(std::string_view wanted) const {
  for (const auto& [key, value] : figures)
    if (key == wanted) return value;
  throw std::out_of_range(name + " has no figure " + std::string(wanted));
}

trap_result mib_per_ms_trap(index_t useful_bytes, double elapsed_s) {
  constexpr double kMiB = 1 << 20;
  trap_result result;
  result.name = "mib_per_ms";
  result.mistake = "MiB a millisecond, called GB/s";
  const double right = rate_of(useful_bytes, elapsed_s);
  const double wrong = static_cast<double>(useful_bytes) / kMiB / (elapsed_s * 1e3) * 1e9;
  result.claim = gigabytes_per_s(wrong) + ", as " + format_bytes(useful_bytes) + " take " +
                 format_time(elapsed_s);
  result.truth = gigabytes_per_s(right) + ": 1 MiB/ms is 1.048576 GB/s, so the claim is " +
                 format_percent(1 - wrong / right, 2) + " too low";
  result.caught_by =
      "GB is 1e9 bytes wherever it is printed; numbers worked out by hand are tests: 16 MiB in 1 "
      "ms "
      "are 16.78 GB/s";
  add_rates(result, wrong, right);
  return result;
}

trap_result one_direction_trap(index_t buffer_bytes, double elapsed_s) {
  trap_result result;
  result.name = "one_direction";
  result.mistake = "the bytes of one direction for a copy that has two";
  const double wrong = rate_of(buffer_bytes, elapsed_s);
  const double right = 2 * wrong;
  result.claim = "a copy at " + gigabytes_per_s(wrong);
  result.truth = gigabytes_per_s(right) + ": " + gigabytes(wrong) + " read and " +
                 gigabytes(wrong) + " written";
  result.caught_by =
      "useful_bytes are elements x size x sides, 2 of a copy; 1 GiB in 1 ms is 2147 GB/s in a test";
  add_rates(result, wrong, right);
  return result;
}

std::vector<trap_result> run_traps(backend& device, const trap_settings& settings) {
  device.activate();
  hall traps(device, settings);
  const trap_result first = traps.no_warm_up();  // before anything else touches buffers and code
  std::vector<trap_result> results;
  results.push_back(traps.skips());
  results.push_back(traps.modulo());
  results.push_back(traps.division());
  results.push_back(traps.host_clock());
  results.push_back(first);
  results.push_back(traps.fits_in_cache());
  results.push_back(traps.removed_loads());
  results.push_back(traps.mib_per_ms());
  results.push_back(traps.one_direction());
  return results;
}

bool all_refused(const std::vector<trap_result>& results) {
  return std::ranges::none_of(results, &trap_result::missed);
}

std::string describe(const std::vector<trap_result>& results) {
  std::string text;
  for (const trap_result& result : results) {
    append_wrapped(text, "", result.name + ": " + result.mistake);
    append_wrapped(text, "    claim   ", result.claim);
    append_wrapped(text, "    truth   ", result.truth);
    append_wrapped(text, "    caught  ", result.caught_by);
  }
  const auto wanted = std::ranges::count_if(results, &trap_result::must_be_refused);
  const auto missed = std::ranges::count_if(results, &trap_result::missed);
  text += std::to_string(results.size()) + " wrong benchmarks; " + std::to_string(wanted - missed) +
          " of the " + std::to_string(wanted) + " that must be refused were refused";
  for (const trap_result& result : results)
    if (result.missed()) text += "; NOT REFUSED: " + result.name;
  return text + "\n";
}

}  // namespace sectorbench
