// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/command_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <string_view>
#include <system_error>

#include "bench/sectors/flags.hpp"
#include "bench/sectors/number_list.hpp"
#include "bench/sectors/sources.hpp"
#include "bench/support/text.hpp"
#include "sectorbench/pattern/element.hpp"

namespace sectorbench::sectors {
namespace {

constexpr std::size_t kMaxInstructions = 64;
constexpr std::int64_t kMaxWarp = std::int64_t{1} << 40;
constexpr std::int64_t kMaxPitch = std::int64_t{1} << 24;
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

std::int64_t read_warp(std::string_view text, const launch_shape& shape) {
  const std::int64_t warp = read_whole(text);
  const std::int64_t last = shape.block ? shape.warps() - 1 : kMaxWarp;
  if (warp < 0 || warp > last)
    throw usage_error("the warps " +
                      (shape.block ? "of --block=" + extent_text(*shape.block) + " " : "") +
                      "are 0 to " + std::to_string(last));
  return warp;
}

launch_shape read_shape_of_launch(const given_flags& given) {
  launch_shape shape;
  if (given.contains("--block")) shape.block = read_flag(given, "--block", read_block);
  if (!given.contains("--grid")) return shape;
  if (!shape.block)
    throw usage_error("--grid counts blocks: say how large one is, e.g. --block=256");
  shape.grid = read_flag(given, "--grid", read_grid);
  // At most 2^63 / kWarpLanes blocks would fit.
  const double warps = static_cast<double>(shape.grid->x) * static_cast<double>(shape.grid->y) *
                       static_cast<double>(shape.grid->z) * static_cast<double>(shape.warps());
  if (warps > static_cast<double>(kMaxLaunchWarps))
    throw usage_error("--grid=" + given.at("--grid").front() + ": more than " +
                      std::to_string(kMaxLaunchWarps) + " warps; give a part of the grid");
  return shape;
}

block_place read_place(std::string_view text, const extent& grid) {
  const std::array<std::int64_t, 3> blocks{grid.x, grid.y, grid.z};
  const std::vector<std::string_view> parts = split(text, ',');
  block_place at{};
  bool is_inside = parts.size() <= at.size();
  for (std::size_t i = 0; is_inside && i < parts.size(); ++i) {
    at[i] = read_whole(parts[i]);
    is_inside = at[i] >= 0 && at[i] < blocks[i];
  }
  if (!is_inside)
    throw usage_error("the blocks of --grid=" + extent_text(grid) + " are 0 to " +
                      place_text({blocks[0] - 1, blocks[1] - 1, blocks[2] - 1}));
  return at;
}

// Each of a few, or ranges.
std::string fields_text(const std::vector<std::int64_t>& fields) {
  constexpr std::size_t kFew = 8;
  return fields.size() <= kFew ? numbers_text(fields) : list_text(fields);
}

std::string warp_text(std::int64_t warp, const block_place& at, const launch_shape& shape) {
  const std::int64_t first = warp * kWarpLanes;
  std::int64_t last = first + kWarpLanes - 1;
  std::string where;
  if (shape.block) {
    last = std::min<std::int64_t>(last, shape.block->count() - 1);
    where = (shape.grid ? " of block " + place_text(at) + ", one" : " of a block") + " of " +
            extent_text(*shape.block) + " threads";
  }
  return "warp " + std::to_string(warp) + where + ": t is " + std::to_string(first) +
         (last > first ? "-" + std::to_string(last) : "");
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

double read_real(std::string_view text, double least, double most, std::string_view what) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !(number >= least && number <= most))
    throw usage_error("'" + std::string(text) + "': " + std::string(what));
  return number;
}

find_query read_find(const given_flags& given) {
  find_query find;
  find.target = read_real(given.at(kTarget).front(), 1, kWarpLanes,
                          "find takes sectors per request, at least 1 and at most 32, e.g. sectors "
                          "find 18.3");
  if (given.contains("--tolerance"))
    find.tolerance = read_flag(given, "--tolerance", [](std::string_view text) {
      return read_real(text, 0.001, 100, "a tolerance is 0.001 to 100 percent, e.g. 2") / 100;
    });
  if (given.contains("--type")) find.type = read_flag(given, "--type", read_type);
  find.block = read_shape_of_launch(given).block;
  if (given.contains("--shape")) {
    find.pitch = read_flag(given, "--shape", [](std::string_view text) {
      const std::int64_t pitch = read_whole(split(text, ',').back());
      if (pitch < 1 || pitch > kMaxPitch)
        throw usage_error("the last dimension is the length of a row, 1 to " +
                          std::to_string(kMaxPitch) + " elements");
      return pitch;
    });
  }
  if (given.contains("--loads"))
    find.loads = read_flag(given, "--loads", [](std::string_view text) {
      const std::int64_t loads = read_whole(text);
      if (loads < 1 || loads > static_cast<std::int64_t>(kMaxInstructions))
        throw usage_error("a request's average is of 1 to " + std::to_string(kMaxInstructions) +
                          " loads");
      return loads;
    });
  return find;
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

  if (given.contains(kTarget)) {
    to.find = read_find(given);
    return to;
  }

  to.is_shared = given.contains("--shared");

  if (given.contains("--type")) to.type = read_flag(given, "--type", read_type);
  if (to.is_shared && to.type.bytes == kWidest.bytes)
    throw usage_error("--shared: accesses to shared memory have at most 16 bytes, not the " +
                      std::to_string(kWidest.bytes) + " of --type=" + std::string(kWidest.name));
  const int width = to.type.bytes;
  layout& places = to.places;
  places.width_bytes = static_cast<std::uint32_t>(width);
  if (given.contains("--offset")) places.offset = read_flag(given, "--offset", read_whole);
  if (given.contains("--fields"))
    places.fields = read_flag(given, "--fields", [](std::string_view text) {
      return read_numbers(text, kMaxInstructions);
    });
  const launch_shape& shape = places.shape = read_shape_of_launch(given);
  block_place at{};
  if (given.contains("--at")) {
    if (!shape.grid)
      throw usage_error("--at names a block of a grid: say how many there are, e.g. --grid=1000");
    at = read_flag(given, "--at",
                   [&](std::string_view text) { return read_place(text, *shape.grid); });
  }
  const std::int64_t warp =
      given.contains("--warp")
          ? read_flag(given, "--warp",
                      [&](std::string_view text) { return read_warp(text, shape); })
          : 0;
  to.view = read_view(given);
  places.sources = read_sources(given, to.view, shape, width, places.offset);
  const std::size_t count = places.sources.size() * places.fields.size();
  if (count > kMaxInstructions)
    throw usage_error("--formula: " + std::to_string(count) + " instructions; at most " +
                      std::to_string(kMaxInstructions) + " are taken");
  places.lanes =
      read_active(given, possible_lanes(places, warp),
                  places.sources.front().lanes < kWarpLanes ? "address" : "thread in this block");
  to.access = place_warp(places, at, warp);
  std::string words;
  for (const source& from : places.sources) {
    for (const std::int64_t field : places.fields) to.instructions.push_back({from.formula, field});
    words += (words.empty() ? "" : "; ") + from.words;
  }
  // The other warps may have lanes that this one lacks.
  if (!given.contains("--lanes")) places.lanes = ~std::uint32_t{0};

  to.words.push_back(std::string(to.type.name) + ", " + std::to_string(width) +
                     (width == 1 ? " byte" : " bytes") + " an access" +
                     (to.is_shared ? " to shared memory: " : ": ") + words);
  if (to.view)
    to.words.push_back(to.view->is_contiguous()
                           ? "the view is contiguous"
                           : "the view is not contiguous: contiguous strides are " +
                                 numbers_text(contiguous_strides(to.view->shape)));
  if (places.fields != std::vector<std::int64_t>{0})
    to.words.push_back("an instruction for each field, at bytes " + fields_text(places.fields));
  if (shape.block || warp != 0) to.words.push_back(warp_text(warp, at, shape));
  if (to.access.active != ~std::uint32_t{0})
    to.words.push_back(to.access.active == 0 ? "no lane is active"
                                             : "active lanes: " + lanes_text(to.access.active));
  if (shape.grid) to.launch = launch_of(places, to.is_shared);
  return to;
}

}  // namespace sectorbench::sectors
