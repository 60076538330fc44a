// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/counted.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace sectorbench {
namespace {

constexpr double kBusy = 0.75;     // of the measured time: what takes it is the limit
constexpr double kHalfBusy = 0.4;  // of it: DRAM that is not given what it likes
constexpr double kFarFrom =
    4;  // times as busy as memory: pipes take several cycles to an instruction
constexpr double kInPart = 16;  // bytes used of a sector
// Schedulers of an SM since Volta: each issues an instruction of a warp in a cycle, in which the
// banks serve one wavefront of the SM.
constexpr double kSchedulers = 4;
constexpr double kLaunchShare = 0.5;  // of a launch that does next to nothing

double counted(const metric_values& metrics, std::string_view key) {
  return metric_of(metrics, key).value_or(0);
}
std::uint64_t whole(const metric_values& metrics, std::string_view key) {
  return static_cast<std::uint64_t>(counted(metrics, key));
}

side_totals side_of(const metric_values& metrics, std::string_view requests,
                    std::string_view sectors) {
  side_totals side;
  side.requests = whole(metrics, requests);
  side.sectors = whole(metrics, sectors);
  side.lines = std::max(side.requests, (side.sectors + 3) / 4);  // at least: they are not counted
  return side;
}

shared_totals banks_of(const metric_values& metrics, std::string_view wavefronts,
                       std::string_view conflicts) {
  shared_totals side;
  side.wavefronts = whole(metrics, wavefronts);
  side.conflicts = std::min(side.wavefronts, whole(metrics, conflicts));
  side.requests = side.wavefronts - side.conflicts;
  return side;
}

launch_totals totals_of(const metric_values& metrics) {
  launch_totals totals;
  totals.loads = side_of(metrics, "load_requests_measured", "load_sectors_measured");
  totals.stores = side_of(metrics, "store_requests_measured", "store_sectors_measured");
  totals.slot_loads =
      banks_of(metrics, "shared_load_wavefronts_measured", "shared_load_conflicts_measured");
  totals.slot_stores =
      banks_of(metrics, "shared_store_wavefronts_measured", "shared_store_conflicts_measured");
  return totals;
}

traffic_prediction traffic_of(const counted_launch& launch) {
  const auto exactly = [&](std::string_view key) {
    return interval::exactly(counted(launch.metrics, key));
  };
  traffic_prediction traffic;
  traffic.l2_read_sectors = exactly("l2_read_sectors_measured");
  traffic.l2_write_sectors = exactly("l2_write_sectors_measured");
  traffic.dram_read_bytes = exactly("dram_read_bytes_measured");
  traffic.dram_write_bytes = exactly("dram_write_bytes_measured");
  // Fills are a part of what was read; some chips do not count them.
  traffic.fill_sectors =
      interval::exactly(std::min(counted(launch.metrics, "l2_fill_sectors_measured"),
                                 traffic.dram_read_bytes.low / kSectorBytes));
  traffic.footprint_bytes = launch.held_bytes;
  return traffic;
}

}  // namespace

double counted_launch::useful_bytes() const {
  const launch_totals totals = totals_of(metrics);
  const auto bytes = [](const std::optional<double>& said, const side_totals& side) {
    return said.value_or(static_cast<double>(side.sectors) * kSectorBytes);
  };
  return bytes(loaded_bytes, totals.loads) + bytes(stored_bytes, totals.stores);
}

double counted_launch::used_per_sector() const {
  const launch_totals totals = totals_of(metrics);
  const std::uint64_t sectors = totals.loads.sectors + totals.stores.sectors;
  return sectors == 0
             ? kSectorBytes
             : std::min(double{kSectorBytes}, useful_bytes() / static_cast<double>(sectors));
}

std::optional<row_prediction> limits_of_counts(const counted_launch& launch,
                                               const device_description& device) {
  const bool of_l2 = metric_of(launch.metrics, "l2_read_sectors_measured").has_value();
  const bool of_dram = metric_of(launch.metrics, "dram_read_bytes_measured").has_value();
  if (!(of_l2 || of_dram) || !device.time || launch.seconds <= 0) return std::nullopt;
  row_prediction result;
  result.counted = true;
  result.totals = totals_of(launch.metrics);
  result.traffic = traffic_of(launch);
  reuse_profile profile;
  profile.blocks = std::max<index_t>(1, launch.blocks);
  profile.block_threads = std::max(1, launch.block_threads);
  profile.rounds = 1;
  result.blocks = profile.blocks;
  result.block_threads = profile.block_threads;
  result.rounds = profile.rounds;
  result.blocks_per_sm = device.blocks_per_sm(profile.block_threads);
  time_prediction time =
      predict_time(profile, result.totals, result.traffic, device, result.blocks_per_sm, 0);
  const double instructions = counted(launch.metrics, "instructions_measured");
  const interval issued = device.time->shared_wavefronts_per_s * kSchedulers;
  time.terms.issue = {instructions / issued.high, instructions / issued.low};
  if (const auto busy = launch.metrics.find(kExecutionMetric); busy != launch.metrics.end())
    time.terms.issue =
        larger(time.terms.issue, interval::exactly(busy->second / 100 * launch.seconds));
  time.terms.in_flight = {};  // how often a thread waits was not counted
  time.seconds = interval::exactly(launch.seconds);
  time.scaled = false;  // as it was measured

  const time_terms& terms = time.terms;
  struct use {
    limit what;
    double share;  // of the measured time
  };
  const auto share = [&](const interval& term) { return term.middle() / launch.seconds; };
  const std::array uses{use{limit::kDramBytes, share(terms.dram)},
                        use{limit::kL2, share(terms.l2)},
                        use{limit::kBankConflicts, share(terms.banks)},
                        use{limit::kIssue, share(terms.issue)},
                        use{limit::kRequests, share(terms.l1)},
                        use{limit::kLaunch, launch.blocks > 0 ? share(terms.starts) : 0}};
  const use longest = *std::ranges::max_element(uses, {}, &use::share);
  if (longest.share >= kBusy)
    time.limited_by = longest.what;
  else if (const double issue = share(terms.issue);
           issue >= kHalfBusy && issue >= kFarFrom * std::max(share(terms.dram), share(terms.l2)))
    time.limited_by = limit::kIssue;
  else if (share(terms.launch) >= kLaunchShare)
    time.limited_by = limit::kLaunch;
  else if (share(terms.dram) >= kHalfBusy && launch.used_per_sector() <= kInPart)
    time.limited_by = limit::kDramLocality;
  else
    time.limited_by = limit::kInFlight;
  result.time = time;
  return result;
}

}  // namespace sectorbench
