// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sectorbench/model/device_description.hpp"
#include "sectorbench/model/interval.hpp"
#include "sectorbench/model/launch_totals.hpp"
#include "sectorbench/model/reuse_profile.hpp"

/// @file
/// What a launch moves between L1 and L2 and between L2 and DRAM, as bounds.
///
/// Each visit to a sector follows an earlier one after a distance: the bytes of distinct lines that
/// the launch touches in between. L2 keeps what comes back within a certain distance, and has lost
/// what comes back after another; between the two, and where the order of blocks that run together
/// decides, both ends are given. Four rules make traffic of that:
///
/// 1. A store that leaves a sector partly written when L2 evicts it makes L2 read the sector: a
/// fill
///    (with ECC on).
/// 2. A load that misses fetches a granule, which may be more than a sector.
/// 3. What is lost is fetched, filled and written back again.
/// 4. L1 may answer a load, or merge a store, that follows closely on the same sector.
///
/// A launch follows one like it, so that a small working set is found in L2.
///
///     const auto traffic = predict_traffic(profile, totals, device, device.blocks_per_sm(256));
///     traffic.dram_read_bytes;  // {1073741824, 1073741824}: 16 U of a stride-8 copy of 64 MiB
///
/// Not modelled: sets and hashes of the caches, two halves of L2, replacement other than by
/// distance, DRAM refresh, traffic of others.

namespace sectorbench {

/// Bounds on what one launch moves.
struct traffic_prediction {
  interval l2_read_sectors, l2_write_sectors;  ///< between L1 and L2
  interval fill_sectors;                       ///< read since they were partly written
  interval dram_read_bytes, dram_write_bytes;

  bool scheduling = false;  ///< wide since blocks that run together decide
  bool retention = false;   ///< wide since what comes back is about as far as L2 keeps
  bool unsampled = false;   ///< wide since a side lies in so few pages that no sampled one has any

  double load_spacing = 0;   ///< bytes from one granule used to the next, in what runs together
  double store_spacing = 0;  ///< of sectors that are stored to
  double footprint_bytes = 0;

  interval dram_bytes() const { return dram_read_bytes + dram_write_bytes; }
  /// Whether the DRAM traffic is as good as one number.
  bool tight() const { return dram_bytes().spread() <= 1.05; }
};

namespace detail {

/// Blocks that the visits of a side are of. @param blocks of the launch
inline double span_of(const side_profile& side, double blocks) {
  return side.span_blocks > 0 ? side.span_blocks : blocks;
}

/// The distinct bytes of lines that a launch touches while so many blocks in a row start. The
/// launch is followed by one like it.
class footprint {
 public:
  footprint(const reuse_profile& profile) : blocks_(static_cast<double>(profile.blocks)) {
    for (const side_profile* side : {&profile.loads, &profile.stores, &profile.indices}) add(*side);
  }

  /// Of `blocks` blocks, however they lie.
  double bytes_of(double blocks) const {
    double bytes = 0;
    for (const gaps& side : sides_) bytes += side.bytes_of(std::min(blocks, side.span)) / side.span;
    return bytes;
  }

 private:
  /// How many blocks lie between visits of the same line.
  struct gaps {
    double span = 0;             // blocks that the visits are of
    double line_bytes = 0;       // that a sampled line stands for
    std::vector<double> sorted;  // gaps
    std::vector<double> sums;    // sums[i]: of the first i

    // A line is touched in a window of g blocks that begins at any of the last g blocks before one
    // of its visits: for each gap d that is min(g, d) of the places where a window can begin.
    double bytes_of(double g) const {
      const auto above = std::ranges::lower_bound(sorted, g);
      const auto below = static_cast<std::size_t>(above - sorted.begin());
      return line_bytes * (sums[below] + g * static_cast<double>(sorted.size() - below));
    }
  };

