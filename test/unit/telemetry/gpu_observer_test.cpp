// SPDX-License-Identifier: Apache-2.0
#include "bench/telemetry/gpu_observer.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
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

using fact_map = std::map<std::string, std::string>;

constexpr const char* kUuid = "GPU-00112233-4455-6677-8899-aabbccddeeff";
constexpr const char* kBusId = "0000:18:00.0";

observed_gpu probed_by(std::function<void()> probe) { return {0, kUuid, kBusId, std::move(probe)}; }

observer_settings all_wanted() {
  observer_settings settings;
  settings.counters = settings.clock_check = true;
  return settings;
}

fact_map facts_of(const gpu_observer& observer) {
  fact_map facts;
  for (const auto& [key, value] : observer.facts())
    EXPECT_TRUE(facts.emplace(key, value).second) << key << " stands twice";
  return facts;
}

// Keys of the facts whose values are NVML's.
const std::vector<std::string> kNvmlKeys{"gpu.mig",
                                         "gpu.power_limit_w",
                                         "gpu.persistence",
                                         "gpu.ecc_errors_corrected",
                                         "gpu.ecc_errors_uncorrected",
                                         "gpu.remapped_rows",
                                         "gpu.max_sm_clock_mhz",
                                         "gpu.max_memory_clock_mhz",
                                         "gpu.temperature_c",
                                         "gpu.other_processes"};

void use_nvml(const char* file) { setenv("SECTORBENCH_NVML", file, 1); }
void use_nvml_scenario(const char* name) { setenv("SECTORBENCH_FAKE_NVML_SCENARIO", name, 1); }

void forget_nvml() {
  unsetenv("SECTORBENCH_NVML");
  unsetenv("SECTORBENCH_FAKE_NVML_SCENARIO");
}

// ---- Without CUPTI

class GpuObserver : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("SECTORBENCH_FAKE_NVML_UUID");
    use_nvml(SECTORBENCH_FAKE_NVML);
    use_nvml_scenario("healthy");
  }
  void TearDown() override { forget_nvml(); }

  static observer_settings nothing_wanted() {
    observer_settings settings;
    settings.counters_state = "off";
    settings.counters_reason = "--counters=off";
    settings.clock_check_state = "other_profiler";
    settings.clock_check_reason = "another profiler is attached: running under ncu";
    return settings;
  }

  // Of an observer that asks NVML alone.
  static fact_map nvml_facts(const char* scenario, const std::string& uuid = kUuid) {
    use_nvml_scenario(scenario);
    return facts_of(gpu_observer(nothing_wanted(), {0, uuid, kBusId, {}}));
  }
};

TEST_F(GpuObserver, WhatIsNotWantedSaysSoInTheWordsOfTheSettings) {
  int probes = 0;
  const gpu_observer observer(nothing_wanted(), probed_by([&] { ++probes; }));
  EXPECT_EQ(probes, 0);
  EXPECT_FALSE(observer.counters().on);
  EXPECT_EQ(observer.counters().state, "off");
  EXPECT_EQ(observer.counters().reason, "--counters=off");
  EXPECT_FALSE(observer.clock_check().on);
  EXPECT_EQ(observer.clock_check().state, "other_profiler");
  EXPECT_EQ(observer.clock_check().reason, "another profiler is attached: running under ncu");
  const fact_map facts = facts_of(observer);
  EXPECT_EQ(facts.at("counters"), "off");
  EXPECT_EQ(facts.at("counters.reason"), "--counters=off");
  EXPECT_EQ(facts.at("clock_check"), "other_profiler");
  EXPECT_EQ(facts.at("clock_check.reason"), "another profiler is attached: running under ncu");
  for (const char* const key :
       {"counters.cupti", "counters.chip", "counters.passes", "counters.not_offered"})
    EXPECT_FALSE(facts.contains(key)) << key;
}

