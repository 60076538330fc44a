// SPDX-License-Identifier: Apache-2.0
#include "bench/support/text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bench/support/bad_value.hpp"

namespace sectorbench {
namespace {

using views = std::vector<std::string_view>;

TEST(Text, AMessageKeepsItsEndsOfAMegabyte) {
  const std::string message = usage_error("--flag=" + std::string(1 << 20, 'x') + ": why").what();
  EXPECT_EQ(message.size(), 2003u);
  EXPECT_TRUE(message.starts_with("--flag=x") && message.ends_with("x: why")) << message;
  EXPECT_EQ(shortened(std::string(2000, 'y')), std::string(2000, 'y'));
  std::string umlauts;
  while (umlauts.size() < 5001) umlauts += "\xc3\xa4";
  EXPECT_TRUE(is_utf8(shortened(umlauts)) && is_utf8(shortened("z" + umlauts)));
}

// Who puts a flag before a value's error would put it before a finished line too.
static_assert(!std::is_base_of_v<bad_value, usage_error>);

TEST(Text, AUsageErrorIsOneLine) {
  EXPECT_STREQ(usage_error("a\nb\x7f\tc").what(), "a?b??c");
  EXPECT_STREQ(usage_error("'\\ \"gr\xc3\xbc\xc3\x9f"
                           "e")
                   .what(),
               "'\\ \"gr\xc3\xbc\xc3\x9f"
               "e");
}

TEST(Text, SanitizedTextIsPrintableAsciiWithoutQuotesAndBackslashes) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  for (const char c : sanitize(all))
    EXPECT_TRUE(c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '`') << int{c};
  EXPECT_EQ(sanitize("a \"b\" c\\d\n\xc2\xae"), "a 'b' c/d ??");
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("", ','), views{""});
  EXPECT_EQ(split(",a,", ','), (views{"", "a", ""}));
}

TEST(Text, JoinSeparates) {
  EXPECT_EQ(join(views{}, ", "), "");
  EXPECT_EQ(join(views{"a", "b"}, ", "), "a, b");
}

TEST(Text, WrapBreaksAtSpacesAndKeepsLongWords) {
  EXPECT_EQ(wrap("a bb ccc", 4), (std::vector<std::string>{"a bb", "ccc"}));
  EXPECT_EQ(wrap("aaaaaa b", 4), (std::vector<std::string>{"aaaaaa", "b"}));
  EXPECT_EQ(wrap("", 4), (std::vector<std::string>{""}));
}

TEST(Text, NearMatchFindsSlipsAndNothingElse) {
  const views known{"copy", "gather", "scatter", "read", "write"};
  EXPECT_EQ(near_match("scater", known), "scatter");
  EXPECT_EQ(near_match("gahter", known), "gather");
  EXPECT_EQ(near_match("cpoy", known), "copy");
  EXPECT_EQ(near_match("transpose", known), "");
  EXPECT_EQ(near_match("", known), "");
  EXPECT_EQ(near_match("x", views{"a"}), "");
}

}  // namespace
}  // namespace sectorbench
