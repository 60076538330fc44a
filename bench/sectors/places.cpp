// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/places.hpp"

#include <array>

#include "bench/support/block.hpp"
#include "bench/support/text.hpp"
#include "sectorbench/model/sector_model.hpp"

namespace sectorbench::sectors {
namespace {

constexpr std::array<std::string_view, 4> kVariables{"t", "x", "y", "z"};

[[noreturn]] void refuse(std::int64_t left, std::string_view spelling, std::int64_t right) {
  throw usage_error(std::to_string(left) + std::string(spelling) + std::to_string(right) +
                    " does not fit in 64 bits");
}

}  // namespace

block_shape read_block(std::string_view text) {
  if (const auto sizes = block_sizes_named(text)) return {(*sizes)[0], (*sizes)[1], (*sizes)[2]};
  throw usage_error(std::string(kBlockRule) + ", e.g. --block=256, --block=16x16 or --block=4x4x6");
}

std::string block_text(const block_shape& block) {
  std::string text = std::to_string(block.x);
  if (block.y > 1 || block.z > 1) text += "x" + std::to_string(block.y);
  if (block.z > 1) text += "x" + std::to_string(block.z);
  return text;
}

std::optional<thread_place> thread_of(std::int64_t warp, int lane,
                                      const std::optional<block_shape>& block) {
  const std::int64_t t = warp * kWarpLanes + lane;
  if (!block) return thread_place{t, t, 0, 0};
  if (t >= block->threads()) return std::nullopt;
  return thread_place{t, t % block->x, t / block->x % block->y, t / block->x / block->y};
}

expression read_formula(std::string_view text) { return {text, kVariables}; }

std::int64_t evaluate(const expression& formula, const thread_place& thread) {
  const std::array values{thread.t, thread.x, thread.y, thread.z};
  return formula.evaluate(values);
}

std::int64_t add(std::int64_t left, std::int64_t right) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(left, right, &sum)) refuse(left, " + ", right);
  return sum;
}

std::int64_t multiply(std::int64_t left, std::int64_t right) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(left, right, &product)) refuse(left, " * ", right);
  return product;
}

bool tensor_view::is_contiguous() const {
  const std::vector<std::int64_t> expected = contiguous_strides(shape);
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] > 1 && strides[i] != expected[i]) return false;
  return true;
}

std::int64_t tensor_view::element(const std::vector<std::int64_t>& indices) const {
  std::int64_t place = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= shape[i])
      throw usage_error("index " + std::to_string(indices[i]) + " of dimension " +
                        std::to_string(i) + " is not in 0 to " + std::to_string(shape[i] - 1) +
                        "; a kernel would switch such lanes off, as --lanes does");
    place = add(place, multiply(indices[i], strides[i]));
  }
  return place;
}

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size() - 1; i > 0; --i)
    strides[i - 1] = multiply(strides[i], shape[i]);
  return strides;
}

}  // namespace sectorbench::sectors
