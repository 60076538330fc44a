// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#if SECTORBENCH_HAS_CUDA
#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>

#include "sectorbench/cuda/buffer.hpp"
#endif

namespace sectorbench {

/// Windows that must agree before the clock counts as settled, and how well (ratio).
inline constexpr int kSettledWindows = 3;
inline constexpr double kSettledSpread = 0.005;

/// Whether these clock readings (any one unit) differ by at most kSettledSpread of the lowest.
inline bool clocks_agree(const std::array<double, kSettledWindows>& clocks) {
  const auto [low, high] = std::minmax_element(clocks.begin(), clocks.end());
  return *low > 0 && *high - *low <= kSettledSpread * *low;
}

/// Launches did not end within the time that they were given, and still run.
class launch_hangs : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

#if SECTORBENCH_HAS_CUDA

/// Waits until the device has passed all that is in the stream now. @param limit_s 0: however long
/// that takes @throws cuda_error, launch_hangs
void wait_for(cudaStream_t stream, double limit_s);

/// Holds a stream back until the host has queued everything behind it.
///
/// A kernel of one thread waits for a word in host memory. Whatever makes the host wait for the
/// device meanwhile (a profiler, CUDA_LAUNCH_BLOCKING=1, the first launch of a kernel whose
/// module is not loaded yet) would be a deadlock, so the kernel gives up by itself after a limit;
/// what was timed then is not to be used.
class stream_blocker {
 public:
  static constexpr double kLimitSeconds = 0.25;

  /// A blocker for streams of the current device. Launches its kernel once, not waiting, so that
  /// its module is loaded. @throws cuda_error
  explicit stream_blocker(double limit_s = kLimitSeconds);
  /// Lets the stream go and waits for the device: the kernel reads this object's memory.
  ~stream_blocker();
  stream_blocker(const stream_blocker&) = delete;
  stream_blocker& operator=(const stream_blocker&) = delete;

  /// Queues the kernel that holds `stream`. @pre the last hold was released @throws cuda_error
  void hold(cudaStream_t stream);
  /// Lets the stream go.
  void release() noexcept;
  /// Whether the last hold ended by itself. @pre the stream has passed it
  bool gave_up() const noexcept;
  double limit_s() const noexcept { return limit_s_; }

 private:
  // Holds are numbered, as a word that is set and reset could be reset before the kernel saw it.
  struct signals {
    unsigned released;
    unsigned gave_up;
  };

  mapped_array<signals> signals_;
  unsigned ticket_ = 0;
  double limit_s_;
};

/// Every attempt to time a batch with the stream held ended in the blocker giving up.
class blocking_failed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Launches that may queue up behind a blocker. The driver's queue holds about a thousand, and
/// the launch that finds it full waits for the device.
inline constexpr int kMaxBlockedLaunches = 256;

/// How often a batch is timed again after its blocker gave up.
inline constexpr int kMaxBatchRetries = 2;

/// One event pair around a batch of launches.
struct batch_time {
  double elapsed_s = 0;  ///< of the whole batch; always > 0
  int retries = 0;       ///< attempts that were thrown away
  bool blocked = false;  ///< whether the stream was held while the launches were queued
};

/// Times `launches` calls of `enqueue`, each of which queues one launch in `stream`.
///
/// With a blocker the stream is held until all are queued, so that the time is the device's
/// alone. Waits for the batch to end. The stream is let go whatever `enqueue` throws.
/// @pre what `enqueue` launches has run once before; `enqueue` does not wait for the device
/// @param limit_s how long to wait for the batch at most; 0: for as long as it takes
/// @throws cuda_error, blocking_failed, launch_hangs, what `enqueue` throws, std::invalid_argument
/// for a number of launches below 1 or, blocked, above kMaxBlockedLaunches, std::runtime_error when
/// the events say that no time passed
batch_time time_batch(cudaStream_t stream, int launches, const std::function<void()>& enqueue,
                      stream_blocker* blocker = nullptr, double limit_s = 0);

/// Times `launches` calls of `enqueue`, each between events of its own and after a call of
/// `before`, which queues what is not to be timed. Otherwise as `time_batch`; `elapsed_s` is the
/// sum of the pairs.
/// @pre what `before` launches has run once before; `before` does not wait for the device
batch_time time_launches_apart(cudaStream_t stream, int launches,
                               const std::function<void()>& before,
                               const std::function<void()>& enqueue,
                               stream_blocker* blocker = nullptr, double limit_s = 0);

/// Launches of `time_launches_apart` that may queue up behind a blocker: each takes four places.
inline constexpr int kMaxBlockedLaunchesApart = 128;

/// Measures the SM clock over what is queued between two stamps in a stream.
class sm_clock_meter {
 public:
  /// A meter for the current device. Stamps once, so that the kernel is loaded. @throws cuda_error
  explicit sm_clock_meter(cudaStream_t stream);

  /// Queues the first or the second stamp; neither waits. @throws cuda_error
  void begin(cudaStream_t stream) { stamp(stream, 0); }
  void end(cudaStream_t stream) { stamp(stream, 1); }
  /// Median over the SMs of cycles / time between the stamps, 0 if none was seen twice.
  /// @pre the stream has passed the second stamp
  double clock_hz() const;

  /// What an SM's counters show at a stamp.
  struct reading {
    std::int64_t cycles;
    std::int64_t time_ns;
  };

 private:
  void stamp(cudaStream_t stream, std::size_t which);

  mapped_array<reading> readings_;  // of the first stamp, then of the second, by SM
  device_buffer tickets_;           // the latest stamp that each SM has made
  unsigned ticket_ = 0;
};

/// How settling the SM clock went.
struct settled_clock {
  bool settled = false;    ///< whether the last kSettledWindows windows agreed
  double settle_s = 0;     ///< wall time that it took
  double sm_clock_hz = 0;  ///< median over the SMs in the last window
  int windows = 0;         ///< measured in all
};

/// Keeps every SM busy until its clock has stopped changing.
class clock_settler {
 public:
  static constexpr double kWindowSeconds = 0.010;
  static constexpr double kLimitSeconds = 1.0;

  /// A settler for the current device. @throws cuda_error
  clock_settler();

  /// Spins until the clock, as cycles over the global timer, is stable, one second at most.
  /// @throws cuda_error
  settled_clock settle(cudaStream_t stream);

  /// What one SM measured in a window.
  struct window {
    std::int64_t cycles;
    std::int64_t elapsed_ns;
  };

 private:
  double measure_window_hz(cudaStream_t stream);

  mapped_array<window> windows_;  // one per SM
};

/// Seconds between two events with nothing between them: median of 21 pairs, each held back by
/// `blocker` if there is one. @throws cuda_error
double measure_event_floor_s(cudaStream_t stream, stream_blocker* blocker = nullptr);

/// What the current device says to a kernel of this program: cudaSuccess, or why none can run
/// there (no code for its architecture, or no context to be had). Makes the context.
cudaError_t kernel_status() noexcept;

/// The architecture of the machine code that the current device runs, such as 90. @throws
/// cuda_error
int loaded_architecture();

#endif  // SECTORBENCH_HAS_CUDA

}  // namespace sectorbench
