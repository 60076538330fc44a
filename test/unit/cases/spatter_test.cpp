// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/spatter.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

namespace fs = std::filesystem;
using enum operation_kind;
using entries = std::vector<index_t>;
using values = std::vector<std::pair<std::string_view, index_t>>;

spatter_configuration only(std::string_view suite) {
  const auto all = parse_spatter_json(suite, "s.json");
  EXPECT_EQ(all.size(), 1u) << suite;
  return all.front();
}

std::string refusal_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const usage_error& error) {
    return error.what();
  }
  return "accepted";
}
std::string refusal(const std::string& text) {
  return refusal_of([&] { parse_spatter(text); });
}
std::string suite_refusal(const std::string& text) {
  return refusal_of([&] { parse_spatter_json(text, "s.json"); });
}
// Of a configuration with a valid list and these other keys.
std::string key_refusal(const std::string& keys) {
  return suite_refusal("[{\"pattern\": [0, 1, 2], " + keys + "}]");
}

TEST(SpatterNotation, UniformIsAStrideAndNrRepeatsWithoutReuse) {
  const auto plain = parse_spatter("UNIFORM:8:4");
  EXPECT_EQ(plain.gather.entries, (entries{0, 4, 8, 12, 16, 20, 24, 28}));
  EXPECT_EQ(plain.gather.delta, 8);
  EXPECT_EQ(plain.count, 1024);
  EXPECT_EQ(plain.operation, kGather);
  EXPECT_TRUE(plain.scatter.entries.empty());
  EXPECT_FALSE(plain.wrap);
  EXPECT_EQ(parse_spatter("UNIFORM:8:4:NR").gather.delta, 32);
  EXPECT_EQ(parse_spatter("UNIFORM:8:4:5").gather.delta, 5);
  EXPECT_EQ(parse_spatter("UNIFORM:1:1").gather.entries, (entries{0}));
}

// The examples of Spatter's README.
TEST(SpatterNotation, MostlyStrideOneJumpsAtItsPlaces) {
  EXPECT_EQ(parse_spatter("MS1:8:4:32").gather.entries, (entries{0, 1, 2, 3, 35, 36, 37, 38}));
  EXPECT_EQ(parse_spatter("MS1:8:2,3:20").gather.entries, (entries{0, 1, 21, 41, 42, 43, 44, 45}));
  EXPECT_EQ(parse_spatter("MS1:8:2,3:20,22").gather.entries,
            (entries{0, 1, 21, 43, 44, 45, 46, 47}));
  EXPECT_EQ(parse_spatter("MS1:3:0:5").gather.entries, (entries{4, 5, 6}));
  EXPECT_EQ(parse_spatter("MS1:4:2:0").gather.entries, (entries{0, 1, 1, 2}));
  EXPECT_EQ(parse_spatter("MS1:4:2:7").gather.delta, 8);
}

TEST(SpatterNotation, LaplacianIsAStencilMovedByOne) {
  EXPECT_EQ(parse_spatter("LAPLACIAN:1:1:100").gather.entries, (entries{0, 1, 2}));
  EXPECT_EQ(parse_spatter("LAPLACIAN:2:1:100").gather.entries, (entries{0, 99, 100, 101, 200}));
  EXPECT_EQ(parse_spatter("LAPLACIAN:2:2:100").gather.entries,
            (entries{0, 100, 198, 199, 200, 201, 202, 300, 400}));
  EXPECT_EQ(parse_spatter("LAPLACIAN:3:1:100").gather.entries,
            (entries{0, 9900, 9999, 10000, 10001, 10100, 20000}));
  EXPECT_EQ(parse_spatter("LAPLACIAN:2:1:100").gather.delta, 1);
}

TEST(SpatterNotation, ListsAreTakenAsTheyAre) {
  const auto list = parse_spatter("4,4,0,16");
  EXPECT_EQ(list.gather.entries, (entries{4, 4, 0, 16}));
  EXPECT_EQ(list.label, "4-4-0-16");
  EXPECT_EQ(parse_spatter("7").gather.entries, (entries{7}));
}

