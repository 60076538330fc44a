// SPDX-License-Identifier: Apache-2.0
#include "bench/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bench/counters.hpp"
#include "bench/device_selection.hpp"
#include "bench/format.hpp"
#include "bench/row_counters.hpp"

namespace sectorbench {
namespace {

constexpr index_t kMi = index_t{1} << 20;
constexpr double kSample_s = 1e-3;  // that a sample spans at least
constexpr int kSamples = 3;
constexpr std::uint64_t kSeed = 1;

constexpr int kWarmLaunches = 6;  // after which the caches hold what launches leave there

constexpr std::array kSpacings{32, 64, 128, 256, 512, 1024, 2048};
constexpr std::array kL2Spacings{128, 64, 32};  // 1, 2 and 4 sectors of a line

class calibrator {
 public:
  explicit calibrator(backend& device) : device_(device), gpu_(*device.geometry()) {
    result_.counted = device.counters().on;
    large_ = 1024 * kMi;
    // Both buffers have this size; a small GPU holds less.
    while (large_ > 64 * kMi && !fits(large_)) large_ /= 2;
  }

  calibration measure() {
    device_description& d = result_.device;
    d.name = gpu_.name;
    d.sms = gpu_.sms;
    d.threads_per_sm = gpu_.threads_per_sm;
    d.l1_bytes = gpu_.l1_bytes;
    d.l2_bytes = static_cast<double>(device_.last_cache_bytes());
    d.dram_bytes_per_s = device_.peak_bytes_per_s();
    d.time.emplace();
    d.time->f32_flops = device_.peak_f32_flops();
    d.time->shared_wavefronts_per_s = gpu_.sms * gpu_.sm_clock_hz;
    dense();
    granule_and_fills();
    spaced();
    l2();
    l1();
    blocks();
    kept();
    merging();
    return std::move(result_);
  }

 private:
  bool fits(index_t bytes) {
    try {
      device_.acquire(*make_probe({.kind = probe_kind::kDense, .bytes = bytes, .stores = 1}));
      return true;
    } catch (const not_applicable&) {
      return false;
    }
  }

  /// Seconds of a launch: the median of a few samples.
  double seconds(const workload& work) {
    device_.acquire(work);
    device_.run_once(work, kSeed, false);
    const double once_s = device_.time(work, kSeed, 1, false).elapsed_s;
    const int launches = static_cast<int>(
        std::clamp(std::ceil(kSample_s / once_s), 2.0, static_cast<double>(device_.max_launches())));
    std::array<double, kSamples> samples{};
    for (double& sample : samples)
      sample = device_.time(work, kSeed, launches, true).elapsed_s / launches;
    std::ranges::sort(samples);
    return samples[kSamples / 2];
  }

  const probe_result& time(const std::string& name, const std::string& unit, const probe& p) {
    return result_.probes.emplace_back(
        probe_result{name, unit, p.work(), seconds(*make_probe(p)), {}});
  }
  const probe_result& count(const std::string& name, const std::string& unit, const probe& p) {
    const auto work = make_probe(p);
    device_.acquire(*work);
    for (int i = 0; i < kWarmLaunches; ++i) device_.run_once(*work, kSeed, false);
    return result_.probes.emplace_back(
        probe_result{name, unit, p.work(), 0, device_.count(*work, kSeed)});
  }

  /// Rates of dense traffic, from the difference of two sizes; what is left is the launch.
  void dense() {
    struct mix {
      int loads, stores;
    };
    time_figures& t = *result_.device.time;
    std::vector<curve::point> points;
    std::vector<double> rests;
    for (const mix m : {mix{4, 0}, mix{16, 1}, mix{8, 1}, mix{4, 1}, mix{2, 1}, mix{1, 1}, mix{0, 2}}) {
      probe p{.kind = probe_kind::kDense, .bytes = large_, .loads = m.loads, .stores = m.stores};
      const std::string name =
          "dense " + std::to_string(m.loads) + ":" + std::to_string(m.stores);
      const probe_result all = time(name, "bytes", p);
      p.bytes = large_ / 4;
      const probe_result part = time(name + ", a quarter", "bytes", p);
      const double rate = (all.work - part.work) / (all.seconds - part.seconds);
      points.push_back({static_cast<double>(m.stores) / (m.loads + m.stores),
                        interval::exactly(rate)});
      rests.push_back(part.seconds - part.work / rate);
    }
    std::ranges::sort(points, {}, &curve::point::x);
    std::ranges::sort(rests);
    t.dram = curve(points);
    t.launch_s = std::max(0.0, rests[rests.size() / 2]);
  }

