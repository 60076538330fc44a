// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "sectorbench/benchmark/kernel.hpp"
#include "sectorbench/execution/access_kernel.cuh"
#include "sectorbench/patterns/stride.hpp"

/// @file
/// Kernels of a program's author for the GPU: right ones, and one for each mistake.

namespace {

using namespace sectorbench;

constexpr index_t kCount = 1 << 20;
constexpr kernel_bytes kCopied{kCount * 4, kCount * 4};

std::vector<kernel_buffer> in_and_out(const kernel_parameters&) {
  return {input<float>("x", kCount), output<float>("y", kCount)};
}
kernel_bytes copied(const kernel_parameters&) { return kCopied; }

__global__ void double_kernel(const float* x, float* y, index_t first, index_t last) {
  const index_t i = first + index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < last) y[i] = 2 * x[i];
}
void queue_doubling(const kernel_arguments& a, cudaStream_t stream, index_t first = 0,
                    index_t last = kCount) {
  double_kernel<<<(kCount + 511) / 256, 256, 0, stream>>>(a.at<float>("x"), a.at<float>("y"), first,
                                                          last);
}

/// A kernel that should double `x`.
kernel doubling(std::string name,
                std::function<void(const kernel_arguments&, cudaStream_t)> launch) {
  return {.name = std::move(name),
          .summary = "doubles x, and does as it is called",
          .buffers = in_and_out,
          .bytes = copied,
          .launch = std::move(launch),
          .reference = [](const kernel_arguments& a) {
            for (index_t i = 0; i < kCount; ++i) a.at<float>("y")[i] = 2 * a.at<float>("x")[i];
          }};
}

// ---- Right ones

const kernel_registration right(doubling("right", [](const auto& a, cudaStream_t stream) {
  queue_doubling(a, stream);
}));

/// The machine code of stride/copy/f32/stride:1.
const kernel_registration as_stride({
    .name = "as_stride",
    .summary = "the kernel of the stride-1 copy, launched by its author",
    .axes = {{"n", {kCount, index_t{64} << 20}}},
    .buffers =
        [](const kernel_parameters& p) {
          return std::vector{input<std::uint32_t>("x", p["n"]), output<std::uint32_t>("y", p["n"])};
        },
    .bytes =
        [](const kernel_parameters& p) {
          return kernel_bytes{p["n"] * 4, p["n"] * 4};
        },
    .launch =
        [](const kernel_arguments& a, cudaStream_t stream) {
          const auto pattern = stride::make(a["n"], std::array<index_t, 1>{1});
          enqueue(access_kernel<stride, copy, std::uint32_t>, pattern.shape({}), stream, pattern,
                  static_cast<const std::uint32_t*>(a.at<std::uint32_t>("x")),
                  a.at<std::uint32_t>("y"), std::uint64_t{0}, false,
                  static_cast<const index_entry*>(nullptr));
        },
    .reference =
        [](const kernel_arguments& a) {
          for (index_t i = 0; i < a["n"]; ++i)
            a.at<std::uint32_t>("y")[i] = a.at<std::uint32_t>("x")[i];
        },
    .accesses =
        [](const kernel_parameters& p) {
          return "stride/copy/f32/stride:1/elements:" + std::to_string(p["n"]);
        },
});

/// Elements of rows of 1001, read along columns: neighbouring threads read 4004 bytes apart.
__global__ void swapped_kernel(const float* a, float* out, index_t rows, index_t columns) {
  const index_t row = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const index_t column = index_t{blockIdx.y} * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[row * columns + column] = a[row * columns + column] + 1;
}
const kernel_registration swapped({
    .name = "swapped",
    .summary = "x and y are swapped: a warp walks down a column",
    .buffers =
        [](const auto&) {
          return std::vector{input<float>("a", 16384 * 1001), output<float>("out", 16384 * 1001)};
        },
    .bytes =
        [](const auto&) {
          return kernel_bytes{16384 * 1001 * 4, 16384 * 1001 * 4};
        },
    .launch =
        [](const auto& a, cudaStream_t stream) {
          swapped_kernel<<<dim3(1024, 63), dim3(16, 16), 0, stream>>>(
              a.template at<float>("a"), a.template at<float>("out"), 16384, 1001);
        },
    .reference =
        [](const auto& a) {
          for (index_t i = 0; i < 16384 * 1001; ++i)
            a.template at<float>("out")[i] = a.template at<float>("a")[i] + 1;
        },
});

/// One block: the GPU waits for it.
__global__ void one_block_kernel(const float* x, float* y) {
  for (index_t i = threadIdx.x; i < kCount; i += blockDim.x) y[i] = 2 * x[i];
}
const kernel_registration one_block(doubling("one_block", [](const auto& a, cudaStream_t stream) {
  one_block_kernel<<<1, 256, 0, stream>>>(a.template at<float>("x"), a.template at<float>("y"));
}));