TEST(SpatterNotation, CaseDoesNotMatter) {
  EXPECT_EQ(parse_spatter("uniform:8:4:nr").gather.delta, 32);
  EXPECT_EQ(parse_spatter("UNIFORM:8:4:NR").label, "uniform:8:4:nr");
  EXPECT_EQ(parse_spatter("Ms1:8:2,3:20").label, "ms1:8:2-3:20");
  EXPECT_EQ(parse_spatter("-k sCaTtEr -p Laplacian:1:1:9").operation, kScatter);
  const auto gs = only(R"([{"Kernel": "gs", "Pattern-Gather": [0], "PATTERN-SCATTER": [1]}])");
  EXPECT_EQ(gs.operation, kCopy);
}

TEST(SpatterFlags, LettersAndLongNamesAreSpatters) {
  const auto one = parse_spatter("-k Scatter -pUNIFORM:4:2\t-d 16\n -l 4096  -w 3 -n here");
  EXPECT_EQ(one.operation, kScatter);
  EXPECT_EQ(one.scatter.entries, (entries{0, 2, 4, 6}));
  EXPECT_EQ(one.scatter.delta, 16);
  EXPECT_EQ(one.count, 4096);
  EXPECT_EQ(one.wrap, 3);
  EXPECT_EQ(one.label, "here");
  EXPECT_EQ(one.values(), (values{{"delta", 16}, {"count", 4096}, {"wrap", 3}}));
  const auto two = parse_spatter("--kernel=GS --pattern-gather UNIFORM:4:1 -u 3,2,1,0 -x 4 -y5");
  EXPECT_EQ(two.operation, kCopy);
  EXPECT_EQ(two.gather.entries, (entries{0, 1, 2, 3}));
  EXPECT_EQ(two.scatter.entries, (entries{3, 2, 1, 0}));
  EXPECT_EQ(two.label, "uniform:4:1-to-3-2-1-0");
  EXPECT_EQ(two.values(), (values{{"delta_gather", 4}, {"delta_scatter", 5}, {"count", 1024}}));
}

TEST(SpatterFlags, OfTwoDeltasTheLaterCounts) {
  EXPECT_EQ(parse_spatter("-p UNIFORM:8:4:NR -d 3").gather.delta, 3);
  EXPECT_EQ(parse_spatter("-d 3 -p UNIFORM:8:4:NR").gather.delta, 32);
  EXPECT_EQ(parse_spatter("-d 3 -p UNIFORM:8:4").gather.delta, 3);
}

TEST(SpatterFlags, SizeCutsAndBoundaryFolds) {
  const auto cut = parse_spatter("-p UNIFORM:8:4:NR -j 3 -e 7");
  EXPECT_EQ(cut.gather.entries, (entries{0, 4, 1}));
  EXPECT_EQ(cut.gather.delta, 32);  // of the whole notation
  EXPECT_EQ(cut.label, "uniform:8:4:nr:size:3:boundary:7");
}

TEST(SpatterSuite, ReadsEachKernel) {
  const auto all = parse_spatter_json(R"([
    {"kernel": "Gather", "pattern": "UNIFORM:4:2:NR", "count": 100, "local-work-size": 1024},
    {"name": "corner points/x", "kernel": "Scatter", "pattern": [3, 0, 0], "delta": 0, "wrap": 2},
    {"kernel": "GS", "pattern-gather": [5, 6], "pattern-scatter": "1,0", "delta-gather": 2,
     "delta-scatter": 4, "nruns": 10, "seed": 1},
    {"pattern": [0, 9], "pattern-size": 1}])",
                                      "some/folder/my suite.json");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].label, "uniform:4:2:nr");
  EXPECT_EQ(all[0].gather.delta, 8);
  EXPECT_EQ(all[0].count, 100);
  EXPECT_EQ(all[0].length(), 4);
  EXPECT_EQ(all[1].label, "corner-points-x");
  EXPECT_EQ(all[1].operation, kScatter);
  EXPECT_EQ(all[1].scatter.entries, (entries{3, 0, 0}));
  EXPECT_EQ(all[1].values(), (values{{"delta", 0}, {"count", 1024}, {"wrap", 2}}));
  EXPECT_EQ(all[2].label, "my-suite:2");
  EXPECT_EQ(all[2].gather.entries, (entries{5, 6}));
  EXPECT_EQ(all[2].scatter.entries, (entries{1, 0}));
  EXPECT_EQ(all[2].gather.delta, 2);
  EXPECT_EQ(all[2].scatter.delta, 4);
  EXPECT_EQ(all[3].label, "my-suite:3:size:1");
  EXPECT_EQ(all[3].gather.entries, (entries{0}));
}

