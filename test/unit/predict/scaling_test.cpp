// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/scaling.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace sectorbench {
namespace {

curve points(const std::vector<std::pair<double, double>>& pairs) {
  std::vector<curve::point> made;
  for (const auto& [x, y] : pairs) made.push_back({x, y});
  return curve(std::move(made));
}

// 10 SMs at 1 GHz, 1 TB/s, of which reads get 0.9, copies 0.8 and writes 1.
device_description base() {
  device_description device;
  device.sms = 10;
  device.l2_bytes = 64 << 20;
  device.dram_bytes_per_s = 1e12;
  device.loads_kept = {20e6, 100e6};
  device.stores_kept = {6e6, 100e6};
  time_figures& t = device.time.emplace();
  t.dram = points({{0, 0.9e12}, {0.5, 0.8e12}, {1, 1e12}});
  t.dram_loads = points({{64, 0.9e12}, {256, 0.54e12}, {1024, 0.45e12}});
  t.dram_stores = points({{32, 0.8e12}, {256, 0.2e12}});
  t.dram_together = points({{64, 1}});
  t.l2_loads = t.l2_stores = points({{1, 1e11}});
  t.l2_full_stores = 1e11;
  t.l2_added = points({{1, 0.5}});
  t.launch_s = t.dram_start_s = t.l2_start_s = 1e-6;
  t.block_life_loads = points({{0.05, 500e-9}, {1, 700e-9}});
  t.block_life_copies = points({{0.05, 550e-9}, {1, 900e-9}});
  t.block_life_in_l2_s = 300e-9;
  t.blocks_started_per_s = t.warps_started_per_s = t.l1_lines_per_s = t.f32_flops = 1e9;
  t.shared_wavefronts_per_s = 10e9;
  return device;
}

data_sheet base_sheet() {
  data_sheet sheet;
  sheet.dram_latency_s = 300e-9;
  sheet.l2_bytes_per_clock = 4000;
  return sheet;
}

// Twice the SMs at half the clock, half the bus.
data_sheet sheet_of(memory_kind memory, const interval& ecc) {
  data_sheet sheet;
  sheet.like = "base";
  sheet.clock_hz = 0.5e9;
  sheet.memory = memory;
  sheet.ecc = ecc;
  return sheet;
}
device_description scaled(const data_sheet& sheet) {
  device_description device;
  device.sms = 20;
  device.l2_bytes = 8 << 20;
  device.dram_bytes_per_s = 0.5e12;
  scale(device, sheet, base(), base_sheet());
  return device;
}

void expect_near(const interval& found, const interval& expected, const char* what) {
  EXPECT_NEAR(found.low / expected.low, 1, 1e-9) << what << " low: " << found.low;
  EXPECT_NEAR(found.high / expected.high, 1, 1e-9) << what << " high: " << found.high;
}

// 0.5 TB/s x 0.9 x 0.92 and x 1.04; writes reach no more than the peak.
TEST(Scaling, DenseTrafficGetsTheBasesShareOfThePeak) {
  const device_description d = scaled(sheet_of(memory_kind::kHbm2, 1));
  expect_near(d.time->dram.at(0), {414e9, 468e9}, "reads");
  expect_near(d.time->dram.at(0.5), {368e9, 416e9}, "copies");
  expect_near(d.time->dram.at(1), {460e9, 500e9}, "writes");
  EXPECT_TRUE(d.time->scaled);
}

// With ECC in GDDR reads get 0.76 to 0.96 of the share, writes 0.55 to 0.78, copies half of each;
// where the mode is not known, from there to 1.06.
TEST(Scaling, EccInGddrCostsWritesMoreThanReads) {
  const device_description on = scaled(sheet_of(memory_kind::kGddr6, 1));
  expect_near(on.time->dram.at(0), {0.45e12 * 0.76, 0.45e12 * 0.96}, "reads");
  expect_near(on.time->dram.at(0.5), {0.4e12 * 0.655, 0.4e12 * 0.87}, "copies");
  expect_near(on.time->dram.at(1), {0.5e12 * 0.55, 0.5e12 * 0.78}, "writes");
  const device_description open = scaled(sheet_of(memory_kind::kGddr6, {0, 1}));
  expect_near(open.time->dram.at(0), {0.45e12 * 0.76, 0.45e12 * 1.06}, "not known");
  EXPECT_EQ(on.fills, interval(1));
  EXPECT_EQ(open.fills, (interval{0.8, 1})) << "seen without ECC too";
}

TEST(Scaling, SharesThatAreGivenReplaceThoseThatAreDerived) {
  data_sheet sheet = sheet_of(memory_kind::kHbm2, 1);
  sheet.read_share = interval{0.5, 0.6};
  sheet.copy_share = 0.7;
  const device_description d = scaled(sheet);
  expect_near(d.time->dram.at(0), {0.25e12, 0.3e12}, "reads");
  expect_near(d.time->dram.at(0.5), {0.35e12, 0.35e12}, "copies");
  expect_near(d.time->dram.at(1), {460e9, 500e9}, "writes stay");
}

// At 1024 bytes the base loses half. HBM3 does too; another memory may lose (350 / 1024)^0.25 at
// best, and 0.9 (HBM) or 0.75 (GDDR) of the base's share at worst.
TEST(Scaling, SparseLoadsAreAFigureOfTheMemory) {
  const auto at = [](memory_kind kind, double apart) {
    return scaled(sheet_of(kind, 0)).time->dram_loads.at(apart);
  };
  expect_near(at(memory_kind::kHbm3, 1024), {414e9 * 0.5 * 0.9, 468e9 * 0.5 * 1.12}, "like it");
  expect_near(at(memory_kind::kHbm2, 1024), {414e9 * 0.5 * 0.9, 468e9 * 0.7646136061328155},
              "HBM2");
  expect_near(at(memory_kind::kHbm2, 256), {414e9 * 0.6 * 0.9, 468e9}, "HBM2, near");
  EXPECT_NEAR(at(memory_kind::kGddr6, 1024).low, 0.45e12 * 0.85 * 0.5 * 0.75, 1);
  expect_near(at(memory_kind::kHbm2, 64), {414e9, 468e9}, "dense");
}

// 300 ns of the base's 500 are latency, 200 are 200 cycles at 1 GHz: 400 ns at half of that. A full
// bus adds 0.3 to all of 200 ns; a tenth of doubt at each end.
TEST(Scaling, ABlockLivesForTheLatencyAndSomeCycles) {
  data_sheet sheet = sheet_of(memory_kind::kHbm2, 1);
  sheet.dram_latency_s = 400e-9;
  const time_figures t = *scaled(sheet).time;
  expect_near(t.block_life_loads.at(0), {800e-9 * 0.9, 800e-9 * 1.1}, "loads, idle");
  expect_near(t.block_life_loads.at(1), {860e-9 * 0.9, 1000e-9 * 1.1}, "loads, full bus");
  expect_near(t.block_life_copies.at(0), {900e-9 * 0.9, 900e-9 * 1.1}, "copies, idle");
  expect_near(t.block_life_stores_s, {400e-9 * 0.88, 400e-9 * 1.18}, "stores wait for nothing");
  expect_near(scaled(sheet_of(memory_kind::kHbm2, 1)).time->block_life_loads.at(0),
              {(225e-9 + 400e-9) * 0.9, (375e-9 + 400e-9) * 1.1}, "latency not known");
}

// As many cycles of SMs as the base: 0.4 to 1.1 of its L2, but 1.2 times the bus's peak at least.
// 8000 bytes a clock at half the clock are what the base has.
TEST(Scaling, L2FollowsItsBytesAClock) {
  data_sheet sheet = sheet_of(memory_kind::kHbm2, 1);
  expect_near(scaled(sheet).time->l2_full_stores, {0.4e11, 1.1e11}, "guessed");
  sheet.l2_bytes_per_clock = 8000;
  expect_near(scaled(sheet).time->l2_full_stores, {0.9e11, 1.1e11}, "given");
  sheet.l2_bytes_per_clock = 100;
  expect_near(scaled(sheet).time->l2_full_stores, {1.875e10, 1.875e10}, "1.2 x 0.5e12 / 32");
}

TEST(Scaling, AnL2InOnePartKeepsNearlyAllOfIt) {
  expect_near({scaled(sheet_of(memory_kind::kHbm2, 1)).loads_kept.kept_bytes, 1},
              {0.85 * (8 << 20), 1}, "8 MiB");
  device_description large;
  large.sms = 20;
  large.l2_bytes = 32 << 20;
  large.dram_bytes_per_s = 0.5e12;
  scale(large, sheet_of(memory_kind::kHbm3, 1), base(), base_sheet());
  EXPECT_EQ(large.loads_kept, (reuse_bounds{10e6, 50e6})) << "two parts, as of the base";
}

TEST(Scaling, GranulesFollowTheMemory) {
  EXPECT_EQ(scaled(sheet_of(memory_kind::kHbm2, 1)).read_granule, interval(64));
  EXPECT_EQ(scaled(sheet_of(memory_kind::kGddr5x, 0)).read_granule, interval(32));
  EXPECT_EQ(scaled(sheet_of(memory_kind::kGddr6x, 0)).read_granule, (interval{32, 64}));
}

}  // namespace
}  // namespace sectorbench
