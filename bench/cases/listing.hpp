// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "bench/cases/suite.hpp"

namespace sectorbench {

/// Rows for people, by pattern in the order in which each first comes, in lines of at most 100
/// columns where names allow it:
///
///     chunk: each thread walks a run of consecutive elements
///       thread t, step j: element t chunk + j
///         chunk/copy/f32/chunk:32
///
///     1 row of 1 pattern
std::string listing_of(std::span<const suite_row> rows);

}  // namespace sectorbench
