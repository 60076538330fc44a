// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string_view>

#include "bench/cases/row.hpp"

// Sectors of patterns, worked out by hand.

namespace sectorbench {
namespace {

constexpr index_t kElements = 1 << 15;

launch_totals totals_of(std::string_view name, index_t n = kElements, block_size block = {256, 1}) {
  row_spec row = parse_row(name);
  row.elements = n;
  row.block = block;
  return make_workload(row)->meaning().totals();
}

double load_sectors(std::string_view name, index_t n = kElements, block_size block = {256, 1}) {
  return totals_of(name, n, block).loads.sectors_per_request();
}

TEST(PatternSectors, OrderOfLanesDoesNotMatter) {
  EXPECT_EQ(load_sectors("shuffle/copy/f32/map:1"), 4);
  EXPECT_EQ(load_sectors("shuffle/copy/f32/map:2"), 4);
  EXPECT_EQ(load_sectors("reverse/copy/f32"), 4);
  // 2^15 + 1 elements: each full warp begins in the middle of a sector, the last has one element.
  EXPECT_EQ(totals_of("reverse/copy/f32", kElements + 1).loads.requests, 1025u);
  EXPECT_EQ(totals_of("reverse/copy/f32", kElements + 1).loads.sectors, 1024u * 5 + 1);
}

TEST(PatternSectors, FewActiveLanesTouchFewSectors) {
  EXPECT_EQ(load_sectors("active/copy/f32/lanes:1"), 1);
  EXPECT_EQ(load_sectors("active/copy/f32/lanes:8"), 1);
  EXPECT_EQ(load_sectors("active/copy/f32/lanes:16"), 2);
  EXPECT_EQ(totals_of("active/copy/f32/lanes:8").loads.requests, 4096u);
}

TEST(PatternSectors, FieldsOfStructures) {
  EXPECT_EQ(load_sectors("aos/read/f32/fields:3/field:0"), 12);  // float3.x
  EXPECT_EQ(load_sectors("aos/read/f64/fields:3/field:0"), 24);  // double3.x
  for (const char* const channel : {"0", "1", "2"})
    EXPECT_EQ(load_sectors("aos/read/u8/fields:3/field:" + std::string(channel)), 3);
  EXPECT_EQ(load_sectors("aos/read/f32/fields:2/field:1"), 8);
  EXPECT_EQ(load_sectors("aos/read/f32/fields:12/field:5"), 32);
}

TEST(PatternSectors, AllFieldsOfAStructureInEachLayout) {
  const launch_totals structures = totals_of("aos_all/copy/f32/fields:3", 3 << 10);
  EXPECT_EQ(structures.loads.requests, 32u * 3);
  EXPECT_EQ(structures.loads.sectors, 32u * 36);
  EXPECT_EQ(load_sectors("aos_all/gather/f64/fields:3", 3 << 10), 24);
  EXPECT_EQ(totals_of("aos_all/gather/f32/fields:3", 3 << 10).stores.sectors_per_request(), 4);
  EXPECT_EQ(load_sectors("soa/copy/f32/fields:3", 3 << 10), 4);
  EXPECT_EQ(load_sectors("aosoa/copy/f32/fields:3", 3 << 10), 4);
  EXPECT_EQ(load_sectors("aosoa/copy/f64/fields:12", 12 << 10), 8);
}

TEST(PatternSectors, BlocksDecideWhichLanesFormAWarp) {
  constexpr std::string_view kAligned = "pitch/copy/f32/columns:1024/pitch:1056";
  constexpr index_t kMatrix = 1024 * 64;
  for (const block_size block :
       {block_size{256, 1}, block_size{32, 8}, block_size{16, 16}, block_size{8, 32}})
    EXPECT_EQ(load_sectors(kAligned, kMatrix, block), 4) << block.x;
  // A pitch of 1025 floats shifts each row by 4 bytes: of eight rows seven begin within a sector.
  constexpr std::string_view kShifted = "pitch/copy/f32/columns:1024/pitch:1025";
  EXPECT_EQ(load_sectors(kShifted, kMatrix, {256, 1}), 4 + 7.0 / 8);
  EXPECT_EQ(load_sectors(kShifted, kMatrix, {16, 16}), 4 + 2 * 7.0 / 8);
  EXPECT_EQ(load_sectors(kShifted, kMatrix, {8, 32}), 4 + 4 * 7.0 / 8);
}

TEST(PatternSectors, SwappedAxesMakeAWarpOfRows) {
  // In blocks of 16 x 16 a warp takes two neighbours of each of 16 rows: at an even place they
  // share a sector, and of eight rows of 1001 floats one has them in two.
  constexpr std::string_view kOdd = "pitch_swapped/copy/f32/columns:1001/pitch:1001";
  EXPECT_EQ(load_sectors("pitch_swapped/copy/f32/columns:1024/pitch:1024", 1024 * 64, {16, 16}),
            16);
  EXPECT_EQ(load_sectors("pitch_swapped/copy/f32/columns:1000/pitch:1001", 1000 * 64, {16, 16}),
            18);
  EXPECT_NEAR(load_sectors(kOdd, 1001 * 64, {16, 16}), 18, 0.01);  // the last column is alone
  EXPECT_EQ(load_sectors(kOdd, 1001 * 64, {32, 8}), 32);
  // What is dense is so in the order of the threads, column by column: a transpose's other side.
  const launch_totals one =
      totals_of("pitch_swapped/gather/f32/columns:1024/pitch:1024", 1024 * 64, {16, 16});
  EXPECT_EQ(one.loads.sectors_per_request(), 16);
  EXPECT_EQ(one.stores.sectors_per_request(), 4);
}

TEST(PatternSectors, SharedElements) {
  EXPECT_EQ(load_sectors("broadcast/read/f32/share:2"), 2);
  EXPECT_EQ(load_sectors("broadcast/read/f32/share:8"), 1);
  EXPECT_EQ(load_sectors("broadcast/read/f32/share:32"), 1);
  row_spec row = parse_row("broadcast/read/f32/share:32");
  row.elements = kElements;
  const auto work = make_workload(row);
  EXPECT_EQ(work->meaning().useful_bytes(), kElements * 4);
  EXPECT_EQ(work->meaning().unique_bytes(), kElements / 32 * 4);
}

}  // namespace
}  // namespace sectorbench
