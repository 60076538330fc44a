// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "sectorbench/patterns/chunk.hpp"
#include "sectorbench/patterns/contiguous.hpp"
#include "sectorbench/patterns/grid_loop.hpp"
#include "sectorbench/patterns/offset.hpp"
#include "sectorbench/patterns/stride.hpp"
#include "sectorbench/patterns/unrolled.hpp"
#include "sectorbench/verify/proof.hpp"

namespace sectorbench {
namespace {

// Proofs that the compiler runs: every pattern, every operation, n around a row's or block's end.

template <access_pattern P, class... Values>
constexpr bool covers(index_t n, block_size block, Values... values) {
  const std::array<index_t, sizeof...(Values)> list{index_t{values}...};
  const P pattern = P::make(n, list);
  return prove<copy>(pattern, block).ok() && prove<gather>(pattern, block).ok() &&
         prove<scatter>(pattern, block).ok() && prove<read>(pattern, block).ok() &&
         prove<write>(pattern, block).ok();
}

template <access_pattern P, class... Values>
constexpr bool covers_small_sizes(Values... values) {
  for (const index_t n : {1, 2, 31, 32, 33, 50})
    if (!covers<P>(n, {32}, values...) || !covers<P>(n, {5}, values...)) return false;
  return covers<P>(7, {1}, values...) && covers<P>(70, {8, 4}, values...);
}

static_assert(covers_small_sizes<contiguous>());
static_assert(covers_small_sizes<unrolled<2>>(2));
static_assert(covers_small_sizes<unrolled<4>>(4));
static_assert(covers_small_sizes<unrolled<8>>(8));
static_assert(covers_small_sizes<stride>(1));
static_assert(covers_small_sizes<stride>(2));
static_assert(covers_small_sizes<stride>(7));
static_assert(covers_small_sizes<stride>(32));
static_assert(covers_small_sizes<stride>(kMaxParameter));
static_assert(covers_small_sizes<chunk>(1));
static_assert(covers_small_sizes<chunk>(3));
static_assert(covers_small_sizes<chunk>(32));
static_assert(covers_small_sizes<grid_loop>(1));
static_assert(covers_small_sizes<grid_loop>(2));
static_assert(covers_small_sizes<grid_loop>(100));
static_assert(covers_small_sizes<offset>(0, 0));
static_assert(covers_small_sizes<offset>(1, 7));
static_assert(covers_small_sizes<offset>(kMaxParameter, 8));

// Where the elements lie, by hand. A memory that writes down what it is asked.

struct written_down {
  using value = index_t;
  std::array<index_t, 16> loads{}, stores{}, makes{};
  std::size_t load_count = 0, store_count = 0, make_count = 0, sink_count = 0, off_count = 0;
  std::size_t loads_before_first_store = 0;

