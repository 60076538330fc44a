#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test/run.sh [--no-install] [--web] [arguments of ctest]
# Installs what is missing (apt), builds and runs all tests, or those chosen: test/run.sh -L unit
# Tests of the web page are skipped where there is no Chromium; on Debian --web installs it, and then
# they may not be skipped.
# The last line is CTest's own count, the exit status CTest's.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=cmake/bootstrap.sh source-path=SCRIPTDIR/..
. "$root/cmake/bootstrap.sh"

install=yes
packages=("${build_packages[@]}" "${test_packages[@]}")
arguments=()
for argument in "$@"; do
  case $argument in
    --no-install) install=no ;;
    --web)
      if is_debian; then
        packages+=("${web_packages[@]}")
        export SECTORBENCH_REQUIRE_WEB=1
      else
        say "--web: Chromium is no package of this distribution; without one of your own its tests are skipped"
      fi
      ;;
    *) arguments+=("$argument") ;;
  esac
done

install_packages "$install" "${packages[@]}"
configure
build sectorbench_tests

log=$build_dir/ctest.log
status=0
ctest --test-dir "$build_dir" --output-on-failure --no-tests=error --parallel "$(nproc)" \
  "${arguments[@]}" </dev/null | tee "$log" || status=$?
grep -E '^[0-9]+% tests passed, ' "$log" | tail -n 1 || true
exit "$status"
