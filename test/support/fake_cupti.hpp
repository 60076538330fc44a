// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// @file
/// What the stand-in for CUPTI (fake_cupti.cpp) answers, for the tests to know beforehand.

namespace sectorbench::test {

inline constexpr unsigned kFakeCuptiVersion = 131313;
inline constexpr const char* kFakeChip = "FAKE1";
inline constexpr int kFakePasses = 3;

/// The counters that the chip offers, each as a sum and as a share of its peak.
inline constexpr std::array kFakeCounters{
    "smsp__inst_executed_op_global_ld",
    "smsp__inst_executed_op_global_st",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit",
    "lts__t_sectors_srcunit_tex_op_read",
    "lts__t_sectors_srcunit_tex_op_write",
    "lts__t_sectors_srcunit_tex_op_read_lookup_hit",
    "lts__t_sectors_data_ecc",
    "lts__t_sectors_lookup_miss_data_promoted",
    "dram__bytes_read",
    "dram__bytes_write",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st",
    "smsp__inst_executed",
    "sm__warps_active",
};

/// The place of the sectors stored: the first range has those of the program's probe.
inline constexpr std::size_t kFakeStoreSectors = 5;
inline constexpr double kFakeProbeSectors = 2048;

/// The value of counter `counter` (by its place in the list) in range `range`.
constexpr double fake_value(std::size_t range, std::size_t counter) {
  return 100.0 * static_cast<double>(range) +
         (counter == kFakeStoreSectors ? kFakeProbeSectors : static_cast<double>(counter));
}

/// The counter that the chip of the scenario "few_metrics" lacks.
inline constexpr const char* kFakeLackingCounter = "lts__t_sectors_data_ecc";

struct fake_kernel {
  const char* name;
  std::uint64_t start_ns, end_ns;
};

/// The kernels that each traced batch has, whatever the program launches, in the order of their
/// start. They are delivered in two buffers, out of order and among records of another kind.
inline constexpr std::array kFakeKernels{fake_kernel{"first_kernel", 1000, 3000},
                                         fake_kernel{"second_kernel", 3500, 5500},
                                         fake_kernel{"third_kernel", 6000, 9000}};

/// What was done to the stand-in since it was loaded.
struct fake_cupti_calls {
  int initialized = 0;
  int hosts = 0;  ///< that live now
  int enabled = 0, disabled = 0;
  int started = 0, stopped = 0;
  int pushed = 0, popped = 0;
  int misused = 0;  ///< calls that the real library refuses or that are out of order
  int tracing_enabled = 0, tracing_disabled = 0;
};

/// The function of the stand-in that returns its calls.
inline constexpr const char* kFakeCallsFunction = "sectorbench_fake_cupti_calls";
using fake_calls_function = const fake_cupti_calls* (*)();

}  // namespace sectorbench::test
