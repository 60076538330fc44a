// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/instantiate.hpp"
#include "sectorbench/patterns/soa.hpp"

SECTORBENCH_PATTERN(sectorbench::soa<2>, sectorbench::soa<3>, sectorbench::soa<4>,
                    sectorbench::soa<12>)
