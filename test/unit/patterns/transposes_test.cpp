// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "bench/cases/row.hpp"
#include "bench/devices/backend.hpp"
#include "sectorbench/patterns/transpose_naive.hpp"
#include "sectorbench/patterns/transpose_tiled.hpp"
#include "sectorbench/patterns/transpose_wide.hpp"
#include "test/support/fake_backend.hpp"

namespace sectorbench {
namespace {

using test::row_of;

constexpr const char* kForms[] = {"transpose_naive_read", "transpose_naive_write",
                                  "transpose_tiled", "transpose_tiled_padded",
                                  "transpose_tiled_swizzled"};

/// Element of the input for each place of the transposed, column by column: a matrix of rows of
/// `columns`, the last one shorter.
std::vector<index_t> transposed(index_t n, index_t columns) {
  std::vector<index_t> order;
  for (index_t column = 0; column < columns; ++column)
    for (index_t at = column; at < n; at += columns) order.push_back(at);
  return order;
}

template <class T>
void expect_transposed(const std::string& name, index_t n, index_t columns) {
  const auto work = make_workload(row_of(name, n));
  ASSERT_EQ(work->meaning().refusal(), "") << name;
  std::vector<T> in(static_cast<std::size_t>(n)), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(i + 1);
  work->run({in.data(), out.data()});
  const std::vector<index_t> order = transposed(n, columns);
  for (std::size_t k = 0; k < out.size(); ++k)
    ASSERT_EQ(out[k], in[static_cast<std::size_t>(order[k])]) << name << ", n " << n << ", " << k;
}

TEST(Transposes, AnyRowsAndColumnsAreTransposed) {
  for (const std::string form : kForms)
    for (const auto& [n, columns] : std::vector<std::pair<index_t, index_t>>{
             {1, 1}, {7, 3}, {1000, 1}, {1000, 1000}, {33 * 65, 65}, {4097, 64}, {5000, 37}}) {
      const std::string values = "/columns:" + std::to_string(columns);
      expect_transposed<std::uint16_t>(form + "/copy/f16" + values, n, columns);
      expect_transposed<std::uint32_t>(form + "/copy/f32" + values, n, columns);
      expect_transposed<std::uint64_t>(form + "/copy/f64" + values, n, columns);
    }
}

TEST(Transposes, WideOnesTakeMultiplesOfTheirAccess) {
  expect_transposed<std::uint32_t>("transpose_wide/copy/f32/columns:68/v:4", 68 * 72, 68);
  expect_transposed<std::uint16_t>("transpose_wide/copy/f16/columns:8/v:8", 8 * 1000, 8);
  expect_transposed<std::uint64_t>("transpose_wide/copy/f64/columns:1002/v:2", 1002 * 6, 1002);
  const auto refusal = [](index_t n, const char* name) {
    return std::string(make_workload(row_of(name, n))->meaning().refusal());
  };
  const char* const kRow = "transpose_wide/copy/f32/columns:64/v:4";
  EXPECT_EQ(refusal(64 * 4, kRow), "");
  EXPECT_EQ(refusal(64 * 6, kRow), "rows (elements / columns) must be a multiple of v");
  EXPECT_EQ(
      refusal(64 * 4 + 1, kRow),
      "the last row must be a whole one: take a number of elements that is a multiple of columns");
  EXPECT_EQ(refusal(66 * 4, "transpose_wide/copy/f32/columns:66/v:4"),
            "columns must be a multiple of v, so that each row is aligned");
}

TEST(Transposes, BackendsRefuseWhatThePatternRefuses) {
  const auto device = make_host_backend();
  const auto work = make_workload(row_of("transpose_wide/copy/f32/columns:66/v:4", 264));
  EXPECT_THROW(device->acquire(*work), not_applicable);
}

// 4096 x 4096 doubles: 524,288 requests on each side; a warp's rows have 8 sectors, its columns 32.
TEST(Transposes, RequestsAndSectorsOfDoublesAreThePublishedOnes) {
  constexpr std::uint64_t kRequests = 524'288, kRow = 4'194'304, kColumn = 16'777'216;
  const auto totals = [](const char* form) {
    return make_workload(row_of(std::string(form) + "/copy/f64/columns:4096", 4096 * 4096))
        ->meaning()
        .totals();
  };
  const launch_totals reads = totals("transpose_naive_read"),
                      writes = totals("transpose_naive_write"), tiled = totals("transpose_tiled");
  EXPECT_EQ(reads.loads.requests, kRequests);
  EXPECT_EQ(reads.loads.sectors, kRow);
  EXPECT_EQ(reads.stores.sectors, kColumn);
  EXPECT_EQ(writes.stores.requests, kRequests);
  EXPECT_EQ(writes.loads.sectors, kColumn);
  EXPECT_EQ(writes.stores.sectors, kRow);
  EXPECT_EQ(tiled.loads.sectors, kRow);
  EXPECT_EQ(tiled.stores.sectors, kRow);
  EXPECT_EQ(tiled.slot_loads.requests, kRequests);
  EXPECT_EQ(tiled.slot_stores.requests, kRequests);
  // Each half of a warp stages 16 doubles in 32 banks; of a column its 16 lie in one pair of banks.
  EXPECT_EQ(tiled.slot_stores.wavefronts, 2 * kRequests);
  EXPECT_EQ(tiled.slot_stores.conflicts, 0u);
  EXPECT_EQ(tiled.slot_loads.wavefronts, 32 * kRequests);
  EXPECT_EQ(tiled.slot_loads.conflicts, 30 * kRequests);
}

TEST(Transposes, PaddedAndSwizzledTilesHaveFewConflictsOrNone) {
  for (const std::string form : {"transpose_tiled_padded", "transpose_tiled_swizzled"})
    for (const std::string type : {"f16", "f32", "f64"}) {
      const launch_totals totals =
          make_workload(row_of(form + "/copy/" + type + "/columns:128", 128 * 64))
              ->meaning()
              .totals();
      const std::uint64_t wavefronts = type == "f64" ? 2 : 1;
      // Padded halves: in odd columns the last of the even rows meets the first odd one.
      const std::uint64_t conflicts = type == "f16" && form == "transpose_tiled_padded" ? 128 : 0;
      EXPECT_EQ(totals.slot_loads, (shared_totals{256, 256 * wavefronts + conflicts, conflicts}))
          << form << type;
      EXPECT_EQ(totals.slot_stores, (shared_totals{256, 256 * wavefronts, 0})) << form << type;
    }
  // Two halves share each 4-byte word of a row; of a column 16 words lie in each of two banks.
  const launch_totals half =
      make_workload(row_of("transpose_tiled/copy/f16/columns:128", 128 * 64))->meaning().totals();
  EXPECT_EQ(half.slot_stores, (shared_totals{256, 256, 0}));
  EXPECT_EQ(half.slot_loads, (shared_totals{256, 256 * 16, 256 * 15}));
}

TEST(Transposes, WideAccessesMakeAQuarterOfTheRequests) {
  const launch_totals totals =
      make_workload(row_of("transpose_wide/copy/f32/columns:128/v:4", 128 * 128))
          ->meaning()
          .totals();
  EXPECT_EQ(totals.loads.requests, 128u);  // 16 Ki elements, 4 a lane
  EXPECT_EQ(totals.loads.sectors, 2048u);  // 512 bytes each
  EXPECT_EQ(totals.stores.requests, 128u);
  EXPECT_EQ(totals.stores.sectors, 2048u);
  EXPECT_EQ(totals.slot_stores.requests, 512u);
}

// ---- Staging that no barrier orders

/// Reverses a block through its slots; in `Phases` 1 it does not wait.
template <int Phases, index_t SlotOffset = 0, bool StagesTwice = false>
struct staged_reverse {
  static constexpr std::string_view kName = "staged_reverse", kSummary = "", kMapping = "";
  static constexpr auto kParameters = kNoParameters;
  static constexpr bool kThreadsAffine = false;
  static constexpr int kPhases = Phases, kSlots = 64;

