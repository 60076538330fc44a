// SPDX-License-Identifier: Apache-2.0
#include "bench/report/csv_reporter.hpp"

#include <cmath>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bench/support/format.hpp"

namespace sectorbench {
namespace {

std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string number(double value) { return std::isfinite(value) ? format_exact(value) : ""; }

void write_line(std::ostream& out, const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& text : fields) (line += field(text)) += ',';
  line.back() = '\n';
  out << line;
}

std::string counter(const benchmark_run& run, const std::string& key) {
  const auto found = run.counters.find(key);
  return found == run.counters.end() ? "" : number(found->second.value);
}

}  // namespace

csv_reporter::csv_reporter(std::vector<std::string> counters) : counters_(std::move(counters)) {}

bool csv_reporter::ReportContext(const Context&) {
  std::vector<std::string> header{"name",      "iterations", "real_time", "cpu_time",
                                  "time_unit", "label",      "error",     "skipped"};
  header.insert(header.end(), counters_.begin(), counters_.end());
  write_line(GetOutputStream(), header);
  return true;
}

void csv_reporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const row_state state = state_of(run);
    std::vector<std::string> fields{run.benchmark_name()};
    if (state == row_state::kMeasured) {
      // The coefficient of variation is a fraction, not a time.
      const bool is_time =
          run.run_type == Run::RT_Iteration || run.aggregate_unit == benchmark::kTime;
      fields.push_back(std::to_string(run.iterations));
      fields.push_back(number(is_time ? run.GetAdjustedRealTime() : run.real_accumulated_time));
      fields.push_back(number(is_time ? run.GetAdjustedCPUTime() : run.cpu_accumulated_time));
      fields.emplace_back(is_time ? benchmark::GetTimeUnitString(run.time_unit) : "");
      fields.push_back(run.report_label);
    } else {
      fields.resize(6);
    }
    fields.push_back(state == row_state::kFailed ? message_of(run) : "");
    fields.push_back(state == row_state::kSkipped ? message_of(run) : "");
    for (const std::string& key : counters_)
      fields.push_back(state == row_state::kMeasured ? counter(run, key) : "");
    write_line(GetOutputStream(), fields);
  }
}

void csv_reporter::Finalize() {
  if (!GetOutputStream().flush())
    throw std::runtime_error("the CSV was cut off while it was written (is the disk full?)");
}

}  // namespace sectorbench
