// SPDX-License-Identifier: Apache-2.0
#include "bench/report/console_reporter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <utility>

#include "bench/support/format.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

constexpr std::size_t kLineWidth = 120;
constexpr std::string_view kTimeSuffix = "/manual_time";
constexpr std::string_view kNone = "-";

struct column {
  std::string_view group;  // the upper line of the heading
  std::string_view title;
  std::size_t width;
};

constexpr std::array<column, 7> kColumns{{{"", "time", 9},
                                          {"", "GB/s", 6},
                                          {"of", "stride 1", 8},
                                          {"of", "ceiling", 7},
                                          {"", "load", 6},
                                          {"sectors/request", "store", 7},
                                          {"", "spread", 7}}};
constexpr std::string_view kGap = "  ";

using cells = std::array<std::string, kColumns.size()>;

std::string padded_left(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ').append(text);
}

std::string padded_right(std::string_view text, std::size_t width) {
  std::string padded(text);
  padded.resize(std::max(width, text.size()), ' ');
  return padded;
}

void erase_trailing_spaces(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

std::string shown_name(const benchmark_run& run) {
  benchmark::BenchmarkName name = run.run_name;
  name.time_type.clear();
  std::string text = name.str();
  if (run.run_type == benchmark_run::RT_Aggregate)
    text += "_" + run.aggregate_name;
  else if (run.repetitions > 1)
    text += " #" + std::to_string(run.repetition_index + 1);
  return text;
}

double counter(const benchmark_run& run, const char* key) {
  const auto found = run.counters.find(key);
  return found == run.counters.end() ? 0 : found->second.value;
}

// Counters are 0 where they have no meaning, such as the stores of a read.
template <typename Format>
std::string cell(double value, Format format) {
  return value > 0 && std::isfinite(value) ? format(value) : std::string(kNone);
}

std::string times_slower(double fraction) {
  if (std::abs(fraction - 1) < 0.005) return "1";
  if (fraction > 1) return format_fixed(fraction, 2) + "x";
  const double times = 1 / fraction;
  return "1/" + format_fixed(times, times < 1.095 ? 2 : times < 99.95 ? 1 : 0);
}

std::string percent(double fraction) {
  const double magnitude = 100 * std::abs(fraction);
  return format_percent(fraction, magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0);
}

std::string rounded_percent(double fraction) {
  return format_percent(fraction, 100 * fraction < 9.95 ? 1 : 0);
}

std::string gigabytes(double bytes_per_s) { return format_significant(bytes_per_s / 1e9); }

std::string time_of(const benchmark_run& run, std::optional<benchmark::TimeUnit> unit) {
  const double seconds =
      run.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(run.time_unit);
  if (!unit) return format_time(seconds);
  return format_significant(seconds * benchmark::GetTimeUnitMultiplier(*unit)) + " " +
         benchmark::GetTimeUnitString(*unit);
}

cells cells_of(const benchmark_run& run, std::optional<benchmark::TimeUnit> unit) {
  cells row;
  row.fill(std::string(kNone));
  const double bytes_per_s = counter(run, "useful_bytes_per_second");
  const bool is_aggregate = run.run_type == benchmark_run::RT_Aggregate;
  if (is_aggregate && run.aggregate_unit == benchmark::kPercentage) {
    row[0] = percent(run.real_accumulated_time);
    row[1] = cell(bytes_per_s, percent);
    return row;
  }
  row[0] = time_of(run, unit);
  row[1] = cell(bytes_per_s, gigabytes);
  // The deviation of a ratio is no ratio of stride 1.
  if (is_aggregate && run.aggregate_name == "stddev") return row;
  const auto per_request = [](double sectors) { return format_fixed(sectors, 2); };
  row[2] = cell(counter(run, "fraction_of_stride1"), times_slower);
  row[3] = cell(counter(run, "fraction_of_ceiling"), rounded_percent);
  row[4] = cell(counter(run, "load_sectors_per_request_predicted"), per_request);
  row[5] = cell(counter(run, "store_sectors_per_request_predicted"), per_request);
  if (run.counters.contains("time_cv")) row[6] = percent(counter(run, "time_cv"));
  return row;
}

constexpr std::string_view kLimitKey = "limited_by=";

/// "dram_bytes" of "mover=1;limited_by=dram_bytes", or "".
std::string limit_of(std::string_view label) {
  for (const std::string_view part : split(label, ';'))
    if (part.starts_with(kLimitKey)) return std::string(part.substr(kLimitKey.size()));
  return "";
}

/// "mover=1;cache_resident=l2" as "mover cache_resident=l2". What limits a row has a column.
std::string shown_label(std::string_view label) {
  constexpr std::string_view kYes = "=1";
  std::string text;
  for (std::string_view part : split(label, ';')) {
    if (part.starts_with(kLimitKey)) continue;
    if (part.ends_with(kYes)) part.remove_suffix(kYes.size());
    text.append(text.empty() ? "" : " ").append(part);
  }
  return text;
}

}  // namespace

