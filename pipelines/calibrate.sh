#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Mirrors in, the calibration of a spectrometer out.
set -euo pipefail

usage () {
  cat <<'END'
Usage: pipelines/calibrate.sh --mirror FILE... --output CALIBRATION.csv [OPTIONS]

Makes the spectral calibration that demo.sh, record.sh, live.sh and the elements
take, from spectra of a mirror at two depths or more: docs/calibration.md.
Missing Debian packages are installed with apt; the program is built in build/.

Example:
  pipelines/calibrate.sh --mirror near.oct deep.oct --same-side \
    --depth-um 200 1400 --centre-nm 845 \
    --output calibration.csv --plot calibration.svg
END
}

# shellcheck source=pipelines/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
oct_help oct-calibrate "$@"
oct_start oct-calibrate "$@"
