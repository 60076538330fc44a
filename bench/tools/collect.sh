#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bench/tools/collect.sh N [--binary=PROGRAM]... [--folder=FOLDER] [-- flags of the program]
# Runs the program N times and keeps each process's JSON: what bench/tools/regress.py compares.
#
#   bench/tools/collect.sh 9 --folder=runs -- --suite=reference
#       runs/run_1.json ... runs/run_9.json, of build/release/benchmark
#   bench/tools/collect.sh 9 --binary=old/benchmark --binary=new/benchmark --folder=runs -- --suite=reference
#       runs/a_1.json, runs/b_1.json, ...: the two in turn, a b, b a, a b, so that a drift of the machine
#       meets both; then: bench/tools/regress.py runs/a_*.json -- runs/b_*.json
#
# The program is any that uses Google Benchmark. A file appears whole or not at all, none is replaced.
# Exit status: 0; that of a process which fails, and the files before it are kept; 2 wrong arguments.
set -euo pipefail

say() { printf 'collect.sh: %s\n' "$*" >&2; }
refuse() { say "$*; see bench/tools/collect.sh --help"; exit 2; }

binaries=()
folder=
count=
while (($#)); do
  case $1 in
    --) shift; break ;;
    --help) sed -n '4,/^set /{/^set /!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    --binary=?*) binaries+=("${1#*=}") ;;
    --folder=?*) folder=${1#*=} ;;
    -*) refuse "$1 is no flag of collect.sh; flags of the program stand after --" ;;
    *)
      [[ -z $count ]] || refuse "$1: how many processes was said already ($count)"
      count=$1
      ;;
  esac
  shift
done
flags=("$@")

[[ $count =~ ^[1-9][0-9]{0,3}$ ]] ||
  refuse "how many processes: ${count:-nothing} is no number from 1 to 9999"
[[ -n $folder ]] || refuse "where to: --folder=FOLDER is missing"
for flag in "${flags[@]}"; do
  [[ $flag != --benchmark_out* ]] || refuse "$flag: collect.sh names the files itself"
done
if ((${#binaries[@]} == 0)); then
  binaries=("$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/build/release/benchmark")
fi
((${#binaries[@]} <= 2)) || refuse "more than two of --binary"
for binary in "${binaries[@]}"; do
  [[ -f $binary && -x $binary ]] || refuse "$binary is no program; build it, or name one with --binary="
done
names=(run)
((${#binaries[@]} == 1)) || names=(a b)

# The results of an earlier collection are neither replaced nor mixed with.
file_of() { printf '%s/%s_%0*d.json' "$folder" "$1" "${#count}" "$2"; }
mkdir -p "$folder" || refuse "$folder cannot be made"
for name in "${names[@]}"; do
  there=$(compgen -G "$folder/${name}_*.json" | head -n 1) || true
  [[ -z $there ]] || refuse "$there is there already; name another --folder"
done

unfinished=
trap '[[ -z $unfinished ]] || rm -f "$unfinished"' EXIT
unset BENCHMARK_OUT BENCHMARK_OUT_FORMAT

run() {  # which of the binaries, number of the process
  local binary=${binaries[$1]} file status=0
  file=$(file_of "${names[$1]}" "$2")
  unfinished=$folder/.unfinished_$$.json
  [[ $binary == */* ]] || binary=./$binary
  "$binary" "${flags[@]}" --benchmark_out="$unfinished" --benchmark_out_format=json \
    </dev/null >/dev/null || status=$?
  if ((status != 0)); then
    say "$file was not written: process $2 of $binary ended with exit status $status"
    exit "$status"
  fi
  if [[ ! -s $unfinished ]]; then
    say "$file was not written: $binary ended well and wrote nothing; does the filter match a row?"
    exit 1
  fi
  mv "$unfinished" "$file"
  unfinished=
  say "$file"
}

for ((process = 1; process <= count; process++)); do
  if ((${#binaries[@]} == 1)); then
    run 0 "$process"
  elif ((process % 2)); then
    run 0 "$process"
    run 1 "$process"
  else
    run 1 "$process"
    run 0 "$process"
  fi
done
