#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test/lint.sh [clang-format|shellcheck|mypy|actionlint]...
# Checks the tree with these, or with all four. Debian 12's versions decide (actionlint: 1.7.12). Exit status: 0,
# or 1 if one of them complains or is not installed.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
checks=("$@")
((${#checks[@]})) || checks=(clang-format shellcheck mypy actionlint)

# The tree's files of these patterns.
files() { git ls-files -z --cached --others --exclude-standard -- "$@"; }

status=0
for check in "${checks[@]}"; do
  if [[ ! $check =~ ^(clang-format|shellcheck|mypy|actionlint)$ ]]; then
    printf 'lint.sh: %s: none of clang-format, shellcheck, mypy, actionlint\n' "$check" >&2
    exit 1
  fi
  if ! command -v "$check" >/dev/null; then
    printf 'lint.sh: %s is not installed\n' "$check" >&2
    status=1
    continue
  fi
  case $check in
    clang-format) files '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs -0 clang-format --dry-run --Werror ;;
    shellcheck) files '*.sh' .ci/run | xargs -0 shellcheck -x ;;
    mypy) files 'bench/tools/*.py' | xargs -0 mypy --strict --ignore-missing-imports ;;
    actionlint) actionlint ;;
  esac || status=1
done
exit "$status"
