// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

/// @file
/// How much other work on the CPU delayed a sample, and how many threads take one.

namespace sectorbench {

/// The calling thread's clocks.
struct thread_reading {
  double wall_s = 0;             ///< monotonic
  double cpu_s = 0;              ///< that it ran
  double waited_s = 0;           ///< that it was ready and did not run
  bool has_waited = false;       ///< whether the kernel tells that (schedstat)
  std::int64_t preemptions = 0;  ///< involuntary context switches
};

/// What one thread did between two readings of its clocks.
struct thread_span {
  thread_reading begin, end;
};

/// Reads the calling thread's clocks, and /proc below `root`; `wall_s` last.
thread_reading read_thread(const std::filesystem::path& root = "/");
/// The same with `wall_s` first, for the end of a span.
thread_reading read_thread_end(const std::filesystem::path& root = "/");

/// Seconds that the hypervisor took from the machine's CPUs since it began.
double read_steal_s(const std::filesystem::path& root = "/");

/// From the first thread's begin to the last one's end, in seconds. @pre spans is not empty
double elapsed_s(std::span<const thread_span> spans);

/// The largest share of elapsed_s(), from 0 to 1, for which a thread waited for a CPU: to begin,
/// and after that; stolen time included. Where the kernel does not tell it: the CPU time that a
/// preempted thread lacks. @pre spans is not empty
double disturbed_share(std::span<const thread_span> spans, double stolen_s);

/// A sample that lost more than this is taken again, and a row that did is labelled.
inline constexpr double kDisturbedShare = 0.1;

/// Most threads that OMP_NUM_THREADS may ask for, on a machine with this many hardware threads.
int max_threads(int hardware_threads);

/// Makes OpenMP take as many threads as the process may use CPUs: those of its affinity mask, at
/// most the control group's quota rounded up. OMP_NUM_THREADS wins. @throws usage_error if that is
/// no number from 1 to max_threads()
void choose_threads();

}  // namespace sectorbench
