// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/sectors/bank_view.hpp"
#include "bench/sectors/command_line.hpp"
#include "bench/sectors/number_list.hpp"
#include "bench/sectors/warp_view.hpp"
#include "bench/support/text.hpp"
#include "test/support/brute_force.hpp"

namespace sectorbench::sectors {
namespace {

using arguments = std::vector<std::string>;

warp_view view(const arguments& args) { return view_of(read_command(args).access); }

std::string error(const arguments& args) {
  try {
    return "no error but sectors: " + std::to_string(view(args).sectors());
  } catch (const usage_error& refused) {
    return refused.what();
  }
}

/// "number: lanes" of each sector.
std::vector<std::string> units(const warp_view& of) {
  std::vector<std::string> texts;
  for (const sector_unit& unit : of.units)
    texts.push_back(std::to_string(unit.number) + ": " + lanes_text(unit.lanes()));
  return texts;
}

// The three address lists: 32 lanes of four bytes.

TEST(SectorsView, SideBySideIsFourSectors) {
  const warp_view v = view({});
  EXPECT_EQ(v.sectors(), 4);
  EXPECT_EQ(units(v), (arguments{"0: 0-7", "1: 8-15", "2: 16-23", "3: 24-31"}));
  EXPECT_EQ(v.unused(), std::vector<byte_interval>{});
  EXPECT_EQ(v.efficiency(), 1.0);
}

TEST(SectorsView, EveryEighthFloatIsThirtyTwoSectorsInEightLines) {
  const warp_view v = view({"--stride=8"});
  EXPECT_EQ(v.sectors(), 32);
  EXPECT_EQ(v.lines(), 8);
  EXPECT_EQ(v.ideal_sectors(), 4);
  EXPECT_EQ(v.efficiency(), 0.125);
  for (std::uint64_t i = 0; i < 32; ++i) {
    EXPECT_EQ(v.units[i].number, i);
    EXPECT_EQ(v.units[i].lanes(), std::uint32_t{1} << i);
    EXPECT_EQ(v.units[i].slots, (std::vector<std::uint32_t>{1u << i, 0, 0, 0, 0, 0, 0, 0}));
  }
  EXPECT_EQ(v.unused().size(), 32u);
  EXPECT_EQ(v.unused()[1], (byte_interval{36, 63}));
}

TEST(SectorsView, OneFloatFurtherOnIsFiveSectors) {
  for (const arguments& args :
       {arguments{"--offset=4"}, arguments{"--formula=4 + 4*t"}, arguments{"--addresses=4-128:4"},
        arguments{"--type=f32", "--stride=1", "--offset=4"}}) {
    const warp_view v = view(args);
    EXPECT_EQ(v.requests(), 1);
    EXPECT_EQ(v.sectors(), 5);
    EXPECT_EQ(v.lines(), 2);
    EXPECT_EQ(v.sector_bytes(), 160u);
    EXPECT_EQ(v.efficiency(), 0.8);
    EXPECT_EQ(units(v), (arguments{"0: 0-6", "1: 7-14", "2: 15-22", "3: 23-30", "4: 31"}));
    EXPECT_EQ(v.unused(), (std::vector<byte_interval>{{0, 3}, {132, 159}}));
  }
}

TEST(SectorsView, TwoMappingsOfOneViewAreFourAndThirtyTwoSectors) {
  const arguments columns{"--shape=64,1024", "--strides=1,64", "--map=t,0"};
  const arguments rows{"--shape=64,1024", "--strides=1,64", "--map=0,t"};
  EXPECT_EQ(view(columns).sectors(), 4);
  EXPECT_EQ(view(rows).sectors(), 32);
  EXPECT_FALSE(read_command(columns).view->is_contiguous());
  // A contiguous view has both as well.
  const arguments contiguous{"--shape=64,1024", "--map=0,t"};
  const arguments across{"--shape=64,1024", "--map=t,0"};
  EXPECT_TRUE(read_command(contiguous).view->is_contiguous());
  EXPECT_EQ(view(contiguous).sectors(), 4);
  EXPECT_EQ(view(across).sectors(), 32);
  EXPECT_EQ(view(across).units[1].number, 128u);  // 1024 floats further on
}

TEST(SectorsView, ContiguousIsWhatFrameworksCallSo) {
  EXPECT_TRUE((tensor_view{{2, 3, 4}, {12, 4, 1}}).is_contiguous());
  EXPECT_FALSE((tensor_view{{2, 3, 4}, {12, 1, 3}}).is_contiguous());
  EXPECT_FALSE((tensor_view{{2, 3}, {4, 1}}).is_contiguous());
  EXPECT_TRUE((tensor_view{{2, 1, 4}, {4, 99, 1}}).is_contiguous());
  EXPECT_FALSE((tensor_view{{8}, {-1}}).is_contiguous());
}

struct anchor {
  arguments args;
  int requests, sectors, together;
  double efficiency;
};

TEST(SectorsView, HandCountsOfKnownCases) {
  const anchor anchors[]{
      // 8- and 16-byte structs: one wide access, or several narrow ones.
      {{"--stride=2", "--fields=0,4"}, 2, 16, 8, 0.5},
      {{"--type=f64"}, 1, 8, 8, 1},
      {{"--type=f64", "--stride=2", "--fields=0,8"}, 2, 32, 16, 0.5},
      {{"--type=f32x4"}, 1, 16, 16, 1},
      {{"--stride=4", "--fields=0-12:4"}, 4, 64, 16, 0.25},
      // 12-byte structs of three floats.
      {{"--stride=3"}, 1, 12, 12, 1.0 / 3},
      {{"--stride=3", "--fields=0,4,8"}, 3, 36, 12, 1.0 / 3},
      // 24-byte structs of three doubles.
      {{"--type=f64", "--stride=3", "--fields=0,8,16"}, 3, 72, 24, 1.0 / 3},
      // Packed pixels of three bytes, and their words.
      {{"--type=u8", "--stride=3"}, 1, 3, 3, 1.0 / 3},
      {{"--type=u8", "--stride=3", "--offset=1"}, 1, 3, 3, 1.0 / 3},
      {{"--type=u8", "--stride=3", "--offset=2"}, 1, 3, 3, 1.0 / 3},
      {{"--fields=0-256:128"}, 3, 12, 12, 1},
      // Lanes that share an address.
      {{"--stride=0"}, 1, 1, 1, 0.125},
      {{"--formula=4*(t/2)"}, 1, 2, 2, 1},
      {{"--formula=4*(t%4)"}, 1, 1, 1, 0.5},
      {{"--formula=4096*(t%2)"}, 1, 2, 2, 0.125},
      // The order of lanes does not matter.
      {{"--formula=4*(31 - t)"}, 1, 4, 4, 1},
      {{"--formula=4*(3*t & 31)"}, 1, 4, 4, 1},
      {{"--formula=4*((t&1)<<4 | (t&2)<<2 | t&4 | (t&8)>>2 | (t&16)>>4)"}, 1, 4, 4, 1},
      {{"--stride=-1", "--offset=4092"}, 1, 4, 4, 1},
      {{"--stride=-1", "--offset=131072"}, 1, 5, 5, 0.8},
      // Two half-empty requests that meet in the same sectors.
      {{"--formula=8*t", "--fields=0,4"}, 2, 16, 8, 0.5},
      // Bytes at any address; four-byte elements at byte 30, byte by byte.
      {{"--type=u8", "--offset=31"}, 1, 2, 2, 0.5},
      {{"--type=u8"}, 1, 1, 1, 1},
      {{"--type=u8", "--stride=4", "--offset=30", "--fields=0-3"}, 4, 18, 5, 128.0 / 576},
      // Wide accesses.
      {{"--type=f32x4", "--stride=2"}, 1, 32, 32, 0.5},
      {{"--type=f32x4", "--stride=0"}, 1, 1, 1, 0.5},
      {{"--type=f32x4", "--lanes=0-7"}, 1, 4, 4, 1},
      {{"--type=f32x4", "--lanes=0,1"}, 1, 1, 1, 1},
      {{"--type=f32x4", "--offset=16"}, 1, 17, 17, 512.0 / 544},
      {{"--type=f64", "--offset=8"}, 1, 9, 9, 256.0 / 288},
      // 256-bit accesses: each lane has a sector of its own.
      {{"--type=f32x8"}, 1, 32, 32, 1},
      {{"--type=f32x8", "--stride=0"}, 1, 1, 1, 1},
      {{"--type=f32x8", "--stride=2", "--lanes=0-7"}, 1, 8, 8, 1},
      // Two loads of a matrix product: one float for all lanes, and a row of them.
      {{"--block=32x8", "--formula=4096*y", "--formula=65536 + 4*x"}, 2, 5, 5, 132.0 / 160},
      {{"--formula=0", "--formula=4*t", "--fields=0,128"}, 4, 10, 8, 264.0 / 320},
      // A warp of a block of 4 x 4 x 6 has two planes of 4 x 4; the third warp begins with plane 4.
      {{"--block=4x4x6", "--formula=4*(x + 16*y + 4096*z)"}, 1, 8, 8, 0.5},
      {{"--block=4x4x6", "--formula=1024*(z-4)", "--warp=2"}, 1, 2, 2, 0.125},
      // Lanes that are off.
      {{"--lanes=none"}, 0, 0, 0, 0},
      {{"--lanes=31"}, 1, 1, 1, 0.125},
      {{"--lanes=0-31:8"}, 1, 4, 4, 0.125},
      {{"--lanes=0-30:2"}, 1, 4, 4, 0.5},
      {{"--lanes=5-20"}, 1, 3, 3, 64.0 / 96},
      {{"--stride=32"}, 1, 32, 32, 0.125},
      {{"--type=f16", "--stride=16"}, 1, 32, 32, 0.0625},
      // A thread that walks 32 elements: 32 requests of 32 sectors, in 128 sectors.
      {{"--stride=32", "--fields=0-124:4"}, 32, 1024, 128, 0.125},
      // 16 x 16 blocks on rows of 1004 floats: a warp has two rows, of which the odd one begins
      // half a sector in: row 1 at byte 4016, row 3 at byte 12048.
      {{"--block=16x16", "--formula=4*(x + 1004*y)"}, 1, 5, 5, 0.8},
      {{"--block=16x16", "--formula=4*(x + 1004*y)", "--warp=1"}, 1, 5, 5, 0.8},
      {{"--block=16x16", "--formula=4*(x + 1024*y)"}, 1, 4, 4, 1},
  };
  for (const anchor& expected : anchors) {
    SCOPED_TRACE(testing::PrintToString(expected.args));
    const warp_view v = view(expected.args);
    EXPECT_EQ(v.requests(), expected.requests);
    EXPECT_EQ(v.sectors(), expected.sectors);
    EXPECT_EQ(v.together().sectors, expected.together);
    EXPECT_DOUBLE_EQ(v.efficiency(), expected.efficiency);
  }
}

TEST(SectorsView, SharedBytesAreRequestedMoreOftenThanTheyAreUnique) {
  const warp_view v = view({"--stride=0"});
  EXPECT_EQ(v.requested_bytes(), 128u);
  EXPECT_EQ(v.unique_bytes(), 4u);
  EXPECT_EQ(v.requested_share(), 4.0);
  EXPECT_EQ(v.efficiency(), 0.125);
  EXPECT_EQ(v.ideal_sectors(), 1);
}

TEST(SectorsView, StructsOfThreeFloatsAreTwelveSectorsInThreeLinesEach) {
  const warp_view v = view({"--stride=3", "--fields=0,4,8"});
  ASSERT_EQ(v.instructions.size(), 3u);
  for (const request_count& one : v.instructions) {
    EXPECT_EQ(one.sectors, 12);
    EXPECT_EQ(one.lines, 3);
  }
  EXPECT_EQ(v.together(), (request_count{1, 12, 3, 384, 384}));
  for (const sector_unit& unit : v.units) EXPECT_EQ(unit.fetches, 3);
  EXPECT_EQ(v.unused(), std::vector<byte_interval>{});
}

TEST(SectorsView, ThreadsOfABlockFollowEachOtherInXFirst) {
  // Rows of 40 threads: warp 1 has the last eight of row 0 and 24 of row 1.
  EXPECT_EQ(units(view({"--block=40x2", "--formula=4*x + 4096*y", "--warp=1"})),
            (arguments{"4: 0-7", "128: 8-15", "129: 16-23", "130: 24-31"}));
  // The last warp of 40 threads has eight.
  EXPECT_EQ(units(view({"--block=40", "--warp=1"})), (arguments{"4: 0-7"}));
  EXPECT_EQ(units(view({"--warp=2", "--lanes=0"})), (arguments{"8: 0"}));
  // Then in y, then in z.
  EXPECT_EQ(units(view({"--block=2x4x8", "--formula=4096*z + 256*y + 32*x", "--lanes=0-9"})),
            (arguments{"0: 0", "1: 1", "8: 2", "9: 3", "16: 4", "17: 5", "24: 6", "25: 7", "128: 8",
                       "129: 9"}));
}

TEST(SectorsView, LanesThatAreOffAreNotEvaluated) {
  EXPECT_EQ(view({"--formula=64/(t - 3) - 64/(t - 3)", "--lanes=0-2,4"}).sectors(), 1);
  EXPECT_EQ(view({"--shape=16", "--map=t", "--lanes=0-15"}).sectors(), 2);
}

TEST(SectorsView, AccessesThatNoGpuTakesAreRefusedWithTheRule) {
  EXPECT_EQ(error({"--offset=376922898"}),
            "lane 0: address 376922898 is not a multiple of the access size 4 (376922898 mod 4 = "
            "2): no GPU takes it; the widest type that may lie there is f16");
  EXPECT_EQ(
      error({"--type=f32x4", "--offset=4"}),
      "lane 0: address 4 is not a multiple of the access size 16 (4 mod 16 = 4): no GPU takes "
      "it; the widest type that may lie there is f32");
  EXPECT_EQ(
      error({"--type=f32x4", "--offset=8"}),
      "lane 0: address 8 is not a multiple of the access size 16 (8 mod 16 = 8): no GPU takes "
      "it; the widest type that may lie there is f64");
  EXPECT_EQ(
      error({"--fields=0,2"}),
      "instruction 2: lane 0: address 2 is not a multiple of the access size 4 (2 mod 4 = 2): "
      "no GPU takes it; the widest type that may lie there is f16");
  EXPECT_EQ(error({"--type=f32x4", "--offset=16"}), "no error but sectors: 17");
}

TEST(SectorsView, AddressesBeforeTheBufferAreRefused) {
  EXPECT_EQ(
      error({"--stride=-1"}),
      "--stride=-1: lane 31 would be at byte -124, before the buffer's first byte 0; to start "
      "further on: --offset=256");
  EXPECT_EQ(
      error({"--formula=8 + (3-8)*40", "--type=f64"}),
      "--formula=8 + (3-8)*40: lane 0 would be at byte -192, before the buffer's first byte 0; "
      "to start further on: --offset=256");
  EXPECT_EQ(error({"--offset=-4"}),
            "--offset=-4: lane 0 would be at byte -4, before the buffer's first byte 0; to start "
            "further on: --offset=252");
  EXPECT_EQ(
      error({"--shape=32", "--strides=-1", "--map=t", "--lanes=1"}),
      "--map=t: lane 1 would be at byte -4, before the buffer's first byte 0; to start further "
      "on: --offset=256");
  EXPECT_EQ(
      error({"--offset=-256"}),
      "--offset=-256: lane 0 would be at byte -256, before the buffer's first byte 0; to start "
      "further on: --offset=0");
  EXPECT_EQ(error({"--offset=252"}), "no error but sectors: 5");
}

TEST(SectorsView, BadFlagsAreOneLineWithTheRemedy) {
  const std::pair<arguments, std::string_view> cases[]{
      {{"--typ=f32"}, "--typ=f32: unknown flag; did you mean --type? --help lists all"},
      {{"stride=8"}, "'stride=8': not a flag; flags are spelled --name=value"},
      {{"--offset"}, "--offset: a value is missing, e.g. --offset=4"},
      {{"--json=1"}, "--json=1: --json takes no value"},
      {{"--json", "--svg"}, "--json and --svg are two forms of one answer: give one of them"},
      {{"--type=f32x3"},
       "--type=f32x3: unknown type; known: u8, f16, f32, f64, f32x4, f32x8; an access has 1, 2, 4, "
       "8, 16 or 32 bytes, and --fields makes structs of several"},
      {{"--stride=8", "--stride=2"},
       "--stride=2: --stride is given twice; only --formula is taken more than once"},
      {{"--json", "--json"},
       "--json: --json is given twice; only --formula is taken more than once"},
      {{"--formula=4*t", "--formula=8*q"},
       "--formula=8*q: unknown variable 'q' at character 3; known: t, x, y, z, dx, "
       "dy, dz, bx, by, bz, gx, gy, gz"},
      {{"--formula=4*t", "--formula=4*t - 8"},
       "--formula=4*t - 8: lane 0 would be at byte -8, before the buffer's first byte 0; to start "
       "further on: --offset=256"},
      {{"--formula=4*t", "--formula=4*t", "--fields=0-128:4"},
       "--formula: 66 instructions; at most 64 are taken"},
      {{"--type=f32x8", "--offset=16"},
       "lane 0: address 16 is not a multiple of the access size 32 (16 mod 32 = 16): no GPU takes "
       "it; the widest type that may lie there is f32x4"},
      {{"--type=f32x8", "--shared"},
       "--shared: accesses to shared memory have at most 16 bytes, not the 32 of --type=f32x8"},
      {{"--stride=1", "--formula=t"},
       "--stride and --formula both say where threads go: give one of them"},
      {{"--stride=1.5"}, "--stride=1.5: '1.5' is no whole number"},
      {{"--stride=9223372036854775807"},
       "--stride=9223372036854775807: 9223372036854775807 * 4 does not fit in 64 bits"},
      {{"--formula=4 + q*t"},
       "--formula=4 + q*t: unknown variable 'q' at character 5; known: t, x, y, z, dx, "
       "dy, dz, bx, by, bz, gx, gy, gz"},
      {{"--formula=4/(t-3)"}, "--formula=4/(t-3): lane 3: 4 / 0 at character 2: division by zero"},
      {{"--formula=9223372036854775804", "--offset=4"},
       "--formula=9223372036854775804: lane 0: 9223372036854775804 + 4 does not fit in 64 bits"},
      {{"--formula=9223372036854775804", "--fields=0,4"},
       "--formula=9223372036854775804: lane 0: 9223372036854775804 + 4 does not fit in 64 bits"},
      {{"--lanes=32"}, "--lanes=32: lane 32 is not one of a warp's, 0 to 31"},
      {{"--lanes=0-7,7"}, "--lanes=0-7,7: lane 7 stands twice"},
      {{"--addresses=0,4,8", "--lanes=0-7"}, "--lanes=0-7: lane 3 has no address"},
      {{"--addresses=0-128:4"}, "--addresses=0-128:4: at most 32 numbers are taken"},
      {{"--addresses=0", "--warp=1"},
       "--warp says which threads the lanes are, but --addresses asks for no threads: give one of "
       "them"},
      {{"--block=2048"},
       "--block=2048: a block is X, XxY or XxYxZ threads, at most 1024 and 64 in z, e.g. "
       "--block=256, --block=16x16 or --block=4x4x6"},
      {{"--block=4x4x6", "--warp=3"}, "--warp=3: the warps of --block=4x4x6 are 0 to 2"},
      {{"--block=16x16", "--warp=8"}, "--warp=8: the warps of --block=16x16 are 0 to 7"},
      {{"--warp=-1"}, "--warp=-1: the warps are 0 to 1099511627776"},
      {{"--block=40", "--warp=1", "--lanes=8"}, "--lanes=8: lane 8 has no thread in this block"},
      {{"--map=t"}, "--map names elements of a view: say how large it is, e.g. --shape=64,1024"},
      {{"--shape=64"},
       "--shape describes a view: say which element thread t takes, e.g. --map=t,0"},
      {{"--shape=64,0", "--map=t,0"}, "--shape=64,0: a dimension has at least 1 element"},
      {{"--shape=64,1024", "--map=t"},
       "--map=t: formulas: 1, dimensions of --shape=64,1024: 2; give one for each"},
      {{"--shape=64,1024", "--strides=1", "--map=t,0"},
       "--strides=1: strides: 1, dimensions of --shape=64,1024: 2; give one for each"},
      {{"--shape=64,1024", "--map=t,q"},
       "--map=t,q: in 'q': unknown variable 'q' at character 1; known: t, x, y, z, dx, "
       "dy, dz, bx, by, bz, gx, gy, gz"},
      {{"--shape=16,4", "--map=t,0"},
       "--map=t,0: lane 16: index 16 of dimension 0 is not in 0 to 15; a kernel would switch such "
       "lanes off, as --lanes does"},
      {{"--shape=16,4", "--map=0,t - 1"},
       "--map=0,t - 1: lane 0: index -1 of dimension 1 is not in 0 to 3; a kernel would switch "
       "such "
       "lanes off, as --lanes does"},
  };
  for (const auto& [args, expected] : cases)
    EXPECT_EQ(error(args), expected) << testing::PrintToString(args);
}

TEST(SectorsView, BlocksOfThreeDimensionsAreThoseThatGpusTake) {
  for (const std::string block : {"4x4x6", "1x1x64", "1024", "1x1024", "16x1x1"})
    EXPECT_EQ(error({"--block=" + block, "--formula=0"}), "no error but sectors: 1") << block;
  for (const std::string block :
       {"1x1x65", "64x16x2", "4x4x6x1", "0x4", "4x-4x6", "1025", "4294967296x4294967296"})
    EXPECT_NE(error({"--block=" + block}).find("a block is X, XxY or XxYxZ"), std::string::npos)
        << block;
}

bank_view banks(const arguments& args) { return banks_of(read_command(args).access); }

TEST(SectorsBanks, HandCountsOfKnownCases) {
  struct {
    arguments args;
    int wavefronts, ideal;
  } const anchors[]{
      {{}, 1, 1},
      {{"--formula=16*t"}, 4, 1},               // 8 banks with 4 words each
      {{"--stride=32"}, 32, 1},                 // a column of a tile of 32 x 32
      {{"--stride=33"}, 1, 1},                  // the same with padding
      {{"--stride=0"}, 1, 1},                   // all lanes share a word
      {{"--formula=128*(t/16)"}, 2, 1},         // two words of bank 0
      {{"--type=u8"}, 1, 1},                    // four lanes a word
      {{"--type=u8", "--stride=128"}, 32, 1},   //
      {{"--type=f64"}, 2, 2},                   // halves of the warp
      {{"--type=f64", "--stride=2"}, 4, 2},     // 16 lanes in 16 banks
      {{"--type=f32x4"}, 4, 4},                 // quarters
      {{"--type=f32x4", "--stride=8"}, 32, 4},  // 8 lanes in 4 banks
      {{"--type=f32x4", "--lanes=0-7"}, 1, 1},
      {{"--fields=0,4", "--stride=2"}, 4, 2},  // two instructions
      {{"--lanes=none"}, 0, 0},
  };
  for (const auto& [args, wavefronts, ideal] : anchors) {
    const wavefront_count total = banks(args).total();
    EXPECT_EQ(total.wavefronts, wavefronts) << testing::PrintToString(args);
    EXPECT_EQ(total.least, ideal) << testing::PrintToString(args);
  }
}

TEST(SectorsBanks, WordsAreThoseOfTheLanes) {
  const bank_view view = banks({"--formula=16*t"});
  ASSERT_EQ(view.instructions[0].parts.size(), 1u);
  const bank_part& part = view.instructions[0].parts[0];
  EXPECT_EQ(part.fullest_bank(), 0);
  EXPECT_EQ(lanes_text(part.lanes_of_bank(0)), "0-24:8");
  EXPECT_EQ(part.banks[4], (std::map<std::uint64_t, std::uint32_t>{
                               {4, 1u << 1}, {36, 1u << 9}, {68, 1u << 17}, {100, 1u << 25}}));
  EXPECT_TRUE(part.banks[1].empty());
  // Quarters without an active lane are none.
  const bank_view wide = banks({"--type=f32x4", "--lanes=8-9"});
  ASSERT_EQ(wide.instructions[0].parts.size(), 1u);
  EXPECT_EQ(lanes_text(wide.instructions[0].parts[0].lanes), "8-15");
  EXPECT_EQ(wide.unique_bytes(), 32u);
}

TEST(SectorsBanks, TheFullestBankOfEachPartHasAsManyWordsAsTheModelCountsWavefronts) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    warp_access access;
    access.width_bytes = 1u << random() % 5;
    access.active = static_cast<std::uint32_t>(random());
    auto& addresses = access.addresses.emplace_back();
    for (std::uint64_t& address : addresses)
      address = random() % (std::uint64_t{1} << random() % 11) * access.width_bytes;
    const bank_instruction one = banks_of(access).instructions[0];
    int wavefronts = 0;
    for (const bank_part& part : one.parts) {
      const auto& fullest = part.banks[static_cast<std::size_t>(part.fullest_bank())];
      EXPECT_EQ(static_cast<int>(fullest.size()), part.wavefronts);
      wavefronts += part.wavefronts;
    }
    EXPECT_EQ(wavefronts, one.count.wavefronts);
    EXPECT_EQ(static_cast<int>(one.parts.size()), one.count.least);
  }
}

