// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/ncu_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/devices/backend.hpp"
#include "bench/support/format.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

constexpr double kSameCounts = 0.01;   // of launches of one kernel
constexpr double kSameTraffic = 0.15;  // of a row and a kernel

std::optional<double> known(const metric_values& metrics, std::string_view name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

/// One side of a kernel's accesses, as far as it was counted.
struct counted_side {
  std::optional<double> requests, sectors, of_sector;

  std::optional<double> per_request() const {
    if (!requests || !sectors || *requests == 0) return std::nullopt;
    return *sectors / *requests;
  }
  /// Bytes that the threads ask for.
  std::optional<double> asked() const {
    if (sectors && *sectors == 0) return 0;
    if (!sectors || !of_sector) return std::nullopt;
    return *sectors * *of_sector;
  }
};

counted_side side_of(const metric_values& metrics, bool loads) {
  const std::string name = loads ? "load" : "store";
  return {metric_of(metrics, name + "_requests_measured"),
          metric_of(metrics, name + "_sectors_measured"),
          bytes_of_sector(metrics, loads ? "ld" : "st")};
}

std::optional<double> asked_by(const metric_values& metrics) {
  const auto loaded = side_of(metrics, true).asked(), stored = side_of(metrics, false).asked();
  if (!loaded || !stored) return std::nullopt;
  return *loaded + *stored;
}

std::optional<double> dram_of(const metric_values& metrics) {
  const auto read = metric_of(metrics, "dram_read_bytes_measured");
  const auto written = metric_of(metrics, "dram_write_bytes_measured");
  if (!read || !written) return std::nullopt;
  return *read + *written;
}

std::optional<double> amplification_of(const metric_values& metrics) {
  const auto dram = dram_of(metrics), asked = asked_by(metrics);
  if (!dram || !asked || *asked == 0) return std::nullopt;
  return *dram / *asked;
}

bool counts_alike(const ncu_launch& a, const ncu_launch& b) {
  if (a.kernel != b.kernel || !(a.block == b.block) || a.blocks != b.blocks || a.gpu != b.gpu)
    return false;
  for (const bool loads : {true, false}) {
    const counted_side x = side_of(a.metrics, loads), y = side_of(b.metrics, loads);
    for (const auto& [one, other] : {std::pair(x.requests, y.requests), {x.sectors, y.sectors}})
      if (one.has_value() != other.has_value() ||
          (one && std::abs(*one - *other) > kSameCounts * std::max(*one, *other)))
        return false;
  }
  return true;
}

launch_counts counts_of(const ncu_launch& launch) {
  const counted_side loads = side_of(launch.metrics, true), stores = side_of(launch.metrics, false);
  return {loads.requests.value_or(0),
          loads.sectors.value_or(0),
          stores.requests.value_or(0),
          stores.sectors.value_or(0),
          loads.asked(),
          stores.asked(),
          launch.block};
}

std::string text_or_dash(std::optional<double> value, int decimals) {
  return value ? format_fixed(*value, decimals) : "-";
}
std::string megabytes(std::optional<double> bytes) {
  return bytes ? format_significant(*bytes * 1e-6, 3) + " MB" : "-";
}
std::string duration(const counted_kernel& kernel) {
  const auto seconds = known(kernel.first.metrics, kNcuDuration);
  return seconds ? format_time(*seconds, 3) : "-";
}

std::string heading(const counted_kernel& kernel) {
  std::string ids;
  constexpr std::size_t kMost = 4;
  for (std::size_t i = 0; i < kernel.ids.size(); ++i)
    if (i < kMost)
      ids += (i == 0 ? "" : ", ") + kernel.ids[i];
    else if (i + 1 == kernel.ids.size())
      ids += " to " + kernel.ids[i];
  const block_size block = kernel.first.block;
  return kernel.first.kernel + ": " + std::to_string(kernel.first.blocks) + " blocks of " +
         std::to_string(block.x) + "x" + std::to_string(block.y) + ", " +
         (kernel.ids.size() > 1 ? std::to_string(kernel.ids.size()) + " launches, " : "launch ") +
         ids + " of " + kernel.file;
}

std::string counts_table(const std::vector<explained_kernel>& kernels) {
  std::vector<std::vector<std::string>> lines{{"kernel", "time", "loads", "sectors", "each", "used",
                                               "stores", "sectors", "each", "used", "DRAM read",
                                               "written", "/ asked"}};
  for (const explained_kernel& one : kernels) {
    const metric_values& metrics = one.kernel.first.metrics;
    std::vector<std::string> line{heading(one.kernel), duration(one.kernel)};
    for (const bool loads : {true, false}) {
      const counted_side side = side_of(metrics, loads);
      line.push_back(text_or_dash(side.requests, 0));
      line.push_back(text_or_dash(side.sectors, 0));
      line.push_back(text_or_dash(side.per_request(), 2));
      line.push_back(side.per_request() ? text_or_dash(side.of_sector, 1) : "-");
    }
    line.push_back(megabytes(metric_of(metrics, "dram_read_bytes_measured")));
    line.push_back(megabytes(metric_of(metrics, "dram_write_bytes_measured")));
    line.push_back(text_or_dash(amplification_of(metrics), 2));
    lines.push_back(std::move(line));
  }
  std::vector<bool> left(lines.front().size(), false);
  left[0] = true;
  return "counted by ncu: requests, their 32-byte sectors, sectors of each, bytes used of a "
         "sector\n\n" +
         aligned(lines, left);
}

/// What else than its elements a row loads.
std::string list_counts(const forecast_row& row) {
  return !row.on.empty() && row.on.front().totals.indices.requests > 0
             ? ", with the loads of its index list"
             : "";
}

std::string ratio_text(std::optional<double> before, std::optional<double> after) {
  if (!before || !after || *before == 0) return "-";
  return format_significant(*after / *before, 3) + "x";
}

std::string pairs_table(const std::vector<explained_kernel>& kernels,
                        const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
  std::vector<std::vector<std::string>> lines{
      {"before -> after", "time", "", "ld", "", "st", "", "DRAM", ""}};
  for (const auto& [a, b] : pairs) {
    const counted_kernel &x = kernels[a].kernel, &y = kernels[b].kernel;
    const metric_values &before = x.first.metrics, &after = y.first.metrics;
    std::vector<std::string> line{x.first.kernel == y.first.kernel
                                      ? x.first.kernel
                                      : x.first.kernel + " -> " + y.first.kernel};
    line.push_back(duration(x) + " -> " + duration(y));
    line.push_back(ratio_text(known(before, kNcuDuration), known(after, kNcuDuration)));
    for (const bool loads : {true, false}) {
      const auto from = side_of(before, loads).per_request();
      const auto to = side_of(after, loads).per_request();
      line.push_back(text_or_dash(from, 2) + " -> " + text_or_dash(to, 2));
      line.push_back(ratio_text(from, to));
    }
    line.push_back(megabytes(dram_of(before)) + " -> " + megabytes(dram_of(after)));
    line.push_back(ratio_text(dram_of(before), dram_of(after)));
    lines.push_back(std::move(line));
  }
  return aligned(lines, {true, false, false, false, false, false, false, false, false});
}

/// Whether another order of its accesses may help.
bool accesses_matter(const explained_kernel& kernel) {
  return kernel.limited_by != limit::kIssue && kernel.limited_by != limit::kBankConflicts;
}

/// Of rows that count alike those first that read as much from DRAM. ncu empties the caches before
/// each launch, so that a working set that stays in L2 tells nothing.
void order_by_traffic(explained_kernel& kernel, const device_description& device, std::size_t on) {
  const auto read = metric_of(kernel.kernel.first.metrics, "dram_read_bytes_measured");
  if (!read || *read <= 0 || kernel.like.empty() || !kernel.like.front().same) return;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < kernel.like.size(); ++i) {
    const forecast_row& row = kernel.predicted[i];
    if (row.on.empty() || row.on[on].traffic.footprint_bytes < device.l2_bytes) return;
    const interval bytes = row.on[on].traffic.dram_read_bytes;
    const double off = std::max(std::abs(*read - bytes.low), std::abs(*read - bytes.high)) / *read;
    order.emplace_back(off < kSameTraffic ? 0 : off, i);
  }
  std::ranges::stable_sort(order, {}, &std::pair<double, std::size_t>::first);
  const std::vector<like_row> like = kernel.like;
  const std::vector<forecast_row> predicted = kernel.predicted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    kernel.like[i] = like[order[i].second];
    kernel.predicted[i] = predicted[order[i].second];
  }
}

