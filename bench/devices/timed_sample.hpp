// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace sectorbench {

/// One timed sample.
struct timed_sample {
  double elapsed_s = 0;  ///< of all its launches
  bool blocked = false;  ///< the device's queue was held until all were queued
  /// Share of the time that other work took from the launches; none where that is not seen.
  std::optional<double> disturbed{};
};

}  // namespace sectorbench
