// SPDX-License-Identifier: Apache-2.0
#include "bench/support/text.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace sectorbench {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return cost[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t differ = a[i - 1] == b[j - 1] ? 0 : 1;
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + differ});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  return at(a.size(), b.size());
}

}  // namespace

usage_error::usage_error(std::string_view message)
    : std::runtime_error(shortened(one_line(message))) {}

std::string shortened(std::string text) {
  constexpr std::size_t kMost = 2000, kEnd = 800;  // what may be instead stands at the end
  if (text.size() <= kMost) return text;
  const auto inside = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  std::size_t from = kMost - kEnd, to = text.size() - kEnd;
  while (from > 0 && inside(from)) --from;
  while (inside(to)) ++to;
  return text.substr(0, from) + "..." + text.substr(to);
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(line.begin(), line.end(), is_control, '?');
  return line;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u;
    };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80                    ? 1
                               : lead >= 0xc2 && lead <= 0xdf ? 2
                               : lead >= 0xe0 && lead <= 0xef ? 3
                               : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                              : 0;
    if (length == 0) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte(k) & 0xc0) != 0x80) return false;
    // Overlong forms, surrogates and what lies beyond U+10FFFF differ in the second byte.
    if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) ||
        (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f))
      return false;
    i += length;
  }
  return true;
}

std::string sanitize(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '`')
      safe += '\'';
    else if (c == '\\')
      safe += '/';
    else if (is_control(c))
      safe += ' ';
    else if (static_cast<unsigned char>(c) > 0x7e)
      safe += '?';
    else
      safe += c;
  }
  return safe;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (line.size() + 1 + word.size() <= width)
      (line += ' ') += word;
    else
      lines.emplace_back(word);
  }
  return lines;
}

std::string aligned(const std::vector<std::vector<std::string>>& lines,
                    const std::vector<bool>& left) {
  std::vector<std::size_t> widths(left.size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  const std::size_t width = std::accumulate(widths.begin(), widths.end(), 2 * (left.size() - 1));
  constexpr std::size_t kLineWidth = 120;
  const bool above = width > kLineWidth;
  std::string text;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    if (above && (n == 0 || lines[n][0] != lines[n - 1][0])) text += lines[n][0] + "\n";
    std::string out = above ? "" : lines[n][0] + std::string(widths[0] - lines[n][0].size(), ' ');
    for (std::size_t i = 1; i < lines[n].size(); ++i) {
      const std::string spaces(widths[i] - lines[n][i].size(), ' ');
      out += "  " + (left[i] ? lines[n][i] + spaces : spaces + lines[n][i]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + "\n";
    if (n == 0) text += std::string(out.size(), '-') + "\n";
  }
  return text;
}

std::string_view near_match(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    // Replacing every letter is no slip.
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace sectorbench
