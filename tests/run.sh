#!/usr/bin/env bash
# Builds the plugin and runs its tests.
set -euo pipefail

usage () {
  cat <<'END'
Usage: tests/run.sh [OPTIONS]

Installs the Debian packages that are missing, builds and runs
  1. all tests, warnings of the compiler being errors (build-test/);
  2. all tests but those that start programs, once more with the address,
     leak and undefined-behaviour sanitizers (build-sanitize/).

  --plain       only the first
  --sanitize    only the second
  --no-install  install nothing
  --help        this text

Tests with real data read the folder that OCT_TEST_DATA names, or
../shared/data/cscan, and are skipped where there is none.
END
}

plain=yes sanitize=yes install=yes
for argument in "$@"; do
  case $argument in
    --plain) sanitize=no ;;
    --sanitize) plain=no ;;
    --no-install) install=no ;;
    --help | -h) usage; exit 0 ;;
    *) echo "'$argument' is no option of tests/run.sh, see --help." >&2
       exit 2 ;;
  esac
done

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=pipelines/packages.sh
. pipelines/packages.sh
if [ $install = yes ]; then
  oct_install "${OCT_BUILD_PACKAGES[@]}" "${OCT_RUN_PACKAGES[@]}" \
    "${OCT_LIVE_PACKAGES[@]}" "${OCT_TEST_PACKAGES[@]}"
  # for the tests with a browser; some machines have Node from elsewhere
  browser=(chromium)
  command -v node >/dev/null || browser+=(nodejs)
  command -v npm >/dev/null || browser+=(npm)
  oct_install "${browser[@]}"
fi

# The same messages on every machine, and no list of plugins but our own.
export LC_ALL=C.UTF-8
unset GST_PLUGIN_PATH GST_REGISTRY GST_DEBUG

passed=0 failed=0 skipped=0

# run NAME BUILD_DIR [MESON_SETUP_OPTIONS] -- [MESON_TEST_OPTIONS]
run () {
  local name=$1 build=$2 counts setup=()
  shift 2
  while [ "$1" != -- ]; do setup+=("$1"); shift; done
  shift
  echo
  echo "== $name ($build)"
  # the options may have changed since the folder was made
  if [ -f "$build/build.ninja" ]; then
    meson configure "$build" "${setup[@]}"
  else
    meson setup "$build" "${setup[@]}"
  fi || {
    echo "$name: the build could not be set up, the reason is above"
    exit 1
  }
  ninja -C "$build" || {
    echo "$name: the build failed, the reason is above"
    exit 1
  }
  rm -f "$build/meson-logs/testlog.json"
  # one test at a time: the operations use every core themselves
  meson test -C "$build" --no-rebuild --print-errorlogs --num-processes 1 \
    "$@" || true
  counts=$(python3 tests/count.py "$build/meson-logs/testlog.json")
  sed '$d' <<<"$counts"
  counts=$(tail -n 1 <<<"$counts")
  echo "$name: $counts"
  # shellcheck disable=SC2086
  set -- $counts
  passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
}

if [ $plain = yes ]; then
  run "All tests" build-test -Dwerror=true -Dtests=enabled -Dpipelines=enabled --
fi

if [ $sanitize = yes ]; then
  # The plugin is scanned in the test's own process, which has the sanitizers;
  # programs that lack them, like gst-launch-1.0, cannot load it.  Of the other
  # plugins only those that the tests use are there, since many lose memory.
  plugins=$root/build-sanitize-plugins
  system_plugins=$(pkg-config --variable=pluginsdir gstreamer-1.0)
  rm -rf "$plugins"
  mkdir "$plugins"
  for name in coreelements coretracers app videoconvertscale videotestsrc \
    aravis.0.8; do
    if [ -f "$system_plugins/libgst$name.so" ]; then
      ln -s "$system_plugins/libgst$name.so" "$plugins/"
    fi
  done
  export GST_PLUGIN_SYSTEM_PATH_1_0=$plugins
  export GST_REGISTRY_FORK=no
  # whole stacks, for what is known of GLib to be recognised
  export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:fast_unwind_on_malloc=0:detect_odr_violation=0
  export LSAN_OPTIONS=suppressions=$root/tests/leaks.supp:print_suppressions=0
  export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  # without CUDA even where the toolkit is, as most users build it
  run "With sanitizers" build-sanitize -Dcuda=disabled \
    -Dbuildtype=debugoptimized \
    -Db_sanitize=address,undefined -Db_lundef=false -Dwerror=true \
    -Dtests=enabled -- --no-suite docs --no-suite pipelines \
    --timeout-multiplier 5
fi

echo
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
