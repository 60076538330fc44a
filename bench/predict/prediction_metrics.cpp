// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/prediction_metrics.hpp"

namespace sectorbench {
namespace {

double ratio(double value, double of) { return of > 0 ? value / of : 0; }

}  // namespace

void add_prediction(counter_values& to, const row_spec& row, index_t unique_bytes,
                    const launch_totals* totals) {
  const launch_totals none;
  const launch_totals& model = totals != nullptr ? *totals : none;
  const auto bytes = static_cast<double>(useful_bytes(row));
  const auto sector_bytes = static_cast<double>(model.sector_bytes());
  to.set("unique_bytes", static_cast<double>(unique_bytes));
  to.set("load_requests_predicted", static_cast<double>(model.loads.requests));
  to.set("load_sectors_predicted", static_cast<double>(model.loads.sectors));
  to.set("store_requests_predicted", static_cast<double>(model.stores.requests));
  to.set("store_sectors_predicted", static_cast<double>(model.stores.sectors));
  to.set("index_requests_predicted", static_cast<double>(model.indices.requests));
  to.set("index_sectors_predicted", static_cast<double>(model.indices.sectors));
  to.set("shared_load_wavefronts_predicted", static_cast<double>(model.slot_loads.wavefronts));
  to.set("shared_store_wavefronts_predicted", static_cast<double>(model.slot_stores.wavefronts));
  to.set("shared_load_conflicts_predicted", static_cast<double>(model.slot_loads.conflicts));
  to.set("shared_store_conflicts_predicted", static_cast<double>(model.slot_stores.conflicts));
  to.set("load_sectors_per_request_predicted", model.loads.sectors_per_request());
  to.set("store_sectors_per_request_predicted", model.stores.sectors_per_request());
  to.set("load_lines_per_request_predicted", model.loads.lines_per_request());
  to.set("store_lines_per_request_predicted", model.stores.lines_per_request());
  to.set("sector_bytes_predicted", sector_bytes);
  to.set("bytes_used_per_sector_predicted", ratio(bytes * kSectorBytes, sector_bytes));
  to.set("efficiency_predicted", ratio(static_cast<double>(unique_bytes), sector_bytes));
  to.set("requested_share_predicted", ratio(bytes, sector_bytes));
}

void add_model(counter_values& to, const row_prediction& model, double mean_s) {
  const auto bounds = [&](const std::string& key, const interval& value) {
    to.set(key + "_predicted_low", value.low);
    to.set(key + "_predicted_high", value.high);
  };
  const traffic_prediction& traffic = model.traffic;
  bounds("l2_read_sectors", traffic.l2_read_sectors);
  bounds("l2_write_sectors", traffic.l2_write_sectors);
  bounds("l2_fill_sectors", traffic.fill_sectors);
  bounds("dram_read_bytes", traffic.dram_read_bytes);
  bounds("dram_write_bytes", traffic.dram_write_bytes);
  bounds("dram_bytes", traffic.dram_bytes());
  if (!model.time) return;
  to.set("time_predicted_low_s", model.time->seconds.low);
  to.set("time_predicted_high_s", model.time->seconds.high);
  to.set("unexplained", ratio(mean_s, model.time->seconds.middle()));
}

void add_model_label(row_label& label, const row_prediction& model) {
  if (model.time) {
    label.add("time", model.time->scaled ? "scaled" : "calibrated");
    label.add("limited_by", name_of(model.time->limited_by));
  }
  if (model.traffic.tight()) return;
  if (model.traffic.scheduling)
    label.add("depends_on", "scheduling");
  else if (model.traffic.unsampled)
    label.add("depends_on", "pages that were not sampled");
  else if (model.traffic.retention)
    label.add("depends_on", "what L2 keeps");
}

}  // namespace sectorbench
