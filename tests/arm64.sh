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
compute, read files and run elements.  With COMMAND it runs that in the build folder's
place instead.

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

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=pipelines/packages.sh
. pipelines/packages.sh

# Installs the needs of debian/control for arm64, the emulator, and what the tests load.
prepare () {
  local known=/var/lib/apt/oct-arm64
  if ! cmp -s debian/control $known; then
    dpkg --add-architecture arm64
    oct_apt build-dep --host-architecture arm64 -P cross,nocheck . >/dev/null
    oct_apt install crossbuild-essential-arm64 qemu-user gstreamer1.0-tools:arm64 \
      gstreamer1.0-plugins-{base,good,bad}:arm64 >/dev/null
    cp debian/control $known
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

if [ "$suite" = --within ]; then
  prepare
  if [ $# -gt 0 ]; then
    exec "$@"
  fi
  build_and_test
  exit
fi

bash tests/debian.sh --for arm64 "$suite" bash tests/arm64.sh --within "$@"
