// SPDX-License-Identifier: Apache-2.0
#include "bench/lessons/why.hpp"

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "bench/commands/modes.hpp"
#include "bench/support/build_info.hpp"

namespace sectorbench {

exit_code show_why(const run_plan& plan, const filter_matcher& filter, device_run& run,
                   std::FILE* out) {
  const options& wanted = plan.wanted;
  backend& device = run.first();
  const std::vector<suite_row> rows = rows_of(plan, filter, run).front();
  why_settings settings{run.rules, wanted.seed, model_of(wanted, device), {}};
  if (!settings.model || !settings.model->device().time)
    throw usage_error(device.index()
                          ? "--why: the model has no time for this GPU as it is used here; "
                            "calibrate it (--calibrate) or say which description to take (--gpu=)"
                          : "--why: puts rows of a GPU to the test, and the CPU is selected");
  settings.rules.observe = false;
  std::error_code unknown;
  if (!wanted.l2_fetch_granularity)
    settings.program = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
  std::fprintf(out, "sectorbench %s on %s\n\n", kBuildInfo.version, device.headline().c_str());
  std::fflush(out);
  const auto results = ask_why(device, rows, settings);
  std::fputs(describe(results).c_str(), out);
  return results.empty() ? exit_code::kFailed : exit_code::kOk;
}

}  // namespace sectorbench
