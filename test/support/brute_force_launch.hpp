// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "sectorbench/model/launch_totals.hpp"
#include "sectorbench/pattern/pattern.hpp"

/// @file
/// A second opinion on the totals of a launch: every thread of every warp runs, every byte goes
/// into a set. Knows nothing of affine lanes, of tails or of equal warps.

namespace sectorbench::test {

/// Writes down the bytes of one thread's calls.
class byte_recorder {
 public:
  using value = char;
  /// A request: the warp, and the how-manieth load or store it is.
  using request = std::tuple<std::int64_t, char, int>;
  using bytes_of_requests = std::map<request, std::set<std::int64_t>>;

  byte_recorder(bytes_of_requests& requests, std::int64_t warp, int width, std::int64_t load_start,
                std::int64_t store_start)
      : requests_(requests),
        warp_(warp),
        width_(width),
        load_start_(load_start),
        store_start_(store_start) {}

  value load(bool on, index_t i) {
    note('l', loads_++, on, load_start_ + i * width_);
    return {};
  }
  void store(bool on, index_t i, value) { note('s', stores_++, on, store_start_ + i * width_); }
  value made(bool, index_t) { return {}; }
  void sink(bool, value) {}

 private:
  void note(char kind, int call, bool on, std::int64_t address) {
    if (!on) return;
    auto& bytes = requests_[{warp_, kind, call}];
    for (int k = 0; k < width_; ++k) bytes.insert(address + k);
  }

  bytes_of_requests& requests_;
  std::int64_t warp_;
  int width_;
  std::int64_t load_start_, store_start_;
  int loads_ = 0, stores_ = 0;
};

/// The totals of a launch, from the bytes that each of its warps touches. Slow.
template <class Op, class P>
launch_totals brute_force_totals(const P& pattern, block_size block, int width) {
  const launch_shape shape = pattern.shape(block);
  launch_totals totals;
  for (index_t number = 0; number < shape.blocks(); ++number) {
    byte_recorder::bytes_of_requests requests;
    for (unsigned thread = 0; thread < shape.block.threads(); ++thread) {
      const lane place{thread % shape.block.x,
                       thread / shape.block.x,
                       static_cast<unsigned>(number % shape.grid_x),
                       static_cast<unsigned>(number / shape.grid_x % shape.grid_y),
                       static_cast<unsigned>(number / (shape.grid_x * shape.grid_y)),
                       shape.block.x,
                       shape.block.y,
                       static_cast<unsigned>(shape.grid_x),
                       static_cast<unsigned>(shape.grid_y)};
      byte_recorder memory(requests, thread / 32, width, pattern.loads().first * width,
                           pattern.stores().first * width);
      pattern.run(place, access<Op, byte_recorder>{memory});
    }
    for (const auto& [request, bytes] : requests) {
      std::set<std::int64_t> sectors, lines;
      for (const std::int64_t byte : bytes) {
        sectors.insert(byte / 32);
        lines.insert(byte / 128);
      }
      side_totals& side = std::get<1>(request) == 'l' ? totals.loads : totals.stores;
      side.requests += 1;
      side.sectors += sectors.size();
      side.lines += lines.size();
    }
  }
  return totals;
}

}  // namespace sectorbench::test
