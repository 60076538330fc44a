// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace sectorbench {

/// Where a buffer lies.
enum class memory_space {
  kDevice,  ///< in the measured GPU's own memory
  kPeer,    ///< in the memory of another GPU
  kPinned,  ///< in page-locked host memory
};

inline constexpr std::array<std::pair<memory_space, std::string_view>, 3> kMemorySpaces{
    {{memory_space::kDevice, "device"},
     {memory_space::kPeer, "peer"},
     {memory_space::kPinned, "pinned"}}};

/// The side of a row that lies elsewhere than in the measured GPU's memory, and where.
struct space_choice {
  memory_space space = memory_space::kDevice;
  bool stores = false;  ///< the stores; else the loads

  bool is_device() const { return space == memory_space::kDevice; }
  std::string_view side() const { return stores ? "stores" : "loads"; }
  /// As the flag spells it: "device", "peer:loads".
  std::string text() const {
    const std::string name(kMemorySpaces[static_cast<std::size_t>(space)].second);
    return is_device() ? name : name + ":" + std::string(side());
  }
  friend bool operator==(const space_choice&, const space_choice&) = default;
};

}  // namespace sectorbench
