// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "bench/cases/row.hpp"
#include "sectorbench/model/launch_totals.hpp"
#include "sectorbench/patterns/random.hpp"
#include "test/support/index_list.hpp"

namespace sectorbench {
namespace {

std::vector<index_t> permutation_of(index_t n) {
  const random pattern = random::make(n, {});
  std::vector<index_t> list;
  for (index_t i = 0; i < n; ++i) list.push_back(pattern.permuted(i));
  return list;
}

TEST(RandomPattern, EveryLengthIsAPermutation) {
  for (const index_t n : {1, 2, 3, 4, 5, 31, 32, 33, 1000, 4096, 4097, 100003}) {
    std::vector<index_t> list = permutation_of(n);
    std::ranges::sort(list);
    for (index_t i = 0; i < n; ++i) ASSERT_EQ(list[static_cast<std::size_t>(i)], i) << "of " << n;
  }
}

// Computed by another program from the description in the header.
TEST(RandomPattern, TheListOfALengthIsAlwaysTheSame) {
  const auto starts = [](index_t n) {
    const random pattern = random::make(n, {});
    std::vector<index_t> list;
    for (index_t i = 0; i < 6; ++i) list.push_back(pattern.permuted(i));
    return list;
  };
  EXPECT_EQ(starts(1000), (std::vector<index_t>{643, 669, 386, 224, 58, 118}));
  EXPECT_EQ(starts(67108864),
            (std::vector<index_t>{50459926, 52681326, 13059316, 55807945, 66583092, 32449817}));
}

TEST(RandomPattern, NeighboursLieFarApart) {
  const index_t n = 1 << 16;
  const std::vector<index_t> list = permutation_of(n);
  double distance = 0;
  int in_place = 0;
  for (std::size_t i = 1; i < list.size(); ++i) {
    distance += static_cast<double>(std::abs(list[i] - list[i - 1]));
    in_place += list[i] == static_cast<index_t>(i) ? 1 : 0;
  }
  EXPECT_NEAR(distance / static_cast<double>(n) / static_cast<double>(n), 1.0 / 3, 0.01);
  EXPECT_LT(in_place, 10);  // of a random permutation 1 is expected
}

TEST(RandomPattern, ListInMemoryIsThePermutation) {
  row_spec row = parse_row("random/gather/f32");
  row.elements = 5000;
  row.block = {96, 1};
  const auto work = make_workload(row);
  const std::vector<index_entry> list = test::index_list_of(work->meaning());
  const std::vector<index_t> expected = permutation_of(5000);
  ASSERT_EQ(list.size(), expected.size());
  EXPECT_TRUE(std::ranges::equal(list, expected, {}, [](index_entry e) { return index_t{e}; }));
  EXPECT_EQ(work->needs().indices, 20000);
}

TEST(RandomPattern, IndexListHasRequestsOfItsOwn) {
  constexpr index_t kElements = 1 << 20;  // 4 MiB: hardly two lanes meet in a sector
  const launch_totals totals =
      count_launch<gather>(random::make(kElements, {}), block_size{256, 1}, 4);
  EXPECT_EQ(totals.indices.requests, 32768u);
  EXPECT_EQ(totals.indices.sectors, 131072u);
  EXPECT_EQ(totals.loads.requests, 32768u);
  EXPECT_GT(totals.loads.sectors, 32768u * 31);
  EXPECT_LE(totals.loads.sectors, 32768u * 32);
  EXPECT_EQ(totals.stores.sectors, 131072u);
  EXPECT_EQ(totals.sector_bytes(), (totals.loads.sectors + totals.stores.sectors) * 32);
}

TEST(RandomPattern, PartsOfALaunchAddUpToIt) {
  const random pattern = random::make(10007, {});
  const block_size block{128, 1};
  launch_totals sum = count_blocks<scatter>(pattern, block, 8, 0, 13);
  sum += count_blocks<scatter>(pattern, block, 8, 13, 14);
  sum += count_blocks<scatter>(pattern, block, 8, 14, pattern.shape(block).blocks());
  EXPECT_EQ(sum, count_launch<scatter>(pattern, block, 8));
  EXPECT_EQ(make_workload([] {
              row_spec row = parse_row("random/scatter/f64");
              row.elements = 10007;
              row.block = {128, 1};
              return row;
            }())
                ->meaning()
                .totals(),
            sum);
}

}  // namespace
}  // namespace sectorbench
