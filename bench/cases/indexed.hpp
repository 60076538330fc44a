// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "bench/cases/spatter.hpp"
#include "sectorbench/execution/registry.hpp"

namespace sectorbench {

/// Patterns of given index lists, one for each configuration: rows named
/// `indexed:<label>/<operation>/<type>/delta:<N>/count:<N>` can be made while this lives.
class indexed_patterns {
 public:
  explicit indexed_patterns(const std::vector<spatter_configuration>& configurations);

  /// In the order of the configurations. The first operation of each is its kernel's; gathers can
  /// be read and scatters be written too, which leaves the dense side out.
  const std::vector<pattern_entry>& entries() const { return added_.entries(); }

 private:
  struct texts {
    std::string name, summary, mapping;
    std::vector<parameter_spec> parameters;
  };

  std::vector<pattern_entry> entries_of(const std::vector<spatter_configuration>& configurations);

  std::deque<texts> texts_;  // that the entries point to
  added_patterns added_;
};

}  // namespace sectorbench
