// SPDX-License-Identifier: Apache-2.0
#include "bench/predict/device_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/support/text.hpp"
#include "test/support/source_tree.hpp"

namespace sectorbench {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

curve curve_of(std::vector<curve::point> points) { return curve(std::move(points)); }

// A description of which no two figures are equal.
device_file small() {
  device_file file;
  device_description& d = file.device;
  d.key = "toy_1";
  d.name = "Toy \"1\"";
  d.architecture = "None (sm_00)";
  d.sms = 2;
  d.threads_per_sm = 96;
  d.l1_bytes = 1024;
  d.l2_bytes = 4096;
  d.dram_bytes_per_s = 12.5e9;
  d.read_granule = {32, 64};
  d.fills = {0, 0.5};
  d.loads_kept = {100, 200};
  d.stores_kept = {0, 300};
  d.stores_sent = curve_of({{4, {0.25, 0.75}}, {32, {1, 1}}});
  d.lost_in_rounds = curve_of({{0.5, {0, 0.125}}, {2, {0.875, 1}}});
  for (const auto* const path :
       {"sms", "threads_per_sm", "l1_bytes", "l2_bytes", "dram_bytes_per_s", "read_granule",
        "fills", "loads_kept.kept_bytes", "loads_kept.lost_bytes", "stores_kept.kept_bytes",
        "stores_kept.lost_bytes", "stores_sent", "lost_in_rounds"})
    file.sources[path] = {source_kind::kMeasured, std::string("of ") + path};
  file.sources["sms"] = {source_kind::kDataSheet, "two \\ \"quotes\", µ"};
  return file;
}

device_file with_time() {
  device_file file = small();
  time_figures& time = file.device.time.emplace();
  time.scaled = true;  // nothing of it was measured
  time.launch_s = 1e-7;
  time.dram_start_s = 2e-7;
  time.dram = curve_of({{0, {1e9, 2e9}}, {1.0 / 3, {3e9, 3e9}}, {1, {4e9, 6e9}}});
  time.dram_loads = curve_of({{32, {7e9, 7e9}}});
  time.dram_stores = curve_of({{32, {8e9, 8e9}}, {1e300, {1e8, 9e9}}});
  time.dram_together = curve_of({{64, {0.5, 1}}});
  time.l2_loads = curve_of({{1, {10e9, 10e9}}, {4, {11e9, 12e9}}});
  time.l2_stores = curve_of({{4, {13e9, 13e9}}});
  time.l2_full_stores = 1e11;
  time.l2_added = curve_of({{1, {0.5, 0.5}}, {4, {0.25, 0.375}}});
  time.l2_start_s = 4e-7;
  time.block_life_loads = curve_of({{0, {1e-9, 1e-6}}});
  time.block_life_copies = curve_of({{0, {1e-9, 2e-6}}});
  time.widening_loads = 0.25;
  time.widening_copies = 0.5;
  time.block_life_in_l2_s = 3e-7;
  time.blocks_started_per_s = 1e9;
  time.l1_lines_per_s = 14e9;
  time.shared_wavefronts_per_s = 15e9;
  time.warps_started_per_s = 16e9;
  time.f32_flops = 1e20;
  for (const auto* const path : {"launch_s",
                                 "dram_start_s",
                                 "dram",
                                 "dram_loads",
                                 "dram_stores",
                                 "dram_together",
                                 "l2_loads",
                                 "l2_stores",
                                 "l2_full_stores",
                                 "l2_added",
                                 "l2_start_s",
                                 "block_life_loads",
                                 "block_life_copies",
                                 "widening_loads",
                                 "widening_copies",
                                 "block_life_in_l2_s",
                                 "blocks_started_per_s",
                                 "warps_started_per_s",
                                 "l1_lines_per_s",
                                 "shared_wavefronts_per_s",
                                 "f32_flops"})
    file.sources[std::string("time.") + path] = {source_kind::kDerived, "of two others"};
  file.evidence = {{"tool", "sectorbench \"0.1\""}, {"date", ""}};
  return file;
}

std::string written(const device_file& file) { return write_device(file); }

std::string refusal_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const usage_error& error) {
    return error.what();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}
std::string text_refusal(const std::string& text) {
  return refusal_of([&] { read_device(text, "f.json"); });
}

