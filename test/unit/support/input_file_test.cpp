// SPDX-License-Identifier: Apache-2.0
#include "bench/support/input_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

using namespace std::string_literals;

/// The text of a file that holds `bytes`, or why it is refused.
std::string outcome(const std::string& bytes) {
  const std::string path = testing::TempDir() + "input_file_test";
  std::ofstream(path, std::ios::binary) << bytes;
  try {
    return read_input_file(path, {"--flag", "file", "the remedy", 1 << 20});
  } catch (const usage_error& error) {
    EXPECT_NE(std::string(error.what()).find("--flag=" + path), std::string::npos);
    return "refused: "s + error.what();
  }
}

TEST(InputFile, TextIsReadWhole) {
  for (const std::string text : {"", "{}\n", "a", "\xef\xbb\xbf{}", "version 1\n"})
    EXPECT_EQ(outcome(text), text);
}

TEST(InputFile, OtherFormsAreNamed) {
  const std::pair<std::string, std::string> kForms[] = {
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n", "Git LFS"},
      {"\x1f\x8b\x08\0\0"s, "gzip"},
      {"\x28\xb5\x2f\xfd\0"s, "zstd"},
      {"\xff\xfe{\0}\0"s, "UTF-16"},
      {"\xfe\xff\0{\0}"s, "UTF-16"},
      {"{\0}\0"s, "UTF-16"},
      {"\0{\0}"s, "UTF-16"},
  };
  for (const auto& [bytes, name] : kForms)
    EXPECT_NE(outcome(bytes).find(name), std::string::npos) << outcome(bytes);
}

TEST(InputFile, NothingFollowsANul) {
  EXPECT_NE(outcome("{}\0nonsense"s).find("byte 3 is NUL"), std::string::npos);
}

}  // namespace
}  // namespace sectorbench
