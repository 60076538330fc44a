// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/indexed.hpp"

#include <array>
#include <span>

#include "bench/cases/row.hpp"
#include "kernels/indexed.hpp"

namespace sectorbench {
namespace {

using enum operation_kind;

constexpr std::array kGathers{kGather, kRead};
constexpr std::array kScatters{kScatter, kWrite};
constexpr std::array kCopies{kCopy};
constexpr std::array kTypes{element_type::kF64, element_type::kF32, element_type::kF32x4,
                            element_type::kF16, element_type::kU8};

std::span<const operation_kind> operations_of(operation_kind kernel) {
  if (kernel == kGather) return kGathers;
  if (kernel == kScatter) return kScatters;
  return kCopies;
}

index_lists lists_of(const spatter_configuration& one) {
  index_lists lists;
  if (one.operation != kScatter) lists.lists.push_back(one.gather);
  if (one.operation != kGather) lists.lists.push_back(one.scatter);
  lists.count = one.count;
  lists.wrap = one.wrap.value_or(0);
  return lists;
}

std::string place_text(const repeated_list& list, std::string_view name) {
  return std::string(name) + "[r mod " + std::to_string(list.entries.size()) + "] + " +
         std::to_string(list.delta) + " (r / " + std::to_string(list.entries.size()) + ")";
}

}  // namespace

indexed_patterns::indexed_patterns(const std::vector<spatter_configuration>& configurations)
    : added_(entries_of(configurations)) {}

std::vector<pattern_entry> indexed_patterns::entries_of(
    const std::vector<spatter_configuration>& configurations) {
  std::vector<pattern_entry> entries;
  for (const spatter_configuration& one : configurations) {
    if (!one.refused.empty()) {
      texts& own = texts_.emplace_back();
      own.name = "indexed:" + one.label;
      own.summary = own.mapping = "no row: " + one.refused;
      entries.push_back({own.name, own.summary, own.mapping, own.parameters,
                         operations_of(one.operation), kTypes, false,
                         [why = one.refused](auto&&...) -> std::unique_ptr<workload> {
                           throw not_applicable(why);
                         },
                         1});
      continue;
    }
    const index_lists lists = lists_of(one);
    texts& own = texts_.emplace_back();
    own.name = "indexed:" + one.label;
    own.summary = "an index list of " + std::to_string(one.length()) + " entries, repeated " +
                  std::to_string(one.count) + " times";
    own.mapping = "thread r: element " + place_text(lists.lists.front(), "list");
    if (one.operation == kCopy)
      own.mapping = "thread r: loads " + place_text(one.gather, "gather") + ", stores " +
                    place_text(one.scatter, "scatter");
    for (const auto& [name, value] : one.values())
      own.parameters.push_back({name, value, value, value});
    entries.push_back({own.name, own.summary, own.mapping, own.parameters,
                       operations_of(one.operation), kTypes, false, indexed_maker(lists),
                       lists.accesses()});
  }
  return entries;
}

}  // namespace sectorbench