TEST(SpatterSuite, ANotationsDeltaCountsMoreThanTheKey) {
  EXPECT_EQ(only(R"([{"delta": 5, "pattern": "UNIFORM:8:4:NR"}])").gather.delta, 32);
  EXPECT_EQ(only(R"([{"pattern": "LAPLACIAN:1:1:9", "delta": 5}])").gather.delta, 1);
  EXPECT_EQ(only(R"([{"pattern": "UNIFORM:8:4", "delta": 5}])").gather.delta, 5);
}

TEST(SpatterSuite, RowsThatDifferInAnythingNamedMayStandTogether) {
  EXPECT_EQ(suite_refusal(R"([{"pattern": "UNIFORM:8:1"}, {"pattern": "UNIFORM:8:1", "count": 5},
                              {"pattern": "UNIFORM:8:1", "delta": 5},
                              {"pattern": "UNIFORM:8:1", "kernel": "Scatter"},
                              {"pattern": "UNIFORM:8:1", "wrap": 1}])"),
            "accepted");
}

// One configuration that makes no row takes no other with it.
TEST(SpatterSuite, ConfigurationsThatMakeNoRowAreKeptWithTheReason) {
  const auto all =
      parse_spatter_json(R"([{"name": "a b", "pattern": [0]}, {"pattern": "UNIFORM:8:1"},
    {"name": "a/b", "pattern": [1]}, {"pattern": [0, 4294967296]}, {"pattern": [0], "delta": -1},
    {"patern": [0]}, {"name": "n", "kernel": "Scatter", "pattern": []}])",
                         "s.json");
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(all[0].refused + all[1].refused, "");
  EXPECT_EQ(all[2].refused,
            "configuration 2: makes the row a-b/gather/delta:8/count:1024 as configuration 0 does; "
            "give one of them another name");
  for (const std::size_t number : {3u, 4u, 5u, 6u}) {
    const std::string begin = "configuration " + std::to_string(number) + ": ";
    EXPECT_EQ(all[number].refused.find(begin), 0u) << all[number].refused;
    EXPECT_EQ(all[number].label, (number == 6 ? "n:" : "s:") + std::to_string(number));
  }
  EXPECT_EQ(all[6].operation, operation_kind::kScatter);
}

// Spatter: dense[j] = sparse[pattern[pattern_gather[j]] + delta * i].
TEST(SpatterSuite, MultiKernelsChooseFromTheirPattern) {
  const auto all = parse_spatter_json(
      R"([{"kernel": "MultiGather", "pattern": [0, 8, 16, 24], "pattern-gather": [3, 1, 1]},
          {"kernel": "MultiScatter", "pattern": [5, 3, 1], "pattern-scatter": "UNIFORM:2:2"},
          {"kernel": "MultiGather", "pattern": [0, 8], "pattern-gather": [2]},
          {"kernel": "MultiGather", "pattern": [0, 8], "pattern-scatter": [0]}])",
      "s.json");
  EXPECT_EQ(all[0].operation, operation_kind::kGather);
  EXPECT_EQ(all[0].gather.entries, (std::vector<index_t>{24, 8, 8}));
  EXPECT_EQ(all[1].operation, operation_kind::kScatter);
  EXPECT_EQ(all[1].scatter.entries, (std::vector<index_t>{5, 1}));
  EXPECT_EQ(all[2].refused, "configuration 2: no entry 2 in a pattern of 2 entries");
  EXPECT_NE(all[3].refused, "");
}

TEST(SpatterSuite, BoundaryOfTheCommandLineFoldsWholeFiles) {
  const auto all =
      parse_spatter_json(R"([{"pattern": [0, 4294967296, 4294967301]}])", "s.json", 100);
  EXPECT_EQ(all[0].gather.entries, (std::vector<index_t>{0, 96, 1}));  // 2^32 = 42949672 x 100 + 96
}

TEST(SpatterRefusals, KernelsByName) {
  EXPECT_EQ(refusal("-k MultiGather -p UNIFORM:8:1 -g UNIFORM:4:1"), "accepted");
  EXPECT_EQ(key_refusal(R"("kernel": "multiscatter")"),
            "s.json: configuration 0: MultiScatter needs pattern-scatter");
  EXPECT_EQ(
      key_refusal(R"("kernel": "copy")"),
      "s.json: configuration 0: kernel: no kernel 'copy'; known: Gather, Scatter, GS, MultiGather, "
      "MultiScatter");
}

