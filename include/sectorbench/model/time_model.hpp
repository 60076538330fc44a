// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "sectorbench/model/device_description.hpp"
#include "sectorbench/model/interval.hpp"
#include "sectorbench/model/launch_totals.hpp"
#include "sectorbench/model/reuse_profile.hpp"
#include "sectorbench/model/traffic_model.hpp"

/// @file
/// How long a launch takes, from its traffic and the figures of a device, and what limits it.
///
/// Each resource that the launch needs gives a time in which that resource alone could serve it;
/// the launch takes as long as the slowest, and as the start and end of a launch besides. DRAM and
/// bytes in flight are one question: the more of the DRAM rate is in use, the longer a block lives.
///
/// Where loads and stores of one resource might overlap or not, the interval reaches from the
/// longer of them to their sum. No figure is fitted to a pattern of the suites.
///
/// Not modelled: instruction issue, clocks that change, the order in which requests reach DRAM.

namespace sectorbench {

/// What can limit a launch.
enum class limit {
  kRequests,       ///< L1 looks up the lines of loads, one after the other
  kL1,             ///< as kRequests, where lines hit
  kL2,             ///< sectors that L2 serves and takes
  kDramBytes,      ///< the memory bus, dense traffic
  kDramLocality,   ///< the memory bus, as used sectors lie far apart
  kInFlight,       ///< too few bytes are under way
  kBankConflicts,  ///< passes over the banks of shared memory
  kLaunch,         ///< starting blocks, and the launch itself
  kArithmetic,     ///< floating-point operations
  kIssue,          ///< instructions that are issued: seen by counters, never predicted
};

/// The name of a limit, as labels and tables spell it.
constexpr std::string_view name_of(limit what) {
  constexpr std::array<std::string_view, 10> kNames{
      "requests",       "l1",     "l2",         "dram_bytes", "dram_locality", "in_flight",
      "bank_conflicts", "launch", "arithmetic", "issue"};
  return kNames[static_cast<std::size_t>(what)];
}

/// The time that each resource alone would take; 0 where it has nothing to do.
struct time_terms {
  interval dram;       ///< as dense traffic
  interval locality;   ///< as loads and stores that lie as far apart as they do
  interval in_flight;  ///< blocks after blocks
  interval l2, l1, banks, starts, arithmetic;
  interval issue;   ///< of instructions, if they were counted
  interval launch;  ///< what comes on top of the longest of them
};

/// A predicted time and its reason.
struct time_prediction {
  interval seconds;
  limit limited_by = limit::kLaunch;
  time_terms terms;
  bool scaled = false;  ///< from figures of another GPU
  /// Whether the ends lie within a tenth of each other, whatever limits the launch.
  bool is_number() const { return !scaled && seconds.spread() <= 1.1; }
};

namespace detail {

constexpr interval over(double work, const interval& rate) {
  return work > 0 ? interval{work / rate.high, work / rate.low} : interval{};
}
constexpr interval over(const interval& work, const interval& rate) {
  return {work.low / rate.high, work.high / rate.low};
}
/// Two uses of one resource: at best side by side, at worst one after the other.
constexpr interval both(const interval& a, const interval& b) {
  return {std::max(a.low, b.low), a.high + b.high};
}

class time_evaluator {
 public:
  time_evaluator(const reuse_profile& profile, const launch_totals& totals,
                 const traffic_prediction& traffic, const device_description& device,
                 int blocks_per_sm, double flops)
      : profile_(profile),
        totals_(totals),
        traffic_(traffic),
        device_(device),
        figures_(*device.time),
        blocks_per_sm_(blocks_per_sm),
        flops_(flops) {}

  time_prediction evaluate() const {
    time_prediction result;
    result.scaled = figures_.scaled;
    time_terms& t = result.terms;
    t.launch = launch();
    t.dram = dram();
    t.locality = locality();
    t.in_flight = in_flight(larger(t.dram, t.locality));
    t.l2 = l2();
    t.l1 = l1();
    t.banks =
        over(static_cast<double>(totals_.slot_loads.wavefronts + totals_.slot_stores.wavefronts),
             figures_.shared_wavefronts_per_s);
    const double warps = static_cast<double>(profile_.blocks) *
                         ((profile_.block_threads + kWarpLanes - 1) / kWarpLanes);
    t.starts = larger(over(static_cast<double>(profile_.blocks), figures_.blocks_started_per_s),
                      over(warps, figures_.warps_started_per_s));
    if (totals_.loads.sectors + totals_.indices.sectors > 0)  // the last block waits as well
      t.starts += figures_.block_life_in_l2_s;
    t.arithmetic = over(flops_, figures_.f32_flops);
    combine(result);
    return result;
  }

