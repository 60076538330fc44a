// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/likeness.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/report/counters.hpp"

namespace sectorbench {
namespace {

/// So many requests of loads and stores, each of so many sectors and bytes.
launch_counts counts(double loads, double load_sectors, double load_bytes, double stores,
                     double store_sectors, double store_bytes, block_size block = {256, 1}) {
  return {loads,
          loads * load_sectors,
          stores,
          stores * store_sectors,
          loads * load_bytes,
          stores * store_bytes,
          block};
}

std::string first(const launch_counts& of) {
  const auto rows = rows_like(of, {});
  return rows.empty() ? "" : (rows.front().same ? "" : "near ") + rows.front().row.name;
}

TEST(RowsLike, NamesTheRowWithTheCounts) {
  EXPECT_EQ(first(counts(1000, 4, 128, 1000, 4, 128)), "contiguous/copy/f32");
  EXPECT_EQ(first(counts(1000, 5, 128, 1000, 4, 128)), "offset/copy/f32/loads:1/stores:0");
  EXPECT_EQ(first(counts(1000, 20, 128, 1000, 4, 128)), "aos/gather/f32/fields:5/field:0");
  EXPECT_EQ(first(counts(1000, 4, 128, 1000, 32, 128)), "stride/scatter/f32/stride:8");
  EXPECT_EQ(first(counts(1000, 24, 256, 1000, 24, 256)), "stride/copy/f64/stride:3");
  EXPECT_EQ(first(counts(1000, 2, 64, 0, 0, 0)), "contiguous/read/f16");
  EXPECT_EQ(first(counts(0, 0, 0, 1000, 16, 512)), "contiguous/write/f32x4");
  EXPECT_EQ(first(counts(2000, 4, 128, 1000, 4, 128)), "add/copy/f32/step:1");
}

TEST(RowsLike, EighteenSectorsAreSwappedAxesOrAnIndexList) {
  const std::string swapped = "/f32/columns:1001/pitch:1001/block:16x16";
  EXPECT_EQ(first(counts(1000, 18.3, 128, 1000, 18.3, 128, {16, 16})),
            "pitch_swapped/copy" + swapped);
  EXPECT_EQ(first(counts(1000, 18, 128, 1000, 4, 128, {16, 16})), "pitch_swapped/gather" + swapped);
  // Two loads for each store: an entry of a list and its element.
  EXPECT_EQ(first(counts(2000, 18, 128, 1000, 4, 128)), "random/gather/f32");
  EXPECT_TRUE(first(counts(1000, 18, 128, 1000, 18, 128)).starts_with("near "));
}

TEST(RowsLike, RowsHaveAsManyRequests) {
  const auto rows = rows_like(counts(12345, 20, 128, 12345, 4, 128), {});
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows.front().row.spec.elements, 12345 * 32);
}

TEST(RowsLike, WithoutBytesTheTypeIsF32UnlessItIsSaid) {
  launch_counts of = counts(1000, 8, 0, 1000, 8, 0);
  of.load_bytes = of.store_bytes = std::nullopt;
  EXPECT_EQ(first(of), "wide/copy/f32/first:0/v:2");
  const element_type wanted[] = {element_type::kF64};
  EXPECT_EQ(rows_like(of, wanted).front().row.name, "contiguous/copy/f64");
}

}  // namespace
}  // namespace sectorbench
