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

Where the spectra come from
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
  --line-rate R        A-lines per second (default: 30 B-scans per second)

How they are reconstructed
  --method M           cubic (default), linear, lanczos, nufft, nudft, cs; see
                       docs/record-and-stream.md
  --solver S, --tau T, --sampling-rate R
                       of --method cs: persistent (default), continued or
                       sparsa; threshold in standard deviations of the noise
                       (default: 3); part of the samples that is used
                       (default: 0.4)
  --depth-um FROM TO   depths of the images, in micrometres of the sample
                       (default: all)
  --average N          B-scans in a running mean (default: 1, none)
  --background MODE    background to remove: a mode of octdcsub (default:
                       bscan)
  --window NAME        window of the spectra: hann (default), none, hamming,
                       blackman, tukey, gaussian
  --speckle            filter speckle in the images
  --fill WAY           A-lines that a scan leaves out, in images: linear
                       (default), joint, auto, off
  --scan-mask-file FILE the A-lines of a volume that a camera takes: rows of 0
                       and 1

What is recorded
  --output NAME        path and name of the recording, without ending
  --seconds S          end after S seconds (default: at Ctrl-C)
  --mp4                video as one MP4 file instead of parts
  --part-seconds S     length of a part (default: 180)
  --bitrate B          bit rate of the video in kbit/s (default: 8000)
  --instrument NAME    use calibration and settings kept under this name;
                       --calibration replaces that calibration
  --save-instrument NAME  keep calibration and settings under this name
  --keep-seconds N     hold the last N seconds of the video: Enter, or the signal
                       SIGUSR1, writes them to NAME-kept-DATE-TIME.mkv while
                       all goes on
  --keep-memory MB     ... and of the raw spectra as many as MB megabytes have
                       room for (NAME-kept-spectra-DATE-TIME.oct; default: 0,
                       none); twice as much while a file is written
  --size WxH           pixels of the B-scan in the video (default: 640x512)
  --volume             record a film of the rendered volumes too
  --bscans N           B-scans per volume (default: as the source says)
  --width-um UM, --length-um UM  sizes of a volume, for its proportions
  --turn-rate D        rotation of the volume in degrees per second (default: 0)
  --flow               record images of vessels too, from B-scans that are
                       repeated at each place
  --repeats N          with --flow: B-scans at each place (default: as the source
                       says)
  --no-video           record only what --raw, --lossless, --volume and --flow
                       say
  --no-meters          keep no measurements of the signal beside the recording
  --raw                record the spectra too
  --lossless           record images of 16 bit too
  --min DB, --max DB   with --lossless: black and white (default: 0, 100 dB)
  --mode OCTAL         permissions of the files, such as 0640 (default: 0600,
                       you alone)
  --camera DEVICE      a camera beside the B-scan: /dev/video0, ..., or test
  --clock              date and time in the video (always with --camera)

Who else sees it
  --view               show the images in a window
  --view=SINK          show them by another GStreamer sink
  --rtsp PORT          serve them as rtsp://ADDRESS:PORT/oct
  --address A          where the server listens (default: this computer only)
  --password-file FILE file with the password of the viewers in its first line
  --stream PIPELINE    send H.264 into these GStreamer elements, such as srtsink
                       (with --rtsp or --stream, --output may be left out)
  --version            of this project
  --help               this text

Examples:
  pipelines/record.sh --output ~/surgery/patient-17 --camera /dev/video0 --view
  pipelines/record.sh --output scan --raw --calibration calibration.csv \
    --source "octcamerasrc ! video/x-raw,format=GRAY16_LE,width=2048,height=500"
END
}

# shellcheck source=pipelines/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
oct_help "$@"
if oct_wants_camera "$@"; then
  oct_add_camera
fi
oct_start oct-record "$@"
