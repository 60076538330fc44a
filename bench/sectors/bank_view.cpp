// SPDX-License-Identifier: Apache-2.0
#include "bench/sectors/bank_view.hpp"

#include <algorithm>
#include <string>

#include "bench/support/text.hpp"

namespace sectorbench::sectors {
namespace {

void refuse_beyond(const warp_access& access, const std::array<std::uint64_t, kWarpLanes>& at) {
  for (std::size_t lane = 0; lane < at.size(); ++lane)
    if ((access.active >> lane & 1u) != 0 && at[lane] > kMaxSharedBytes - access.width_bytes)
      throw usage_error("lane " + std::to_string(lane) + ": byte " + std::to_string(at[lane]) +
                        " of shared memory: no block has more than " +
                        std::to_string(kMaxSharedBytes) + " bytes of it");
}

bank_part part_of(const warp_access& access, const std::array<std::uint64_t, kWarpLanes>& at,
                  std::uint32_t lanes) {
  bank_part part{lanes, 0, {}};
  const std::uint32_t active = access.active & lanes;
  part.wavefronts = count_wavefronts(at, static_cast<int>(access.width_bytes), active).wavefronts;
  for (std::size_t lane = 0; lane < at.size(); ++lane) {
    if ((active >> lane & 1u) == 0) continue;
    const std::uint64_t last = (at[lane] + access.width_bytes - 1) / kBankBytes;
    for (std::uint64_t word = at[lane] / kBankBytes; word <= last; ++word)
      part.banks[word % kBanks][word] |= std::uint32_t{1} << lane;
  }
  return part;
}

}  // namespace

int bank_part::fullest_bank() const {
  const auto fullest = std::ranges::max_element(banks, {}, [](const auto& b) { return b.size(); });
  return static_cast<int>(fullest - banks.begin());
}

std::uint32_t bank_part::lanes_of_bank(int bank) const {
  std::uint32_t all = 0;
  for (const auto& [word, lanes_of_word] : banks[static_cast<std::size_t>(bank)])
    all |= lanes_of_word;
  return all;
}

wavefront_count bank_view::total() const {
  wavefront_count sum;
  for (const bank_instruction& one : instructions) {
    sum.requests += one.count.requests;
    sum.wavefronts += one.count.wavefronts;
    sum.least += one.count.least;
  }
  return sum;
}

std::uint64_t bank_view::requested_bytes() const {
  std::uint64_t sum = 0;
  for (const bank_instruction& one : instructions) sum += one.bytes.requested_bytes;
  return sum;
}

std::uint64_t bank_view::unique_bytes() const {
  std::uint64_t sum = 0;
  for (const bank_instruction& one : instructions) sum += one.bytes.unique_bytes;
  return sum;
}

bank_instruction count_banks(const warp_access& access, std::size_t k) {
  bank_instruction one;
  one.bytes = count_instruction(access, k);
  refuse_beyond(access, access.addresses[k]);
  one.count =
      count_wavefronts(access.addresses[k], static_cast<int>(access.width_bytes), access.active);
  return one;
}

bank_view banks_of(const warp_access& access) {
  const int at_once = lanes_at_once(static_cast<int>(access.width_bytes));
  bank_view view{access.width_bytes, access.active, {}};
  for (std::size_t k = 0; k < access.addresses.size(); ++k) {
    const auto& addresses = access.addresses[k];
    bank_instruction& one = view.instructions.emplace_back(count_banks(access, k));
    for (int first = 0; first < kWarpLanes; first += at_once) {
      const std::uint32_t lanes = (~std::uint32_t{0} >> (kWarpLanes - at_once)) << first;
      if ((access.active & lanes) != 0) one.parts.push_back(part_of(access, addresses, lanes));
    }
  }
  return view;
}

}  // namespace sectorbench::sectors