  constexpr value load(bool on, index_t i) {
    if (on) loads[load_count++] = i;
    if (!on) ++off_count;
    return i;
  }
  constexpr void store(bool on, index_t i, value) {
    if (store_count == 0) loads_before_first_store = load_count;
    if (on) stores[store_count++] = i;
  }
  constexpr value made(bool on, index_t i) {
    if (on) makes[make_count++] = i;
    return i;
  }
  constexpr void sink(bool on, value) { sink_count += on ? 1 : 0; }
};

template <class Op, access_pattern P>
constexpr written_down thread_of(const P& pattern, block_size block, unsigned block_x,
                                 unsigned block_y, unsigned thread_x) {
  const launch_shape shape = pattern.shape(block);
  written_down memory;
  pattern.run(lane{thread_x, 0, block_x, block_y, 0, shape.block.x, shape.block.y,
                   static_cast<unsigned>(shape.grid_x), static_cast<unsigned>(shape.grid_y)},
              access<Op, written_down>{memory});
  return memory;
}

constexpr stride stride_of(index_t n, index_t step) {
  return stride::make(n, std::array<index_t, 1>{step});
}
constexpr chunk chunk_of(index_t n, index_t length) {
  return chunk::make(n, std::array<index_t, 1>{length});
}

TEST(Stride, ThreadsOfARowMoveElementsAStepApart) {
  // n = 10, step = 3: rows 0 3 6 9, 1 4 7, 2 5 8.
  constexpr stride pattern = stride_of(10, 3);
  static_assert(pattern.whole == 3 && pattern.rest == 1);
  constexpr written_down third = thread_of<copy>(pattern, {32}, 0, 1, 2);
  EXPECT_EQ(third.loads[0], 7);
  EXPECT_EQ(third.stores[0], 7);
}

TEST(Stride, DenseRankFollowsTheLongerFirstRows) {
  constexpr stride pattern = stride_of(10, 3);
  EXPECT_EQ((thread_of<gather>(pattern, {32}, 0, 0, 3).stores[0]), 3);  // element 9
  EXPECT_EQ((thread_of<gather>(pattern, {32}, 0, 1, 0).stores[0]), 4);  // element 1
  EXPECT_EQ((thread_of<gather>(pattern, {32}, 0, 2, 2).stores[0]), 9);  // element 8
  EXPECT_EQ((thread_of<gather>(pattern, {32}, 0, 2, 2).loads[0]), 8);
  EXPECT_EQ((thread_of<scatter>(pattern, {32}, 0, 2, 2).loads[0]), 9);
  EXPECT_EQ((thread_of<scatter>(pattern, {32}, 0, 2, 2).stores[0]), 8);
}

TEST(Stride, ThreadsBeyondTheLastElementAreOffAndStillCall) {
  const written_down past = thread_of<copy>(stride_of(10, 3), {32}, 0, 1, 3);  // element 10
  EXPECT_EQ(past.load_count, 0u);
  EXPECT_EQ(past.off_count, 1u);
  EXPECT_EQ(past.store_count, 0u);
}

TEST(Stride, RowsBeyondTheGridLimitGoToZ) {
  const launch_shape shape = stride_of(1'000'000, 70'000).shape({256});
  EXPECT_EQ(shape.grid_x, 1);
  EXPECT_EQ(shape.grid_y, 65535);
  EXPECT_EQ(shape.grid_z, 2);
  EXPECT_TRUE(shape.fits_gpu());
}

TEST(Stride, OneElementPerRowNeedsNoMoreRowsThanElements) {
  const launch_shape shape = stride_of(1000, kMaxParameter).shape({256});
  EXPECT_EQ(shape.blocks(), 1000);
}

TEST(Stride, ReferenceLaunchHasOneThreadPerElement) {
  for (const index_t step : {1, 2, 4, 8, 16, 32}) {
    const launch_shape shape = stride_of(index_t{64} << 20, step).shape({256});
    EXPECT_EQ(shape.threads(), index_t{64} << 20) << "step " << step;
    EXPECT_EQ(shape.grid_y, step);
  }
}

// 2^26 x 32 is 2^31, where a 32-bit product turns negative.
TEST(Stride, PlacesPast32BitsStayExact) {
  constexpr index_t n = (index_t{1} << 31) + 5;
  const stride pattern = stride_of(n, 32);
  constexpr unsigned last_column = (1u << 26);  // of row 4
  const written_down last = thread_of<copy>(pattern, {256}, last_column / 256, 4, 0);
  EXPECT_EQ(last.loads[0], n - 1);
  const written_down past = thread_of<copy>(pattern, {256}, last_column / 256, 5, 0);
  EXPECT_EQ(past.load_count, 0u);
}

TEST(Chunk, EachThreadWalksItsOwnRun) {
  constexpr written_down second = thread_of<copy>(chunk_of(10, 4), {32}, 0, 0, 1);
  EXPECT_EQ(second.load_count, 4u);
  EXPECT_EQ(second.loads[0], 4);
  EXPECT_EQ(second.loads[3], 7);
  constexpr written_down third = thread_of<copy>(chunk_of(10, 4), {32}, 0, 0, 2);
  EXPECT_EQ(third.load_count, 2u);
  EXPECT_EQ(third.off_count, 2u);
  EXPECT_EQ(third.loads[1], 9);
}

TEST(Chunk, DenseRankPutsTheSameStepOfAllThreadsTogether) {
  // n = 10, chunks of 4: 0 4 8, 1 5 9, 2 6, 3 7.
  constexpr written_down second = thread_of<gather>(chunk_of(10, 4), {32}, 0, 0, 1);
  EXPECT_EQ(second.stores[0], 1);
  EXPECT_EQ(second.stores[1], 4);
  EXPECT_EQ(second.stores[2], 7);
  EXPECT_EQ(second.stores[3], 9);
}

TEST(Unrolled, AllLoadsComeBeforeTheFirstStore) {
  const unrolled<4> pattern{1000};
  const written_down thread = thread_of<copy>(pattern, {32}, 1, 0, 5);
  EXPECT_EQ(thread.loads_before_first_store, 4u);
  EXPECT_EQ(thread.loads[0], 128 + 5);
  EXPECT_EQ(thread.loads[3], 128 + 5 + 96);
  EXPECT_EQ(pattern.shape({32}).grid_x, 8);
}

TEST(GridLoop, ThreadsStepByTheSizeOfTheGrid) {
  const grid_loop pattern{1000, 5};
  const written_down thread = thread_of<copy>(pattern, {100}, 1, 0, 3);
  ASSERT_EQ(thread.load_count, 5u);
  EXPECT_EQ(thread.loads[0], 103);
  EXPECT_EQ(thread.loads[4], 903);
}

TEST(GridLoop, GridIsAsLargeAsTheStepsLeaveIt) {
  EXPECT_EQ((grid_loop{1000, 1}).shape({256}).grid_x, 4);
  EXPECT_EQ((grid_loop{1000, 3}).shape({256}).grid_x, 2);
  EXPECT_EQ((grid_loop{1000, 8192}).shape({256}).grid_x, 1);
  EXPECT_EQ((grid_loop{index_t{64} << 20, 32}).shape({256}).grid_x, 8192);
}

TEST(Offset, SidesStartWhereTheyDeclare) {
  const offset pattern = offset::make(10, std::array<index_t, 2>{1, 8});
  EXPECT_EQ(pattern.loads().first, 1);
  EXPECT_EQ(pattern.stores().first, 8);
  EXPECT_EQ(pattern.loads().elements, 10);
  EXPECT_EQ(pattern.stores().elements, 10);
}

TEST(Operation, EachVerbGoesToTheSideThatTheOperationSays) {
  const stride pattern = stride_of(10, 3);  // element 7 has rank 6
  const auto thread = [&]<class Op>(Op) { return thread_of<Op>(pattern, {32}, 0, 1, 2); };
  EXPECT_EQ(thread(copy{}).loads[0], 7);
  EXPECT_EQ(thread(copy{}).stores[0], 7);
  EXPECT_EQ(thread(gather{}).loads[0], 7);
  EXPECT_EQ(thread(gather{}).stores[0], 6);
  EXPECT_EQ(thread(scatter{}).loads[0], 6);
  EXPECT_EQ(thread(scatter{}).stores[0], 7);
  EXPECT_EQ(thread(read{}).loads[0], 7);
  EXPECT_EQ(thread(read{}).store_count, 0u);
  EXPECT_EQ(thread(read{}).sink_count, 1u);
  EXPECT_EQ(thread(write{}).load_count, 0u);
  EXPECT_EQ(thread(write{}).makes[0], 7);
  EXPECT_EQ(thread(write{}).stores[0], 7);
}

TEST(Operation, NamesReadBackAsTheSameOperation) {
  for (const auto& [kind, name] : kOperations) {
    EXPECT_EQ(operation_named(name), kind);
    EXPECT_EQ(name_of(kind), name);
    EXPECT_TRUE(loads_elements(kind) || stores_elements(kind));
  }
  EXPECT_EQ(operation_named("Copy"), std::nullopt);
}

TEST(ElementType, SizesAreOneToSixteenBytes) {
  EXPECT_EQ(size_of(element_type::kU8), 1);
  EXPECT_EQ(size_of(element_type::kF16), 2);
  EXPECT_EQ(size_of(element_type::kF32), 4);
  EXPECT_EQ(size_of(element_type::kF64), 8);
  EXPECT_EQ(size_of(element_type::kF32x4), 16);
  for (const auto& [type, name] : kElementTypes) EXPECT_EQ(element_type_named(name), type);
  EXPECT_EQ(element_type_named("float"), std::nullopt);
}

TEST(LaunchShape, GridLimitsAreThoseOfTheHardware) {
  EXPECT_TRUE((launch_shape{2147483647, 65535, 65535, {}}).fits_gpu());
  EXPECT_FALSE((launch_shape{2147483648, 1, 1, {}}).fits_gpu());
  EXPECT_FALSE((launch_shape{1, 65536, 1, {}}).fits_gpu());
  EXPECT_FALSE((launch_shape{1, 1, 65536, {}}).fits_gpu());
  EXPECT_TRUE(row_of_threads(index_t{1} << 26, {1024}).fits_gpu());
}

TEST(LaunchShape, EveryThreadHasItsOwnRankInOrder) {
  const launch_shape shape{3, 2, 2, {4, 2}};
  index_t next = 0;
  for_each_lane(shape, [&](const lane& thread) { EXPECT_EQ(thread_rank(thread), next++); });
  EXPECT_EQ(next, shape.threads());
}

TEST(Fill, SplitmixWordsMatchTheirPublishedValues) {
  // Seed 0 of splitmix64 as its authors print it: the first output of the generator.
  EXPECT_EQ(scrambled_word(0, 0), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(scrambled_word(1, 0), 0x6e789e6aa1b965f4ULL);
  EXPECT_EQ(fill_word(0, 0), 0xa220a8393b1d8dafULL);  // bits 62, 46, 30 and 14 are clear
}

TEST(Fill, ElementsAreTheBytesOfTheWords) {
  const std::uint64_t word = fill_word(2, 9), next = fill_word(3, 9);
  EXPECT_EQ(filled<std::uint64_t>(16, 9), word);
  EXPECT_EQ(filled<std::uint32_t>(20, 9), word >> 32);
  EXPECT_EQ(filled<std::uint16_t>(18, 9), word >> 16 & 0xffff);
  EXPECT_EQ(filled<std::uint8_t>(23, 9), word >> 56);
  const bits128 wide = filled<bits128>(16, 9);
  EXPECT_EQ(std::uint64_t{wide.y} << 32 | wide.x, word);
  EXPECT_EQ(std::uint64_t{wide.w} << 32 | wide.z, next);
}

TEST(Fill, FoldingIsOneToOneInTheValue) {
  std::vector<bool> seen(256);
  for (int value = 0; value < 256; ++value)
    seen[folded<std::uint8_t>(77, static_cast<std::uint8_t>(value))] = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 256);
}

}  // namespace
}  // namespace sectorbench
