// SPDX-License-Identifier: Apache-2.0
#include "bench/lessons/why.hpp"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/support/format.hpp"
#include "bench/support/output_of_program.hpp"

namespace sectorbench {
namespace {

constexpr double kTenth = 0.1;
constexpr index_t kPage = index_t{2} << 20;     // what a TLB entry covers
constexpr index_t kDramRow = index_t{8} << 10;  // about what an open row of DRAM holds

/// The row with another operation; none if the pattern does not offer it.
std::optional<row_spec> with_operation(row_spec row, operation_kind operation) {
  if (!row.pattern->offers(operation)) return std::nullopt;
  row.operation = operation;
  return row;
}

std::optional<row_spec> with_pattern(row_spec row, std::string_view name,
                                     const std::vector<index_t>& values) {
  const pattern_entry* const pattern = find_pattern(name, values);
  if (pattern == nullptr || !pattern->offers(row.operation) || !pattern->offers(row.type))
    return std::nullopt;
  row.pattern = pattern;
  row.values = values;
  return row;
}

/// Time per element; 0 if the row cannot be measured.
double seconds_per_element(row_runner& runner, const row_spec& row) {
  const measurement& measured = runner.reference(row);
  return measured.samples > 0 ? measured.median_s / static_cast<double>(row.elements) : 0;
}

interval per_element(const row_prediction& predicted, const row_spec& row) {
  return predicted.time->seconds * (1 / static_cast<double>(row.elements));
}

/// before / after: the middles where both are numbers, else what the ends allow.
interval gain_of(const row_prediction& before, const row_spec& row, const row_prediction& after,
                 const row_spec& changed) {
  const interval a = per_element(before, row), b = per_element(after, changed);
  if (before.time->is_number() && after.time->is_number())
    return interval::exactly(a.middle() / b.middle());
  return {a.low / b.high, a.high / b.low};
}

class questioner {
 public:
  questioner(backend& device, const why_settings& settings)
      : device_(device),
        settings_(settings),
        runner_(device, settings.rules, settings.seed, settings.model) {}

  std::optional<why_result> ask(const suite_row& row) {
    why_result result{row, 0, {}, {}};
    const row_spec& spec = row.spec;
    before_ = seconds_per_element(runner_, spec);
    if (before_ == 0) return std::nullopt;
    result.seconds = before_ * static_cast<double>(spec.elements);
    runner_.prepare(spec);
    result.predicted = *runner_.prediction(spec);
    if (!result.predicted.time) return std::nullopt;
    result_ = &result;
    whole_sectors();
    in_flight();
    in_l2();
    order();
    granule();
    return result;
  }

 private:
  counterfactual& changed(std::string change, limit removes, const row_spec& to) {
    counterfactual& one = add(std::move(change), removes);
    const double after = seconds_per_element(runner_, to);
    if (after == 0) {
      one.not_measured = "cannot be measured";
      return one;
    }
    one.measured_gain = before_ / after;
    runner_.prepare(to);
    one.predicted_gain = gain_of(result_->predicted, spec(), *runner_.prediction(to), to);
    return one;
  }
  counterfactual& add(std::string change, limit removes) {
    counterfactual& one = result_->changes.emplace_back();
    one.change = std::move(change);
    one.removes = removes;
    return one;
  }
  const row_spec& spec() const { return result_->row.spec; }

  /// The dense side in place of the pattern's: gather stores densely, scatter loads densely.
  void whole_sectors() {
    if (spec().operation != operation_kind::kCopy) return;
    const limit bytes = result_->predicted.time->limited_by == limit::kDramLocality
                            ? limit::kDramLocality
                            : limit::kDramBytes;
    const launch_totals& totals = result_->predicted.totals;
    const auto dense = [&](const side_totals& side) {
      return static_cast<double>(side.sectors) * kSectorBytes <=
             1.01 * static_cast<double>(spec().buffer_bytes());
    };
    if (!dense(totals.stores))
      if (const auto to = with_operation(spec(), operation_kind::kGather))
        changed("whole sectors stored (gather)", bytes, *to);
    if (!dense(totals.loads))
      if (const auto to = with_operation(spec(), operation_kind::kScatter))
        changed("whole sectors loaded (scatter)", bytes, *to);
  }

  void in_flight() {
    const bool unit_stride = spec().pattern->name == "contiguous" ||
                             (spec().pattern->name == "stride" && spec().values[0] == 1);
    if (unit_stride)
      if (const auto to = with_pattern(spec(), "unrolled", {4}))
        changed("four times the bytes in flight (unroll:4)", limit::kInFlight, *to);
    const int blocks = result_->predicted.blocks_per_sm;
    if (blocks < 2) return;
    counterfactual& one = add("half the blocks on an SM", limit::kInFlight);
    one.eases = false;
    device_.limit_blocks(blocks / 2);
    row_runner halved(device_, settings_.rules, settings_.seed, settings_.model);
    const double after = seconds_per_element(halved, spec());
    device_.limit_blocks(std::nullopt);
    if (after == 0) {
      one.not_measured = "cannot be measured";
      return;
    }
    one.measured_gain = before_ / after;
    const row_prediction predicted = settings_.model->predict(halved.body(spec()), blocks / 2);
    one.predicted_gain = gain_of(result_->predicted, spec(), predicted, spec());
  }

