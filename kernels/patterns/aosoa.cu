// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/aosoa.hpp"

SECTORBENCH_PATTERN(sectorbench::aosoa<2>, sectorbench::aosoa<3>, sectorbench::aosoa<4>,
                    sectorbench::aosoa<12>)
