// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sectorbench/pattern/launch.hpp"
#include "sectorbench/pattern/operation.hpp"
#include "sectorbench/patterns/indexed.hpp"

/// @file
/// Spatter's notation for index lists, its command line and its JSON suites.
///
/// A configuration repeats a list `count` times, each time `delta` elements further on: repetition
/// i touches the elements list[j] + delta * i. Meanings and defaults are those of Spatter 2
/// (github.com/hpcgarage/spatter: README.md, src/Spatter/Input.hh, PatternParser.cc and
/// JSONParser.cc); docs/options.md says what is refused and what has no effect here.

namespace sectorbench {

/// One configuration, checked: a side that the kernel has is not empty, GS has two sides of one
/// length, entries fit the 4 bytes of an index list, and all bytes fit 63 bits.
struct spatter_configuration {
  std::string label;  ///< as rows are named: printable, without slashes, commas and spaces
  operation_kind operation = operation_kind::kGather;  ///< GS is a copy
  repeated_list gather, scatter;
  index_t count = 1024;
  std::string refused{};          ///< why it makes no row; empty: it does
  std::optional<index_t> wrap{};  ///< repetitions after which the dense side begins anew

  index_t length() const;
  /// What a row's name says besides label and operation: deltas, count, and wrap if it was given.
  std::vector<std::pair<std::string_view, index_t>> values() const;
};

/// Reads a notation ("UNIFORM:8:4:NR", "MS1:8:4:32", "LAPLACIAN:2:1:100", "0,4,8"), or Spatter's
/// command line ("-k Scatter -p UNIFORM:8:4 -l 4096").
/// @throws usage_error
spatter_configuration parse_spatter(std::string_view text);

/// Reads a suite: an array of configurations. @param file stands in front of error messages, with
/// the configuration's number, from 0 on; its stem names configurations that have neither name nor
/// notation. A configuration that makes no row is kept with the reason.
/// @param boundary of configurations that have none of their own; 0: entries stay as they are
/// @throws usage_error where that holds for all, or for what is no suite
std::vector<spatter_configuration> parse_spatter_json(std::string_view text, std::string_view file,
                                                      index_t boundary = 0);

/// Either of them: what has a . or a / and does not begin with a - is a file.
/// @throws usage_error also if the file cannot be read
std::vector<spatter_configuration> read_spatter(const std::string& text);

}  // namespace sectorbench
