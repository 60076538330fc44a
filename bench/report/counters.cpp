// SPDX-License-Identifier: Apache-2.0
#include "bench/report/counters.hpp"

#include <algorithm>
#include <stdexcept>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

const counter_spec* find_counter(std::string_view key) {
  const auto found = std::ranges::find(kCounters, key, &counter_spec::key);
  return found == kCounters.end() ? nullptr : &*found;
}

}  // namespace

std::optional<double> metric_of(const metric_values& metrics, std::string_view key) {
  for (const std::string_view name : split(find_counter(key)->metric, '|'))
    if (const auto found = metrics.find(name); found != metrics.end()) return found->second;
  return std::nullopt;
}

void counter_values::set(std::string_view key, double value) {
  if (find_counter(key) == nullptr || !values_.emplace(key, value).second)
    throw std::logic_error("counter " + std::string(key) + " is unknown or was set before");
}

std::vector<std::string_view> counter_values::missing(counter_set set) const {
  std::vector<std::string_view> keys;
  for (const counter_spec& counter : kCounters)
    if (counter.set == set && !values_.contains(counter.key)) keys.push_back(counter.key);
  return keys;
}

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
