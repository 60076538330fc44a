// SPDX-License-Identifier: Apache-2.0
#include "sectorbench/benchmark/launch_clock.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "bench/measure/counts.hpp"
#include "bench/measure/measurement.hpp"
#include "bench/telemetry/cupti/hardware_counters.hpp"
#include "bench/telemetry/tools_attached.hpp"

#if SECTORBENCH_HAS_CUDA
#include "kernels/timing.hpp"
#include "sectorbench/cuda/stream.hpp"
#endif

namespace sectorbench {
namespace {

constexpr double kSample_s = 2e-3;  // as rows are timed
constexpr int kWarmups = 3;

#if SECTORBENCH_HAS_CUDA

constexpr int kMostLaunches = kMaxBlockedLaunches;
// A GPU starts no two kernels of one stream within this time, however small they are.
constexpr double kLeastLaunch_s = 0.2e-6;
constexpr int kManyLaunches = 64;

/// Counters are for those who may read them: without them a benchmark has its times.
hardware_counters* counters_of_device() {
  static const std::unique_ptr<hardware_counters> opened = []() {
    std::unique_ptr<hardware_counters> counters;
    const char* const wanted = std::getenv("SECTORBENCH_COUNTERS");
    if (wanted != nullptr && std::string_view(wanted) == "off") return counters;
    int device = 0;
    SECTORBENCH_CUDA_CHECK(cudaGetDevice(&device));
    try {
      counters = open_hardware_counters(device, table_metrics());
    } catch (const cupti_unavailable&) {
    }
    return counters;
  }();
  return opened.get();
}

class device_clock {
 public:
  device_clock() {
    static const settled_clock settled = clock_settler().settle(stream_.get());
    static_cast<void>(settled);
    const process_view process = this_process();
    if (attached_tool(process).empty() && !launch_blocking_requested(process)) blocker_.emplace();
  }

  void run_once(const launch_clock::launch& queue) {
    queue(stream_.get());
    SECTORBENCH_CUDA_CHECK(cudaGetLastError());
    stream_.synchronize();
  }
  /// @throws std::runtime_error where nothing was queued in the stream
  void require_launches(const launch_clock::launch& queue) {
    if (time(queue, kManyLaunches).elapsed_s < kManyLaunches * kLeastLaunch_s)
      throw std::runtime_error(
          "the launch does not use the stream that it is given, so that its time cannot be "
          "measured");
  }
  timed_sample time(const launch_clock::launch& queue, int launches) {
    const auto enqueue = [&] { queue(stream_.get()); };
    if (blocker_) {
      try {
        const batch_time batch = time_batch(stream_.get(), launches, enqueue, &*blocker_);
        return {batch.elapsed_s, true};
      } catch (const blocking_failed&) {
        blocker_.reset();
      }
    }
    return {time_batch(stream_.get(), launches, enqueue).elapsed_s, false};
  }
  metric_values count(const launch_clock::launch& queue) {
    metric_values metrics;
    hardware_counters* const counters = counters_of_device();
    if (counters == nullptr) return metrics;
    const auto launch = [&](int) { run_once(queue); };
    try {
      const std::vector<double> values = counters->read(1, launch, launch).front();
      for (std::size_t i = 0; i < values.size(); ++i) metrics[counters->metrics()[i]] = values[i];
    } catch (const cupti_unavailable&) {
      metrics.clear();
    }
    return metrics;
  }

 private:
  cuda_stream stream_;
  std::optional<stream_blocker> blocker_;
};

#else

constexpr int kMostLaunches = 1 << 16;

class device_clock {
 public:
  void run_once(const launch_clock::launch& queue) { queue(nullptr); }
  void require_launches(const launch_clock::launch&) {}
  timed_sample time(const launch_clock::launch& queue, int launches) {
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    for (int i = 0; i < launches; ++i) queue(nullptr);
    return {std::chrono::duration<double>(clock::now() - start).count(), false};
  }
  metric_values count(const launch_clock::launch&) { return {}; }
};

#endif

}  // namespace

struct launch_clock::state {
  device_clock device;
  std::vector<timed_sample> samples;
  metric_values metrics;
  int launches = 0;     // of a batch
  int left = 0;         // launches of the last batch that no iteration has been given
  double launch_s = 0;  // of the last batch
};

launch_clock::launch_clock() : state_(std::make_unique<state>()) {}
launch_clock::~launch_clock() = default;

double launch_clock::next(const launch& queue) {
  state& now = *state_;
  if (now.launches == 0) {
    for (int i = 0; i < kWarmups; ++i) now.device.run_once(queue);
    now.metrics = now.device.count(queue);
    const double once_s = std::max(1e-9, now.device.time(queue, 1).elapsed_s);
    if (once_s < kSample_s / kMostLaunches) now.device.require_launches(queue);
    now.launches = static_cast<int>(
        std::clamp(std::ceil(kSample_s / once_s), 1.0, static_cast<double>(kMostLaunches)));
  }
  if (now.left == 0) {
    now.samples.push_back(now.device.time(queue, now.launches));
    now.left = now.launches;
    now.launch_s = now.samples.back().elapsed_s / now.launches;
  }
  --now.left;
  return now.launch_s;
}

std::vector<std::pair<std::string, double>> launch_clock::counters(
    std::int64_t useful_bytes) const {
  const state& now = *state_;
  if (now.samples.empty()) return {};
  const measurement result = summarise(now.samples, now.launches);
  counter_values values;
  add_spread(values, result);
  if (!now.metrics.empty())
    add_counts(values, useful_bytes, result.mean_s, 0, nullptr, now.metrics);
  return {values.all().begin(), values.all().end()};
}

}  // namespace sectorbench
