// SPDX-License-Identifier: Apache-2.0
#include "bench/telemetry/gpu_observer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "bench/report/counters.hpp"
#include "bench/support/format.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

constexpr std::string_view kProbeMetric = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
// Kernels that stand in a batch and are not the row's.
constexpr std::array<std::string_view, 1> kHelperKernels{"hold_stream_kernel"};

source_status unavailable(const cupti_unavailable& why) {
  return {false, std::string(name_of(why.obstacle())), why.what()};
}

void refuse_unknown(const hardware_counters& counters, const std::vector<std::string>& extra) {
  for (const std::string& metric : extra) {
    if (!std::ranges::count(counters.not_offered(), metric)) continue;
    std::string text = "--counter=" + metric + ": not offered by " + counters.chip();
    std::string near;
    for (const std::string& name : counters.catalogue().near(metric, 3))
      near += (near.empty() ? "; near matches: " : ", ") + name;
    throw usage_error(text + near);
  }
}

void check_probe(const metric_values& values) {
  const auto counted = values.find(kProbeMetric);
  if (counted == values.end() || counted->second == observed_gpu::kProbeSectors) return;
  throw cupti_unavailable(cupti_obstacle::kFailed,
                          "the probe reading counted " + format_exact(counted->second) +
                              " store sectors where " +
                              std::to_string(observed_gpu::kProbeSectors) + " were stored");
}

template <class T, class ToText>
void add(evidence& facts, const char* key, const std::optional<T>& value, const ToText& to_text) {
  if (value) facts.emplace_back(key, to_text(*value));
}

}  // namespace

gpu_observer::gpu_observer(const observer_settings& settings, const observed_gpu& gpu)
    : monitor_(gpu.uuid, gpu.pci_bus_id), mig_instance_(monitor_.facts().mig.value_or(false)) {
  open_counters(settings, gpu);
  open_tracer(settings);
}

void gpu_observer::open_counters(const observer_settings& settings, const observed_gpu& gpu) {
  if (!settings.counters) {
    counters_status_ = {false, settings.counters_state, settings.counters_reason};
    return;
  }
  std::vector<std::string> metrics = table_metrics();
  metrics.insert(metrics.end(), settings.extra.begin(), settings.extra.end());
  try {
    counters_ = open_hardware_counters(gpu.index, std::move(metrics));
    refuse_unknown(*counters_, settings.extra);
    check_probe(count([] {}, gpu.store_probe));
    counters_status_ = {true, "on", "the probe reading worked"};
  } catch (const cupti_unavailable& why) {
    counters_.reset();
    counters_status_ = unavailable(why);
  }
}

void gpu_observer::open_tracer(const observer_settings& settings) {
  if (!settings.clock_check) {
    clock_check_status_ = {false, settings.clock_check_state, settings.clock_check_reason};
    return;
  }
  try {
    tracer_ = open_kernel_tracer();
    clock_check_status_ = {true, "on", "kernels can be traced"};
  } catch (const cupti_unavailable& why) {
    clock_check_status_ = unavailable(why);
  }
}

metric_values gpu_observer::count(const std::function<void()>& prepare,
                                  const std::function<void()>& launch) {
  const std::vector<double> values = counters_
                                         ->read(
                                             1, [&](int) { prepare(); }, [&](int) { launch(); })
                                         .front();
  metric_values result;
  for (std::size_t i = 0; i < values.size(); ++i) result[counters_->metrics()[i]] = values[i];
  return result;
}

batch_trace gpu_observer::trace(const std::function<double()>& batch) {
  double event_s = 0;
  std::vector<kernel_record> records = tracer_->trace([&] { event_s = batch(); });
  std::erase_if(records, [](const kernel_record& kernel) {
    return std::ranges::any_of(kHelperKernels, [&](std::string_view name) {
      return kernel.name.find(name) != std::string::npos;
    });
  });
  if (records.empty())
    throw cupti_unavailable(cupti_obstacle::kFailed, "CUPTI recorded no kernel of the batch");
  return summarise(records, event_s);
}

evidence gpu_observer::facts() const {
  const auto number = [](auto value) { return std::to_string(value); };
  const auto on_off = [](bool on) { return std::string(on ? "on" : "off"); };
  evidence facts{
      {"counters", counters_status_.state},
      {"counters.reason", counters_status_.reason},
      {"clock_check", clock_check_status_.state},
      {"clock_check.reason", clock_check_status_.reason},
      {"gpu.nvml", monitor_.status()},
  };
  if (counters_) {
    facts.emplace_back("counters.cupti", number(cupti_version()));
    facts.emplace_back("counters.chip", counters_->chip());
    facts.emplace_back("counters.passes", number(counters_->passes()));
    std::string missing;
    for (const std::string& metric : counters_->not_offered())
      missing += (missing.empty() ? "" : ", ") + metric;
    facts.emplace_back(
        "counters.not_offered",
        missing.empty() ? "none" : missing + ": not offered by " + counters_->chip());
  }
  const gpu_facts gpu = monitor_.facts();
  add(facts, "gpu.mig", gpu.mig, on_off);
  if (!gpu.mig_detail.empty()) facts.emplace_back("gpu.mig_instance", gpu.mig_detail);
  add(facts, "gpu.power_limit_w", gpu.power_limit_w,
      [](double watts) { return format_fixed(watts, 1); });
  add(facts, "gpu.persistence", gpu.persistence, on_off);
  add(facts, "gpu.ecc_errors_corrected", gpu.ecc_errors_volatile_corrected, number);
  add(facts, "gpu.ecc_errors_uncorrected", gpu.ecc_errors_volatile_uncorrected, number);
  add(facts, "gpu.remapped_rows", gpu.remapped_rows, [&](const remapped_row_counts& rows) {
    return number(rows.correctable) + " correctable, " + number(rows.uncorrectable) +
           " uncorrectable" + (rows.pending ? ", one pending" : "") +
           (rows.failed ? ", remapping failed" : "");
  });
  add(facts, "gpu.max_sm_clock_mhz", gpu.max_sm_clock_mhz, number);
  add(facts, "gpu.max_memory_clock_mhz", gpu.max_memory_clock_mhz, number);
  const gpu_condition now = monitor_.condition();
  add(facts, "gpu.temperature_c", now.temperature_c, number);
  add(facts, "gpu.other_processes", now.other_processes, number);
  return facts;
}

}  // namespace sectorbench
