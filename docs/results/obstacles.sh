#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the program says where counters, NVML or the second clock cannot be had:
#   docs/results/obstacles.sh BUILD_FOLDER
# Needs a GPU and a build with tests. What a machine does not offer by itself (denied permission,
# virtual GPUs, throttling, a divided GPU) is played by the tests' stand-ins for CUPTI and NVML.
set -uo pipefail

build=$(realpath "$1")
benchmark=$build/benchmark
fake_cupti=$build/test/libsectorbench_fake_cupti.so
fake_nvml=$build/test/libsectorbench_fake_nvml.so
row=(--rows=stride/copy/f32/stride:8)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What a person sees, the context's words, and the exit status with --counters=require.
show() {
  "$benchmark" "${row[@]}" "$@" --benchmark_out="$work/rows.json" | sed "s#$build#BUILD#g"
  echo "exit status ${PIPESTATUS[0]}"
  grep -E '"(counters|clock_check|gpu.nvml|gpu.peak_bytes_per_s|gpu.mig)[a-z_.]*":' "$work/rows.json" |
    sed "s#$build#BUILD#g"
  grep -c '_measured"' "$work/rows.json" | sed 's/$/ keys of counters in the row/'
  "$benchmark" "${row[@]}" "$@" --counters=require >/dev/null 2>"$work/errors"
  echo "with --counters=require: exit status $?"
  sed "s#$build#BUILD#g" "$work/errors"
}
section() { printf '\n== %s\n' "$*"; }

section "nothing in the way"
show
for scenario in permission virtualized wsl other_profiler unknown_chip; do
  section "CUPTI: $scenario (simulated)"
  # The stand-in's activity records are not this GPU's.
  SECTORBENCH_CUPTI=$fake_cupti SECTORBENCH_FAKE_CUPTI_SCENARIO=$scenario show --clock_check=off
done
section "CUPTI: missing (SECTORBENCH_CUPTI=/nonexistent)"
SECTORBENCH_CUPTI=/nonexistent show
section "CUPTI: too old (simulated)"
SECTORBENCH_CUPTI=$build/test/libsectorbench_old_cupti.so show
section "NVML: missing (SECTORBENCH_NVML=/nonexistent)"
SECTORBENCH_NVML=/nonexistent show
uuid=$(grep -o 'GPU-[0-9a-f-]*' "$work/rows.json" | head -n 1)
for scenario in throttled shared mig; do
  section "NVML: $scenario (simulated)"
  SECTORBENCH_NVML=$fake_nvml SECTORBENCH_FAKE_NVML_SCENARIO=$scenario \
    SECTORBENCH_FAKE_NVML_UUID=$uuid show
done
if command -v ncu >/dev/null; then
  section "a profiler attached: ncu"
  ncu --clock-control none --metrics gpu__time_duration.sum --kernel-name regex:access_kernel \
    --launch-count 1 --log-file "$work/ncu.txt" \
    "$benchmark" "${row[@]}" --benchmark_out="$work/rows.json"
  grep -E '"(tool|counters|clock_check|blocking)[a-z_.]*":' "$work/rows.json"
fi
