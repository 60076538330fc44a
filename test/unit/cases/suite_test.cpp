// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/suite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

using names = std::vector<std::string>;

std::vector<suite_row> suite_of(const std::vector<std::string>& flags,
                                index_t default_bytes = kDefaultBufferBytes) {
  return make_suite(parse_options(flags).ours, {.default_bytes = default_bytes});
}

std::vector<suite_row> sweep_of(const std::vector<std::string>& flags, index_t last_cache_bytes,
                                bool on_gpu = true) {
  return make_suite(parse_options(flags).ours,
                    {.last_cache_bytes = last_cache_bytes, .on_gpu = on_gpu});
}

std::vector<suite_row> listed_with(const std::vector<std::string>& flags, std::string_view list) {
  std::vector<std::string> all = flags;
  all.emplace_back("--suite=rows.txt");
  return make_suite(parse_options(all).ours, {.listed = parse_row_list(list, "rows.txt")});
}

names names_of(const std::vector<suite_row>& rows) {
  names list;
  for (const suite_row& row : rows) list.push_back(row.name);
  return list;
}

names names_with(const std::vector<std::string>& flags) { return names_of(suite_of(flags)); }

// The message that the flags are refused with, or "accepted".
std::string refusal(const std::vector<std::string>& flags) {
  try {
    suite_of(flags);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "accepted";
}

const names kReferenceNames{"stride/copy/f32/stride:1",  "stride/copy/f32/stride:2",
                            "stride/copy/f32/stride:4",  "stride/copy/f32/stride:8",
                            "stride/copy/f32/stride:16", "stride/copy/f32/stride:32",
                            "chunk/copy/f32/chunk:32"};

// Names are an interface.
TEST(DefaultSuite, HasTheseRowsInThisOrder) {
  names expected{
      "memcpy/copy/f32",        "contiguous/copy/f32x4",      "unrolled/copy/f32/unroll:4",
      "contiguous/read/f32x4",  "unrolled/read/f32/unroll:4", "memset/write/f32",
      "contiguous/write/f32x4", "unrolled/write/f32/unroll:4"};
  expected.insert(expected.end(), kReferenceNames.begin(), kReferenceNames.end());
  for (const char* name :
       {"stride/gather/f32/stride:1", "stride/gather/f32/stride:8", "stride/gather/f32/stride:32",
        "stride/scatter/f32/stride:1", "stride/scatter/f32/stride:8",
        "stride/scatter/f32/stride:32", "random/gather/f32", "random/scatter/f32",
        "contiguous/copy/u8", "contiguous/copy/f16", "contiguous/copy/f32", "contiguous/copy/f64",
        "offset/copy/f32/loads:0/stores:0", "offset/copy/f32/loads:1/stores:1",
        "offset/copy/f32/loads:8/stores:8", "grid_loop/copy/f32/steps:8",
        "wide/copy/f32/first:0/v:2", "wide/copy/f32/first:0/v:4",
        "transpose_wide/copy/f32/columns:4096/v:4"})
    expected.emplace_back(name);
  // A pattern that is new here comes behind these by itself.
  std::vector<std::string> listed = names_with({});
  ASSERT_GE(listed.size(), expected.size());
  const std::vector<std::string> others(listed.begin() + static_cast<long>(expected.size()),
                                        listed.end());
  listed.resize(expected.size());
  EXPECT_EQ(listed, expected);
  for (const std::string& name : others) EXPECT_NE(name.find("/f32"), std::string::npos) << name;
}

TEST(DefaultSuite, EveryRowMovesTheSameBytesPerSide) {
  const auto rows = suite_of({});
  ASSERT_FALSE(rows.empty());
  for (const suite_row& row : rows) {
    EXPECT_EQ(row.spec.buffer_bytes(), 268'435'456) << row.name;
    EXPECT_EQ(row.spec.block,
              row.name.starts_with("transpose") ? (block_size{32, 8}) : (block_size{256, 1}))
        << row.name;
    EXPECT_EQ(row.spec.name(), row.name);
  }
}

TEST(DefaultSuite, NamesEveryRegisteredPatternButTheOneOfWhy) {
  std::set<std::string_view> shown;
  for (const suite_row& row : suite_of({})) shown.insert(row.spec.pattern->name);
  ASSERT_FALSE(registered_patterns().empty());
  for (const pattern_entry& pattern : registered_patterns())
    EXPECT_EQ(shown.contains(pattern.name), pattern.name != "reordered") << pattern.name;
}

TEST(DefaultSuite, OnlyTheStrideCurveHasStrideInItsName) {
  for (const suite_row& row : suite_of({}))
    EXPECT_EQ(row.name.find("stride") != std::string::npos, row.spec.pattern->name == "stride")
        << row.name;
}

TEST(DefaultSuite, RowsComeAfterTheirCeilings) {
  const auto rows = suite_of({});
  const auto place = [&](const row_spec& spec) {
    return std::find_if(rows.begin(), rows.end(),
                        [&](const auto& row) { return row.spec == spec; });
  };
  for (auto row = rows.begin(); row != rows.end(); ++row)
    for (const row_spec& ceiling : ceiling_of(row->spec)) {
      ASSERT_NE(place(ceiling), rows.end()) << ceiling.key();
      const bool is_ceiling_itself = row - rows.begin() < 8;
      EXPECT_TRUE(is_ceiling_itself || place(ceiling) < row) << row->name;
    }
}

TEST(ReferenceSuite, HasTheSevenRowsOfTheReferenceProgram) {
  const auto rows = suite_of({"--suite=reference"});
  EXPECT_EQ(names_of(rows), kReferenceNames);
  EXPECT_EQ(rows.size(), kReferenceRows);
  for (const suite_row& row : rows) {
    EXPECT_EQ(row.spec.elements, index_t{64} << 20);
    EXPECT_EQ(useful_bytes(row.spec), 536'870'912);
  }
}

TEST(QuickSuite, HasTheRowsOfTheDefaultSuite) {
  EXPECT_EQ(names_with({"--suite=quick"}), names_with({}));
}

TEST(HealthSuite, HasTheseSevenRows) {
  EXPECT_EQ(names_with({"--suite=health"}),
            (names{"memcpy/copy/f32", "contiguous/read/f32x4", "contiguous/write/f32x4",
                   "stride/copy/f32/stride:1", "stride/copy/f32/stride:8",
                   "stride/copy/f32/stride:32", "random/gather/f32"}));
}

TEST(FullSuite, HasEachRowOnceAndThoseOfTheDefaultSuite) {
  const names rows = names_with({"--suite=full"});
  const std::set<std::string> unique(rows.begin(), rows.end());
  EXPECT_EQ(unique.size(), rows.size());
  for (const std::string& name : names_with({})) EXPECT_TRUE(unique.contains(name)) << name;
  for (const char* name :
       {"stride/write/u8/stride:128", "chunk/scatter/f32x4/chunk:16", "unrolled/read/f64/unroll:2",
        "offset/gather/f16/loads:8/stores:8", "random/copy/f32x4", "grid_loop/write/u8/steps:8"})
    EXPECT_TRUE(unique.contains(name)) << name;
}

TEST(FullSuite, TakesEachPatternWithEveryOperationAndType) {
  const names rows = names_with({"--suite=full"});
  const auto count = [&](const std::string& pattern) {
    return std::ranges::count_if(
        rows, [&](const std::string& row) { return row.starts_with(pattern + "/"); });
  };
  EXPECT_EQ(count("stride"), 200);  // 5 operations, 5 types, 8 strides
  EXPECT_EQ(count("chunk"), 150);
  EXPECT_EQ(count("unrolled"), 75);
  EXPECT_EQ(count("offset"), 75);
  EXPECT_EQ(count("contiguous"), 25);
  EXPECT_EQ(count("grid_loop"), 25);
  EXPECT_EQ(count("random"), 25);
  EXPECT_EQ(count("memcpy"), 1);  // the same bytes of any type
  ASSERT_FALSE(registered_patterns().empty());
  for (const pattern_entry& pattern : registered_patterns())
    EXPECT_GT(count(std::string(pattern.name)), 0) << pattern.name;
}

TEST(FullSuite, BeginsWithTheCeilingsAndTheStrideCurve) {
  const names rows = names_with({"--suite=full"});
  ASSERT_GT(rows.size(), 9u);
  EXPECT_EQ(
      names(rows.begin(), rows.begin() + 9),
      (names{"memcpy/copy/f32", "contiguous/copy/f32x4", "unrolled/copy/f32/unroll:4",
             "contiguous/read/f32x4", "unrolled/read/f32/unroll:4", "memset/write/f32",
             "contiguous/write/f32x4", "unrolled/write/f32/unroll:4", "stride/copy/u8/stride:1"}));
}

TEST(FullSuite, AxisFlagsReplaceTheirAxis) {
  const names rows = names_with({"--suite=full", "--types=f64", "--ops=read", "--strides=3"});
  EXPECT_EQ(std::ranges::count(rows, "stride/read/f64/stride:3"), 1);
  for (const std::string& row : rows) EXPECT_NE(row.find("/read/f64"), std::string::npos) << row;
}

TEST(SweepSuite, StepsFrom64KiBTo8Caches) {
  constexpr index_t kKiB = index_t{1} << 10;
  constexpr index_t kMiB = index_t{1} << 20;
  EXPECT_EQ(sweep_bytes(kMiB, true),
            (std::vector<index_t>{64 * kKiB, 96 * kKiB, 128 * kKiB, 192 * kKiB, 256 * kKiB,
                                  384 * kKiB, 512 * kKiB, 768 * kKiB, kMiB, 1536 * kKiB, 2 * kMiB,
                                  3 * kMiB, 4 * kMiB, 6 * kMiB, 8 * kMiB}));
  const auto h200 = sweep_bytes(60 * kMiB, true);
  EXPECT_EQ(h200.size(), 26u);
  EXPECT_EQ(h200.back(), 384 * kMiB);
  EXPECT_EQ(sweep_bytes(64 * kMiB, true).back(), 512 * kMiB);
  EXPECT_EQ(sweep_bytes(0, true), sweep_bytes(64 * kMiB, true)) << "an unknown cache";
  EXPECT_EQ(sweep_bytes(1, true), std::vector<index_t>{64 * kKiB});
}

TEST(SweepSuite, OnACpuEndsAt1GiB) {
  constexpr index_t kMiB = index_t{1} << 20;
  const auto sizes = sweep_bytes(480 * kMiB, false);
  EXPECT_EQ(sizes.size(), 29u);
  EXPECT_EQ(sizes.back(), 1024 * kMiB);
  EXPECT_EQ(sweep_bytes(480 * kMiB, true).back(), 3072 * kMiB);
  EXPECT_EQ(sweep_bytes(2 * kMiB, false).back(), 16 * kMiB);
}

TEST(SweepSuite, HasEachSizeInTheNameOfBothPatterns) {
  const auto rows = sweep_of({"--suite=sweep"}, index_t{60} << 20);
  const names list = names_of(rows);
  ASSERT_EQ(list.size(), 52u);
  EXPECT_EQ(list[0], "contiguous/copy/f32/elements:8192");  // 32 KiB a buffer
  EXPECT_EQ(list[1], "contiguous/copy/f32/elements:12288");
  EXPECT_EQ(list[25], "contiguous/copy/f32/elements:50331648");
  EXPECT_EQ(list[26], "stride/copy/f32/stride:8/elements:8192");
  EXPECT_EQ(list[51], "stride/copy/f32/stride:8/elements:50331648");
  EXPECT_EQ(useful_bytes(rows[0].spec), 65'536);
  EXPECT_EQ(useful_bytes(rows[51].spec), 402'653'184);
}

TEST(SweepSuite, WorkingSetsAreTheSameWhateverTypeAndOperation) {
  const auto bytes_of = [](const std::vector<std::string>& flags) {
    std::vector<index_t> bytes;
    for (const suite_row& row : sweep_of(flags, index_t{1} << 20))
      bytes.push_back(useful_bytes(row.spec));
    return bytes;
  };
  const auto usual = bytes_of({"--suite=sweep"});
  ASSERT_EQ(usual.size(), 30u);
  EXPECT_EQ(bytes_of({"--suite=sweep", "--types=u8"}), usual);
  EXPECT_EQ(bytes_of({"--suite=sweep", "--types=f32x4"}), usual);
  EXPECT_EQ(bytes_of({"--suite=sweep", "--ops=read"}), usual);
}

TEST(SweepSuite, SizesOfFlagsReplaceItsOwn) {
  EXPECT_EQ(names_with({"--suite=sweep", "--elements=5"}),
            (names{"contiguous/copy/f32", "stride/copy/f32/stride:8"}));
  EXPECT_EQ(names_with({"--suite=sweep", "--elements=5,6", "--strides=3"}),
            (names{"contiguous/copy/f32/elements:5", "contiguous/copy/f32/elements:6",
                   "stride/copy/f32/stride:3/elements:5", "stride/copy/f32/stride:3/elements:6"}));
}

TEST(ListedSuite, HasTheListsRowsWithTheirBlocksAndSizes) {
  const auto rows = listed_with({},
                                "stride/copy/f32/stride:3\n"
                                "contiguous/read/u8/block:128\n"
                                "contiguous/read/u8/block:64/elements:4096/manual_time\n"
                                "memcpy/copy/f32/elements:8192\n");
  EXPECT_EQ(names_of(rows),
            (names{"stride/copy/f32/stride:3", "contiguous/read/u8/block:128",
                   "contiguous/read/u8/block:64/elements:4096", "memcpy/copy/f32/elements:8192"}));
  EXPECT_EQ(rows[0].spec.block, (block_size{256, 1}));
  EXPECT_EQ(rows[0].spec.elements, index_t{64} << 20);
  EXPECT_EQ(rows[1].spec.block, (block_size{128, 1}));
  EXPECT_EQ(rows[1].spec.elements, index_t{256} << 20);
  EXPECT_EQ(rows[2].spec.block, (block_size{64, 1}));
  EXPECT_EQ(rows[2].spec.elements, 4096);
  EXPECT_EQ(rows[3].spec.elements, 8192);
}

TEST(ListedSuite, FlagsDecideWhereANameIsSilent) {
  const auto rows =
      listed_with({"--block=32", "--elements=5,6", "--ops=write"},
                  "contiguous/read/u8\ncontiguous/read/f32/block:64\nmemcpy/copy/f32/elements:7\n");
  EXPECT_EQ(names_of(rows),
            (names{"contiguous/read/u8/elements:5", "contiguous/read/u8/elements:6",
                   "contiguous/read/f32/block:64/elements:5",
                   "contiguous/read/f32/block:64/elements:6", "memcpy/copy/f32/elements:7"}));
  EXPECT_EQ(rows[0].spec.block.x, 32u);
  EXPECT_EQ(rows[2].spec.block.x, 64u);
}

TEST(ListedSuite, TheListOfASuiteIsThatSuite) {
  const std::vector<std::vector<std::string>> suites{
      {}, {"--suite=full"}, {"--suite=sweep"}, {"--block=128,256", "--elements=1Ki,2Ki"}};
  for (const auto& flags : suites) {
    const auto rows = suite_of(flags);
    std::string list;
    for (const suite_row& row : rows) list += row.name + "/manual_time\n";
    const auto again = listed_with({}, list);
    ASSERT_EQ(names_of(again), names_of(rows));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(again[i].spec.name(), rows[i].spec.name());
      EXPECT_EQ(again[i].spec.elements, rows[i].spec.elements) << rows[i].name;
      if (rows[i].spec.pattern->mover) continue;  // it has no blocks
      EXPECT_EQ(again[i].spec.block, rows[i].spec.block) << rows[i].name;
    }
  }
}

using facts = std::vector<std::pair<std::string, std::string>>;

facts recorded(const std::vector<std::string>& flags, const std::vector<suite_row>& rows) {
  facts list{{"suite", "?"}, {"buffer_bytes", "1"}, {"elements", "2"}, {"block", "3"}};
  record_suite(parse_options(flags).ours, rows, list);
  return list;
}

TEST(RecordSuite, NamesTheSuiteAndLeavesWhatFlagsSay) {
  for (const char* name : {"default", "reference", "quick", "full", "health"}) {
    const std::vector<std::string> flags{"--suite=" + std::string(name)};
    EXPECT_EQ(recorded(flags, suite_of(flags)),
              (facts{{"suite", name}, {"buffer_bytes", "1"}, {"elements", "2"}, {"block", "3"}}));
  }
}

TEST(RecordSuite, SaysSizesAndBlocksOfTheRowsWhereTheirNamesDo) {
  const auto listed = listed_with({}, "memcpy/copy/f32/elements:7\ncontiguous/read/u8/block:64\n");
  EXPECT_EQ(recorded({"--suite=a/b\"c.txt"}, listed),
            (facts{{"suite", "file:b'c.txt"},
                   {"buffer_bytes", "elements x element size"},
                   {"elements", "7,268435456"},
                   {"block", "256,64"}}));
  const auto plain = listed_with({}, "contiguous/read/u8\n");
  EXPECT_EQ(
      recorded({"--suite=./rows"}, plain),
      (facts{{"suite", "file:rows"}, {"buffer_bytes", "1"}, {"elements", "2"}, {"block", "3"}}));
  EXPECT_EQ(recorded({"--suite=sweep"}, sweep_of({"--suite=sweep"}, index_t{16} << 10)),
            (facts{{"suite", "sweep"},
                   {"buffer_bytes", "elements x element size"},
                   {"elements", "8192,12288,16384"},
                   {"block", "3"}}));
}

TEST(SuiteFlags, TypesReplaceThatAxisAndLeaveNoRowTwice) {
  const names rows = names_with({"--types=f64"});
  const std::set<std::string> unique(rows.begin(), rows.end());
  EXPECT_EQ(unique.size(), rows.size());
  for (const std::string& row : rows) EXPECT_NE(row.find("/f64"), std::string::npos) << row;
  EXPECT_EQ(std::count(rows.begin(), rows.end(), "contiguous/copy/f64"), 1);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), "stride/copy/f64/stride:32"), 1);
}