/// Many instructions for each element.
__global__ void busy_kernel(const float* x, float* y) {
  const index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  unsigned word = 1;
#pragma unroll 16
  for (int round = 0; round < 2048; ++round) word = word * 5 ^ (word >> 3);
  y[i] = 2 * x[i] + (word == 0 ? 1.0F : 0.0F);
}
const kernel_registration busy(doubling("busy", [](const auto& a, cudaStream_t stream) {
  busy_kernel<<<kCount / 256, 256, 0, stream>>>(a.template at<float>("x"),
                                                a.template at<float>("y"));
}));

/// All lanes of a warp meet the same bank.
__global__ void banks_kernel(const float* x, float* y) {
  __shared__ float tile[32 * 32];
  const index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const unsigned row = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int round = 0; round < 64; ++round) {
    tile[lane * 32 + row] = x[i];
    __syncthreads();
    sum = tile[lane * 32 + row];
    __syncthreads();
  }
  y[i] = 2 * sum;
}
const kernel_registration banks(doubling("banks", [](const auto& a, cudaStream_t stream) {
  banks_kernel<<<kCount / 1024, 1024, 0, stream>>>(a.template at<float>("x"),
                                                   a.template at<float>("y"));
}));

/// Adds in another order each time.
__global__ void sum_kernel(const float* x, float* sum) {
  atomicAdd(sum, x[index_t{blockIdx.x} * blockDim.x + threadIdx.x] + 1);
}
const kernel_registration sum_up({
    .name = "sum_up",
    .summary = "adds all elements to one word",
    .buffers =
        [](const auto&) {
          return std::vector{input<float>("x", kCount), output<float>("sum", 1, 1e-3).may_vary()};
        },
    .bytes =
        [](const auto&) {
          return kernel_bytes{kCount * 4, 4};
        },
    .launch =
        [](const auto& a, cudaStream_t stream) {
          cudaMemsetAsync(a.template at<float>("sum"), 0, 4, stream);
          sum_kernel<<<kCount / 256, 256, 0, stream>>>(a.template at<float>("x"),
                                                       a.template at<float>("sum"));
        },
    .reference =
        [](const auto& a) {
          double sum = 0;
          for (const float x : a.template all<float>("x")) sum += static_cast<double>(x) + 1;
          a.template at<float>("sum")[0] = static_cast<float>(sum);
        },
});

// ---- Mistakes

const kernel_registration after_end(doubling("after_end", [](const auto& a, cudaStream_t stream) {
  queue_doubling(a, stream, 0, kCount + 2);
}));
const kernel_registration drops_one(doubling("drops_one", [](const auto& a, cudaStream_t stream) {
  queue_doubling(a, stream, 1);
}));
const kernel_registration too_many_threads(doubling("too_many_threads", [](const auto& a,
                                                                           cudaStream_t stream) {
  double_kernel<<<1, 2048, 0, stream>>>(a.template at<float>("x"), a.template at<float>("y"), 0,
                                        kCount);
}));
const kernel_registration leaves_error(doubling("leaves_error", [](const auto& a,
                                                                   cudaStream_t stream) {
  queue_doubling(a, stream);
  void* never = nullptr;
  static_cast<void>(cudaMalloc(&never, std::size_t{1} << 50));
}));
const kernel_registration ignores_stream(doubling("ignores_stream",
                                                  [](const auto& a, cudaStream_t) {
                                                    queue_doubling(a, cudaStreamLegacy);
                                                  }));
const kernel_registration false_bytes(
    {.name = "false_bytes",
     .summary = "declares twice what it loads",
     .buffers = in_and_out,
     .bytes =
         [](const auto&) {
           return kernel_bytes{2 * kCount * 4, kCount * 4};
         },
     .launch = [](const auto& a, cudaStream_t stream) { queue_doubling(a, stream); }});
const kernel_registration too_large(
    {.name = "too_large",
     .summary = "wants 32 TiB",
     .buffers = [](const auto&) { return std::vector{output<double>("y", index_t{1} << 42)}; },
     .bytes = copied,
     .launch = [](const auto&, cudaStream_t) {}});

__global__ void illegal_kernel() { *reinterpret_cast<volatile int*>(std::uintptr_t{8}) = 1; }
const kernel_registration illegal(doubling("illegal", [](const auto&, cudaStream_t stream) {
  illegal_kernel<<<1, 1, 0, stream>>>();
}));

__global__ void endless_kernel(volatile float* y) {
  while (y[0] != 0.125F) {
  }
}
const kernel_registration hangs(doubling("hangs", [](const auto& a, cudaStream_t stream) {
  endless_kernel<<<1, 1, 0, stream>>>(a.template at<float>("y"));
}));

}  // namespace
