// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/forecast.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/predict/device_file.hpp"
#include "bench/report/counters.hpp"
#include "bench/report/label.hpp"
#include "bench/support/text.hpp"
#include "test/support/fake_backend.hpp"

namespace sectorbench {
namespace {

using test::row_of;
using texts = std::vector<std::string>;
using nlohmann::json;

constexpr index_t kElements = index_t{16} << 20;  // 64 MiB of floats

std::vector<suite_row> rows_named(const texts& names) {
  std::vector<suite_row> rows;
  for (const std::string& name : names) rows.push_back({row_of(name, kElements), name});
  return rows;
}
std::vector<predictor> devices_named(const texts& names) {
  std::vector<predictor> devices;
  for (const std::string& name : names) {
    device_description device = find_device(name == "bare" ? "h200" : name);
    if (name == "bare") {
      device.key = name;
      device.time.reset();
    }
    devices.emplace_back(std::move(device), "built in");
  }
  return devices;
}
std::vector<forecast_row> predicted(const texts& rows, const texts& devices) {
  return forecast(rows_named(rows), devices_named(devices));
}
json document_of(const texts& rows, const texts& devices, const evidence& context = {}) {
  return json::parse(forecast_json(predicted(rows, devices), devices_named(devices), context));
}
texts lines_of(const std::string& text) {
  texts lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
  return lines;
}

const texts kRows{"stride/copy/f32/stride:8", "contiguous/read/f32"};

TEST(Forecast, RowsKeepTheirOrderAndHaveEachDevice) {
  const auto found = predicted(kRows, {"h200", "t4"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].row.name, kRows[0]);
  EXPECT_EQ(found[1].row.name, kRows[1]);
  for (const forecast_row& row : found) {
    ASSERT_EQ(row.on.size(), 2u);
    ASSERT_EQ(row.stride1_ratio.size(), 2u);
    ASSERT_TRUE(row.on[0].time && row.on[1].time);
    EXPECT_LT(row.on[0].time->seconds.high, row.on[1].time->seconds.low) << "a T4 is slower";
  }
}

TEST(Forecast, IsWhatThePredictorSays) {
  const auto found = predicted(kRows, {"h200"});
  const row_prediction alone = predictor(find_device("h200"), "")
                                   .predict(make_workload(row_of(kRows[0], kElements))->meaning());
  EXPECT_EQ(found[0].on[0].time->seconds, alone.time->seconds);
  EXPECT_EQ(found[0].on[0].traffic.dram_read_bytes, alone.traffic.dram_read_bytes);
  EXPECT_EQ(found[0].on[0].totals, alone.totals);
}

TEST(Forecast, MoversAreLeftOut) {
  const auto found =
      predicted({"memcpy/copy/f32", "contiguous/copy/f32", "memset/write/f32"}, {"h200"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].row.name, "contiguous/copy/f32");
}

// Both at best and both at worst: what is not known of a GPU is the same in both rows.
TEST(Forecast, TimesAreComparedWithStride1OfTheSameOperationAndType) {
  const auto found = predicted({"stride/copy/f32/stride:1", "stride/copy/f32/stride:8"}, {"t4"});
  EXPECT_EQ(found[0].stride1_ratio[0], interval::exactly(1));
  const interval one = found[0].on[0].time->seconds, eight = found[1].on[0].time->seconds;
  const interval ratio = found[1].stride1_ratio[0];
  EXPECT_EQ(ratio, (interval{eight.high / one.high, eight.low / one.low}));
  EXPECT_GT(ratio.low, 10);
  EXPECT_LT(ratio.low, ratio.high);
  // The stride-1 row need not be among the rows.
  EXPECT_EQ(predicted({"stride/copy/f32/stride:8"}, {"t4"})[0].stride1_ratio,
            found[1].stride1_ratio);
}

TEST(Forecast, WithoutFiguresOfTimeThereIsNoRatio) {
  const auto found = predicted(kRows, {"bare"});
  EXPECT_FALSE(found[0].on[0].time);
  EXPECT_EQ(found[0].stride1_ratio, std::vector<interval>{interval{}});
}

// One row that is too large, one whose rows overlap and one off alignment take no other with them.
TEST(Forecast, RowsThatNoGpuTakesAreSkippedWithTheReasonAndOthersArePredicted) {
  std::vector<suite_row> rows =
      rows_named({"contiguous/copy/f32", "contiguous/copy/f32",
                  "pitch/copy/f32/columns:1000/pitch:10", "wide/copy/f32/first:1/v:4"});
  rows[0].spec.elements = (index_t{1} << 36) + 1;
  rows[0].name += "/large";
  const auto found = forecast(rows, devices_named({"h200", "t4"}));
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[1].on.size(), 2u);
  EXPECT_EQ(found[1].skipped, "");
  for (const std::size_t skipped : {0u, 2u, 3u}) {
    EXPECT_TRUE(found[skipped].on.empty()) << found[skipped].row.name;
    EXPECT_NE(found[skipped].skipped, "") << found[skipped].row.name;
    EXPECT_NE(forecast_table(found, devices_named({"h200", "t4"}))
                  .find(found[skipped].row.name + " skipped: "),
              std::string::npos);
  }
  EXPECT_NE(found[0].skipped.find("274877906948 bytes"), std::string::npos) << found[0].skipped;
  for (const auto& [skipped, refused] :
       {std::pair{2u, "pitch/copy/f32/columns:1000/pitch:10"}, {3u, "wide/copy/f32/first:1/v:4"}})
    EXPECT_EQ(found[skipped].skipped,
              make_workload(row_of(refused, kElements))->meaning().refusal());
}

// ---- The table

TEST(ForecastTable, SaysThatNothingWasMeasuredAndForWhat) {
  const auto devices = devices_named({"h200", "bare"});
  const texts rows{"contiguous/copy/f32", "contiguous/copy/f64"};
  const texts lines = lines_of(forecast_table(forecast(rows_named(rows), devices), devices));
  ASSERT_GE(lines.size(), 11u);
  EXPECT_EQ(lines[0], "predictions, nothing was measured:");
  EXPECT_EQ(lines[1], "  h200: NVIDIA H200 (built in)");
  EXPECT_EQ(lines[2], "  bare: NVIDIA H200 (built in), whose description has no figures of time");
  EXPECT_EQ(lines[3], "DRAM read and written are in arrays of the row (elements x element size)");
  EXPECT_EQ(lines[4], "");
  EXPECT_TRUE(lines[5].starts_with("row ")) << lines[5];
  EXPECT_NE(lines[5].find("  gpu  "), std::string::npos) << lines[5];
  EXPECT_EQ(lines[6], std::string(lines[5].size(), '-'));
  EXPECT_TRUE(lines[7].starts_with("contiguous/copy/f32  h200  ")) << lines[7];
  EXPECT_TRUE(lines[8].starts_with("contiguous/copy/f32  bare  ")) << lines[8];
  EXPECT_TRUE(lines[9].starts_with("contiguous/copy/f64  h200  ")) << lines[9];
  for (const std::string& line : lines) EXPECT_FALSE(line.ends_with(' ')) << "'" << line << "'";
}

TEST(ForecastTable, FitsIn120ColumnsWithNamesAboveTheirLinesWhereTheyDoNotFit) {
  const auto devices = devices_named({"h200", "t4"});
  const std::string name = "transpose_naive_read/copy/f32/columns:4096";
  const auto found =
      forecast(rows_named({name, kRows[1], "random/scatter/f32", "chunk/copy/f32/chunk:32",
                           "transpose_wide/copy/f32/columns:4097/v:4"}),
               devices);
  ASSERT_NE(found.back().skipped, "");
  const texts lines = lines_of(forecast_table(found, devices));
  for (const std::string& line : lines) EXPECT_LE(line.size(), 120u) << line;
  ASSERT_GE(lines.size(), 21u);
  EXPECT_EQ(lines[5], "row");
  EXPECT_TRUE(lines[6].starts_with("  gpu  ")) << lines[6];
  EXPECT_EQ(lines[8], name);
  EXPECT_TRUE(lines[9].starts_with("  h200  ")) << lines[9];
  EXPECT_TRUE(lines[10].starts_with("  t4    ")) << lines[10];
  EXPECT_EQ(lines[11], kRows[1]);
  EXPECT_TRUE(lines[20].starts_with("transpose_wide/copy/f32/columns:4097/v:4 skipped: "));
}

TEST(ForecastTable, OneDeviceNeedsNoNames) {
  const auto devices = devices_named({"t4"});
  const texts lines = lines_of(forecast_table(forecast(rows_named(kRows), devices), devices));
  EXPECT_EQ(lines[4].find("t4"), std::string::npos) << lines[4];
  // 32 sectors a request; 16 arrays read (8 of them fills), 8 written back.
  EXPECT_TRUE(lines[6].starts_with("stride/copy/f32/stride:8  32.00  32.00")) << lines[6];
  EXPECT_NE(lines[6].find("  16.00     8.00  dram_bytes"), std::string::npos) << lines[6];
  EXPECT_TRUE(lines[7].starts_with("contiguous/read/f32        4.00      -")) << lines[7];
}

// ---- The JSON

TEST(ForecastJson, SaysWhatItIs) {
  const json file = document_of(kRows, {"h200"}, {{"suite", "rows"}});
  EXPECT_EQ(file["context"]["backend"], "prediction");
  EXPECT_EQ(file["context"]["model.gpu"], "h200");
  EXPECT_EQ(file["context"]["suite"], "rows");
  ASSERT_EQ(file["benchmarks"].size(), 2u);
  for (const json& run : file["benchmarks"]) {
    const auto label = row_label::parse(run["label"].get<std::string>());
    ASSERT_TRUE(label);
    EXPECT_EQ(label->value("predicted"), "1");
    EXPECT_TRUE(label->value("limited_by"));
    EXPECT_EQ(label->value("time"), "calibrated");
    EXPECT_FALSE(run.contains("verified")) << "nothing was verified";
    EXPECT_FALSE(run.contains("unexplained")) << "nothing was measured";
    EXPECT_FALSE(run.contains("time_median_s"));
  }
}

TEST(ForecastJson, RowsHaveKeysOfSectorsTrafficAndTime) {
  const json file = document_of(kRows, {"h200"});
  const json& run = file["benchmarks"][0];
  for (const counter_spec& counter : kCounters) {
    const bool expected = counter.key != "unexplained" &&
                          (counter.source == "model" || counter.key == "unique_bytes" ||
                           counter.key == "useful_bytes" || counter.key == "elements");
    EXPECT_EQ(run.contains(std::string(counter.key)), expected) << counter.key;
  }
  EXPECT_EQ(run["elements"], kElements);
  EXPECT_EQ(run["useful_bytes"], 2 * 4 * kElements);
  EXPECT_EQ(run["load_sectors_per_request_predicted"], 32);
  const double low = run["time_predicted_low_s"], high = run["time_predicted_high_s"];
  EXPECT_GT(low, 0);
  EXPECT_DOUBLE_EQ(run["real_time"].get<double>(), (low + high) / 2 * 1e6);
  EXPECT_EQ(run["time_unit"], "us");
  EXPECT_EQ(run["run_type"], "iteration");
}

TEST(ForecastJson, SeveralDevicesHaveRowsOfTheirOwn) {
  const json file = document_of(kRows, {"h200", "t4"});
  EXPECT_EQ(file["context"]["model.gpu"], "h200,t4");
  texts names;
  for (const json& run : file["benchmarks"]) names.push_back(run["name"]);
  EXPECT_EQ(names, (texts{"stride/copy/f32/stride:8/gpu:h200", "stride/copy/f32/stride:8/gpu:t4",
                          "contiguous/read/f32/gpu:h200", "contiguous/read/f32/gpu:t4"}));
  EXPECT_EQ(document_of(kRows, {"t4"})["benchmarks"][0]["name"], "stride/copy/f32/stride:8");
}

TEST(ForecastJson, WithoutFiguresOfTimeThereAreNone) {
  const json file = document_of(kRows, {"bare"});
  const json& run = file["benchmarks"][0];
  EXPECT_FALSE(run.contains("time_predicted_low_s"));
  EXPECT_TRUE(run.contains("dram_bytes_predicted_low"));
  EXPECT_EQ(run["real_time"], 0);
  EXPECT_EQ(run["label"].get<std::string>().find("limited_by"), std::string::npos);
}

}  // namespace
}  // namespace sectorbench
