// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Lists of numbers as flags and drawings spell them: "0-7,16", "0-124:4".

namespace sectorbench::sectors {

/// The whole number that `text` is, with a minus in front or without.
/// @throws usage_error if it is none, or does not fit in 64 bits.
std::int64_t read_whole(std::string_view text);

/// The numbers of a list: numbers of at least 0 and ranges first-last or first-last:step, with
/// commas between them; first and last are included, the last if the steps reach it.
/// @throws usage_error on anything else, and on more than `limit` numbers.
std::vector<std::int64_t> read_numbers(std::string_view text, std::size_t limit);

/// The numbers as such a list, with ranges where three or more follow each other by one step.
std::string list_text(std::span<const std::int64_t> numbers);

/// "1 line", "2 lines".
std::string counted(std::uint64_t count, std::string_view what);

/// The lanes of a mask, bit i for lane i, as such a list: "0-7,16".
std::string lanes_text(std::uint32_t lanes);

/// The lanes of a mask, in order.
std::vector<std::int64_t> lanes_of(std::uint32_t lanes);

}  // namespace sectorbench::sectors
