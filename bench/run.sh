#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bench/run.sh [--no-install] [flags of the program]
# Installs what is missing (apt), builds and runs the benchmark: bench/run.sh --help
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=cmake/bootstrap.sh source-path=SCRIPTDIR/..
. "$root/cmake/bootstrap.sh"

install=yes
flags=()
for argument in "$@"; do
  if [[ $argument == --no-install ]]; then
    install=no
  else
    flags+=("$argument")
  fi
done

install_packages "$install" "${build_packages[@]}"
configure
build sectorbench_main
build sectorbench_sectors
exec "$build_dir/benchmark" "${flags[@]}"
