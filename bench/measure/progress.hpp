// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/options/options.hpp"

namespace sectorbench {

/// "row 3 of 30, about 1:05 left"; without the time where nobody knows it.
std::string progress_text(std::size_t row, std::size_t rows, std::optional<double> left_s);

/// Whether progress is to be shown on standard error. @param console whether the run prints a table
bool shows_progress(progress_mode mode, bool console, bool terminal);

/// One line that says how far a run has come, and that is gone before anything else is printed.
///
/// Half of what a row takes is taken to be as its bytes are, half to be the same for all.
///
///     progress_line progress(bytes_of_rows, to_standard_error);
///     progress.show(0);  // as often as row 0 is entered: the library does so several times
///     progress.erase();  // each time it is left
class progress_line {
 public:
  using writer = std::function<void(std::string_view)>;
  using clock = std::function<double()>;  ///< seconds from any beginning

  /// @param bytes of a launch of each row
  progress_line(const std::vector<double>& bytes, writer output, clock now = steady_s);

  /// Writes the line of row `row`, counted from 0, in place of any other.
  void show(std::size_t row);
  /// Leaves an empty line and the cursor at its beginning.
  void erase();

  /// Seconds of the steady clock.
  static double steady_s();

 private:
  std::optional<double> left_s(double now_s) const;

  std::vector<double> work_;  ///< of each row, 1 on average
  writer write_;
  clock now_;
  std::set<std::size_t> begun_;
  double begun_work_ = 0;
  std::size_t latest_ = 0;
  double start_s_ = 0, row_start_s_ = 0;
  bool mixed_ = false;  ///< rows take turns, so that none of them is over
  std::size_t shown_ = 0;
};

}  // namespace sectorbench
