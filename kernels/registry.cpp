// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/registry.hpp"

#include <algorithm>
#include <utility>

#include "kernels/own_kernel.hpp"

namespace sectorbench {
namespace {

std::vector<pattern_entry>& entries() {
  static std::vector<pattern_entry> all;
  return all;
}

std::vector<const added_patterns*>& additions() {
  static std::vector<const added_patterns*> all;
  return all;
}

bool before(const pattern_entry& a, const pattern_entry& b) {
  if (a.name != b.name) return a.name < b.name;
  return std::ranges::lexicographical_compare(a.parameters, b.parameters, {},
                                              &parameter_spec::lowest, &parameter_spec::lowest);
}

struct settled_entries {
  std::vector<pattern_entry> measured, ambiguous;
};

const settled_entries& settled() {
  static const settled_entries all = [] {
    settled_entries parts;
    for (const pattern_entry& entry : entries()) {
      const bool is_ambiguous =
          entry.by_author() && std::ranges::any_of(entries(), [&](const pattern_entry& other) {
            return other.name == entry.name && other.place != entry.place;
          });
      (is_ambiguous ? parts.ambiguous : parts.measured).push_back(entry);
    }
    std::ranges::sort(parts.measured, before);
    return parts;
  }();
  return all;
}

}  // namespace

bool pattern_entry::offers(operation_kind operation) const {
  return std::ranges::find(operations, operation) != operations.end();
}
bool pattern_entry::offers(element_type type) const {
  return std::ranges::find(types, type) != types.end();
}

std::vector<const pattern_entry*> known_patterns() {
  std::vector<const pattern_entry*> known;
  for (const pattern_entry& entry : registered_patterns()) known.push_back(&entry);
  for (const auto& kernel : own_kernels()) known.push_back(&kernel->entry());
  for (const added_patterns* const added : additions())
    for (const pattern_entry& entry : added->entries()) known.push_back(&entry);
  return known;
}

added_patterns::added_patterns(std::vector<pattern_entry> entries) : entries_(std::move(entries)) {
  additions().push_back(this);
}
added_patterns::~added_patterns() { std::erase(additions(), this); }

entry_registration::entry_registration(const pattern_entry& entry) { entries().push_back(entry); }

const std::vector<pattern_entry>& registered_patterns() { return settled().measured; }

const std::vector<pattern_entry>& ambiguous_patterns() { return settled().ambiguous; }

bool has_own_rows() { return std::ranges::any_of(known_patterns(), &pattern_entry::by_author); }

}  // namespace sectorbench
