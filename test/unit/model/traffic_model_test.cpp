// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/model/traffic_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cases/row.hpp"
#include "bench/predict/device_file.hpp"
#include "sectorbench/patterns/chunk.hpp"
#include "sectorbench/patterns/contiguous.hpp"
#include "sectorbench/patterns/offset.hpp"
#include "sectorbench/patterns/stride.hpp"

namespace sectorbench {

void PrintTo(const interval& of, std::ostream* out) {
  *out << "[" << of.low << ", " << of.high << "]";
}

namespace {

constexpr double kKiB = 1024, kMiB = 1024 * kKiB;
constexpr index_t kElements = index_t{64} << 20;

template <class P, class... Values>
P pattern_of(index_t n, Values... values) {
  const std::array<index_t, sizeof...(Values)> list{index_t{values}...};
  return P::make(n, list);
}

/// A GPU of the H200's size, with figures that these tests are worked out for.
device_description large_gpu() {
  device_description device;
  device.sms = 132;
  device.threads_per_sm = 2048;
  device.l1_bytes = 256 * kKiB;
  device.l2_bytes = 60 * kMiB;
  device.read_granule = {64, 64};
  device.fills = {1, 1};
  device.loads_kept = {24 * kMiB, 96 * kMiB};
  device.stores_kept = {8 * kMiB, 96 * kMiB};
  return device;
}

/// What a launch is for the model.
struct launch {
  reuse_profile profile;
  launch_totals totals;
  double unit_bytes = 0;  ///< U: what n elements take
};

template <class Op = copy, class P>
launch launch_of(const P& pattern) {
  return {profile_launch<Op>(pattern, {256}, 4), count_launch<Op>(pattern, {256}, 4),
          static_cast<double>(kElements) * 4};
}

launch launch_of(std::string_view name, index_t n) {
  row_spec row = parse_row(name);
  row.elements = n;
  row.block = {256, 1};
  const auto work = make_workload(row);
  return {work->meaning().profile(), work->meaning().totals(), static_cast<double>(n) * 4};
}

/// The prediction in units of one buffer.
struct in_units {
  interval reads, writes, fills, l2_reads, l2_writes;
  traffic_prediction of;

