// SPDX-License-Identifier: Apache-2.0
#include "bench/support/output_of_program.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace sectorbench {
namespace {

TEST(OutputOfProgram, NoShellReadsTheArguments) {
  const std::string text = "it's \"$HOME\" `id`; exit 1 ";
  EXPECT_EQ(output_of_program({"/bin/echo", text}), text + "\n");
}

TEST(OutputOfProgram, ThePathMayHoldAQuote) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "program's folder";
  std::filesystem::create_directories(folder);
  std::filesystem::remove(folder / "echo");
  std::filesystem::create_symlink("/bin/echo", folder / "echo");
  EXPECT_EQ(output_of_program({(folder / "echo").string(), "ran"}), "ran\n");
  std::filesystem::remove_all(folder);
}

TEST(OutputOfProgram, StandardErrorIsDropped) {
  EXPECT_EQ(output_of_program({"/bin/sh", "-c", "echo out; echo error >&2"}), "out\n");
}

TEST(OutputOfProgram, LongOutputIsRead) {
  EXPECT_EQ(output_of_program({"/usr/bin/head", "-c", "100000", "/dev/zero"}).size(), 100000u);
}

TEST(OutputOfProgram, OneThatCannotBeStartedPrintsNothing) {
  EXPECT_EQ(output_of_program({"/no/such/program"}), "");
}

}  // namespace
}  // namespace sectorbench
