// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/number_list.hpp"

#include <charconv>
#include <system_error>

#include "bench/support/text.hpp"

namespace sectorbench::sectors {
namespace {

std::int64_t read_count(std::string_view text) {
  const std::int64_t number = read_whole(text);
  if (text.front() == '-')
    throw usage_error("'" + std::string(text) + "' is less than 0, where a list begins");
  return number;
}

void read_part(std::string_view part, std::size_t limit, std::vector<std::int64_t>& numbers) {
  const auto add = [&](std::int64_t number) {
    if (numbers.size() == limit)
      throw usage_error("at most " + std::to_string(limit) + " numbers are taken");
    numbers.push_back(number);
  };
  const std::size_t dash = part.find('-', 1);
  if (part.empty() || dash == std::string_view::npos) return add(read_count(part));
  const std::size_t colon = part.find(':', dash);
  const std::int64_t first = read_count(part.substr(0, dash));
  const std::int64_t last = read_count(part.substr(dash + 1, colon - dash - 1));
  const std::int64_t step =
      colon == std::string_view::npos ? 1 : read_count(part.substr(colon + 1));
  if (last < first || step == 0)
    throw usage_error("'" + std::string(part) +
                      "' is no range: those run upward by at least 1, e.g. 0-7 or 0-124:4");
  for (std::int64_t number = first;; number += step) {
    add(number);
    if (last - number < step) return;
  }
}

}  // namespace

std::int64_t read_whole(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const std::string shown = "'" + std::string(text) + "'";
  if (error == std::errc::result_out_of_range)
    throw usage_error(shown + " does not fit in 64 bits");
  if (error != std::errc() || stop != end) throw usage_error(shown + " is no whole number");
  return number;
}

std::vector<std::int64_t> read_numbers(std::string_view text, std::size_t limit) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : split(text, ',')) read_part(part, limit, numbers);
  return numbers;
}

std::string list_text(std::span<const std::int64_t> numbers) {
  std::string text;
  for (std::size_t begin = 0; begin < numbers.size();) {
    // As many as continue with the step of the first two.
    std::size_t end = begin + 1;
    const std::int64_t step = end < numbers.size() ? numbers[end] - numbers[begin] : 0;
    while (step > 0 && end < numbers.size() && numbers[end] - numbers[end - 1] == step) ++end;
    const bool is_range = end - begin >= 3;
    if (!is_range) end = begin + 1;
    if (!text.empty()) text += ',';
    text += std::to_string(numbers[begin]);
    if (is_range) text += '-' + std::to_string(numbers[end - 1]);
    if (is_range && step > 1) text += ':' + std::to_string(step);
    begin = end;
  }
  return text;
}

std::string counted(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string lanes_text(std::uint32_t lanes) { return list_text(lanes_of(lanes)); }

std::vector<std::int64_t> lanes_of(std::uint32_t lanes) {
  std::vector<std::int64_t> numbers;
  for (int lane = 0; lane < 32; ++lane)
    if ((lanes >> lane & 1u) != 0) numbers.push_back(lane);
  return numbers;
}

}  // namespace sectorbench::sectors
