// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

/// @file
/// The error of a value that a person gave, before anybody has said where it stands.

namespace sectorbench {

/// What is wrong with one value, and the remedy. Callers that know its flag, or its file and place,
/// put them in front, and in the end throw a usage_error, which is a finished line and none of
/// these.
class bad_value : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace sectorbench
