// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// Google Benchmark's flags, as far as the program has to know or to check them.
///
/// The library ends the process with 0 at a bad --benchmark_format, only warns of other bad values,
/// and truncates the file of --benchmark_out before it knows whether any row matches. So all values
/// are read here first.

namespace sectorbench {

/// The library's settings, from its flags and, where those are silent, from the environment.
struct library_flags {
  std::string filter;
  std::string format = "console";
  std::string out;
  std::string out_format = "json";
  std::string color = "auto";
  std::vector<std::string> context_keys;   ///< that --benchmark_context sets
  std::string time_unit;                   ///< ns, us, ms, s, or empty
  std::optional<double> min_time_s;        ///< of --benchmark_min_time=0.1 or 0.1s
  std::optional<std::int64_t> iterations;  ///< of --benchmark_min_time=50x
  int repetitions = 1;
  bool list_tests = false;
  bool dry_run = false;
};

/// The value of an environment variable, or nothing.
using environment = std::function<std::optional<std::string>(const std::string& name)>;

/// The environment of this process.
std::optional<std::string> process_environment(const std::string& name);

/// Reads and checks every library flag among `args` and every variable that stands for one.
/// Unknown --benchmark_ flags pass: the library knows best which it has.
/// @throws usage_error on a value that the library would refuse, ignore or misread.
library_flags read_library_flags(std::span<const std::string> args,
                                 const environment& env = process_environment);

/// `args` as the library is to get them: the run time said in the way this version understands,
/// `default_min_time_s` if none was asked for, and the output file replaced by `out_path` (empty:
/// none), and no filter, as only matching rows are registered. These are always said, as the
/// library has read its variables before main began.
std::vector<std::string> adjusted_library_args(std::span<const std::string> args,
                                               const library_flags& flags,
                                               double default_min_time_s,
                                               std::string_view out_path);

/// Arguments as the library takes them: argc and argv, which it changes.
class library_arguments {
 public:
  library_arguments(const char* program, std::vector<std::string> arguments)
      : texts_(std::move(arguments)) {
    texts_.insert(texts_.begin(), program);
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
    count_ = static_cast<int>(texts_.size());
  }
  int* count() { return &count_; }
  char** values() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
  int count_ = 0;
};

/// The names of the library's flags, with the leading --.
std::span<const std::string_view> library_flag_names();

/// Whether error messages may be coloured: --benchmark_color, where it says auto a terminal.
bool use_color(const library_flags& flags);

/// What the library appends to the name of a row that is timed by hand.
inline constexpr std::string_view kNameSuffix = "/manual_time";

/// Which rows --benchmark_filter selects: an extended regular expression found anywhere in the
/// name, negated by a leading minus; "" and "all" select all. The name is the one that tables show;
/// what the library appends may follow in a match that begins before it.
class filter_matcher {
 public:
  /// @throws usage_error if `filter` is no regular expression, or too long or too deep for one.
  explicit filter_matcher(std::string_view filter);

  /// @param name without what the library appends
  bool matches(const std::string& name) const;

 private:
  std::regex pattern_;
  bool negated_ = false;
};

}  // namespace sectorbench
