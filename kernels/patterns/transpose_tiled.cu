// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/transpose_tiled.hpp"

using enum sectorbench::tile_layout;
using sectorbench::transpose_tile;
SECTORBENCH_PATTERN(transpose_tile<kPlain>, transpose_tile<kPadded>, transpose_tile<kSwizzled>)
