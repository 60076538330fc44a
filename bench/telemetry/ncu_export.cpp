// SPDX-License-Identifier: Apache-2.0
#include "bench/telemetry/ncu_export.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "bench/support/csv.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

constexpr std::string_view kOfSector = "smsp__sass_average_data_bytes_per_sector_mem_global_op_";
constexpr std::string_view kGpuName = "device__attribute_display_name";

/// The counts without which nothing can be said, of loads and of stores.
constexpr std::array<std::array<std::string_view, 2>, 2> kNeeded{
    {{"load_requests_measured", "load_sectors_measured"},
     {"store_requests_measured", "store_sectors_measured"}}};

/// Labels of the details page that stand for a metric.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kLabels{{
    {"Duration", kNcuDuration},
    {"Average Bytes Per Sector For Global Loads",
     "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"},
    {"Average Bytes Per Sector For Global Stores",
     "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio"},
}};

bool is_wanted(std::string_view metric) {
  return metric == kNcuDuration || metric.starts_with("sm__throughput.avg.") ||
         std::ranges::count(kNcuAtomics, metric) > 0 || metric == kGpuName ||
         metric.starts_with(kOfSector) || is_table_metric(metric);
}

bool is_whole(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t from = text.find_first_not_of(' ');
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(' ') - from + 1);
}

// ---- Numbers of any locale

/// A number with its grouping signs made one, the quote: spaces (also narrow ones and those that
/// keep a line whole) and apostrophes of Swiss locales.
std::string one_grouping(std::string_view text) {
  std::string plain(text);
  for (const std::string_view sign :
       {"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\x99", " ", "\xa0"})
    for (std::size_t at = 0; (at = plain.find(sign, at)) != std::string::npos;)
      plain.replace(at, sign.size(), "'");
  return plain;
}

bool looks_like_number(std::string_view text) {
  return !text.empty() && text.find_first_of("0123456789") != std::string_view::npos &&
         text.find_first_not_of("0123456789.,'-+eE") == std::string_view::npos;
}

/// The decimal sign that a number can only have, '.' or ','; 0 if it may be read either way.
char certain_decimal(std::string_view number) {
  const auto points = std::ranges::count(number, '.'), commas = std::ranges::count(number, ',');
  if (points == 0 && commas == 0) return 0;
  if (points > 0 && commas > 0) return number.rfind('.') > number.rfind(',') ? '.' : ',';
  const char sign = points > 0 ? '.' : ',', other = points > 0 ? ',' : '.';
  if (points + commas > 1) return other;  // it groups
  const std::size_t at = number.find(sign), from = number.find_first_of("0123456789");
  const std::size_t end = number.find_first_not_of("0123456789", at + 1);
  const std::size_t after = std::min(end, number.size()) - at - 1;
  const bool may_group = after == 3 && at - from <= 3 && at > from && number[from] != '0' &&
                         number.find('\'') == std::string_view::npos;
  return may_group ? 0 : sign;
}

std::optional<double> read_number(std::string_view number, char decimal) {
  std::string plain;
  for (const char c : number)
    if (c == decimal)
      plain += '.';
    else if (c != '\'' && c != '.' && c != ',' && c != '+')
      plain += c;
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc() || end != plain.data() + plain.size()) return std::nullopt;
  return value;
}

// ---- Units

