#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test/bare_machine.sh FOLDER SUITE MIRROR
# Before a release: the README's two commands on a machine that has nothing. Makes a minimal root of a
# distribution (bookworm, noble) in FOLDER, unpacks a source archive without git in it, and runs both commands
# there as an ordinary user who may use sudo. Needs root, debootstrap and a mirror of the distribution.
# Prints the seconds of each and what the tests counted; the exit status is that of the tests.
set -euo pipefail

(($# == 3)) || { sed -n '4,/^set /{/^set /!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2; exit 2; }
folder=$1 suite=$2 mirror=$3
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

debootstrap --variant=minbase --include=sudo,ca-certificates "$suite" "$folder" "$mirror" >&2
[[ $suite != noble ]] || printf 'deb %s noble main universe\n' "$mirror" >"$folder/etc/apt/sources.list"
cp /etc/resolv.conf "$folder/etc/resolv.conf"
[[ ! -d /etc/apt/apt.conf.d ]] || cp -r /etc/apt/apt.conf.d/. "$folder/etc/apt/apt.conf.d/"
chroot "$folder" useradd --create-home reader
printf 'reader ALL=(ALL) NOPASSWD: ALL\n' >"$folder/etc/sudoers.d/reader"
mkdir -p "$folder/home/reader/sectorbench"
git -C "$source_dir" archive HEAD | tar -x -C "$folder/home/reader/sectorbench"
chroot "$folder" chown -R reader:reader /home/reader/sectorbench
mount -t proc proc "$folder/proc"
trap 'umount "$folder/proc"' EXIT

# timed <name> <command>: no terminals and no /dev/shm, as in some containers
timed() {
  local begin=$SECONDS status=0
  chroot "$folder" su reader -c "cd ~/sectorbench && $2" </dev/null >"$folder/$1.log" 2>&1 || status=$?
  printf '%s: exit status %s, %s s: %s\n' "$1" "$status" "$((SECONDS - begin))" "$(tail -n 1 "$folder/$1.log")"
  return "$status"
}
timed bench 'bench/run.sh --quick'
timed test 'test/run.sh'
