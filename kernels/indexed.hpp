// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sectorbench/execution/registry.hpp"
#include "sectorbench/patterns/indexed.hpp"

namespace sectorbench {

/// What a row of the pattern `indexed` repeats.
struct index_lists {
  std::vector<repeated_list> lists;  ///< one, of the side that is not dense; or loads and stores
  index_t count = 1;                 ///< repetitions
  index_t wrap = 0;                  ///< of them, after which the dense side begins anew; 0: never

  /// Accesses of one launch.
  index_t accesses() const { return static_cast<index_t>(lists[0].entries.size()) * count; }
};

/// The maker of such rows: with one list gather, read, scatter and write, with two copy. Its
/// workloads use lists that it keeps. @pre the lists have one length, entries fit 4 bytes, all
/// bytes and accesses x length fit 63 bits
pattern_entry::maker indexed_maker(const index_lists& work);

}  // namespace sectorbench
