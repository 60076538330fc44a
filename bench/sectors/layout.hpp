// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "bench/sectors/places.hpp"
#include "bench/sectors/sources.hpp"
#include "bench/sectors/warp_view.hpp"

/// @file
/// Where every warp of a launch goes.

namespace sectorbench::sectors {

/// The accesses of all warps: an instruction for each source and field.
struct layout {
  std::uint32_t width_bytes = 4;
  std::int64_t offset = 0;                  ///< bytes added to every address
  std::vector<std::int64_t> fields{0};      ///< bytes added by each instruction of a source
  std::uint32_t lanes = ~std::uint32_t{0};  ///< active ones, of those that have a thread
  std::vector<source> sources;
  launch_shape shape;
};

/// The lanes of a warp that have a thread and a place; the same in every block.
std::uint32_t possible_lanes(const layout& of, std::int64_t warp);

/// The accesses of one warp of a block.
/// @throws usage_error on an address before the buffer, with the remedy, and on a formula without a
/// value.
warp_access place_warp(const layout& of, const block_place& block, std::int64_t warp);

}  // namespace sectorbench::sectors
