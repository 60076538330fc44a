// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/commands/modes.hpp"
#include "bench/predict/device_file.hpp"
#include "bench/predict/explain.hpp"
#include "bench/predict/forecast.hpp"
#include "bench/support/build_info.hpp"
#include "bench/support/output_file.hpp"

namespace sectorbench {

exit_code predict_rows(const run_plan& plan, const filter_matcher& filter, std::FILE* out) {
  const options& wanted = plan.wanted;
  const library_flags& flags = plan.flags;
  if (flags.format == "csv" || (!flags.out.empty() && flags.out_format == "csv"))
    throw usage_error("--predict: writes tables and JSON; take --benchmark_format=json");
  std::vector<predictor> devices;
  for (const std::string& name : wanted.gpus) {
    predictor one = named_predictor(name);
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
  const double balance = first.time ? first.time->f32_flops.middle() / first.dram_bytes_per_s : 1;
  const auto rows = matching(make_suite(wanted, {.default_bytes = default_bytes,
                                                 .last_cache_bytes = l2_bytes,
                                                 .flops_per_byte = balance,
                                                 .listed = plan.listed,
                                                 .indexed = plan.lists()}),
                             filter);
  if (rows.empty()) return nothing_matched(plan);
  std::optional<output_file> file;
  if (!flags.out.empty()) file.emplace(flags.out, "--benchmark_out");
  const auto predicted = forecast(rows, devices);
  if (predicted.empty()) {
    say("--predict: library copies have no accesses of threads to predict, nor have kernels that "
        "name none; take other rows");
    return exit_code::kNothingMatched;
  }
  const evidence context{{"sectorbench.version", kBuildInfo.version},
                         {"sectorbench.revision", kBuildInfo.revision},
                         {"suite", suite_text(wanted)}};
  const std::string json = forecast_json(predicted, devices, context);
  std::string table = forecast_table(predicted, devices);
  if (wanted.explain) {
    table += "\n";
    for (const forecast_row& row : predicted)
      for (std::size_t d = 0; d < row.on.size(); ++d)
        table +=
            explained(row.row.name + (devices.size() > 1 ? " on " + devices[d].device().key : ""),
                      explain(row.row.spec, row.on[d], devices[d].device(), {}));
  }
  std::fputs(flags.format == "json" ? json.c_str() : table.c_str(), out);
  if (file)
    write_whole(*file, "--benchmark_out=" + flags.out, flags.out_format == "json" ? json : table);
  return exit_code::kOk;
}

}  // namespace sectorbench