  void add(const side_profile& side) {
    if (side.visits.empty()) return;
    gaps of;
    of.span = span_of(side, blocks_);
    of.line_bytes = kLineBytes * side.scale;
    std::vector<std::uint32_t> blocks;
    const auto& visits = side.visits;
    for (std::size_t i = 0; i < visits.size();) {
      const std::uint32_t line = visits[i].sector / kSectorsOfLine;
      blocks.clear();
      for (; i < visits.size() && visits[i].sector / kSectorsOfLine == line; ++i)
        blocks.push_back(visits[i].block);
      std::ranges::sort(blocks);
      blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
      for (std::size_t k = 1; k < blocks.size(); ++k)
        of.sorted.push_back(static_cast<double>(blocks[k] - blocks[k - 1]));
      of.sorted.push_back(of.span - (blocks.back() - blocks.front()));
    }
    std::ranges::sort(of.sorted);
    of.sums.push_back(0);
    for (const double gap : of.sorted) of.sums.push_back(of.sums.back() + gap);
    sides_.push_back(std::move(of));
  }

  static constexpr std::uint32_t kSectorsOfLine = kLineBytes / kSectorBytes;

  double blocks_;
  std::vector<gaps> sides_;
};

/// Whether what comes back is still there.
struct outcome {
  interval lost{0, 1};    ///< the share of such visits that finds it no more
  bool together = false;  ///< not known since both run at the same time

  constexpr bool kept() const { return lost.high == 0; }
  constexpr bool gone() const { return lost.low == 1; }
};

/// Judges distances of reuse, each gap once.
class reuse_judge {
 public:
  /// @param in_rounds share lost of a whole working set, over its size / `cache_bytes`
  reuse_judge(const footprint& of, double blocks, double resident_blocks, reuse_bounds bounds,
              const curve& in_rounds, double cache_bytes)
      : footprint_(of), resident_(resident_blocks), bounds_(bounds) {
    together_ = footprint_.bytes_of(resident_);
    whole_ = footprint_.bytes_of(blocks);
    const double size = whole_ / cache_bytes;
    // Curves that were measured need not rise everywhere.
    in_rounds_ =
        around(in_rounds.at(size * (1 - kSizeDoubt)), in_rounds.at(size * (1 + kSizeDoubt)));
    in_rounds_.high = std::max(kLeak, in_rounds_.high);
    // What is used often stays at the cost of what is used once a launch.
    rivals_ = footprint_.bytes_of(blocks / 2) > kEven * whole_;
  }

  /// Of a visit `gap` blocks after the one before it.
  /// @param once the only visit of a launch
  outcome of(double gap, bool once) const {
    // Blocks start in order, but any of those that run together may be first.
    const double most = gap == 0 ? together_ : footprint_.bytes_of(gap + resident_);
    if (most <= bounds_.kept_bytes) return {{0, 0}, false};
    const double least = gap <= resident_ ? 0 : footprint_.bytes_of(gap - resident_);
    if (least >= bounds_.lost_bytes) return {{1, 1}, false};
    const interval lost = once && rivals_ ? interval{0, 1} : in_rounds_;
    return {{once ? lost.low : 0, lost.high}, gap <= resident_};
  }

 private:
  static constexpr double kSizeDoubt = 0.1;  // of a working set against those that were measured
  static constexpr double kEven = 0.6;   // of what a launch touches, in half of it: each line once
  static constexpr double kLeak = 0.05;  // share lost to whatever else a GPU does

