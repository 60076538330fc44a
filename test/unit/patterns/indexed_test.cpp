// SPDX-License-Identifier: Apache-2.0
#include "kernels/indexed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bench/measure/runner.hpp"
#include "kernels/buffers.hpp"
#include "test/support/given_lists.hpp"
#include "test/support/index_list.hpp"
#include "test/support/tampered_workload.hpp"

namespace sectorbench {
namespace {

using enum operation_kind;
using test::for_each_given_list;
using test::list_row;
using test::misdeed;

constexpr std::uint64_t kSeed = 42;

// The places of a side in the order of the accesses.
std::vector<index_t> places_of(const repeated_list& list, index_t count) {
  std::vector<index_t> places;
  for (index_t i = 0; i < count; ++i)
    for (const index_t entry : list.entries) places.push_back(entry + list.delta * i);
  return places;
}

// What preparing the row says: the reason for which it was refused, or "verified".
std::string verdict_on(const row_spec& row) {
  static const auto device = make_host_backend();
  timing_rules rules;
  rules.fixed_launches = rules.samples_per_round = 1;
  row_runner runner(*device, rules, kSeed);
  try {
    runner.prepare(row);
  } catch (const verification_failed& failure) {
    return failure.what();
  }
  return "verified";
}

std::string verdict_on(const index_lists& lists, operation_kind operation, const misdeed& run) {
  const list_row real(lists, operation, element_type::kF64);
  const test::tampered_row row(real.spec(), run);
  return verdict_on(row.spec());
}

// The real run, then `spoil(out)` on its output.
template <class Spoil>
misdeed after_run(const Spoil& spoil) {
  return [spoil](const workload& real, const launch_data& data) {
    real.run(data);
    spoil(static_cast<std::uint64_t*>(data.out));
  };
}

TEST(FixedDivisor, DividesLikeADivision) {
  std::mt19937_64 random(1);
  for (const index_t divisor : {index_t{1}, index_t{2}, index_t{3}, index_t{7}, index_t{256},
                                index_t{1000003}, (index_t{1} << 28) - 1, index_t{1} << 28}) {
    const fixed_divisor fixed(divisor);
    const index_t last = static_cast<index_t>((std::uint64_t{1} << 63) / divisor - 1);
    for (int k = 0; k < 1000; ++k) {
      const auto some = static_cast<index_t>(random() % (static_cast<std::uint64_t>(last) + 1));
      const index_t near = some / divisor * divisor;
      for (const index_t value : {some, near, std::max<index_t>(near - 1, 0), last - k})
        ASSERT_EQ(fixed.quotient(value), value / divisor) << value << " by " << divisor;
    }
    for (index_t value = 0; value < 3000; ++value)
      ASSERT_EQ(fixed.quotient(value), value / divisor) << value << " by " << divisor;
  }
  EXPECT_EQ(fixed_divisor().quotient(12345), 0);
}

TEST(RepeatedList, SaysWhatItsPlacesAre) {
  const auto extent = [](const repeated_list& list, index_t count) { return list.extent(count); };
  const side_extent all = extent({{2, 0, 1}, 3}, 5);
  EXPECT_EQ(all.elements, 15);
  EXPECT_EQ(all.covers, coverage::kBijection);
  const side_extent gaps = extent({{0, 4}, 8}, 3);  // 0 4 8 12 16 20
  EXPECT_EQ(gaps.elements, 21);
  EXPECT_EQ(gaps.covers, coverage::kInjection);
  EXPECT_EQ(gaps.moved(), 6);
  const side_extent stencil = extent({{0, 1, 2}, 1}, 4);  // 0 to 5, 12 accesses
  EXPECT_EQ(stencil.elements, 6);
  EXPECT_EQ(stencil.covers, coverage::kManyToOne);
  EXPECT_EQ(stencil.moved(), 12);
  EXPECT_EQ(stencil.touched_once(), 6);
  const side_extent still = extent({{7, 7, 3}, 0}, 1000);  // 3 and 7
  EXPECT_EQ(still.elements, 8);
  EXPECT_EQ(still.moved(), 3000);
  EXPECT_EQ(still.touched_once(), 2);
}

TEST(RepeatedList, CountsDifferentPlacesLikeASet) {
  std::mt19937 random(2);
  int overlapping = 0;
  for (int k = 0; k < 2000; ++k) {
    repeated_list list;
    list.delta = static_cast<index_t>(random() % 12);
    for (auto n = random() % 6 + 1; n > 0; --n)
      list.entries.push_back(static_cast<index_t>(random() % 40));
    const auto count = static_cast<index_t>(random() % 9 + 1);
    const std::vector<index_t> places = places_of(list, count);
    const std::set<index_t> different(places.begin(), places.end());
    ASSERT_EQ(list.distinct(count), static_cast<index_t>(different.size())) << k;
    overlapping += different.size() < places.size() ? 1 : 0;
  }
  EXPECT_GT(overlapping, 200);
  EXPECT_LT(overlapping, 1800);
}

TEST(RepeatedList, HugeCountsCostNothing) {
  const index_t count = index_t{1} << 50;
  EXPECT_EQ((repeated_list{{0, 8, 16}, 24}.distinct(count)), 3 * count);
  EXPECT_EQ((repeated_list{{0, 1, 2}, 1}.distinct(count)), count + 2);
}

TEST(Indexed, BytesAreExactlyWhatTheListsAskFor) {
  const index_lists stencil{{{{0, 1, 2}, 1}}, 1000};
  for (const auto& [type, name] : kElementTypes) {
    const index_t width = size_of(type);
    const list_row gathers(stencil, kGather, type), reads(stencil, kRead, type);
    const auto gather_work = gathers.work(), read_work = reads.work();
    const program& body = gather_work->meaning();
    EXPECT_EQ(body.elements(), 3000);
    EXPECT_EQ(body.useful_bytes(), 3000 * width * 2);
    EXPECT_EQ(body.unique_bytes(), (1002 + 3000) * width);
    EXPECT_EQ(body.index_bytes(), 3000 * 4);
    EXPECT_EQ(body.needs().in, 1002 * width);
    EXPECT_EQ(body.needs().out, 3000 * width);
    EXPECT_EQ(body.needs().indices, 3 * 4);
    EXPECT_EQ(read_work->meaning().useful_bytes(), 3000 * width);
  }
  const list_row copies({{{{0, 8}, 16}, {{1, 1}, 2}}, 10}, kCopy, element_type::kF64);
  const auto work = copies.work();
  EXPECT_EQ(work->meaning().useful_bytes(), 20 * 8 * 2);
  EXPECT_EQ(work->meaning().unique_bytes(), (20 + 10) * 8);
  EXPECT_EQ(work->meaning().index_bytes(), 20 * 4 * 2);
  EXPECT_EQ(work->needs().indices, 4 * 4);
  const list_row wrapped({{{{0, 8}, 16}}, 10, 3}, kGather, element_type::kF64);
  const auto wraps = wrapped.work();
  EXPECT_EQ(wraps->meaning().useful_bytes(), 20 * 8 * 2);
  EXPECT_EQ(wraps->needs().out, 6 * 8);
}

TEST(Indexed, GoesWhereTheFormulaSays) {
  for_each_given_list([](const index_lists& lists, operation_kind operation) {
    const list_row row(lists, operation, element_type::kF64, {96, 1});
    const auto work = row.work();
    const auto memory = test::index_list_of(work->meaning());
    std::vector<index_entry> expected;
    for (const repeated_list& list : lists.lists)
      for (const index_t entry : list.entries) expected.push_back(static_cast<index_entry>(entry));
    EXPECT_EQ(memory, expected);

    const auto loads = places_of(lists.lists.front(), lists.count);
    const auto stores = places_of(lists.lists.back(), lists.count);
    const index_t n = lists.accesses(), length = n / lists.count;
    std::vector<std::uint64_t> in(static_cast<std::size_t>(work->needs().in / 8 + 1));
    std::vector<std::uint64_t> out(static_cast<std::size_t>(work->needs().out / 8 + 1), 7);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1000 + i;
    work->run({in.data(), out.data(), kSeed, true, memory.data()});
    if (operation == kRead || operation == kWrite) return;  // the proof knows them
    const bool wraps = lists.wrap > 0;
    std::map<index_t, std::set<std::uint64_t>> meant;
    for (index_t r = 0; r < n; ++r) {
      const index_t dense = wraps ? r / length % lists.wrap * length + r % length : r;
      const auto at = static_cast<std::size_t>(r);
      const index_t from = operation == kScatter ? dense : loads[at];
      const index_t to = operation == kGather ? dense : stores[at];
      meant[to].insert(1000 + static_cast<std::uint64_t>(from));
    }
    for (index_t i = 0; i < work->needs().out / 8; ++i) {
      const std::uint64_t got = out[static_cast<std::size_t>(i)];
      if (meant.contains(i))
        ASSERT_TRUE(meant[i].contains(got)) << "element " << i << " holds " << got;
      else
        ASSERT_EQ(got, 7u) << "element " << i;
    }
  });
}

TEST(Indexed, IsProvenAndVerifiedWithEveryTypeAndBlock) {
  for_each_given_list([](const index_lists& lists, operation_kind operation) {
    for (const auto& [type, name] : kElementTypes)
      for (const block_size block : {block_size{256, 1}, block_size{37, 1}, block_size{8, 4}}) {
        const list_row row(lists, operation, type, block);
        EXPECT_EQ(verdict_on(row.spec()), "verified")
            << name_of(operation) << " of " << name << ", block " << block.x;
      }
  });
}

// The pattern of one list as a walk takes it. `entries` lives as long.
indexed<1> walked_pattern(const index_lists& lists, const std::vector<index_entry>& entries) {
  const bool wraps = lists.wrap > 0 && lists.wrap < lists.count;
  indexed<1> whole{};
  whole.n = lists.accesses();
  whole.length = static_cast<index_t>(entries.size());
  whole.by_length = fixed_divisor(whole.length);
  whole.dense = wraps ? lists.wrap * whole.length : whole.n;
  if (wraps) whole.by_wrap = fixed_divisor(lists.wrap);
  whole.delta[0] = lists.lists[0].delta;
  whole.meant = entries.data();
  whole.loaded = lists.lists[0].extent(lists.count);
  whole.stored = {whole.dense};
  return whole;
}

constexpr std::pair<index_t, index_t> kDeltasAndWraps[] = {{8, 0},   {1, 0},  {0, 0}, {3, 0},
                                                           {256, 0}, {8, 16}, {7, 5}, {8, 1}};

TEST(Indexed, TotalsOfRepeatedRequestsAreThoseOfTheWholeLaunch) {
  // Long enough that most of it is not looked at.
  const std::vector<index_entry> entries{0, 3, 6, 100, 101};
  for (const index_t count : {1, 2, 99, 1000, 4097})
    for (const auto& [delta, wrap] : kDeltasAndWraps)
      for (const element_type type : {element_type::kU8, element_type::kF64})
        for (const block_size block : {block_size{256, 1}, block_size{96, 1}, block_size{37, 1}}) {
          const index_lists lists{{{{0, 3, 6, 100, 101}, delta}}, count, wrap};
          const list_row row(lists, kGather, type, block);
          const indexed<1> whole = walked_pattern(lists, entries);
          EXPECT_EQ(row.work()->meaning().totals(),
                    count_launch<gather>(whole, block, size_of(type)))
              << "count " << count << ", delta " << delta << ", wrap " << wrap << ", block "
              << block.x;
        }
}

TEST(Indexed, VisitsAreThoseOfAWalk) {
  const std::vector<index_entry> entries{0, 3, 6, 100, 101};
  for (const index_t count : {1, 2, 1000, 100003})  // of the last 256 pages and more
    for (const auto& [delta, wrap] : kDeltasAndWraps)
      for (const block_size block : {block_size{256, 1}, block_size{37, 1}}) {
        const index_lists lists{{{{0, 3, 6, 100, 101}, delta}}, count, wrap};
        const list_row row(lists, kGather, element_type::kF64, block);
        const reuse_profile formula = row.work()->meaning().profile();
        const reuse_profile walk = profile_launch<gather>(walked_pattern(lists, entries), block, 8);
        const auto expect_same = [&](const side_profile& a, const side_profile& b, const char* of) {
          EXPECT_TRUE(a.visits == b.visits) << of << " of count " << count << ", delta " << delta
                                            << ", wrap " << wrap << ", block " << block.x;
          EXPECT_EQ(a.pages, b.pages);
          EXPECT_EQ(a.scale, b.scale);
          EXPECT_EQ(a.span_blocks, 0);
        };
        expect_same(formula.loads, walk.loads, "loads");
        expect_same(formula.stores, walk.stores, "stores");
        expect_same(formula.indices, walk.indices, "indices");
        EXPECT_EQ(formula.rounds, walk.rounds);
        EXPECT_EQ(formula.blocks, walk.blocks);
        EXPECT_EQ(formula.stores_whole_sectors, walk.stores_whole_sectors);
      }
}

// What is walked when the launch is thrice as long costs the same: repetitions stand for all.
TEST(Indexed, RepetitionsOfAListThatStaysStandForAll) {
  const index_lists lists{{{{0, 3, 6, 100, 101}, 0}}, index_t{1} << 33, 1};
  const list_row row(lists, kScatter, element_type::kF64);
  const reuse_profile profile = row.work()->meaning().profile();
  // 5 entries in sampled pages: 2^20 / 5 = 209715 repetitions, of which 256 end with a block.
  EXPECT_EQ(profile.stores.span_blocks, 209664 * 5 / 256);
  EXPECT_EQ(profile.loads.span_blocks, 209664 * 5 / 256);
  EXPECT_EQ(profile.indices.span_blocks, 209664 * 5 / 256);
  EXPECT_EQ(profile.blocks, (index_t{5} << 33) / 256);
  EXPECT_LE(profile.stores.visits.size(), std::size_t{1} << 20);
}

// 8 doubles a stride of 4 apart, repeated without reuse: each lane has a sector of its own.
TEST(Indexed, SectorsOfAGatherByHand) {
  const list_row row({{{{0, 4, 8, 12, 16, 20, 24, 28}, 32}}, 1024}, kGather, element_type::kF64);
  const launch_totals totals = row.work()->meaning().totals();
  EXPECT_EQ(totals.loads.requests, 256u);
  EXPECT_EQ(totals.loads.sectors, 8192u);
  EXPECT_EQ(totals.stores.requests, 256u);
  EXPECT_EQ(totals.stores.sectors, 2048u);
  EXPECT_EQ(totals.indices.requests, 256u);
  EXPECT_EQ(totals.indices.sectors, 256u);  // 8 entries of 4 bytes, four times over
}

TEST(Indexed, ALargeLaunchIsCountedAtOnce) {
  const index_t count = index_t{1} << 34;
  const list_row row({{{{0, 4, 8, 12, 16, 20, 24, 28}, 32}}, count}, kScatter, element_type::kF64);
  EXPECT_EQ(row.work()->meaning().totals().stores.sectors, 8ull << 34);
}

// ---- What verification finds

const index_lists kOverlapping{{{{0, 1, 2, 9}, 1}}, 100};  // to 102, and 9 to 108

TEST(IndexedMutation, AnHonestRunIsVerified) {
  for (const operation_kind operation : {kScatter, kWrite})
    EXPECT_EQ(verdict_on(kOverlapping, operation,
                         [](const auto& real, const auto& data) { real.run(data); }),
              "verified");
}

// Which of several stores stays is a race: the other order is right as well.
TEST(IndexedMutation, AnyOfSeveralValuesIsRight) {
  const misdeed backwards = [](const workload&, const launch_data& data) {
    const auto places = places_of(kOverlapping.lists[0], kOverlapping.count);
    const auto* const in = static_cast<const std::uint64_t*>(data.in);
    for (std::size_t r = places.size(); r-- > 0;)
      static_cast<std::uint64_t*>(data.out)[places[r]] = in[r];
  };
  EXPECT_EQ(verdict_on(kOverlapping, kScatter, backwards), "verified");
}

TEST(IndexedMutation, AValueStoredByNobodyIsFound) {
  const std::string flipped =
      verdict_on(kOverlapping, kScatter, after_run([](auto* out) { out[50] ^= 1; }));
  EXPECT_TRUE(
      flipped.starts_with("wrong result before timing: 1 elements wrong, the first at "
                          "index 50: got 0x"))
      << flipped;
  EXPECT_NE(flipped.find(", expected one of those stored there, e.g. 0x"), std::string::npos);
  const std::string swapped =
      verdict_on(kOverlapping, kScatter, after_run([](auto* out) { std::swap(out[20], out[60]); }));
  EXPECT_TRUE(
      swapped.starts_with("wrong result before timing: 2 elements wrong, the first at "
                          "index 20"))
      << swapped;
  EXPECT_TRUE(
      verdict_on(kOverlapping, kWrite, after_run([](auto* out) { out[7] = out[8]; }))
          .starts_with("wrong result before timing: 1 elements wrong, the first at index 7"));
}

TEST(IndexedMutation, ADroppedPlaceIsFound) {
  const std::string dropped = verdict_on(
      kOverlapping, kScatter, after_run([](auto* out) { std::memset(out + 30, kPoison, 8); }));
  EXPECT_TRUE(
      dropped.starts_with("wrong result before timing: 1 elements wrong, the first at "
                          "index 30: got 0xa5a5a5a5a5a5a5a5"))
      << dropped;
  EXPECT_TRUE(verdict_on(kOverlapping, kScatter, [](const auto&, const auto&) {})
                  .starts_with("wrong result before timing: 109 elements wrong, the first at index "
                               "0"));
}

TEST(IndexedMutation, AStoreIntoAGapIsFound) {
  const index_lists gaps{{{{0, 4, 4}, 8}}, 100};  // twice at 4
  EXPECT_EQ(verdict_on(gaps, kScatter, after_run([](auto* out) { out[8 * 50 + 1] = 7; })),
            "wrong result before timing: 8 bytes overwritten outside the row's output");
}

TEST(IndexedMutation, AWrongEntryInMemoryIsFound) {
  const misdeed with_another_entry = [](const workload& real, const launch_data& data) {
    const index_entry list[] = {0, 1, 2, 10};
    launch_data wrong = data;
    wrong.indices = list;
    real.run(wrong);
  };
  const std::string scattered = verdict_on(kOverlapping, kScatter, with_another_entry);
  EXPECT_TRUE(scattered.starts_with("wrong result before timing: ")) << scattered;
  const std::string gathered = verdict_on(kOverlapping, kGather, with_another_entry);
  EXPECT_TRUE(
      gathered.starts_with("wrong result before timing: 100 elements wrong, the first at "
                           "index 3:"))
      << gathered;
}

TEST(IndexedMutation, ADenseSideThatBeginsAnewIsVerifiedToo) {
  const index_lists wrapped{{{{0, 8}, 16}}, 100, 4};
  EXPECT_EQ(verdict_on(wrapped, kGather, after_run([](auto*) {})), "verified");
  const std::string flipped =
      verdict_on(wrapped, kGather, after_run([](auto* out) { out[5] ^= 1; }));
  EXPECT_TRUE(
      flipped.starts_with("wrong result before timing: 1 elements wrong, the first at "
                          "index 5"))
      << flipped;
}

}  // namespace
}  // namespace sectorbench
