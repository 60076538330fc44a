// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sectorbench {

/// A kind of file that a flag names, as error messages put it.
struct input_kind {
  std::string_view flag;    ///< "--suite"
  std::string_view what;    ///< "list of rows"
  std::string_view remedy;  ///< "give a file with ..."
  std::size_t max_bytes;
};

/// All of a file, which may be a pipe. @throws usage_error if it cannot be read or is too large
std::string read_input_file(const std::string& path, const input_kind& kind);

}  // namespace sectorbench