  const footprint& footprint_;
  double resident_, together_ = 0, whole_ = 0;
  reuse_bounds bounds_;
  interval in_rounds_{0, 1};
  bool rivals_ = false;
};

/// The visits of each unit (sector, granule, line) of a side, one after the other.
template <class Visit>
void for_each_unit(std::span<const sector_visit> visits, std::uint32_t sectors, const Visit& take) {
  std::vector<sector_visit> unit;
  for (std::size_t i = 0; i < visits.size();) {
    const std::uint32_t id = visits[i].sector / sectors;
    unit.clear();
    for (; i < visits.size() && visits[i].sector / sectors == id; ++i) unit.push_back(visits[i]);
    if (sectors > 1) {
      std::ranges::sort(
          unit, {}, [](const sector_visit& v) { return std::uint64_t{v.block} << 32 | v.request; });
      const auto same = [](const sector_visit& a, const sector_visit& b) {
        return a.block == b.block && a.request == b.request;
      };
      unit.erase(std::unique(unit.begin(), unit.end(), same), unit.end());
    }
    take(std::span<const sector_visit>(unit));
  }
}

/// The gap in blocks before visit i of a unit; before the first, from the last one of the `span`
/// blocks before.
inline double gap_before(std::span<const sector_visit> unit, std::size_t i, double span) {
  if (i > 0) return static_cast<double>(unit[i].block - unit[i - 1].block);
  return span - (unit.back().block - unit.front().block);
}

/// Evaluates one launch on one device.
class traffic_evaluator {
 public:
  traffic_evaluator(const reuse_profile& profile, const launch_totals& totals,
                    const device_description& device, int blocks_per_sm)
      : profile_(profile),
        totals_(totals),
        device_(device),
        blocks_(static_cast<double>(profile.blocks)),
        resident_(std::min(blocks_, static_cast<double>(device.sms) * blocks_per_sm)),
        footprint_(profile),
        unsampled_(unsampled(profile.loads, totals.loads) ||
                   unsampled(profile.stores, totals.stores) ||
                   unsampled(profile.indices, totals.indices)),
        loads_(in_l2(device.loads_kept, 0)),
        stores_(in_l2(kept_of_stores(), profile.store_pitch)),
        l1_bytes_(device.l1_bytes * device.sms) {}

  traffic_prediction evaluate() {
    result_.unsampled = unsampled_;
    result_.footprint_bytes = footprint_.bytes_of(blocks_);
    loaded(profile_.loads, totals_.loads);
    loaded(profile_.indices, totals_.indices);
    stored(profile_.stores, totals_.stores);
    const interval granule = device_.read_granule;
    result_.load_spacing = spacing(profile_.loads, granule.high);
    result_.store_spacing = spacing(profile_.stores, kSectorBytes);
    return result_;
  }

 private:
  /// Whether a side is asked for and no sampled page has any of it.
  static bool unsampled(const side_profile& side, const side_totals& totals) {
    return side.visits.empty() && totals.sectors > 0;
  }

  /// Lanes that store to one line or to neighbouring ones leave no gaps in what runs together: L2
  /// keeps that as it keeps what is loaded.
  const reuse_bounds& kept_of_stores() const {
    const std::uint64_t pitch = profile_.store_pitch;
    // Lanes that a list scatters lie multiples of an element apart, and in more lines than that.
    const auto most_lines = static_cast<double>(pitch * kWarpLanes) / kLineBytes + 1;
    const bool dense =
        pitch > 0 && pitch <= kLineBytes && totals_.stores.lines_per_request() <= most_lines;
    return dense ? device_.loads_kept : device_.stores_kept;
  }

  /// Stores whose lanes lie whole pages apart may meet in few sets of L2; how sets are chosen is
  /// not published, and none of them is kept for certain. Nothing is where distances lack a side.
  reuse_judge in_l2(reuse_bounds bounds, std::uint64_t pitch) const {
    if ((pitch > 0 && pitch % kPageBytes == 0) || unsampled_) bounds.kept_bytes = 0;
    return {footprint_,
            blocks_,
            resident_,
            bounds,
            unsampled_ ? unknown_share() : device_.lost_in_rounds,
            device_.l2_bytes};
  }

  void note(const outcome& o) {
    if (o.kept() || o.gone()) return;
    const bool wide = o.lost.high - o.lost.low >= kWide;
    (o.together && wide ? result_.scheduling : result_.retention) = true;
  }

  /// What a sampled visit stands for, from the exact number of all.
  static double per_visit(const side_profile& side, const side_totals& totals) {
    return side.visits.empty()
               ? 0
               : static_cast<double>(totals.sectors) / static_cast<double>(side.visits.size());
  }

