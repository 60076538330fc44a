// SPDX-License-Identifier: Apache-2.0
#include "bench/support/json_input.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "bench/support/bad_value.hpp"

namespace sectorbench {
namespace {

std::string refusal(const std::string& text, std::size_t deepest) {
  try {
    return "read: " + read_json(text, deepest).dump();
  } catch (const bad_value& error) {
    return error.what();
  }
}

TEST(JsonInput, TheDepthIsCountedInListsAndObjects) {
  EXPECT_EQ(refusal("[{\"a\": [1]}]", 3), "read: [{\"a\":[1]}]");
  EXPECT_EQ(refusal("[{\"a\": [1]}]", 2), "a: nested more than 2 deep");
  EXPECT_EQ(refusal("[[], [], []]", 2), "read: [[],[],[]]");  // beside, not in each other
  for (const char* open : {"[", "{\"\":"})
    for (const std::size_t levels : {4u, 75000u, 1000000u}) {
      std::string text;
      for (std::size_t i = 0; i < levels; ++i) text += open;
      EXPECT_EQ(refusal(text, 3), "nested more than 3 deep");
    }
}

TEST(JsonInput, AKeyStandsOnceInItsObject) {
  EXPECT_EQ(refusal("[{\"a\": 1}, {\"a\": 2}]", 3), "read: [{\"a\":1},{\"a\":2}]");
  EXPECT_EQ(refusal("{\"b\": {\"a\": 1, \"a\": 1}}", 3),
            "b.a: stands twice; leave one of the two out");
}

TEST(JsonInput, NoTextHoldsANul) {
  EXPECT_EQ(refusal(R"({"a": "b\u0000c"})", 3), "a: a text holds \\u0000; leave it out");
  EXPECT_EQ(refusal(R"({"a": 1, "b\u0000c": 1})", 3), "a text holds \\u0000; leave it out");
  EXPECT_EQ(refusal(R"({"a": "\u0001"})", 3), R"(read: {"a":"\u0001"})");
}

TEST(JsonInput, OnlyWhatEndsTooEarlyIsCutOff) {
  for (const char* cut : {"{\"a\": 1", "{\"a\": 12.", "[\"a", "[1,", ""})
    EXPECT_TRUE(refusal(cut, 3).ends_with("(is it cut off?)")) << refusal(cut, 3);
  for (const char* wrong : {"a b", "[1 2]", "[NaN]", "[1]]"}) {
    EXPECT_EQ(refusal(wrong, 3).find("parse error at line 1, column "), 0u) << wrong;
    EXPECT_EQ(refusal(wrong, 3).find("cut off"), std::string::npos) << wrong;
  }
  EXPECT_EQ(refusal("{\"a\": 1e999}", 3),
            "a: number overflow parsing '1e999'; write a finite number");
}

}  // namespace
}  // namespace sectorbench
