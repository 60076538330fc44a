// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sectors/places.hpp"
#include "bench/sectors/warp_view.hpp"

/// @file
/// The flags of `sectors`. All are spelled --name or --name=value.

namespace sectorbench::sectors {

enum class output_form { kText, kJson, kSvg };

/// What one access moves: an element type of the benchmark, or the f32x8 of compute capability 10.
struct access_type {
  std::string_view name = "f32";
  int bytes = 4;
};

/// What one instruction adds to the others.
struct instruction {
  std::string formula;     ///< empty unless there are several
  std::int64_t field = 0;  ///< bytes added to each lane's address
};

/// What the person asked for.
struct command {
  bool help = false;
  output_form form = output_form::kText;
  std::vector<std::string> args;  ///< as they were given; ASCII
  bool is_shared = false;         ///< shared memory in place of global memory
  access_type type;
  std::optional<tensor_view> view;        ///< with --map only
  std::vector<std::string> words;         ///< where the threads go, a sentence each
  std::vector<instruction> instructions;  ///< those of `access`
  warp_access access;                     ///< empty if help is asked for
};

/// Reads the arguments after the program's name and works out every lane's addresses.
/// @throws usage_error on a bad flag or value and on an address before the buffer, with the remedy.
command read_command(std::span<const std::string> args);

}  // namespace sectorbench::sectors
