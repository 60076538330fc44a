// SPDX-License-Identifier: Apache-2.0
#include "bench/counters.hpp"

#include <algorithm>

#include "bench/text.hpp"

namespace sectorbench {

std::vector<std::string> table_metrics() {
  std::vector<std::string> metrics;
  for (const counter_spec& counter : kCounters)
    if (!counter.metric.empty()) metrics.emplace_back(counter.metric);
  return metrics;
}

bool is_table_metric(std::string_view metric) {
  if (metric.empty()) return false;
  return std::ranges::any_of(kCounters, [&](const counter_spec& counter) {
    return std::ranges::count(split(counter.metric, '|'), metric) > 0;
  });
}

}  // namespace sectorbench
