// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sectorbench/execution/workload.hpp"

/// @file
/// Kernels that measure a GPU for the model of traffic and time. None of them is a pattern of the
/// suites: what is calibrated must not be what is predicted.

namespace sectorbench {

enum class probe_kind {
  kDense,         ///< 16-byte vectors: `loads` and `stores` of them a thread, all lanes dense
  kSpacedLoads,   ///< 16 bytes of a granule every `spacing` bytes, four a thread
  kSpacedStores,  ///< 8 bytes of a sector every `spacing` bytes, four a thread
  kSpacedCopies,  ///< both of these, in the same thread
  kL2Loads,       ///< a word every `spacing` bytes, over and over within `bytes`, past L1
  kL2Stores,      ///< the same, stored; spacing 4: whole sectors
  kL2Copies,      ///< both of these, in the same thread
  kL1Loads,       ///< a word of each of 32 lines, over and over within what L1 holds
  kShortBlocks,   ///< blocks of `warps`: a thread loads `loads` words at once, stores them if
                  ///< `stores`, and ends
  kEmptyBlocks,   ///< blocks that do nothing
  kWalkedStores,  ///< each thread stores four neighbouring words, one after the other, `spacing`
                  ///< bytes after those of the thread before
};

/// One launch of a probe.
struct probe {
  probe_kind kind{};
  std::int64_t bytes = 0;  ///< of the buffer that is loaded, and of the one that is stored
  int spacing = 32;        ///< bytes; a multiple of 32, or of 4 in L2 and for walked stores
  int loads = 1;           ///< kDense: 0, 1, 2, 4, 8 or 16; kShortBlocks: 1, 2 or 4
  int stores = 0;          ///< kDense: 0, 1 or 2; kShortBlocks: 0 or 1
  bool once = false;       ///< kSpaced...: one pass, else as many as make the launch long enough
  int sms = 1;
  int warps = 8;      ///< of a block of kShortBlocks or kEmptyBlocks
  int blocks = 0;     ///< kEmptyBlocks: how many; 0: many
  int occupancy = 0;  ///< kShortBlocks: that an SM may hold at most; 0: no limit
  int rounds = 1;     ///< kL1Loads, kL2Loads, kL2Stores: requests of a warp, in fours

  /// What one launch does, in the probe's own unit: bytes (kDense), granules or sectors
  /// (kSpaced..., kL2..., kWalkedStores: threads), lines (kL1Loads), blocks (kShortBlocks,
  /// kEmptyBlocks).
  double work() const;
};

/// @throws std::invalid_argument for counts that have no kernel, std::logic_error in a build
/// without CUDA
std::unique_ptr<workload> make_probe(const probe& wanted);

}  // namespace sectorbench
