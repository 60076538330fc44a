// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/options/cache_mode.hpp"
#include "bench/options/memory_space.hpp"
#include "bench/support/text.hpp"
#include "sectorbench/pattern/element.hpp"
#include "sectorbench/pattern/launch.hpp"
#include "sectorbench/pattern/launch_mode.hpp"
#include "sectorbench/pattern/operation.hpp"

/// @file
/// The program's own flags. All are spelled --name or --name=value; the last one given counts.

namespace sectorbench {

enum class device_kind { kAuto, kHost, kCuda, kAll };
enum class suite_kind { kDefault, kReference, kQuick, kFull, kHealth, kSweep, kFile };
enum class protocol_kind { kDefault, kReference, kProfile };
enum class blocking_mode { kAuto, kOn, kOff };
enum class counters_mode { kAuto, kOff, kRequire };
enum class progress_mode { kAuto, kOn, kOff };

/// Where to measure: `index` is the N of cuda:N.
struct device_choice {
  device_kind kind = device_kind::kAuto;
  std::optional<int> index;
  friend bool operator==(const device_choice&, const device_choice&) = default;
};

/// Stands in `options::flops` for as many multiply-adds as the device does while it moves an
/// element.
inline constexpr std::int64_t kBalance = 0;

/// What the person asked for. An empty list or optional means: not said, the suite decides.
struct options {
  device_choice device;
  suite_kind suite = suite_kind::kDefault;
  std::string suite_file;  ///< path, with suite_kind::kFile only
  protocol_kind protocol = protocol_kind::kDefault;
  blocking_mode blocking = blocking_mode::kAuto;
  counters_mode counters = counters_mode::kAuto;
  std::vector<std::string> extra_metrics;  ///< CUPTI's names
  bool clock_check = true;
  bool require_quiet = false;  ///< a disturbed row is a failed check
  cache_mode caches = cache_mode::kWarm;
  std::optional<int> l2_fetch_granularity;  ///< bytes: 32, 64 or 128
  cache_ops cache_operators{};
  std::optional<int> occupancy;  ///< blocks that an SM may hold
  space_choice space{};
  bool quick = false;                  ///< --quick or --suite=quick
  std::optional<std::int64_t> bytes;   ///< of one buffer; never set together with `elements`
  std::vector<std::int64_t> elements;  ///< 16 bytes times each of them fits 63 bits
  std::vector<element_type> types;
  std::vector<operation_kind> ops;
  std::vector<std::string> rows;  ///< names of rows to measure instead of a suite
  std::string indexed;            ///< index lists to measure instead of a suite, or where they are
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> chunks;
  std::vector<std::int64_t> flops;  ///< multiply-adds of `compute`; kBalance: at the balance point
  std::vector<block_size> blocks;
  double max_wall_s = 30;  ///< bound on the wall time of one row
  std::uint64_t seed = 2463534242;
  std::string json_lines;  ///< path, or empty
  progress_mode progress = progress_mode::kAuto;
  bool list = false;              ///< rows for people, instead of a run
  bool traps = false;             ///< the known mistakes, instead of a suite
  std::vector<std::string> gpus;  ///< descriptions that predictions take: names or files
  bool predict = false;           ///< instead of measuring
  bool explain = false;           ///< in words, after the table
  std::vector<std::string> ncu;   ///< exports of Nsight Compute to explain, instead of rows
  bool check = false;             ///< the exercise, on the rows of the run or of `check_file`
  std::string check_file;         ///< rows that another run left; empty: measure them
  int hint = 0;                   ///< 1 or 2: the exercise's hint, instead of a run
  bool why = false;               ///< rows and their counterfactuals instead of a table
  bool calibrate = false;         ///< measure the GPU for the model, instead of a suite
  std::string calibration_file;   ///< where the result goes; empty: into the user's cache
  bool help = false;
  bool version = false;
};

/// The program's own options, and the arguments left for Google Benchmark.
struct command_line {
  options ours;
  std::vector<std::string> library_args;
};

/// Reads the arguments after the program's name.
/// @throws usage_error on an unknown flag or a bad value, with what is allowed.
command_line parse_options(std::span<const std::string> args);

/// Whether the rows are those of --indexed: neither --rows nor a file names others.
bool runs_given_lists(const options& wanted);

/// The suite as the record names it: its name, "rows" where --rows names them, or "file:" and the
/// file's name without folders, or "indexed:" and the list or the file's name.
std::string suite_text(const options& wanted);

/// The error for an argument that nobody knows, with the flag that may have been meant.
usage_error unknown_argument(std::string_view arg);

/// The program's flags as --help shows them, one or more lines each.
std::string flags_help();

}  // namespace sectorbench
