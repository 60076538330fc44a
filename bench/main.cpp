// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/build_info.hpp"
#include "bench/console_reporter.hpp"
#include "bench/context.hpp"
#include "bench/counters.hpp"
#include "bench/csv_reporter.hpp"
#include "bench/device_selection.hpp"
#include "bench/exit_code.hpp"
#include "bench/fixture.hpp"
#include "bench/format.hpp"
#include "bench/interrupt.hpp"
#include "bench/json_lines.hpp"
#include "bench/json_reporter.hpp"
#include "bench/library.hpp"
#include "bench/library_flags.hpp"
#include "bench/options.hpp"
#include "bench/output_file.hpp"
#include "bench/suite.hpp"
#include "bench/text.hpp"

#if SECTORBENCH_HAS_CUDA
#include "sectorbench/cuda/error.hpp"
#endif

namespace sectorbench {
namespace {

/// The library's default of 0.5 s counts time on the device only; this suffices for the spread.
constexpr double kMinTime_s = 0.05;
constexpr double kQuickMinTime_s = 0.005;

void say(const std::string& line) { std::fprintf(stderr, "sectorbench: %s\n", line.c_str()); }

void print_version() {
  const build_info& build = kBuildInfo;
  std::printf("sectorbench %s (revision %s%s)\n", build.version, build.revision,
              build.dirty ? ", with uncommitted changes" : "");
  std::printf("built: %s, %s, %s\n", build.build_type, build.compiler, build.cxx_flags);
  if (*build.cuda_toolkit != '\0')
    std::printf("CUDA: toolkit %s, architectures %s\n", build.cuda_toolkit,
                build.cuda_architectures);
  else
    std::printf("CUDA: none, only the CPU's memory can be measured\n");
  std::printf("Google Benchmark: %s\n", build.benchmark_version);
}

/// As the library takes its arguments.
class library_arguments {
 public:
  library_arguments(const char* program, std::vector<std::string> arguments)
      : texts_(std::move(arguments)) {
    texts_.insert(texts_.begin(), program);
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
    count_ = static_cast<int>(texts_.size());
  }
  int* count() { return &count_; }
  char** values() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
  int count_ = 0;
};

std::string registered_name(const suite_row& row) { return row.name + "/manual_time"; }

std::vector<suite_row> matching(std::vector<suite_row> rows, const filter_matcher& filter) {
  std::erase_if(rows, [&](const suite_row& row) { return !filter.matches(registered_name(row)); });
  return rows;
}

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

std::string summary(const run_tally& tally) {
  using enum run_tally::outcome;
  std::string text = std::to_string(tally.count(kOk)) + " rows measured and verified";
  const auto add = [&](run_tally::outcome how, const char* what) {
    if (tally.count(how) > 0) text += ", " + std::to_string(tally.count(how)) + " " + what;
  };
  add(kFailed, "failed");
  add(kSkipped, "skipped");
  add(kInterrupted, "interrupted");
  return text;
}

exit_code verdict(const options& wanted, const run_tally& tally) {
  using enum run_tally::outcome;
  if (interrupt_signal() != 0) return exit_code::kInterrupted;
  exit_code code = tally.count(kFailed) > 0 ? exit_code::kFailed : exit_code::kOk;
  if (wanted.suite == suite_kind::kReference && wanted.rows.empty() &&
      static_cast<std::size_t>(tally.count(kOk)) != kReferenceRows) {
    say("--suite=reference promises " + std::to_string(kReferenceRows) + " rows, " +
        std::to_string(tally.count(kOk)) + " came");
    code = exit_code::kFailed;
  }
#if SECTORBENCH_HAS_CUDA
  if (const auto failure = first_noted_cuda_failure()) {
    say("while tidying up: " + *failure);
    code = exit_code::kFailed;
  }
#endif
  return code;
}

std::optional<benchmark::TimeUnit> console_time_unit(const std::string& name) {
  for (const auto unit : {benchmark::kNanosecond, benchmark::kMicrosecond, benchmark::kMillisecond,
                          benchmark::kSecond})
    if (name == benchmark::GetTimeUnitString(unit)) return unit;
  return std::nullopt;
}

std::vector<std::string> csv_columns() {
  std::vector<std::string> keys;
  for (const counter_spec& counter : kCounters) keys.emplace_back(counter.key);
  return keys;
}

std::unique_ptr<benchmark::BenchmarkReporter> own_reporter(const std::string& format,
                                                           const console_settings& settings) {
  if (format == "console") return std::make_unique<console_reporter>(settings);
  if (format == "csv") return std::make_unique<csv_reporter>(csv_columns());
  return std::make_unique<json_reporter>();
}

exit_code run(const char* program, const std::vector<std::string>& arguments) {
  const command_line parsed = parse_options(arguments);
  const options& wanted = parsed.ours;
  if (wanted.version) {
    print_version();
    return exit_code::kOk;
  }
  if (wanted.help) {
    std::fputs(flags_help().c_str(), stdout);
    std::fflush(stdout);
    library_arguments help(program, {"--help"});
    benchmark::Initialize(help.count(), help.values());  // prints its own flags and ends
    return exit_code::kOk;
  }

  for (const std::string& arg : parsed.library_args)
    if (!std::ranges::count(library_flag_names(), arg.substr(0, arg.find('='))))
      throw unknown_argument(arg);
  const library_flags flags = read_library_flags(parsed.library_args);
  const filter_matcher filter(flags.filter);
  const auto named = matching(make_suite(wanted, kDefaultBufferBytes), filter);
  if (named.empty()) {
    say("--benchmark_filter=" + flags.filter +
        ": no row matches; --benchmark_list_tests prints the names");
    return exit_code::kNothingMatched;
  }
  if (flags.list_tests) {
    for (const suite_row& row : named) std::printf("%s\n", registered_name(row).c_str());
    return exit_code::kOk;
  }

  std::optional<output_file> out;
  if (!flags.out.empty()) out.emplace(flags.out, "--benchmark_out");
  std::optional<json_lines_file> lines;
  if (!wanted.json_lines.empty()) lines.emplace(wanted.json_lines);

  selected_device selected = select_device(wanted);
  install_interrupt_handlers();
  const bool on_gpu = selected.device->name() == "cuda";
  const index_t default_bytes =
      wanted.quick ? quick_buffer_bytes(on_gpu, selected.device->last_cache_bytes())
                   : kDefaultBufferBytes;

  timing_rules rules = timing_rules::for_protocol(wanted.protocol);
  rules.blocking = selected.blocking;
  double min_time_s = wanted.quick ? kQuickMinTime_s : kMinTime_s;
  if (wanted.protocol == protocol_kind::kReference)
    min_time_s = 1e-9;  // one batch is all it takes
  else if (wanted.quick)
    rules.reference_s = kQuickMinTime_s;

  run_tally tally;
  row_runner runner(*selected.device, rules, wanted.seed);
  for (const suite_row& row : matching(make_suite(wanted, default_bytes), filter)) {
    const auto fixture = std::make_shared<row_fixture>(row, runner, tally, wanted.max_wall_s);
    benchmark::RegisterBenchmark(row.name.c_str(), [fixture](benchmark::State& state) {
      fixture->Run(state);
    })->UseManualTime();
  }

  const evidence facts = collect_evidence(wanted, selected, default_bytes);
  for (const auto& [key, value] : facts)
    if (std::ranges::count(flags.context_keys, key) > 0)
      throw usage_error("--benchmark_context=" + key + "=...: this key is the program's own");
  library_arguments library(program,
                            adjusted_library_args(parsed.library_args, flags, min_time_s,
                                                  out ? out->temporary_path() : std::string()));
  benchmark::Initialize(library.count(), library.values());
  if (*library.count() > 1) throw unknown_argument(library.values()[1]);
  for (const auto& [key, value] : facts) benchmark::AddCustomContext(key, value);

  console_settings settings;
  settings.color = use_color(flags);
  settings.time_unit = console_time_unit(flags.time_unit);
  settings.summary = [&tally] { return summary(tally); };
  settings.context_lines.push_back("sectorbench " + std::string(kBuildInfo.version) + " on " +
                                   selected.device->headline());
  std::vector<std::string> notices;
  if (!selected.notice.empty()) notices.push_back(selected.notice);
  if (std::string(kBuildInfo.build_type) != "Release")
    notices.push_back(std::string("this is a ") + kBuildInfo.build_type +
                      " build: its numbers are not fit to be kept");
  if (!selected.tool.empty())
    notices.push_back("running under " + selected.tool + ": times are not fit to be kept");
  for (const std::string& notice : notices) {
    if (flags.format == "console")
      settings.context_lines.push_back(notice);
    else
      say(notice);
  }

  const auto shown = own_reporter(flags.format, settings);
  if (out) {
    const auto written = own_reporter(flags.out_format, {});
    benchmark::RunSpecifiedBenchmarks(shown.get(), written.get());
  } else {
    benchmark::RunSpecifiedBenchmarks(shown.get());
  }

  if (flags.format != "console") say(summary(tally));
  benchmark::ClearRegisteredBenchmarks();
  if (out) out->commit(flags.out_format == "json" ? "}" : "");
  if (lines) write_json_lines(*lines, tally);
  selected.device.reset();
  return verdict(wanted, tally);
}

}  // namespace
}  // namespace sectorbench

int main(int argc, char** argv) {
  using namespace sectorbench;
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  exit_code code = exit_code::kFailed;
  try {
    code = run(argc > 0 ? argv[0] : "sectorbench", arguments);
  } catch (const usage_error& error) {
    say(error.what());
    code = exit_code::kUsage;
  } catch (const device_unavailable& error) {
    say(error.what());
    code = exit_code::kDevice;
  } catch (const std::exception& error) {
    say(one_line(error.what()));
  }
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    say("standard output: could not be written");
    code = exit_code::kFailed;
  }
  return static_cast<int>(code);
}
