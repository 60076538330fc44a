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
  std::string_view boundary;  ///< over which it is counted
  std::string_view source;    ///< model, clock, program, verification, counter, trace or nvml
  counter_set set = counter_set::kEvery;
  std::string_view metric = "";  ///< CUPTI's name, else names of which a chip has one: "a|b"
};

/// THE table of counters: rows, tests and docs/counters.md follow it. A row has those of its sets,
/// in this order; a ratio without a denominator is 0.
inline constexpr std::array kCounters{
    counter_spec{"elements", "elements", "elements that one launch moves on each side",
                 "one launch", "program"},
    counter_spec{"access_bytes", "bytes", "what one access of a thread moves", "one access",
                 "program"},
    counter_spec{"launch_threads", "threads",
                 "threads of the launch, those without an element included", "one launch",
                 "program"},
    counter_spec{"block_threads", "threads", "threads of a block", "one block", "program"},
    counter_spec{
        "useful_bytes", "bytes",
        "elements x element size x sides (copy, gather, scatter: 2; read, write: 1; add: 3)",
        "one launch", "program"},
    counter_spec{"unique_bytes", "bytes",
                 "distinct elements that the launch moves x element size, of both sides",
                 "one launch", "program"},
    counter_spec{"index_bytes", "bytes",
                 "4 x entries of the index list that one launch loads; no useful bytes",
                 "one launch", "program"},
    counter_spec{"flops", "operations",
                 "floating-point operations of one launch; a multiply-add is two", "one launch",
                 "program"},
    counter_spec{"flops_per_byte", "operations/byte", "flops / useful_bytes", "one launch",
                 "program"},
    counter_spec{"flops_per_second", "operations/s", "flops / mean time of a launch",
                 "all launches of the row's last body", "clock"},
    counter_spec{"useful_bytes_per_second", "bytes/s",
                 "useful_bytes / mean time of a launch; GB = 1e9 bytes",
                 "all launches of the row's last body", "clock"},
    counter_spec{"fraction_of_stride1", "ratio",
                 "useful rate / useful rate of the stride-1 row of the same operation, type, "
                 "bytes and block",
                 "both rows in this process", "clock"},
    counter_spec{
        "fraction_of_ceiling", "ratio",
        "useful rate / best useful rate of the ceiling rows of the same operation and "
        "bytes (copy, gather, scatter: memcpy, contiguous f32x4, unrolled f32; write: memset, ...)",
        "the rows in this process", "clock"},
    counter_spec{"fraction_of_peak", "ratio",
                 "useful rate / (2 x memory clock x bus width); 0 where the working set fits in "
                 "the last cache or the peak is unknown",
                 "device memory bus", "clock"},
    counter_spec{"launches_per_sample", "launches", "launches between the two events of a sample",
                 "one sample", "program"},
    counter_spec{"samples", "samples", "samples of the row's last body", "one body", "program"},
    counter_spec{"time_min_s", "s", "least time of a launch over the samples", "one launch",
                 "clock"},
    counter_spec{"time_median_s", "s", "median time of a launch over the samples", "one launch",
                 "clock"},
    counter_spec{"time_cv", "ratio", "standard deviation / mean over the samples; 0 for one",
                 "the samples of one body", "clock"},
    counter_spec{
        "time_trimmed_min_s", "s",
        "mean time of a launch over the quarter of the samples that are shortest, rounded up",
        "one launch", "clock"},
    counter_spec{
        "disturbed", "share",
        "(time that a thread was ready and did not run + stolen time) / time of the sample, of "
        "the thread that waited longest, over all samples",
        "the samples of one body", "scheduler", counter_set::kHost},
    counter_spec{"samples_discarded", "samples", "disturbed samples that were taken again",
                 "one body", "scheduler", counter_set::kHost},
    counter_spec{"load_average", "processes", "load average of the last minute",
                 "the machine, after the row", "scheduler", counter_set::kHost},
    counter_spec{"load_requests_predicted", "requests",
                 "warp instructions that load at least one byte", "L1, one launch", "model"},
    counter_spec{"load_sectors_predicted", "sectors",
                 "sum over load requests of the distinct 32-byte sectors they touch",
                 "L1, one launch", "model"},
    counter_spec{"store_requests_predicted", "requests",
                 "warp instructions that store at least one byte", "L1, one launch", "model"},
    counter_spec{"store_sectors_predicted", "sectors",
                 "sum over store requests of the distinct 32-byte sectors they touch",
                 "L1, one launch", "model"},
    counter_spec{"load_sectors_per_request_predicted", "sectors/request",
                 "load_sectors_predicted / load_requests_predicted", "L1, one launch", "model"},
    counter_spec{"store_sectors_per_request_predicted", "sectors/request",
                 "store_sectors_predicted / store_requests_predicted", "L1, one launch", "model"},
    counter_spec{"load_lines_per_request_predicted", "lines/request",
                 "distinct 128-byte lines of load requests / load_requests_predicted",
                 "L1, one launch", "model"},
    counter_spec{"store_lines_per_request_predicted", "lines/request",
                 "distinct 128-byte lines of store requests / store_requests_predicted",
                 "L1, one launch", "model"},
    counter_spec{"index_requests_predicted", "requests",
                 "warp instructions that load at least one entry of the index list",
                 "L1, one launch", "model"},
    counter_spec{"index_sectors_predicted", "sectors",
                 "sum over index requests of the distinct 32-byte sectors they touch",
                 "L1, one launch", "model"},
    counter_spec{"shared_load_wavefronts_predicted", "wavefronts",
                 "passes over the banks that loads of staged values take",
                 "shared memory, one launch", "model"},
    counter_spec{"shared_store_wavefronts_predicted", "wavefronts",
                 "passes over the banks that stores of staged values take",
                 "shared memory, one launch", "model"},
    counter_spec{"shared_load_conflicts_predicted", "wavefronts",
                 "those of shared_load_wavefronts_predicted that bank conflicts cost",
                 "shared memory, one launch", "model"},
    counter_spec{"shared_store_conflicts_predicted", "wavefronts",
                 "those of shared_store_wavefronts_predicted that bank conflicts cost",
                 "shared memory, one launch", "model"},
    counter_spec{"sector_bytes_predicted", "bytes",
                 "32 x (load_sectors_predicted + store_sectors_predicted)", "L1, one launch",
                 "model"},
    counter_spec{"bytes_used_per_sector_predicted", "bytes/sector",
                 "useful_bytes / (load_sectors_predicted + store_sectors_predicted)",
                 "L1, one launch", "model"},
    counter_spec{"efficiency_predicted", "ratio",
                 "unique_bytes / (32 x (load_sectors_predicted + store_sectors_predicted))",
                 "L1, one launch", "model"},
    counter_spec{
        "requested_share_predicted", "ratio",
        "useful_bytes / (32 x (load_sectors_predicted + store_sectors_predicted)); above 1 "
        "where lanes share elements",
        "L1, one launch", "model"},
    counter_spec{"verified", "0 or 1",
                 "1: coverage proven and outputs compared bitwise with two fills before timing "
                 "and one after",
                 "the row", "verification"},
    counter_spec{"gpu_index", "index",
                 "number of the GPU as the CUDA runtime counts visible devices", "the row",
                 "program", counter_set::kGpu},
    counter_spec{"blocks_per_sm", "blocks",
                 "blocks of the kernel that an SM holds at a time, by registers, threads and "
                 "shared memory; 0 for a mover",
                 "an SM", "program", counter_set::kGpu},
    counter_spec{"sm_clock_hz", "Hz",
                 "median over the SMs of cycles / time of the global timer between two stamps "
                 "around a batch of the row",
                 "one batch after the samples", "clock", counter_set::kGpu},
    counter_spec{"load_instructions_measured", "warp instructions",
                 "global load instructions that warps executed", "SM, one launch", "counter",
                 counter_set::kCounters, "smsp__inst_executed_op_global_ld.sum"},
    counter_spec{"store_instructions_measured", "warp instructions",
                 "global store instructions that warps executed", "SM, one launch", "counter",
                 counter_set::kCounters, "smsp__inst_executed_op_global_st.sum"},
    counter_spec{"load_requests_measured", "requests", "requests of global loads", "L1, one launch",
                 "counter", counter_set::kCounters,
                 "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    counter_spec{"load_sectors_measured", "sectors",
                 "sectors that the requests of global loads touched", "L1, one launch", "counter",
                 counter_set::kCounters, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    counter_spec{"store_requests_measured", "requests", "requests of global stores",
                 "L1, one launch", "counter", counter_set::kCounters,
                 "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    counter_spec{"store_sectors_measured", "sectors",
                 "sectors that the requests of global stores touched", "L1, one launch", "counter",
                 counter_set::kCounters, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    counter_spec{"shared_load_wavefronts_measured", "wavefronts",
                 "passes over the banks by loads from shared memory", "shared memory, one launch",
                 "counter", counter_set::kCounters,
                 "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    counter_spec{"shared_store_wavefronts_measured", "wavefronts",
                 "passes over the banks by stores to shared memory", "shared memory, one launch",
                 "counter", counter_set::kCounters,
                 "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    counter_spec{"shared_load_conflicts_measured", "conflicts",
                 "bank conflicts of loads from shared memory", "shared memory, one launch",
                 "counter", counter_set::kCounters,
                 "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    counter_spec{"shared_store_conflicts_measured", "conflicts",
                 "bank conflicts of stores to shared memory", "shared memory, one launch",
                 "counter", counter_set::kCounters,
                 "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    counter_spec{"l1_hit_sectors_measured", "sectors",
                 "sectors of global loads that were found in L1", "L1, one launch", "counter",
                 counter_set::kCounters,
                 "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"},
    counter_spec{"l2_read_sectors_measured", "sectors", "sectors that the SMs read from L2",
                 "SMs to L2, one launch", "counter", counter_set::kCounters,
                 "lts__t_sectors_srcunit_tex_op_read.sum"},
    counter_spec{"l2_read_hit_sectors_measured", "sectors",
                 "those of l2_read_sectors_measured that were found in L2", "SMs to L2, one launch",
                 "counter", counter_set::kCounters,
                 "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"},
    counter_spec{"l2_write_sectors_measured", "sectors", "sectors that the SMs wrote to L2",
                 "SMs to L2, one launch", "counter", counter_set::kCounters,
                 "lts__t_sectors_srcunit_tex_op_write.sum"},
    counter_spec{"l2_fill_sectors_measured", "sectors",
                 "sectors read for their ECC since only a part of them was written",
                 "L2 to DRAM, one launch", "counter", counter_set::kCounters,
                 "lts__t_sectors_data_ecc.sum"},
    counter_spec{"l2_promoted_sectors_measured", "sectors",
                 "sectors fetched beside one that missed, since L2 fetches larger granules",
                 "L2 to DRAM, one launch", "counter", counter_set::kCounters,
                 "lts__t_sectors_lookup_miss_data_promoted.sum"},
    counter_spec{"dram_read_bytes_measured", "bytes", "bytes read from DRAM",
                 "L2 to DRAM, one launch", "counter", counter_set::kCounters,
                 "dram__bytes_read.sum|dram__bytes_op_read.sum"},
    counter_spec{"dram_write_bytes_measured", "bytes", "bytes written to DRAM",
                 "L2 to DRAM, one launch", "counter", counter_set::kCounters,
                 "dram__bytes_write.sum|dram__bytes_op_write.sum"},
    counter_spec{"counters_equal_model", "0 or 1",
                 "1: requests and sectors measured equal those predicted, for loads and for stores",
                 "L1, one launch", "counter", counter_set::kCounters},
    counter_spec{"sector_bytes_measured", "bytes",
                 "32 x (load_sectors_measured + store_sectors_measured), index lists' "
                 "included",
                 "L1, one launch", "counter", counter_set::kCounters},
    counter_spec{"bytes_used_per_sector_measured", "bytes/sector",
                 "useful_bytes / (load_sectors_measured + store_sectors_measured)",
                 "L1, one launch", "counter", counter_set::kCounters},
    counter_spec{"sector_bytes_per_second_measured", "bytes/s",
                 "sector_bytes_measured / mean time of a launch", "L1, one launch", "counter",
                 counter_set::kCounters},
    counter_spec{"l2_read_hit_rate_measured", "ratio",
                 "l2_read_hit_sectors_measured / l2_read_sectors_measured", "SMs to L2, one launch",
                 "counter", counter_set::kCounters},
    counter_spec{"dram_bytes_measured", "bytes",
                 "dram_read_bytes_measured + dram_write_bytes_measured", "L2 to DRAM, one launch",
                 "counter", counter_set::kCounters},
    counter_spec{"dram_bytes_per_second_measured", "bytes/s",
                 "dram_bytes_measured / mean time of a launch", "L2 to DRAM, one launch", "counter",
                 counter_set::kCounters},
    counter_spec{"dram_amplification_measured", "ratio", "dram_bytes_measured / useful_bytes",
                 "L2 to DRAM, one launch", "counter", counter_set::kCounters},
    counter_spec{"dram_fraction_of_peak_measured", "ratio",
                 "dram_bytes_per_second_measured / (2 x memory clock x bus width); 0 where the "
                 "peak is unknown",
                 "device memory bus", "counter", counter_set::kCounters},
    counter_spec{"kernel_time_s", "s", "mean duration of a launch by CUPTI activity records",
                 "one traced batch", "trace", counter_set::kClockCheck},
    counter_spec{"gap_us", "us", "mean time between the end of a launch and the start of the next",
                 "one traced batch", "trace", counter_set::kClockCheck},
    counter_spec{"traced_time_s", "s", "time of a launch by the event pair while it is traced",
                 "one traced batch", "trace", counter_set::kClockCheck},
    counter_spec{"clock_disagreement", "ratio",
                 "|(durations + gaps) / event time - 1| of the same batch", "one traced batch",
                 "trace", counter_set::kClockCheck},
    counter_spec{"temperature_c", "degrees Celsius", "temperature of the GPU",
                 "one batch after the samples", "nvml", counter_set::kNvml},
    counter_spec{"power_w", "W", "power that the board draws", "one batch after the samples",
                 "nvml", counter_set::kNvml},
    counter_spec{"pstate", "P-state", "performance state: 0 is the highest",
                 "one batch after the samples", "nvml", counter_set::kNvml},
    counter_spec{"memory_clock_hz", "Hz", "memory clock", "one batch after the samples", "nvml",
                 counter_set::kNvml},
    counter_spec{
        "throttle_reasons", "bit mask",
        "NVML clock event reasons: 4 power, 8 hardware, 32 and 64 thermal, 128 power brake",
        "one batch after the samples", "nvml", counter_set::kNvml},
    counter_spec{"other_processes", "processes", "processes on the GPU other than this one",
                 "one batch after the samples", "nvml", counter_set::kNvml},
    counter_spec{"l2_read_sectors_predicted_low", "sectors",
                 "sectors that the SMs read from L2, at least", "SMs to L2, one launch", "model",
                 counter_set::kTraffic},
    counter_spec{"l2_read_sectors_predicted_high", "sectors",
                 "sectors that the SMs read from L2, at most", "SMs to L2, one launch", "model",
                 counter_set::kTraffic},
    counter_spec{"l2_write_sectors_predicted_low", "sectors",
                 "sectors that the SMs write to L2, at least", "SMs to L2, one launch", "model",
                 counter_set::kTraffic},
    counter_spec{"l2_write_sectors_predicted_high", "sectors",
                 "sectors that the SMs write to L2, at most", "SMs to L2, one launch", "model",
                 counter_set::kTraffic},
    counter_spec{"l2_fill_sectors_predicted_low", "sectors",
                 "sectors read since only a part of them is written, at least",
                 "L2 to DRAM, one launch", "model", counter_set::kTraffic},
    counter_spec{"l2_fill_sectors_predicted_high", "sectors",
                 "sectors read since only a part of them is written, at most",
                 "L2 to DRAM, one launch", "model", counter_set::kTraffic},
    counter_spec{"dram_read_bytes_predicted_low", "bytes", "bytes read from DRAM, at least",
                 "L2 to DRAM, one launch", "model", counter_set::kTraffic},
    counter_spec{"dram_read_bytes_predicted_high", "bytes", "bytes read from DRAM, at most",
                 "L2 to DRAM, one launch", "model", counter_set::kTraffic},
    counter_spec{"dram_write_bytes_predicted_low", "bytes", "bytes written to DRAM, at least",
                 "L2 to DRAM, one launch", "model", counter_set::kTraffic},
    counter_spec{"dram_write_bytes_predicted_high", "bytes", "bytes written to DRAM, at most",
                 "L2 to DRAM, one launch", "model", counter_set::kTraffic},
    counter_spec{"dram_bytes_predicted_low", "bytes",
                 "dram_read_bytes_predicted_low + dram_write_bytes_predicted_low",
                 "L2 to DRAM, one launch", "model", counter_set::kTraffic},
    counter_spec{"dram_bytes_predicted_high", "bytes",
                 "dram_read_bytes_predicted_high + dram_write_bytes_predicted_high",
                 "L2 to DRAM, one launch", "model", counter_set::kTraffic},
    counter_spec{"time_predicted_low_s", "s", "time of a launch, at least", "one launch", "model",
                 counter_set::kTime},
    counter_spec{"time_predicted_high_s", "s", "time of a launch, at most", "one launch", "model",
                 counter_set::kTime},
    counter_spec{"unexplained", "ratio",
                 "mean time of a launch / mean of time_predicted_low_s and time_predicted_high_s",
                 "one launch", "model", counter_set::kTime},
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