TEST(SpatterRefusals, KeysByName) {
  const std::string known =
      "known: name, kernel, pattern, pattern-gather, pattern-scatter, delta, delta-gather, "
      "delta-scatter, count, wrap, pattern-size, boundary, local-work-size, nruns, runs, seed";
  EXPECT_EQ(key_refusal(R"("deltas": 8)"),
            "s.json: configuration 0: unknown key 'deltas'; did you mean delta? " + known);
  EXPECT_EQ(key_refusal(R"("vector-length": 8)"),
            "s.json: configuration 0: unknown key 'vector-length'; " + known);
  EXPECT_EQ(key_refusal(R"("backend": "cuda")"),
            "s.json: configuration 0: backend: not supported; leave it out: --device= says where "
            "to measure");
  EXPECT_EQ(refusal("-p 1 --atomic-writes"),
            "--indexed=-p 1 --atomic-writes: atomic-writes: not supported; leave it out: stores "
            "are plain ones");
  EXPECT_EQ(refusal("-p 1 -q"), "--indexed=-p 1 -q: unknown option '-q'");
  EXPECT_EQ(refusal("-p 1 2"), "--indexed=-p 1 2: '2' follows no option");
  EXPECT_EQ(refusal("-p"), "--indexed=-p: pattern: a value is missing");
  EXPECT_EQ(refusal("-p 1 -l 2 -l 3"),
            "--indexed=-p 1 -l 2 -l 3: count: given twice; leave one of the two out");
  EXPECT_EQ(suite_refusal(R"([{"pattern": [0]}, {"count": 1, "count": 2, "pattern": [0]}])"),
            "s.json: count: stands twice; leave one of the two out");
  EXPECT_EQ(key_refusal(R"("count": 1, "COUNT": 2)"),
            "s.json: configuration 0: count: given twice; leave one of the two out");
}

TEST(SpatterRefusals, KeysOfAnotherKernel) {
  EXPECT_EQ(key_refusal(R"("pattern-scatter": [0])"),
            "s.json: configuration 0: pattern-scatter: Gather has none; write pattern");
  EXPECT_EQ(key_refusal(R"("kernel": "scatter", "delta-gather": 1)"),
            "s.json: configuration 0: delta-gather: Scatter has none; write delta");
  EXPECT_EQ(key_refusal(R"("kernel": "GS")"),
            "s.json: configuration 0: pattern: GS has none; write pattern-gather and "
            "pattern-scatter");
  EXPECT_EQ(suite_refusal(R"([{"kernel": "GS", "pattern-gather": [0]}])"),
            "s.json: configuration 0: GS needs pattern-scatter");
  EXPECT_EQ(suite_refusal(R"([{"count": 4}])"), "s.json: configuration 0: Gather needs pattern");
  EXPECT_EQ(refusal("-k GS -g 0,1 -u 0"),
            "--indexed=-k GS -g 0,1 -u 0: GS needs lists of one length: pattern-gather has 2, "
            "pattern-scatter 1");
  EXPECT_EQ(refusal("-k GS -g 0 -u 0 -w 1"),
            "--indexed=-k GS -g 0 -u 0 -w 1: wrap: GS has none; leave it out: neither side is "
            "dense");
}

TEST(SpatterRefusals, Values) {
  EXPECT_EQ(key_refusal(R"("delta": [8, 8, 16])"),
            "s.json: configuration 0: delta: one number is taken, no list of them");
  EXPECT_EQ(refusal("-p 1 -d 8,8"),
            "--indexed=-p 1 -d 8,8: delta: one number is taken, no list of them");
  EXPECT_EQ(key_refusal(R"("delta": -4)"),
            "s.json: configuration 0: delta: -4 is not from 0 to 9223372036854775807");
  EXPECT_EQ(key_refusal(R"("count": 0)"),
            "s.json: configuration 0: count: 0 is not from 1 to 9223372036854775807");
  EXPECT_EQ(key_refusal(R"("count": 1.5)"),
            "s.json: configuration 0: count: '1.5' is no whole number");
  EXPECT_EQ(key_refusal(R"("count": true)"),
            "s.json: configuration 0: count: 'true' is no whole number");
  EXPECT_EQ(key_refusal(R"("count": 18446744073709551615)"),
            "s.json: configuration 0: count: '18446744073709551615' does not fit 64 bits");
  EXPECT_EQ(key_refusal(R"("kernel": 3)"),
            "s.json: configuration 0: kernel: a text is taken, no number and no list");
  EXPECT_EQ(key_refusal(R"("wrap": 0)"),
            "s.json: configuration 0: wrap: 0 is not from 1 to 9223372036854775807");
  EXPECT_EQ(key_refusal(R"("pattern-size": 4)"),
            "s.json: configuration 0: pattern-size: 4 of a list that has 3 entries");
}

