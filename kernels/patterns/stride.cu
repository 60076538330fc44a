// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/stride.hpp"

SECTORBENCH_PATTERN(sectorbench::stride)
