// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sectorbench/model/launch_totals.hpp"
#include "sectorbench/pattern/launch.hpp"
#include "sectorbench/pattern/portability.hpp"
#include "sectorbench/verify/fill.hpp"

/// @file
/// Random launches of lanes that load and store wherever chance puts them, and what the sector
/// model says of them. A map is a pure function of warp and lane, so that a kernel can compute it
/// as well as load it from a list.

namespace sectorbench::test {

/// Elements that lanes choose among. A power of two: maps wrap around it.
inline constexpr index_t kLaneElements = index_t{1} << 16;

/// What a lane that is off has instead of an element.
inline constexpr index_t kOff = -1;

/// How the lanes of a warp choose their elements.
enum class lane_order {
  kAffine,     ///< thread after thread, `step` apart
  kReversed,   ///< the same, each warp back to front
  kShuffled,   ///< the same, each warp in an order of its own
  kShared,     ///< `group` lanes share an element
  kScattered,  ///< each lane anywhere
  kClusters,   ///< `group` lanes in a row, each group anywhere
  kAny,        ///< each warp one of those above
};

/// Which lanes of a warp are active.
enum class lane_mask {
  kAll,
  kHalf,    ///< each with a chance of one half
  kFew,     ///< of one quarter
  kMost,    ///< of three quarters
  kPrefix,  ///< the first so many, perhaps none
  kSingle,  ///< one
  kFixed,   ///< those of `fixed`, in every warp
  kAny,     ///< each warp one of those above but the last
};

inline constexpr std::array<std::string_view, 7> kOrderNames{
    "affine", "reversed", "shuffled", "shared", "scattered", "clusters", "any"};
inline constexpr std::array<std::string_view, 8> kMaskNames{"all",    "half",   "few",   "most",
                                                            "prefix", "single", "fixed", "any"};

/// One side of a launch: the element of each lane of each warp of the launch.
struct lane_map {
  lane_order order = lane_order::kAffine;
  index_t step = 1;
  index_t first = 0;
  unsigned group = 1;
  lane_mask mask = lane_mask::kAll;
  std::uint32_t fixed = 0;
  std::uint64_t seed = 0;

  /// Bit i: lane i is active.
  SECTORBENCH_HD constexpr std::uint32_t active(index_t warp) const {
    const std::uint64_t random = chance(warp, 0);
    const auto low = static_cast<std::uint32_t>(random);
    const auto high = static_cast<std::uint32_t>(random >> 32);
    const auto chosen =
        mask == lane_mask::kAny ? static_cast<lane_mask>(chance(warp, 1) % 6) : mask;
    switch (chosen) {
      case lane_mask::kHalf:
        return low;
      case lane_mask::kFew:
        return low & high;
      case lane_mask::kMost:
        return low | high;
      case lane_mask::kPrefix:
        return static_cast<std::uint32_t>((std::uint64_t{1} << low % 33) - 1);
      case lane_mask::kSingle:
        return std::uint32_t{1} << low % 32;
      case lane_mask::kFixed:
        return fixed;
      default:
        return ~std::uint32_t{0};
    }
  }

  /// The element of a lane, or kOff.
  SECTORBENCH_HD constexpr index_t element(index_t warp, unsigned lane) const {
    if ((active(warp) >> lane & 1) == 0) return kOff;
    const index_t start = warp * kWarpLanes;
    const auto chosen =
        order == lane_order::kAny ? static_cast<lane_order>(chance(warp, 2) % 6) : order;
    index_t at = 0;
    switch (chosen) {
      case lane_order::kReversed:
        at = first + (start + (kWarpLanes - 1 - lane)) * step;
        break;
      case lane_order::kShuffled:
        at = first + (start + shuffled(warp, lane)) * step;
        break;
      case lane_order::kShared:
        at = first + (start + lane / group) * step;
        break;
      case lane_order::kScattered:
        at = anywhere(start + lane);
        break;
      case lane_order::kClusters:
        at = anywhere(start + lane / group) + lane % group;
        break;
      default:
        at = first + (start + lane) * step;
        break;
    }
    return at & (kLaneElements - 1);
  }

