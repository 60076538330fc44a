// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/command_line.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "bench/sectors/flags.hpp"
#include "bench/sectors/number_list.hpp"
#include "bench/sectors/sources.hpp"
#include "bench/support/block.hpp"
#include "bench/support/text.hpp"

namespace sectorbench::sectors {
namespace {

constexpr std::size_t kMaxFields = 64;
constexpr std::int64_t kMaxWarp = std::int64_t{1} << 40;

element_type read_type(std::string_view name) {
  if (const auto type = element_type_named(name)) return *type;
  std::vector<std::string_view> known;
  std::ranges::transform(kElementTypes, std::back_inserter(known),
                         [](const auto& type) { return type.second; });
  throw usage_error(
      "unknown type; known: " + join(known, ", ") +
      "; an access has 1, 2, 4, 8 or 16 bytes, and --fields makes structs of several");
}

block_size read_block(std::string_view text) {
  if (const auto block = block_named(text)) return *block;
  throw usage_error("a block is X or XxY threads, at most " + std::to_string(kMaxBlockThreads) +
                    ", e.g. --block=256 or --block=16x16");
}

std::int64_t read_warp(std::string_view text, const std::optional<block_size>& block) {
  const std::int64_t warp = read_whole(text);
  const std::int64_t last =
      block ? groups_of(kWarpLanes, std::int64_t{block->threads()}) - 1 : kMaxWarp;
  if (warp < 0 || warp > last)
    throw usage_error("the warps " + (block ? "of --block=" + block_text(*block) + " " : "") +
                      "are 0 to " + std::to_string(last));
  return warp;
}

// Each of a few, or ranges.
std::string fields_text(const std::vector<std::int64_t>& fields) {
  constexpr std::size_t kFew = 8;
  return fields.size() <= kFew ? numbers_text(fields) : list_text(fields);
}

std::string warp_text(std::int64_t warp, const std::optional<block_size>& block) {
  const std::int64_t first = warp * kWarpLanes;
  const std::int64_t last = block ? std::min<std::int64_t>(first + kWarpLanes, block->threads()) - 1
                                  : first + kWarpLanes - 1;
  return "warp " + std::to_string(warp) +
         (block ? " of a block of " + block_text(*block) + " threads" : "") + ": t is " +
         std::to_string(first) + (last > first ? "-" + std::to_string(last) : "");
}

// The lanes of --lanes, or all that have a thread and a place.
std::uint32_t read_active(const given_flags& given, std::uint32_t possible,
                          const std::string& why_not) {
  if (!given.contains("--lanes")) return possible;
  return read_flag(given, "--lanes", [&](std::string_view text) {
    std::uint32_t active = 0;
    if (text == "none") return active;
    for (const std::int64_t lane : read_numbers(text, kWarpLanes)) {
      if (lane >= kWarpLanes)
        throw usage_error("lane " + std::to_string(lane) + " is not one of a warp's, 0 to 31");
      const std::uint32_t bit = std::uint32_t{1} << lane;
      if ((active & bit) != 0) throw usage_error("lane " + std::to_string(lane) + " stands twice");
      if ((possible & bit) == 0)
        throw usage_error("lane " + std::to_string(lane) + " has no " + why_not);
      active |= bit;
    }
    return active;
  });
}

// The least multiple of 256 that brings `offset` so far on that no address is below 0.
std::string remedy(std::int64_t lowest, std::int64_t offset) {
  constexpr std::int64_t kBoundary = 256;
  const std::int64_t steps = lowest / kBoundary - (lowest % kBoundary != 0 ? 1 : 0);
  return "--offset=" + std::to_string(add(offset, multiply(-steps, kBoundary)));
}

void place_lanes(const given_flags& given, const source& from, std::int64_t offset,
                 std::int64_t warp, const std::optional<block_size>& block, command& to) {
  std::uint32_t possible = 0;
  std::array<std::optional<thread_place>, kWarpLanes> threads;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    threads[static_cast<std::size_t>(lane)] = thread_of(warp, lane, block);
    if (threads[static_cast<std::size_t>(lane)] && lane < from.lanes)
      possible |= std::uint32_t{1} << lane;
  }
  to.access.active =
      read_active(given, possible, from.lanes < kWarpLanes ? "address" : "thread in this block");
  to.access.addresses.resize(to.fields.size());
  const std::string where = given.contains(from.flag_name)
                                ? std::string(from.flag_name) + "=" + given.at(from.flag_name)
                                : "--offset=" + std::to_string(offset);
  std::int64_t lowest = 0;
  std::int64_t lowest_lane = -1;
  for (const std::int64_t lane : lanes_of(to.access.active)) {
    const auto i = static_cast<std::size_t>(lane);
    try {
      const std::int64_t begin = add(from.place(static_cast<int>(lane), *threads[i]), offset);
      for (std::size_t k = 0; k < to.fields.size(); ++k) {
        const std::int64_t address = add(begin, to.fields[k]);
        to.access.addresses[k][i] = static_cast<std::uint64_t>(address);
        if (address < lowest) {
          lowest = address;
          lowest_lane = lane;
        }
      }
    } catch (const usage_error& error) {
      throw usage_error(where + ": lane " + std::to_string(lane) + ": " + error.what());
    }
  }
  if (lowest < 0)
    throw usage_error(
        where + ": lane " + std::to_string(lowest_lane) + " would be at byte " +
        std::to_string(lowest) +
        ", before the buffer's first byte 0; to start further on: " + remedy(lowest, offset));
}

}  // namespace

