// SPDX-License-Identifier: Apache-2.0
#include "bench/devices/disturbance.hpp"

#include <omp.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

#include "bench/devices/host_info.hpp"
#include "bench/support/text.hpp"

namespace sectorbench {
namespace {

namespace fs = std::filesystem;

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

thread_reading read_thread_end(const fs::path& root) {
  thread_reading now;
  now.wall_s = seconds_of(CLOCK_MONOTONIC);
  now.cpu_s = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  double ran_ns = 0, waited_ns = 0;
  if (std::ifstream file(root / "proc/thread-self/schedstat"); file >> ran_ns >> waited_ns) {
    now.has_waited = ran_ns > 0;  // zeros: the kernel keeps no account
    now.waited_s = waited_ns * 1e-9;
  }
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) == 0) now.preemptions = usage.ru_nivcsw;
  return now;
}

thread_reading read_thread(const fs::path& root) {
  thread_reading now = read_thread_end(root);
  now.cpu_s = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  now.wall_s = seconds_of(CLOCK_MONOTONIC);
  return now;
}

double read_steal_s(const fs::path& root) {
  std::ifstream stat(root / "proc/stat");  // cpu user nice system idle iowait irq softirq steal
  std::string name;
  stat >> name;
  double ticks = 0;
  for (int field = 0; field < 8; ++field) stat >> ticks;
  return stat && name == "cpu" ? ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0;
}

double elapsed_s(std::span<const thread_span> spans) {
  double begin_s = spans.front().begin.wall_s, end_s = spans.front().end.wall_s;
  for (const thread_span& span : spans) {
    begin_s = std::min(begin_s, span.begin.wall_s);
    end_s = std::max(end_s, span.end.wall_s);
  }
  return end_s - begin_s;
}

double disturbed_share(std::span<const thread_span> spans, double stolen_s) {
  const double all_s = elapsed_s(spans);
  if (all_s <= 0) return 0;
  double first_s = spans.front().begin.wall_s;
  for (const thread_span& span : spans) first_s = std::min(first_s, span.begin.wall_s);
  double most_s = 0;
  for (const auto& [begin, end] : spans) {
    double lost_s = begin.wall_s - first_s;  // it was late: it did not get a CPU to begin on
    if (end.has_waited)
      lost_s += end.waited_s - begin.waited_s;
    else if (end.preemptions > begin.preemptions)
      lost_s += (end.wall_s - begin.wall_s) - (end.cpu_s - begin.cpu_s);
    most_s = std::max(most_s, lost_s);
  }
  return std::clamp((most_s + stolen_s) / all_s, 0.0, 1.0);
}

int max_threads(int hardware_threads) { return std::max(256, 4 * hardware_threads); }

void choose_threads() {
  const char* const asked = std::getenv("OMP_NUM_THREADS");
  if (asked == nullptr || *asked == '\0') {
    const double quota = read_host_info().cpu_quota;
    const int threads = omp_get_num_procs();  // of the affinity mask
    omp_set_num_threads(quota > 0 ? std::clamp(static_cast<int>(std::ceil(quota)), 1, threads)
                                  : threads);
    return;
  }
  const std::string_view text(asked);
  const std::string_view first = text.substr(0, text.find(','));  // the others: nested regions
  const int most = max_threads(omp_get_num_procs());
  int threads = 0;
  const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), threads);
  if (error != std::errc{} || end != first.data() + first.size() || threads < 1 || threads > most)
    throw usage_error("OMP_NUM_THREADS=" + sanitize(text.substr(0, 60)) +
                      ": give a number from 1 to " + std::to_string(most) + ", or unset it");
}

}  // namespace sectorbench