console_reporter::console_reporter(console_settings settings) : settings_(std::move(settings)) {}

bool console_reporter::ReportContext(const Context& context) {
  constexpr std::size_t kMinNameWidth = 10;
  name_width_ =
      std::max(kMinNameWidth + kTimeSuffix.size(), context.name_field_width) - kTimeSuffix.size();
  has_header_ = false;
  for (const std::string& text : settings_.context_lines)
    for (const std::string& line : wrap(text, kLineWidth)) GetOutputStream() << line << '\n';
  return true;
}

void console_reporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (!has_header_) print_header();
    switch (state_of(run)) {
      case row_state::kMeasured:
        print_row(run);
        break;
      case row_state::kFailed:
        print_message(shown_name(run), "ERROR: " + message_of(run), true);
        break;
      case row_state::kSkipped:
        print_message(shown_name(run), "skipped: " + message_of(run), false);
        break;
    }
  }
}

void console_reporter::Finalize() {
  if (!settings_.summary) return;
  for (const std::string& line : wrap(settings_.summary(), kLineWidth))
    GetOutputStream() << line << '\n';
}

void console_reporter::print_header() {
  std::string groups(name_width_, ' ');
  std::string titles = padded_right("row", name_width_);
  for (const column& one : kColumns) {
    titles.append(kGap).append(padded_left(one.title, one.width));
    // A heading over two columns ends with the second and begins over the first.
    groups.resize(titles.size(), ' ');
    groups.replace(groups.size() - one.group.size(), one.group.size(), one.group);
  }
  if (settings_.limits) titles.append(kGap).append("limited by");
  GetOutputStream() << '\n';
  erase_trailing_spaces(groups);
  GetOutputStream() << groups << '\n' << titles << '\n' << std::string(titles.size(), '-') << '\n';
  has_header_ = true;
}

void console_reporter::print_row(const Run& run) {
  std::string line = padded_right(shown_name(run), name_width_);
  const cells row = cells_of(run, settings_.time_unit);
  for (std::size_t i = 0; i < row.size(); ++i)
    line.append(kGap).append(padded_left(row[i], kColumns[i].width));
  if (settings_.limits) line.append(kGap).append(limit_of(run.report_label));
  const std::string label = shown_label(run.report_label);
  if (label.empty()) {
    GetOutputStream() << line << '\n';
  } else if (line.size() + kGap.size() + label.size() <= kLineWidth) {
    GetOutputStream() << line << kGap << label << '\n';
  } else {
    constexpr std::size_t kIndent = 4;
    GetOutputStream() << line << '\n';
    for (const std::string& part : wrap(label, kLineWidth - kIndent))
      GetOutputStream() << std::string(kIndent, ' ') << part << '\n';
  }
}

void console_reporter::print_message(std::string_view name, std::string_view message,
                                     bool is_error) {
  constexpr std::size_t kMinTextWidth = 50;
  constexpr std::size_t kShortIndent = 4;
  std::ostream& out = GetOutputStream();
  std::string lead = padded_right(name, name_width_).append(kGap);
  if (lead.size() + kMinTextWidth > kLineWidth) {
    out << name << '\n';
    lead.assign(kShortIndent, ' ');
  }
  const bool is_red = is_error && settings_.color;
  std::string spaces(lead.size(), ' ');
  for (const std::string& line : wrap(one_line(message), kLineWidth - lead.size())) {
    out << lead << (is_red ? "\033[31m" : "") << line << (is_red ? "\033[m" : "") << '\n';
    lead = spaces;
  }
}

}  // namespace sectorbench
