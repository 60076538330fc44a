// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

/// @file
/// Numbers as text: always with a point, never grouped, whatever the locale.

namespace sectorbench {

/// `value` with exactly `decimals` digits after the point, or "-" if it is not finite.
std::string format_fixed(double value, int decimals);

/// `value` in the fewest digits that read back as the same number. @pre value is finite.
std::string format_exact(double value);

/// `value` rounded to so many significant digits, never in exponent form: 0.1234, 12.34, 12345.
std::string format_significant(double value, int digits = 4);

/// `seconds` in the unit that suits it: "198.4 us", "1.234 ms", "0.5 ns", "0 s".
std::string format_time(double seconds, int digits = 4);

/// `bytes` in binary units: "256 MiB", "1.5 KiB", "12 B".
std::string format_bytes(std::int64_t bytes);

/// `fraction` as a percentage of at most four digits: "87 %" with 0 `decimals`.
std::string format_percent(double fraction, int decimals);

}  // namespace sectorbench
