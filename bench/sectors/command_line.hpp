// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/sectors/places.hpp"
#include "bench/sectors/warp_view.hpp"
#include "sectorbench/pattern/element.hpp"

/// @file
/// The flags of `sectors`. All are spelled --name or --name=value; the last one given counts.

namespace sectorbench::sectors {

enum class output_form { kText, kJson, kSvg };

/// What the person asked for.
struct command {
  bool help = false;
  output_form form = output_form::kText;
  std::vector<std::string> args;  ///< as they were given; ASCII
  element_type type = element_type::kF32;
  std::vector<std::int64_t> fields;  ///< bytes added to each lane's address, one an instruction
  std::optional<tensor_view> view;   ///< with --map only
  std::vector<std::string> words;    ///< where the threads go, a sentence each
  warp_access access;                ///< empty if help is asked for
};

/// Reads the arguments after the program's name and works out every lane's addresses.
/// @throws usage_error on a bad flag or value and on an address before the buffer, with the remedy.
command read_command(std::span<const std::string> args);

}  // namespace sectorbench::sectors
