// Small kernels with known access patterns, to be profiled by Nsight Compute. Self-contained.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                   \
  do {                                                                                \
    cudaError_t e = (call);                                                           \
    if (e != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (0)

constexpr long long kColumns = 1001;

// x walks rows, y walks columns: swapped. 16 rows x 2 neighbouring floats a warp.
__global__ void scale_swapped(const float* __restrict__ a, float* __restrict__ out, int rows,
                              int columns) {
  const int row = blockIdx.x * 16 + threadIdx.x;
  const int col = blockIdx.y * 16 + threadIdx.y;
  if (row < rows && col < columns) {
    out[static_cast<long long>(row) * columns + col] =
        2.0f * a[static_cast<long long>(row) * columns + col];
  }
}

// The repair: x walks columns.
__global__ void scale_repaired(const float* __restrict__ a, float* __restrict__ out, int rows,
                               int columns) {
  const int col = blockIdx.x * 16 + threadIdx.x;
  const int row = blockIdx.y * 16 + threadIdx.y;
  if (row < rows && col < columns) {
    out[static_cast<long long>(row) * columns + col] =
        2.0f * a[static_cast<long long>(row) * columns + col];
  }
}

// A transpose that reads columns and stores rows.
__global__ void transpose_swapped(const float* __restrict__ a, float* __restrict__ out, int rows,
                                  int columns) {
  const int row = blockIdx.x * 16 + threadIdx.x;
  const int col = blockIdx.y * 16 + threadIdx.y;
  if (row < rows && col < columns) {
    out[static_cast<long long>(col) * rows + row] = a[static_cast<long long>(row) * columns + col];
  }
}

// Its repair: 32 x 32 through shared memory, padded.
__global__ void transpose_tiled(const float* __restrict__ a, float* __restrict__ out, int rows,
                                int columns) {
  __shared__ float tile[32][33];
  int col = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (row + j < rows && col < columns)
      tile[threadIdx.y + j][threadIdx.x] = a[static_cast<long long>(row + j) * columns + col];
  }
  __syncthreads();
  row = blockIdx.y * 32 + threadIdx.x;
  col = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (col + j < columns && row < rows)
      out[static_cast<long long>(col + j) * rows + row] = tile[threadIdx.x][threadIdx.y + j];
  }
}

// The unpadded tile: 32-way bank conflicts.
__global__ void bank_conflicts(const float* __restrict__ a, float* __restrict__ out, int repeat) {
  __shared__ float tile[32][32];
  const long long base = static_cast<long long>(blockIdx.x) * 1024;
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = a[base + (threadIdx.y + j) * 32 + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < repeat; ++k) {
    for (int j = 0; j < 32; j += 8) sum += tile[threadIdx.x][(threadIdx.y + j + k) % 32];
  }
  out[base / 4 + threadIdx.y * 32 + threadIdx.x] = sum;
}

// Loads with a step, dense stores.
__global__ void strided_read(const float* __restrict__ a, float* __restrict__ out, long long n,
                             int step) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) out[i] = a[i * step];
}

__global__ void gather(const float* __restrict__ a, const int* __restrict__ index,
                       float* __restrict__ out, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) out[i] = a[index[i]];
}

// Every other lane off.
__global__ void predicated(const float* __restrict__ a, float* __restrict__ out, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n && (threadIdx.x & 1)) out[i] = a[i] + 1.0f;
}

// Vector loads, dense.
__global__ void copy_float4(const float4* __restrict__ a, float4* __restrict__ out, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) out[i] = a[i];
}

// Doubles one element off an aligned place.
__global__ void copy_double_offset(const double* __restrict__ a, double* __restrict__ out,
                                   long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i + 1 < n) out[i + 1] = a[i + 1];
}

// One field of a struct of seven floats.
struct particle {
  float x, y, z, vx, vy, vz, mass;
};
__global__ void struct_field(const particle* __restrict__ a, float* __restrict__ out, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) out[i] = a[i].x;
}

// Each thread reads 16 floats of its own, one after the other.
__global__ void chunk_per_thread(const float* __restrict__ a, float* __restrict__ out,
                                 long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) {
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 16; ++k) sum += a[i * 16 + k];
    out[i] = sum;
  }
}