TEST(SpatterRefusals, Lists) {
  const auto list_refusal = [](const std::string& list) {
    const std::string message = suite_refusal("[{\"pattern\": " + list + "}]");
    const std::string lead = "s.json: configuration 0: ";
    EXPECT_EQ(message.find(lead), 0u) << message;
    return message.substr(lead.size());
  };
  EXPECT_EQ(list_refusal("[]"), "pattern: an empty list");
  EXPECT_EQ(list_refusal("\"\""), "pattern: an empty list");
  EXPECT_EQ(list_refusal("7"), "pattern: a number is no list");
  EXPECT_EQ(list_refusal("[0, -1]"), "the negative entry -1");
  EXPECT_EQ(list_refusal("\"MS1:4:0:0\""), "the negative entry -1");
  EXPECT_EQ(list_refusal("[0, \"1\"]"), "pattern: '\"1\"' is no whole number");
  EXPECT_EQ(list_refusal("[0, 4294967296]"),
            "the entry 4294967296 does not fit 4 bytes; fold the list with boundary, or subtract "
            "its smallest entry");
  EXPECT_EQ(list_refusal("\"1,,2\""), "pattern: '' is no whole number");
  EXPECT_EQ(list_refusal("\"1,-2\""), "pattern: -2 is not from 0 to 9223372036854775807");
  EXPECT_EQ(list_refusal("\"UNIFROM:8:1\""),
            "pattern: unknown notation 'UNIFROM'; did you mean uniform? known: UNIFORM, MS1, "
            "LAPLACIAN, or numbers between commas");
  EXPECT_EQ(list_refusal("\"UNIFORM:8\""),
            "pattern: write UNIFORM:<length>:<stride>[:<delta>|:NR], e.g. UNIFORM:8:4:NR");
  for (const auto& [notation, part] : {std::pair{"UNIFORM:0:1", "length"},
                                       {"UNIFORM:8:x", "stride"},
                                       {"UNIFORM:8:1:0", "delta"},
                                       {"MS1:0:2:20", "length"},
                                       {"MS1:8:x:20", "places"},
                                       {"MS1:8:2:4294967297", "gaps"},
                                       {"LAPLACIAN:64:1:100", "dimensions"},
                                       {"LAPLACIAN:2:0:100", "order"},
                                       {"LAPLACIAN:2:1:0", "size"}}) {
    const std::string message = list_refusal("\"" + std::string(notation) + "\"");
    EXPECT_EQ(message.find("pattern: " + std::string(part) + ": "), 0u) << message;
  }
  EXPECT_EQ(list_refusal("\"UNIFORM:3:4294967296\"").find("the entry 8589934592 does not fit "),
            0u);
  EXPECT_EQ(list_refusal("\"MS1:8:3\""),
            "pattern: write MS1:<length>:<places>:<gaps>, e.g. MS1:8:2,3:20,22");
  EXPECT_EQ(list_refusal("\"MS1:8:3,2:9\""), "pattern: the places of gaps must rise");
  EXPECT_EQ(list_refusal("\"MS1:8:8:9\""), "pattern: no place 8 in a list of length 8");
  EXPECT_EQ(list_refusal("\"MS1:8:1,2,3:9,9\""),
            "pattern: 2 gaps for 3 places; give one gap for all, or one for each");
  EXPECT_EQ(list_refusal("\"LAPLACIAN:2:1\""),
            "pattern: write LAPLACIAN:<dimensions>:<order>:<size>, e.g. LAPLACIAN:2:1:100");
  EXPECT_EQ(list_refusal("\"LAPLACIAN:5:1:1000\""), "pattern: more points than 4 bytes can tell");
}

