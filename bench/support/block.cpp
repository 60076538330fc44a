// SPDX-License-Identifier: Apache-2.0
#include "bench/support/block.hpp"

#include <charconv>

#include "bench/support/text.hpp"

namespace sectorbench {

std::string block_text(block_size block) {
  const std::string width = std::to_string(block.x);
  return block.y == 1 ? width : width + "x" + std::to_string(block.y);
}

std::optional<std::array<unsigned, 3>> block_sizes_named(std::string_view text) {
  constexpr std::array kMost{kMaxBlockThreads, kMaxBlockThreads, 64U};
  std::array<unsigned, 3> sizes{1, 1, 1};
  unsigned threads = 1;  // three factors that are each at most 1024 fit
  const std::vector<std::string_view> parts = split(text, 'x');
  if (parts.size() > sizes.size()) return {};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const char* const end = parts[i].data() + parts[i].size();
    const auto [stop, error] = std::from_chars(parts[i].data(), end, sizes[i]);
    if (error != std::errc() || stop != end || sizes[i] < 1 || sizes[i] > kMost[i]) return {};
    threads *= sizes[i];
  }
  if (threads > kMaxBlockThreads) return {};
  return sizes;
}

std::optional<block_size> block_named(std::string_view text) {
  const auto sizes = block_sizes_named(text);
  if (!sizes) return {};
  return block_size{(*sizes)[0], (*sizes)[1] * (*sizes)[2]};
}

}  // namespace sectorbench
