// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <string>

#include "bench/commands/modes.hpp"
#include "bench/lessons/exercise.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

/// The rows that the exercise is about, without figures.
exercise_run curve_of(const std::vector<suite_row>& rows, const std::string& source) {
  exercise_run run{.source = source, .rows = {}};
  for (const auto& [spec, name] : rows) {
    const bool of_curve = spec.pattern->name == "stride" || spec.pattern->name == "chunk";
    if (!of_curve || spec.operation != operation_kind::kCopy || spec.type != element_type::kF32)
      continue;
    exercise_row& row = run.rows.emplace_back();
    row.place = name;
    row.bytes = useful_bytes(spec);
    if (const index_t stride = parameter_value(spec, "stride", 0); stride > 0) row.stride = stride;
  }
  return run;
}

}  // namespace

exit_code show_hint(const run_plan& plan, std::FILE* out) {
  std::fputs(exercise_hint(plan.wanted.hint).c_str(), out);
  return exit_code::kOk;
}

exit_code check_file(const run_plan& plan, std::FILE* out) {
  constexpr input_kind kRows{"--from", "rows of a run",
                             "give the file of --benchmark_out or --json_lines, or the exercise's",
                             std::size_t{64} << 20};
  const options& wanted = plan.wanted;
  if (!plan.flags.out.empty() || !wanted.json_lines.empty())
    throw usage_error(
        "--from: nothing is measured, so there are no rows to write; leave out --benchmark_out and "
        "--json_lines");
  exercise_run rows =
      read_exercise(read_input_file(wanted.check_file, kRows), "--from=" + wanted.check_file);
  assume_l2(rows, wanted.gpus.empty() ? "" : wanted.gpus.front());
  const exercise_verdict verdict = check_coalescing(rows);
  std::fputs(verdict.text.c_str(), out);
  return verdict.code;
}

void require_curve_rows(const std::vector<suite_row>& rows) {
  require_curve(curve_of(rows, "--check=coalescing"));
}

exercise_verdict check_rows(const backend& device, const std::vector<suite_row>& rows,
                            const run_tally& tally) {
  exercise_run run = curve_of(rows, device.headline());
  run.on_gpu = device.index().has_value();
  run.l2_bytes = device.last_cache_bytes();
  run.l2_source = "this GPU";
  run.peak_bytes_per_s = device.peak_bytes_per_s();
  for (exercise_row& row : run.rows) {
    const auto measured = std::ranges::find_if(
        tally.finished(), [&](const auto& finished) { return finished.row.name == row.place; });
    if (measured == tally.finished().end())
      row.failure = "it has no measurement";
    else
      row.ms = measured->result.mean_s * 1e3;
  }
  return check_coalescing(run);
}

}  // namespace sectorbench
