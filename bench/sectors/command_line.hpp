// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sectors/launch_view.hpp"
#include "bench/sectors/layout.hpp"
#include "bench/sectors/places.hpp"
#include "bench/sectors/warp_view.hpp"

/// @file
/// The command line of `sectors`: flags, spelled --name or --name=value, or `find` in front of
/// them.

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

/// What `sectors find` looks for.
struct find_query {
  double target = 0;        ///< sectors a request, the average of the loads
  double tolerance = 0.02;  ///< of the target
  access_type type;
  std::optional<extent> block;
  std::optional<std::int64_t> pitch;  ///< elements from one row of a matrix to the next
  std::optional<std::int64_t> loads;  ///< instructions that the target is the average of
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
  layout places;                          ///< of all warps
  warp_access access;                     ///< of the warp drawn
  std::optional<launch_view> launch;      ///< with --grid only
  std::optional<find_query> find;         ///< with `find`: what follows form is left empty then
};

/// Reads the arguments after the program's name, works out every lane's addresses, and counts the
/// launch.
/// @throws usage_error on a bad flag or value and on accesses that no GPU takes, with the remedy.
command read_command(std::span<const std::string> args);

}  // namespace sectorbench::sectors
