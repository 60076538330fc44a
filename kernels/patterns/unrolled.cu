// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/unrolled.hpp"

SECTORBENCH_PATTERN(sectorbench::unrolled<2>, sectorbench::unrolled<4>, sectorbench::unrolled<8>)
