// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/command_line.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "bench/block.hpp"
#include "bench/sectors/number_list.hpp"
#include "bench/text.hpp"

namespace sectorbench::sectors {
namespace {

constexpr std::size_t kMaxFields = 64;
constexpr std::int64_t kMaxWarp = std::int64_t{1} << 40;

struct flag {
  std::string_view name;
  std::string_view value;  // how --help spells it; empty: the flag takes none
  std::string_view example;
  std::string_view help;
};

constexpr std::array kFlags{
    flag{"--type", "NAME", "--type=f64",
         "what one access moves: u8, f16, f32 (the default), f64 or f32x4, which are 1, 2, 4, 8 "
         "and 16 bytes"},
    flag{"--stride", "ELEMENTS", "--stride=8",
         "thread t takes element ELEMENTS * t; 1 if nothing says where threads go"},
    flag{
        "--formula", "BYTES", "--formula='4 + 32*t'",
        "the byte at which thread t's access begins: whole numbers, t, x, y, ( ) and C's operators "
        "+ - * / % << >> & ^ | ~"},
    flag{"--addresses", "LIST", "--addresses=0,4,8,12",
         "the byte of lane 0, of lane 1 and so on; lanes without one are off. Lists have ranges: "
         "0-124:4 is 0, 4, ... 124"},
    flag{"--map", "INDICES", "--map=t,0",
         "the element of a tensor view that thread t takes: a formula for each dimension; needs "
         "--shape"},
    flag{"--shape", "LIST", "--shape=64,1024", "elements of the view in each dimension"},
    flag{"--strides", "LIST", "--strides=1,64",
         "elements from one index to the next in each dimension; contiguous if not given"},
    flag{"--offset", "BYTES", "--offset=4", "bytes added to every address; 0 if not given"},
    flag{"--fields", "LIST", "--fields=0,4,8",
         "bytes added to every address by the first instruction, the second, and so on: the fields "
         "of a struct, the steps of a loop; 0 if not given"},
    flag{"--lanes", "LIST", "--lanes=0-7,16", "lanes that are active, or none; all if not given"},
    flag{"--block", "X or XxY", "--block=16x16",
         "threads of the block; x counts columns, y rows, t both. One endless row if not given"},
    flag{"--warp", "K", "--warp=1",
         "the warp that is drawn: threads 32*K to 32*K + 31; 0 if not given"},
    flag{"--json", "", "--json", "the same as JSON"},
    flag{"--svg", "", "--svg", "a drawing for browsers and slides"},
    flag{"--help", "", "--help", "show this text and end"},
};

constexpr std::string_view kHowTo = R"(sectors: what one warp's accesses touch in global memory

A warp instruction on global memory is one request. It costs as many 32-byte
sectors as the bytes of its active lanes touch; four sectors are a line. The
program draws the sectors fetched and skipped, which lanes fall in which, and
which bytes are fetched for nothing. Nothing is run: the counts are the sector
model's, those of the benchmark's predictions.

Bytes count from a multiple of 256, where cudaMalloc's buffers begin. Strides,
shapes and indices are elements; offsets, addresses, fields and formulas bytes.

