// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/pitch.hpp"

SECTORBENCH_PATTERN(sectorbench::pitched<false>, sectorbench::pitched<true>)
