// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "sectorbench/execution/stop.hpp"
#include "sectorbench/pattern/arithmetic.hpp"
#include "sectorbench/pattern/pattern.hpp"
#include "sectorbench/verify/fill.hpp"

namespace sectorbench {

/// The memory of a measuring run on the CPU: verbs are loads and stores. One logical thread's.
template <class T>
struct host_memory {
  using value = T;

  const T* __restrict__ in;
  T* __restrict__ out;
  std::uint64_t seed;
  const index_entry* __restrict__ indices;
  T* slots = nullptr;
  T checksum{};

  template <class Meant>
  index_t index(bool on, index_t slot, const Meant&) const {
    return on ? index_t{indices[slot]} : 0;
  }
  T load(bool on, index_t i) const { return on ? in[i] : T{}; }
  void store(bool on, index_t i, T v) const {
    if (on) out[i] = v;
  }
  T made(bool, index_t i) const { return sectorbench::made<T>(i, seed); }
  void sink(bool on, T v) {
    if (on) checksum = folded(checksum, v);
  }
  template <int V>
  pack<T, V> load(bool on, index_t i, together_t<V>) const {
    pack<T, V> values{};
    if (on) std::memcpy(&values, in + i, sizeof(values));
    return values;
  }
  template <int V>
  void store(bool on, index_t i, const pack<T, V>& v) const {
    if (on) std::memcpy(out + i, &v, sizeof(v));
  }
  void stage(bool on, index_t slot, T v) const {
    if (on) slots[slot] = v;
  }
  T staged(bool on, index_t slot) const { return on ? slots[slot] : T{}; }
  T sum(T a, T b) const { return sum_of(a, b); }
  T worked(T v, unsigned times) const { return worked_on(v, times); }
};

/// Calls `body(i)` for i from 0 to count - 1. Each core takes a run of consecutive numbers, as a
/// CPU's thread walks its part of an array. stop_passes ends it early, where no time is taken.
/// @param by_team as in launch_data
template <class Body>
void share_out(index_t count, bool by_team, const Body& body) {
  if (by_team) {
#pragma omp for schedule(static) nowait
    for (index_t i = 0; i < count; ++i) body(i);
  } else {
#pragma omp parallel for schedule(static) if (count > 1)
    for (index_t i = 0; i < count; ++i)
      if (!stop_passes.load(std::memory_order_relaxed)) body(i);
  }
}

/// Calls `body(first)` for every block of the launch with its first thread. @param by_team as in
/// launch_data; a wrong one makes every thread of the team do the whole launch
template <class Body>
void on_all_cores(const launch_shape& shape, bool by_team, const Body& body) {
  const auto u = [](index_t v) { return static_cast<unsigned>(v); };
  share_out(shape.blocks(), by_team, [&](index_t block) {
    body(lane{0, 0, u(block % shape.grid_x), u(block / shape.grid_x % shape.grid_y),
              u(block / shape.grid_x / shape.grid_y), shape.block.x, shape.block.y, u(shape.grid_x),
              u(shape.grid_y)});
  });
}

/// Calls `body(lane)` for every thread of a block, one after another.
template <class Body>
void for_each_thread_of(lane thread, const Body& body) {
  for (thread.thread_y = 0; thread.thread_y < thread.block_size_y; ++thread.thread_y)
    for (thread.thread_x = 0; thread.thread_x < thread.block_size_x; ++thread.thread_x)
      body(thread);
}

/// The sum of two checksums. Not `folded`: a plain sum over threads can be vectorised.
template <class T>
T added(T a, T b) {
  if constexpr (sizeof(T) == 16) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
  } else {
    return static_cast<T>(a + b);
  }
}

/// Makes the compiler believe that `value` is used, so that it cannot remove what it comes from.
template <class T>
void keep_alive(const T& value) {
  asm volatile("" : : "m"(value));
}

}  // namespace sectorbench
