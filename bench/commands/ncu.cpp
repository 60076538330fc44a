// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/commands/modes.hpp"
#include "bench/predict/ncu_report.hpp"
#include "bench/support/build_info.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/output_file.hpp"

namespace sectorbench {

exit_code explain_exports(const run_plan& plan, std::FILE* out) {
  const options& wanted = plan.wanted;
  const library_flags& flags = plan.flags;
  if (flags.format == "csv" || (!flags.out.empty() && flags.out_format == "csv"))
    throw usage_error("--ncu: writes text and JSON; take --benchmark_format=json");
  std::vector<predictor> devices;
  for (const std::string& name : wanted.gpus) devices.push_back(named_predictor(name));
  std::vector<counted_kernel> kernels;
  std::vector<std::string> names;
  bool whole = true;
  std::string refused;
  for (const std::string& path : wanted.ncu) {
    const std::string where = "--ncu=" + path;
    constexpr input_kind kExport{"--ncu", "export of Nsight Compute",
                                 "give what ncu --csv --page raw prints", std::size_t{1} << 30};
    const std::string name = std::filesystem::path(path).filename().string();
    names.push_back(std::ranges::count(names, name) > 0 ? path : name);
    try {
      const ncu_export counted = read_ncu_export(read_input_file(path, kExport), where);
      for (const std::string& fault : counted.faults) say(fault);
      whole = whole && counted.faults.empty();
      std::ranges::move(kernels_of(counted, names.back()), std::back_inserter(kernels));
    } catch (const usage_error& error) {
      if (!refused.empty()) say(refused);
      refused = error.what();
    }
  }
  if (kernels.empty()) throw usage_error(refused);
  if (!refused.empty()) say(refused);
  const auto add = [&](const std::string& key) {
    if (std::ranges::none_of(devices,
                             [&](const predictor& one) { return one.device().key == key; }))
      devices.push_back(named_predictor(key));
  };
  for (const counted_kernel& one : kernels)
    if (const std::string key = device_key(one.first.gpu);
        std::ranges::count(known_devices(), key) > 0)
      add(key);
  add("h200");
  std::optional<output_file> file;
  if (!flags.out.empty()) file.emplace(flags.out, "--benchmark_out");
  std::vector<explained_kernel> explained;
  for (const counted_kernel& one : kernels)
    explained.push_back(explain_kernel(one, devices, !wanted.gpus.empty(), wanted.types));
  const auto pairs = names.size() == 2 ? paired(kernels, names[0])
                                       : std::vector<std::pair<std::size_t, std::size_t>>{};
  const evidence context{{"sectorbench.version", kBuildInfo.version},
                         {"sectorbench.revision", kBuildInfo.revision}};
  const std::string json = ncu_json(explained, pairs, devices, context);
  const std::string text = ncu_text(explained, pairs, devices);
  std::fputs(flags.format == "json" ? json.c_str() : text.c_str(), out);
  if (file)
    write_whole(*file, "--benchmark_out=" + flags.out, flags.out_format == "json" ? json : text);
  return whole && refused.empty() ? exit_code::kOk : exit_code::kUsage;
}

}  // namespace sectorbench
