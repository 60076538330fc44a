// SPDX-License-Identifier: Apache-2.0
#include "test/support/random_lanes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <vector>

#include "test/support/brute_force.hpp"

namespace sectorbench::test {
namespace {

constexpr std::uint64_t kSeed = 20240611;
constexpr int kCases = 400;

lane_case drawn(int number) {
  dice random(kSeed, static_cast<std::uint64_t>(number));
  return draw_lane_case(random);
}

std::vector<index_t> warp_of(const lane_map& map, index_t warp) {
  std::vector<index_t> elements;
  for (unsigned lane = 0; lane < 32; ++lane) elements.push_back(map.element(warp, lane));
  return elements;
}

// A second opinion: from the lists, thread by thread, byte by byte.
side_totals brute_force_side(const lane_case& one, const std::vector<index_t>& list, int width) {
  side_totals totals;
  const std::size_t threads = one.block.threads();
  for (std::size_t block = 0; block < one.blocks; ++block)
    for (std::size_t warp = 0; warp * 32 < threads; ++warp) {
      std::vector<byte_span> lanes;
      for (std::size_t thread = warp * 32; thread < std::min(threads, warp * 32 + 32); ++thread) {
        const index_t element = list[block * threads + thread];
        const auto bytes = static_cast<std::uint64_t>(width);
        lanes.push_back(element < 0
                            ? byte_span{}
                            : byte_span{static_cast<std::uint64_t>(element) * bytes, bytes});
      }
      const brute_force_count count = count_byte_by_byte(lanes, ~0U);
      totals.requests += count.requested_bytes > 0 ? 1 : 0;
      totals.sectors += count.sectors;
      totals.lines += count.lines;
    }
  return totals;
}

TEST(RandomLanes, TotalsAgreeWithBruteForce) {
  for (int number = 0; number < kCases; number += 4) {
    lane_case one = drawn(number);
    one.blocks = std::min(one.blocks, 3U);
    SCOPED_TRACE(describe(one));
    const lane_totals totals = totals_of(one);
    EXPECT_EQ(totals.data.loads, brute_force_side(one, one.list_of(one.loads), one.width));
    EXPECT_EQ(totals.data.stores, brute_force_side(one, one.list_of(one.stores), one.width));
    std::vector<index_t> places;
    for (index_t thread = 0; thread < one.threads(); ++thread) places.push_back(thread);
    side_totals lists;
    for (int list = 0; list < int{one.load_list} + int{one.store_list}; ++list) {
      const side_totals cost = brute_force_side(one, places, 8);
      lists = {lists.requests + cost.requests, lists.sectors + cost.sectors,
               lists.lines + cost.lines};
    }
    EXPECT_EQ(totals.lists, lists);
    EXPECT_EQ(totals.all_loads().sectors, totals.data.loads.sectors + lists.sectors);
    if (HasFailure()) return;
  }
}

TEST(RandomLanes, AnchorsAreExact) {
  for (const auto& [name, one, requests, sectors] : lane_anchors()) {
    const lane_totals totals = totals_of(one);
    EXPECT_EQ(totals.data.loads.requests, requests) << name;
    EXPECT_EQ(totals.data.loads.sectors, sectors) << name;
    EXPECT_EQ(totals.data.stores, totals.data.loads) << name;
    EXPECT_EQ(totals.lists, side_totals{}) << name;
  }
}

TEST(RandomLanes, ListOfAShortWarpCostsItsLanesBytes) {
  lane_case one;
  one.block = {20, 2};  // 40 threads: a full warp and one of 8 lanes
  one.blocks = 2;       // the second block's list begins 320 bytes on, at a sector's start
  one.load_list = true;
  EXPECT_EQ(totals_of(one).lists, (side_totals{4, 20, 7}));
}

TEST(RandomLanes, CaseIsAFunctionOfSeedAndNumber) {
  for (int number = 0; number < 20; ++number) {
    EXPECT_EQ(describe(drawn(number)), describe(drawn(number)));
    EXPECT_NE(describe(drawn(number)), describe(drawn(number + 1)));
  }
}

TEST(RandomLanes, DrawsReachEveryKindOfCase) {
  std::set<lane_order> orders;
  std::set<lane_mask> masks;
  std::set<int> widths, lists;
  int rows = 0, several_rows = 0, short_warps = 0;
  for (int number = 0; number < kCases; ++number) {
    const lane_case one = drawn(number);
    EXPECT_GE(one.block.threads(), 1u);
    EXPECT_LE(one.block.threads(), 1024u);
    orders.insert(one.stores.order);
    masks.insert(one.stores.mask);
    widths.insert(one.width);
    lists.insert(2 * int{one.load_list} + int{one.store_list});
    ++(one.block.y == 1 ? rows : several_rows);
    short_warps += one.block.threads() % 32 != 0;
  }
  EXPECT_EQ(orders.size(), kOrderNames.size());
  EXPECT_EQ(masks.size(), kMaskNames.size());
  EXPECT_EQ(widths.size(), 5u);
  EXPECT_EQ(lists.size(), 4u);
  EXPECT_GT(std::min(rows, several_rows), kCases / 8);
  EXPECT_GT(short_warps, kCases / 8);
}

TEST(RandomLanes, ElementsLieInTheBuffer) {
  for (int number = 0; number < kCases; number += 10) {
    const lane_case one = drawn(number);
    for (const lane_map& map : {one.loads, one.stores})
      for (const index_t element : one.list_of(map)) {
        EXPECT_GE(element, kOff);
        EXPECT_LT(element, kLaneElements);
      }
  }
}

TEST(LaneMap, OrdersAreWhatTheySay) {
  const auto row = warp_of({.step = 3, .first = 5}, 2);
  EXPECT_EQ(row[0], 5 + 64 * 3);
  EXPECT_EQ(row[31], 5 + 95 * 3);

  auto reversed = warp_of({.order = lane_order::kReversed, .step = 3, .first = 5}, 2);
  EXPECT_NE(reversed, row);
  std::ranges::reverse(reversed);
  EXPECT_EQ(reversed, row);

  const auto shared = warp_of({.order = lane_order::kShared, .group = 5}, 0);
  EXPECT_EQ(shared[4], 0);
  EXPECT_EQ(shared[5], 1);
  EXPECT_EQ(shared[31], 6);

  const auto clusters = warp_of({.order = lane_order::kClusters, .group = 8, .seed = 7}, 1);
  for (std::size_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(clusters[lane],
              (clusters[lane / 8 * 8] + static_cast<index_t>(lane % 8)) % kLaneElements);
  EXPECT_NE(clusters[0], clusters[8]);

  const auto scattered = warp_of({.order = lane_order::kScattered, .seed = 7}, 1);
  EXPECT_GT(std::set(scattered.begin(), scattered.end()).size(), 28u);
}

TEST(LaneMap, ShufflesAreOrdersOfTheSameElements) {
  const auto row = warp_of({}, 3);
  std::set<std::vector<index_t>> orders;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto shuffled = warp_of({.order = lane_order::kShuffled, .seed = seed}, 3);
    orders.insert(shuffled);
    std::ranges::sort(shuffled);
    ASSERT_EQ(shuffled, row) << "seed " << seed;
  }
  EXPECT_GT(orders.size(), 95u);
}

TEST(LaneMap, MasksAreWhatTheySay) {
  const auto ones = [](lane_mask mask, index_t warp) {
    return std::popcount(lane_map{.mask = mask, .fixed = 0x11111111, .seed = 3}.active(warp));
  };
  int half = 0, few = 0, most = 0, prefixes = 0;
  for (index_t warp = 0; warp < 200; ++warp) {
    EXPECT_EQ(ones(lane_mask::kAll, warp), 32);
    EXPECT_EQ(ones(lane_mask::kSingle, warp), 1);
    EXPECT_EQ(ones(lane_mask::kFixed, warp), 8);
    half += ones(lane_mask::kHalf, warp);
    few += ones(lane_mask::kFew, warp);
    most += ones(lane_mask::kMost, warp);
    const std::uint32_t prefix = lane_map{.mask = lane_mask::kPrefix, .seed = 3}.active(warp);
    EXPECT_EQ(prefix & (prefix + 1), 0u);
    prefixes += std::popcount(prefix);
  }
  EXPECT_NEAR(half / 200.0, 16, 1);
  EXPECT_NEAR(few / 200.0, 8, 1);
  EXPECT_NEAR(most / 200.0, 24, 1);
  EXPECT_NEAR(prefixes / 200.0, 16, 2);
}

}  // namespace
}  // namespace sectorbench::test
