// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// @file
/// Another process, run to its end.

namespace sectorbench {

/// The standard output of the program at the path args[0], run with `args` as they are, as no shell
/// reads them; empty if it cannot be started. Its standard error is dropped. @pre args is not empty
std::string output_of_program(std::vector<std::string> args);

}  // namespace sectorbench
