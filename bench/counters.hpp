// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace sectorbench {

/// One numeric key of a row's JSON.
struct counter_spec {
  std::string_view key;
  std::string_view unit;
  std::string_view formula;   ///< what it is
  std::string_view boundary;  ///< over which it is counted
  std::string_view source;    ///< model, clock, program or verification
};

/// THE table of counters: rows, tests and docs/counters.md follow it. Every measured row has all of
/// them, in this order; a ratio without a denominator is 0.
inline constexpr std::array kCounters{
    counter_spec{"elements", "elements", "elements that one launch moves on each side",
                 "one launch", "program"},
    counter_spec{"useful_bytes", "bytes",
                 "elements x element size x sides (copy, gather, scatter: 2; read, write: 1)",
                 "one launch", "program"},
    counter_spec{"useful_bytes_per_second", "bytes/s",
                 "useful_bytes / mean time of a launch; GB = 1e9 bytes",
                 "all launches of the row's last body", "clock"},
    counter_spec{"fraction_of_stride1", "ratio",
                 "useful rate / useful rate of the stride-1 row of the same operation, type, "
                 "bytes and block",
                 "both rows in this process", "clock"},
    counter_spec{"fraction_of_ceiling", "ratio",
                 "useful rate / best useful rate of the ceiling rows of the same operation and "
                 "bytes (copy, gather, scatter: memcpy, contiguous f32x4, unrolled f32)",
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
    counter_spec{"efficiency_predicted", "ratio",
                 "useful_bytes / (32 x (load_sectors_predicted + store_sectors_predicted))",
                 "L1, one launch", "model"},
    counter_spec{"verified", "0 or 1",
                 "1: coverage proven and outputs compared bitwise with two fills before timing "
                 "and one after",
                 "the row", "verification"},
};

}  // namespace sectorbench
