// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/cases/row.hpp"
#include "bench/cases/row_list.hpp"
#include "bench/options/options.hpp"

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

/// What a suite has to know besides the options.
struct suite_setting {
  index_t default_bytes = kDefaultBufferBytes;  ///< of one buffer, unless a flag says otherwise
  index_t last_cache_bytes = 0;                 ///< of the device; 0: unknown
  double flops_per_byte = 0;  ///< peak of the device's arithmetic over that of its memory; 0:
                              ///< unknown
  bool on_gpu = true;
  std::vector<listed_row> listed{};          ///< the rows of --suite=FILE
  std::span<const pattern_entry> indexed{};  ///< the patterns of --indexed
  bool of_all = false;  ///< the suite's rows too where the program has rows of its author's
};

/// The working sets of --suite=sweep in bytes, both buffers together: powers of two from 64 KiB on
/// and one step halfway between each two, up to 8 times the last cache (64 MiB where it is not
/// known). On a CPU 1 GiB is the most.
std::vector<index_t> sweep_bytes(index_t last_cache_bytes, bool on_gpu);

/// The rows that the options ask for, each once, in the order in which they run: what serves others
/// as a reference comes first. Where the program has rows of its author's, the default suite is
/// these rows and the ceilings of the patterns among them.
///
/// A flag that names values (--types, --ops, --strides, --chunks, --flops, --block, --elements)
/// replaces that axis in every entry of the suite. Rows that cannot be (a mover that shall read)
/// fall away. Rows of a list keep the size and block that their names say; index lists say their
/// size themselves.
/// @throws usage_error where --bytes is no multiple of an element or given for index lists, a name
/// of --rows is wrong, no list takes an operation, or the balance point is asked for and not known
std::vector<suite_row> make_suite(const options& wanted, const suite_setting& setting);

/// Replaces what `facts` says of suite, sizes and blocks by what the suite made of the flags.
void record_suite(const options& wanted, const std::vector<suite_row>& rows,
                  std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace sectorbench
