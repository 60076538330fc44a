// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/transpose_wide.hpp"

using sectorbench::transpose_wide;
SECTORBENCH_PATTERN(transpose_wide<2>, transpose_wide<4>, transpose_wide<8>)
