// SPDX-License-Identifier: Apache-2.0
#include "bench/suite.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "bench/text.hpp"

namespace sectorbench {
namespace {

using enum operation_kind;
using enum element_type;

/// Rows that differ in operation, type or values only.
struct entry {
  std::string_view pattern;
  std::vector<operation_kind> operations;
  std::vector<element_type> types;
  std::vector<std::vector<index_t>> values;
};

std::vector<entry> reference_entries() {
  return {{"stride", {kCopy}, {kF32}, {{1}, {2}, {4}, {8}, {16}, {32}}},
          {"chunk", {kCopy}, {kF32}, {{32}}}};
}

std::vector<entry> default_entries() {
  std::vector<entry> entries{
      {"memcpy", {kCopy}, {kF32}, {{}}},     {"contiguous", {kCopy}, {kF32x4}, {{}}},
      {"unrolled", {kCopy}, {kF32}, {{4}}},  {"contiguous", {kRead}, {kF32x4}, {{}}},
      {"unrolled", {kRead}, {kF32}, {{4}}},  {"contiguous", {kWrite}, {kF32x4}, {{}}},
      {"unrolled", {kWrite}, {kF32}, {{4}}},
  };
  std::ranges::move(reference_entries(), std::back_inserter(entries));
  entries.push_back({"stride", {kGather, kScatter}, {kF32}, {{1}, {8}, {32}}});
  entries.push_back({"random", {kGather, kScatter}, {kF32}, {{}}});
  entries.push_back({"contiguous", {kCopy}, {kU8, kF16, kF32, kF64}, {{}}});
  entries.push_back({"offset", {kCopy}, {kF32}, {{0, 0}, {1, 1}, {8, 8}}});
  entries.push_back({"grid_loop", {kCopy}, {kF32}, {{8}}});
  // Patterns that the list above does not name come with the values that they call typical.
  std::set<std::string_view> named;
  for (const entry& e : entries) named.insert(e.pattern);
  for (const pattern_entry& pattern : registered_patterns()) {
    if (!named.insert(pattern.name).second) continue;
    std::vector<index_t> typical;
    for (const parameter_spec& spec : pattern.parameters) typical.push_back(spec.typical);
    entries.push_back({pattern.name, {kCopy}, {kF32}, {typical}});
  }
  return entries;
}

std::vector<std::vector<index_t>> single_values(const std::vector<std::int64_t>& list) {
  std::vector<std::vector<index_t>> values;
  for (const index_t value : list) values.push_back({value});
  return values;
}

/// Replaces the axes that flags name.
void apply(const options& wanted, entry& e) {
  if (!wanted.ops.empty()) e.operations = wanted.ops;
  if (!wanted.types.empty()) e.types = wanted.types;
  if (e.pattern == "stride" && !wanted.strides.empty()) e.values = single_values(wanted.strides);
  if (e.pattern == "chunk" && !wanted.chunks.empty()) e.values = single_values(wanted.chunks);
}

/// The element counts to measure a row of `type` at.
std::vector<index_t> sizes_of(const options& wanted, index_t default_bytes, element_type type) {
  if (!wanted.elements.empty()) return wanted.elements;
  const index_t bytes = wanted.bytes.value_or(default_bytes);
  if (bytes % size_of(type) != 0)
    throw usage_error("--bytes=" + std::to_string(bytes) + ": is no multiple of the " +
                      std::to_string(size_of(type)) + " bytes of an " + std::string(name_of(type)) +
                      "; take a multiple of 16, or --elements=");
  return {bytes / size_of(type)};
}

}  // namespace

index_t quick_buffer_bytes(bool on_gpu, index_t l2_bytes) {
  constexpr index_t kCpuBytes = (index_t{4} << 20) * 4;
  if (!on_gpu || l2_bytes <= 0) return kCpuBytes;
  return static_cast<index_t>(std::bit_ceil(static_cast<std::uint64_t>(4 * l2_bytes)));
}

std::vector<suite_row> make_suite(const options& wanted, index_t default_bytes) {
  std::vector<row_spec> specs;
  if (wanted.rows.empty()) {
    auto entries = wanted.suite == suite_kind::kReference ? reference_entries() : default_entries();
    for (entry& e : entries) {
      apply(wanted, e);
      for (const operation_kind operation : e.operations)
        for (const element_type type : e.types)
          for (const std::vector<index_t>& values : e.values) {
            row_spec spec;
            spec.pattern = find_pattern(e.pattern, values);
            spec.operation = operation;
            spec.type = type;
            spec.values = values;
            if (spec.pattern->mover && operation != kCopy) continue;
            specs.push_back(spec);
          }
    }
  } else {
    for (const std::string& name : wanted.rows) specs.push_back(parse_row(name));
  }

  std::vector<unsigned> blocks = wanted.blocks;
  if (blocks.empty()) blocks.push_back(block_size{}.x);
  std::vector<suite_row> rows;
  std::set<std::string> seen;
  for (row_spec& spec : specs)
    for (const index_t elements : sizes_of(wanted, default_bytes, spec.type))
      for (const unsigned block : blocks) {
        spec.elements = elements;
        spec.block = {block, 1};
        std::string name = spec.name();
        // A mover has no blocks: it stands once.
        if (blocks.size() > 1 && !spec.pattern->mover) name += "/block:" + std::to_string(block);
        if (wanted.elements.size() > 1) name += "/elements:" + std::to_string(elements);
        if (seen.insert(name).second) rows.push_back({spec, name});
      }
  return rows;
}

}  // namespace sectorbench