  void loaded(const side_profile& side, const side_totals& totals) {
    if (unsampled(side, totals)) {
      const interval sectors{0, static_cast<double>(totals.sectors)};
      result_.l2_read_sectors += sectors;
      result_.dram_read_bytes += sectors * device_.read_granule.high;
      return;
    }
    const double each = per_visit(side, totals);
    interval to_l2;
    const double span = span_of(side, blocks_);
    const bool goes_on = span < blocks_;  // then all SMs have loaded it before
    for_each_unit(side.visits, 1, [&](std::span<const sector_visit> unit) {
      double others = goes_on ? device_.sms : 0;
      for (std::size_t i = 0; i < unit.size(); ++i) {
        const double gap = gap_before(unit, i, span);
        if (i > 0 && gap > 0) ++others;
        to_l2 += i == 0 && !goes_on ? interval::exactly(1) : l1_misses(gap, others);
      }
    });
    result_.l2_read_sectors += to_l2 * each;
    result_.dram_read_bytes += around(fetched(side, device_.read_granule.low) * each,
                                      fetched(side, device_.read_granule.high) * each);
  }

  /// Bytes that loads fetch from DRAM, of the samples.
  interval fetched(const side_profile& side, double granule) {
    interval misses;
    const auto sectors = static_cast<std::uint32_t>(granule / kSectorBytes);
    for_each_unit(side.visits, sectors, [&](std::span<const sector_visit> unit) {
      for (std::size_t i = 0; i < unit.size(); ++i) {
        const outcome o = loads_.of(gap_before(unit, i, span_of(side, blocks_)), unit.size() == 1);
        misses += o.lost;
        note(o);
      }
    });
    return misses * granule;
  }

  /// The share of visits, so many blocks after the one before, that L1 misses. What a block comes
  /// back to is there if all that run together need no more than half of it; another block is on
  /// another SM than each of the `others` before it, but for one of few.
  interval l1_misses(double gap, double others) const {
    if (gap == 0) return {0, footprint_.bytes_of(resident_) <= l1_bytes_ / 2 ? 0.0 : 1.0};
    if (gap > resident_ && footprint_.bytes_of(gap - resident_) >= l1_bytes_) return {1, 1};
    return {std::max(0.0, 1 - (kSameSm + others - 1) / device_.sms), 1};
  }

  /// The share of stores close after one to the same sector that L1 sends on: all of requests of so
  /// many lines that none was seen to be merged; of others that is a question of time.
  interval sent_by_l1(const side_totals& totals) const {
    if (totals.requests == 0) return {1, 1};
    const double lines = static_cast<double>(totals.lines) / static_cast<double>(totals.requests);
    if (device_.stores_sent.at(lines / 2).low > kAll) return {1, 1};
    double least = 1;
    for (const curve::point& p : device_.stores_sent.points()) least = std::min(least, p.y.low);
    return {least, 1};
  }

  void stored(const side_profile& side, const side_totals& totals) {
    if (unsampled(side, totals)) {
      const interval sectors{0, static_cast<double>(totals.sectors)};
      result_.l2_write_sectors = sectors;
      result_.dram_write_bytes = sectors * kSectorBytes;
      result_.fill_sectors = sectors * device_.fills.high;
      result_.dram_read_bytes += result_.fill_sectors * kSectorBytes;
      return;
    }
    const double each = per_visit(side, totals);
    interval to_l2, written, filled;
    const interval sent = sent_by_l1(totals);
    const double span = span_of(side, blocks_);
    for_each_unit(side.visits, 1, [&](std::span<const sector_visit> unit) {
      // Where the unit is evicted: for certain, and at most.
      std::vector<outcome> before(unit.size());
      interval evicted;
      for (std::size_t i = 0; i < unit.size(); ++i) {
        const double gap = gap_before(unit, i, span);
        before[i] = stores_.of(gap, unit.size() == 1);
        note(before[i]);
        // Only a store of the same block can be merged: others come to other SMs, as a rule.
        to_l2 += i > 0 && gap == 0 ? sent : interval::exactly(1);
        evicted += before[i].lost;
      }
      written += evicted;
      if (std::ranges::all_of(before, &outcome::kept))
        written.high += span / blocks_;  // now and then
      // Where a launch stores never all of it, each that is evicted is partial.
      std::uint32_t bytes = 0;
      for (const sector_visit& visit : unit) bytes |= visit.bytes;
      filled.low += bytes != kWhole
                        ? evicted.low
                        : partial_episodes(unit, before, [](const outcome& o) { return o.gone(); });
      // Each that is evicted may be partial.
      filled.high += std::min(
          evicted.high, partial_episodes(unit, before, [](const outcome& o) { return !o.kept(); }));
    });
    result_.l2_write_sectors = to_l2 * each;
    result_.dram_write_bytes = written * (each * kSectorBytes);
    result_.fill_sectors =
        interval{filled.low * device_.fills.low, filled.high * device_.fills.high} * each;
    result_.dram_read_bytes += result_.fill_sectors * kSectorBytes;
  }

