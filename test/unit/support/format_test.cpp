// SPDX-License-Identifier: Apache-2.0
#include "bench/support/format.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <locale>
#include <string>

namespace sectorbench {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Format, FourSignificantDigitsAcrossEveryPowerOfTen) {
  EXPECT_EQ(format_significant(0), "0");
  EXPECT_EQ(format_significant(0.01234), "0.01234");
  EXPECT_EQ(format_significant(0.99996), "1.000");
  EXPECT_EQ(format_significant(9.9996), "10.00");
  EXPECT_EQ(format_significant(99.94), "99.94");
  EXPECT_EQ(format_significant(999.96), "1000");
  EXPECT_EQ(format_significant(12345.6), "12346");
  EXPECT_EQ(format_significant(-2.5), "-2.500");
  EXPECT_EQ(format_significant(kInfinity), "-");
}

TEST(Format, TimesTakeTheUnitThatSuitsThem) {
  EXPECT_EQ(format_time(0), "0 s");
  EXPECT_EQ(format_time(2.5e-12), "0.002500 ns");
  EXPECT_EQ(format_time(1e-9), "1.000 ns");
  EXPECT_EQ(format_time(999.94e-9), "999.9 ns");
  EXPECT_EQ(format_time(999.96e-9), "1.000 us");
  EXPECT_EQ(format_time(198.4e-6), "198.4 us");
  EXPECT_EQ(format_time(1.2926e-3), "1.293 ms");
  EXPECT_EQ(format_time(59.5), "59.50 s");
  EXPECT_EQ(format_time(1.2926e-3, 3), "1.29 ms");
  EXPECT_EQ(format_time(999.6e-9, 3), "1.00 us");
  EXPECT_EQ(format_time(999.4e-9, 3), "999 ns");
  EXPECT_EQ(format_time(kInfinity), "-");
}

TEST(Format, BytesTakeBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(268435456), "256 MiB");
  EXPECT_EQ(format_bytes(std::int64_t{141} << 30), "141 GiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::int64_t>::max()), "8388608.0 TiB");
}

TEST(Format, Percentages) {
  EXPECT_EQ(format_percent(0.873, 0), "87 %");
  EXPECT_EQ(format_percent(0.0006, 2), "0.06 %");
  EXPECT_EQ(format_percent(kInfinity, 0), "-");
}

TEST(Format, ExactReadsBackAsTheSameNumber) {
  for (const double value : {0.1, 1.0 / 3, 5e-324, 1e22, 536870912.0})
    EXPECT_EQ(std::strtod(format_exact(value).c_str(), nullptr), value);
  EXPECT_EQ(format_exact(0.1), "0.1");
  EXPECT_EQ(format_exact(500000), "500000");
  EXPECT_EQ(format_exact(1e22), "1e+22");
}

// Groups of one digit and a comma for a point: what a locale can do at worst.
struct strange_punctuation : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\1"; }
};

TEST(Format, TheLocaleDoesNotMatter) {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new strange_punctuation));
  EXPECT_EQ(format_significant(1234.5), "1234");
  EXPECT_EQ(format_exact(1234.5), "1234.5");
  EXPECT_EQ(format_time(1.5e-3), "1.500 ms");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  std::locale::global(before);
}

}  // namespace
}  // namespace sectorbench
