// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <random>
#include <sectorbench/model/sector_model.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "test/support/brute_force.hpp"

namespace sectorbench {
namespace {

constexpr std::uint64_t kBase = 0x7f4a'c000'0000;  // 256-byte aligned, like cudaMalloc's
constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};
constexpr std::uint64_t kLastByte = std::numeric_limits<std::uint64_t>::max();

using warp_addresses = std::array<std::uint64_t, kWarpLanes>;

/// The addresses kBase + offset(i) of the lanes i = 0 to 31; offsets may be negative.
template <typename Offset>
constexpr warp_addresses at(Offset offset) {
  warp_addresses addresses{};
  for (int i = 0; i < kWarpLanes; ++i)
    addresses[static_cast<std::size_t>(i)] = kBase + static_cast<std::uint64_t>(offset(i));
  return addresses;
}

/// Lane i at byte `offset` + `step` * i.
constexpr warp_addresses affine(std::int64_t step, std::int64_t offset = 0) {
  return at([=](int i) { return offset + step * i; });
}

constexpr request_count count(const warp_addresses& addresses, std::uint32_t width,
                              std::uint32_t active = kAllLanes) {
  return count_accesses(addresses, width, active).value();
}

constexpr int sectors(const warp_addresses& addresses, std::uint32_t width,
                      std::uint32_t active = kAllLanes) {
  return count(addresses, width, active).sectors;
}

/// Lane i asks for `bytes` bytes at addresses[i], without any rule on alignment.
constexpr std::array<byte_span, kWarpLanes> spans(const warp_addresses& addresses,
                                                  std::uint64_t bytes) {
  std::array<byte_span, kWarpLanes> lanes{};
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = {addresses[i], bytes};
  return lanes;
}

static_assert(count(affine(4), 4) == request_count{1, 4, 1, 128, 128});
static_assert(count(affine(4, 4), 4) == request_count{1, 5, 2, 128, 128});
static_assert(count(affine(8), 4) == request_count{1, 8, 2, 128, 128});
static_assert(count(affine(4), 4).efficiency() == 1.0);
static_assert(count(affine(0), 4).requested_share() == 4.0);
static_assert(count(affine(4), 4, 0) == request_count{});
static_assert(count_spans(spans(affine(4, 30), 4)).value().sectors == 5);
static_assert(count_accesses(affine(4, 2), 4).fault() ==
              sector_fault{fault_kind::kMisaligned, 0, kBase + 2, 4, 0});

TEST(SectorModel, UnitStrideFloatTouchesFourSectorsOfOneLine) {
  const request_count c = count(affine(4), 4);
  EXPECT_EQ(c, (request_count{1, 4, 1, 128, 128}));
  EXPECT_EQ(c.ideal_sectors(), 4);
  EXPECT_EQ(c.efficiency(), 1.0);
  EXPECT_EQ(c.requested_share(), 1.0);
}

TEST(SectorModel, OffsetOfOneFloatTouchesFiveSectors) {
  const request_count c = count(affine(4, 4), 4);
  EXPECT_EQ(c.sectors, 5);
  EXPECT_EQ(c.lines, 2);
  EXPECT_EQ(c.ideal_sectors(), 4);
  EXPECT_EQ(c.efficiency(), 0.8);
  // Sector 0 serves lanes 0 to 6, sectors 1 to 3 eight lanes each, sector 4 lane 31.
  EXPECT_EQ(sectors(affine(4, 4), 4, 0x0000'007f), 1);
  EXPECT_EQ(sectors(affine(4, 4), 4, 0x0000'7f80), 1);
  EXPECT_EQ(sectors(affine(4, 4), 4, 0x007f'8000), 1);
  EXPECT_EQ(sectors(affine(4, 4), 4, 0x7f80'0000), 1);
  EXPECT_EQ(sectors(affine(4, 4), 4, 0x8000'0000), 1);
  EXPECT_EQ(sectors(affine(4, 4), 4, 0x8000'0001), 2);
}

TEST(SectorModel, StridesOfTheReferenceCurveTouchTheirSectorsAndLines) {
  struct row {
    int stride, sectors, lines;
    double efficiency;
  };
  for (const row& expected : {row{1, 4, 1, 1.0}, row{2, 8, 2, 0.5}, row{4, 16, 4, 0.25},
                              row{8, 32, 8, 0.125}, row{16, 32, 16, 0.125}, row{32, 32, 32, 0.125},
                              row{64, 32, 32, 0.125}, row{1000, 32, 32, 0.125}}) {
    SCOPED_TRACE(expected.stride);
    const request_count c = count(affine(4 * expected.stride), 4);
    EXPECT_EQ(c.requests, 1);
    EXPECT_EQ(c.sectors, expected.sectors);
    EXPECT_EQ(c.lines, expected.lines);
    EXPECT_EQ(c.ideal_sectors(), 4);
    EXPECT_EQ(c.efficiency(), expected.efficiency);
  }
}

TEST(SectorModel, AlignedStrideTouchesItsShareOfSectorsForEveryWidth) {
  for (const int width : {1, 2, 4, 8, 16}) {
    for (int stride = 1; stride <= 100; ++stride) {
      SCOPED_TRACE(std::to_string(width) + " bytes, stride " + std::to_string(stride));
      const request_count c = count(affine(width * stride), static_cast<std::uint32_t>(width));
      EXPECT_EQ(c.sectors, std::min(width * stride, 32));
      EXPECT_EQ(c.ideal_sectors(), width);
      EXPECT_DOUBLE_EQ(c.efficiency(), 1.0 / std::min(stride, 32 / width));
    }
  }
}

TEST(SectorModel, SectorSharedByLanesOfTwoPhasesCountsOnce) {
  EXPECT_EQ(sectors(affine(8, 8), 8), 9);
  EXPECT_EQ(sectors(affine(16, 16), 16), 17);
  EXPECT_EQ(sectors(affine(0), 16), 1);
  EXPECT_EQ(count(affine(0), 16).requests, 1);
}

TEST(SectorModel, TransposeOfDoublesIsIdealAlongRowsAndWorstAlongColumns) {
  constexpr std::int64_t kPitchBytes = 4096 * 8;
  constexpr std::int64_t kRequests = 4096 * 4096 / 32;
  static_assert(kRequests == 524'288);
  const request_count row = count(affine(8), 8);
  const request_count column = count(affine(kPitchBytes), 8);
  EXPECT_EQ(row, (request_count{1, 8, 2, 256, 256}));
  EXPECT_EQ(column, (request_count{1, 32, 32, 256, 256}));
  EXPECT_EQ(row.efficiency(), 1.0);
  EXPECT_EQ(column.efficiency(), 0.25);
  EXPECT_EQ(kRequests * row.sectors, 4'194'304);
  EXPECT_EQ(kRequests * column.sectors, 16'777'216);
}

TEST(SectorModel, InactiveLanesTouchNothing) {
  EXPECT_EQ(count(affine(4), 4, 0), request_count{});
  EXPECT_EQ(count(affine(4), 4, 0).efficiency(), 0.0);
  EXPECT_EQ(count(affine(4), 4, 0).requested_share(), 0.0);
  EXPECT_EQ(count(affine(4), 4, 0x8000'0000), (request_count{1, 1, 1, 4, 4}));
  EXPECT_EQ(count(affine(4), 4, 0x0000'00ff), (request_count{1, 1, 1, 32, 32}));
  EXPECT_EQ(count(affine(4), 4, 0x0101'0101), (request_count{1, 4, 1, 16, 16}));
  EXPECT_EQ(count(affine(4), 4, 0x5555'5555), (request_count{1, 4, 1, 64, 64}));
  EXPECT_EQ(count(affine(4), 4, 0x001f'ffe0), (request_count{1, 3, 1, 64, 64}));  // lanes 5 to 20
  EXPECT_EQ(count(affine(128), 4), (request_count{1, 32, 32, 128, 128}));
  EXPECT_EQ(count(affine(4), 4, 0x0101'0101).ideal_sectors(), 1);
  EXPECT_EQ(count(affine(4), 4, 0x5555'5555).ideal_sectors(), 2);
  EXPECT_EQ(count(affine(4), 4, 0x001f'ffe0).ideal_sectors(), 2);
}

TEST(SectorModel, LanesNotGivenAreInactive) {
  const std::array<std::uint64_t, 3> three{kBase, kBase + 4, kBase + 32};
  EXPECT_EQ(count_accesses(three, 4).value(), (request_count{1, 2, 1, 12, 12}));
  EXPECT_EQ(count_accesses(three, 4, 0xffff'fff8).value(), request_count{});
  EXPECT_EQ(count_accesses({}, 4).value(), request_count{});
  EXPECT_EQ(count_spans({}).value(), request_count{});
}

TEST(SectorModel, StrideSweepsOfEveryTypeMatchHandCounts) {
  struct row {
    std::uint32_t width;
    int stride, sectors;
  };
  for (const auto& [width, stride, expected] :
       {row{4, 1, 4},  row{4, 2, 8},  row{4, 3, 12}, row{4, 4, 16},  row{4, 5, 20},  row{4, 6, 24},
        row{4, 7, 28}, row{4, 8, 32}, row{4, 9, 32}, row{4, 16, 32}, row{4, 32, 32}, row{8, 1, 8},
        row{8, 2, 16}, row{8, 3, 24}, row{8, 4, 32}, row{16, 1, 16}, row{16, 2, 32}, row{2, 1, 2},
        row{2, 2, 4},  row{2, 3, 6},  row{2, 4, 8},  row{2, 8, 16},  row{2, 15, 30}, row{2, 16, 32},
        row{1, 1, 1},  row{1, 2, 2},  row{1, 8, 8},  row{1, 31, 31}, row{1, 32, 32}}) {
    SCOPED_TRACE(std::to_string(width) + " bytes, stride " + std::to_string(stride));
    EXPECT_EQ(sectors(affine(std::int64_t{width} * stride), width), expected);
  }
  EXPECT_EQ(count(affine(2 * 16), 2).efficiency(), 0.0625);
  EXPECT_EQ(count(affine(2 * 100), 2).efficiency(), 0.0625);
}

TEST(SectorModel, OffsetSweepsOfEveryTypeMatchHandCounts) {
  EXPECT_EQ(sectors(affine(4, 0), 4), 4);
  for (int offset = 1; offset <= 7; ++offset)
    EXPECT_EQ(sectors(affine(4, 4 * offset), 4), 5) << offset;
  EXPECT_EQ(sectors(affine(4, 4 * 8), 4), 4);
  EXPECT_EQ(sectors(affine(2, 2 * 1), 2), 3);
  EXPECT_EQ(sectors(affine(2, 2 * 15), 2), 3);
  EXPECT_EQ(sectors(affine(2, 2 * 16), 2), 2);
  EXPECT_EQ(sectors(affine(1, 1), 1), 2);
  EXPECT_EQ(sectors(affine(1, 31), 1), 2);
  EXPECT_EQ(sectors(affine(1, 32), 1), 1);
  EXPECT_EQ(sectors(affine(4, -4), 4), 5);
  EXPECT_EQ(sectors(affine(8, 8), 8), 9);
  EXPECT_EQ(sectors(affine(16, 16), 16), 17);
}

TEST(SectorModel, Float3FieldsCostTwelveSectorsEachAndShareThem) {
  for (const int field : {0, 4, 8}) {
    const request_count c = count(affine(12, field), 4);
    EXPECT_EQ(c, (request_count{1, 12, 3, 128, 128})) << field;
    EXPECT_DOUBLE_EQ(c.efficiency(), 1.0 / 3);
  }
  const request_count whole = count_spans(spans(affine(12), 12)).value();
  EXPECT_EQ(whole, (request_count{1, 12, 3, 384, 384}));
  EXPECT_EQ(whole.efficiency(), 1.0);
}

TEST(SectorModel, Double3FieldsCostTwentyFourSectorsOfAnIdealEight) {
  constexpr int kRequestsPerField = 1'048'576 / 32;
  std::int64_t total = 0, ideal = 0, requests = 0;
  for (const int field : {0, 8, 16}) {
    const request_count c = count(affine(24, field), 8);
    EXPECT_EQ(c.sectors, 24) << field;
    EXPECT_EQ(c.ideal_sectors(), 8) << field;
    EXPECT_DOUBLE_EQ(c.efficiency(), 1.0 / 3) << field;
    EXPECT_EQ(count(affine(24, 32 * 24 + field), 8), c) << "the next warp";
    requests += std::int64_t{kRequestsPerField} * c.requests;
    total += std::int64_t{kRequestsPerField} * c.sectors;
    ideal += std::int64_t{kRequestsPerField} * c.ideal_sectors();
  }
  EXPECT_EQ(requests, 98'304);
  EXPECT_EQ(total, 2'359'296);
  EXPECT_EQ(ideal, 786'432);
}

TEST(SectorModel, StructFieldByFieldCostsMoreThanOneWideAccess) {
  for (const int field : {0, 4}) EXPECT_EQ(sectors(affine(8, field), 4), 8);
  EXPECT_EQ(count(affine(8), 4).efficiency(), 0.5);
  EXPECT_EQ(count(affine(8), 8), (request_count{1, 8, 2, 256, 256}));

  for (const int field : {0, 8}) EXPECT_EQ(sectors(affine(16, field), 8), 16);
  EXPECT_EQ(count(affine(16), 8).efficiency(), 0.5);
  EXPECT_EQ(count(affine(16), 16), (request_count{1, 16, 4, 512, 512}));

  int field_sectors = 0;
  for (const int field : {0, 4, 8, 12}) field_sectors += sectors(affine(16, field), 4);
  EXPECT_EQ(field_sectors, 64);
  EXPECT_EQ(count(affine(16), 4).efficiency(), 0.25);
  EXPECT_EQ(count(affine(16), 16).efficiency(), 1.0);
}

TEST(SectorModel, OneChannelOfPackedRgbCostsThreeSectors) {
  for (int warp = 0; warp < 4; ++warp)
    for (int channel = 0; channel < 3; ++channel)
      EXPECT_EQ(sectors(affine(3, 96 * warp + channel), 1), 3) << warp << ' ' << channel;
  int words = 0;  // 128 pixels as 96 words: three requests
  for (int warp = 0; warp < 3; ++warp) words += sectors(affine(4, 128 * warp), 4);
  EXPECT_EQ(words, 12);
}

TEST(SectorModel, BroadcastIsOneSectorAndRequestsMoreThanItTouches) {
  const request_count broadcast = count(affine(0), 4);
  EXPECT_EQ(broadcast, (request_count{1, 1, 1, 128, 4}));
  EXPECT_EQ(broadcast.ideal_sectors(), 1);
  EXPECT_EQ(broadcast.requested_share(), 4.0);
  EXPECT_EQ(broadcast.efficiency(), 0.125);
  EXPECT_EQ(sectors(at([](int i) { return i / 2 * 4; }), 4), 2);
  EXPECT_EQ(sectors(at([](int i) { return i % 4 * 4; }), 4), 1);
  EXPECT_EQ(sectors(at([](int i) { return i % 2 * 4096; }), 4), 2);
}

TEST(SectorModel, OrderOfLanesDoesNotMatter) {
  const request_count in_order = count(affine(4), 4);
  EXPECT_EQ(count(at([](int i) { return 4 * (31 - i); }), 4), in_order);
  EXPECT_EQ(count(at([](int i) { return 4 * (3 * i & 31); }), 4), in_order);
  EXPECT_EQ(count(at([](int i) {
                    const int reversed =
                        (i & 1) << 4 | (i & 2) << 2 | (i & 4) | (i & 8) >> 2 | (i & 16) >> 4;
                    return 4 * reversed;
                  }),
                  4),
            in_order);
}

TEST(SectorModel, ReversedArrayKeepsFourSectorsIfItsEndIsAligned) {
  for (int warp = 0; warp < (1 << 15) / 32; ++warp)
    ASSERT_EQ(sectors(affine(-4, 4 * ((1 << 15) - 1 - 32 * warp)), 4), 4) << warp;
  EXPECT_EQ(sectors(affine(-4, 4 * (1 << 15)), 4), 5);  // first warp of 2^15 + 1 elements
  for (int warp = 0; warp < 1024 / 32; ++warp)
    ASSERT_EQ(sectors(affine(-4, 4 * (1023 - 32 * warp)), 4), 4) << warp;
}

TEST(SectorModel, WarpsOfEvenAndOddWordsTouchTheSameEightSectors) {
  EXPECT_EQ(sectors(affine(8, 0), 4), 8);
  EXPECT_EQ(sectors(affine(8, 4), 4), 8);
  EXPECT_EQ(count_spans(spans(affine(8), 8)).value().sectors, 8);  // the union of the two
}

TEST(SectorModel, UnalignedSpansCountTheSectorsTheyStraddle) {
  EXPECT_EQ(sectors(affine(1, 31), 1), 2);
  EXPECT_EQ(sectors(affine(1, 0), 1), 1);
  EXPECT_EQ(count_spans(spans(affine(4, 30), 4)).value(), (request_count{1, 5, 2, 128, 128}));
  const std::array<byte_span, 1> straddle{{{kBase + 127, 2}}};
  EXPECT_EQ(count_spans(straddle).value(), (request_count{1, 2, 2, 2, 2}));
}

TEST(SectorModel, VectorAccessesCountAllTheirWords) {
  struct row {
    warp_addresses addresses;
    std::uint32_t width;
    int sectors;
    std::uint64_t unique_bytes;
    double efficiency, first_word_efficiency;
  };
  for (const row& r : {row{affine(8), 8, 8, 256, 1.0, 0.5}, row{affine(16), 16, 16, 512, 1.0, 0.25},
                       row{affine(32), 16, 32, 512, 0.5, 0.125}}) {
    const request_count c = count(r.addresses, r.width);
    EXPECT_EQ(c.requests, 1);
    EXPECT_EQ(c.sectors, r.sectors);
    EXPECT_EQ(c.unique_bytes, r.unique_bytes);
    EXPECT_EQ(c.efficiency(), r.efficiency);
    const request_count first_words = count(r.addresses, 4);
    EXPECT_EQ(first_words.sectors, r.sectors);
    EXPECT_EQ(first_words.unique_bytes, 128u);
    EXPECT_EQ(first_words.efficiency(), r.first_word_efficiency);
  }
  EXPECT_EQ(count(affine(0), 16), (request_count{1, 1, 1, 512, 16}));
  EXPECT_EQ(count(affine(0), 16).efficiency(), 0.5);
  EXPECT_EQ(sectors(affine(16), 16, 0x0000'00ff), 4);
  EXPECT_EQ(sectors(affine(16), 16, 0x0000'0003), 1);
}

TEST(SectorModel, SmallTypesAreFullyEfficientWithFewerSectors) {
  for (const std::uint32_t width : {4u, 2u, 1u}) {
    EXPECT_EQ(sectors(affine(width), width), static_cast<int>(width));
    EXPECT_EQ(count(affine(width), width).efficiency(), 1.0);
  }
}

TEST(SectorModel, IdealDependsOnWidthAndActiveLanes) {
  EXPECT_EQ(count(affine(4), 4).ideal_sectors(), 4);  // a gate at 1 sector would be wrong
  EXPECT_EQ(count(affine(0), 4).ideal_sectors(), 1);  // and so would one at 4
  EXPECT_EQ(count(affine(4 * 7), 4).sectors, 28);
  EXPECT_EQ(count(affine(4 * 7), 4).ideal_sectors(), 4);
  EXPECT_EQ(count(affine(8), 8).sectors, 8);
  EXPECT_EQ(count(affine(8), 8).ideal_sectors(), 8);
  EXPECT_EQ(count(affine(4), 4, 0x0000'ffff).ideal_sectors(), 2);
  EXPECT_EQ(count(affine(1), 1, 0x0000'0001).ideal_sectors(), 1);
}

TEST(SectorModel, SpansOfNoBytesTouchNothing) {
  EXPECT_EQ(count_spans(spans(affine(4), 0)).value(), request_count{});
  const std::array<byte_span, 3> mixed{{{kBase, 0}, {kBase + 64, 4}, {kLastByte, 0}}};
  EXPECT_EQ(count_spans(mixed).value(), (request_count{1, 1, 1, 4, 4}));
}

TEST(SectorModel, LongSpansCountEverySectorOnce) {
  const std::array<byte_span, 3> nested{{{kBase, 1 << 20}, {kBase + 100, 7}, {kBase + 4096, 64}}};
  EXPECT_EQ(count_spans(nested).value(),
            (request_count{1, 1 << 15, 1 << 13, (1 << 20) + 71, 1 << 20}));
  const std::array<byte_span, 2> overlapping{{{kBase + 90, 100}, {kBase + 10, 100}}};
  EXPECT_EQ(count_spans(overlapping).value(), (request_count{1, 6, 2, 200, 180}));

  // 32 times 1 GiB, each starting at the last byte of a sector: the largest counts there are.
  const auto longest = spans(affine(std::int64_t{1} << 31, 31), kMaxSpanBytes);
  constexpr int kSectorsEach = (1 << 25) + 1, kLinesEach = (1 << 23) + 1;
  EXPECT_EQ(count_spans(longest).value(),
            (request_count{1, 32 * kSectorsEach, 32 * kLinesEach, std::uint64_t{1} << 35,
                           std::uint64_t{1} << 35}));
  EXPECT_EQ(count_spans(longest).value().ideal_sectors(), 1 << 30);
}

TEST(SectorModel, TopOfTheAddressSpaceIsUsable) {
  const std::array<byte_span, 2> top{{{kLastByte, 1}, {kLastByte - 32, 33}}};
  EXPECT_EQ(count_spans(top).value(), (request_count{1, 2, 1, 34, 33}));
  warp_addresses last_floats{};
  for (std::size_t i = 0; i < last_floats.size(); ++i) last_floats[i] = ~std::uint64_t{3} - 4 * i;
  EXPECT_EQ(count(last_floats, 4), (request_count{1, 4, 1, 128, 128}));
}

TEST(SectorModelFaults, MisalignedAccessNamesLaneAddressAndRemainder) {
  const std::array<std::uint64_t, 1> odd{376'922'898};
  const sector_result result = count_accesses(odd, 4);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.fault(), (sector_fault{fault_kind::kMisaligned, 0, 376'922'898, 4, 0}));
  EXPECT_EQ(describe(result.fault()),
            "lane 0: address 376922898 is not a multiple of the access size 4 "
            "(376922898 mod 4 = 2)");
  EXPECT_TRUE(count_accesses(odd, 1).ok());
  EXPECT_TRUE(count_accesses(odd, 2).ok());
}

TEST(SectorModelFaults, SixteenByteAccessesNeedMultiplesOfSixteen) {
  const std::array<std::uint64_t, 2> offset4{260, 276}, offset8{264, 280}, offset16{272, 288};
  EXPECT_EQ(describe(count_accesses(offset4, 16).fault()),
            "lane 0: address 260 is not a multiple of the access size 16 (260 mod 16 = 4)");
  EXPECT_EQ(describe(count_accesses(offset8, 16).fault()),
            "lane 0: address 264 is not a multiple of the access size 16 (264 mod 16 = 8)");
  EXPECT_EQ(count_accesses(offset16, 16).value(), (request_count{1, 2, 1, 32, 32}));
  EXPECT_TRUE(count_accesses(affine(16, 16), 16).ok());
  // 37 floats are nine 16-byte accesses, and one float that is left over.
  EXPECT_EQ(count(affine(16), 16, 0x0000'01ff), (request_count{1, 5, 2, 144, 144}));
  EXPECT_EQ(count(affine(4, 144), 4, 0x0000'0001), (request_count{1, 1, 1, 4, 4}));
}

TEST(SectorModelFaults, EveryWidthRefusesEveryOtherRemainder) {
  for (const std::uint32_t width : {1u, 2u, 4u, 8u, 16u, 32u})
    for (std::uint64_t remainder = 0; remainder < width; ++remainder) {
      warp_addresses addresses = affine(32);
      addresses[19] += remainder;
      const sector_result result = count_accesses(addresses, width);
      EXPECT_EQ(result.ok(), remainder == 0) << width << ' ' << remainder;
      EXPECT_EQ(result.fault().lane, remainder == 0 ? -1 : 19);
    }
}

TEST(SectorModelFaults, InactiveLanesAreNeverJudged) {
  warp_addresses addresses = affine(4);
  addresses[7] += 1;
  EXPECT_EQ(count_accesses(addresses, 4).fault().lane, 7);
  EXPECT_EQ(count_accesses(addresses, 4, ~(1u << 7)).value(), (request_count{1, 4, 1, 124, 124}));

  auto lanes = spans(affine(4), 4);
  lanes[7] = {kLastByte, 2};
  EXPECT_EQ(count_spans(lanes).fault().lane, 7);
  EXPECT_EQ(count_spans(lanes, ~(1u << 7)).value(), (request_count{1, 4, 1, 124, 124}));
}

TEST(SectorModelFaults, FirstLaneAtFaultIsNamed) {
  warp_addresses addresses = affine(4);
  addresses[9] += 2;
  addresses[30] += 1;
  EXPECT_EQ(count_accesses(addresses, 4).fault().lane, 9);
  EXPECT_EQ(count_accesses(addresses, 4, ~(1u << 9)).fault().lane, 30);
}

TEST(SectorModelFaults, OtherWidthsThanPowersOfTwoUpToThirtyTwoAreRefused) {
  for (const std::uint32_t width : {0u, 3u, 5u, 6u, 7u, 12u, 15u, 17u, 24u, 64u, 1u << 31}) {
    const sector_result result = count_accesses(affine(0), width, 0);
    ASSERT_FALSE(result.ok()) << width;
    EXPECT_EQ(result.fault(), (sector_fault{fault_kind::kBadWidth, -1, 0, width, 0}));
    EXPECT_EQ(describe(result.fault()),
              "access size " + std::to_string(width) + " is not 1, 2, 4, 8, 16 or 32 bytes");
  }
}

TEST(SectorModelFaults, MoreThanThirtyTwoLanesAreRefused) {
  const std::vector<std::uint64_t> addresses(33, kBase);
  const std::vector<byte_span> lanes(33, {kBase, 4});
  const sector_fault expected{fault_kind::kTooManyLanes, -1, 0, 0, 33};
  EXPECT_EQ(count_accesses(addresses, 4, 0).fault(), expected);
  EXPECT_EQ(count_spans(lanes, 0).fault(), expected);
  EXPECT_EQ(describe(expected), "33 lanes given: a warp has 32");
}

TEST(SectorModelFaults, SpanPastTheEndOfTheAddressSpaceIsRefused) {
  const std::array<byte_span, 2> wraps{{{kBase, 4}, {kLastByte - 7, 16}}};
  EXPECT_EQ(count_spans(wraps).fault(),
            (sector_fault{fault_kind::kWraps, 1, kLastByte - 7, 16, 0}));
  EXPECT_EQ(describe(count_spans(wraps).fault()),
            "lane 1: 16 bytes from address 18446744073709551608 run past the end of the 64-bit "
            "address space");
  const std::array<byte_span, 1> by_one{{{kLastByte, 2}}}, by_most{{{kLastByte, kLastByte}}};
  EXPECT_EQ(count_spans(by_one).fault().kind, fault_kind::kWraps);
  EXPECT_EQ(count_spans(by_most).fault().kind, fault_kind::kWraps);
}

TEST(SectorModelFaults, SpanLongerThanTheLimitIsRefused) {
  const std::array<byte_span, 1> longest{{{4096, kMaxSpanBytes}}};
  const std::array<byte_span, 1> longer{{{4096, kMaxSpanBytes + 1}}};
  EXPECT_EQ(count_spans(longest).value().sectors, 1 << 25);
  EXPECT_EQ(describe(count_spans(longer).fault()),
            "lane 0: 1073741825 bytes from address 4096 are more than one lane may span "
            "(1073741824)");
  const std::array<byte_span, 1> everything{{{0, kLastByte}}};
  EXPECT_EQ(count_spans(everything).fault().kind, fault_kind::kTooLong);
}

TEST(SectorModelFaults, CountedRequestHasNoFault) {
  EXPECT_EQ(count_accesses(affine(4), 4).fault(), sector_fault{});
  EXPECT_EQ(describe(sector_fault{}), "no fault");
}

// Random lane maps against the brute force. A failing run is repeated with the seed it printed:
// SECTORBENCH_TEST_SEED=<seed>.
class SectorModelRandom : public testing::Test {
 protected:
  static constexpr int kMaps = 20'000;

  void SetUp() override {
    const char* wanted = std::getenv("SECTORBENCH_TEST_SEED");
    const auto seed =
        wanted != nullptr
            ? static_cast<std::mt19937_64::result_type>(std::strtoull(wanted, nullptr, 10))
            : std::random_device{}();
    std::cout << "SECTORBENCH_TEST_SEED=" << seed << '\n';
    random_.seed(seed);
  }

  /// A number from 0 to `last`.
  std::uint64_t up_to(std::uint64_t last) {
    return std::uniform_int_distribution<std::uint64_t>{0, last}(random_);
  }

  /// Dense enough that lanes share sectors, lines and bytes; sparse now and then.
  std::uint64_t window_bytes() {
    return std::array<std::uint64_t, 6>{16, 64, 256, 1024, 4096, 1 << 20}[up_to(5)];
  }

  /// The lowest address of a map that needs `bytes` bytes: low, anywhere, or at the very top.
  std::uint64_t origin(std::uint64_t bytes) {
    const std::uint64_t highest = kLastByte - (bytes - 1);
    switch (up_to(3)) {
      case 0:
        return up_to(256);
      case 1:
        return highest - up_to(256);
      default:
        return up_to(highest);
    }
  }

  std::uint32_t mask() {
    const auto bits = static_cast<std::uint32_t>(random_());
    return std::array<std::uint32_t, 4>{kAllLanes, bits, bits & kAllLanes << up_to(31),
                                        std::uint32_t{1} << up_to(31)}[up_to(3)];
  }

  std::size_t lane_count() { return up_to(3) == 0 ? up_to(kWarpLanes) : kWarpLanes; }

  static void expect_equal(const sector_result& result, const std::vector<byte_span>& lanes,
                           std::uint32_t active) {
    std::ostringstream map;
    map << std::hex << "active " << active;
    for (const auto& [address, bytes] : lanes) map << ' ' << address << '+' << bytes;
    ASSERT_TRUE(result.ok()) << describe(result.fault()) << ": " << map.str();
    const request_count& c = result.value();
    const auto expected = test::count_byte_by_byte(lanes, active);
    ASSERT_EQ(c.requests, expected.unique_bytes == 0 ? 0 : 1) << map.str();
    ASSERT_EQ(static_cast<std::size_t>(c.sectors), expected.sectors) << map.str();
    ASSERT_EQ(static_cast<std::size_t>(c.lines), expected.lines) << map.str();
    ASSERT_EQ(c.unique_bytes, expected.unique_bytes) << map.str();
    ASSERT_EQ(c.requested_bytes, expected.requested_bytes) << map.str();
    ASSERT_LE(c.ideal_sectors(), c.sectors) << map.str();
  }

  std::mt19937_64 random_;
};

TEST_F(SectorModelRandom, TypedAccessesEqualTheBruteForce) {
  int per_width[5] = {};
  for (int map = 0; map < kMaps; ++map) {
    const std::uint64_t log_width = up_to(4), width = std::uint64_t{1} << log_width;
    const std::uint64_t window = std::max(window_bytes(), width);
    const std::uint64_t start = origin(window) & ~(width - 1);
    std::vector<std::uint64_t> addresses(lane_count());
    for (auto& address : addresses) address = start + up_to(window / width - 1) * width;
    std::vector<byte_span> lanes;
    for (const auto address : addresses) lanes.push_back({address, width});
    const std::uint32_t active = mask();
    const auto result = count_accesses(addresses, static_cast<std::uint32_t>(width), active);
    ASSERT_NO_FATAL_FAILURE(expect_equal(result, lanes, active)) << "map " << map;
    ASSERT_EQ(result.value(), count_spans(lanes, active).value());
    ++per_width[log_width];
  }
  for (const int maps : per_width) EXPECT_GT(maps, kMaps / 10);
}

TEST_F(SectorModelRandom, SpansEqualTheBruteForce) {
  for (int map = 0; map < kMaps; ++map) {
    const std::uint64_t longest = std::array<std::uint64_t, 4>{4, 16, 33, 300}[up_to(3)];
    const std::uint64_t window = window_bytes();
    const std::uint64_t start = origin(window + longest);
    std::vector<byte_span> lanes(lane_count());
    for (auto& [address, bytes] : lanes) {
      address = start + up_to(window);
      bytes = up_to(longest);
    }
    const std::uint32_t active = mask();
    ASSERT_NO_FATAL_FAILURE(expect_equal(count_spans(lanes, active), lanes, active))
        << "map " << map;
  }
}

TEST_F(SectorModelRandom, OneMisplacedLaneIsFoundWhereverItIs) {
  for (int map = 0; map < kMaps; ++map) {
    const std::uint64_t width = std::uint64_t{2} << up_to(3);
    const std::uint64_t start = origin(4096) & ~(width - 1);
    warp_addresses addresses{};
    for (auto& address : addresses) address = start + up_to(4096 / width - 1) * width;
    const std::uint64_t at_fault = up_to(kWarpLanes - 1);
    addresses[at_fault] += 1 + up_to(width - 2);
    const std::uint32_t active = mask();
    const auto result = count_accesses(addresses, static_cast<std::uint32_t>(width), active);
    const bool judged = (active >> at_fault & 1) == 1;
    ASSERT_EQ(result.ok(), !judged) << "map " << map;
    if (judged) {
      ASSERT_EQ(result.fault().lane, static_cast<int>(at_fault));
      ASSERT_EQ(result.fault().address, addresses[at_fault]);
    }
  }
}

}  // namespace
}  // namespace sectorbench
