// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "bench/devices/device_selection.hpp"
#include "bench/report/counters.hpp"
#include "bench/support/format.hpp"
#include "bench/support/text.hpp"

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
    d.key = gpu_.key;
    d.architecture = gpu_.architecture;
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
  /// A buffer of about so many bytes that all probes divide evenly.
  static index_t whole_tiles(double bytes) {
    constexpr index_t kTile = 64 * 1024;
    return std::max<index_t>(kTile, static_cast<index_t>(bytes) / kTile * kTile);
  }
  bool fits(index_t bytes) {
    try {
      device_.acquire(
          *make_probe({.kind = probe_kind::kDense, .bytes = bytes, .loads = 1, .stores = 1}));
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
    const int launches = static_cast<int>(std::clamp(std::ceil(kSample_s / once_s), 2.0,
                                                     static_cast<double>(device_.max_launches())));
    std::array<double, kSamples> samples{};
    for (double& sample : samples)
      sample = device_.time(work, kSeed, launches, true).elapsed_s / launches;
    std::ranges::sort(samples);
    return samples[kSamples / 2];
  }

  probe_result time(const std::string& name, const std::string& unit, const probe& p) {
    return result_.probes.emplace_back(
        probe_result{name, unit, p.work(), seconds(*make_probe(p)), {}});
  }
  probe_result count(const std::string& name, const std::string& unit, const probe& p) {
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
    for (const mix m :
         {mix{4, 0}, mix{16, 1}, mix{8, 1}, mix{4, 1}, mix{2, 1}, mix{1, 1}, mix{0, 2}}) {
      probe p{.kind = probe_kind::kDense, .bytes = large_, .loads = m.loads, .stores = m.stores};
      const std::string name = "dense " + std::to_string(m.loads) + ":" + std::to_string(m.stores);
      const probe_result all = time(name, "bytes", p);
      p.bytes = large_ / 4;
      const probe_result part = time(name + ", a quarter", "bytes", p);
      const double rate = (all.work - part.work) / (all.seconds - part.seconds);
      points.push_back(
          {static_cast<double>(m.stores) / (m.loads + m.stores), interval::exactly(rate)});
      rests.push_back(part.seconds - part.work / rate);
    }
    std::ranges::sort(points, {}, &curve::point::x);
    std::ranges::sort(rests);
    t.dram = curve(points);
    const probe_result nothing =
        time("an empty launch", "blocks",
             {.kind = probe_kind::kEmptyBlocks, .bytes = kMi, .warps = 1, .blocks = gpu_.sms});
    t.launch_s = nothing.seconds;
    t.dram_start_s = std::max(0.0, rests[rests.size() / 2] - nothing.seconds);
  }

  /// What a launch on DRAM takes beside its work.
  double beside() const {
    return result_.device.time->launch_s.low + result_.device.time->dram_start_s.low;
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
    const probe_result loads =
        count("granule", "sectors", spaced_probe(probe_kind::kSpacedLoads, 256));
    const double bytes = metric(loads, "dram_read_bytes_measured") / loads.work;
    result_.device.read_granule = interval::exactly(
        std::clamp(32 * std::exp2(std::round(std::log2(bytes / 32))), 32.0, 128.0));
    const probe_result stores =
        count("fills", "sectors", spaced_probe(probe_kind::kSpacedStores, 32));
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
    std::vector<curve::point> loads, stores, together;
    for (const int spacing : kSpacings) {
      const probe_result in = time("spaced loads " + std::to_string(spacing), "sectors",
                                   spaced_probe(probe_kind::kSpacedLoads, spacing));
      const double fetched = in.work * std::min<double>(granule, spacing);
      loads.push_back(
          {static_cast<double>(spacing), interval::exactly(fetched / (in.seconds - beside()))});
      const probe_result out = time("spaced stores " + std::to_string(spacing), "sectors",
                                    spaced_probe(probe_kind::kSpacedStores, spacing));
      stores.push_back({static_cast<double>(spacing),
                        interval::exactly(out.work * of_store / (out.seconds - beside()))});
      const double in_s = in.seconds - beside(), out_s = out.seconds - beside();
      const probe_result both = time("spaced copies " + std::to_string(spacing), "sectors",
                                     spaced_probe(probe_kind::kSpacedCopies, spacing));
      together.push_back({static_cast<double>(spacing),
                          interval::exactly((both.seconds - beside()) / (in_s + out_s))});
    }
    t.dram_loads = curve(loads);
    t.dram_stores = curve(stores);
    t.dram_together = curve(together);
  }

  void l2() {
    time_figures& t = *result_.device.time;
    std::vector<curve::point> loads, stores, added;
    const auto bytes =
        std::max<index_t>(kMi, static_cast<index_t>(result_.device.l2_bytes / 8) / kMi * kMi);
    for (const int spacing : kL2Spacings) {
      const double sectors_of_line = 128.0 / spacing;
      probe p{.kind = probe_kind::kL2Loads,
              .bytes = bytes,
              .spacing = spacing,
              .sms = gpu_.sms,
              .rounds = 32};
      const probe_result in = time("L2 loads, spacing " + std::to_string(spacing), "sectors", p);
      loads.push_back({sectors_of_line, interval::exactly(in.work / in.seconds)});
      p.kind = probe_kind::kL2Stores;
      const probe_result out = time("L2 stores, spacing " + std::to_string(spacing), "sectors", p);
      stores.push_back({sectors_of_line, interval::exactly(out.work / out.seconds)});
      p.kind = probe_kind::kL2Copies;
      const probe_result both = time("L2 copies, spacing " + std::to_string(spacing), "sectors", p);
      added.push_back(
          {sectors_of_line, interval::exactly(added_by(in.seconds, out.seconds, both.seconds))});
    }
    t.l2_loads = curve(loads);
    t.l2_stores = curve(stores);
    probe whole{.kind = probe_kind::kL2Stores,
                .bytes = bytes,
                .spacing = 4,
                .sms = gpu_.sms,
                .rounds = 128};
    const probe_result full = time("L2 stores, whole sectors", "sectors", whole);
    t.l2_full_stores = full.work / full.seconds;
    whole.kind = probe_kind::kL2Loads;
    const probe_result in = time("L2 loads, whole sectors", "sectors", whole);
    whole.kind = probe_kind::kL2Copies;
    const probe_result both = time("L2 copies, whole sectors", "sectors", whole);
    interval& of_whole_lines = added.back().y;
    of_whole_lines =
        around(of_whole_lines, interval::exactly(added_by(in.seconds, full.seconds, both.seconds)));
    t.l2_added = curve(added);
    start_in_l2(bytes);
  }

  /// The share of the shorter of two times by which both together exceed the longer.
  static double added_by(double a, double b, double both) {
    return std::clamp((both - std::max(a, b)) / std::min(a, b), 0.0, 1.0);
  }

  /// As the rest of dense traffic, of data that L2 has.
  void start_in_l2(index_t bytes) {
    probe p{.kind = probe_kind::kDense, .bytes = bytes, .loads = 2, .stores = 2};
    const probe_result all = time("dense 2:2 in L2", "bytes", p);
    p.bytes = bytes / 4;
    const probe_result part = time("dense 2:2 in L2, a quarter", "bytes", p);
    const double rate = (all.work - part.work) / (all.seconds - part.seconds);
    time_figures& t = *result_.device.time;
    t.l2_start_s = std::max(0.0, part.seconds - part.work / rate - t.launch_s.low);
  }

  void l1() {
    const probe_result lines =
        time("L1 loads", "lines",
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
    const probe_result in_l2 =
        time("short blocks in L2", "blocks",
             {.kind = probe_kind::kShortBlocks, .bytes = kMi, .warps = 16, .occupancy = 1});
    t.block_life_in_l2_s = in_l2.seconds * gpu_.sms / in_l2.work;
    t.block_life_loads = life(0, t.widening_loads);
    t.block_life_copies = life(1, t.widening_copies);
  }

  /// How long a block lives that loads, stores and ends, over the share of the DRAM rate in use: as
  /// if each thread loaded one word, and how much longer with each doubling of words.
  /// Where the bus is full a block lives longer the more it loads: such points say nothing.
  curve life(int stores, double& widening) {
    time_figures& t = *result_.device.time;
    constexpr int kWarps = 8;
    // More blocks that bring less than this much more, as an exponent, wait for a full bus.
    constexpr double kLeastGain = 0.4;
    const int most_blocks = gpu_.threads_per_sm / (32 * kWarps);
    std::array<std::vector<curve::point>, 3> by_width;  // 1, 2 and 4 words
    for (std::size_t width = 0; width < by_width.size(); ++width) {
      double last_share = 0;
      int last_blocks = 0;
      for (const int blocks : {1, 2, 3, 4, 6, 8}) {
        const int words = 1 << width;
        if (blocks > most_blocks || (words > 1 && blocks < 3)) continue;
        if (words == 1 && blocks == most_blocks) continue;  // a pattern of the suites
        const probe p{.kind = probe_kind::kShortBlocks,
                      .bytes = large_ / 2,
                      .loads = words,
                      .stores = stores,
                      .warps = kWarps,
                      .occupancy = blocks};
        const probe_result r =
            time("short " + std::string(stores > 0 ? "copies, " : "loads, ") +
                     std::to_string(words) + " words, " + std::to_string(blocks) + " blocks",
                 "blocks", p);
        const double s = r.seconds - beside();
        const double bytes = r.work * kWarps * 128 * words * (1 + stores);
        const double share = bytes / s / t.dram.at(stores > 0 ? 0.5 : 0.0).low;
        // Blocks that start no faster do not show how long they live.
        const bool starting = r.work / s > 0.95 * t.blocks_started_per_s.low;
        const double gain =
            last_blocks > 0 ? std::log(share / last_share) / std::log(double(blocks) / last_blocks)
                            : 1;
        last_share = share;
        last_blocks = blocks;
        if (gain < kLeastGain || starting) continue;
        by_width[width].push_back(
            {std::min(1.0, share), interval::exactly(s * gpu_.sms * blocks / r.work)});
      }
    }
    for (auto& points : by_width) std::ranges::sort(points, {}, &curve::point::x);
    widening = widening_of(by_width);
    std::vector<curve::point> all;
    double factor = 1;
    for (const auto& points : by_width) {
      for (const curve::point& p : points)
        // Beyond what narrower ones reached: there the wider ones only repeat.
        if (all.empty() || p.x > all.back().x) all.push_back({p.x, p.y * (1 / factor)});
      factor *= 1 + widening;
    }
    return curve(all);
  }

  /// By how much longer blocks of twice the words live where both were measured.
  static double widening_of(const std::array<std::vector<curve::point>, 3>& by_width) {
    std::vector<double> ratios;
    for (std::size_t width = 1; width < by_width.size(); ++width) {
      const auto& narrow = by_width[width - 1];
      if (narrow.size() < 2) continue;
      for (const curve::point& p : by_width[width])
        if (p.x >= narrow.front().x && p.x <= narrow.back().x)
          ratios.push_back(p.y.low / curve(narrow).at(p.x).low - 1);
    }
    if (ratios.empty()) return 0;
    std::ranges::sort(ratios);
    return std::max(0.0, ratios[ratios.size() / 2]);
  }

  /// Up to which footprint a launch finds what the one before it left in L2.
  void kept() {
    device_description& d = result_.device;
    d.loads_kept = {0.4 * d.l2_bytes, 1.6 * d.l2_bytes};
    d.stores_kept = {0.15 * d.l2_bytes, 1.6 * d.l2_bytes};
    if (!result_.counted) return;
    losses loads, stores, rounds;
    for (const double part : {0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0}) {
      const index_t bytes = whole_tiles(part * d.l2_bytes);
      const double most = static_cast<double>(bytes) / kSectorBytes;
      const probe_result read = count("kept loads " + format_fixed(part, 2), "bytes",
                                      {.kind = probe_kind::kDense, .bytes = bytes, .loads = 4});
      loads.take(part, 1 - metric(read, "l2_read_hit_sectors_measured") / most);
      const index_t half_bytes = whole_tiles(part * d.l2_bytes / 2);
      const probe_result copied =
          count("kept copy " + format_fixed(part, 2), "bytes",
                {.kind = probe_kind::kDense, .bytes = half_bytes, .loads = 1, .stores = 1});
      const auto half = static_cast<double>(half_bytes);
      loads.take(part, 1 - metric(copied, "l2_read_hit_sectors_measured") / (half / kSectorBytes));
      rounds.take(part, metric(read, "dram_read_bytes_measured") / static_cast<double>(bytes));
      rounds.take(part, metric(copied, "dram_read_bytes_measured") / half);
      rounds.take(part, metric(copied, "dram_write_bytes_measured") / half);
    }
    d.lost_in_rounds = rounds.ends();
    for (const int spacing : {32, 128, 2048})
      for (const double part : {0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.8, 1.6, 2.0}) {
        // A sector of each line that is touched stands for the line.
        const index_t bytes =
            whole_tiles(part * d.l2_bytes * (spacing > 128 ? spacing / 128.0 : 1.0));
        if (bytes > large_) continue;
        const probe p{
            .kind = probe_kind::kSpacedStores, .bytes = bytes, .spacing = spacing, .once = true};
        const probe_result r = count(
            "kept stores " + std::to_string(spacing) + ", " + format_fixed(part, 2), "sectors", p);
        // The first launches after other data push that out: the smallest footprint says little.
        if (part > 0.05)
          stores.take(part, metric(r, "dram_write_bytes_measured") / (kSectorBytes * r.work));
      }
    d.loads_kept = {loads.kept(0.01) * d.l2_bytes, loads.lost() * d.l2_bytes};
    // The probe goes round the same lines for ever; where others come in between, half is kept.
    d.stores_kept = {stores.kept(0.05) / 2 * d.l2_bytes, stores.lost() * d.l2_bytes};
  }

  /// How many of the sectors of stores that follow closely go on to L2.
  void merging() {
    if (!result_.counted) return;
    std::vector<curve::point> sent;
    for (const int lines : {4, 8, 16, 32}) {
      const int spacing = lines * 128 / 32;
      const probe_result r =
          count("walked stores " + std::to_string(spacing), "threads",
                {.kind = probe_kind::kWalkedStores, .bytes = 64 * kMi, .spacing = spacing});
      const double asked = metric(r, "store_sectors_measured");
      if (asked <= 0) continue;  // not counted here
      sent.push_back({static_cast<double>(lines),
                      interval::exactly(
                          std::clamp(metric(r, "l2_write_sectors_measured") / asked, 0.0, 1.0))});
    }
    if (!sent.empty()) result_.device.stores_sent = curve(sent);
  }

  /// What was lost, by the part of L2 that a launch goes round.
  class losses {
   public:
    void take(double part, double lost) { samples_.emplace_back(part, lost); }
    /// The largest part up to which no sample lost more than a leak; 0 if there is none.
    double kept(double leak) const {
      double kept = 0, leaking = 1e9;
      for (const auto& [part, lost] : samples_)
        if (lost > leak) leaking = std::min(leaking, part);
      for (const auto& [part, lost] : samples_)
        if (part < leaking) kept = std::max(kept, part);
      return kept;
    }
    /// Twice the largest part at which a sample still found something.
    double lost() const {
      double found = 0;
      for (const auto& [part, lost] : samples_)
        if (lost < 0.99) found = std::max(found, part);
      return 2 * found;
    }

    /// The least and the most that was lost of each part.
    curve ends() const {
      std::vector<curve::point> points;
      for (const auto& [part, lost] : samples_) {
        const double share = std::clamp(lost, 0.0, 1.0);
        if (points.empty() || points.back().x != part) points.push_back({part, {share, share}});
        interval& y = points.back().y;
        y = {std::min(y.low, share), std::max(y.high, share)};
      }
      return curve(points);
    }

   private:
    std::vector<std::pair<double, double>> samples_;
  };

  backend& device_;
  gpu_geometry gpu_;
  index_t large_ = 0;
  calibration result_;
};

}  // namespace

