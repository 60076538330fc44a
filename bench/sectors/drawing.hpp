// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bench/sectors/bank_view.hpp"
#include "bench/sectors/command_line.hpp"
#include "bench/sectors/find.hpp"
#include "bench/sectors/warp_view.hpp"

/// @file
/// The answer in the three forms that it has.

namespace sectorbench::sectors {

/// How large a launch is, what it costs on average, and how that was counted.
std::string launch_words(const command& asked, const launch_view& launch);

/// As a drawing for a terminal of 80 columns, in ASCII; `colour` adds escape sequences.
std::string text_drawing(const command& asked, const warp_view& view, bool colour);
std::string text_drawing(const command& asked, const bank_view& view, bool colour);

/// What was found, a command to run below each. @pre asked.find
std::string text_list(const command& asked, const find_result& result);

/// As one JSON object and a line end.
std::string json_text(const command& asked, const warp_view& view);
std::string json_text(const command& asked, const bank_view& view);
std::string json_text(const command& asked, const find_result& result);

/// As a self-contained SVG document.
std::string svg_drawing(const command& asked, const warp_view& view);
std::string svg_drawing(const command& asked, const bank_view& view);

}  // namespace sectorbench::sectors
