// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/cases/suite.hpp"

/// @file
/// From counts to causes: the rows of the suite whose launches have the counts of a kernel.

namespace sectorbench {

/// What was counted of one launch.
struct launch_counts {
  double load_requests = 0, load_sectors = 0;
  double store_requests = 0, store_sectors = 0;
  /// Bytes that the threads ask for; none where that was not counted.
  std::optional<double> load_bytes{}, store_bytes{};
  block_size block;

  double load_sectors_per_request() const;   ///< 0 without loads
  double store_sectors_per_request() const;  ///< 0 without stores
};

/// A row as large as the counted launch: as many requests.
struct like_row {
  suite_row row;
  bool same = false;      ///< its counts are those of the launch, to a few percent
  double difference = 0;  ///< sum of the relative differences of the counts
};

/// The rows of patterns at telling values that are nearest to the counts, nearest first: those that
/// have them, or else the three nearest. Of rows that count alike the simpler ones come first.
/// Index lists are loaded like elements.
/// @param types to look among; none: those of which 32 threads ask for the bytes counted, and f32
/// where bytes were not counted
std::vector<like_row> rows_like(const launch_counts& counts, std::span<const element_type> types);

}  // namespace sectorbench