  /// A working set that L2 keeps.
  void in_l2() {
    row_spec small = spec();
    const auto bytes = static_cast<index_t>(settings_.model->device().stores_kept.kept_bytes);
    small.elements = std::max<index_t>(1, bytes / 2 / size_of(small.type));
    if (small.elements >= spec().elements) return;
    const bool bus = result_->predicted.time->limited_by == limit::kDramLocality;
    changed("a working set in L2 (" + format_bytes(small.buffer_bytes()) + " a buffer)",
            bus ? limit::kDramLocality : limit::kDramBytes, small);
  }

  /// The same requests, neighbours no longer one after the other.
  void order() {
    if (spec().pattern->name != "stride") return;
    for (const auto& [bytes, text] : {std::pair{kDramRow, "order shuffled within 8 KiB"},
                                      std::pair{kPage, "order shuffled within pages of 2 MiB"}}) {
      const auto to =
          with_pattern(spec(), "reordered", {spec().values[0], bytes / size_of(spec().type)});
      if (!to) return;
      counterfactual& one = changed(text, limit::kDramLocality, *to);
      one.eases = false;
    }
  }

  /// Another process, as the granule is chosen before a GPU works.
  void granule() {
    if (settings_.program.empty()) return;
    counterfactual& one =
        add("loads fetch 32 bytes (--l2_fetch_granularity=32)", limit::kDramBytes);
    const std::string text = output_of_program(
        {settings_.program, "--rows=" + spec().name(),
         "--elements=" + std::to_string(spec().elements),
         "--block=" + std::to_string(spec().block.x) + "x" + std::to_string(spec().block.y),
         "--l2_fetch_granularity=32", "--counters=off", "--clock_check=off", "--progress=off",
         "--device=cuda:" + std::to_string(device_.index().value_or(0)),
         "--benchmark_format=json"});
    const auto file = nlohmann::json::parse(text, nullptr, false);
    if (file.is_discarded() || !file.contains("benchmarks") || file["benchmarks"].empty() ||
        !file["benchmarks"][0].contains("time_median_s")) {
      one.not_measured = "the program could not be run again";
      return;
    }
    const double after =
        file["benchmarks"][0]["time_median_s"].get<double>() / static_cast<double>(spec().elements);
    one.measured_gain = before_ / after;
    device_description device = settings_.model->device();
    device.read_granule = {32, 32};
    const row_prediction predicted =
        predictor(device, "").predict(runner_.body(spec()), result_->predicted.blocks_per_sm);
    one.predicted_gain = gain_of(result_->predicted, spec(), predicted, spec());
  }

  backend& device_;
  const why_settings& settings_;
  row_runner runner_;
  why_result* result_ = nullptr;
  double before_ = 0;  // seconds per element of the row as it is
};

std::string gain_text(const interval& gain) {
  const std::string low = format_fixed(gain.low, 2), high = format_fixed(gain.high, 2);
  return low == high ? low : low + " to " + high;
}

}  // namespace

bool counterfactual::as_predicted() const {
  return measured_gain >= predicted_gain.low * (1 - kTenth) &&
         measured_gain <= predicted_gain.high * (1 + kTenth);
}

bool counterfactual::matters() const {
  const double middle = predicted_gain.middle();
  return eases ? middle > 1 + kTenth : middle < 1 - kTenth;
}

std::optional<bool> why_result::confirmed() const {
  std::optional<bool> all;
  for (const counterfactual& one : changes)
    if (one.measured_gain > 0 && one.removes == predicted.time->limited_by && one.matters()) {
      const bool real =
          one.eases ? one.measured_gain > 1 + kTenth / 2 : one.measured_gain < 1 - kTenth / 2;
      all = all.value_or(true) && real && one.as_predicted();
    }
  return all;
}

std::vector<why_result> ask_why(backend& device, const std::vector<suite_row>& rows,
                                const why_settings& settings) {
  std::vector<why_result> results;
  questioner asks(device, settings);
  for (const suite_row& row : rows)
    if (!row.spec.pattern->mover)
      if (auto result = asks.ask(row)) results.push_back(std::move(*result));
  return results;
}

std::string describe(const std::vector<why_result>& results) {
  std::string text;
  int confirmed = 0, asked = 0;
  for (const why_result& one : results) {
    const interval s = one.predicted.time->seconds;
    text += one.row.name + ": " + format_time(one.seconds) + ", predicted " + format_time(s.low) +
            (s.spread() > 1.02 ? " to " + format_time(s.high) : "") + ", limited by " +
            std::string(name_of(one.predicted.time->limited_by)) + "\n";
    std::size_t width = 0;
    for (const counterfactual& change : one.changes) width = std::max(width, change.change.size());
    for (const counterfactual& change : one.changes) {
      text += "  " + change.change + std::string(width - change.change.size(), ' ');
      if (!change.not_measured.empty()) {
        text += "  not measured: " + change.not_measured + "\n";
        continue;
      }
      text += "  " + format_fixed(change.measured_gain, 2) + " times as fast, predicted " +
              gain_text(change.predicted_gain) +
              (change.as_predicted() ? "" : "  NOT AS PREDICTED") + "\n";
    }
    if (const auto verdict = one.confirmed()) {
      ++asked;
      confirmed += *verdict ? 1 : 0;
      text += *verdict ? "  confirmed: " : "  NOT CONFIRMED: ";
      text += std::string(name_of(one.predicted.time->limited_by)) + "\n";
    } else {
      text += "  no change concerns " + std::string(name_of(one.predicted.time->limited_by)) +
              ": not tested\n";
    }
    text += "\n";
  }
  return text + "limited_by confirmed in " + std::to_string(confirmed) + " of " +
         std::to_string(asked) + " rows that have a counterfactual for it (" +
         std::to_string(results.size()) + " rows)\n";
}

}  // namespace sectorbench
