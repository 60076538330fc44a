// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sectorbench/execution/registry.hpp"
#include "sectorbench/pattern/element.hpp"
#include "sectorbench/pattern/operation.hpp"

namespace sectorbench {

/// A row cannot be measured or predicted here, for a reason that is nobody's fault: it is skipped.
class not_applicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a row measures: a registered pattern with its values, under one operation, for n elements
/// of one type.
struct row_spec {
  const pattern_entry* pattern = nullptr;
  operation_kind operation = operation_kind::kCopy;
  element_type type = element_type::kF32;
  std::vector<index_t> values;  ///< one per parameter of the pattern
  index_t elements = 0;
  block_size block;

  /// Bytes of one buffer, offsets aside.
  index_t buffer_bytes() const { return elements * size_of(type); }

  /// `<pattern>/<op>/<type>[/<parameter>:<value>...]`, of the author's kernels
  /// `<name>[/<axis>:<value>...]`: what all sizes and blocks share.
  std::string name() const;
  /// Names the row among all that can be measured: name, elements and block.
  std::string key() const;
  /// Names what the row touches: the key without the element type.
  std::string coverage_key() const;
  friend bool operator==(const row_spec& a, const row_spec& b) { return a.key() == b.key(); }
};

/// The value of the parameter called `name`, or `otherwise` if the pattern has none such.
index_t parameter_value(const row_spec& row, std::string_view name, index_t otherwise);

/// The registered pattern `name` that takes these values, or null.
const pattern_entry* find_pattern(std::string_view name, std::span<const index_t> values);

/// The row of the author's kernel at these values. Its operation is that whose share of stored
/// bytes is nearest to its own, its size that of a row of f32 with as many useful bytes.
/// @pre the kernel takes the values
row_spec row_of_own(const pattern_entry& kernel, std::vector<index_t> values);

/// Reads a name as `row_spec::name` writes it; elements and block stay to be set.
/// @throws usage_error that says which part nobody knows
row_spec parse_row(std::string_view name);

/// The bytes that the row's program asks for in one launch.
index_t useful_bytes(const row_spec& row);

/// The block of the row's launch: patterns of one dimension make a row of `row.block`, and some
/// have a block of their own.
block_size launched_block(const row_spec& row);

/// What moves the row's bytes. @throws not_applicable for an entry of a file that makes no row
std::unique_ptr<workload> make_workload(const row_spec& row);

/// Says for listings, predictions and runs alike whether a device takes the launch.
/// @throws not_applicable where the pattern refuses its n and values, and for more elements than an
/// index list can tell apart
void refuse_unfit(const workload& work);

/// The stride-1 row with the operation, type, size and block of `row`.
row_spec stride_one_of(const row_spec& row);

/// The rows whose best is the ceiling of `row`: what moves as many bytes the same way fastest. The
/// ceiling of copy, gather and scatter is a copy's; read and write have their own.
std::vector<row_spec> ceiling_of(const row_spec& row);

}  // namespace sectorbench