 private:
  SECTORBENCH_HD constexpr std::uint64_t chance(index_t number, unsigned use) const {
    return scrambled_word(static_cast<std::uint64_t>(number) * 4 + use, seed);
  }
  SECTORBENCH_HD constexpr index_t anywhere(index_t number) const {
    return static_cast<index_t>(chance(number, 3) % kLaneElements);
  }
  /// A permutation of the 32 lanes.
  SECTORBENCH_HD constexpr unsigned shuffled(index_t warp, unsigned lane) const {
    auto random = chance(warp, 2);
    for (int round = 0; round < 4; ++round) {
      const auto bits = static_cast<unsigned>(random);
      lane = (lane * (bits | 1) + (bits >> 8)) & 31;  // an odd factor has an inverse
      lane ^= lane >> (1 + (bits >> 16) % 3);
      random >>= 16;
    }
    return lane;
  }
};

/// A launch: each thread loads one element and stores one, or is off on either side.
struct lane_case {
  block_size block;
  unsigned blocks = 1;
  int width = 4;  ///< bytes of an element
  lane_map loads, stores;
  bool load_list = false;   ///< whether the elements to load are read from a list
  bool store_list = false;  ///< whether those to store to are

  unsigned warps_of_a_block() const { return (block.threads() + kWarpLanes - 1) / kWarpLanes; }
  index_t threads() const { return index_t{blocks} * block.threads(); }

  /// What `map` has for each thread, block by block: the list that the kernel may load.
  std::vector<index_t> list_of(const lane_map& map) const {
    std::vector<index_t> list;
    for (unsigned number = 0; number < blocks; ++number)
      for (unsigned thread = 0; thread < block.threads(); ++thread)
        list.push_back(map.element(index_t{number} * warps_of_a_block() + thread / kWarpLanes,
                                   thread % kWarpLanes));
    return list;
  }
};

/// What a launch asks for. The loads of lists, 8 bytes a thread, are counted apart.
struct lane_totals {
  launch_totals data;
  side_totals lists;

  side_totals all_loads() const {
    return {data.loads.requests + lists.requests, data.loads.sectors + lists.sectors,
            data.loads.lines + lists.lines};
  }
};

/// Adds the request of one warp. @pre lanes that are on are aligned to the width
inline void add_request(side_totals& side, const std::array<std::uint64_t, kWarpLanes>& address,
                        int width, std::uint32_t active) {
  const request_count count =
      count_accesses(address, static_cast<std::uint32_t>(width), active).value();
  side.requests += static_cast<std::uint64_t>(count.requests);
  side.sectors += static_cast<std::uint64_t>(count.sectors);
  side.lines += static_cast<std::uint64_t>(count.lines);
}

/// Calls `visit(address, active)` for each warp of a case under one of its maps. A warp is 32
/// threads of a block that follow each other in x first.
template <class Visit>
void for_each_request(const lane_case& one, const lane_map& map, const Visit& visit) {
  for (unsigned number = 0; number < one.blocks; ++number)
    for (unsigned first = 0; first < one.block.threads(); first += kWarpLanes) {
      std::array<std::uint64_t, kWarpLanes> address{};
      std::uint32_t active = 0;
      const index_t warp = index_t{number} * one.warps_of_a_block() + first / kWarpLanes;
      for (unsigned lane = 0; lane < kWarpLanes && first + lane < one.block.threads(); ++lane) {
        const index_t element = map.element(warp, lane);
        if (element == kOff) continue;
        active |= 1U << lane;
        address[lane] = static_cast<std::uint64_t>(element) * static_cast<std::uint64_t>(one.width);
      }
      visit(address, active);
    }
}

/// What one list of a case costs.
inline side_totals list_totals(const lane_case& one) {
  side_totals totals;
  for (unsigned number = 0; number < one.blocks; ++number)
    for (unsigned first = 0; first < one.block.threads(); first += kWarpLanes) {
      std::array<std::uint64_t, kWarpLanes> address{};
      std::uint32_t active = 0;
      for (unsigned lane = 0; lane < kWarpLanes && first + lane < one.block.threads(); ++lane) {
        active |= 1U << lane;
        address[lane] = (std::uint64_t{number} * one.block.threads() + first + lane) * 8;
      }
      add_request(totals, address, 8, active);
    }
  return totals;
}

/// What the sector model says of a case.
inline lane_totals totals_of(const lane_case& one) {
  lane_totals totals;
  for_each_request(one, one.loads, [&](const auto& address, std::uint32_t active) {
    add_request(totals.data.loads, address, one.width, active);
  });
  for_each_request(one, one.stores, [&](const auto& address, std::uint32_t active) {
    add_request(totals.data.stores, address, one.width, active);
  });
  for (int list = 0; list < int{one.load_list} + int{one.store_list}; ++list) {
    const side_totals cost = list_totals(one);
    totals.lists.requests += cost.requests;
    totals.lists.sectors += cost.sectors;
    totals.lists.lines += cost.lines;
  }
  return totals;
}

/// The map in a few words, with all that is needed to make it again.
inline std::string describe(const lane_map& map) {
  std::string text(kOrderNames[static_cast<std::size_t>(map.order)]);
  text += " step " + std::to_string(map.step) + " first " + std::to_string(map.first) + " group " +
          std::to_string(map.group) + " mask ";
  text += kMaskNames[static_cast<std::size_t>(map.mask)];
  if (map.mask == lane_mask::kFixed) text += " " + std::to_string(map.fixed);
  return text + " seed " + std::to_string(map.seed);
}

inline std::string describe(const lane_case& one) {
  return std::to_string(one.width) + " bytes, " + std::to_string(one.blocks) + " blocks of " +
         std::to_string(one.block.x) + "x" + std::to_string(one.block.y) + ", loads" +
         (one.load_list ? " by list: " : ": ") + describe(one.loads) + ", stores" +
         (one.store_list ? " by list: " : ": ") + describe(one.stores);
}

/// Chances that are the same with every standard library.
class dice {
 public:
  /// The dice of case `number` of a series.
  dice(std::uint64_t seed, std::uint64_t number) : random_(scrambled_word(number, seed)) {}

