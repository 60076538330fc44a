#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# docs/results/own_gate.sh BUILD FOLDER: the gate on a program of one's own, on a GPU with counters.
# Installs BUILD, makes three programs of one kernel in FOLDER and compares 9 with 9 processes: the
# program with itself, with one that does 3 % of its work twice, and with one whose warps take every
# second element. The gate's exit codes must be 0, 1 and 1.
set -euo pipefail

build=$(realpath "$1") folder=$(realpath -m "$2")
mkdir -p "$folder/source"
cmake --install "$build" --prefix "$folder/prefix" >/dev/null
tools=$folder/prefix/share/sectorbench/tools

cat >"$folder/source/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(doubled LANGUAGES CXX)
find_package(sectorbench REQUIRED)
sectorbench_add_benchmark(doubled SOURCES doubled.cu)
END
cat >"$folder/source/doubled.cu" <<'END'
#include <sectorbench/benchmark/kernel.hpp>

namespace {

constexpr unsigned kCount = 1u << 24, kBlock = 256;
#ifdef SLOWER
constexpr unsigned kWork = kCount / 100 * 103 / kBlock * kBlock;
#else
constexpr unsigned kWork = kCount;
#endif

__global__ void doubled_kernel(const float* in, float* out) {
  unsigned i = (blockIdx.x * kBlock + threadIdx.x) % kCount;
#ifdef CHANGED
  i = (i & ~63u) | (i & 31u) * 2 | (i >> 5 & 1u);
#endif
  out[i] = 2 * in[i];
}

const sectorbench::kernel_registration doubled({
    .name = "doubled",
    .summary = "stores twice what it loads",
    .buffers = [](const auto&) {
      return std::vector{sectorbench::input<float>("in", kCount),
                         sectorbench::output<float>("out", kCount)};
    },
    .bytes = [](const auto&) { return sectorbench::kernel_bytes{4ll * kCount, 4ll * kCount}; },
    .launch = [](const auto& a, cudaStream_t stream) {
      doubled_kernel<<<kWork / kBlock, kBlock, 0, stream>>>(a.template at<float>("in"),
                                                            a.template at<float>("out"));
    },
    .reference = [](const auto& a) {
      for (unsigned i = 0; i < kCount; ++i)
        a.template at<float>("out")[i] = 2 * a.template at<float>("in")[i];
    },
});

}  // namespace
END

for variant in SAME SLOWER CHANGED; do
  cmake -S "$folder/source" -B "$folder/$variant" "-DCMAKE_PREFIX_PATH=$folder/prefix" \
    "-DCMAKE_CUDA_FLAGS=-D$variant" >/dev/null
  cmake --build "$folder/$variant" >/dev/null
done
failed=0
for variant in SAME SLOWER CHANGED; do
  runs=$folder/runs_$variant expected=1
  [[ $variant != SAME ]] || expected=0
  "$tools/collect.sh" 9 --binary="$folder/SAME/doubled" --binary="$folder/$variant/doubled" \
    --folder="$runs" -- --device=cuda >/dev/null 2>&1
  code=0
  "$tools/regress.py" "$runs"/a_*.json -- "$runs"/b_*.json || code=$?
  echo "$variant: exit code $code, expected $expected"
  [[ $code == "$expected" ]] || failed=1
done
exit "$failed"
