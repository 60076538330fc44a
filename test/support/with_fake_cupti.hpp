// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "bench/telemetry/cupti/hardware_counters.hpp"
#include "test/support/fake_cupti.hpp"

#if !defined(SECTORBENCH_FAKE_CUPTI)  // a build without CUPTI's headers
#define SECTORBENCH_FAKE_CUPTI ""
#endif

namespace sectorbench::test {

// Before main begins, as the first use of CUPTI loads the library for the whole process.
inline const int kFakeCuptiChosen = setenv("SECTORBENCH_CUPTI", SECTORBENCH_FAKE_CUPTI, 1);

inline void use_fake_cupti_scenario(const std::string& name) {
  setenv("SECTORBENCH_FAKE_CUPTI_SCENARIO", name.c_str(), 1);
}

/// Base of the suites that speak to the stand-in; it ends each test as nobody's profiler.
class fake_cupti_test : public testing::Test {
 protected:
  void SetUp() override {
#if SECTORBENCH_HAS_CUPTI
    use_fake_cupti_scenario("healthy");
    ASSERT_EQ(cupti_version(), kFakeCuptiVersion) << "another CUPTI was loaded before";
    void* const library = dlopen(SECTORBENCH_FAKE_CUPTI, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto get = reinterpret_cast<fake_calls_function>(dlsym(library, kFakeCallsFunction));
    ASSERT_NE(get, nullptr);
    calls_ = get();
    misused_before_ = calls_->misused;
#else
    GTEST_SKIP() << "this build has no CUPTI";
#endif
  }

  void TearDown() override {
    unsetenv("SECTORBENCH_FAKE_CUPTI_SCENARIO");
    if (calls_ == nullptr) return;
    EXPECT_LE(calls_->initialized, 1);
    EXPECT_EQ(calls_->hosts, 0);
    EXPECT_EQ(calls_->disabled, calls_->enabled);
    EXPECT_EQ(calls_->stopped, calls_->started);
    EXPECT_EQ(calls_->tracing_disabled, calls_->tracing_enabled);
    EXPECT_EQ(calls_->misused, misused_before_);
  }

  /// What was done to the stand-in so far.
  const fake_cupti_calls& calls() const { return *calls_; }

 private:
  const fake_cupti_calls* calls_ = nullptr;
  int misused_before_ = 0;
};

}  // namespace sectorbench::test
