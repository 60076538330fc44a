// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "sectorbench/model/sector_model.hpp"

/// @file
/// The bank model of one warp request on shared memory: how many wavefronts it takes.
///
/// Shared memory has 32 banks of 4 bytes. One wavefront serves each bank once; lanes that ask for
/// the same 4 bytes share it. 8-byte accesses go by halves of a warp, 16-byte accesses by quarters.
///
///     std::array<std::uint64_t, 32> column;                        // of a tile of 32 x 32 floats
///     for (unsigned i = 0; i < 32; ++i) column[i] = 128 * i;
///     sectorbench::count_wavefronts(column, 4).wavefronts;         // 32
///     sectorbench::count_wavefronts(column, 4).conflicts();        // 31
///
/// Source: CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later.

namespace sectorbench {

inline constexpr int kBanks = 32;
inline constexpr int kBankBytes = 4;

/// What a request on shared memory costs; all zero if no lane is active.
struct wavefront_count {
  int requests = 0;    ///< 1, or 0
  int wavefronts = 0;  ///< passes over the banks
  int least = 0;       ///< the same without conflicts: one for each part of the warp with a lane

  constexpr int conflicts() const { return wavefronts - least; }
  friend constexpr bool operator==(const wavefront_count&, const wavefront_count&) = default;
};

/// How many lanes a pass serves at most: 32, or 16 and 8 of 8- and 16-byte accesses. @pre as below
constexpr int lanes_at_once(int width) { return kWarpLanes / std::max(1, width / kBankBytes); }

/// Counts the request of a warp whose lane i accesses `width` bytes of shared memory at
/// addresses[i] if bit i of `active` is set.
/// @pre width is 1, 2, 4, 8 or 16; addresses are multiples of it; at most 32 lanes
constexpr wavefront_count count_wavefronts(std::span<const std::uint64_t> addresses, int width,
                                           std::uint32_t active = ~std::uint32_t{0}) {
  const int words = std::max(1, width / kBankBytes);
  const auto at_once = static_cast<std::size_t>(lanes_at_once(width));
  wavefront_count count;
  for (std::size_t first = 0; first < addresses.size(); first += at_once) {
    std::array<std::array<std::uint64_t, kWarpLanes>, kBanks> asked{};  // distinct words by bank
    std::array<int, kBanks> used{};
    for (std::size_t lane = first; lane < std::min(first + at_once, addresses.size()); ++lane) {
      if ((active >> lane & 1U) == 0) continue;
      for (int k = 0; k < words; ++k) {
        const std::uint64_t word = addresses[lane] / kBankBytes + static_cast<std::uint64_t>(k);
        const auto bank = static_cast<std::size_t>(word % kBanks);
        const auto known = asked[bank].begin() + used[bank];
        if (std::find(asked[bank].begin(), known, word) == known)
          asked[bank][static_cast<std::size_t>(used[bank]++)] = word;
      }
    }
    const int worst = *std::max_element(used.begin(), used.end());
    count.wavefronts += worst;
    count.least += worst > 0 ? 1 : 0;
  }
  count.requests = count.wavefronts > 0 ? 1 : 0;
  return count;
}

}  // namespace sectorbench
