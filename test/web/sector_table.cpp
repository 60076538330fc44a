// SPDX-License-Identifier: Apache-2.0

/// @file
/// Prints the sector model's answer for every setting of the micro-world's page, one a line:
///
///     type stride offset lanes requests sectors lines requested unique ideal map
///
/// `lanes` is the mask of active lanes (hexadecimal, lane 0 is bit 0), `requested` and `unique` are
/// bytes, and `map` is the 32-bit FNV-1a hash of which lanes fall in which sector: "0:ff,1:ff00"
/// says that sector 0 serves lanes 0 to 7 and sector 1 lanes 8 to 15. Byte 0 is a line's start.

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include "sectorbench/model/sector_model.hpp"
#include "sectorbench/pattern/element.hpp"

namespace {

using namespace sectorbench;

constexpr int kMaxStride = 64, kOffsets = 32;

/// All, none, one at each end, halves, every second, a quarter in the middle, and an irregular one.
constexpr std::array<std::uint32_t, 10> kLanes{0xffffffff, 0,          1,          0x80000000,
                                               0x0000ffff, 0xffff0000, 0x55555555, 0xaaaaaaaa,
                                               0x000ff000, 0x9249a6d3};

std::uint32_t fnv1a(const std::string& text) {
  std::uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

/// @pre addresses are multiples of the width, so that each lane's bytes lie in one sector.
std::string lanes_of_sectors(const std::array<std::uint64_t, kWarpLanes>& addresses,
                             std::uint32_t active) {
  std::map<std::uint64_t, std::uint32_t> lanes;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    if (active >> lane & 1u) lanes[addresses[lane] / kSectorBytes] |= 1u << lane;
  std::string text;
  for (const auto& [sector, mask] : lanes) {
    std::array<char, 40> entry{};
    std::snprintf(entry.data(), entry.size(), "%" PRIu64 ":%" PRIx32, sector, mask);
    text += text.empty() ? "" : ",";
    text += entry.data();
  }
  return text;
}

}  // namespace

int main() {
  for (const auto& [type, name] : kElementTypes) {
    const auto width = static_cast<std::uint32_t>(size_of(type));
    for (unsigned stride = 1; stride <= kMaxStride; ++stride)
      for (unsigned offset = 0; offset < kOffsets; ++offset) {
        std::array<std::uint64_t, kWarpLanes> addresses{};
        for (unsigned lane = 0; lane < kWarpLanes; ++lane)
          addresses[lane] = std::uint64_t{width} * (offset + lane * stride);
        for (const std::uint32_t active : kLanes) {
          const sector_result result = count_accesses(addresses, width, active);
          if (!result.ok()) {
            std::fprintf(stderr, "sector_table: %s\n", describe(result.fault()).c_str());
            return 1;
          }
          const request_count& count = result.value();
          std::printf("%s %u %u %" PRIx32 " %d %d %d %" PRIu64 " %" PRIu64 " %d %" PRIx32 "\n",
                      std::string{name}.c_str(), stride, offset, active, count.requests,
                      count.sectors, count.lines, count.requested_bytes, count.unique_bytes,
                      count.ideal_sectors(), fnv1a(lanes_of_sectors(addresses, active)));
        }
      }
  }
  return std::ferror(stdout) != 0 || std::fclose(stdout) != 0 ? 1 : 0;
}
