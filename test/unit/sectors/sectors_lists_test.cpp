// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/sectors/number_list.hpp"
#include "bench/support/text.hpp"

namespace sectorbench::sectors {
namespace {

using numbers = std::vector<std::int64_t>;

std::string error(std::string_view text) {
  try {
    return "no error but " + list_text(read_numbers(text, 32));
  } catch (const usage_error& refused) {
    return refused.what();
  }
}

TEST(SectorsLists, NumbersRangesAndSteps) {
  EXPECT_EQ(read_numbers("5", 32), numbers{5});
  EXPECT_EQ(read_numbers("0-3,16", 32), (numbers{0, 1, 2, 3, 16}));
  EXPECT_EQ(read_numbers("0-12:4,4", 32), (numbers{0, 4, 8, 12, 4}));
  EXPECT_EQ(read_numbers("0-11:4", 32), (numbers{0, 4, 8}));
  EXPECT_EQ(read_numbers("3-3", 32), numbers{3});
  EXPECT_EQ(read_numbers("9223372036854775800-9223372036854775807:5", 32),
            (numbers{9223372036854775800, 9223372036854775805}));
}

TEST(SectorsLists, WhatIsNoListIsRefused) {
  const std::pair<std::string_view, std::string_view> cases[]{
      {"", "'' is no whole number"},
      {"1,,2", "'' is no whole number"},
      {"a", "'a' is no whole number"},
      {"1.5", "'1.5' is no whole number"},
      {"-4", "'-4' is less than 0, where a list begins"},
      {"0--4", "'-4' is less than 0, where a list begins"},
      {"1-", "'' is no whole number"},
      {"1-3:", "'' is no whole number"},
      {"3-1", "'3-1' is no range: those run upward by at least 1, e.g. 0-7 or 0-124:4"},
      {"1-3:0", "'1-3:0' is no range: those run upward by at least 1, e.g. 0-7 or 0-124:4"},
      {"0-32", "at most 32 numbers are taken"},
      {"0-9223372036854775807", "at most 32 numbers are taken"},
      {"9223372036854775808", "'9223372036854775808' does not fit in 64 bits"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(error(text), expected) << text;
}

TEST(SectorsLists, TextIsAsShortAsTheFlags) {
  EXPECT_EQ(list_text(numbers{}), "");
  EXPECT_EQ(list_text(numbers{0, 1}), "0,1");
  EXPECT_EQ(list_text(numbers{0, 1, 2, 8, 12, 16, 40}), "0-2,8-16:4,40");
  EXPECT_EQ(list_text(numbers{5, 3, 1}), "5,3,1");
  EXPECT_EQ(list_text(numbers{7, 7, 7}), "7,7,7");
  EXPECT_EQ(lanes_text(0), "");
  EXPECT_EQ(lanes_text(0xffff'ffff), "0-31");
  EXPECT_EQ(lanes_text(0x5555'5555), "0-30:2");
  EXPECT_EQ(lanes_text(0x8001'00ff), "0-7,16,31");
  EXPECT_EQ(lanes_of(0x8000'0001), (numbers{0, 31}));
}

}  // namespace
}  // namespace sectorbench::sectors
