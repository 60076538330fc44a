// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/progress.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sectorbench {
namespace {

TEST(ProgressText, SaysRowAndTimeLeft) {
  EXPECT_EQ(progress_text(1, 30, {}), "row 1 of 30");
  EXPECT_EQ(progress_text(3, 30, 65.4), "row 3 of 30, about 1:05 left");
  EXPECT_EQ(progress_text(30, 30, 0.2), "row 30 of 30, about 0:00 left");
  EXPECT_EQ(progress_text(2, 600, 4211.0), "row 2 of 600, about 70:11 left");
  EXPECT_EQ(progress_text(2, 3, 59.6), "row 2 of 3, about 1:00 left");
}

TEST(ProgressText, ARowThatTakesLongerThanTheOthersLeavesNoNegativeTime) {
  EXPECT_EQ(progress_text(2, 2, -3.0), "row 2 of 2, about 0:00 left");
}

TEST(Progress, AutoIsForATableOnATerminal) {
  EXPECT_TRUE(shows_progress(progress_mode::kAuto, true, true));
  EXPECT_FALSE(shows_progress(progress_mode::kAuto, true, false));
  EXPECT_FALSE(shows_progress(progress_mode::kAuto, false, true));
  EXPECT_TRUE(shows_progress(progress_mode::kOn, false, false));
  EXPECT_FALSE(shows_progress(progress_mode::kOff, true, true));
}

// What is written, and a clock that the test sets.
struct ProgressLine : testing::Test {
  progress_line line_of(std::size_t rows) { return line_of(std::vector<double>(rows, 5e9)); }
  progress_line line_of(const std::vector<double>& bytes) {
    return {bytes, [this](std::string_view text) { written += text; }, [this] { return now_s; }};
  }
  std::string taken() { return std::exchange(written, ""); }

  std::string written;
  double now_s = 1000;
};

TEST_F(ProgressLine, ComesAndGoes) {
  progress_line line = line_of(2);
  line.show(0);
  EXPECT_EQ(taken(), "row 1 of 2");
  line.erase();
  EXPECT_EQ(taken(), "\r          \r");
  line.erase();
  EXPECT_EQ(taken(), "") << "erased twice";
}

TEST_F(ProgressLine, TimeLeftIsTheMeanOfRowsSoFar) {
  progress_line line = line_of(4);
  line.show(0);
  now_s += 10;
  line.erase();
  taken();
  line.show(1);  // three rows of 10 s
  EXPECT_EQ(taken(), "row 2 of 4, about 0:30 left");
  line.erase();
  now_s += 20;
  taken();
  line.show(2);  // two rows of 15 s
  EXPECT_EQ(taken(), "row 3 of 4, about 0:30 left");
}

// Of 1, 1 and 4 GB: work 0.75, 0.75 and 1.5 rows.
TEST_F(ProgressLine, TimeLeftGrowsWithTheBytesOfTheRowsToCome) {
  progress_line line = line_of(std::vector<double>{1e9, 1e9, 4e9});
  line.show(0);
  now_s += 15;
  line.erase();
  taken();
  line.show(1);
  EXPECT_EQ(taken(), "row 2 of 3, about 0:45 left");
}

TEST_F(ProgressLine, ARowThatIsEnteredAgainCountsOnceAndItsTimePasses) {
  progress_line line = line_of(3);
  line.show(0);
  line.show(0);
  now_s += 10;
  line.show(1);
  now_s += 4;
  line.erase();
  taken();
  line.show(1);
  EXPECT_EQ(taken(), "row 2 of 3, about 0:16 left");
  now_s += 40;
  line.erase();
  taken();
  line.show(1);
  EXPECT_EQ(taken(), "row 2 of 3, about 0:00 left");
}

TEST_F(ProgressLine, ANewLineErasesTheOld) {
  progress_line line = line_of(2);
  line.show(0);
  line.show(1);
  EXPECT_EQ(taken(), "row 1 of 2\r          \rrow 2 of 2, about 0:00 left");
}

// --benchmark_enable_random_interleaving
TEST_F(ProgressLine, RowsThatTakeTurnsHaveNoTime) {
  progress_line line = line_of(3);
  line.show(2);
  line.show(0);
  line.erase();
  taken();
  line.show(2);
  EXPECT_EQ(taken(), "row 2 of 3");
}

}  // namespace
}  // namespace sectorbench