TEST_F(GpuObserver, FactsAreNvmls) {
  const fact_map facts = nvml_facts("healthy");
  EXPECT_EQ(facts.at("gpu.nvml"), "ok");
  EXPECT_EQ(facts.at("gpu.mig"), "off");
  EXPECT_FALSE(facts.contains("gpu.mig_instance"));
  EXPECT_EQ(facts.at("gpu.power_limit_w"), "700.0");
  EXPECT_EQ(facts.at("gpu.persistence"), "on");
  EXPECT_EQ(facts.at("gpu.ecc_errors_corrected"), "3");
  EXPECT_EQ(facts.at("gpu.ecc_errors_uncorrected"), "0");
  EXPECT_EQ(facts.at("gpu.remapped_rows"), "2 correctable, 0 uncorrectable");
  EXPECT_EQ(facts.at("gpu.max_sm_clock_mhz"), "1985");
  EXPECT_EQ(facts.at("gpu.max_memory_clock_mhz"), "3202");
  EXPECT_EQ(facts.at("gpu.temperature_c"), "41");
  EXPECT_EQ(facts.at("gpu.other_processes"), "0");
}

TEST_F(GpuObserver, WornGpuSaysSo) {
  const fact_map facts = nvml_facts("worn");
  EXPECT_EQ(facts.at("gpu.ecc_errors_corrected"), "12");
  EXPECT_EQ(facts.at("gpu.ecc_errors_uncorrected"), "5000000000");
  EXPECT_EQ(facts.at("gpu.remapped_rows"), "2 correctable, 1 uncorrectable, one pending");
}

TEST_F(GpuObserver, OtherProcessesAreCounted) {
  EXPECT_EQ(nvml_facts("shared").at("gpu.other_processes"), "2");
}

TEST_F(GpuObserver, ConditionIsNvmls) {
  use_nvml_scenario("hot");
  const gpu_observer observer(nothing_wanted(), probed_by({}));
  EXPECT_EQ(observer.condition().temperature_c, 87);
  EXPECT_EQ(observer.condition().clock_event_reasons, 0x68u);
}

TEST_F(GpuObserver, WithoutNvmlItsKeysAreAbsentAndTheReasonIsTold) {
  use_nvml("/nonexistent/libnvidia-ml.so.1");
  const gpu_observer observer(nothing_wanted(), probed_by({}));
  EXPECT_FALSE(observer.is_mig_instance());
  EXPECT_EQ(observer.condition().temperature_c, std::nullopt);
  const fact_map facts = facts_of(observer);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "/nonexistent/libnvidia-ml.so.1 cannot be loaded",
                      facts.at("gpu.nvml"));
  for (const std::string& key : kNvmlKeys) EXPECT_FALSE(facts.contains(key)) << key;
  EXPECT_FALSE(facts.contains("gpu.mig_instance"));
}

TEST_F(GpuObserver, WhatNvmlDoesNotAnswerIsAbsentToo) {
  const fact_map facts = nvml_facts("sparse");
  EXPECT_EQ(facts.at("gpu.nvml"), "ok");
  for (const std::string& key : kNvmlKeys) EXPECT_FALSE(facts.contains(key)) << key;
}

TEST_F(GpuObserver, InstanceOfADividedGpuIsOne) {
  use_nvml_scenario("mig");
  const gpu_observer observer(nothing_wanted(), probed_by({}));
  EXPECT_TRUE(observer.is_mig_instance());
  const fact_map facts = facts_of(observer);
  EXPECT_EQ(facts.at("gpu.mig"), "on");
  EXPECT_EQ(facts.at("gpu.mig_instance"),
            "instance of GPU-ffffffff-0000-1111-2222-333333333333, 1g.18gb");
}

TEST_F(GpuObserver, WholeGpuIsNone) {
  EXPECT_FALSE(gpu_observer(nothing_wanted(), probed_by({})).is_mig_instance());
}

// CUDA's number 0 may be any of NVML's.
TEST_F(GpuObserver, GpuIsFoundByItsNamesAndNotByItsNumber) {
  const gpu_observer other(nothing_wanted(),
                           {0, "GPU-99999999-4455-6677-8899-aabbccddeeff", "0000:9a:00.0", {}});
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "NVML does not know the GPU GPU-99999999",
                      facts_of(other).at("gpu.nvml"));
  EXPECT_EQ(facts_of(gpu_observer(nothing_wanted(), {7, kUuid, kBusId, {}})).at("gpu.nvml"), "ok");
}

// ---- With CUPTI

class CuptiObserver : public test::fake_cupti_test {
 protected:
  void SetUp() override {
    use_nvml(SECTORBENCH_FAKE_NVML);
    use_nvml_scenario("healthy");
    test::fake_cupti_test::SetUp();
  }
  void TearDown() override {
    forget_nvml();
    test::fake_cupti_test::TearDown();
  }

