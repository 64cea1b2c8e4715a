#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Records B-scans while they are being taken, and whatever belongs to them.
set -euo pipefail

usage () {
  cat <<'END'
Usage: pipelines/record.sh --output NAME [OPTIONS]

Reconstructs B-scans live and records them until Ctrl-C:
  NAME-00000.mkv, ...           video (H.264), in parts of three minutes (or 4 GB)
  NAME.mp4                      with --mp4: video as one file
  NAME-volume-00000.mkv, ...    with --volume: a film of the rendered volumes
  NAME-flow-00000.mkv, ...      with --flow: images of vessels
  NAME-lossless-00000.mkv, ...  with --lossless: images of 16 bit (FFV1)
  NAME.oct, NAME-00000.raw, ... with --raw: the spectra as they came; NAME.oct
                                is played like any file of spectra;
                                NAME-scan-mask-00000.txt beside it where the scan
                                leaves A-lines out
Without --data or --source the spectra come from a virtual OCT system.
Missing Debian packages are installed with apt; the plugin is built in build/.

Examples:
  pipelines/record.sh --output ~/surgery/patient-17 --camera /dev/video0 --view
  pipelines/record.sh --output scan --raw --calibration calibration.csv \
    --source "octcamerasrc ! video/x-raw,format=GRAY16_LE,width=2048,height=500"
END
}

# shellcheck source=pipelines/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
oct_help oct-record "$@"
if oct_wants_camera "$@"; then
  oct_add_camera
fi
oct_start oct-record "$@"
