// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/devices/device_selection.hpp"
#include "bench/predict/device_file.hpp"
#include "bench/report/counters.hpp"

namespace sectorbench {
namespace {

constexpr index_t kMi = index_t{1} << 20;
constexpr index_t kGi = index_t{1} << 30;

// A GPU that answers the same to every probe: it cannot tell them apart but by their buffers.
class made_up_gpu final : public backend {
 public:
  bool has_counters = true;
  bool is_gpu = true;
  index_t memory = 4 * kGi;   // of one buffer
  double launch_s = 1e-6;     // of any launch, and
  double bytes_per_s = 2e12;  // of its buffer
  double counted = 0;         // what every metric shows
  double to_l2 = 1;           // of it, what sectors written to L2 show
  std::vector<double> in_l2;  // by how much each probe of an eighth of L2 takes longer
  index_t largest = 0;        // buffer asked for
  int counts = 0;

  std::string_view name() const override { return "made up"; }
  std::optional<gpu_geometry> geometry() const override {
    if (!is_gpu) return std::nullopt;
    return gpu_geometry{"NVIDIA Made Up 100", "made", "sm_90", 100, 2048, 200e3, 1e9};
  }
  evidence facts() const override { return {}; }
  std::string headline() const override { return "made up"; }
  double peak_bytes_per_s() const override { return 3e12; }
  double peak_f32_flops() const override { return 5e13; }
  index_t last_cache_bytes() const override { return 64 * kMi; }
  std::string_view last_cache_name() const override { return "l2"; }
  void acquire(const workload& work) override {
    if (work.needs().in > memory) throw not_applicable("too large");
    largest = std::max(largest, work.needs().in);
    if (work.needs().in == 8 * kMi) ++l2_probes_;
  }
  void fill_input(std::uint64_t) override {}
  void poison_output() override {}
  void run_once(const workload&, std::uint64_t, bool) override {}
  coverage_verdict prove(const program&) override { return {}; }
  comparison compare(const program&, std::uint64_t) override { return {}; }
  timed_sample time(const workload& work, std::uint64_t, int launches, bool) override {
    double once = launch_s + static_cast<double>(work.needs().in) / bytes_per_s;
    if (work.needs().in == 8 * kMi && l2_probes_ <= in_l2.size()) once *= in_l2[l2_probes_ - 1];
    return {launches * once, false};
  }
  int max_launches() const override { return 100; }
  source_status counters() const override { return {has_counters, "on", "a test wants it"}; }
  metric_values count(const workload&, std::uint64_t) override {
    ++counts;
    metric_values all;
    for (const counter_spec& counter : kCounters)
      if (!counter.metric.empty() && counter.metric.find('|') == std::string_view::npos)
        all[std::string(counter.metric)] = counted;
    all["dram__bytes_read.sum"] = all["dram__bytes_write.sum"] = counted;
    all["lts__t_sectors_srcunit_tex_op_write.sum"] = to_l2 * counted;
    return all;
  }

