// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "sectorbench/pattern/pattern.hpp"

/// @file
/// The elements of one side of a launch as a formula, for models that do not walk the launch.

namespace sectorbench {

/// Thread r accesses element first + entry(r mod length) + delta * (r / length).
///
/// A dense side is {.length = 1, .delta = 1}; one that begins anew after m elements {.length = m}.
struct repeated_places {
  const index_entry* entries = nullptr;  ///< `length` of them; null: entry(j) = j
  index_t length = 1;
  index_t delta = 0;
  index_t first = 0;

  constexpr index_t entry(index_t j) const {
    return first + (entries == nullptr ? j : index_t{entries[j]});
  }
  constexpr index_t of(index_t rank) const {
    return entry(rank % length) + delta * (rank / length);
  }

  /// Blocks of `threads` threads after which requests of elements of `width` bytes repeat, whole
  /// lines of 128 bytes further on; `most` if those are more.
  constexpr index_t repeats_after(index_t threads, int width, index_t most) const {
    constexpr index_t kLine = 128;
    const index_t repetitions = threads / std::gcd(threads, length);  // in one period of both
    const index_t shift = repetitions * (delta % kLine) % kLine * width % kLine;
    const index_t times = kLine / std::gcd(kLine, shift);
    const index_t blocks = length / std::gcd(threads, length);
    return blocks > most / times ? most : blocks * times;
  }
};

}  // namespace sectorbench
