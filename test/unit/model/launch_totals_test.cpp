// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/model/launch_totals.hpp"

#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <random>
#include <vector>

#include "sectorbench/patterns/chunk.hpp"
#include "sectorbench/patterns/contiguous.hpp"
#include "sectorbench/patterns/grid_loop.hpp"
#include "sectorbench/patterns/offset.hpp"
#include "sectorbench/patterns/stride.hpp"
#include "sectorbench/patterns/unrolled.hpp"
#include "test/support/brute_force_launch.hpp"

namespace sectorbench {

void PrintTo(const side_totals& side, std::ostream* out) {
  *out << side.requests << " requests, " << side.sectors << " sectors, " << side.lines << " lines";
}

void PrintTo(const launch_totals& totals, std::ostream* out) {
  *out << "loads: ";
  PrintTo(totals.loads, out);
  *out << "; stores: ";
  PrintTo(totals.stores, out);
}

namespace {

constexpr index_t kReferenceElements = index_t{64} << 20;

template <class P, class... Values>
P pattern_of(index_t n, Values... values) {
  const std::array<index_t, sizeof...(Values)> list{index_t{values}...};
  return P::make(n, list);
}

// The same counts for each of `requests` requests.
side_totals uniform(std::uint64_t requests, std::uint64_t sectors, std::uint64_t lines) {
  return {requests, requests * sectors, requests * lines};
}

// Exact answers, the first of them for the reference program's launch: 64 Mi elements in blocks of
// 256.

struct stride_anchor {
  index_t step;
  std::uint64_t sectors, lines;
};

TEST(LaunchTotals, ReferenceStridesOfFloatsAreExact) {
  constexpr std::array anchors{stride_anchor{1, 4, 1},    stride_anchor{2, 8, 2},
                               stride_anchor{4, 16, 4},   stride_anchor{8, 32, 8},
                               stride_anchor{16, 32, 16}, stride_anchor{32, 32, 32}};
  for (const auto& [step, sectors, lines] : anchors) {
    const auto totals = count_launch<copy>(pattern_of<stride>(kReferenceElements, step), {256}, 4);
    EXPECT_EQ(totals.loads, uniform(2'097'152, sectors, lines)) << "stride " << step;
    EXPECT_EQ(totals.stores, uniform(2'097'152, sectors, lines)) << "stride " << step;
  }
}

TEST(LaunchTotals, StrideOfFloatsCountsTheSectorsThatTheT4Counted) {
  const auto sectors = [](index_t step) {
    return count_launch<copy>(pattern_of<stride>(kReferenceElements, step), {256}, 4).loads.sectors;
  };
  EXPECT_EQ(sectors(1), 8'388'608u);
  EXPECT_EQ(sectors(2), 16'777'216u);
  EXPECT_EQ(sectors(4), 33'554'432u);
  EXPECT_EQ(sectors(8), 67'108'864u);
  EXPECT_EQ(sectors(32), 67'108'864u);
}

TEST(LaunchTotals, ReferenceChunkOfFloatsTouchesALinePerLane) {
  const auto totals = count_launch<copy>(pattern_of<chunk>(kReferenceElements, 32), {256}, 4);
  EXPECT_EQ(totals.loads, uniform(2'097'152, 32, 32));
  EXPECT_EQ(totals.stores, uniform(2'097'152, 32, 32));
}

TEST(LaunchTotals, CoalescedPatternsTouchAsManySectorsAsTheElementHasBytes) {
  for (const int width : {1, 2, 4, 8, 16}) {
    const auto sectors = static_cast<std::uint64_t>(width);
    const auto lines = sectors <= 4 ? 1 : sectors / 4;
    const side_totals exact = uniform(32768, sectors, lines);
    constexpr index_t n = index_t{1} << 20;
    EXPECT_EQ(count_launch<copy>(contiguous{n}, {256}, width).loads, exact) << width;
    EXPECT_EQ(count_launch<copy>(unrolled<4>{n}, {256}, width).stores, exact) << width;
    EXPECT_EQ(count_launch<copy>(grid_loop{n, 64}, {256}, width).loads, exact) << width;
    EXPECT_EQ(count_launch<copy>(pattern_of<offset>(n, 0, 0), {256}, width).stores, exact) << width;
  }
}

// Sectors per request by element type and stride.
TEST(LaunchTotals, StridesOfEveryTypeSaturateAtOneSectorPerLane) {
  struct anchor {
    int width;
    index_t step;
    std::uint64_t sectors;
  };
  constexpr std::array anchors{
      anchor{4, 1, 4},   anchor{4, 2, 8},   anchor{4, 3, 12}, anchor{4, 5, 20},  anchor{4, 7, 28},
      anchor{4, 8, 32},  anchor{8, 1, 8},   anchor{8, 2, 16}, anchor{8, 3, 24},  anchor{8, 4, 32},
      anchor{16, 1, 16}, anchor{16, 2, 32}, anchor{2, 1, 2},  anchor{2, 2, 4},   anchor{2, 3, 6},
      anchor{2, 15, 30}, anchor{2, 4, 8},   anchor{2, 8, 16}, anchor{2, 16, 32}, anchor{1, 1, 1},
      anchor{1, 2, 2},   anchor{1, 8, 8},   anchor{1, 32, 32}};
  for (const auto& [width, step, sectors] : anchors) {
    const auto totals = count_launch<read>(pattern_of<stride>(step * 32, step), {32}, width);
    EXPECT_EQ(totals.loads.requests, static_cast<std::uint64_t>(step));
    EXPECT_EQ(totals.loads.sectors_per_request(), static_cast<double>(sectors))
        << width << " bytes, stride " << step;
  }
}

TEST(LaunchTotals, OffsetOfOneFloatAddsASectorAndALineToEachRequest) {
  constexpr index_t n = index_t{1} << 20;
  const auto totals = count_launch<copy>(pattern_of<offset>(n, 1, 1), {256}, 4);
  EXPECT_EQ(totals.loads, uniform(32768, 5, 2));
  EXPECT_EQ(totals.stores, uniform(32768, 5, 2));
}

TEST(LaunchTotals, OffsetOfASectorAddsOnlyALine) {
  constexpr index_t n = index_t{1} << 20;
  const auto totals = count_launch<copy>(pattern_of<offset>(n, 8, 0), {256}, 4);
  EXPECT_EQ(totals.loads, uniform(32768, 4, 2));
  EXPECT_EQ(totals.stores, uniform(32768, 4, 1));
}

// Whole arrays of the other types.
TEST(LaunchTotals, OffsetsOfOtherTypesAddOneSector) {
  constexpr index_t n = index_t{1} << 16;
  const auto sectors = [](int width, index_t by) {
    return count_launch<read>(pattern_of<offset>(n, by, 0), {256}, width)
        .loads.sectors_per_request();
  };
  EXPECT_EQ(sectors(2, 1), 3);
  EXPECT_EQ(sectors(2, 15), 3);
  EXPECT_EQ(sectors(2, 16), 2);
  EXPECT_EQ(sectors(1, 1), 2);
  EXPECT_EQ(sectors(1, 31), 2);
  EXPECT_EQ(sectors(1, 32), 1);
  EXPECT_EQ(sectors(4, 7), 5);
  EXPECT_EQ(sectors(4, 8), 4);
  EXPECT_EQ(sectors(8, 1), 9);
  EXPECT_EQ(sectors(16, 1), 17);
}

// A transpose's column walk of doubles is a stride of 4096.
TEST(LaunchTotals, GatherOfDoublesByColumnsReadsAQuarterAndStoresDense) {
  constexpr index_t kSide = 4096;
  const auto pattern = pattern_of<stride>(kSide * kSide, kSide);
  const auto gathered = count_launch<gather>(pattern, {256}, 8);
  EXPECT_EQ(gathered.loads, uniform(524'288, 32, 32));
  EXPECT_EQ(gathered.stores, uniform(524'288, 8, 2));
  const auto scattered = count_launch<scatter>(pattern, {256}, 8);
  EXPECT_EQ(scattered.loads, gathered.stores);
  EXPECT_EQ(scattered.stores, gathered.loads);
}

// One channel of packed bytes, 3 sectors per warp wherever the channel starts.
TEST(LaunchTotals, EveryThirdByteTouchesThreeSectorsPerWarp) {
  const auto totals = count_launch<read>(pattern_of<stride>(96 * 1000, 3), {256}, 1);
  EXPECT_EQ(totals.loads.requests, 3000u);
  EXPECT_EQ(totals.loads.sectors, 9000u);
}

TEST(LaunchTotals, OperationsWithoutASideCountNothingThere) {
  const auto pattern = pattern_of<stride>(100'000, 8);
  const auto reads = count_launch<read>(pattern, {256}, 4);
  const auto writes = count_launch<write>(pattern, {256}, 4);
  EXPECT_EQ(reads.stores, side_totals{});
  EXPECT_EQ(writes.loads, side_totals{});
  EXPECT_EQ(reads.loads, writes.stores);
  EXPECT_EQ(reads.stores.sectors_per_request(), 0.0);
  EXPECT_EQ(reads.sector_bytes(), reads.loads.sectors * 32);
}

TEST(LaunchTotals, OneElementIsOneRequestOfOneSector) {
  for (const int width : {1, 2, 4, 8, 16}) {
    const launch_totals one{{1, 1, 1}, {1, 1, 1}};
    EXPECT_EQ(count_launch<copy>(contiguous{1}, {256}, width), one);
    EXPECT_EQ(count_launch<copy>(unrolled<8>{1}, {256}, width), one);
    EXPECT_EQ(count_launch<gather>(pattern_of<stride>(1, 32), {256}, width), one);
    EXPECT_EQ(count_launch<scatter>(pattern_of<chunk>(1, 32), {256}, width), one);
    EXPECT_EQ(count_launch<copy>(pattern_of<grid_loop>(1, 32), {256}, width), one);
  }
}

TEST(LaunchTotals, WarpsWithoutAnActiveLaneAskForNothing) {
  // 33 elements in a block of 256: two requests, the second with one lane.
  const auto totals = count_launch<copy>(contiguous{33}, {256}, 4);
  EXPECT_EQ(totals.loads, (side_totals{2, 5, 2}));
}

TEST(LaunchTotals, BlocksThatAreNoMultipleOfAWarpEndInAShortWarp) {
  // 100 threads: warps of 32, 32, 32 and 4 lanes, 16 bytes at the end; blocks start 16 bytes on.
  const auto totals = count_launch<read>(contiguous{100}, {100}, 4);
  EXPECT_EQ(totals.loads, (side_totals{4, 13, 4}));
}

TEST(LaunchTotals, AddressesPast32BitsAreCountedExactly) {
  // 16 bytes x (2^31 - 1) elements: the loads start 16 bytes before a sector's end, near 32 GiB.
  const auto totals = count_launch<copy>(pattern_of<offset>(64, kMaxParameter, 0), {256}, 16);
  EXPECT_EQ(totals.loads, uniform(2, 17, 5));
  EXPECT_EQ(totals.stores, uniform(2, 16, 4));
}

// The other opinion, on random launches.

class random_launch {
 public:
  explicit random_launch(unsigned seed) : random_(seed) {}

  index_t between(index_t low, index_t high) {
    return std::uniform_int_distribution<index_t>(low, high)(random_);
  }
  /// Small values more often than large ones.
  index_t skewed(index_t high) { return between(1, between(1, high)); }
  block_size block() {
    constexpr std::array<unsigned, 10> kBlocks{1, 7, 31, 32, 33, 64, 100, 128, 256, 1000};
    return {kBlocks[static_cast<std::size_t>(between(0, 9))]};
  }
  int width() { return 1 << between(0, 4); }

 private:
  std::mt19937 random_;
};

template <class P>
void expect_equal_counts(const P& pattern, block_size block, int width) {
  const auto both = [&]<class Op>(Op) {
    EXPECT_EQ(count_launch<Op>(pattern, block, width),
              test::brute_force_totals<Op>(pattern, block, width))
        << name_of(Op::kKind) << ", block " << block.threads() << ", " << width << " bytes";
  };
  both(copy{});
  both(gather{});
  both(scatter{});
  both(read{});
  both(write{});
}

/// A hundred launches of patterns that `draw` makes of n.
template <class Draw>
void expect_equal_counts_of_draws(unsigned seed, index_t most_elements, const Draw& draw) {
  random_launch random(seed);
  for (int i = 0; i < 100; ++i) {
    const index_t n = random.skewed(most_elements);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", draw " << i << ", n " << n);
    draw(random, n);
    if (testing::Test::HasFailure()) return;
  }
}

constexpr unsigned kSeed = 20240611;

TEST(LaunchTotalsByBruteForce, ContiguousAgrees) {
  expect_equal_counts_of_draws(kSeed, 3000, [](random_launch& random, index_t n) {
    expect_equal_counts(contiguous{n}, random.block(), random.width());
  });
}

TEST(LaunchTotalsByBruteForce, UnrolledAgrees) {
  expect_equal_counts_of_draws(kSeed + 1, 3000, [](random_launch& random, index_t n) {
    expect_equal_counts(unrolled<2>{n}, random.block(), random.width());
    expect_equal_counts(unrolled<4>{n}, random.block(), random.width());
    expect_equal_counts(unrolled<8>{n}, random.block(), random.width());
  });
}

TEST(LaunchTotalsByBruteForce, StrideAgrees) {
  expect_equal_counts_of_draws(kSeed + 2, 3000, [](random_launch& random, index_t n) {
    const index_t step = random.skewed(200);
    SCOPED_TRACE(testing::Message() << "step " << step);
    expect_equal_counts(pattern_of<stride>(n, step), random.block(), random.width());
  });
}

TEST(LaunchTotalsByBruteForce, ChunkAgrees) {
  expect_equal_counts_of_draws(kSeed + 3, 3000, [](random_launch& random, index_t n) {
    const index_t length = random.skewed(100);
    SCOPED_TRACE(testing::Message() << "length " << length);
    expect_equal_counts(pattern_of<chunk>(n, length), random.block(), random.width());
  });
}

TEST(LaunchTotalsByBruteForce, GridLoopAgrees) {
  expect_equal_counts_of_draws(kSeed + 4, 3000, [](random_launch& random, index_t n) {
    const index_t steps = random.skewed(20);
    SCOPED_TRACE(testing::Message() << "steps " << steps);
    expect_equal_counts(pattern_of<grid_loop>(n, steps), random.block(), random.width());
  });
}

TEST(LaunchTotalsByBruteForce, OffsetAgrees) {
  expect_equal_counts_of_draws(kSeed + 5, 3000, [](random_launch& random, index_t n) {
    const index_t loads = random.between(0, 70), stores = random.between(0, 70);
    SCOPED_TRACE(testing::Message() << "offsets " << loads << ", " << stores);
    expect_equal_counts(pattern_of<offset>(n, loads, stores), random.block(), random.width());
  });
}

/// Threads count backwards through the elements.
struct reversed {
  static constexpr std::string_view kName = "reversed";
  static constexpr std::string_view kSummary = "thread t moves element n - 1 - t";
  static constexpr std::string_view kMapping = "as a test needs it";
  static constexpr auto kParameters = kNoParameters;
  static constexpr bool kThreadsAffine = true;
  index_t n;
  static constexpr reversed make(index_t n, std::span<const index_t>) { return {n}; }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }
  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    a.move(t.column() < n, n - 1 - t.column(), t.column());
  }
};

TEST(LaunchTotalsByBruteForce, LanesThatCountBackwardsAgree) {
  expect_equal_counts_of_draws(kSeed + 6, 3000, [](random_launch& random, index_t n) {
    expect_equal_counts(reversed{n}, random.block(), random.width());
  });
}

/// Blocks of rows: lane 16 sits a row below lane 0. Not affine, and says so.
struct two_rows {
  static constexpr std::string_view kName = "two_rows";
  static constexpr std::string_view kSummary = "half a warp per row of 1000 elements";
  static constexpr std::string_view kMapping = "as a test needs it";
  static constexpr auto kParameters = kNoParameters;
  static constexpr bool kThreadsAffine = false;
  index_t n;
  static constexpr two_rows make(index_t n, std::span<const index_t>) { return {n}; }
  constexpr launch_shape shape(block_size) const { return {groups_of(16, n), 1, 1, {16, 2}}; }
  constexpr side_extent loads() const { return {n + 1000, 0, coverage::kInjection}; }
  constexpr side_extent stores() const { return loads(); }
  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    a.move(t.column() < n, t.column() + 1000 * index_t{t.thread_y}, t.column());
  }
};

TEST(LaunchTotalsByBruteForce, BlocksOfTwoRowsAgreeLaneByLane) {
  expect_equal_counts_of_draws(kSeed + 7, 1000, [](random_launch& random, index_t n) {
    expect_equal_counts(two_rows{n}, {}, random.width());
  });
}

TEST(LaunchTotals, ReversedArrayIsAsCoalescedAsItsEndIsAligned) {
  // 4 sectors where n is a multiple of 8; one element more and each warp has 5.
  EXPECT_EQ(count_launch<read>(reversed{1 << 15}, {256}, 4).loads, uniform(1024, 4, 1));
  const side_totals odd = count_launch<read>(reversed{(1 << 15) + 1}, {256}, 4).loads;
  EXPECT_EQ(odd, (side_totals{1025, 1024 * 5 + 1, 1024 * 2 + 1}));
}

}  // namespace
}  // namespace sectorbench