/// What one of the unit is in bytes, seconds or a plain count; none if it is not known.
std::optional<double> unit_factor(std::string_view unit) {
  constexpr std::array<std::string_view, 12> kPlain{"",        "%",       "byte",   "byte/sector",
                                                    "B",       "s",       "second", "sector",
                                                    "sectors", "request", "inst",   "thread"};
  if (std::ranges::find(kPlain, unit) != kPlain.end()) return 1;
  constexpr std::array<std::pair<std::string_view, double>, 9> kTimes{{{"ns", 1e-9},
                                                                       {"us", 1e-6},
                                                                       {"\xc2\xb5s", 1e-6},
                                                                       {"ms", 1e-3},
                                                                       {"nsecond", 1e-9},
                                                                       {"usecond", 1e-6},
                                                                       {"msecond", 1e-3},
                                                                       {"wavefront", 1},
                                                                       {"warp", 1}}};
  for (const auto& [name, factor] : kTimes)
    if (unit == name) return factor;
  constexpr std::array<std::pair<std::string_view, double>, 9> kPrefixes{{{"Ki", 0x1p10},
                                                                          {"Mi", 0x1p20},
                                                                          {"Gi", 0x1p30},
                                                                          {"Ti", 0x1p40},
                                                                          {"K", 1e3},
                                                                          {"k", 1e3},
                                                                          {"M", 1e6},
                                                                          {"G", 1e9},
                                                                          {"T", 1e12}}};
  for (const auto& [prefix, factor] : kPrefixes)
    if (unit.size() > prefix.size() && unit.starts_with(prefix))
      if (const auto rest = unit_factor(unit.substr(prefix.size()))) return factor * *rest;
  return std::nullopt;
}

// ---- Pages

/// A value as the file has it.
struct cell {
  std::size_t launch, line;
  std::string metric, unit, text;
};

