// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/options.hpp"
#include "bench/row.hpp"

namespace sectorbench {

/// A row of a run and the name it is registered by.
struct suite_row {
  row_spec spec;
  std::string name;  ///< without the library's "/manual_time"
};

/// Bytes per buffer unless a flag says otherwise.
inline constexpr index_t kDefaultBufferBytes = index_t{256} << 20;

/// The rows of the reference program, and how many there are.
inline constexpr std::size_t kReferenceRows = 7;

/// Bytes per buffer of a quick run: on a GPU the smallest power of two that is at least four times
/// its L2, so that each side alone still measures memory; on a CPU 4 Mi floats.
index_t quick_buffer_bytes(bool on_gpu, index_t l2_bytes);

/// The rows that the options ask for, each once, in the order in which they run: what serves others
/// as a reference comes first.
///
/// A flag that names values (--types, --ops, --strides, --chunks, --block, --elements) replaces
/// that axis in every entry of the suite. Rows that cannot be (a mover that shall read) fall away.
/// @param default_bytes of one buffer where neither --bytes nor --elements is given
/// @throws usage_error where --bytes is no multiple of an element, or a name of --rows is wrong
std::vector<suite_row> make_suite(const options& wanted, index_t default_bytes);

}  // namespace sectorbench
