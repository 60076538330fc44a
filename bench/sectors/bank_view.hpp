// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "bench/sectors/warp_view.hpp"
#include "sectorbench/model/bank_model.hpp"

/// @file
/// One warp's accesses to shared memory bank by bank: which lanes ask for which 4-byte words.
///
/// What the accesses cost is counted by the bank model; the words are what a drawing shows of it.

namespace sectorbench::sectors {

/// The most that a block can have: 227 KiB, of compute capability 9.0 and 10.0 (CUDA C++
/// Programming Guide, "Technical Specifications per Compute Capability").
inline constexpr std::uint64_t kMaxSharedBytes = 227 * 1024;

/// The lanes of an instruction that shared memory serves together: all of a warp, or, of 8- and
/// 16-byte accesses, a half or a quarter.
struct bank_part {
  std::uint32_t lanes = 0;  ///< all of the part, active or not
  int wavefronts = 0;       ///< the bank model's count
  /// Of each bank the words asked for (address / 4), each with its lanes.
  std::array<std::map<std::uint64_t, std::uint32_t>, kBanks> banks;

  /// The bank that is asked for the most words, the first of several.
  int fullest_bank() const;
  /// All lanes that ask a bank for something.
  std::uint32_t lanes_of_bank(int bank) const;
};

/// An instruction of the warp.
struct bank_instruction {
  wavefront_count count;         ///< the bank model's
  request_count bytes;           ///< of its bytes; sectors and lines mean nothing here
  std::vector<bank_part> parts;  ///< those with an active lane; of banks_of only
};

/// What the instructions of a warp ask of the banks.
struct bank_view {
  std::uint32_t width_bytes = 0;
  std::uint32_t active = 0;
  std::vector<bank_instruction> instructions;

  /// Sums over the instructions.
  wavefront_count total() const;
  std::uint64_t requested_bytes() const;
  std::uint64_t unique_bytes() const;
};

/// The bank model's count of instruction k, and that of its bytes.
/// @throws usage_error on an address that is not a multiple of the access size, or beyond the
/// shared memory of every GPU.
bank_instruction count_banks(const warp_access& access, std::size_t k);

/// Counts the accesses and orders them by bank. @throws usage_error as above.
bank_view banks_of(const warp_access& access);

}  // namespace sectorbench::sectors
