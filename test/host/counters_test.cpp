// SPDX-License-Identifier: Apache-2.0
#include "bench/counters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/text.hpp"
#include "test/support/source_tree.hpp"

namespace sectorbench {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" `");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" `") - begin + 1));
}

// The keys are an interface: whoever reads the JSON relies on them. A change is a CHANGELOG entry.
TEST(Counters, KeysAreThePromisedOnesInOrder) {
  const std::vector<std::string_view> promised{
      "elements",
      "useful_bytes",
      "useful_bytes_per_second",
      "fraction_of_stride1",
      "fraction_of_ceiling",
      "fraction_of_peak",
      "launches_per_sample",
      "samples",
      "time_min_s",
      "time_median_s",
      "time_cv",
      "load_requests_predicted",
      "load_sectors_predicted",
      "store_requests_predicted",
      "store_sectors_predicted",
      "load_sectors_per_request_predicted",
      "store_sectors_per_request_predicted",
      "load_lines_per_request_predicted",
      "store_lines_per_request_predicted",
      "efficiency_predicted",
      "verified",
  };
  std::vector<std::string_view> keys;
  for (const counter_spec& counter : kCounters) keys.push_back(counter.key);
  EXPECT_EQ(keys, promised);
}

TEST(Counters, EachKeyStandsOnceAndSaysWhatItIs) {
  ASSERT_FALSE(kCounters.empty());
  std::set<std::string_view> keys;
  for (const counter_spec& counter : kCounters) {
    EXPECT_TRUE(keys.insert(counter.key).second) << counter.key;
    EXPECT_FALSE(counter.unit.empty()) << counter.key;
    EXPECT_FALSE(counter.formula.empty()) << counter.key;
    EXPECT_FALSE(counter.boundary.empty()) << counter.key;
    const std::set<std::string_view> sources{"model", "clock", "program", "verification"};
    EXPECT_TRUE(sources.contains(counter.source)) << counter.key << ": " << counter.source;
  }
}

TEST(Counters, KeysCarryTheirUnit) {
  for (const counter_spec& counter : kCounters) {
    EXPECT_EQ(counter.key.ends_with("_s"), counter.unit == "s") << counter.key;
    EXPECT_EQ(counter.key.ends_with("_predicted"), counter.source == "model") << counter.key;
  }
}

// A row of the document's table is "| `key` | unit | ...".
TEST(Counters, DocumentHasTheSameKeysAndUnits) {
  const auto document = test::source_tree() / "docs/counters.md";
  if (!std::filesystem::exists(document)) GTEST_SKIP() << document << " is not there";
  std::map<std::string, std::string> documented, expected;
  for (const std::string& line : test::lines_of(document)) {
    if (!line.starts_with("| `")) continue;
    const auto cells = split(line, '|');
    ASSERT_GE(cells.size(), 4u) << line;
    EXPECT_TRUE(documented.emplace(trimmed(cells[1]), trimmed(cells[2])).second) << line;
  }
  for (const counter_spec& counter : kCounters) expected.emplace(counter.key, counter.unit);
  EXPECT_EQ(documented, expected);
}

}  // namespace
}  // namespace sectorbench
