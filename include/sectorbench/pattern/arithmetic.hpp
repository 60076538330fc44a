// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "sectorbench/pattern/element.hpp"
#include "sectorbench/pattern/portability.hpp"

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#endif

/// @file
/// Arithmetic on elements as the numbers that their types are named after: IEEE 754, rounded to
/// nearest, so that every machine has the same bits for finite operands.

namespace sectorbench {

/// Whether this compiler computes with 16-bit numbers on the CPU.
#if defined(__CUDACC__) || defined(__FLT16_MAX__)
inline constexpr bool kHasHalf = true;
#else
inline constexpr bool kHasHalf = false;
#endif

/// The element types that can be computed with.
constexpr auto number_types() {
  if constexpr (kHasHalf)
    return std::array{element_type::kF16, element_type::kF32, element_type::kF64};
  else
    return std::array{element_type::kF32, element_type::kF64};
}
inline constexpr auto kNumberTypes = number_types();

namespace detail {

#if defined(__CUDACC__)
SECTORBENCH_HD inline std::uint16_t half_sum(std::uint16_t a, std::uint16_t b) {
  return __half_as_ushort(__hadd(__ushort_as_half(a), __ushort_as_half(b)));
}
SECTORBENCH_HD inline std::uint16_t half_step(std::uint16_t v) {
  const __half factor = __ushort_as_half(0xbbff), zero = __ushort_as_half(0);
#if defined(__CUDA_ARCH__)
  return __half_as_ushort(__hfma(__ushort_as_half(v), factor, zero));
#else
  return __half_as_ushort(__hadd(__hmul(__ushort_as_half(v), factor), zero));
#endif
}
#elif defined(__FLT16_MAX__)
inline std::uint16_t half_sum(std::uint16_t a, std::uint16_t b) {
  const auto number = [](std::uint16_t bits) { return std::bit_cast<_Float16>(bits); };
  return std::bit_cast<std::uint16_t>(static_cast<_Float16>(number(a) + number(b)));
}
inline std::uint16_t half_step(std::uint16_t v) {
  const auto number = [](std::uint16_t bits) { return std::bit_cast<_Float16>(bits); };
  return std::bit_cast<std::uint16_t>(
      static_cast<_Float16>(number(v) * number(0xbbff) + number(0)));
}
#else
inline std::uint16_t half_sum(std::uint16_t, std::uint16_t) { return 0; }
inline std::uint16_t half_step(std::uint16_t v) { return v; }
#endif

/// v * factor + 0: the sum with zero is not to be left out, as -0 + 0 is 0.
template <class Number>
SECTORBENCH_HD constexpr Number multiply_add(Number v, Number factor) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Number) == 4)
    return __fmaf_rn(v, factor, 0.0F);
  else
    return __fma_rn(v, factor, 0.0);
#else
  return v * factor + Number{0};
#endif
}

}  // namespace detail

/// The sum of two elements as numbers. @pre sizeof(T) is 2, 4 or 8
template <class T>
SECTORBENCH_HD constexpr T sum_of(T a, T b) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
  else
    return detail::half_sum(a, b);
}

/// An element after `times` dependent multiply-adds, each two floating-point operations. The factor
/// is -1 and one unit in the last place of 1: elements that differ stay different.
/// @pre sizeof(T) is 2, 4 or 8
template <class T>
SECTORBENCH_HD constexpr T worked_on(T element, unsigned times) {
#if defined(__CUDA_ARCH__)
#pragma unroll 8
#endif
  for (unsigned k = 0; k < times; ++k) {
    if constexpr (sizeof(T) == 8)
      element =
          std::bit_cast<T>(detail::multiply_add(std::bit_cast<double>(element), -(1 - 0x1p-53)));
    else if constexpr (sizeof(T) == 4)
      element =
          std::bit_cast<T>(detail::multiply_add(std::bit_cast<float>(element), -(1 - 0x1p-24F)));
    else
      element = detail::half_step(element);
  }
  return element;
}

}  // namespace sectorbench