 private:
  /// The launch itself, and the first and last accesses.
  interval launch() const {
    const interval misses = missing_loads();
    const interval in_l2 = figures_.l2_start_s;
    const interval in_dram = larger(in_l2, figures_.dram_start_s);
    return interval{(misses.low > kAll ? in_dram : in_l2).low,
                    (misses.high > 0 ? in_dram : in_l2).high} +
           figures_.launch_s;
  }

  /// The share of the loaded sectors that come from DRAM; of stores alone, of what they write.
  interval missing_loads() const {
    const auto share = [](double bytes, std::uint64_t sectors) {
      return bytes > 0 ? std::min(1.0, bytes / (kSectorBytes * static_cast<double>(sectors))) : 0;
    };
    const std::uint64_t loaded = totals_.loads.sectors + totals_.indices.sectors;
    if (loaded == 0)
      return {share(traffic_.dram_write_bytes.low, totals_.stores.sectors),
              share(traffic_.dram_write_bytes.high, totals_.stores.sectors)};
    const interval fills = traffic_.fill_sectors * kSectorBytes;
    return {share(traffic_.dram_read_bytes.low - fills.low, loaded),
            share(traffic_.dram_read_bytes.high - fills.high, loaded)};
  }

  /// The share of the blocks of which a load waits for DRAM, when so many of the sectors do.
  double waiting_blocks(double missing) const {
    const double loaded = static_cast<double>(totals_.loads.sectors + totals_.indices.sectors) /
                          static_cast<double>(profile_.blocks);
    return 1 - std::pow(1 - missing, loaded);
  }

  interval dram() const {
    const interval reads = traffic_.dram_read_bytes, writes = traffic_.dram_write_bytes;
    const auto time = [&](double read, double written) {
      const double bytes = read + written;
      return bytes > 0 ? over(bytes, figures_.dram.at(written / bytes)) : interval{};
    };
    return {time(reads.low, writes.low).low, time(reads.high, writes.high).high};
  }

  /// Loads and stores each at the rate of their spacing; nothing where both are dense.
  interval locality() const {
    const interval fills = traffic_.fill_sectors * kSectorBytes;
    const interval loads{traffic_.dram_read_bytes.low - fills.low,
                         traffic_.dram_read_bytes.high - fills.high};
    const interval stores = traffic_.dram_write_bytes + fills;
    const double dense = std::max(64.0, device_.read_granule.high);
    const bool sparse_loads = traffic_.load_spacing > kSparse * dense;
    const bool sparse_stores = traffic_.store_spacing > kSparse * kSectorBytes && stores.high > 0;
    if (!sparse_loads && !sparse_stores) return {};
    const interval of_loads = over(loads, figures_.dram_loads.at(traffic_.load_spacing));
    const interval of_stores = over(stores, figures_.dram_stores.at(traffic_.store_spacing));
    interval time = both(of_loads, of_stores);
    if (sparse_loads && sparse_stores) {
      // Where both are sparse, what they take together was measured.
      const interval share =
          figures_.dram_together.at(std::sqrt(traffic_.load_spacing * traffic_.store_spacing));
      const interval sum = of_loads + of_stores;
      // Never less than the longer of them alone, which the smaller one adds little to.
      time.low = std::max(time.low, sum.low * share.low);
      time.high = std::max(
          {time.low, of_loads.high, of_stores.high, std::min(time.high, sum.high * share.high)});
    }
    return {time.low * (1 - kRateDoubt), time.high * (1 + kRateDoubt)};
  }

