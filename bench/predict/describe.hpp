// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sectorbench {

/// What `describe --help` prints.
std::string describe_help();

/// The description of a GPU that is scaled, as a file of bench/predict/profiles, from flags such as
/// --sms=108 --clock=1410MHz --l2=40MiB --peak=1555GB/s. What is not given is as of the GPU that it
/// is scaled from. @throws usage_error for flags that are not known or missing, and for figures
/// that no GPU has
std::string describe(const std::vector<std::string>& flags);

}  // namespace sectorbench
