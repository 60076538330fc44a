// SPDX-License-Identifier: Apache-2.0
#include "bench/commands/run_plan.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "bench/support/build_info.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

/// The library's default of 0.5 s counts time on the device only; this suffices for the spread.
constexpr double kMinTime_s = 0.05;
constexpr double kQuickMinTime_s = 0.005;
constexpr double kOneRound_s = 1e-9;  // any round of samples takes longer

/// The rows of GPU `index` of several.
std::vector<suite_row> named_for_gpu(std::vector<suite_row> rows, int index) {
  for (suite_row& row : rows) row.name += "/gpu:" + std::to_string(index);
  return rows;
}

}  // namespace

void say(const std::string& line) {
  std::fprintf(stderr, "sectorbench: %s\n", shortened(line).c_str());
}

run_plan read_command_line(const command_line& parsed) {
  for (const std::string& arg : parsed.library_args)
    if (!std::ranges::count(library_flag_names(), arg.substr(0, arg.find('='))))
      throw unknown_argument(arg);
  run_plan plan{parsed.ours, read_library_flags(parsed.library_args), parsed.library_args, {}, {}};
  if (!plan.wanted.indexed.empty())
    plan.indexed = std::make_unique<const indexed_patterns>(read_spatter(plan.wanted.indexed));
  if (plan.wanted.suite == suite_kind::kFile) plan.listed = read_row_list(plan.wanted.suite_file);
  return plan;
}

std::string registered_name(const suite_row& row) { return row.name + std::string(kNameSuffix); }

std::vector<suite_row> matching(std::vector<suite_row> rows, const filter_matcher& filter) {
  std::erase_if(rows, [&](const suite_row& row) { return !filter.matches(row.name); });
  return rows;
}

exit_code nothing_matched(const run_plan& plan) {
  say("--benchmark_filter=" + plan.flags.filter +
      ": no row matches; --benchmark_list_tests prints the names" +
      (has_own_rows() ? ", --suite=full has sectorbench's too" : ""));
  return exit_code::kNothingMatched;
}

device_run begin_device_run(const run_plan& plan) {
  const options& wanted = plan.wanted;
  device_run run{select_devices(wanted), timing_rules::for_protocol(wanted.protocol), 0,
                 wanted.quick ? kQuickMinTime_s : kMinTime_s, plan.flags};
  const backend& first = run.first();
  const bool on_gpu = first.index().has_value();
  run.default_bytes =
      wanted.quick ? quick_buffer_bytes(on_gpu, first.last_cache_bytes()) : kDefaultBufferBytes;
  run.rules.blocking = run.selected.front().blocking;
  if (wanted.quick) run.rules.reference_s = kQuickMinTime_s;
  if (wanted.protocol != protocol_kind::kDefault) run.min_time_s = kOneRound_s;
  if (wanted.protocol == protocol_kind::kProfile) {
    run.times.min_time_s = kOneRound_s;
    run.times.iterations.reset();
  }
  // A flush takes far longer than what is timed.
  if (!on_gpu && wanted.caches == cache_mode::kCold)
    run.min_time_s = run.rules.reference_s = kOneRound_s;
  return run;
}

std::vector<std::vector<suite_row>> rows_of(const run_plan& plan, const filter_matcher& filter,
                                            const device_run& run) {
  std::vector<std::vector<suite_row>> rows;
  for (const selected_device& selected : run.selected) {
    const backend& device = *selected.device;
    const double bytes_per_s = device.peak_bytes_per_s();
    const double flops_per_byte = bytes_per_s > 0 ? device.peak_f32_flops() / bytes_per_s : 0;
    auto all =
        make_suite(plan.wanted, {run.default_bytes, device.last_cache_bytes(), flops_per_byte,
                                 device.index().has_value(), plan.listed, plan.lists()});
    if (run.selected.size() > 1) all = named_for_gpu(std::move(all), *selected.device->index());
    rows.push_back(matching(std::move(all), filter));
  }
  return rows;
}

std::vector<std::string> notices_of(const options& wanted,
                                    const std::vector<selected_device>& devices) {
  std::vector<std::string> notices;
  if (!devices.front().notice.empty()) notices.push_back(devices.front().notice);
  if (std::string(kBuildInfo.build_type) != "Release")
    notices.push_back(std::string("this is a ") + kBuildInfo.build_type +
                      " build: its numbers are not fit to be kept");
  if (!devices.front().tool.empty())
    notices.push_back("running under " + devices.front().tool + ": times are not fit to be kept");
  if (wanted.protocol == protocol_kind::kProfile)
    notices.push_back("--profile: one launch for each row, whose times are not fit to be kept");
  for (const selected_device& selected : devices) {
    const source_status counters = selected.device->counters();
    if (selected.device->index() && !counters.on && counters.state != "off")
      notices.push_back("no hardware counters: " + counters.reason);
    if (wanted.caches == cache_mode::kCold)
      for (const auto& [key, value] : selected.device->facts())
        if (key == "cache.flush_proof") notices.push_back("--cache=cold: flush " + value);
  }
  return notices;
}

std::shared_ptr<const predictor> model_of(const options& wanted, const backend& device) {
  // The model is that of a launch on the GPU's own memory that follows one like it.
  const bool applies = device.index() && wanted.caches == cache_mode::kWarm &&
                       wanted.space.is_device() && wanted.protocol != protocol_kind::kProfile;
  if (!applies) return nullptr;
  const evidence facts = device.facts();
  const auto found = choose_predictor(wanted.gpus.empty() ? "" : wanted.gpus.front(), facts);
  if (!found) return nullptr;
  device_description as_it_runs = found->device();
  if (wanted.l2_fetch_granularity)
    as_it_runs.read_granule = interval::exactly(*wanted.l2_fetch_granularity);
  for (const auto& [key, value] : facts)
    if (key == "gpu.ecc" && value == "off") as_it_runs.fills = {0, 0};
  return std::make_shared<const predictor>(as_it_runs, found->source());
}

}  // namespace sectorbench
