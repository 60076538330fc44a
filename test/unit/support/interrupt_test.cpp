// SPDX-License-Identifier: Apache-2.0
#include "bench/support/interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace sectorbench {
namespace {

// Each in a process of its own, as handlers and the note of a signal are the process's.

TEST(InterruptDeathTest, TheFirstSignalIsNoted) {
  EXPECT_EXIT(
      {
        install_interrupt_handlers();
        if (interrupt_signal() != 0) std::exit(1);
        std::raise(SIGTERM);
        std::exit(interrupt_signal() == SIGTERM ? 0 : 2);
      },
      testing::ExitedWithCode(0), "");
}

TEST(InterruptDeathTest, TheSecondEndsTheProcessWhicheverItIs) {
  EXPECT_EXIT(
      {
        install_interrupt_handlers();
        std::raise(SIGTERM);
        std::raise(SIGINT);
        std::exit(0);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptDeathTest, WhatWasIgnoredStaysIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_IGN);
        install_interrupt_handlers();
        std::raise(SIGINT);
        std::exit(interrupt_signal());
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace sectorbench
