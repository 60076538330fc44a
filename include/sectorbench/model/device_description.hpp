// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "sectorbench/model/interval.hpp"

/// @file
/// What the model of traffic and time has to know of a GPU. Descriptions are data
/// (bench/predict/profiles/*.json, docs/options.md); nothing here is fitted to a pattern of the
/// suites.

namespace sectorbench {

/// A figure that depends on another, as points; between them it is interpolated, beyond them it
/// keeps the last value.
class curve {
 public:
  /// Where it was measured, and what was found there.
  struct point {
    double x = 0;
    interval y;
    friend bool operator==(const point&, const point&) = default;
  };

  curve() = default;
  /// @pre not empty; x ascending
  explicit curve(std::vector<point> points) : points_(std::move(points)) {}

  bool empty() const { return points_.empty(); }
  const std::vector<point>& points() const { return points_; }

  /// The value at x, linear between points.
  interval at(double x) const {
    const auto above = std::ranges::lower_bound(points_, x, {}, &point::x);
    if (above == points_.begin()) return points_.front().y;
    if (above == points_.end()) return points_.back().y;
    const point& below = *(above - 1);
    const double part = (x - below.x) / (above->x - below.x);
    return below.y * (1 - part) + above->y * part;
  }
  friend bool operator==(const curve&, const curve&) = default;

 private:
  std::vector<point> points_;
};

/// A share of which nothing is known.
inline curve unknown_share() { return curve({curve::point{1, {0, 1}}}); }

/// Up to which distance of reuse a cache keeps what it has.
struct reuse_bounds {
  double kept_bytes = 0;  ///< reuse over at most so many bytes of lines hits
  double lost_bytes = 0;  ///< reuse over at least so many misses
  friend bool operator==(const reuse_bounds&, const reuse_bounds&) = default;
};

/// What times follow from. All rates are those of the whole GPU.
struct time_figures {
  interval launch_s;        ///< of a launch that does nothing: from one to the next
  interval dram_start_s;    ///< by which a launch whose data lie in DRAM takes longer than its
                            ///< bytes at their rate, the launch itself aside
  curve dram;               ///< bytes/s of dense traffic, over the share of it that is written
  bool scaled = false;      ///< whether these are figures of another GPU, scaled
  curve dram_loads;         ///< bytes/s read, over the bytes from one used granule to the next
  curve dram_stores;        ///< bytes/s read and written by partial stores, over the same distance
  curve dram_together;      ///< time of both of these at once / sum of their times, over the same
  curve l2_loads;           ///< sectors/s that L2 serves, over sectors used of a line (1 to 4)
  curve l2_stores;          ///< sectors/s that L2 takes partly written, over the same
  interval l2_full_stores;  ///< sectors/s that L2 takes wholly written
  /// Share of the shorter of loads and stores in L2 that comes on top of the longer, over sectors
  /// used of a line.
  curve l2_added = unknown_share();
  interval l2_start_s;      ///< as dram_start_s, of a launch whose data lie in L2
  curve block_life_loads;   ///< s from the start of a block whose warps load 4 sectors at once to
                            ///< the start of the next in its place, over the share of the DRAM rate
  curve block_life_copies;  ///< the same of a block that stores what it loaded
  interval block_life_stores_s;  ///< of a block that only stores; 0: not known, and no limit
  double widening_loads = 0;   ///< share by which a block that loads lives longer for each doubling
                               ///< of the sectors that a warp loads at once, from 4 on
  double widening_copies = 0;  ///< the same of a block that stores what it loaded
  interval block_life_in_l2_s;    ///< of one that loads what L2 has
  interval blocks_started_per_s;  ///< at most, however small they are
  interval warps_started_per_s;   ///< at most
  interval l1_lines_per_s;        ///< lines that requests of loads look up
  interval shared_wavefronts_per_s;
  interval f32_flops;  ///< a multiply-add is two
  friend bool operator==(const time_figures&, const time_figures&) = default;
};

/// One GPU.
struct device_description {
  std::string key;           ///< as --gpu= takes it: "h200"
  std::string name;          ///< "NVIDIA H200"
  std::string architecture;  ///< "Hopper (sm_90)"
  int sms = 0;
  int threads_per_sm = 0;  ///< that it holds at a time
  double l1_bytes = 0;     ///< of one SM
  double l2_bytes = 0;
  double dram_bytes_per_s = 0;  ///< peak of the memory bus

  interval read_granule{32, 32};  ///< bytes that a load miss of L2 fetches; two ends: not known
  interval fills{0, 1};      ///< share of partly written sectors that are read first: 1 with ECC, 0
                             ///< without, both ends where that is not known
  reuse_bounds loads_kept;   ///< by L2
  reuse_bounds stores_kept;  ///< by L2: not written back before the next store
  /// Share of stores to a sector, close after each other, that L1 sends on to L2, over the lines
  /// that a request touches (1 to 32).
  curve stores_sent = unknown_share();
  /// Share of a working set that is lost when launch after launch goes through it, over its size /
  /// L2.
  curve lost_in_rounds = unknown_share();

  std::optional<time_figures> time;  ///< none: only sectors and traffic are predicted

  /// Blocks of so many threads that an SM holds, as far as threads alone decide.
  int blocks_per_sm(int threads) const {
    const int warps = (threads + 31) / 32;
    return threads > 0 ? std::clamp(threads_per_sm / (warps * 32), 1, 32) : 1;
  }
  friend bool operator==(const device_description&, const device_description&) = default;
};

}  // namespace sectorbench
