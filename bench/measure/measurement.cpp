// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/measurement.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace sectorbench {

measurement summarise(const std::vector<timed_sample>& samples, int launches) {
  std::vector<double> times;
  measurement result;
  for (const timed_sample& sample : samples) {
    times.push_back(sample.elapsed_s / launches);
    result.all_blocked = result.all_blocked && sample.blocked;
  }
  double lost_s = 0, all_s = 0;
  for (const timed_sample& sample : samples) {
    if (!sample.disturbed) continue;
    lost_s += *sample.disturbed * sample.elapsed_s;
    all_s += sample.elapsed_s;
  }
  if (all_s > 0) result.disturbed = lost_s / all_s;
  std::ranges::sort(times);
  const std::size_t n = times.size();
  result.samples = static_cast<int>(n);
  result.launches_per_sample = launches;
  result.min_s = times.front();
  const std::size_t quarter = (n + 3) / 4;
  result.trimmed_min_s =
      std::accumulate(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(quarter), 0.0) /
      static_cast<double>(quarter);
  result.median_s = (times[(n - 1) / 2] + times[n / 2]) / 2;
  result.mean_s = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(n);
  if (n > 1) {
    double squares = 0;
    for (const double time : times) squares += (time - result.mean_s) * (time - result.mean_s);
    result.cv = std::sqrt(squares / static_cast<double>(n - 1)) / result.mean_s;
  }
  return result;
}

}  // namespace sectorbench
