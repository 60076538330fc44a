// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "bench/cases/indexed.hpp"
#include "bench/cases/row_list.hpp"
#include "bench/cases/suite.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

constexpr const char* kSuite = R"([
  {"kernel": "Gather", "pattern": "UNIFORM:8:4:NR", "count": 1000},
  {"kernel": "Scatter", "pattern": "UNIFORM:8:4:NR", "count": 1000},
  {"name": "mesh", "kernel": "GS", "pattern-gather": [0, 9], "pattern-scatter": [1, 0],
   "delta-scatter": 2, "count": 50},
  {"pattern": "UNIFORM:8:4", "delta": 1, "count": 7}])";

std::vector<std::string> names_of(const std::vector<suite_row>& rows) {
  std::vector<std::string> names;
  for (const suite_row& row : rows) names.push_back(row.name);
  return names;
}

class IndexedRows : public testing::Test {
 protected:
  IndexedRows() { wanted_.indexed = "folder/s.json"; }

  std::vector<suite_row> rows() const { return make_suite(wanted_, {.indexed = lists_.entries()}); }
  static std::string refusal_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const usage_error& error) {
      return error.what();
    }
    return "accepted";
  }

  indexed_patterns lists_{parse_spatter_json(kSuite, "s.json")};
  options wanted_;
};

TEST_F(IndexedRows, AreWhatTheKernelsDoOfDoubles) {
  EXPECT_EQ(names_of(rows()), (std::vector<std::string>{
                                  "indexed:uniform:8:4:nr/gather/f64/delta:32/count:1000",
                                  "indexed:uniform:8:4:nr/scatter/f64/delta:32/count:1000",
                                  "indexed:mesh/copy/f64/delta_gather:8/delta_scatter:2/count:50",
                                  "indexed:uniform:8:4/gather/f64/delta:1/count:7",
                              }));
  EXPECT_EQ(rows()[0].spec.elements, 8000);
  EXPECT_EQ(rows()[2].spec.elements, 100);
  EXPECT_EQ(useful_bytes(rows()[2].spec), 100 * 8 * 2);
}

TEST_F(IndexedRows, TypesOperationsAndBlocksAreTheFlags) {
  wanted_.types = {element_type::kF32, element_type::kU8};
  wanted_.ops = {operation_kind::kRead, operation_kind::kCopy};
  wanted_.blocks = {{64, 1}};
  EXPECT_EQ(names_of(rows()), (std::vector<std::string>{
                                  "indexed:uniform:8:4:nr/read/f32/delta:32/count:1000",
                                  "indexed:uniform:8:4:nr/read/u8/delta:32/count:1000",
                                  "indexed:mesh/copy/f32/delta_gather:8/delta_scatter:2/count:50",
                                  "indexed:mesh/copy/u8/delta_gather:8/delta_scatter:2/count:50",
                                  "indexed:uniform:8:4/read/f32/delta:1/count:7",
                                  "indexed:uniform:8:4/read/u8/delta:1/count:7",
                              }));
  EXPECT_EQ(rows()[0].spec.block, (block_size{64, 1}));
}

TEST_F(IndexedRows, SizesAndForeignOperationsAreRefused) {
  wanted_.bytes = 1 << 20;
  EXPECT_EQ(refusal_of([&] { rows(); }),
            "--bytes: indexed:uniform:8:4:nr has the size that its list and count say; leave the "
            "flag out");
  wanted_.bytes.reset();
  wanted_.elements = {5};
  EXPECT_EQ(refusal_of([&] { rows(); }).find("--elements: indexed:uniform:8:4:nr has the size"),
            0u);
  wanted_.elements.clear();
  const indexed_patterns gather({parse_spatter("UNIFORM:8:4")});
  wanted_.ops = {operation_kind::kCopy};
  EXPECT_EQ(refusal_of([&] { make_suite(wanted_, {.indexed = gather.entries()}); }),
            "--ops: none of these for the lists of --indexed; Gather takes gather and read, "
            "Scatter takes scatter and write, GS takes copy");
}

TEST_F(IndexedRows, NamesFindThemWhileTheListsAreThere) {
  for (const suite_row& row : rows()) {
    const row_spec found = parse_row(row.name + "/manual_time");
    EXPECT_EQ(found.pattern, row.spec.pattern) << row.name;
    EXPECT_EQ(found.name(), row.name);
  }
  const std::string other = "indexed:brief/gather/f64/delta:8/count:1024";
  {
    const indexed_patterns brief({parse_spatter("-p 0 -n brief")});
    EXPECT_EQ(parse_row(other).name(), other);
  }
  EXPECT_NE(refusal_of([&] { parse_row(other); }).find("no pattern is called 'indexed:brief'"),
            std::string::npos);
  for (const pattern_entry& entry : registered_patterns())
    EXPECT_FALSE(entry.name.starts_with("indexed")) << "would be in every suite";
}

TEST_F(IndexedRows, StandInListsOfRowsWithoutASize) {
  const std::string name = rows()[0].name;
  const auto listed = parse_row_list(name + "\nstride/copy/f32/stride:3/elements:9\n", "rows.txt");
  wanted_.suite = suite_kind::kFile;
  wanted_.suite_file = "rows.txt";
  const auto both = make_suite(wanted_, {.listed = listed, .indexed = lists_.entries()});
  EXPECT_EQ(names_of(both),
            (std::vector<std::string>{name, "stride/copy/f32/stride:3/elements:9"}));
  EXPECT_EQ(both[0].spec.elements, 8000);
  EXPECT_EQ(refusal_of([&] { parse_row_list(name + "/elements:4", "rows.txt"); }),
            "rows.txt:1: " + name +
                "/elements:4: its list and count say its size: leave /elements:4 out");
}

TEST_F(IndexedRows, TheRecordSaysWhereTheyComeFrom) {
  std::vector<std::pair<std::string, std::string>> facts{
      {"suite", ""}, {"buffer_bytes", ""}, {"elements", ""}, {"block", "256"}};
  record_suite(wanted_, rows(), facts);
  EXPECT_EQ(facts[0].second, "indexed:s.json");
  EXPECT_EQ(facts[1].second, "as the index lists say");
  EXPECT_EQ(facts[2].second, "length x count of each list");
  EXPECT_EQ(facts[3].second, "256");
  wanted_.indexed = "-k Scatter -p UNIFORM:8:4 -n a/b";
  EXPECT_EQ(suite_text(wanted_), "indexed:-k Scatter -p UNIFORM:8:4 -n a/b");
}

}  // namespace
}  // namespace sectorbench
