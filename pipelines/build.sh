# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# Shared by the scripts of this folder, before they start their program: install
# missing packages, build the plugin and the program, set variables of GStreamer.
#   . pipelines/build.sh && oct_help oct-demo OPTIONS && oct_start oct-demo OPTIONS

oct_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
oct_build=${OCT_BUILD_DIR:-$oct_root/build}
# shellcheck source=pipelines/packages.sh
. "$oct_root/pipelines/packages.sh"

# For --help: the `usage` of the script and, if its program is built, the options as
# that lists them.  Nothing is installed or built.
oct_help () {
  local program=$oct_build/pipelines/$1 argument
  shift
  for argument in "$@"; do
    if [ "$argument" = --help ] || [ "$argument" = -h ]; then
      usage
      echo
      if [ -x "$program" ]; then
        # from the first section on
        "$program" --help | sed -n '1d; /^[A-Z].*:$/,$p'
      else
        echo "The options are listed here after the first start, which builds the program."
      fi
      exit 0
    fi
  done
}

# Says nothing when there is nothing to do, shows the log when it fails.
oct_quietly () {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}

# Builds targets and shows how far it is: on a terminal in one place, elsewhere a
# line for each fifth.
oct_ninja () {
  local - log status
  set +e # for this function: its status is asked for
  log=$(mktemp)
  NINJA_STATUS='[%p] ' ninja -C "$oct_build" "$@" </dev/null 2>&1 | tee "$log" |
    sed -un 's/^\[ *\([0-9]*\)%\].*/\1/p' | oct_show_progress
  status=${PIPESTATUS[0]}
  [ "$status" -eq 0 ] || cat "$log" >&2
  rm -f "$log"
  return "$status"
}

# Shows the percentages that it reads, one a line.
oct_show_progress () {
  local part next=20
  while read -r part; do
    if [ -t 1 ]; then
      printf '\r  %s%% ' "$part"
    elif [ "$part" -ge $next ]; then
      echo "  $part% of the build is done"
      next=$((part - part % 20 + 20))
    fi
  done
  # clears the line with the percentage, if there is one
  [ ! -t 1 ] || printf '\r        \r'
}

# Whether an NVIDIA GPU may be here: a card and its driver, one that Windows
# lends (WSL), a Jetson's.  Tests put a folder in place of /.
oct_has_gpu () {
  local device root=${OCT_TEST_DEVICES:-}
  for device in "$root"/dev/nvidia[0-9]* "$root"/proc/driver/nvidia/gpus/* \
    "$root"/dev/{dxg,nvhost-gpu,nvgpu}; do
    [ ! -e "$device" ] || return 0
  done
  return 1
}

# The value of Meson's option `cuda`: OCT_CUDA if it is set, else `disabled` if
# there is no GPU.  The kernels take minutes to compile.
oct_cuda () {
  case ${OCT_CUDA:-} in
    auto | enabled | disabled) echo "$OCT_CUDA" ;;
    '') if oct_has_gpu; then echo auto; else echo disabled; fi ;;
    *) echo "OCT_CUDA is '$OCT_CUDA', but auto, enabled or disabled is" \
         "expected; set one of them, or unset it." >&2
       return 1 ;;
  esac
}

# The GPUs to compile for, Meson's option `gpu_architectures`: those of this
# computer, unless OCT_CUDA is set, which is for another computer.
# Each more takes as long again.
oct_architectures () {
  local found
  if [ -n "${OCT_CUDA:-}" ] || ! oct_has_gpu; then
    echo all-major
  elif found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader \
    2>/dev/null | tr -d '. ' | sort -nu | paste -sd,) &&
    [[ $found =~ ^[0-9]+(,[0-9]+)*$ ]] && [ "${found%%,*}" -ge 75 ]; then
    echo "$found"
  else
    echo native
  fi
}

oct_say_cuda () {
  if [ "$1" = disabled ] && [ -z "${OCT_CUDA:-}" ] && { command -v nvcc \
    || [ -x /usr/local/cuda/bin/nvcc ]; } >/dev/null; then
    echo "There is no NVIDIA GPU here: this builds without support for GPUs," \
      "set OCT_CUDA=auto to build it."
  fi
}

# Sets up the build folder.  In an existing one the options are changed only if
# they were chosen here: when another GPU has come, or OCT_CUDA has changed.
oct_set_up () {
  local chosen=$oct_build/oct-cuda cuda options action=()
  cuda=$(oct_cuda) || exit 2
  options=("-Dcuda=$cuda")
  [ "$cuda" = disabled ] ||
    options+=("-Dgpu_architectures=$(oct_architectures)")
  if [ ! -f "$oct_build/build.ninja" ]; then
    local takes='about a minute on two cores'
    [ "$cuda" = disabled ] || takes='some minutes, most of them for CUDA'
    echo "Building in $oct_build ($takes) ..."
    oct_say_cuda "$cuda"
    # searching for the tests' dependencies takes as long as the rest
    action=(meson setup "$oct_build" "$oct_root" -Dtests=disabled "${options[@]}")
  elif [ -n "${OCT_CUDA:-}" ] || { [ -f "$chosen" ] && oct_has_gpu; }; then
    [ "$(cat "$chosen" 2>/dev/null)" != "${options[*]}" ] || return 0
    echo "Building in $oct_build again, with ${options[*]} ..."
    action=(meson configure "$oct_build" "${options[@]}")
  else
    return 0
  fi
  oct_quietly "${action[@]}" || {
    echo "The build could not be set up; the reason is above." >&2
    exit 1
  }
  echo "${options[*]}" >"$chosen"
}

# Whether the options of convert.sh, which are given, ask for DICOM.
oct_wants_dicom () {
  local argument before=''
  for argument in "$@"; do
    case $before/$argument in
      */--format=dcm | --format/dcm) return 0 ;;
    esac
    before=$argument
  done
  return 1
}

