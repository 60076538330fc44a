// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/support/expression.hpp"
/// @file
/// Where threads go: each source of places maps a thread to a byte.

namespace sectorbench::sectors {

/// Threads of a block in x, y and z; they follow each other in x first, then in y, then in z.
struct block_shape {
  std::int64_t x = 1, y = 1, z = 1;
  std::int64_t threads() const { return x * y * z; }
};

/// Reads "256", "16x16" or "4x4x6". @throws usage_error on what no GPU takes.
block_shape read_block(std::string_view text);

/// The same without sizes of 1 at the end.
std::string block_text(const block_shape& block);

/// A thread as formulas see it: its rank in the block, and its place in x, y and z.
struct thread_place {
  std::int64_t t = 0, x = 0, y = 0, z = 0;
};

/// The thread of lane `lane` of warp `warp`, in `block`, or, without one, in a row that does not
/// end; nothing if the block has no such thread. @pre 0 <= warp <= 2^40.
std::optional<thread_place> thread_of(std::int64_t warp, int lane,
                                      const std::optional<block_shape>& block);

/// Reads a formula in t, x, y and z. @throws usage_error.
expression read_formula(std::string_view text);

/// The formula's value for a thread. @throws usage_error.
std::int64_t evaluate(const expression& formula, const thread_place& thread);

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
