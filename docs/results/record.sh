#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Measures on a GPU what docs/results/<gpu>/ keeps: docs/results/record.sh BENCHMARK FOLDER
# BENCHMARK is the executable, FOLDER receives the result files and report.txt. Never changes the
# GPU's settings. Takes about two minutes on an H200.
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

report() {
  section "machine and build"
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,ecc.mode.current,power.limit \
    --format=csv,noheader || true
  "$benchmark" --version

  section "default suite"
  time shown --benchmark_out="$folder/default.json"

  section "time to the first row and to the end: default suite, then --quick"
  /usr/bin/env python3 "$here/first_row.py" "$benchmark"
  /usr/bin/env python3 "$here/first_row.py" "$benchmark" --quick

  section "reference program's rows, its own timing"
  shown --suite=reference --protocol=reference --benchmark_out="$folder/reference.json" \
    --json_lines="$work/reference.jsonl"
  cat "$work/reference.jsonl"

  section "copies at 1 GiB per buffer"
  shown --bytes=1Gi --benchmark_filter='^(memcpy|unrolled|contiguous)/copy/(f32|f32x4)' \
    --benchmark_out="$folder/ceilings_1gib.json"

  section "chunks"
  shown --chunks=1,2,4,8,16,32,64 --benchmark_filter='^chunk|^contiguous/copy/f32/'

  section "blocked against unblocked"
  for blocking in on off; do
    shown --blocking=$blocking --benchmark_filter='copy/f32' \
      --benchmark_out="$work/blocking_$blocking.json" >/dev/null
  done
  /usr/bin/env python3 "$here/side_by_side.py" "$work/blocking_on.json" "$work/blocking_off.json"

  section "sizes: what an unblocked pair adds to short kernels"
  for blocking in on off; do
    shown --blocking=$blocking --elements=256Ki,1Mi,4Mi,16Mi --rows=stride/copy/f32/stride:1 \
      --benchmark_out="$work/sizes_$blocking.json" >/dev/null
  done
  /usr/bin/env python3 "$here/side_by_side.py" "$work/sizes_on.json" "$work/sizes_off.json"

  section "20 processes"
  for i in $(seq 20); do
    "$benchmark" --benchmark_out="$work/run_$i.json" >/dev/null
  done
  /usr/bin/env python3 "$here/../../bench/spread.py" "$work"/run_*.json

  if command -v ncu >/dev/null; then
    section "event time against ncu's gpu__time_duration"
    rows=contiguous/copy/f32,stride/copy/f32/stride:8,stride/copy/f32/stride:32,chunk/copy/f32/chunk:32,unrolled/copy/f32/unroll:4
    "$benchmark" --rows=$rows --benchmark_out="$work/events.json" >/dev/null
    ncu --clock-control none --cache-control none --metrics gpu__time_duration.sum --csv \
      --kernel-name regex:access_kernel --log-file "$work/ncu.csv" \
      "$benchmark" --rows=$rows --benchmark_min_time=0.001 >"$work/ncu.out"
    /usr/bin/env python3 "$here/ncu_times.py" "$work/ncu.csv" "$work/events.json"
  fi
}

report 2>&1 | tee "$folder/report.txt"
