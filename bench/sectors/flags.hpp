// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/support/text.hpp"

/// @file
/// What the flags are called and what --help says of them.

namespace sectorbench::sectors {

/// What `find` looks for: the one value that has no flag.
inline constexpr std::string_view kTarget = "find";

/// A flag's values by its name: one, or as many as --formula was given.
using given_flags = std::map<std::string_view, std::vector<std::string>>;

/// The flags among `args`. A flag without a value has "".
/// @throws usage_error on what is no flag, a missing value, one too many, a flag given twice, and
/// one that goes without `find`, or only with it.
given_flags read_flags(std::span<const std::string> args);

/// What `read` makes of a flag's value; an error gets the flag in front.
template <typename Read>
auto read_value(std::string_view name, const std::string& value, Read read) {
  try {
    return read(value);
  } catch (const usage_error& error) {
    throw usage_error(std::string(name) + "=" + value + ": " + error.what());
  }
}

/// The same of a flag that was given once.
template <typename Read>
auto read_flag(const given_flags& given, std::string_view name, Read read) {
  return read_value(name, given.at(name).front(), read);
}

/// What --help prints.
std::string help_text();

}  // namespace sectorbench::sectors
