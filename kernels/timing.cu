// SPDX-License-Identifier: Apache-2.0
#include "kernels/timing.hpp"

#if SECTORBENCH_HAS_CUDA

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sectorbench/cuda/event.hpp"
#include "sectorbench/cuda/stream.hpp"

namespace sectorbench {
namespace {

__device__ std::int64_t global_timer_ns() {
  std::int64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

// The words lie in host memory; volatile accesses are what PTX calls relaxed at system scope.
__global__ void hold_stream_kernel(const volatile unsigned* released, volatile unsigned* gave_up,
                                   unsigned ticket, std::int64_t limit_ns) {
  const std::int64_t start = global_timer_ns();
  while (static_cast<int>(*released - ticket) < 0) {
    if (global_timer_ns() - start > limit_ns) {
      *gave_up = ticket;
      __threadfence_system();
      return;
    }
    __nanosleep(200);  // the poll crosses the bus
  }
}

__global__ void spin_kernel(clock_settler::window* windows, std::int64_t window_ns) {
  const std::int64_t start_ns = global_timer_ns();
  const std::int64_t start_cycles = clock64();
  std::int64_t elapsed_ns = 0;
  do {
    elapsed_ns = global_timer_ns() - start_ns;
  } while (elapsed_ns < window_ns);
  const std::int64_t cycles = clock64() - start_cycles;
  if (threadIdx.x == 0) windows[blockIdx.x] = {cycles, elapsed_ns};
}

// More blocks than SMs, so that each SM has one; the first on an SM makes the stamp.
__global__ void stamp_kernel(sm_clock_meter::reading* readings, unsigned sms, unsigned* tickets,
                             unsigned ticket) {
  unsigned sm = 0;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (sm >= sms || atomicExch(tickets + sm, ticket) == ticket) return;
  readings[sm] = {clock64(), global_timer_ns()};
}

std::int64_t nanoseconds(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

std::size_t sm_count() {
  int device = 0;
  int count = 0;
  SECTORBENCH_CUDA_CHECK(cudaGetDevice(&device));
  SECTORBENCH_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return static_cast<std::size_t>(count);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Lets the stream go at the end of the scope, however that is left.
class scoped_hold {
 public:
  scoped_hold(stream_blocker* blocker, cudaStream_t stream) : blocker_(blocker) {
    if (blocker_) blocker_->hold(stream);
  }
  ~scoped_hold() {
    if (blocker_) blocker_->release();
  }
  scoped_hold(const scoped_hold&) = delete;
  scoped_hold& operator=(const scoped_hold&) = delete;

 private:
  stream_blocker* blocker_;
};

}  // namespace

void wait_for(cudaStream_t stream, double limit_s) {
  if (limit_s <= 0) {
    SECTORBENCH_CUDA_CHECK(cudaStreamSynchronize(stream));
    return;
  }
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  for (;;) {
    const cudaError_t state = cudaStreamQuery(stream);
    if (state != cudaErrorNotReady) {
      SECTORBENCH_CUDA_CHECK(state);
      return;
    }
    const double waited_s = std::chrono::duration<double>(clock::now() - start).count();
    if (waited_s > limit_s) throw launch_hangs("its launches have not ended");
    if (waited_s > 1e-3) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

stream_blocker::stream_blocker(double limit_s) : signals_(1), limit_s_(limit_s) {
  const cuda_stream stream;
  signals_.host()[0].released = ticket_ + 1;  // this hold is not to wait
  hold(stream.get());
  stream.synchronize();
}

stream_blocker::~stream_blocker() {
  release();
  note_cuda_failure(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void stream_blocker::hold(cudaStream_t stream) {
  ++ticket_;
  signals* words = signals_.device();
  hold_stream_kernel<<<1, 1, 0, stream>>>(&words->released, &words->gave_up, ticket_,
                                          nanoseconds(limit_s_));
  SECTORBENCH_CUDA_CHECK(cudaGetLastError());
}

void stream_blocker::release() noexcept {
  std::atomic_ref(signals_.host()[0].released).store(ticket_, std::memory_order_release);
}

bool stream_blocker::gave_up() const noexcept {
  return std::atomic_ref(signals_.host()[0].gave_up).load(std::memory_order_acquire) == ticket_;
}

namespace {

// Holds the stream while `queue` fills it, waits, and tries again if the hold gave up.
template <class Queue, class Elapsed>
batch_time time_queued(cudaStream_t stream, stream_blocker* blocker, const Queue& queue,
                       const Elapsed& elapsed) {
  for (int retries = 0; retries <= kMaxBatchRetries; ++retries) {
    {
      const scoped_hold hold(blocker, stream);
      queue();
    }
    const double seconds = elapsed();
    if (blocker && blocker->gave_up()) continue;
    if (!(seconds > 0)) throw std::runtime_error("the events around a batch measured no time");
    return {seconds, retries, blocker != nullptr};
  }
  throw blocking_failed("the stream blocker gave up " + std::to_string(kMaxBatchRetries + 1) +
                        " times after " + std::to_string(blocker->limit_s()) +
                        " s each: something makes the host wait for the device "
                        "(a profiler, CUDA_LAUNCH_BLOCKING=1)");
}

void check_batch(int launches, int most, const stream_blocker* blocker) {
  if (launches < 1 || (blocker && launches > most))
    throw std::invalid_argument("a batch of " + std::to_string(launches) +
                                " launches: needs 1 to " + std::to_string(most));
}

}  // namespace

batch_time time_batch(cudaStream_t stream, int launches, const std::function<void()>& enqueue,
                      stream_blocker* blocker, double limit_s) {
  check_batch(launches, kMaxBlockedLaunches, blocker);
  const cuda_event start;
  const cuda_event stop;
  const auto queue = [&] {
    start.record(stream);
    for (int i = 0; i < launches; ++i) enqueue();
    SECTORBENCH_CUDA_CHECK(cudaGetLastError());
    stop.record(stream);
  };
  return time_queued(stream, blocker, queue, [&] {
    wait_for(stream, limit_s);
    return elapsed_s(start, stop);
  });
}

batch_time time_launches_apart(cudaStream_t stream, int launches,
                               const std::function<void()>& before,
                               const std::function<void()>& enqueue, stream_blocker* blocker,
                               double limit_s) {
  check_batch(launches, kMaxBlockedLaunchesApart, blocker);
  const std::vector<cuda_event> starts(static_cast<std::size_t>(launches));
  const std::vector<cuda_event> stops(static_cast<std::size_t>(launches));
  const auto queue = [&] {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      before();
      starts[i].record(stream);
      enqueue();
      stops[i].record(stream);
    }
    SECTORBENCH_CUDA_CHECK(cudaGetLastError());
  };
  return time_queued(stream, blocker, queue, [&] {
    wait_for(stream, limit_s);
    double seconds = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) seconds += elapsed_s(starts[i], stops[i]);
    return seconds;
  });
}

sm_clock_meter::sm_clock_meter(cudaStream_t stream)
    : readings_(2 * sm_count()),
      tickets_(static_cast<std::int64_t>(sm_count() * sizeof(unsigned))) {
  SECTORBENCH_CUDA_CHECK(
      cudaMemsetAsync(tickets_.data(), 0, static_cast<std::size_t>(tickets_.bytes()), stream));
  begin(stream);
  SECTORBENCH_CUDA_CHECK(cudaStreamSynchronize(stream));
}

void sm_clock_meter::stamp(cudaStream_t stream, std::size_t which) {
  constexpr std::size_t kBlocksPerSm = 4;
  const std::size_t sms = readings_.host().size() / 2;
  const auto readings = readings_.host().subspan(which * sms, sms);
  std::ranges::fill(readings, reading{});
  stamp_kernel<<<static_cast<unsigned>(sms * kBlocksPerSm), 1, 0, stream>>>(
      readings_.device() + which * sms, static_cast<unsigned>(sms), tickets_.as<unsigned>(),
      ++ticket_);
  SECTORBENCH_CUDA_CHECK(cudaGetLastError());
}

double sm_clock_meter::clock_hz() const {
  const std::size_t sms = readings_.host().size() / 2;
  std::vector<double> clocks_hz;
  for (std::size_t sm = 0; sm < sms; ++sm) {
    const reading first = readings_.host()[sm];
    const reading second = readings_.host()[sms + sm];
    if (first.time_ns == 0 || second.time_ns <= first.time_ns) continue;
    clocks_hz.push_back(static_cast<double>(second.cycles - first.cycles) /
                        static_cast<double>(second.time_ns - first.time_ns) * 1e9);
  }
  return clocks_hz.empty() ? 0 : median(std::move(clocks_hz));
}

clock_settler::clock_settler() : windows_(sm_count()) {}

double clock_settler::measure_window_hz(cudaStream_t stream) {
  constexpr int kThreads = 256;
  spin_kernel<<<static_cast<unsigned>(windows_.host().size()), kThreads, 0, stream>>>(
      windows_.device(), nanoseconds(kWindowSeconds));
  SECTORBENCH_CUDA_CHECK(cudaGetLastError());
  SECTORBENCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  std::vector<double> clocks_hz;
  for (const window& sm : windows_.host())
    clocks_hz.push_back(static_cast<double>(sm.cycles) / static_cast<double>(sm.elapsed_ns) * 1e9);
  return median(std::move(clocks_hz));
}

settled_clock clock_settler::settle(cudaStream_t stream) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  settled_clock result;
  std::array<double, kSettledWindows> latest{};  // zeroes never agree
  do {
    result.sm_clock_hz = measure_window_hz(stream);
    latest[static_cast<std::size_t>(result.windows % kSettledWindows)] = result.sm_clock_hz;
    ++result.windows;
    result.settled = clocks_agree(latest);
    result.settle_s = std::chrono::duration<double>(clock::now() - start).count();
  } while (!result.settled && result.settle_s + kWindowSeconds < kLimitSeconds);
  return result;
}

double measure_event_floor_s(cudaStream_t stream, stream_blocker* blocker) {
  constexpr int kSamples = 21;
  const cuda_event start;
  const cuda_event stop;
  std::vector<double> floors_s;
  for (int sample = -1; sample < kSamples; ++sample) {  // the first warms up
    {
      const scoped_hold hold(blocker, stream);
      start.record(stream);
      stop.record(stream);
    }
    stop.synchronize();
    if (sample >= 0) floors_s.push_back(elapsed_s(start, stop));
  }
  return median(std::move(floors_s));
}

cudaError_t kernel_status() noexcept {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, hold_stream_kernel);
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
  return status;
}

int loaded_architecture() {
  cudaFuncAttributes attributes{};
  SECTORBENCH_CUDA_CHECK(cudaFuncGetAttributes(&attributes, hold_stream_kernel));
  return attributes.binaryVersion;
}

}  // namespace sectorbench

#endif  // SECTORBENCH_HAS_CUDA
