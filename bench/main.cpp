// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/build_info.hpp"
#include "bench/calibration.hpp"
#include "bench/console_reporter.hpp"
#include "bench/context.hpp"
#include "bench/counters.hpp"
#include "bench/csv_reporter.hpp"
#include "bench/device_file.hpp"
#include "bench/device_selection.hpp"
#include "bench/exit_code.hpp"
#include "bench/explain.hpp"
#include "bench/fixture.hpp"
#include "bench/forecast.hpp"
#include "bench/format.hpp"
#include "bench/indexed.hpp"
#include "bench/interrupt.hpp"
#include "bench/json_lines.hpp"
#include "bench/json_reporter.hpp"
#include "bench/library.hpp"
#include "bench/library_flags.hpp"
#include "bench/listing.hpp"
#include "bench/options.hpp"
#include "bench/output_file.hpp"
#include "bench/progress.hpp"
#include "bench/row_list.hpp"
#include "bench/suite.hpp"
#include "bench/text.hpp"
#include "bench/traps.hpp"
#include "bench/why.hpp"

#if SECTORBENCH_HAS_CUDA
#include "sectorbench/cuda/error.hpp"
#endif

namespace sectorbench {
namespace {

/// The library's default of 0.5 s counts time on the device only; this suffices for the spread.
constexpr double kMinTime_s = 0.05;
constexpr double kQuickMinTime_s = 0.005;
constexpr double kOneRound_s = 1e-9;  // any round of samples takes longer

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

/// The rows of GPU `index` of several.
std::vector<suite_row> named_for_gpu(std::vector<suite_row> rows, int index) {
  for (suite_row& row : rows) row.name += "/gpu:" + std::to_string(index);
  return rows;
}

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

/// The rows of one GPU or of the CPU, as they are run.
struct device_rows {
  backend* device;
  std::unique_ptr<row_runner> runner;
};

/// Says in words what limits each row that was measured.
void explain_rows(const std::vector<device_rows>& devices, const run_tally& tally,
                  std::FILE* stream) {
  std::string text = "\n";
  for (const device_rows& one : devices) {
    row_runner& runner = *one.runner;
    if (runner.model() == nullptr) continue;
    const std::string of_several = "/gpu:" + std::to_string(one.device->index().value_or(0));
    for (const auto& [row, result] : tally.finished()) {
      if (devices.size() > 1 && !row.name.ends_with(of_several)) continue;
      if (const row_prediction* const predicted = runner.prediction(row.spec))
        text += explained(row.name, explain(row.spec, *predicted, runner.model()->device(),
                                            {result.mean_s, runner.metrics(row.spec)}));
    }
  }
  std::fflush(stdout);
  std::cout.flush();
  std::fputs(text.c_str(), stream);
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

std::string summary(const std::vector<device_rows>& devices, const run_tally& tally) {
  using enum run_tally::outcome;
  std::string text = std::to_string(tally.count(kOk)) + " rows measured and verified";
  const auto add = [&](run_tally::outcome how, const char* what) {
    if (tally.count(how) > 0) text += ", " + std::to_string(tally.count(how)) + " " + what;
  };
  add(kFailed, "failed");
  add(kSkipped, "skipped");
  add(kInterrupted, "interrupted");
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
  if (wanted.suite == suite_kind::kReference && wanted.rows.empty() &&
      static_cast<std::size_t>(tally.count(kOk)) != kReferenceRows * devices.size()) {
    say("--suite=reference promises " + std::to_string(kReferenceRows * devices.size()) +
        " rows, " + std::to_string(tally.count(kOk)) + " came");
    code = exit_code::kFailed;
  }
  if (wanted.counters == counters_mode::kRequire && !counters_satisfied(devices, tally))
    code = exit_code::kFailed;
  return code;
}

/// The exit code once the devices are let go.
exit_code tidied(exit_code code) {
#if SECTORBENCH_HAS_CUDA
  if (const auto failure = first_noted_cuda_failure()) {
    say("while tidying up: " + *failure);
    if (code == exit_code::kOk) code = exit_code::kFailed;
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

/// What a run is to do, as far as flags alone tell.
struct run_plan {
  options wanted;
  library_flags flags;
  std::vector<std::string> library_args;
  std::vector<listed_row> listed;  ///< of --suite=FILE, which is read once: it may be a pipe
  std::unique_ptr<const indexed_patterns> indexed;  ///< of --indexed, or null

  std::span<const pattern_entry> lists() const {
    return indexed ? std::span(indexed->entries()) : std::span<const pattern_entry>();
  }
};

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

/// The matching rows of each device. @param buffer_bytes what the suite takes unless flags say it
std::vector<std::vector<suite_row>> rows_of(const run_plan& plan, const filter_matcher& filter,
                                            const std::vector<selected_device>& devices,
                                            index_t buffer_bytes) {
  std::vector<std::vector<suite_row>> rows;
  for (const selected_device& selected : devices) {
    const backend& device = *selected.device;
    const double bytes_per_s = device.peak_bytes_per_s();
    const double flops_per_byte = bytes_per_s > 0 ? device.peak_f32_flops() / bytes_per_s : 0;
    auto all = make_suite(plan.wanted, {buffer_bytes, device.last_cache_bytes(), flops_per_byte,
                                        device.index().has_value(), plan.listed, plan.lists()});
    if (devices.size() > 1) all = named_for_gpu(std::move(all), *selected.device->index());
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

exit_code nothing_matched(const run_plan& plan) {
  say("--benchmark_filter=" + plan.flags.filter +
      ": no row matches; --benchmark_list_tests prints the names");
  return exit_code::kNothingMatched;
}

exit_code list_rows(const std::vector<suite_row>& rows) {
  for (const suite_row& row : rows) std::printf("%s\n", registered_name(row).c_str());
  return exit_code::kOk;
}

/// The known mistakes on one device, beside the right measurements.
exit_code show_traps(const options& wanted, backend& device, const timing_rules& rules,
                     index_t default_bytes) {
  trap_settings settings{wanted.bytes.value_or(default_bytes), wanted.seed, rules};
  if (!wanted.elements.empty())
    settings.buffer_bytes = wanted.elements.front() * size_of(element_type::kF32);
  std::printf("sectorbench %s on %s\n", kBuildInfo.version, device.headline().c_str());
  try {
    const auto results = run_traps(device, settings);
    std::fputs(describe(results).c_str(), stdout);
    return all_refused(results) ? exit_code::kOk : exit_code::kFailed;
  } catch (const interrupted& reason) {
    say(reason.what());
    return exit_code::kInterrupted;
  }
}

/// What predicts rows of this run beside their measurement; null where nothing can.
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

/// Puts the explanation of each row to the test.
exit_code show_why(const options& wanted, backend& device, timing_rules rules,
                   const std::vector<suite_row>& rows) {
  why_settings settings{rules, wanted.seed, model_of(wanted, device), {}};
  if (!settings.model || !settings.model->device().time)
    throw usage_error(device.index()
                          ? "--why: the model has no time for this GPU as it is used here; "
                            "calibrate it (--calibrate) or say which description to take (--gpu=)"
                          : "--why: puts rows of a GPU to the test, and the CPU is selected");
  settings.rules.observe = false;
  std::error_code unknown;
  if (!wanted.l2_fetch_granularity)
    settings.program = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
  std::printf("sectorbench %s on %s\n\n", kBuildInfo.version, device.headline().c_str());
  std::fflush(stdout);
  try {
    const auto results = ask_why(device, rows, settings);
    std::fputs(describe(results).c_str(), stdout);
    return results.empty() ? exit_code::kFailed : exit_code::kOk;
  } catch (const interrupted& reason) {
    say(reason.what());
    return exit_code::kInterrupted;
  }
}

/// Puts a whole text into its place, or leaves what stood there.
void write_whole(output_file& file, const std::string& flag, const std::string& text) {
  std::ofstream to(file.temporary_path(), std::ios::binary);
  to << text;
  to.close();
  if (!to)
    throw std::runtime_error(flag +
                             ": the file was cut off while it was written (is the disk full?)");
  file.commit();
}

/// Measures the GPU for the model, and keeps what it found.
exit_code write_passport(const options& wanted, backend& device) {
  const evidence facts = device.facts();
  std::string path = wanted.calibration_file;
  if (path.empty() && device.geometry()) {
    const auto uuid = std::ranges::find(facts, "gpu.uuid", &evidence::value_type::first);
    const auto in_cache = passport_path(uuid->second);
    if (!in_cache)
      throw usage_error(
          "--calibrate: neither XDG_CACHE_HOME nor HOME is set; name a file, "
          "e.g. --calibrate=gpu.json");
    path = *in_cache;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  }
  std::optional<output_file> file;
  if (!path.empty()) file.emplace(path, "--calibrate");
  const calibration found = calibrate(device);
  const device_file passport = passport_of(found, facts);
  write_whole(*file, "--calibrate=" + path,
              write_device(passport.device, passport.sources, passport.evidence));
  std::printf(
      "%s: calibrated %s with %zu probes%s\n", path.c_str(), device.headline().c_str(),
      found.probes.size(),
      found.counted ? "" : "; without counters granule, fills and what L2 keeps are assumed");
  return exit_code::kOk;
}

/// Predicts the matching rows; nothing is measured.
exit_code predict_rows(const run_plan& plan, const filter_matcher& filter) {
  const options& wanted = plan.wanted;
  const library_flags& flags = plan.flags;
  if (flags.format == "csv" || (!flags.out.empty() && flags.out_format == "csv"))
    throw usage_error("--predict: writes tables and JSON; take --benchmark_format=json");
  std::vector<predictor> devices;
  for (const std::string& name : wanted.gpus) {
    const bool built_in = name.find_first_of("/.") == std::string::npos;  // else it is a file
    predictor one(find_device(name), built_in ? "built in" : name);
    const std::string& key = one.device().key;
    for (const predictor& other : devices)
      if (other.device().key == key)
        throw usage_error("--gpu=" + name + ": another description is called '" + key +
                          "' too, and rows are named after it; give one of them another key");
    devices.push_back(std::move(one));
  }
  const device_description& first = devices.front().device();
  const auto l2_bytes = static_cast<index_t>(first.l2_bytes);
  const index_t default_bytes =
      wanted.quick ? quick_buffer_bytes(true, l2_bytes) : kDefaultBufferBytes;
  const double balance = first.time ? first.time->f32_flops / first.dram_bytes_per_s : 1;
  const auto rows = matching(make_suite(wanted, {.default_bytes = default_bytes,
                                                 .last_cache_bytes = l2_bytes,
                                                 .flops_per_byte = balance,
                                                 .listed = plan.listed,
                                                 .indexed = plan.lists()}),
                             filter);
  if (rows.empty()) return nothing_matched(plan);
  if (std::ranges::all_of(rows, [](const suite_row& row) { return row.spec.pattern->mover; })) {
    say("--predict: memcpy and memset have no accesses of threads to predict; take other rows");
    return exit_code::kNothingMatched;
  }
  std::optional<output_file> out;
  if (!flags.out.empty()) out.emplace(flags.out, "--benchmark_out");
  const auto predicted = forecast(rows, devices);
  const evidence context{{"sectorbench.version", kBuildInfo.version},
                         {"sectorbench.revision", kBuildInfo.revision},
                         {"suite", suite_text(wanted)}};
  const std::string json = forecast_json(predicted, devices, context);
  std::string table = forecast_table(predicted, devices);
  if (wanted.explain) {
    table += "\n";
    for (const forecast_row& row : predicted)
      for (std::size_t d = 0; d < devices.size(); ++d)
        table +=
            explained(row.row.name + (devices.size() > 1 ? " on " + devices[d].device().key : ""),
                      explain(row.row.spec, row.on[d], devices[d].device(), {}));
  }
  std::fputs(flags.format == "json" ? json.c_str() : table.c_str(), stdout);
  if (out)
    write_whole(*out, "--benchmark_out=" + flags.out, flags.out_format == "json" ? json : table);
  return exit_code::kOk;
}

exit_code run(const char* program, const std::vector<std::string>& arguments) {
  const command_line parsed = parse_options(arguments);
  if (parsed.ours.version) {
    print_version();
    return exit_code::kOk;
  }
  if (parsed.ours.help) {
    std::fputs(flags_help().c_str(), stdout);
    std::fflush(stdout);
    library_arguments help(program, {"--help"});
    benchmark::Initialize(help.count(), help.values());  // prints its own flags and ends
    return exit_code::kOk;
  }

  const run_plan plan = read_command_line(parsed);
  const options& wanted = plan.wanted;
  const library_flags& flags = plan.flags;
  const filter_matcher filter(flags.filter);
  // How many GPUs there are decides about names; otherwise mistakes are found without a device.
  const bool several = wanted.device.kind == device_kind::kAll;
  const auto named =
      make_suite(wanted, {.flops_per_byte = 1, .listed = plan.listed, .indexed = plan.lists()});
  const auto matches = matching(named, filter);
  if (wanted.list) {
    if (matches.empty()) return nothing_matched(plan);
    std::fputs(listing_of(matches).c_str(), stdout);
    return exit_code::kOk;
  }
  // The sizes of a sweep are the device's; a list takes usual ones.
  const bool final_names = !several && (flags.list_tests || wanted.suite != suite_kind::kSweep);
  if (final_names && matches.empty()) return nothing_matched(plan);
  if (!several && flags.list_tests) return list_rows(matches);

  if (wanted.traps && !(flags.out.empty() && wanted.json_lines.empty()))
    throw usage_error(
        "--traps: there are no rows to write; leave out --benchmark_out and --json_lines");
  if (wanted.predict) return predict_rows(plan, filter);
  std::optional<output_file> out;
  if (!flags.out.empty() && !flags.list_tests) out.emplace(flags.out, "--benchmark_out");
  std::optional<json_lines_file> lines;
  if (!wanted.json_lines.empty() && !flags.list_tests) lines.emplace(wanted.json_lines);

  std::vector<selected_device> selected = select_devices(wanted);
  install_interrupt_handlers();
  const backend& first = *selected.front().device;
  const bool on_gpu = first.index().has_value();
  const index_t default_bytes =
      wanted.quick ? quick_buffer_bytes(on_gpu, first.last_cache_bytes()) : kDefaultBufferBytes;

  timing_rules rules = timing_rules::for_protocol(wanted.protocol);
  rules.blocking = selected.front().blocking;
  double min_time_s = wanted.quick ? kQuickMinTime_s : kMinTime_s;
  library_flags times = flags;
  if (wanted.quick) rules.reference_s = kQuickMinTime_s;
  if (wanted.protocol != protocol_kind::kDefault) min_time_s = kOneRound_s;
  if (wanted.protocol == protocol_kind::kProfile) {
    times.min_time_s = kOneRound_s;
    times.iterations.reset();
  }
  if (!on_gpu && wanted.caches == cache_mode::kCold)
    min_time_s = rules.reference_s = kOneRound_s;  // a flush takes far longer than what is timed

  if (wanted.traps) {
    for (const std::string& notice : notices_of(wanted, selected)) say(notice);
    const exit_code code = show_traps(wanted, *selected.front().device, rules, default_bytes);
    selected.clear();
    return tidied(code);
  }

  if (wanted.calibrate) {
    const exit_code code = write_passport(wanted, *selected.front().device);
    selected.clear();
    return tidied(code);
  }

  if (wanted.why) {
    const exit_code code = show_why(wanted, *selected.front().device, rules,
                                    rows_of(plan, filter, selected, default_bytes).front());
    selected.clear();
    return tidied(code);
  }

  run_tally tally;
  std::optional<progress_line> progress;
  const std::shared_ptr<const predictor> model = model_of(wanted, first);
  if (wanted.explain && !model)
    throw usage_error(
        on_gpu ? "--explain: nothing describes this GPU as it is used here; calibrate it "
                 "(--calibrate) or say which description to take (--gpu=)"
               : "--explain: explains rows of a GPU, and the CPU is selected; "
                 "--predict --gpu=h200 --explain needs none");
  std::vector<device_rows> devices;
  std::vector<suite_row> all_rows;
  const auto rows = rows_of(plan, filter, selected, default_bytes);
  for (std::size_t i = 0; i < selected.size(); ++i) {
    backend& device = *selected[i].device;
    devices.push_back({&device, std::make_unique<row_runner>(device, rules, wanted.seed, model)});
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
  if (flags.list_tests) return list_rows(all_rows);

  evidence facts = collect_evidence(wanted, selected, rules, all_rows, default_bytes);
  record_suite(wanted, all_rows, facts);
  facts.emplace_back("model.gpu", model ? model->device().key : "none");
  facts.emplace_back("model.source", model ? sanitize(model->source()) : "none");
  for (const auto& [key, value] : facts)
    if (std::ranges::count(flags.context_keys, key) > 0)
      throw usage_error("--benchmark_context=" + key + "=...: this key is the program's own");
  library_arguments library(program,
                            adjusted_library_args(plan.library_args, times, min_time_s,
                                                  out ? out->temporary_path() : std::string()));
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

  if (shows_progress(wanted.progress, flags.format == "console", isatty(STDERR_FILENO) == 1))
    progress.emplace(all_rows.size(), [](std::string_view text) {
      std::fprintf(stderr, "%.*s", static_cast<int>(text.size()), text.data());
    });

  const auto shown = own_reporter(flags.format, settings, wanted);
  if (out) {
    const auto written = own_reporter(flags.out_format, {}, wanted);
    benchmark::RunSpecifiedBenchmarks(shown.get(), written.get());
  } else {
    benchmark::RunSpecifiedBenchmarks(shown.get());
  }

  if (flags.format != "console") say(summary(devices, tally));
  if (wanted.explain) explain_rows(devices, tally, flags.format == "console" ? stdout : stderr);
  const exit_code code = verdict(wanted, devices, tally);
  benchmark::ClearRegisteredBenchmarks();
  if (out) out->commit(flags.out_format == "json" ? "}" : "");
  if (lines) write_json_lines(*lines, tally);
  devices.clear();
  selected.clear();
  return tidied(code);
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