 private:
  std::size_t l2_probes_ = 0;
};

bool has_probe(const calibration& found, std::string_view name) {
  return std::ranges::any_of(found.probes,
                             [&](const probe_result& one) { return one.name == name; });
}

TEST(Calibration, TakesFromTheDriverWhatItReports) {
  made_up_gpu gpu;
  const device_description device = calibrate(gpu).device;
  EXPECT_EQ(device.key, "made");
  EXPECT_EQ(device.name, "NVIDIA Made Up 100");
  EXPECT_EQ(device.architecture, "sm_90");
  EXPECT_EQ(device.sms, 100);
  EXPECT_EQ(device.threads_per_sm, 2048);
  EXPECT_EQ(device.l1_bytes, 200e3);
  EXPECT_EQ(device.l2_bytes, 64 * kMi);
  EXPECT_EQ(device.dram_bytes_per_s, 3e12);
  ASSERT_TRUE(device.time);
  EXPECT_EQ(device.time->f32_flops, 5e13);
  EXPECT_EQ(device.time->shared_wavefronts_per_s, 100e9) << "one for each SM and cycle";
}

TEST(Calibration, RatesAreDifferencesOfTwoSizes) {
  made_up_gpu gpu;
  const calibration found = calibrate(gpu);
  const time_figures& t = *found.device.time;
  EXPECT_FALSE(t.scaled);
  // Of a mix of m streams a launch moves the larger one whole: (loads + stores) / larger of them.
  ASSERT_EQ(t.dram.points().size(), 7u);
  EXPECT_NEAR(t.dram.at(0).low, 2e12, 2e12 * 1e-3);        // 4:0
  EXPECT_NEAR(t.dram.at(0.5).low, 4e12, 4e12 * 1e-3);      // 1:1
  EXPECT_NEAR(t.dram.at(0.2).low, 2.5e12, 2.5e12 * 1e-3);  // 4:1
  EXPECT_NEAR(t.dram.at(1).low, 2e12, 2e12 * 1e-3);        // 0:2
  // Loads, stores and both take the same here.
  for (const double distance : {32.0, 100.0, 4096.0})
    EXPECT_DOUBLE_EQ(t.dram_together.at(distance).low, 0.5) << distance;
  // The empty launch goes with a buffer of 1 MiB.
  const double empty = 1e-6 + static_cast<double>(kMi) / 2e12;
  EXPECT_NEAR(t.launch_s.low, empty, empty * 1e-9);
  EXPECT_GE(t.dram_start_s.low, 0);
  EXPECT_LT(t.dram_start_s.high, 1e-6);
}

TEST(Calibration, LoadsAndStoresInL2AreMeasuredTogether) {
  // At each distance loads, stores and both; both take half as long again, and a quarter of whole
  // sectors: so much of the shorter comes on top.
  made_up_gpu gpu;
  gpu.in_l2 = {1, 1, 1.5, 1, 1, 1.5, 1, 1, 1.5, 1, 1, 1.25};
  const curve added = calibrate(gpu).device.time->l2_added;
  ASSERT_EQ(added.points().size(), 3u);
  EXPECT_NEAR(added.at(1).low, 0.5, 1e-9);
  EXPECT_NEAR(added.at(1).high, 0.5, 1e-9);
  EXPECT_NEAR(added.at(2).low, 0.5, 1e-9);
  EXPECT_NEAR(added.at(4).low, 0.25, 1e-9) << "whole sectors";
  EXPECT_NEAR(added.at(4).high, 0.5, 1e-9) << "a word of each";
  // Stores of twice the time of loads: 3 against 2 is all of the loads on top. No less than none.
  made_up_gpu other;
  other.in_l2 = {1, 2, 3, 1, 2, 4, 1, 2, 1.9, 1, 1, 1};
  const curve bounded = calibrate(other).device.time->l2_added;
  EXPECT_NEAR(bounded.at(1).low, 1, 1e-9);
  EXPECT_NEAR(bounded.at(2).low, 1, 1e-9) << "no more than all";
  EXPECT_EQ(bounded.at(4), interval{});
}

TEST(Calibration, StartInL2IsWhatASmallLaunchTakesBesideItsBytes) {
  made_up_gpu gpu;
  gpu.in_l2 = std::vector<double>(13, 1);
  gpu.in_l2.back() = 0.5;
  const auto once = [](double mi) { return 1e-6 + mi * static_cast<double>(kMi) / 2e12; };
  // 8 MiB a buffer against 2: six take the difference, so that two take a third of it.
  EXPECT_NEAR(calibrate(gpu).device.time->l2_start_s.low,
              once(2) - (0.5 * once(8) - once(2)) / 3 - once(1), 1e-12);
  made_up_gpu plain;  // a launch that does nothing takes longer here
  EXPECT_EQ(calibrate(plain).device.time->l2_start_s, 0);
}

TEST(Calibration, CountersSayWhatRoundsLose) {
  // 8 MiB read and written, whatever the buffer: of 16 MiB half of what is read alone and all of
  // what a copy of two halves reads; of 64 and 128 MiB as much less.
  made_up_gpu gpu;
  gpu.counted = 8.0 * kMi;
  const curve lost = calibrate(gpu).device.lost_in_rounds;
  ASSERT_EQ(lost.points().size(), 12u);
  EXPECT_EQ(lost.at(0.25), (interval{0.5, 1}));
  EXPECT_EQ(lost.at(1), (interval{0.125, 0.25}));
  EXPECT_EQ(lost.at(2), (interval{0.0625, 0.125}));
  // 0.3 of L2 are 307 tiles of 64 KiB, half of it 153.
  constexpr double kTile = 64 * 1024;
  EXPECT_NEAR(lost.at(0.3).low, 8.0 * kMi / (307 * kTile), 1e-12);
  EXPECT_NEAR(lost.at(0.3).high, 8.0 * kMi / (153 * kTile), 1e-12);
  gpu.counted = 1e12;
  EXPECT_EQ(calibrate(gpu).device.lost_in_rounds.at(1), (interval{1, 1})) << "never more than all";
}

TEST(Calibration, CountersSayWhatL1SendsOn) {
  made_up_gpu gpu;
  gpu.counted = 8.0 * kMi;
  gpu.to_l2 = 0.25;
  const curve sent = calibrate(gpu).device.stores_sent;
  ASSERT_EQ(sent.points().size(), 4u);
  double lines = 4;
  for (const curve::point& point : sent.points()) {
    EXPECT_EQ(point, (curve::point{lines, {0.25, 0.25}}));
    lines *= 2;
  }
}

TEST(Calibration, WhereStoresAreNotCountedNothingIsSaidOfThem) {
  made_up_gpu gpu;  // every metric is 0
  EXPECT_EQ(calibrate(gpu).device.stores_sent, unknown_share());
}

TEST(Calibration, ProbesLeaveTheirRecord) {
  made_up_gpu gpu;
  const calibration found = calibrate(gpu);
  EXPECT_TRUE(found.counted);
  for (const char* const name : {"dense 4:0",
                                 "dense 4:0, a quarter",
                                 "dense 0:2",
                                 "an empty launch",
                                 "granule",
                                 "fills",
                                 "spaced loads 32",
                                 "spaced stores 2048",
                                 "spaced copies 256",
                                 "L2 loads, spacing 128",
                                 "L2 stores, whole sectors",
                                 "L2 copies, spacing 64",
                                 "L2 loads, whole sectors",
                                 "L2 copies, whole sectors",
                                 "dense 2:2 in L2",
                                 "dense 2:2 in L2, a quarter",
                                 "L1 loads",
                                 "empty blocks of 1 warp",
                                 "short blocks in L2",
                                 "short loads, 1 words, 1 blocks",
                                 "short copies, 4 words, 3 blocks",
                                 "kept loads 0.25",
                                 "walked stores 16",
                                 "walked stores 128"})
    EXPECT_TRUE(has_probe(found, name)) << name;
  for (const probe_result& one : found.probes) {
    EXPECT_GT(one.work, 0) << one.name;
    EXPECT_NE(one.seconds > 0, !one.metrics.empty()) << one.name << " is timed or counted";
  }
  // A block of 8 warps, 8 of them on an SM: what contiguous rows are. It must not be calibrated.
  EXPECT_FALSE(has_probe(found, "short copies, 1 words, 8 blocks"));
}

TEST(Calibration, WithoutCountersGranuleFillsAndWhatL2KeepsAreAssumed) {
  made_up_gpu gpu;
  gpu.has_counters = false;
  const calibration found = calibrate(gpu);
  EXPECT_FALSE(found.counted);
  EXPECT_EQ(gpu.counts, 0);
  EXPECT_EQ(found.device.read_granule, (interval{32, 64}));
  EXPECT_EQ(found.device.fills, (interval{0, 1}));
  constexpr double kL2 = 64.0 * kMi;
  EXPECT_EQ(found.device.loads_kept, (reuse_bounds{0.4 * kL2, 1.6 * kL2}));
  EXPECT_EQ(found.device.stores_kept, (reuse_bounds{0.15 * kL2, 1.6 * kL2}));
  EXPECT_EQ(found.device.stores_sent, unknown_share());
  EXPECT_EQ(found.device.lost_in_rounds, unknown_share());
}

TEST(Calibration, CountersSayGranuleAndFills) {
  // At 1 GiB 8 Mi granules 256 bytes apart are loaded, and 32 Mi sectors partly stored.
  made_up_gpu gpu;
  gpu.counted = 8.0 * kMi * 70;  // 70 bytes a granule; 17.5 of each sector of 32
  calibration found = calibrate(gpu);
  EXPECT_EQ(found.device.read_granule, interval::exactly(64));
  EXPECT_EQ(found.device.fills, interval::exactly(1));
  gpu.counted = 8.0 * kMi * 35;
  found = calibrate(gpu);
  EXPECT_EQ(found.device.read_granule, interval::exactly(32));
  EXPECT_EQ(found.device.fills, interval::exactly(0));
}

TEST(Calibration, SmallGpusGetSmallBuffers) {
  made_up_gpu gpu;
  calibrate(gpu);
  EXPECT_EQ(gpu.largest, kGi);
  made_up_gpu small;
  small.memory = 300 * kMi;
  calibrate(small);
  EXPECT_EQ(small.largest, 256 * kMi);
}

TEST(Calibration, TheCpuIsRefused) {
  made_up_gpu cpu;
  cpu.is_gpu = false;
  try {
    calibrate(cpu);
    FAIL() << "the CPU was calibrated";
  } catch (const device_unavailable& error) {
    EXPECT_STREQ(error.what(),
                 "--calibrate: probes measure a GPU, and the CPU is selected; take a machine with "
                 "one, or --device=cuda");
  }
}

// ---- Passports

// As a calibration could have found it; constant answers make no curves of lives.
calibration plausible(bool counted) {
  calibration found;
  found.device = find_device("h200");
  found.counted = counted;
  found.probes = {{"dense 4:0", "bytes", 1024, 2e-6, {}},
                  {"granule", "sectors", 8, 0, {{"dram__bytes_read.sum", 512}, {"none.sum", 0}}}};
  return found;
}

TEST(Passport, ReadsAsWhatWasCalibrated) {
  for (const bool counted : {true, false}) {
    const calibration found = plausible(counted);
    const device_file passport = passport_of(found, {{"gpu.uuid", "GPU-1"}});
    const std::string text = write_device({passport.device, passport.sources, passport.evidence});
    const device_file read = read_device_file(text, "passport");
    EXPECT_EQ(read, passport);
    EXPECT_EQ(read.device, found.device);
    EXPECT_EQ(write_device(read), text);
  }
}

TEST(Passport, SaysWhatWasMeasuredAndWhatAssumed) {
  const device_file counted = passport_of(plausible(true), {});
  const device_file timed = passport_of(plausible(false), {});
  for (const char* const path :
       {"read_granule", "fills", "loads_kept.kept_bytes", "loads_kept.lost_bytes",
        "stores_kept.kept_bytes", "stores_kept.lost_bytes", "stores_sent", "lost_in_rounds"}) {
    EXPECT_EQ(counted.sources.at(path).kind, source_kind::kMeasured) << path;
    EXPECT_EQ(timed.sources.at(path).kind, source_kind::kAssumed) << path;
    EXPECT_NE(timed.sources.at(path).note.find("no hardware counters could be read"),
              std::string::npos)
        << path;
  }
  for (const device_file& passport : {counted, timed}) {
    for (const char* const path : {"time.dram", "time.l2_added", "time.l2_start_s"})
      EXPECT_EQ(passport.sources.at(path).kind, source_kind::kMeasured) << path;
    EXPECT_EQ(passport.sources.at("time.f32_flops").kind, source_kind::kDerived);
  }
}

TEST(Passport, KeepsFactsAndProbes) {
  const device_file passport = passport_of(plausible(true), {{"gpu.uuid", "GPU-1"}});
  EXPECT_EQ(passport.evidence,
            (device_evidence{{"gpu.uuid", "GPU-1"},
                             {"probe: dense 4:0", "1024 bytes in 2.00 us"},
                             {"probe: granule", "8 sectors, dram__bytes_read.sum 512"}}));
}

// Sets a variable for as long as it lives, or takes it away.
class with_variable {
 public:
  with_variable(const char* name, const char* value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~with_variable() { set(old_ ? old_->c_str() : nullptr); }
  with_variable(const with_variable&) = delete;
  with_variable& operator=(const with_variable&) = delete;

 private:
  void set(const char* value) {
    if (value != nullptr)
      setenv(name_, value, 1);
    else
      unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> old_;
};

TEST(Passport, LiesInTheUsersCache) {
  const auto path = [](const char* cache, const char* home) {
    const with_variable first("XDG_CACHE_HOME", cache), second("HOME", home);
    return passport_path("GPU-12");
  };
  EXPECT_EQ(path("/cache", "/home/me"), "/cache/sectorbench/GPU-12.json");
  EXPECT_EQ(path(nullptr, "/home/me"), "/home/me/.cache/sectorbench/GPU-12.json");
  EXPECT_EQ(path("", "/home/me"), "/home/me/.cache/sectorbench/GPU-12.json");
  EXPECT_EQ(path("/cache", nullptr), "/cache/sectorbench/GPU-12.json");
  EXPECT_EQ(path(nullptr, nullptr), std::nullopt);
  EXPECT_EQ(path("", ""), std::nullopt);
}

TEST(Passport, GpusAreCalledAsDescriptionsAre) {
  for (const auto& [name, key] :
       std::vector<std::pair<std::string, std::string>>{{"NVIDIA H200", "h200"},
                                                        {"Tesla T4", "t4"},
                                                        {"NVIDIA A40", "a40"},
                                                        {"NVIDIA GeForce RTX 4090", "rtx4090"},
                                                        {"NVIDIA L4", "l4"},
                                                        {"Tesla V100-PCIE-32GB", "v100"}}) {
    EXPECT_EQ(device_key(name), key) << name;
    EXPECT_EQ(find_device(key).key, key) << "and there is one";
  }
  EXPECT_EQ(device_key(""), "gpu");
}

// ---- What a probe does

TEST(Probes, WorkIsThatOfOneLaunch) {
  // 1 MiB in vectors of 16 bytes: 65,536; with four loads a thread 16,384 threads, which load all.
  EXPECT_EQ((probe{.kind = probe_kind::kDense, .bytes = kMi, .loads = 4}.work()), kMi);
  EXPECT_EQ((probe{.kind = probe_kind::kDense, .bytes = kMi, .loads = 1, .stores = 1}.work()),
            2 * kMi);
  EXPECT_EQ((probe{.kind = probe_kind::kDense, .bytes = kMi, .loads = 4, .stores = 1}.work()),
            kMi * 5 / 4);
  EXPECT_EQ((probe{.kind = probe_kind::kDense, .bytes = kMi, .loads = 0, .stores = 2}.work()), kMi);
  // 512 threads do not fill a third block.
  EXPECT_EQ((probe{.kind = probe_kind::kDense, .bytes = 16 * 700, .loads = 1}.work()), 16 * 512);
  // A granule every 256 bytes: 4096 in 1 MiB; four passes, a granule of 64 bytes further each.
  EXPECT_EQ((probe{.kind = probe_kind::kSpacedLoads, .bytes = kMi, .spacing = 256}.work()),
            4 * 4096);
  EXPECT_EQ(
      (probe{.kind = probe_kind::kSpacedStores, .bytes = kMi, .spacing = 256, .once = true}.work()),
      4096);
  EXPECT_EQ((probe{.kind = probe_kind::kSpacedStores, .bytes = kMi, .spacing = 32}.work()), 32768);
  EXPECT_EQ((probe{.kind = probe_kind::kSpacedCopies, .bytes = kMi, .spacing = 64}.work()), 16384);
  // No more than 8 Mi granules: 4 Mi a pass make two of four passes.
  EXPECT_EQ((probe{.kind = probe_kind::kSpacedLoads, .bytes = kGi, .spacing = 256}.work()),
            2 * 4 * kMi);
  // 8 blocks of 8 warps on an SM, each with 4 requests a round.
  EXPECT_EQ(
      (probe{.kind = probe_kind::kL2Loads, .bytes = kMi, .spacing = 128, .sms = 10, .rounds = 3}
           .work()),
      32 * 10 * 64 * 3 * 4);
  EXPECT_EQ(
      (probe{.kind = probe_kind::kL2Stores, .bytes = kMi, .spacing = 4, .sms = 10, .rounds = 3}
           .work()),
      4 * 10 * 64 * 3 * 4)
      << "words beside each other lie in four sectors";
  EXPECT_EQ((probe{.kind = probe_kind::kL1Loads, .bytes = kMi, .sms = 2, .rounds = 5}.work()),
            32 * 2 * 64 * 5 * 4);
  EXPECT_EQ((probe{.kind = probe_kind::kEmptyBlocks, .bytes = kMi, .blocks = 77}.work()), 77);
  EXPECT_EQ((probe{.kind = probe_kind::kEmptyBlocks, .bytes = kMi}.work()), 1 << 18);
  EXPECT_EQ((probe{.kind = probe_kind::kShortBlocks, .bytes = kMi, .occupancy = 2}.work()),
            1 << 16);
  // Enough blocks of 8 warps, a word a lane, to go through 1 GiB once: 1 KiB each.
  EXPECT_EQ((probe{.kind = probe_kind::kShortBlocks, .bytes = kGi, .occupancy = 2}.work()), kMi);
  EXPECT_EQ((probe{.kind = probe_kind::kShortBlocks, .bytes = kGi, .loads = 4}.work()), kMi / 4);
  EXPECT_EQ((probe{.kind = probe_kind::kL2Copies, .bytes = kMi, .spacing = 64, .sms = 10}.work()),
            32 * 10 * 64 * 4)
      << "each of its requests loads and stores";
  // A thread every 32 bytes, or every 16.
  EXPECT_EQ((probe{.kind = probe_kind::kWalkedStores, .bytes = kMi}.work()), kMi / 32);
  EXPECT_EQ((probe{.kind = probe_kind::kWalkedStores, .bytes = kMi, .spacing = 16}.work()),
            kMi / 16);
}

TEST(Probes, AskForBothBuffers) {
  const auto work = make_probe({.kind = probe_kind::kDense, .bytes = kMi, .loads = 1, .stores = 1});
  EXPECT_EQ(work->needs().in, kMi);
  EXPECT_EQ(work->needs().out, kMi);
  EXPECT_EQ(work->needs().indices, 0);
}

}  // namespace
}  // namespace sectorbench
