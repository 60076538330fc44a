// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sectorbench/execution/registry.hpp"
#include "sectorbench/pattern/pattern.hpp"

/// @file
/// Mistakes that benchmarks of memory access are known for, as programs that run.
///
/// None is registered, so that no suite has them. The bodies are for f32 copies; the last trap
/// reads.

namespace sectorbench::traps {

/// Strides by a guard: element t step is moved by thread t, those between by nobody.
struct skips {
  static constexpr std::string_view kName = "trap_skips";
  static constexpr std::string_view kClaims = "stride";
  static constexpr std::string_view kSummary = "a guard leaves elements out";
  static constexpr std::string_view kMapping = "thread t: element t stride, if there is one";
  static constexpr std::array kParameters{parameter_spec{"stride", 1, kMaxParameter, 2}};
  static constexpr bool kThreadsAffine = true;

  index_t n, step;

  static constexpr skips make(index_t n, std::span<const index_t> values) { return {n, values[0]}; }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t at = t.column() * step;
    a.move(at < n, at, at);
  }
};

/// Strides round and round: with a step and an n that have a common divisor d, each d-th element is
/// moved d times, and the others never.
struct modulo {
  static constexpr std::string_view kName = "trap_modulo";
  static constexpr std::string_view kClaims = "stride";
  static constexpr std::string_view kSummary = "the index wraps before all elements had their turn";
  static constexpr std::string_view kMapping = "thread t: element t stride modulo n";
  static constexpr std::array kParameters{parameter_spec{"stride", 1, kMaxParameter, 8}};
  static constexpr bool kThreadsAffine = false;

  index_t n, step;

  static constexpr modulo make(index_t n, std::span<const index_t> values) {
    return {n, values[0]};
  }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t thread = t.column();
    const index_t at = thread * step % n;
    a.move(thread < n, at, at);
  }
};

/// Moves what `stride` moves, but finds row and column of a thread by dividing.
struct division {
  static constexpr std::string_view kName = "trap_division";
  static constexpr std::string_view kClaims = "stride";
  static constexpr std::string_view kSummary = "64-bit division and remainder in the index";
  static constexpr std::string_view kMapping =
      "thread t of columns of c: element t % c stride + t / c";
  static constexpr std::array kParameters{parameter_spec{"stride", 1, kMaxParameter, 8}};
  static constexpr bool kThreadsAffine = false;

  index_t n, step, columns;

  static constexpr division make(index_t n, std::span<const index_t> values) {
    return {n, values[0], groups_of(values[0], n)};
  }
  constexpr launch_shape shape(block_size block) const {
    return row_of_threads(columns * step, block);
  }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t thread = t.column();
    const index_t row = thread / columns;
    const index_t at = thread % columns * step + row;
    a.move(row < step && at < n, at, at);
  }
};

/// The contiguous copy as a kernel of its own, which nothing has launched before.
struct fresh {
  static constexpr std::string_view kName = "trap_no_warm_up";
  static constexpr std::string_view kClaims = "contiguous";
  static constexpr std::string_view kSummary = "the first launch is what is timed";
  static constexpr std::string_view kMapping = "thread t: element t";
  static constexpr auto kParameters = kNoParameters;
  static constexpr bool kThreadsAffine = true;

  index_t n;

  static constexpr fresh make(index_t n, std::span<const index_t>) { return {n}; }
  constexpr launch_shape shape(block_size block) const { return row_of_threads(n, block); }
  constexpr side_extent loads() const { return {n}; }
  constexpr side_extent stores() const { return {n}; }

  template <class Access>
  SECTORBENCH_HD constexpr void run(const lane& t, const Access& a) const {
    const index_t at = t.column();
    a.move(at < n, at, at);
  }
};

/// Entries whose workload does one thing and means the registered pattern that it claims to be, as
/// a benchmark without verification would have it.
const pattern_entry& skips_as_stride();
const pattern_entry& modulo_as_stride();
const pattern_entry& division_as_stride();
const pattern_entry& fresh_as_contiguous();
/// Reads without using what was read, so that compilers remove the loads.
const pattern_entry& removed_loads_as_read();

/// The bodies as patterns of their own, which declare that they move every element once.
const pattern_entry& skips_as_declared();
const pattern_entry& modulo_as_declared();

}  // namespace sectorbench::traps