// Of the file with time in which `from` is replaced, where it stands behind `after`.
std::string refusal(std::string_view after, std::string_view from, std::string_view to) {
  std::string text = written(with_time());
  const std::size_t start = text.find(after);
  const std::size_t place = text.find(from, start);
  if (start == std::string::npos || place == std::string::npos) return "not there";
  return text_refusal(text.replace(place, from.size(), to));
}

// Of a value of a figure; `key` as the file has it.
std::string value_refusal(const std::string& key, std::string_view value) {
  std::string text = written(with_time());
  const std::string lead = "\"" + key + "\": {";
  const std::size_t start = text.find("\"value\": ", text.find(lead)) + 9;
  const std::size_t end = text.rfind(",\n", text.find("\"unit\"", start));
  return text_refusal(text.replace(start, end - start, value));
}

TEST(Interval, SumsAndMultiples) {
  const interval a{1, 3};
  EXPECT_EQ(a + interval::exactly(2), (interval{3, 5}));
  EXPECT_EQ(a * 2.5, (interval{2.5, 7.5}));
  EXPECT_EQ(larger(a, {2, 2}), (interval{2, 3}));
  EXPECT_EQ(larger(a, {4, 5}), (interval{4, 5}));
  EXPECT_EQ(around(a, {2, 5}), (interval{1, 5}));
  EXPECT_EQ(a.middle(), 2);
  EXPECT_TRUE(a.contains(1) && a.contains(3) && !a.contains(0.9) && !a.contains(3.1));
  EXPECT_TRUE(interval::exactly(0).exact() && !a.exact());
}

TEST(Interval, SpreadOfNothingIsNoneAndFromNothingIsEndless) {
  EXPECT_EQ((interval{2, 5}).spread(), 2.5);
  EXPECT_EQ(interval::exactly(7).spread(), 1);
  EXPECT_EQ((interval{0, 0}).spread(), 1);
  EXPECT_EQ((interval{0, 3}).spread(), 1e300);
}

TEST(Curve, IsLinearBetweenPointsAndFlatBeyondThem) {
  const curve line = curve_of({{1, {10, 20}}, {3, {30, 60}}, {4, {0, 60}}});
  EXPECT_EQ(line.at(1), (interval{10, 20}));
  EXPECT_EQ(line.at(3), (interval{30, 60}));
  EXPECT_EQ(line.at(2), (interval{20, 40}));
  EXPECT_EQ(line.at(1.5), (interval{15, 30}));
  EXPECT_EQ(line.at(3.75), (interval{7.5, 60}));
  EXPECT_EQ(line.at(0), (interval{10, 20}));
  EXPECT_EQ(line.at(100), (interval{0, 60}));
  EXPECT_EQ(curve_of({{5, {1, 2}}}).at(0), (interval{1, 2}));
  EXPECT_TRUE(curve().empty() && !line.empty());
}

TEST(DeviceFile, RoundTripKeepsEverything) {
  for (const device_file& file : {small(), with_time()}) {
    const std::string text = written(file);
    EXPECT_EQ(read_device_file(text, "f.json"), file) << text;
    EXPECT_EQ(read_device(text, "f.json"), file.device);
    EXPECT_EQ(written(read_device_file(text, "f.json")), text);
  }
}

TEST(DeviceFile, IsWrittenOneKeyALineInTheSchemasOrder) {
  const std::string text = written(with_time());
  const std::string head = R"json({
  "schema": 1,
  "key": "toy_1",
  "name": "Toy \"1\"",
  "architecture": "None (sm_00)",
  "sms": {
    "value": 2,
    "unit": "SMs",
    "source": "data sheet",
    "note": "two \\ \"quotes\", µ"
  },
)json";
  EXPECT_EQ(text.substr(0, head.size()), head);
  EXPECT_NE(text.find("  \"read_granule\": {\n    \"value\": [32, 64],\n"), std::string::npos);
  EXPECT_NE(text.find(R"(
    "dram": {
      "value": [
        [0, 1000000000, 2000000000],
        [0.3333333333333333, 3000000000],
        [1, 4000000000, 6000000000]
      ],
      "unit": "bytes/s over share written",
)"),
            std::string::npos)
      << text;
  const std::string tail = R"(
      "note": "of two others"
    }
  },
  "evidence": {
    "date": "",
    "tool": "sectorbench \"0.1\""
  }
}
)";
  ASSERT_GT(text.size(), tail.size());
  EXPECT_EQ(text.substr(text.size() - tail.size()), tail);
}

