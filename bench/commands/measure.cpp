// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/commands/modes.hpp"
#include "bench/devices/host_info.hpp"
#include "bench/measure/context.hpp"
#include "bench/measure/fixture.hpp"
#include "bench/measure/progress.hpp"
#include "bench/options/library_flags.hpp"
#include "bench/predict/explain.hpp"
#include "bench/report/console_reporter.hpp"
#include "bench/report/counters.hpp"
#include "bench/report/csv_reporter.hpp"
#include "bench/report/json_reporter.hpp"
#include "bench/report/library.hpp"
#include "bench/support/build_info.hpp"
#include "bench/support/format.hpp"
#include "bench/support/interrupt.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

void write_json_lines(json_lines_file& file, const run_tally& tally) {
  for (const auto& [row, result] : tally.finished()) {
    json_line line;
    line.pattern = row.spec.pattern->name;
    const auto optional = [&](const char* name) -> std::optional<std::int64_t> {
      const index_t value = parameter_value(row.spec, name, 0);
      return value > 0 ? std::optional<std::int64_t>(value) : std::nullopt;
    };
    line.stride = optional("stride");
    line.chunk = optional("chunk");
    line.bytes = useful_bytes(row.spec);
    line.ms = result.mean_s * 1e3;
    line.gbps = result.rate(line.bytes) * 1e-9;
    file.add(line);
  }
  file.commit();
}

/// The rows of one GPU or of the CPU, as they are run.
struct device_rows {
  backend* device;
  std::unique_ptr<row_runner> runner;
};

/// Prints what follows the table.
void print_after(const std::string& text, std::FILE* stream) {
  std::fflush(stdout);
  std::cout.flush();
  std::fputs(text.c_str(), stream);
}

/// Says in words what limits each row that was measured.
std::string explanations(const std::vector<device_rows>& devices, const run_tally& tally) {
  std::string text = "\n";
  for (const device_rows& one : devices) {
    row_runner& runner = *one.runner;
    if (runner.model() == nullptr) continue;
    const std::string of_several = "/gpu:" + std::to_string(one.device->index().value_or(0));
    for (const auto& [row, result] : tally.finished()) {
      if (devices.size() > 1 && !row.name.ends_with(of_several)) continue;
      const device_description& gpu = runner.model()->device();
      std::vector<std::string> sentences;
      if (const row_prediction* const predicted = runner.prediction(row.spec))
        sentences = explain(*accessed_as(row.spec), *predicted, gpu,
                            {result.mean_s, runner.metrics(row.spec)});
      else if (const auto seen = runner.counted(row.spec))
        sentences = explain_counts(*seen, gpu);
      text += explained(row.name, sentences);
    }
  }
  return text;
}

std::string counters_summary(const std::vector<device_rows>& devices, const run_tally& tally) {
  int rows = 0;
  double seconds = 0;
  for (const device_rows& one : devices) {
    rows += one.runner->counted_rows();
    seconds += one.runner->counting_s();
  }
  if (rows == 0) return "";
  const std::vector<std::string> differences = tally.differences();
  const int compared = tally.compared();
  std::string text = "; counters equal the model in " +
                     std::to_string(compared - static_cast<int>(differences.size())) + " of " +
                     std::to_string(compared) + " rows (read in " + format_fixed(seconds, 1) +
                     " s)";
  for (const std::string& difference : differences) text += "; COUNTERS DIFFER: " + difference;
  return text;
}

/// Measured rows from which other work took time.
std::ptrdiff_t disturbed_rows(const run_tally& tally) {
  return std::ranges::count_if(tally.finished(), [](const run_tally::finished_row& row) {
    return is_disturbed(row.result);
  });
}

std::string summary(const std::vector<device_rows>& devices, const run_tally& tally) {
  using enum run_tally::outcome;
  const int unverified = tally.unverified();
  std::string text = std::to_string(tally.count(kOk) - unverified) + " rows measured and verified";
  if (unverified > 0)
    text += ", " + std::to_string(unverified) + " measured and NOT VERIFIED (no check)";
  const auto add = [&](run_tally::outcome how, const char* what) {
    if (tally.count(how) > 0) text += ", " + std::to_string(tally.count(how)) + " " + what;
  };
  add(kFailed, "failed");
  add(kSkipped, "skipped");
  add(kInterrupted, "interrupted");
  if (const auto rows = disturbed_rows(tally); rows > 0)
    text += ", " + std::to_string(rows) +
            " DISTURBED by other work on this machine (load average " +
            format_fixed(read_host_info().load_1min, 1) + ")";
  return text + counters_summary(devices, tally);
}