TEST(SpatterRefusals, ProductsThatDoNotFit) {
  EXPECT_EQ(key_refusal(R"("count": 9223372036854775807)"),
            "s.json: configuration 0: 3 entries x count 9223372036854775807, delta 8: does not "
            "fit 64 bits");
  EXPECT_EQ(key_refusal(R"("count": 3, "delta": 4611686018427387904)"),
            "s.json: configuration 0: 3 entries x count 3, delta 4611686018427387904: does not "
            "fit 64 bits");
  EXPECT_EQ(key_refusal(R"("count": 9007199254740992, "delta": 0)"), "accepted");
  EXPECT_NE(key_refusal(R"("count": 9007199254740992, "delta": 0, "wrap": 2147483648)"),
            "accepted");
}

TEST(SpatterRefusals, NamesThatAreNone) {
  std::string list = "0";
  for (int i = 1; i < 100; ++i) list += "," + std::to_string(i);
  EXPECT_NE(refusal(list).find("name: needed, of at most 96 characters"), std::string::npos);
  EXPECT_NE(refusal("-j 5 -p " + list).find("name: needed"), std::string::npos);
  EXPECT_EQ(parse_spatter("-n hundred -p " + list).label, "hundred");
  EXPECT_NE(key_refusal("\"name\": \"" + std::string(97, 'x') + "\"").find("name: needed"),
            std::string::npos);
}

TEST(SpatterRefusals, TextThatIsNoSuite) {
  EXPECT_EQ(suite_refusal("[{\"pattern\": }]").find("s.json: parse error at line 1, column 14: "),
            0u)
      << suite_refusal("[{\"pattern\": }]");
  const std::string none =
      "s.json: holds no configurations; give an array of them, e.g. "
      "[{\"kernel\": \"Gather\", \"pattern\": \"UNIFORM:8:1\"}]";
  EXPECT_EQ(suite_refusal("[]"), none);
  EXPECT_EQ(suite_refusal("{\"pattern\": [0]}"), none);
  EXPECT_EQ(suite_refusal("3"), none);
  EXPECT_EQ(suite_refusal("[[0]]"), "s.json: configuration 0: is no object of keys and values");
  EXPECT_EQ(suite_refusal("").find("s.json: parse error at line 1, column 1: "), 0u);
  EXPECT_LT(suite_refusal("[\"" + std::string(100000, 'x')).size(), 300u);
  EXPECT_EQ(suite_refusal(std::string(100000, '[')).find("s.json: nested more than "), 0u);
}

class SpatterFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "spatter_test.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  static std::string read_refusal(const std::string& text) {
    return refusal_of([&] { read_spatter(text); });
  }

  fs::path folder_;
};

TEST_F(SpatterFile, IsToldFromNotations) {
  const std::string file = (folder_ / "two.json").string();
  std::ofstream(file) << R"([{"pattern": [0, 1]}, {"pattern": "UNIFORM:2:1"}])";
  ASSERT_EQ(read_spatter(file).size(), 2u);
  EXPECT_EQ(read_spatter(file)[0].label, "two:0");
  EXPECT_EQ(read_spatter("UNIFORM:2:1").size(), 1u);
  EXPECT_EQ(read_spatter("-n a.b/c -p 0")[0].label, "a.b-c");
}

// As in Spatter, whose command line has the defaults of a file's configurations.
TEST_F(SpatterFile, ABoundaryBesideItIsForConfigurationsWithoutOne) {
  const std::string file = (folder_ / "two.json").string();
  std::ofstream(file) << R"([{"pattern": [250, 5], "boundary": 200}, {"pattern": [250, 5]}])";
  const auto both = read_spatter("-f " + file + " -e 90");
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].gather.entries, (entries{50, 5}));
  EXPECT_EQ(both[1].gather.entries, (entries{70, 5}));
}

TEST_F(SpatterFile, WhatCannotBeReadIsRefused) {
  const std::string missing = (folder_ / "missing.json").string();
  EXPECT_EQ(read_refusal(missing),
            "--indexed=" + missing +
                ": cannot be read: No such file or directory; give a JSON suite of Spatter, or a "
                "notation such as UNIFORM:8:4:NR");
  const fs::path huge = folder_ / "huge.json";
  std::ofstream(huge) << "[";
  fs::resize_file(huge, (std::uintmax_t{512} << 20) + 1);
  EXPECT_EQ(read_refusal(huge.string()),
            "--indexed=" + huge.string() + ": larger than 536870912 bytes, so no suite of Spatter");
}

}  // namespace
}  // namespace sectorbench
