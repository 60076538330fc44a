// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/sectors/command_line.hpp"

/// @file
/// From a count of sectors per request, as profilers show it, back to accesses that cost so much.

namespace sectorbench::sectors {

/// An access of a kind that kernels have.
struct candidate {
  std::string cause, repair;
  std::vector<std::string> args;  ///< of the command that counts it
  double sectors = 0;             ///< a request, the average of its launch
  double error = 0;               ///< of `sectors`, as launch_average has it
};

struct find_result {
  std::vector<candidate> found;  ///< within the tolerance, simplest first; perhaps none
  candidate nearest;             ///< of all that were tried
  std::size_t tried = 0;
};

/// Tries strides, rows, columns, views and tables, each by running its command.
/// @throws usage_error if the block or grid is not one that a launch can have.
find_result find_causes(const find_query& query);

/// What to say where nothing was found, and what would find the nearest.
std::string nothing_found(const find_query& query, const find_result& result);

}  // namespace sectorbench::sectors
