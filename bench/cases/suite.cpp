// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/suite.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include "bench/support/block.hpp"
#include "bench/support/text.hpp"
#include "kernels/own_kernel.hpp"

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
  std::vector<block_size> blocks{};  ///< of the suite itself; none: flags decide
};

/// The steps at which the work of `compute` is looked at: coalesced, a sector and a line a lane.
std::vector<std::vector<index_t>> compute_values(const std::vector<std::int64_t>& multiply_adds) {
  std::vector<std::vector<index_t>> values;
  for (const index_t step : {1, 8, 32})
    for (const index_t fma : multiply_adds) values.push_back({step, fma});
  return values;
}

std::vector<entry> reference_entries() {
  return {{"stride", {kCopy}, {kF32}, {{1}, {2}, {4}, {8}, {16}, {32}}},
          {"chunk", {kCopy}, {kF32}, {{32}}}};
}

/// What serves the rows of every suite as their ceiling.
std::vector<entry> ceiling_entries() {
  return {
      {"memcpy", {kCopy}, {kF32}, {{}}},        {"contiguous", {kCopy}, {kF32x4}, {{}}},
      {"unrolled", {kCopy}, {kF32}, {{4}}},     {"contiguous", {kRead}, {kF32x4}, {{}}},
      {"unrolled", {kRead}, {kF32}, {{4}}},     {"memset", {kWrite}, {kF32}, {{}}},
      {"contiguous", {kWrite}, {kF32x4}, {{}}}, {"unrolled", {kWrite}, {kF32}, {{4}}},
  };
}

std::vector<index_t> typical_values(const pattern_entry& pattern) {
  std::vector<index_t> values;
  for (const parameter_spec& spec : pattern.parameters) values.push_back(spec.typical);
  return values;
}

/// A pattern's row of the default suite.
entry typical_entry(const pattern_entry& pattern) {
  const operation_kind operation = pattern.offers(kCopy) ? kCopy : pattern.operations.front();
  const element_type type = pattern.offers(kF32) ? kF32 : pattern.types.front();
  return {pattern.name, {operation}, {type}, {typical_values(pattern)}};
}

std::vector<entry> default_entries() {
  std::vector<entry> entries = ceiling_entries();
  std::ranges::move(reference_entries(), std::back_inserter(entries));
  entries.push_back({"stride", {kGather, kScatter}, {kF32}, {{1}, {8}, {32}}});
  entries.push_back({"random", {kGather, kScatter}, {kF32}, {{}}});
  entries.push_back({"contiguous", {kCopy}, {kU8, kF16, kF32, kF64}, {{}}});
  entries.push_back({"offset", {kCopy}, {kF32}, {{0, 0}, {1, 1}, {8, 8}}});
  entries.push_back({"grid_loop", {kCopy}, {kF32}, {{8}}});
  entries.push_back({"wide", {kCopy}, {kF32}, {{0, 2}, {0, 4}}});
  entries.push_back({"transpose_wide", {kCopy}, {kF32}, {{4096, 4}}});
  // Patterns that the list above does not name come with the values that they call typical.
  // The one that only serves --why is left to it and to the full suite.
  std::set<std::string_view> named{"reordered"};
  for (const entry& e : entries) named.insert(e.pattern);
  for (const pattern_entry& pattern : registered_patterns()) {
    if (named.insert(pattern.name).second) entries.push_back(typical_entry(pattern));
  }
  return entries;
}

/// The values at which --suite=full takes a pattern: a curve for stride and chunk; of others those
/// of the default suite and the typical ones of each entry.
std::vector<std::vector<index_t>> full_values(std::string_view name,
                                              const std::vector<entry>& defaults) {
  if (name == "stride") return {{1}, {2}, {4}, {8}, {16}, {32}, {64}, {128}};
  if (name == "chunk") return {{1}, {2}, {4}, {8}, {16}, {32}};
  if (name == "compute") return compute_values({1, 4, 16, 64, 256, kBalance});
  std::vector<std::vector<index_t>> values;
  const auto add = [&](const std::vector<index_t>& one) {
    if (std::ranges::find(values, one) == values.end()) values.push_back(one);
  };
  for (const entry& e : defaults)
    if (e.pattern == name) std::ranges::for_each(e.values, add);
  for (const pattern_entry& pattern : registered_patterns())
    if (pattern.name == name) add(typical_values(pattern));
  // Also off the line, by one access, and by one element, which cannot be.
  if (name == "wide")
    for (const std::vector<index_t>& one : {std::vector<index_t>{2, 2}, {4, 4}, {1, 4}}) add(one);
  std::ranges::sort(values);
  return values;
}

