// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/row_list.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

namespace fs = std::filesystem;

// The message that the text is refused with as "rows.txt", or "accepted".
std::string refusal(std::string_view text) {
  try {
    parse_row_list(text, "rows.txt");
  } catch (const usage_error& error) {
    return error.what();
  }
  return "accepted";
}

listed_row row_of(std::string_view line) {
  const auto rows = parse_row_list(line, "rows.txt");
  EXPECT_EQ(rows.size(), 1u) << line;
  return rows.front();
}

TEST(RowList, TakesRowsInOrderAndSkipsCommentsAndBlankLines) {
  const auto rows = parse_row_list(
      "# for acceptance\n"
      "\n"
      "stride/copy/f64/stride:3\n"
      "  \t# indented\n"
      "  contiguous/read/u8/manual_time  # the narrowest\r\n"
      "memcpy/copy/f32",
      "rows.txt");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].spec.name(), "stride/copy/f64/stride:3");
  EXPECT_EQ(rows[1].spec.name(), "contiguous/read/u8");
  EXPECT_EQ(rows[2].spec.name(), "memcpy/copy/f32");
  for (const listed_row& row : rows) EXPECT_FALSE(row.block || row.elements);
}

TEST(RowList, SuffixesSetBlockAndSize) {
  const listed_row both = row_of("stride/copy/f32/stride:8/block:128/elements:4096/manual_time");
  EXPECT_EQ(both.spec.name(), "stride/copy/f32/stride:8");
  EXPECT_EQ(both.block, (block_size{128, 1}));
  EXPECT_EQ(both.elements, 4096);
  const listed_row block = row_of("contiguous/copy/f32/block:1024");
  EXPECT_EQ(block.block, (block_size{1024, 1}));
  EXPECT_EQ(block.elements, std::nullopt);
  // A warp of 4 x 4 x 6 threads has two planes of 4 rows: 8 rows of 4, as in 4 x 24.
  const listed_row planes = row_of("pitch/copy/f32/columns:64/pitch:64/block:4x4x6");
  EXPECT_EQ(planes.block, (block_size{4, 24}));
  const listed_row elements = row_of("memcpy/copy/f32/elements:576460752303423487");
  EXPECT_EQ(elements.block, std::nullopt);
  EXPECT_EQ(elements.elements, 576460752303423487);
}

TEST(RowList, AByteOrderMarkIsNoPartOfTheFirstName) {
  EXPECT_EQ(row_of("\xef\xbb\xbf"
                   "contiguous/copy/u8\r\n")
                .spec.name(),
            "contiguous/copy/u8");
}

TEST(RowList, ErrorsSayFileLineTextAndRemedy) {
  EXPECT_EQ(
      refusal("# one\n\nstrid/copy/f32/stride:8\n")
          .find("rows.txt:3: strid/copy/f32/stride:8: no pattern is called 'strid'; did you mean "
                "stride? known: "),
      0u);
  EXPECT_EQ(refusal("stride"),
            "rows.txt:1: stride: a row is <pattern>/<operation>/<type>[/<parameter>:<value>...], "
            "e.g. stride/copy/f32/stride:3");
  EXPECT_EQ(refusal("contiguous/copy/f32\nstride/copy/f32"),
            "rows.txt:2: stride/copy/f32: stride takes stride:<1 to 2147483647>");
  EXPECT_EQ(refusal("contiguous/copy/f32/block:0"),
            "rows.txt:1: contiguous/copy/f32/block:0: a block is X, XxY or XxYxZ threads, at most "
            "1024 and 64 in z, e.g. block:256");
  EXPECT_EQ(refusal("contiguous/copy/f32/block:1025/manual_time"),
            "rows.txt:1: contiguous/copy/f32/block:1025/manual_time: a block is X, XxY "
            "or XxYxZ threads, at most 1024 and 64 in z, e.g. block:256");
  EXPECT_EQ(
      refusal("contiguous/copy/f32/block:16x16"),
      "rows.txt:1: contiguous/copy/f32/block:16x16: contiguous would be launched in blocks of "
      "256, not of 16x16: say /block:256");
  EXPECT_EQ(refusal("transpose_tiled/copy/f32/columns:4/block:256"),
            "rows.txt:1: transpose_tiled/copy/f32/columns:4/block:256: transpose_tiled would be "
            "launched in blocks of 32x8, not of 256: say /block:32x8");
  for (const char* const value : {"", "0", "-1", "4Ki", "1.5", "576460752303423488"})
    EXPECT_EQ(refusal("contiguous/copy/f32/elements:" + std::string(value)),
              "rows.txt:1: contiguous/copy/f32/elements:" + std::string(value) +
                  ": elements:<N> takes a whole number from 1 to 576460752303423487");
  EXPECT_EQ(refusal("memcpy/copy/f32/block:128"),
            "rows.txt:1: memcpy/copy/f32/block:128: memcpy has no blocks: leave /block:128 out");
  EXPECT_EQ(refusal("contiguous/copy/f32/gpu:1/manual_time"),
            "rows.txt:1: contiguous/copy/f32/gpu:1/manual_time: a list does not say which GPU: "
            "leave /gpu:1 out, --device= says it");
}