  index_t n;

  static constexpr staged_reverse make(index_t n, std::span<const index_t>) { return {n}; }
  constexpr launch_shape shape(block_size) const { return row_of_threads(n, {64, 1}); }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <int Phase, class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t at = t.column();
    if constexpr (Phase == 0)
      a.stage(true, StagesTwice ? t.thread_x / 2 : t.thread_x, a.take(true, at, at));
    if constexpr (Phase == Phases - 1)
      a.put(true, at, at, a.staged(true, 63 - t.thread_x + SlotOffset));
  }
  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    run<0>(t, a);
  }
};

TEST(StagedSlots, ProofTakesABarrierBetweenStageAndUse) {
  static_assert(prove<copy>(staged_reverse<2>{128}, {}).ok());
  static_assert(prove<copy>(staged_reverse<3>{128}, {}).ok());
  const coverage_verdict racing = prove<copy>(staged_reverse<1>{128}, {});
  EXPECT_FALSE(racing.ok());
  EXPECT_EQ(racing.slots_misused, 128u);
  EXPECT_NE(describe(racing).find("128 uses of staged slots that no barrier orders"),
            std::string::npos);
}

TEST(StagedSlots, ProofFindsSlotsThatAreNotThereOrSharedInAPhase) {
  EXPECT_EQ(prove<copy>(staged_reverse<2, 1>{64}, {}).slots_misused, 1u);  // slot 64
  // 32 slots are staged twice, and the 32 others are read without having been staged.
  EXPECT_EQ(prove<copy>(staged_reverse<2, 0, true>{64}, {}).slots_misused, 64u);
}

}  // namespace
}  // namespace sectorbench
