// SPDX-License-Identifier: Apache-2.0
#include "bench/lessons/traps.hpp"

#include <cstdio>
#include <string>

#include "bench/commands/modes.hpp"
#include "bench/support/build_info.hpp"

namespace sectorbench {

exit_code show_traps(const run_plan& plan, device_run& run, std::FILE* out) {
  const options& wanted = plan.wanted;
  backend& device = run.first();
  for (const std::string& notice : notices_of(wanted, run.selected)) say(notice);
  trap_settings settings{wanted.bytes.value_or(run.default_bytes), wanted.seed, run.rules};
  if (!wanted.elements.empty())
    settings.buffer_bytes = wanted.elements.front() * size_of(element_type::kF32);
  std::fprintf(out, "sectorbench %s on %s\n", kBuildInfo.version, device.headline().c_str());
  const auto results = run_traps(device, settings);
  std::fputs(describe(results).c_str(), out);
  return all_refused(results) ? exit_code::kOk : exit_code::kFailed;
}

}  // namespace sectorbench
