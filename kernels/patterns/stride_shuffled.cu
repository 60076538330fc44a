// SPDX-License-Identifier: Apache-2.0
#include "kernels/instantiate.hpp"
#include "sectorbench/patterns/stride_shuffled.hpp"

SECTORBENCH_PATTERN(sectorbench::stride_shuffled)
