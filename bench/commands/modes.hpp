// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <optional>
#include <vector>

#include "bench/cases/suite.hpp"
#include "bench/commands/run_plan.hpp"
#include "bench/devices/backend.hpp"
#include "bench/lessons/exercise.hpp"
#include "bench/measure/fixture.hpp"
#include "bench/options/library_flags.hpp"
#include "bench/report/json_lines.hpp"
#include "bench/support/exit_code.hpp"
#include "bench/support/output_file.hpp"

/// @file
/// What the program does, one function a mode. Each returns the exit code for main, and prints its
/// result to `out`, main's standard output; nothing else does.

namespace sectorbench {

/// --benchmark_list_tests: the rows' names, one a line.
exit_code list_names(const std::vector<suite_row>& rows, std::FILE* out);

/// --list: the rows by pattern, and what each pattern is.
exit_code list_patterns(const std::vector<suite_row>& rows, std::FILE* out);

/// --hint: a hint for the exercise.
exit_code show_hint(const run_plan& plan, std::FILE* out);

/// --check --from: checks what a file holds; nothing is measured.
exit_code check_file(const run_plan& plan, std::FILE* out);

/// --check on a run: refuses rows that it could not check. @throws usage_error
void require_curve_rows(const std::vector<suite_row>& rows);

/// The exercise's verdict on the rows that were measured on a device.
exercise_verdict check_rows(const backend& device, const std::vector<suite_row>& rows,
                            const run_tally& tally);

/// --predict: predicts the matching rows; nothing is measured.
exit_code predict_rows(const run_plan& plan, const filter_matcher& filter, std::FILE* out);

/// --explain --ncu: explains kernels that Nsight Compute has counted; nothing is measured.
exit_code explain_exports(const run_plan& plan, std::FILE* out);

/// --traps: the known mistakes on one device, beside the right measurements.
exit_code show_traps(const run_plan& plan, device_run& run, std::FILE* out);

/// --calibrate: measures the GPU for the model, and keeps what it found.
exit_code write_passport(const run_plan& plan, device_run& run, std::FILE* out);

/// --why: puts the explanation of each row to the test.
exit_code show_why(const run_plan& plan, const filter_matcher& filter, device_run& run,
                   std::FILE* out);

/// The result files of a measuring run: opened before anything is measured.
struct result_files {
  std::optional<output_file> rows;       ///< --benchmark_out
  std::optional<json_lines_file> lines;  ///< --json_lines

  /// @throws usage_error if one cannot be written
  explicit result_files(const run_plan& plan);
};

/// Measures the matching rows, prints the table, writes the files.
/// @param program the process's name, for the library
exit_code measure_rows(const char* program, const run_plan& plan, const filter_matcher& filter,
                       device_run& run, result_files& files, std::FILE* out);

}  // namespace sectorbench
