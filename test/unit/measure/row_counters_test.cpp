// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/row_counters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/predict/prediction_metrics.hpp"
#include "test/support/fake_backend.hpp"

namespace sectorbench {
namespace {

using test::row_of;
using texts = std::vector<std::string>;

// 1024 floats at stride 8: 8 rows of 128 threads, in blocks of 256 threads. Each row has 4 warps
// with elements; the lanes of a warp lie 32 bytes apart: 32 sectors in 8 lines.
const row_spec& strided_row() {
  static const row_spec kRow = row_of("stride/copy/f32/stride:8", 1024);
  return kRow;
}
constexpr side_totals kSide{32, 1024, 256};
constexpr launch_totals kModel{kSide, kSide, {}};
constexpr double kUsefulBytes = 8192;  // 1024 x 4 bytes, loaded and stored

const program& strided_body() {
  static const std::unique_ptr<workload> kWork = make_workload(strided_row());
  return kWork->meaning();
}

launch_totals totals_of(std::string_view name, index_t elements) {
  return make_workload(row_of(name, elements))->meaning().totals();
}

measurement mean_of(double seconds) {
  measurement result;
  result.mean_s = seconds;
  return result;
}

double value_of(const counter_values& values, std::string_view key) {
  const auto found = values.all().find(key);
  if (found != values.all().end()) return found->second;
  ADD_FAILURE() << key << " has no value";
  return -1;
}

// How many keys of the set the table has.
std::size_t keys_of(counter_set set) {
  return static_cast<std::size_t>(std::ranges::count(kCounters, set, &counter_spec::set));
}

bool has(const counter_values& values, std::string_view key) {
  return values.all().find(key) != values.all().end();
}

// ---- The values of a row

TEST(CounterValues, KeyThatTheTableDoesNotKnowIsRefused) {
  counter_values values;
  EXPECT_THROW(values.set("useful_byte", 1), std::logic_error);
  EXPECT_THROW(values.set("", 1), std::logic_error);
  EXPECT_THROW(values.set("dram__bytes_read.sum", 1), std::logic_error);
  EXPECT_TRUE(values.all().empty());
}

TEST(CounterValues, KeyIsSetOnce) {
  counter_values values;
  values.set("samples", 3);
  EXPECT_THROW(values.set("samples", 3), std::logic_error);
  EXPECT_THROW(values.set("samples", 4), std::logic_error);
  EXPECT_EQ(value_of(values, "samples"), 3);
  try {
    values.set("samples", 4);
  } catch (const std::logic_error& error) {
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "samples", error.what());
  }
}

TEST(CounterValues, MissingKeysAreToldBySet) {
  counter_values values;
  const auto missing = [&](counter_set set) {
    const auto keys = values.missing(set);
    return texts(keys.begin(), keys.end());
  };
  EXPECT_EQ(missing(counter_set::kGpu), (texts{"gpu_index", "blocks_per_sm", "sm_clock_hz"}));
  EXPECT_EQ(missing(counter_set::kHost), (texts{"disturbed", "samples_discarded", "load_average"}));
  EXPECT_EQ(missing(counter_set::kClockCheck),
            (texts{"kernel_time_s", "registers_per_thread", "gap_us", "traced_time_s",
                   "clock_disagreement"}));
  EXPECT_EQ(missing(counter_set::kNvml),
            (texts{"temperature_c", "power_w", "pstate", "memory_clock_hz", "throttle_reasons",
                   "other_processes"}));
  EXPECT_EQ(missing(counter_set::kEvery).size(), 40u);
  EXPECT_EQ(missing(counter_set::kCounters).size(), 29u);
  EXPECT_EQ(missing(counter_set::kTraffic).size(), 12u);
  EXPECT_EQ(missing(counter_set::kTime),
            (texts{"time_predicted_low_s", "time_predicted_high_s", "unexplained"}));
  values.set("gpu_index", 0);
  values.set("power_w", 0);
  EXPECT_EQ(missing(counter_set::kGpu), (texts{"blocks_per_sm", "sm_clock_hz"}));
  EXPECT_EQ(missing(counter_set::kNvml), (texts{"temperature_c", "pstate", "memory_clock_hz",
                                                "throttle_reasons", "other_processes"}));
  EXPECT_EQ(missing(counter_set::kEvery).size(), 40u);
}

TEST(CounterValues, MeasurementAndPredictionAreAllThatEveryRowNeeds) {
  for (const launch_totals* const totals : {&kModel, static_cast<const launch_totals*>(nullptr)}) {
    counter_values values;
    add_measurement(values, strided_row(), strided_body(), 0, mean_of(1e-6), {}, false);
    EXPECT_FALSE(values.missing(counter_set::kEvery).empty());
    add_prediction(values, strided_row(), 8192, totals);
    EXPECT_TRUE(values.missing(counter_set::kEvery).empty());
    EXPECT_EQ(values.all().size(), 40u) << "there are keys of another set";
  }
}

// ---- Measurement

counter_values measured(const row_spec& row, const measurement& result,
                        const rate_references& references = {}, bool in_cache = false) {
  counter_values values;
  const std::unique_ptr<workload> work = make_workload(row);
  add_measurement(values, row, work->meaning(), work->needs().indices, result, references,
                  in_cache);
  return values;
}

TEST(MeasurementCounters, SizesAreOfOneLaunch) {
  const counter_values values = measured(strided_row(), mean_of(1e-6));
  EXPECT_EQ(value_of(values, "elements"), 1024);
  EXPECT_EQ(value_of(values, "access_bytes"), 4);
  EXPECT_EQ(value_of(values, "launch_threads"),
            2048);  // half of each block's threads have no element
  EXPECT_EQ(value_of(values, "block_threads"), 256);
  EXPECT_EQ(value_of(values, "useful_bytes"), kUsefulBytes);
  EXPECT_EQ(value_of(values, "verified"), 1);
}

TEST(MeasurementCounters, UsefulBytesAreThoseOfTheSidesThatTheOperationHas) {
  const auto bytes = [](const char* name) {
    return value_of(measured(row_of(name, 1000), mean_of(1)), "useful_bytes");
  };
  EXPECT_EQ(bytes("contiguous/copy/u8"), 2000);
  EXPECT_EQ(bytes("contiguous/gather/f16"), 4000);
  EXPECT_EQ(bytes("contiguous/scatter/f64"), 16000);
  EXPECT_EQ(bytes("contiguous/read/f32x4"), 16000);
  EXPECT_EQ(bytes("contiguous/write/f32"), 4000);
  EXPECT_EQ(bytes("memcpy/copy/f32"), 8000);
}

TEST(MeasurementCounters, SamplesAreToldAsTheyWere) {
  measurement result;
  result.mean_s = 4e-6;
  result.min_s = 3e-6;
  result.median_s = 3.5e-6;
  result.cv = 0.25;
  result.samples = 6;
  result.launches_per_sample = 20;
  const counter_values values = measured(strided_row(), result);
  EXPECT_EQ(value_of(values, "time_min_s"), 3e-6);
  EXPECT_EQ(value_of(values, "time_median_s"), 3.5e-6);
  EXPECT_EQ(value_of(values, "time_cv"), 0.25);
  EXPECT_EQ(value_of(values, "samples"), 6);
  EXPECT_EQ(value_of(values, "launches_per_sample"), 20);
  // 8192 bytes in 4 us: the mean counts, neither the least nor the median time.
  EXPECT_DOUBLE_EQ(value_of(values, "useful_bytes_per_second"), 2.048e9);
}

TEST(MeasurementCounters, FractionsAreOfTheirReferences) {
  const counter_values values =
      measured(strided_row(), mean_of(2e-6), {8.192e9, 16.384e9, 40.96e9});
  EXPECT_DOUBLE_EQ(value_of(values, "useful_bytes_per_second"), 4.096e9);
  EXPECT_DOUBLE_EQ(value_of(values, "fraction_of_stride1"), 0.5);
  EXPECT_DOUBLE_EQ(value_of(values, "fraction_of_ceiling"), 0.25);
  EXPECT_DOUBLE_EQ(value_of(values, "fraction_of_peak"), 0.1);
}

TEST(MeasurementCounters, WithoutAReferenceAFractionIsZero) {
  for (const counter_values& values : {measured(strided_row(), mean_of(2e-6)),
                                       measured(strided_row(), measurement{}, {1e9, 1e9, 1e9})}) {
    EXPECT_EQ(value_of(values, "fraction_of_stride1"), 0);
    EXPECT_EQ(value_of(values, "fraction_of_ceiling"), 0);
    EXPECT_EQ(value_of(values, "fraction_of_peak"), 0);
  }
}

TEST(MeasurementCounters, WithinACacheThereIsNoFractionOfThePeakOfMemory) {
  const counter_values values =
      measured(strided_row(), mean_of(2e-6), {8.192e9, 16.384e9, 40.96e9}, true);
  EXPECT_EQ(value_of(values, "fraction_of_peak"), 0);
  EXPECT_DOUBLE_EQ(value_of(values, "fraction_of_stride1"), 0.5);
  EXPECT_DOUBLE_EQ(value_of(values, "fraction_of_ceiling"), 0.25);
}

TEST(MeasurementCounters, IndexListsAreNoUsefulBytes) {
  counter_values values;
  add_measurement(values, strided_row(), strided_body(), 4096, mean_of(1e-6), {}, false);
  EXPECT_EQ(value_of(values, "index_bytes"), 4096);
  EXPECT_EQ(value_of(values, "useful_bytes"), kUsefulBytes);
  EXPECT_DOUBLE_EQ(value_of(values, "useful_bytes_per_second"), 8.192e9);
  EXPECT_DOUBLE_EQ(value_of(values, "list_bytes_per_second"), 4.096e9);  // 1024 floats in 1 us
  EXPECT_EQ(value_of(measured(strided_row(), mean_of(1)), "index_bytes"), 0);
  EXPECT_EQ(value_of(measured(strided_row(), mean_of(1)), "list_bytes_per_second"), 0);
}

TEST(MeasurementCounters, MoverHasNoThreads) {
  const counter_values values = measured(row_of("memcpy/copy/f32", 1024), mean_of(1e-6));
  EXPECT_EQ(value_of(values, "access_bytes"), 0);
  EXPECT_EQ(value_of(values, "launch_threads"), 0);
  EXPECT_EQ(value_of(values, "block_threads"), 0);
  EXPECT_EQ(value_of(values, "elements"), 1024);
  EXPECT_DOUBLE_EQ(value_of(values, "useful_bytes_per_second"), 8.192e9);
}

// 16 MiB in 8.182 us and 256 MiB in 158.758 us, written to a memory of 1792 GB/s.
TEST(MeasurementCounters, WriteOnlyKernelOverThePeakIsNotClamped) {
  const auto written = [](index_t elements, double seconds) {
    return measured(row_of("contiguous/write/f32", elements), mean_of(seconds), {0, 0, 1792e9});
  };
  const counter_values small = written(index_t{1} << 22, 8.182e-6);
  EXPECT_EQ(value_of(small, "useful_bytes"), 16777216);
  EXPECT_NEAR(value_of(small, "useful_bytes_per_second"), 2050.5e9, 0.01e9);
  EXPECT_NEAR(value_of(small, "fraction_of_peak"), 1.14425, 1e-5);
  const counter_values large = written(index_t{1} << 26, 158.758e-6);
  EXPECT_NEAR(value_of(large, "fraction_of_peak"), 0.94355, 1e-5);
}

// 1 GiB copied in a millisecond.
TEST(MeasurementCounters, CopyCountsBothDirections) {
  const counter_values values =
      measured(row_of("contiguous/copy/f32", index_t{1} << 28), mean_of(1e-3));
  EXPECT_DOUBLE_EQ(value_of(values, "useful_bytes_per_second"), 2147.483648e9);
}

// ---- Prediction

counter_values predicted(const char* name, index_t elements) {
  counter_values values;
  const launch_totals totals = totals_of(name, elements);
  const row_spec row = row_of(name, elements);
  add_prediction(values, row, make_workload(row)->meaning().unique_bytes(), &totals);
  return values;
}

TEST(PredictionCounters, StrideOfEightFloatsUsesAnEighthOfWhatItTouches) {
  ASSERT_EQ(totals_of("stride/copy/f32/stride:8", 1024), kModel);
  const counter_values values = predicted("stride/copy/f32/stride:8", 1024);
  for (const std::string side : {"load", "store"}) {
    EXPECT_EQ(value_of(values, side + "_requests_predicted"), 32);
    EXPECT_EQ(value_of(values, side + "_sectors_predicted"), 1024);
    EXPECT_EQ(value_of(values, side + "_sectors_per_request_predicted"), 32);
    EXPECT_EQ(value_of(values, side + "_lines_per_request_predicted"), 8);
  }
  EXPECT_EQ(value_of(values, "sector_bytes_predicted"), 65536);  // 32 x 2048
  EXPECT_EQ(value_of(values, "bytes_used_per_sector_predicted"), 4);
  EXPECT_EQ(value_of(values, "efficiency_predicted"), 0.125);
}

// 1,048,576 structs of three doubles, read field by field.
TEST(PredictionCounters, DoublesInStructsOfThreeUseAThirdOfWhatTheyTouch) {
  const counter_values values = predicted("stride/copy/f64/stride:3", 3 << 20);
  for (const std::string side : {"load", "store"}) {
    EXPECT_EQ(value_of(values, side + "_requests_predicted"), 98304);
    EXPECT_EQ(value_of(values, side + "_sectors_predicted"), 2359296);
    EXPECT_EQ(value_of(values, side + "_sectors_per_request_predicted"), 24);
    EXPECT_EQ(value_of(values, side + "_lines_per_request_predicted"), 6);
  }
  EXPECT_EQ(value_of(values, "sector_bytes_predicted"), 2.0 * 2359296 * 32);
  EXPECT_DOUBLE_EQ(value_of(values, "bytes_used_per_sector_predicted"), 32.0 / 3);
  EXPECT_DOUBLE_EQ(value_of(values, "efficiency_predicted"), 1.0 / 3);
}

// As many requests, each all used.
TEST(PredictionCounters, CoalescedRequestsTouchAsManySectorsAsTheirBytesFill) {
  const std::map<std::string, double> sectors{
      {"u8", 1}, {"f16", 2}, {"f32", 4}, {"f64", 8}, {"f32x4", 16}};
  for (const auto& [type, per_request] : sectors) {
    SCOPED_TRACE(type);
    const counter_values values = predicted(("contiguous/copy/" + type).c_str(), 4096);
    EXPECT_EQ(value_of(values, "load_requests_predicted"), 128);
    EXPECT_EQ(value_of(values, "load_sectors_per_request_predicted"), per_request);
    EXPECT_EQ(value_of(values, "bytes_used_per_sector_predicted"), 32);
    EXPECT_EQ(value_of(values, "efficiency_predicted"), 1);
  }
}

TEST(PredictionCounters, SidesAreToldApart) {
  // The loads are stride 8's, the stores coalesced: 32 requests of 4 sectors in one line.
  const counter_values gather = predicted("stride/gather/f32/stride:8", 1024);
  EXPECT_EQ(value_of(gather, "load_sectors_predicted"), 1024);
  EXPECT_EQ(value_of(gather, "store_sectors_predicted"), 128);
  EXPECT_EQ(value_of(gather, "load_lines_per_request_predicted"), 8);
  EXPECT_EQ(value_of(gather, "store_lines_per_request_predicted"), 1);
  EXPECT_EQ(value_of(gather, "sector_bytes_predicted"), 1152 * 32);
  EXPECT_DOUBLE_EQ(value_of(gather, "efficiency_predicted"), 8192.0 / 36864);
  EXPECT_DOUBLE_EQ(value_of(gather, "bytes_used_per_sector_predicted"), 8192.0 / 1152);
}

TEST(PredictionCounters, SideWithoutRequestsHasRatiosOfZero) {
  const counter_values read = predicted("contiguous/read/f32", 1024);
  EXPECT_EQ(value_of(read, "load_sectors_predicted"), 128);
  EXPECT_EQ(value_of(read, "store_requests_predicted"), 0);
  EXPECT_EQ(value_of(read, "store_sectors_predicted"), 0);
  EXPECT_EQ(value_of(read, "store_sectors_per_request_predicted"), 0);
  EXPECT_EQ(value_of(read, "store_lines_per_request_predicted"), 0);
  EXPECT_EQ(value_of(read, "efficiency_predicted"), 1);
}

// 32 requests of 4 sectors each for the list of 1024 entries.
constexpr launch_totals kModelWithList{kSide, kSide, {32, 128, 32}};

TEST(PredictionCounters, IndexListsHaveKeysOfTheirOwnAndCountNowhereElse) {
  counter_values values;
  add_prediction(values, strided_row(), 8192, &kModelWithList);
  EXPECT_EQ(value_of(values, "index_requests_predicted"), 32);
  EXPECT_EQ(value_of(values, "index_sectors_predicted"), 128);
  EXPECT_EQ(value_of(values, "load_requests_predicted"), 32);
  EXPECT_EQ(value_of(values, "load_sectors_predicted"), 1024);
  EXPECT_EQ(value_of(values, "load_sectors_per_request_predicted"), 32);
  EXPECT_EQ(value_of(values, "sector_bytes_predicted"), 65536);
  EXPECT_EQ(value_of(values, "efficiency_predicted"), 0.125);
  EXPECT_EQ(value_of(predicted("contiguous/copy/f32", 1024), "index_requests_predicted"), 0);
  EXPECT_EQ(value_of(predicted("contiguous/copy/f32", 1024), "index_sectors_predicted"), 0);
}

TEST(PredictionCounters, MoverHasNoneAndTheyAreZero) {
  counter_values values;
  add_prediction(values, row_of("memcpy/copy/f32", 1024), 0, nullptr);
  EXPECT_EQ(values.all().size(), 19u);
  for (const auto& [key, value] : values.all()) EXPECT_EQ(value, 0) << key;
}

// ---- Counts

// Metrics of the row as the model wants them; the other values are made up.
metric_values right_metrics() {
  return {{"smsp__inst_executed_op_global_ld.sum", 64},
          {"smsp__inst_executed_op_global_st.sum", 65},
          {"smsp__inst_executed.sum", 999},
          {"sm__warps_active.avg.pct_of_peak_sustained_active", 81},
          {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 32},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1024},
          {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 32},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 1024},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 5},
          {"lts__t_sectors_srcunit_tex_op_read.sum", 1000},
          {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", 250},
          {"lts__t_sectors_srcunit_tex_op_write.sum", 1024},
          {"lts__t_sectors_data_ecc.sum", 7},
          {"lts__t_sectors_lookup_miss_data_promoted.sum", 9},
          {"dram__bytes_read.sum", 4096},
          {"dram__bytes_write.sum", 12288},
          {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 21},
          {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 22},
          {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 23},
          {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 24}};
}

