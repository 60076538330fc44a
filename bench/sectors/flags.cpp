// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/flags.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace sectorbench::sectors {
namespace {

enum class use { kDrawing, kFind, kBoth };

struct flag {
  std::string_view name;
  std::string_view value;  // how --help spells it; empty: the flag takes none
  std::string_view example;
  std::string_view help;
  use where = use::kDrawing;
};

constexpr std::string_view kRepeated = "--formula";

constexpr std::array kFlags{
    flag{"--type", "NAME", "--type=f64",
         "what one access moves: u8, f16, f32 (the default), f64, f32x4 or f32x8, which are 1, 2, "
         "4, 8, 16 and, from compute capability 10.0 on, 32 bytes",
         use::kBoth},
    flag{"--stride", "ELEMENTS", "--stride=8",
         "thread t takes element ELEMENTS * t; 1 if nothing says where threads go"},
    flag{kRepeated, "BYTES", "--formula='4 + 32*t'",
         "the byte at which thread t's access begins: whole numbers, t, x, y, z, ( ) and C's "
         "operators + - * / % << >> & ^ | ~; dx, dy, dz are the block's threads, bx, by, bz the "
         "block's place, gx, gy, gz the grid's blocks. Given again: one instruction more"},
    flag{"--addresses", "LIST", "--addresses=0,4,8,12",
         "the byte of lane 0, of lane 1 and so on; lanes without one are off. Lists have ranges: "
         "0-124:4 is 0, 4, ... 124"},
    flag{"--map", "INDICES", "--map=t,0",
         "the element of a tensor view that thread t takes: a formula for each dimension; needs "
         "--shape"},
    flag{"--shape", "LIST", "--shape=64,1024",
         "elements of the view in each dimension; with find: the last is the length of a row",
         use::kBoth},
    flag{"--strides", "LIST", "--strides=1,64",
         "elements from one index to the next in each dimension; contiguous if not given"},
    flag{"--offset", "BYTES", "--offset=4", "bytes added to every address; 0 if not given"},
    flag{"--fields", "LIST", "--fields=0,4,8",
         "bytes added to every address by the first instruction, the second, and so on: the fields "
         "of a struct, the steps of a loop; 0 if not given"},
    flag{"--lanes", "LIST", "--lanes=0-7,16", "lanes that are active, or none; all if not given"},
    flag{"--block", "XxYxZ", "--block=16x16",
         "threads of the block; t counts them in x first, then in y, then in z. One endless row if "
         "not given",
         use::kBoth},
    flag{"--grid", "XxYxZ", "--grid=63x63",
         "blocks of the launch: its average and its worst warp are added. --stride then takes t "
         "through all blocks"},
    flag{"--at", "LIST", "--at=5,7", "the block whose warp is drawn; 0,0,0 if not given"},
    flag{"--warp", "K", "--warp=1",
         "the warp that is drawn: threads 32*K to 32*K + 31; 0 if not given"},
    flag{"--shared", "", "--shared",
         "the accesses are to shared memory: its banks, wavefronts and conflicts"},
    flag{"--loads", "N", "--loads=3",
         "with find: the count is the average of N loads, all but one of them coalesced",
         use::kFind},
    flag{"--tolerance", "PERCENT", "--tolerance=5",
         "with find: how far an average may be from the count; 2 if not given", use::kFind},
    flag{"--json", "", "--json", "the same as JSON", use::kBoth},
    flag{"--svg", "", "--svg", "a drawing for browsers and slides"},
    flag{"--help", "", "--help", "show this text and end", use::kBoth},
};

constexpr std::string_view kHowTo = R"(sectors: what one warp's accesses touch in memory

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
  sectors --formula=0 --formula='4096 + 4*t'  two loads, 1 + 4 sectors
  sectors --shared --formula='16*t'           shared memory: 4 wavefronts
  sectors --block=256 --grid=1000 --offset=4  a launch: its average, worst warp
  sectors find 18.3 --block=16x16             accesses that cost so many sectors

)";

usage_error unknown_argument(const std::string& arg, std::string_view name) {
  if (!arg.starts_with('-'))
    return usage_error("'" + arg + "': not a flag; flags are spelled --name=value");
  std::vector<std::string_view> names;
  std::ranges::transform(kFlags, std::back_inserter(names), &flag::name);
  const std::string_view near = near_match(name, names);
  return usage_error(arg + ": unknown flag; " +
                     (near.empty() ? "" : "did you mean " + std::string(near) + "? ") +
                     "--help lists all");
}

}  // namespace

given_flags read_flags(std::span<const std::string> args) {
  given_flags given;
  const bool is_find = !args.empty() && args.front() == kTarget;
  for (const std::string& arg : args.subspan(is_find ? 1 : 0)) {
    if (is_find && !arg.starts_with("--")) {
      if (given.contains(kTarget))
        throw usage_error("'" + arg + "': find takes one count, e.g. sectors find 18.3");
      given[kTarget].push_back(arg);
      continue;
    }
    const std::size_t equals = arg.find('=');
    const std::string_view name = std::string_view(arg).substr(0, equals);
    const auto known = std::ranges::find(kFlags, name, &flag::name);
    if (known == kFlags.end()) throw unknown_argument(arg, name);
    if (known->where == (is_find ? use::kDrawing : use::kFind))
      throw usage_error(arg + ": " + std::string(name) +
                        (is_find ? " draws a warp: find does not take it"
                                 : " goes with find only, e.g. sectors find 18.3 " +
                                       std::string(known->example)));
    const std::string value = equals == std::string::npos ? "" : arg.substr(equals + 1);
    if (known->value.empty() && equals != std::string::npos)
      throw usage_error(arg + ": " + std::string(name) + " takes no value");
    if (!known->value.empty() && value.empty())
      throw usage_error(std::string(name) + ": a value is missing, e.g. " +
                        std::string(known->example));
    std::vector<std::string>& values = given[known->name];
    if (!values.empty() && known->name != kRepeated)
      throw usage_error(arg + ": " + std::string(name) + " is given twice; only " +
                        std::string(kRepeated) + " is taken more than once");
    values.push_back(value);
  }
  if (is_find && !given.contains(kTarget) && !given.contains("--help"))
    throw usage_error("find: a count is missing, e.g. sectors find 18.3");
  return given;
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
         "\nExit status: 0, 2 for a bad flag or value and for accesses that no GPU takes, 3\nwhere "
         "find finds nothing.\n";
}

}  // namespace sectorbench::sectors
