# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # `root` and the package lists cross between files
#
# Sourced by bench/run.sh and test/run.sh, which set `root`. Everything said here goes to stderr:
# stdout belongs to the program.

readonly build_dir="$root/build/release"
# Both scripts share one build folder, so configuring needs what tests are made with even where none
# is run.
readonly build_packages=(g++ cmake ninja-build libbenchmark-dev libgtest-dev
  nlohmann-json3-dev python3)
readonly test_packages=(python3-numpy python3-scipy python3-pandas python3-matplotlib python3-yaml mypy
  shellcheck libbenchmark-tools clang git)
readonly web_packages=(chromium chromium-driver python3-selenium)

say() { printf 'sectorbench: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Whether the program that a package is wanted for is there, from wherever it came.
has_program_of() {
  case $1 in
    g++ | cmake | git) command -v "$1" ;;
    ninja-build) command -v ninja ;;
    clang) command -v clang++ ;;
    *) false ;;
  esac >/dev/null
}

# Whether Chromium is a package here; Ubuntu's of that name only asks for a snap.
is_debian() { grep -qx 'ID=debian' /etc/os-release 2>/dev/null; }

# Prints those of the packages named that are needed.
missing_packages() {
  local installed package
  # It fails when it does not know one of them.
  installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    [[ $'\n'$installed$'\n' == *$'\n'"$package installed"$'\n'* ]] || has_program_of "$package" ||
      printf '%s\n' "$package"
  done
}

# install_packages <yes|no> <package>...: a CUDA toolkit is never among them, since apt's own is too
# old for C++20.
install_packages() {
  local allowed=$1 missing as_root=()
  shift
  if ! command -v dpkg-query >/dev/null; then
    return 0  # not a Debian: CMake will say what it misses
  fi
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  [[ $allowed == yes ]] || die "not installed, and --no-install was given: ${missing[*]}"
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "neither root nor sudo to install ${missing[*]}; run it once as root, or install sudo"
    as_root=(sudo)
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get -q -o DPkg::Lock::Timeout=120 update </dev/null >&2 ||
    die "apt-get update failed; needed: ${missing[*]}"
  "${as_root[@]}" apt-get -q -y -o DPkg::Lock::Timeout=120 install --no-install-recommends \
    "${missing[@]}" </dev/null >&2 || die "apt-get could not install: ${missing[*]}"
}

# Both scripts share one build folder, hence one choice of architectures: what the environment says,
# else those of the GPU present (CMake asks it), else a single one, because nothing can run on it.
architecture_argument() {
  local architectures=${CMAKE_CUDA_ARCHITECTURES:-${CUDAARCHS:-}}
  if [[ -z $architectures && ! -e /dev/nvidiactl && ! -e /dev/dxg ]]; then
    architectures=75
  fi
  printf '%s' "${architectures:+-DCMAKE_CUDA_ARCHITECTURES=$architectures}"
}

# The nvcc that CMake tries first.
first_nvcc() {
  local nvcc
  for nvcc in "${CUDACXX:-}" "$(command -v nvcc)" /usr/local/cuda/bin/nvcc /usr/local/cuda-*/bin/nvcc; do
    if [[ -x $nvcc ]]; then
      printf '%s' "$nvcc"
      return
    fi
  done
}

# Configures where that has not been done, has failed, or was done when there was another GPU or
# toolkit. A folder that somebody configured by hand is left as it is; changed CMake files are
# ninja's business.
configure() {
  local stamp=$build_dir/.configured_by_run_sh argument state arguments=()
  argument=$(architecture_argument)
  state="$argument $(first_nvcc)"
  if [[ -e $build_dir/build.ninja && (! -e $stamp || $(<"$stamp") == "$state") ]]; then
    return 0
  fi
  [[ ! -e $stamp ]] || arguments+=(--fresh)
  [[ -z $argument ]] || arguments+=("$argument")
  say "configuring $build_dir"
  mkdir -p "$build_dir"
  printf 'unfinished\n' >"$stamp"
  cmake -S "$root" --preset release --no-warn-unused-cli "${arguments[@]}" >&2 ||
    die "the configuration failed (above); the next run tries again"
  printf '%s\n' "$state" >"$stamp"
}

# build <target>: says nothing where there is nothing to do.
build() {
  NINJA_STATUS='[%f/%t %es] ' cmake --build "$build_dir" --target "$1" 2>&1 |
    sed -u -E '/^\[.*\] (Reading the revision|Re-checking globbed directories\.\.\.)$/d
      /^ninja: no work to do\.$/d' >&2
  ((PIPESTATUS[0] == 0)) || die "the build failed (above)"
}