  double metric(const probe_result& of, std::string_view key) {
    return metric_of(of.metrics, key).value_or(0);
  }

  void granule_and_fills() {
    if (!result_.counted) {
      result_.device.read_granule = {32, 64};
      result_.device.fills = {0, 1};
      return;
    }
    const probe_result& loads = count("granule", "sectors", spaced_probe(probe_kind::kSpacedLoads, 256));
    const double bytes = metric(loads, "dram_read_bytes_measured") / loads.work;
    result_.device.read_granule = interval::exactly(32 * std::exp2(std::round(std::log2(bytes / 32))));
    const probe_result& stores = count("fills", "sectors", spaced_probe(probe_kind::kSpacedStores, 32));
    const double filled = metric(stores, "dram_read_bytes_measured") / stores.work / 32;
    result_.device.fills = interval::exactly(std::round(filled));
  }

  probe spaced_probe(probe_kind kind, int spacing) const {
    return {.kind = kind, .bytes = large_, .spacing = spacing};
  }

  void spaced() {
    time_figures& t = *result_.device.time;
    const double granule = result_.device.read_granule.middle();
    const double of_store = 32 * (1 + result_.device.fills.middle());
    std::vector<curve::point> loads, stores;
    for (const int spacing : kSpacings) {
      const probe_result& in = time("spaced loads " + std::to_string(spacing), "sectors",
                                    spaced_probe(probe_kind::kSpacedLoads, spacing));
      const double fetched = in.work * std::min<double>(granule, spacing);
      loads.push_back({static_cast<double>(spacing),
                       interval::exactly(fetched / (in.seconds - t.launch_s))});
      const probe_result& out = time("spaced stores " + std::to_string(spacing), "sectors",
                                     spaced_probe(probe_kind::kSpacedStores, spacing));
      stores.push_back({static_cast<double>(spacing),
                        interval::exactly(out.work * of_store / (out.seconds - t.launch_s))});
    }
    t.dram_loads = curve(loads);
    t.dram_stores = curve(stores);
  }

  void l2() {
    time_figures& t = *result_.device.time;
    std::vector<curve::point> loads, stores;
    const auto bytes = std::max<index_t>(kMi, static_cast<index_t>(result_.device.l2_bytes / 8) /
                                                  kMi * kMi);
    for (const int spacing : kL2Spacings) {
      const double sectors_of_line = 128.0 / spacing;
      probe p{.kind = probe_kind::kL2Loads, .bytes = bytes, .spacing = spacing,
              .sms = gpu_.sms, .rounds = 32};
      const probe_result& in =
          time("L2 loads, spacing " + std::to_string(spacing), "sectors", p);
      loads.push_back({sectors_of_line, interval::exactly(in.work / in.seconds)});
      p.kind = probe_kind::kL2Stores;
      const probe_result& out =
          time("L2 stores, spacing " + std::to_string(spacing), "sectors", p);
      stores.push_back({sectors_of_line, interval::exactly(out.work / out.seconds)});
    }
    t.l2_loads = curve(loads);
    t.l2_stores = curve(stores);
  }

  void l1() {
    const probe_result& lines = time(
        "L1 loads", "lines",
        {.kind = probe_kind::kL1Loads, .bytes = kMi, .sms = gpu_.sms, .rounds = 256});
    result_.device.time->l1_lines_per_s = lines.work / lines.seconds;
  }

