// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "bench/support/output_file.hpp"

namespace sectorbench {

/// One row of --json_lines.
struct json_line {
  std::string pattern;
  std::optional<std::int64_t> stride;
  std::optional<std::int64_t> chunk;
  double ms = 0;    ///< of one launch
  double gbps = 0;  ///< useful bytes, 1e9 of them a second
  std::int64_t bytes = 0;
};

/// `line` as one strict JSON object, without the line's end.
/// @throws std::domain_error if a number is not finite, which JSON cannot say.
std::string to_json(const json_line& line);

/// The file of --json_lines: appears whole when committed.
class json_lines_file {
 public:
  /// @throws usage_error if the file cannot be written.
  explicit json_lines_file(const std::string& path);

  /// Appends one object. @throws std::domain_error as to_json().
  void add(const json_line& line);

  /// Puts the file in its place. @throws std::runtime_error if it could not be written.
  void commit();

 private:
  output_file file_;
  std::ofstream stream_;
};

}  // namespace sectorbench
