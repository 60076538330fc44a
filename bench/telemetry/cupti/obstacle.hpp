// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace sectorbench {

/// Why nothing can be had from CUPTI here.
enum class cupti_obstacle {
  kNotBuilt,       ///< the toolkit of the build had no headers of the range profiler
  kMissing,        ///< no library was found
  kTooOld,         ///< the library lacks what is needed
  kPermission,     ///< the administrator does not allow it
  kOtherProfiler,  ///< a profiler is attached already
  kUnsupported,    ///< the library says that the device or its virtualisation does not support it
  kUnknownChip,    ///< the library does not know the GPU's chip
  kFailed,         ///< anything else
};

/// The obstacle as the context spells it: "permission", "other_profiler", ...
std::string_view name_of(cupti_obstacle obstacle);

/// CUPTI cannot be used: what() is one line with the reason and, if there is one, the remedy.
class cupti_unavailable : public std::runtime_error {
 public:
  cupti_unavailable(cupti_obstacle obstacle, const std::string& reason)
      : std::runtime_error(reason), obstacle_(obstacle) {}
  cupti_obstacle obstacle() const noexcept { return obstacle_; }

 private:
  cupti_obstacle obstacle_;
};

/// What a build without CUPTI's headers says.
cupti_unavailable cupti_not_built();

}  // namespace sectorbench
