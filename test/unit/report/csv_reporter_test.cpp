// SPDX-License-Identifier: Apache-2.0
#include "bench/report/csv_reporter.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "test/support/row.hpp"

namespace sectorbench {
namespace {

std::string printed(const std::vector<benchmark_run>& rows) {
  std::ostringstream out;
  csv_reporter reporter({"elements", "time_cv"});
  reporter.SetOutputStream(&out);
  reporter.ReportContext(benchmark::BenchmarkReporter::Context());
  reporter.ReportRuns(rows);
  return out.str();
}

constexpr char kHeader[] =
    "name,iterations,real_time,cpu_time,time_unit,label,error,skipped,elements,time_cv\n";

TEST(CsvReporter, WithoutRowsThereIsAHeading) { EXPECT_EQ(printed({}), kHeader); }

TEST(CsvReporter, AnErrorRowMayComeFirst) {
  benchmark_run run = measured_row("x", 0.5);
  run.counters["elements"] = 4194304;
  run.counters["time_cv"] = 0.001;
  run.counters["not asked for"] = 1;
  run.report_label = "a, \"b\"";
  EXPECT_EQ(printed({unmeasured_row("e", row_state::kFailed, "got 1,\n2"),
                     unmeasured_row("s", row_state::kSkipped, "no room"), run}),
            std::string(kHeader) +
                "e/manual_time,,,,,,\"got 1,\n2\",,,\n"
                "s/manual_time,,,,,,,no room,,\n"
                "x/manual_time,100,500000,1000000,us,\"a, \"\"b\"\"\",,,4194304,0.001\n");
}

TEST(CsvReporter, ACounterThatIsMissingOrNotFiniteIsEmpty) {
  benchmark_run run = measured_row("x", 0.5);
  run.counters["time_cv"] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(printed({run}), std::string(kHeader) + "x/manual_time,100,500000,1000000,us,,,,,\n");
}

TEST(CsvReporter, TheCoefficientOfVariationIsAFractionWithoutUnit) {
  benchmark_run run = measured_row("x", 0.5);
  run.run_type = benchmark_run::RT_Aggregate;
  run.aggregate_name = "cv";
  run.aggregate_unit = benchmark::kPercentage;
  run.real_accumulated_time = 0.01;
  run.cpu_accumulated_time = 0.02;
  EXPECT_EQ(printed({run}), std::string(kHeader) + "x/manual_time_cv,100,0.01,0.02,,,,,,\n");
}

}  // namespace
}  // namespace sectorbench
