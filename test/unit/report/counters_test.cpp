// SPDX-License-Identifier: Apache-2.0
#include "bench/report/counters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "bench/support/text.hpp"
#include "test/support/source_tree.hpp"

namespace sectorbench {
namespace {

// The entry that says the same of stores, or of the high end; null if there is none.
const counter_spec* partner_of(const counter_spec& counter) {
  for (const auto& [from, to] : {std::pair{"load", "store"}, std::pair{"_low", "_high"}}) {
    const std::regex word(from);
    const std::string key = std::regex_replace(std::string(counter.key), word, to);
    const std::string formula = std::regex_replace(std::string(counter.formula), word, to);
    for (const counter_spec& other : kCounters)
      if (other.key == key && key != counter.key && other.formula == formula) return &other;
  }
  return nullptr;
}

std::string code(std::string_view text) { return "`" + std::string(text) + "`"; }

// The alternatives of a metric, as the document writes them.
std::string metrics_text(std::string_view metrics) {
  std::string text;
  for (const std::string_view metric : split(metrics, '|'))
    text += (text.empty() ? "" : " or ") + code(metric);
  return text;
}

// The lines of docs/counters.md for these sets.
std::vector<std::string> lines_for(const std::vector<counter_set>& sets) {
  std::vector<std::string> lines;
  std::set<std::string_view> partners;
  for (const counter_spec& counter : kCounters) {
    if (std::ranges::count(sets, counter.set) == 0 || partners.contains(counter.key)) continue;
    std::string keys = code(counter.key), meaning(counter.formula), unit(counter.unit);
    if (!counter.metric.empty()) meaning += "; " + metrics_text(counter.metric);
    if (const counter_spec* partner = partner_of(counter)) {
      partners.insert(partner->key);
      keys += ", " + code(partner->key);
      if (!partner->metric.empty()) meaning += ", " + metrics_text(partner->metric);
    }
    if (counter.boundary != "launch") unit += ", " + std::string(counter.boundary);
    lines.push_back("- " + keys + " (" + unit + "): " + meaning);
  }
  return lines;
}

// The keys are an interface: whoever reads the JSON relies on them. A change is a CHANGELOG entry.
TEST(Counters, KeysAreThePromisedOnesInOrder) {
  const std::vector<std::string_view> promised{
      "elements",
      "access_bytes",
      "launch_threads",
      "block_threads",
      "useful_bytes",
      "unique_bytes",
      "index_bytes",
      "flops",
      "flops_per_byte",
      "flops_per_second",
      "useful_bytes_per_second",
      "list_bytes_per_second",
      "fraction_of_stride1",
      "fraction_of_ceiling",
      "fraction_of_peak",
      "launches_per_sample",
      "samples",
      "time_min_s",
      "time_median_s",
      "time_cv",
      "time_trimmed_min_s",
      "disturbed",
      "samples_discarded",
      "load_average",
      "load_requests_predicted",
      "load_sectors_predicted",
      "store_requests_predicted",
      "store_sectors_predicted",
      "load_sectors_per_request_predicted",
      "store_sectors_per_request_predicted",
      "load_lines_per_request_predicted",
      "store_lines_per_request_predicted",
      "index_requests_predicted",
      "index_sectors_predicted",
      "shared_load_wavefronts_predicted",
      "shared_store_wavefronts_predicted",
      "shared_load_conflicts_predicted",
      "shared_store_conflicts_predicted",
      "sector_bytes_predicted",
      "bytes_used_per_sector_predicted",
      "efficiency_predicted",
      "requested_share_predicted",
      "verified",
      "gpu_index",
      "blocks_per_sm",
      "sm_clock_hz",
      "load_instructions_measured",
      "store_instructions_measured",
      "load_requests_measured",
      "load_sectors_measured",
      "store_requests_measured",
      "store_sectors_measured",
      "instructions_measured",
      "warps_active_percent_measured",
      "shared_load_wavefronts_measured",
      "shared_store_wavefronts_measured",
      "shared_load_conflicts_measured",
      "shared_store_conflicts_measured",
      "l1_hit_sectors_measured",
      "l2_read_sectors_measured",
      "l2_read_hit_sectors_measured",
      "l2_write_sectors_measured",
      "l2_fill_sectors_measured",
      "l2_promoted_sectors_measured",
      "dram_read_bytes_measured",
      "dram_write_bytes_measured",
      "counters_equal_model",
      "sector_bytes_measured",
      "bytes_used_per_sector_measured",
      "sector_bytes_per_second_measured",
      "l2_read_hit_rate_measured",
      "dram_bytes_measured",
      "dram_bytes_per_second_measured",
      "dram_amplification_measured",
      "dram_fraction_of_peak_measured",
      "kernel_time_s",
      "registers_per_thread",
      "gap_us",
      "traced_time_s",
      "clock_disagreement",
      "temperature_c",
      "power_w",
      "pstate",
      "memory_clock_hz",
      "throttle_reasons",
      "other_processes",
      "l2_read_sectors_predicted_low",
      "l2_read_sectors_predicted_high",
      "l2_write_sectors_predicted_low",
      "l2_write_sectors_predicted_high",
      "l2_fill_sectors_predicted_low",
      "l2_fill_sectors_predicted_high",
      "dram_read_bytes_predicted_low",
      "dram_read_bytes_predicted_high",
      "dram_write_bytes_predicted_low",
      "dram_write_bytes_predicted_high",
      "dram_bytes_predicted_low",
      "dram_bytes_predicted_high",
      "time_predicted_low_s",
      "time_predicted_high_s",
      "unexplained",
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
    const std::set<std::string_view> sources{"model",   "clock", "program", "verification",
                                             "counter", "trace", "nvml",    "scheduler"};
    EXPECT_TRUE(sources.contains(counter.source)) << counter.key << ": " << counter.source;
  }
}

TEST(Counters, KeysCarryUnitAndSource) {
  const std::map<std::string_view, std::string_view> units{
      {"_s", "s"}, {"_us", "us"}, {"_hz", "Hz"}, {"_c", "degrees Celsius"}, {"_w", "W"}};
  for (const counter_spec& counter : kCounters) {
    for (const auto& [suffix, unit] : units)
      EXPECT_EQ(counter.key.ends_with(suffix), counter.unit == unit) << counter.key;
    const bool predicted = counter.key.find("_predicted") != std::string_view::npos;
    EXPECT_EQ(predicted || counter.key == "unexplained", counter.source == "model") << counter.key;
    const bool counted =
        counter.key.ends_with("_measured") || counter.key == "counters_equal_model";
    EXPECT_EQ(counted, counter.source == "counter") << counter.key;
  }
}

TEST(Counters, SourceSaysWhichRowsHaveTheKey) {
  for (const counter_spec& counter : kCounters) {
    EXPECT_EQ(counter.source == "counter", counter.set == counter_set::kCounters) << counter.key;
    EXPECT_EQ(counter.source == "trace", counter.set == counter_set::kClockCheck) << counter.key;
    EXPECT_EQ(counter.source == "nvml", counter.set == counter_set::kNvml) << counter.key;
    EXPECT_EQ(counter.source == "scheduler", counter.set == counter_set::kHost) << counter.key;
    EXPECT_TRUE(counter.metric.empty() || counter.source == "counter") << counter.key;
  }
}

// The sector model needs no description of a GPU: its keys are plain numbers, on every row.
TEST(Counters, IntervalsComeInPairsAndOnlyWithADescription) {
  std::set<std::string_view> keys;
  for (const counter_spec& counter : kCounters) keys.insert(counter.key);
  int pairs = 0;
  for (const counter_spec& counter : kCounters) {
    const bool traffic = counter.set == counter_set::kTraffic;
    const bool time = counter.set == counter_set::kTime;
    const std::size_t low = counter.key.find("_predicted_low");
    const std::size_t high = counter.key.find("_predicted_high");
    const bool end = low != std::string_view::npos || high != std::string_view::npos;
    EXPECT_EQ(traffic || time, end || counter.key == "unexplained") << counter.key;
    EXPECT_EQ(time, counter.key.starts_with("time_predicted") || counter.key == "unexplained")
        << counter.key;
    if (low == std::string_view::npos) continue;
    std::string other(counter.key);
    other.replace(low, 14, "_predicted_high");
    EXPECT_TRUE(keys.contains(other)) << other;
    ++pairs;
  }
  EXPECT_EQ(pairs, 7);
}

TEST(Counters, MetricsOfTheTableAreKnownAsSuch) {
  const std::vector<std::string> metrics = table_metrics();
  ASSERT_GT(metrics.size(), 10u);
  EXPECT_TRUE(std::ranges::count(metrics, "dram__bytes_read.sum|dram__bytes_op_read.sum"));
  EXPECT_TRUE(is_table_metric("dram__bytes_read.sum"));
  EXPECT_TRUE(is_table_metric("dram__bytes_op_read.sum"));
  EXPECT_FALSE(is_table_metric("dram__bytes_read"));
  EXPECT_FALSE(is_table_metric("dram__sectors_read.sum"));
  EXPECT_FALSE(is_table_metric(""));
}

// Where the two differ, the lines with '+' are those of the table: put them into the document.
TEST(Counters, DocumentHasTheTable) {
  const auto document = test::source_tree() / "docs/counters.md";
  if (!std::filesystem::exists(document)) GTEST_SKIP() << document << " is not there";
  std::string documented, expected;
  for (const std::string& line : test::lines_of(document)) {
    if (line == "## Labels") break;
    if (line.starts_with("- `")) documented += line + "\n";
  }
  using set = counter_set;
  const std::vector<std::vector<set>> tables{{set::kEvery},
                                             {set::kGpu},
                                             {set::kHost},
                                             {set::kCounters},
                                             {set::kClockCheck},
                                             {set::kNvml},
                                             {set::kTraffic, set::kTime}};
  for (const std::vector<set>& sets : tables)
    for (const std::string& line : lines_for(sets)) expected += line + "\n";
  EXPECT_EQ(documented, expected);
}

}  // namespace
}  // namespace sectorbench
