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

  --output DIR         folder for the volumes and the manifest, oct-convert.csv
  --format F           nii (default), npy, tif, h5, zarr or dcm (DICOM; needs
                       --width-um and --length-um, and installs DCMTK)
  --bids               names of BIDS (_OCT), a JSON file beside each volume, the
                       tables of a dataset (zarr, the default then, or tif)
  --ascans             complex A-scans in place of images (npy, nii, h5)
  --flow               images of vessels, one for the repeats of each place
  --repeats N          --flow: B-scans at each place (default: as the file says)
  --doppler            velocities along the beam in mm/s (npy, nii, tif, h5,
                       zarr)
  --line-rate R        --doppler: A-lines per second (default: as the file says)
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
  --method M           reconstruction: cubic (default), linear, lanczos, nufft,
                       nudft, cs
  --solver NAME        with --method cs: persistent (default), continued, sparsa
  --tau NUMBER         with --method cs: threshold in standard deviations of the
                       noise (default: 3)
  --sampling-rate R    with --method cs: part of the samples that is used
                       (default: 0.4)
  --min DB, --max DB   black and white (default: by the contrast of the images)
  --remap              make a raster of a scan along a path, as a spiral, which
                       the recording keeps
  --remap-settings TEXT  --remap: properties of octremap, as
                       "columns=512 rows=512 delay-x=2.5"
  --flip TEXT          turn images, or B-scans of the way back: properties of
                       octflip, as "way-back=odd way-back-shift=5"

Sizes of what is read
  --samples N          samples per A-line    (raw files)
  --lines L            A-lines per B-scan    (raw files)
  --bscans N           B-scans per volume    (default: as the file says)
  --crop-start N, --crop-end N   A-lines to leave out at the start and at the
                       end of each B-scan, as flyback
  --sample-format F    how samples of a raw file are stored: gray16-le
                       (default), gray8, gray16-be, s16-le, f32-le ...
  --packing P          of raw files of 12 bit: mono12p or mono12packed
  --header-size B      bytes before the first sample of a raw file
  --variable NAME      array of a MATLAB file that has several
  --dataset NAME       dataset of an HDF5 file that has several
  --sample-dimension N of an array: which has the samples, 1 is the first;
                       of raw and TIFF frames: 2 where columns are A-lines
  --channel N          of an array of several channels, 1 is the first

Sizes of what is written
  --width-um W         width of a B-scan
  --length-um L        length of a volume, from its first B-scan to its last
  --refractive-index N of the sample (default: 1.38, tissue; 1: air)
  --dicom-tags TAGS    further attributes of DICOM files: PatientID=42;...

  --part K/N           convert only the K-th of N parts of about equal size
  --deidentify         no names, identifiers and dates in volumes, in what lies
                       beside them and in their names, which become numbers; no
                       manifest
  --table DIR          --deidentify: folder for the manifest, which says which
                       file became which number and lets runs continue
  --checksums          SHA-256 of every volume in the manifest
  --summary            convert nothing: list what is converted and what is
                       missing, and join the manifests of the parts; with
                       --checksums, compare the volumes with theirs
  --mode OCTAL         permissions of the volumes, such as 0640 (default: 0600)
  --version            of this project
  --help               this text

Example:
  pipelines/convert.sh /archive --output volumes --calibration calibration.csv
END
}

# shellcheck source=pipelines/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
oct_help "$@"
if oct_wants_dicom "$@"; then
  oct_add_dicom
fi
oct_start oct-convert "$@"
