// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "bench/commands/modes.hpp"
#include "bench/predict/calibration.hpp"
#include "bench/predict/device_file.hpp"
#include "bench/support/output_file.hpp"

namespace sectorbench {

exit_code write_passport(const run_plan& plan, device_run& run, std::FILE* out) {
  const options& wanted = plan.wanted;
  backend& device = run.first();
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
              write_device({passport.device, passport.sources, passport.evidence}));
  std::fprintf(
      out, "%s: calibrated %s with %zu probes%s\n", path.c_str(), device.headline().c_str(),
      found.probes.size(),
      found.counted ? "" : "; without counters granule, fills and what L2 keeps are assumed");
  return exit_code::kOk;
}

}  // namespace sectorbench
