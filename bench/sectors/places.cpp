// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/places.hpp"

#include <array>
#include <charconv>
#include <system_error>

#include "bench/support/block.hpp"
#include "bench/support/text.hpp"
#include "sectorbench/model/sector_model.hpp"

namespace sectorbench::sectors {
namespace {

[[noreturn]] void refuse(std::int64_t left, std::string_view spelling, std::int64_t right) {
  throw usage_error(std::to_string(left) + std::string(spelling) + std::to_string(right) +
                    " does not fit in 64 bits");
}

}  // namespace

std::int64_t launch_shape::warps() const { return (block->count() + kWarpLanes - 1) / kWarpLanes; }

extent read_block(std::string_view text) {
  if (const auto sizes = block_sizes_named(text)) return {(*sizes)[0], (*sizes)[1], (*sizes)[2]};
  throw usage_error(std::string(kBlockRule) + ", e.g. --block=256, --block=16x16 or --block=4x4x6");
}

extent read_grid(std::string_view text) {
  // CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
  constexpr std::array<std::int64_t, 3> kMost{2147483647, 65535, 65535};
  std::array<std::int64_t, 3> sizes{1, 1, 1};
  const std::vector<std::string_view> parts = split(text, 'x');
  const auto refuse_grid = [] {
    throw usage_error(
        "a grid is X, XxY or XxYxZ blocks, at most 2147483647 in x and 65535 in y and z, e.g. "
        "--grid=1000 or --grid=63x63");
  };
  if (parts.size() > sizes.size()) refuse_grid();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const char* const end = parts[i].data() + parts[i].size();
    const auto [stop, error] = std::from_chars(parts[i].data(), end, sizes[i]);
    if (error != std::errc() || stop != end || sizes[i] < 1 || sizes[i] > kMost[i]) refuse_grid();
  }
  return {sizes[0], sizes[1], sizes[2]};
}

std::string extent_text(const extent& sizes) {
  std::string text = std::to_string(sizes.x);
  if (sizes.y > 1 || sizes.z > 1) text += "x" + std::to_string(sizes.y);
  if (sizes.z > 1) text += "x" + std::to_string(sizes.z);
  return text;
}

std::string place_text(const block_place& block) {
  std::string text = std::to_string(block[0]);
  if (block[1] > 0 || block[2] > 0) text += "," + std::to_string(block[1]);
  if (block[2] > 0) text += "," + std::to_string(block[2]);
  return text;
}

std::optional<thread_values> thread_of(const launch_shape& shape, const block_place& block,
                                       std::int64_t warp, int lane) {
  const std::int64_t t = warp * kWarpLanes + lane;
  if (!shape.block) return thread_values{t, t};
  const extent& threads = *shape.block;
  const extent blocks = shape.grid.value_or(extent{});
  if (t >= threads.count()) return std::nullopt;
  return thread_values{t,
                       t % threads.x,
                       t / threads.x % threads.y,
                       t / threads.x / threads.y,
                       threads.x,
                       threads.y,
                       threads.z,
                       block[0],
                       block[1],
                       block[2],
                       blocks.x,
                       blocks.y,
                       blocks.z};
}

expression read_formula(std::string_view text, const launch_shape& shape) {
  expression formula(text, kVariables);
  const auto need = [&](std::size_t variable) -> int {
    if (variable >= kBlockVariables && !shape.block)
      throw usage_error(std::string(kVariables[variable]) +
                        " is known where the launch is: give --block, e.g. --block=16x16" +
                        (variable >= kGridVariables ? ", and --grid, e.g. --grid=63x63" : ""));
    if (variable >= kGridVariables && !shape.grid)
      throw usage_error(std::string(kVariables[variable]) +
                        " is known where the grid is: give --grid, e.g. --grid=63x63");
    return 0;
  };
  formula.fold([](std::int64_t) { return 0; }, need,
               [](const expression::step&, int, int) { return 0; });
  return formula;
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
