// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/layout.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "bench/sectors/number_list.hpp"
#include "bench/support/text.hpp"

namespace sectorbench::sectors {
namespace {

// The least multiple of 256 that brings `offset` so far on that no address is below 0.
std::string remedy(std::int64_t lowest, std::int64_t offset) {
  constexpr std::int64_t kBoundary = 256;
  const std::int64_t steps = lowest / kBoundary - (lowest % kBoundary != 0 ? 1 : 0);
  return "--offset=" + std::to_string(add(offset, multiply(-steps, kBoundary)));
}

// Adds an instruction for each field.
void place_source(const layout& of, const source& from, const block_place& block, std::int64_t warp,
                  warp_access& to) {
  const std::string& given = from.given;
  const auto where = [&] {
    return given.empty() ? "--offset=" + std::to_string(of.offset) : given;
  };
  std::int64_t lowest = 0;
  int lowest_lane = -1;
  std::array<std::int64_t, kWarpLanes> begins{};
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((to.active >> lane & 1u) == 0) continue;
    std::int64_t& begin = begins[static_cast<std::size_t>(lane)];
    try {
      begin = add(from.place(lane, *thread_of(of.shape, block, warp, lane)), of.offset);
      for (const std::int64_t field : of.fields) {
        if (const std::int64_t address = add(begin, field); address < lowest) {
          lowest = address;
          lowest_lane = lane;
        }
      }
    } catch (const usage_error& error) {
      throw usage_error(where() + ": lane " + std::to_string(lane) + ": " + error.what());
    }
  }
  if (lowest < 0)
    throw usage_error(
        where() + ": lane " + std::to_string(lowest_lane) + " would be at byte " +
        std::to_string(lowest) +
        ", before the buffer's first byte 0; to start further on: " + remedy(lowest, of.offset));
  for (const std::int64_t field : of.fields) {
    auto& addresses = to.addresses.emplace_back();
    for (std::size_t i = 0; i < kWarpLanes; ++i)
      if ((to.active >> i & 1u) != 0) addresses[i] = static_cast<std::uint64_t>(begins[i] + field);
  }
}

}  // namespace

std::uint32_t possible_lanes(const layout& of, std::int64_t warp) {
  std::uint32_t possible = 0;
  for (int lane = 0; lane < of.sources.front().lanes; ++lane)
    if (thread_of(of.shape, {}, warp, lane)) possible |= std::uint32_t{1} << lane;
  return possible;
}

warp_access place_warp(const layout& of, const block_place& block, std::int64_t warp) {
  warp_access access{of.width_bytes, of.lanes & possible_lanes(of, warp), {}};
  access.addresses.reserve(of.sources.size() * of.fields.size());
  for (const source& from : of.sources) place_source(of, from, block, warp, access);
  return access;
}

}  // namespace sectorbench::sectors
