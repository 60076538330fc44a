// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "sectorbench/model/device_description.hpp"

/// @file
/// A GPU that nobody calibrated, from a dozen figures of its data sheet and the profile of one that
/// was calibrated. docs/model.md lists the laws, their evidence and how wide they make the figures.

namespace sectorbench {

enum class memory_kind { kHbm2, kHbm2e, kHbm3, kHbm3e, kGddr5x, kGddr6, kGddr6x, kGddr7 };

constexpr std::array<std::string_view, 8> kMemoryKinds{"HBM2",   "HBM2e", "HBM3",   "HBM3e",
                                                       "GDDR5X", "GDDR6", "GDDR6X", "GDDR7"};

/// What `device_description` has no place for. Of a calibrated GPU only the optional ones are used.
struct data_sheet {
  std::string like;  ///< the key of the calibrated GPU that others are scaled from; "": calibrated
  double clock_hz = 0;  ///< highest of the SMs
  memory_kind memory = memory_kind::kHbm3e;
  interval ecc{0, 1};  ///< 1: on, 0: off, both ends: not known

  std::optional<interval> read_share, write_share,
      copy_share;                              ///< of the bus's peak, dense traffic
  std::optional<interval> dram_latency_s;      ///< of one load on an idle GPU
  std::optional<interval> l2_bytes_per_clock;  ///< that dense loads get from L2, whole GPU
  friend bool operator==(const data_sheet&, const data_sheet&) = default;
};

/// Derives all that `to` does not say: everything but its names, SMs, threads, caches and bus.
/// @pre base.time
void scale(device_description& to, const data_sheet& sheet, const device_description& base,
           const data_sheet& base_sheet);

}  // namespace sectorbench
