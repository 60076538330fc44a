// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/command_line.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "bench/sectors/flags.hpp"
#include "bench/sectors/number_list.hpp"
#include "bench/sectors/sources.hpp"
#include "bench/support/text.hpp"
#include "sectorbench/pattern/element.hpp"

namespace sectorbench::sectors {
namespace {

constexpr std::size_t kMaxInstructions = 64;
constexpr std::int64_t kMaxWarp = std::int64_t{1} << 40;
constexpr access_type kWidest{"f32x8", 32};

access_type read_type(std::string_view name) {
  if (name == kWidest.name) return kWidest;
  if (const auto type = element_type_named(name)) return {name_of(*type), size_of(*type)};
  std::vector<std::string_view> known;
  std::ranges::transform(kElementTypes, std::back_inserter(known),
                         [](const auto& type) { return type.second; });
  known.push_back(kWidest.name);
  throw usage_error("unknown type; known: " + join(known, ", ") +
                    "; an access has 1, 2, 4, 8, 16 or 32 bytes, and --fields makes structs of "
                    "several");
}

std::int64_t read_warp(std::string_view text, const std::optional<block_shape>& block) {
  const std::int64_t warp = read_whole(text);
  const std::int64_t last = block ? (block->threads() - 1) / kWarpLanes : kMaxWarp;
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

std::string warp_text(std::int64_t warp, const std::optional<block_shape>& block) {
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

// Adds an instruction for each field.
void place_lanes(const given_flags& given, const source& from, std::int64_t offset,
                 const std::vector<std::int64_t>& fields, std::int64_t warp,
                 const std::optional<block_shape>& block, command& to) {
  std::uint32_t possible = 0;
  std::array<std::optional<thread_place>, kWarpLanes> threads;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    threads[static_cast<std::size_t>(lane)] = thread_of(warp, lane, block);
    if (threads[static_cast<std::size_t>(lane)] && lane < from.lanes)
      possible |= std::uint32_t{1} << lane;
  }
  to.access.active =
      read_active(given, possible, from.lanes < kWarpLanes ? "address" : "thread in this block");
  const std::string where = from.given.empty() ? "--offset=" + std::to_string(offset) : from.given;
  std::int64_t lowest = 0;
  std::int64_t lowest_lane = -1;
  std::array<std::int64_t, kWarpLanes> begins{};
  for (const std::int64_t lane : lanes_of(to.access.active)) {
    const auto i = static_cast<std::size_t>(lane);
    try {
      begins[i] = add(from.place(static_cast<int>(lane), *threads[i]), offset);
      for (const std::int64_t field : fields) {
        if (const std::int64_t address = add(begins[i], field); address < lowest) {
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
  for (const std::int64_t field : fields) {
    to.instructions.push_back({from.formula, field});
    auto& addresses = to.access.addresses.emplace_back();
    for (const std::int64_t lane : lanes_of(to.access.active)) {
      const auto i = static_cast<std::size_t>(lane);
      addresses[i] = static_cast<std::uint64_t>(begins[i] + field);
    }
  }
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

  to.is_shared = given.contains("--shared");

  if (given.contains("--type")) to.type = read_flag(given, "--type", read_type);
  if (to.is_shared && to.type.bytes == kWidest.bytes)
    throw usage_error("--shared: accesses to shared memory have at most 16 bytes, not the " +
                      std::to_string(kWidest.bytes) + " of --type=" + std::string(kWidest.name));
  const int width = to.type.bytes;
  to.access.width_bytes = static_cast<std::uint32_t>(width);
  const std::int64_t offset =
      given.contains("--offset") ? read_flag(given, "--offset", read_whole) : 0;
  std::vector<std::int64_t> fields{0};
  if (given.contains("--fields"))
    fields = read_flag(given, "--fields",
                       [](std::string_view text) { return read_numbers(text, kMaxInstructions); });
  std::optional<block_shape> block;
  if (given.contains("--block")) block = read_flag(given, "--block", read_block);
  const std::int64_t warp =
      given.contains("--warp")
          ? read_flag(given, "--warp",
                      [&](std::string_view text) { return read_warp(text, block); })
          : 0;
  to.view = read_view(given);
  const std::vector<source> sources = read_sources(given, to.view, width, offset);
  if (sources.size() * fields.size() > kMaxInstructions)
    throw usage_error("--formula: " + std::to_string(sources.size() * fields.size()) +
                      " instructions; at most " + std::to_string(kMaxInstructions) + " are taken");
  std::string places;
  for (const source& from : sources) {
    place_lanes(given, from, offset, fields, warp, block, to);
    places += (places.empty() ? "" : "; ") + from.words;
  }

  to.words.push_back(std::string(to.type.name) + ", " + std::to_string(width) +
                     (width == 1 ? " byte" : " bytes") + " an access" +
                     (to.is_shared ? " to shared memory: " : ": ") + places);
  if (to.view)
    to.words.push_back(to.view->is_contiguous()
                           ? "the view is contiguous"
                           : "the view is not contiguous: contiguous strides are " +
                                 numbers_text(contiguous_strides(to.view->shape)));
  if (fields != std::vector<std::int64_t>{0})
    to.words.push_back("an instruction for each field, at bytes " + fields_text(fields));
  if (block || warp != 0) to.words.push_back(warp_text(warp, block));
  if (to.access.active != ~std::uint32_t{0})
    to.words.push_back(to.access.active == 0 ? "no lane is active"
                                             : "active lanes: " + lanes_text(to.access.active));
  return to;
}

}  // namespace sectorbench::sectors
