// SPDX-License-Identifier: Apache-2.0
// The public headers in a file of nvcc's, whose own standard may be older.
#include <sectorbench/cuda/buffer.hpp>
#include <sectorbench/patterns/stride.hpp>

__global__ void mark_kernel(sectorbench::index_t* at, sectorbench::stride pattern) {
  *at = pattern.loads().elements;
}