/// Whether --counters=require got what it asks for.
bool counters_satisfied(const std::vector<device_rows>& devices, const run_tally& tally) {
  for (const device_rows& one : devices)
    if (const source_status counters = one.device->counters(); !counters.on) {
      const std::string reason =
          counters.reason.empty() ? "the CPU's counters are not read" : counters.reason;
      say("--counters=require: no hardware counters: " + reason);
      return false;
    }
  const auto differences = tally.differences();
  if (!differences.empty())
    say("--counters=require: counters differ from the model in " +
        std::to_string(differences.size()) + " rows, the first " + differences.front());
  return differences.empty();
}

exit_code verdict(const options& wanted, const std::vector<device_rows>& devices,
                  const run_tally& tally) {
  using enum run_tally::outcome;
  if (interrupt_signal() != 0) return exit_code::kInterrupted;
  exit_code code = tally.count(kFailed) > 0 ? exit_code::kFailed : exit_code::kOk;
  if (wanted.suite == suite_kind::kReference && wanted.rows.empty() && !wanted.check &&
      static_cast<std::size_t>(tally.count(kOk)) != kReferenceRows * devices.size()) {
    say("--suite=reference promises " + std::to_string(kReferenceRows * devices.size()) +
        " rows, " + std::to_string(tally.count(kOk)) + " came");
    code = exit_code::kFailed;
  }
  if (const auto rows = disturbed_rows(tally); wanted.require_quiet && rows > 0) {
    say("--require=quiet: other work on this machine disturbed " + std::to_string(rows) +
        " rows; run it where nothing else runs, or with fewer threads (OMP_NUM_THREADS=)");
    code = exit_code::kFailed;
  }
  if (wanted.counters == counters_mode::kRequire && !counters_satisfied(devices, tally))
    code = exit_code::kFailed;
  return code;
}

std::optional<benchmark::TimeUnit> console_time_unit(const std::string& name) {
  for (const auto unit : {benchmark::kNanosecond, benchmark::kMicrosecond, benchmark::kMillisecond,
                          benchmark::kSecond})
    if (name == benchmark::GetTimeUnitString(unit)) return unit;
  return std::nullopt;
}

std::vector<std::string> csv_columns(const options& wanted) {
  std::vector<std::string> keys;
  for (const counter_spec& counter : kCounters) keys.emplace_back(counter.key);
  keys.insert(keys.end(), wanted.extra_metrics.begin(), wanted.extra_metrics.end());
  return keys;
}

std::unique_ptr<benchmark::BenchmarkReporter> own_reporter(const std::string& format,
                                                           const console_settings& settings,
                                                           const options& wanted) {
  if (format == "console") return std::make_unique<console_reporter>(settings);
  if (format == "csv") return std::make_unique<csv_reporter>(csv_columns(wanted));
  return std::make_unique<json_reporter>();
}

}  // namespace

result_files::result_files(const run_plan& plan) {
  if (plan.flags.list_tests) return;
  if (!plan.flags.out.empty()) rows.emplace(plan.flags.out, "--benchmark_out");
  if (!plan.wanted.json_lines.empty()) lines.emplace(plan.wanted.json_lines);
}