TEST(RowList, ARowMayStandOnce) {
  EXPECT_EQ(refusal("contiguous/copy/f32\n#\ncontiguous/copy/f32/manual_time"),
            "rows.txt:3: contiguous/copy/f32/manual_time: stands in line 1 already; leave one of "
            "the two out");
  EXPECT_EQ(refusal("contiguous/copy/f32\ncontiguous/copy/f32/block:128\n"
                    "contiguous/copy/f32/block:64\ncontiguous/copy/f32/elements:5"),
            "accepted");
}

TEST(RowList, AListWithoutRowsIsRefused) {
  const std::string empty =
      "rows.txt: holds no row; give one name a line, as --benchmark_list_tests prints them";
  EXPECT_EQ(refusal(""), empty);
  EXPECT_EQ(refusal("\n# nothing\n \n"), empty);
}

TEST(RowList, ErrorsStayOneLineWhateverTheFileHolds) {
  const std::string message = refusal(std::string("a\0b\x1b[31m/copy/f32", 17));
  EXPECT_EQ(message.find("rows.txt:1: a?b?[31m/copy/f32: no pattern is called"), 0u) << message;
}

class RowListFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "row_list_test.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string refusal_of(const fs::path& path) {
    try {
      read_row_list(path.string());
    } catch (const usage_error& error) {
      return error.what();
    }
    return "accepted";
  }

  fs::path folder_;
};

TEST_F(RowListFile, IsReadAndNamedInErrors) {
  const fs::path file = folder_ / "rows.txt";
  std::ofstream(file) << "stride/read/u8/stride:3\nnothing\n";
  EXPECT_EQ(refusal_of(file).find(file.string() + ":2: nothing: "), 0u) << refusal_of(file);
  std::ofstream(file) << "stride/read/u8/stride:3\n";
  const auto rows = read_row_list(file.string());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].spec.name(), "stride/read/u8/stride:3");
}

TEST_F(RowListFile, WhatCannotBeReadIsRefused) {
  const std::string missing = (folder_ / "missing.txt").string();
  EXPECT_EQ(refusal_of(missing),
            "--suite=" + missing +
                ": cannot be read: No such file or directory; give a file with one row name a "
                "line, as --benchmark_list_tests prints them");
  EXPECT_NE(refusal_of(folder_).find(": cannot be read: Is a directory; "), std::string::npos);
}

TEST_F(RowListFile, WhatIsTooLargeIsNotReadToItsEnd) {
  EXPECT_EQ(refusal_of("/dev/zero"),
            "--suite=/dev/zero: larger than 1048576 bytes, so no list of rows");
}

}  // namespace
}  // namespace sectorbench
