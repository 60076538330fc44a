// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report/counters.hpp"
#include "sectorbench/pattern/launch.hpp"

/// @file
/// What Nsight Compute counted, from its export: `ncu --csv`, `--page raw` or `--page details`.
///
/// A raw page has a row for each launch under a row of units, a details page a row for each metric;
/// both may follow lines of ncu and of the program. Numbers may be grouped and have a decimal
/// comma, as the locale of ncu has it: the file's other numbers tell which sign is which.

namespace sectorbench {

/// One launch of a kernel.
struct ncu_launch {
  std::string kernel;  ///< its name as ncu prints it
  std::string id;      ///< ncu's number of the launch
  std::string gpu;     ///< "NVIDIA H200"; empty where the page does not say
  block_size block;    ///< z counts as more rows
  index_t blocks = 0;
  metric_values metrics;  ///< in bytes, seconds, percent and counts; others are left out
};

/// What a file holds, and what of it could not be read.
struct ncu_export {
  std::vector<ncu_launch> launches;
  std::vector<std::string> faults;  ///< each one line: place and reason
};

/// Its requests of atomic operations, without and with a result.
inline constexpr std::array<std::string_view, 2> kNcuAtomics{
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"};

/// ncu's name of a launch's duration, in seconds here.
inline constexpr std::string_view kNcuDuration = "gpu__time_duration.sum";
/// Bytes that a side's threads ask for of each sector that its requests touch; none if not counted.
/// @param side "ld" or "st"
std::optional<double> bytes_of_sector(const metric_values& metrics, std::string_view side);

/// @param where stands in front of error messages: "--ncu=before.csv"
/// @throws usage_error where it is no such export, has no launch, or where no launch has the counts
/// of requests and sectors of loads or of stores, which it names
ncu_export read_ncu_export(std::string_view text, const std::string& where);

}  // namespace sectorbench
