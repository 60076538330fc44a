// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "bench/sectors/command_line.hpp"
#include "bench/sectors/launch_view.hpp"
#include "bench/support/text.hpp"
#include "test/support/brute_force.hpp"

namespace sectorbench::sectors {
namespace {

using arguments = std::vector<std::string>;

launch_view launch(const arguments& args) { return *read_command(args).launch; }

std::string error(const arguments& args) {
  try {
    return "no error but " + std::to_string(launch(args).all.cost);
  } catch (const usage_error& refused) {
    return refused.what();
  }
}

struct anchor {
  arguments args;
  double average, fewest, most;
  block_place block;  // of the first that costs most
  std::int64_t warp;
};

TEST(SectorsLaunch, HandCountsOfKnownLaunches) {
  const anchor anchors[]{
      // A warp has rows r and r + 1 of sixteen floats, r even. Row r begins at float r mod 8 of a
      // sector: two sectors if that is 0, else three. (5 + 6 + 6 + 6) / 4.
      {{"--block=16x16", "--grid=63x63", "--formula=4*((by*dy + y)*1001 + bx*dx + x)"},
       5.75,
       5,
       6,
       {0, 0, 0},
       1},
      // x and y swapped: sixteen rows of two floats, of which those at float 7 of a sector, two of
      // sixteen, lie in two.
      {{"--block=16x16", "--grid=63x63", "--formula=4*((bx*dx + x)*1001 + by*dy + y)"},
       18,
       18,
       18,
       {0, 0, 0},
       0},
      // The same rows 8 floats apart from a sector's start, by blocks of other shapes.
      {{"--block=32x8", "--grid=4x4", "--formula=4*((bx*dx + x)*1001 + by*dy + y)"},
       32,
       32,
       32,
       {0, 0, 0},
       0},
      // Sixteen billion warps.
      {{"--block=256", "--grid=2000000000", "--offset=4"}, 5, 5, 5, {0, 0, 0}, 0},
      {{"--block=256", "--grid=2000000000", "--stride=2"}, 8, 8, 8, {0, 0, 0}, 0},
      // A block of 40 threads: four sectors and one.
      {{"--block=40", "--grid=1000", "--formula=4*(bx*1024 + t)"}, 2.5, 1, 4, {0, 0, 0}, 0},
      // By --stride, blocks begin at floats 0, 40, 80, ..., at a sector's start.
      {{"--block=40", "--grid=1000"}, 2.5, 1, 4, {0, 0, 0}, 0},
      // At floats 0, 36, 72, 108, ...: a full warp has four or five sectors, the other four floats
      // one, from float 32 or 36 of a block, and thus never two.
      {{"--block=36", "--grid=1000"}, 2.75, 1, 5, {1, 0, 0}, 0},
      // Strides 0, 1 and 2.
      {{"--block=32", "--grid=3", "--formula=4*bx*x"}, 13.0 / 3, 1, 8, {2, 0, 0}, 0},
      // One block in a thousand is spread.
      {{"--block=32", "--grid=1000000", "--formula=4*t*(1 + bx%1000/999*7)"},
       4.028,
       4,
       32,
       {999, 0, 0},
       0},
      // A grid of three dimensions: the block's place in z moves by half a sector.
      {{"--block=32", "--grid=3x5x8", "--formula=4*t + 16*bz + 4096*(bx + by)"},
       4.5,
       4,
       5,
       {0, 0, 1},
       0},
      // Below 0 a remainder is none of the later ones: strides 3, 1, 2, 3, 1, 2, then 3, 4, 5.
      {{"--block=32", "--grid=1206", "--formula=4*t*(3 + (bx - 6)%3)"},
       (48 + 400 * 48) / 1206.0,
       4,
       20,
       {8, 0, 0},
       0},
      // A ring of 1000 floats: parts that wrap begin and end with sectors.
      {{"--block=256", "--grid=1000000", "--formula=4*((bx*dx + t)%1000)"}, 4, 4, 4, {0, 0, 0}, 0},
      // Two loads of a matrix product.
      {{"--block=32x8", "--grid=32x128", "--formula=4096*(by*dy + y)", "--formula=4*(bx*dx + x)"},
       2.5,
       2.5,
       2.5,
       {0, 0, 0},
       0},
      // Shared memory: a column of a tile, without and with a padded row.
      {{"--shared", "--block=32x32", "--grid=7", "--formula=4*(32*x + y)"},
       32,
       32,
       32,
       {0, 0, 0},
       0},
      {{"--shared", "--block=32x32", "--grid=7", "--formula=4*(33*x + y)"}, 1, 1, 1, {0, 0, 0}, 0},
      // Two lanes of every other block only share a bank.
      {{"--shared", "--block=32", "--grid=1000001", "--formula=4*t*(1 + bx%2)", "--lanes=0,16"},
       1 + 500000.0 / 1000001,
       1,
       2,
       {1, 0, 0},
       0},
      // Elements of other widths.
      {{"--type=f64", "--block=64", "--grid=5000000", "--offset=8"}, 9, 9, 9, {0, 0, 0}, 0},
      {{"--type=f32x4", "--block=64", "--grid=5000000"}, 16, 16, 16, {0, 0, 0}, 0},
      // A view, its row by the block.
      {{"--shape=1000,1002", "--map=bx,t", "--block=32", "--grid=1000"}, 4.75, 4, 5, {1, 0, 0}, 0},
  };
  for (const anchor& expected : anchors) {
    SCOPED_TRACE(testing::PrintToString(expected.args));
    const launch_view view = launch(expected.args);
    EXPECT_TRUE(view.is_exact);
    EXPECT_EQ(view.all.error, 0);
    EXPECT_DOUBLE_EQ(view.all.cost, expected.average);
    EXPECT_EQ(view.all.fewest.per_request, expected.fewest);
    EXPECT_EQ(view.all.most.per_request, expected.most);
    EXPECT_EQ(view.all.most.block, expected.block);
    EXPECT_EQ(view.all.most.warp, expected.warp);
  }
}

TEST(SectorsLaunch, CountsWarpsRequestsAndInstructions) {
  const launch_view view =
      launch({"--block=40x2", "--grid=3x5", "--formula=0", "--formula=4*t", "--lanes=0-15"});
  EXPECT_EQ(view.warps, 45);  // of 80 threads: three a block
  EXPECT_EQ(view.requests, 90);
  ASSERT_EQ(view.instructions.size(), 2u);
  EXPECT_EQ(view.instructions[0].cost, 1);
  EXPECT_EQ(view.instructions[1].cost, 2);
  EXPECT_EQ(view.all.cost, 1.5);
  EXPECT_EQ(view.all.requested_bytes, 64);
  EXPECT_EQ(view.all.unique_bytes, 34);
  EXPECT_EQ(view.all.efficiency(), 34.0 / 48);
  const launch_view none = launch({"--block=40", "--grid=2000000000", "--lanes=none"});
  EXPECT_EQ(none.requests, 0);
  EXPECT_EQ(none.all.cost, 0);
}

TEST(SectorsLaunch, TheWarpDrawnIsOfTheBlockNamed) {
  const arguments args{"--block=32", "--grid=4x3", "--formula=4096*by + 256*bx + 8*t", "--at=2,1"};
  EXPECT_EQ(read_command(args).access.addresses[0][1], 4096u + 512 + 8);
}

TEST(SectorsLaunch, ABlockThatNoGpuTakesIsNamed) {
  // Blocks that repeat others lie at other addresses: the last is the first below 0.
  EXPECT_EQ(error({"--block=32", "--grid=1001", "--formula=4*(1000 - bx)"}),
            "no error but 1.000000");
  EXPECT_TRUE(error({"--block=32", "--grid=1002", "--formula=4*(1000 - bx)"})
                  .starts_with("block 1001, warp 0: --formula=4*(1000 - bx): lane 0 would be at "
                               "byte -4, "));
  EXPECT_TRUE(error({"--block=32", "--grid=100000x2", "--formula=4*t + bx%1000/999*2"})
                  .starts_with("block 999, warp 0: lane 0: address 2 is not a multiple"));
  EXPECT_TRUE(error({"--block=64", "--grid=65", "--shape=64,1024", "--map=bx,t"})
                  .starts_with("block 64, warp 0: --map=bx,t: lane 0: index 64 of dimension 0"));
  // A sum in which the indices cancel each other still leaves the view.
  EXPECT_TRUE(
      error({"--block=32", "--grid=300", "--shape=100,100", "--strides=1,-1", "--map=bx,bx"})
          .starts_with("block "));
  EXPECT_EQ(error({"--shared", "--block=32", "--grid=227", "--formula=4*t + 1024*bx"}),
            "no error but 1.000000");
  EXPECT_TRUE(error({"--shared", "--block=32", "--grid=228", "--formula=4*t + 1024*bx"})
                  .starts_with("block 227, warp 0: lane 0: byte 232448 of shared memory"));
  EXPECT_NE(error({"--block=32", "--grid=100", "--formula=4*t + 4/(bx - 77)*0"}).find("block 77,"),
            std::string::npos);
  // Where the value leaves 64 bits: block 2^30 - 1 is the last that fits, the last field does not.
  EXPECT_NE(error({"--block=32", "--grid=1073741824", "--formula=bx*8589934592",
                   "--fields=0,9223372036854775804"})
                .find("block 1073741823, warp 0"),
            std::string::npos);
  EXPECT_NE(error({"--block=32", "--grid=2000000000", "--formula=bx*8589934592"}).find("block "),
            std::string::npos);
}

TEST(SectorsLaunch, WhatCannotBeCountedIsAnEstimateThatSaysSo) {
  // Strides 0 to 15 in turn, for which no period is short enough: on average
  // (1 + 4*(1 + ... + 7) + 8*32) / 16.
  const launch_view view =
      launch({"--block=32", "--grid=1000000000", "--formula=4*(t*(bx%100000007%16))"});
  EXPECT_FALSE(view.is_exact);
  EXPECT_GT(view.all.error, 0);
  EXPECT_LT(view.all.error, 0.2);
  EXPECT_NEAR(view.all.cost, 369.0 / 16, view.all.error);
  EXPECT_LT(view.counted, view.warps);
  EXPECT_EQ(view.all.most.per_request, 32);
  EXPECT_EQ(view.all.fewest.per_request, 1);
  EXPECT_EQ(view.instructions[0].error, view.all.error);
}

TEST(SectorsLaunch, LongFormulasAreDrawnLessOften) {
  const arguments launch_of_many{"--block=32", "--grid=1000000000"};
  arguments usual = launch_of_many, longer = launch_of_many;
  std::string formula = "--formula=4*(t*(bx%100000007%16)";
  usual.push_back(formula + ")");
  for (int i = 0; i < 1000; ++i) formula += " + x - x";
  longer.push_back(formula + ")");
  const launch_view many = launch(usual), few = launch(longer);
  EXPECT_LT(few.counted, many.counted / 50);
  EXPECT_GT(few.all.error, many.all.error);
  EXPECT_NEAR(few.all.cost, many.all.cost, few.all.error);
}

TEST(SectorsLaunch, BadGridsAreOneLineWithTheRemedy) {
  const std::vector<std::pair<arguments, std::string>> cases{
      {{"--grid=4"}, "--grid counts blocks: say how large one is, e.g. --block=256"},
      {{"--block=32", "--grid=0"}, "--grid=0: a grid is X, XxY or XxYxZ blocks"},
      {{"--block=32", "--grid=1x65536"}, "at most 2147483647 in x and 65535 in y and z"},
      {{"--block=32", "--grid=1x1x1x1"}, "a grid is X, XxY or XxYxZ blocks"},
      {{"--block=1024", "--grid=2147483647x65535x65535"}, "more than 1099511627776 warps"},
      {{"--block=32", "--at=1"}, "--at names a block of a grid"},
      {{"--block=32", "--grid=4x3", "--at=4"}, "--at=4: the blocks of --grid=4x3 are 0 to 3,2"},
      {{"--block=32", "--grid=4", "--at=0,0,0,0"}, "the blocks of --grid=4 are 0 to 3"},
      {{"--block=32", "--formula=bx"}, "--formula=bx: bx is known where the grid is: give --grid"},
      {{"--formula=4*(gx + t)"}, "gx is known where the launch is: give --block"},
      {{"--addresses=0", "--block=32", "--grid=4"}, "--addresses asks for no threads"},
  };
  for (const auto& [args, text] : cases)
    EXPECT_NE(error(args).find(text), std::string::npos) << error(args);
}

// A formula of random operators over threads and blocks.
std::string random_formula(std::mt19937_64& random, int depth) {
  const auto one_of = [&](const std::vector<std::string>& from) {
    return from[random() % from.size()];
  };
  if (depth == 0 || random() % 5 == 0)
    return one_of({"t", "x", "y", "bx", "by", "bz", "bx", "by", "gx", "dx", "1", "2", "3", "5", "7",
                   "8", "12", "32", "100"});
  if (random() % 12 == 0) return one_of({"-", "~"}) + random_formula(random, depth - 1);
  const std::string left = "(" + random_formula(random, depth - 1) + ")";
  switch (random() % 4) {
    case 0:
      return left + one_of({"/", "%", ">>", "<<", "&", "^", "|", "&"}) +
             one_of({"1", "2", "3", "4", "5", "7", "12", "(-4)", "(-1)", "dx"});
    case 1:
      return left + "*" + one_of({"2", "3", "4", "16", "24", "-1", "gx"});
    default:
      return left + one_of({"+", "+", "-", "*", "^", "|", "&"}) + "(" +
             random_formula(random, depth - 1) + ")";
  }
}

// Every warp of a launch, byte by byte; nothing if one of them is refused.
std::optional<std::array<double, 3>> count_every_warp(const layout& of) {
  double sectors = 0, warps = 0, fewest = 1e9, most = 0;
  const extent& grid = *of.shape.grid;
  for (std::int64_t z = 0; z < grid.z; ++z)
    for (std::int64_t y = 0; y < grid.y; ++y)
      for (std::int64_t x = 0; x < grid.x; ++x)
        for (std::int64_t warp = 0; warp < of.shape.warps(); ++warp) {
          std::vector<byte_span> spans;
          try {
            for (int lane = 0; lane < 32; ++lane) {
              const auto thread = thread_of(of.shape, {x, y, z}, warp, lane);
              if (!thread) continue;
              const std::int64_t at = of.sources[0].terms[0].formula.evaluate(*thread);
              if (at < 0 || at % of.width_bytes != 0) return {};
              spans.push_back({static_cast<std::uint64_t>(at), of.width_bytes});
            }
          } catch (const usage_error&) {
            return {};
          }
          const auto here = static_cast<double>(test::count_byte_by_byte(spans, ~0u).sectors);
          sectors += here;
          fewest = std::min(fewest, here);
          most = std::max(most, here);
          ++warps;
        }
  return std::array{sectors / warps, fewest, most};
}

TEST(SectorsLaunch, RandomFormulasAgreeWithEveryWarpCounted) {
  std::mt19937_64 random(1);
  int counted = 0, refused = 0, shortened = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::string formula = random_formula(random, 4);
    const bool is_byte = random() % 4 == 0;
    layout of;
    of.width_bytes = is_byte ? 1 : 4;
    of.shape.block = extent{static_cast<std::int64_t>(1 + random() % 12),
                            static_cast<std::int64_t>(1 + random() % 5), 1};
    of.shape.grid = extent{static_cast<std::int64_t>(1 + random() % 150),
                           static_cast<std::int64_t>(1 + random() % 6),
                           static_cast<std::int64_t>(1 + random() % 2)};
    const std::string text = is_byte ? formula : "4*(" + formula + ")";
    const std::string what = text + " --block=" + extent_text(*of.shape.block) +
                             " --grid=" + extent_text(*of.shape.grid);
    const expression read = read_formula(text, of.shape);
    of.sources.push_back(
        {"--formula=" + text,
         [read](int, const thread_values& thread) { return read.evaluate(thread); },
         {{read, 1}},
         text});
    const auto expected = count_every_warp(of);
    try {
      const launch_view view = launch_of(of, false);
      ASSERT_TRUE(expected) << what;
      EXPECT_TRUE(view.is_exact) << what;
      EXPECT_NEAR(view.all.cost, (*expected)[0], 1e-9) << what;
      EXPECT_EQ(view.all.fewest.per_request, (*expected)[1]) << what;
      EXPECT_EQ(view.all.most.per_request, (*expected)[2]) << what;
      shortened += view.counted < view.warps ? 1 : 0;
      ++counted;
    } catch (const usage_error& error) {
      EXPECT_FALSE(expected) << what << ": " << error.what();
      ++refused;
    }
  }
  EXPECT_GT(counted, 300);
  EXPECT_GT(refused, 300);
  EXPECT_GT(shortened, 150);  // by periods
}

}  // namespace
}  // namespace sectorbench::sectors