TEST(DeviceFile, WhatWouldNotReadIsNotWritten) {
  const auto write_refusal = [](const std::function<void(device_file&)>& change) {
    device_file file = with_time();
    change(file);
    return refusal_of([&] { written(file); });
  };
  EXPECT_EQ(write_refusal([](device_file& f) { f.sources.erase("time.dram"); }),
            "time.dram: no source");
  EXPECT_EQ(write_refusal([](device_file& f) { f.sources["time.drum"] = {}; }),
            "time.drum: a source without a figure");
  EXPECT_EQ(write_refusal([](device_file& f) { f.device.time.reset(); }),
            "time.block_life_copies: a source without a figure");
  EXPECT_EQ(write_refusal([](device_file& f) {
              f.device.time->dram_loads = curve_of({{32, {1, std::nan("")}}});
            }),
            "time.dram_loads: not finite");
  EXPECT_EQ(write_refusal([](device_file& f) {
              f.device.dram_bytes_per_s = std::numeric_limits<double>::infinity();
            }),
            "dram_bytes_per_s: not finite");
  EXPECT_EQ(write_refusal([](device_file& f) { f.device.sms = 0; }),
            "toy_1: sms.value: 0 is not from 1 to 65536; the unit is SMs");
  EXPECT_EQ(write_refusal([](device_file& f) { f.device.time->dram = {}; }),
            "toy_1: time.dram.value: '[]' is no curve; write [[x, y], ...] or [[x, low, high], "
            "...]");
}

TEST(BuiltInDevices, AreTheFilesOfTheProject) {
  const fs::path folder = test::source_tree() / "bench/predict/profiles";
  const auto known = known_devices();
  EXPECT_EQ(std::vector<std::string>(known.begin(), known.end()), test::stems_in(folder, ".json"));
  EXPECT_GE(known.size(), 6u);
  for (const std::string_view key : known) {
    const fs::path path = folder / (std::string(key) + ".json");
    const device_file built_in = find_device_file(std::string(key));
    EXPECT_EQ(built_in, find_device_file(path.string())) << key;
    EXPECT_EQ(built_in.device.key, key);
    EXPECT_EQ(built_in.device, find_device(std::string(key)));
    // Written by hand or not: files of two GPUs can be compared line by line.
    EXPECT_EQ(written(built_in), text_of(path)) << key;
  }
}

TEST(BuiltInDevices, AreFoundInCapitalsToo) { EXPECT_EQ(find_device("RTX4090").sms, 128); }

// The run that the H200's figures come from is kept.
TEST(BuiltInDevices, TheH200IsAsItWasCalibrated) {
  const device_description h200 = find_device("h200");
  const device_description passport =
      find_device((test::source_tree() / "docs/results/h200/passport.json").string());
  EXPECT_EQ(h200.read_granule, passport.read_granule);
  EXPECT_EQ(h200.fills, passport.fills);
  EXPECT_EQ(h200.loads_kept, passport.loads_kept);
  EXPECT_EQ(h200.stores_kept, passport.stores_kept);
  EXPECT_EQ(h200.stores_sent, passport.stores_sent);
  EXPECT_EQ(h200.lost_in_rounds, passport.lost_in_rounds);
  EXPECT_EQ(h200.time, passport.time);
  EXPECT_EQ(h200.read_granule, interval::exactly(64));
  EXPECT_EQ(h200.fills, interval::exactly(1));
  EXPECT_EQ(h200.dram_bytes_per_s, 4814304000000);
}

TEST(BuiltInDevices, AllButTheCalibratedOneAreScaledAndSaySo) {
  for (const std::string_view key : known_devices()) {
    const device_file file = find_device_file(std::string(key));
    ASSERT_TRUE(file.device.time) << key;
    EXPECT_EQ(file.device.time->scaled, key != "h200") << key;
    EXPECT_EQ(file.sheet.like, key == "h200" ? "" : "h200") << key;
    if (key == "h200") continue;
    EXPECT_LE(file.sources.size(), 15u) << key << ": a dozen figures, not a copy";
    EXPECT_EQ(file.device.stores_sent, unknown_share()) << key;
    EXPECT_EQ(file.device.lost_in_rounds, unknown_share()) << key;
  }
}