  /// Blocks that follow each other in the places of an SM, each for as long as its loads take.
  interval in_flight(const interval& dram) const {
    const double places = static_cast<double>(device_.sms) * blocks_per_sm_;
    const double generations = std::max(1.0, static_cast<double>(profile_.blocks) / places);
    const double most = std::max(1, profile_.rounds);
    // A compiler may let loads of later rounds begin before the stores of earlier ones.
    const double least = 1 + (most - 1) / kRoundsAtOnce;
    if (totals_.loads.sectors + totals_.indices.sectors == 0)  // nothing is waited for
      return figures_.block_life_stores_s * generations;
    const interval chain = arithmetic_chain();
    const double slowest = slowest_warp();
    const auto lives = [&](const interval& life) {
      return interval{life.low * least + chain.low, life.high * most * slowest + chain.high} *
             (generations * widening());
    };
    // The share of the DRAM rate in use and the time depend on each other.
    const auto solve = [&](double bus_s, double missing, bool high) {
      // What lies in L2 comes sooner.
      const double waiting = waiting_blocks(missing);
      const auto life = [&](double share) {
        return life_at(share) * waiting + figures_.block_life_in_l2_s * (1 - waiting);
      };
      // A block lives longest where the bus is full, or where it is idle if a curve falls.
      const double longest_s = std::max(lives(life(0)).high, lives(life(1)).high);
      double low_s = bus_s, high_s = std::max(bus_s, longest_s);
      for (int step = 0; step < 60; ++step) {
        const double s = (low_s + high_s) / 2;
        const interval flight = lives(life(bus_s / s));
        ((high ? flight.high : flight.low) > s ? low_s : high_s) = s;
      }
      return high_s;
    };
    const interval misses = missing_loads();
    const double low = solve(dram.low, misses.low, false);
    return {low, std::max(low, solve(dram.high, misses.high, true))};
  }

  /// What the dependent operations of a thread take: the pipe's latency for each, which other warps
  /// may hide.
  interval arithmetic_chain() const {
    const double threads = static_cast<double>(profile_.blocks) * profile_.block_threads;
    const double cycle_s = device_.sms / figures_.shared_wavefronts_per_s.low;
    return {0, flops_ / 2 / threads * kCyclesOfOperation * cycle_s};
  }

  /// Blocks whose warps load more at once live longer.
  double widening() const {
    const double warps = static_cast<double>(profile_.blocks) *
                         ((profile_.block_threads + kWarpLanes - 1) / kWarpLanes);
    const double at_once =
        static_cast<double>(totals_.loads.sectors) / warps / std::max(1, profile_.rounds);
    const double doublings = std::clamp(std::log2(at_once / kNarrow), 0.0, kWidest);
    return std::pow(
        1 + (totals_.stores.sectors > 0 ? figures_.widening_copies : figures_.widening_loads),
        doublings);
  }

  /// By how much longer a block may live that has more warps than those that were measured: it ends
  /// with its slowest.
  double slowest_warp() const {
    return std::pow(std::max(1.0, profile_.block_threads / kBlockMeasured), kSlowest);
  }

  interval life_at(double share) const {
    return totals_.stores.sectors > 0 ? figures_.block_life_copies.at(share)
                                      : figures_.block_life_loads.at(share);
  }

  /// Lines that are looked up: of loads, and of stores as far as they are in their way.
  interval l1() const {
    const std::uint64_t loads = totals_.loads.lines + totals_.indices.lines;
    const std::uint64_t all = loads > 0 ? loads + totals_.stores.lines : 0;
    const interval rate = figures_.l1_lines_per_s;
    return {static_cast<double>(loads) / rate.high * (1 - kRateDoubt),
            static_cast<double>(all) / rate.low * (1 + kRateDoubt)};
  }

