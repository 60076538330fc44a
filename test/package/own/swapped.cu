// SPDX-License-Identifier: Apache-2.0
#include <sectorbench/benchmark/pattern.hpp>

#include "swapped.hpp"

const sectorbench::pattern_registration<own::swapped> registration;
#ifdef OWN_REGISTERS_TWICE
const sectorbench::pattern_registration<own::swapped> again;
#endif