device_file passport_of(const calibration& found, const evidence& facts) {
  using enum source_kind;
  device_file file;
  file.device = found.device;
  const auto from = [&](std::string_view path, source_kind kind, const char* note) {
    file.sources[std::string(path)] = {kind, note};
  };
  const char* const driver = "as the driver reports it";
  for (const char* const path : {"sms", "threads_per_sm", "l2_bytes"})
    from(path, kMeasured, driver);
  from("l1_bytes", kMeasured, "as much of it as can be shared memory, as the driver reports it");
  from("dram_bytes_per_s", kDerived, "memory clock x 2 x bus width, as the driver reports them");
  const source_kind counted = found.counted ? kMeasured : kAssumed;
  const char* const no_counters = "no hardware counters could be read";
  from("read_granule", counted,
       found.counted ? "DRAM bytes read for each sector, sectors 256 bytes apart" : no_counters);
  from("fills", counted,
       found.counted ? "DRAM bytes read for each sector that is partly written" : no_counters);
  const char* const kept = "hits of launches that go round a buffer, no more than 1 % of them lost";
  const char* const stored =
      "write-backs of launches that go round a buffer, no more than 5 % of the sectors; half of "
      "it, "
      "as others come in between";
  const char* const lost = "twice the largest buffer of which something was found";
  const char* const share = "a usual share of L2; no hardware counters could be read";
  from("loads_kept.kept_bytes", counted, found.counted ? kept : share);
  from("loads_kept.lost_bytes", counted, found.counted ? lost : share);
  from("stores_kept.kept_bytes", counted, found.counted ? stored : share);
  from("stores_kept.lost_bytes", counted, found.counted ? lost : share);
  from("stores_sent", counted,
       found.counted ? "L2 sectors written of each store to a sector that is stored to four times"
                     : no_counters);
  from("lost_in_rounds", counted,
       found.counted ? "DRAM bytes of launches that go round a buffer, loads alone and copies"
                     : no_counters);
  from("time.launch_s", kMeasured, "a block on each SM that does nothing, launch after launch");
  from("time.dram_start_s", kMeasured,
       "what is left of a launch of dense traffic beside its bytes at their rate and launch_s");
  from("time.dram", kMeasured, "difference of two sizes of dense loads and stores");
  from("time.dram_loads", kMeasured, "16 bytes of a granule at each distance");
  from("time.dram_stores", kMeasured, "8 bytes of a sector at each distance");
  from("time.dram_together", kMeasured, "both in one kernel against each alone");
  from("time.l2_loads", kMeasured, "words 128, 64 and 32 bytes apart, in an eighth of L2");
  from("time.l2_stores", kMeasured, "words 128, 64 and 32 bytes apart, in an eighth of L2");
  from("time.l2_full_stores", kMeasured, "neighbouring words, in an eighth of L2");
  from("time.l2_added", kMeasured,
       "loads and stores in one kernel against each alone, in two eighths of L2");
  from("time.l2_start_s", kMeasured,
       "what is left of a launch on data in L2 beside its bytes at their rate and launch_s");
  from("time.block_life_loads", kMeasured, "blocks of 256 threads that load and end");
  from("time.block_life_copies", kMeasured, "blocks of 256 threads that load, store and end");
  const char* const widening = "blocks of 2 and 4 words a thread against blocks of half of them";
  from("time.widening_loads", kMeasured, widening);
  from("time.widening_copies", kMeasured, widening);
  from("time.block_life_in_l2_s", kMeasured, "one block on an SM that loads what L2 has");
  from("time.blocks_started_per_s", kMeasured, "blocks of one warp that do nothing");
  from("time.warps_started_per_s", kMeasured, "blocks of 32 warps that do nothing");
  from("time.l1_lines_per_s", kMeasured, "requests of 32 lines that L1 has");
  from("time.shared_wavefronts_per_s", kDerived, "one for each SM and cycle at the clock measured");
  from("time.f32_flops", kDerived, "lanes of an SM x 2 x SMs x highest clock");

  device_evidence& record = file.evidence.emplace();
  for (const auto& [key, value] : facts) record[key] = value;
  for (const probe_result& p : found.probes) {
    std::string text = format_exact(p.work) + " " + p.unit;
    if (p.seconds > 0) text += " in " + format_fixed(p.seconds * 1e6, 2) + " us";
    for (const auto& [metric, value] : p.metrics)
      if (value > 0) text += ", " + metric + " " + format_exact(value);
    record["probe: " + p.name] = text;
  }
  return file;
}

std::optional<std::string> passport_path(const std::string& gpu_uuid) {
  const auto set = [](const char* name) -> std::optional<std::string> {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
  };
  std::optional<std::string> folder = set("XDG_CACHE_HOME");
  if (!folder)
    if (const auto home = set("HOME")) folder = *home + "/.cache";
  if (!folder) return std::nullopt;
  return *folder + "/sectorbench/" + gpu_uuid + ".json";
}

calibration calibrate(backend& device) {
  if (!device.geometry())
    throw device_unavailable(
        "--calibrate: probes measure a GPU, and the CPU is selected; "
        "take a machine with one, or --device=cuda");
  return calibrator(device).measure();
}

}  // namespace sectorbench
