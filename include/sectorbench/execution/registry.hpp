// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sectorbench/execution/workload.hpp"

namespace sectorbench {

class own_kernel;

/// Whether a text can be part of a row's name.
constexpr bool is_name(std::string_view text) {
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

/// One pattern, or one mover, as suites see it.
struct pattern_entry {
  std::string_view name;
  std::string_view summary;
  std::string_view mapping;  ///< which element a thread moves
  std::span<const parameter_spec> parameters;
  std::span<const operation_kind> operations;
  std::span<const element_type> types;
  bool mover = false;  ///< no accesses of threads: no sector prediction

  /// The pattern over n elements. @pre n >= 1, each value within its spec
  using maker = std::function<std::unique_ptr<workload>(operation_kind operation, element_type type,
                                                        index_t n, std::span<const index_t> values,
                                                        block_size block)>;
  maker make = nullptr;
  index_t elements = 0;  ///< the only n it takes; 0: any
  /// The kernel of the program's author that it is, a mover that counters see; or null.
  const own_kernel* own = nullptr;
  /// "<file>:<line>" where the program's author registered it; empty: it is one of the suite's.
  std::string place{};

  bool by_author() const { return !place.empty(); }
  /// The place without folders.
  std::string short_place() const { return place.substr(place.rfind('/') + 1); }
  bool offers(operation_kind operation) const;
  bool offers(element_type type) const;
};

/// The entries that can be measured, by name and then by their parameters' lowest values.
const std::vector<pattern_entry>& registered_patterns();

/// The author's entries that have the name of an entry registered elsewhere.
const std::vector<pattern_entry>& ambiguous_patterns();

/// Every entry that a row can name: the registered ones, the author's kernels, then those added.
std::vector<const pattern_entry*> known_patterns();

/// Whether the program's author registered anything.
bool has_own_rows();

/// Entries that a run makes of what it is given; rows can name them while this lives.
class added_patterns {
 public:
  explicit added_patterns(std::vector<pattern_entry> entries);
  ~added_patterns();
  added_patterns(const added_patterns&) = delete;
  added_patterns& operator=(const added_patterns&) = delete;

  const std::vector<pattern_entry>& entries() const { return entries_; }

 private:
  std::vector<pattern_entry> entries_;
};

/// Adds an entry before main begins; `registered_patterns` has it from its first call on.
class entry_registration {
 public:
  explicit entry_registration(const pattern_entry& entry);
};

}  // namespace sectorbench
