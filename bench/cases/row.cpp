// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/row.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "bench/support/text.hpp"
#include "kernels/own_kernel.hpp"

namespace sectorbench {
namespace {

bool accepts(const pattern_entry& pattern, std::span<const index_t> values) {
  if (pattern.own != nullptr) return pattern.own->takes(values);
  return std::ranges::equal(pattern.parameters, values, [](const auto& spec, index_t value) {
    return spec.lowest <= value && value <= spec.highest;
  });
}

row_spec make_row(std::string_view pattern, operation_kind operation, element_type type,
                  std::vector<index_t> values, index_t bytes, block_size block) {
  row_spec row;
  row.pattern = find_pattern(pattern, values);
  row.operation = operation;
  row.type = type;
  row.values = std::move(values);
  row.elements = bytes / size_of(type);
  row.block = {block.threads(), 1};
  return row;
}

std::string start_of(const row_spec& row, std::string_view type) {
  std::string text(row.pattern->name);
  if (row.pattern->own == nullptr)
    text.append("/").append(name_of(row.operation)).append("/").append(type);
  for (std::size_t i = 0; i < row.values.size(); ++i)
    text.append("/")
        .append(row.pattern->parameters[i].name)
        .append(":")
        .append(std::to_string(row.values[i]));
  return text;
}

std::string size_text(const row_spec& row) {
  return "/elements:" + std::to_string(row.elements) + "/block:" + std::to_string(row.block.x) +
         "x" + std::to_string(row.block.y);
}

std::vector<std::string_view> pattern_names() {
  std::vector<std::string_view> names;
  for (const pattern_entry* const pattern : known_patterns())
    if (std::ranges::find(names, pattern->name) == names.end()) names.push_back(pattern->name);
  return names;
}

template <class Pairs>
std::vector<std::string_view> second_of(const Pairs& pairs) {
  std::vector<std::string_view> names;
  for (const auto& [value, name] : pairs) names.push_back(name);
  return names;
}

[[noreturn]] void refuse(std::string_view row, std::string_view part,
                         std::span<const std::string_view> known, std::string_view what) {
  std::string text = "--rows=" + std::string(row) + ": no " + std::string(what) + " is called '" +
                     std::string(part) + "'";
  const std::string_view near = near_match(part, known);
  if (!near.empty())
    text += "; did you mean " + std::string(near) + "?";
  else
    text += ";";
  throw usage_error(text + " known: " + join(known, ", "));
}

/// The value that `part` gives the parameter called `parameter`, if it is "<parameter>:<number>".
std::optional<index_t> value_of(std::string_view part, std::string_view parameter) {
  const std::string prefix = std::string(parameter) + ":";
  if (!part.starts_with(prefix)) return {};
  part.remove_prefix(prefix.size());
  index_t value = 0;
  const char* const end = part.data() + part.size();
  const auto [stop, error] = std::from_chars(part.data(), end, value);
  if (error != std::errc() || stop != end) return {};
  return value;
}

/// Reads the name of a row of the author's kernel. @param parts of the name
row_spec parse_own(std::string_view name, const pattern_entry& entry,
                   std::span<const std::string_view> parts) {
  const std::vector<kernel_axis>& axes = entry.own->what().axes;
  std::vector<index_t> values;
  std::string wanted = axes.empty() ? "no values" : "";
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::vector<std::string> known;
    for (const index_t value : axes[i].values) known.push_back(std::to_string(value));
    wanted += (i > 0 ? "/" : "") + axes[i].name + ":<" +
              join(std::vector<std::string_view>(known.begin(), known.end()), " or ") + ">";
    if (parts.size() != 1 + axes.size()) continue;
    if (const auto value = value_of(parts[1 + i], axes[i].name)) values.push_back(*value);
  }
  if (!entry.own->error().empty() && parts.size() > 1)
    throw usage_error("--rows=" + std::string(name) + ": " + entry.own->error());
  if (parts.size() != 1 + axes.size() || !accepts(entry, values))
    throw usage_error("--rows=" + std::string(name) + ": " + std::string(entry.name) + " takes " +
                      wanted);
  return row_of_own(entry, std::move(values));
}

/// Of a pattern with several fixed values: which of them take the type, as the end of a message.
std::string values_that_take(const pattern_entry& refusing, element_type type) {
  std::string text;
  for (const pattern_entry& pattern : registered_patterns()) {
    if (pattern.name != refusing.name || !pattern.offers(type)) continue;
    for (const parameter_spec& spec : pattern.parameters)
      if (spec.lowest == spec.highest)
        text +=
            (text.empty() ? "" : ", ") + std::string(spec.name) + ":" + std::to_string(spec.lowest);
  }
  return text.empty() ? text : "; " + std::string(name_of(type)) + " goes with " + text;
}

}  // namespace

