// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cases/row.hpp"

/// @file
/// Every registered pattern with values worth trying, and what threads and elements have to do with
/// each other, written a second time: with divisions, and with no regard to speed.

namespace sectorbench::test {

/// A registered pattern with one value per parameter.
struct pattern_case {
  const pattern_entry* pattern = nullptr;
  std::vector<index_t> values;

  bool offers(operation_kind operation, element_type type) const {
    return pattern->offers(operation) && pattern->offers(type);
  }

  row_spec row(operation_kind operation, element_type type, index_t n, block_size block) const {
    row_spec row;
    row.pattern = pattern;
    row.operation = operation;
    row.type = type;
    row.values = values;
    row.elements = n;
    row.block = block;
    return row;
  }
};

/// The values to try for one parameter. A parameter that is new here is tried at its lowest values
/// and around its typical one.
inline std::vector<index_t> values_to_try(std::string_view pattern, const parameter_spec& spec) {
  static const std::map<std::string_view, std::vector<index_t>> kOdd{
      {"stride", {1, 2, 3, 7, 8, 32, 300, 70000}},
      {"reordered", {1, 3, 256, 4096}},
      {"chunk", {1, 2, 3, 32, 1000}},
      {"grid_loop", {1, 2, 3, 1000}},
      {"offset", {0, 1, 7, 8}},
      {"active", {1, 2, 31, 32}},
      {"aos", {0, 1, 2, 12}},
      {"pitch", {1, 7, 100, 128}},
      {"pitch_swapped", {1, 7, 100, 128}},
      {"transpose_wide", {8, 16, 32}},
      {"wide", {0, 16}},
  };
  std::vector<index_t> values;
  if (pattern != "transpose_wide" || spec.lowest == spec.highest) values.push_back(spec.typical);
  if (const auto odd = kOdd.find(pattern); odd != kOdd.end())
    values.insert(values.end(), odd->second.begin(), odd->second.end());
  else
    values.insert(values.end(), {spec.lowest, spec.lowest + 1, spec.lowest + 2, spec.typical + 1});
  std::erase_if(values, [&](index_t v) { return v < spec.lowest || v > spec.highest; });
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Every registered pattern (movers aside) with every combination of values to try.
inline std::vector<pattern_case> all_pattern_cases() {
  std::vector<pattern_case> cases;
  for (const pattern_entry& pattern : registered_patterns()) {
    if (pattern.mover) continue;
    std::vector<std::vector<index_t>> combinations{{}};
    for (const parameter_spec& spec : pattern.parameters) {
      std::vector<std::vector<index_t>> longer;
      for (const auto& start : combinations)
        for (const index_t value : values_to_try(pattern.name, spec)) {
          longer.push_back(start);
          longer.back().push_back(value);
        }
      combinations = longer;
    }
    for (auto& values : combinations) {
      // What a pattern changes to something smaller is tried by itself.
      if (pattern.name == "aos" && values[1] >= values[0]) continue;
      cases.push_back({&pattern, std::move(values)});
    }
  }
  return cases;
}

/// "stride/stride:8" as a name that GoogleTest takes: "stride_stride8".
inline std::string identifier_of(const pattern_case& one) {
  std::string text(one.pattern->name);
  for (std::size_t i = 0; i < one.values.size(); ++i)
    text.append("_").append(one.pattern->parameters[i].name).append(std::to_string(one.values[i]));
  return text;
}

inline void PrintTo(const pattern_case& one, std::ostream* out) { *out << identifier_of(one); }

/// Patterns for which `expected_order` and `expected_elements` know the answer.
inline bool is_described_here(std::string_view pattern) {
  constexpr std::string_view kDescribed[] = {"active",     "aos_all",   "aosoa",  "chunk",
                                             "contiguous", "grid_loop", "offset", "reverse",
                                             "shuffle",    "soa",       "stride", "unrolled"};
  return std::find(std::begin(kDescribed), std::end(kDescribed), pattern) != std::end(kDescribed);
}

/// The element that thread `i` of a shuffle moves.
inline index_t shuffled(const pattern_case& one, index_t n, index_t i) {
  const index_t lane = i % 32, first = i - lane;
  if (first + 32 > n) return i;
  if (one.values[0] == 2) return first + (13 * lane + 7) % 32;
  index_t reversed = 0;
  for (index_t bit = 1, place = 16; bit < 32; bit *= 2, place /= 2)
    if (lane / bit % 2 == 1) reversed += place;
  return first + reversed;
}

/// The elements in dense order: the k-th one is what `gather` stores at k and `scatter` loads
/// there. By sorting, for the patterns that reorder at all.
inline std::vector<index_t> expected_order(const pattern_case& one, index_t n) {
  std::vector<index_t> order;
  for (index_t i = 0; i < n; ++i) order.push_back(i);
  const std::string_view name = one.pattern->name;
  if (name == "reverse") std::reverse(order.begin(), order.end());
  if (name == "shuffle")
    for (index_t i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = shuffled(one, n, i);
  if (name == "stride" || name == "chunk" || name == "aos_all") {
    const index_t step = one.values[0];
    std::stable_sort(order.begin(), order.end(),
                     [&](index_t a, index_t b) { return a % step < b % step; });
  }
  return order;
}

/// The elements that one thread of a launch in blocks of `block` threads visits, one by one.
/// `thread` counts block by block.
inline std::vector<index_t> expected_elements(const pattern_case& one, index_t n, index_t block,
                                              index_t thread) {
  const std::string_view name = one.pattern->name;
  std::vector<index_t> elements;
  const auto visit = [&](index_t element) {
    if (element < n) elements.push_back(element);
  };
  if (name == "stride") {
    const index_t step = one.values[0];
    const index_t longest_row = n / step + (n % step != 0);
    const index_t row_threads = (longest_row + block - 1) / block * block;
    const index_t row = thread / row_threads, column = thread % row_threads;
    if (row < step) visit(row + column * step);
  } else if (name == "chunk") {
    for (index_t k = 0; k < one.values[0]; ++k) visit(thread * one.values[0] + k);
  } else if (name == "unrolled") {
    const index_t k = one.values[0];
    for (index_t i = 0; i < k; ++i) visit(thread / block * block * k + thread % block + i * block);
  } else if (name == "grid_loop") {
    const index_t steps = one.values[0];
    const index_t threads = ((n + steps - 1) / steps + block - 1) / block * block;
    for (index_t k = 0; k < steps; ++k) visit(thread + k * threads);
  } else if (name == "reverse") {
    if (thread < n) visit(n - 1 - thread);
  } else if (name == "shuffle") {
    if (thread < n) visit(shuffled(one, n, thread));
  } else if (name == "active") {
    if (thread % 32 < one.values[0]) visit(thread / 32 * one.values[0] + thread % 32);
  } else if (name == "aos_all") {
    for (index_t f = 0; f < one.values[0]; ++f) visit(thread * one.values[0] + f);
  } else if (name == "soa") {
    // Array after array, the first ones one longer where n is no multiple.
    for (index_t f = 0, start = 0; f < one.values[0]; ++f) {
      const index_t length = n / one.values[0] + (f < n % one.values[0] ? 1 : 0);
      if (thread < length) visit(start + thread);
      start += length;
    }
  } else if (name == "aosoa") {
    for (index_t f = 0; f < one.values[0]; ++f)
      visit(thread / 32 * 32 * one.values[0] + 32 * f + thread % 32);
  } else {
    visit(thread);
  }
  return elements;
}

}  // namespace sectorbench::test