  /// How often a sector is evicted with bytes that no store has written since it came.
  template <class Evicted>
  static double partial_episodes(std::span<const sector_visit> unit,
                                 std::span<const outcome> before, const Evicted& evicted) {
    const auto first = std::ranges::find_if(before, evicted);
    if (first == before.end()) return 0;
    const auto start = static_cast<std::size_t>(first - before.begin());
    double partial = 0;
    std::uint32_t bytes = 0;
    for (std::size_t k = 0; k < unit.size(); ++k) {
      const std::size_t i = (start + k) % unit.size();
      if (k > 0 && evicted(before[i])) {
        partial += bytes != kWhole ? 1 : 0;
        bytes = 0;
      }
      bytes |= unit[i].bytes;
    }
    return partial + (bytes != kWhole ? 1 : 0);
  }

  /// Bytes from one unit used to the next within a page, while as many blocks start as run
  /// together.
  double spacing(const side_profile& side, double unit_bytes) const {
    const auto sectors = static_cast<std::uint32_t>(unit_bytes / kSectorBytes);
    std::vector<sector_visit> page;
    double weighted = 0, visits = 0;
    for (std::size_t i = 0; i < side.visits.size();) {
      const std::uint32_t id = side.visits[i].sector / kPageSectors;
      page.clear();
      for (; i < side.visits.size() && side.visits[i].sector / kPageSectors == id; ++i)
        page.push_back(side.visits[i]);
      std::ranges::sort(page, {}, &sector_visit::block);
      for (std::size_t begin = 0; begin < page.size();) {
        std::size_t end = begin;
        std::vector<std::uint32_t> units;
        for (; end < page.size() && page[end].block - page[begin].block < resident_; ++end)
          units.push_back(page[end].sector / sectors);
        std::ranges::sort(units);
        const auto distinct =
            static_cast<double>(std::unique(units.begin(), units.end()) - units.begin());
        weighted += distinct * static_cast<double>(end - begin);
        visits += static_cast<double>(end - begin);
        begin = end;
      }
    }
    return weighted > 0 ? kPageBytes / (weighted / visits) : 0;
  }

  static constexpr std::uint32_t kWhole = ~std::uint32_t{0};
  static constexpr double kAll = 0.98;  // as good as all
  static constexpr double kSameSm = 4;  // times the even share of neighbours that meet on one SM
  static constexpr double kWide = 0.5;  // share of visits: so much, and the order decides

  const reuse_profile& profile_;
  const launch_totals& totals_;
  const device_description& device_;
  double blocks_, resident_;
  footprint footprint_;
  bool unsampled_;  // a side
  reuse_judge loads_, stores_;
  double l1_bytes_;  // what all L1 caches hold together, none of it twice
  traffic_prediction result_;
};

}  // namespace detail

/// What one launch moves, the launch before it being the same.
/// @param blocks_per_sm that an SM holds at a time
inline traffic_prediction predict_traffic(const reuse_profile& profile, const launch_totals& totals,
                                          const device_description& device, int blocks_per_sm) {
  return detail::traffic_evaluator(profile, totals, device, blocks_per_sm).evaluate();
}

}  // namespace sectorbench
