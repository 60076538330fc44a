// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/timing.hpp"
#include "sectorbench/cuda/device.hpp"
#include "sectorbench/cuda/event.hpp"
#include "sectorbench/cuda/stream.hpp"
#include "test/device/require_gpu.hpp"

namespace sectorbench {
namespace {

__global__ void wait_kernel(std::int64_t wait_ns) {
  std::int64_t start = 0;
  std::int64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < wait_ns);
}

constexpr std::int64_t kWaitNanoseconds = 100'000;
constexpr double kWaitSeconds = 100e-6;

void launch_wait(const cuda_stream& stream) {
  wait_kernel<<<1, 1, 0, stream.get()>>>(kWaitNanoseconds);
  SECTORBENCH_CUDA_CHECK(cudaGetLastError());
}

class Timing : public gpu_test {
 protected:
  // Every kernel has run once before it is timed.
  static void warm_up(const cuda_stream& stream) {
    launch_wait(stream);
    stream.synchronize();
  }
};

using Blocking = Timing;
using CudaObjects = gpu_test;

TEST_F(Timing, EventPairAroundAKernelSpansIt) {
  const cuda_stream stream;
  warm_up(stream);
  const cuda_event start;
  const cuda_event stop;
  start.record(stream.get());
  launch_wait(stream);
  stop.record(stream.get());
  stop.synchronize();
  EXPECT_GT(elapsed_s(start, stop), 0.5 * kWaitSeconds);
}

TEST_F(Timing, UnblockedBatchSpansAllItsLaunches) {
  const cuda_stream stream;
  warm_up(stream);
  const batch_time batch = time_batch(stream.get(), 10, [&] { launch_wait(stream); });
  EXPECT_GT(batch.elapsed_s, 10 * 0.5 * kWaitSeconds);
  EXPECT_EQ(batch.retries, 0);
  EXPECT_FALSE(batch.blocked);
}

TEST_F(Timing, BlockedBatchTakesAboutAsLongAsAnUnblockedOne) {
  if (const std::string tool = blocking_forbidden(); !tool.empty()) GTEST_SKIP() << tool;
  const cuda_stream stream;
  warm_up(stream);
  stream_blocker blocker;
  const auto enqueue = [&] { launch_wait(stream); };
  const batch_time blocked = time_batch(stream.get(), 10, enqueue, &blocker);
  const batch_time unblocked = time_batch(stream.get(), 10, enqueue);
  EXPECT_TRUE(blocked.blocked);
  EXPECT_GT(blocked.elapsed_s, 0.5 * unblocked.elapsed_s);
  EXPECT_LT(blocked.elapsed_s, 2.0 * unblocked.elapsed_s);
}

TEST_F(Timing, LargestBlockedBatchDoesNotFillTheLaunchQueue) {
  if (const std::string tool = blocking_forbidden(); !tool.empty()) GTEST_SKIP() << tool;
  const cuda_stream stream;
  warm_up(stream);
  stream_blocker blocker;
  const batch_time batch = time_batch(
      stream.get(), kMaxBlockedLaunches, [&] { launch_wait(stream); }, &blocker);
  EXPECT_GT(batch.elapsed_s, kMaxBlockedLaunches * 0.5 * kWaitSeconds);
}

TEST_F(Timing, BatchOfNoLaunchesOrTooManyBlockedOnesIsRefused) {
  const cuda_stream stream;
  stream_blocker blocker;
  const auto enqueue = [] { FAIL(); };
  EXPECT_THROW(time_batch(stream.get(), 0, enqueue), std::invalid_argument);
  EXPECT_THROW(time_batch(stream.get(), kMaxBlockedLaunches + 1, enqueue, &blocker),
               std::invalid_argument);
}

TEST_F(Timing, FailedLaunchInABatchThrowsAndTheNextBatchWorks) {
  const cuda_stream stream;
  warm_up(stream);
  const auto bad_launch = [&] { wait_kernel<<<1, 4096, 0, stream.get()>>>(kWaitNanoseconds); };
  try {
    time_batch(stream.get(), 3, bad_launch);
    ADD_FAILURE() << "4096 threads in a block were accepted";
  } catch (const cuda_error& error) {
    // Drivers differ in which of the two they say.
    EXPECT_TRUE(error.code() == cudaErrorInvalidConfiguration ||
                error.code() == cudaErrorInvalidValue)
        << error.what();
    EXPECT_FALSE(error.sticky());
  }
  EXPECT_GT(time_batch(stream.get(), 1, [&] { launch_wait(stream); }).elapsed_s, 0);
}

TEST_F(Timing, EventFloorIsFarBelowAMillisecond) {
  const cuda_stream stream;
  const double floor_s = measure_event_floor_s(stream.get());
  EXPECT_GE(floor_s, 0);
  EXPECT_LT(floor_s, 1e-3);
}

TEST_F(Timing, SettledClockIsAPlausibleSmClock) {
  const cuda_stream stream;
  const settled_clock clock = clock_settler().settle(stream.get());
  EXPECT_GT(clock.sm_clock_hz, 0.3e9);
  EXPECT_LT(clock.sm_clock_hz, 4.0e9);
  EXPECT_GE(clock.windows, kSettledWindows);
  EXPECT_GT(clock.settle_s, 0);
}

TEST_F(Blocking, BlockerGivesUpByItself) {
  const cuda_stream stream;
  stream_blocker blocker(0.02);
  blocker.hold(stream.get());
  stream.synchronize();
  EXPECT_TRUE(blocker.gave_up());
}

TEST_F(Blocking, ReleasedBlockerDidNotGiveUp) {
  if (const std::string tool = blocking_forbidden(); !tool.empty()) GTEST_SKIP() << tool;
  const cuda_stream stream;
  stream_blocker blocker;
  for (int hold = 0; hold < 1000; ++hold) {
    blocker.hold(stream.get());
    blocker.release();
  }
  stream.synchronize();
  EXPECT_FALSE(blocker.gave_up());
}

TEST_F(Blocking, BatchThatWaitsForTheHeldStreamIsReported) {
  const cuda_stream stream;
  warm_up(stream);
  stream_blocker blocker(0.02);
  int calls = 0;
  const auto wait_for_it = [&] {
    ++calls;
    stream.synchronize();
  };
  EXPECT_THROW(time_batch(stream.get(), 1, wait_for_it, &blocker), blocking_failed);
  EXPECT_EQ(calls, 1 + kMaxBatchRetries);
}

TEST_F(Blocking, BatchThatWaitedOnceIsTimedAgainAndCounted) {
  if (const std::string tool = blocking_forbidden(); !tool.empty()) GTEST_SKIP() << tool;
  const cuda_stream stream;
  warm_up(stream);
  stream_blocker blocker(0.1);
  bool first = true;
  const auto wait_once = [&] {
    if (std::exchange(first, false)) stream.synchronize();
    launch_wait(stream);
  };
  EXPECT_EQ(time_batch(stream.get(), 1, wait_once, &blocker).retries, 1);
}

TEST_F(Blocking, ExceptionInABatchLetsTheStreamGo) {
  if (const std::string tool = blocking_forbidden(); !tool.empty()) GTEST_SKIP() << tool;
  const cuda_stream stream;
  stream_blocker blocker;
  const auto fail = [] { throw std::domain_error("not launched"); };
  EXPECT_THROW(time_batch(stream.get(), 1, fail, &blocker), std::domain_error);
  stream.synchronize();
  EXPECT_FALSE(blocker.gave_up());
}

TEST_F(CudaObjects, ImpossibleAllocationNamesItsBytesAndLeavesNoErrorBehind) {
  try {
    const device_buffer buffer(std::int64_t{1} << 60);
    ADD_FAILURE() << "an exbibyte was allocated";
  } catch (const cuda_error& error) {
    EXPECT_EQ(error.code(), cudaErrorMemoryAllocation);
    EXPECT_NE(std::string(error.what()).find("1152921504606846976 bytes"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQ(device_buffer(1024).bytes(), 1024);
}

TEST_F(CudaObjects, MovedFromBufferIsEmptyAndTheOtherHasTheMemory) {
  device_buffer first(1024);
  void* const data = first.data();
  const device_buffer second = std::move(first);
  EXPECT_EQ(second.data(), data);
  EXPECT_EQ(second.bytes(), 1024);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move): what is tested
  EXPECT_EQ(first.bytes(), 0);
  EXPECT_EQ(first_noted_cuda_failure().value_or(""), "");
}

TEST_F(CudaObjects, EmptyBufferHasNoBytes) {
  EXPECT_EQ(device_buffer().bytes(), 0);
  EXPECT_EQ(device_buffer(0).bytes(), 0);
}

TEST_F(CudaObjects, MappedArrayStartsZeroed) {
  const mapped_array<int> array(100);
  for (const int element : array.host()) EXPECT_EQ(element, 0);
  EXPECT_EQ(array.host().size(), 100u);
}

TEST_F(CudaObjects, DeviceIsDescribedCompletely) {
  const device_info info = query_device(0);
  EXPECT_FALSE(info.name.empty());
  EXPECT_TRUE(std::regex_match(
      info.uuid, std::regex("GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")))
      << info.uuid;
  EXPECT_TRUE(std::regex_match(info.pci_bus_id,
                               std::regex("[0-9a-fA-F]+:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\\.[0-7]")))
      << info.pci_bus_id;
  EXPECT_GE(info.compute_major, 7);
  EXPECT_GT(info.sm_count, 0);
  EXPECT_GT(info.l2_bytes, 0);
  EXPECT_GT(info.memory_bytes, 0);
  EXPECT_GE(info.driver_version, 12040);
  EXPECT_EQ(info.runtime_version, CUDART_VERSION);
  const device_memory memory = query_memory();
  EXPECT_GT(memory.free_bytes, 0);
  EXPECT_LE(memory.free_bytes, memory.total_bytes);
}

}  // namespace
}  // namespace sectorbench
