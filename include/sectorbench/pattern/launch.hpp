// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>

#include "sectorbench/pattern/portability.hpp"

/// @file
/// Where a thread stands in a launch, and how large the launch is.

namespace sectorbench {

/// Element indices and counts: always 64 bits wide and signed, as `i32 * stride` overflows at
/// 2^31 elements.
using index_t = std::int64_t;

/// Threads of a block in x and y. The 32 lanes of a warp follow each other in x first.
struct block_size {
  unsigned x = 256;
  unsigned y = 1;
  constexpr unsigned threads() const { return x * y; }
  friend constexpr bool operator==(const block_size&, const block_size&) = default;
};

/// The coordinates of one thread: `thread` in its `block`, the sizes of block and grid.
struct lane {
  unsigned thread_x, thread_y;
  unsigned block_x, block_y, block_z;
  unsigned block_size_x, block_size_y;
  unsigned grid_x, grid_y;

  /// The thread's position along x in the whole launch.
  SECTORBENCH_HD constexpr index_t column() const {
    return index_t{block_x} * block_size_x + thread_x;
  }
};

/// How many groups of `size` cover `count` (rounded up). @pre count >= 0, size > 0.
constexpr index_t groups_of(index_t size, index_t count) { return (count + size - 1) / size; }

/// The position of a thread in the order in which a CPU walks the launch: block by block, each in
/// the order of its warps' lanes.
SECTORBENCH_HD constexpr index_t thread_rank(const lane& t) {
  const index_t block = (index_t{t.block_z} * t.grid_y + t.block_y) * t.grid_x + t.block_x;
  return (block * t.block_size_y + t.thread_y) * t.block_size_x + t.thread_x;
}

/// Hardware limits on a grid (compute capability 3.0 and later; CUDA C++ Programming Guide,
/// "Technical Specifications per Compute Capability").
inline constexpr index_t kMaxGridX = 2147483647;
inline constexpr index_t kMaxGridYZ = 65535;

/// The size of a launch in blocks and threads.
struct launch_shape {
  index_t grid_x = 1, grid_y = 1, grid_z = 1;
  block_size block;

  constexpr index_t blocks() const { return grid_x * grid_y * grid_z; }
  constexpr index_t threads() const { return blocks() * index_t{block.threads()}; }

  /// Whether a GPU accepts the grid.
  constexpr bool fits_gpu() const {
    return grid_x <= kMaxGridX && grid_y <= kMaxGridYZ && grid_z <= kMaxGridYZ;
  }
};

/// How many steps of so many bytes go a whole number of 128-byte lines. @pre bytes > 0
constexpr index_t steps_to_line(index_t bytes) {
  constexpr index_t kLine = 128;
  return kLine / std::gcd(kLine, bytes);
}

/// How many blocks in a row hold a whole number of groups of 32 threads. @pre threads > 0
constexpr index_t blocks_to_warps(index_t threads) { return 32 / std::gcd(index_t{32}, threads); }

/// A launch of at least `threads` threads in a row. @pre threads >= 1.
constexpr launch_shape row_of_threads(index_t threads, block_size block) {
  const block_size flat{block.threads(), 1};
  return {groups_of(index_t{flat.x}, threads), 1, 1, flat};
}

}  // namespace sectorbench
