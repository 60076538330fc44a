// SPDX-License-Identifier: Apache-2.0
#include "bench/support/csv.hpp"

#include <gtest/gtest.h>

namespace sectorbench {
namespace {

using fields = std::vector<std::string>;

TEST(Csv, FieldsInQuotesHoldSeparatorsQuotesAndLineEnds) {
  const auto records = read_csv("a,\"b,c\",\"say \"\"d\"\"\"\r\n\"two\nlines\",,e\n\nlast");
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].fields, (fields{"a", "b,c", "say \"d\""}));
  EXPECT_EQ(records[1].fields, (fields{"two\nlines", "", "e"}));
  EXPECT_EQ(records[2].fields, (fields{""}));
  EXPECT_EQ(records[3].fields, (fields{"last"}));
  EXPECT_EQ(records[1].line, 2u);
  EXPECT_EQ(records[3].line, 5u);
}

TEST(Csv, ATextThatEndsWithinQuotesIsNotClosed) {
  EXPECT_TRUE(read_csv("a,\"b\"").back().closed);
  EXPECT_FALSE(read_csv("x\na,\"b").back().closed);
  EXPECT_FALSE(read_csv("a,\"b\"\"").back().closed);
  EXPECT_TRUE(read_csv("").empty());
}

TEST(Csv, QuotesInsideAFieldAreText) {
  EXPECT_EQ(read_csv("with a \"quote\"; and;", ';').front().fields,
            (fields{"with a \"quote\"", " and", ""}));
}

}  // namespace
}  // namespace sectorbench
