// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace sectorbench {

/// Once set, passes over a launch on the CPU end early (proof, verification, totals, profile), and
/// what they return is not to be used. A signal handler may set it.
inline std::atomic<bool> stop_passes{false};

}  // namespace sectorbench