exit_code measure_rows(const char* program, const run_plan& plan, const filter_matcher& filter,
                       device_run& run, result_files& files, std::FILE* out) {
  const options& wanted = plan.wanted;
  const library_flags& flags = plan.flags;
  std::vector<selected_device>& selected = run.selected;
  run_tally tally;
  note_first_interrupt();
  std::optional<progress_line> progress;
  const std::shared_ptr<const predictor> model = model_of(wanted, run.first());
  if (wanted.explain && !model)
    throw usage_error(
        run.first().index()
            ? "--explain: nothing describes this GPU as it is used here; calibrate it "
              "(--calibrate) or say which description to take (--gpu=)"
            : "--explain: explains rows of a GPU, and the CPU is selected; "
              "--predict --gpu=h200 --explain needs none");
  if (wanted.require_quiet && run.first().index())
    throw usage_error(
        "--require=quiet: only rows of the CPU know how disturbed they were; on a GPU the label "
        "shared says which had other processes beside them");
  std::vector<device_rows> devices;
  std::vector<suite_row> all_rows;
  const auto rows = rows_of(plan, filter, run);
  if (wanted.check) std::ranges::for_each(rows, require_curve_rows);
  for (std::size_t i = 0; i < selected.size(); ++i) {
    backend& device = *selected[i].device;
    device.bound_launches(wanted.max_wall_s);
    devices.push_back(
        {&device, std::make_unique<row_runner>(device, run.rules, wanted.seed, model)});
    const fixture_rules shared{wanted.max_wall_s, wanted.protocol == protocol_kind::kProfile,
                               selected[i].tool};
    for (const suite_row& row : rows[i]) {
      const std::size_t place = all_rows.size();
      all_rows.push_back(row);
      const auto fixture =
          std::make_shared<row_fixture>(row, *devices.back().runner, tally, shared);
      benchmark::RegisterBenchmark(row.name.c_str(), [&progress, place,
                                                      fixture](benchmark::State& state) {
        if (progress) progress->show(place);
        fixture->Run(state);
        if (progress) progress->erase();
      })->UseManualTime();
    }
  }
  if (all_rows.empty()) return nothing_matched(plan);
  if (flags.list_tests) return list_names(all_rows, out);

  evidence facts = collect_evidence(wanted, selected, run.rules, all_rows, run.default_bytes);
  record_suite(wanted, all_rows, facts);
  facts.emplace_back("model.gpu", model ? model->device().key : "none");
  facts.emplace_back("model.source", model ? sanitize(model->source()) : "none");
  for (const auto& [key, value] : facts)
    if (std::ranges::count(flags.context_keys, key) > 0)
      throw usage_error("--benchmark_context=" + key + "=...: this key is the program's own");
  library_arguments library(
      program, adjusted_library_args(plan.library_args, run.times, run.min_time_s,
                                     files.rows ? files.rows->temporary_path() : std::string()));
  benchmark::Initialize(library.count(), library.values());
  if (*library.count() > 1) throw unknown_argument(library.values()[1]);
  for (const auto& [key, value] : facts) benchmark::AddCustomContext(key, value);

  console_settings settings;
  settings.color = use_color(flags);
  settings.limits = model != nullptr && model->device().time.has_value();
  settings.time_unit = console_time_unit(flags.time_unit);
  settings.summary = [&] { return summary(devices, tally); };
  for (const selected_device& one : selected)
    settings.context_lines.push_back(
        "sectorbench " + std::string(kBuildInfo.version) + " on " +
        (selected.size() > 1 ? "gpu:" + std::to_string(*one.device->index()) + ", " : "") +
        one.device->headline());
  for (const std::string& notice : notices_of(wanted, selected)) {
    if (flags.format == "console")
      settings.context_lines.push_back(notice);
    else
      say(notice);
  }

  if (shows_progress(wanted.progress, flags.format == "console", isatty(STDERR_FILENO) == 1)) {
    std::vector<double> bytes;
    for (const suite_row& row : all_rows)
      bytes.push_back(static_cast<double>(row.spec.buffer_bytes()));
    progress.emplace(bytes, [](std::string_view text) {
      std::fprintf(stderr, "%.*s", static_cast<int>(text.size()), text.data());
    });
  }

  const auto shown = own_reporter(flags.format, settings, wanted);
  if (files.rows) {
    const auto written = own_reporter(flags.out_format, {}, wanted);
    benchmark::RunSpecifiedBenchmarks(shown.get(), written.get());
  } else {
    benchmark::RunSpecifiedBenchmarks(shown.get());
  }

  if (flags.format != "console") say(summary(devices, tally));
  std::FILE* const beside = flags.format == "console" ? out : stderr;  // of the table
  if (wanted.explain && interrupt_signal() == 0) print_after(explanations(devices, tally), beside);
  exit_code code = verdict(wanted, devices, tally);
  benchmark::ClearRegisteredBenchmarks();
  const auto keep = [&](const auto& put) {  // a file that fails does not take the other
    try {
      put();
    } catch (const std::runtime_error& error) {
      say(one_line(error.what()));
      code = exit_code::kFailed;
    }
  };
  if (files.rows) keep([&] { files.rows->commit(flags.out_format == "json" ? "}" : ""); });
  if (files.lines) keep([&] { write_json_lines(*files.lines, tally); });
  for (std::size_t i = 0; wanted.check && interrupt_signal() == 0 && i < devices.size(); ++i) {
    const exercise_verdict found = check_rows(*devices[i].device, rows[i], tally);
    print_after("\n" + found.text, beside);
    if (code == exit_code::kOk) code = found.code;
  }
  run.hangs = tally.hangs();
  for (device_rows& one : devices)
    if (run.hangs) static_cast<void>(one.runner.release());  // what still runs uses it
  return code;
}

}  // namespace sectorbench