  sectors                                     32 floats side by side: 4 sectors
  sectors --offset=4                          one float further on: 5
  sectors --stride=8                          every eighth float: 32
  sectors --type=f64 --lanes=0-7,16           some lanes only
  sectors --formula='4*(31 - t)'              reversed: order costs nothing
  sectors --formula='4*(t/2)'                 pairs of lanes share a float
  sectors --addresses=0,4,8,4096              four lanes, each where you say
  sectors --stride=3 --fields=0,4,8           12-byte structs, three floats each
  sectors --type=u8 --stride=3 --fields=0-2   packed pixels of three bytes
  sectors --stride=32 --fields=0-124:4        32 elements a thread, in a loop
  sectors --shape=64,1024 --map=t,0           a column of a matrix
  sectors --block=16x16 --formula='4*(x + 1004*y)'   two rows of a 2-D block

)";

// A flag's value by its name.
using given_flags = std::map<std::string_view, std::string>;

usage_error unknown_argument(const std::string& arg, std::string_view name) {
  if (!arg.starts_with('-'))
    return usage_error("'" + arg + "': not a flag; flags are spelled --name=value");
  std::vector<std::string_view> names;
  for (const flag& known : kFlags) names.push_back(known.name);
  const std::string_view near = near_match(name, names);
  return usage_error(arg + ": unknown flag; " +
                     (near.empty() ? "" : "did you mean " + std::string(near) + "? ") +
                     "--help lists all");
}

given_flags read_flags(std::span<const std::string> args) {
  given_flags given;
  for (const std::string& arg : args) {
    const std::size_t equals = arg.find('=');
    const std::string_view name = std::string_view(arg).substr(0, equals);
    const auto known = std::ranges::find(kFlags, name, &flag::name);
    if (known == kFlags.end()) throw unknown_argument(arg, name);
    const std::string value = equals == std::string::npos ? "" : arg.substr(equals + 1);
    if (known->value.empty() && equals != std::string::npos)
      throw usage_error(arg + ": " + std::string(name) + " takes no value");
    if (!known->value.empty() && value.empty())
      throw usage_error(std::string(name) + ": a value is missing, e.g. " +
                        std::string(known->example));
    given[known->name] = value;
  }
  return given;
}

// What `read` makes of a flag's value; an error gets the flag in front.
template <typename Read>
auto read_flag(const given_flags& given, std::string_view name, Read read) {
  const std::string& value = given.at(name);
  try {
    return read(value);
  } catch (const usage_error& error) {
    throw usage_error(std::string(name) + "=" + value + ": " + error.what());
  }
}

element_type read_type(std::string_view name) {
  if (const auto type = element_type_named(name)) return *type;
  std::vector<std::string_view> known;
  for (const auto& [type, spelling] : kElementTypes) known.push_back(spelling);
  throw usage_error(
      "unknown type; known: " + join(known, ", ") +
      "; an access has 1, 2, 4, 8 or 16 bytes, and --fields makes structs of several");
}

std::vector<std::int64_t> read_wholes(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : split(text, ',')) numbers.push_back(read_whole(part));
  return numbers;
}

