// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "test/support/pattern_cases.hpp"
#include "test/support/source_tree.hpp"

namespace sectorbench {
namespace {

using test::source_tree;
using test::stems_in;

// Names of the registered patterns, movers aside, each once; sorted.
std::vector<std::string> pattern_names() {
  std::set<std::string> names;
  for (const pattern_entry& pattern : registered_patterns())
    if (!pattern.mover) names.emplace(pattern.name);
  return {names.begin(), names.end()};
}

TEST(Registry, HoldsTheBuiltInPatternsInOrder) {
  std::vector<std::string> names;
  for (const pattern_entry& pattern : registered_patterns()) names.emplace_back(pattern.name);
  ASSERT_FALSE(names.empty());
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char* name : {"chunk", "contiguous", "grid_loop", "memcpy", "offset", "stride"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  EXPECT_EQ(std::count(names.begin(), names.end(), "unrolled"), 3);
}

TEST(Registry, UnrolledStandsInTheOrderOfItsValues) {
  std::vector<index_t> values;
  for (const pattern_entry& pattern : registered_patterns())
    if (pattern.name == "unrolled") values.push_back(pattern.parameters[0].lowest);
  EXPECT_EQ(values, (std::vector<index_t>{2, 4, 8}));
}

// A file may hold the forms of one pattern: their names then begin with its own.
TEST(Registry, OneHeaderAndOneSourcePerPattern) {
  const std::vector<std::string> names = pattern_names();
  const auto files = stems_in(source_tree() / "include/sectorbench/patterns", ".hpp");
  EXPECT_EQ(stems_in(source_tree() / "kernels/patterns", ".cu"), files);
  ASSERT_FALSE(names.empty());
  std::set<std::string> used{"indexed"};  // whose rows are made of lists that a run is given
  for (const std::string& name : names) {
    std::string file;
    for (const std::string& stem : files)
      if ((name == stem || name.starts_with(stem + "_")) && stem.size() > file.size()) file = stem;
    EXPECT_NE(file, "") << name;
    used.insert(file);
  }
  EXPECT_EQ(used, std::set<std::string>(files.begin(), files.end()));
}

TEST(Registry, EveryPatternHasItsSectionInTheDocument) {
  const auto document = source_tree() / "docs/patterns.md";
  if (!std::filesystem::exists(document)) GTEST_SKIP() << document << " is not there";
  const std::vector<std::string> lines = test::lines_of(document);
  std::vector<std::string> names = pattern_names();
  ASSERT_FALSE(names.empty());
  names.insert(names.end(), {"memcpy", "indexed"});
  for (const std::string& name : names)
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "## " + name), 1) << name;
}

TEST(Registry, EntriesSayWhatPeopleRead) {
  ASSERT_FALSE(registered_patterns().empty());
  for (const pattern_entry& pattern : registered_patterns()) {
    EXPECT_FALSE(pattern.name.empty());
    EXPECT_FALSE(pattern.summary.empty()) << pattern.name;
    EXPECT_EQ(pattern.summary.find('\n'), std::string_view::npos) << pattern.name;
    EXPECT_NE(pattern.make, nullptr) << pattern.name;
  }
}

// `--benchmark_filter=stride` selects the stride curve and nothing else; slashes and colons part a
// name.
TEST(Registry, NamesFitTheRowsTheyBecome) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
  const auto expect_fit = [&](std::string_view name, std::string_view pattern) {
    EXPECT_EQ(name.find_first_not_of(kAllowed), std::string_view::npos) << name;
    EXPECT_TRUE(pattern == "stride" || name.find("stride") == std::string_view::npos) << name;
  };
  ASSERT_FALSE(registered_patterns().empty());
  for (const pattern_entry& pattern : registered_patterns()) {
    expect_fit(pattern.name, pattern.name);
    for (const parameter_spec& spec : pattern.parameters) expect_fit(spec.name, pattern.name);
  }
}

TEST(Registry, TypicalValuesLieWithinTheirBounds) {
  ASSERT_FALSE(registered_patterns().empty());
  for (const pattern_entry& pattern : registered_patterns())
    for (const parameter_spec& spec : pattern.parameters) {
      EXPECT_LE(spec.lowest, spec.typical) << pattern.name << ", " << spec.name;
      EXPECT_LE(spec.typical, spec.highest) << pattern.name << ", " << spec.name;
      EXPECT_LE(spec.highest, kMaxParameter) << pattern.name << ", " << spec.name;
    }
}

TEST(Registry, NoTwoEntriesTakeTheSameValues) {
  const auto cases = test::all_pattern_cases();
  ASSERT_FALSE(cases.empty());
  for (const auto& one : cases)
    EXPECT_EQ(find_pattern(one.pattern->name, one.values), one.pattern) << test::identifier_of(one);
}

// Makes nothing large: the pattern of the most extreme values must still be one.
TEST(Registry, ExtremeValuesMakeAPattern) {
  ASSERT_FALSE(registered_patterns().empty());
  for (const pattern_entry& pattern : registered_patterns()) {
    std::vector<index_t> lowest, highest;
    for (const parameter_spec& spec : pattern.parameters) {
      lowest.push_back(spec.lowest);
      highest.push_back(spec.highest);
    }
    for (const auto& values : {lowest, highest})
      for (const index_t n : {index_t{1}, index_t{1000}, index_t{1} << 36}) {
        const operation_kind operation = pattern.offers(operation_kind::kCopy)
                                             ? operation_kind::kCopy
                                             : pattern.operations.front();
        const element_type type = pattern.types.back();
        const auto work = pattern.make(operation, type, n, values, {1024, 1});
        ASSERT_NE(work, nullptr);
        const program& body = work->meaning();
        EXPECT_EQ(body.elements(), n) << pattern.name;
        EXPECT_GT(body.shape().blocks(), 0) << pattern.name;
        EXPECT_GE(work->needs().out, n * size_of(type)) << pattern.name;
      }
  }
}

}  // namespace
}  // namespace sectorbench
