#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The Debian packages: built in one Debian, installed and tried in a bare one.
set -euo pipefail

usage () {
  cat <<'END'
Usage: tests/packages.sh SUITE [--quick | --all]

Builds the packages and the source package in a Debian of that name (bookworm,
trixie, ...), runs their tests, checks them with lintian, installs them in a bare
Debian that has nothing of the working tree, and runs debian/tests there.  The
packages are left in build-debian-SUITE-packages/.

  --quick   without the tests that the build runs
  --all     with all tests, those of programs in time, the docs and the images among
            them, against what was built for the packages; needs two idle cores

Ends with 75 when there is no such system (tests/debian.sh), or when what is
needed in it cannot be downloaded.
END
}

case ${1:-} in
  --help | -h) usage; exit 0 ;;
  '') usage >&2; exit 2 ;;
esac
suite=$1 quick='' all=''
case ${2:-} in
  '') ;;
  --quick) quick=nocheck ;;
  --all) all=all ;;
  *) echo "'$2' is not an option of tests/packages.sh, see --help." >&2; exit 2 ;;
esac

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# shellcheck source=pipelines/packages.sh
. pipelines/packages.sh
# for both systems; the second one has nothing of the working tree
install="OCT_NOT_NOW=$OCT_NOT_NOW
$(declare -f oct_apt)"

# In the system that builds: what is here is the copy of the working tree.
# shellcheck disable=SC2016
build='
set -eu
oct_apt install dpkg-dev lintian debhelper >/dev/null
version=$(dpkg-parsechangelog -S Version)
to=/srv/gst-oct/packages
rm -rf $to
mkdir -p $to/gst-oct-${version%-*}
find . -path "./build*" -prune -o -type f -print0 |
  tar c --null -T - | tar x -C $to/gst-oct-${version%-*}
# what `meson dist` makes of a tag
tar cJf $to/gst-oct_${version%-*}.orig.tar.xz -C $to gst-oct-${version%-*}
oct_apt build-dep . >/dev/null
# tests with real data, where tests/debian.sh has put some
[ ! -d ../shared/data/cscan ] || export OCT_TEST_DATA=$(realpath ../shared/data/cscan)
if [ "${2:-}" = all ]; then
  . pipelines/packages.sh
  oct_install "${OCT_RUN_PACKAGES[@]}" "${OCT_LIVE_PACKAGES[@]}" \
    "${OCT_TEST_PACKAGES[@]}" chromium nodejs npm
  # beside the sources, as beside the checkout
  [ ! -d ../shared ] || ln -sfn "$(realpath ../shared)" $to/shared
  # A build of a package has no home, where npm finds its settings.
  export OCT_PACKAGE_TESTS=all npm_config_userconfig=/root/.npmrc
fi
cd $to/gst-oct-${version%-*}
DEB_BUILD_OPTIONS="${1:+$1 }parallel=2" dpkg-buildpackage -us -uc
# packages name the version of the policy that Debian 12 has
tags=out-of-date-standards-version
# the one of Debian 12 asks for a script for each init; that of 13 does not know it
tag=package-supports-alternative-init-but-no-init.d-script
! lintian-explain-tags $tag >/dev/null 2>&1 || tags=$tags,$tag
lintian --profile debian --allow-root --fail-on error,warning,info --suppress-tags $tags ../*.changes
'
bash tests/debian.sh "$suite" bash -c "$install$build" build "$quick" "$all"

packages=$root/build-debian-$suite-packages
rm -rf "$packages"
mkdir "$packages"
cp "build-debian-$suite/system/srv/gst-oct/packages"/*.{deb,dsc,tar.xz} \
  debian/tests/* "$packages"
rm -f "$packages"/*-dbgsym_*.deb

# In the bare one: each test with no more packages than it depends on.
# shellcheck disable=SC2016
try='
set -eu
AUTOPKGTEST_TMP=$(mktemp -d)
export AUTOPKGTEST_TMP
oct_apt install ./gstreamer1.0-oct_*.deb \
  gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-tools >/dev/null
./pipeline
oct_apt install ./gstreamer1.0-oct_*.deb \
  ./gst-oct-dev_*.deb ./liboctdaq0_*.deb gstreamer1.0-plugins-bad \
  gcc libc6-dev make pkgconf \
  libgstreamer-plugins-base1.0-dev python3-gi python3-numpy \
  gir1.2-gst-plugins-base-1.0 >/dev/null
./examples
oct_apt install ./gstreamer1.0-oct_*.deb ./oct-tools_*.deb ./python3-gst-oct_*.deb \
  gstreamer1.0-plugins-good >/dev/null
./python
oct_apt install ./*.deb curl >/dev/null
./programs
'
bash tests/debian.sh --bare "$packages" "$suite" bash -c "$install$try"
echo "The packages of Debian $suite are in $packages"
