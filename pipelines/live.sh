#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows B-scans live on a web page, here or in another room.
set -euo pipefail

usage () {
  cat <<'END'
Usage: pipelines/live.sh [OPTIONS]

Reconstructs B-scans and shows them in a browser, until Ctrl-C.  Prints the
address to open.  Without --data, --source or --images they are those of a
virtual OCT system.  More: docs/live.md.
Missing Debian packages are installed with apt; the plugin is built in build/.

Examples:
  pipelines/live.sh
  pipelines/live.sh --flow
  pipelines/live.sh --address 0.0.0.0 --cert room.crt --key room.key \
    --record ~/surgery --calibration calibration.csv \
    --source "octcamerasrc ! video/x-raw,format=GRAY16_LE,width=2048,height=500"
END
}

# shellcheck source=pipelines/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
oct_help live/oct-live "$@"
oct_install "${OCT_LIVE_PACKAGES[@]}"
if oct_wants_camera "$@"; then
  oct_add_camera
fi
# a folder that was set up before these packages came
if [ -f "$oct_build/build.ninja" ] \
  && ! grep -q 'pipelines/live/oct-live:' "$oct_build/build.ninja"; then
  oct_quietly meson setup --reconfigure "$oct_build" "$oct_root"
fi
oct_start live/oct-live "$@"