std::vector<std::int64_t> read_shape(std::string_view text) {
  std::vector<std::int64_t> shape = read_wholes(text);
  for (const std::int64_t size : shape)
    if (size < 1) throw usage_error("a dimension has at least 1 element");
  contiguous_strides(shape);  // refuses those that no number counts
  return shape;
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

// "4 + 32*t"; what is 0 is left out.
std::string affine_text(std::int64_t offset, std::int64_t step) {
  if (step == 0) return std::to_string(offset);
  if (offset == 0) return std::to_string(step) + "*t";
  const std::string steps = std::to_string(step);
  return std::to_string(offset) + (step < 0 ? " - " + steps.substr(1) : " + " + steps) + "*t";
}

// Where a lane's access begins, offset and field left out, and how a person says that.
struct source {
  std::string_view flag_name;
  std::function<std::int64_t(int lane, const thread_place&)> place;
  std::string words;
  int lanes = kWarpLanes;  // those that have a place
};

source by_stride(const given_flags& given, int width, std::int64_t offset) {
  std::int64_t step = width;
  if (given.contains("--stride"))
    step = read_flag(given, "--stride",
                     [&](std::string_view text) { return multiply(read_whole(text), width); });
  return {"--stride", [step](int, const thread_place& thread) { return multiply(step, thread.t); },
          "thread t at byte " + affine_text(offset, step)};
}

source by_formula(const given_flags& given, std::int64_t offset) {
  const expression formula = read_flag(given, "--formula", read_formula);
  const std::string& text = given.at("--formula");
  return {
      "--formula", [formula](int, const thread_place& thread) { return evaluate(formula, thread); },
      "thread t at byte " + (offset == 0 ? text : std::to_string(offset) + " + (" + text + ")")};
}

source by_addresses(const given_flags& given, std::int64_t offset) {
  for (const std::string_view other : {"--block", "--warp"})
    if (given.contains(other))
      throw usage_error(std::string(other) +
                        " says which threads the lanes are, but --addresses asks for no threads: "
                        "give one of them");
  const std::vector<std::int64_t> addresses = read_flag(
      given, "--addresses", [](std::string_view text) { return read_numbers(text, kWarpLanes); });
  return {"--addresses",
          [addresses](int lane, const thread_place&) {
            return addresses[static_cast<std::size_t>(lane)];
          },
          "the " + std::to_string(addresses.size()) + " addresses given" +
              (offset == 0 ? "" : ", and " + std::to_string(offset)),
          static_cast<int>(addresses.size())};
}

std::string numbers_text(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
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

tensor_view read_view(const given_flags& given) {
  if (!given.contains("--shape"))
    throw usage_error("--map names elements of a view: say how large it is, e.g. --shape=64,1024");
  tensor_view view;
  view.shape = read_flag(given, "--shape", read_shape);
  view.strides = given.contains("--strides") ? read_flag(given, "--strides", read_wholes)
                                             : contiguous_strides(view.shape);
  if (view.strides.size() != view.shape.size())
    throw usage_error("--strides=" + given.at("--strides") +
                      ": strides: " + std::to_string(view.strides.size()) +
                      ", dimensions of --shape=" + given.at("--shape") + ": " +
                      std::to_string(view.shape.size()) + "; give one for each");
  return view;
}

source by_map(const given_flags& given, const tensor_view& view, int width, std::int64_t offset) {
  const std::vector<expression> indices = read_flag(given, "--map", [&](std::string_view text) {
    const std::vector<std::string_view> parts = split(text, ',');
    if (parts.size() != view.shape.size())
      throw usage_error(std::to_string(parts.size()) + " formulas for the " +
                        std::to_string(view.shape.size()) +
                        " dimensions of --shape=" + given.at("--shape") + ": give one for each");
    std::vector<expression> formulas;
    for (const std::string_view part : parts) {
      try {
        formulas.push_back(read_formula(part));
      } catch (const usage_error& error) {
        throw usage_error((parts.size() > 1 ? "in '" + std::string(part) + "': " : "") +
                          error.what());
      }
    }
    return formulas;
  });
  return {"--map",
          [=](int, const thread_place& thread) {
            std::vector<std::int64_t> at;
            for (const expression& index : indices) at.push_back(evaluate(index, thread));
            return multiply(view.element(at), width);
          },
          "thread t at element (" + given.at("--map") + ") of a view of shape " +
              numbers_text(view.shape) + " and strides " + numbers_text(view.strides) +
              (offset == 0 ? "" : " from byte " + std::to_string(offset) + " on")};
}

// The one source that was asked for.
source read_source(const given_flags& given, const std::optional<tensor_view>& view, int width,
                   std::int64_t offset) {
  std::vector<std::string_view> sources;
  for (const std::string_view name : {"--stride", "--formula", "--addresses", "--map"})
    if (given.contains(name)) sources.push_back(name);
  if (sources.size() > 1)
    throw usage_error(std::string(sources[0]) + " and " + std::string(sources[1]) +
                      " both say where threads go: give one of them");
  for (const std::string_view name : {"--shape", "--strides"})
    if (!view && given.contains(name))
      throw usage_error(std::string(name) +
                        " describes a view: say which element thread t takes, e.g. --map=t,0");
  if (view) return by_map(given, *view, width, offset);
  if (given.contains("--formula")) return by_formula(given, offset);
  if (given.contains("--addresses")) return by_addresses(given, offset);
  return by_stride(given, width, offset);
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
  if (given.contains("--map")) to.view = read_view(given);
  const source from = read_source(given, to.view, width, offset);
  place_lanes(given, from, offset, warp, block, to);

  to.words.push_back(std::string(name_of(to.type)) + ", " + std::to_string(width) +
                     (width == 1 ? " byte" : " bytes") + " an access: " + from.words);
  if (to.view)
    to.words.push_back(to.view->is_contiguous()
                           ? "the view is contiguous"
                           : "the view is not contiguous: its strides would be " +
                                 numbers_text(contiguous_strides(to.view->shape)));
  if (to.fields != std::vector<std::int64_t>{0})
    to.words.push_back("an instruction for each field, at bytes " + fields_text(to.fields));
  if (block || warp != 0) to.words.push_back(warp_text(warp, block));
  if (to.access.active != ~std::uint32_t{0})
    to.words.push_back(to.access.active == 0 ? "no lane is active"
                                             : "active lanes: " + lanes_text(to.access.active));
  return to;
}

std::string help_text() {
  constexpr std::size_t kColumn = 22;
  constexpr std::size_t kWidth = 80;
  std::string text(kHowTo);
  for (const flag& known : kFlags) {
    std::string line = "  " + std::string(known.name);
    if (!known.value.empty()) line += "=" + std::string(known.value);
    for (const std::string& part : wrap(known.help, kWidth - kColumn)) {
      if (line.size() + 2 > kColumn) {
        text += line + "\n";
        line.clear();
      }
      line.resize(kColumn, ' ');
      text += line + part + "\n";
      line.clear();
    }
  }
  return text +
         "\nExit status: 0, or 2 for a bad flag or value and for accesses that no GPU takes.\n";
}

}  // namespace sectorbench::sectors
