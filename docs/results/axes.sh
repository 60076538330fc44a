#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Measures the axes of the machine on a GPU: docs/results/axes.sh BENCHMARK
# Transposes with bank conflicts, arithmetic up to and beyond the balance point, cache operators,
# occupancy, block shapes, memory spaces, ceilings at 1 GiB. About a minute on an H200; memory of
# another GPU is measured where there is one. Never changes the GPU's settings.
set -euo pipefail

benchmark=$(realpath "$1")
section() { printf '\n== %s\n' "$*"; }
# Prints a command as a person would type it, and runs it; a skipped row is no failure.
shown() {
  printf '$ benchmark %s\n' "$*"
  "$benchmark" "$@" || printf 'exit status %s\n' "$?"
}

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,ecc.mode.current --format=csv,noheader
"$benchmark" --version

section "transposes of 4096 x 4096"
for type in f16 f32 f64; do
  shown --elements=16Mi --types=$type --suite=full --benchmark_filter='^transpose.*4096'
done

section "vector add, accesses of several elements, block shapes"
shown --benchmark_filter='^(add|wide)/' --suite=full --types=f32
shown --benchmark_filter='^add/' --suite=full --types=f16,f64
shown --rows=add/copy/f16/step:8,add/copy/f32/step:8,add/copy/f64/step:8
shown --block=256,32x8,16x16,8x32 \
  --rows=pitch/copy/f32/columns:1000/pitch:1024,pitch/copy/f32/columns:1000/pitch:1000

section "arithmetic"
shown --counters=off --flops=1,4,16,32,64,128,256,512,balance --benchmark_filter=compute

section "cache operators"
for load in nc ca cg cs; do
  for store in wb cg cs; do
    shown --load_op=$load --store_op=$store --counters=off \
      --rows=contiguous/copy/f32x4,contiguous/copy/f32,stride/copy/f32/stride:8
  done
done
for load in nc ca cg cs; do
  shown --load_op=$load --rows=stride/read/f32/stride:8,contiguous/copy/f32
done

section "occupancy"
for blocks in 1 2 3 4 6 8; do
  shown --occupancy=$blocks --counters=off \
    --rows=contiguous/copy/f32,contiguous/copy/f32x4,unrolled/copy/f32/unroll:4
done

section "memory spaces"
strides=1,2,4,8,16,32,64
for side in loads stores; do
  for space in peer pinned; do
    operation=$([[ $side == loads ]] && echo gather || echo scatter)
    bytes=$([[ $space == peer ]] && echo 256Mi || echo 64Mi)
    shown --space=$space:$side --bytes="$bytes" --strides=$strides --ops=copy,"$operation" --types=f32 \
      --counters=off --benchmark_filter="^(memcpy|stride/$operation)"
  done
done

section "ceilings at 1 GiB per buffer"
shown --bytes=1Gi --counters=off \
  --benchmark_filter='^(memcpy|unrolled|contiguous|wide|grid_loop)/(copy|read|write)/f32' --suite=full
for block in 128 256 512; do
  shown --bytes=1Gi --counters=off --block=$block \
    --rows=memcpy/copy/f32,contiguous/copy/f32x4,unrolled/copy/f32/unroll:4,contiguous/read/f32x4,contiguous/write/f32x4
done