TEST(DeviceDocument, HasEachKeyWithItsUnit) {
  const std::string document = text_of(test::source_tree() / "docs/options.md");
  for (const char* const key : {"h200", "v100"}) {
    const std::string text =
        text_of(test::source_tree() / "bench/predict/profiles" / (std::string(key) + ".json"));
    for (const auto& [path, source] : find_device_file(key).sources) {
      const std::string figure = "\"" + path.substr(path.find('.') + 1) + "\": {";
      const std::size_t unit = text.find("\"unit\": \"", text.find(figure)) + 9;
      const std::string line =
          "- `" + path + "` (" + text.substr(unit, text.find('"', unit) - unit);
      EXPECT_NE(document.find(line + "):"), std::string::npos) << line;
    }
  }
  for (const std::string_view key : known_devices())
    EXPECT_NE(document.find("`" + std::string(key) + "`"), std::string::npos) << key;
}

// ---- Scaled descriptions

// The file of a GPU that is scaled, with one text replaced.
std::string scaled_text(const std::string& from = "", const std::string& to = "") {
  std::string text = written(find_device_file("v100"));
  if (from.empty()) return text;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}
std::string scaled_refusal(const std::string& from, const std::string& to) {
  const std::string text = scaled_text(from, to);
  return refusal_of([&] { read_device(text, "f.json"); });
}

TEST(ScaledFile, AFigureThatIsGivenReplacesTheScaledOne) {
  const device_description v100 = find_device("v100");
  EXPECT_EQ(v100.fills, interval(1));
  device_description given = read_device(
      scaled_text("\n}", R"(, "fills": {"value": [0.25, 0.5], "unit": "share", "source": "measured",
        "note": "n"}, "time": {"launch_s": {"value": 3e-6, "unit": "s", "source": "measured",
        "note": "n"}}})"),
      "f.json");
  EXPECT_EQ(given.fills, (interval{0.25, 0.5}));
  EXPECT_EQ(given.time->launch_s, interval(3e-6));
  EXPECT_TRUE(given.time->scaled) << "one measured figure calibrates nothing";
  given.fills = v100.fills;
  given.time->launch_s = v100.time->launch_s;
  EXPECT_EQ(given, v100) << "and no other";
}

TEST(ScaledFile, ImplausibleFiguresAreRefusedWithTheSlip) {
  struct slip {
    const char *from, *to, *key, *meant;
  };
  for (const auto& [from, to, key, meant] :
       {slip{"898048000000,", "1555,", "dram_bytes_per_s", "1555000000000 (1555 GB/s)"},
        {"898048000000,", "1555e6,", "dram_bytes_per_s", "1555000000000 (1555000000 KB/s)"},
        {"\"value\": 6291456,", "\"value\": 6144,", "l2_bytes", "6291456 (6144 KiB)"},
        {"\"value\": 6291456,", "\"value\": 6,", "l2_bytes", "6291456 (6 MiB)"},
        {"1530000000,", "1530,", "clock_hz", "1530000000 (1530 MHz)"},
        {"1530000000,", "1530000,", "clock_hz", "1530000000 (1530000 kHz)"},
        {"3.15e-07,", "0.000315,", "dram_latency_s", ""},
        {"\"value\": 80,", "\"value\": 5120,", "sms", ""}}) {
    const std::string said = scaled_refusal(from, to);
    EXPECT_EQ(said.find(std::string("f.json: ") + key + ".value: "), 0u) << said;
    EXPECT_NE(said.find("no figure of a GPU"), std::string::npos) << said;
    const std::string question = *meant == 0 ? "" : std::string("did you mean ") + meant;
    EXPECT_NE(said.find(question), std::string::npos) << said;
  }
  EXPECT_NE(scaled_refusal("\n}", R"(, "dram_read_share": {"value": 1.1, "unit":
    "share of the peak", "source": "measured", "note": "n"}})")
                .find("dram_read_share.value: 1.1 is not"),
            std::string::npos)
      << "a rate above the peak";
}

