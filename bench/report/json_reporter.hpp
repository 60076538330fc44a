// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include <vector>

namespace sectorbench {

/// The library's JSON, kept strict: the library divides the deviation of a counter by its mean, and
/// writes NaN where the counter is 0 in all repetitions. A ratio without a denominator is 0 here.
class json_reporter : public benchmark::JSONReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
};

}  // namespace sectorbench
