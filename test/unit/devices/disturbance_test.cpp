// SPDX-License-Identifier: Apache-2.0
#include "bench/devices/disturbance.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <vector>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

thread_reading at(double wall_s, double waited_s) {
  return {.wall_s = wall_s, .cpu_s = 0, .waited_s = waited_s, .has_waited = true};
}

TEST(Disturbance, ElapsedIsFromTheFirstBeginToTheLastEnd) {
  const std::vector<thread_span> spans{{at(10.0, 0), at(12.0, 0)}, {at(10.5, 0), at(13.0, 0)}};
  EXPECT_DOUBLE_EQ(elapsed_s(spans), 3.0);
}

// 2 ms in which one of two threads was ready for 0.5 ms and did not run.
TEST(Disturbance, ShareIsThatOfTheThreadThatWaitedLongest) {
  const std::vector<thread_span> spans{{at(0, 7.0), at(2e-3, 7.0 + 0.5e-3)},
                                       {at(0, 1.0), at(2e-3, 1.0 + 0.1e-3)}};
  EXPECT_NEAR(disturbed_share(spans, 0), 0.25, 1e-9);
}

// The second thread got its CPU 4 ms late: of 5 ms that is 80 %.
TEST(Disturbance, ThreadThatBeginsLateWasDelayed) {
  const std::vector<thread_span> spans{{at(0, 0), at(1e-3, 0)}, {at(4e-3, 0), at(5e-3, 0)}};
  EXPECT_NEAR(disturbed_share(spans, 0), 0.8, 1e-9);
}

TEST(Disturbance, StolenTimeCounts) {
  const std::vector<thread_span> spans{{at(0, 0), at(0.1, 0)}};
  EXPECT_NEAR(disturbed_share(spans, 0.02), 0.2, 1e-9);
  EXPECT_EQ(disturbed_share(spans, 7), 1.0);
}

TEST(Disturbance, WithoutRunDelayThePreemptedThreadLacksCpuTime) {
  thread_reading begin{.wall_s = 0, .cpu_s = 5.0}, end{.wall_s = 1.0, .cpu_s = 5.75};
  std::vector<thread_span> spans{{begin, end}};
  EXPECT_EQ(disturbed_share(spans, 0), 0) << "it may have slept by itself";
  spans[0].end.preemptions = 1;
  EXPECT_NEAR(disturbed_share(spans, 0), 0.25, 1e-12);
}

TEST(Disturbance, NothingWithoutTime) {
  const std::vector<thread_span> spans{{at(1, 0), at(1, 0)}};
  EXPECT_EQ(disturbed_share(spans, 0), 0);
}

TEST(Disturbance, ThisThreadCanBeRead) {
  const thread_reading before = read_thread();
  const thread_reading after = read_thread_end();
  EXPECT_GE(after.wall_s, before.wall_s);
  EXPECT_GE(after.cpu_s, before.cpu_s);
  EXPECT_GE(read_steal_s(), 0);
}

TEST(Threads, NumbersThatNoMachineHasAreRefused) {
  EXPECT_EQ(max_threads(2), 256);
  EXPECT_EQ(max_threads(128), 512);
  for (const char* const bad : {"100000", "99999999999", "0", "-1", "two", "4x", "1e3"}) {
    setenv("OMP_NUM_THREADS", bad, 1);
    EXPECT_THROW(choose_threads(), usage_error) << bad;
  }
  for (const char* const good : {"1", "2,1", "256"}) {
    setenv("OMP_NUM_THREADS", good, 1);
    EXPECT_NO_THROW(choose_threads()) << good;
  }
  unsetenv("OMP_NUM_THREADS");
}

}  // namespace
}  // namespace sectorbench
