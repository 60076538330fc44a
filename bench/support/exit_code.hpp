// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sectorbench {

/// What the process says when it ends.
enum class exit_code {
  kOk = 0,              ///< every row was measured, or skipped for a stated reason
  kFailed = 1,          ///< a row failed or a check failed
  kUsage = 2,           ///< a bad flag, value, regular expression or file name
  kNothingMatched = 3,  ///< no row matched the filter
  kDevice = 4,          ///< the device asked for is not there or broken
  kInterrupted = 130,   ///< SIGINT or SIGTERM: finished rows were kept
};

}  // namespace sectorbench
