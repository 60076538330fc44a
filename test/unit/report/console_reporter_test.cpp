// SPDX-License-Identifier: Apache-2.0
#include "bench/report/console_reporter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/support/text.hpp"
#include "test/support/row.hpp"

namespace sectorbench {
namespace {

constexpr std::size_t kTimeSuffixLength = 12;  // of /manual_time

// What the reporter prints of `rows` when the longest name has `name_width` characters.
std::string printed(const std::vector<benchmark_run>& rows, std::size_t name_width,
                    console_settings settings = {}) {
  std::ostringstream out;
  console_reporter reporter(std::move(settings));
  reporter.SetOutputStream(&out);
  benchmark::BenchmarkReporter::Context context;
  context.name_field_width = name_width + kTimeSuffixLength;
  EXPECT_TRUE(reporter.ReportContext(context));
  reporter.ReportRuns(rows);
  reporter.Finalize();
  return out.str();
}

// Its rows alone, without the heading.
std::string printed_rows(const std::vector<benchmark_run>& rows, std::size_t name_width,
                         console_settings settings = {}) {
  const std::string text = printed(rows, name_width, std::move(settings));
  return text.substr(text.find("-\n") + 2);
}

benchmark_run copy_row(const std::string& name, double seconds, double of_stride1,
                       double of_ceiling, double sectors) {
  benchmark_run run = measured_row(name, seconds);
  run.counters["useful_bytes_per_second"] = 536870912 / seconds;
  run.counters["fraction_of_stride1"] = of_stride1;
  run.counters["fraction_of_ceiling"] = of_ceiling;
  run.counters["load_sectors_per_request_predicted"] = sectors;
  run.counters["store_sectors_per_request_predicted"] = sectors;
  run.counters["time_cv"] = 0.0006;
  return run;
}

TEST(ConsoleReporter, PrintsTheTable) {
  benchmark_run contiguous = copy_row("contiguous/copy/f32", 198.4e-6, 1.0337, 0.6426, 4);
  contiguous.report_label = "resident in L2";
  console_settings settings;
  settings.context_lines = {"NVIDIA H200, 256 MiB per buffer"};
  settings.summary = [] { return std::string("3 rows: 3 measured"); };
  EXPECT_EQ(
      printed({copy_row("stride/copy/f32/stride:1", 205.1e-6, 1, 0.6216, 4),
               copy_row("stride/copy/f32/stride:8", 1453.3e-6, 0.1411, 0.0877, 32), contiguous},
              24, settings),
      "NVIDIA H200, 256 MiB per buffer\n"
      "\n"
      "                                                   of       of  sectors/request\n"
      "row                            time    GB/s  stride 1  ceiling    load    store   spread\n"
      "----------------------------------------------------------------------------------------\n"
      "stride/copy/f32/stride:1   205.1 us    2618         1     62 %    4.00     4.00   0.06 %\n"
      "stride/copy/f32/stride:8   1.453 ms   369.4     1/7.1    8.8 %   32.00    32.00   0.06 %\n"
      "contiguous/copy/f32        198.4 us    2706     1.03x     64 %    4.00     4.00   0.06 %  "
      "resident in L2\n"
      "3 rows: 3 measured\n");
}

TEST(ConsoleReporter, ANumberThatARowLacksIsADash) {
  benchmark_run read = copy_row("contiguous/read/f32", 1e-3, 0, 0, 4);
  read.counters["store_sectors_per_request_predicted"] = 0;
  EXPECT_EQ(
      printed_rows({read, measured_row("memcpy/copy", 2e-9)}, 20),
      "contiguous/read/f32    1.000 ms   536.9         -        -    4.00        -   0.06 %\n"
      "memcpy/copy            2.000 ns       -         -        -       -        -        -\n");
}

TEST(ConsoleReporter, RatiosToStride1ReadAsPeopleSayThem) {
  const std::vector<std::pair<double, std::string>> cases{
      {1, "1"},       {1.004, "1"},       {0.996, "1"},     {0.97, "1/1.03"}, {0.3704, "1/2.7"},
      {0.5, "1/2.0"}, {0.0411, "1/24.3"}, {0.004, "1/250"}, {1.5, "1.50x"},   {12, "12.00x"}};
  for (const auto& [fraction, shown] : cases) {
    const std::string row = printed_rows({copy_row("x", 1e-3, fraction, 0, 4)}, 10);
    // The column is 8 wide and begins after name, time and GB/s with their gaps.
    std::string cell = row.substr(10 + 11 + 8 + 2, 8);
    cell.erase(0, cell.find_first_not_of(' '));
    EXPECT_EQ(cell, shown) << fraction;
  }
}

TEST(ConsoleReporter, FailedAndSkippedRowsSayWhyAndNeverANumber) {
  EXPECT_EQ(printed_rows({unmeasured_row("a", row_state::kFailed, "element 5: got 1, expected 2"),
                          unmeasured_row("b", row_state::kSkipped, "needs 8 GiB, 4 GiB are free")},
                         12),
            "a             ERROR: element 5: got 1, expected 2\n"
            "b             skipped: needs 8 GiB, 4 GiB are free\n");
}

TEST(ConsoleReporter, OnlyErrorsAreColoured) {
  console_settings settings;
  settings.color = true;
  EXPECT_EQ(printed_rows({unmeasured_row("a", row_state::kFailed, "no"),
                          unmeasured_row("b", row_state::kSkipped, "no")},
                         10, settings),
            "a           \033[31mERROR: no\033[m\n"
            "b           skipped: no\n");
}

TEST(ConsoleReporter, LongMessagesWrapUnderTheirColumn) {
  std::string message = "word";
  for (int i = 0; i < 60; ++i) message += " word";
  const std::string text =
      printed_rows({unmeasured_row("a", row_state::kFailed, message + "\nlast")}, 40);
  const std::vector<std::string_view> lines = split(text, '\n');
  ASSERT_GT(lines.size(), 3u);
  EXPECT_TRUE(lines[0].starts_with("a" + std::string(41, ' ') + "ERROR: word"));
  EXPECT_TRUE(lines[1].starts_with(std::string(42, ' ') + "word"));
  for (const std::string_view line : lines) EXPECT_LE(line.size(), 120u);
  EXPECT_NE(text.find("word?last"), std::string::npos);
}

TEST(ConsoleReporter, AMessageBesideALongNameGoesBelowIt) {
  const std::string name(80, 'n');
  EXPECT_EQ(printed_rows({unmeasured_row(name, row_state::kFailed, "no")}, 80),
            name + "\n    ERROR: no\n");
}

TEST(ConsoleReporter, ALabelThatDoesNotFitGoesBelowItsRow) {
  benchmark_run run = copy_row("x", 1e-3, 1, 1, 4);
  run.report_label = std::string(60, 'l');
  const std::string text = printed_rows({run}, 10);
  EXPECT_TRUE(text.ends_with("0.06 %\n    " + run.report_label + "\n")) << text;
}

TEST(ConsoleReporter, LinesKeepTo120ColumnsForNamesUpTo56) {
  const std::string name(56, 'n');
  benchmark_run run = copy_row(name, 205.1e-6, 0.0411, 0.6216, 32);
  run.report_label = "resident in the last-level cache of this machine";
  for (const std::string_view line : split(printed({run}, 56), '\n'))
    EXPECT_LE(line.size(), 120u) << line;
}

TEST(ConsoleReporter, RepetitionsAndAggregatesAreTold) {
  benchmark_run second = copy_row("x", 1e-3, 1, 1, 4);
  second.repetitions = 3;
  second.repetition_index = 1;
  benchmark_run mean = copy_row("x", 1e-3, 0.5, 1, 4);
  mean.run_type = benchmark_run::RT_Aggregate;
  mean.aggregate_name = "mean";
  benchmark_run deviation = mean;
  deviation.aggregate_name = "stddev";
  benchmark_run cv = mean;
  cv.aggregate_name = "cv";
  cv.aggregate_unit = benchmark::kPercentage;
  cv.real_accumulated_time = 0.0123;
  cv.counters["useful_bytes_per_second"] = 0.25;
  EXPECT_EQ(printed_rows({second, mean, deviation, cv}, 10),
            "x #2         1.000 ms   536.9         1    100 %    4.00     4.00   0.06 %\n"
            "x_mean       1.000 ms   536.9     1/2.0    100 %    4.00     4.00   0.06 %\n"
            "x_stddev     1.000 ms   536.9         -        -       -        -        -\n"
            "x_cv           1.23 %  25.0 %         -        -       -        -        -\n");
}

TEST(ConsoleReporter, OneTimeUnitForAllWhereItIsAskedFor) {
  console_settings settings;
  settings.time_unit = benchmark::kMicrosecond;
  EXPECT_NE(printed_rows({measured_row("x", 1.5e-3)}, 10, settings).find("1500 us"),
            std::string::npos);
}

TEST(ConsoleReporter, WithoutRowsThereIsNoHeading) { EXPECT_EQ(printed({}, 10), ""); }

}  // namespace
}  // namespace sectorbench