  void blocks() {
    time_figures& t = *result_.device.time;
    const probe_result few = time("empty blocks of 1 warp", "blocks",
                                  {.kind = probe_kind::kEmptyBlocks, .bytes = kMi, .warps = 1});
    t.blocks_started_per_s = few.work / few.seconds;
    const probe_result many = time("empty blocks of 32 warps", "blocks",
                                   {.kind = probe_kind::kEmptyBlocks, .bytes = kMi, .warps = 32});
    t.warps_started_per_s = 32 * many.work / many.seconds;
    const probe_result in_l2 = time("short blocks in L2", "blocks",
                                    {.kind = probe_kind::kShortBlocks, .bytes = kMi, .warps = 16,
                                     .occupancy = 1});
    t.block_life_in_l2_s = in_l2.seconds * gpu_.sms / in_l2.work;
    t.block_life_loads = life(0);
    t.block_life_copies = life(1);
  }

  /// How long a block lives that loads, stores and ends, over the share of the DRAM rate in use.
  curve life(int stores) {
    time_figures& t = *result_.device.time;
    constexpr int kWarps = 16;
    const int most_blocks = gpu_.threads_per_sm / (32 * kWarps);
    struct flight {
      int words, blocks;
    };
    std::vector<curve::point> points;
    for (const flight f : {flight{1, 1}, flight{1, 2}, flight{1, 3}, flight{1, 4}, flight{2, 2},
                           flight{2, 3}, flight{2, 4}, flight{4, 2}, flight{4, 3}, flight{4, 4}}) {
      if (f.blocks > most_blocks) continue;
      const probe p{.kind = probe_kind::kShortBlocks, .bytes = large_ / 2, .loads = f.words,
                    .stores = stores, .warps = kWarps, .occupancy = f.blocks};
      const probe_result& r = time("short " + std::string(stores > 0 ? "copies, " : "loads, ") +
                                       std::to_string(f.words) + " words, " +
                                       std::to_string(f.blocks) + " blocks",
                                   "blocks", p);
      const double s = r.seconds - t.launch_s;
      const double bytes = r.work * kWarps * 128 * f.words * (1 + stores);
      const double share = bytes / s / t.dram.at(stores > 0 ? 0.5 : 0.0).low;
      points.push_back({std::min(1.0, share),
                        interval::exactly(s * gpu_.sms * f.blocks / r.work)});
    }
    std::ranges::sort(points, {}, &curve::point::x);
    return curve(points);
  }

  /// Up to which footprint a launch finds what the one before it left in L2.
  void kept() {
    device_description& d = result_.device;
    d.loads_kept = {0.4 * d.l2_bytes, 1.6 * d.l2_bytes};
    d.stores_kept = {0.15 * d.l2_bytes, 1.6 * d.l2_bytes};
    if (!result_.counted) return;
    for (const double part : {0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 1.0, 1.25, 1.5}) {
      const index_t bytes = static_cast<index_t>(part * d.l2_bytes) / (64 * 1024) * (64 * 1024);
      count("kept loads " + format_fixed(part, 2), "bytes",
            {.kind = probe_kind::kDense, .bytes = bytes, .loads = 4});
      count("kept copy " + format_fixed(part, 2), "bytes",
            {.kind = probe_kind::kDense, .bytes = bytes / 2, .loads = 1, .stores = 1});
    }
    for (const int spacing : {32, 128, 2048})
      for (const double part : {0.05, 0.1, 0.2, 0.4, 0.8, 1.6}) {
        // A sector of each line that is touched stands for the line.
        const double lines = part * d.l2_bytes * (spacing > 128 ? spacing / 128.0 : 1.0);
        const index_t bytes = static_cast<index_t>(lines) / (64 * 1024) * (64 * 1024);
        if (bytes > large_) continue;
        probe p{.kind = probe_kind::kSpacedStores, .bytes = bytes, .spacing = spacing,
                .once = true};
        count("kept stores " + std::to_string(spacing) + ", " + format_fixed(part, 2), "sectors", p);
      }
  }

  void merging() {
    if (!result_.counted) return;
    count("walked stores", "threads", {.kind = probe_kind::kWalkedStores, .bytes = 256 * kMi});
  }

  backend& device_;
  gpu_geometry gpu_;
  index_t large_ = 0;
  calibration result_;
};

}  // namespace

calibration calibrate(backend& device) {
  if (!device.geometry())
    throw device_unavailable("--calibrate: probes measure a GPU, and the CPU is selected; "
                             "take a machine with one, or --device=cuda");
  return calibrator(device).measure();
}

}  // namespace sectorbench
