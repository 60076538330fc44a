// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sectorbench {

/// What a row says of itself that numbers cannot: `key=value;key=value`.
///
/// Keys are lower case letters, digits and underscores, and stand once each. Values are printable
/// ASCII without ';', '=', quotes and backslashes; other characters become '_', an empty value 1.
class row_label {
 public:
  /// @pre `key` follows the grammar and was not added before
  void add(std::string_view key, std::string_view value = "1");

  std::string text() const;
  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }
  /// The value of `key`, or none.
  std::optional<std::string> value(std::string_view key) const;

  /// Reads what `text()` writes; none if it is something else. "" is the empty label.
  static std::optional<row_label> parse(std::string_view text);

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace sectorbench
