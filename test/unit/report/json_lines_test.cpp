// SPDX-License-Identifier: Apache-2.0
#include "bench/report/json_lines.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

namespace fs = std::filesystem;

TEST(JsonLines, ARowHasItsStrideOrItsChunkOrNeither) {
  EXPECT_EQ(to_json({"stride", 8, {}, 1.4533, 369.4, 536870912}),
            R"({"pattern":"stride","stride":8,"ms":1.4533,"gbps":369.4,"bytes":536870912})");
  EXPECT_EQ(to_json({"chunk", {}, 32, 1.2926, 415.25, 536870912}),
            R"({"pattern":"chunk","chunk":32,"ms":1.2926,"gbps":415.25,"bytes":536870912})");
  EXPECT_EQ(to_json({"contiguous", {}, {}, 0.1, 1e300, 1}),
            R"({"pattern":"contiguous","ms":0.1,"gbps":1e+300,"bytes":1})");
}

TEST(JsonLines, TextIsEscaped) {
  EXPECT_EQ(to_json({"a\"b\\c\n\x1f", {}, {}, 1, 2, 3}),
            R"({"pattern":"a\"b\\c\u000a\u001f","ms":1,"gbps":2,"bytes":3})");
}

TEST(JsonLines, WhatIsNotFiniteIsRefused) {
  EXPECT_THROW(to_json({"x", {}, {}, std::numeric_limits<double>::infinity(), 1, 1}),
               std::domain_error);
  EXPECT_THROW(to_json({"x", {}, {}, 1, std::numeric_limits<double>::quiet_NaN(), 1}),
               std::domain_error);
}

TEST(JsonLines, TheFileHasOneObjectALine) {
  std::string folder = (fs::temp_directory_path() / "json_lines_test.XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/rows.jsonl";
  {
    json_lines_file file(path);
    file.add({"stride", 1, {}, 1, 2, 3});
    file.add({"chunk", {}, 32, 4, 5, 6});
    EXPECT_FALSE(fs::exists(path));
    file.commit();
  }
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(),
            "{\"pattern\":\"stride\",\"stride\":1,\"ms\":1,\"gbps\":2,\"bytes\":3}\n"
            "{\"pattern\":\"chunk\",\"chunk\":32,\"ms\":4,\"gbps\":5,\"bytes\":6}\n");
  fs::remove_all(folder);
}

TEST(JsonLines, ABadPathNamesTheFlag) {
  try {
    json_lines_file file("/none/rows.jsonl");
    ADD_FAILURE() << "accepted";
  } catch (const usage_error& error) {
    EXPECT_STREQ(error.what(), "--json_lines=/none/rows.jsonl: there is no folder '/none'");
  }
}

TEST(JsonLines, AFullDiskIsNoticed) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  json_lines_file file("/dev/full");
  file.add({"stride", 1, {}, 1, 2, 3});
  EXPECT_THROW(file.commit(), std::runtime_error);
}

}  // namespace
}  // namespace sectorbench
