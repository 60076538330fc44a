// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "sectorbench/pattern/launch.hpp"

namespace sectorbench {

/// The most threads of a block that GPUs take.
inline constexpr unsigned kMaxBlockThreads = 1024;

/// A block as flags and names say it: "256", or "32x8" where it has rows.
std::string block_text(block_size block);

/// What a block is, as errors say it.
inline constexpr std::string_view kBlockRule =
    "a block is X, XxY or XxYxZ threads, at most 1024 and 64 in z";

/// The threads in x, y and z of "256", "32x8" or "4x4x6"; nothing if a GPU takes no such block.
std::optional<std::array<unsigned, 3>> block_sizes_named(std::string_view text);

/// The same for patterns, which have two dimensions: z counts as more rows, which makes the same
/// warps, so that "4x4x6" is 4x24.
std::optional<block_size> block_named(std::string_view text);

}  // namespace sectorbench