  static gpu_observer observer_in(const std::string& scenario,
                                  const observer_settings& settings = all_wanted()) {
    use_fake_cupti_scenario(scenario);
    return {settings, probed_by([] {})};
  }
};

TEST_F(CuptiObserver, HealthyGpuIsCountedAndTraced) {
  int probes = 0;
  const gpu_observer observer(all_wanted(), probed_by([&] { ++probes; }));
  EXPECT_EQ(probes, kFakePasses) << "the probe is one launch, repeated for each pass";
  EXPECT_TRUE(observer.counters().on);
  EXPECT_EQ(observer.counters().state, "on");
  EXPECT_EQ(observer.counters().reason, "the probe reading worked");
  EXPECT_TRUE(observer.clock_check().on);
  EXPECT_EQ(observer.clock_check().state, "on");
  EXPECT_EQ(observer.clock_check().reason, "kernels can be traced");
  EXPECT_EQ(calls().enabled, calls().disabled);
}

TEST_F(CuptiObserver, FactsOfTheCountersAreCuptis) {
  const fact_map facts = facts_of(observer_in("healthy"));
  EXPECT_EQ(facts.at("counters"), "on");
  EXPECT_EQ(facts.at("counters.reason"), "the probe reading worked");
  EXPECT_EQ(facts.at("counters.cupti"), "131313");
  EXPECT_EQ(facts.at("counters.chip"), "FAKE1");
  EXPECT_EQ(facts.at("counters.passes"), "3");
  EXPECT_EQ(facts.at("counters.not_offered"), "none");
  EXPECT_EQ(facts.at("clock_check"), "on");
  EXPECT_EQ(facts.at("clock_check.reason"), "kernels can be traced");
  EXPECT_EQ(facts.at("gpu.nvml"), "ok");
  for (const std::string& key : kNvmlKeys) EXPECT_TRUE(facts.contains(key)) << key;
}

TEST_F(CuptiObserver, MetricThatTheChipLacksIsNamed) {
  gpu_observer observer = observer_in("few_metrics");
  EXPECT_TRUE(observer.counters().on) << observer.counters().reason;
  EXPECT_EQ(facts_of(observer).at("counters.not_offered"),
            "lts__t_sectors_data_ecc.sum: not offered by FAKE1");
  const metric_values values = observer.count([] {}, [] {});
  EXPECT_FALSE(values.contains("lts__t_sectors_data_ecc.sum"));
  EXPECT_EQ(values.size(), kFakeCounters.size() - 1);
}

TEST_F(CuptiObserver, CountReadsTheTablesMetricsAndTheExtraOnes) {
  observer_settings settings = all_wanted();
  settings.extra = {"l1tex__t_sector_hit_rate.pct", "dram__bytes_read.sum"};
  gpu_observer observer = observer_in("healthy", settings);
  const metric_values values = observer.count([] {}, [] {});
  ASSERT_EQ(values.size(), kFakeCounters.size() + 1);
  // All but the last are read as sums.
  for (std::size_t i = 0; i + 1 < kFakeCounters.size(); ++i)
    EXPECT_EQ(values.at(std::string(kFakeCounters[i]) + ".sum"), fake_value(0, i));
  EXPECT_EQ(values.at("l1tex__t_sector_hit_rate.pct"), fake_value(0, kFakeCounters.size()));
  for (const std::string& metric : table_metrics()) {
    int read = 0;
    for (const std::string_view name : split(metric, '|')) read += values.contains(name) ? 1 : 0;
    EXPECT_EQ(read, 1) << metric;
  }
}

TEST_F(CuptiObserver, CountPreparesBeforeEachPassOfItsLaunch) {
  gpu_observer observer = observer_in("healthy");
  std::string order;
  observer.count([&] { order += 'p'; }, [&] { order += 'l'; });
  EXPECT_EQ(order, "plplpl");
}

TEST_F(CuptiObserver, ReadingThatFailsLaterThrows) {
  gpu_observer observer = observer_in("healthy");
  use_fake_cupti_scenario("dropped");
  EXPECT_THROW(observer.count([] {}, [] {}), cupti_unavailable);
  EXPECT_TRUE(observer.counters().on) << "decided for the whole run";
}

