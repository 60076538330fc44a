// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/execution/workload.hpp"

namespace sectorbench {

buffer_bytes program::needs() const {
  const index_t width = size_of(type());
  const auto bytes = [&](const side_extent& side) { return (side.first + side.elements) * width; };
  buffer_bytes result;
  if (loads_elements(operation())) result.in = bytes(loads());
  result.indices = indices() * index_t{sizeof(index_entry)};
  result.out = stores_elements(operation()) ? bytes(stores()) : shape().threads() * width;
  return result;
}

index_t program::useful_bytes() const {
  const index_t loaded = loads_elements(operation()) ? loads().moved() : 0;
  const index_t stored = stores_elements(operation()) ? stores().moved() : 0;
  return (loaded + stored) * size_of(type());
}

index_t program::unique_bytes() const {
  const index_t loaded = loads_elements(operation()) ? loads().touched_once() : 0;
  const index_t stored = stores_elements(operation()) ? stores().touched_once() : 0;
  return (loaded + stored) * size_of(type());
}

}  // namespace sectorbench
