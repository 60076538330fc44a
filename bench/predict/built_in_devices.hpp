// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace sectorbench {

/// A file of bench/devices, as it was when the program was built.
struct built_in_device {
  std::string_view key;  ///< its name without extension
  std::string_view text;
};

/// All of them, by key. cmake/write_devices.cmake writes the source.
std::span<const built_in_device> built_in_devices();

}  // namespace sectorbench