TEST_F(CuptiObserver, ObstaclesTurnCountersOffWithStateAndReason) {
  const std::map<std::string, std::pair<std::string, std::string>> obstacles{
      {"permission", {"permission", "ERR_NVGPUCTRPERM, CUPTI 35"}},
      {"permission_vgpu", {"permission", "hypervisor"}},
      {"other_profiler", {"other_profiler", "another profiler is attached (CUPTI 39"}},
      {"wsl", {"unsupported", "WSL unsupported"}},
      {"virtualized", {"unsupported", "virtual GPU disabled"}},
      {"unknown_chip", {"unknown_chip", "take a newer CUDA toolkit"}},
      {"endless", {"failed", "more than the 3 passes"}},
      {"dropped", {"failed", "CUPTI returned 0 of 1 readings"}},
      {"fail:cuptiRangeProfilerStart:999", {"failed", "cuptiRangeProfilerStart"}},
  };
  for (const auto& [scenario, expected] : obstacles) {
    SCOPED_TRACE(scenario);
    const gpu_observer observer = observer_in(scenario);
    const auto& [state, reason] = expected;
    EXPECT_FALSE(observer.counters().on);
    EXPECT_EQ(observer.counters().state, state);
    EXPECT_PRED_FORMAT2(testing::IsSubstring, reason, observer.counters().reason);
    EXPECT_EQ(one_line(observer.counters().reason), observer.counters().reason);
    const fact_map facts = facts_of(observer);
    EXPECT_EQ(facts.at("counters"), state);
    EXPECT_EQ(facts.at("counters.reason"), observer.counters().reason);
    for (const char* const key :
         {"counters.cupti", "counters.chip", "counters.passes", "counters.not_offered"})
      EXPECT_FALSE(facts.contains(key)) << key;
    EXPECT_EQ(facts.at("gpu.nvml"), "ok");
    // Tracing needs no permission, and only another profiler stands in its way.
    EXPECT_EQ(observer.clock_check().state, state == "other_profiler" ? "other_profiler" : "on");
  }
}

TEST_F(CuptiObserver, ProbeThatCountsAnotherNumberTurnsCountersOff) {
  const gpu_observer observer = observer_in("zeros");
  EXPECT_FALSE(observer.counters().on);
  EXPECT_EQ(observer.counters().state, "failed");
  EXPECT_EQ(observer.counters().reason,
            "the probe reading counted 0 store sectors where 2048 were stored");
  EXPECT_TRUE(observer.clock_check().on);
}

TEST_F(CuptiObserver, ErrorsOfTheProbeItselfPass) {
  EXPECT_THROW(gpu_observer(all_wanted(), probed_by([] { throw std::domain_error("driver"); })),
               std::domain_error);
}

// The mistake is the person's, whatever stands in the way of reading it.
TEST_F(CuptiObserver, UnknownExtraMetricIsRefusedWithNearMatches) {
  observer_settings settings = all_wanted();
  settings.extra = {"dram__bytes_write.sum", "dram__bytes_raed.sum"};
  for (const char* const scenario : {"healthy", "permission"}) {
    int probes = 0;
    use_fake_cupti_scenario(scenario);
    try {
      const gpu_observer observer(settings, probed_by([&] { ++probes; }));
      ADD_FAILURE() << "dram__bytes_raed.sum was taken";
    } catch (const usage_error& error) {
      EXPECT_PRED_FORMAT2(testing::IsSubstring,
                          "--counter=dram__bytes_raed.sum: not offered by FAKE1; near matches: "
                          "dram__bytes_read.sum, dram__bytes_write.sum, ",
                          error.what());
      EXPECT_EQ(split(error.what(), ',').size(), 3u) << error.what();
    }
    EXPECT_EQ(probes, 0);
  }
}

TEST_F(CuptiObserver, CountersAndClockCheckAreChosenApart) {
  observer_settings settings = all_wanted();
  settings.clock_check = false;
  settings.clock_check_state = "off";
  settings.clock_check_reason = "--clock_check=off";
  const int traces = calls().tracing_enabled;
  const gpu_observer counting = observer_in("healthy", settings);
  EXPECT_TRUE(counting.counters().on);
  EXPECT_EQ(counting.clock_check().reason, "--clock_check=off");
  EXPECT_EQ(calls().tracing_enabled, traces);

  settings = all_wanted();
  settings.counters = false;
  settings.counters_state = "off";
  settings.counters_reason = "--counters=off";
  const int readings = calls().enabled;
  const gpu_observer tracing = observer_in("healthy", settings);
  EXPECT_EQ(tracing.counters().reason, "--counters=off");
  EXPECT_TRUE(tracing.clock_check().on);
  EXPECT_EQ(calls().enabled, readings);
}

