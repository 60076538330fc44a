// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "bench/support/text.hpp"

/// @file
/// What the flags are called and what --help says of them.

namespace sectorbench::sectors {

/// A flag's value by its name.
using given_flags = std::map<std::string_view, std::string>;

/// The flags among `args`; of one that is given twice, the last. A flag without a value has "".
/// @throws usage_error on what is no flag, a missing value and one too many.
given_flags read_flags(std::span<const std::string> args);

/// What `read` makes of the value of a flag that was given; an error gets the flag in front.
template <typename Read>
auto read_flag(const given_flags& given, std::string_view name, Read read) {
  const std::string& value = given.at(name);
  try {
    return read(value);
  } catch (const usage_error& error) {
    throw usage_error(std::string(name) + "=" + value + ": " + error.what());
  }
}

/// What --help prints.
std::string help_text();

}  // namespace sectorbench::sectors