TEST(SuiteFlags, OpsReplaceThatAxisAndMoversFallAway) {
  const names rows = names_with({"--ops=read"});
  ASSERT_FALSE(rows.empty());
  for (const std::string& row : rows) {
    EXPECT_NE(row.find("/read/"), std::string::npos) << row;
    EXPECT_FALSE(row.starts_with("memcpy"));
  }
}

TEST(SuiteFlags, StridesReplaceThoseOfTheCurveAlone) {
  const auto rows = suite_of({"--suite=reference", "--strides=3,2147483647"});
  EXPECT_EQ(names_of(rows), (names{"stride/copy/f32/stride:3", "stride/copy/f32/stride:2147483647",
                                   "chunk/copy/f32/chunk:32"}));
}

TEST(SuiteFlags, ChunksReplaceTheChunkAlone) {
  const names rows = names_with({"--suite=reference", "--chunks=1,2147483647"});
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[6], "chunk/copy/f32/chunk:1");
  EXPECT_EQ(rows[7], "chunk/copy/f32/chunk:2147483647");
}

TEST(SuiteFlags, OneBlockOrSizeLeavesTheNamesAlone) {
  const auto rows = suite_of({"--suite=reference", "--block=64", "--elements=1000"});
  EXPECT_EQ(names_of(rows), kReferenceNames);
  EXPECT_EQ(rows[0].spec.block, (block_size{64, 1}));
  EXPECT_EQ(rows[0].spec.elements, 1000);
}

