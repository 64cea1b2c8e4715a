#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The main job in one command: raw spectra in, a video of B-scans out.
set -euo pipefail

usage () {
  cat <<'END'
Usage: pipelines/demo.sh [OPTIONS]

Reconstructs B-scans from raw OCT spectra and writes
  bscans.mp4   a video of all B-scans (H.264, plays in a browser)
  bscan.png    one B-scan, from the middle of the video
Without --data the spectra come from a virtual OCT system.
Missing Debian packages are installed with apt; the plugin is built in build/.

Example:
  pipelines/demo.sh --data scan.raw --samples 2048 --lines 500 \
    --calibration calibration.csv
END
}

# shellcheck source=pipelines/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
oct_help oct-demo "$@"
oct_start oct-demo "$@"
