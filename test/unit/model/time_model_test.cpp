// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/model/time_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/predict/device_file.hpp"
#include "bench/predict/prediction.hpp"
#include "test/support/fake_backend.hpp"

namespace sectorbench {
namespace {

using test::row_of;

constexpr double kRelative = 1e-9;

curve points(const std::vector<std::pair<double, double>>& pairs) {
  std::vector<curve::point> made;
  for (const auto& [x, y] : pairs) made.push_back({x, interval::exactly(y)});
  return curve(std::move(made));
}

// A GPU that takes no time for anything; tests give it the figures that they are about.
device_description timeless() {
  constexpr double kAnyRate = 1e30;
  device_description device;
  device.sms = 10;
  device.threads_per_sm = 1024;
  device.read_granule = {64, 64};
  device.fills = {1, 1};
  time_figures& t = device.time.emplace();
  t.dram = t.dram_loads = t.dram_stores = t.l2_loads = t.l2_stores = points({{0, kAnyRate}});
  // Both at once: at best side by side, at worst one after the other.
  t.dram_together = curve(std::vector<curve::point>{{0, {0.5, 1}}});
  t.block_life_loads = t.block_life_copies = points({{0, 0}});
  t.l2_full_stores = t.blocks_started_per_s = t.warps_started_per_s = kAnyRate;
  t.l1_lines_per_s = t.shared_wavefronts_per_s = t.f32_flops = kAnyRate;
  return device;
}

// A launch as the model sees it: 400 blocks of 8 warps, of which 4 fit on each of 10 SMs: ten
// generations. Each warp loads and stores 4 sectors of one line.
struct launch {
  reuse_profile profile;
  launch_totals totals;
  traffic_prediction traffic;
  double flops = 0;

