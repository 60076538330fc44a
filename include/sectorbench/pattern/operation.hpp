// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

/// @file
/// Operations: which side of an element's move follows the pattern.
///
/// A pattern says where the elements lie; an operation says whether the loads, the stores or both
/// go there. The other side is dense: it takes the elements in the order of their rank.
///
///     using sectorbench::gather;
///     static_assert(gather::kLoads == sectorbench::side::kPattern);
///     static_assert(gather::kStores == sectorbench::side::kUnit);

namespace sectorbench {

/// Where one side of an operation goes.
enum class side {
  kNone,     ///< nowhere: this side moves nothing
  kPattern,  ///< to the place that the pattern gives
  kUnit,     ///< to the dense rank of the element
};

/// The name of an operation, for tables and flags.
enum class operation_kind { kCopy, kGather, kScatter, kRead, kWrite };

/// An operation as a type: a pair of sides.
template <operation_kind Kind, side Loads, side Stores>
struct operation {
  static constexpr operation_kind kKind = Kind;
  static constexpr side kLoads = Loads;
  static constexpr side kStores = Stores;
};

using copy = operation<operation_kind::kCopy, side::kPattern, side::kPattern>;
using gather = operation<operation_kind::kGather, side::kPattern, side::kUnit>;
using scatter = operation<operation_kind::kScatter, side::kUnit, side::kPattern>;
using read = operation<operation_kind::kRead, side::kPattern, side::kNone>;
using write = operation<operation_kind::kWrite, side::kNone, side::kPattern>;

/// All operations with their names, in the order in which tables show them.
inline constexpr std::array<std::pair<operation_kind, std::string_view>, 5> kOperations{{
    {operation_kind::kCopy, "copy"},
    {operation_kind::kGather, "gather"},
    {operation_kind::kScatter, "scatter"},
    {operation_kind::kRead, "read"},
    {operation_kind::kWrite, "write"},
}};

/// The name of `kind`, as it stands in benchmark names.
constexpr std::string_view name_of(operation_kind kind) {
  for (const auto& [value, name] : kOperations)
    if (value == kind) return name;
  return {};
}

/// The operation called `name`, or nothing.
constexpr std::optional<operation_kind> operation_named(std::string_view name) {
  for (const auto& [value, known] : kOperations)
    if (known == name) return value;
  return std::nullopt;
}

/// Whether an operation of this kind loads elements.
constexpr bool loads_elements(operation_kind kind) { return kind != operation_kind::kWrite; }

/// Whether an operation of this kind stores elements.
constexpr bool stores_elements(operation_kind kind) { return kind != operation_kind::kRead; }

}  // namespace sectorbench
