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

/// Where a lane's access begins, offset and field left out, and how a person says that.
struct source {
  std::string given;  // the flag and its value; empty without one
  std::function<std::int64_t(int lane, const thread_place&)> place;
  std::string words;
  int lanes = kWarpLanes;    // those that have a place
  std::string formula = {};  // empty unless there are several
};

/// The view that --shape and --strides describe; nothing without --map.
/// @throws usage_error.
std::optional<tensor_view> read_view(const given_flags& given);

/// The source that was asked for, stride 1 if none was; several of repeated --formula.
/// @param view what read_view has read
/// @param width bytes of an element
/// @param offset bytes that are added to every address, for the words
/// @throws usage_error on sources of several kinds and on bad values.
std::vector<source> read_sources(const given_flags& given, const std::optional<tensor_view>& view,
                                 int width, std::int64_t offset);

/// "1,64".
std::string numbers_text(const std::vector<std::int64_t>& numbers);

}  // namespace sectorbench::sectors