TEST(SuiteFlags, ListsOfBlocksAndSizesBecomePartOfTheName) {
  EXPECT_EQ(names_with({"--rows=contiguous/copy/f32", "--block=128,256"}),
            (names{"contiguous/copy/f32/block:128", "contiguous/copy/f32/block:256"}));
  EXPECT_EQ(names_with({"--rows=contiguous/copy/f32", "--elements=4Ki,5"}),
            (names{"contiguous/copy/f32/elements:4096", "contiguous/copy/f32/elements:5"}));
  EXPECT_EQ(names_with({"--rows=stride/read/u8/stride:3", "--elements=1,2", "--block=1,2"}),
            (names{"stride/read/u8/stride:3/block:1/elements:1",
                   "stride/read/u8/stride:3/block:2/elements:1",
                   "stride/read/u8/stride:3/block:1/elements:2",
                   "stride/read/u8/stride:3/block:2/elements:2"}));
}

TEST(SuiteFlags, AMoverHasNoBlocksAndStandsOnce) {
  EXPECT_EQ(names_with({"--rows=memcpy/copy/f32", "--block=128,256"}), names{"memcpy/copy/f32"});
  // Names as they are printed, with what they say of block and size.
  EXPECT_EQ(names_with({"--rows=contiguous/copy/f32/block:64/elements:8192/manual_time"}),
            names{"contiguous/copy/f32/block:64/elements:8192"});
}

