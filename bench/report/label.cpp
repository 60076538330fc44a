// SPDX-License-Identifier: Apache-2.0
#include "bench/report/label.hpp"

#include <algorithm>
#include <cassert>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

bool is_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool fits_value(char c) {
  return c >= ' ' && c <= '~' && std::string_view(";=\"`\\").find(c) == std::string_view::npos;
}

}  // namespace

void row_label::add(std::string_view key, std::string_view value) {
  assert(is_key(key) && !this->value(key));
  std::string safe(value.empty() ? "1" : value);
  std::ranges::replace_if(
      safe, [](char c) { return !fits_value(c); }, '_');
  entries_.emplace_back(key, std::move(safe));
}

std::string row_label::text() const {
  std::string text;
  for (const auto& [key, value] : entries_) text += (text.empty() ? "" : ";") + key + "=" + value;
  return text;
}

std::optional<std::string> row_label::value(std::string_view key) const {
  for (const auto& [known, value] : entries_)
    if (known == key) return value;
  return std::nullopt;
}

std::optional<row_label> row_label::parse(std::string_view text) {
  row_label label;
  if (text.empty()) return label;
  for (const std::string_view part : split(text, ';')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view key = part.substr(0, equals);
    const std::string_view value = part.substr(equals + 1);
    if (!is_key(key) || label.value(key) || value.empty() ||
        !std::ranges::all_of(value, fits_value))
      return std::nullopt;
    label.add(key, value);
  }
  return label;
}

}  // namespace sectorbench
