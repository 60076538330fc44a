// SPDX-License-Identifier: Apache-2.0
#include "bench/support/format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace sectorbench {
namespace {

template <typename... Format>
std::string to_text(double value, Format... format) {
  std::array<char, 512> buffer;  // DBL_MAX in fixed notation has 309 digits before the point
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...);
  return error == std::errc{} ? std::string(buffer.data(), end) : "-";
}

}  // namespace

std::string format_fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  return to_text(value, std::chars_format::fixed, decimals);
}

std::string format_exact(double value) {
  // The shortest form of 500000 is 5e+05, which is right and looks rounded.
  const bool is_whole = std::abs(value) < 1e15 && value == std::trunc(value);
  return is_whole ? to_text(value, std::chars_format::fixed, 0) : to_text(value);
}

std::string format_significant(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  // Rounding first: 9.9996 has to count as 10.00, not as 10.000.
  const std::string rounded = to_text(std::abs(value), std::chars_format::scientific, digits - 1);
  int exponent = 0;
  const std::size_t mark = rounded.find('e');
  const std::size_t sign = rounded[mark + 1] == '+' ? 2 : 1;
  std::from_chars(rounded.data() + mark + sign, rounded.data() + rounded.size(), exponent);
  return format_fixed(value, std::max(0, digits - 1 - exponent));
}

std::string format_time(double seconds, int digits) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds == 0) return "0 s";
  constexpr std::array<std::pair<double, std::string_view>, 4> kUnits{
      {{1, " s"}, {1e-3, " ms"}, {1e-6, " us"}, {1e-9, " ns"}}};
  for (const auto& [unit_s, name] : kUnits)
    // 0.99995 of a unit is the smallest that still rounds to 1.000 of it.
    if (std::abs(seconds) >= (1 - 0.5 * std::pow(10, -digits)) * unit_s ||
        unit_s == kUnits.back().first)
      return format_significant(seconds / unit_s, digits).append(name);
  return "-";
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<std::pair<int, std::string_view>, 4> kUnits{
      {{40, " TiB"}, {30, " GiB"}, {20, " MiB"}, {10, " KiB"}}};
  for (const auto& [shift, name] : kUnits) {
    const std::int64_t unit = std::int64_t{1} << shift;
    if (bytes < unit) continue;
    if (bytes % unit == 0) return std::to_string(bytes / unit).append(name);
    return format_fixed(static_cast<double>(bytes) / static_cast<double>(unit), 1).append(name);
  }
  return std::to_string(bytes) + " B";
}

std::string format_percent(double fraction, int decimals) {
  const std::string number = format_fixed(100 * fraction, decimals);
  return number == "-" ? number : number + " %";
}

}  // namespace sectorbench
