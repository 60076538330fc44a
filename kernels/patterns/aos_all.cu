// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/aos_all.hpp"

SECTORBENCH_PATTERN(sectorbench::aos_all<2>, sectorbench::aos_all<3>, sectorbench::aos_all<4>,
                    sectorbench::aos_all<12>)