std::string row_spec::name() const { return start_of(*this, name_of(type)); }

std::string row_spec::key() const { return name() + size_text(*this); }

std::string row_spec::coverage_key() const { return start_of(*this, "any") + size_text(*this); }

index_t parameter_value(const row_spec& row, std::string_view name, index_t otherwise) {
  for (std::size_t i = 0; i < row.values.size(); ++i)
    if (row.pattern->parameters[i].name == name) return row.values[i];
  return otherwise;
}

const pattern_entry* find_pattern(std::string_view name, std::span<const index_t> values) {
  for (const pattern_entry* const pattern : known_patterns())
    if (pattern->name == name && accepts(*pattern, values)) return pattern;
  return nullptr;
}

row_spec parse_row(std::string_view name) {
  constexpr std::string_view kLibrarySuffix = "/manual_time";  // a list of names has it
  std::string_view own = name;
  if (own.ends_with(kLibrarySuffix)) own.remove_suffix(kLibrarySuffix.size());
  const std::vector<std::string_view> parts = split(own, '/');
  const bool is_pattern =
      std::ranges::count(registered_patterns(), parts.front(), &pattern_entry::name) > 0 &&
      parts.size() > 1;
  for (const auto& kernel : own_kernels())
    if (parts.front() == kernel->entry().name && !is_pattern)
      return parse_own(name, kernel->entry(), parts);
  if (parts.size() < 3)
    throw usage_error("--rows=" + std::string(name) +
                      ": a row is <pattern>/<operation>/<type>[/<parameter>:<value>...], e.g. "
                      "--rows=stride/copy/f32/stride:3");
  const auto names = pattern_names();
  if (std::ranges::find(names, parts[0]) == names.end()) refuse(name, parts[0], names, "pattern");
  const auto operation = operation_named(parts[1]);
  if (!operation) refuse(name, parts[1], second_of(kOperations), "operation");
  const auto type = element_type_named(parts[2]);
  if (!type) refuse(name, parts[2], second_of(kElementTypes), "element type");

  row_spec row;
  row.operation = *operation;
  row.type = *type;
  std::string wanted;
  for (const pattern_entry* const known : known_patterns()) {
    const pattern_entry& pattern = *known;
    if (pattern.name != parts[0] || pattern.own != nullptr) continue;
    std::vector<index_t> values;
    bool fits = parts.size() == 3 + pattern.parameters.size();
    wanted += wanted.empty() ? "" : " or ";
    if (pattern.parameters.empty()) wanted += "no parameters";
    for (std::size_t i = 0; i < pattern.parameters.size(); ++i) {
      const parameter_spec& spec = pattern.parameters[i];
      wanted += std::string(i > 0 ? "/" : "") + std::string(spec.name) + ":";
      wanted += spec.lowest == spec.highest ? std::to_string(spec.lowest)
                                            : "<" + std::to_string(spec.lowest) + " to " +
                                                  std::to_string(spec.highest) + ">";
      if (!fits) continue;
      const std::optional<index_t> value = value_of(parts[3 + i], spec.name);
      fits = value.has_value();
      values.push_back(value.value_or(0));
    }
    const bool is_better = row.pattern == nullptr || pattern.offers(row.operation);
    if (fits && accepts(pattern, values) && is_better) {
      row.pattern = &pattern;
      row.values = values;
    }
  }
  if (row.pattern == nullptr)
    throw usage_error("--rows=" + std::string(name) + ": " + std::string(parts[0]) + " takes " +
                      wanted);
  const auto takes = [&](auto known, const auto& table, auto what) {
    std::vector<std::string_view> taken;
    for (const auto& [value, spelling] : table)
      if (std::ranges::find(known, value) != known.end()) taken.push_back(spelling);
    return usage_error("--rows=" + std::string(name) + ": " + std::string(parts[0]) + " takes no " +
                       what + "; it takes " + join(taken, ", "));
  };
  if (!row.pattern->offers(row.operation))
    throw takes(row.pattern->operations, kOperations, std::string(parts[1]));
  if (!row.pattern->offers(row.type))
    throw usage_error(takes(row.pattern->types, kElementTypes, std::string(parts[2])).what() +
                      values_that_take(*row.pattern, row.type));
  return row;
}

