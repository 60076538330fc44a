// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sectorbench/execution/instantiate.hpp"

/// @file
/// An access pattern of your own. `sectorbench/pattern/pattern.hpp` says what its header holds; one
/// line in a `.cu` file registers it:
///
///     const sectorbench::pattern_registration<mine::swapped> registration;
///
/// Proof, CPU and GPU runs, prediction, counters, reports and gate follow. In a `.cpp` file it has
/// no GPU kernels.

namespace sectorbench {

/// Registers a pattern, or the forms of one pattern that differ in fixed values, before main
/// begins. Of two registrations of one name neither is measured: their row fails and names both
/// places.
template <access_pattern... Ps>
class pattern_registration {
 public:
  explicit pattern_registration(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    detail::register_all<Ps...>(std::string(file) + ":" + std::to_string(line));
  }
};

}  // namespace sectorbench
