// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/row.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/support/text.hpp"
#include "test/support/pattern_cases.hpp"

namespace sectorbench {
namespace {

row_spec row_of(std::string_view name, index_t elements, block_size block = {}) {
  row_spec row = parse_row(name);
  row.elements = elements;
  row.block = block;
  return row;
}

// The message that `name` is refused with, or "accepted".
std::string refusal(std::string_view name) {
  try {
    parse_row(name);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "accepted";
}

std::vector<std::string> keys_of(const std::vector<row_spec>& rows) {
  std::vector<std::string> keys;
  for (const row_spec& row : rows) keys.push_back(row.key());
  return keys;
}

TEST(RowName, HasPatternOperationTypeAndParameters) {
  EXPECT_EQ(row_of("stride/gather/f64/stride:3", 10).name(), "stride/gather/f64/stride:3");
  EXPECT_EQ(row_of("contiguous/read/u8", 10).name(), "contiguous/read/u8");
  EXPECT_EQ(row_of("offset/copy/f16/loads:0/stores:2147483647", 1).name(),
            "offset/copy/f16/loads:0/stores:2147483647");
}

TEST(RowName, EveryRegisteredPatternReadsBackAsTheSameRow) {
  const auto cases = test::all_pattern_cases();
  ASSERT_FALSE(cases.empty());
  for (const auto& one : cases)
    for (const auto& [operation, operation_name] : kOperations)
      for (const auto& [type, type_name] : kElementTypes) {
        if (!one.offers(operation, type)) continue;
        const row_spec row = one.row(operation, type, 1000, {64, 1});
        const row_spec read = row_of(row.name(), 1000, {64, 1});
        EXPECT_EQ(read, row);
        EXPECT_EQ(read.pattern, one.pattern);
        EXPECT_EQ(read.values, one.values);
      }
}

TEST(RowKey, TellsSizesAndBlocksApart) {
  const row_spec row = row_of("stride/copy/f32/stride:3", 1000, {256, 1});
  EXPECT_EQ(row.key(), "stride/copy/f32/stride:3/elements:1000/block:256x1");
  EXPECT_FALSE(row == row_of("stride/copy/f32/stride:3", 1001, {256, 1}));
  EXPECT_FALSE(row == row_of("stride/copy/f32/stride:3", 1000, {128, 1}));
  EXPECT_FALSE(row == row_of("stride/copy/f32/stride:4", 1000, {256, 1}));
  EXPECT_FALSE(row == row_of("stride/read/f32/stride:3", 1000, {256, 1}));
  EXPECT_FALSE(row == row_of("stride/copy/f64/stride:3", 1000, {256, 1}));
}

TEST(RowKey, CoverageIsSharedByTypesAndNothingElse) {
  const std::string key = row_of("stride/copy/f32/stride:3", 1000).coverage_key();
  EXPECT_EQ(key, row_of("stride/copy/u8/stride:3", 1000).coverage_key());
  EXPECT_NE(key, row_of("stride/gather/f32/stride:3", 1000).coverage_key());
  EXPECT_NE(key, row_of("stride/copy/f32/stride:2", 1000).coverage_key());
  EXPECT_NE(key, row_of("stride/copy/f32/stride:3", 999).coverage_key());
  EXPECT_NE(key, row_of("stride/copy/f32/stride:3", 1000, {32, 1}).coverage_key());
}

TEST(RowBytes, SidesCountOnce) {
  EXPECT_EQ(row_of("contiguous/copy/f32", index_t{64} << 20).buffer_bytes(), 268'435'456);
  EXPECT_EQ(useful_bytes(row_of("contiguous/copy/f32", index_t{64} << 20)), 536'870'912);
  EXPECT_EQ(useful_bytes(row_of("stride/gather/f32/stride:8", index_t{64} << 20)), 536'870'912);
  EXPECT_EQ(useful_bytes(row_of("stride/scatter/f32/stride:8", index_t{64} << 20)), 536'870'912);
  EXPECT_EQ(useful_bytes(row_of("contiguous/read/f32", index_t{64} << 20)), 268'435'456);
  EXPECT_EQ(useful_bytes(row_of("contiguous/write/f32x4", 16)), 256);
}

TEST(RowParameters, AreFoundByName) {
  const row_spec row = row_of("offset/copy/f32/loads:3/stores:5", 10);
  EXPECT_EQ(parameter_value(row, "stores", -1), 5);
  EXPECT_EQ(parameter_value(row, "stride", -1), -1);
}

TEST(FindPattern, TakesOnlyValuesWithinBounds) {
  const auto found = [](std::string_view name, std::vector<index_t> values) {
    return find_pattern(name, values) != nullptr;
  };
  EXPECT_TRUE(found("stride", {2147483647}));
  EXPECT_FALSE(found("stride", {2147483648}));
  EXPECT_FALSE(found("stride", {0}));
  EXPECT_FALSE(found("stride", {}));
  EXPECT_FALSE(found("stride", {1, 1}));
  EXPECT_TRUE(found("unrolled", {8}));
  EXPECT_FALSE(found("unrolled", {3}));
  EXPECT_FALSE(found("strid", {1}));
}

TEST(ParseRow, UnknownPatternNamesANearOneAndAll) {
  const std::string text = refusal("strode/copy/f32/stride:1");
  EXPECT_TRUE(text.starts_with(
      "--rows=strode/copy/f32/stride:1: no pattern is called 'strode'; did you mean stride? "
      "known: active, add, aos, aos_all, aosoa, broadcast, chunk, compute, contiguous, "))
      << text;
  EXPECT_TRUE(text.ends_with("unrolled, wide")) << text;
}

TEST(ParseRow, UnknownOperationAndTypeAreNamed) {
  EXPECT_NE(refusal("stride/cpy/f32/stride:1").find("no operation is called 'cpy'"),
            std::string::npos);
  EXPECT_NE(refusal("stride/copy/f33/stride:1").find("no element type is called 'f33'"),
            std::string::npos);
}

TEST(ParseRow, TooFewPartsShowAnExample) {
  for (const char* name : {"", "stride", "stride/copy", "/"})
    EXPECT_NE(refusal(name).find("e.g. --rows=stride/copy/f32/stride:3"), std::string::npos)
        << name;
}

TEST(ParseRow, WrongValuesSayWhatThePatternTakes) {
  const std::string wanted = "stride takes stride:<1 to 2147483647>";
  for (const char* tail : {"", "/stride:0", "/stride:2147483648", "/stride:-1", "/stride:1x",
                           "/stride:", "/stride", "/step:1", "/stride:1/stride:2", "/stride: 1",
                           "/stride:+1", "/stride:99999999999999999999", "/", "/stride:1/"})
    EXPECT_EQ(refusal("stride/copy/f32" + std::string(tail)),
              "--rows=stride/copy/f32" + std::string(tail) + ": " + wanted);
  EXPECT_EQ(refusal("unrolled/copy/f32/unroll:3"),
            "--rows=unrolled/copy/f32/unroll:3: unrolled takes unroll:2 or unroll:4 or unroll:8");
  EXPECT_EQ(refusal("contiguous/copy/f32/stride:1"),
            "--rows=contiguous/copy/f32/stride:1: contiguous takes no parameters");
  EXPECT_EQ(refusal("offset/copy/f32/loads:1"),
            "--rows=offset/copy/f32/loads:1: offset takes "
            "loads:<0 to 2147483647>/stores:<0 to 2147483647>");
}

TEST(ParseRow, WhatAPatternDoesNotTakeIsRefusedWithWhatItTakes) {
  EXPECT_EQ(refusal("memcpy/copy/f64"), "accepted");
  EXPECT_EQ(refusal("transpose_wide/copy/f32/columns:256/v:2"),
            "--rows=transpose_wide/copy/f32/columns:256/v:2: transpose_wide takes no f32; it takes "
            "f64; f32 goes with v:4");
  EXPECT_EQ(refusal("memcpy/read/f64"),
            "--rows=memcpy/read/f64: memcpy takes no read; it takes copy");
  EXPECT_EQ(refusal("broadcast/scatter/f32/share:8"),
            "--rows=broadcast/scatter/f32/share:8: broadcast takes no scatter; it takes gather, "
            "read");
  EXPECT_EQ(refusal("soa/copy/u8/fields:3"),
            "--rows=soa/copy/u8/fields:3: soa takes no u8; it takes f32, f64");
}

// ---- References

TEST(StrideOne, KeepsOperationTypeSizeAndBlock) {
  EXPECT_EQ(stride_one_of(row_of("chunk/gather/f64/chunk:4", 1000, {128, 1})).key(),
            "stride/gather/f64/stride:1/elements:1000/block:128x1");
  EXPECT_EQ(stride_one_of(row_of("memcpy/copy/u8", 7)).key(),
            "stride/copy/u8/stride:1/elements:7/block:256x1");
  const row_spec itself = row_of("stride/copy/f32/stride:1", 7);
  EXPECT_EQ(stride_one_of(itself), itself);
}

TEST(Ceiling, OfACopyIsTheBestOfThreeAtTheSameBytes) {
  for (const char* name :
       {"stride/copy/f32/stride:32", "stride/gather/f32/stride:8", "chunk/scatter/f32/chunk:2"})
    EXPECT_EQ(
        keys_of(ceiling_of(row_of(name, index_t{64} << 20, {64, 1}))),
        (std::vector<std::string>{"memcpy/copy/f32/elements:67108864/block:256x1",
                                  "contiguous/copy/f32x4/elements:16777216/block:256x1",
                                  "unrolled/copy/f32/unroll:4/elements:67108864/block:256x1"}))
        << name;
}

TEST(Ceiling, ReadAndWriteHaveTheirOwn) {
  EXPECT_EQ(keys_of(ceiling_of(row_of("stride/read/f64/stride:3", 1000))),
            (std::vector<std::string>{"contiguous/read/f32x4/elements:500/block:256x1",
                                      "unrolled/read/f32/unroll:4/elements:2000/block:256x1"}));
  EXPECT_EQ(keys_of(ceiling_of(row_of("contiguous/write/f32x4", 8))),
            (std::vector<std::string>{"memset/write/f32/elements:32/block:256x1",
                                      "contiguous/write/f32x4/elements:8/block:256x1",
                                      "unrolled/write/f32/unroll:4/elements:32/block:256x1"}));
}

TEST(Ceiling, BytesThatAreNoWordsStillHaveOne) {
  EXPECT_EQ(keys_of(ceiling_of(row_of("contiguous/copy/u8", 3))),
            (std::vector<std::string>{"memcpy/copy/u8/elements:3/block:256x1"}));
  EXPECT_EQ(keys_of(ceiling_of(row_of("contiguous/read/u8", 3))),
            (std::vector<std::string>{"unrolled/read/u8/unroll:8/elements:3/block:256x1"}));
  EXPECT_EQ(keys_of(ceiling_of(row_of("contiguous/write/f16", 3))),
            (std::vector<std::string>{"memset/write/u8/elements:6/block:256x1"}));
}

TEST(References, ExistAndMoveTheSameBytesWhateverTheRow) {
  const auto cases = test::all_pattern_cases();
  ASSERT_FALSE(cases.empty());
  for (const auto& one : cases)
    for (const auto& [operation, operation_name] : kOperations)
      for (const auto& [type, type_name] : kElementTypes)
        for (const index_t n : {1, 2, 3, 4, 5, 8, 15, 16, 17, 1000, 4097}) {
          if (!one.offers(operation, type)) continue;
          const row_spec row = one.row(operation, type, n, {100, 1});
          std::vector<row_spec> references = ceiling_of(row);
          ASSERT_FALSE(references.empty()) << row.key();
          references.push_back(stride_one_of(row));
          for (const row_spec& reference : references) {
            ASSERT_NE(reference.pattern, nullptr) << row.key();
            EXPECT_EQ(reference.buffer_bytes(), row.buffer_bytes()) << row.key();
            const int sides = int{loads_elements(operation)} + int{stores_elements(operation)};
            EXPECT_EQ(useful_bytes(reference), row.buffer_bytes() * sides) << row.key();
            EXPECT_GE(reference.elements, 1) << row.key();
          }
        }
}

}  // namespace
}  // namespace sectorbench