  launch() {
    profile.blocks = 400;
    profile.block_threads = 256;
    profile.rounds = 1;
    totals.loads = totals.stores = {3200, 12800, 3200};
    traffic.load_spacing = 64;
    traffic.store_spacing = 32;
  }
  time_prediction on(const device_description& device) const {
    return predict_time(profile, totals, traffic, device, 4, flops);
  }
};

launch moving(double read, double written) {
  launch one;
  one.traffic.dram_read_bytes = interval::exactly(read);
  one.traffic.dram_write_bytes = interval::exactly(written);
  return one;
}

void expect_near(const interval& found, double low, double high, std::string_view what = "") {
  EXPECT_NEAR(found.low, low, low * kRelative) << what;
  EXPECT_NEAR(found.high, high, high * kRelative) << what;
}
void expect_near(const interval& found, double value, std::string_view what = "") {
  expect_near(found, value, value, what);
}

// ---- DRAM, dense

device_description with_dram() {
  device_description device = timeless();
  device.time->dram = points({{0, 1e12}, {0.5, 0.5e12}, {1, 0.8e12}});
  return device;
}

TEST(TimeModel, DenseTrafficTakesItsBytesOverTheRateOfItsMix) {
  struct mix {
    double read, written, rate;
  };
  for (const auto& [read, written, rate] :
       {mix{4e9, 0, 1e12}, mix{2e9, 2e9, 0.5e12}, mix{0, 4e9, 0.8e12},
        mix{3e9, 1e9, 0.75e12},  // a quarter: half way from 0 to 0.5
        mix{1e9, 3e9, 0.65e12}}) {
    SCOPED_TRACE(written / 4e9);
    const time_prediction time = moving(read, written).on(with_dram());
    expect_near(time.terms.dram, 4e9 / rate);
    expect_near(time.seconds, 4e9 / rate);
    EXPECT_EQ(time.limited_by, limit::kDramBytes);
    EXPECT_TRUE(time.is_number());
  }
}

TEST(TimeModel, BoundsOfTrafficAreEachTimedByTheirOwnMix) {
  launch one;
  one.traffic.dram_read_bytes = {1e9, 3e9};
  one.traffic.dram_write_bytes = {1e9, 1e9};
  const time_prediction time = one.on(with_dram());
  expect_near(time.terms.dram, 2e9 / 0.5e12, 4e9 / 0.75e12);
  EXPECT_FALSE(time.is_number());
  // What is no number is 3 % wider on both sides.
  expect_near(time.seconds, 0.97 * 4e-3, 1.03 * 4e9 / 0.75e12);
}

TEST(TimeModel, RateThatIsAnIntervalMakesTimesOne) {
  device_description device = timeless();
  device.time->dram = curve(std::vector<curve::point>{{0, {1e12, 1.05e12}}});
  const time_prediction time = moving(2.1e9, 0).on(device);
  expect_near(time.terms.dram, 2e-3, 2.1e-3);
  EXPECT_TRUE(time.is_number());
  expect_near(time.seconds, 2e-3, 2.1e-3, "a number is not widened");
}

TEST(TimeModel, OneTenthApartIsStillANumber) {
  launch one;
  one.traffic.dram_read_bytes = {1e9, 1.09e9};
  EXPECT_TRUE(one.on(with_dram()).is_number());
  expect_near(one.on(with_dram()).seconds, 1e-3, 1.09e-3);
  one.traffic.dram_read_bytes = {1e9, 1.11e9};
  EXPECT_FALSE(one.on(with_dram()).is_number());
  expect_near(one.on(with_dram()).seconds, 0.97e-3, 1.03 * 1.11e-3);
}

TEST(TimeModel, LaunchComesOnTop) {
  device_description device = with_dram();
  device.time->launch_s = 1e-6;
  device.time->dram_start_s = 2e-6;
  device.time->l2_start_s = 0.5e-6;
  expect_near(moving(1e9, 0).on(device).terms.launch, 3e-6);
  expect_near(moving(1e9, 0).on(device).seconds, 1.003e-3);
  device.time->l2_start_s = 5e-6;
  expect_near(moving(1e9, 0).on(device).terms.launch, 6e-6, "never shorter than in L2");
}

device_description with_starts() {
  device_description device = timeless();
  device.time->launch_s = 1e-6;
  device.time->dram_start_s = 2e-6;
  device.time->l2_start_s = 0.5e-6;
  return device;
}

TEST(TimeModel, LaunchOnWhatL2HasIsLess) {
  const time_prediction time = launch().on(with_starts());
  expect_near(time.terms.launch, 1.5e-6);
  expect_near(time.seconds, 1.5e-6);
  EXPECT_EQ(time.limited_by, limit::kLaunch);
}

// 12,800 sectors are loaded: 409,600 bytes.
TEST(TimeModel, LaunchStartsFromDramWhereAllLoadsMiss) {
  const auto started = [](interval reads, double fills = 0) {
    launch one;
    one.traffic.dram_read_bytes = reads;
    one.traffic.fill_sectors = interval::exactly(fills);
    return one.on(with_starts()).terms.launch;
  };
  expect_near(started({0, 1e3}), 1.5e-6, 3e-6, "some may be in DRAM");
  expect_near(started(interval::exactly(204800)), 1.5e-6, 3e-6, "half of them are");
  expect_near(started({409600, 819200}), 3e-6, "all are");
  // Sums of samples are rounded.
  expect_near(started(interval::exactly(409600 * (1 - 1e-15))), 3e-6, "all are");
  expect_near(started(interval::exactly(409600), 12800), 1.5e-6, "fills alone");
  expect_near(started(interval::exactly(819200), 12800), 3e-6, "loads and fills");
}

TEST(TimeModel, LaunchThatMovesNothingStartsInL2) {
  launch one;
  one.totals.loads = one.totals.stores = {};
  expect_near(one.on(with_starts()).terms.launch, 1.5e-6);
}

TEST(TimeModel, LaunchThatOnlyStoresStartsWhereItsStoresGo) {
  launch one;
  one.totals.loads = {};
  expect_near(one.on(with_starts()).terms.launch, 1.5e-6);
  one.traffic.dram_write_bytes = {0, 409600};
  expect_near(one.on(with_starts()).terms.launch, 1.5e-6, 3e-6);
  one.traffic.dram_write_bytes = interval::exactly(409600);
  expect_near(one.on(with_starts()).terms.launch, 3e-6);
  // A list is loaded, and L2 has it.
  one.totals.indices = {3200, 12800, 3200};
  expect_near(one.on(with_starts()).terms.launch, 1.5e-6);
}

// ---- DRAM, far apart

device_description with_locality() {
  device_description device = timeless();
  device.time->dram = points({{0, 1e12}});
  device.time->dram_loads = points({{64, 1e12}, {128, 0.5e12}, {256, 0.25e12}});
  device.time->dram_stores = points({{32, 1e12}, {64, 0.4e12}, {128, 0.2e12}});
  return device;
}

// 1e9 bytes for loads, and 1e7 sectors that are read and written: 3.2e8 bytes each.
launch spaced(double loads, double stores) {
  launch one = moving(1.32e9, 3.2e8);
  one.traffic.fill_sectors = interval::exactly(1e7);
  one.traffic.load_spacing = loads;
  one.traffic.store_spacing = stores;
  return one;
}

TEST(TimeModel, LoadsAndStoresFarApartTakeFromTheLongerToTheSumOfBoth) {
  const time_prediction time = spaced(128, 64).on(with_locality());
  constexpr double kLoads = 1e9 / 0.5e12, kStores = 6.4e8 / 0.4e12;  // 2 ms, 1.6 ms
  expect_near(time.terms.locality, 0.92 * kLoads, 1.08 * (kLoads + kStores));
  EXPECT_EQ(time.limited_by, limit::kDramLocality);
  EXPECT_FALSE(time.is_number());
  expect_near(time.seconds, 0.97 * 0.92 * kLoads, 1.03 * 1.08 * (kLoads + kStores));
  // With stores further apart those are the longer ones.
  expect_near(spaced(128, 128).on(with_locality()).terms.locality, 0.92 * 3.2e-3, 1.08 * 5.2e-3);
}

TEST(TimeModel, DistancesBetweenTwoPointsAreInterpolated) {
  expect_near(spaced(96, 48).on(with_locality()).terms.locality, 0.92 * (1e9 / 0.75e12),
              1.08 * (1e9 / 0.75e12 + 6.4e8 / 0.7e12));
}

TEST(TimeModel, WhatBothTakeTogetherIsAsMeasuredAtTheMeanOfTheirDistances) {
  device_description device = with_locality();
  device.time->dram_together = points({{64, 0.7}, {128, 0.9}});
  const auto locality = [&](double loads, double stores) {
    return spaced(loads, stores).on(device).terms.locality;
  };
  expect_near(locality(128, 128), 0.92 * 0.9 * 5.2e-3, 1.08 * 0.9 * 5.2e-3);
  // Loads 72 bytes apart and stores 128, at 96: loads at 0.9375e12 bytes/s, and 0.8 of the sum.
  constexpr double kSum = 1e9 / 0.9375e12 + 3.2e-3;
  expect_near(locality(72, 128), 0.92 * 0.8 * kSum, 1.08 * 0.8 * kSum);
  // Where one side is dense nothing was measured.
  expect_near(locality(128, 32), 0.92 * 2e-3, 1.08 * (2e-3 + 6.4e-4));
}

TEST(TimeModel, TogetherTheyTakeNoLessThanTheLongerAlone) {
  device_description device = with_locality();
  device.time->dram_together = points({{0, 0.6}});
  // 4 ms of loads and 1.6 ms of stores: 0.6 of the sum is 3.36 ms.
  expect_near(spaced(256, 64).on(device).terms.locality, 0.92 * 4e-3, 1.08 * 4e-3);
  device.time->dram_together = points({{0, 1.2}});
  expect_near(spaced(256, 64).on(device).terms.locality, 0.92 * 6.72e-3, 1.08 * 6.72e-3,
              "in each other's way");
}

TEST(TimeModel, OnlyWhatLiesFurtherApartThanUnitsIsFarApart) {
  expect_near(spaced(70, 35).on(with_locality()).terms.locality, 0);
  EXPECT_EQ(spaced(70, 35).on(with_locality()).limited_by, limit::kDramBytes);
  EXPECT_GT(spaced(71, 32).on(with_locality()).terms.locality.low, 0);
  EXPECT_GT(spaced(64, 36).on(with_locality()).terms.locality.low, 0);
  // A granule of 128 bytes is as dense at 128.
  device_description device = with_locality();
  device.read_granule = {128, 128};
  expect_near(spaced(128, 32).on(device).terms.locality, 0);
}

TEST(TimeModel, StoresFarApartAreNoneWhereNothingIsStored) {
  launch one = moving(1e9, 0);
  one.traffic.store_spacing = 128;
  expect_near(one.on(with_locality()).terms.locality, 0);
}

// ---- Bytes in flight

// Blocks that live 2 us, however full the bus is; DRAM moves 1e12 bytes/s.
device_description with_lives() {
  device_description device = timeless();
  device.time->dram = points({{0, 1e12}});
  device.time->block_life_loads = points({{0, 2e-6}});
  device.time->block_life_copies = points({{0, 3e-6}});
  device.time->block_life_in_l2_s = 0.5e-6;
  return device;
}

launch only_loading(double bytes) {
  launch one = moving(bytes, 0);
  one.totals.stores = {};
  return one;
}

TEST(TimeModel, GenerationsOfBlocksLiveOneAfterTheOther) {
  launch one = only_loading(1e6);
  const time_prediction time = one.on(with_lives());
  expect_near(time.terms.in_flight, 20e-6);
  EXPECT_EQ(time.limited_by, limit::kInFlight);
  EXPECT_TRUE(time.is_number());
  one.profile.blocks = 100;
  one.totals.loads = {800, 3200, 800};
  expect_near(one.on(with_lives()).terms.in_flight, 5e-6, "two and a half generations");
  one.profile.blocks = 10;
  one.totals.loads = {80, 320, 80};
  expect_near(one.on(with_lives()).terms.in_flight, 2e-6, "not less than one life");
}

TEST(TimeModel, BlocksThatStoreWhatTheyLoadedHaveLivesOfTheirOwn) {
  expect_near(moving(1e6, 0).on(with_lives()).terms.in_flight, 30e-6);
}

TEST(TimeModel, NothingIsWaitedForWhereNothingIsLoaded) {
  launch one = moving(0, 1e6);
  one.totals.loads = {};
  expect_near(one.on(with_lives()).terms.in_flight, 0);
  EXPECT_EQ(one.on(with_lives()).limited_by, limit::kDramBytes);
  device_description device = with_lives();
  device.time->block_life_stores_s = {0.2e-6, 0.3e-6};
  expect_near(one.on(device).terms.in_flight, 2e-6, 3e-6, "ten generations that only store");
  one.totals.indices = {3200, 12800, 3200};
  EXPECT_GT(one.on(with_lives()).terms.in_flight.low, 0) << "a list is loaded too";
}

// 4 times the threads of the blocks that were measured: 4^0.15 = 2^0.3 times as long, at worst.
TEST(TimeModel, LargerBlocksMayLiveLonger) {
  launch one = only_loading(1e6);
  one.profile.block_threads = 1024;
  one.totals.loads = {12800, 51200, 12800};
  expect_near(one.on(with_lives()).terms.in_flight, 20e-6, 20e-6 * std::pow(2, 0.3));
}

TEST(TimeModel, LongLivesAreNotCutOffWhereDramHasNextToNothingToDo) {
  // 1e6 bytes at 1e17 bytes/s: the blocks live two million times as long.
  device_description device = with_lives();
  device.time->dram = points({{0, 1e17}});
  expect_near(only_loading(1e6).on(device).terms.in_flight, 20e-6);
}

TEST(TimeModel, RoundsAreWaitedForOneAfterTheOtherUnlessACompilerUnrollsThem) {
  launch one = only_loading(1e6);
  one.profile.rounds = 5;
  one.totals.loads.sectors = 5 * 12800;
  // At best four of them at once: 1 + 4 / 4.
  const time_prediction time = one.on(with_lives());
  expect_near(time.terms.in_flight, 40e-6, 100e-6);
  EXPECT_FALSE(time.is_number());
}

TEST(TimeModel, BlocksWhoseWarpsLoadMoreAtOnceLiveLonger) {
  device_description device = with_lives();
  device.time->widening_loads = 0.5;
  device.time->widening_copies = 1;
  struct width {
    std::uint64_t sectors;
    double loads, copies;
  };
  for (const auto& [sectors, loads, copies] :
       {width{2, 1, 1}, width{4, 1, 1}, width{8, 1.5, 2}, width{16, 2.25, 4}, width{32, 2.25, 4}}) {
    SCOPED_TRACE(sectors);
    launch one = only_loading(1e6);
    one.totals.loads.sectors = sectors * 3200;
    expect_near(one.on(device).terms.in_flight, 20e-6 * loads);
    one = moving(1e6, 0);
    one.totals.loads.sectors = sectors * 3200;
    expect_near(one.on(device).terms.in_flight, 30e-6 * copies);
  }
}

TEST(TimeModel, DependentOperationsLengthenLivesAtWorst) {
  device_description device = with_lives();
  device.time->shared_wavefronts_per_s = 10e9;  // 10 SMs at 1 GHz: 8 cycles take 8 ns
  launch one = only_loading(1e6);
  one.flops = 400.0 * 256 * 2 * 50;  // 50 multiply-adds a thread: 0.4 us
  expect_near(one.on(device).terms.in_flight, 20e-6, 24e-6);
}

TEST(TimeModel, WhereDramLimitsTheTimeIsExactlyThatOfDram) {
  device_description device = with_lives();
  device.time->block_life_loads = points({{0, 2e-6}, {1, 4e-6}});
  const time_prediction time =
      only_loading(1e8).on(device);  // 100 us; on a full bus 40 us of lives
  EXPECT_EQ(time.terms.dram, interval::exactly(1e8 / 1e12));
  expect_near(time.terms.in_flight, 100e-6);
  EXPECT_EQ(time.limited_by, limit::kDramBytes);
  EXPECT_EQ(time.seconds, time.terms.dram + time.terms.launch);
}

TEST(TimeModel, LivesAndTheShareOfTheBusInUseAgree) {
  device_description device = with_lives();
  device.time->block_life_loads = points({{0, 2e-6}, {1, 4e-6}});
  // 15 us of DRAM: s = 20 us x (1 + 15 us / s) has the solution 30 us, half of the bus in use.
  const time_prediction time = only_loading(15e6).on(device);
  expect_near(time.terms.in_flight, 30e-6);
  EXPECT_EQ(time.limited_by, limit::kInFlight);
}

TEST(TimeModel, WhatL2HasComesSooner) {
  expect_near(only_loading(0).on(with_lives()).terms.in_flight, 5e-6);
  launch perhaps = only_loading(0);
  perhaps.traffic.dram_read_bytes = {0, 1e6};
  expect_near(perhaps.on(with_lives()).terms.in_flight, 5e-6, 20e-6);
}

TEST(TimeModel, BlocksWaitForDramIfOneOfTheirSectorsDoes) {
  // Two sectors a block, of which half are in DRAM: a quarter of the blocks have none there, and
  // live 0.5 us instead of 2.
  launch one = only_loading(800 / 2 * 32);
  one.totals.loads.sectors = 800;
  expect_near(one.on(with_lives()).terms.in_flight, 10 * (0.75 * 2e-6 + 0.25 * 0.5e-6));
  // Also if one of them is a list's.
  one.totals.loads.sectors = one.totals.indices.sectors = 400;
  expect_near(one.on(with_lives()).terms.in_flight, 10 * (0.75 * 2e-6 + 0.25 * 0.5e-6));
  // Of one sector a block half of the blocks wait.
  one.totals.indices = {};
  one.traffic.dram_read_bytes = interval::exactly(400 / 2 * 32);
  expect_near(one.on(with_lives()).terms.in_flight, 10 * (0.5 * 2e-6 + 0.5 * 0.5e-6));
}

// ---- L2

device_description with_l2() {
  device_description device = timeless();
  device.time->l2_loads = points({{1, 1e9}, {2, 2e9}, {4, 4e9}});
  device.time->l2_stores = points({{1, 0.5e9}, {4, 2e9}});
  device.time->l2_full_stores = 8e9;
  return device;
}

launch through_l2(double read, double written, std::uint64_t lines) {
  launch one;
  one.traffic.l2_read_sectors = interval::exactly(read);
  one.traffic.l2_write_sectors = interval::exactly(written);
  one.totals.loads.lines = one.totals.stores.lines = lines;
  return one;
}

// A rate of a probe stands for others with a doubt of 8 %.
void expect_rated(const interval& found, double low, double high, std::string_view what = "") {
  expect_near(found, 0.92 * low, 1.08 * high, what);
}
void expect_rated(const interval& found, double value, std::string_view what = "") {
  expect_rated(found, value, value, what);
}

TEST(TimeModel, L2ServesSectorsAsFastAsTheirLinesAllow) {
  // 8000 lines: 1.6 sectors of each, and 1.6e9 of them a second.
  for (const auto& [lines, rate] :
       {std::pair{12800, 1e9}, {6400, 2e9}, {3200, 4e9}, {1600, 4e9}, {8000, 1.6e9}})
    expect_rated(through_l2(12800, 0, static_cast<std::uint64_t>(lines)).on(with_l2()).terms.l2,
                 12800 / rate, std::to_string(lines));
  const time_prediction time = through_l2(12800, 0, 12800).on(with_l2());
  expect_near(time.seconds, 0.97 * 0.92 * 12.8e-6, 1.03 * 1.08 * 12.8e-6);
  EXPECT_EQ(time.limited_by, limit::kL2);
}

TEST(TimeModel, L2ServesListsByTheirLinesToo) {
  // 6400 sectors a line each, at 1e9 a second, and 6400 of a list, four of a line, at 4e9.
  launch one = through_l2(12800, 0, 6400);
  one.totals.loads.sectors = 6400;
  one.totals.indices = {1600, 6400, 1600};
  expect_rated(one.on(with_l2()).terms.l2, 6.4e-6 + 1.6e-6);
}

TEST(TimeModel, L2TakesWholeSectorsFasterThanParts) {
  launch one = through_l2(0, 12800, 12800);
  expect_rated(one.on(with_l2()).terms.l2, 25.6e-6);
  one = through_l2(0, 12800, 3200);
  expect_rated(one.on(with_l2()).terms.l2, 6.4e-6);
  one.profile.stores_whole_sectors = true;
  expect_rated(one.on(with_l2()).terms.l2, 1.6e-6);
}

TEST(TimeModel, WhatL1MergesMayBeWholeSectors) {
  launch one = through_l2(0, 0, 3200);
  one.traffic.l2_write_sectors = {6400, 12800};
  expect_rated(one.on(with_l2()).terms.l2, 6400 / 8e9, 12800 / 2e9);
  one.traffic.l2_write_sectors = {12700, 12800};  // none is merged, but for the samples
  expect_rated(one.on(with_l2()).terms.l2, 12700 / 2e9, 12800 / 2e9);
}

TEST(TimeModel, LoadsAndStoresOfL2OverlapOrNot) {
  // 3.2 us of loads and 6.4 us of stores, and nothing is known of both.
  const time_prediction time = through_l2(12800, 12800, 3200).on(with_l2());
  expect_rated(time.terms.l2, 6.4e-6, 3.2e-6 + 6.4e-6);
  launch one = through_l2(0, 0, 3200);
  one.traffic.l2_read_sectors = {6400, 12800};
  expect_rated(one.on(with_l2()).terms.l2, 1.6e-6, 3.2e-6, "sectors that L1 may answer");
}

TEST(TimeModel, AShareOfTheShorterOfLoadsAndStoresComesOnTop) {
  device_description device = with_l2();
  device.time->l2_added = points({{1, 0.8}, {4, 0.25}});
  launch one = through_l2(12800, 12800, 3200);
  expect_rated(one.on(device).terms.l2, 6.4e-6 + 0.25 * 3.2e-6);
  // Where loads use a sector of a line and stores all four, between the shares of both; loads now
  // take 12.8 us.
  one.totals.loads.lines = 12800;
  expect_rated(one.on(device).terms.l2, 12.8e-6 + 0.25 * 6.4e-6, 12.8e-6 + 0.8 * 6.4e-6);
}

TEST(TimeModel, BarriersMayKeepLoadsAndStoresOfL2Apart) {
  device_description device = with_l2();
  device.time->l2_added = points({{1, 0.25}});
  launch one = through_l2(12800, 12800, 3200);
  one.totals.slot_stores.requests = 1;
  expect_rated(one.on(device).terms.l2, 6.4e-6 + 0.25 * 3.2e-6, 6.4e-6 + 3.2e-6);
}

// ---- L1, banks, starts, arithmetic

TEST(TimeModel, L1LooksUpTheLinesOfLoadsAndLists) {
  device_description device = timeless();
  device.time->l1_lines_per_s = 1e9;
  launch one;
  one.totals.loads.lines = 3000;
  one.totals.indices.lines = 200;
  one.totals.stores.lines = 800;
  one.traffic.l2_read_sectors = interval::exactly(12800);
  const time_prediction time = one.on(device);
  // Those of stores may be in their way.
  expect_rated(time.terms.l1, 3.2e-6, 4e-6);
  expect_near(time.seconds, 0.97 * 0.92 * 3.2e-6, 1.03 * 1.08 * 4e-6);
  EXPECT_EQ(time.limited_by, limit::kRequests);
  one.traffic.l2_read_sectors = interval::exactly(6399);
  EXPECT_EQ(one.on(device).limited_by, limit::kL1) << "most sectors are found in L1";
  one.totals.loads = {};
  expect_rated(one.on(device).terms.l1, 0.2e-6, 1e-6, "of a list alone");
  one.totals.indices = {};
  EXPECT_EQ(one.on(device).terms.l1, interval{}) << "stores alone are in nobody's way";
}

TEST(TimeModel, BanksComeBesideWhatTheyMoveOrNot) {
  device_description device = with_dram();
  device.time->shared_wavefronts_per_s = 1e9;
  launch one = moving(1e6, 0);  // 1 us
  one.totals.slot_loads.wavefronts = 3000;
  one.totals.slot_stores.wavefronts = 1000;
  const time_prediction time = one.on(device);
  expect_near(time.terms.banks, 4e-6);
  EXPECT_EQ(time.limited_by, limit::kBankConflicts);
  expect_near(time.seconds, 0.97 * 4e-6, 1.03 * 5e-6);
  // Passes that take less than DRAM are hidden.
  one = moving(5e6, 0);
  one.totals.slot_loads.wavefronts = 4000;
  EXPECT_EQ(one.on(device).limited_by, limit::kDramBytes);
  expect_near(one.on(device).seconds, 5e-6);
}

TEST(TimeModel, BlocksAndWarpsHaveToStart) {
  device_description device = timeless();
  device.time->blocks_started_per_s = 1e8;  // 400 blocks: 4 us
  device.time->warps_started_per_s = 1e9;   // 3200 warps: 3.2 us
  expect_near(launch().on(device).terms.starts, 4e-6);
  EXPECT_EQ(launch().on(device).limited_by, limit::kLaunch);
  device.time->warps_started_per_s = 4e8;
  expect_near(launch().on(device).seconds, 8e-6);
  launch one;
  one.profile.block_threads = 33;  // two warps
  expect_near(one.on(device).terms.starts, 4e-6);
}

TEST(TimeModel, TheBlockThatStartsLastWaitsForItsLoads) {
  device_description device = timeless();
  device.time->blocks_started_per_s = 1e8;  // 400 blocks: 4 us
  device.time->block_life_in_l2_s = 0.5e-6;
  expect_near(launch().on(device).terms.starts, 4.5e-6);
  launch storing;
  storing.totals.loads = storing.totals.indices = {};
  expect_near(storing.on(device).terms.starts, 4e-6, "stores are not waited for");
}

TEST(TimeModel, ArithmeticTakesItsOperations) {
  device_description device = timeless();
  device.time->f32_flops = 1e12;
  launch one;
  one.flops = 5e6;
  expect_near(one.on(device).seconds, 5e-6);
  EXPECT_EQ(one.on(device).limited_by, limit::kArithmetic);
}

TEST(TimeModel, LimitsHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const limit what :
       {limit::kRequests, limit::kL1, limit::kL2, limit::kDramBytes, limit::kDramLocality,
        limit::kInFlight, limit::kBankConflicts, limit::kLaunch, limit::kArithmetic})
    EXPECT_TRUE(names.insert(name_of(what)).second) << name_of(what);
  EXPECT_EQ(name_of(limit::kDramLocality), "dram_locality");
  EXPECT_EQ(name_of(limit::kArithmetic), "arithmetic");
}

TEST(TimeModel, TheLongestLimitsAndOthersWidenOnlyTheHighEnd) {
  device_description device = with_dram();
  device.time->f32_flops = 1e12;
  launch one;
  one.traffic.dram_read_bytes = {1e6, 9e6};  // 1 to 9 us
  one.flops = 5e6;                           // 5 us
  const time_prediction time = one.on(device);
  EXPECT_EQ(time.limited_by, limit::kArithmetic);
  expect_near(time.seconds, 0.97 * 5e-6, 1.03 * 9e-6);
}

TEST(TimeModel, WhatTakesLessThanTheLaunchItselfIsLimitedByIt) {
  device_description device = with_dram();
  device.time->launch_s = 2e-6;
  EXPECT_EQ(moving(1e6, 0).on(device).limited_by, limit::kLaunch);
  EXPECT_EQ(moving(3e6, 0).on(device).limited_by, limit::kDramBytes);
}

// ---- Rows on GPUs

constexpr index_t kReference = index_t{64} << 20;  // 256 MiB of floats

time_prediction time_of(std::string_view name, const device_description& device,
                        index_t elements = kReference) {
  const auto work = make_workload(row_of(name, elements));
  return *predictor(device, "a test").predict(work->meaning()).time;
}

// The description's figures are none of a pattern's: what others measured on a T4 lies inside.
TEST(TimeModel, TimesOnAT4AreAsPublished) {
  const device_description t4 = find_device("t4");
  struct published_time {
    const char* name;
    index_t elements;
    double ms;
  };
  constexpr index_t kMi = index_t{1} << 20;
  for (const auto& [name, elements, ms] :
       {published_time{"stride/copy/f32/stride:1", kReference, 2.305},
        {"stride/copy/f32/stride:2", kReference, 6.158},
        {"stride/copy/f32/stride:4", kReference, 12.836},
        {"stride/copy/f32/stride:8", kReference, 26.701},
        {"stride/copy/f32/stride:16", kReference, 37.728},
        {"stride/copy/f32/stride:32", kReference, 56.037},
        {"chunk/copy/f32/chunk:32", kReference, 16.493},
        {"contiguous/copy/f32", 2'000'000, 0.070},
        {"contiguous/copy/f32", 4'000'000, 0.136},
        {"contiguous/copy/f32", 8'000'000, 0.267},
        {"contiguous/copy/f32", 16'000'000, 0.528},
        {"contiguous/copy/f32", 17'000'000, 0.563},
        {"add/copy/f32/step:1", 128 * kMi, 6.27},
        {"grid_loop/read/f32/steps:16", 256 * kMi, 4.375},
        {"grid_loop/write/f32/steps:16", 256 * kMi, 4.982}}) {
    const interval seconds = time_of(name, t4, elements).seconds;
    EXPECT_TRUE(seconds.contains(ms * 1e-3))
        << name << ": " << seconds.low << " to " << seconds.high << " s";
  }
}

TEST(TimeModel, RowsOnAnH200AreLimitedByDifferentThings) {
  const device_description h200 = find_device("h200");
  for (const auto& [name, what] : {std::pair{"contiguous/copy/f32", limit::kInFlight},
                                   {"stride/copy/f32/stride:8", limit::kDramBytes},
                                   {"stride/copy/f32/stride:32", limit::kDramLocality}})
    EXPECT_EQ(name_of(time_of(name, h200).limited_by), name_of(what)) << name;
  EXPECT_EQ(time_of("contiguous/copy/u8", h200, 4 * kReference).limited_by, limit::kLaunch);
}

}  // namespace
}  // namespace sectorbench
