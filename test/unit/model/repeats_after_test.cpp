// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/cases/row.hpp"
#include "sectorbench/execution/registry.hpp"
#include "sectorbench/model/launch_totals.hpp"
#include "sectorbench/patterns/active.hpp"
#include "sectorbench/patterns/aosoa.hpp"
#include "sectorbench/patterns/broadcast.hpp"
#include "sectorbench/patterns/pitch.hpp"
#include "sectorbench/patterns/shuffle.hpp"
#include "sectorbench/patterns/transpose_naive.hpp"
#include "sectorbench/patterns/transpose_tiled.hpp"
#include "sectorbench/patterns/transpose_wide.hpp"

// A pattern that says after how many blocks its requests repeat is counted by one such period. That
// must be the same as walking all blocks, whatever the block, the size and the tail.

namespace sectorbench {
namespace {

struct one_case {
  index_t n;
  std::vector<index_t> values;
  block_size block;
};

template <class P>
void expect_equal_to_a_walk(element_type type, const std::vector<one_case>& cases) {
  int by_periods = 0;
  for (const one_case& one : cases) {
    const P pattern = P::make(one.n, one.values);
    const pattern_entry* const entry = find_pattern(P::kName, one.values);
    ASSERT_NE(entry, nullptr) << P::kName;
    const auto work = entry->make(operation_kind::kCopy, type, one.n, one.values, one.block);
    EXPECT_EQ(work->meaning().totals(), count_launch<copy>(pattern, one.block, size_of(type)))
        << P::kName << " n " << one.n << " block " << one.block.x << " x " << one.block.y;
    if (pattern.repeats_after(one.block, size_of(type)) < pattern.shape(one.block).blocks())
      ++by_periods;
  }
  EXPECT_GT(by_periods, 0) << P::kName << ": no case was counted by periods";
}

/// Rows of threads with tails, in blocks that do not fill their warps among others.
std::vector<one_case> rows(const std::vector<index_t>& values) {
  std::vector<one_case> cases;
  for (const unsigned threads : {256U, 48U, 32U, 100U})
    for (const index_t n : {100003, 65536, 4096}) cases.push_back({n, values, {threads, 1}});
  return cases;
}

std::vector<one_case> matrices(const std::vector<index_t>& also = {}) {
  std::vector<one_case> cases;
  for (const index_t columns : {64, 96, 104, 256})
    for (const index_t n : {65536, 24576, 100000}) {
      one_case one{n, {columns}, {256, 1}};
      one.values.insert(one.values.end(), also.begin(), also.end());
      cases.push_back(one);
    }
  return cases;
}

TEST(RepeatsAfter, IsAsGoodAsAWalk) {
  std::vector<one_case> pitches;
  for (const block_size block : {block_size{32, 8}, block_size{16, 16}, block_size{256, 1}})
    for (const index_t columns : {100, 1000, 1024})
      pitches.push_back({100003, {columns, columns + 24}, block});
  std::vector<one_case> swapped = pitches;  // of which the last row is shorter
  for (const index_t distance : {1001, 1004})
    swapped.push_back({1001 * 96, {1001, distance}, {16, 16}});
  swapped.push_back({1024 * 64, {1024, 1024}, {8, 32}});
  for (const element_type type : {element_type::kF16, element_type::kF32, element_type::kF64}) {
    expect_equal_to_a_walk<shuffle<1>>(type, rows({1}));
    expect_equal_to_a_walk<shuffle<2>>(type, rows({2}));
    expect_equal_to_a_walk<active>(type, rows({7}));
    expect_equal_to_a_walk<pitch>(type, pitches);
    expect_equal_to_a_walk<pitch_swapped>(type, swapped);
    expect_equal_to_a_walk<transpose_naive<true>>(type, matrices());
    expect_equal_to_a_walk<transpose_naive<false>>(type, matrices());
    expect_equal_to_a_walk<transpose_tile<tile_layout::kPadded>>(type, matrices());
  }
  expect_equal_to_a_walk<aosoa<3>>(element_type::kF32, rows({3}));
  expect_equal_to_a_walk<transpose_wide<4>>(element_type::kF32, matrices({4}));
}

TEST(RepeatsAfter, OfSharedElements) {
  for (const index_t n : {100003, 65536}) {
    const auto pattern = broadcast<8>::make(n, {});
    const std::vector<index_t> values{8};
    const auto work = find_pattern("broadcast", values)
                          ->make(operation_kind::kGather, element_type::kF32, n, values, {48, 1});
    EXPECT_EQ(work->meaning().totals(), (count_launch<gather>(pattern, {48, 1}, 4)));
    EXPECT_LT(pattern.repeats_after({48, 1}, 4), pattern.shape({48, 1}).blocks());
  }
}

}  // namespace
}  // namespace sectorbench
