// SPDX-License-Identifier: Apache-2.0
#include "bench/support/expression.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

constexpr std::array<std::string_view, 2> kNames{"t", "row"};
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t value(std::string_view text, std::int64_t t = 0, std::int64_t row = 0) {
  return expression(text, kNames).evaluate(std::array{t, row});
}

std::string error(std::string_view text, std::int64_t t = 0, std::int64_t row = 0) {
  try {
    return "no error but " + std::to_string(value(text, t, row));
  } catch (const usage_error& refused) {
    return refused.what();
  }
}

TEST(Expression, NumbersAndVariables) {
  EXPECT_EQ(value("7"), 7);
  EXPECT_EQ(value("0x1F"), 31);
  EXPECT_EQ(value("9223372036854775807"), kMost);
  EXPECT_EQ(value(" t ", 5, 6), 5);
  EXPECT_EQ(value("row", 5, 6), 6);
  EXPECT_EQ(value("4 + 32*t", 31), 996);
}

TEST(Expression, OperatorsAreThoseOfC) {
  const std::int64_t t = 23, row = -5;
  const std::pair<std::string_view, std::int64_t> cases[]{
      {"t + row * 3 - 2", t + row * 3 - 2},
      {"(t + row) * 3 - 2", (t + row) * 3 - 2},
      {"t - row - 4", t - row - 4},
      {"t / 4 % 4", t / 4 % 4},
      {"row / 2", row / 2},
      {"row % 3", row % 3},
      {"t << 2 + 1", t << (2 + 1)},
      {"t >> 1 << 1", t >> 1 << 1},
      {"row >> 1", row >> 1},
      {"t & 6 ^ 3 | 8", ((t & 6) ^ 3) | 8},
      {"8 | 3 ^ 6 & t", 8 | (3 ^ (6 & t))},
      {"t & 1 << 2", t & (1 << 2)},
      {"-t + ~row", -t + ~row},
      {"- - -t", -t},
      {"+t*-2", t * -2},
      {"~0", -1},
      {"-7 / 2", -3},
      {"-7 % 2", -1},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(value(text, t, row), expected) << text;
}

TEST(Expression, NothingWraps) {
  EXPECT_EQ(value("t - 1", kLeast + 1), kLeast);
  EXPECT_EQ(error("1 + t", kMost),
            "1 + 9223372036854775807 at character 3: the result does not fit in 64 bits");
  EXPECT_EQ(error("t - 1", kLeast),
            "-9223372036854775808 - 1 at character 3: the result does not fit in 64 bits");
  EXPECT_EQ(error("t * 2", kMost / 2 + 1),
            "4611686018427387904 * 2 at character 3: the result does not fit in 64 bits");
  for (const std::string_view text : {"-t", "t / -1", "t % -1", "t << 1"})
    EXPECT_NE(error(text, kLeast).find("does not fit in 64 bits"), std::string::npos) << text;
  EXPECT_EQ(error("9223372036854775808"),
            "'9223372036854775808' at character 1 does not fit in 64 bits");
}

TEST(Expression, DivisionByZeroAndLongShiftsHaveNoResult) {
  EXPECT_EQ(error("64 / (t - 3)", 3), "64 / 0 at character 4: division by zero");
  EXPECT_EQ(error("64 % t"), "64 % 0 at character 4: division by zero");
  EXPECT_EQ(value("1 << 62"), std::int64_t{1} << 62);
  EXPECT_EQ(error("1 << 63"), "1 << 63 at character 3: a shift is by 0 to 62");
  EXPECT_EQ(error("1 >> -1"), "1 >> -1 at character 3: a shift is by 0 to 62");
}

TEST(Expression, ErrorsNameTheCharacter) {
  const std::pair<std::string_view, std::string_view> cases[]{
      {"", "expected a number, a variable or '(', found the end at character 1"},
      {"4 + q*t", "unknown variable 'q' at character 5; known: t, row"},
      {"4 + 2t", "'2t' at character 5 is no number; a product is written 2*t"},
      {"0x", "'0x' at character 1 is no number; a product is written 2*t"},
      {"4 4", "expected an operator, found '4' at character 3"},
      {"t = 4", "expected an operator, found '=' at character 3"},
      {"(t", "expected ')' or an operator, found the end at character 3"},
      {"t)", "expected an operator, found ')' at character 2"},
      {"t **2", "expected a number, a variable or '(', found '*' at character 4"},
      {"t < 2", "expected an operator, found '<' at character 3"},
      {"1.5", "expected an operator, found '.' at character 2"},
      {"t\n", "expected an operator, found a character that is not printable ASCII at character 2"},
      {"2\xc3\x97t",
       "expected an operator, found a character that is not printable ASCII at character 2"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(error(text), expected) << text;
}

TEST(Expression, DeepNestingIsRefusedAndLengthIsNot) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '(') + "t" + std::string(levels, ')');
  };
  EXPECT_EQ(value(nested(90), 7), 7);
  EXPECT_NE(error(nested(100'000)).find("more than 100 levels of nesting at character"),
            std::string::npos);
  EXPECT_NE(error(std::string(100'000, '-') + "t").find("levels of nesting"), std::string::npos);
  std::string sum = "t";
  for (int i = 0; i < 10'000; ++i) sum += "+1";
  EXPECT_EQ(value(sum, 7), 10'007);
}

}  // namespace
}  // namespace sectorbench
