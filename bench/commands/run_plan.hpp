// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/cases/indexed.hpp"
#include "bench/cases/row_list.hpp"
#include "bench/cases/suite.hpp"
#include "bench/devices/device_selection.hpp"
#include "bench/measure/runner.hpp"
#include "bench/options/library_flags.hpp"
#include "bench/options/options.hpp"
#include "bench/predict/prediction.hpp"
#include "bench/support/exit_code.hpp"

/// @file
/// What the modes share: the command line as a plan, the rows it selects, the device they run on.

namespace sectorbench {

/// A line for the person, on standard error.
void say(const std::string& line);

/// What a run is to do, as far as flags alone tell.
struct run_plan {
  options wanted;
  library_flags flags;
  std::vector<std::string> library_args;
  std::vector<listed_row> listed;  ///< of --suite=FILE, which is read once: it may be a pipe
  std::unique_ptr<const indexed_patterns> indexed;  ///< of --indexed, or null

  std::span<const pattern_entry> lists() const {
    return indexed ? std::span(indexed->entries()) : std::span<const pattern_entry>();
  }
};

/// @throws usage_error on what no flag, list or file of rows may be
run_plan read_command_line(const command_line& parsed);

/// The row's name as the library has it.
std::string registered_name(const suite_row& row);

/// The rows that the filter lets pass.
std::vector<suite_row> matching(std::vector<suite_row> rows, const filter_matcher& filter);

/// Says that no row passed.
exit_code nothing_matched(const run_plan& plan);

/// The devices of a run, and how rows are timed there.
struct device_run {
  std::vector<selected_device> selected;
  timing_rules rules;
  index_t default_bytes = 0;  ///< of one buffer, unless a flag says otherwise
  double min_time_s = 0;      ///< for the library, unless a flag says otherwise
  library_flags times;        ///< the library's flags, as the protocol changes them
  bool hangs = false;         ///< launches still run: the devices cannot be let go of

  backend& first() const { return *selected.front().device; }
};

/// Selects the devices. @throws device_unavailable, usage_error
device_run begin_device_run(const run_plan& plan);

/// The matching rows of each device.
std::vector<std::vector<suite_row>> rows_of(const run_plan& plan, const filter_matcher& filter,
                                            const device_run& run);

/// What a person must know before the numbers.
std::vector<std::string> notices_of(const options& wanted,
                                    const std::vector<selected_device>& devices);

/// What predicts rows of this run beside their measurement; null where nothing can.
std::shared_ptr<const predictor> model_of(const options& wanted, const backend& device);

}  // namespace sectorbench
