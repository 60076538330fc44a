// SPDX-License-Identifier: Apache-2.0
#include "bench/telemetry/nvml.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <utility>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

constexpr const char* kUuid = "GPU-00112233-4455-6677-8899-aabbccddeeff";
constexpr const char* kBusId = "0000:18:00.0";
constexpr const char* kOtherUuid = "GPU-99999999-4455-6677-8899-aabbccddeeff";
constexpr const char* kOtherBusId = "0000:9a:00.0";

// The stand-in for NVML, which answers as the scenario of that name demands.
class Nvml : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("SECTORBENCH_FAKE_NVML_UUID");
    use_library(SECTORBENCH_FAKE_NVML);
    use_scenario("healthy");
  }
  void TearDown() override {
    unsetenv("SECTORBENCH_NVML");
    unsetenv("SECTORBENCH_FAKE_NVML_SCENARIO");
  }

  static void use_library(const char* file) { setenv("SECTORBENCH_NVML", file, 1); }
  static void use_scenario(const char* name) { setenv("SECTORBENCH_FAKE_NVML_SCENARIO", name, 1); }

  static gpu_monitor monitor_in(const char* scenario) {
    use_scenario(scenario);
    gpu_monitor monitor(kUuid, kBusId);
    EXPECT_TRUE(monitor.present()) << scenario;
    EXPECT_EQ(monitor.status(), "ok") << scenario;
    return monitor;
  }
};

void expect_no_facts(const gpu_facts& facts) {
  EXPECT_EQ(facts.mig, std::nullopt);
  EXPECT_EQ(facts.mig_detail, "");
  EXPECT_EQ(facts.power_limit_w, std::nullopt);
  EXPECT_EQ(facts.persistence, std::nullopt);
  EXPECT_EQ(facts.ecc, std::nullopt);
  EXPECT_EQ(facts.ecc_errors_volatile_corrected, std::nullopt);
  EXPECT_EQ(facts.ecc_errors_volatile_uncorrected, std::nullopt);
  EXPECT_FALSE(facts.remapped_rows.has_value());
  EXPECT_EQ(facts.max_sm_clock_mhz, std::nullopt);
  EXPECT_EQ(facts.max_memory_clock_mhz, std::nullopt);
  EXPECT_EQ(facts.driver_release, "");
}

void expect_no_condition(const gpu_condition& condition) {
  EXPECT_EQ(condition.temperature_c, std::nullopt);
  EXPECT_EQ(condition.power_w, std::nullopt);
  EXPECT_EQ(condition.pstate, std::nullopt);
  EXPECT_EQ(condition.sm_clock_mhz, std::nullopt);
  EXPECT_EQ(condition.memory_clock_mhz, std::nullopt);
  EXPECT_EQ(condition.clock_event_reasons, std::nullopt);
  EXPECT_EQ(condition.power_throttled_ns, std::nullopt);
  EXPECT_EQ(condition.thermal_throttled_ns, std::nullopt);
  EXPECT_EQ(condition.other_processes, std::nullopt);
}

void expect_absent(const gpu_monitor& monitor) {
  EXPECT_FALSE(monitor.present());
  expect_no_facts(monitor.facts());
  expect_no_condition(monitor.condition());
}

std::string throttles(std::uint64_t reasons) { return join(throttle_names(reasons), ", "); }

TEST(ThrottleNames, NameWhatSlowsAGpuDown) {
  EXPECT_EQ(throttles(0x4), "power");
  EXPECT_EQ(throttles(0x8), "hardware slowdown");
  EXPECT_EQ(throttles(0x10), "sync boost");
  EXPECT_EQ(throttles(0x20), "thermal");
  EXPECT_EQ(throttles(0x40), "hardware thermal");
  EXPECT_EQ(throttles(0x80), "power brake");
  EXPECT_EQ(throttles(0x100), "display clocks");
  EXPECT_EQ(throttles(0x25), "power, thermal");
}

TEST(ThrottleNames, IdlenessAndChosenClocksAreNone) {
  EXPECT_EQ(throttles(0), "");
  EXPECT_EQ(throttles(0x1), "");
  EXPECT_EQ(throttles(0x2), "");
  EXPECT_EQ(throttles(0xfffffffffffffe03), "");
}

