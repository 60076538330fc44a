// SPDX-License-Identifier: Apache-2.0
#include "bench/options/library_flags.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "bench/report/library.hpp"
#include "bench/support/bad_value.hpp"
#include "bench/support/format.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

template <typename Number>
std::optional<Number> read_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The words that mean the same to everybody; the library takes any other word for true.
bool read_bool(std::string_view text) {
  std::string word(text);
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view yes : {"", "1", "t", "y", "true", "yes", "on"})
    if (word == yes) return true;
  for (const std::string_view no : {"0", "f", "n", "false", "no", "off"})
    if (word == no) return false;
  throw bad_value("allowed: true, false");
}

std::int32_t read_int32(std::string_view text, std::int32_t least) {
  const std::optional<std::int32_t> number = read_number<std::int32_t>(text);
  if (!number || *number < least)
    throw bad_value("allowed: a whole number from " + std::to_string(least) + " to 2147483647");
  return *number;
}

double read_seconds(std::string_view text) {
  const std::optional<double> seconds = read_number<double>(text);
  if (!seconds || !std::isfinite(*seconds) || std::signbit(*seconds))
    throw bad_value("allowed: a number of seconds, e.g. 0.1");
  return *seconds;
}

std::string read_one_of(std::string_view text, std::initializer_list<std::string_view> allowed) {
  for (const std::string_view word : allowed)
    if (text == word) return std::string(text);
  throw bad_value("allowed: " + join(std::span(allowed.begin(), allowed.size()), ", "));
}

void read_format(std::string_view text, library_flags& to) {
  to.format = read_one_of(text, {"console", "json", "csv"});
}

void read_out_format(std::string_view text, library_flags& to) {
  to.out_format = read_one_of(text, {"console", "json", "csv"});
}

void read_time_unit(std::string_view text, library_flags& to) {
  to.time_unit = text.empty() ? "" : read_one_of(text, {"ns", "us", "ms", "s"});
}

void read_color(std::string_view text, library_flags& to) {
  if (text.empty()) throw bad_value("allowed: auto, true, false");
  if (text != "auto") read_bool(text);
  to.color = text;
}

void read_min_time(std::string_view text, library_flags& to) {
  to.min_time_s.reset();
  to.iterations.reset();
  if (text.ends_with('x')) {
    const std::optional<std::int64_t> count =
        read_number<std::int64_t>(text.substr(0, text.size() - 1));
    if (!count || *count < 1 || *count > 1000000000)
      throw bad_value("allowed: a number of iterations from 1x to 1000000000x");
    if (!kMinTimeTakesSuffix)
      throw bad_value(
          "a number of iterations needs Google Benchmark 1.8.0 or later, this is older");
    to.iterations = count;
    return;
  }
  if (text.ends_with('s')) text.remove_suffix(1);
  try {
    to.min_time_s = read_seconds(text);
  } catch (const bad_value&) {
    throw bad_value("allowed: a number of seconds, e.g. 0.1 or 0.1s, or of iterations, e.g. 50x");
  }
}

void read_context(std::string_view text, library_flags& to) {
  to.context_keys.clear();
  for (const std::string_view pair : split(text, ',')) {
    const std::vector<std::string_view> sides = split(pair, '=');
    if (sides.size() != 2 || sides[0].empty() || one_line(pair) != pair || !is_utf8(pair))
      throw bad_value("allowed: key=value,... in printable characters (UTF-8)");
    to.context_keys.emplace_back(sides[0]);
  }
}

struct library_flag {
  std::string_view name;
  bool needs_value;
  void (*read)(std::string_view value, library_flags& to);
};

void check_bool(std::string_view text, library_flags&) { read_bool(text); }
void check_nothing(std::string_view, library_flags&) {}

constexpr std::array kFlags{
    library_flag{"--benchmark_list_tests", false,
                 [](std::string_view text, library_flags& to) { to.list_tests = read_bool(text); }},
    library_flag{"--benchmark_filter", true,
                 [](std::string_view text, library_flags& to) { to.filter = text; }},
    library_flag{"--benchmark_min_time", true, read_min_time},
    library_flag{"--benchmark_min_warmup_time", true,
                 [](std::string_view text, library_flags&) { read_seconds(text); }},
    library_flag{
        "--benchmark_repetitions", true,
        [](std::string_view text, library_flags& to) { to.repetitions = read_int32(text, 1); }},
    library_flag{"--benchmark_dry_run", false,
                 [](std::string_view text, library_flags& to) { to.dry_run = read_bool(text); }},
    library_flag{"--benchmark_enable_random_interleaving", false, check_bool},
    library_flag{"--benchmark_report_aggregates_only", false, check_bool},
    library_flag{"--benchmark_display_aggregates_only", false, check_bool},
    library_flag{"--benchmark_format", true, read_format},
    library_flag{"--benchmark_out", true,
                 [](std::string_view text, library_flags& to) { to.out = text; }},
    library_flag{"--benchmark_out_format", true, read_out_format},
    library_flag{"--benchmark_color", true, read_color},
    library_flag{"--benchmark_counters_tabular", false, check_bool},
    library_flag{"--benchmark_perf_counters", true, check_nothing},
    library_flag{"--benchmark_context", true, read_context},
    library_flag{"--benchmark_time_unit", true, read_time_unit},
    library_flag{"--v", true,
                 [](std::string_view text, library_flags&) {
                   read_int32(text, std::numeric_limits<std::int32_t>::min());
                 }},
};