std::vector<entry> full_entries() {
  const std::vector<entry> defaults = default_entries();
  std::vector<operation_kind> operations;
  for (const auto& [operation, name] : kOperations) operations.push_back(operation);
  std::vector<element_type> types;
  for (const auto& [type, name] : kElementTypes) types.push_back(type);
  std::vector<entry> entries = ceiling_entries();
  const auto add = [&](std::string_view pattern, const std::vector<element_type>& of) {
    entries.push_back({pattern, operations, of, full_values(pattern, defaults)});
  };
  add("stride", types);  // the rows that others are fractions of
  // A mover moves the same bytes whatever they are called.
  for (const pattern_entry& pattern : registered_patterns())
    add(pattern.name, pattern.mover ? std::vector{kF32} : types);
  add("pitch", types);  // its block's shape decides which threads are a warp
  entries.back().blocks = {{32, 8}, {16, 16}, {8, 32}};
  return entries;
}

std::vector<entry> health_entries() {
  return {{"memcpy", {kCopy}, {kF32}, {{}}},
          {"contiguous", {kRead, kWrite}, {kF32x4}, {{}}},
          {"stride", {kCopy}, {kF32}, {{1}, {8}, {32}}},
          {"random", {kGather}, {kF32}, {{}}}};
}

std::vector<entry> sweep_entries() {
  return {{"contiguous", {kCopy}, {kF32}, {{}}}, {"stride", {kCopy}, {kF32}, {{8}}}};
}

std::vector<entry> entries_of(suite_kind suite) {
  switch (suite) {
    case suite_kind::kReference:
      return reference_entries();
    case suite_kind::kFull:
      return full_entries();
    case suite_kind::kHealth:
      return health_entries();
    case suite_kind::kSweep:
      return sweep_entries();
    case suite_kind::kFile:
      return {};  // has rows instead
    case suite_kind::kDefault:
    case suite_kind::kQuick:
      break;
  }
  return default_entries();
}

/// Whether the suite has the kernels of the program's author. They come last: one that hangs or
/// breaks the device takes no other row with it.
bool runs_own_kernels(suite_kind suite) {
  return suite == suite_kind::kDefault || suite == suite_kind::kQuick || suite == suite_kind::kFull;
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
  if (e.pattern == "compute" && !wanted.flops.empty()) e.values = compute_values(wanted.flops);
}

/// The element counts to measure a row at.
std::vector<index_t> sizes_of(const options& wanted, index_t default_bytes, const row_spec& row) {
  const pattern_entry& pattern = *row.pattern;
  const element_type type = row.type;
  if (pattern.own != nullptr) return {row.elements};  // its kernel says so
  if (pattern.elements > 0) {
    if (!wanted.elements.empty() || wanted.bytes)
      throw usage_error((wanted.bytes ? "--bytes: " : "--elements: ") + std::string(pattern.name) +
                        " has the size that its list and count say; leave the flag out");
    return {pattern.elements};
  }
  if (!wanted.elements.empty()) return wanted.elements;
  const index_t bytes = wanted.bytes.value_or(default_bytes);
  if (bytes % size_of(type) != 0)
    throw usage_error("--bytes=" + std::to_string(bytes) + ": is no multiple of the " +
                      std::to_string(size_of(type)) + " bytes of an " + std::string(name_of(type)) +
                      "; take a multiple of 16, or --elements=");
  return {bytes / size_of(type)};
}

/// A row and what the suite itself says of its sizes and blocks; else flags decide.
struct planned_row {
  row_spec spec;
  std::vector<index_t> sizes{};      ///< in elements; then they are part of the name
  std::vector<block_size> blocks{};  ///< then they are part of the name
};

/// Puts in as many multiply-adds as the device does while it moves an element, where the values ask
/// for that; false if it is not known.
bool resolve_balance(std::string_view pattern, element_type type, double flops_per_byte,
                     std::vector<index_t>& values) {
  if (pattern != "compute" || values[1] != kBalance) return true;
  // A multiply-add is two operations; an element is loaded and stored.
  values[1] = std::max<index_t>(1, std::llround(size_of(type) * flops_per_byte));
  return flops_per_byte > 0;
}

