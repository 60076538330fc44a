// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sectorbench {

/// One record of comma-separated values, and the line of the text on which it begins, from 1 on.
struct csv_record {
  std::vector<std::string> fields;
  std::size_t line = 1;
  bool closed = true;  ///< false: the text ends within quotes
};

/// The records of a text as RFC 4180 has them: a field in quotes may hold separators, line ends
/// and, doubled, quotes. An empty line is a record of one empty field. Lines may end in LF or CR
/// LF.
std::vector<csv_record> read_csv(std::string_view text, char separator = ',');

}  // namespace sectorbench
