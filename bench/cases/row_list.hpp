// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cases/row.hpp"

/// @file
/// Rows by their names, one a line, as --suite=FILE takes them and --benchmark_list_tests prints
/// them:
///
///     # what this machine is accepted by
///     contiguous/copy/f32x4
///     stride/copy/f32/stride:8/block:128/manual_time
///     contiguous/read/f32/elements:8192   # 32 KiB

namespace sectorbench {

/// A row of a list; size and block where its name says them.
struct listed_row {
  row_spec spec;
  std::optional<index_t> elements;
  std::optional<block_size> block;
};

/// `name` with what a listed row's name says of block and size behind it.
std::string with_block(std::string name, block_size block);
std::string with_elements(std::string name, index_t elements);

/// One row of --rows: a name as a list has it. @throws usage_error that begins with --rows=
listed_row parse_listed_row(std::string_view name);

/// The row whose body says what this one accesses: itself, or the one that the author's kernel
/// names; none for other movers. @throws std::runtime_error where the kernel names none that can be
std::optional<row_spec> accessed_as(const row_spec& row);

/// The rows of a list's text, in its order. Comments, from a # on, and blank lines are ignored.
/// @param file stands in front of error messages, together with the line.
/// @throws usage_error on a line that is no row's name, on a row that stands twice, and where there
/// is no row at all
std::vector<listed_row> parse_row_list(std::string_view text, std::string_view file);

/// The same of a file. @throws usage_error also if it cannot be read or is no such list
std::vector<listed_row> read_row_list(const std::string& path);

}  // namespace sectorbench