command read_command(std::span<const std::string> args) {
  command to;
  to.args.assign(args.begin(), args.end());
  const given_flags given = read_flags(args);
  to.help = given.contains("--help");
  if (to.help) return to;
  if (given.contains("--json") && given.contains("--svg"))
    throw usage_error("--json and --svg are two forms of one answer: give one of them");
  if (given.contains("--json")) to.form = output_form::kJson;
  if (given.contains("--svg")) to.form = output_form::kSvg;

  if (given.contains("--type")) to.type = read_flag(given, "--type", read_type);
  const int width = size_of(to.type);
  to.access.width_bytes = static_cast<std::uint32_t>(width);
  const std::int64_t offset =
      given.contains("--offset") ? read_flag(given, "--offset", read_whole) : 0;
  to.fields = {0};
  if (given.contains("--fields"))
    to.fields = read_flag(given, "--fields",
                          [](std::string_view text) { return read_numbers(text, kMaxFields); });
  std::optional<block_size> block;
  if (given.contains("--block")) block = read_flag(given, "--block", read_block);
  const std::int64_t warp =
      given.contains("--warp")
          ? read_flag(given, "--warp",
                      [&](std::string_view text) { return read_warp(text, block); })
          : 0;
  to.view = read_view(given);
  const source from = read_source(given, to.view, width, offset);
  place_lanes(given, from, offset, warp, block, to);

  to.words.push_back(std::string(name_of(to.type)) + ", " + std::to_string(width) +
                     (width == 1 ? " byte" : " bytes") + " an access: " + from.words);
  if (to.view)
    to.words.push_back(to.view->is_contiguous()
                           ? "the view is contiguous"
                           : "the view is not contiguous: contiguous strides are " +
                                 numbers_text(contiguous_strides(to.view->shape)));
  if (to.fields != std::vector<std::int64_t>{0})
    to.words.push_back("an instruction for each field, at bytes " + fields_text(to.fields));
  if (block || warp != 0) to.words.push_back(warp_text(warp, block));
  if (to.access.active != ~std::uint32_t{0})
    to.words.push_back(to.access.active == 0 ? "no lane is active"
                                             : "active lanes: " + lanes_text(to.access.active));
  return to;
}

}  // namespace sectorbench::sectors
