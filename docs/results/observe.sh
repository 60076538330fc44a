#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Measures on a GPU what runs see besides times: docs/results/observe.sh BENCHMARK FOLDER
# BENCHMARK is the executable, FOLDER receives the result files and observed.txt. Never changes the
# GPU's settings. Takes about six minutes on an H200.
set -euo pipefail

benchmark=$(realpath "$1")
folder=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

section() { printf '\n== %s\n' "$*"; }
# Prints a command as a person would type it, and runs it.
shown() {
  printf '$ benchmark %s\n' "$*"
  "$benchmark" "$@"
}
table() { /usr/bin/env python3 "$here/observed.py" "$@"; }

report() {
  section "machine and build"
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,ecc.mode.current,power.limit \
    --format=csv,noheader || true
  "$benchmark" --version

  section "default suite with counters"
  time shown --counters=require --benchmark_out="$folder/observed_default.json"
  table equal "$folder/observed_default.json"
  section "its traffic, in units of one buffer (4-byte rows: 256 MiB)"
  table traffic "$folder/observed_default.json"
  section "its two clocks"
  table clock "$folder/observed_default.json"

  section "strides, copy, gather and scatter"
  shown --strides=1,2,4,8,16,32,64,128 --ops=copy,gather,scatter --benchmark_filter=stride \
    --counters=require --benchmark_out="$folder/observed_strides.json"
  table traffic "$folder/observed_strides.json"

  section "every pattern, operation and type"
  time "$benchmark" --ops=copy,gather,scatter,read,write --types=u8,f16,f32,f64,f32x4 \
    --bytes=64Mi --benchmark_min_time=0.001 --clock_check=off --counters=require \
    --benchmark_out="$work/every.json" >"$work/every.txt"
  tail -n 1 "$work/every.txt"
  table equal "$work/every.json"

  section "fetch granularity, one process each"
  for bytes in 32 64 128; do
    shown --l2_fetch_granularity=$bytes --strides=8,16,32 --ops=gather \
      --benchmark_filter=stride --benchmark_out="$work/granularity_$bytes.json" >/dev/null
    echo "granularity $bytes"
    table traffic "$work/granularity_$bytes.json"
  done

  section "cold against warm"
  for mode in warm cold; do
    shown --cache=$mode --elements=1Mi,4Mi,64Mi --rows=contiguous/copy/f32,contiguous/read/f32 \
      --benchmark_out="$work/$mode.json"
  done
  table caches "$work/warm.json" "$work/cold.json"

  section "10 processes without CUPTI (A) and with counters and clock check (B), in turn"
  mkdir "$work/off" "$work/on"
  for i in $(seq 10); do
    "$benchmark" --counters=off --clock_check=off --benchmark_out="$work/off/$i.json" >/dev/null
    "$benchmark" --benchmark_out="$work/on/$i.json" >/dev/null
  done
  table spread "$work/off" "$work/on"
}

report 2>&1 | tee "$folder/observed.txt"