TEST(SuiteFlags, RowsReplaceTheSuiteAndItsFlags) {
  EXPECT_EQ(names_with({"--rows=stride/copy/f32/stride:3,contiguous/read/u8", "--ops=write"}),
            (names{"stride/copy/f32/stride:3", "contiguous/read/u8"}));
  EXPECT_NE(refusal({"--rows=stride/copy/f32"}).find("stride takes"), std::string::npos);
}

TEST(SuiteFlags, BytesAreSharedOutByTheElementSize) {
  for (const suite_row& row : suite_of({"--bytes=4Ki"}))
    EXPECT_EQ(row.spec.elements, 4096 / size_of(row.spec.type)) << row.name;
}

TEST(SuiteFlags, ElementsAreOfEachRowsOwnType) {
  for (const suite_row& row : suite_of({"--elements=1000"}))
    EXPECT_EQ(row.spec.elements, 1000) << row.name;
}

TEST(SuiteFlags, BytesThatAreNoMultipleOfAnElementAreRefused) {
  EXPECT_EQ(refusal({"--bytes=24"}),
            "--bytes=24: is no multiple of the 16 bytes of an f32x4; take a multiple of 16, or "
            "--elements=");
  EXPECT_EQ(refusal({"--bytes=3", "--types=u8"}), "accepted");
  EXPECT_NE(refusal({"--bytes=3", "--types=u8,f16"}), "accepted");
  EXPECT_EQ(refusal({"--bytes=16"}), "accepted");
}

