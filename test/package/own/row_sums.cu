// SPDX-License-Identifier: Apache-2.0
#include <sectorbench/benchmark/kernel.hpp>

namespace {

using sectorbench::index_t;

constexpr index_t kRows = 64;

/// What one thread does.
#ifdef __CUDACC__
__host__ __device__
#endif
    void
    sum_row(const float* a, float* sums, index_t columns, index_t row) {
  float sum = 0;
  for (index_t i = 0; i < columns; ++i) sum += a[row * columns + i];
  sums[row] = sum;
}

#ifdef __CUDACC__
__global__ void row_sums_kernel(const float* a, float* sums, index_t columns) {
  sum_row(a, sums, columns, threadIdx.x);
}
#endif

void sum_rows(const sectorbench::kernel_arguments& a) {
  for (index_t row = 0; row < kRows; ++row)
    sum_row(a.at<float>("a"), a.at<float>("sums"), a["columns"], row);
}

const sectorbench::kernel_registration row_sums({
    .name = "row_sums",
    .summary = "a thread adds up a row",
    .axes = {{"columns", {1000}}},
    .buffers =
        [](const auto& p) {
          return std::vector{sectorbench::input<float>("a", kRows * p["columns"]),
                             sectorbench::output<float>("sums", kRows, 1e-4)};
        },
    .bytes =
        [](const auto& p) {
          return sectorbench::kernel_bytes{kRows * p["columns"] * 4, kRows * 4};
        },
#ifdef __CUDACC__
    .launch =
        [](const auto& a, cudaStream_t stream) {
          row_sums_kernel<<<1, kRows, 0, stream>>>(a.template at<float>("a"),
                                                   a.template at<float>("sums"), a["columns"]);
        },
#endif
    .run_on_host = sum_rows,
    .reference = sum_rows,
});

}  // namespace
