// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "bench/sectors/layout.hpp"

/// @file
/// Which blocks of a launch access alike, from the formulas.
///
/// `P` blocks further on in x, y or z each part of a formula is another by a number that is the
/// same for all threads and blocks, for a P that its operators say: 4*(bx*16 + x) by 64*P, bx%3 by
/// nothing every 3 blocks. If that number is a multiple of 128 bytes, sectors, lines and banks are
/// the same: the first P blocks stand for all. Where a value might not fit in 64 bits, or a formula
/// multiplies a block's place by a thread's, no P is found.

namespace sectorbench::sectors {

/// Of the blocks along each of x, y and z.
struct block_period {
  std::int64_t length = 1;  ///< blocks after which accesses repeat; all of them where none is found
  bool moves = false;       ///< the repeated ones are at other addresses
};

struct launch_periods {
  std::array<block_period, 3> along;
  /// No value of any formula overflows or is below 0, and no address is above `highest`.
  bool is_bounded = false;
  std::int64_t highest = 0;
};

/// @pre the launch has a grid
launch_periods periods_of(const layout& of);

}  // namespace sectorbench::sectors
