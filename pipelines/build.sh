# shellcheck shell=bash
# What the scripts of this folder do before they start their program: install
# missing packages, build the plugin and the program, set what GStreamer needs.
#   . pipelines/build.sh && oct_start oct-demo OPTIONS

oct_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
oct_build=${OCT_BUILD_DIR:-$oct_root/build}
# shellcheck source=pipelines/packages.sh
. "$oct_root/pipelines/packages.sh"

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

# Becomes the program of this name.
oct_start () {
  local program=$1
  shift
  oct_install "${OCT_BUILD_PACKAGES[@]}" "${OCT_RUN_PACKAGES[@]}"
  if [ ! -f "$oct_build/build.ninja" ]; then
    echo "Building in $oct_build ..."
    oct_quietly meson setup "$oct_build" "$oct_root" || {
      echo "The build could not be set up; the reason is above." >&2
      exit 1
    }
  fi
  oct_quietly ninja -C "$oct_build" gst/libgstoct.so "pipelines/$program" || {
    echo "The build failed; the reason is above." >&2
    exit 1
  }
  export GST_PLUGIN_PATH=$oct_build/gst${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
  # The user's own list of plugins is left as it is.
  export GST_REGISTRY=$oct_build/registry.bin
  exec "$oct_build/pipelines/$program" "$@"
}
