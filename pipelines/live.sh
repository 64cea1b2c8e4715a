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

What is shown
  --source PIPELINE    a camera: GStreamer elements that deliver raw spectra
  --oct-camera NAME    a GenICam camera: its name or address, or first
  --daq SOCKET         a digitizer: the socket that its program makes
  --clock-delay N      --daq with a k-clock: samples by which spectra come after it
  --clock-jitter N     ... by which sweeps may begin sooner or later (default: 1)
  --scan PATTERN       drive a scanner: raster, radial, spiral, spiral-angular,
                       lissajous or rosette; the virtual system looks along it
  --size-um W[xH]      --scan: width and height, or the diameter (default: 5000)
  --centre-um X,Y      --scan: its middle (default: 0,0)
  --angle D            --scan: turns it, in degrees
  --scan-rate HZ       --scan: A-lines per second
  --scanner PROPERTIES --scan: properties of octscangen, such as limits
  --scan-sink PIPELINE --scan: elements that take its samples (default: none)
  --scan-mask-file FILE the A-lines of a volume that it takes, if the scan leaves
                       some out: rows of 0 and 1
  --data FILE          file of spectra, played in a loop: raw, NumPy, MATLAB, HDF5,
                       Thorlabs, or a recording
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
  --line-rate R        A-lines per second of a file (default: 30 B-scans per
                       second)
  --calibration CSV    spectral calibration, see docs/calibration.md
  --depth-start N, --depth-bins N   first depth bin of the images, and how many
                       (default: all)
  --depth-um FROM TO   depths that are shown, in micrometres of the sample
                       (default: all)
  --average N          B-scans in a running mean at the start (default: 1)
  --background MODE    spectrum that is removed, a mode of octdcsub
  --window NAME        window of the spectra: hann, none, hamming, blackman ...
  --speckle            filter speckle; the page can change all of these
  --bits N             bits of the grey levels, 8 (default) or 16, for snapshots
  --instrument NAME    use calibration and settings kept under this name;
                       --calibration replaces that calibration
  --save-instrument NAME  keep calibration and settings under this name, with
                       those that are set on the page
  --scan-ends FIRST,LAST  words for the sides of B-scans, as left,right
  --slow-ends FIRST,LAST  words for the first and the last B-scan of a volume;
                       --save-instrument keeps both
  --images PIPELINE    GStreamer elements that deliver finished images
  --bscans N           B-scans per volume, to show volumes (default: as the
                       source says; virtual OCT system: no volumes)
  --flow               begin with what flows beside the B-scan; the virtual OCT
                       system looks at blood
  --repeats N          B-scans at each place (default: as the source says)
  --width-um W         width of a B-scan in micrometres, for the scale bar and
                       volumes
  --length-um L        length of a volume, from its first B-scan to its last, in
                       micrometres (default: as its width)
  --refractive-index N of the sample, for the depth scale bar and volumes
                       (default: 1.38, tissue; 1: air)

Who can see it
  --address A          IP address to serve at (default: 127.0.0.1, this computer
                       only; 0.0.0.0: every network); any but this computer's
                       own needs the token that is printed
  --port P             (default: 8080)
  --cert FILE, --key FILE  certificate and key (PEM): encrypted pages
  --token-file FILE    keep the tokens in a file instead of printing new ones
  --udp-ports A-B      ports of the video, to open in a firewall
  --viewers N          viewers at the same time (default: 8)
  --bitrate B          bit rate of the video, per viewer, in kbit/s
                       (default: 6000)

  --record FOLDER      let the page record into this folder
  --keep-seconds N     hold the last N seconds of the video, which the page can
                       keep in FOLDER
  --keep-memory MB     ... and of the raw spectra as many as MB megabytes have
                       room for (default: 0, none); twice as much while a file
                       is written
  --worklist FILE      text file of the cases that the page offers as labels, one
                       in each line
  --mode OCTAL         permissions of the recordings, such as 0640 (default: 0600,
                       you alone)
  --version            of this project
  --help               this text

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
oct_help "$@"
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
