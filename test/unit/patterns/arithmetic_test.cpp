// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/pattern/arithmetic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bench/cases/row.hpp"
#include "bench/devices/backend.hpp"
#include "test/support/fake_backend.hpp"

namespace sectorbench {
namespace {

using test::row_of;

TEST(Arithmetic, SumsAreThoseOfTheNumbers) {
  EXPECT_EQ(sum_of<std::uint32_t>(0x3f800000, 0x40000000), 0x40400000u);         // 1 + 2 = 3
  EXPECT_EQ(sum_of<std::uint64_t>(0x3ff0000000000000, 0xbff0000000000000), 0u);  // 1 - 1
  if (kHasHalf) {
    EXPECT_EQ(sum_of<std::uint16_t>(0x3c00, 0x4000), 0x4200);  // 1 + 2 = 3
  }
  // 1 + 2^-24 is halfway between two singles: to even.
  EXPECT_EQ(sum_of<std::uint32_t>(0x3f800000, 0x33800000), 0x3f800000u);
}

TEST(Arithmetic, WorkIsDependentAndKeepsElementsApart) {
  EXPECT_EQ(worked_on<std::uint32_t>(0x3f800000, 0), 0x3f800000u);
  EXPECT_EQ(worked_on<std::uint32_t>(0x3f800000, 1), 0xbf7fffffu);  // -(1 - 2^-24)
  EXPECT_EQ(worked_on<std::uint32_t>(0x3f800000, 3),
            worked_on<std::uint32_t>(worked_on<std::uint32_t>(0x3f800000, 2), 1));
  EXPECT_EQ(worked_on<std::uint64_t>(0x3ff0000000000000, 1), 0xbfefffffffffffffu);
  if (kHasHalf) {
    EXPECT_EQ(worked_on<std::uint16_t>(0x3c00, 1), 0xbbff);
  }
  EXPECT_NE(worked_on<std::uint32_t>(0x3f800000, 1000), worked_on<std::uint32_t>(0x3f810000, 1000));
  EXPECT_EQ(worked_on<std::uint32_t>(0x80000000, 1), 0u);  // -0 becomes 0
}

TEST(Arithmetic, AddSumsTwoVectors) {
  for (const char* name : {"add/copy/f32/step:1", "add/copy/f32/step:8", "add/copy/f32/step:7"}) {
    const auto work = make_workload(row_of(name, 1003));
    std::vector<float> in(2006), out(1003);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = 0.5F * static_cast<float>(i);
    work->run({in.data(), out.data()});
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], in[i] + in[1003 + i]) << i;
    EXPECT_EQ(work->meaning().useful_bytes(), 12 * 1003);
    EXPECT_EQ(work->meaning().flops(), 1003);
    EXPECT_EQ(work->meaning().elements(), 1003);
  }
}

TEST(Arithmetic, AddAsksForTwiceAsManyLoadsAsStores) {
  const launch_totals one = make_workload(row_of("add/copy/f32/step:1", 1024))->meaning().totals();
  EXPECT_EQ(one.loads, (side_totals{64, 256, 64}));
  EXPECT_EQ(one.stores, (side_totals{32, 128, 32}));
  const launch_totals eight =
      make_workload(row_of("add/copy/f32/step:8", 1024))->meaning().totals();
  EXPECT_EQ(eight.loads.sectors, 64u * 32);
  EXPECT_EQ(eight.stores.sectors, 32u * 32);
}

TEST(Arithmetic, ComputeWorksOnEachElement) {
  const auto work = make_workload(row_of("compute/copy/f64/step:32/fma:5", 1003));
  std::vector<double> in(1003), out(1003);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(i);
  work->run({in.data(), out.data()});
  for (std::size_t i = 0; i < out.size(); ++i) {
    double expected = in[i];
    for (int k = 0; k < 5; ++k) expected = expected * -(1 - 0x1p-53) + 0.0;
    ASSERT_EQ(out[i], expected) << i;
  }
  EXPECT_EQ(work->meaning().flops(), 2 * 5 * 1003);
}

// A kernel that adds wrongly, or leaves the work out, is found.
TEST(Arithmetic, ComparisonKnowsTheSumAndTheWork) {
  const auto device = make_host_backend();
  const auto wrong_after = [&](const char* run, const char* meant) {
    const auto work = make_workload(row_of(run, 4096));
    const auto meaning = make_workload(row_of(meant, 4096));
    device->acquire(*work);
    device->fill_input(3);
    device->poison_output();
    device->run_once(*work, 3, true);
    return device->compare(meaning->meaning(), 3).wrong;
  };
  EXPECT_EQ(wrong_after("add/copy/f32/step:1", "add/copy/f32/step:8"), 0u);
  EXPECT_EQ(wrong_after("compute/copy/f32/step:1/fma:7", "compute/copy/f32/step:8/fma:7"), 0u);
  EXPECT_GT(wrong_after("compute/copy/f32/step:1/fma:6", "compute/copy/f32/step:1/fma:7"), 4000u);
}

}  // namespace
}  // namespace sectorbench