TEST(SuiteRows, HaveAPatternWhateverTheValues) {
  const std::vector<std::vector<std::string>> extremes{
      {},
      {"--strides=2147483647", "--chunks=2147483647"},
      {"--strides=1", "--chunks=1", "--elements=1"},
      {"--types=u8,f16,f32,f64,f32x4", "--ops=copy,gather,scatter,read,write"},
      {"--block=1,1024", "--elements=1,2Gi"},
      {"--bytes=3", "--types=u8"},
      {"--quick"}};
  for (const auto& flags : extremes) {
    const auto rows = suite_of(flags);
    ASSERT_FALSE(rows.empty());
    std::set<std::string> unique;
    for (const suite_row& row : rows) {
      ASSERT_NE(row.spec.pattern, nullptr) << row.name;
      EXPECT_TRUE(unique.insert(row.name).second) << row.name;
      EXPECT_EQ(row.spec.values.size(), row.spec.pattern->parameters.size()) << row.name;
      EXPECT_GE(row.spec.elements, 1) << row.name;
      const auto work = make_workload(row.spec);
      EXPECT_EQ(work->meaning().useful_bytes(), useful_bytes(row.spec)) << row.name;
    }
  }
}

TEST(QuickBuffer, OnAGpuIsFourTimesItsL2RoundedUp) {
  constexpr index_t kMiB = index_t{1} << 20;
  EXPECT_EQ(quick_buffer_bytes(true, 60 * kMiB), 256 * kMiB);  // H200
  EXPECT_EQ(quick_buffer_bytes(true, 4 * kMiB), 16 * kMiB);    // T4
  EXPECT_EQ(quick_buffer_bytes(true, 96 * kMiB), 512 * kMiB);
  EXPECT_EQ(quick_buffer_bytes(true, 64 * kMiB + 1), 512 * kMiB);
}

TEST(QuickBuffer, OnACpuOrWithoutAKnownL2IsFourMiFloats) {
  constexpr index_t kBytes = index_t{16} << 20;
  EXPECT_EQ(quick_buffer_bytes(false, index_t{512} << 20), kBytes);
  EXPECT_EQ(quick_buffer_bytes(false, 0), kBytes);
  EXPECT_EQ(quick_buffer_bytes(true, 0), kBytes);
}

}  // namespace
}  // namespace sectorbench
