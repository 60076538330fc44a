// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/listing.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

std::vector<suite_row> rows_of(const std::vector<std::string>& flags) {
  return make_suite(parse_options(flags).ours, {});
}

TEST(Listing, GroupsRowsByPatternInTheOrderOfTheirFirst) {
  EXPECT_EQ(listing_of(rows_of({"--rows=stride/copy/f32/stride:8,contiguous/read/u8,"
                                "stride/read/f32/stride:2"})),
            "stride: neighbouring threads move elements a stride apart\n"
            "  column c, row r of threads: element c stride + r\n"
            "    stride/copy/f32/stride:8\n"
            "    stride/read/f32/stride:2\n"
            "\n"
            "contiguous: thread t moves element t\n"
            "  thread t: element t\n"
            "    contiguous/read/u8\n"
            "\n"
            "3 rows of 2 patterns\n");
}

// As a prediction and a run say of the same rows.
TEST(Listing, RowsThatNoDeviceTakesSayWhy) {
  const std::string text =
      listing_of(rows_of({"--rows=pitch/copy/f32/columns:1000/pitch:10,wide/copy/f32/first:4/v:4,"
                          "wide/copy/f32/first:1/v:4,wide/copy/u8/first:3/v:4",
                          "--elements=10001"}));
  for (const char* const refused : {"pitch/copy/f32/columns:1000/pitch:10",
                                    "wide/copy/f32/first:1/v:4", "wide/copy/u8/first:3/v:4"})
    EXPECT_NE(text.find(std::string("\n    ") + refused + " skipped: "), std::string::npos)
        << refused;
  EXPECT_NE(text.find("\n    wide/copy/f32/first:4/v:4\n"), std::string::npos) << text;
}

TEST(Listing, OneIsNoPlural) {
  const std::string text = listing_of(rows_of({"--rows=memcpy/copy/f32"}));
  EXPECT_TRUE(text.ends_with("    memcpy/copy/f32\n\n1 row of 1 pattern\n")) << text;
}

TEST(Listing, APatternOfSeveralEntriesStandsOnce) {
  const std::string text = listing_of(rows_of(
      {"--rows=unrolled/copy/f32/unroll:2,unrolled/copy/f32/unroll:4,unrolled/copy/f32/unroll:8"}));
  EXPECT_EQ(text.find("unrolled: "), 0u) << text;
  EXPECT_EQ(text.find("unrolled: ", 1), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\n3 rows of 1 pattern\n")) << text;
}

TEST(Listing, EveryRegisteredPatternFitsIn100Columns) {
  const std::string text = listing_of(rows_of({"--suite=full"}));
  ASSERT_FALSE(registered_patterns().empty());
  for (const pattern_entry& pattern : registered_patterns())
    EXPECT_NE(("\n" + text).find("\n" + std::string(pattern.name) + ": "), std::string::npos)
        << pattern.name;
  for (const std::string_view line : split(text, '\n')) EXPECT_LE(line.size(), 100u) << line;
}

}  // namespace
}  // namespace sectorbench
