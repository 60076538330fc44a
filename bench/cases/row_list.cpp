// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/row_list.hpp"

#include <charconv>
#include <limits>
#include <map>

#include "bench/support/bad_value.hpp"
#include "bench/support/block.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/text.hpp"
#include "kernels/own_kernel.hpp"

namespace sectorbench {
namespace {

constexpr std::string_view kBlock = "/block:";
constexpr std::string_view kElements = "/elements:";
constexpr index_t kMaxElements =
    std::numeric_limits<index_t>::max() / size_of(element_type::kF32x4);

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\v\f";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// Takes "<key><text>" off the end of `name`, if that is what stands there; the text.
std::optional<std::string_view> take_suffix(std::string_view& name, std::string_view key) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string_view::npos || !name.substr(slash).starts_with(key)) return {};
  const std::string_view text = name.substr(slash + key.size());
  name = name.substr(0, slash);
  return text;
}

index_t read_elements(std::string_view digits) {
  index_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || stop != end || value < 1 || value > kMaxElements)
    throw bad_value("elements:<N> takes a whole number from 1 to " + std::to_string(kMaxElements));
  return value;
}

block_size read_block(std::string_view text) {
  if (const auto block = block_named(text)) return *block;
  throw bad_value(std::string(kBlockRule) + ", e.g. block:256");
}

/// The row called `name`; without the flag that errors name otherwise.
row_spec parse_name(std::string_view name) {
  try {
    return parse_row(name);
  } catch (const usage_error& error) {
    constexpr std::string_view kFlag = "--rows=";
    std::string message = error.what();
    const std::string lead = one_line(std::string(kFlag) + std::string(name) + ": ");
    if (message.starts_with(lead)) message.erase(0, lead.size());
    for (std::size_t at; (at = message.find(kFlag)) != std::string::npos;)
      message.erase(at, kFlag.size());
    throw bad_value(message);
  }
}

/// @param parse reads what is left of the name without block and size
template <class Parse>
listed_row parse_line(std::string_view name, const Parse& parse) {
  constexpr std::string_view kLibrarySuffix = "/manual_time";
  constexpr std::string_view kGpu = "/gpu:";
  if (name.ends_with(kLibrarySuffix)) name.remove_suffix(kLibrarySuffix.size());
  if (const std::size_t slash = name.rfind('/');
      slash != std::string_view::npos && name.substr(slash).starts_with(kGpu))
    throw bad_value("a list does not say which GPU: leave " + std::string(name.substr(slash)) +
                    " out, --device= says it");
  listed_row row;
  if (const auto text = take_suffix(name, kElements)) row.elements = read_elements(*text);
  if (const auto text = take_suffix(name, kBlock)) row.block = read_block(*text);
  row.spec = parse(name);
  if (row.elements && (row.spec.pattern->elements > 0 || row.spec.pattern->own != nullptr))
    throw bad_value((row.spec.pattern->own != nullptr
                         ? "its kernel says its size: leave /elements:"
                         : "its list and count say its size: leave /elements:") +
                    std::to_string(*row.elements) + " out");
  if (!row.block) return row;
  if (row.spec.pattern->mover)
    throw bad_value(std::string(row.spec.pattern->name) +
                    " has no blocks: leave /block:" + block_text(*row.block) + " out");
  row_spec one = row.spec;
  one.elements = row.elements.value_or(1);
  one.block = *row.block;
  if (const block_size used = launched_block(one); used != *row.block)
    throw bad_value(std::string(row.spec.pattern->name) + " would be launched in blocks of " +
                    block_text(used) + ", not of " + block_text(*row.block) +
                    ": say /block:" + block_text(used));
  return row;
}

std::string name_of(const listed_row& row) {
  std::string name = row.spec.name();
  if (row.block) name = with_block(std::move(name), *row.block);
  if (row.elements) name = with_elements(std::move(name), *row.elements);
  return name;
}

}  // namespace

std::string with_block(std::string name, block_size block) {
  return std::move(name.append(kBlock).append(block_text(block)));
}

std::string with_elements(std::string name, index_t elements) {
  return std::move(name.append(kElements).append(std::to_string(elements)));
}

listed_row parse_listed_row(std::string_view name) {
  try {
    return parse_line(name, parse_row);
  } catch (const bad_value& error) {
    throw usage_error("--rows=" + std::string(name) + ": " + error.what());
  }
}

std::optional<row_spec> accessed_as(const row_spec& row) {
  if (!row.pattern->mover) return row;
  const std::unique_ptr<workload> work = make_workload(row);
  const own_work* const own = own_work_of(*work);
  const std::string name = own != nullptr ? own->accesses() : std::string();
  if (name.empty()) return std::nullopt;
  try {
    const listed_row named = parse_line(name, parse_name);
    if (!named.elements) throw bad_value("say its size: /elements:<N>");
    row_spec accessed = named.spec;
    accessed.elements = *named.elements;
    accessed.block = named.block.value_or(block_size{});
    accessed.block = launched_block(accessed);
    return accessed;
  } catch (const bad_value& error) {
    throw bad_value("accesses: " + name + ": " + error.what());
  }
}

std::vector<listed_row> parse_row_list(std::string_view text, std::string_view file) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<listed_row> rows;
  std::map<std::string, std::size_t> first_lines;
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    const std::string_view name = trimmed(line.substr(0, line.find('#')));
    if (name.empty()) continue;
    try {
      listed_row row = parse_line(name, parse_name);
      const auto [known, is_new] = first_lines.emplace(name_of(row), number);
      if (!is_new)
        throw bad_value("stands in line " + std::to_string(known->second) +
                        " already; leave one of the two out");
      rows.push_back(std::move(row));
    } catch (const bad_value& error) {
      throw usage_error(std::string(file) + ":" + std::to_string(number) + ": " +
                        std::string(name) + ": " + error.what());
    }
  }
  if (rows.empty())
    throw usage_error(
        std::string(file) +
        ": holds no row; give one name a line, as --benchmark_list_tests prints them");
  return rows;
}

std::vector<listed_row> read_row_list(const std::string& path) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 20;  // a list of every row has some 50 KB
  const input_kind kind{
      "--suite", "list of rows",
      "give a file with one row name a line, as --benchmark_list_tests prints them", kMaxBytes};
  return parse_row_list(read_input_file(path, kind), path);
}

}  // namespace sectorbench
