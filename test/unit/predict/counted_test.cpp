// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/counted.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "bench/predict/explain.hpp"

namespace sectorbench {
namespace {

// On an H200 a launch of 100 us that does next to nothing of anything; what is loaded and stored
// uses whole sectors.
constexpr double kSeconds = 100e-6;

metric_values idle() {
  return {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1000},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 4000},
          {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 1000},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 4000},
          {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 0},
          {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 0},
          {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 0},
          {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 0},
          {"lts__t_sectors_srcunit_tex_op_read.sum", 4000},
          {"lts__t_sectors_srcunit_tex_op_write.sum", 4000},
          {"lts__t_sectors_data_ecc.sum", 0},
          {"dram__bytes_read.sum", 128e3},
          {"dram__bytes_write.sum", 128e3},
          {"smsp__inst_executed.sum", 10000},
          {"sm__warps_active.avg.pct_of_peak_sustained_active", 80}};
}

metric_values with(const char* metric, double value) {
  metric_values metrics = idle();
  metrics.at(metric) = value;
  return metrics;
}

device_description h200() { return find_device("h200"); }

// @param used bytes of each of the 4000 sectors that a side touches
counted_launch launch_of(const metric_values& metrics, double used = 32,
                         double seconds = kSeconds) {
  return {metrics, seconds, 1000, 256, 4000 * used, 4000 * used, 1e6};
}

std::optional<row_prediction> judged(const metric_values& metrics, double used = 32,
                                     double seconds = kSeconds) {
  return limits_of_counts(launch_of(metrics, used, seconds), h200());
}

limit limit_of(const metric_values& metrics, double used = 32, double seconds = kSeconds) {
  return judged(metrics, used, seconds).value().time.value().limited_by;
}

TEST(LimitsOfCounts, NothingNearItsRateIsALaunchThatWaits) {
  EXPECT_EQ(limit_of(idle()), limit::kInFlight);
  EXPECT_TRUE(judged(idle())->counted);
}

TEST(LimitsOfCounts, ShortLaunchIsLimitedByBeingOne) {
  EXPECT_EQ(limit_of(idle(), 32, 3e-6), limit::kLaunch);
}

// An H200 reads between 4.0 and 4.8 TB/s: 400 MB take 83 to 100 us.
TEST(LimitsOfCounts, BytesThatTakeTheTimeLimitIt) {
  EXPECT_EQ(limit_of(with("dram__bytes_read.sum", 400e6)), limit::kDramBytes);
}

// 250 MB take 52 to 63 us of the 100: the rest is what DRAM loses where sectors are used in part.
TEST(LimitsOfCounts, HalfBusyDramIsSlowOnlyWhereSectorsAreUsedInPart) {
  const metric_values metrics = with("dram__bytes_read.sum", 250e6);
  EXPECT_EQ(limit_of(metrics, 4), limit::kDramLocality);
  EXPECT_EQ(limit_of(metrics, 32), limit::kInFlight);
}

TEST(LimitsOfCounts, SectorsOfL2LimitWhereTheyTakeLongest) {
  const double rate = h200().time->l2_loads.at(4).middle();
  EXPECT_EQ(limit_of(with("lts__t_sectors_srcunit_tex_op_read.sum", rate * kSeconds)), limit::kL2);
}

TEST(LimitsOfCounts, WavefrontsLimitWhereTheyTakeLongest) {
  const double rate = h200().time->shared_wavefronts_per_s.low;
  metric_values metrics =
      with("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", rate * kSeconds);
  metrics.at("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum") = rate * kSeconds / 2;
  EXPECT_EQ(limit_of(metrics), limit::kBankConflicts);
  // Half of the passes are conflicts: a request takes two.
  const shared_totals loads = judged(metrics)->totals.slot_loads;
  EXPECT_NEAR(static_cast<double>(loads.wavefronts), 2.0 * static_cast<double>(loads.requests), 2);
}

// Four schedulers of each SM issue an instruction a cycle, the banks serve one wavefront.
TEST(LimitsOfCounts, InstructionsLimitWhereTheyTakeLongest) {
  const double rate = 4 * h200().time->shared_wavefronts_per_s.low;
  EXPECT_EQ(limit_of(with("smsp__inst_executed.sum", 0.8 * rate * kSeconds)), limit::kIssue);
  // Pipes take several cycles to some instructions: half of the slots are the limit if no memory
  // comes near.
  metric_values half = with("smsp__inst_executed.sum", 0.5 * rate * kSeconds);
  EXPECT_EQ(limit_of(half), limit::kIssue);
  half["lts__t_sectors_srcunit_tex_op_read.sum"] =
      0.2 * h200().time->l2_loads.at(4).middle() * kSeconds;
  EXPECT_EQ(limit_of(half), limit::kInFlight);
  EXPECT_EQ(limit_of(with("smsp__inst_executed.sum", 0.3 * rate * kSeconds)), limit::kInFlight);
}

TEST(LimitsOfCounts, WithoutCountsOfMemoryOrFiguresOfTimeNothingIsSaid) {
  metric_values metrics = with("dram__bytes_read.sum", 400e6);
  metrics.erase("lts__t_sectors_srcunit_tex_op_read.sum");
  EXPECT_EQ(limit_of(metrics), limit::kDramBytes);  // is judged by what there is
  metrics.erase("dram__bytes_read.sum");
  EXPECT_FALSE(judged(metrics));
  device_description without = h200();
  without.time.reset();
  EXPECT_FALSE(limits_of_counts(launch_of(idle()), without));
}

// ---- In words

std::string explained_as(const metric_values& metrics, double used = 32) {
  std::string text;
  for (const std::string& sentence : explain_counts(launch_of(metrics, used), h200()))
    text += sentence + "\n";
  return text;
}

TEST(ExplainedCounts, SpeakOfUsefulBytesAndOfTheMeasuredTime) {
  metric_values metrics = with("dram__bytes_read.sum", 400e6);
  const std::string text = explained_as(metrics, 4);
  EXPECT_NE(text.find("the useful bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("100 us measured"), std::string::npos) << text;
  EXPECT_EQ(text.find("predicted"), std::string::npos) << text;
  EXPECT_EQ(text.find("the array"), std::string::npos) << text;
}

TEST(ExplainedCounts, FewWarpsAreToBecomeMore) {
  const std::string full = explained_as(idle());
  const std::string few =
      explained_as(with("sm__warps_active.avg.pct_of_peak_sustained_active", 25));
  EXPECT_NE(few.find("25 %"), std::string::npos) << few;
  EXPECT_EQ(full.find("25 %"), std::string::npos) << full;
  EXPECT_NE(full.find("unroll by four"), std::string::npos) << full;
}

TEST(ExplainedCounts, InstructionsAreCounted) {
  const double rate = 4 * h200().time->shared_wavefronts_per_s.low;
  const std::string text = explained_as(with("smsp__inst_executed.sum", rate * kSeconds));
  EXPECT_NE(text.find("fewer instructions"), std::string::npos) << text;
}

}  // namespace
}  // namespace sectorbench
