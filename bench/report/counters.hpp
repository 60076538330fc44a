// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sectorbench {

/// Which rows have a key.
enum class counter_set {
  kEvery,       ///< every measured row
  kGpu,         ///< every row measured on a GPU
  kHost,        ///< every row measured on the CPU
  kCounters,    ///< kernel rows of a run with hardware counters, where the chip offers the metric
  kClockCheck,  ///< kernel rows of a run whose event clock was checked
  kNvml,        ///< rows on a GPU of which NVML knows this
  kTraffic,     ///< kernel rows of a run that has a description of the GPU
  kTime,        ///< those of them whose description has figures of time
};

/// One numeric key of a row's JSON.
struct counter_spec {
  std::string_view key;
  std::string_view unit;
  std::string_view formula;   ///< what it is
  std::string_view boundary;  ///< where or over which it is counted
  std::string_view
      source;  ///< model, clock, program, verification, counter, trace, nvml or scheduler
  counter_set set = counter_set::kEvery;
  std::string_view metric = "";  ///< CUPTI's name, else names of which a chip has one: "a|b"
};

/// THE table of metrics: rows, tests and docs/counters.md follow it. A row has those
/// of its sets, in this order; a ratio without a denominator is 0.
inline constexpr std::array kCounters{
    counter_spec{"elements", "elements", "elements moved on each side", "launch", "program"},
    counter_spec{"access_bytes", "bytes",
                 "size of a thread's access, which may move several elements; 0 for a mover",
                 "access", "program"},
    counter_spec{"launch_threads", "threads",
                 "threads of the launch, also those without an element; 0 for a mover", "launch",
                 "program"},
    counter_spec{"block_threads", "threads", "threads of a block; 0 for a mover", "block",
                 "program"},
    counter_spec{
        "useful_bytes", "bytes",
        "elements x element size x sides (copy, gather, scatter: 2; read, write: 1; add: 3)",
        "launch", "program"},
    counter_spec{"unique_bytes", "bytes", "distinct elements of both sides x element size",
                 "launch", "program"},
    counter_spec{"index_bytes", "bytes",
                 "4 x index list entries loaded, repeated ones each time; never part of a rate",
                 "launch", "program"},
    counter_spec{"flops", "operations", "floating-point operations; a multiply-add is two",
                 "launch", "program"},
    counter_spec{"flops_per_byte", "operations/byte", "flops / useful_bytes", "launch", "program"},
    counter_spec{"flops_per_second", "operations/s", "flops / mean time", "body", "clock"},
    counter_spec{"useful_bytes_per_second", "bytes/s", "useful_bytes / mean time", "body", "clock"},
    counter_spec{"list_bytes_per_second", "bytes/s",
                 "index_bytes / 4 x element size / mean time; Spatter's rate of the same lists",
                 "body", "clock"},
    counter_spec{
        "fraction_of_stride1", "ratio",
        "useful rate / that of the stride-1 row of the same operation, type, bytes and block",
        "launch", "clock"},
    counter_spec{"fraction_of_ceiling", "ratio",
                 "useful rate / the best of the ceiling rows of the same operation and bytes",
                 "launch", "clock"},
    counter_spec{"fraction_of_peak", "ratio",
                 "useful rate / (2 x memory clock x bus width); 0 if the data fit in the last "
                 "cache or the peak is unknown",
                 "memory bus", "clock"},
    counter_spec{"launches_per_sample", "launches", "launches between the two events of a sample",
                 "sample", "program"},
    counter_spec{"samples", "samples", "samples of the last body", "body", "program"},
    counter_spec{"time_min_s", "s", "shortest sample / its launches", "launch", "clock"},
    counter_spec{"time_median_s", "s", "median time of a launch over the samples", "launch",
                 "clock"},
    counter_spec{"time_cv", "ratio", "standard deviation / mean over the samples; 0 for one",
                 "body", "clock"},
    counter_spec{"time_trimmed_min_s", "s",
                 "mean time of a launch over the shortest quarter of the samples", "launch",
                 "clock"},
    counter_spec{"disturbed", "share",
                 "share of the samples' time in which the thread that waited longest was ready but "
                 "did not run, or its CPU was stolen",
                 "body", "scheduler", counter_set::kHost},
    counter_spec{
        "samples_discarded", "samples",
        "disturbed samples (above 0.1) taken again, each up to nine times and 40 ms in all", "body",
        "scheduler", counter_set::kHost},
    counter_spec{"load_average", "processes", "load average of the last minute, after the row",
                 "machine", "scheduler", counter_set::kHost},
    counter_spec{"load_requests_predicted", "requests",
                 "warp instructions that load at least one byte", "L1", "model"},
    counter_spec{"load_sectors_predicted", "sectors",
                 "distinct 32-byte sectors of each load request, summed", "L1", "model"},
    counter_spec{"store_requests_predicted", "requests",
                 "warp instructions that store at least one byte", "L1", "model"},
    counter_spec{"store_sectors_predicted", "sectors",
                 "distinct 32-byte sectors of each store request, summed", "L1", "model"},
    counter_spec{"load_sectors_per_request_predicted", "sectors/request",
                 "load_sectors_predicted / load_requests_predicted", "L1", "model"},
    counter_spec{"store_sectors_per_request_predicted", "sectors/request",
                 "store_sectors_predicted / store_requests_predicted", "L1", "model"},
    counter_spec{"load_lines_per_request_predicted", "lines/request",
                 "distinct 128-byte lines of load requests / load_requests_predicted", "L1",
                 "model"},
    counter_spec{"store_lines_per_request_predicted", "lines/request",
                 "distinct 128-byte lines of store requests / store_requests_predicted", "L1",
                 "model"},
    counter_spec{"index_requests_predicted", "requests",
                 "warp instructions that load at least one index list entry", "L1", "model"},
    counter_spec{"index_sectors_predicted", "sectors",
                 "distinct 32-byte sectors of each index request, summed", "L1", "model"},
    counter_spec{"shared_load_wavefronts_predicted", "wavefronts",
                 "passes over the banks by loads of staged values", "shared memory", "model"},
    counter_spec{"shared_store_wavefronts_predicted", "wavefronts",
                 "passes over the banks by stores of staged values", "shared memory", "model"},
    counter_spec{"shared_load_conflicts_predicted", "wavefronts",
                 "load wavefronts due to bank conflicts", "shared memory", "model"},
    counter_spec{"shared_store_conflicts_predicted", "wavefronts",
                 "store wavefronts due to bank conflicts", "shared memory", "model"},
    counter_spec{"sector_bytes_predicted", "bytes",
                 "32 x (load_sectors_predicted + store_sectors_predicted)", "L1", "model"},
    counter_spec{"bytes_used_per_sector_predicted", "bytes/sector",
                 "useful_bytes / predicted sectors; 32 at best", "L1", "model"},
    counter_spec{"efficiency_predicted", "ratio", "unique_bytes / sector_bytes_predicted", "L1",
                 "model"},
    counter_spec{"requested_share_predicted", "ratio",
                 "useful_bytes / sector_bytes_predicted; above 1 if lanes share elements", "L1",
                 "model"},
    counter_spec{"verified", "0 or 1",
                 "1: coverage proven, outputs compared before and after timing; 0: an author's "
                 "kernel without "
                 "a check",
                 "row", "verification"},
    counter_spec{"gpu_index", "index", "the CUDA runtime's number of the GPU among visible ones",
                 "row", "program", counter_set::kGpu},
    counter_spec{"blocks_per_sm", "blocks",
                 "blocks that fit an SM by registers, threads and shared memory; 0 for a mover",
                 "SM", "program", counter_set::kGpu},
    counter_spec{
        "sm_clock_hz", "Hz",
        "median over SMs of cycles / global timer around a batch, to 0.5 %; 0 if not measured",
        "later batch", "clock", counter_set::kGpu},
    counter_spec{"load_instructions_measured", "warp instructions",
                 "global load instructions, also with all lanes off", "SM", "counter",
                 counter_set::kCounters, "smsp__inst_executed_op_global_ld.sum"},
    counter_spec{"store_instructions_measured", "warp instructions",
                 "global store instructions, also with all lanes off", "SM", "counter",
                 counter_set::kCounters, "smsp__inst_executed_op_global_st.sum"},
    counter_spec{"load_requests_measured", "requests", "requests of global load instructions", "L1",
                 "counter", counter_set::kCounters,
                 "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    counter_spec{"load_sectors_measured", "sectors", "sectors of those requests", "L1", "counter",
                 counter_set::kCounters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    counter_spec{"store_requests_measured", "requests", "requests of global store instructions",
                 "L1", "counter", counter_set::kCounters,
                 "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    counter_spec{"store_sectors_measured", "sectors", "sectors of those requests", "L1", "counter",
                 counter_set::kCounters, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    counter_spec{"instructions_measured", "warp instructions", "instructions of any kind", "SM",
                 "counter", counter_set::kCounters, "smsp__inst_executed.sum"},
    counter_spec{"warps_active_percent_measured", "%",
                 "warps that an SM holds while it has any, of those that it can: the occupancy",
                 "SM", "counter", counter_set::kCounters,
                 "sm__warps_active.avg.pct_of_peak_sustained_active"},
    counter_spec{"shared_load_wavefronts_measured", "wavefronts", "passes over the banks by loads",
                 "shared memory", "counter", counter_set::kCounters,
                 "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    counter_spec{"shared_store_wavefronts_measured", "wavefronts",
                 "passes over the banks by stores", "shared memory", "counter",
                 counter_set::kCounters, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    counter_spec{"shared_load_conflicts_measured", "conflicts", "bank conflicts of loads",
                 "shared memory", "counter", counter_set::kCounters,
                 "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    counter_spec{"shared_store_conflicts_measured", "conflicts", "bank conflicts of stores",
                 "shared memory", "counter", counter_set::kCounters,
                 "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    counter_spec{"l1_hit_sectors_measured", "sectors", "sectors of global loads found in L1", "L1",
                 "counter", counter_set::kCounters,
                 "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"},
    counter_spec{"l2_read_sectors_measured", "sectors", "sectors that L1 reads from L2", "L2",
                 "counter", counter_set::kCounters, "lts__t_sectors_srcunit_tex_op_read.sum"},
    counter_spec{"l2_read_hit_sectors_measured", "sectors", "those found in L2", "L2", "counter",
                 counter_set::kCounters, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"},
    counter_spec{"l2_write_sectors_measured", "sectors", "sectors that L1 writes to L2", "L2",
                 "counter", counter_set::kCounters, "lts__t_sectors_srcunit_tex_op_write.sum"},
    counter_spec{"l2_fill_sectors_measured", "sectors", "partial-write fills", "DRAM", "counter",
                 counter_set::kCounters, "lts__t_sectors_data_ecc.sum"},
    counter_spec{"l2_promoted_sectors_measured", "sectors",
                 "sectors fetched beside one that missed, as L2 fetches larger granules", "DRAM",
                 "counter", counter_set::kCounters, "lts__t_sectors_lookup_miss_data_promoted.sum"},
    counter_spec{"dram_read_bytes_measured", "bytes", "bytes read from DRAM", "DRAM", "counter",
                 counter_set::kCounters, "dram__bytes_read.sum|dram__bytes_op_read.sum"},
    counter_spec{"dram_write_bytes_measured", "bytes",
                 "bytes written to DRAM, in steady state of the previous launch", "DRAM", "counter",
                 counter_set::kCounters, "dram__bytes_write.sum|dram__bytes_op_write.sum"},
    counter_spec{"counters_equal_model", "0 or 1",
                 "1: requests and sectors of loads and stores equal the predicted integers", "L1",
                 "counter", counter_set::kCounters},
    counter_spec{"sector_bytes_measured", "bytes",
                 "32 x (load_sectors_measured + store_sectors_measured)", "L1", "counter",
                 counter_set::kCounters},
    counter_spec{"bytes_used_per_sector_measured", "bytes/sector",
                 "useful_bytes / measured sectors", "L1", "counter", counter_set::kCounters},
    counter_spec{"sector_bytes_per_second_measured", "bytes/s", "sector_bytes_measured / mean time",
                 "L1", "counter", counter_set::kCounters},
    counter_spec{"l2_read_hit_rate_measured", "ratio",
                 "l2_read_hit_sectors_measured / l2_read_sectors_measured", "L2", "counter",
                 counter_set::kCounters},
    counter_spec{"dram_bytes_measured", "bytes",
                 "dram_read_bytes_measured + dram_write_bytes_measured", "DRAM", "counter",
                 counter_set::kCounters},
    counter_spec{"dram_bytes_per_second_measured", "bytes/s", "dram_bytes_measured / mean time",
                 "DRAM", "counter", counter_set::kCounters},
    counter_spec{"dram_amplification_measured", "ratio", "dram_bytes_measured / useful_bytes",
                 "DRAM", "counter", counter_set::kCounters},
    counter_spec{"dram_fraction_of_peak_measured", "ratio",
                 "dram_bytes_per_second_measured / (2 x memory clock x bus width); 0 if unknown",
                 "memory bus", "counter", counter_set::kCounters},
    counter_spec{"kernel_time_s", "s",
                 "mean duration of a launch's kernels by CUPTI's activity records", "traced batch",
                 "trace", counter_set::kClockCheck},
    counter_spec{"registers_per_thread", "registers", "of the longest kernel of a launch", "thread",
                 "trace", counter_set::kClockCheck},
    counter_spec{"gap_us", "us", "mean time from the end of a launch to the start of the next",
                 "traced batch", "trace", counter_set::kClockCheck},
    counter_spec{"traced_time_s", "s", "time of a launch by the events while it is traced",
                 "traced batch", "trace", counter_set::kClockCheck},
    counter_spec{"clock_disagreement", "ratio", "abs((durations + gaps) / event time - 1)",
                 "traced batch", "trace", counter_set::kClockCheck},
    counter_spec{"temperature_c", "degrees Celsius", "of the GPU, not its memory", "later batch",
                 "nvml", counter_set::kNvml},
    counter_spec{"power_w", "W", "of the board, as NVML averages it", "later batch", "nvml",
                 counter_set::kNvml},
    counter_spec{"pstate", "P-state", "performance state; 0 is the highest", "later batch", "nvml",
                 counter_set::kNvml},
    counter_spec{"memory_clock_hz", "Hz", "memory clock; transfers per second are twice that",
                 "later batch", "nvml", counter_set::kNvml},
    counter_spec{"throttle_reasons", "bit mask",
                 "NVML's: 1 idle, 2 clocks set by a user, 4 power, 8 hardware, 32 and 64 thermal, "
                 "128 power brake",
                 "later batch", "nvml", counter_set::kNvml},
    counter_spec{"other_processes", "processes",
                 "other processes on the GPU that NVML lists; a container may hide some",
                 "later batch", "nvml", counter_set::kNvml},
    counter_spec{"l2_read_sectors_predicted_low", "sectors", "sectors that the SMs read from L2",
                 "L2", "model", counter_set::kTraffic},
    counter_spec{"l2_read_sectors_predicted_high", "sectors", "sectors that the SMs read from L2",
                 "L2", "model", counter_set::kTraffic},
    counter_spec{"l2_write_sectors_predicted_low", "sectors", "sectors that the SMs write to L2",
                 "L2", "model", counter_set::kTraffic},
    counter_spec{"l2_write_sectors_predicted_high", "sectors", "sectors that the SMs write to L2",
                 "L2", "model", counter_set::kTraffic},
    counter_spec{"l2_fill_sectors_predicted_low", "sectors", "partial-write fills", "DRAM", "model",
                 counter_set::kTraffic},
    counter_spec{"l2_fill_sectors_predicted_high", "sectors", "partial-write fills", "DRAM",
                 "model", counter_set::kTraffic},
    counter_spec{"dram_read_bytes_predicted_low", "bytes", "bytes read from DRAM, fills included",
                 "DRAM", "model", counter_set::kTraffic},
    counter_spec{"dram_read_bytes_predicted_high", "bytes", "bytes read from DRAM, fills included",
                 "DRAM", "model", counter_set::kTraffic},
    counter_spec{"dram_write_bytes_predicted_low", "bytes", "bytes written to DRAM", "DRAM",
                 "model", counter_set::kTraffic},
    counter_spec{"dram_write_bytes_predicted_high", "bytes", "bytes written to DRAM", "DRAM",
                 "model", counter_set::kTraffic},
    counter_spec{"dram_bytes_predicted_low", "bytes", "the two together", "DRAM", "model",
                 counter_set::kTraffic},
    counter_spec{"dram_bytes_predicted_high", "bytes", "the two together", "DRAM", "model",
                 counter_set::kTraffic},
    counter_spec{"time_predicted_low_s", "s", "time of a launch", "launch", "model",
                 counter_set::kTime},
    counter_spec{"time_predicted_high_s", "s", "time of a launch", "launch", "model",
                 counter_set::kTime},
    counter_spec{"unexplained", "ratio", "mean time / middle of the predicted interval", "launch",
                 "model", counter_set::kTime},
};

/// What the hardware counted in one launch, by CUPTI's name of the metric.
using metric_values = std::map<std::string, double, std::less<>>;

/// The value of the table's key `key` among what was read; none if the chip has no metric for it.
std::optional<double> metric_of(const metric_values& metrics, std::string_view key);

/// The values of one row, by the keys of the table.
class counter_values {
 public:
  /// @throws std::logic_error if the table has no such key, or it was set before
  void set(std::string_view key, double value);
  /// Keys of the set that have no value.
  std::vector<std::string_view> missing(counter_set set) const;
  const std::map<std::string, double, std::less<>>& all() const { return values_; }

 private:
  std::map<std::string, double, std::less<>> values_;
};

/// The metrics that the table names, alternatives parted by '|'.
std::vector<std::string> table_metrics();

/// Whether the table names this metric.
bool is_table_metric(std::string_view metric);

}  // namespace sectorbench
