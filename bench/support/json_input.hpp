// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace sectorbench {

/// JSON that people write or other programs leave behind.
/// @param deepest how many lists and objects may lie in each other: the library shows and copies
/// values by recursion, which deeper ones would end
/// @throws bad_value where it is no JSON (saying so where it is cut off), is nested
/// deeper, has a number that is not finite, a text with a NUL or a key twice; what() is
/// "path.of.key: what is wrong"
nlohmann::json read_json(std::string_view text, std::size_t deepest);

}  // namespace sectorbench
