// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sectorbench/access/fill.hpp"
#include "sectorbench/access/pattern.hpp"

namespace sectorbench {

/// The memory of a measuring run on the CPU: verbs are loads and stores. One logical thread's.
template <class T>
struct host_memory {
  using value = T;

  const T* __restrict__ in;
  T* __restrict__ out;
  std::uint64_t seed;
  T sum{};

  T load(bool on, index_t i) const { return on ? in[i] : T{}; }
  void store(bool on, index_t i, T v) const {
    if (on) out[i] = v;
  }
  T made(bool, index_t i) const { return sectorbench::made<T>(i, seed); }
  void sink(bool on, T v) {
    if (on) sum = folded(sum, v);
  }
};

/// Calls `body(lane)` for every thread of the launch: each core takes a run of consecutive blocks
/// and walks their threads one after another, as a CPU's thread walks its part of an array.
template <class Body>
void on_all_cores(const launch_shape& shape, const Body& body) {
  const index_t blocks = shape.blocks();
  const auto u = [](index_t v) { return static_cast<unsigned>(v); };
#pragma omp parallel for schedule(static) if (blocks > 1)
  for (index_t block = 0; block < blocks; ++block) {
    lane thread{0,
                0,
                u(block % shape.grid_x),
                u(block / shape.grid_x % shape.grid_y),
                u(block / shape.grid_x / shape.grid_y),
                shape.block.x,
                shape.block.y,
                u(shape.grid_x),
                u(shape.grid_y)};
    for (thread.thread_y = 0; thread.thread_y < shape.block.y; ++thread.thread_y)
      for (thread.thread_x = 0; thread.thread_x < shape.block.x; ++thread.thread_x) body(thread);
  }
}

}  // namespace sectorbench
