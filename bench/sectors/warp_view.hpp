// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sectorbench/model/sector_model.hpp"

/// @file
/// One warp's accesses unit by unit: which lanes ask for which bytes of which 32-byte sectors.
///
/// What the accesses cost is counted by the sector model; the units are what a drawing shows of it.

namespace sectorbench::sectors {

/// What the lanes of one warp access: in instruction k, active lane i moves `width_bytes` bytes at
/// addresses[k][i]. Addresses count from a boundary of 256 bytes.
struct warp_access {
  std::uint32_t width_bytes = 4;
  std::uint32_t active = ~std::uint32_t{0};
  std::vector<std::array<std::uint64_t, kWarpLanes>> addresses;
};

/// A 32-byte sector that is fetched. Accesses are aligned, so that each lies in one slot.
struct sector_unit {
  std::uint64_t number = 0;          ///< address / 32
  int fetches = 0;                   ///< instructions that touch it
  std::vector<std::uint32_t> slots;  ///< of one access each: the lanes that ask for it, or none

  /// The address of the first byte.
  std::uint64_t first_byte() const { return number * kSectorBytes; }
  /// All lanes that ask for some of it.
  std::uint32_t lanes() const;
};

/// The bytes from `first` to `last`, both included.
struct byte_interval {
  std::uint64_t first = 0, last = 0;
  friend bool operator==(const byte_interval&, const byte_interval&) = default;
};

/// What the instructions of a warp touch, each and together.
struct warp_view {
  std::uint32_t width_bytes = 0;
  std::uint32_t active = 0;
  std::vector<request_count> instructions;  ///< the sector model's count of each
  std::vector<sector_unit> units;           ///< every sector touched, once, by address

  // Sums over the instructions: what two of them touch counts twice.
  int requests() const;
  int sectors() const;
  int ideal_sectors() const;
  int lines() const;
  std::uint64_t requested_bytes() const;
  std::uint64_t unique_bytes() const;
  std::uint64_t sector_bytes() const;

  /// unique_bytes / sector_bytes, 0 to 1; 0 if nothing is touched.
  double efficiency() const;
  /// The efficiency with ideal_sectors in the place of sectors.
  double ideal_efficiency() const;
  /// requested_bytes / sector_bytes: above the efficiency where lanes share bytes.
  double requested_share() const;

  /// The instructions' accesses as if one request made them all: each sector, line and byte once.
  request_count together() const;
  /// The bytes of the units that none asks for, joined where units follow each other.
  std::vector<byte_interval> unused() const;
};

/// The average of a count over requests; 0 if there is none.
double per_request(int count, int requests);

/// The sector model's count of instruction k.
/// @throws usage_error with the model's words where it refuses it, as a GPU would: an address that
/// is not a multiple of the access size.
request_count count_instruction(const warp_access& access, std::size_t k);

/// Counts and orders the accesses.
/// @throws usage_error as above.
warp_view view_of(const warp_access& access);

}  // namespace sectorbench::sectors
