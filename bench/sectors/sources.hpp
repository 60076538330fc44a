// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sectors/flags.hpp"
#include "bench/sectors/places.hpp"
#include "sectorbench/model/sector_model.hpp"

/// @file
/// What says where threads go: a stride, a formula, addresses, or a view and a map.

namespace sectorbench::sectors {

/// A part of a place: bytes for each of the formula's value.
struct term {
  expression formula;
  std::int64_t bytes = 1;
};

/// Where a lane's access begins, offset and field left out, and how a person says that.
struct source {
  std::string given;  // the flag and its value; empty without one
  std::function<std::int64_t(int lane, const thread_values&)> place;
  std::vector<term> terms;  // whose sum the place is; none for addresses that no thread makes
  std::string words;
  int lanes = kWarpLanes;    // those that have a place
  std::string formula = {};  // empty unless there are several
  bool has_indices = false;  // each term must stay inside a view's dimension
};

/// The view that --shape and --strides describe; nothing without --map.
/// @throws usage_error.
std::optional<tensor_view> read_view(const given_flags& given);

/// The source that was asked for, stride 1 if none was; several of repeated --formula.
/// @param view what read_view has read
/// @param shape the launch whose threads they are
/// @param width bytes of an element
/// @param offset bytes that are added to every address, for the words
/// @throws usage_error on sources of several kinds and on bad values.
std::vector<source> read_sources(const given_flags& given, const std::optional<tensor_view>& view,
                                 const launch_shape& shape, int width, std::int64_t offset);

/// "1,64".
std::string numbers_text(const std::vector<std::int64_t>& numbers);

}  // namespace sectorbench::sectors
