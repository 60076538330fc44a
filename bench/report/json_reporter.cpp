// SPDX-License-Identifier: Apache-2.0
#include "bench/report/json_reporter.hpp"

#include <cmath>

namespace sectorbench {

void json_reporter::ReportRuns(const std::vector<Run>& runs) {
  std::vector<Run> finite = runs;
  for (Run& run : finite)
    for (auto& [key, counter] : run.counters)
      if (!std::isfinite(counter.value)) counter.value = 0;
  JSONReporter::ReportRuns(finite);
}

}  // namespace sectorbench