TEST(SectorsBanks, WhatNoGpuTakesIsRefused) {
  const auto refusal = [](const arguments& args) -> std::string {
    try {
      return "no error but wavefronts: " + std::to_string(banks(args).total().wavefronts);
    } catch (const usage_error& refused) {
      return refused.what();
    }
  };
  EXPECT_EQ(refusal({"--offset=232320"}), "no error but wavefronts: 1");
  EXPECT_EQ(refusal({"--offset=232324"}),
            "lane 31: byte 232448 of shared memory: no block has more than 232448 bytes of it");
  EXPECT_NE(refusal({"--offset=2"}).find("is not a multiple of the access size 4"),
            std::string::npos);
}

TEST(SectorsView, UnitsAgreeWithTheModelAndWithBruteForce) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    warp_access access;
    access.width_bytes = 1u << random() % 6;
    access.active = static_cast<std::uint32_t>(random());
    const std::uint64_t range = std::uint64_t{1} << random() % 14;
    std::vector<byte_span> all;
    std::set<std::uint64_t> bytes, lines;
    std::map<std::uint64_t, std::set<std::size_t>> lanes;
    access.addresses.resize(1 + random() % 3);
    for (auto& addresses : access.addresses) {
      std::vector<byte_span> spans;
      for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
        addresses[lane] = random() % range * access.width_bytes;
        spans.push_back({addresses[lane], access.width_bytes});
        if ((access.active >> lane & 1u) == 0) continue;
        lanes[addresses[lane] / 32].insert(lane);
        for (std::uint32_t k = 0; k < access.width_bytes; ++k) bytes.insert(addresses[lane] + k);
        lines.insert(addresses[lane] / 128);
      }
      all = spans;
    }
    const warp_view v = view_of(access);
    // One instruction: the last one's counts are those of the byte-by-byte count.
    const test::brute_force_count count = test::count_byte_by_byte(all, access.active);
    EXPECT_EQ(static_cast<std::size_t>(v.instructions.back().sectors), count.sectors);
    EXPECT_EQ(v.instructions.back().unique_bytes, count.unique_bytes);
    // All of them together.
    ASSERT_EQ(v.units.size(), lanes.size());
    for (const sector_unit& unit : v.units) {
      std::set<std::size_t> named;
      for (const std::int64_t lane : lanes_of(unit.lanes()))
        named.insert(static_cast<std::size_t>(lane));
      EXPECT_EQ(named, lanes[unit.number]);
    }
    EXPECT_TRUE(std::ranges::is_sorted(v.units, {}, &sector_unit::number));
    EXPECT_EQ(static_cast<std::size_t>(v.together().lines), lines.size());
    EXPECT_EQ(v.together().unique_bytes, bytes.size());
    if (access.addresses.size() == 1) {
      EXPECT_EQ(v.together().sectors, v.instructions[0].sectors);
    }
    // What is used and what is not is all that is fetched.
    std::uint64_t unused = 0;
    for (const byte_interval& interval : v.unused())
      for (std::uint64_t byte = interval.first; byte <= interval.last; ++byte, ++unused) {
        EXPECT_FALSE(bytes.contains(byte));
        EXPECT_TRUE(lanes.contains(byte / 32));
      }
    EXPECT_EQ(unused + bytes.size(), v.units.size() * 32);
  }
}

}  // namespace
}  // namespace sectorbench::sectors