nlohmann::ordered_json json_of_rows(const explained_kernel& kernel,
                                    const std::vector<predictor>& devices) {
  auto list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < kernel.like.size(); ++i) {
    const forecast_row& row = kernel.predicted[i];
    nlohmann::ordered_json one{{"name", row.row.name},
                               {"elements", row.row.spec.elements},
                               {"same_counts", kernel.like[i].same}};
    for (std::size_t d = 0; d < row.on.size(); ++d) {
      const row_prediction& model = row.on[d];
      one["load_sectors_per_request_predicted"] = model.totals.loads.sectors_per_request();
      one["store_sectors_per_request_predicted"] = model.totals.stores.sectors_per_request();
      if (!model.time) continue;
      auto& on = one["on"][devices[d].device().key];
      const auto bytes = static_cast<double>(useful_bytes(row.row.spec));
      on["time_predicted_low_s"] = model.time->seconds.low;
      on["time_predicted_high_s"] = model.time->seconds.high;
      on["useful_bytes_per_second"] = bytes / model.time->seconds.middle();
      on["limited_by"] = name_of(model.time->limited_by);
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

std::vector<counted_kernel> kernels_of(const ncu_export& counted, const std::string& file) {
  std::vector<counted_kernel> kernels;
  std::vector<std::map<std::string, int, std::less<>>> times;
  for (const ncu_launch& launch : counted.launches) {
    const auto found = std::ranges::find_if(
        kernels, [&](const counted_kernel& one) { return counts_alike(one.first, launch); });
    if (found == kernels.end()) {
      kernels.push_back({file, launch, {launch.id}});
      auto& seen = times.emplace_back();
      for (const auto& [name, value] : launch.metrics) seen[name] = 1;
      continue;
    }
    found->ids.push_back(launch.id);
    auto& seen = times[static_cast<std::size_t>(found - kernels.begin())];
    for (const auto& [name, value] : launch.metrics) {
      double& mean = found->first.metrics[name];
      mean += (value - mean) / ++seen[name];
    }
  }
  return kernels;
}

explained_kernel explain_kernel(const counted_kernel& kernel, const std::vector<predictor>& devices,
                                bool first_is_given, std::span<const element_type> types) {
  explained_kernel result{kernel, {}, {}, {}, {}, {}};
  const ncu_launch& launch = kernel.first;
  const launch_counts counts = counts_of(launch);
  if (counts.load_requests + counts.store_requests > 0) {
    result.like = rows_like(counts, types);
    std::vector<suite_row> rows;
    for (const like_row& one : result.like) rows.push_back(one.row);
    result.predicted = forecast(rows, devices);
  }
  const std::string key = launch.gpu.empty() ? "" : device_key(launch.gpu);
  auto on =
      std::ranges::find_if(devices, [&](const predictor& one) { return one.device().key == key; });
  const bool is_known = on != devices.end() || (key.empty() && first_is_given);
  if (on == devices.end()) on = devices.begin();
  if (!known(launch.metrics, kNcuDuration)) {
    result.judged = {"What limits it is not judged: the file has no " + std::string(kNcuDuration) +
                     "."};
  } else if (!is_known) {
    result.judged = {"What limits it is not judged: " +
                     (launch.gpu.empty() ? "the page does not name its GPU"
                                         : "nothing describes " + launch.gpu) +
                     "; --gpu= says which description to take."};
  } else {
    const counted_launch counted{launch.metrics,
                                 *known(launch.metrics, kNcuDuration),
                                 launch.blocks,
                                 static_cast<int>(launch.block.threads()),
                                 counts.load_bytes,
                                 counts.store_bytes,
                                 0};
    if (const auto limits = limits_of_counts(counted, on->device())) {
      result.limited_by = limits->time->limited_by;
      result.judged = explain_counts(counted, on->device());
    } else {
      result.judged = {
          "What limits it is not judged: the file has neither the sectors of L2 nor "
          "the bytes of DRAM, or " +
          on->device().name + " has no figures of time."};
    }
    double atomics = 0;
    for (const std::string_view name : kNcuAtomics)
      atomics += known(launch.metrics, name).value_or(0);
    if (atomics > 0)
      result.judged.push_back("It also makes " + format_fixed(atomics, 0) +
                              " requests of atomic operations, whose cost is not judged.");
  }
  order_by_traffic(result, on->device(), static_cast<std::size_t>(on - devices.begin()));
  if (!result.like.empty() && result.like.front().same && accesses_matter(result) &&
      !result.predicted.front().on.empty())
    result.cause =
        explain(result.like.front().row.spec,
                result.predicted.front().on[static_cast<std::size_t>(on - devices.begin())],
                on->device(), {});
  return result;
}

std::vector<std::pair<std::size_t, std::size_t>> paired(const std::vector<counted_kernel>& kernels,
                                                        const std::string& before) {
  std::vector<std::size_t> first, second;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    (kernels[i].file == before ? first : second).push_back(i);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::erase_if(first, [&](std::size_t a) {
    const auto same = std::ranges::find_if(
        second, [&](std::size_t b) { return kernels[b].first.kernel == kernels[a].first.kernel; });
    if (same == second.end()) return false;
    pairs.emplace_back(a, *same);
    second.erase(same);
    return true;
  });
  if (first.size() == 1 && second.size() == 1) pairs.emplace_back(first[0], second[0]);
  return pairs;
}

std::string ncu_text(const std::vector<explained_kernel>& kernels,
                     const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                     const std::vector<predictor>& devices) {
  std::string text = counts_table(kernels);
  for (const explained_kernel& one : kernels) {
    text += "\n" + one.kernel.first.kernel + "\n";
    std::vector<std::string> sentences;
    const bool shown = !one.like.empty() && (one.like.front().same || accesses_matter(one));
    if (one.like.empty()) {
      sentences.emplace_back("It makes no requests for global memory that were counted.");
    } else if (shown) {
      const suite_row& best = one.like.front().row;
      sentences.push_back(one.like.front().same
                              ? "Its counts are those of " + best.name + ": " +
                                    std::string(best.spec.pattern->summary) +
                                    list_counts(one.predicted.front()) + "."
                              : "No pattern of the suite has these counts; " + best.name +
                                    " is nearest: " + std::string(best.spec.pattern->summary) +
                                    ".");
    }
    sentences.insert(sentences.end(), one.cause.begin(), one.cause.end());
    sentences.insert(sentences.end(), one.judged.begin(), one.judged.end());
    const std::string lines = explained("", sentences);
    text += lines.substr(std::min<std::size_t>(1, lines.size()));
    if (shown) text += forecast_table(one.predicted, devices);
  }
  if (!pairs.empty()) text += "\n" + pairs_table(kernels, pairs);
  return text;
}

std::string ncu_json(const std::vector<explained_kernel>& kernels,
                     const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                     const std::vector<predictor>& devices, const evidence& context) {
  nlohmann::ordered_json file;
  auto& record = file["context"];
  for (const auto& [key, value] : context) record[key] = value;
  record["backend"] = "ncu";
  auto& runs = file["benchmarks"] = nlohmann::ordered_json::array();
  for (const explained_kernel& one : kernels) {
    const metric_values& metrics = one.kernel.first.metrics;
    const double us = known(metrics, kNcuDuration).value_or(0) * 1e6;
    nlohmann::ordered_json run{{"name", one.kernel.first.kernel},
                               {"run_name", one.kernel.first.kernel},
                               {"run_type", "iteration"},
                               {"repetitions", 1},
                               {"repetition_index", 0},
                               {"threads", 1},
                               {"iterations", one.kernel.ids.size()},
                               {"real_time", us},
                               {"cpu_time", us},
                               {"time_unit", "us"},
                               {"file", one.kernel.file},
                               {"gpu", one.kernel.first.gpu},
                               {"launches", one.kernel.ids}};
    for (const counter_spec& counter : kCounters)
      if (!counter.metric.empty())
        if (const auto value = metric_of(metrics, counter.key))
          run[std::string(counter.key)] = *value;
    for (const bool loads : {true, false}) {
      const std::string name = loads ? "load" : "store";
      const counted_side side = side_of(metrics, loads);
      if (const auto each = side.per_request()) run[name + "_sectors_per_request_measured"] = *each;
      if (side.per_request() && side.of_sector)
        run[name + "_bytes_used_per_sector_measured"] = *side.of_sector;
    }
    if (const auto asked = asked_by(metrics)) run["useful_bytes"] = *asked;
    if (const auto dram = dram_of(metrics)) run["dram_bytes_measured"] = *dram;
    if (const auto times = amplification_of(metrics)) run["dram_amplification_measured"] = *times;
    run["limited_by"] = one.limited_by ? name_of(*one.limited_by) : "";
    run["limit"] = one.judged;
    run["patterns"] = json_of_rows(one, devices);
    run["cause"] = one.cause;
    runs.push_back(std::move(run));
  }
  if (!pairs.empty()) {
    auto& compared = file["compared"] = nlohmann::ordered_json::array();
    for (const auto& [a, b] : pairs) {
      const metric_values &before = kernels[a].kernel.first.metrics,
                          &after = kernels[b].kernel.first.metrics;
      nlohmann::ordered_json pair{{"before", kernels[a].kernel.first.kernel},
                                  {"after", kernels[b].kernel.first.kernel}};
      const auto add = [&](const char* key, std::optional<double> from, std::optional<double> to) {
        if (from && to && *from > 0) pair[key] = *to / *from;
      };
      add("time_ratio", known(before, kNcuDuration), known(after, kNcuDuration));
      add("load_sectors_ratio", side_of(before, true).sectors, side_of(after, true).sectors);
      add("store_sectors_ratio", side_of(before, false).sectors, side_of(after, false).sectors);
      add("dram_bytes_ratio", dram_of(before), dram_of(after));
      compared.push_back(std::move(pair));
    }
  }
  return file.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sectorbench
