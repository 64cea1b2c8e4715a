#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Files of spectra, one or an archive, to volumes that other programs read.
set -euo pipefail

usage () {
  cat <<'END'
Usage: pipelines/convert.sh FILE... --output DIR [OPTIONS]

Reconstructs files of spectra, and those in folders, and writes their volumes as
NIfTI, NumPy, TIFF, HDF5, DICOM or OME-Zarr.  Files that were converted before are
left as they are.  A file that fails is reported, and the others go on.  More:
docs/archives.md.
Missing Debian packages are installed with apt; the plugin is built in build/.

Example:
  pipelines/convert.sh /archive --output volumes --calibration calibration.csv
END
}

# shellcheck source=pipelines/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
oct_help oct-convert "$@"
if oct_wants_dicom "$@"; then
  oct_add_dicom
fi
oct_start oct-convert "$@"
