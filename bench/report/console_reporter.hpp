// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report/library.hpp"

namespace sectorbench {

/// What the table needs to know beyond its rows.
struct console_settings {
  std::vector<std::string> context_lines;        ///< printed first, each wrapped
  std::function<std::string()> summary;          ///< the closing line; may be empty
  bool color = false;                            ///< errors in red
  std::optional<benchmark::TimeUnit> time_unit;  ///< one for all rows, else each its own
  bool limits = false;  ///< a column with what limits each row, as its label says
};

/// The table that a person reads: one row a line, at most 120 columns for names up to 56.
///
///                                                       of       of  sectors/request
///     row                              time    GB/s  stride 1  ceiling    load    store   spread
///     stride/copy/f32/stride:8     1.453 ms   369.4     1/7.1    8.8 %   32.00    32.00   0.06 %
///
/// A repetition ends in #1, #2, ...; the library's aggregates in _mean, _median, _stddev, _cv.
class console_reporter : public benchmark::BenchmarkReporter {
 public:
  explicit console_reporter(console_settings settings);

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  void print_header();
  void print_row(const Run& run);
  void print_message(std::string_view name, std::string_view message, bool is_error);

  console_settings settings_;
  std::size_t name_width_ = 0;
  bool has_header_ = false;
};

}  // namespace sectorbench