/// The rows of the entries, sizes left to the flags.
std::vector<planned_row> rows_of(const options& wanted, const suite_setting& setting,
                                 std::vector<entry> entries) {
  std::vector<planned_row> rows;
  for (entry& e : entries) {
    apply(wanted, e);
    for (const operation_kind operation : e.operations)
      for (const element_type type : e.types)
        for (std::vector<index_t> values : e.values) {
          if (!resolve_balance(e.pattern, type, setting.flops_per_byte, values)) {
            if (wanted.flops.empty()) continue;
            throw usage_error(
                "--flops=balance: the peak of this device's arithmetic or memory is not known; "
                "give a number");
          }
          row_spec spec;
          spec.pattern = find_pattern(e.pattern, values);
          spec.operation = operation;
          spec.type = type;
          spec.values = values;
          if (!spec.pattern->offers(operation) || !spec.pattern->offers(type)) continue;
          rows.push_back({spec, {}, wanted.blocks.empty() ? e.blocks : std::vector<block_size>{}});
        }
  }
  return rows;
}

/// Rows of index lists: what their kernels do, of doubles, unless flags say otherwise.
std::vector<planned_row> rows_of_lists(const options& wanted,
                                       std::span<const pattern_entry> patterns) {
  std::vector<planned_row> rows;
  for (const pattern_entry& pattern : patterns)
    for (const operation_kind operation :
         wanted.ops.empty() ? std::vector{pattern.operations.front()} : wanted.ops)
      for (const element_type type : wanted.types.empty() ? std::vector{kF64} : wanted.types) {
        if (!pattern.offers(operation)) continue;
        row_spec spec;
        spec.pattern = &pattern;
        spec.operation = operation;
        spec.type = type;
        spec.values = typical_values(pattern);
        rows.push_back({spec});
      }
  if (rows.empty())
    throw usage_error(
        "--ops: none of these for the lists of --indexed; Gather takes gather and read, Scatter "
        "takes scatter and write, GS takes copy");
  return rows;
}

/// The typical rows of the author's patterns, each form of one, after their ceilings.
std::vector<planned_row> rows_of_author(const options& wanted, const suite_setting& setting) {
  std::vector<entry> entries;
  for (const pattern_entry& pattern : registered_patterns())
    if (pattern.by_author()) entries.push_back(typical_entry(pattern));
  const std::vector<planned_row> own = rows_of(wanted, setting, std::move(entries));
  std::vector<planned_row> rows;
  for (const planned_row& ceiling : rows_of(wanted, setting, ceiling_entries()))
    if (std::ranges::any_of(own, [&](const planned_row& row) {
          row_spec sized = row.spec;
          sized.elements = kDefaultBufferBytes / size_of(sized.type);
          return std::ranges::any_of(ceiling_of(sized), [&](const row_spec& one) {
            return one.name() == ceiling.spec.name();
          });
        }))
      rows.push_back(ceiling);
  std::ranges::copy(own, std::back_inserter(rows));
  return rows;
}

std::vector<planned_row> planned_rows(const options& wanted, const suite_setting& setting) {
  std::vector<planned_row> rows;
  const auto add = [&](const listed_row& row) {
    rows.push_back({row.spec});
    if (row.elements) rows.back().sizes.push_back(*row.elements);
    if (row.block) rows.back().blocks.push_back(*row.block);
  };
  if (!wanted.rows.empty()) {
    for (const std::string& name : wanted.rows) add(parse_listed_row(name));
    return rows;
  }
  if (runs_given_lists(wanted)) return rows_of_lists(wanted, setting.indexed);
  std::ranges::for_each(setting.listed, add);
  const bool is_default =
      wanted.suite == suite_kind::kDefault || wanted.suite == suite_kind::kQuick;
  std::ranges::move(is_default && has_own_rows() && !setting.of_all
                        ? rows_of_author(wanted, setting)
                        : rows_of(wanted, setting, entries_of(wanted.suite)),
                    std::back_inserter(rows));
  if (runs_own_kernels(wanted.suite))
    for (const auto& kernel : own_kernels())
      for (std::vector<index_t>& values : kernel->rows())
        rows.push_back({row_of_own(kernel->entry(), std::move(values))});
  const bool flags_say_sizes = wanted.bytes || !wanted.elements.empty();
  if (wanted.suite != suite_kind::kSweep || flags_say_sizes) return rows;
  const std::vector<index_t> working_sets = sweep_bytes(setting.last_cache_bytes, setting.on_gpu);
  for (planned_row& row : rows) {
    row.spec.elements = 1;
    const index_t element_bytes = useful_bytes(row.spec);  // of all its sides
    for (const index_t bytes : working_sets) row.sizes.push_back(bytes / element_bytes);
  }
  return rows;
}

}  // namespace

