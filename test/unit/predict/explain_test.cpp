// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/explain.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "test/support/fake_backend.hpp"

namespace sectorbench {
namespace {

using test::row_of;
using texts = std::vector<std::string>;

constexpr index_t kMi = index_t{1} << 20;
constexpr index_t kReference = 64 * kMi;  // elements of the reference rows
constexpr double kMiB = 1 << 20;

curve points(const std::vector<std::pair<double, double>>& pairs) {
  std::vector<curve::point> made;
  for (const auto& [x, y] : pairs) made.push_back({x, interval::exactly(y)});
  return curve(std::move(made));
}

// No GPU: one with round figures.
device_description made_up() {
  time_figures time;
  time.launch_s = 1e-6;
  time.dram_start_s = 2e-6;
  time.l2_start_s = 0.5e-6;
  time.dram = points({{0, 4e12}});
  time.dram_loads = points({{64, 4e12}, {128, 2.5e12}, {256, 2e12}});
  time.dram_stores = points({{32, 4e12}, {64, 3e12}, {128, 1.5e12}, {256, 1e12}});
  time.dram_together = curve(std::vector<curve::point>{{0, {0.5, 1}}});
  time.l2_loads = points({{1, 2e11}});
  time.l2_stores = points({{1, 1e11}});
  time.l2_full_stores = 2e11;
  time.block_life_loads = points({{0.1, 5e-7}, {0.9, 7e-7}});
  time.block_life_copies = points({{0.1, 6e-7}, {0.9, 1e-6}});
  time.block_life_in_l2_s = 4e-7;
  time.blocks_started_per_s = 2e9;
  time.warps_started_per_s = 4e10;
  time.l1_lines_per_s = 2e11;
  time.shared_wavefronts_per_s = 2e11;
  time.f32_flops = 5e13;

  device_description device;
  device.key = "made_up";
  device.name = "Made Up 100";
  device.architecture = "none";
  device.sms = 100;
  device.threads_per_sm = 2048;
  device.l1_bytes = 256 * 1024;
  device.l2_bytes = 64 * kMiB;
  device.dram_bytes_per_s = 5e12;
  device.read_granule = {64, 64};
  device.fills = {1, 1};
  device.loads_kept = {32 * kMiB, 96 * kMiB};
  device.stores_kept = {32 * kMiB, 96 * kMiB};
  device.time = time;
  return device;
}

row_prediction predict(const row_spec& row, const device_description& device) {
  return predictor(device, "made up").predict(make_workload(row)->meaning());
}

texts explained(std::string_view name, index_t elements,
                const device_description& device = made_up(), const measured_row& measured = {}) {
  const row_spec row = row_of(name, elements);
  return explain(row, predict(row, device), device, measured);
}

// With another limit than the one predicted.
texts explained_as(std::string_view name, index_t elements, limit what) {
  const row_spec row = row_of(name, elements);
  const device_description device = made_up();
  row_prediction prediction = predict(row, device);
  prediction.time->limited_by = what;
  return explain(row, prediction, device, {});
}

// What is said of a measured time beside a predicted one.
std::string compared(const interval& predicted, double seconds) {
  const row_spec row = row_of("contiguous/copy/f32x4", kMi);
  const device_description device = made_up();
  row_prediction prediction = predict(row, device);
  prediction.time->seconds = predicted;
  return explain(row, prediction, device, {seconds, {}}).back();
}

// What is said of DRAM bytes beside predicted ones, both in times of the array; half are reads.
std::string compared_bytes(const interval& predicted, double bytes) {
  const row_spec row = row_of("contiguous/copy/f32x4", kMi);
  const device_description device = made_up();
  row_prediction prediction = predict(row, device);
  const auto array = static_cast<double>(row.buffer_bytes());
  prediction.traffic.dram_read_bytes = predicted * (array / 2);
  prediction.traffic.dram_write_bytes = predicted * (array / 2);
  measured_row measured;
  measured.metrics = {{"dram__bytes_read.sum", bytes * array / 2},
                      {"dram__bytes_write.sum", bytes * array / 2}};
  return explain(row, prediction, device, measured).back();
}

bool says(const texts& sentences, std::string_view part) {
  for (const std::string& sentence : sentences)
    if (sentence.find(part) != std::string::npos) return true;
  return false;
}

// ---- The reference rows

TEST(Explain, Stride1WaitsForBytes) {
  EXPECT_EQ(
      explained("stride/copy/f32/stride:1", kReference),
      (texts{"Nothing is wasted: what crosses DRAM is what the threads ask for, 2 times the array "
             "(256 MiB).",
             "Each thread has only 4 bytes under way at a time: the 205 thousand threads that run "
             "at once ask for 800 KiB, and 805 ns pass until the next take their place.",
             "So loads come at 1.02 TB/s (bytes under way over the time that passes), which takes "
             "264 us of the 267 us predicted, where DRAM alone would need 134 us.",
             "Load 16 bytes a thread at once, or let each thread load four values before it uses "
             "the first (unroll by four)."}));
}

TEST(Explain, Stride2StoresHalvesOfSectors) {
  EXPECT_EQ(
      explained("stride/copy/f32/stride:2", kReference),
      (texts{"Each store covers 16 of the 32 bytes of a sector (what the caches move at once), so "
             "L2 reads it first (a fill): 2 times the array (256 MiB) of fills, beside 2 of loads "
             "that use 16 bytes of each and 2 of writes.",
             "The launch moves 6 times the array through DRAM instead of 2, and that alone takes "
             "403 us of the 406 us predicted, at 4.00 TB/s.",
             "Write whole sectors, or stage a tile through shared memory: 6 times the array "
             "become 2."}));
}

TEST(Explain, Stride4StoresQuartersOfSectors) {
  EXPECT_EQ(
      explained("stride/copy/f32/stride:4", kReference),
      (texts{"Each store covers 8 of the 32 bytes of a sector (what the caches move at once), so "
             "L2 reads it first (a fill): 4 times the array (256 MiB) of fills, beside 4 of loads "
             "that use 8 bytes of each and 4 of writes.",
             "The launch moves 12 times the array through DRAM instead of 2, and that alone takes "
             "805 us of the 808 us predicted, at 4.00 TB/s.",
             "Write whole sectors, or stage a tile through shared memory: 12 times the array "
             "become 2."}));
}

TEST(Explain, Stride8StoresEighthsOfSectors) {
  EXPECT_EQ(
      explained("stride/copy/f32/stride:8", kReference),
      (texts{"Each store covers 4 of the 32 bytes of a sector (what the caches move at once), so "
             "L2 reads it first (a fill): 8 times the array (256 MiB) of fills, beside 8 of loads "
             "that use 4 bytes of each and 8 of writes.",
             "The launch moves 24 times the array through DRAM instead of 2, and that alone takes "
             "1.61 ms of the 1.61 ms predicted, at 4.00 TB/s.",
             "Write whole sectors, or stage a tile through shared memory: 24 times the array "
             "become 2."}));
}

TEST(Explain, Stride16FetchesGranules) {
  EXPECT_EQ(
      explained("stride/copy/f32/stride:16", kReference),
      (texts{"Each store covers 4 of the 32 bytes of a sector (what the caches move at once), so "
             "L2 reads it first (a fill): 8 times the array (256 MiB) of fills and 8 of writes.",
             "A load of what L2 does not have fetches a granule of 64 bytes (the least that L2 "
             "reads from DRAM), of which 4 are used: 16 times the array of loads.",
             "The launch moves 32 times the array through DRAM instead of 2, and that alone takes "
             "2.15 ms, at 4.00 TB/s.",
             "At worst DRAM is slower, as what is used lies 64 bytes apart, and takes 2.71 ms; "
             "with a margin, the launch is predicted to take between 2.09 and 2.79 ms.",
             "Write whole sectors, or stage a tile through shared memory: 32 times the array "
             "become 2."}));
}

TEST(Explain, Stride32LosesTheRateOfDram) {
  EXPECT_EQ(
      explained("stride/copy/f32/stride:32", kReference),
      (texts{"Each store covers 4 of the 32 bytes of a sector (what the caches move at once), so "
             "L2 reads it first (a fill): 8 times the array (256 MiB) of fills and 8 of writes.",
             "A load of what L2 does not have fetches a granule of 64 bytes (the least that L2 "
             "reads from DRAM), of which 4 are used: 16 times the array of loads.",
             "What is used at a time lies 128 bytes apart, and DRAM then gives only between 1.74 "
             "and 3.26 TB/s instead of 4.00 TB/s.",
             "So 32 times the array, instead of 2, take between 2.63 and 4.95 ms; with a margin, "
             "the launch is predicted to take between 2.56 and 5.10 ms.",
             "Write whole sectors, or stage a tile through shared memory: 32 times the array "
             "become 2."}));
}

TEST(Explain, Chunk32DependsOnTheOrderOfBlocks) {
  EXPECT_EQ(
      explained("chunk/copy/f32/chunk:32", kReference),
      (texts{"With each load and store a warp (32 threads that go together) touches 32 sectors "
             "(32 bytes each, what the caches move at once) and uses 4 bytes of each, as each "
             "thread walks 128 bytes of its own.",
             "Whether L2 (a cache) still has a sector when its other bytes are wanted depends on "
             "the order in which blocks run: between 2 and 32 times the array (256 MiB) crosses "
             "DRAM, where 2 would do.",
             "Up to 8 times the array of that are fills: L2 reads a sector that is only partly "
             "written before it writes it back.",
             "At best L1 (the cache beside the threads) takes 309 us to look up 67.1 million "
             "lines of 128 bytes; at worst what crosses DRAM takes 2.15 ms; with a margin, the "
             "launch is predicted to take between 301 us and 2.21 ms.",
             "Let neighbouring threads take neighbouring elements, so that a warp uses whole "
             "sectors: up to 32 times the array become 2."}));
}

// ---- Each limit

TEST(Explain, DenseRowAtTheCeilingCanOnlyMoveLess) {
  EXPECT_EQ(
      explained("contiguous/copy/f32x4", 16 * kMi),
      (texts{"Nothing is wasted: what crosses DRAM is what the threads ask for, 2 times the array "
             "(256 MiB).",
             "That takes 134 us of the 137 us predicted, at 4.00 TB/s or 80 % of the memory bus's "
             "peak: DRAM gives no more.",
             "Only moving fewer bytes helps: a narrower type, or kernels joined so that what is "
             "loaded is used more than once."}));
}

// 256 MiB each way at 3.2 to 4 TB/s take 168 to 134 us; 5 TB/s are the peak.
TEST(Explain, AnAssumedRateIsNoCeiling) {
  device_description device = made_up();
  device.time->scaled = true;
  device.time->dram = curve({curve::point{0, {3.2e12, 4e12}}});
  const texts sentences = explained("contiguous/copy/f32x4", 16 * kMi, device);
  EXPECT_TRUE(says(sentences, "between 64 and 80 % of the memory bus's peak, which is scaled"));
  EXPECT_FALSE(says(sentences, "DRAM gives no more"));
}

// 67.1 million sectors of partial stores at 1e10 a second take 6.71 ms, those of loads 67 us, and
// rates of L2 and L1 are good to 8 %.
TEST(Explain, SlowL2IsNamedWithItsSectors) {
  device_description device = made_up();
  device.time->l2_stores = points({{1, 1e10}});
  device.time->l2_loads = points({{1, 1e12}});
  EXPECT_EQ(
      explained("stride/copy/f32/stride:8", kReference, device),
      (texts{"With each load and store a warp (32 threads that go together) touches 32 sectors "
             "(32 bytes each, what the caches move at once) and uses 4 bytes of each.",
             "L2 (the cache in front of DRAM) has to serve 134 million sectors of 32 bytes, which "
             "takes between 6.17 and 7.32 ms, where DRAM alone would need 1.61 ms; with a margin, "
             "the launch is predicted to take between 5.99 and 7.54 ms.",
             "Write whole sectors, or stage a tile through shared memory: 24 times the array "
             "become 2."}));
}

TEST(Explain, SlowL2OfADenseRow) {
  device_description device = made_up();
  device.time->l2_full_stores = 1e10;
  device.time->l2_loads = points({{1, 1e12}});
  EXPECT_EQ(
      explained("contiguous/copy/f32", kReference, device),
      (texts{"Nothing is wasted: with each access a warp (32 threads that go together) uses whole "
             "sectors (the 32 bytes that caches move at once).",
             "L2 (the cache in front of DRAM) has to serve 16.8 million sectors of 32 bytes, "
             "which takes between 772 and 915 us, where DRAM alone would need 134 us; with a "
             "margin, the launch is predicted to take between 752 and 946 us.",
             "Only moving fewer bytes helps: a narrower type, or kernels joined so that what is "
             "loaded is used more than once."}));
}

TEST(Explain, LinesThatL1LooksUp) {
  device_description device = made_up();
  device.time->l1_lines_per_s = 1e10;
  EXPECT_EQ(
      explained("stride/read/f32/stride:32", kReference, device),
      (texts{"L1 (the cache beside the threads) looks up lines of 128 bytes, one after the other, "
             "and a warp (32 threads that go together) touches 32 with each load.",
             "All 67.1 million lines take between 6.17 and 7.25 ms, where DRAM alone would need "
             "between 1.58 and 1.86 ms; with a margin, the launch is predicted to take between "
             "5.99 and 7.47 ms.",
             "Read whole sectors, or stage a tile through shared memory: 16 times the array "
             "become 1."}));
}

TEST(Explain, BankConflictsAreCountedInPasses) {
  EXPECT_EQ(
      explained("transpose_tiled/copy/f32/columns:4096", 16 * kMi),
      (texts{"Shared memory (a block's own) has 32 banks, each of which serves one word of 4 "
             "bytes in a pass; a warp's load of staged values takes 32 passes, where 1 would do "
             "without conflicts.",
             "All passes take 86.5 us, where DRAM alone would need between 44.2 and 70.0 us.",
             "At worst moving first and passing over the banks then takes 120 us; with a margin, "
             "the launch is predicted to take between 86.8 and 127 us.",
             "Make each row of the staged tile one element longer (padding), so that the threads "
             "meet different banks: 32 passes become 1."}));
}

TEST(Explain, BanksWithoutConflictsNeedFewerValues) {
  device_description device = made_up();
  device.time->shared_wavefronts_per_s = 1e10;
  const texts said = explained("transpose_tiled_padded/copy/f32/columns:4096", 16 * kMi, device);
  EXPECT_EQ(said.back(),
            "Stage fewer values, or keep them in registers: the passes are as few as they can be.");
}

// 262,144 blocks in 262.1 us, and 0.4 us for the loads of the last one.
TEST(Explain, NarrowElementsWaitForStarts) {
  device_description device = made_up();
  device.time->blocks_started_per_s = 1e9;
  EXPECT_EQ(
      explained("contiguous/copy/u8", kReference, device),
      (texts{"The launch starts 262 thousand blocks, each of which moves only 512 bytes, and the "
             "GPU starts at most 1 billion a second.",
             "Starting them takes 263 us of the 266 us predicted, where DRAM alone would need "
             "33.6 us.",
             "Let each thread move more: several elements, or a wider type."}));
}

TEST(Explain, WarpsCanBeWhatIsStarted) {
  device_description device = made_up();
  device.time->warps_started_per_s = 4e9;
  EXPECT_TRUE(says(explained("contiguous/copy/u8", kReference, device),
                   "The launch starts 2.1 million warps (32 threads that go together), each of "
                   "which moves only 64 bytes, and the GPU starts at most 4 billion a second."));
}

TEST(Explain, TinyLaunchIsALaunch) {
  EXPECT_EQ(
      explained("contiguous/copy/f32", 1024),
      (texts{"The working set of 8 KiB stays in L2 (the cache in front of DRAM, 64 MiB), so "
             "nothing has to be fetched from DRAM, the GPU's memory, and the row says nothing of "
             "it.",
             "The launch itself, with its first and last accesses, takes 1.50 us of the 1.90 us "
             "predicted, longer than moving its 8 KiB.",
             "Give a launch more to do: larger arrays, or several steps in one kernel."}));
}

TEST(Explain, ArithmeticIsNamedWithItsOperations) {
  EXPECT_EQ(
      explained("compute/copy/f32/step:1/fma:512", kReference),
      (texts{"The 68.7 billion floating-point operations of the launch take 1.37 ms of the 1.38 "
             "ms predicted, at 50 trillion a second, where DRAM alone would need 134 us.",
             "Fewer or cheaper operations help; another order of the accesses does not."}));
}

// ---- What is moved

TEST(Explain, RowThatFitsInL2SaysNothingOfDram) {
  const texts said = explained("contiguous/copy/f32", kMi);
  EXPECT_EQ(said.front(),
            "The working set of 8 MiB stays in L2 (the cache in front of DRAM, 64 MiB), so nothing "
            "has to be fetched from DRAM, the GPU's memory, and the row says nothing of it.");
  EXPECT_FALSE(says(said, "DRAM alone"));
}

TEST(Explain, WorkingSetNearL2DependsOnWhatItKeeps) {
  EXPECT_EQ(explained("contiguous/copy/f32", 8 * kMi).front(),
            "How much of its working set of 64 MiB the launch finds in L2 (the cache in front of "
            "DRAM) depends on how much L2 keeps: between 0 and 2 times the array (32 MiB) crosses "
            "DRAM.");
}

TEST(Explain, UnknownEccAndGranuleAreCauses) {
  device_description device = made_up();
  device.fills = {0, 1};
  device.read_granule = {32, 64};
  EXPECT_TRUE(says(explained("stride/copy/f32/stride:16", kReference, device),
                   "What crosses DRAM depends on whether the memory corrects errors (ECC) and on "
                   "whether a load fetches 32 or 64 bytes: between 16 and 32 times the array (256 "
                   "MiB) crosses DRAM, where 2 would do."));
}

TEST(Explain, WhatNoSampleHasIsACause) {
  const row_spec row = row_of("contiguous/copy/f32x4", 16 * kMi);
  const device_description device = made_up();
  row_prediction prediction = predict(row, device);
  prediction.traffic.unsampled = true;
  prediction.traffic.dram_read_bytes.low = 0;
  EXPECT_EQ(explain(row, prediction, device, {}).front(),
            "What crosses DRAM depends on parts of an array that the model, which takes samples, "
            "has not seen: between 1 and 2 times the array (256 MiB) crosses DRAM.");
}

TEST(Explain, WithoutFillsWholeSectorsAreWritten) {
  device_description device = made_up();
  device.fills = {0, 0};
  EXPECT_EQ(explained("stride/copy/f32/stride:8", kReference, device).front(),
            "Each store covers 4 of the 32 bytes of a sector (what the caches move at once), and "
            "whole sectors are written: 8 times the array (256 MiB) of writes, beside 8 of loads "
            "that use 4 bytes of each.");
}

// ---- Each remedy

TEST(Explain, LoadsAloneAreStaged) {
  EXPECT_EQ(
      explained("stride/gather/f32/stride:8", kReference),
      (texts{"Each load uses 4 of the 32 bytes of a sector (what the caches move at once): 8 "
             "times the array (256 MiB) of loads, where 1 would do.",
             "The launch moves 9 times the array through DRAM instead of 2, and that alone takes "
             "604 us of the 607 us predicted, at 4.00 TB/s.",
             "Stage a tile through shared memory, so that loads and stores both use whole sectors "
             "of 32 bytes: 9 times the array become 2."}));
}

TEST(Explain, WriteAloneHasNoLoads) {
  EXPECT_EQ(
      explained("stride/write/f32/stride:8", kReference),
      (texts{"Each store covers 4 of the 32 bytes of a sector (what the caches move at once), so "
             "L2 reads it first (a fill): 8 times the array (256 MiB) of fills and 8 of writes.",
             "The launch moves 16 times the array through DRAM instead of 1, and that alone takes "
             "1.07 ms of the 1.08 ms predicted, at 4.00 TB/s.",
             "Write whole sectors, or stage a tile through shared memory: 16 times the array "
             "become 1."}));
}

TEST(Explain, ListIsSorted) {
  EXPECT_EQ(
      explained("random/gather/f32", 16 * kMi),
      (texts{"With each load a warp (32 threads that go together) touches 32 sectors (32 bytes "
             "each, what the caches move at once) and uses 4 bytes of each.",
             "Whether L2 (a cache) still has a sector when its other bytes are wanted depends on "
             "the order in which blocks run and on how much L2 keeps: between 2.2 and 16.4 times "
             "the array (64 MiB) crosses DRAM, where 3 would do (1 for the index list).",
             "L2 (the cache in front of DRAM) has to serve 20.9 million sectors of 32 bytes, "
             "which takes between 85.9 and 113 us, where DRAM alone would need between 36.4 and "
             "577 us.",
             "At worst DRAM is slower, as what is used lies 315 bytes apart, and takes 577 us; "
             "with a margin, the launch is predicted to take between 84.8 and 597 us.",
             "Sort the list, so that neighbouring threads take neighbouring elements: up to 16.4 "
             "times the array become 3."}));
}

TEST(Explain, FieldsMoveBesideEachOther) {
  EXPECT_EQ(
      explained("aos/copy/f32/fields:3/field:0", kReference),
      (texts{"Each store covers 10.7 of the 32 bytes of a sector (what the caches move at once), "
             "so L2 reads it first (a fill): 3 times the array (256 MiB) of fills, beside 3 of "
             "loads that use 10.7 bytes of each and 3 of writes.",
             "The launch moves 9 times the array through DRAM instead of 2, and that alone takes "
             "604 us of the 607 us predicted, at 4.00 TB/s.",
             "Keep the elements that are moved beside each other (an array for each field of a "
             "structure): 9 times the array become 2."}));
}

TEST(Explain, IdleLanesGetWork) {
  const texts said = explained("active/copy/f32/lanes:8", 16 * kMi);
  EXPECT_EQ(said.back(), "Only 8 of a warp's 32 threads move something: give the others work too.");
}

TEST(Explain, ColumnsOfATransposeAreStaged) {
  EXPECT_EQ(
      explained("transpose_naive_read/copy/f32/columns:4096", 16 * kMi),
      (texts{"With each store a warp (32 threads that go together) touches 32 sectors (32 bytes "
             "each, what the caches move at once) and uses 4 bytes of each.",
             "Whether L2 (a cache) still has a sector when its other bytes are wanted depends on "
             "the order in which blocks run: between 2 and 17 times the array (64 MiB) crosses "
             "DRAM, where 2 would do.",
             "Up to 8 times the array of that are fills: L2 reads a sector that is only partly "
             "written before it writes it back.",
             "What is used at a time lies 155 bytes apart, and DRAM then gives only between 1.34 "
             "and 3.04 TB/s instead of 4.00 TB/s.",
             "So what crosses DRAM takes between 44.2 and 849 us; with a margin, the launch is "
             "predicted to take between 45.8 and 877 us.",
             "Stage a tile through shared memory, so that loads and stores both use whole sectors "
             "of 32 bytes: up to 17 times the array become 2."}));
}

TEST(Explain, SwappedAxesAreSwappedBack) {
  row_spec row = row_of("pitch_swapped/copy/f32/columns:1001/pitch:1001", 1001 * 16384);
  row.block = {16, 16};
  row_prediction slow = predict(row, made_up());
  slow.time->limited_by = limit::kDramLocality;
  const texts said = explain(row, slow, made_up(), {});
  EXPECT_TRUE(said.back().starts_with("Let x run along what lies beside each other"))
      << said.back();
}

TEST(Explain, ListInFlightIsUnrolled) {
  EXPECT_EQ(
      explained_as("random/gather/f32", kMi, limit::kInFlight).back(),
      "Let each thread load four entries of the list, and then four elements, before it waits "
      "(unroll by four).");
}

TEST(Explain, LoopInFlightIsUnrolled) {
  const texts said = explained_as("grid_loop/copy/f32/steps:8", 16 * kMi, limit::kInFlight);
  EXPECT_TRUE(says(said, "under way at a time and waits 8 times, one after the other: "));
  EXPECT_EQ(said.back(),
            "Let each thread begin several loads before it waits for the first (unroll by four), "
            "and 16 bytes with each.");
}

TEST(Explain, WideLoadsInFlightAreUnrolled) {
  EXPECT_EQ(explained_as("contiguous/copy/f32x4", 16 * kMi, limit::kInFlight).back(),
            "Let each thread begin four loads before it waits for the first (unroll by four).");
}

TEST(Explain, WhatIsLoadedAgainIsComeBackToSooner) {
  const row_spec row = row_of("contiguous/copy/f32", kReference);
  const device_description device = made_up();
  row_prediction prediction = predict(row, device);
  prediction.time->limited_by = limit::kDramBytes;
  prediction.traffic.dram_read_bytes = interval::exactly(3 * 4.0 * kReference);
  const texts said = explain(row, prediction, device, {});
  EXPECT_EQ(
      said.front(),
      "What was loaded is lost from L2 (the cache in front of DRAM) and loaded again: 3 times "
      "the array (256 MiB) of loads, where 1 would do.");
  EXPECT_EQ(said.back(),
            "Come back to what was loaded while L2 still has it: work in smaller pieces: 4 times "
            "the array become 2.");
}

TEST(Explain, DenseLoadsThatL1LooksUpGetWider) {
  for (const limit l1 : {limit::kRequests, limit::kL1})
    EXPECT_EQ(explained_as("contiguous/read/f32", kReference, l1).back(),
              "Load 16 bytes a thread at once, or keep in registers what is loaded again.");
}

TEST(Explain, SmallBlocksGetLarger) {
  row_spec row = row_of("contiguous/write/f32", kReference);
  row.block = {64};
  const device_description device = made_up();
  const texts said = explain(row, predict(row, device), device, {});
  EXPECT_EQ(
      said.back(),
      "Make blocks of 256 threads, or let each thread move more: several elements, or a wider "
      "type.");
}

TEST(Explain, BlocksOfATransposeLieApart) {
  const texts said = explained("transpose_tiled_padded/copy/f32/columns:4096", 16 * kMi);
  EXPECT_EQ(said.back(),
            "Let blocks that run at the same time (neighbours in the launch) work on neighbouring "
            "addresses.");
}

TEST(Explain, SumOfTwoArraysIsThreeTimesTheArray) {
  EXPECT_EQ(explained("add/copy/f32/step:1", kReference).front(),
            "Nothing is wasted: what crosses DRAM is what the threads ask for, 3 times the array "
            "(256 MiB).");
}

// ---- Without figures of time, and movers

TEST(Explain, WithoutFiguresOfTimeOnlyTrafficIsSaid) {
  device_description device = made_up();
  device.time.reset();
  EXPECT_EQ(
      explained("stride/copy/f32/stride:8", kReference, device, {1.5e-3, {}}),
      (texts{"Each store covers 4 of the 32 bytes of a sector (what the caches move at once), so "
             "L2 reads it first (a fill): 8 times the array (256 MiB) of fills, beside 8 of loads "
             "that use 4 bytes of each and 8 of writes.",
             "The description of Made Up 100 has no figures of time, so this says what is moved, "
             "and not how long that takes.",
             "Write whole sectors, or stage a tile through shared memory: 24 times the array "
             "become 2."}));
}

TEST(Explain, WithoutFiguresOfTimeConflictsAreSaid) {
  device_description device = made_up();
  device.time.reset();
  EXPECT_EQ(
      explained("transpose_tiled/copy/f32/columns:4096", 16 * kMi, device),
      (texts{"Nothing is wasted: what crosses DRAM is what the threads ask for, 2 times the array "
             "(64 MiB).",
             "Shared memory (a block's own) has 32 banks, each of which serves one word of 4 "
             "bytes in a pass; a warp's load of staged values takes 32 passes, where 1 would do "
             "without conflicts.",
             "The description of Made Up 100 has no figures of time, so this says what is moved, "
             "and not how long that takes.",
             "Make each row of the staged tile one element longer (padding), so that the threads "
             "meet different banks: 32 passes become 1."}));
}

TEST(Explain, MoverHasNoExplanation) {
  const row_spec row = row_of("memcpy/copy/f32", kMi);
  EXPECT_EQ(explain(row, {}, made_up(), {1e-3, {}}), texts{});
}

// ---- What was measured

TEST(Explain, MeasuredTimeAgreesUpToATenth) {
  const interval number = interval::exactly(1e-3);
  EXPECT_EQ(compared(number, 1e-3), "Measured: 1.00 ms, as predicted.");
  EXPECT_EQ(compared(number, 0.99e-3), "Measured: 990 us, 1 % less than predicted: they agree.");
  EXPECT_EQ(compared(number, 1.099e-3), "Measured: 1.10 ms, 10 % more than predicted: they agree.");
  EXPECT_EQ(compared(number, 1.002e-3),
            "Measured: 1.00 ms, 0.2 % more than predicted: they agree.");
}

TEST(Explain, MeasuredTimeThatTheModelDoesNotExplain) {
  const interval number = interval::exactly(1e-3);
  EXPECT_EQ(compared(number, 1.11e-3),
            "Measured: 1.11 ms, 11 % more than the 1.00 ms predicted: the model does not explain "
            "this time.");
  EXPECT_EQ(compared(number, 0.5e-3),
            "Measured: 500 us, 50 % less than the 1.00 ms predicted: the model does not explain "
            "this time.");
}

TEST(Explain, MeasuredTimeInAndOutsideAnInterval) {
  const interval wide{1e-3, 2e-3};
  for (const double inside : {1e-3, 1.5e-3, 2e-3})
    EXPECT_TRUE(
        says({compared(wide, inside)}, "within what is predicted (between 1.00 and 2.00 ms)"));
  EXPECT_EQ(compared(wide, 2.5e-3),
            "Measured: 2.50 ms, 25 % more than the longest predicted time, 2.00 ms: the model does "
            "not explain this time.");
  EXPECT_EQ(compared(wide, 0.9e-3),
            "Measured: 900 us, 10 % less than the shortest predicted time, 1.00 ms: the model does "
            "not explain this time.");
}

TEST(Explain, MeasuredBytesAgreeOrDoNot) {
  const interval number = interval::exactly(24);
  EXPECT_EQ(compared_bytes(number, 24.2),
            "Measured: 24.2 times the array crossed DRAM, as predicted.");
  EXPECT_EQ(compared_bytes(number, 30),
            "Measured: 30 times the array crossed DRAM, 25 % more than the 24 times predicted: the "
            "model does not explain that.");
  EXPECT_EQ(compared_bytes({2, 24}, 4.6),
            "Measured: 4.6 times the array crossed DRAM, inside the bounds (between 2 and 24).");
  EXPECT_EQ(compared_bytes({2, 24}, 1),
            "Measured: once the array crossed DRAM, outside the bounds (between 2 and 24) by 50 "
            "%: the model does not explain that.");
}

TEST(Explain, MeasuredBytesWhereNothingIsPredicted) {
  EXPECT_EQ(compared_bytes({0, 0}, 0.01),
            "Measured: 0.01 times the array crossed DRAM, as predicted.");
  EXPECT_EQ(compared_bytes({0, 0}, 1),
            "Measured: once the array crossed DRAM, where nothing is predicted: the model does "
            "not explain that.");
}

TEST(Explain, NothingMeasuredIsNotCompared) {
  EXPECT_FALSE(says(explained("contiguous/copy/f32", kReference), "Measured"));
  // Half of the DRAM counters says nothing.
  EXPECT_FALSE(says(explained("contiguous/copy/f32", kReference, made_up(),
                              {std::nullopt, {{"dram__bytes_read.sum", 1e9}}}),
                    "Measured"));
}

// ---- Numbers and words

TEST(Explain, SentencesAreShortAndSentences) {
  for (const std::string_view name :
       {"stride/copy/f32/stride:1", "stride/copy/f32/stride:8", "stride/copy/f32/stride:32",
        "chunk/copy/f32/chunk:32", "aos/copy/f32/fields:3/field:0", "stride/copy/f32x4/stride:2",
        "contiguous/read/f64", "offset/copy/f32/loads:1/stores:1", "grid_loop/copy/f32/steps:8"})
    for (const std::string& sentence : explained(name, 16 * kMi)) {
      int words = 1;
      for (const char c : sentence) words += c == ' ' ? 1 : 0;
      EXPECT_LE(words, 48) << sentence;
      EXPECT_TRUE(sentence.ends_with('.')) << sentence;
      EXPECT_EQ(sentence.find("  "), std::string::npos) << sentence;
      for (const char* const doubt : {" may ", " might ", "possibly", "nan", "inf "})
        EXPECT_EQ(sentence.find(doubt), std::string::npos) << sentence;
    }
}

// Every pattern, operation and type, on GPUs of which more and less is known.
TEST(Explain, EveryRowIsExplained) {
  device_description unknown = made_up();
  unknown.fills = {0, 1};
  unknown.read_granule = {32, 64};
  unknown.loads_kept = unknown.stores_kept = {4096, 65536};  // little stays in L2
  device_description timeless = made_up();
  timeless.loads_kept = timeless.stores_kept = {4096, 65536};
  timeless.time.reset();
  for (const pattern_entry& pattern : registered_patterns()) {
    row_spec row;
    row.pattern = &pattern;
    row.elements = pattern.elements > 0 ? pattern.elements : 65536;
    for (const parameter_spec& parameter : pattern.parameters)
      row.values.push_back(parameter.typical);
    for (const operation_kind operation : pattern.operations)
      for (const element_type type : pattern.types) {
        row.operation = operation;
        row.type = type;
        if (pattern.mover || !make_workload(row)->meaning().refusal().empty()) continue;
        for (const device_description& device : {made_up(), unknown, timeless}) {
          const texts said = explain(row, predict(row, device), device, {1e-5, {}});
          EXPECT_GE(said.size(), 2u) << row.name();
          for (const std::string& sentence : said) {
            EXPECT_TRUE(sentence.ends_with('.')) << row.name() << ": " << sentence;
            for (const char* const wrong : {"nan", "inf ", " - ", " .", "  ", " 1 bytes", "0.00 "})
              EXPECT_EQ(sentence.find(wrong), std::string::npos) << row.name() << ": " << sentence;
          }
        }
      }
  }
}

TEST(Explain, OneByteIsSingular) {
  EXPECT_TRUE(says(explained("contiguous/copy/u8", kReference), "has only 1 byte under way"));
}

}  // namespace
}  // namespace sectorbench
