// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace sectorbench {

/// What is known of a figure: it lies in [low, high]. @pre 0 <= low <= high
struct interval {
  double low = 0, high = 0;

  constexpr interval() = default;
  /// What is known exactly.
  constexpr interval(double value) : low(value), high(value) {}
  constexpr interval(double least, double most) : low(least), high(most) {}

  static constexpr interval exactly(double value) { return {value, value}; }
  constexpr bool exact() const { return low == high; }
  constexpr double middle() const { return (low + high) / 2; }
  constexpr bool contains(double value) const { return low <= value && value <= high; }
  /// high / low; 1 where both are 0, and as good as infinite where only low is.
  constexpr double spread() const { return high == low ? 1.0 : low > 0 ? high / low : 1e300; }

  constexpr interval& operator+=(const interval& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  constexpr interval& operator*=(double factor) {
    low *= factor;
    high *= factor;
    return *this;
  }
  constexpr interval& operator*=(const interval& factor) {
    low *= factor.low;
    high *= factor.high;
    return *this;
  }
  friend constexpr interval operator+(interval a, const interval& b) { return a += b; }
  friend constexpr interval operator*(interval a, double factor) { return a *= factor; }
  friend constexpr interval operator*(interval a, const interval& factor) { return a *= factor; }
  friend constexpr bool operator==(const interval&, const interval&) = default;
};

/// The larger of two, whichever it is.
constexpr interval larger(const interval& a, const interval& b) {
  return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

/// The smallest interval that holds both.
constexpr interval around(const interval& a, const interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace sectorbench