TEST(ScaledFile, WhatItIsScaledFromAndItsMemoryAreNamed) {
  for (const char* const like : {"\"v100\"", "\"a40\"", "\"h300\""})
    EXPECT_NE(scaled_refusal("\"h200\"", like).find("f.json: like: "), std::string::npos) << like;
  EXPECT_NE(scaled_refusal("\"HBM2\", \"unit\"", "\"DDR4\", \"unit\"").find("GDDR6X"),
            std::string::npos);
  // Without "like" nothing is scaled, and what only scaling takes says so.
  EXPECT_NE(scaled_refusal("  \"like\": \"h200\",\n", "").find("f.json: clock_hz: "),
            std::string::npos);
}

TEST(DeviceRefusals, Keys) {
  EXPECT_EQ(refusal("", "\"l2_bytes\"", "\"l2_byte\""),
            "f.json: unknown key 'l2_byte'; did you mean l2_bytes? known: schema, key, name, "
            "architecture, like, sms, threads_per_sm, l1_bytes, l2_bytes, dram_bytes_per_s, "
            "clock_hz, memory, ecc, dram_read_share, dram_write_share, dram_copy_share, "
            "dram_latency_s, l2_bytes_per_clock, read_granule, fills, loads_kept, stores_kept, "
            "stores_sent, lost_in_rounds, time, "
            "evidence");
  EXPECT_EQ(refusal("\"loads_kept\"", "\"lost_bytes\"", "\"gone\""),
            "f.json: loads_kept: unknown key 'gone'; known: kept_bytes, lost_bytes");
  EXPECT_EQ(refusal("\"time\"", "\"dram_loads\"", "\"dram_load\""),
            "f.json: time: unknown key 'dram_load'; did you mean dram_loads? known: launch_s, "
            "dram_start_s, dram, dram_loads, dram_stores, dram_together, l2_loads, l2_stores, "
            "l2_full_stores, l2_added, l2_start_s, block_life_loads, "
            "block_life_copies, block_life_stores_s, widening_loads, widening_copies, "
            "block_life_in_l2_s, "
            "blocks_started_per_s, warps_started_per_s, l1_lines_per_s, "
            "shared_wavefronts_per_s, f32_flops");
  EXPECT_EQ(refusal("\"sms\"", "\"unit\"", "\"units\""),
            "f.json: sms: unknown key 'units'; did you mean unit? known: value, unit, source, "
            "note");
  EXPECT_EQ(refusal("\"sms\"", "\"unit\"", "\"value\""),
            "f.json: sms.value: stands twice; leave one of the two out");
  EXPECT_EQ(refusal("", "\"schema\": 1,", ""), "f.json: schema: missing; add \"schema\": 1");
  EXPECT_EQ(refusal("", "\"schema\": 1", "\"schema\": 2"),
            "f.json: schema: '2' is not known; this program reads schema 1");
  EXPECT_EQ(refusal("", "\"time\": {", "\"time\": 3, \"evidence\": {"),
            "f.json: evidence: stands twice; leave one of the two out");
}

TEST(DeviceRefusals, MissingOnes) {
  EXPECT_EQ(text_refusal(R"({"schema": 1, "key": "a", "name": "A", "architecture": "B"})"),
            "f.json: sms: missing; add {\"value\": ..., \"unit\": \"SMs\", \"source\": ..., "
            "\"note\": ...}");
  EXPECT_EQ(text_refusal(R"({"schema": 1, "key": "a", "name": "A"})"),
            "f.json: architecture: missing; write it in one line, e.g. \"Hopper (sm_90)\"");
  std::string text = written(small());
  text.resize(text.find(",\n  \"stores_kept\""));
  EXPECT_EQ(text_refusal(text + "}"),
            "f.json: stores_kept.kept_bytes: missing; add {\"value\": ..., \"unit\": \"bytes\", "
            "\"source\": ..., \"note\": ...}");
  text = written(small());
  text.resize(text.find(",\n  \"stores_sent\""));
  EXPECT_EQ(text_refusal(text + "}"),
            "f.json: stores_sent: missing; add {\"value\": ..., \"unit\": \"share over lines of a "
            "request\", \"source\": ..., \"note\": ...}");
  text = written(small());
  text.resize(text.find(",\n  \"lost_in_rounds\""));
  EXPECT_EQ(text_refusal(text + "}"),
            "f.json: lost_in_rounds: missing; add {\"value\": ..., \"unit\": \"share over working "
            "set / L2\", \"source\": ..., \"note\": ...}");
  text = written(small());
  text.resize(text.size() - 3);
  EXPECT_EQ(text_refusal(text + ", \"time\": {}}"),
            "f.json: time.launch_s: missing; add {\"value\": ..., \"unit\": \"s\", \"source\": "
            "..., \"note\": ...}");
  EXPECT_EQ(
      text_refusal(text + ", \"time\": [1]}"),
      "f.json: time: '[1]' is no object; it has the keys launch_s, dram_start_s, dram, dram_loads, "
      "dram_stores, dram_together, l2_loads, l2_stores, l2_full_stores, l2_added, l2_start_s, "
      "block_life_loads, block_life_copies, "
      "block_life_stores_s, widening_loads, widening_copies, block_life_in_l2_s, "
      "blocks_started_per_s, "
      "warps_started_per_s, l1_lines_per_s, shared_wavefronts_per_s, f32_flops");
  EXPECT_EQ(refusal("\"sms\"", "\"value\": 2,", ""), "f.json: sms.value: missing; add it, in SMs");
  EXPECT_EQ(refusal("\"sms\"", "\"unit\": \"SMs\",", ""),
            "f.json: sms.unit: missing; write \"SMs\", and the value in it");
}

