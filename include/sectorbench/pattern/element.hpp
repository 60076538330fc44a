// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

/// @file
/// Element types: opaque bits of 1, 2, 4, 8 or 16 bytes that one access moves.
///
/// The names say what programs usually keep in elements of that width; nothing here computes with
/// them, so an f32 is moved and compared as 32 bits.

namespace sectorbench {

/// 16 bytes that move as one access.
struct alignas(16) bits128 {
  std::uint32_t x, y, z, w;
  friend constexpr bool operator==(const bits128&, const bits128&) = default;
};

/// The name of an element type, for tables and flags.
enum class element_type { kU8, kF16, kF32, kF64, kF32x4 };

/// All element types with their names, narrowest first.
inline constexpr std::array<std::pair<element_type, std::string_view>, 5> kElementTypes{{
    {element_type::kU8, "u8"},
    {element_type::kF16, "f16"},
    {element_type::kF32, "f32"},
    {element_type::kF64, "f64"},
    {element_type::kF32x4, "f32x4"},
}};

/// The name of `type`, as it stands in benchmark names.
constexpr std::string_view name_of(element_type type) {
  for (const auto& [value, name] : kElementTypes)
    if (value == type) return name;
  return {};
}

/// The element type called `name`, or nothing.
constexpr std::optional<element_type> element_type_named(std::string_view name) {
  for (const auto& [value, known] : kElementTypes)
    if (known == name) return value;
  return std::nullopt;
}

/// Bytes of one element: 1, 2, 4, 8 or 16.
constexpr int size_of(element_type type) { return 1 << static_cast<int>(type); }

/// The element types of which V fill an access of `lowest` to `highest` bytes.
template <int V, int Lowest, int Highest>
constexpr auto types_of_access() {
  constexpr auto fits = [](const auto& type) {
    const int bytes = V * size_of(type.first);
    return Lowest <= bytes && bytes <= Highest;
  };
  constexpr auto count = [fits] {
    std::size_t types = 0;
    for (const auto& type : kElementTypes) types += fits(type) ? 1 : 0;
    return types;
  };
  std::array<element_type, count()> types{};
  std::size_t known = 0;
  for (const auto& type : kElementTypes)
    if (fits(type)) types[known++] = type.first;
  return types;
}

namespace detail {
template <int Bytes>
struct bits_of_size;
template <>
struct bits_of_size<1> {
  using type = std::uint8_t;
};
template <>
struct bits_of_size<2> {
  using type = std::uint16_t;
};
template <>
struct bits_of_size<4> {
  using type = std::uint32_t;
};
template <>
struct bits_of_size<8> {
  using type = std::uint64_t;
};
template <>
struct bits_of_size<16> {
  using type = bits128;
};
}  // namespace detail

/// The opaque bits of so many bytes.
template <int Bytes>
using element_bits = typename detail::bits_of_size<Bytes>::type;

}  // namespace sectorbench
