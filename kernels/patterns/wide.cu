// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/wide.hpp"

using sectorbench::wide;
SECTORBENCH_PATTERN(wide<1>, wide<2>, wide<4>, wide<8>, wide<16>)
