// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/context.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "test/support/fake_backend.hpp"

namespace sectorbench {
namespace {

using test::fake_backend;

using fact_map = std::map<std::string, std::string>;

constexpr index_t kBytes = index_t{64} << 20;

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

// The facts by their keys, each of which stands once.
fact_map by_key(const evidence& facts) {
  fact_map map;
  for (const auto& [key, value] : facts) {
    EXPECT_TRUE(map.emplace(key, value).second) << key << " stands twice";
    EXPECT_FALSE(key.empty());
    EXPECT_TRUE(is_printable(key) && key.find_first_of(" \"\\") == std::string::npos) << key;
    EXPECT_TRUE(is_printable(value) && value.find_first_of("\"\\") == std::string::npos)
        << key << ": " << value;
  }
  return map;
}

evidence facts_of_gpu(const std::string& uuid, const std::string& clock_mhz,
                      const std::string& counters) {
  return {{"gpu.index", uuid.substr(4)},
          {"gpu.uuid", uuid},
          {"cuda.driver", "13.0"},
          {"blocking", "on"},
          {"event.floor_us", "1.5"},
          {"clock.sm_mhz", clock_mhz},
          {"cache.flush_proof", "of " + uuid},
          {"counters", counters},
          {"counters.reason", "because of " + uuid},
          {"clock_check", "on"},
          {"clock_check.reason", "so"},
          {"gpu.temperature_c", "41"}};
}

selected_device selected(int number, evidence facts) {
  auto device = std::make_unique<fake_backend>();
  device->number = number;
  device->own_facts = std::move(facts);
  device->most_launches = 99;
  selected_device result;
  result.device = std::move(device);
  return result;
}

std::vector<selected_device> one_gpu() {
  std::vector<selected_device> devices;
  devices.push_back(selected(0, facts_of_gpu("GPU-0", "1980.0", "on")));
  return devices;
}

std::vector<selected_device> two_gpus() {
  std::vector<selected_device> devices = one_gpu();
  devices.push_back(selected(1, facts_of_gpu("GPU-1", "1755.0", "permission")));
  return devices;
}

std::vector<suite_row> rows_named(const std::vector<std::string>& names) {
  std::vector<suite_row> rows;
  rows.reserve(names.size());
  for (const std::string& name : names) rows.push_back({test::row_of(name, 1000), name});
  return rows;
}

fact_map collected(const options& wanted, const std::vector<selected_device>& devices,
                   const std::vector<suite_row>& rows = {}) {
  return by_key(
      collect_evidence(wanted, devices, timing_rules::for_protocol(wanted.protocol), rows, kBytes));
}

fact_map collected(const options& wanted) { return collected(wanted, one_gpu()); }

TEST(Context, FactsOfOneDeviceKeepTheirKeys) {
  const fact_map facts = collected({});
  EXPECT_EQ(facts.at("gpu.uuid"), "GPU-0");
  EXPECT_EQ(facts.at("clock.sm_mhz"), "1980.0");
  EXPECT_EQ(facts.at("event.floor_us"), "1.5");
  EXPECT_EQ(facts.at("counters"), "on");
  EXPECT_EQ(facts.at("counters.reason"), "because of GPU-0");
  EXPECT_EQ(facts.at("clock_check"), "on");
  EXPECT_EQ(facts.at("cache.flush_proof"), "of GPU-0");
  EXPECT_EQ(facts.at("cuda.driver"), "13.0");
  EXPECT_EQ(facts.at("blocking"), "on");
  EXPECT_EQ(facts.at("backend"), "fake");
  EXPECT_FALSE(facts.contains("gpu.count"));
  for (const auto& [key, value] : facts) EXPECT_FALSE(key.starts_with("gpu.0")) << key;
}

// --device=cuda:1 measures one GPU, whatever its number.
TEST(Context, SingleGpuWithAnotherNumberKeepsItsKeysToo) {
  std::vector<selected_device> devices;
  devices.push_back(selected(1, facts_of_gpu("GPU-1", "1755.0", "on")));
  const fact_map facts = collected({}, devices);
  EXPECT_EQ(facts.at("gpu.uuid"), "GPU-1");
  EXPECT_EQ(facts.at("gpu.index"), "1");
  EXPECT_FALSE(facts.contains("gpu.1.uuid"));
}

TEST(Context, FactsOfSeveralGpusCarryTheirNumbers) {
  const fact_map facts = collected({}, two_gpus());
  EXPECT_EQ(facts.at("gpu.count"), "2");
  EXPECT_EQ(facts.at("gpu.0.uuid"), "GPU-0");
  EXPECT_EQ(facts.at("gpu.1.uuid"), "GPU-1");
  EXPECT_EQ(facts.at("gpu.0.index"), "0");
  EXPECT_EQ(facts.at("gpu.1.index"), "1");
  EXPECT_EQ(facts.at("gpu.1.temperature_c"), "41");
  EXPECT_EQ(facts.at("gpu.0.clock.sm_mhz"), "1980.0");
  EXPECT_EQ(facts.at("gpu.1.clock.sm_mhz"), "1755.0");
  EXPECT_EQ(facts.at("gpu.1.event.floor_us"), "1.5");
  EXPECT_EQ(facts.at("gpu.0.counters"), "on");
  EXPECT_EQ(facts.at("gpu.1.counters"), "permission");
  EXPECT_EQ(facts.at("gpu.1.counters.reason"), "because of GPU-1");
  EXPECT_EQ(facts.at("gpu.1.clock_check"), "on");
  EXPECT_EQ(facts.at("gpu.1.clock_check.reason"), "so");
  EXPECT_EQ(facts.at("gpu.1.cache.flush_proof"), "of GPU-1");
  for (const char* const key : {"gpu.uuid", "clock.sm_mhz", "counters", "counters.reason",
                                "clock_check", "event.floor_us", "cache.flush_proof"})
    EXPECT_FALSE(facts.contains(key)) << key << " is of which GPU?";
}

TEST(Context, FactsThatGpusShareStandOnce) {
  const fact_map facts = collected({}, two_gpus());
  EXPECT_EQ(facts.at("cuda.driver"), "13.0");
  EXPECT_EQ(facts.at("blocking"), "on");
  EXPECT_FALSE(facts.contains("gpu.0.cuda.driver"));
  EXPECT_FALSE(facts.contains("gpu.1.blocking"));
}

TEST(Context, EachPatternOfTheRunSaysWhatItsThreadsMove) {
  const fact_map facts =
      collected({}, one_gpu(),
                rows_named({"stride/copy/f32/stride:1", "stride/copy/f64/stride:8",
                            "memcpy/copy/f32", "contiguous/read/f32", "unrolled/copy/f32/unroll:2",
                            "unrolled/copy/f32/unroll:4"}));
  EXPECT_EQ(facts.at("pattern.stride.mapping"), "column c, row r of threads: element c stride + r");
  EXPECT_EQ(facts.at("pattern.contiguous.mapping"), "thread t: element t");
  EXPECT_EQ(facts.at("pattern.memcpy.mapping"), "byte i to byte i, by whatever the vendor takes");
  EXPECT_FALSE(facts.at("pattern.unrolled.mapping").empty());
  EXPECT_EQ(std::ranges::count_if(
                facts, [](const auto& fact) { return fact.first.starts_with("pattern."); }),
            4);
}

TEST(Context, EveryPatternHasAMappingThatTheContextCanCarry) {
  ASSERT_FALSE(registered_patterns().empty());
  std::map<std::string_view, std::string_view> mappings;
  for (const pattern_entry& pattern : registered_patterns()) {
    EXPECT_FALSE(pattern.mapping.empty()) << pattern.name;
    EXPECT_TRUE(is_printable(pattern.mapping)) << pattern.name;
    EXPECT_EQ(mappings.emplace(pattern.name, pattern.mapping).first->second, pattern.mapping)
        << pattern.name << " has two";
  }
}

TEST(Context, CacheModeIsNamed) {
  EXPECT_EQ(collected({}).at("cache_mode"), "warm");
  options cold;
  cold.caches = cache_mode::kCold;
  EXPECT_EQ(collected(cold).at("cache_mode"), "cold");
}

TEST(Context, ProtocolIsNamedWithItsRules) {
  options wanted;
  EXPECT_EQ(collected(wanted).at("protocol"), "default");
  EXPECT_EQ(collected(wanted).at("warmup_launches"), "3");
  EXPECT_EQ(collected(wanted).at("batches_per_round"), "3");
  EXPECT_EQ(collected(wanted).at("batch"), "launches for 2.000 ms, at most 99");
  wanted.protocol = protocol_kind::kReference;
  EXPECT_EQ(collected(wanted).at("protocol"), "reference");
  EXPECT_EQ(collected(wanted).at("warmup_launches"), "3");
  EXPECT_EQ(collected(wanted).at("batches_per_round"), "1");
  EXPECT_EQ(collected(wanted).at("batch"), "10 launches");
  wanted.protocol = protocol_kind::kProfile;
  EXPECT_EQ(collected(wanted).at("protocol"), "profile");
  EXPECT_EQ(collected(wanted).at("warmup_launches"), "1");
  EXPECT_EQ(collected(wanted).at("batch"), "1 launches");
}

TEST(Context, WhatWasAskedForIsTold) {
  EXPECT_EQ(collected({}).at("suite"), "default");
  EXPECT_EQ(collected({}).at("quick"), "no");
  EXPECT_EQ(collected({}).at("buffer_bytes"), "67108864");
  EXPECT_EQ(collected({}).at("elements"), "buffer_bytes / element size");
  EXPECT_EQ(collected({}).at("block"), "256");
  EXPECT_EQ(collected({}).at("fill.seed"), "2463534242");
  options wanted;
  wanted.suite = suite_kind::kReference;
  wanted.quick = true;
  wanted.bytes = 1 << 20;
  wanted.blocks = {{64, 1}, {32, 8}};
  wanted.seed = 7;
  EXPECT_EQ(collected(wanted).at("suite"), "reference");
  EXPECT_EQ(collected(wanted).at("quick"), "yes");
  EXPECT_EQ(collected(wanted).at("buffer_bytes"), "1048576");
  EXPECT_EQ(collected(wanted).at("block"), "64,32x8");
  EXPECT_EQ(collected(wanted).at("fill.seed"), "7");
  wanted.bytes.reset();
  wanted.elements = {1000, 2000};
  EXPECT_EQ(collected(wanted).at("buffer_bytes"), "elements x element size");
  EXPECT_EQ(collected(wanted).at("elements"), "1000,2000");
}

TEST(Context, WhyTheDeviceWasChosenAndWhatIsAttachedAreTold) {
  std::vector<selected_device> devices = one_gpu();
  EXPECT_EQ(collected({}, devices).at("backend.reason"), "as asked");
  EXPECT_EQ(collected({}, devices).at("tool"), "none");
  devices.front().notice = "no driver: the CPU's memory is measured";
  devices.front().tool = "ncu";
  EXPECT_EQ(collected({}, devices).at("backend.reason"), "no driver: the CPU's memory is measured");
  EXPECT_EQ(collected({}, devices).at("tool"), "ncu");
}

// The library's writer of JSON escapes little: by_key looks at every character.
TEST(Context, ValuesArePrintableWhateverADeviceSays) {
  std::vector<selected_device> devices;
  devices.push_back(selected(
      0, {{"gpu.name", "a\"b\\c\nd\te\xc3\xa9\x7f"}, {"counters.reason", std::string("x\0y", 3)}}));
  devices.front().tool = "\x1b[31mncu";
  devices.front().notice = "caf\xc3\xa9";
  const fact_map facts = collected({}, devices, rows_named({"stride/copy/f32/stride:1"}));
  EXPECT_EQ(facts.at("gpu.name").front(), 'a');
  EXPECT_NE(facts.at("tool").find("[31mncu"), std::string::npos);
  EXPECT_EQ(facts.at("backend.reason").substr(0, 3), "caf");
}

TEST(Context, FactsOfTheHostBackendAreThere) {
  std::vector<selected_device> devices(1);
  devices.front().device = make_host_backend();
  const fact_map facts = collected({}, devices);
  EXPECT_EQ(facts.at("backend"), "host");
  EXPECT_EQ(facts.at("counters"), "off");
  EXPECT_EQ(facts.at("clock_check"), "off");
  EXPECT_FALSE(facts.at("counters.reason").empty());
  EXPECT_FALSE(facts.contains("gpu.uuid"));
  EXPECT_GE(std::stoi(facts.at("evidence.version")), 2);
  for (const char* const key : {"sectorbench.version", "sectorbench.revision", "build.type",
                                "build.compiler", "host.cpu_model", "host.openmp_threads"})
    EXPECT_FALSE(facts.at(key).empty()) << key;
}

}  // namespace
}  // namespace sectorbench
