// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sectorbench/execution/workload.hpp"

namespace sectorbench::test {

/// The program's index list, made on the CPU; empty if it has none.
inline std::vector<index_entry> index_list_of(const program& body) {
  std::vector<index_entry> list(static_cast<std::size_t>(body.indices()));
  if (!list.empty()) body.fill_indices(list.data());
  return list;
}

}  // namespace sectorbench::test
