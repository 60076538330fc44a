// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/telemetry/tools_attached.hpp"
#include "kernels/timing.hpp"

#if SECTORBENCH_HAS_CUDA
#include <cstdint>
#include <type_traits>

#include "sectorbench/cuda/buffer.hpp"
#include "sectorbench/cuda/device.hpp"
#include "sectorbench/cuda/error.hpp"
#include "sectorbench/cuda/event.hpp"
#include "sectorbench/cuda/stream.hpp"
#endif

namespace sectorbench {
namespace {

process_view with_variable(const std::string& variable) {
  return {{"PATH=/usr/bin", variable, "HOME=/root"}, ""};
}

process_view with_library(const std::string& path) {
  return {{"PATH=/usr/bin"},
          "555555554000-555555558000 r--p 00000000 08:01 131 /usr/bin/benchmark\n"
          "7ffff7c00000-7ffff7c28000 rw-p 00000000 00:00 0 \n"
          "7ffff7d00000-7ffff7d28000 r-xp 00000000 08:01 132                        " +
              path + "\n7ffff7fc3000-7ffff7fc5000 r-xp 00000000 00:00 0 [vdso]\n"};
}

struct tool_case {
  process_view view;
  std::string tool;
};

TEST(ToolsAttached, KnownTracesNameTheirTool) {
  const std::vector<tool_case> cases = {
      {with_variable("NV_SANITIZER_INJECTION_PORT_BASE=49152"), "compute-sanitizer"},
      {with_variable("NV_SANITIZER_INJECTION_TRANSPORT_TYPE=uds"), "compute-sanitizer"},
      {with_library("/cuda/compute-sanitizer/libsanitizer-collection.so"), "compute-sanitizer"},
      {with_library("/a folder/libsanitizer-public.so"), "compute-sanitizer"},
      {with_variable("NSYS_PROFILING_SESSION_ID=7"), "nsys"},
      {with_variable("CUDA_INJECTION64_PATH=/opt/nsys/libToolsInjection64.so"), "nsys"},
      {with_variable("NVTX_INJECTION64_PATH=/opt/nsys/libToolsInjection64.so"), "nsys"},
      {with_variable("LD_PRELOAD=/a/libz.so:/opt/nsys/libToolsInjectionProxy64.so"), "nsys"},
      {with_library("/opt/nsys/target-linux-x64/libToolsInjection64.so"), "nsys"},
      {with_variable("NV_COMPUTE_PROFILER_PERFWORKS_DIR=/opt/ncu"), "ncu"},
      {with_variable("NV_NSIGHT_INJECTION_TRANSPORT_TYPE=uds"), "ncu"},
      {with_library("/opt/ncu/target/linux-desktop-glibc_2_11_3-x64/libcuda-injection.so"), "ncu"},
      {with_variable("NVPROF_ID=1"), "nvprof"},
      {with_library("/opt/x/libTreeLauncherTargetInjection.so"), "an Nsight tool"},
      {with_variable("CUDA_INJECTION64_PATH=/home/me/libmytrace.so"),
       "a CUDA injection library (libmytrace.so)"},
  };
  for (const tool_case& known : cases)
    EXPECT_EQ(attached_tool(known.view), known.tool)
        << known.view.environment[1 % known.view.environment.size()] << '\n'
        << known.view.maps;
}

TEST(ToolsAttached, NameOfTheToolWinsOverItsLauncher) {
  process_view view = with_library("/cuda/compute-sanitizer/libTreeLauncherTargetInjection.so");
  view.maps += with_library("/cuda/compute-sanitizer/libsanitizer-public.so").maps;
  EXPECT_EQ(attached_tool(view), "compute-sanitizer");
}

TEST(ToolsAttached, OrdinaryProcessHasNone) {
  for (const process_view& view :
       {process_view{}, with_variable("LD_PRELOAD=/usr/lib/libjemalloc.so.2"),
        with_variable("NV_COMPUTE_PROFILER_DISABLE_STOCK_FILE_DEPLOYMENT=1"),
        with_variable("CUDA_INJECTION64_PATH="), with_variable("NVTX_INJECTION64_PATH=/a/libx.so"),
        with_library("/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05"),
        with_library("/usr/local/cuda/lib64/libcupti.so.13"),
        with_library("/usr/lib/x86_64-linux-gnu/libasan.so.8"),
        // Only file names count.
        with_library("/home/me/libsanitizer-public.so/libc.so.6"),
        with_library("/opt/nvidia/nsight-compute/libc.so.6")})
    EXPECT_EQ(attached_tool(view), "");
}

TEST(ToolsAttached, ThisProcessIsSeen) {
  const process_view view = this_process();
  EXPECT_FALSE(view.environment.empty());
#if defined(__linux__)
  EXPECT_NE(view.maps.find("libc"), std::string::npos);
#endif
}

TEST(ToolsAttached, LaunchBlockingIsAnyValueButZero) {
  EXPECT_TRUE(launch_blocking_requested(with_variable("CUDA_LAUNCH_BLOCKING=1")));
  EXPECT_FALSE(launch_blocking_requested(with_variable("CUDA_LAUNCH_BLOCKING=0")));
  EXPECT_FALSE(launch_blocking_requested(with_variable("CUDA_LAUNCH_BLOCKING=")));
  EXPECT_FALSE(launch_blocking_requested(with_variable("XCUDA_LAUNCH_BLOCKING=1")));
  EXPECT_FALSE(launch_blocking_requested({}));
}

TEST(ClocksAgree, WithinHalfAPercentOfTheLowest) {
  EXPECT_TRUE(clocks_agree({1.980e9, 1.980e9, 1.980e9}));
  EXPECT_TRUE(clocks_agree({1.000e9, 1.004e9, 1.002e9}));
  EXPECT_FALSE(clocks_agree({1.000e9, 1.006e9, 1.003e9}));
  EXPECT_FALSE(clocks_agree({0.0, 1.980e9, 1.980e9}));
  EXPECT_FALSE(clocks_agree({0.0, 0.0, 0.0}));
}

#if SECTORBENCH_HAS_CUDA

static_assert(!std::is_copy_constructible_v<cuda_stream>);
static_assert(!std::is_copy_constructible_v<cuda_event>);
static_assert(!std::is_copy_constructible_v<device_buffer>);
static_assert(!std::is_copy_constructible_v<mapped_array<int>>);
static_assert(std::is_nothrow_move_constructible_v<cuda_stream>);
static_assert(std::is_nothrow_move_assignable_v<cuda_event>);
static_assert(std::is_nothrow_move_assignable_v<device_buffer>);
static_assert(std::is_nothrow_move_constructible_v<mapped_array<int>>);

double peak_of(int memory_clock_khz, int memory_bus_bits) {
  device_info info;
  info.memory_clock_khz = memory_clock_khz;
  info.memory_bus_bits = memory_bus_bits;
  return info.peak_bytes_per_s();
}

TEST(DeviceInfo, PeakIsTwoTransfersPerClockTimesTheWidth) {
  EXPECT_DOUBLE_EQ(peak_of(5'005'000, 256), 320.32e9);
  EXPECT_DOUBLE_EQ(peak_of(3'201'000, 6016), 4814.304e9);
  EXPECT_DOUBLE_EQ(peak_of(1'593'000, 5120), 2039.04e9);
}

TEST(DeviceInfo, PeakIsZeroWhereClockOrWidthIsUnknown) {
  EXPECT_EQ(peak_of(0, 256), 0);
  EXPECT_EQ(peak_of(5'005'000, 0), 0);
}

TEST(DeviceInfo, UuidReadsAsNvidiaSmiPrintsIt) {
  cudaUUID_t uuid{};
  for (int i = 0; i < 16; ++i) uuid.bytes[i] = static_cast<char>(0x0f + 0x10 * i);
  EXPECT_EQ(uuid_text(uuid), "GPU-0f1f2f3f-4f5f-6f7f-8f9f-afbfcfdfefff");
}

TEST(DeviceInfo, VersionsReadAsPeopleWriteThem) {
  EXPECT_EQ(cuda_version_text(12040), "12.4");
  EXPECT_EQ(cuda_version_text(13000), "13.0");
}

TEST(DevicePresence, NoDriverOrNoDeviceIsAbsent) {
  EXPECT_EQ(classify_devices(0, cudaErrorInsufficientDriver, 0).state, device_state::kAbsent);
  EXPECT_EQ(classify_devices(0, cudaErrorInsufficientDriver, 0).cuda_code, 35);
  EXPECT_EQ(classify_devices(13000, cudaErrorNoDevice, 0).state, device_state::kAbsent);
  EXPECT_EQ(classify_devices(13000, cudaSuccess, 0).state, device_state::kAbsent);
}

TEST(DevicePresence, SuccessIsPresentWithItsCount) {
  const device_presence found = classify_devices(13000, cudaSuccess, 2);
  EXPECT_EQ(found.state, device_state::kPresent);
  EXPECT_EQ(found.count, 2);
  EXPECT_EQ(found.cuda_code, 0);
}

TEST(DevicePresence, AnyOtherErrorIsBrokenAndSaysWhatMendsIt) {
  for (const int code : {2, 3, 34, 35, 46, 98, 101, 200, 209, 222, 700, 802, 803, 804, 805, 999}) {
    const device_presence found = classify_devices(11040, static_cast<cudaError_t>(code), 1);
    EXPECT_EQ(found.state, device_state::kBroken) << code;
    EXPECT_EQ(found.count, 0) << code;
    EXPECT_EQ(found.cuda_code, code);
    EXPECT_NE(found.detail.find("(" + std::to_string(code) + ")"), std::string::npos)
        << found.detail;
    EXPECT_NE(found.detail.find(device_remedy(static_cast<cudaError_t>(code), 11040)),
              std::string::npos);
    EXPECT_EQ(found.detail.find('\n'), std::string::npos);
  }
}

TEST(DevicePresence, OldDriverNamesBothVersions) {
  const std::string detail = classify_devices(11040, cudaErrorInsufficientDriver, 0).detail;
  EXPECT_NE(detail.find("up to 11.4"), std::string::npos) << detail;
  EXPECT_NE(detail.find("needs " + cuda_version_text(CUDART_VERSION)), std::string::npos) << detail;
}

TEST(CudaError, StickyCodesAreThoseThatEndTheProcessesCudaWork) {
  for (const int code : {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911})
    EXPECT_TRUE(is_sticky(static_cast<cudaError_t>(code))) << code;
  for (const int code : {0, 1, 2, 3, 4, 9, 35, 46, 98, 100, 101, 209, 400, 600, 701, 709, 720, 999})
    EXPECT_FALSE(is_sticky(static_cast<cudaError_t>(code))) << code;
}

TEST(CudaError, SaysWhichErrorWhichCallAndWhere) {
  try {
    SECTORBENCH_CUDA_CHECK(cudaErrorInvalidValue);
    FAIL() << "nothing was thrown";
  } catch (const cuda_error& error) {
    EXPECT_EQ(error.code(), cudaErrorInvalidValue);
    EXPECT_STREQ(error.name(), "cudaErrorInvalidValue");
    EXPECT_STREQ(error.string(), "invalid argument");
    EXPECT_EQ(error.expression(), "cudaErrorInvalidValue");
    EXPECT_TRUE(error.place().starts_with("cuda_layer_test.cpp:")) << error.place();
    EXPECT_EQ(std::string(error.what()),
              "cudaErrorInvalidValue (1): invalid argument, in cudaErrorInvalidValue at " +
                  error.place());
  }
}

TEST(CudaError, CheckedCallIsEvaluatedOnce) {
  int calls = 0;
  const auto call = [&] {
    ++calls;
    return cudaSuccess;
  };
  SECTORBENCH_CUDA_CHECK(call());
  EXPECT_EQ(calls, 1);
}

// The notes are of the whole process, so one test walks through them in order.
TEST(CudaError, FirstNoteStaysAndQuietCasesLeaveNone) {
  note_cuda_failure(cudaSuccess, "cudaFree");
  note_cuda_failure(cudaErrorCudartUnloading, "cudaFree");
  EXPECT_THROW(SECTORBENCH_CUDA_CHECK(cudaErrorIllegalAddress), cuda_error);
  note_cuda_failure(cudaErrorIllegalAddress, "cudaFree");  // the context is known to be dead
  EXPECT_EQ(first_noted_cuda_failure(), std::nullopt);
  note_cuda_failure(cudaErrorInvalidValue, "cudaFreeHost");
  note_cuda_failure(cudaErrorInvalidResourceHandle, "cudaEventDestroy");
  EXPECT_EQ(first_noted_cuda_failure(),
            "cudaErrorInvalidValue (1): invalid argument, in cudaFreeHost");
}

TEST(CudaError, EveryObjectThrowsWhereThereIsNoGpu) {
  if (probe_devices().state != device_state::kAbsent) GTEST_SKIP() << "there is a GPU or a driver";
  EXPECT_THROW(cuda_stream(), cuda_error);
  EXPECT_THROW(cuda_event(), cuda_error);
  EXPECT_THROW(device_buffer(std::int64_t{1024}), cuda_error);
  EXPECT_THROW(mapped_array<int>(1), cuda_error);
  EXPECT_THROW(query_device(0), cuda_error);
  EXPECT_THROW(query_memory(), cuda_error);
  EXPECT_THROW(stream_blocker(), cuda_error);
  EXPECT_THROW(clock_settler(), cuda_error);
  EXPECT_THROW(measure_event_floor_s(nullptr), cuda_error);
  EXPECT_THROW(time_batch(nullptr, 1, [] {}), cuda_error);
  EXPECT_NE(kernel_status(), cudaSuccess);
}

#endif  // SECTORBENCH_HAS_CUDA

}  // namespace
}  // namespace sectorbench
