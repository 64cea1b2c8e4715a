# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# Debian packages of this project and a function that installs the missing ones.
# Read by demo.sh, tests/run.sh and others that need the list:
#   bash -c '. pipelines/packages.sh; echo "${OCT_BUILD_PACKAGES[@]}"'

# To build the plugin and the programs; the last line is for files of MATLAB,
# HDF5, Thorlabs, TIFF and Zarr.
OCT_BUILD_PACKAGES=(gcc libc6-dev meson ninja-build pkg-config
  libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev
  libgstrtspserver-1.0-dev libcairo2-dev
  zlib1g-dev libhdf5-dev libzip-dev libtiff-dev libzstd-dev libjson-glib-dev)

# To write DICOM too; convert.sh installs them if they are needed.
OCT_DICOM_PACKAGES=(g++ libdcmtk-dev)

# For GenICam cameras; record.sh and live.sh install them if they are needed.
# Debian 12's libaravis-dev needs libusb's and does not say so.
OCT_CAMERA_PACKAGES=(libaravis-dev libusb-1.0-0-dev)

# To run it, to make videos and to record: gst-launch-1.0, videoconvert, mp4mux,
# pngenc, x264enc, clockoverlay (x), avenc_ffv1 (libav).
OCT_RUN_PACKAGES=(gstreamer1.0-tools gstreamer1.0-plugins-base
  gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-plugins-ugly
  gstreamer1.0-x gstreamer1.0-libav)

# To build and run the live viewer too: web server, JSON, WebRTC, encryption.
OCT_LIVE_PACKAGES=(libsoup-3.0-dev libjson-glib-dev libevdev-dev
  libgstreamer-plugins-bad1.0-dev gstreamer1.0-nice glib-networking)

# For the tests only: Aravis has a camera source and a fake camera for it, openssl
# makes a certificate; readers of the written files, and DICOM, which is optional;
# desktop-file-validate.
OCT_TEST_PACKAGES=(python3 python3-numpy "${OCT_CAMERA_PACKAGES[@]}" openssl git codespell
  desktop-file-utils
  clang-format reuse python3-tifffile python3-nibabel python3-h5py
  python3-pydicom "${OCT_DICOM_PACKAGES[@]}" dcmtk dicom3tools
  python3-gi gir1.2-gst-plugins-base-1.0 python3-xarray python3-zarr mkdocs mkdocs-material)

# For the tests of the continuous integration: servers, which run when they are
# installed.  An archive of DICOM, a library that keeps procedure steps, and Slurm:
# the tests start their own.
OCT_ARCHIVE_PACKAGES=(orthanc python3-odil slurmctld slurmd slurm-client munge)

# For the fuzz targets: clang with libFuzzer and the sanitizers.
OCT_FUZZ_PACKAGES=(clang libclang-rt-dev)

# Those of the packages given that are not installed.
oct_missing () {
  local installed
  # dpkg-query fails if it does not know one of them, and lists the others
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" \
    2>/dev/null | sed -n 's/ installed$//p') || true
  printf '%s\n' "$@" | grep -vxF -f <(echo "$installed") || true
}

# No fault of ours: no mirror can be reached, or it lacks files (EX_TEMPFAIL).
OCT_NOT_NOW=75

# Installs the missing ones of the packages given, and prints their names.  Fails
# with OCT_NOT_NOW if they cannot be downloaded at present.
oct_install () {
  local missing log status=0

  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "No apt-get here, nothing is installed. These programs and libraries" \
      "are needed; their Debian packages are: $*" >&2
    return 0
  fi
  mapfile -t missing < <(oct_missing "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    echo "Packages are missing: ${missing[*]}" >&2
    echo "Install them as root, or install sudo, and start again." >&2
    return 1
  fi
  echo "Installing (this can take some minutes): ${missing[*]}"
  log=$(mktemp)
  oct_apt install "${missing[@]}" </dev/null >"$log" 2>&1 || status=$?
  if [ $status -ne 0 ]; then
    tail -n 20 "$log" >&2
    echo "apt-get could not install them; its last lines are above." >&2
  fi
  rm -f "$log"
  return $status
}

# oct_apt install PACKAGE ..., or oct_apt build-dep FOLDER.  One step after the
# other, to distinguish a failure of the moment from one that stays.
oct_apt () {
  local get=() options=(-y -q --no-install-recommends) updated=yes
  [ "$(id -u)" -eq 0 ] || get=(sudo)
  get+=(env DEBIAN_FRONTEND=noninteractive apt-get)
  "${get[@]}" -q -o APT::Update::Error-Mode=any update || updated=no
  if ! "${get[@]}" "${options[@]}" --simulate "$@"; then
    # the lists may be those of another day, or none
    [ $updated = yes ] && return 1
    return $OCT_NOT_NOW
  fi
  "${get[@]}" "${options[@]}" --download-only "$@" || return $OCT_NOT_NOW
  "${get[@]}" "${options[@]}" "$@" || return 1
}