TEST(DeviceRefusals, TextsOfTheGpu) {
  EXPECT_EQ(refusal("", "\"toy_1\"", "\"Toy 1\""),
            "f.json: key: 'Toy 1' will not do; write what --gpu= takes: small letters, digits and "
            "_");
  EXPECT_EQ(refusal("\"name\"", "\"Toy \\\"1\\\"\"", "\"\""),
            "f.json: name: '' will not do; write the GPU's name in one line");
  EXPECT_EQ(refusal("", "\"None (sm_00)\"", "90"),
            "f.json: architecture: '90' will not do; write it in one line, e.g. \"Hopper "
            "(sm_90)\"");
}

TEST(DeviceRefusals, Figures) {
  EXPECT_EQ(
      text_refusal(R"({"schema": 1, "key": "a", "name": "A", "architecture": "B", "sms": 3})"),
      "f.json: sms: '3' is no figure; write {\"value\": ..., \"unit\": \"SMs\", \"source\": "
      "..., \"note\": ...}");
  EXPECT_EQ(refusal("\"dram_bytes_per_s\"", "\"bytes/s\"", "\"GB/s\""),
            "f.json: dram_bytes_per_s.unit: 'GB/s' will not do; write \"bytes/s\", and the value "
            "in it");
  EXPECT_EQ(refusal("\"fills\"", "\"measured\"", "\"guessed\""),
            "f.json: fills.source: 'guessed' will not do; known: data sheet, measured, assumed, "
            "derived");
  EXPECT_EQ(refusal("\"fills\"", "\"of fills\"", "\"\""),
            "f.json: fills.note: '' will not do; write in one line where the figure is from, or "
            "why it is assumed");
  EXPECT_EQ(refusal("\"fills\"", "of fills", "of\\nfills").find("f.json: fills.note: 'of?fills' "),
            0u);
}

TEST(DeviceRefusals, Numbers) {
  EXPECT_EQ(value_refusal("sms", "\"2\""), "f.json: sms.value: '2' is no number; the unit is SMs");
  EXPECT_EQ(value_refusal("sms", "2.5"),
            "f.json: sms.value: 2.5 is no whole number; the unit is SMs");
  EXPECT_EQ(value_refusal("threads_per_sm", "0"),
            "f.json: threads_per_sm.value: 0 is not from 1 to 65536; the unit is threads");
  EXPECT_EQ(value_refusal("dram_bytes_per_s", "-5"),
            "f.json: dram_bytes_per_s.value: -5 is not above 0; the unit is bytes/s");
  EXPECT_EQ(value_refusal("dram_bytes_per_s", "0"),
            "f.json: dram_bytes_per_s.value: 0 is not above 0; the unit is bytes/s");
  EXPECT_EQ(value_refusal("launch_s", "-1e-9"),
            "f.json: time.launch_s.value: -1e-09 is not at least 0; the unit is s");
  EXPECT_EQ(value_refusal("launch_s", "0"), "accepted");
  EXPECT_EQ(value_refusal("launch_s", "1e400"),
            "f.json: time.launch_s.value: number overflow parsing '1e400'; write a finite number");
  EXPECT_EQ(value_refusal("launch_s", "NaN").find("f.json: parse error at line "), 0u);
  EXPECT_EQ(refusal("\"stores_kept\"", "\"value\": 0", "\"value\": 301"),
            "f.json: stores_kept: kept_bytes 301 is above lost_bytes 300; a distance is kept or "
            "lost, not both");
}

