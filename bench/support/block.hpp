// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sectorbench/pattern/launch.hpp"

namespace sectorbench {

/// The most threads of a block that GPUs take.
inline constexpr unsigned kMaxBlockThreads = 1024;

/// A block as flags and names say it: "256", or "32x8" where it has rows.
std::string block_text(block_size block);

/// What such a text says, or nothing if it is none or has more threads than a GPU takes.
std::optional<block_size> block_named(std::string_view text);

}  // namespace sectorbench
