// SPDX-License-Identifier: Apache-2.0
#include "bench/support/block.hpp"

#include <charconv>

namespace sectorbench {
namespace {

std::optional<unsigned> threads_named(std::string_view text) {
  unsigned threads = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, threads);
  if (error != std::errc() || stop != end || threads < 1 || threads > kMaxBlockThreads) return {};
  return threads;
}

}  // namespace

std::string block_text(block_size block) {
  const std::string width = std::to_string(block.x);
  return block.y == 1 ? width : width + "x" + std::to_string(block.y);
}

std::optional<block_size> block_named(std::string_view text) {
  const std::size_t cross = text.find('x');
  const auto x = threads_named(text.substr(0, cross));
  const auto y =
      cross == std::string_view::npos ? std::optional(1U) : threads_named(text.substr(cross + 1));
  if (!x || !y || *x * *y > kMaxBlockThreads) return {};
  return block_size{*x, *y};
}

}  // namespace sectorbench
