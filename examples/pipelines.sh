#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Pipelines for the shell, each with its purpose.  They write into the given
# folder, and need no instrument: octsrc simulates one.
#
#   examples/pipelines.sh FOLDER
set -eu
if [ $# -ne 1 ]; then
  echo "Usage: examples/pipelines.sh FOLDER" >&2
  exit 2
fi
mkdir -p "$1"
cd "$1"

# B-scans as pictures.
gst-launch-1.0 -q octsrc num-buffers=3 ! octreconstruct ! pngenc \
  ! multifilesink location=bscan%d.png

# Raw spectra for other programs: 16 bit, the sample fastest, then the A-line.
gst-launch-1.0 -q octsrc samples=1024 lines=200 num-buffers=3 \
  ! filesink location=spectra.raw

# Complex A-scans of them: pairs of 32-bit floats, the depth fastest.  NumPy:
# numpy.fromfile ("ascans.cf32", "<c8").reshape (3, 200, 512)
gst-launch-1.0 -q octsrc location=spectra.raw samples=1024 lines=200 \
  wavelength-min=790 wavelength-max=900 ! octdcsub ! octnufft \
  ! filesink location=ascans.cf32

# The same light twice: a picture, and the A-scans that it was made of.
gst-launch-1.0 -q octsrc num-buffers=1 ! octdcsub ! octnufft ! tee name=t \
  t. ! queue ! octlogscale ! pngenc ! filesink location=both.png \
  t. ! queue ! filesink location=both.cf32

# A recording of raw spectra while images are made, and the recording played.
gst-launch-1.0 -q octsrc num-buffers=20 ! tee name=t \
  t. ! queue ! octreconstruct ! fakesink \
  t. ! queue ! octrawsink location=recording
gst-launch-1.0 -q octsrc location=recording.oct num-buffers=3 ! octreconstruct ! pngenc \
  ! multifilesink location=played%d.png

# A volume as a file for other programs, and what it looks like from above.
gst-launch-1.0 -q octsrc bscans=16 lines=128 num-buffers=16 ! octreconstruct \
  ! tee name=t \
  t. ! queue ! octvolumesink location=volume.npy \
  t. ! queue ! octenface ! pngenc ! multifilesink location=enface%d.png

# Settings that are remembered: GStreamer's presets, or a file of one line each.
cat >settings <<'END'
octdcsub mode=median
! octnufft window=gaussian
! octlogscale range=manual min=20 max=70
END
gst-launch-1.0 -q octsrc num-buffers=1 ! $(cat settings) ! pngenc \
  ! filesink location=settings.png
