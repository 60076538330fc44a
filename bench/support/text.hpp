// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Text as messages, labels and tables need it, and the error of a bad command line.

namespace sectorbench {

/// A mistake of the person at the command line: what() is one line, the exit code is 2.
class usage_error : public std::runtime_error {
 public:
  explicit usage_error(std::string_view message);
};

/// `text` with every control character replaced by a question mark, so that it stays one line.
std::string one_line(std::string_view text);

/// `text` without its middle where it is longer than a message may be: a value can be a megabyte.
std::string shortened(std::string text);

/// Whether `text` is UTF-8, the only encoding that JSON may have.
bool is_utf8(std::string_view text);

/// `text` as printable ASCII without quotes and backslashes: safe as a label or context value in
/// every version of the library, whose JSON writers escape little.
std::string sanitize(std::string_view text);

/// The parts of `text` between separators; "" has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The parts joined by `separator`.
std::string join(std::span<const std::string_view> parts, std::string_view separator);

/// `text` broken at spaces into lines of at most `width` characters; a longer word keeps a line of
/// its own. @pre width > 0.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Lines of cells under a heading. A first column that does not fit beside the others in 120
/// columns stands above them instead, once for all lines that it begins.
std::string aligned(const std::vector<std::vector<std::string>>& lines,
                    const std::vector<bool>& left);

/// The candidate that `word` is most likely a slip of the pen for, or "" if none is near.
std::string_view near_match(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace sectorbench