# Whether the options of record.sh or live.sh, which are given, ask for a GenICam
# camera.
oct_wants_camera () {
  local argument
  for argument in "$@"; do
    case $argument in
      --oct-camera | --oct-camera=* | *octcamerasrc*) return 0 ;;
    esac
  done
  return 1
}

# oct_add WHAT MACRO SENTENCE PACKAGE ... installs packages that few need, and has a
# build folder that was set up before search for them again.  MACRO is defined in a
# build that has them.
oct_add () {
  local what=$1 macro=$2 sentence=$3
  shift 3
  oct_install "$@"
  if [ ! -f "$oct_build/build.ninja" ] ||
    grep -q -e "-D$macro" "$oct_build/build.ninja"; then
    return 0
  fi
  echo "Building in $oct_build again, with $what ..."
  oct_quietly meson setup --reconfigure "$oct_build" "$oct_root" || {
    echo "The build could not be set up; the reason is above." >&2
    exit 1
  }
  grep -q -e "-D$macro" "$oct_build/build.ninja" || {
    echo "The build in $oct_build cannot $sentence" >&2
    exit 1
  }
}

oct_add_dicom () {
  oct_add DICOM HAVE_DCMTK "write DICOM: DCMTK or a C++ compiler was not found, or\
 it was set up without. Install g++ and libdcmtk-dev and remove that folder, or take\
 another --format." "${OCT_DICOM_PACKAGES[@]}"
}

oct_add_camera () {
  oct_add Aravis HAVE_ARAVIS "open GenICam cameras: Aravis 0.8.25 was not found, or it\
 was set up without. Install libaravis-dev and libusb-1.0-0-dev and remove that\
 folder." "${OCT_CAMERA_PACKAGES[@]}"
}

# Builds the program of this name and sets the variables that it needs.
oct_prepare () {
  local program=$1
  oct_install "${OCT_BUILD_PACKAGES[@]}" "${OCT_RUN_PACKAGES[@]}"
  oct_set_up
  oct_ninja gst/libgstoct.so "pipelines/$program" || {
    echo "The build failed; the reason is above." >&2
    exit 1
  }
  export GST_PLUGIN_PATH=$oct_build/gst${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
  # The user's own list of plugins is left as it is.
  export GST_REGISTRY=$oct_build/registry.bin
}

# Becomes it.
oct_start () {
  local program=$1
  shift
  oct_prepare "$program"
  exec "$oct_build/pipelines/$program" "$@"
}
