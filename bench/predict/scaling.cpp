// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sectorbench {
namespace {

/// How far a law was off, or may be; docs/model.md has the points.
constexpr interval kHbmRate{0.92, 1.04};     // share of the peak that dense traffic gets / base's
constexpr interval kGddrRate{0.85, 1.06};    // the same of GDDR without ECC
constexpr interval kEccReads{0.76, 0.96};    // and with its bits in the memory itself, all reads
constexpr interval kEccWrites{0.55, 0.78};   // all writes
constexpr interval kUnseenFills{0.8, 1};     // partial sectors that are read first without ECC
constexpr interval kHbmStores{0.8, 1.2};     // partial stores, share of the peak / base's
constexpr interval kGddrStores{1.2, 2};      // the same; never more than dense ones get
constexpr interval kSameSpacing{0.9, 1.12};  // sparse loads, of memory like the base's
constexpr double kHbmSparse = 0.9;           // of other memory, at worst / base's
constexpr double kGddrSparse = 0.75;         // the same of GDDR
constexpr double kNoLossApart = 350;        // bytes; at best other memory loses nothing up to there
constexpr double kLossApart = 0.25;         // and then as this power of the distance
constexpr double kDense = 0.95;             // share of the dense rate that is no loss
constexpr interval kOneL2{0.85, 1.3};       // of an L2 in one part: kept up to, lost from
constexpr double kTwoPartsFrom = 32 << 20;  // bytes of L2 beside HBM
constexpr interval kTogether{0.85, 1.1};    // sparse loads and stores at once
constexpr interval kLife{0.9, 1.1};         // residency of blocks
constexpr interval kQueue{0.3, 1};          // of which what a busy bus adds / base's
constexpr interval kNoLatency{0.75, 1.25};  // DRAM latency / base's, where it is not given
constexpr interval kStoreLife{0.88, 1.18};  // residency of blocks that only store
constexpr interval kL2Given{0.9, 1.1};      // L2 rate, from its own bytes a clock
constexpr interval kL2Guessed{0.4, 1.1};    // from the base's bytes a clock and SM
constexpr double kL2OverDram = 1.2;         // and no less than this times the bus's peak
constexpr interval kStarts{0.6, 1.3};       // blocks and warps started, a clock
constexpr interval kLatencies{0.7, 1.8};    // of launches, s
constexpr interval kL1{0.8, 2};             // lines a clock and SM
constexpr interval kShared{0.85, 1};        // wavefronts: the clock may be lower under load
constexpr interval kFlops{0.4, 1};          // lanes of an SM, and the clock

bool is_gddr(memory_kind kind) { return kind >= memory_kind::kGddr5x; }
bool is_hbm3(memory_kind kind) { return kind == memory_kind::kHbm3 || kind == memory_kind::kHbm3e; }

interval at_most(const interval& of, double most) {
  return {std::min(of.low, most), std::min(of.high, most)};
}

template <class Change>
curve changed(const curve& of, const Change& change) {
  std::vector<curve::point> points;
  for (const curve::point& p : of.points()) points.push_back({p.x, change(p.x, p.y)});
  return curve(std::move(points));
}
curve times(const curve& of, const interval& factor) {
  return changed(of, [&](double, const interval& y) { return y * factor; });
}

/// What a GPU gets of dense traffic / what the base gets, both in shares of their peaks.
interval dense_share(const data_sheet& sheet, double written) {
  if (!is_gddr(sheet.memory)) return kHbmRate;
  const interval with_ecc = kEccReads * (1 - written) + kEccWrites * written;
  return {sheet.ecc.high > 0 ? with_ecc.low : kGddrRate.low,
          sheet.ecc.low < 1 ? kGddrRate.high : with_ecc.high};
}

/// Dense traffic over the share written; the shares that are given replace it at reads, writes and
/// copies and draw what lies between along.
curve dense_rates(const data_sheet& sheet, double peak, const curve& base, double base_peak) {
  const auto derived = [&](double written) {
    return at_most(base.at(written) * (1 / base_peak) * dense_share(sheet, written), 1);
  };
  const auto part = [](const std::optional<interval>& given, const interval& own) {
    return given ? interval{given->low / own.low, given->high / own.high} : interval(1);
  };
  const interval read = part(sheet.read_share, derived(0));
  const interval copy = part(sheet.copy_share, derived(0.5));
  const interval write = part(sheet.write_share, derived(1));
  return changed(base, [&](double written, const interval&) {
    const double second = written <= 0.5 ? 2 * written : 2 - 2 * written;
    const interval factor = (written <= 0.5 ? read : write) * (1 - second) + copy * second;
    return at_most(derived(written) * factor, 1) * peak;
  });
}

void scale_traffic(device_description& to, const data_sheet& sheet,
                   const device_description& base) {
  const bool gddr = is_gddr(sheet.memory);
  to.read_granule = !gddr                                  ? interval(64)
                    : sheet.memory == memory_kind::kGddr5x ? interval(32)
                                                           : interval(32, 64);
  to.fills = {sheet.ecc.low < 1 ? kUnseenFills.low : 1, 1};
  const double l2 = to.l2_bytes / base.l2_bytes;
  const bool two_parts = !gddr && to.l2_bytes >= kTwoPartsFrom;
  to.loads_kept =
      two_parts ? reuse_bounds{base.loads_kept.kept_bytes * l2, base.loads_kept.lost_bytes * l2}
                : reuse_bounds{kOneL2.low * to.l2_bytes, kOneL2.high * to.l2_bytes};
  to.stores_kept = {base.stores_kept.kept_bytes * l2, base.stores_kept.lost_bytes * l2};
  // What L1 merges and which lines L2 replaces is the business of an architecture.
  to.stores_sent = to.lost_in_rounds = unknown_share();
}

void scale_dram(time_figures& t, const data_sheet& sheet, double peak,
                const device_description& base) {
  const time_figures& b = *base.time;
  const double scale = peak / base.dram_bytes_per_s;
  t.dram = dense_rates(sheet, peak, b.dram, base.dram_bytes_per_s);
  const interval reads = t.dram.at(0), copies = t.dram.at(0.5);
  const bool gddr = is_gddr(sheet.memory);
  const double dense = b.dram_loads.points().front().y.low;
  t.dram_loads = changed(b.dram_loads, [&](double apart, const interval& y) {
    const interval share{y.low / dense, y.high / dense};
    if (is_hbm3(sheet.memory)) return at_most(reads * (share * kSameSpacing), reads.high);
    // Where rows lie and what opening one costs differs from memory to memory.
    if (share.low > kDense) return interval{reads.low * share.low, reads.high};
    return interval{reads.low * share.low * (gddr ? kGddrSparse : kHbmSparse),
                    reads.high * std::pow(std::max(1.0, apart / kNoLossApart), -kLossApart)};
  });
  t.dram_stores = changed(b.dram_stores, [&](double, const interval& y) {
    return at_most(y * scale * (gddr ? kGddrStores * dense_share(sheet, 0.5) : kHbmStores),
                   copies.high);
  });
  t.dram_together = times(b.dram_together, kTogether);
}

/// A block lives for the latency of what it loads, some cycles until it has started and ended, and
/// longer on a busy bus.
void scale_lives(time_figures& t, const data_sheet& sheet, double slower, const time_figures& b,
                 const data_sheet& base_sheet) {
  const interval base_latency =
      base_sheet.dram_latency_s.value_or(b.block_life_loads.at(0) * (2.0 / 3));
  const interval latency = sheet.dram_latency_s.value_or(base_latency * kNoLatency);
  const auto life = [&](const curve& of) {
    const double idle = of.points().front().y.middle();
    const double cycles = idle - base_latency.middle();
    return changed(of, [&](double, const interval& y) {
      return (latency + cycles * slower + kQueue * std::max(0.0, y.middle() - idle)) * kLife;
    });
  };
  t.block_life_loads = life(b.block_life_loads);
  t.block_life_copies = life(b.block_life_copies);
  t.block_life_stores_s = (b.block_life_loads.points().front().y.middle() - base_latency.middle()) *
                          slower * kStoreLife;
  t.block_life_in_l2_s = b.block_life_in_l2_s * slower * kLife;
}

}  // namespace

