// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/model/bank_model.hpp"

#include <gtest/gtest.h>

namespace sectorbench {
namespace {

using lanes = std::array<std::uint64_t, kWarpLanes>;

constexpr lanes apart(std::uint64_t bytes) {
  lanes addresses{};
  for (std::size_t i = 0; i < addresses.size(); ++i) addresses[i] = i * bytes;
  return addresses;
}

TEST(BankModel, FloatsAtStridesShareBanksByTheGreatestCommonDivisor) {
  for (const auto& [stride, wavefronts] : {std::pair{1, 1},
                                           {2, 2},
                                           {3, 1},
                                           {4, 4},
                                           {8, 8},
                                           {16, 16},
                                           {31, 1},
                                           {32, 32},
                                           {33, 1},
                                           {64, 32}})
    EXPECT_EQ(count_wavefronts(apart(4 * static_cast<std::uint64_t>(stride)), 4),
              (wavefront_count{1, wavefronts, 1}))
        << stride;
}

TEST(BankModel, LanesOfTheSameWordShareAWavefront) {
  EXPECT_EQ(count_wavefronts(lanes{}, 4), (wavefront_count{1, 1, 1}));  // broadcast
  EXPECT_EQ(count_wavefronts(apart(2), 2), (wavefront_count{1, 1, 1}));
  EXPECT_EQ(count_wavefronts(apart(1), 1), (wavefront_count{1, 1, 1}));
  lanes two{};
  two[5] = 128;  // another word of bank 0
  EXPECT_EQ(count_wavefronts(two, 4), (wavefront_count{1, 2, 1}));
}

TEST(BankModel, WideAccessesGoByPartsOfTheWarp) {
  EXPECT_EQ(count_wavefronts(apart(8), 8), (wavefront_count{1, 2, 2}));
  EXPECT_EQ(count_wavefronts(apart(16), 16), (wavefront_count{1, 4, 4}));
  EXPECT_EQ(count_wavefronts(apart(256), 8), (wavefront_count{1, 32, 2}));
  EXPECT_EQ(count_wavefronts(apart(8), 8).conflicts(), 0);
  EXPECT_EQ(count_wavefronts(apart(256), 8).conflicts(), 30);
}

TEST(BankModel, LanesThatAreOffAskForNothing) {
  EXPECT_EQ(count_wavefronts(apart(128), 4, 0), wavefront_count{});
  EXPECT_EQ(count_wavefronts(apart(128), 4, 0x5), (wavefront_count{1, 2, 1}));
  EXPECT_EQ(count_wavefronts(apart(8), 8, 0xffff), (wavefront_count{1, 1, 1}));
  EXPECT_EQ(count_wavefronts(apart(8), 8, 0x80000000), (wavefront_count{1, 1, 1}));
}

}  // namespace
}  // namespace sectorbench
