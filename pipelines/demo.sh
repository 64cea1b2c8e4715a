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

  --data FILE          file of spectra: raw, NumPy, MATLAB, HDF5, Thorlabs, or a
                       recording
  --samples N          samples per A-line    (only of a raw file)
  --lines L            A-lines per B-scan    (the others know by themselves)
  --sample-format F    how samples of a raw file are stored: gray16-le
                       (default), gray8, gray16-be, s16-le, f32-le ...
  --packing P          of raw files of 12 bit: mono12p or mono12packed
  --header-size B      bytes before the first sample of a raw file
  --variable NAME      array of a MATLAB file that has several
  --dataset NAME       dataset of an HDF5 file that has several
  --sample-dimension N of an array: which has the samples, 1 is the first;
                       of raw and TIFF frames: 2 where columns are A-lines
  --channel N          of an array of several channels, 1 is the first
  --calibration CSV    spectral calibration, see docs/calibration.md
  --depth-start N, --depth-bins N   first depth bin of the images, and how many
                       (default: all)
  --depth-um FROM TO   depths of the images, in micrometres of the sample
                       (default: all)
  --average N          B-scans in a running mean (default: 1, none)
  --background MODE    background to remove: a mode of octdcsub (default:
                       bscan)
  --window NAME        window of the spectra: hann (default), none, hamming,
                       blackman, tukey, gaussian
  --speckle            filter speckle in the images
  --bits N             bits of the grey levels in bscan.png: 8 (default) or 16
  --frames N           B-scans in the video (default: all of a file, else 300),
                       places with --flow
  --volume             make volume.mp4, a turn around a volume, and volume.png
  --flow               make flow.mp4, B-scans with the vessels beside them, and
                       vessels.png, the vessels from above
  --repeats N          --flow: B-scans at each place (some files know by themselves)
  --bscans N           --volume, --flow: B-scans per volume, with all repeats
                       (some files know by themselves)
  --width-um W, --length-um L   --volume, --flow: how large it is (default: a square)
  --output DIR         folder for the results (default: ./out); nobody but you
                       can read what is written there
  --version            of this project
  --help               this text

Example:
  pipelines/demo.sh --data scan.raw --samples 2048 --lines 500 \
    --calibration calibration.csv
END
}

# shellcheck source=pipelines/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
oct_help "$@"
oct_start oct-demo "$@"
