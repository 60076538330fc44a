// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/cases/suite.hpp"
#include "bench/commands/modes.hpp"
#include "bench/devices/device_selection.hpp"
#include "bench/devices/disturbance.hpp"
#include "bench/options/library_flags.hpp"
#include "bench/options/options.hpp"
#include "bench/predict/describe.hpp"
#include "bench/report/library.hpp"
#include "bench/support/build_info.hpp"
#include "bench/support/exit_code.hpp"
#include "bench/support/interrupt.hpp"
#include "bench/support/text.hpp"

#if SECTORBENCH_HAS_CUDA
#include "sectorbench/cuda/error.hpp"
#endif

namespace sectorbench {
namespace {

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

/// Whether what was printed so far is lost.
bool output_failed() {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return false;
  say("standard output: could not be written");
  return true;
}

/// The library ends the process where it cannot open a file of the kernel's.
void require_descriptors() {
  constexpr std::size_t kNeeded = 8;
  std::vector<std::unique_ptr<std::FILE, int (*)(std::FILE*)>> open;
  while (open.size() < kNeeded) {
    open.emplace_back(std::fopen("/dev/null", "r"), &std::fclose);
    if (!open.back())
      throw usage_error("only " + std::to_string(open.size() - 1) +
                        " files more can be opened, and " + std::to_string(kNeeded) +
                        " are needed; raise the limit (ulimit -n)");
  }
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

/// Ends the process though launches still run: to let go of their device would wait for them.
[[noreturn]] void leave(exit_code code) {
  _exit(static_cast<int>(output_failed() ? exit_code::kFailed : code));
}

/// The mode that runs on a device.
exit_code run_on_device(const char* program, const run_plan& plan, const filter_matcher& filter) {
  result_files files(plan);  // a path that cannot be written is refused before anything is measured
  device_run run = begin_device_run(plan);
  if (plan.wanted.traps) return show_traps(plan, run, stdout);
  if (plan.wanted.calibrate) return write_passport(plan, run, stdout);
  if (plan.wanted.why) return show_why(plan, filter, run, stdout);
  const exit_code code = measure_rows(program, plan, filter, run, files, stdout);
  if (run.hangs) leave(code);
  return code;
}

exit_code run(const char* program, const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments.front() == "describe") {
    const std::vector<std::string> flags(arguments.begin() + 1, arguments.end());
    const bool help = std::ranges::count(flags, "--help") > 0;
    std::fputs((help ? describe_help() : describe(flags)).c_str(), stdout);
    return exit_code::kOk;
  }
  const command_line parsed = parse_options(arguments);
  if (parsed.ours.version) {
    print_version();
    return exit_code::kOk;
  }
  if (parsed.ours.help) {
    std::fputs(flags_help().c_str(), stdout);
    std::atexit([] {  // the library ends the process
      if (output_failed()) _exit(static_cast<int>(exit_code::kFailed));
    });
    library_arguments help(program, {"--help"});
    benchmark::Initialize(help.count(), help.values());  // prints its own flags and ends
    return exit_code::kOk;
  }

  require_descriptors();
  choose_threads();
  const run_plan plan = read_command_line(parsed);
  if (plan.wanted.hint > 0) return show_hint(plan, stdout);
  if (!plan.wanted.check_file.empty()) return check_file(plan, stdout);
  if (!plan.wanted.ncu.empty()) return explain_exports(plan, stdout);
  const options& wanted = plan.wanted;
  const library_flags& flags = plan.flags;
  const filter_matcher filter(flags.filter);
  // How many GPUs there are decides about names; otherwise mistakes are found without a device.
  const bool several = wanted.device.kind == device_kind::kAll;
  const auto named = make_suite(
      wanted,
      {.flops_per_byte = 1, .listed = plan.listed, .indexed = plan.lists(), .of_all = wanted.list});
  const auto matches = matching(named, filter);
  if (wanted.list) return matches.empty() ? nothing_matched(plan) : list_patterns(matches, stdout);
  // The sizes of a sweep are the device's; a list takes usual ones.
  const bool final_names = !several && (flags.list_tests || wanted.suite != suite_kind::kSweep);
  if (final_names && matches.empty()) return nothing_matched(plan);
  if (!several && flags.list_tests) return list_names(matches, stdout);

  if (wanted.traps && !(flags.out.empty() && wanted.json_lines.empty()))
    throw usage_error(
        "--traps: there are no rows to write; leave out --benchmark_out and --json_lines");
  if (wanted.predict) return predict_rows(plan, filter, stdout);
  return tidied(run_on_device(program, plan, filter));  // the devices are let go by then
}

}  // namespace
}  // namespace sectorbench

int main(int argc, char** argv) {
  using namespace sectorbench;
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  exit_code code = exit_code::kFailed;
  end_on_interrupts();
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
  if (output_failed()) code = exit_code::kFailed;
  return static_cast<int>(code);
}
