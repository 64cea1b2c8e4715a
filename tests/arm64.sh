#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian arm64: built by a cross compiler, tested in emulation.
set -euo pipefail

usage () {
  cat <<'END'
Usage: tests/arm64.sh SUITE [COMMAND [ARGUMENT ...]]
       tests/arm64.sh SUITE --packages

Makes a Debian of that name (bookworm, trixie, ...) for this computer's processor,
in build-debian-SUITE-arm64/, with the libraries of arm64 beside its own. There it
builds the working tree for arm64, and runs the tests with qemu-user: those that
compute, read files and run elements.  With COMMAND it runs that instead, in the copy.

  tests/arm64.sh trixie
  tests/arm64.sh trixie meson test -C build-arm64 numeric-fft --verbose

  --packages   builds the Debian packages for arm64 too, checks them with lintian,
               and installs them beside the emulator in a bare Debian, where a
               pipeline and the programs run.  They are left in
               build-debian-SUITE-arm64-packages/.

Not run: programs in time and with a browser (suite `pipelines`), Python, the docs,
image quality, and the cases one by one.

Ends with 75 when there is no such system (tests/debian.sh), or when what is
needed in it cannot be downloaded.
END
}

suite=${1:-}
case $suite in
  --help | -h) usage; exit 0 ;;
  --within) shift ;;
  '' | -*) usage >&2; exit 2 ;;
  *) shift ;;
esac

case ${1:-} in
  '' | --packages) ;;
  -*) echo "'$1' is not an option of tests/arm64.sh, see --help." >&2; exit 2 ;;
esac

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=pipelines/packages.sh
. pipelines/packages.sh

# Installs the needs of debian/control for arm64, the emulator, and what the tests load,
# unless an earlier run did.
prepare () {
  local known=/var/lib/apt/oct-arm64 more=(crossbuild-essential-arm64 qemu-user lintian
    gstreamer1.0-tools:arm64 gstreamer1.0-plugins-{base,good,bad}:arm64)
  if ! cmp -s $known <(echo "${more[@]}"; cat debian/control); then
    dpkg --add-architecture arm64
    oct_apt build-dep --host-architecture arm64 -P cross,nocheck . >/dev/null
    oct_apt install "${more[@]}" >/dev/null
    (echo "${more[@]}"; cat debian/control) >$known
  fi
  # what is built is emulated, what the emulated would start is not
  export GST_REGISTRY_FORK=no
}

build_and_test () {
  [ -f build-arm64/build.ninja ] ||
    meson setup build-arm64 --cross-file tests/arm64/cross.ini -Dwerror=true \
      -Dcuda=disabled -Dpython=disabled -Dtests=enabled -Dpipelines=enabled
  ninja -C build-arm64
  meson test -C build-arm64 --no-rebuild --print-errorlogs --num-processes 2 \
    --timeout-multiplier 10 --no-suite slow --no-suite pipelines --no-suite docs \
    --no-suite examples --no-suite quality
}

# In the system that builds: as tests/packages.sh, for another architecture and without
# tests, which dpkg cannot run.
build_packages () {
  local version to=/srv/gst-oct/packages
  version=$(dpkg-parsechangelog -S Version)
  rm -rf $to
  mkdir -p "$to/gst-oct-$version"
  find . -path './build*' -prune -o -type f -print0 |
    tar c --null -T - | tar x -C "$to/gst-oct-$version"
  cd "$to/gst-oct-$version"
  DEB_BUILD_OPTIONS='nocheck parallel=2' \
    dpkg-buildpackage -aarm64 -B -Pcross,nocheck -us -uc
  lintian --profile debian --allow-root --fail-on error,warning \
    --suppress-tags out-of-date-standards-version ../*.changes
}

# In the bare one: the emulator starts what the packages and GStreamer's tools bring.
# shellcheck disable=SC2016
try='
set -eu
dpkg --add-architecture arm64
oct_apt install qemu-user gstreamer1.0-tools:arm64 gstreamer1.0-plugins-good:arm64 \
  ./gstreamer1.0-oct_*.deb ./oct-tools_*.deb ./liboctdaq0_*.deb ./gst-oct-dev_*.deb \
  >/dev/null
mkdir /tmp/emulated
for program in /usr/bin/gst-inspect-1.0 /usr/bin/gst-launch-1.0 /usr/bin/oct-*; do
  printf "#!/bin/sh\nexec qemu-aarch64 %s \"\$@\"\n" $program \
    >/tmp/emulated/${program##*/}
done
chmod +x /tmp/emulated/*
AUTOPKGTEST_TMP=$(mktemp -d)
export AUTOPKGTEST_TMP PATH=/tmp/emulated:$PATH GST_REGISTRY_FORK=no
./pipeline
for name in oct-demo oct-record oct-live oct-convert oct-calibrate oct-daq-sim \
  oct-daq-alazar oct-daq-spcm; do
  $name --version | grep "^oct-.* (gst-oct) [0-9]"
done
gst-launch-1.0 -q octsrc bscans=4 num-buffers=4 ! octrawsink location=$AUTOPKGTEST_TMP/short
oct-convert $AUTOPKGTEST_TMP/short.oct --output $AUTOPKGTEST_TMP --format npy
[ $(stat -c %s $AUTOPKGTEST_TMP/short.npy) -gt 100000 ]
'

if [ "$suite" = --within ]; then
  prepare
  case ${1:-} in
    '') build_and_test ;;
    --packages) build_packages ;;
    *) exec "$@" ;;
  esac
  exit
fi

bash tests/debian.sh --for arm64 "$suite" bash tests/arm64.sh --within "$@"
if [ "${1:-}" = --packages ]; then
  packages=$root/build-debian-$suite-arm64-packages
  rm -rf "$packages"
  mkdir "$packages"
  cp "build-debian-$suite-arm64/system/srv/gst-oct/packages"/*.deb debian/tests/pipeline \
    "$packages"
  rm -f "$packages"/*-dbgsym_*.deb
  bash tests/debian.sh --bare "$packages" "$suite" bash -c "OCT_NOT_NOW=$OCT_NOT_NOW
$(declare -f oct_apt)
$try"
  echo "The packages of Debian $suite for arm64 are in $packages"
fi
