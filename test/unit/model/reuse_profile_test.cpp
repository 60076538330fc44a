// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/model/reuse_profile.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "bench/cases/row.hpp"
#include "sectorbench/patterns/add.hpp"
#include "sectorbench/patterns/broadcast.hpp"
#include "sectorbench/patterns/chunk.hpp"
#include "sectorbench/patterns/contiguous.hpp"
#include "sectorbench/patterns/offset.hpp"
#include "sectorbench/patterns/pitch.hpp"
#include "sectorbench/patterns/random.hpp"
#include "sectorbench/patterns/reverse.hpp"
#include "sectorbench/patterns/shuffle.hpp"
#include "sectorbench/patterns/stride.hpp"
#include "sectorbench/patterns/transpose_naive.hpp"
#include "sectorbench/patterns/transpose_tiled.hpp"
#include "sectorbench/patterns/unrolled.hpp"
#include "sectorbench/patterns/wide.hpp"

namespace sectorbench {

void PrintTo(const sector_visit& visit, std::ostream* out) {
  *out << "sector " << visit.sector << " block " << visit.block << " request " << visit.request
       << " bytes " << std::hex << visit.bytes << std::dec;
}

namespace {

using visits = std::vector<sector_visit>;

template <class P, class... Values>
P pattern_of(index_t n, Values... values) {
  const std::array<index_t, sizeof...(Values)> list{index_t{values}...};
  return P::make(n, list);
}

// A second opinion: every byte that every thread of every block asks for. It knows nothing of
// affine threads, of pages that are passed over or of visits that are put together.

/// What one side touches: by sector of the buffer, block and request, the bytes.
using touched_bytes = std::map<std::tuple<std::int64_t, std::int64_t, int>, std::uint32_t>;

struct touched_sides {
  touched_bytes loads, stores, indices;
};

/// Writes down the bytes of one thread's calls.
class plain_recorder {
 public:
  using value = char;

  plain_recorder(touched_sides& to, std::int64_t block, int warp, int warps, int width,
                 index_t first_load, index_t first_store)
      : to_(to),
        block_(block),
        warp_(warp),
        warps_(warps),
        width_(width),
        first_load_(first_load),
        first_store_(first_store) {}

  value load(bool on, index_t i) {
    note(to_.loads, on, (first_load_ + i) * width_, width_);
    return {};
  }
  void store(bool on, index_t i, value) {
    note(to_.stores, on, (first_store_ + i) * width_, width_);
  }
  template <int V>
  pack<value, V> load(bool on, index_t i, together_t<V>) {
    note(to_.loads, on, (first_load_ + i) * width_, width_ * V);
    return {};
  }
  template <int V>
  void store(bool on, index_t i, const pack<value, V>&) {
    note(to_.stores, on, (first_store_ + i) * width_, width_ * V);
  }
  template <class Meant>
  index_t index(bool on, index_t slot, const Meant& meant) {
    note(to_.indices, on, slot * 4, 4);
    return on ? meant() : 0;
  }
  void stage(bool, index_t, value) {}
  value staged(bool, index_t) { return {}; }
  value sum(value, value) { return {}; }
  value worked(value, unsigned) { return {}; }
  value made(bool, index_t) { return {}; }
  void sink(bool, value) {}

 private:
  void note(touched_bytes& side, bool on, std::int64_t address, int bytes) {
    const int request = calls_++ * warps_ + warp_;
    if (!on) return;
    for (std::int64_t byte = address; byte < address + bytes; ++byte)
      side[{byte / 32, block_, request}] |= std::uint32_t{1} << (byte % 32);
  }