// Tensor cores, no global loads.
__global__ void tensor_only(float* __restrict__ out, int repeat) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(a, __float2half(1.0f));
  wmma::fill_fragment(b, __float2half(0.5f));
  wmma::fill_fragment(c, 0.0f);
  for (int k = 0; k < repeat; ++k) wmma::mma_sync(c, a, b, c);
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  wmma::store_matrix_sync(out + warp * 256LL, c, 16, wmma::mem_row_major);
}

// Nothing but arithmetic; not one access unless the result is odd.
__global__ void arithmetic_only(float* __restrict__ out, int repeat) {
  float x = threadIdx.x * 0.001f;
  for (int k = 0; k < repeat; ++k) x = x * 0.999f + 0.5f;
  if (x == 123.0f) out[threadIdx.x] = x;
}

// One address for all: atomic adds.
__global__ void atomic_sum(const float* __restrict__ a, float* __restrict__ out, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) atomicAdd(out + (i & 1023), a[i]);
}

__global__ void fill(float* a, long long n) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += gridDim.x * 256LL)
    a[i] = (i * 2654435761LL % 1000) * 0.001f;
}

int main(int argc, char** argv) {
  const bool only_strided = argc > 1;  // kernels of several launches only
  const int rows = 16384;
  const long long n = rows * kColumns;  // 16.4 Mi floats, 65.6 MB
  const long long whole = 1LL << 25;    // 33.5 M floats, 134 MB
  const long long m = 1LL << 21;        // elements of strided launches
  float *a, *out;
  int* index;
  CHECK(cudaMalloc(&a, whole * sizeof(float)));
  CHECK(cudaMalloc(&out, whole * sizeof(float)));
  CHECK(cudaMalloc(&index, m * sizeof(int)));
  fill<<<1024, 256>>>(a, whole);
  std::vector<int> host(m);
  unsigned long long state = 88172645463325252ULL;
  for (auto& v : host) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    v = static_cast<int>(state % static_cast<unsigned long long>(n));
  }
  CHECK(cudaMemcpy(index, host.data(), m * sizeof(int), cudaMemcpyHostToDevice));
  const dim3 square(16, 16);
  const int blocks = static_cast<int>(m / 256);
  if (!only_strided) {
    scale_swapped<<<dim3(rows / 16, (kColumns + 15) / 16), square>>>(a, out, rows, kColumns);
    scale_repaired<<<dim3((kColumns + 15) / 16, rows / 16), square>>>(a, out, rows, kColumns);
    transpose_swapped<<<dim3(rows / 16, (kColumns + 15) / 16), square>>>(a, out, rows, kColumns);
    transpose_tiled<<<dim3((kColumns + 31) / 32, rows / 32), dim3(32, 8)>>>(a, out, rows, kColumns);
    bank_conflicts<<<8192, dim3(32, 8)>>>(a, out, 16);
    gather<<<blocks, 256>>>(a, index, out, m);
    predicated<<<static_cast<int>(whole / 256), 256>>>(a, out, whole);
    copy_float4<<<static_cast<int>(whole / 4 / 256), 256>>>(
        reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(out), whole / 4);
    copy_double_offset<<<static_cast<int>(whole / 2 / 256), 256>>>(
        reinterpret_cast<double*>(a), reinterpret_cast<double*>(out), whole / 2);
    struct_field<<<static_cast<int>(whole / 7 / 256), 256>>>(reinterpret_cast<particle*>(a), out,
                                                             whole / 7 / 256 * 256);
    chunk_per_thread<<<blocks, 256>>>(a, out, m);
    tensor_only<<<1056, 256>>>(out, 4096);
    arithmetic_only<<<2112, 256>>>(out, 16384);
    atomic_sum<<<static_cast<int>(whole / 4 / 256), 256>>>(a, out, whole / 4);
  }
  for (int step : {1, 2, 5, 9}) strided_read<<<blocks, 256>>>(a, out, m, step);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  std::puts("kernels done, a line of the program's own, with a \"quote\", and a comma");
  return 0;
}
