// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/buffers.hpp"
#include "kernels/timing.hpp"
#include "sectorbench/cuda/buffer.hpp"
#include "sectorbench/cuda/stream.hpp"
#include "sectorbench/execution/access_kernel.cuh"
#include "test/device/gpu_backend.hpp"
#include "test/support/hand_written.cuh"

namespace sectorbench {
namespace {

constexpr std::uint64_t kSeed = 42;

using launcher = std::function<void(const launch_data&, CUstream_st*)>;

struct both_kernels {
  std::string name;
  launcher generic, by_hand;
};

template <class P>
launcher by_hand(void (*kernel)(P, const std::uint32_t*, std::uint32_t*, std::uint64_t, bool),
                 const P& pattern) {
  return [=](const launch_data& data, CUstream_st* stream) {
    enqueue(kernel, pattern.shape({}), stream, pattern, static_cast<const std::uint32_t*>(data.in),
            static_cast<std::uint32_t*>(data.out), data.seed, data.keep);
  };
}

launcher generic(const std::string& name, index_t n) {
  const std::shared_ptr<workload> work = make_workload(row_of(name, n));
  return [work](const launch_data& data, CUstream_st* stream) { work->launch(data, stream); };
}

both_kernels contiguous_kernels(index_t n) {
  return {"contiguous", generic("contiguous/copy/f32", n),
          by_hand(hand_contiguous_kernel<std::uint32_t>, contiguous{n})};
}

both_kernels stride_kernels(index_t n, index_t step) {
  const std::string name = "stride:" + std::to_string(step);
  return {name, generic("stride/copy/f32/" + name, n),
          by_hand(hand_stride_kernel<std::uint32_t>, stride::make(n, std::array{step}))};
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

class HandWritten : public gpu_test {
 protected:
  static std::vector<std::uint32_t> output_of(const launcher& launch, const launch_data& data,
                                              index_t n, const cuda_stream& stream) {
    std::vector<std::uint32_t> result(static_cast<std::size_t>(n));
    const std::size_t bytes = result.size() * sizeof(std::uint32_t);
    SECTORBENCH_CUDA_CHECK(cudaMemsetAsync(data.out, kPoison, bytes, stream.get()));
    launch(data, stream.get());
    SECTORBENCH_CUDA_CHECK(
        cudaMemcpyAsync(result.data(), data.out, bytes, cudaMemcpyDeviceToHost, stream.get()));
    stream.synchronize();
    return result;
  }
};

TEST_F(HandWritten, KernelsLeaveWhatTheGenericOnesLeave) {
  constexpr index_t kElements = 1'000'003;
  const device_buffer in(kElements * 4 + 4), out(kElements * 4);
  const cuda_stream stream;
  launch_fill(in.data(), in.bytes() / 8, kSeed, stream.get());
  const launch_data data{in.data(), out.data(), kSeed, false};
  for (const both_kernels& both :
       {contiguous_kernels(kElements), stride_kernels(kElements, 1), stride_kernels(kElements, 3),
        stride_kernels(kElements, 32), stride_kernels(kElements, 70000)}) {
    const auto expected = output_of(both.by_hand, data, kElements, stream);
    EXPECT_EQ(output_of(both.generic, data, kElements, stream), expected) << both.name;
    EXPECT_EQ(expected.back(), filled<std::uint32_t>((kElements - 1) * 4, kSeed)) << both.name;
  }
}

TEST_F(HandWritten, KernelsTakeAsLongAsTheGenericOnes) {
  constexpr index_t kElements = index_t{64} << 20;
  constexpr int kRounds = 15;
  constexpr int kLaunches = 5;
  if (query_memory().free_bytes < kElements * 9) GTEST_SKIP() << "too little memory is free";
  const device_buffer in(kElements * 4), out(kElements * 4);
  const cuda_stream stream;
  launch_fill(in.data(), in.bytes() / 8, kSeed, stream.get());
  const launch_data data{in.data(), out.data(), kSeed, false};
  std::optional<stream_blocker> blocker;
  if (blocking_forbidden().empty()) blocker.emplace();
  clock_settler().settle(stream.get());
  for (const both_kernels& both : {contiguous_kernels(kElements), stride_kernels(kElements, 1),
                                   stride_kernels(kElements, 8), stride_kernels(kElements, 32)}) {
    std::vector<double> generic_s, by_hand_s;
    const auto time = [&](const launcher& launch, std::vector<double>& times_s) {
      const batch_time batch = time_batch(
          stream.get(), kLaunches, [&] { launch(data, stream.get()); },
          blocker ? &*blocker : nullptr);
      times_s.push_back(batch.elapsed_s / kLaunches);
    };
    // Unblocked once, so that nothing is loaded behind the blocker.
    both.generic(data, stream.get());
    both.by_hand(data, stream.get());
    stream.synchronize();
    for (int round = 0; round < kRounds; ++round) {
      time(both.generic, generic_s);
      time(both.by_hand, by_hand_s);
      time(both.by_hand, by_hand_s);
      time(both.generic, generic_s);
    }
    const double ratio = median(generic_s) / median(by_hand_s);
    std::printf("%-10s generic %.3f us, by hand %.3f us, ratio %.4f\n", both.name.c_str(),
                median(generic_s) * 1e6, median(by_hand_s) * 1e6, ratio);
    EXPECT_NEAR(ratio, 1.0, 0.02) << both.name;
  }
}

}  // namespace
}  // namespace sectorbench
