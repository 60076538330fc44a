// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/row_counters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "bench/support/format.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

double ratio(double value, double of) { return of > 0 ? value / of : 0; }

}  // namespace

void add_measurement(counter_values& to, const row_spec& row, const program& body,
                     index_t index_bytes, const measurement& result,
                     const rate_references& references, bool in_cache) {
  const index_t bytes = body.useful_bytes();
  const double rate = result.rate(bytes);
  const bool mover = row.pattern->mover;
  const launch_shape shape = body.shape();
  const auto flops = static_cast<double>(body.flops());
  to.set("elements", static_cast<double>(row.elements));
  to.set("access_bytes", mover ? 0 : size_of(row.type) * body.together());
  to.set("launch_threads", mover ? 0 : static_cast<double>(shape.threads()));
  to.set("block_threads", mover ? 0 : static_cast<double>(shape.block.threads()));
  to.set("useful_bytes", static_cast<double>(bytes));
  to.set("index_bytes", static_cast<double>(index_bytes));
  to.set("flops", flops);
  to.set("flops_per_byte", ratio(flops, static_cast<double>(bytes)));
  to.set("flops_per_second", ratio(flops, result.mean_s));
  to.set("useful_bytes_per_second", rate);
  const index_t entries = index_bytes / index_t{sizeof(index_entry)};
  to.set("list_bytes_per_second", result.rate(entries * size_of(row.type)));
  to.set("fraction_of_stride1", ratio(rate, references.stride1_bytes_per_s));
  to.set("fraction_of_ceiling", ratio(rate, references.ceiling_bytes_per_s));
  to.set("fraction_of_peak", in_cache ? 0 : ratio(rate, references.peak_bytes_per_s));
  add_spread(to, result);
  to.set("verified", result.verified ? 1 : 0);
}

void add_trace(counter_values& to, const batch_trace& trace) {
  to.set("kernel_time_s", trace.kernel_s);
  to.set("registers_per_thread", trace.longest.registers);
  to.set("gap_us", trace.gap_s * 1e6);
  to.set("traced_time_s", ratio(trace.event_s, trace.kernels));
  to.set("clock_disagreement", std::abs(trace.disagreement()));
}

void add_state(counter_values& to, const device_reading& state) {
  const gpu_condition& now = state.condition;
  const auto set = [&](std::string_view key, const auto& value, double unit = 1) {
    if (value) to.set(key, static_cast<double>(*value) * unit);
  };
  set("temperature_c", now.temperature_c);
  set("power_w", now.power_w);
  set("pstate", now.pstate);
  set("memory_clock_hz", now.memory_clock_mhz, 1e6);
  set("throttle_reasons", now.clock_event_reasons);
  set("other_processes", now.other_processes);
  to.set("sm_clock_hz", state.sm_clock_hz);
}

}  // namespace sectorbench
