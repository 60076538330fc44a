// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/cases/row.hpp"
#include "kernels/indexed.hpp"

/// @file
/// Index lists worth trying: with and without gaps and overlaps, within and over repetitions.

namespace sectorbench::test {

inline const std::vector<index_lists> kOneList{
    {{{{0, 1, 2, 3, 4, 5, 6, 7}, 8}}, 100},    // each element once
    {{{{0, 4, 8, 12, 16, 20}, 24}}, 50},       // gaps
    {{{{7, 3, 5}, 8}}, 111},                   // gaps, and one before the first
    {{{{0, 1, 2, 3}, 1}}, 77},                 // each repetition over most of the one before
    {{{{0, 0, 9}, 4}}, 33},                    // twice in one repetition
    {{{{5, 2, 5}, 0}}, 40},                    // always the same
    {{{{0, 99, 100, 101, 200}, 1}}, 300},      // a stencil
    {{{{11}, 3}}, 500},                        // one entry
    {{{{0, 2, 4, 6, 8, 10, 12}, 14}}, 64, 3},  // the dense side anew after 3
    {{{{3, 1, 0}, 2}}, 65, 1},                 // after each
};
inline const std::vector<index_lists> kTwoLists{
    {{{{0, 1, 2, 3}, 4}, {{3, 2, 1, 0}, 4}}, 100},
    {{{{0, 8, 16}, 1}, {{0, 1, 2}, 3}}, 90},
    {{{{1, 1}, 0}, {{0, 5}, 5}}, 60},  // overlapping stores
};

/// A row of lists, and the entry that makes it.
class list_row {
 public:
  list_row(const index_lists& lists, operation_kind operation, element_type type,
           block_size block = {}) {
    entry_.name = "indexed";
    entry_.make = indexed_maker(lists);
    row_.pattern = &entry_;
    row_.operation = operation;
    row_.type = type;
    row_.elements = lists.accesses();
    row_.block = block;
  }
  list_row(const list_row&) = delete;
  list_row& operator=(const list_row&) = delete;

  const row_spec& spec() const { return row_; }
  std::unique_ptr<workload> work() const { return make_workload(row_); }

 private:
  pattern_entry entry_;
  row_spec row_;
};

/// Calls `check(lists, operation)` with each list under each operation that it takes.
template <class Check>
void for_each_given_list(const Check& check) {
  using enum operation_kind;
  int number = 0;
  for (const auto& lists : kOneList) {
    SCOPED_TRACE("list " + std::to_string(number++));
    for (const operation_kind operation : {kGather, kRead, kScatter, kWrite})
      check(lists, operation);
  }
  for (const auto& lists : kTwoLists) {
    SCOPED_TRACE("list " + std::to_string(number++));
    check(lists, kCopy);
  }
}

}  // namespace sectorbench::test
