// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sectorbench/pattern/element.hpp"
#include "sectorbench/pattern/launch.hpp"
#include "sectorbench/pattern/portability.hpp"

/// @file
/// Contents of buffers: what an input holds, what `write` stores, what `read` folds together.
///
/// Each is a pure function of position and seed, so that a check needs no second copy of the data,
/// on the CPU and on the GPU. Inputs are incompressible: memory that holds zeros or ramps can be
/// faster than memory that holds data.

namespace sectorbench {

/// The finaliser of splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014) over a counter: 64 bits that look random.
SECTORBENCH_HD constexpr std::uint64_t scrambled_word(std::uint64_t index, std::uint64_t seed) {
  std::uint64_t z = (index + 1) * 0x9e3779b97f4a7c15ULL + seed * 0xd1342543de82ef95ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// Word `index` (8 bytes) of an input filled with `seed`. The highest exponent bit of each half,
/// single and double in it is clear: all are finite, so that sums of them are the same bits
/// everywhere.
SECTORBENCH_HD constexpr std::uint64_t fill_word(std::uint64_t index, std::uint64_t seed) {
  return scrambled_word(index, seed) & 0xbfffbfffbfffbfffULL;
}

/// The element of type T that an input filled with `seed` holds at `byte` (little endian).
/// @pre byte is a multiple of sizeof(T)
template <class T>
SECTORBENCH_HD constexpr T filled(std::uint64_t byte, std::uint64_t seed) {
  const std::uint64_t low = fill_word(byte / 8, seed);
  if constexpr (sizeof(T) == 16) {
    const std::uint64_t high = fill_word(byte / 8 + 1, seed);
    return {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
            static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32)};
  } else {
    return static_cast<T>(low >> (byte % 8 * 8));
  }
}

/// The element of type T that the operation `write` stores at `index`: one multiplication, so that
/// making the value does not become what is measured.
template <class T>
SECTORBENCH_HD constexpr T made(index_t index, std::uint64_t seed) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<std::uint64_t>(index) * 0x9e3779b97f4a7c15ULL + seed;
  } else {
    const std::uint32_t mixed =
        static_cast<std::uint32_t>(index) * 2654435761U + static_cast<std::uint32_t>(seed);
    if constexpr (sizeof(T) == 16) {
      return {mixed, mixed ^ 0x55555555U, mixed + 0x9e3779b9U, ~mixed};
    } else {
      return static_cast<T>(mixed >> (32 - 8 * sizeof(T)));
    }
  }
}

/// Folds `value` into the checksum that the operation `read` keeps for each thread. For a fixed sum
/// it is one to one in `value`, so that a single wrong element never passes.
template <class T>
SECTORBENCH_HD constexpr T folded(T sum, T value) {
  if constexpr (sizeof(T) == 16) {
    return {sum.x * 31 + value.x, sum.y * 31 + value.y, sum.z * 31 + value.z, sum.w * 31 + value.w};
  } else {
    return static_cast<T>(sum * 31 + value);
  }
}

}  // namespace sectorbench