class reader {
 public:
  reader(std::string_view text, const std::string& where) : where_(where) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    lines_before_ = find_header(text);
    records_ = read_csv(text, separator_);
  }

  ncu_export read() {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const csv_record& record = records_[i];
      if (is_header(record)) {
        begin_page(record);
        if (!details_) i = read_units(i);
      } else if (is_launch(record)) {
        take(record);
      }
    }
    values();
    require_launches();
    return std::move(result_);
  }

 private:
  std::string at(std::size_t line) const {
    return where_ + ": line " + std::to_string(line + lines_before_) + ": ";
  }
  usage_error refusal(const std::string& reason) const {
    return usage_error(where_ + ": " + reason);
  }

  /// Cuts what stands before the table. @return how many lines that were
  std::size_t find_header(std::string_view& text) {
    constexpr std::string_view kRemedy = "; export it with ncu --csv --page raw";
    std::size_t lines = 0;
    std::string complaint;
    for (std::string_view rest = text; !rest.empty(); ++lines) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      if (!line.empty())
        for (const char separator : {',', ';', '\t'})
          if (const auto fields = read_csv(line, separator).front().fields;
              fields.size() > 5 && std::ranges::count(fields, "Kernel Name") > 0) {
            if (fields[0] != "ID")
              throw refusal("line " + std::to_string(lines + 1) +
                            ": a summary of launches: leave out ncu's --print-summary");
            separator_ = separator;
            text = rest;
            return lines;
          }
      if (line.starts_with("==ERROR==") || line.starts_with("==WARNING== No kernels"))
        complaint =
            "line " + std::to_string(lines + 1) + ": ncu counted nothing: " + std::string(line);
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    }
    if (!complaint.empty()) throw refusal(complaint);
    throw refusal("no line has the column \"Kernel Name\", so it is no CSV of ncu" +
                  std::string(kRemedy));
  }

  static bool is_header(const csv_record& record) {
    return record.fields[0] == "ID" && std::ranges::count(record.fields, "Kernel Name") > 0;
  }
  /// Rows of other tables, and lines of ncu and the program, have no number of a process.
  static bool is_launch(const csv_record& record) {
    return record.fields.size() > 1 && is_whole(record.fields[0]) && is_whole(record.fields[1]);
  }

  std::optional<std::size_t> column(std::string_view name) const {
    const auto found = std::ranges::find(header_, name);
    if (found == header_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header_.begin());
  }

  void begin_page(const csv_record& record) {
    header_ = record.fields;
    ++page_;
    const auto name = column("Metric Name"), unit = column("Metric Unit"),
               value = column("Metric Value");
    details_ = name && unit && value;
    if (details_) {
      name_ = *name, unit_ = *unit, value_ = *value;
      columns_ = std::max({name_, unit_, value_}) + 1;
    } else {
      columns_ = header_.size();
    }
  }

  /// @return the last record that is read
  std::size_t read_units(std::size_t header) {
    const std::size_t next = header + 1;
    if (next >= records_.size() || !records_[next].fields[0].empty() ||
        records_[next].fields.size() != header_.size())
      throw usage_error(at(records_[std::min(next, records_.size() - 1)].line) +
                        "the row of units is missing or cut off, so it is no raw page of a version "
                        "that is known; export it with ncu --csv --page raw");
    units_ = records_[next].fields;
    return next;
  }

  void take(const csv_record& record) {
    if (!record.closed || record.fields.size() < columns_) {
      result_.faults.push_back(at(record.line) + "launch " + record.fields[0] +
                               " is cut off after " + std::to_string(record.fields.size()) +
                               " of " + std::to_string(columns_) + " columns, and is left out");
      if (details_) lost_ = key_of(record);
      return;
    }
    const std::size_t launch = launch_of(record);
    if (details_) {
      add(launch, record.line, metric_named(record.fields[name_]), record.fields[unit_],
          record.fields[value_]);
      return;
    }
    for (std::size_t i = 0; i < header_.size(); ++i)
      add(launch, record.line, header_[i], units_[i], record.fields[i]);
  }

  std::string key_of(const csv_record& record) const {
    return std::to_string(page_) + "/" + record.fields[0] + "/" + record.fields[1];
  }

  /// The launch that a row is of: the last one, or a new one.
  std::size_t launch_of(const csv_record& record) {
    const std::string key = key_of(record);
    const auto found = std::find(keys_.rbegin(), keys_.rend(), key);  // mostly the last
    if (found != keys_.rend()) return static_cast<std::size_t>(keys_.rend() - found) - 1;
    keys_.push_back(key);
    ncu_launch launch;
    launch.id = record.fields[0];
    const auto text = [&](std::string_view name) -> std::string {
      const auto where = column(name);
      return where ? record.fields[*where] : "";
    };
    const std::string name = text("Kernel Name");
    launch.kernel = is_utf8(name) ? one_line(name) : sanitize(name);
    const auto block = dimensions(text("Block Size")), grid = dimensions(text("Grid Size"));
    if (block)
      launch.block = {static_cast<unsigned>((*block)[0]),
                      static_cast<unsigned>((*block)[1] * (*block)[2])};
    if (grid) launch.blocks = (*grid)[0] * (*grid)[1] * (*grid)[2];
    if (!block || !grid)
      result_.faults.push_back(at(record.line) +
                               "no Block Size and Grid Size like (16, 16, 1): blocks of 256 "
                               "threads are assumed");
    result_.launches.push_back(std::move(launch));
    return keys_.size() - 1;
  }

  /// Of "(16, 16, 1)".
  static std::optional<std::array<index_t, 3>> dimensions(std::string_view text) {
    std::array<index_t, 3> sizes{};
    std::size_t n = 0;
    for (std::size_t i = 0; i < text.size() && n < 3;) {
      const auto [end, error] =
          std::from_chars(text.data() + i, text.data() + text.size(), sizes[n]);
      if (error == std::errc() && sizes[n] > 0 && sizes[n] <= kMaxGridX) ++n;
      i = std::max(i + 1, static_cast<std::size_t>(end - text.data()));
    }
    if (n < 3 || sizes[0] * sizes[1] > (index_t{1} << 40) || sizes[2] > 65535) return std::nullopt;
    return sizes;
  }

  /// "Duration (gpu__time_duration.sum)" and labels that stand for a metric.
  static std::string metric_named(std::string_view name) {
    if (const std::size_t open = name.rfind('(');
        name.ends_with(')') && name.find("__", open) != std::string_view::npos)
      name = name.substr(open + 1, name.size() - open - 2);
    for (const auto& [label, metric] : kLabels)
      if (name == label) name = metric;
    return std::string(name);
  }

  void add(std::size_t launch, std::size_t line, const std::string& metric, const std::string& unit,
           const std::string& text) {
    if (is_wanted(metric) && metric == kGpuName) {
      result_.launches[launch].gpu = one_line(text);
      return;
    }
    // What follows in brackets are the values of instances.
    const std::string number = one_grouping(without_spaces(text.substr(0, text.find('('))));
    if (!looks_like_number(number)) return;
    // Numbers of other metrics also tell how this file writes them.
    if (const char sign = certain_decimal(number);
        sign != 0 && metric.find("__") != std::string::npos) {
      if (decimal_ == 0) {
        decimal_ = sign;
        decimal_line_ = line, decimal_text_ = text;
      } else if (decimal_ != sign) {
        throw usage_error(at(line) + "the number '" + text + "' has another decimal sign than '" +
                          decimal_text_ + "' of line " +
                          std::to_string(decimal_line_ + lines_before_) +
                          "; give files of different locales as two files");
      }
    }
    if (is_wanted(metric)) cells_.push_back({launch, line, metric, unit, number});
  }

  void values() {
    const char decimal = decimal_ == 0 ? '.' : decimal_;
    for (const cell& one : cells_) {
      const auto number = read_number(one.text, decimal);
      const auto factor = unit_factor(one.unit);
      if (!number || !factor) {
        result_.faults.push_back(at(one.line) + one.metric + ": " +
                                 (number ? "the unit '" + one.unit + "' is not known"
                                         : "'" + one.text + "' is no number") +
                                 ", and the metric is left out");
        continue;
      }
      result_.launches[one.launch].metrics[one.metric] = *number * *factor;
    }
  }

  void require_launches() {
    std::vector<ncu_launch>& launches = result_.launches;
    // Of a launch in a details page that ends too early nobody knows what is missing.
    if (!lost_.empty())
      if (const auto found = std::ranges::find(keys_, lost_); found != keys_.end())
        launches.erase(launches.begin() + (found - keys_.begin()));
    const auto has_counts = [](const ncu_launch& launch) {
      return std::ranges::any_of(kNeeded, [&](const auto& side) {
        return std::ranges::all_of(
            side, [&](std::string_view key) { return metric_of(launch.metrics, key).has_value(); });
      });
    };
    if (launches.empty() && result_.faults.empty())
      throw refusal("the table has no launch; profile with ncu --csv --page raw");
    if (launches.empty()) throw usage_error(result_.faults.front());
    std::string names;
    for (const auto& side : kNeeded)
      for (const std::string_view key : side)
        for (const counter_spec& counter : kCounters)
          if (counter.key == key)
            names += (names.empty() ? "" : ", ") + std::string(counter.metric);
    if (std::ranges::any_of(launches, has_counts)) {
      for (const ncu_launch& launch : launches)
        if (!has_counts(launch))
          result_.faults.push_back(where_ + ": launch " + launch.id + " (" + launch.kernel +
                                   ") has none of the metrics " + names);
      return;
    }
    throw refusal(
        "no launch has the metrics " + names +
        "; print a report of ncu --set full with --import FILE --csv --page raw, or take the "
        "--metrics of docs/counters.md");
  }

  std::string where_;
  std::size_t lines_before_ = 0;
  char separator_ = ',';
  std::vector<csv_record> records_;
  int page_ = 0;
  std::vector<std::string> header_, units_;
  bool details_ = false;
  std::size_t name_ = 0, unit_ = 0, value_ = 0, columns_ = 0;
  std::vector<std::string> keys_;  // of the launches
  std::string lost_;               // that of one that is cut off
  char decimal_ = 0;               // where some number tells
  std::size_t decimal_line_ = 0;
  std::string decimal_text_;
  std::vector<cell> cells_;
  ncu_export result_;
};

}  // namespace

std::optional<double> bytes_of_sector(const metric_values& metrics, std::string_view side) {
  const std::string name = std::string(kOfSector) + std::string(side);
  if (const auto ratio = metrics.find(name + ".ratio"); ratio != metrics.end())
    return ratio->second;
  if (const auto percent = metrics.find(name + ".pct"); percent != metrics.end())
    return percent->second * 32 / 100;
  return std::nullopt;
}

ncu_export read_ncu_export(std::string_view text, const std::string& where) {
  return reader(text, where).read();
}

}  // namespace sectorbench
