// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sectors/command_line.hpp"
#include "bench/sectors/find.hpp"
#include "bench/support/text.hpp"

namespace sectorbench::sectors {
namespace {

using arguments = std::vector<std::string>;

find_result found(const arguments& args) { return find_causes(*read_command(args).find); }

// The first place at which a cause has `word`, from 0; -1 if none has.
int place_of(const find_result& result, std::string_view word) {
  const auto at = std::ranges::find_if(result.found, [&](const candidate& one) {
    return one.cause.find(word) != std::string::npos;
  });
  return at == result.found.end() ? -1 : static_cast<int>(at - result.found.begin());
}

TEST(SectorsFind, ACountLeadsToItsCauseNearTheTop) {
  struct expectation {
    arguments args;
    std::string_view cause;
    double sectors;
    int at_most;  // the place
  };
  const expectation expectations[]{
      // a[row*1001 + col] in 16 x 16 blocks, x and y swapped.
      {{"find", "18.3", "--type=f32", "--block=16x16"}, "x and y swapped", 18, 0},
      {{"find", "18.3"}, "x and y swapped", 18, 0},
      {{"find", "18.3", "--block=16x16", "--shape=1000,1001"}, "rows of 1001 elements", 18, 0},
      {{"find", "18.3"}, "stride 4.5", 18, 3},
      {{"find", "4"}, "coalesced: neighbouring", 4, 0},
      {{"find", "5"}, "off a sector's start", 5, 0},
      {{"find", "12"}, "stride 3", 12, 0},
      {{"find", "32"}, "stride 8 or more", 32, 0},
      {{"find", "5.75", "--block=16x16"}, "rows of 1025 elements", 5.75, 0},
      // 16 rows of two floats each: those that straddle a sector, or none.
      {{"find", "16", "--block=16x16", "--shape=1024"}, "x and y swapped", 16, 1},
      {{"find", "2.5", "--block=32x8"}, "a matrix product", 2.5, 0},
      // (5 + 4 + 5) / 3.
      {{"find", "4.667", "--tolerance=0.1"}, "three neighbours", 14.0 / 3, 0},
      {{"find", "1"}, "broadcast", 1, 0},
      {{"find", "2"}, "only the first 16 lanes", 2, 3},
      // 32 of 32 sectors drawn at random: 32 * (1 - (31/32)^32) on average.
      {{"find", "20.4"}, "at random in a table of 256 elements", 20.41, 5},
      {{"find", "9", "--type=f64"}, "off a sector's start", 9, 0},
      {{"find", "17", "--type=f32x4"}, "off a sector's start", 17, 0},
      {{"find", "3", "--type=u8"}, "stride 3", 3, 0},
      // One load of 32 sectors and three of 4.
      {{"find", "11", "--loads=4"}, "stride 8 or more", 11, 0},
      {{"find", "11", "--loads=2", "--block=16x16"}, "x and y swapped", 11, 0},
  };
  for (const expectation& one : expectations) {
    SCOPED_TRACE(testing::PrintToString(one.args));
    const find_result result = found(one.args);
    const int place = place_of(result, one.cause);
    ASSERT_GE(place, 0);
    EXPECT_LE(place, one.at_most);
    EXPECT_NEAR(result.found[static_cast<std::size_t>(place)].sectors, one.sectors,
                one.cause.starts_with("at random") ? 0.2 : 1e-9);
  }
}

TEST(SectorsFind, EachAnswerIsACommandThatCountsIt) {
  int answers = 0;
  const arguments questions[]{{"find", "1"},    {"find", "4"},  {"find", "5.75"},
                              {"find", "18.3"}, {"find", "20"}, {"find", "11", "--loads=4"},
                              {"find", "32"}};
  for (const arguments& question : questions) {
    for (const candidate& one : found(question).found) {
      const command asked = read_command(one.args);
      EXPECT_DOUBLE_EQ(asked.launch->all.cost, one.sectors);
      EXPECT_EQ(asked.launch->is_exact, one.error == 0);
      EXPECT_FALSE(one.repair.empty());
      EXPECT_TRUE(std::ranges::any_of(
          one.args, [](const std::string& arg) { return arg.starts_with("--formula="); }));
      ++answers;
    }
  }
  EXPECT_GT(answers, 15);
}

// Where a cause says "or any odd number", and so on.
TEST(SectorsFind, RowsOfOneClassCostTheSame) {
  const auto average = [](const std::string& block, std::int64_t pitch, bool is_swapped) {
    const std::string row = is_swapped ? "bx*dx + x" : "by*dy + y";
    const std::string column = is_swapped ? "by*dy + y" : "bx*dx + x";
    const arguments args{
        "--block=" + block, "--grid=32x32",
        "--formula=4*((" + row + ")*" + std::to_string(pitch) + " + " + column + ")"};
    return read_command(args).launch->all.cost;
  };
  for (const std::string block : {"16x16", "32x8", "8x8", "4x32", "64x4"})
    for (const bool is_swapped : {false, true})
      for (const std::int64_t step : {1, 2, 4, 8})
        for (const std::int64_t odd : {125, 999, 1001, 1003, 1919})
          EXPECT_DOUBLE_EQ(average(block, step * odd, is_swapped),
                           average(block, 1024 + step % 8, is_swapped))
              << block << " " << step * odd;
}

TEST(SectorsFind, WhatIsFoundLiesWithinTheTolerance) {
  for (const std::string target : {"7", "11.3", "18.3", "27"}) {
    const double sectors = std::stod(target);
    const find_result near = found({"find", target});
    const find_result wide = found({"find", target, "--tolerance=20"});
    EXPECT_GT(wide.found.size(), near.found.size());
    for (const candidate& one : near.found)
      EXPECT_LE(std::abs(one.sectors - sectors), 0.02 * sectors + 1e-9);
    for (const candidate& one : wide.found)
      EXPECT_LE(std::abs(one.sectors - sectors), 0.2 * sectors + 1e-9);
  }
}

TEST(SectorsFind, WhereNothingIsFoundTheNearestIsNamedWithWhatFindsIt) {
  const command asked = read_command(arguments{"find", "25.3", "--tolerance=0.01"});
  const find_result result = find_causes(*asked.find);
  EXPECT_TRUE(result.found.empty());
  const std::string text = nothing_found(*asked.find, result);
  const std::size_t at = text.find("--tolerance=");
  ASSERT_NE(at, std::string::npos) << text;
  const std::string remedy = text.substr(at, text.find(')', at) - at);
  EXPECT_FALSE(found({"find", "25.3", remedy}).found.empty()) << text;
}

TEST(SectorsFind, BlocksOfEveryShapeAndTypesOfEveryWidthAreTried) {
  const std::pair<std::string, std::string> launches[]{
      {"1", "f32"},    {"33", "u8"},     {"1024", "f32x8"}, {"1x32", "f64"},
      {"16x16", "u8"}, {"4x4x6", "f32"}, {"2x2x64", "f16"}, {"7x5x3", "f32x4"}};
  for (const auto& [block, type] : launches) {
    const find_result result =
        found({"find", "8", "--tolerance=100", "--block=" + block, "--type=" + type});
    EXPECT_GT(result.found.size(), 3u) << block << " " << type;
    for (const candidate& one : result.found) {
      EXPECT_GE(one.sectors, 1);
      EXPECT_LE(one.sectors, 32);
    }
  }
}

TEST(SectorsFind, BadQuestionsAreOneLineWithTheRemedy) {
  const std::vector<std::pair<arguments, std::string_view>> cases{
      {{"find"}, "find: a count is missing"},
      {{"find", "0.99"}, "'0.99': find takes sectors per request, at least 1 and at most 32"},
      {{"find", "33"}, "'33': find takes"},
      {{"find", "nan"}, "'nan': find takes"},
      {{"find", "1x"}, "'1x': find takes"},
      {{"find", "4", "5"}, "'5': find takes one count"},
      {{"find", "4", "--stride=8"}, "--stride=8: --stride draws a warp: find does not take it"},
      {{"--loads=3"}, "--loads goes with find only"},
      {{"find", "4", "--loads=0"}, "--loads=0: a request's average is of 1 to 64 loads"},
      {{"find", "4", "--loads=65"}, "--loads=65"},
      {{"find", "4", "--tolerance=0"}, "--tolerance=0: "},
      {{"find", "4", "--shape=10,0"}, "--shape=10,0: the last dimension is the length of a row"},
      {{"find", "4", "--block=32", "--grid=4"}, "--grid=4: --grid draws a warp"},
      {{"find", "4", "--tol=1"}, "--tol=1: unknown flag"},
      {{"find", "4", "--svg"}, "--svg"},
  };
  for (const auto& [args, text] : cases) {
    try {
      read_command(args);
      ADD_FAILURE() << testing::PrintToString(args);
    } catch (const usage_error& error) {
      EXPECT_NE(std::string_view(error.what()).find(text), std::string_view::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace sectorbench::sectors