  touched_sides& to_;
  std::int64_t block_;
  int warp_, warps_, width_;
  index_t first_load_, first_store_;
  int calls_ = 0;
};

template <class Op, class P>
touched_sides plain_walk(const P& pattern, block_size block, int width) {
  const launch_shape shape = pattern.shape(block);
  const int threads = static_cast<int>(shape.block.threads());
  touched_sides to;
  std::int64_t number = 0;
  for (unsigned z = 0; z < shape.grid_z; ++z)
    for (unsigned y = 0; y < shape.grid_y; ++y)
      for (unsigned x = 0; x < shape.grid_x; ++x, ++number)
        for (int thread = 0; thread < threads; ++thread) {
          const lane place{static_cast<unsigned>(thread) % shape.block.x,
                           static_cast<unsigned>(thread) / shape.block.x,
                           x,
                           y,
                           z,
                           shape.block.x,
                           shape.block.y,
                           static_cast<unsigned>(shape.grid_x),
                           static_cast<unsigned>(shape.grid_y)};
          plain_recorder memory(to, number, thread / 32, (threads + 31) / 32, width,
                                pattern.loads().first, pattern.stores().first);
          run_all(pattern, place, access<Op, plain_recorder>{memory});
        }
  return to;
}

/// The visits of an extent from byte `first` on of which every page is sampled.
visits all_visits(const touched_bytes& side, std::int64_t first) {
  const std::int64_t first_sector = first / 4096 * 128;
  visits all;
  for (const auto& [key, bytes] : side) {
    const auto& [sector, block, request] = key;
    all.push_back({static_cast<std::uint32_t>(sector - first_sector),
                   static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(request), bytes});
  }
  return all;
}

/// The same where some pages are sampled.
visits sampled_visits(const touched_bytes& side, std::int64_t first, std::int64_t bytes) {
  const detail::page_sampler pages(static_cast<std::uint64_t>(first),
                                   static_cast<std::uint64_t>(bytes));
  visits sampled;
  for (const auto& [key, mask] : side) {
    const auto& [sector, block, request] = key;
    pages.touch(
        static_cast<std::uint64_t>(sector * 32), 1,
        [&, block = block, request = request, mask = mask](std::uint32_t id, std::uint32_t) {
          sampled.push_back(
              {id, static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(request), mask});
        });
  }
  return sampled;
}

void expect_same(const visits& found, const visits& expected, std::string_view what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(found[i], expected[i]) << what << ", visit " << i;
}

/// @pre no side has more than 64 pages
template <class Op, class P>
void expect_as_walked(const P& pattern, block_size block, int width) {
  SCOPED_TRACE(testing::Message() << P::kName << ", blocks of " << block.x << " x " << block.y
                                  << ", " << width << " bytes");
  const touched_sides walked = plain_walk<Op>(pattern, block, width);
  const reuse_profile profile = profile_launch<Op>(pattern, block, width);
  ASSERT_EQ(profile.loads.scale, 1) << "not all pages are sampled";
  ASSERT_EQ(profile.stores.scale, 1) << "not all pages are sampled";
  expect_same(profile.loads.visits, all_visits(walked.loads, pattern.loads().first * width),
              "loads");
  expect_same(profile.stores.visits, all_visits(walked.stores, pattern.stores().first * width),
              "stores");
  expect_same(profile.indices.visits, all_visits(walked.indices, 0), "indices");
  EXPECT_EQ(profile.blocks, pattern.shape(block).blocks());
  EXPECT_EQ(profile.block_threads, static_cast<int>(pattern.shape(block).block.threads()));
}

constexpr std::array kBlocks{block_size{256}, block_size{96}, block_size{48}, block_size{32, 8}};

TEST(ReuseProfile, AffinePatternsAreAsAPlainWalkFindsThem) {
  constexpr index_t n = 12007;
  for (const block_size block : kBlocks) {
    for (const int width : {1, 4, 16}) {
      expect_as_walked<copy>(contiguous{n}, block, width);
      expect_as_walked<copy>(reverse{n}, block, width);
      expect_as_walked<copy>(unrolled<4>{n}, block, width);
      for (const index_t step : {3, 37})
        expect_as_walked<copy>(pattern_of<stride>(n, step), block, width);
      expect_as_walked<gather>(pattern_of<stride>(n, 8), block, width);
      expect_as_walked<scatter>(pattern_of<chunk>(n, 5), block, width);
      expect_as_walked<copy>(pattern_of<offset>(n, 1, 1030), block, width);
    }
    expect_as_walked<copy>(pattern_of<add>(n, 1), block, 4);  // its second vector begins anywhere
    expect_as_walked<copy>(pattern_of<add>(n, 3), block, 8);
    expect_as_walked<copy>(wide<4>{n, 0}, block, 4);
    expect_as_walked<copy>(wide<2>{n, 1}, block, 8);  // across sectors and pages
    expect_as_walked<read>(reverse{n}, block, 2);
    expect_as_walked<write>(reverse{n}, block, 2);
  }
}

TEST(ReuseProfile, AffineThreadsMayLiePagesApart) {
  constexpr index_t n = 51200;
  for (const index_t step : {1024, 1600}) {
    expect_as_walked<copy>(pattern_of<stride>(n, step), {32}, 4);
    expect_as_walked<copy>(pattern_of<stride>(n, step), {32}, 1);
    expect_as_walked<gather>(pattern_of<chunk>(n, step), {32}, 4);
  }
}

TEST(ReuseProfile, OtherPatternsAreAsAPlainWalkFindsThem) {
  constexpr index_t n = 12007;
  for (const block_size block : kBlocks) {
    for (const int width : {2, 4}) {
      expect_as_walked<copy>(shuffle<1>{n}, block, width);
      expect_as_walked<gather>(shuffle<2>{n}, block, width);
      expect_as_walked<copy>(pattern_of<random>(n), block, width);
      expect_as_walked<scatter>(pattern_of<random>(n), block, width);
      expect_as_walked<copy>(pattern_of<transpose_naive<true>>(n, 100), block, width);
      expect_as_walked<copy>(pattern_of<transpose_naive<false>>(n, 128), block, width);
      expect_as_walked<copy>(pattern_of<transpose_tile<tile_layout::kPadded>>(n, 100), block,
                             width);
      expect_as_walked<copy>(pattern_of<pitch>(n, 100, 124), block, width);
      expect_as_walked<gather>(pattern_of<pitch_swapped>(n, 100, 124), block, width);
      expect_as_walked<gather>(pattern_of<broadcast<8>>(n), block, width);
    }
  }
}

/// @pre some side has more than 64 pages
template <class Op, class P>
void expect_samples_of_a_walk(const P& pattern, int width) {
  SCOPED_TRACE(P::kName);
  const touched_sides walked = plain_walk<Op>(pattern, {256}, width);
  const reuse_profile profile = profile_launch<Op>(pattern, {256}, width);
  const auto sampled = [&](const touched_bytes& side, const side_extent& extent) {
    return sampled_visits(side, extent.first * width, extent.elements * width);
  };
  ASSERT_GT(profile.loads.scale, 1);
  EXPECT_FALSE(profile.loads.visits.empty());
  expect_same(profile.loads.visits, sampled(walked.loads, pattern.loads()), "loads");
  expect_same(profile.stores.visits, sampled(walked.stores, pattern.stores()), "stores");
}

TEST(ReuseProfile, OfManyPagesTheSampledOnesAreAsAPlainWalkFindsThem) {
  constexpr index_t n = 150001;  // of floats 147 pages
  expect_samples_of_a_walk<copy>(contiguous{n}, 4);
  expect_samples_of_a_walk<copy>(reverse{n}, 4);
  expect_samples_of_a_walk<copy>(pattern_of<stride>(n, 7), 4);
  expect_samples_of_a_walk<gather>(pattern_of<chunk>(n, 9), 4);
  expect_samples_of_a_walk<copy>(pattern_of<offset>(n, 3, 2050), 4);
  expect_samples_of_a_walk<copy>(pattern_of<random>(n), 4);
}

TEST(ReuseProfile, AProgramsPiecesMakeTheWhole) {
  constexpr index_t n = 4096 * 256 * 2 + 1000;  // three pieces where threads are not affine
  row_spec row = parse_row("random/copy/f32");
  row.elements = n;
  row.block = {256, 1};
  const reuse_profile pieces = make_workload(row)->meaning().profile();
  const reuse_profile whole = profile_launch<copy>(pattern_of<random>(n), {256}, 4);
  expect_same(pieces.loads.visits, whole.loads.visits, "loads");
  expect_same(pieces.stores.visits, whole.stores.visits, "stores");
  expect_same(pieces.indices.visits, whole.indices.visits, "indices");
  EXPECT_EQ(pieces.loads.pages, 64);
  EXPECT_EQ(pieces.indices.scale, whole.indices.scale);
  EXPECT_EQ(pieces.blocks, whole.blocks);
  EXPECT_EQ(pieces.rounds, 2);
}

TEST(ReuseProfile, PiecesAreBroughtInOrder) {
  const contiguous pattern{4096};
  reuse_profile late, early;
  sample_blocks<copy>(pattern, {256}, 4, 5, 16, late);
  sample_blocks<copy>(pattern, {256}, 4, 0, 5, early);
  append(early, late);
  order_profile(late);
  const reuse_profile whole = profile_launch<copy>(pattern, {256}, 4);
  expect_same(late.loads.visits, whole.loads.visits, "loads");
  expect_same(late.stores.visits, whole.stores.visits, "stores");
}

// The bytes of the first sector that the first request, and where there is one the second, touches.

template <class P>
std::uint32_t first_bytes(const P& pattern, int width, std::size_t visit = 0) {
  return profile_launch<copy>(pattern, {32}, width).loads.visits.at(visit).bytes;
}

TEST(ReuseProfile, AVisitHasTheBytesOfItsRequest) {
  for (const int width : {1, 2, 4, 8, 16})
    EXPECT_EQ(first_bytes(contiguous{1024}, width), 0xffffffffU) << width;
  // An element a sector: first the one at its begin, in the next row of threads the one after it.
  EXPECT_EQ(first_bytes(pattern_of<stride>(2048, 32), 1), 0x1U);
  EXPECT_EQ(first_bytes(pattern_of<stride>(2048, 32), 1, 1), 0x2U);
  EXPECT_EQ(first_bytes(pattern_of<stride>(1024, 16), 2), 0x3U);
  EXPECT_EQ(first_bytes(pattern_of<stride>(1024, 16), 2, 1), 0xcU);
  EXPECT_EQ(first_bytes(pattern_of<stride>(512, 8), 4), 0xfU);
  EXPECT_EQ(first_bytes(pattern_of<stride>(512, 8), 4, 7), 0xf0000000U);
  EXPECT_EQ(first_bytes(pattern_of<stride>(256, 4), 8), 0xffU);
  EXPECT_EQ(first_bytes(pattern_of<stride>(128, 2), 16), 0xffffU);
  EXPECT_EQ(first_bytes(pattern_of<stride>(128, 2), 16, 1), 0xffff0000U);
  // Three floats apart: bytes 0 to 3, 12 to 15, 24 to 27.
  EXPECT_EQ(first_bytes(pattern_of<stride>(300, 3), 4), 0x0f00f00fU);
  // From the second float on.
  EXPECT_EQ(first_bytes(pattern_of<offset>(1024, 1, 0), 4), 0xfffffff0U);
}

TEST(ReuseProfile, VisitsOfASectorAreInLaunchOrder) {
  // 512 floats, stride 8, blocks of 32: 8 rows of two blocks. Sector 0 belongs to the first of
  // each.
  const reuse_profile profile = profile_launch<copy>(pattern_of<stride>(512, 8), {32}, 4);
  ASSERT_EQ(profile.blocks, 16);
  ASSERT_EQ(profile.loads.visits.size(), 512u);
  for (std::uint32_t row = 0; row < 8; ++row) {
    EXPECT_EQ(profile.loads.visits[row], (sector_visit{0, 2 * row, 0, 0xfU << 4 * row}));
    EXPECT_EQ(profile.stores.visits[row], (sector_visit{0, 2 * row, 1, 0xfU << 4 * row}));
  }
}

// What the first warp shows.

template <class Op, class P>
int rounds_of(const P& pattern) {
  return profile_launch<Op>(pattern, {256}, 4).rounds;
}

TEST(ReuseProfile, RoundsAreTheTimesThatAThreadWaitsForLoads) {
  constexpr index_t n = 16384;
  EXPECT_EQ(rounds_of<copy>(contiguous{n}), 1);
  EXPECT_EQ(rounds_of<read>(contiguous{n}), 1);
  EXPECT_EQ(rounds_of<write>(contiguous{n}), 0);
  EXPECT_EQ(rounds_of<copy>(unrolled<4>{n}), 1);
  EXPECT_EQ(rounds_of<copy>(pattern_of<add>(n, 1)), 1);
  EXPECT_EQ(rounds_of<copy>(pattern_of<chunk>(n, 32)), 32);
  EXPECT_EQ(rounds_of<copy>(pattern_of<random>(n)), 2);   // the place, then the element
  EXPECT_EQ(rounds_of<write>(pattern_of<random>(n)), 1);  // the place only
  EXPECT_EQ(rounds_of<copy>(pattern_of<transpose_naive<true>>(n, 128)), 1);
  EXPECT_EQ(rounds_of<copy>(pattern_of<transpose_tile<tile_layout::kPlain>>(n, 128)), 1);
}

template <class Op, class P>
std::uint64_t pitch_of(const P& pattern, int width = 4, block_size block = {256}) {
  return profile_launch<Op>(pattern, block, width).store_pitch;
}

TEST(ReuseProfile, StorePitchIsTheDistanceOfLanes) {
  constexpr index_t n = 65536;
  EXPECT_EQ(pitch_of<copy>(contiguous{n}), 4u);
  EXPECT_EQ(pitch_of<copy>(contiguous{n}, 16), 16u);
  EXPECT_EQ(pitch_of<read>(contiguous{n}), 0u);
  EXPECT_EQ(pitch_of<copy>(reverse{n}), 4u);
  EXPECT_EQ(pitch_of<copy>(reverse{n}, 4, {2}), 4u);  // a first lane that lies above all others
  EXPECT_EQ(pitch_of<copy>(pattern_of<stride>(n, 8)), 32u);
  EXPECT_EQ(pitch_of<copy>(pattern_of<stride>(n, 1024)), 4096u);
  EXPECT_EQ(pitch_of<gather>(pattern_of<stride>(n, 1024)), 4u);
  EXPECT_EQ(pitch_of<scatter>(pattern_of<stride>(n, 1024)), 4096u);
  // A matrix of 64 rows of 1024: its columns are rows of 64 of the other.
  EXPECT_EQ(pitch_of<copy>(pattern_of<transpose_naive<true>>(n, 1024)), 64u * 4);
  EXPECT_EQ(pitch_of<copy>(pattern_of<transpose_naive<true>>(n, 32)), 2048u * 4);
  EXPECT_EQ(pitch_of<copy>(pattern_of<transpose_naive<false>>(n, 32)), 4u);
  EXPECT_EQ(pitch_of<copy>(pattern_of<transpose_tile<tile_layout::kPlain>>(n, 32)), 4u);
  EXPECT_EQ(pitch_of<copy>(pattern_of<pitch>(n, 8, 1024), 4, {8, 32}), 4u);
  EXPECT_EQ(pitch_of<copy>(pattern_of<pitch>(n, 1, 1024), 4, {1, 32}), 4096u);
}

// Which pages are sampled.

/// The sampled pages of an extent, from its first one, in ascending order.
std::vector<std::uint64_t> sampled_of(std::uint64_t first, std::uint64_t bytes) {
  const detail::page_sampler pages(first, bytes);
  std::vector<std::uint64_t> sampled;
  for (std::uint64_t page = first / 4096; page <= (first + bytes - 1) / 4096; ++page)
    pages.touch(page * 4096, 1, [&](std::uint32_t sector, std::uint32_t mask) {
      EXPECT_EQ(sector, sampled.size() * 128) << "page " << page;
      EXPECT_EQ(mask, 1u);
      sampled.push_back(page - first / 4096);
    });
  EXPECT_EQ(sampled.size(), static_cast<std::size_t>(pages.pages()));
  return sampled;
}

TEST(ReuseProfile, UpTo64PagesAllAreSampled) {
  EXPECT_EQ(sampled_of(0, 4096).size(), 1u);
  EXPECT_EQ(sampled_of(0, 4097).size(), 2u);
  EXPECT_EQ(sampled_of(4092, 8).size(), 2u);
  EXPECT_EQ(sampled_of(0, 64 * 4096).size(), 64u);
  EXPECT_EQ(sampled_of(12345 * 4096 + 8, 63 * 4096).size(), 64u);
  EXPECT_EQ(detail::page_sampler(0, 64 * 4096).scale(), 1);
  EXPECT_EQ(detail::page_sampler(0, 0).pages(), 0);
  EXPECT_EQ(detail::page_sampler(0, 0).scale(), 0);
}

TEST(ReuseProfile, SamplesAreSpreadButNotEqually) {
  for (const std::uint64_t pages : {65, 100, 1000, 65536, 100003}) {
    const auto sampled = sampled_of(8192, pages * 4096);
    ASSERT_EQ(sampled.size(), 64u) << pages;
    std::set<std::uint64_t> distances;
    for (std::uint64_t i = 0; i < 64; ++i) {
      EXPECT_GE(sampled[i], pages * i / 64) << pages;
      EXPECT_LT(sampled[i], pages * (i + 1) / 64) << pages;
      if (i > 0) distances.insert(sampled[i] - sampled[i - 1]);
    }
    if (pages >= 1000) {
      EXPECT_GT(distances.size(), 10u) << pages;
    }
    EXPECT_DOUBLE_EQ(detail::page_sampler(8192, pages * 4096).scale() * 64,
                     static_cast<double>(pages));
  }
}

TEST(ReuseProfile, ScaleTimesPagesAreThePagesOfTheExtent) {
  const reuse_profile profile =
      profile_launch<copy>(pattern_of<offset>(index_t{1} << 20, 0, 1), {256}, 4);
  EXPECT_EQ(profile.loads.pages, 64);
  EXPECT_EQ(profile.loads.scale * profile.loads.pages, 1024);
  EXPECT_EQ(profile.stores.scale * profile.stores.pages, 1025);  // the last has one float
  EXPECT_EQ(profile.indices.pages, 0);
  EXPECT_EQ(profile.indices.scale, 0);
}

}  // namespace
}  // namespace sectorbench