row_spec row_of_own(const pattern_entry& kernel, std::vector<index_t> values) {
  row_spec row;
  row.pattern = &kernel;
  row.values = std::move(values);
  const std::unique_ptr<workload> work = make_workload(row);
  const index_t loaded = work->meaning().loads().moved();
  const index_t stored = work->meaning().stores().moved();
  if (stored * 3 < loaded) row.operation = operation_kind::kRead;
  if (loaded * 3 < stored) row.operation = operation_kind::kWrite;
  const int sides = row.operation == operation_kind::kCopy ? 2 : 1;
  row.elements = groups_of(sides * size_of(row.type), loaded + stored);
  return row;
}

block_size launched_block(const row_spec& row) {
  try {
    return make_workload(row)->meaning().shape().block;
  } catch (const not_applicable&) {
    return row.block;  // of a row that is skipped nothing is launched
  }
}

std::unique_ptr<workload> make_workload(const row_spec& row) {
  return row.pattern->make(row.operation, row.type, row.elements, row.values, row.block);
}

void refuse_unfit(const workload& work) {
  const program& body = work.meaning();
  if (!body.refusal().empty()) throw not_applicable(std::string(body.refusal()));
  if (body.indices() > kMaxIndexed)
    throw not_applicable("an index list has entries of 4 bytes, for " +
                         std::to_string(kMaxIndexed) + " elements at most; the row has " +
                         std::to_string(body.indices()));
}

index_t useful_bytes(const row_spec& row) { return make_workload(row)->meaning().useful_bytes(); }

row_spec stride_one_of(const row_spec& row) {
  return make_row("stride", row.operation, row.type, {1}, row.buffer_bytes(), row.block);
}

std::vector<row_spec> ceiling_of(const row_spec& row) {
  const bool reads = row.operation == operation_kind::kRead;
  const bool writes = row.operation == operation_kind::kWrite;
  const operation_kind operation = reads || writes ? row.operation : operation_kind::kCopy;
  const index_t bytes = row.buffer_bytes();
  std::vector<row_spec> rows;
  const auto add = [&](std::string_view pattern, element_type type, std::vector<index_t> values) {
    if (bytes % size_of(type) == 0)
      rows.push_back(make_row(pattern, operation, type, std::move(values), bytes, {}));
  };
  const element_type words = bytes % 4 == 0 ? element_type::kF32 : element_type::kU8;
  if (operation == operation_kind::kCopy) add("memcpy", words, {});
  if (writes) add("memset", words, {});
  add("contiguous", element_type::kF32x4, {});
  add("unrolled", element_type::kF32, {4});
  if (rows.empty()) add("unrolled", row.type, {8});
  return rows;
}

}  // namespace sectorbench
