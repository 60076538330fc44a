// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/counts.hpp"

#include <algorithm>
#include <string_view>

#include "bench/support/format.hpp"
#include "sectorbench/model/sector_model.hpp"

namespace sectorbench {
namespace {

double ratio(double value, double of) { return of > 0 ? value / of : 0; }

}  // namespace

void add_spread(counter_values& to, const measurement& result) {
  to.set("launches_per_sample", result.launches_per_sample);
  to.set("samples", result.samples);
  to.set("time_min_s", result.min_s);
  to.set("time_median_s", result.median_s);
  to.set("time_cv", result.cv);
  to.set("time_trimmed_min_s", result.trimmed_min_s);
}

void add_counts(counter_values& to, index_t useful_bytes, double mean_s, double peak_bytes_per_s,
                const launch_totals* model, const metric_values& metrics) {
  for (const counter_spec& counter : kCounters)
    if (!counter.metric.empty())
      if (const auto value = metric_of(metrics, counter.key)) to.set(counter.key, *value);

  const auto bytes = static_cast<double>(useful_bytes);
  const auto loads = metric_of(metrics, "load_sectors_measured");
  const auto stores = metric_of(metrics, "store_sectors_measured");
  const auto load_requests = metric_of(metrics, "load_requests_measured");
  const auto store_requests = metric_of(metrics, "store_requests_measured");
  if (model != nullptr && loads && stores && load_requests && store_requests)
    to.set("counters_equal_model", mismatches(*model, metrics).empty() ? 1 : 0);
  if (loads && stores) {
    const double sectors = *loads + *stores;
    to.set("sector_bytes_measured", sectors * kSectorBytes);
    to.set("bytes_used_per_sector_measured", ratio(bytes, sectors));
    to.set("sector_bytes_per_second_measured", ratio(sectors * kSectorBytes, mean_s));
  }
  const auto l2_reads = metric_of(metrics, "l2_read_sectors_measured");
  const auto l2_hits = metric_of(metrics, "l2_read_hit_sectors_measured");
  if (l2_reads && l2_hits) to.set("l2_read_hit_rate_measured", ratio(*l2_hits, *l2_reads));
  const auto dram_reads = metric_of(metrics, "dram_read_bytes_measured");
  const auto dram_writes = metric_of(metrics, "dram_write_bytes_measured");
  if (dram_reads && dram_writes) {
    const double dram_bytes = *dram_reads + *dram_writes;
    const double rate = ratio(dram_bytes, mean_s);
    to.set("dram_bytes_measured", dram_bytes);
    to.set("dram_bytes_per_second_measured", rate);
    to.set("dram_amplification_measured", ratio(dram_bytes, bytes));
    to.set("dram_fraction_of_peak_measured", ratio(rate, peak_bytes_per_s));
  }
}

std::string describe(const count_mismatch& mismatch) {
  return mismatch.what + " " + format_exact(mismatch.counted) + " counted, " +
         std::to_string(mismatch.predicted) + " predicted";
}

std::string overstated(const side_extent& loads, const side_extent& stores,
                       const metric_values& metrics) {
  std::string text;
  const auto judge = [&](const side_extent& declared, std::string_view requested,
                         std::string_view in_l2, std::string_view what) {
    const auto sectors = metric_of(metrics, requested);
    const auto exchanged = metric_of(metrics, in_l2);
    if (!sectors || !exchanged) return;
    // Atomics and bulk copies are other requests than loads and stores, and not counted.
    if (*sectors == 0 && *exchanged == 0) return;
    const double seen = std::max(*sectors, *exchanged) * kSectorBytes;
    if (static_cast<double>(declared.moved()) > seen)
      text += (text.empty() ? "" : "; ") + std::to_string(declared.moved()) +
              " useful bytes declared as " + std::string(what) + ", and the sectors counted hold " +
              format_exact(seen) + "; correct its bytes";
  };
  judge(loads, "load_sectors_measured", "l2_read_sectors_measured", "loaded");
  judge(stores, "store_sectors_measured", "l2_write_sectors_measured", "stored");
  return text;
}

std::vector<count_mismatch> mismatches(const launch_totals& model, const metric_values& metrics) {
  struct pair {
    std::string_view what;
    std::uint64_t predicted;
  };
  std::vector<count_mismatch> found;
  for (const pair& one : {pair{"load_requests", model.loads.requests + model.indices.requests},
                          pair{"load_sectors", model.loads.sectors + model.indices.sectors},
                          pair{"store_requests", model.stores.requests},
                          pair{"store_sectors", model.stores.sectors}}) {
    const auto value = metric_of(metrics, std::string(one.what) + "_measured");
    if (value && *value != static_cast<double>(one.predicted))
      found.push_back({std::string(one.what), *value, one.predicted});
  }
  return found;
}

}  // namespace sectorbench