TEST_F(Nvml, TellsTheFacts) {
  const gpu_facts facts = monitor_in("healthy").facts();
  EXPECT_EQ(facts.mig, false);
  EXPECT_EQ(facts.mig_detail, "");
  EXPECT_EQ(facts.power_limit_w, 700.0);
  EXPECT_EQ(facts.persistence, true);
  EXPECT_EQ(facts.ecc, true);
  EXPECT_EQ(facts.ecc_errors_volatile_corrected, 3u);
  EXPECT_EQ(facts.ecc_errors_volatile_uncorrected, 0u);
  ASSERT_TRUE(facts.remapped_rows.has_value());
  EXPECT_EQ(facts.remapped_rows->correctable, 2u);
  EXPECT_EQ(facts.remapped_rows->uncorrectable, 0u);
  EXPECT_FALSE(facts.remapped_rows->pending);
  EXPECT_FALSE(facts.remapped_rows->failed);
  EXPECT_EQ(facts.max_sm_clock_mhz, 1985);
  EXPECT_EQ(facts.max_memory_clock_mhz, 3202);
  EXPECT_EQ(facts.driver_release, "580.65.06");
}

TEST_F(Nvml, TellsTheCondition) {
  const gpu_condition condition = monitor_in("healthy").condition();
  EXPECT_EQ(condition.temperature_c, 41);
  EXPECT_EQ(condition.power_w, 123.456);
  EXPECT_EQ(condition.pstate, 0);
  EXPECT_EQ(condition.sm_clock_mhz, 1980);
  EXPECT_EQ(condition.memory_clock_mhz, 3201);
  EXPECT_EQ(condition.clock_event_reasons, 1u);
  EXPECT_EQ(condition.power_throttled_ns, 5'000'000'000u);
  EXPECT_EQ(condition.thermal_throttled_ns, 7'000'000u);
  EXPECT_EQ(condition.other_processes, 0);
}

TEST_F(Nvml, ACounterGrowsWhilePowerHoldsTheClocksDown) {
  const gpu_monitor monitor = monitor_in("throttled");
  const gpu_condition before = monitor.condition();
  const gpu_condition after = monitor.condition();
  EXPECT_EQ(after.power_w, 699.875);
  EXPECT_EQ(after.sm_clock_mhz, 1365);
  EXPECT_EQ(throttles(after.clock_event_reasons.value()), "power");
  EXPECT_EQ(after.power_throttled_ns.value() - before.power_throttled_ns.value(), 250'000'000u);
  EXPECT_EQ(after.thermal_throttled_ns, before.thermal_throttled_ns);
}

TEST_F(Nvml, AnotherCounterGrowsWhileHeatDoes) {
  const gpu_monitor monitor = monitor_in("hot");
  const gpu_condition before = monitor.condition();
  const gpu_condition after = monitor.condition();
  EXPECT_EQ(after.temperature_c, 87);
  EXPECT_EQ(throttles(after.clock_event_reasons.value()),
            "hardware slowdown, thermal, hardware thermal");
  EXPECT_EQ(after.thermal_throttled_ns.value() - before.thermal_throttled_ns.value(), 100'000'000u);
  EXPECT_EQ(after.power_throttled_ns, before.power_throttled_ns);
}

TEST_F(Nvml, TellsOfWornMemory) {
  const gpu_facts facts = monitor_in("worn").facts();
  EXPECT_EQ(facts.ecc_errors_volatile_corrected, 12u);
  EXPECT_EQ(facts.ecc_errors_volatile_uncorrected, 5'000'000'000u);
  ASSERT_TRUE(facts.remapped_rows.has_value());
  EXPECT_EQ(facts.remapped_rows->correctable, 2u);
  EXPECT_EQ(facts.remapped_rows->uncorrectable, 1u);
  EXPECT_TRUE(facts.remapped_rows->pending);
  EXPECT_FALSE(facts.remapped_rows->failed);
}

TEST_F(Nvml, CountsOtherProcessesOnceAndNotThisOne) {
  EXPECT_EQ(monitor_in("shared").condition().other_processes, 2);
}

TEST_F(Nvml, CountsMoreProcessesThanItFirstHasRoomFor) {
  EXPECT_EQ(monitor_in("crowded").condition().other_processes, 100);
}

TEST_F(Nvml, OneOfTheProcessesOfAnotherNamespaceMayBeThisOne) {
  EXPECT_EQ(monitor_in("container").condition().other_processes, 1);
}

TEST_F(Nvml, CountsGraphicsProcessesWhereOthersAreNotTold) {
  EXPECT_EQ(monitor_in("display").condition().other_processes, 1);
}

TEST_F(Nvml, FindsAMigInstanceAndAsksTheGpuForTheRest) {
  const gpu_monitor monitor = monitor_in("mig");
  const gpu_facts facts = monitor.facts();
  EXPECT_EQ(facts.mig, true);
  EXPECT_EQ(facts.mig_detail, "instance of GPU-ffffffff-0000-1111-2222-333333333333, 1g.18gb");
  EXPECT_EQ(facts.power_limit_w, 700.0);
  EXPECT_EQ(facts.ecc, true);
  EXPECT_TRUE(facts.remapped_rows.has_value());
  const gpu_condition condition = monitor.condition();
  EXPECT_EQ(condition.power_w, 123.456);
  EXPECT_EQ(condition.temperature_c, 41);
  EXPECT_EQ(condition.power_throttled_ns, 5'000'000'000u);
  EXPECT_EQ(condition.other_processes, 1);  // of the instance; the GPU has one more
}

TEST_F(Nvml, AMigInstanceWhoseGpuCannotBeHadAnswersAlone) {
  const gpu_monitor monitor = monitor_in("mig_alone");
  const gpu_facts facts = monitor.facts();
  EXPECT_EQ(facts.mig, true);
  EXPECT_EQ(facts.mig_detail, "instance, 1g.18gb");
  EXPECT_EQ(facts.power_limit_w, std::nullopt);
  EXPECT_EQ(monitor.condition().power_w, std::nullopt);
  EXPECT_EQ(monitor.condition().other_processes, 0);
}

TEST_F(Nvml, AGpuInMigModeIsNoInstance) {
  use_scenario("mig");
  const gpu_monitor monitor(kOtherUuid, kBusId);
  EXPECT_EQ(monitor.status(), "ok");
  EXPECT_EQ(monitor.facts().mig, true);
  EXPECT_EQ(monitor.facts().mig_detail, "");
  EXPECT_EQ(monitor.condition().other_processes, 2);
}

TEST_F(Nvml, AnOldDriverAnswersUnderOlderNames) {
  const gpu_monitor monitor = monitor_in("old");
  const gpu_facts facts = monitor.facts();
  EXPECT_FALSE(facts.remapped_rows.has_value());
  EXPECT_EQ(facts.driver_release, "450.51.06");
  const gpu_condition condition = monitor.condition();
  EXPECT_EQ(condition.clock_event_reasons, 1u);
  EXPECT_EQ(condition.power_throttled_ns, std::nullopt);
  EXPECT_EQ(condition.thermal_throttled_ns, std::nullopt);
  EXPECT_EQ(condition.other_processes, 0);
}

TEST_F(Nvml, WhatIsNotSupportedHasNoValue) {
  const gpu_monitor monitor = monitor_in("sparse");
  expect_no_facts(monitor.facts());
  expect_no_condition(monitor.condition());
}

TEST_F(Nvml, AnswersThatAreNoneHaveNoValue) {
  const gpu_condition condition = monitor_in("odd").condition();
  EXPECT_EQ(condition.temperature_c, std::nullopt);
  EXPECT_EQ(condition.pstate, std::nullopt);
  EXPECT_EQ(condition.power_throttled_ns, std::nullopt);
  EXPECT_EQ(condition.thermal_throttled_ns, std::nullopt);
  EXPECT_EQ(condition.sm_clock_mhz, 1980);
}

TEST_F(Nvml, FindsTheGpuByEitherName) {
  EXPECT_EQ(gpu_monitor(kUuid, kOtherBusId).status(), "ok");
  EXPECT_EQ(gpu_monitor(kUuid, "").status(), "ok");
  EXPECT_EQ(gpu_monitor(kOtherUuid, kBusId).status(), "ok");
  EXPECT_EQ(gpu_monitor("", kBusId).status(), "ok");
}

TEST_F(Nvml, SaysWhichGpuItDoesNotKnow) {
  const gpu_monitor monitor(kOtherUuid, kOtherBusId);
  expect_absent(monitor);
  EXPECT_EQ(monitor.status(),
            "NVML does not know the GPU GPU-99999999-4455-6677-8899-aabbccddeeff at 0000:9a:00.0: "
            "Not Found");
  EXPECT_EQ(gpu_monitor("GPU-9", "").status(), "NVML does not know the GPU GPU-9: Not Found");
}

TEST_F(Nvml, AnErrorWithoutATextHasANumber) {
  use_scenario("lost");
  const gpu_monitor monitor("GPU-9", "");
  expect_absent(monitor);
  EXPECT_EQ(monitor.status(), "NVML does not know the GPU GPU-9: error 15");
}

TEST_F(Nvml, SaysWhyItCannotBeInitialised) {
  use_scenario("init_fails");
  const gpu_monitor monitor(kUuid, kBusId);
  expect_absent(monitor);
  EXPECT_EQ(monitor.status(), "NVML cannot be initialised: Driver/library version mismatch");
}

TEST_F(Nvml, SaysThatTheLibraryIsMissing) {
  use_library("/nonexistent");
  const gpu_monitor monitor(kUuid, kBusId);
  expect_absent(monitor);
  EXPECT_EQ(monitor.status(),
            "/nonexistent cannot be loaded: cannot open shared object file: No such file or "
            "directory");
}

TEST_F(Nvml, SaysThatAFileIsNoLibrary) {
  const std::string file = SECTORBENCH_SOURCE_DIR "/CMakeLists.txt";
  use_library(file.c_str());
  const gpu_monitor monitor(kUuid, kBusId);
  expect_absent(monitor);
  EXPECT_EQ(monitor.status(), file + " cannot be loaded: invalid ELF header");
}

TEST_F(Nvml, SaysThatALibraryIsAnother) {
  use_library("libc.so.6");
  const gpu_monitor monitor(kUuid, kBusId);
  expect_absent(monitor);
  EXPECT_EQ(monitor.status(), "libc.so.6 is not NVML: it has no nvmlInit_v2");
}

TEST_F(Nvml, AnEmptyNameIsThatOfTheDriver) {
  use_library("");
  const std::string with_empty_name = gpu_monitor(kUuid, kBusId).status();
  unsetenv("SECTORBENCH_NVML");
  EXPECT_EQ(with_empty_name, gpu_monitor(kUuid, kBusId).status());
  use_library("libnvidia-ml.so.1");
  EXPECT_EQ(with_empty_name, gpu_monitor(kUuid, kBusId).status());
}

TEST_F(Nvml, IsShutDownAsOftenAsItIsInitialised) {
  void* const library = dlopen(SECTORBENCH_FAKE_NVML, RTLD_NOW);
  ASSERT_NE(library, nullptr);
  const auto users = reinterpret_cast<int (*)()>(dlsym(library, "fake_nvml_users"));
  ASSERT_NE(users, nullptr);
  {
    gpu_monitor first(kUuid, kBusId);
    EXPECT_EQ(users(), 1);
    gpu_monitor second(std::move(first));
    EXPECT_EQ(users(), 1);
    EXPECT_EQ(second.condition().temperature_c, 41);
    second = gpu_monitor(kUuid, kBusId);
    EXPECT_EQ(users(), 1);
    const gpu_monitor unknown(kOtherUuid, kOtherBusId);
    EXPECT_EQ(users(), 1);
    use_scenario("init_fails");
    const gpu_monitor uninitialised(kUuid, kBusId);
    EXPECT_EQ(users(), 1);
  }
  EXPECT_EQ(users(), 0);
  dlclose(library);
}

}  // namespace
}  // namespace sectorbench
