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

  --mirror FILE...      spectra of the mirror at one depth each, on the side of
                        the zero delay where samples will be: raw, NumPy, MATLAB,
                        HDF5, Thorlabs, or a recording
  --other-side FILE...  the same on the other side
  --same-side           all mirrors are on one side
  --each-bscan          each B-scan of a file is a mirror at another depth
  --background FILE...  spectra without the mirror: one file, or one per mirror
  --depth-um UM...      positions of the mirrors, from any origin
  --centre-nm NM        wavelength of the source, with --depth-um or --step-um
  --step-um UM          distance from each mirror to the next, in their order
  --wavelength-min NM, --wavelength-max NM
                        in their place: shortest and longest wavelength of the
                        pixels; depths are as right as these
  --wavelength WAY      rising (default) or falling, along the samples
  --samples N           samples per A-line of raw files
  --lines L             A-lines per B-scan, with --each-bscan
  --sample-format F     how samples of a raw file are stored: gray16-le
                        (default), gray8, gray16-be, s16-le, f32-le ...
  --packing P           of raw files of 12 bit: mono12p or mono12packed
  --header-size B       bytes before the first sample of a raw file
  --variable NAME       array of MATLAB files that have several
  --dataset NAME        dataset of HDF5 files that have several
  --sample-dimension N  of an array: which has the samples, 1 is the first;
                        of raw and TIFF frames: 2 where columns are A-lines
  --channel N           of an array of several channels, 1 is the first
  --output CSV          file for the calibration
  --check CSV           measure this calibration, and make none
  --clock FILE          a mirror with its k-clock, of every A-line the spectrum and
                        then the clock: find `delay` of octkclock alone
  --plot FILE           draw what was found, .svg or .png
  --window NAME         window of the A-scans in the plot: hann (default), none,
                        hamming, blackman, tukey, gaussian
  --version             of this project
  --help                this text

Example:
  pipelines/calibrate.sh --mirror near.oct deep.oct --same-side \
    --depth-um 200 1400 --centre-nm 845 \
    --output calibration.csv --plot calibration.svg
END
}

# shellcheck source=pipelines/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
oct_help "$@"
oct_start oct-calibrate "$@"
