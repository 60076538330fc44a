// SPDX-License-Identifier: Apache-2.0
#include "bench/options/library_flags.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "bench/report/library.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

using args = std::vector<std::string>;
using variables = std::map<std::string, std::string>;

environment fake(const variables& set) {
  return [set](const std::string& name) -> std::optional<std::string> {
    const auto found = set.find(name);
    return found == set.end() ? std::nullopt : std::optional(found->second);
  };
}

library_flags flags_of(const args& list, const variables& set = {}) {
  return read_library_flags(list, fake(set));
}

std::string refusal(const args& list, const variables& set = {}) {
  try {
    flags_of(list, set);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LibraryFlags, NothingGivenLeavesTheLibrarysDefaults) {
  const library_flags flags = flags_of({});
  EXPECT_EQ(flags.filter, "");
  EXPECT_EQ(flags.format, "console");
  EXPECT_EQ(flags.out, "");
  EXPECT_EQ(flags.out_format, "json");
  EXPECT_EQ(flags.color, "auto");
  EXPECT_EQ(flags.repetitions, 1);
  EXPECT_FALSE(flags.min_time_s || flags.iterations || flags.list_tests || flags.dry_run);
}

TEST(LibraryFlags, FlagsAreRead) {
  const library_flags flags =
      flags_of({"--benchmark_filter=a=b", "--benchmark_format=json", "--benchmark_out=f.csv",
                "--benchmark_out_format=csv", "--benchmark_color=no", "--benchmark_repetitions=3",
                "--benchmark_min_time=0.25", "--benchmark_time_unit=us", "--benchmark_list_tests",
                "--benchmark_dry_run=TRUE", "--benchmark_context=a=1,b=2", "--v=-1"});
  EXPECT_EQ(flags.filter, "a=b");
  EXPECT_EQ(flags.format, "json");
  EXPECT_EQ(flags.out, "f.csv");
  EXPECT_EQ(flags.out_format, "csv");
  EXPECT_EQ(flags.color, "no");
  EXPECT_EQ(flags.repetitions, 3);
  EXPECT_EQ(flags.min_time_s, 0.25);
  EXPECT_EQ(flags.time_unit, "us");
  EXPECT_TRUE(flags.list_tests && flags.dry_run);
}

TEST(LibraryFlags, TheEnvironmentCountsWhereNoFlagSpeaks) {
  const variables set{{"BENCHMARK_FILTER", "chunk"},   {"BENCHMARK_OUT", "env.json"},
                      {"BENCHMARK_OUT_FORMAT", "csv"}, {"BENCHMARK_FORMAT", "json"},
                      {"BENCHMARK_MIN_TIME", "0.5"},   {"BENCHMARK_LIST_TESTS", "1"},
                      {"BENCHMARK_REPETITIONS", "9"},  {"V", "not a number, and not ours"}};
  const library_flags flags =
      flags_of({"--benchmark_filter=stride", "--benchmark_list_tests=0"}, set);
  EXPECT_EQ(flags.filter, "stride");
  EXPECT_FALSE(flags.list_tests);
  EXPECT_EQ(flags.out, "env.json");
  EXPECT_EQ(flags.out_format, "csv");
  EXPECT_EQ(flags.format, "json");
  EXPECT_EQ(flags.min_time_s, 0.5);
  EXPECT_EQ(flags.repetitions, 9);
}

TEST(LibraryFlags, TheLastFlagCounts) {
  EXPECT_EQ(flags_of({"--benchmark_filter=a", "--benchmark_filter=b"}).filter, "b");
}

TEST(LibraryFlags, BadValuesAreRefusedWithWhatIsAllowed) {
  const std::string format = ": allowed: console, json, csv";
  EXPECT_EQ(refusal({"--benchmark_format=xml"}), "--benchmark_format=xml" + format);
  EXPECT_EQ(refusal({"--benchmark_out_format="}), "--benchmark_out_format=" + format);
  EXPECT_EQ(refusal({}, {{"BENCHMARK_FORMAT", "xml"}}),
            "environment variable BENCHMARK_FORMAT=xml" + format);
  const std::string count = ": allowed: a whole number from 1 to 2147483647";
  for (const std::string value : {"x", "", "0", "-1", "1.5", "2147483648", " 1", "1 "})
    EXPECT_EQ(refusal({"--benchmark_repetitions=" + value}),
              "--benchmark_repetitions=" + value + count);
  const std::string time =
      ": allowed: a number of seconds, e.g. 0.1 or 0.1s, or of iterations, e.g. 50x";
  for (const std::string value : {"", "s", "abc", "-1", "nan", "inf", "1e999", "0,5", "0.1ms"})
    EXPECT_EQ(refusal({"--benchmark_min_time=" + value}), "--benchmark_min_time=" + value + time);
  EXPECT_EQ(refusal({"--benchmark_min_warmup_time=1s"}),
            "--benchmark_min_warmup_time=1s: allowed: a number of seconds, e.g. 0.1");
  EXPECT_EQ(refusal({"--benchmark_list_tests=fales"}),
            "--benchmark_list_tests=fales: allowed: true, false");
  EXPECT_EQ(refusal({"--benchmark_color="}), "--benchmark_color=: allowed: auto, true, false");
  EXPECT_EQ(refusal({"--benchmark_time_unit=min"}),
            "--benchmark_time_unit=min: allowed: ns, us, ms, s");
  for (const std::string value : {"a", "a=b=c", "=1", "a=1,"})
    EXPECT_EQ(refusal({"--benchmark_context=" + value}),
              "--benchmark_context=" + value +
                  ": allowed: key=value,... in printable characters (UTF-8)");
  EXPECT_EQ(refusal({"--v=high"}),
            "--v=high: allowed: a whole number from -2147483648 to 2147483647");
  EXPECT_EQ(refusal({"--benchmark_filter"}), "--benchmark_filter: a value is missing");
}

TEST(LibraryFlags, UnknownFlagsAreTheLibrarysAffair) {
  EXPECT_EQ(refusal({"--benchmark_of_the_future=1"}), "accepted");
}

TEST(LibraryFlags, IterationsNeedALibraryThatKnowsThem) {
  if (kMinTimeTakesSuffix) {
    EXPECT_EQ(flags_of({"--benchmark_min_time=50x"}).iterations, 50);
    EXPECT_EQ(refusal({"--benchmark_min_time=0x"}),
              "--benchmark_min_time=0x: allowed: a number of iterations from 1x to 1000000000x");
  } else {
    EXPECT_EQ(refusal({"--benchmark_min_time=50x"}),
              "--benchmark_min_time=50x: a number of iterations needs Google Benchmark 1.8.0 or "
              "later, this is older");
  }
}

TEST(LibraryFlags, AdjustedArgumentsSayTimeAndFileInTheWayOfTheVersion) {
  const std::string s = kMinTimeTakesSuffix ? "s" : "";
  const args given{"--benchmark_out=f.json", "--benchmark_filter=x", "--benchmark_min_time=0.2s"};
  EXPECT_EQ(adjusted_library_args(given, flags_of(given), 0.05, "f.json.tmp"),
            (args{"--benchmark_min_time=0.2" + s, "--benchmark_out=f.json.tmp",
                  "--benchmark_filter=all"}));
  EXPECT_EQ(adjusted_library_args({}, flags_of({}), 0.05, ""),
            (args{"--benchmark_min_time=0.05" + s, "--benchmark_out=", "--benchmark_filter=all"}));
  EXPECT_EQ(adjusted_library_args({}, flags_of({}, {{"BENCHMARK_MIN_TIME", "1s"}}), 0.05, ""),
            (args{"--benchmark_min_time=1" + s, "--benchmark_out=", "--benchmark_filter=all"}));
}

TEST(LibraryFlags, ColorFollowsTheFlag) {
  EXPECT_TRUE(use_color(flags_of({"--benchmark_color=yes"})));
  EXPECT_FALSE(use_color(flags_of({"--benchmark_color=false"})));
}

TEST(FilterMatcher, FindsTheExpressionAnywhere) {
  const std::string name = "stride/copy/f32/stride:8";
  EXPECT_TRUE(filter_matcher("stride").matches(name));
  EXPECT_TRUE(filter_matcher("^stride/(copy|gather)/.*:[0-9]+/").matches(name));
  EXPECT_FALSE(filter_matcher("Stride").matches(name));
  EXPECT_FALSE(filter_matcher("^copy").matches(name));
}

TEST(FilterMatcher, TheNameEndsWhereTablesEndIt) {
  const std::string name = "contiguous/copy/f32";
  EXPECT_TRUE(filter_matcher("f32$").matches(name));
  EXPECT_FALSE(filter_matcher("-f32$").matches(name));
  EXPECT_FALSE(filter_matcher("manual").matches(name));
  EXPECT_FALSE(filter_matcher("^/manual_time").matches(name));
  EXPECT_TRUE(filter_matcher("f32/manual_time$").matches(name));  // as the library prints it
}

TEST(FilterMatcher, WhatWouldExhaustTheStackOrTheTimeIsRefusedOrQuick) {
  const std::string deep = std::string(16000, '(') + "a" + std::string(16000, ')');
  EXPECT_THROW(filter_matcher matcher(deep), usage_error);
  EXPECT_THROW(filter_matcher matcher(std::string(1 << 20, 'a')), usage_error);
  EXPECT_FALSE(filter_matcher("(a|a)*b").matches(std::string(60, 'a')));
  EXPECT_TRUE(filter_matcher(std::string(256, '(') + "a" + std::string(256, ')')).matches("a"));
}

TEST(FilterMatcher, EmptyAndAllSelectAll) {
  EXPECT_TRUE(filter_matcher("").matches("x"));
  EXPECT_TRUE(filter_matcher("all").matches("x"));
}

TEST(FilterMatcher, ALeadingMinusNegates) {
  EXPECT_FALSE(filter_matcher("-stride").matches("stride/copy"));
  EXPECT_TRUE(filter_matcher("-stride").matches("chunk/copy"));
  EXPECT_FALSE(filter_matcher("-").matches("chunk/copy"));
}

TEST(FilterMatcher, ABrokenExpressionIsRefusedWithTheReason) {
  for (const std::string broken : {"(", "[a", "a{2", "*", "-("}) {
    try {
      filter_matcher matcher(broken);
      ADD_FAILURE() << broken << " was accepted";
    } catch (const usage_error& error) {
      const std::string message = error.what();
      const std::string lead = "--benchmark_filter=" + broken + ": not a regular expression: ";
      EXPECT_TRUE(message.starts_with(lead) && message.size() > lead.size()) << message;
    }
  }
}

}  // namespace
}  // namespace sectorbench