  std::uint64_t bits() { return random_(); }
  /// A number in [low, high]; all are about equally likely.
  index_t between(index_t low, index_t high) {
    return low + static_cast<index_t>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// A number in [low, high]; small ones are likelier.
  index_t skewed(index_t low, index_t high) { return between(low, between(low, high)); }
  bool flip() { return between(0, 1) == 1; }

 private:
  std::mt19937_64 random_;
};

inline lane_map draw_lane_map(dice& random) {
  lane_map map;
  map.order = static_cast<lane_order>(random.between(0, 6));
  map.step = random.skewed(1, 40);
  map.first = random.between(0, 40);
  map.group = static_cast<unsigned>(random.between(1, 32));
  map.mask = random.flip() ? lane_mask::kAll : static_cast<lane_mask>(random.between(1, 7));
  map.fixed = static_cast<std::uint32_t>(random.bits());
  map.seed = random.bits();
  return map;
}

/// Threads of a block: any number up to 1024, multiples of a warp as often as others.
inline unsigned draw_threads(dice& random) {
  return static_cast<unsigned>(random.flip() ? random.between(1, 1024)
                                             : 32 * random.between(1, 32));
}

inline lane_case draw_lane_case(dice& random) {
  lane_case one;
  const unsigned threads = draw_threads(random);
  const auto rows = static_cast<unsigned>(random.flip() ? 1 : random.between(1, 32));
  one.block = rows <= threads ? block_size{threads / rows, rows} : block_size{1, threads};
  one.blocks = static_cast<unsigned>(random.skewed(1, 40));
  one.width = 1 << random.between(0, 4);
  one.loads = draw_lane_map(random);
  one.stores = draw_lane_map(random);
  one.load_list = random.flip();
  one.store_list = random.flip();
  return one;
}

/// One warp whose loads and stores are alike, and what each side of it asks for, worked out by
/// hand or measured before.
struct lane_anchor {
  std::string_view name;
  lane_case one;
  std::uint64_t requests, sectors;
};

inline std::vector<lane_anchor> lane_anchors() {
  const auto warp = [](int width, const lane_map& map) {
    lane_case one;
    one.block = {kWarpLanes, 1};
    one.width = width;
    one.loads = one.stores = map;
    return one;
  };
  const auto masked = [](std::uint32_t mask) {
    return lane_map{.mask = lane_mask::kFixed, .fixed = mask};
  };
  return {
      {"f32 contiguous", warp(4, {}), 1, 4},
      {"f32 offset 1", warp(4, {.first = 1}), 1, 5},
      {"f64 offset 1", warp(8, {.first = 1}), 1, 9},
      {"f32x4 offset 1", warp(16, {.first = 1}), 1, 17},
      {"f32 stride 2", warp(4, {.step = 2}), 1, 8},
      {"f32 stride 8", warp(4, {.step = 8}), 1, 32},
      {"f32 stride 32", warp(4, {.step = 32}), 1, 32},
      {"f32 reversed", warp(4, {.order = lane_order::kReversed}), 1, 4},
      {"u8 contiguous", warp(1, {}), 1, 1},
      {"f16 contiguous", warp(2, {}), 1, 2},
      {"f32 broadcast", warp(4, {.order = lane_order::kShared, .group = 32}), 1, 1},
      {"f32x4 broadcast", warp(16, {.order = lane_order::kShared, .group = 32}), 1, 1},
      {"f32 no lane", warp(4, masked(0)), 0, 0},
      {"f32 lane 31", warp(4, masked(0x80000000)), 1, 1},
      {"f32 every fourth lane", warp(4, masked(0x11111111)), 1, 4},
  };
}

}  // namespace sectorbench::test