constexpr auto kFlagNames = [] {
  std::array<std::string_view, kFlags.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kFlags[i].name;
  return names;
}();

std::string variable_of(std::string_view flag_name) {
  std::string variable(flag_name.substr(2));
  for (char& c : variable) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

std::string_view name_of(std::string_view arg) { return arg.substr(0, arg.find('=')); }

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

library_flags read_library_flags(std::span<const std::string> args, const environment& env) {
  library_flags flags;
  for (const library_flag& known : kFlags) {
    if (known.name == "--v") continue;  // its variable is V, which build tools use for themselves
    const std::string variable = variable_of(known.name);
    const std::optional<std::string> value = env(variable);
    if (!value) continue;
    try {
      known.read(*value, flags);
    } catch (const bad_value& error) {
      throw usage_error("environment variable " + variable + "=" + *value + ": " + error.what());
    }
  }
  for (const std::string& arg : args) {
    const std::string_view name = name_of(arg);
    const auto known = std::find_if(kFlags.begin(), kFlags.end(),
                                    [&](const library_flag& one) { return one.name == name; });
    if (known == kFlags.end()) continue;
    const bool has_value = name.size() < arg.size();
    if (known->needs_value && !has_value) throw usage_error(arg + ": a value is missing");
    try {
      known->read(has_value ? std::string_view(arg).substr(name.size() + 1) : "", flags);
    } catch (const bad_value& error) {
      throw usage_error(arg + ": " + error.what());
    }
  }
  return flags;
}

std::vector<std::string> adjusted_library_args(std::span<const std::string> args,
                                               const library_flags& flags,
                                               double default_min_time_s,
                                               std::string_view out_path) {
  std::vector<std::string> adjusted;
  for (const std::string& arg : args)
    if (const std::string_view name = name_of(arg);
        name != "--benchmark_min_time" && name != "--benchmark_out" && name != "--benchmark_filter")
      adjusted.push_back(arg);
  std::string min_time;
  if (flags.iterations)
    min_time = std::to_string(*flags.iterations) + "x";
  else
    min_time = format_exact(flags.min_time_s.value_or(default_min_time_s)) +
               (kMinTimeTakesSuffix ? "s" : "");
  adjusted.push_back("--benchmark_min_time=" + min_time);
  adjusted.push_back("--benchmark_out=" + std::string(out_path));
  adjusted.emplace_back("--benchmark_filter=all");  // only rows that match are registered
  return adjusted;
}

std::span<const std::string_view> library_flag_names() { return kFlagNames; }

bool use_color(const library_flags& flags) {
  if (flags.color != "auto") return read_bool(flags.color);
  const std::optional<std::string> terminal = process_environment("TERM");
  return isatty(STDOUT_FILENO) == 1 && terminal && *terminal != "dumb";
}

filter_matcher::filter_matcher(std::string_view filter) {
  if (filter.empty() || filter == "all") filter = ".";
  std::string_view expression = filter;
  negated_ = expression.starts_with('-');
  if (negated_) expression.remove_prefix(1);
  // std::regex calls itself for each character and each parenthesis, and without the polynomial
  // search the time of a match can double with each character.
  constexpr std::size_t kLongest = 4096, kDeepest = 256;
  const auto depth = static_cast<std::size_t>(std::ranges::count(expression, '('));
  if (expression.size() > kLongest || depth > kDeepest)
    throw usage_error("--benchmark_filter=" + std::string(filter) + ": has " +
                      std::to_string(expression.size()) + " characters and " +
                      std::to_string(depth) + " parentheses; allowed: " + std::to_string(kLongest) +
                      " and " + std::to_string(kDeepest) +
                      "; --suite=FILE takes a long list of names");
  try {
    pattern_.assign(std::string(expression),
                    std::regex::extended | std::regex_constants::__polynomial);
  } catch (const std::regex_error& error) {
    throw usage_error("--benchmark_filter=" + std::string(filter) +
                      ": not a regular expression: " + error.what());
  }
}

bool filter_matcher::matches(const std::string& name) const {
  const std::string registered = name + std::string(kNameSuffix);
  std::smatch found;
  const bool matched = std::regex_search(name, pattern_) ||
                       (std::regex_search(registered, found, pattern_) &&
                        found.position() < static_cast<std::ptrdiff_t>(name.size()));
  return matched != negated_;
}

}  // namespace sectorbench