void scale(device_description& to, const data_sheet& sheet, const device_description& base,
           const data_sheet& base_sheet) {
  const time_figures& b = *base.time;
  const double base_clock_hz = b.shared_wavefronts_per_s.middle() / base.sms;
  const double faster = sheet.clock_hz / base_clock_hz;
  const double more = faster * to.sms / base.sms;  // cycles of all SMs
  scale_traffic(to, sheet, base);
  time_figures& t = to.time.emplace();
  t.scaled = true;
  scale_dram(t, sheet, to.dram_bytes_per_s, base);
  scale_lives(t, sheet, 1 / faster, b, base_sheet);
  t.widening_loads = b.widening_loads;
  t.widening_copies = b.widening_copies;
  interval l2 = sheet.l2_bytes_per_clock && base_sheet.l2_bytes_per_clock
                    ? *sheet.l2_bytes_per_clock *
                          (faster / base_sheet.l2_bytes_per_clock->middle()) * kL2Given
                    : more * kL2Guessed;
  constexpr double kSectorBytes = 32;
  l2 = larger(l2, kL2OverDram * to.dram_bytes_per_s / (kSectorBytes * b.l2_full_stores.low));
  t.l2_loads = times(b.l2_loads, l2);
  t.l2_stores = times(b.l2_stores, l2);
  t.l2_full_stores = b.l2_full_stores * l2;
  t.l2_added = changed(b.l2_added, [](double, const interval& y) {
    return at_most({y.low * 0.5, y.high * 1.5}, 1);
  });
  t.launch_s = b.launch_s * kLatencies;
  t.dram_start_s = b.dram_start_s * kLatencies;
  t.l2_start_s = b.l2_start_s * kLatencies;
  t.blocks_started_per_s = b.blocks_started_per_s * faster * kStarts;
  t.warps_started_per_s = b.warps_started_per_s * more * kStarts;
  t.l1_lines_per_s = b.l1_lines_per_s * more * kL1;
  t.shared_wavefronts_per_s = b.shared_wavefronts_per_s * more * kShared;
  t.f32_flops = b.f32_flops * more * kFlops;
}

}  // namespace sectorbench