  interval dram() const { return reads + writes; }
};

in_units predicted(const launch& one, const device_description& device, int blocks_per_sm) {
  const traffic_prediction of = predict_traffic(one.profile, one.totals, device, blocks_per_sm);
  const double unit = 1 / one.unit_bytes;
  return {of.dram_read_bytes * unit,         of.dram_write_bytes * unit,
          of.fill_sectors * (32 * unit),     of.l2_read_sectors * (32 * unit),
          of.l2_write_sectors * (32 * unit), of};
}
in_units predicted(const launch& one, const device_description& device) {
  return predicted(one, device, device.blocks_per_sm(one.profile.block_threads));
}

void expect_near(const interval& found, double low, double high, double relative,
                 std::string_view what) {
  EXPECT_NEAR(found.low, low, low * relative) << what;
  EXPECT_NEAR(found.high, high, high * relative) << what;
}

/// That a figure is one number, and which.
void expect_exactly(const interval& found, double value, double relative, std::string_view what) {
  EXPECT_EQ(found.low, found.high) << what;
  EXPECT_NEAR(found.low, value, value * relative) << what;
}

void expect_certain(const in_units& found) {
  EXPECT_FALSE(found.of.scheduling);
  EXPECT_FALSE(found.of.retention);
  EXPECT_TRUE(found.of.tight());
}

constexpr double kExact = 1e-3;    // but for the extents' ends
constexpr double kSampled = 1e-2;  // pages that differ

// Strides of floats, 64 Mi of them. A row of threads touches whole sectors up to stride 8; each row
// is long enough that L2 has lost what the one before it fetched.

struct strided {
  index_t step;
  double reads, writes;
  double tolerance = kExact;
};

constexpr std::array kStrides{
    strided{1, 1, 1},    //
    strided{2, 4, 2},    // each sector twice: 2 loaded, 2 filled, 2 written back
    strided{4, 8, 4},    //
    strided{8, 16, 8},   // one float of a sector a row, and two of a granule of 64 bytes
    strided{16, 24, 8},  // one of a granule: 16 loaded, 8 filled
    strided{32, 24, 8},  //
    strided{3, 6, 3, kSampled},
    strided{5, 10, 5, kSampled},
    strided{7, 14, 7, kSampled},
    strided{12, 20, 8, kSampled},  // 12 of granules (48 bytes apart), 12 x 2/3 of sectors
};

TEST(TrafficModel, StridedCopies) {
  const device_description built_in = find_device("h200");
  for (const auto& [step, reads, writes, tolerance] : kStrides) {
    SCOPED_TRACE(testing::Message() << "stride " << step);
    const launch one = launch_of(pattern_of<stride>(kElements, step));
    for (const device_description& device : {large_gpu(), built_in}) {
      const in_units found = predicted(one, device);
      expect_exactly(found.reads, reads, tolerance, "reads");
      expect_exactly(found.writes, writes, tolerance, "writes");
      expect_exactly(found.dram(), reads + writes, tolerance, "both");
      expect_exactly(found.fills, step == 1 ? 0 : writes, tolerance, "fills");
      expect_certain(found);
    }
  }
}

TEST(TrafficModel, WhereAMissFetchesOneSectorStridesBeyondItCostNoMore) {
  device_description device = large_gpu();
  device.read_granule = {32, 32};
  constexpr std::array<std::array<double, 2>, 6> kBoth{
      {{1, 2}, {2, 6}, {4, 12}, {8, 24}, {16, 24}, {32, 24}}};
  for (const auto& [step, both] : kBoth) {
    const in_units found =
        predicted(launch_of(pattern_of<stride>(kElements, static_cast<index_t>(step))), device);
    expect_exactly(found.dram(), both, kExact, std::to_string(step));
    expect_certain(found);
  }
}

TEST(TrafficModel, WithoutFillsStridesReadNoMoreThanTheyLoad) {
  device_description device = large_gpu();
  device.fills = {0, 0};
  for (const index_t step : {1, 2, 4, 8}) {
    const in_units found = predicted(launch_of(pattern_of<stride>(kElements, step)), device);
    expect_exactly(found.dram(), 2 * static_cast<double>(step), kExact, std::to_string(step));
    expect_exactly(found.fills, 0, kExact, std::to_string(step));
  }
}

TEST(TrafficModel, WhatIsNotKnownOfTheGpuMakesIntervals) {
  device_description device = large_gpu();
  device.read_granule = {32, 64};
  const launch sixteen = launch_of(pattern_of<stride>(kElements, 16));
  in_units found = predicted(sixteen, device);
  expect_near(found.reads, 8 + 8, 16 + 8, kExact, "granule");
  expect_exactly(found.writes, 8, kExact, "granule");
  EXPECT_FALSE(found.of.scheduling || found.of.retention);
  EXPECT_FALSE(found.of.tight());

  const launch eight = launch_of(pattern_of<stride>(kElements, 8));
  expect_exactly(predicted(eight, device).reads, 16, kExact, "both sectors of a granule");

  device.read_granule = {64, 64};
  device.fills = {0, 1};
  found = predicted(eight, device);
  expect_near(found.reads, 8, 16, kExact, "fills");
  expect_near(found.fills, 0, 8, kExact, "fills");
  expect_exactly(found.writes, 8, kExact, "fills");
}

TEST(TrafficModel, OneStridedSide) {
  const auto pattern = pattern_of<stride>(kElements, 8);
  in_units found = predicted(launch_of<gather>(pattern), large_gpu());
  expect_exactly(found.reads, 8, kExact, "gather");
  expect_exactly(found.writes, 1, kExact, "gather");
  expect_certain(found);
  found = predicted(launch_of<scatter>(pattern), large_gpu());
  expect_exactly(found.reads, 9, kExact, "scatter");
  expect_exactly(found.writes, 8, kExact, "scatter");
  expect_certain(found);
  found = predicted(launch_of<read>(pattern), large_gpu());
  expect_exactly(found.reads, 8, kExact, "read");
  EXPECT_EQ(found.writes, interval{});
  found = predicted(launch_of<write>(pattern), large_gpu());
  expect_exactly(found.reads, 8, kExact, "write");
  expect_exactly(found.writes, 8, kExact, "write");
}

TEST(TrafficModel, AnIndexListIsReadToo) {
  // 4 Mi floats in random order, from an L2 that loses almost everything: each of the 16 floats of
  // a granule fetches it, but for those that may follow another within the 104 blocks of 16384
  // that run together. The list is as long as U. A sector is asked for 8 times, less what warps
  // share.
  device_description device = large_gpu();
  device.sms = 13;
  device.loads_kept = device.stores_kept = {64 * kKiB, 128 * kKiB};
  const in_units found = predicted(launch_of("random/gather/f32", index_t{4} << 20), device);
  // exp(-16 x 104 / 16384) of the gaps are longer than the 104 blocks.
  EXPECT_NEAR(found.reads.low, 1 + 16 * 0.903, 0.1);
  EXPECT_NEAR(found.reads.high, 1 + 16, 0.01);
  expect_exactly(found.writes, 1, kExact, "writes");
  EXPECT_NEAR(found.l2_reads.high, 1 + 8, 0.01);
  EXPECT_TRUE(found.of.scheduling);
}

// What blocks that run together decide.

TEST(TrafficModel, LongChunksLieBetweenFullReuseAndNone) {
  // A thread's 32 floats are a line, and the threads that run together have 66 MiB of those: more
  // than is kept for certain, less than is lost. Each granule is asked for 16 times, each sector
  // stored 8 times, and none of these times writes all of it.
  const in_units found = predicted(launch_of(pattern_of<chunk>(kElements, 32)), large_gpu());
  expect_near(found.reads, 1, 16 + 8, kExact, "reads");
  expect_near(found.writes, 1, 8, kExact, "writes");
  expect_near(found.fills, 0, 8, kExact, "fills");
  expect_near(found.dram(), 2, 32, kExact, "both");
  // Neither L1 nor what it merges is known: each step may touch its sectors again.
  expect_near(found.l2_reads, 1, 8, kExact, "L2 reads");
  expect_near(found.l2_writes, 1, 8, kExact, "L2 writes");
  EXPECT_TRUE(found.of.scheduling);
  EXPECT_FALSE(found.of.retention);
  EXPECT_FALSE(found.of.tight());
  EXPECT_TRUE(
      predicted(launch_of(pattern_of<chunk>(kElements, 32)), find_device("h200")).of.scheduling);
}

TEST(TrafficModel, ShortChunksStayInL2BetweenTheirSteps) {
  const in_units found = predicted(launch_of(pattern_of<chunk>(kElements, 2)), large_gpu());
  expect_exactly(found.reads, 1, kExact, "reads");
  expect_exactly(found.writes, 1, kExact, "writes");
  // 1056 blocks run together and touch 4 KiB each: 4.1 MiB of the 33 MiB of all L1 caches.
  expect_exactly(found.l2_reads, 1, kExact, "L2 reads");
  expect_near(found.l2_writes, 1, 2, kExact, "L2 writes");
  expect_certain(found);
}

TEST(TrafficModel, AnOffsetTouchesSectorsTwiceThatDramMovesOnce) {
  const in_units found = predicted(launch_of(pattern_of<offset>(kElements, 1, 1)), large_gpu());
  expect_exactly(found.reads, 1, kExact, "reads");
  expect_exactly(found.writes, 1, kExact, "writes");
  expect_exactly(found.dram(), 2, kExact, "both");
  // Eight warps of a block touch 32 sectors, and at each of their ends one that another touches as
  // well: seven times in the same block, where L1 has it and may merge the stores, and once in the
  // next, which is on another SM but for 4 of 132.
  expect_near(found.l2_reads, 1 + (1 - 4.0 / 132) / 32, 1 + 1.0 / 32, 1e-4, "L2 reads");
  expect_near(found.l2_writes, 1 + 1.0 / 32, 1 + 8.0 / 32, 1e-4, "L2 writes");
  expect_certain(found);
}

// A block of a transpose stores 4 KiB, each sector in eight visits, and loads as many. Of 7 blocks
// an SM 7.2 MiB run together, which L2 keeps between the visits.

TEST(TrafficModel, TransposesThatStoreWholePagesApartMayLoseTheirStores) {
  // 4096 rows: 16 KiB.
  const launch one = launch_of("transpose_naive_read/copy/f32/columns:4096", index_t{16} << 20);
  ASSERT_EQ(one.profile.store_pitch, 16384u);
  const in_units found = predicted(one, large_gpu(), 7);
  expect_near(found.reads, 1, 1 + 8, kExact, "reads");
  expect_near(found.writes, 1, 8, kExact, "writes");
  expect_near(found.fills, 0, 8, kExact, "fills");
  EXPECT_TRUE(found.of.scheduling);
  EXPECT_FALSE(found.of.retention);
}

TEST(TrafficModel, TransposesWithOtherPitchesKeepTheirStores) {
  // 4000 rows: 16,000 bytes, no multiple of a page.
  const launch one = launch_of("transpose_naive_read/copy/f32/columns:4000", index_t{4000} * 4000);
  ASSERT_EQ(one.profile.store_pitch, 16000u);
  const in_units found = predicted(one, large_gpu(), 7);
  expect_exactly(found.reads, 1, kSampled, "reads");
  expect_exactly(found.writes, 1, kSampled, "writes");
  expect_certain(found);
  // Of 8 blocks 8.25 MiB, more than stores are kept for certain.
  EXPECT_TRUE(predicted(one, large_gpu(), 8).of.scheduling);
}

TEST(TrafficModel, TransposesThatLoadColumnsAreCertain) {
  const launch one = launch_of("transpose_naive_write/copy/f32/columns:4096", index_t{16} << 20);
  in_units found = predicted(one, large_gpu());
  expect_exactly(found.reads, 1, kExact, "reads");
  expect_exactly(found.writes, 1, kExact, "writes");
  expect_exactly(found.l2_reads, 1, kExact, "L2 reads");
  expect_certain(found);
  // 8 blocks of 8 KiB on an SM: no more than half of an L1 of 128 KiB.
  device_description device = large_gpu();
  device.l1_bytes = 129 * kKiB;
  expect_exactly(predicted(one, device).l2_reads, 1, kExact, "L1 is large enough");
  device.l1_bytes = 127 * kKiB;
  expect_near(predicted(one, device).l2_reads, 1, 8, kExact, "L1 is too small to be sure");
}

// What a launch finds of the one before it.

launch dense_copy(index_t n) {
  launch one = launch_of(contiguous{n});
  one.unit_bytes = static_cast<double>(n) * 4;
  return one;
}

TEST(TrafficModel, WhatFitsInL2IsNotReadAgain) {
  for (const index_t n : {index_t{1} << 20, index_t{1} << 19}) {
    const in_units found = predicted(dense_copy(n), large_gpu());
    EXPECT_EQ(found.of.footprint_bytes, static_cast<double>(n) * 8);
    EXPECT_EQ(found.reads, interval{});
    EXPECT_EQ(found.writes, (interval{0, 1}));  // now and then
    expect_exactly(found.l2_reads, 1, 0, "L2 reads");
    expect_exactly(found.l2_writes, 1, 0, "L2 writes");
    EXPECT_FALSE(found.of.scheduling);
    EXPECT_FALSE(found.of.retention);
  }
}

TEST(TrafficModel, WhatAboutFitsMayBeReadAgain) {
  const in_units found = predicted(dense_copy(index_t{4} << 20), large_gpu());
  EXPECT_EQ(found.reads, (interval{0, 1}));
  EXPECT_EQ(found.writes, (interval{0, 1}));
  EXPECT_EQ(found.fills, interval{});
  EXPECT_TRUE(found.of.retention);
  EXPECT_FALSE(found.of.scheduling);
}

TEST(TrafficModel, WhatRoundsLoseOfAWorkingSetOfThatSizeIsLost) {
  // 16 MiB a buffer: 32 of 60 MiB are 0.5333 of L2; measured sets of 0.48 and 0.5867 stand for it.
  device_description device = large_gpu();
  device.lost_in_rounds = curve({curve::point{0.5, {0.08, 0.1}}, {0.6, {0.1, 0.3}}});
  const in_units found = predicted(dense_copy(index_t{4} << 20), device);
  constexpr double kMost = 0.1 + (0.3 - 0.1) * (1.1 * 32 / 60 - 0.5) / 0.1;  // 0.2733
  expect_near(found.reads, 0.08, kMost, kExact, "reads");
  expect_near(found.writes, 0.08, kMost, kExact, "writes");
  EXPECT_EQ(found.fills, interval{});
  EXPECT_TRUE(found.of.retention);
  EXPECT_FALSE(found.of.scheduling);
}

TEST(TrafficModel, DenseStoresStayAsLongAsLoads) {
  // 10 MiB a buffer: within 24 MiB, which is said of loads.
  in_units found = predicted(dense_copy(index_t{10} << 18), large_gpu());
  EXPECT_EQ(found.reads, interval{});
  EXPECT_EQ(found.writes, (interval{0, 1}));  // now and then
  EXPECT_FALSE(found.of.retention);
}

TEST(TrafficModel, WhatDoesNotFitIsReadAgain) {
  const in_units found = predicted(dense_copy(index_t{16} << 20), large_gpu());
  expect_exactly(found.reads, 1, 0, "reads");
  expect_exactly(found.writes, 1, 0, "writes");
  expect_certain(found);
}

// Profiles made by hand.

using visits = std::vector<sector_visit>;

/// @param side visits by sector, then in launch order
side_profile side_of(visits side, double scale = 1) {
  side_profile profile;
  profile.visits = std::move(side);
  profile.pages = 1;
  profile.scale = scale;
  return profile;
}

TEST(Footprint, ALineCountsInTheWindowsThatTouchIt) {
  reuse_profile profile;
  profile.blocks = 8;
  profile.loads = side_of({{0, 2, 0, 1}});
  const detail::footprint once(profile);
  EXPECT_DOUBLE_EQ(once.bytes_of(0), 0);
  EXPECT_DOUBLE_EQ(once.bytes_of(1), 128.0 / 8);
  EXPECT_DOUBLE_EQ(once.bytes_of(3), 128.0 * 3 / 8);
  EXPECT_DOUBLE_EQ(once.bytes_of(8), 128);
  EXPECT_DOUBLE_EQ(once.bytes_of(20), 128);

  // By blocks 1 and 4: three and, round the end, five blocks lie between them.
  profile.loads = side_of({{0, 1, 0, 1}, {0, 4, 0, 1}});
  const detail::footprint twice(profile);
  EXPECT_DOUBLE_EQ(twice.bytes_of(1), 128 * (1 + 1) / 8.0);
  EXPECT_DOUBLE_EQ(twice.bytes_of(3), 128 * (3 + 3) / 8.0);
  EXPECT_DOUBLE_EQ(twice.bytes_of(4), 128 * (3 + 4) / 8.0);
  EXPECT_DOUBLE_EQ(twice.bytes_of(5), 128);
  EXPECT_DOUBLE_EQ(twice.bytes_of(8), 128);

  visits shared;
  for (std::uint32_t block = 0; block < 8; ++block) shared.push_back({0, block, 0, 1});
  profile.loads = side_of(shared);
  EXPECT_DOUBLE_EQ(detail::footprint(profile).bytes_of(1), 128);
}

TEST(Footprint, SectorsOfALineAreOne) {
  reuse_profile profile;
  profile.blocks = 8;
  profile.loads = side_of({{0, 2, 0, 1}, {0, 2, 1, 1}, {1, 3, 0, 1}, {3, 1, 0, 1}, {4, 1, 0, 1}});
  const detail::footprint of(profile);
  EXPECT_DOUBLE_EQ(of.bytes_of(8), 2 * 128);
  // The first line by blocks 1, 2 and 3 (gaps 1, 1, 6), the second by block 1.
  EXPECT_DOUBLE_EQ(of.bytes_of(1), 128 * (3 + 1) / 8.0);
  EXPECT_DOUBLE_EQ(of.bytes_of(4), 128 * (1 + 1 + 4 + 4) / 8.0);
}

TEST(Footprint, SidesAddUpByTheirScales) {
  reuse_profile profile;
  profile.blocks = 4;
  profile.loads = side_of({{0, 0, 0, 1}}, 10);
  profile.stores = side_of({{0, 0, 0, 1}}, 3);
  profile.indices = side_of({{0, 0, 0, 1}}, 0.5);
  EXPECT_DOUBLE_EQ(detail::footprint(profile).bytes_of(4), 128 * 13.5);
  EXPECT_DOUBLE_EQ(detail::footprint(profile).bytes_of(1), 128 * 13.5 / 4);
}

/// Visits of `blocks` blocks, each to all of a line of its own.
visits own_lines(std::uint32_t blocks) {
  visits lines;
  for (std::uint32_t block = 0; block < blocks; ++block)
    lines.push_back({4 * block, block, 0, 0xffffffff});
  return lines;
}

// Of launches that each touch 100 lines: two sizes of L2 for the same working set.
constexpr double kHundredLines = 100 * 128;

TEST(ReuseJudge, BlocksThatRunTogetherMakeDistancesUncertain) {
  reuse_profile profile;
  profile.blocks = 100;
  profile.loads = side_of(own_lines(100));
  const detail::footprint of(profile);  // 128 bytes a block
  const auto judge = [&](reuse_bounds bounds) {
    return detail::reuse_judge(of, 100, 10, bounds, unknown_share(), kHundredLines);
  };
  const detail::reuse_judge wide = judge({20 * 128, 50 * 128});
  EXPECT_TRUE(wide.of(0, false).kept());
  EXPECT_TRUE(wide.of(10, false).kept());  // at most 10 + 10 blocks in between
  const detail::outcome eleven = wide.of(11, false);
  EXPECT_FALSE(eleven.kept() || eleven.gone() || eleven.together);
  EXPECT_FALSE(wide.of(59, false).gone());  // at least 49
  EXPECT_TRUE(wide.of(60, false).gone());
  EXPECT_TRUE(wide.of(100, true).gone());

  const detail::reuse_judge narrow = judge({10 * 128, 50 * 128});
  EXPECT_TRUE(narrow.of(0, false).kept());  // of the same block: what runs together, and no more
  EXPECT_FALSE(narrow.of(1, false).kept());
  EXPECT_TRUE(narrow.of(1, false).together);
  EXPECT_TRUE(narrow.of(10, false).together);
  EXPECT_FALSE(narrow.of(11, false).together);
}

/// Of 100 blocks that run one at a time, the most that a visit loses which is neither kept nor lost
/// for certain, if it is the only one of a launch and if not.
std::array<interval, 2> lost_in_rounds(const reuse_profile& profile, const curve& lost,
                                       double cache_bytes = kHundredLines) {
  const detail::footprint of(profile);
  const detail::reuse_judge judge(of, 100, 1, {0, 1e9}, lost, cache_bytes);
  return {judge.of(100, true).lost, judge.of(100, false).lost};
}

void expect_lost(const std::array<interval, 2>& found, const interval& once,
                 const interval& again) {
  EXPECT_DOUBLE_EQ(found[0].low, once.low);
  EXPECT_DOUBLE_EQ(found[0].high, once.high);
  EXPECT_DOUBLE_EQ(found[1].low, again.low);
  EXPECT_DOUBLE_EQ(found[1].high, again.high);
}

TEST(ReuseJudge, SetsATenthSmallerAndLargerBoundWhatIsLost) {
  reuse_profile profile;
  profile.blocks = 100;
  profile.loads = side_of(own_lines(100));
  const curve lost({curve::point{0.5, {0.1, 0.2}}, {1.5, {0.7, 0.8}}});
  // As large as L2: at 0.9 of it 0.1 + 0.4 x 0.6, at 1.1 of it 0.2 + 0.6 x 0.6.
  expect_lost(lost_in_rounds(profile, lost), {0.34, 0.56}, {0, 0.56});
  // In an L2 of half the size: at 1.8 and 2.2, beyond what was measured.
  expect_lost(lost_in_rounds(profile, lost, kHundredLines / 2), {0.7, 0.8}, {0, 0.8});
  expect_lost(lost_in_rounds(profile, unknown_share()), {0, 1}, {0, 1});
}

TEST(ReuseJudge, ACurveThatFallsHasItsEndsInOrder) {
  reuse_profile profile;
  profile.blocks = 100;
  profile.loads = side_of(own_lines(100));
  // At 0.9 of L2 1 - 0.4 x 0.5 = 0.8, at 1.1 of it 0.7.
  expect_lost(lost_in_rounds(profile, curve({curve::point{0.5, {1, 1}}, {1.5, {0.5, 0.5}}})),
              {0.7, 0.8}, {0, 0.8});
}

TEST(ReuseJudge, ALeakIsNeverExcluded) {
  reuse_profile profile;
  profile.blocks = 100;
  profile.loads = side_of(own_lines(100));
  expect_lost(lost_in_rounds(profile, curve({curve::point{1, {0, 0.01}}})), {0, 0.05}, {0, 0.05});
}

TEST(ReuseJudge, WhatIsUsedOncePaysForWhatIsUsedMoreOften) {
  // 100 lines of one block each and so many that come twice, half a launch apart: in half a launch
  // 50 of the former and all of the latter are touched.
  const auto with_rivals = [](std::uint32_t lines) {
    reuse_profile profile;
    profile.blocks = 100;
    profile.loads = side_of(own_lines(100));
    visits twice;
    for (std::uint32_t line = 0; line < lines; ++line) {
      twice.push_back({4 * line, line, 0, 1});
      twice.push_back({4 * line, line + 50, 0, 1});
    }
    profile.stores = side_of(twice);
    return profile;
  };
  const curve lost({curve::point{1, {0.3, 0.4}}});
  expect_lost(lost_in_rounds(with_rivals(20), lost), {0.3, 0.4}, {0, 0.4});  // 70 of 120
  expect_lost(lost_in_rounds(with_rivals(30), lost), {0, 1}, {0, 0.4});      // 80 of 130
}

/// A GPU that runs one block at a time and whose L2 keeps what comes back within 20 lines; what
/// comes back after 30 it has lost.
device_description small_gpu() {
  device_description device;
  device.sms = 1;
  device.threads_per_sm = 32;
  device.l1_bytes = 10 * 128;
  device.read_granule = {32, 32};
  device.fills = {1, 1};
  device.l2_bytes = kHundredLines;
  device.loads_kept = device.stores_kept = {20 * 128, 30 * 128};
  return device;
}

constexpr std::uint32_t kLow = 0x0000ffff, kHigh = 0xffff0000, kAll = 0xffffffff;

/// What 100 blocks move that store as said and load a line each.
traffic_prediction stored(const visits& stores, const device_description& device = small_gpu(),
                          std::uint64_t times = 1) {
  reuse_profile profile;
  profile.blocks = 100;
  profile.block_threads = 32;
  profile.loads = side_of(own_lines(100));
  profile.stores = side_of(stores);
  launch_totals totals;
  totals.loads.sectors = 100;
  totals.stores.sectors = stores.size() * times;
  return predict_traffic(profile, totals, device, 1);
}

void expect_stored(const visits& stores, double written, double filled) {
  const traffic_prediction found = stored(stores);
  EXPECT_EQ(found.dram_write_bytes, interval::exactly(32 * written));
  EXPECT_EQ(found.fill_sectors, interval::exactly(filled));
  EXPECT_EQ(found.dram_read_bytes, interval::exactly(32 * (100 + filled)));
  EXPECT_FALSE(found.scheduling || found.retention);
}

TEST(StoredSectors, AFillIsForBytesThatAreMissing) {
  expect_stored({{0, 5, 0, kAll}}, 1, 0);
  expect_stored({{0, 5, 0, kLow}}, 1, 1);
  expect_stored({{0, 5, 0, 0x7fffffff}}, 1, 1);
}

TEST(StoredSectors, HalvesThatMeetInL2NeedNoFill) {
  expect_stored({{0, 5, 0, kLow}, {0, 5, 1, kHigh}}, 1, 0);  // of one block
  expect_stored({{0, 5, 0, kLow}, {0, 7, 0, kHigh}}, 1, 0);
  expect_stored({{0, 5, 0, kLow}, {0, 7, 0, kLow}}, 1, 1);
  expect_stored({{0, 1, 0, kLow}, {0, 99, 0, kHigh}}, 1, 0);  // of one launch and the next
}

TEST(StoredSectors, HalvesThatDoNotMeetAreFilledEach) {
  expect_stored({{0, 5, 0, kLow}, {0, 55, 0, kHigh}}, 2, 2);
  expect_stored({{0, 5, 0, kAll}, {0, 55, 0, kHigh}}, 2, 1);
  expect_stored({{0, 5, 0, kAll}, {0, 55, 0, kAll}}, 2, 0);
  // Halves meet, then one comes alone.
  expect_stored({{0, 5, 0, kLow}, {0, 7, 0, kHigh}, {0, 55, 0, kLow}}, 2, 1);
  // The first residence ends after the launch's end and has all bytes, the second has not.
  expect_stored({{0, 2, 0, kHigh}, {0, 50, 0, kHigh}, {0, 98, 0, kLow}}, 2, 1);
}

TEST(StoredSectors, EachIsOnItsOwn) {
  expect_stored({{0, 5, 0, kLow}, {1, 5, 0, kHigh}}, 2, 2);
  expect_stored({{0, 5, 0, kAll}, {1, 5, 0, kHigh}, {2, 5, 0, kAll}}, 3, 1);
}

TEST(StoredSectors, SamplesStandForAll) {
  const traffic_prediction found = stored({{0, 5, 0, kLow}, {0, 55, 0, kAll}}, small_gpu(), 10);
  EXPECT_EQ(found.dram_write_bytes, interval::exactly(32 * 20));
  EXPECT_EQ(found.fill_sectors, interval::exactly(10));
  EXPECT_EQ(found.l2_write_sectors, interval::exactly(20));
}

TEST(StoredSectors, FillsAreTheShareThatTheGpuFills) {
  device_description device = small_gpu();
  device.fills = {0.25, 0.5};
  const traffic_prediction found = stored({{0, 5, 0, kLow}, {0, 55, 0, kHigh}}, device);
  EXPECT_EQ(found.fill_sectors, (interval{0.5, 1}));
  EXPECT_EQ(found.dram_read_bytes, (interval{32 * 100.5, 32 * 101}));
}

TEST(StoredSectors, WhereNothingIsKnownBothEndsAreGiven) {
  device_description device = small_gpu();
  device.stores_kept = {0, 1e9};
  traffic_prediction found = stored({{0, 5, 0, kLow}, {0, 5, 1, kHigh}, {0, 40, 0, kAll}}, device);
  EXPECT_EQ(found.dram_write_bytes, (interval{0, 96}));
  EXPECT_EQ(found.fill_sectors, (interval{0, 2}));
  EXPECT_TRUE(found.retention);
  EXPECT_TRUE(found.scheduling);  // the halves of one block
  found = stored({{0, 5, 0, kAll}}, device);
  EXPECT_TRUE(found.retention);
  EXPECT_FALSE(found.scheduling);
}

TEST(StoredSectors, WhatAlwaysStaysIsWrittenNowAndThen) {
  device_description device = small_gpu();
  device.stores_kept = {1e6, 1e9};
  const traffic_prediction found = stored({{0, 5, 0, kAll}, {0, 55, 0, kAll}}, device);
  EXPECT_EQ(found.dram_write_bytes, (interval{0, 32}));
  EXPECT_EQ(found.fill_sectors, interval{});
  EXPECT_FALSE(found.scheduling || found.retention);
}

/// A GPU of which rounds lose `share` of what is neither kept nor lost for certain, and that is
/// everything.
device_description losing(interval share) {
  device_description device = small_gpu();
  device.loads_kept = device.stores_kept = {0, 1e9};
  device.lost_in_rounds = curve({curve::point{1, share}});
  return device;
}

void expect_bounds(const interval& found, double low, double high) {
  EXPECT_DOUBLE_EQ(found.low, low);
  EXPECT_DOUBLE_EQ(found.high, high);
}

TEST(StoredSectors, NoMoreIsFilledThanIsEvicted) {
  // Either half may be evicted alone, each in at most 0.3 of the rounds.
  const traffic_prediction found = stored({{0, 5, 0, kLow}, {0, 5, 1, kHigh}}, losing({0.2, 0.3}));
  expect_bounds(found.dram_write_bytes, 0, 0.6 * 32);
  expect_bounds(found.fill_sectors, 0, 0.6);
  // Whole ones need none, however often.
  EXPECT_EQ(stored({{0, 5, 0, kAll}, {0, 5, 1, kAll}}, losing({0.2, 0.3})).fill_sectors,
            interval{});
}

TEST(StoredSectors, WhatIsNeverWholeIsFilledAsOftenAsItIsEvicted) {
  const traffic_prediction found = stored({{0, 5, 0, kLow}}, losing({0.2, 0.3}));
  expect_bounds(found.dram_write_bytes, 0.2 * 32, 0.3 * 32);
  expect_bounds(found.fill_sectors, 0.2, 0.3);
}

TEST(StoredSectors, WhatIsStoredOnceIsWrittenBackAsOftenAsRoundsLoseIt) {
  const traffic_prediction found = stored({{0, 5, 0, kAll}}, losing({0.2, 0.3}));
  expect_bounds(found.dram_write_bytes, 0.2 * 32, 0.3 * 32);
  EXPECT_TRUE(found.retention);
}

TEST(StoredSectors, AnOrderThatMattersLittleIsNoReason) {
  // Halves of one block: the order decides, but not about more than half of them.
  const visits halves{{0, 5, 0, kLow}, {0, 5, 1, kHigh}};
  EXPECT_FALSE(stored(halves, losing({0, 0.49})).scheduling);
  EXPECT_TRUE(stored(halves, losing({0, 0.49})).retention);
  EXPECT_TRUE(stored(halves, losing({0, 0.5})).scheduling);
}

/// Sectors that two stores send to L2, the second by `block`, of requests of so many lines.
interval sent_to_l2(std::uint32_t block, std::uint64_t lines, const curve& sent = unknown_share()) {
  reuse_profile profile;
  profile.blocks = 100;
  profile.block_threads = 32;
  profile.stores = side_of({{0, 5, 0, kLow}, {0, block, 1, kHigh}});
  launch_totals totals;
  totals.stores = {10, 2, 10 * lines};
  device_description device = small_gpu();
  device.stores_sent = sent;
  return predict_traffic(profile, totals, device, 1).l2_write_sectors;
}

/// Bytes written where a sector is stored to by blocks 5 and 15, by requests of so many lines whose
/// lanes lie multiples of `pitch` bytes apart.
interval written_back(std::uint64_t pitch, double lines) {
  reuse_profile profile;
  profile.blocks = 100;
  profile.block_threads = 32;
  profile.loads = side_of(own_lines(100));
  profile.stores = side_of({{0, 5, 0, kAll}, {0, 15, 0, kAll}});
  profile.store_pitch = pitch;
  launch_totals totals;
  totals.loads.sectors = 100;
  totals.stores = {10, 2, static_cast<std::uint64_t>(10 * lines)};
  device_description device = small_gpu();
  device.stores_kept = {5 * 128, 1e9};
  return predict_traffic(profile, totals, device, 1).dram_write_bytes;
}

TEST(StoredSectors, OfDenseLanesAreKeptAsLoadsAre) {
  // Ten blocks later L2 has them, within 20 lines, and 90 blocks later it has not.
  const interval as_loads = interval::exactly(32), as_stores{0, 64};
  EXPECT_EQ(written_back(4, 1), as_loads);
  EXPECT_EQ(written_back(4, 2), as_loads) << "off the beginning of a line";
  EXPECT_EQ(written_back(128, 32), as_loads) << "a line for each lane, and none between them";
  EXPECT_EQ(written_back(256, 32), as_stores);
  EXPECT_EQ(written_back(1, 1.2), as_loads)
      << "of 32 bytes few begin in one line and end in the next";
  EXPECT_EQ(written_back(4, 32), as_stores) << "scattered, at multiples of an element";
  EXPECT_EQ(written_back(0, 1), as_stores) << "one lane says nothing of others";
}

TEST(StoredSectors, L1MergesOnlyStoresOfOneBlock) {
  EXPECT_EQ(sent_to_l2(5, 8), (interval{1, 2}));
  EXPECT_EQ(sent_to_l2(6, 8), interval::exactly(2));
}

TEST(StoredSectors, L1SendsAllOfRequestsOfWhichHalfAsManyLinesAreAllSent) {
  const curve sent({curve::point{4, {0.25, 0.5}}, {8, {0.6, 0.9}}, {16, {1, 1}}, {32, {1, 1}}});
  EXPECT_EQ(sent_to_l2(5, 32, sent), interval::exactly(2));
  // Half of 24 is 12, of which 0.8 at least are sent: then as few as of any.
  EXPECT_EQ(sent_to_l2(5, 24, sent), (interval{1.25, 2}));
  EXPECT_EQ(sent_to_l2(5, 16, sent), (interval{1.25, 2}));
  EXPECT_EQ(sent_to_l2(5, 1, sent), (interval{1.25, 2}));
  EXPECT_EQ(sent_to_l2(5, 8, curve({curve::point{1, {0.99, 1}}})), interval::exactly(2));
  EXPECT_EQ(sent_to_l2(5, 8, curve({curve::point{1, {0.97, 1}}})), (interval{1.97, 2}));
}

/// What 100 blocks move that load as said and store a line each.
traffic_prediction loaded(const visits& loads, const device_description& device) {
  reuse_profile profile;
  profile.blocks = 100;
  profile.block_threads = 32;
  profile.loads = side_of(loads);
  profile.stores = side_of(own_lines(100));
  launch_totals totals;
  totals.loads.sectors = loads.size();
  totals.stores.sectors = 100;
  return predict_traffic(profile, totals, device, 1);
}
traffic_prediction loaded(const visits& loads, const interval& granule,
                          const reuse_bounds& kept = small_gpu().loads_kept) {
  device_description device = small_gpu();
  device.read_granule = granule;
  device.loads_kept = kept;
  return loaded(loads, device);
}

interval fetched_bytes(const visits& loads, const interval& granule) {
  return loaded(loads, granule).dram_read_bytes;
}

constexpr interval kSector{32, 32}, kTwoSectors{64, 64};

TEST(LoadedSectors, OneRequestFetchesAGranuleOnce) {
  const visits together{{0, 5, 0, kAll}, {1, 5, 0, kAll}};
  EXPECT_EQ(fetched_bytes(together, kSector), interval::exactly(64));
  EXPECT_EQ(fetched_bytes(together, kTwoSectors), interval::exactly(64));
  // Also where L2 may lose it at once, which a second request would notice.
  constexpr reuse_bounds kNothing{0, 30 * 128};
  EXPECT_EQ(loaded(together, kTwoSectors, kNothing).dram_read_bytes, interval::exactly(64));
  const visits requests{{0, 5, 0, kAll}, {1, 5, 1, kAll}};
  EXPECT_EQ(loaded(requests, kTwoSectors, kNothing).dram_read_bytes, (interval{64, 128}));
}

TEST(LoadedSectors, AGranuleBeginsAtAMultipleOfItsSize) {
  const visits apart{{1, 5, 0, kAll}, {2, 5, 0, kAll}};
  EXPECT_EQ(fetched_bytes(apart, kSector), interval::exactly(64));
  EXPECT_EQ(fetched_bytes(apart, kTwoSectors), interval::exactly(128));
  EXPECT_EQ(fetched_bytes({{1, 5, 0, kAll}}, kTwoSectors), interval::exactly(64));
}

TEST(LoadedSectors, WhatCameWithAnotherIsFoundInL2) {
  const visits soon{{0, 5, 1, kAll}, {1, 5, 0, kAll}};
  EXPECT_EQ(fetched_bytes(soon, kTwoSectors), interval::exactly(64));
  const visits later{{0, 15, 0, kAll}, {1, 5, 0, kAll}};
  EXPECT_EQ(fetched_bytes(later, kTwoSectors), interval::exactly(64));
  const visits late{{0, 55, 0, kAll}, {1, 5, 0, kAll}};
  EXPECT_EQ(fetched_bytes(late, kSector), interval::exactly(64));
  EXPECT_EQ(fetched_bytes(late, kTwoSectors), interval::exactly(128));
  EXPECT_EQ(fetched_bytes(late, {32, 64}), (interval{64, 128}));
}

TEST(LoadedSectors, WhatComesBackIsFetchedOnceWhileItIsKept) {
  EXPECT_EQ(fetched_bytes({{0, 5, 0, kAll}, {0, 15, 0, kAll}}, kSector), interval::exactly(32));
  EXPECT_EQ(fetched_bytes({{0, 5, 0, kAll}, {0, 55, 0, kAll}}, kSector), interval::exactly(64));
  // 25 blocks: neither within 20 lines nor beyond 30.
  const traffic_prediction between = loaded({{0, 5, 0, kAll}, {0, 30, 0, kAll}}, kSector);
  EXPECT_EQ(between.dram_read_bytes, (interval{32, 64}));
  EXPECT_TRUE(between.retention);
  EXPECT_FALSE(between.scheduling);
}

TEST(LoadedSectors, RoundsLoseAsMuchOfWhatIsLoaded) {
  expect_bounds(loaded({{0, 5, 0, kAll}}, losing({0.2, 0.3})).dram_read_bytes, 0.2 * 32, 0.3 * 32);
  // What comes twice a launch may all be kept.
  expect_bounds(loaded({{0, 5, 0, kAll}, {0, 30, 0, kAll}}, losing({0.2, 0.3})).dram_read_bytes, 0,
                0.6 * 32);
}

/// Sectors that L2 is asked for by two loads of one sector, in block 5 and in another.
interval asked_of_l2(std::uint32_t block, const device_description& device) {
  return loaded({{0, 5, 0, kAll}, {0, block, 1, kAll}}, device).l2_read_sectors;
}

TEST(LoadedSectors, L1MayAnswerAnotherBlockWithinItsSize) {
  device_description device = small_gpu();
  EXPECT_EQ(asked_of_l2(15, device), (interval{1, 2}));
  EXPECT_EQ(asked_of_l2(17, device), interval::exactly(2));  // at least 11 lines, and L1 has 10
  device.sms = 4;  // 40 lines in all, and four blocks run together
  EXPECT_EQ(asked_of_l2(45, device), (interval{1, 2}));
  EXPECT_EQ(asked_of_l2(49, device), interval::exactly(2));
}

TEST(LoadedSectors, AnotherBlockIsOnAnotherSmButForFour) {
  device_description device = small_gpu();
  device.sms = 40;
  EXPECT_EQ(asked_of_l2(6, device), (interval{1 + (1 - 4.0 / 40), 2}));
}

TEST(LoadedSectors, ABlockFindsWhatAnyOfManyLeftOnItsSm) {
  // As of a list that names few elements. Each block more is on the same SM in 1 of 40 cases.
  device_description device = small_gpu();
  device.sms = 40;
  const auto asked = [&](std::uint32_t blocks) {
    visits loads;
    for (std::uint32_t block = 0; block < blocks; ++block) loads.push_back({0, block, 0, kAll});
    return loaded(loads, device).l2_read_sectors;
  };
  expect_bounds(asked(3), 1 + 36.0 / 40 + 35.0 / 40, 3);
  // The 38th may find it for certain: 36 + 35 + ... + 1 of 40.
  EXPECT_NEAR(asked(100).low, 1 + 36 * 37 / 2 / 40.0, 1e-9);
  EXPECT_EQ(asked(100).high, 100);
}

TEST(LoadedSectors, L1HasWhatItsBlockComesBackToIfThatFitsInHalfOfIt) {
  // A block stores a line, and one of 100 loads one: 129.28 bytes.
  device_description device = small_gpu();
  device.l1_bytes = 259;
  EXPECT_EQ(asked_of_l2(5, device), interval::exactly(1));
  device.l1_bytes = 258;
  EXPECT_EQ(asked_of_l2(5, device), (interval{1, 2}));
  // Of ten blocks on an SM ten times as much.
  const auto ten_at_a_time = [&](double l1_bytes) {
    reuse_profile profile;
    profile.blocks = 100;
    profile.block_threads = 32;
    profile.loads = side_of({{0, 5, 0, kAll}, {0, 5, 1, kAll}});
    profile.stores = side_of(own_lines(100));
    launch_totals totals;
    totals.loads.sectors = 2;
    totals.stores.sectors = 100;
    device.l1_bytes = l1_bytes;
    return predict_traffic(profile, totals, device, 10).l2_read_sectors;
  };
  EXPECT_EQ(ten_at_a_time(2590), interval::exactly(1));
  EXPECT_EQ(ten_at_a_time(2580), (interval{1, 2}));
}

// Where samples say nothing.

TEST(Unsampled, SidesInFewPagesHaveWideBounds) {
  // 1049 rows of 4000 bytes, 256 KiB apart: of 64 pages in 262 MiB none has any.
  const in_units found = predicted(
      launch_of("pitch/copy/f32/columns:1000/pitch:65536", index_t{1} << 20), large_gpu());
  EXPECT_TRUE(found.of.unsampled);
  expect_near(found.l2_reads, 0, 1, kExact, "L2 reads");
  expect_near(found.l2_writes, 0, 1, kExact, "L2 writes");
  expect_near(found.reads, 0, 2 + 1, kExact, "reads");  // a granule and a fill each
  expect_near(found.writes, 0, 1, kExact, "writes");
  expect_near(found.fills, 0, 1, kExact, "fills");
  EXPECT_FALSE(found.of.tight());
}

TEST(Unsampled, NothingIsSaidOfRounds) {
  reuse_profile profile;
  profile.blocks = 100;
  profile.block_threads = 32;
  profile.stores = side_of({{0, 5, 0, kAll}});
  launch_totals totals;
  totals.stores.sectors = 1;
  expect_bounds(predict_traffic(profile, totals, losing({0.2, 0.3}), 1).dram_write_bytes, 0.2 * 32,
                0.3 * 32);
  totals.loads.sectors = 100;  // somewhere
  expect_bounds(predict_traffic(profile, totals, losing({0.2, 0.3}), 1).dram_write_bytes, 0, 32);
}

TEST(Unsampled, DistancesLackASide) {
  reuse_profile profile;
  profile.blocks = 100;
  profile.block_threads = 32;
  profile.stores = side_of({{0, 5, 0, kLow}, {0, 7, 0, kHigh}});
  launch_totals totals;
  totals.stores.sectors = 2;
  traffic_prediction found = predict_traffic(profile, totals, small_gpu(), 1);
  EXPECT_EQ(found.dram_write_bytes, (interval{0, 32}));
  EXPECT_FALSE(found.unsampled || found.retention);
  totals.loads.sectors = 100;  // somewhere
  found = predict_traffic(profile, totals, small_gpu(), 1);
  EXPECT_TRUE(found.unsampled);
  EXPECT_EQ(found.dram_write_bytes, (interval{0, 64}));
  EXPECT_EQ(found.fill_sectors, (interval{0, 2}));
  EXPECT_EQ(found.dram_read_bytes, (interval{0, 32 * 102}));
  totals.indices.sectors = 100;
  EXPECT_EQ(predict_traffic(profile, totals, small_gpu(), 1).l2_read_sectors, (interval{0, 200}));
  totals.loads.sectors = 0;
  EXPECT_EQ(predict_traffic(profile, totals, small_gpu(), 1).dram_write_bytes, (interval{0, 64}));
}

// Spacing.

std::array<double, 2> spacing_of(const visits& side, const interval& granule, int sms = 1) {
  reuse_profile profile;
  profile.blocks = 100;
  profile.block_threads = 32;
  profile.loads = profile.stores = side_of(side);
  launch_totals totals;
  totals.loads.sectors = totals.stores.sectors = side.size();
  device_description device = small_gpu();
  device.read_granule = granule;
  device.sms = sms;
  const traffic_prediction found = predict_traffic(profile, totals, device, 1);
  return {found.load_spacing, found.store_spacing};
}

/// Every `step`th sector of a page, by one block.
visits every(std::uint32_t step) {
  visits side;
  for (std::uint32_t sector = 0; sector < 128; sector += step) side.push_back({sector, 7, 0, kAll});
  return side;
}

TEST(Spacing, IsThatOfGranulesOfLoadsAndOfSectorsOfStores) {
  EXPECT_EQ(spacing_of(every(1), kTwoSectors), (std::array<double, 2>{64, 32}));
  EXPECT_EQ(spacing_of(every(1), kSector), (std::array<double, 2>{32, 32}));
  EXPECT_EQ(spacing_of(every(1), {32, 64}), (std::array<double, 2>{64, 32}));
  EXPECT_EQ(spacing_of(every(2), kTwoSectors), (std::array<double, 2>{64, 64}));
  EXPECT_EQ(spacing_of(every(4), kTwoSectors), (std::array<double, 2>{128, 128}));
  EXPECT_EQ(spacing_of(every(128), kTwoSectors), (std::array<double, 2>{4096, 4096}));
  EXPECT_EQ(spacing_of({}, kTwoSectors), (std::array<double, 2>{0, 0}));
}

TEST(Spacing, CountsWhatRunsTogether) {
  const visits apart{{0, 10, 0, kAll}, {64, 60, 0, kAll}};
  EXPECT_EQ(spacing_of(apart, kTwoSectors)[0], 4096);
  EXPECT_EQ(spacing_of(apart, kTwoSectors, 50)[0], 4096);
  EXPECT_EQ(spacing_of(apart, kTwoSectors, 51)[0], 2048);
  // The same granule twice is one.
  EXPECT_EQ(spacing_of({{0, 10, 0, kAll}, {1, 11, 0, kAll}}, kTwoSectors, 50)[0], 4096);
}

TEST(Spacing, PagesCountByTheirVisits) {
  visits side = every(2);             // 64 visits of 64 granules
  side.push_back({128, 7, 0, kAll});  // one of one, in the next page
  EXPECT_DOUBLE_EQ(spacing_of(side, kTwoSectors)[0], 4096 / ((64.0 * 64 + 1) / 65));
}

TEST(Spacing, OfStrides) {
  const auto of = [](index_t step) {
    return predicted(launch_of(pattern_of<stride>(kElements, step)), large_gpu()).of;
  };
  EXPECT_NEAR(of(1).load_spacing, 64, 0.1);
  EXPECT_NEAR(of(1).store_spacing, 32, 0.1);
  EXPECT_NEAR(of(16).load_spacing, 64, 0.1);
  EXPECT_NEAR(of(16).store_spacing, 64, 0.1);
  EXPECT_NEAR(of(32).load_spacing, 128, 0.1);
  EXPECT_NEAR(of(32).store_spacing, 128, 0.1);
}

// Intervals.

TEST(Interval, Arithmetic) {
  const interval a{1, 2}, b{10, 40};
  EXPECT_EQ(a + b, (interval{11, 42}));
  EXPECT_EQ(a * 3, (interval{3, 6}));
  EXPECT_EQ(interval::exactly(5), (interval{5, 5}));
  EXPECT_TRUE(interval::exactly(5).exact());
  EXPECT_FALSE(a.exact());
  EXPECT_EQ(b.middle(), 25);
  EXPECT_EQ(b.spread(), 4);
  EXPECT_EQ(interval{}.spread(), 1);
  EXPECT_GT((interval{0, 1}).spread(), 1e100);
  EXPECT_TRUE(b.contains(10) && b.contains(40));
  EXPECT_FALSE(b.contains(9) || b.contains(41));
  EXPECT_EQ(larger({1, 5}, {2, 4}), (interval{2, 5}));
  EXPECT_EQ(around({1, 5}, {2, 7}), (interval{1, 7}));
}

TEST(BlocksPerSm, AsFarAsThreadsDecide) {
  device_description device = large_gpu();
  EXPECT_EQ(device.blocks_per_sm(256), 8);
  EXPECT_EQ(device.blocks_per_sm(1024), 2);
  EXPECT_EQ(device.blocks_per_sm(33), 32);   // two warps each, and no SM holds more than 32 blocks
  EXPECT_EQ(device.blocks_per_sm(100), 16);  // of four warps
  device.threads_per_sm = 1536;
  EXPECT_EQ(device.blocks_per_sm(1024), 1);
}

// What holds for every registered pattern.

class EveryPattern : public testing::TestWithParam<const pattern_entry*> {};

device_description with_l2_times(double factor) {
  device_description device = large_gpu();
  device.stores_sent = curve({curve::point{4, {0.25, 0.5}}, {16, {1, 1}}});
  for (reuse_bounds* const bounds : {&device.loads_kept, &device.stores_kept}) {
    bounds->kept_bytes *= factor;
    bounds->lost_bytes *= factor;
  }
  return device;
}

void expect_ordered(const interval& of, std::string_view what) {
  EXPECT_GE(of.low, 0) << what;
  EXPECT_LE(of.low, of.high) << what;
}

void expect_inside(const interval& narrow, const interval& wide, std::string_view what) {
  EXPECT_GE(narrow.low, wide.low * (1 - 1e-12)) << what;
  EXPECT_LE(narrow.high, wide.high * (1 + 1e-12)) << what;
}

void expect_no_more(const interval& larger_l2, const interval& smaller_l2, std::string_view what) {
  // Other sums of the same products.
  EXPECT_LE(larger_l2.low, smaller_l2.low * (1 + 1e-12)) << what;
  EXPECT_LE(larger_l2.high, smaller_l2.high * (1 + 1e-12)) << what;
}

void expect_sound(const traffic_prediction& found, const launch_totals& totals) {
  expect_ordered(found.l2_read_sectors, "L2 reads");
  expect_ordered(found.l2_write_sectors, "L2 writes");
  expect_ordered(found.fill_sectors, "fills");
  expect_ordered(found.dram_read_bytes, "reads");
  expect_ordered(found.dram_write_bytes, "writes");
  // L1 saves requests to L2 and makes none.
  const auto loads = static_cast<double>(totals.loads.sectors + totals.indices.sectors);
  EXPECT_LE(found.l2_read_sectors.high, loads * (1 + 1e-9));
  const auto stores = static_cast<double>(totals.stores.sectors);
  EXPECT_NEAR(found.l2_write_sectors.high, stores, stores * 1e-9);
  // A store is written back at most once, and filled no more often.
  EXPECT_LE(found.dram_write_bytes.high, 32 * stores * (1 + 1e-9));
  EXPECT_LE(found.fill_sectors.high * 32, found.dram_write_bytes.high * (1 + 1e-9));
}

void expect_sound(const program& body) {
  const launch one{body.profile(), body.totals(), 1};
  EXPECT_EQ(one.profile.loads.visits.empty(), one.totals.loads.sectors == 0);
  EXPECT_EQ(one.profile.stores.visits.empty(), one.totals.stores.sectors == 0);
  EXPECT_EQ(one.profile.indices.visits.empty(), one.totals.indices.sectors == 0);
  traffic_prediction smaller;
  for (const double factor : {0.01, 0.1, 1.0, 10.0}) {
    SCOPED_TRACE(testing::Message() << "L2 x " << factor);
    device_description device = with_l2_times(factor);
    const traffic_prediction found = predicted(one, device).of;
    expect_sound(found, one.totals);
    // What is known of rounds narrows both ends.
    device.lost_in_rounds =
        curve({curve::point{0.1, {0, 0.02}}, {0.5, {0.05, 0.1}}, {1, {0.9, 1}}});
    const traffic_prediction narrower = predicted(one, device).of;
    expect_sound(narrower, one.totals);
    expect_inside(narrower.dram_read_bytes, found.dram_read_bytes, "reads");
    expect_inside(narrower.dram_write_bytes, found.dram_write_bytes, "writes");
    if (factor > 0.01) {
      expect_no_more(found.dram_read_bytes, smaller.dram_read_bytes, "reads");
      expect_no_more(found.dram_write_bytes, smaller.dram_write_bytes, "writes");
    }
    smaller = found;
  }
}

TEST_P(EveryPattern, HasBoundsInOrderThatFallWithL2) {
  const pattern_entry& pattern = *GetParam();
  for (const index_t n : {index_t{100003}, index_t{1} << 20})
    for (const operation_kind operation : pattern.operations) {
      if (n > 100003 && operation != pattern.operations.front()) continue;  // one of the large size
      row_spec row;
      row.pattern = &pattern;
      row.operation = operation;
      row.type = pattern.offers(element_type::kF32) ? element_type::kF32 : pattern.types.front();
      for (const parameter_spec& spec : pattern.parameters) row.values.push_back(spec.typical);
      row.elements = n;
      row.block = {256, 1};
      SCOPED_TRACE(row.key());
      const auto work = make_workload(row);
      if (!work->meaning().refusal().empty()) continue;
      expect_sound(work->meaning());
    }
}

std::vector<const pattern_entry*> patterns_of_threads() {
  std::vector<const pattern_entry*> patterns;
  for (const pattern_entry& pattern : registered_patterns())
    if (!pattern.mover) patterns.push_back(&pattern);
  return patterns;
}

std::string name_of_pattern(const testing::TestParamInfo<const pattern_entry*>& info) {
  std::string name(info.param->name);
  for (const parameter_spec& spec : info.param->parameters)
    name.append("_").append(spec.name).append(std::to_string(spec.typical));
  return name;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPattern, testing::ValuesIn(patterns_of_threads()),
                         name_of_pattern);

}  // namespace
}  // namespace sectorbench