TEST(DeviceRefusals, Intervals) {
  EXPECT_EQ(value_refusal("read_granule", "[64, 32]"),
            "f.json: read_granule.value: the low end 64 is above the high end 32; write [low, "
            "high]");
  EXPECT_EQ(value_refusal("read_granule", "[32]"),
            "f.json: read_granule.value: '[32]' is no interval; write a number, or [low, high]");
  EXPECT_EQ(value_refusal("read_granule", "16"),
            "f.json: read_granule.value: 16 is not from 32 to 4096; the unit is bytes");
  EXPECT_EQ(value_refusal("fills", "[0, 1.5]"),
            "f.json: fills.value: 1.5 is not from 0 to 1; the unit is share");
  EXPECT_EQ(value_refusal("fills", "[-0.5, 1]"),
            "f.json: fills.value: -0.5 is not from 0 to 1; the unit is share");
  EXPECT_EQ(value_refusal("fills", "[1, 1]"), "accepted");
  EXPECT_EQ(value_refusal("l1_bytes", "[1, 2]"),
            "f.json: l1_bytes.value: '[1,2]' is no number; the unit is bytes");
}

TEST(DeviceRefusals, SlipsOfUnitAndExponent) {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"launch_s", "1e23"},
                                                        {"launch_s", "1.5"},  // microseconds
                                                        {"dram_bytes_per_s", "1e308"},
                                                        {"dram_bytes_per_s", "4800"},  // GB/s
                                                        {"dram", "[[0, 1e-300]]"}}) {
    const std::string message = value_refusal(key, value);
    EXPECT_NE(message.find("is no figure of a GPU"), std::string::npos) << key << message;
  }
  EXPECT_EQ(value_refusal("launch_s", "1e23").find("f.json: time.launch_s.value: 1e+23 is"), 0u);
  EXPECT_EQ(value_refusal("dram_bytes_per_s", "4800e9"), "accepted");
}

TEST(DeviceRefusals, Curves) {
  const std::string lead = "f.json: time.dram.value: ";
  EXPECT_EQ(value_refusal("dram", "5"),
            lead + "'5' is no curve; write [[x, y], ...] or [[x, low, high], ...]");
  EXPECT_EQ(value_refusal("dram", "[]"),
            lead + "'[]' is no curve; write [[x, y], ...] or [[x, low, high], ...]");
  EXPECT_EQ(value_refusal("dram", "[[0, 1e9], [0.5]]"),
            lead + "point 2: '[0.5]' is no point; write [x, y] or [x, low, high]");
  EXPECT_EQ(value_refusal("dram", "[0, 1]"),
            lead + "point 1: '0' is no point; write [x, y] or [x, low, high]");
  EXPECT_EQ(value_refusal("dram", "[[0, 1e9], [0.5, 1e9], [0.25, 1e9]]"),
            lead + "point 3: x 0.25 after x 0.5; sort the points by x, each x once");
  EXPECT_EQ(value_refusal("dram", "[[0, 1e9], [0, 2e9]]"),
            lead + "point 2: x 0 after x 0; sort the points by x, each x once");
  EXPECT_EQ(value_refusal("dram", "[[2, 1]]"),
            lead + "point 1: 2 is not from 0 to 1; the unit is bytes/s over share written");
  EXPECT_EQ(value_refusal("dram", "[[0, 3e9, 2e9]]"),
            lead +
                "point 1: the low end 3000000000.0 is above the high end 2000000000.0; write [low, "
                "high]");
  EXPECT_EQ(value_refusal("dram", "[[0, 0]]"),
            lead + "point 1: 0 is not above 0; the unit is bytes/s over share written");
  EXPECT_EQ(value_refusal("l2_loads", "[[0.5, 1]]"),
            "f.json: time.l2_loads.value: point 1: 0.5 is not from 1 to 4; the unit is sectors/s "
            "over sectors of a line");
}

