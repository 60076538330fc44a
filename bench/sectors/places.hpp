// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/support/expression.hpp"
/// @file
/// The threads of a launch, as formulas see them, and the elements of a tensor.

namespace sectorbench::sectors {

/// Threads of a block, or blocks of a grid, in x, y and z; they follow each other in x first, then
/// in y, then in z.
struct extent {
  std::int64_t x = 1, y = 1, z = 1;
  std::int64_t count() const { return x * y * z; }
};

/// A launch as it was asked for; without a block it is one row of threads that does not end.
struct launch_shape {
  std::optional<extent> block;
  std::optional<extent> grid;  ///< only with a block

  /// Warps of a block, the last one perhaps with fewer than 32 threads. @pre there is a block
  std::int64_t warps() const;
};

/// Reads "256", "16x16" or "4x4x6". @throws usage_error on what no GPU takes.
extent read_block(std::string_view text);
extent read_grid(std::string_view text);

/// The same without sizes of 1 at the end.
std::string extent_text(const extent& sizes);

/// A block's place in its grid, in x, y and z.
using block_place = std::array<std::int64_t, 3>;

/// The place as --at takes it: "5", "5,7".
std::string place_text(const block_place& block);

/// What formulas know, in this order; those from dx on need --block, those from bx on --grid.
inline constexpr std::array<std::string_view, 13> kVariables{
    "t", "x", "y", "z", "dx", "dy", "dz", "bx", "by", "bz", "gx", "gy", "gz"};
inline constexpr std::size_t kBlockVariables = 4, kGridVariables = 7;

/// The variables' values for one thread: its rank in the block and its place in it, the block's
/// threads, the block's place in the grid, the grid's blocks.
using thread_values = std::array<std::int64_t, kVariables.size()>;

/// The thread of lane `lane` of warp `warp` of a block; nothing if the block has no such thread.
/// @pre 0 <= warp <= 2^40.
std::optional<thread_values> thread_of(const launch_shape& shape, const block_place& block,
                                       std::int64_t warp, int lane);

/// Reads a formula. @throws usage_error, also on variables that the launch does not have.
expression read_formula(std::string_view text, const launch_shape& shape);

/// left + right, or left * right. @throws usage_error if that does not fit in 64 bits.
std::int64_t add(std::int64_t left, std::int64_t right);
std::int64_t multiply(std::int64_t left, std::int64_t right);

/// A tensor as frameworks see it: element (i, j, ...) lies at i * strides[0] + j * strides[1] + ...
struct tensor_view {
  std::vector<std::int64_t> shape;    ///< at least 1 each
  std::vector<std::int64_t> strides;  ///< elements, one for each dimension

  /// Whether it is what frameworks call contiguous: the last dimension's elements lie side by side,
  /// its rows one after another, and so on. Dimensions of one element do not matter.
  bool is_contiguous() const;

  /// The element that the indices name.
  /// @pre there is one for each dimension.
  /// @throws usage_error if one is outside the shape, or the result does not fit in 64 bits.
  std::int64_t element(const std::vector<std::int64_t>& indices) const;
};

/// The strides that make a view of this shape contiguous. @throws usage_error if they do not fit.
std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape);

}  // namespace sectorbench::sectors
