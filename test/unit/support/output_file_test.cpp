// SPDX-License-Identifier: Apache-2.0
#include "bench/support/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

class OutputFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "output_file_test.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string refusal(const std::string& at) const {
    try {
      output_file file(at, "--out");
    } catch (const usage_error& error) {
      return error.what();
    }
    return "accepted";
  }

  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(OutputFile, AppearsWhenCommitted) {
  output_file file(path("rows"), "--out");
  put(file.temporary_path(), "new");
  EXPECT_EQ(fs::path(file.temporary_path()).parent_path(), folder_);
  EXPECT_FALSE(fs::exists(path("rows")));
  file.commit();
  EXPECT_EQ(content(path("rows")), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFile, WithoutACommitTheOldFileStaysAndNothingElse) {
  put(path("rows"), "old");
  {
    output_file file(path("rows"), "--out");
    put(file.temporary_path(), "new");
    EXPECT_EQ(content(path("rows")), "old");
  }
  EXPECT_EQ(content(path("rows")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFile, ACommitReplacesTheOldFile) {
  put(path("rows"), "old");
  {
    output_file file(path("rows"), "--out");
    put(file.temporary_path(), "new");
    file.commit();
  }
  EXPECT_EQ(content(path("rows")), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFile, ACutOffFileIsNotCommitted) {
  put(path("rows"), "old");
  {
    output_file file(path("rows"), "--out");
    put(file.temporary_path(), "{\n  \"benchmarks\": [\n");
    EXPECT_THROW(file.commit("}"), std::runtime_error);
  }
  EXPECT_EQ(content(path("rows")), "old");
  output_file file(path("rows"), "--out");
  put(file.temporary_path(), "{}\n");
  file.commit("}");
  EXPECT_EQ(content(path("rows")), "{}\n");
}

TEST_F(OutputFile, TwoSpellingsOfAPathThatIsNotThereYetAreOneFile) {
  const output_file file(path("rows"), "--out");
  EXPECT_NE(refusal((folder_ / "." / "rows").string()).find("given twice"), std::string::npos);
}

TEST_F(OutputFile, AFullDeviceIsNoSuccess) {
  output_file file("/dev/full", "--out");
  put(file.temporary_path(), "rows");
  EXPECT_THROW(file.commit(), std::runtime_error);
}

TEST_F(OutputFile, APipeGetsAllAtTheCommit) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  output_file file(path("pipe"), "--out");
  put(file.temporary_path(), "rows");
  std::string got(16, '\0');
  EXPECT_LT(read(reader, got.data(), got.size()), 1);
  file.commit();
  EXPECT_EQ(read(reader, got.data(), got.size()), 4);
  EXPECT_TRUE(got.starts_with("rows"));
  close(reader);
}

TEST_F(OutputFile, AnEmptyFileIsCutOffWhereAnEndIsExpected) {
  output_file file(path("rows"), "--out");
  EXPECT_THROW(file.commit("}"), std::runtime_error);
}

TEST_F(OutputFile, ASymbolicLinkStaysOne) {
  put(path("target"), "old");
  fs::create_symlink("target", path("link"));
  output_file file(path("link"), "--out");
  put(file.temporary_path(), "new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content(path("target")), "new");
}

TEST_F(OutputFile, ADeviceIsWrittenAndNeverReplaced) {
  {
    output_file file("/dev/null", "--out");
    put(file.temporary_path(), "{}\n");
    file.commit("}");
  }
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputFile, AFolderIsRefused) {
  EXPECT_EQ(refusal(folder_.string()),
            "--out=" + folder_.string() + ": is a folder, a file name is needed");
  EXPECT_EQ(refusal(folder_.string() + "/"),
            "--out=" + folder_.string() + "/: is a folder, a file name is needed");
}

TEST_F(OutputFile, AMissingFolderIsRefused) {
  EXPECT_EQ(refusal(path("none/rows")),
            "--out=" + path("none/rows") + ": there is no folder '" + path("none") + "'");
  put(path("file"), "");
  EXPECT_EQ(refusal(path("file/rows")),
            "--out=" + path("file/rows") + ": there is no folder '" + path("file") + "'");
}

TEST_F(OutputFile, WhatCannotBeMadeIsRefusedWithTheReason) {
  const std::string name(300, 'x');
  EXPECT_EQ(refusal(path(name)), "--out=" + path(name) + ": cannot be written: File name too long");
  EXPECT_TRUE(refusal("/proc/rows").starts_with("--out=/proc/rows: cannot be written: "));
}

TEST_F(OutputFile, PermissionsAreRespected) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  put(path("rows"), "old");
  fs::permissions(path("rows"), fs::perms::owner_read);
  EXPECT_EQ(refusal(path("rows")),
            "--out=" + path("rows") + ": cannot be written: Permission denied");
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(refusal(path("more")),
            "--out=" + path("more") + ": cannot be written: Permission denied");
  fs::permissions(folder_, fs::perms::owner_all);
}

TEST_F(OutputFile, OneFileGivenTwiceIsRefused) {
  output_file file(path("rows"), "--out");
  EXPECT_EQ(refusal(path("rows")), "--out=" + path("rows") + ": the same file is given twice");
}

TEST_F(OutputFile, WhatAKilledProcessOfTheSameNumberLeftIsNoHindrance) {
  put(path("rows.tmp." + std::to_string(getpid())), "left over");
  output_file file(path("rows"), "--out");
  EXPECT_EQ(content(file.temporary_path()), "");
}

}  // namespace
}  // namespace sectorbench
