// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <sectorbench/model/sector_model.hpp>
#include <set>
#include <vector>

/// @file
/// A second opinion on the sector model, written as differently as can be: byte by byte into sets,
/// with the sizes written out again. Only for spans that the model accepts.

namespace sectorbench::test {

/// What one warp's request touches, as four plain sizes.
struct brute_force_count {
  std::size_t requested_bytes = 0, unique_bytes = 0, sectors = 0, lines = 0;
};

/// Visits every byte that every active lane asks for.
inline brute_force_count count_byte_by_byte(const std::vector<byte_span>& lanes,
                                            std::uint32_t active) {
  std::set<std::uint64_t> bytes, sectors, lines;
  brute_force_count count;
  for (const byte_span& span : lanes) {
    const bool on = active % 2 == 1;
    active /= 2;
    for (std::uint64_t k = 0; on && k < span.bytes; ++k) {
      const std::uint64_t byte = span.address + k;
      ++count.requested_bytes;
      bytes.insert(byte);
      sectors.insert(byte - byte % 32);
      lines.insert(byte - byte % 128);
    }
  }
  count.unique_bytes = bytes.size();
  count.sectors = sectors.size();
  count.lines = lines.size();
  return count;
}

}  // namespace sectorbench::test
