#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test/run.sh [--no-install] [arguments of ctest]
# Installs what is missing (apt), builds and runs all tests, or those chosen: test/run.sh -L host
# The last line is CTest's own count, the exit status CTest's.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=cmake/bootstrap.sh source-path=SCRIPTDIR/..
. "$root/cmake/bootstrap.sh"

install=yes
arguments=()
for argument in "$@"; do
  if [[ $argument == --no-install ]]; then
    install=no
  else
    arguments+=("$argument")
  fi
done

install_packages "$install" "${build_packages[@]}" "${test_packages[@]}"
configure
build sectorbench_tests

log=$build_dir/ctest.log
status=0
ctest --test-dir "$build_dir" --output-on-failure --no-tests=error --parallel "$(nproc)" \
  "${arguments[@]}" </dev/null | tee "$log" || status=$?
grep -E '^[0-9]+% tests passed, ' "$log" | tail -n 1 || true
exit "$status"