TEST_F(CuptiObserver, TracerThatFailsLeavesTheCounters) {
  const gpu_observer observer = observer_in("fail:cuptiActivityEnable:999");
  EXPECT_TRUE(observer.counters().on);
  EXPECT_FALSE(observer.clock_check().on);
  EXPECT_EQ(observer.clock_check().state, "failed");
  EXPECT_EQ(observer.clock_check().reason, "cuptiActivityEnable: CUPTI_ERROR_UNKNOWN (CUPTI 999)");
}

// Kernels of 2, 2 and 3 us with gaps of half a microsecond.
TEST_F(CuptiObserver, TraceSumsUpTheKernelsBesideTheBatchsOwnTime) {
  gpu_observer observer = observer_in("healthy");
  int batches = 0;
  const batch_trace trace = observer.trace([&] {
    ++batches;
    return 8.4e-6;
  });
  EXPECT_EQ(batches, 1);
  EXPECT_EQ(trace.kernels, 3);
  EXPECT_DOUBLE_EQ(trace.kernel_s, 7e-6 / 3);
  EXPECT_DOUBLE_EQ(trace.gap_s, 5e-7);
  EXPECT_DOUBLE_EQ(trace.covered_s, 8e-6);
  EXPECT_EQ(trace.event_s, 8.4e-6);
}

TEST_F(CuptiObserver, KernelThatHoldsTheStreamIsNotTheBatchs) {
  gpu_observer observer = observer_in("held");
  const batch_trace trace = observer.trace([] { return 5.5e-6; });
  EXPECT_EQ(trace.kernels, 2);
  EXPECT_DOUBLE_EQ(trace.kernel_s, 2.5e-6);
  EXPECT_DOUBLE_EQ(trace.gap_s, 5e-7);
  EXPECT_DOUBLE_EQ(trace.covered_s, 5.5e-6);
}

TEST_F(CuptiObserver, BatchWithoutKernelsIsNotTraced) {
  gpu_observer observer = observer_in("held_only");
  try {
    observer.trace([] { return 1e-6; });
    ADD_FAILURE() << "a batch without kernels was summed up";
  } catch (const cupti_unavailable& error) {
    EXPECT_EQ(error.obstacle(), cupti_obstacle::kFailed);
    EXPECT_STREQ(error.what(), "CUPTI recorded no kernel of the batch");
  }
}

TEST_F(CuptiObserver, ErrorsOfTheBatchPass) {
  gpu_observer observer = observer_in("healthy");
  EXPECT_THROW(observer.trace([]() -> double { throw std::domain_error("driver"); }),
               std::domain_error);
}

TEST_F(CuptiObserver, InstanceOfADividedGpuMayBeCountedAllTheSame) {
  use_nvml_scenario("mig");
  const gpu_observer observer = observer_in("healthy");
  EXPECT_TRUE(observer.is_mig_instance());
  EXPECT_TRUE(observer.counters().on);
}

#if SECTORBENCH_HAS_CUPTI

// The library is loaded once in a process.
TEST(GpuObserverDeathTest, WithoutCuptiBothSayThatItIsMissing) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        setenv("SECTORBENCH_CUPTI", "/nonexistent/libcupti.so", 1);
        setenv("SECTORBENCH_NVML", "/nonexistent/libnvidia-ml.so", 1);
        int probes = 0;
        const gpu_observer observer(all_wanted(), probed_by([&] { ++probes; }));
        for (const auto& [key, value] : observer.facts())
          std::fprintf(stderr, "%s=%s;", key.c_str(), value.c_str());
        std::exit(probes);
      },
      testing::ExitedWithCode(0),
      "^counters=missing;counters.reason=CUPTI was not found .*;clock_check=missing;"
      "clock_check.reason=CUPTI was not found .*;gpu.nvml=/nonexistent/libnvidia-ml.so cannot be "
      "loaded: .*;$");
}

#else

TEST_F(GpuObserver, BuildWithoutCuptiSaysSo) {
  const gpu_observer observer(all_wanted(), probed_by([] {}));
  EXPECT_EQ(observer.counters().state, "not_built");
  EXPECT_EQ(observer.clock_check().state, "not_built");
}

#endif

}  // namespace
}  // namespace sectorbench
