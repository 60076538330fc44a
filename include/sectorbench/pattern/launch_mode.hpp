// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <utility>

/// @file
/// How a kernel is launched, whatever it moves: by which cache operators, and how many of its
/// blocks an SM may hold.
///
/// Source: PTX ISA, "Cache Operators". They are hints: what a GPU makes of them is measured.

namespace sectorbench {

/// The cache operator of loads: nc goes through the read-only path, as `const __restrict__` does.
enum class load_op { kNc, kCa, kCg, kCs };
/// The cache operator of stores: wb is what stores are by themselves.
enum class store_op { kWb, kCg, kCs };

inline constexpr std::array<std::pair<load_op, std::string_view>, 4> kLoadOps{
    {{load_op::kNc, "nc"}, {load_op::kCa, "ca"}, {load_op::kCg, "cg"}, {load_op::kCs, "cs"}}};
inline constexpr std::array<std::pair<store_op, std::string_view>, 3> kStoreOps{
    {{store_op::kWb, "wb"}, {store_op::kCg, "cg"}, {store_op::kCs, "cs"}}};

/// The name of a cache operator, as flags and PTX spell it.
constexpr std::string_view name_of(load_op op) {
  return kLoadOps[static_cast<std::size_t>(op)].second;
}
/// The name of a cache operator, as flags and PTX spell it.
constexpr std::string_view name_of(store_op op) {
  return kStoreOps[static_cast<std::size_t>(op)].second;
}

/// The operators of a launch. Plain ones are what kernels have unless a flag says otherwise.
struct cache_ops {
  load_op loads = load_op::kNc;
  store_op stores = store_op::kWb;

  constexpr bool plain() const { return *this == cache_ops{}; }
  friend constexpr bool operator==(const cache_ops&, const cache_ops&) = default;
};

}  // namespace sectorbench