index_t quick_buffer_bytes(bool on_gpu, index_t l2_bytes) {
  constexpr index_t kCpuBytes = (index_t{4} << 20) * 4;
  if (!on_gpu || l2_bytes <= 0) return kCpuBytes;
  return static_cast<index_t>(std::bit_ceil(static_cast<std::uint64_t>(4 * l2_bytes)));
}

std::vector<index_t> sweep_bytes(index_t last_cache_bytes, bool on_gpu) {
  constexpr index_t kMiB = index_t{1} << 20;
  constexpr index_t kSmallest = index_t{64} << 10;
  constexpr index_t kLargestOnCpu = 1024 * kMiB;
  constexpr index_t kCaches = 8;
  const index_t cache = last_cache_bytes > 0 ? last_cache_bytes : 64 * kMiB;
  const index_t largest = on_gpu ? kCaches * cache : std::min(kCaches * cache, kLargestOnCpu);
  std::vector<index_t> sizes;
  for (index_t size = kSmallest; size <= largest; size *= 2)
    for (const index_t bytes : {size, size / 2 * 3})
      if (bytes <= largest) sizes.push_back(bytes);
  if (sizes.empty()) sizes.push_back(kSmallest);
  return sizes;
}

std::vector<suite_row> make_suite(const options& wanted, const suite_setting& setting) {
  const std::vector<block_size> usual_blocks =
      wanted.blocks.empty() ? std::vector<block_size>{{}} : wanted.blocks;
  std::vector<suite_row> rows;
  std::set<std::string> seen;
  for (planned_row& planned : planned_rows(wanted, setting)) {
    row_spec& spec = planned.spec;
    const bool sized = !planned.sizes.empty();
    const std::vector<index_t> sizes =
        sized ? planned.sizes : sizes_of(wanted, setting.default_bytes, spec);
    const std::vector<block_size>& blocks = planned.blocks.empty() ? usual_blocks : planned.blocks;
    for (const index_t elements : sizes)
      for (const block_size block : blocks) {
        spec.elements = elements;
        spec.block = block;
        spec.block = launched_block(spec);
        std::string name = spec.name();
        // A mover has no blocks: it stands once, as does a row that takes one block only.
        if ((!planned.blocks.empty() || blocks.size() > 1) && !spec.pattern->mover)
          name = with_block(std::move(name), spec.block);
        const bool of_flags = wanted.elements.size() > 1 && spec.pattern->own == nullptr;
        if (sized || of_flags) name = with_elements(std::move(name), elements);
        if (seen.insert(name).second) rows.push_back({spec, name});
      }
  }
  return rows;
}

void record_suite(const options& wanted, const std::vector<suite_row>& rows,
                  std::vector<std::pair<std::string, std::string>>& facts) {
  const auto set = [&](std::string_view key, const std::string& text) {
    for (auto& [known, value] : facts)
      if (known == key) value = sanitize(text);
  };
  const auto each_once = [&](auto text_of) {
    std::vector<std::string> texts;
    for (const suite_row& row : rows)
      if (std::string text = text_of(row.spec); std::ranges::find(texts, text) == texts.end())
        texts.push_back(std::move(text));
    return join(std::vector<std::string_view>(texts.begin(), texts.end()), ",");
  };
  const auto named = [&](std::string_view key) {
    return std::ranges::any_of(
        rows, [&](const suite_row& row) { return row.name.find(key) != std::string::npos; });
  };
  set("suite", suite_text(wanted));
  if (runs_given_lists(wanted)) {
    set("buffer_bytes", "as the index lists say");
    set("elements", "length x count of each list");
    return;
  }
  // Elsewhere the flags say it all.
  if (wanted.suite != suite_kind::kSweep && wanted.suite != suite_kind::kFile) return;
  if (named("/elements:")) {
    set("buffer_bytes", "elements x element size");
    set("elements", each_once([](const row_spec& spec) { return std::to_string(spec.elements); }));
  }
  if (named("/block:"))
    set("block", each_once([](const row_spec& spec) { return block_text(spec.block); }));
}

}  // namespace sectorbench
