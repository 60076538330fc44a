// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/shuffle.hpp"

SECTORBENCH_PATTERN(sectorbench::shuffle<1>, sectorbench::shuffle<2>)
