// SPDX-License-Identifier: Apache-2.0
#include "bench/support/interrupt.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "bench/support/output_file.hpp"
#include "sectorbench/execution/stop.hpp"

namespace sectorbench {
namespace {

// Each in a process of its own, as handlers and the note of a signal are the process's.

TEST(InterruptDeathTest, EndsTheProcessAndRemovesWhatIsUnfinished) {
  const std::string path =
      testing::TempDir() + "interrupt_test_" + std::to_string(getpid()) + ".json";
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP})
    EXPECT_EXIT(
        {
          end_on_interrupts();
          const output_file file(path, "--out");
          std::raise(signal_number);
        },
        testing::ExitedWithCode(130), interrupt_name(signal_number));
  for (const auto& entry : std::filesystem::directory_iterator(testing::TempDir()))
    EXPECT_FALSE(entry.path().string().starts_with(path)) << entry.path();
}

TEST(InterruptDeathTest, TheFirstSignalIsNotedWhereRowsAreKept) {
  EXPECT_EXIT(
      {
        end_on_interrupts();
        note_first_interrupt();
        if (interrupt_signal() != 0) std::exit(1);
        std::raise(SIGTERM);
        std::exit(interrupt_signal() == SIGTERM && stop_passes ? 0 : 2);
      },
      testing::ExitedWithCode(0), "");
}

TEST(InterruptDeathTest, TheSecondEndsTheProcessWhicheverItIs) {
  EXPECT_EXIT(
      {
        end_on_interrupts();
        note_first_interrupt();
        std::raise(SIGTERM);
        std::raise(SIGINT);
        std::exit(0);
      },
      testing::ExitedWithCode(130), "SIGINT");
}

TEST(InterruptDeathTest, WhatWasIgnoredStaysIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_IGN);
        end_on_interrupts();
        std::raise(SIGINT);
        std::exit(interrupt_signal());
      },
      testing::ExitedWithCode(0), "");
}

TEST(InterruptDeathTest, AClosedPipeIsAFailedWrite) {
  EXPECT_EXIT(
      {
        end_on_interrupts();
        std::raise(SIGPIPE);
        std::raise(SIGXFSZ);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace sectorbench
