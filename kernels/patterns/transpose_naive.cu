// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/transpose_naive.hpp"

SECTORBENCH_PATTERN(sectorbench::transpose_naive<true>, sectorbench::transpose_naive<false>)
