// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/report/library.hpp"

namespace sectorbench {

/// Rows as comma-separated values (RFC 4180), in the same columns whatever comes first.
///
/// The library's own CSV takes its columns from the first row, and ends the process where a later
/// row has a counter more: an error row in front is enough.
class csv_reporter : public benchmark::BenchmarkReporter {
 public:
  /// @param counters the keys that become columns, in this order; a row without one has an empty
  /// field there.
  explicit csv_reporter(std::vector<std::string> counters);

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  /// @throws std::runtime_error if not all could be written, which the library does not notice
  void Finalize() override;

 private:
  std::vector<std::string> counters_;
};

}  // namespace sectorbench