counter_values counted(const metric_values& metrics, double mean_s = 2e-6, double peak = 81.92e9,
                       const row_spec& row = strided_row()) {
  counter_values values;
  add_counts(values, useful_bytes(row), mean_s, peak, &kModel, metrics);
  return values;
}

// Two of the model's requests and sectors are equal: a mix-up would not show in right_metrics().
TEST(CountedCounters, EachKeyHasItsMetric) {
  const std::map<std::string, std::string> metric_of{
      {"load_instructions_measured", "smsp__inst_executed_op_global_ld.sum"},
      {"store_instructions_measured", "smsp__inst_executed_op_global_st.sum"},
      {"instructions_measured", "smsp__inst_executed.sum"},
      {"warps_active_percent_measured", "sm__warps_active.avg.pct_of_peak_sustained_active"},
      {"load_requests_measured", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
      {"load_sectors_measured", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
      {"store_requests_measured", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
      {"store_sectors_measured", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
      {"shared_load_wavefronts_measured", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
      {"shared_store_wavefronts_measured", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
      {"shared_load_conflicts_measured",
       "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
      {"shared_store_conflicts_measured",
       "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
      {"l1_hit_sectors_measured", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"},
      {"l2_read_sectors_measured", "lts__t_sectors_srcunit_tex_op_read.sum"},
      {"l2_read_hit_sectors_measured", "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"},
      {"l2_write_sectors_measured", "lts__t_sectors_srcunit_tex_op_write.sum"},
      {"l2_fill_sectors_measured", "lts__t_sectors_data_ecc.sum"},
      {"l2_promoted_sectors_measured", "lts__t_sectors_lookup_miss_data_promoted.sum"},
      {"dram_read_bytes_measured", "dram__bytes_read.sum"},
      {"dram_write_bytes_measured", "dram__bytes_write.sum"}};
  metric_values metrics;
  double value = 100;
  for (const auto& [key, metric] : metric_of) metrics[metric] = ++value;
  ASSERT_EQ(metrics.size(), metric_of.size());
  const counter_values values = counted(metrics);
  for (const auto& [key, metric] : metric_of) EXPECT_EQ(value_of(values, key), metrics[metric]);
  EXPECT_TRUE(values.missing(counter_set::kCounters).empty());
  EXPECT_EQ(values.all().size(), keys_of(counter_set::kCounters))
      << "there are keys of another set";
}

TEST(CountedCounters, SectorsGiveBytesUseAndRate) {
  const counter_values values = counted(right_metrics());
  EXPECT_EQ(value_of(values, "sector_bytes_measured"), 65536);  // 32 x (1024 + 1024)
  EXPECT_EQ(value_of(values, "bytes_used_per_sector_measured"), 4);
  EXPECT_DOUBLE_EQ(value_of(values, "sector_bytes_per_second_measured"), 32.768e9);
  EXPECT_EQ(value_of(values, "l2_read_hit_rate_measured"), 0.25);
  EXPECT_EQ(value_of(values, "counters_equal_model"), 1);
}

TEST(CountedCounters, DramBytesGiveRateAmplificationAndFractionOfThePeak) {
  const counter_values values = counted(right_metrics());
  EXPECT_EQ(value_of(values, "dram_bytes_measured"), 16384);
  EXPECT_DOUBLE_EQ(value_of(values, "dram_bytes_per_second_measured"), 8.192e9);
  EXPECT_EQ(value_of(values, "dram_amplification_measured"), 2);  // of 8192 useful bytes
  EXPECT_DOUBLE_EQ(value_of(values, "dram_fraction_of_peak_measured"), 0.1);
}

TEST(CountedCounters, UsefulBytesOfARowOfOneSideAreOfThatSide) {
  const counter_values values =
      counted(right_metrics(), 2e-6, 0, row_of("stride/read/f32/stride:8", 1024));
  EXPECT_EQ(value_of(values, "bytes_used_per_sector_measured"), 2);  // 4096 / 2048
  EXPECT_EQ(value_of(values, "dram_amplification_measured"), 4);
}

TEST(CountedCounters, RatesAreOverTheMeanTime) {
  measurement result;
  result.mean_s = 4e-6;
  result.min_s = 1e-6;
  result.median_s = 2e-6;
  counter_values values;
  add_counts(values, useful_bytes(strided_row()), result.mean_s, 81.92e9, &kModel, right_metrics());
  EXPECT_DOUBLE_EQ(value_of(values, "sector_bytes_per_second_measured"), 16.384e9);
  EXPECT_DOUBLE_EQ(value_of(values, "dram_bytes_per_second_measured"), 4.096e9);
  EXPECT_DOUBLE_EQ(value_of(values, "dram_fraction_of_peak_measured"), 0.05);
}

TEST(CountedCounters, RatioWithoutADenominatorIsZero) {
  metric_values metrics = right_metrics();
  metrics["lts__t_sectors_srcunit_tex_op_read.sum"] = 0;
  metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 0;
  metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] = 0;
  const counter_values values = counted(metrics, 0, 0);
  for (const char* const key : {"l2_read_hit_rate_measured", "bytes_used_per_sector_measured",
                                "sector_bytes_measured", "sector_bytes_per_second_measured",
                                "dram_bytes_per_second_measured", "dram_fraction_of_peak_measured"})
    EXPECT_EQ(value_of(values, key), 0) << key;
  EXPECT_EQ(value_of(values, "dram_bytes_measured"), 16384);
}

TEST(CountedCounters, UnknownPeakLeavesTheRateAndNoFraction) {
  const counter_values values = counted(right_metrics(), 2e-6, 0);
  EXPECT_DOUBLE_EQ(value_of(values, "dram_bytes_per_second_measured"), 8.192e9);
  EXPECT_EQ(value_of(values, "dram_fraction_of_peak_measured"), 0);
}

TEST(CountedCounters, OtherNameOfAMetricServesItsKey) {
  metric_values metrics = right_metrics();
  metrics.erase("dram__bytes_read.sum");
  metrics.erase("dram__bytes_write.sum");
  metrics["dram__bytes_op_read.sum"] = 1000;
  metrics["dram__bytes_op_write.sum"] = 3096;
  const counter_values values = counted(metrics);
  EXPECT_EQ(value_of(values, "dram_read_bytes_measured"), 1000);
  EXPECT_EQ(value_of(values, "dram_write_bytes_measured"), 3096);
  EXPECT_EQ(value_of(values, "dram_bytes_measured"), 4096);
  EXPECT_EQ(value_of(values, "dram_amplification_measured"), 0.5);
}

TEST(CountedCounters, OfTwoNamesTheFirstCounts) {
  metric_values metrics = right_metrics();
  metrics["dram__bytes_op_read.sum"] = 1;
  EXPECT_EQ(value_of(counted(metrics), "dram_read_bytes_measured"), 4096);
}

TEST(CountedCounters, WithoutMetricsThereAreNoKeys) {
  EXPECT_TRUE(counted({}).all().empty());
  EXPECT_TRUE(counted({{"lts__t_sectors_op_read.sum", 3}}).all().empty());
}

TEST(CountedCounters, KeysWithoutAMetricStayAwayAndOthersDoNot) {
  const texts of_sectors{"sector_bytes_measured", "bytes_used_per_sector_measured",
                         "sector_bytes_per_second_measured", "counters_equal_model"};
  const texts of_requests{"counters_equal_model"};
  const texts of_l2_reads{"l2_read_hit_rate_measured"};
  const texts of_dram{"dram_bytes_measured", "dram_bytes_per_second_measured",
                      "dram_amplification_measured", "dram_fraction_of_peak_measured"};
  struct loss {
    std::string metric, key;
    texts derived;
  };
  for (const auto& [metric, key, derived] :
       {loss{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "load_sectors_measured", of_sectors},
        loss{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "store_sectors_measured",
             of_sectors},
        loss{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "load_requests_measured",
             of_requests},
        loss{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "store_requests_measured",
             of_requests},
        loss{"lts__t_sectors_srcunit_tex_op_read.sum", "l2_read_sectors_measured", of_l2_reads},
        loss{"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", "l2_read_hit_sectors_measured",
             of_l2_reads},
        loss{"dram__bytes_read.sum", "dram_read_bytes_measured", of_dram},
        loss{"dram__bytes_write.sum", "dram_write_bytes_measured", of_dram},
        loss{"lts__t_sectors_data_ecc.sum", "l2_fill_sectors_measured", {}}}) {
    SCOPED_TRACE(metric);
    metric_values metrics = right_metrics();
    ASSERT_EQ(metrics.erase(metric), 1u);
    const counter_values values = counted(metrics);
    EXPECT_FALSE(has(values, key));
    for (const std::string& other : derived) EXPECT_FALSE(has(values, other)) << other;
    EXPECT_EQ(values.missing(counter_set::kCounters).size(), 1 + derived.size());
  }
}

TEST(CountedCounters, OneCountOffIsNotTheModels) {
  for (const auto& [metric, value] : right_metrics()) {
    metric_values metrics = right_metrics();
    metrics[metric] = value + 1;
    const bool compared = metric.starts_with("l1tex__t_") && !metric.ends_with("hit.sum");
    EXPECT_EQ(value_of(counted(metrics), "counters_equal_model"), compared ? 0 : 1) << metric;
  }
}

// ---- Model of traffic and time

row_prediction made_up_prediction() {
  row_prediction model;
  model.traffic.l2_read_sectors = {1, 2};
  model.traffic.l2_write_sectors = {3, 4};
  model.traffic.fill_sectors = {5, 6};
  model.traffic.dram_read_bytes = {100, 200};
  model.traffic.dram_write_bytes = {1000, 4000};
  model.time.emplace();
  model.time->seconds = {2e-6, 6e-6};
  return model;
}

TEST(ModelCounters, EachKeyHasItsEndOfItsInterval) {
  counter_values values;
  add_model(values, made_up_prediction(), 8e-6);
  const std::map<std::string, double, std::less<>> expected{
      {"l2_read_sectors_predicted_low", 1},
      {"l2_read_sectors_predicted_high", 2},
      {"l2_write_sectors_predicted_low", 3},
      {"l2_write_sectors_predicted_high", 4},
      {"l2_fill_sectors_predicted_low", 5},
      {"l2_fill_sectors_predicted_high", 6},
      {"dram_read_bytes_predicted_low", 100},
      {"dram_read_bytes_predicted_high", 200},
      {"dram_write_bytes_predicted_low", 1000},
      {"dram_write_bytes_predicted_high", 4000},
      {"dram_bytes_predicted_low", 1100},
      {"dram_bytes_predicted_high", 4200},
      {"time_predicted_low_s", 2e-6},
      {"time_predicted_high_s", 6e-6},
      {"unexplained", 2},  // 8 us of the 4 us in the middle
  };
  EXPECT_EQ(values.all().size(), expected.size());
  for (const auto& [key, value] : expected) EXPECT_DOUBLE_EQ(value_of(values, key), value) << key;
  EXPECT_TRUE(values.missing(counter_set::kTraffic).empty());
  EXPECT_TRUE(values.missing(counter_set::kTime).empty());
}

TEST(ModelCounters, WithoutFiguresOfTimeThereIsTrafficOnly) {
  row_prediction model = made_up_prediction();
  model.time.reset();
  counter_values values;
  add_model(values, model, 8e-6);
  EXPECT_EQ(values.all().size(), keys_of(counter_set::kTraffic));
  EXPECT_TRUE(values.missing(counter_set::kTraffic).empty());
  EXPECT_EQ(values.missing(counter_set::kTime).size(), 3u);
}

TEST(ModelCounters, WhatIsExactlyAsLongAsPredictedIsExplained) {
  counter_values values;
  add_model(values, made_up_prediction(), 4e-6);
  EXPECT_DOUBLE_EQ(value_of(values, "unexplained"), 1);
}

// ---- Mismatches

texts mismatches_of(const metric_values& metrics) {
  texts described;
  for (const count_mismatch& mismatch : mismatches(kModel, metrics))
    described.push_back(describe(mismatch));
  return described;
}

TEST(CountMismatches, EqualCountsHaveNone) {
  EXPECT_EQ(mismatches_of(right_metrics()), texts{});
  EXPECT_TRUE(mismatches({}, {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 0}}).empty());
}

TEST(CountMismatches, EachNamesWhatCountedAndPredictedNumber) {
  metric_values metrics = right_metrics();
  metrics["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] = 31;
  metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 1025;
  metrics["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"] = 0;
  metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] = 1024.5;
  EXPECT_EQ(mismatches_of(metrics), (texts{"load_requests 31 counted, 32 predicted",
                                           "load_sectors 1025 counted, 1024 predicted",
                                           "store_requests 0 counted, 32 predicted",
                                           "store_sectors 1024.5 counted, 1024 predicted"}));
}

TEST(CountMismatches, SidesOfTheModelAreToldApart) {
  const launch_totals model{{1, 2, 9}, {3, 4, 9}, {}};
  const auto found = mismatches(model, right_metrics());
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].what, "load_requests");
  EXPECT_EQ(found[0].counted, 32);
  EXPECT_EQ(found[0].predicted, 1u);
  EXPECT_EQ(found[1].predicted, 2u);
  EXPECT_EQ(found[2].predicted, 3u);
  EXPECT_EQ(found[3].predicted, 4u);
}

TEST(CountMismatches, CountsThatWereNotReadDifferFromNothing) {
  EXPECT_EQ(mismatches_of({}), texts{});
  EXPECT_EQ(mismatches_of({{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 33}}),
            texts{"store_requests 33 counted, 32 predicted"});
  EXPECT_EQ(mismatches_of({{"dram__bytes_read.sum", 33}}), texts{});
}

// The hardware does not know what a load is for.
TEST(CountMismatches, IndexListsAreLoadsToTheHardware) {
  metric_values metrics = right_metrics();
  EXPECT_EQ(describe(mismatches(kModelWithList, metrics).at(0)),
            "load_requests 32 counted, 64 predicted");
  EXPECT_EQ(describe(mismatches(kModelWithList, metrics).at(1)),
            "load_sectors 1024 counted, 1152 predicted");
  metrics["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] = 64;
  metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 1152;
  EXPECT_TRUE(mismatches(kModelWithList, metrics).empty());
  counter_values values;
  add_counts(values, useful_bytes(strided_row()), 2e-6, 0, &kModelWithList, metrics);
  EXPECT_EQ(value_of(values, "counters_equal_model"), 1);
  EXPECT_EQ(value_of(values, "sector_bytes_measured"), 32 * (1152 + 1024));
}

TEST(CountMismatches, LargeNumbersKeepTheirDigits) {
  EXPECT_EQ(describe({"load_sectors", 8388609, 8388608}),
            "load_sectors 8388609 counted, 8388608 predicted");
  EXPECT_EQ(describe({"store_sectors", 17179869185, 17179869184}),
            "store_sectors 17179869185 counted, 17179869184 predicted");
}

// ---- Second clock and state

// Four launches of 7 us with gaps of 1.5 us: 32.5 us, where the events say 34.
TEST(TraceCounters, TimesAreOfOneLaunchAndTheDisagreementHasNoSign) {
  const auto values_of = [](double event_s) {
    counter_values values;
    add_trace(values, {4, 7e-6, 1.5e-6, event_s, 32.5e-6});
    return values;
  };
  const counter_values values = values_of(34e-6);
  EXPECT_EQ(value_of(values, "kernel_time_s"), 7e-6);
  EXPECT_DOUBLE_EQ(value_of(values, "gap_us"), 1.5);
  EXPECT_DOUBLE_EQ(value_of(values, "traced_time_s"), 8.5e-6);
  EXPECT_NEAR(value_of(values, "clock_disagreement"), 1.5 / 34, 1e-12);
  EXPECT_NEAR(value_of(values_of(32.5e-6), "clock_disagreement"), 0, 1e-12);
  EXPECT_NEAR(value_of(values_of(31e-6), "clock_disagreement"), 1.5 / 31, 1e-12);
  EXPECT_TRUE(values.missing(counter_set::kClockCheck).empty());
  EXPECT_EQ(values.all().size(), 5u);
}

TEST(TraceCounters, NothingTracedIsZero) {
  counter_values values;
  add_trace(values, {});
  for (const auto& [key, value] : values.all()) EXPECT_EQ(value, 0) << key;
}

TEST(StateCounters, AnswersAreInTheUnitsOfTheTable) {
  device_reading state;
  state.sm_clock_hz = 1.98e9;
  state.condition.temperature_c = 41;
  state.condition.power_w = 123.456;
  state.condition.pstate = 2;
  state.condition.sm_clock_mhz = 1111;  // the meter's is the row's
  state.condition.memory_clock_mhz = 3201;
  state.condition.clock_event_reasons = 0x24;
  state.condition.other_processes = 3;
  counter_values values;
  add_state(values, state);
  EXPECT_EQ(value_of(values, "sm_clock_hz"), 1.98e9);
  EXPECT_EQ(value_of(values, "temperature_c"), 41);
  EXPECT_EQ(value_of(values, "power_w"), 123.456);
  EXPECT_EQ(value_of(values, "pstate"), 2);
  EXPECT_EQ(value_of(values, "memory_clock_hz"), 3.201e9);
  EXPECT_EQ(value_of(values, "throttle_reasons"), 36);
  EXPECT_EQ(value_of(values, "other_processes"), 3);
  EXPECT_TRUE(values.missing(counter_set::kNvml).empty());
  EXPECT_EQ(values.all().size(), 7u);
}

TEST(StateCounters, ZeroIsAnAnswerAndNoAnswerIsNone) {
  device_reading state;
  state.condition.pstate = 0;
  state.condition.clock_event_reasons = 0;
  counter_values values;
  add_state(values, state);
  EXPECT_EQ(value_of(values, "sm_clock_hz"), 0);
  EXPECT_EQ(value_of(values, "pstate"), 0);
  EXPECT_EQ(value_of(values, "throttle_reasons"), 0);
  EXPECT_EQ(values.all().size(), 3u);
}

// 1024 sectors are 32768 bytes; L1 and L2 exchanged half of what was requested.
metric_values requested_and_exchanged() {
  return {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1024},
          {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 1024},
          {"lts__t_sectors_srcunit_tex_op_read.sum", 512},
          {"lts__t_sectors_srcunit_tex_op_write.sum", 512}};
}

TEST(DeclaredBytes, MayBeAsManyAsTheSectorsOfTheRequestsHold) {
  EXPECT_EQ(overstated({.touched = 32768}, {.touched = 32768}, requested_and_exchanged()), "");
}

TEST(DeclaredBytes, BeyondThemAreNamedWithTheirSide) {
  const std::string loads = overstated({.touched = 32769}, {}, requested_and_exchanged());
  EXPECT_NE(loads.find("32769"), std::string::npos) << loads;
  EXPECT_NE(loads.find("32768"), std::string::npos) << loads;
  EXPECT_NE(loads.find("loaded"), std::string::npos) << loads;
  const std::string stores = overstated({}, {.touched = 40000}, requested_and_exchanged());
  EXPECT_NE(stores.find("stored"), std::string::npos) << stores;
}

TEST(DeclaredBytes, OfAnotherUnitsAccessesAreSeenBehindL1) {
  metric_values metrics = requested_and_exchanged();
  metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 0;
  EXPECT_EQ(overstated({.touched = 16384}, {}, metrics), "");
  EXPECT_NE(overstated({.touched = 16385}, {}, metrics), "");
}

// An atomic addition stores its result, and makes no request that is counted as a store.
TEST(DeclaredBytes, AreNotJudgedWhereNoAccessWasCounted) {
  metric_values metrics = requested_and_exchanged();
  metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] = 0;
  metrics["lts__t_sectors_srcunit_tex_op_write.sum"] = 0;
  EXPECT_EQ(overstated({}, {.touched = 4}, metrics), "");
}

TEST(DeclaredBytes, AreNotJudgedWithoutTheMetrics) {
  metric_values metrics = requested_and_exchanged();
  metrics.erase("lts__t_sectors_srcunit_tex_op_read.sum");
  EXPECT_EQ(overstated({.touched = 1 << 20}, {}, metrics), "");
}

}  // namespace
}  // namespace sectorbench
