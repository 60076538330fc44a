// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/broadcast.hpp"

SECTORBENCH_PATTERN(sectorbench::broadcast<2>, sectorbench::broadcast<8>,
                    sectorbench::broadcast<32>)
