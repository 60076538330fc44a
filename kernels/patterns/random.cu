// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/random.hpp"

SECTORBENCH_PATTERN(sectorbench::random)