TEST(DeviceRefusals, CurvesOfShares) {
  EXPECT_EQ(value_refusal("stores_sent", "[[33, 1]]"),
            "f.json: stores_sent.value: point 1: 33 is not from 1 to 32; the unit is share over "
            "lines of a request");
  EXPECT_EQ(value_refusal("stores_sent", "[[32, 0, 1.5]]"),
            "f.json: stores_sent.value: point 1: 1.5 is not from 0 to 1; the unit is share over "
            "lines of a request");
  EXPECT_EQ(value_refusal("lost_in_rounds", "[[0.5, 1.5]]"),
            "f.json: lost_in_rounds.value: point 1: 1.5 is not from 0 to 1; the unit is share over "
            "working set / L2");
  EXPECT_EQ(value_refusal("lost_in_rounds", "[[20, 0, 1]]"), "accepted");
  EXPECT_EQ(value_refusal("l2_added", "[[5, 0.5]]"),
            "f.json: time.l2_added.value: point 1: 5 is not from 1 to 4; the unit is share over "
            "sectors of a line");
  EXPECT_EQ(value_refusal("l2_added", "[[1, 1.1]]"),
            "f.json: time.l2_added.value: point 1: 1.1 is not from 0 to 1; the unit is share over "
            "sectors of a line");
  EXPECT_EQ(value_refusal("l2_added", "[[1, 0]]"), "accepted");
  EXPECT_EQ(value_refusal("l2_start_s", "-1"),
            "f.json: time.l2_start_s.value: -1 is not at least 0; the unit is s");
}

TEST(DeviceRefusals, Evidence) {
  EXPECT_EQ(refusal("\"evidence\"", "\"\"", "3"),
            "f.json: evidence.date: '3' is no text; write {\"name\": \"text\", ...}");
  std::string text = written(small());
  text.resize(text.size() - 3);
  EXPECT_EQ(text_refusal(text + ", \"evidence\": \"a run\"}"),
            "f.json: evidence: 'a run' is no object; write {\"name\": \"text\", ...}");
  EXPECT_EQ(text_refusal(text + ", \"evidence\": {}}"), "accepted");
}

TEST(DeviceRefusals, TextThatIsNoDescription) {
  EXPECT_EQ(text_refusal("[]"),
            "f.json: holds no description of a GPU; docs/options.md says how to write one");
  EXPECT_EQ(text_refusal("").find("f.json: parse error at line 1, column 1: "), 0u);
  EXPECT_EQ(text_refusal("{\"sms\": [[[[[[[[[1]]]]]]]]]}"), "f.json: sms: nested more than 8 deep");
  EXPECT_EQ(text_refusal(std::string(100000, '[')), "f.json: nested more than 8 deep");
  EXPECT_LT(text_refusal("{\"" + std::string(100000, 'x') + "\": 1}").size(), 400u);
}

TEST(FindDevice, UnknownNamesAreToldTheKnownOnes) {
  std::string remedy = "known: " + join(known_devices(), ", ");
  remedy += "; or a file, which describe writes (docs/options.md)";
  const auto find_refusal = [](const std::string& name) {
    return refusal_of([&] { find_device(name); });
  };
  EXPECT_EQ(find_refusal("v1000"), "--gpu=v1000: no such GPU; " + remedy)
      << "another GPU is no slip of the pen";
  EXPECT_EQ(find_refusal("voodoo"), "--gpu=voodoo: no such GPU; " + remedy);
  EXPECT_EQ(find_refusal(""), "--gpu=: no such GPU; " + remedy);
  EXPECT_EQ(find_refusal("none/t4.json"),
            "--gpu=none/t4.json: cannot be read: No such file or directory; " + remedy);
}

TEST(FindDevice, TakesAFile) {
  std::string name = (fs::temp_directory_path() / "device_file_test.XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const fs::path folder = name;
  const fs::path file = folder / "toy.json";
  std::ofstream(file) << written(with_time());
  EXPECT_EQ(find_device_file(file.string()), with_time());
  std::ofstream(file) << "{";
  EXPECT_EQ(refusal_of([&] { find_device(file.string()); }).find(file.string() + ": parse error"),
            0u);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace sectorbench
