// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/grid_loop.hpp"

SECTORBENCH_PATTERN(sectorbench::grid_loop)
