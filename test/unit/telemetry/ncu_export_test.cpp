// SPDX-License-Identifier: Apache-2.0
#include "bench/telemetry/ncu_export.hpp"

#include <gtest/gtest.h>

#include <string>

#include "bench/support/text.hpp"

// Whole exports are read in test/cli/ncu_test.py.

namespace sectorbench {
namespace {

constexpr std::string_view kRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr std::string_view kSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";

/// A raw page of one launch with these requests, sectors and microseconds.
std::string page_of(const std::string& requests, const std::string& sectors,
                    const std::string& time) {
  const std::string start =
      "\"ID\",\"Process ID\",\"A\",\"B\",\"Kernel Name\",\"Block Size\",\"Grid Size\"";
  return start + ",\"" + std::string(kRequests) + "\",\"" + std::string(kSectors) + "\",\"" +
         std::string(kNcuDuration) +
         "\"\n\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"sector\",\"us\"\n" +
         "\"0\",\"7\",\"\",\"\",\"k(int, \"\"x\"\")\",\"(8, 4, 2)\",\"(3, 2, 1)\",\"" + requests +
         "\",\"" + sectors + "\",\"" + time + "\"\n";
}

double value_of(const std::string& page, std::string_view metric) {
  const ncu_export counted = read_ncu_export(page, "--ncu=x");
  return counted.launches.at(0).metrics.at(std::string(metric));
}

TEST(NcuExport, ReadsALaunch) {
  const ncu_export counted = read_ncu_export(page_of("10", "180", "2.5"), "--ncu=x");
  ASSERT_EQ(counted.launches.size(), 1u);
  EXPECT_TRUE(counted.faults.empty());
  const ncu_launch& launch = counted.launches.front();
  EXPECT_EQ(launch.kernel, "k(int, \"x\")");
  EXPECT_EQ(launch.block, (block_size{8, 8}));
  EXPECT_EQ(launch.blocks, 6);
  EXPECT_EQ(metric_of(launch.metrics, "load_requests_measured"), 10);
  EXPECT_EQ(metric_of(launch.metrics, "load_sectors_measured"), 180);
  EXPECT_DOUBLE_EQ(launch.metrics.at(std::string(kNcuDuration)), 2.5e-6);
}

TEST(NcuExport, OtherNumbersTellWhatASignMeans) {
  // 1,234 alone may be either; ncu's own way is to group with commas.
  EXPECT_EQ(value_of(page_of("1,234", "5,678", "9"), kRequests), 1234);
  EXPECT_EQ(value_of(page_of("1,234", "5,678", "9.25"), kRequests), 1234);
  EXPECT_EQ(value_of(page_of("1.234", "5.678", "9,25"), kRequests), 1234);
  EXPECT_EQ(value_of(page_of("1.234", "5.678", "1.234,5"), kRequests), 1234);
  EXPECT_EQ(value_of(page_of("1.234", "1.234.567", "9"), kRequests), 1234);
  EXPECT_EQ(value_of(page_of("1,234", "12,34,567", "9"), kSectors), 1234567);
  EXPECT_DOUBLE_EQ(value_of(page_of("1.234", "5", "0.125"), kRequests), 1.234);
  EXPECT_EQ(value_of(page_of("1'234", "5'678", "9.125"), kRequests), 1234);
  EXPECT_EQ(value_of(page_of("1\xe2\x80\xaf"
                             "234",
                             "5", "9,5"),
                     kRequests),
            1234);
  EXPECT_DOUBLE_EQ(value_of(page_of("1", "5", "1e+03"), kNcuDuration), 1e-3);
}

TEST(NcuExport, ValuesOfInstancesAreLeftOut) {
  EXPECT_EQ(value_of(page_of("12 (7; 5)", "96", "1"), kRequests), 12);
}

TEST(NcuExport, BytesOfASectorComeAsShareOrAsBytes) {
  const std::string name = "smsp__sass_average_data_bytes_per_sector_mem_global_op_";
  EXPECT_EQ(bytes_of_sector({{name + "ld.pct", 25}}, "ld"), 8);
  EXPECT_EQ(bytes_of_sector({{name + "st.ratio", 4}}, "st"), 4);
  EXPECT_EQ(bytes_of_sector({{name + "st.ratio", 4}}, "ld"), std::nullopt);
}

TEST(NcuExport, NoChangeOfAByteDoesMoreThanRefuseTheFile) {
  const std::string page = "==PROF== Connected\n" + page_of("1,234", "22,212", "9.25");
  int read = 0;
  for (std::size_t at = 0; at < page.size(); ++at)
    for (const char c : {'"', ',', '\n', '(', '9', '-', '\xff'}) {
      std::string changed = page;
      changed[at] = c;
      for (const std::string& text : {changed, changed.substr(0, at + 1)}) {
        try {
          read += static_cast<int>(read_ncu_export(text, "--ncu=x").launches.size());
        } catch (const usage_error& error) {
          EXPECT_EQ(std::string(error.what()).find("--ncu=x: "), 0u) << error.what();
        }
      }
    }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace sectorbench