  interval l2() const {
    const auto of_line = [](const side_totals& side) {
      return side.lines == 0 ? 4.0
                             : std::min(4.0, static_cast<double>(side.sectors) /
                                                 static_cast<double>(side.lines));
    };
    const interval whole = figures_.l2_full_stores;
    interval taken =
        profile_.stores_whole_sectors ? whole : figures_.l2_stores.at(of_line(totals_.stores));
    // What L1 merges may come to L2 as whole sectors.
    if (traffic_.l2_write_sectors.low < kAll * static_cast<double>(totals_.stores.sectors))
      taken = around(taken, whole);
    // Sectors of a list lie close, and take as long as their lines.
    side_totals loaded = totals_.loads;
    loaded += totals_.indices;
    const interval loads = over(traffic_.l2_read_sectors, figures_.l2_loads.at(of_line(loaded)));
    const interval stores = over(traffic_.l2_write_sectors, taken);
    const interval longer = larger(loads, stores);
    interval added = around(figures_.l2_added.at(of_line(loaded)),
                            figures_.l2_added.at(of_line(totals_.stores)));
    // Barriers keep what a block loads apart from what it stores.
    if (totals_.slot_stores.requests > 0) added.high = 1;
    return {(longer.low + added.low * std::min(loads.low, stores.low)) * (1 - kRateDoubt),
            (longer.high + added.high * std::min(loads.high, stores.high)) * (1 + kRateDoubt)};
  }

  void combine(time_prediction& result) const {
    const time_terms& t = result.terms;
    struct candidate {
      limit what;
      interval time;
    };
    const bool hits =
        traffic_.l2_read_sectors.high < 0.5 * static_cast<double>(totals_.loads.sectors);
    const interval bus = larger(t.dram, t.locality);
    const bool waits = t.in_flight.middle() > bus.middle() * kSameTime;
    // Passes over the banks come before or after what they move, in the same block.
    const interval banks{t.banks.low, t.banks.high > 0 ? t.banks.high + t.dram.high : 0};
    const std::array candidates{
        candidate{limit::kDramBytes, t.dram},
        candidate{limit::kDramLocality, t.locality},
        candidate{limit::kLaunch, t.starts},
        candidate{limit::kInFlight, waits ? t.in_flight : interval{}},
        candidate{limit::kL2, t.l2},
        candidate{hits ? limit::kL1 : limit::kRequests, t.l1},
        candidate{limit::kBankConflicts, t.banks.low > bus.low ? banks : interval{}},
        candidate{limit::kArithmetic, t.arithmetic},
    };
    // The longest at its best names the limit, as no other can be what the launch waits for then;
    // among equals the first.
    interval all;
    double longest = 0;
    for (const candidate& one : candidates) {
      all = larger(all, one.time);
      if (one.time.low > longest * kSameTime) {
        longest = one.time.low;
        result.limited_by = one.what;
      }
    }
    if (all.low < t.launch.low) result.limited_by = limit::kLaunch;
    result.seconds = all + t.launch;
    if (!result.is_number())
      result.seconds = {result.seconds.low * (1 - kProbeDoubt),
                        result.seconds.high * (1 + kProbeDoubt)};
  }

  static constexpr double kNarrow = 4;             // sectors of a warp that loads one word a lane
  static constexpr double kWidest = 2;             // doublings that were measured
  static constexpr double kBlockMeasured = 256;    // threads of blocks whose life was measured
  static constexpr double kSlowest = 0.15;         // exponent: 1.23 at 1024 threads
  static constexpr double kSparse = 1.1;           // of the dense spacing
  static constexpr double kRoundsAtOnce = 4;       // loop iterations that a compiler unrolls
  static constexpr double kSameTime = 1.02;        // less makes no difference worth a name
  static constexpr double kCyclesOfOperation = 8;  // of a dependent multiply-add, at most
  static constexpr double kAll = 0.99;             // as good as all, of what samples stand for
  static constexpr double kRateDoubt = 0.08;       // probes of one distance are not all distances
  static constexpr double kProbeDoubt = 0.03;      // of what is no number anyway

  const reuse_profile& profile_;
  const launch_totals& totals_;
  const traffic_prediction& traffic_;
  const device_description& device_;
  const time_figures& figures_;
  int blocks_per_sm_;
  double flops_;
};

}  // namespace detail

/// The time of one launch. @pre device.time
/// @param flops floating-point operations of the launch
inline time_prediction predict_time(const reuse_profile& profile, const launch_totals& totals,
                                    const traffic_prediction& traffic,
                                    const device_description& device, int blocks_per_sm,
                                    double flops) {
  return detail::time_evaluator(profile, totals, traffic, device, blocks_per_sm, flops).evaluate();
}

}  // namespace sectorbench
