// SPDX-License-Identifier: Apache-2.0
#include "bench/telemetry/cupti/hardware_counters.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report/counters.hpp"
#include "bench/support/text.hpp"
#include "test/support/with_fake_cupti.hpp"

namespace sectorbench {
namespace {

using test::fake_value;
using test::kFakeCounters;
using test::kFakePasses;
using test::use_fake_cupti_scenario;

using texts = std::vector<std::string>;

// Every counter that the stand-in has.
texts all_metrics() {
  texts metrics;
  for (const char* const counter : kFakeCounters) metrics.push_back(std::string(counter) + ".sum");
  return metrics;
}
const texts kMetrics = all_metrics();

void nothing(int) {}

struct finding {
  cupti_obstacle obstacle;
  std::string words;
};

// The obstacle that `act` meets; fails if it meets none.
template <class Act>
finding obstacle_met_by(const Act& act) {
  try {
    act();
  } catch (const cupti_unavailable& error) {
    return {error.obstacle(), error.what()};
  }
  ADD_FAILURE() << "there was no obstacle";
  return {cupti_obstacle::kFailed, ""};
}

// What opening the counters and reading one range of one metric meets in a scenario.
finding met_in(const std::string& scenario) {
  SCOPED_TRACE(scenario);
  use_fake_cupti_scenario(scenario);
  return obstacle_met_by(
      [] { open_hardware_counters(0, {"dram__bytes_read.sum"})->read(1, nothing, nothing); });
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks: " << part;
}

void expect_lacks(const std::string& text, const std::string& part) {
  EXPECT_EQ(text.find(part), std::string::npos) << text << "\nhas: " << part;
}

void expect_one_line(const std::string& text) {
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST(CuptiObstacles, NamesDiffer) {
  EXPECT_EQ(name_of(cupti_obstacle::kNotBuilt), "not_built");
  EXPECT_EQ(name_of(cupti_obstacle::kMissing), "missing");
  EXPECT_EQ(name_of(cupti_obstacle::kTooOld), "too_old");
  EXPECT_EQ(name_of(cupti_obstacle::kPermission), "permission");
  EXPECT_EQ(name_of(cupti_obstacle::kOtherProfiler), "other_profiler");
  EXPECT_EQ(name_of(cupti_obstacle::kUnsupported), "unsupported");
  EXPECT_EQ(name_of(cupti_obstacle::kUnknownChip), "unknown_chip");
  EXPECT_EQ(name_of(cupti_obstacle::kFailed), "failed");
}

TEST(CuptiObstacles, BuildWithoutCuptiSaysHowToGetOneWithIt) {
  const cupti_unavailable error = cupti_not_built();
  EXPECT_EQ(error.obstacle(), cupti_obstacle::kNotBuilt);
  expect_one_line(error.what());
  expect_contains(error.what(), "12.6 Update 2");
#if !SECTORBENCH_HAS_CUPTI
  const auto refused = [](const auto& act) { return obstacle_met_by(act).obstacle; };
  EXPECT_EQ(refused([] { open_hardware_counters(0, {}); }), cupti_obstacle::kNotBuilt);
  EXPECT_EQ(refused([] { open_metric_catalogue("GH100"); }), cupti_obstacle::kNotBuilt);
  EXPECT_EQ(refused([] { cupti_version(); }), cupti_obstacle::kNotBuilt);
#endif
}

class HardwareCounters : public test::fake_cupti_test {};
class CuptiDenied : public test::fake_cupti_test {};
class MetricCatalogue : public test::fake_cupti_test {};

TEST_F(HardwareCounters, OpenedOnesDescribeThemselves) {
  const texts wanted{"dram__bytes_write.sum", "dram__bytes_read.sum"};
  const auto counters = open_hardware_counters(0, wanted);
  EXPECT_EQ(counters->chip(), test::kFakeChip);
  EXPECT_EQ(counters->metrics(), wanted);
  EXPECT_EQ(counters->not_offered(), texts{});
  EXPECT_EQ(counters->passes(), kFakePasses);
  EXPECT_EQ(counters->catalogue().near("dram__bytes_raed.sum", 1), texts{"dram__bytes_read.sum"});
  EXPECT_EQ(calls().enabled, calls().disabled) << "the profiler is on although nothing is read";
}

TEST_F(HardwareCounters, MetricsThatTheChipLacksAreLeftOutAndNamed) {
  const auto counters =
      open_hardware_counters(0, {"dram__bytes_raed.sum", "dram__bytes_read.sum", "dram__bytes_read",
                                 "", "dram__bytes_write.sum"});
  EXPECT_EQ(counters->metrics(), (texts{"dram__bytes_read.sum", "dram__bytes_write.sum"}));
  EXPECT_EQ(counters->not_offered(), (texts{"dram__bytes_raed.sum", "dram__bytes_read", ""}));
  EXPECT_EQ(counters->read(1, nothing, nothing).front().size(), 2u);
}

TEST_F(HardwareCounters, FirstOfferedNameOfSeveralIsRead) {
  const auto counters = open_hardware_counters(
      0, {"dram__bytes_op_read.sum|dram__bytes_read.sum", "dram__bytes_write.sum|dram__bytes.sum",
          "dram__bytes_raed.sum|dram__bytes.sum"});
  EXPECT_EQ(counters->metrics(), (texts{"dram__bytes_read.sum", "dram__bytes_write.sum"}));
  EXPECT_EQ(counters->not_offered(), texts{"dram__bytes_raed.sum|dram__bytes.sum"});
}

TEST_F(HardwareCounters, MetricNamedTwiceIsReadOnce) {
  const auto counters = open_hardware_counters(
      0, {"dram__bytes_read.sum", "dram__bytes_op_read.sum|dram__bytes_read.sum"});
  EXPECT_EQ(counters->metrics(), texts{"dram__bytes_read.sum"});
  EXPECT_EQ(counters->not_offered(), texts{});
}

TEST_F(HardwareCounters, EachRangeHasItsValuesInTheOrderOfTheMetrics) {
  texts reversed(kMetrics.rbegin(), kMetrics.rend());
  const auto counters = open_hardware_counters(0, reversed);
  ASSERT_EQ(counters->metrics(), reversed);
  const auto values = counters->read(5, nothing, nothing);
  ASSERT_EQ(values.size(), 5u);
  for (std::size_t range = 0; range < values.size(); ++range) {
    ASSERT_EQ(values[range].size(), kFakeCounters.size());
    for (std::size_t i = 0; i < kFakeCounters.size(); ++i)
      EXPECT_EQ(values[range][i], fake_value(range, kFakeCounters.size() - 1 - i))
          << "range " << range << ", " << reversed[i];
  }
}

TEST_F(HardwareCounters, ValuesOfZeroAreValues) {
  use_fake_cupti_scenario("zeros");
  const auto values = open_hardware_counters(0, kMetrics)->read(2, nothing, nothing);
  EXPECT_EQ(values, std::vector(2, std::vector(kMetrics.size(), 0.0)));
}

TEST_F(HardwareCounters, ReadPreparesAndLaunchesEveryRangeOnceInEachPass) {
  const auto counters = open_hardware_counters(0, kMetrics);
  texts order;
  counters->read(
      3, [&](int i) { order.push_back("prepare " + std::to_string(i)); },
      [&](int i) { order.push_back("launch " + std::to_string(i)); });
  texts expected;
  for (int pass = 0; pass < kFakePasses; ++pass)
    for (const char* const range : {"0", "1", "2"}) {
      expected.push_back(std::string("prepare ") + range);
      expected.push_back(std::string("launch ") + range);
    }
  EXPECT_EQ(order, expected);
}

TEST_F(HardwareCounters, OnlyTheLaunchIsInsideTheRange) {
  const auto counters = open_hardware_counters(0, kMetrics);
  const auto open_ranges = [&] { return calls().pushed - calls().popped; };
  const int before = calls().pushed;
  counters->read(
      2, [&](int) { EXPECT_EQ(open_ranges(), 0); }, [&](int) { EXPECT_EQ(open_ranges(), 1); });
  EXPECT_EQ(open_ranges(), 0);
  EXPECT_EQ(calls().pushed - before, 2 * kFakePasses);
}

TEST_F(HardwareCounters, ProfilerIsOnOnlyWhileItReads) {
  const auto counters = open_hardware_counters(0, kMetrics);
  const auto on = [&] { return calls().enabled - calls().disabled; };
  EXPECT_EQ(on(), 0);
  for (int reading = 0; reading < 2; ++reading) {
    counters->read(1, nothing, [&](int) { EXPECT_EQ(on(), 1); });
    EXPECT_EQ(on(), 0);
  }
}

TEST_F(HardwareCounters, ExceptionsOfTheCallbacksPassAndLeaveTheProfilerOff) {
  const auto counters = open_hardware_counters(0, kMetrics);
  const auto fail_at_one = [](int i) {
    if (i == 1) throw std::domain_error("not launched");
  };
  EXPECT_THROW(counters->read(3, nothing, fail_at_one), std::domain_error);
  EXPECT_EQ(calls().enabled, calls().disabled);
  EXPECT_EQ(calls().started, calls().stopped);
  EXPECT_THROW(counters->read(3, fail_at_one, nothing), std::domain_error);
  EXPECT_EQ(calls().enabled, calls().disabled);
  EXPECT_EQ(calls().started, calls().stopped);
}

TEST_F(HardwareCounters, ReadingAfterAFailedOneWorks) {
  const auto counters = open_hardware_counters(0, {"smsp__inst_executed_op_global_st.sum"});
  const auto fail = [](int) { throw std::domain_error("not launched"); };
  EXPECT_THROW(counters->read(2, nothing, fail), std::domain_error);
  EXPECT_EQ(counters->read(2, nothing, nothing),
            (std::vector<std::vector<double>>{{fake_value(0, 1)}, {fake_value(1, 1)}}));
}

TEST_F(HardwareCounters, PassesWithoutEndAreGivenUp) {
  const auto counters = open_hardware_counters(0, kMetrics);
  use_fake_cupti_scenario("endless");
  int launches = 0;
  const finding met =
      obstacle_met_by([&] { counters->read(1, nothing, [&](int) { ++launches; }); });
  EXPECT_EQ(met.obstacle, cupti_obstacle::kFailed);
  EXPECT_EQ(met.words, "CUPTI asks for more than the 3 passes it announced");
  EXPECT_GT(launches, kFakePasses);
  EXPECT_LT(launches, 100);
}

TEST_F(HardwareCounters, DroppedRangeIsAnError) {
  const auto counters = open_hardware_counters(0, kMetrics);
  use_fake_cupti_scenario("dropped");
  const finding met = obstacle_met_by([&] { counters->read(3, nothing, nothing); });
  EXPECT_EQ(met.obstacle, cupti_obstacle::kFailed);
  EXPECT_EQ(met.words, "CUPTI returned 2 of 3 readings");
  use_fake_cupti_scenario("healthy");
  EXPECT_EQ(counters->read(3, nothing, nothing).size(), 3u);
}

TEST_F(HardwareCounters, EveryCallOfAReadingIsChecked) {
  const auto counters = open_hardware_counters(0, kMetrics);
  for (const std::string function :
       {"cuptiRangeProfilerEnable", "cuptiRangeProfilerGetCounterDataSize",
        "cuptiRangeProfilerCounterDataImageInitialize", "cuptiRangeProfilerSetConfig",
        "cuptiRangeProfilerStart", "cuptiRangeProfilerPushRange", "cuptiRangeProfilerDecodeData",
        "cuptiRangeProfilerGetCounterDataInfo", "cuptiProfilerHostEvaluateToGpuValues"}) {
    SCOPED_TRACE(function);
    use_fake_cupti_scenario("fail:" + function + ":999");
    const finding met = obstacle_met_by([&] { counters->read(2, nothing, nothing); });
    EXPECT_EQ(met.obstacle, cupti_obstacle::kFailed);
    EXPECT_EQ(met.words, function + ": CUPTI_ERROR_UNKNOWN (CUPTI 999)");
    EXPECT_EQ(calls().enabled, calls().disabled);
  }
}

TEST_F(HardwareCounters, EveryCallOfOpeningIsChecked) {
  for (const std::string function :
       {"cuptiProfilerDeviceSupported", "cuptiDeviceGetChipName",
        "cuptiProfilerGetCounterAvailability", "cuptiProfilerHostInitialize",
        "cuptiProfilerHostGetConfigImageSize", "cuptiProfilerHostGetConfigImage",
        "cuptiProfilerHostGetNumOfPasses"}) {
    const finding met = met_in("fail:" + function + ":999");
    EXPECT_EQ(met.obstacle, cupti_obstacle::kFailed);
    EXPECT_EQ(met.words, function + ": CUPTI_ERROR_UNKNOWN (CUPTI 999)");
  }
}

TEST_F(CuptiDenied, PermissionNamesWhereItIsDeniedAndTheRemedy) {
  const finding met = met_in("permission");
  EXPECT_EQ(met.obstacle, cupti_obstacle::kPermission);
  expect_one_line(met.words);
  for (const char* const part :
       {"ERR_NVGPUCTRPERM", "CUPTI 35", "/proc/driver/nvidia/params", "RmProfilingAdminOnly",
        "NVreg_RestrictProfilingToAdminUsers=0", "CAP_SYS_ADMIN"})
    expect_contains(met.words, part);
}

TEST_F(CuptiDenied, PermissionIsMissedOnlyByReading) {
  use_fake_cupti_scenario("permission");
  const auto counters = open_hardware_counters(0, kMetrics);
  EXPECT_EQ(counters->passes(), kFakePasses);
  use_fake_cupti_scenario("healthy");
  EXPECT_EQ(counters->read(1, nothing, nothing).size(), 1u);
}

TEST_F(CuptiDenied, PermissionOnAVirtualGpuIsTheHypervisors) {
  const finding met = met_in("permission_vgpu");
  EXPECT_EQ(met.obstacle, cupti_obstacle::kPermission);
  expect_one_line(met.words);
  expect_contains(met.words, "CUPTI 40");
  expect_contains(met.words, "hypervisor");
  expect_lacks(met.words, "NVreg");
}

TEST_F(CuptiDenied, VirtualGpuIsReportedAsTheLibraryDoes) {
  const finding met = met_in("virtualized");
  EXPECT_EQ(met.obstacle, cupti_obstacle::kUnsupported);
  EXPECT_EQ(met.words,
            "CUPTI reports that this configuration cannot be profiled: virtual GPU disabled");
}

TEST_F(CuptiDenied, WslIsReportedAsTheLibraryDoesWithoutAdviceOnPermission) {
  const finding met = met_in("wsl");
  EXPECT_EQ(met.obstacle, cupti_obstacle::kUnsupported);
  EXPECT_EQ(met.words, "CUPTI reports that this configuration cannot be profiled: WSL unsupported");
}

TEST_F(CuptiDenied, OtherProfilerIsToBeEnded) {
  for (const char* const scenario :
       {"other_profiler", "fail:cuptiRangeProfilerEnable:26", "fail:cuptiRangeProfilerEnable:36"}) {
    const finding met = met_in(scenario);
    EXPECT_EQ(met.obstacle, cupti_obstacle::kOtherProfiler) << scenario;
    expect_one_line(met.words);
    expect_contains(met.words, "another profiler is attached");
    expect_lacks(met.words, "permission");
  }
  expect_contains(met_in("other_profiler").words,
                  "(CUPTI 39, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)");
}

TEST_F(CuptiDenied, DevicesThatTheLibraryRefusesAreUnsupported) {
  for (const char* const code : {"33", "38", "41", "42", "43", "44", "45"}) {
    const finding met = met_in(std::string("fail:cuptiRangeProfilerEnable:") + code);
    EXPECT_EQ(met.obstacle, cupti_obstacle::kUnsupported) << code;
    expect_one_line(met.words);
    expect_contains(met.words, std::string("(CUPTI ") + code + ")");
    expect_lacks(met.words, "permission");
  }
}

TEST_F(CuptiDenied, ChipThatTheLibraryDoesNotKnowAsksForANewerToolkit) {
  const finding met = met_in("unknown_chip");
  EXPECT_EQ(met.obstacle, cupti_obstacle::kUnknownChip);
  expect_one_line(met.words);
  expect_contains(met.words, "CUPTI 46");
  expect_contains(met.words, "newer CUDA toolkit");
}

TEST_F(CuptiDenied, ErrorWithoutWordsStillHasItsNumber) {
  EXPECT_EQ(met_in("fail:cuptiRangeProfilerStart:8").words,
            "cuptiRangeProfilerStart: unknown error (CUPTI 8)");
}

TEST_F(CuptiDenied, NothingStaysTaken) {
  for (const char* const scenario : {"permission", "other_profiler", "wsl", "unknown_chip"})
    met_in(scenario);
  use_fake_cupti_scenario("healthy");
  EXPECT_EQ(open_hardware_counters(0, kMetrics)->read(1, nothing, nothing).size(), 1u);
}

TEST_F(MetricCatalogue, OffersWhatTheChipHasWithItsRollup) {
  const auto catalogue = open_metric_catalogue(test::kFakeChip);
  for (const std::string& metric : kMetrics) EXPECT_TRUE(catalogue->offers(metric)) << metric;
  EXPECT_TRUE(catalogue->offers("l1tex__t_sector_hit_rate.pct"));
  EXPECT_FALSE(catalogue->offers("dram__bytes_read"));
  EXPECT_FALSE(catalogue->offers("dram__bytes_raed.sum"));
  EXPECT_FALSE(catalogue->offers(""));
}

TEST_F(MetricCatalogue, OfTheStandInHasWhatTheTableOfCountersNames) {
  const auto catalogue = open_metric_catalogue(test::kFakeChip);
  int metrics = 0;
  for (const counter_spec& counter : kCounters) {
    if (counter.metric.empty()) continue;
    ++metrics;
    const std::string_view first = split(counter.metric, '|').front();
    EXPECT_TRUE(catalogue->offers(std::string(first))) << first;
  }
  EXPECT_GT(metrics, 0);
}

TEST_F(MetricCatalogue, NamesWhatMayHaveBeenMeantNearestFirst) {
  const auto catalogue = open_metric_catalogue(test::kFakeChip);
  const auto nearest = [&](const std::string& metric) { return catalogue->near(metric, 1).at(0); };
  EXPECT_EQ(nearest("dram__bytes_raed.sum"), "dram__bytes_read.sum");
  EXPECT_EQ(nearest("dram__bytes_read"), "dram__bytes_read.sum");
  EXPECT_EQ(nearest("dram_bytes_write.sum"), "dram__bytes_write.sum");
  EXPECT_EQ(nearest("l1tex__t_sector_hitrate.pct"), "l1tex__t_sector_hit_rate.pct");
  EXPECT_EQ(catalogue->near("l1tex__t_sectors_pipe_lsu_mem_global_op_lt.sum", 2),
            (texts{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                   "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}));
}

TEST_F(MetricCatalogue, NamesAsManyAsAskedForOrAsThereAre) {
  const auto catalogue = open_metric_catalogue(test::kFakeChip);
  EXPECT_EQ(catalogue->near("dram__bytes_raed.sum", 0).size(), 0u);
  EXPECT_EQ(catalogue->near("dram__bytes_raed.sum", 4).size(), 4u);
  const texts all = catalogue->near("dram__bytes_raed.sum", 1000);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
  EXPECT_EQ(all.size(), kFakeCounters.size() + 2);  // a ratio and a throughput
}

TEST_F(MetricCatalogue, TellsThePasses) {
  EXPECT_EQ(open_metric_catalogue(test::kFakeChip)->passes(kMetrics), kFakePasses);
}

TEST_F(MetricCatalogue, OfAnUnknownChipThereIsNone) {
  EXPECT_EQ(obstacle_met_by([] { open_metric_catalogue("FAKE2"); }).obstacle,
            cupti_obstacle::kUnknownChip);
}

#if SECTORBENCH_HAS_CUPTI

// The library is loaded and initialised once in a process: each statement below runs in one of its
// own, where nothing has happened yet.

constexpr int kNotHere = 77;

class CuptiProcessDeathTest : public testing::Test {
 protected:
  void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

// Ends the process with what `act` meets.
template <class Act>
[[noreturn]] void report(const Act& act) {
  try {
    act();
    std::exit(0);
  } catch (const cupti_unavailable& error) {
    std::fprintf(stderr, "%s: %s", std::string(name_of(error.obstacle())).c_str(), error.what());
    std::exit(1);
  }
}

[[noreturn]] void report_catalogue_from(const char* file) {
  setenv("SECTORBENCH_CUPTI", file, 1);
  report([] { open_metric_catalogue("GH100"); });
}

[[noreturn]] void report_opening_in(const char* scenario) {
  use_fake_cupti_scenario(scenario);
  report([] { open_hardware_counters(0, kMetrics); });
}

TEST_F(CuptiProcessDeathTest, PermissionDeniedAtOnceIsTheSame) {
  EXPECT_EXIT(report_opening_in("permission_init"), testing::ExitedWithCode(1),
              "^permission: .*ERR_NVGPUCTRPERM, CUPTI 35.*/proc/driver/nvidia/params");
}

TEST_F(CuptiProcessDeathTest, LibraryThatDoesNotFitTheDriverIsTooOld) {
  EXPECT_EXIT(report_opening_in("old_driver"), testing::ExitedWithCode(1),
              "^too_old: .*CUPTI 14, CUPTI_ERROR_NOT_COMPATIBLE.*12.6 Update 2");
}

TEST_F(CuptiProcessDeathTest, FailedInitialisationIsTriedAgain) {
  EXPECT_EXIT(
      {
        use_fake_cupti_scenario("fail:cuptiProfilerInitialize:999");
        try {
          open_hardware_counters(0, kMetrics);
        } catch (const cupti_unavailable& error) {
          std::fprintf(stderr, "%s", error.what());
        }
        use_fake_cupti_scenario("healthy");
        std::exit(open_hardware_counters(0, kMetrics)->passes() == kFakePasses ? 0 : 1);
      },
      testing::ExitedWithCode(0), "^cuptiProfilerInitialize: CUPTI_ERROR_UNKNOWN .CUPTI 999.$");
}

TEST_F(CuptiProcessDeathTest, MissingLibraryIsNamedWithTheRemedy) {
  EXPECT_EXIT(report_catalogue_from("/nonexistent/libcupti.so"), testing::ExitedWithCode(1),
              "^missing: CUPTI was not found \\(/nonexistent/libcupti.so: .*\\): install the CUDA "
              "toolkit's cuda-cupti package .*, or name the file in SECTORBENCH_CUPTI$");
}

TEST_F(CuptiProcessDeathTest, FileThatIsNoLibraryIsMissing) {
  EXPECT_EXIT(report_catalogue_from(__FILE__), testing::ExitedWithCode(1),
              "^missing: CUPTI was not found \\(.*hardware_counters_test.cpp: ");
}

TEST_F(CuptiProcessDeathTest, LibraryWithoutTheRangeProfilerIsTooOld) {
  EXPECT_EXIT(report_catalogue_from(SECTORBENCH_OLD_CUPTI_FILE), testing::ExitedWithCode(1),
              "^too_old: .*old_cupti.* has no cupti[A-Za-z]*: the range profiler of CUDA 12.6 "
              "Update 2 or later, of major version [0-9]+, is needed$");
}

TEST_F(CuptiProcessDeathTest, LibraryThatFailsAtOnceIsAskedAgain) {
  EXPECT_EXIT(
      {
        use_fake_cupti_scenario("fail:cuptiGetVersion:999");
        try {
          cupti_version();
          std::exit(1);
        } catch (const cupti_unavailable& error) {
          if (error.obstacle() != cupti_obstacle::kFailed) std::exit(2);
        }
        use_fake_cupti_scenario("healthy");
        std::exit(cupti_version() == test::kFakeCuptiVersion ? 0 : 3);
      },
      testing::ExitedWithCode(0), "");
}

// What is wrong with the metrics of the table of counters on a chip of the toolkit's library.
std::string faults_on(const char* chip) {
  const auto catalogue = open_metric_catalogue(chip);
  std::string faults;
  texts offered;
  for (const counter_spec& counter : kCounters) {
    if (counter.metric.empty()) continue;
    const auto names = split(counter.metric, '|');
    const auto first = std::ranges::find_if(
        names, [&](std::string_view name) { return catalogue->offers(std::string(name)); });
    if (first != names.end())
      offered.emplace_back(*first);
    else
      faults.append(counter.metric).append(" is not offered; ");
  }
  const int passes = catalogue->passes(offered);
  std::printf("%s: %zu metrics in %d passes\n", chip, offered.size(), passes);
  if (passes < 1 || passes > 6) faults += std::to_string(passes) + " passes; ";
  if (catalogue->offers("dram__bytes_raed.sum")) faults += "offers a slip of the pen; ";
  return faults;
}

// Ends the process with 0 if the toolkit's library offers what is read, in few passes.
[[noreturn]] void check_real_catalogues() {
  unsetenv("SECTORBENCH_CUPTI");
  bool well = true;
  try {
    std::printf("CUPTI %u\n", cupti_version());
    for (const char* const chip : {"TU104", "GA100", "GH100", "AD102"})
      if (const std::string faults = faults_on(chip); !faults.empty()) {
        std::fprintf(stderr, "%s: %s\n", chip, faults.c_str());
        well = false;
      }
    const texts nearest = open_metric_catalogue("GH100")->near("dram__bytes_raed.sum", 3);
    if (nearest.size() != 3 || nearest[0] != "dram__bytes_read.sum") {
      std::fprintf(stderr, "%s is nearest to dram__bytes_raed.sum\n", nearest.at(0).c_str());
      well = false;
    }
  } catch (const cupti_unavailable& error) {
    std::fprintf(stderr, "%s", error.what());
    std::exit(error.obstacle() == cupti_obstacle::kMissing ? kNotHere : 1);
  }
  std::fflush(stdout);
  std::exit(well ? 0 : 1);
}

TEST_F(CuptiProcessDeathTest, ToolkitsLibraryOffersEveryMetricOnEveryChipInAtMostSixPasses) {
  int code = -1;
  const auto ended_well = [&](int status) {
    if (WIFEXITED(status)) code = WEXITSTATUS(status);
    return code == 0 || code == kNotHere;
  };
  EXPECT_EXIT(check_real_catalogues(), ended_well, "");
  if (code == kNotHere) GTEST_SKIP() << "the toolkit's CUPTI is not installed";
}

#endif  // SECTORBENCH_HAS_CUPTI

}  // namespace
}  // namespace sectorbench
