#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds the plugin and runs its tests.
set -euo pipefail

usage () {
  cat <<'END'
Usage: tests/run.sh [OPTIONS]

Installs the Debian packages that are missing, builds and runs the tests that
matter most (build-test/): all but the suite `slow`, to which all tests with a
browser belong, compiled for the GPUs of this computer if there are any.  That
takes at most 10 minutes on two cores.

  --all            everything that one Debian can show, parts 1 to 3:
                   1. all tests, with the kernels for GPUs (build-test/);
                   2. all tests but those that start programs, once more with
                      the address, leak and undefined-behaviour sanitizers
                      (build-sanitize/);
                   3. the fuzz targets, ten seconds each (build-fuzz/, with clang)
  --plain          only the first; these three options can be combined
  --system         of the first, the tests that depend on the system: not those
                   of image quality and of many viewers, and few of them twice
                   (with OCT_FUSE=0)
  --sanitize       only the second; few tests twice there, too
  --fuzz           only the third
  --debian SUITE   also --system in a Debian system of another version
                   (trixie, bookworm, ...; tests/debian.sh)
  --packages       also the Debian packages: built, installed and tried in a
                   Debian system of this computer's version
                   (tests/packages.sh --quick)
  --minutes N      what all may take: no fuzzing, no other Debian and no packages
                   are begun when fewer than 20 minutes are left; the last two
                   end with them, and count as skipped then
  --no-install     install nothing
  --help           this text

The compiler's warnings are errors.  Up to four tests of a part that fail run
once more, one at a time, and are named at the end of the log with what they
said the first time.  The last line counts the results of all parts.
Ends with 75, and no tests are run, when packages cannot be downloaded.

Tests with real data read the folder that OCT_TEST_DATA names, or
../shared/data/cscan, and are skipped if there is none.
END
}

parts='' suite='' packages=no minutes=0 install=yes
while [ $# -gt 0 ]; do
  case $1 in
    --all) parts+=' plain sanitize fuzz' ;;
    --plain | --system | --sanitize | --fuzz) parts+=" ${1#--}" ;;
    --debian | --minutes)
      [ $# -ge 2 ] || { echo "$1 needs a value, see --help." >&2; exit 2; }
      if [ "$1" = --debian ]; then suite=$2; else minutes=$2; fi
      shift ;;
    --packages) packages=yes ;;
    --no-install) install=no ;;
    --help | -h) usage; exit 0 ;;
    *) echo "'$1' is not an option of tests/run.sh, see --help." >&2
       exit 2 ;;
  esac
  shift
done
case $minutes in
  '' | *[!0-9]*) echo "--minutes is a whole number, not '$minutes'." >&2; exit 2 ;;
esac
parts=" ${parts:-most} "

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=pipelines/build.sh
. pipelines/build.sh
if [ $install = yes ]; then
  oct_install "${OCT_BUILD_PACKAGES[@]}" "${OCT_RUN_PACKAGES[@]}" \
    "${OCT_LIVE_PACKAGES[@]}" "${OCT_TEST_PACKAGES[@]}"
  if [ -n "${CI:-}" ]; then
    oct_install "${OCT_ARCHIVE_PACKAGES[@]}"
  fi
  # tests with a browser are slow; some machines have Node from elsewhere
  if [[ $parts = *' plain '* || $parts = *' system '* ]]; then
    browser=(chromium)
    command -v node >/dev/null || browser+=(nodejs)
    command -v npm >/dev/null || browser+=(npm)
    oct_install "${browser[@]}"
  fi
  if [[ $parts = *' fuzz '* ]]; then
    oct_install "${OCT_FUZZ_PACKAGES[@]}"
  fi
fi

# The same messages on every machine, and no list of plugins but our own.
export LC_ALL=C.UTF-8
# where ccache is, a checkout in another folder compiles the same
export CCACHE_NOHASHDIR=1
unset GST_PLUGIN_PATH GST_REGISTRY GST_DEBUG

passed=0 failed=0 skipped=0 failures='' once_more=''

add () {
  passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
}

# remember_failures NAME: those in count.py's words on standard input, for the
# end of the log, which is all that some services show
remember_failures () {
  local lines
  lines=$(awk '/^failed in / && !seen[$0]++')
  if [ -n "$lines" ]; then
    failures+=$'\n'"== $1: what failed"$'\n'"$lines"$'\n'
  fi
}

# leave_out NAME REASON: of a whole part, in count.py's words
leave_out () {
  echo "skipped in $1: all of it: $2"
  echo "$1: 0 passed, 0 failed, 1 skipped"
  skipped=$((skipped + 1))
}

# run NAME BUILD_DIR [MESON_SETUP_OPTIONS] -- [MESON_TEST_OPTIONS]
# builds $target, where that is set
run () {
  local name=$1 build=$2 setup=()
  shift 2
  while [ "$1" != -- ]; do setup+=("$1"); shift; done
  shift
  echo
  echo "== $name ($build), after $((SECONDS / 60)) minutes"
  # the options may have changed since the folder was made
  if [ -f "$build/build.ninja" ]; then
    meson configure "$build" "${setup[@]}"
  else
    meson setup "$build" "${setup[@]}"
  fi || {
    echo "$name: the build could not be set up, the reason is above"
    exit 1
  }
  # shellcheck disable=SC2086
  ninja -C "$build" ${target:-} || {
    echo "$name: the build failed, the reason is above"
    exit 1
  }
  rm -f "$build"/meson-logs/testlog*.json
  # two tests at a time, but those alone that measure time (is_parallel: false):
  # many more would wait for each other, as the operations use every core
  meson test -C "$build" --no-rebuild --print-errorlogs --num-processes 2 \
    "$@" || true
  report "$name" "$build"
  if [ -n "$once_more" ]; then
    # a case of gst-check that fails in one process waits for its own threads
    # without a word, so each has a process, and more than the four seconds that
    # gst-check gives it; the log has the name of the wrapper
    failed=$((failed - $(wc -w <<<"$once_more")))
    # shellcheck disable=SC2086
    meson test -C "$build" --no-rebuild --print-errorlogs --num-processes 1 \
      --timeout-multiplier "${slower:-1}" \
      --wrapper 'env CK_FORK=yes CK_DEFAULT_TIMEOUT=150' \
      $once_more || true
    report "$name, once more with nothing beside" "$build" testlog-env
  fi
}

# report NAME BUILD_DIR [LOG]: counts the results of its last tests.  $once_more: the
# names of those that failed, if they are so few that time or chance may be why;
# failures of a fuzz target are not chance.
report () {
  local results=$2/meson-logs/${3:-testlog}.json counts
  counts=$(python3 tests/count.py "$results")
  sed '$d' <<<"$counts"
  remember_failures "$1" <<<"$counts"
  counts=$(tail -n 1 <<<"$counts")
  echo "$1: $counts"
  # shellcheck disable=SC2086
  add $counts
  once_more=$(python3 tests/count.py --failed "$results" | tr '\n' ' ')
  if [ "$(wc -w <<<"$once_more")" -gt 4 ] || [[ $2 = *fuzz* ]]; then
    once_more=''
  fi
}

# enough_time NAME: whether a long part can begin; `limit` is then the command
# that ends it in time
enough_time () {
  local left=$((minutes * 60 - SECONDS))
  limit=()
  [ "$minutes" -gt 0 ] || return 0
  if [ $left -lt 1200 ]; then
    leave_out "$1" "$((SECONDS / 60)) of $minutes minutes are over"
    return 1
  fi
  limit=(timeout --kill-after=30 "$left")
}

# of a program started with `limit`
out_of_time () {
  [ "$1" -eq 124 ] || [ "$1" -eq 137 ]
}

# The tests in another Debian.  If a requirement is missing (a mirror, the right
# to mount, time), the tests do not fail: it is shown as a skip.
another_debian () {
  local name="Debian $suite" log=build-debian-$suite.log status=0 counts
  local results=build-debian-$suite/system/srv/gst-oct/checkout/build-test
  results+=/meson-logs/testlog.json
  echo
  echo "== $name (build-debian-$suite), after $((SECONDS / 60)) minutes"
  enough_time "$name" || return 0
  rm -f "$results"
  "${limit[@]}" bash tests/debian.sh "$suite" bash tests/run.sh --system 2>&1 |
    tee "$log" || status=${PIPESTATUS[0]}
  counts=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" |
    tail -n 1) || true
  remember_failures "$name" <"$log"
  if [ -n "$counts" ]; then
    echo "$name: $counts"
  elif [ "$status" -eq "$OCT_NOT_NOW" ]; then
    leave_out "$name" "no such system or not its packages, the reason is above"
    return
  elif out_of_time "$status"; then
    echo "skipped in $name: what is not counted: the $minutes minutes are over"
    skipped=$((skipped + 1))
    [ -f "$results" ] || return 0
    counts=$(python3 tests/count.py "$results")
    sed '$d' <<<"$counts"
    remember_failures "$name, not finished" <<<"$counts"
    counts=$(tail -n 1 <<<"$counts")
    echo "$name, not finished: $counts"
  else
    counts="0 passed, 1 failed, 0 skipped"
    echo "$name: the tests could not be run, the reason is above: $counts"
    remember_failures "$name" < <(tail -n 24 "$log" | sed "s/^/failed in $name: /")
  fi
  # shellcheck disable=SC2086
  add $counts
}

# The packages count as one test, with the same reasons to be left out.
own_packages () {
  local name=Packages system log=build-packages.log status=0 counts
  system=$(. /etc/os-release 2>/dev/null && [ "${ID:-}" = debian ] &&
    echo "${VERSION_CODENAME:-}") || true
  echo
  echo "== $name (tests/packages.sh --quick), after $((SECONDS / 60)) minutes"
  if [ -z "$system" ]; then
    leave_out "$name" "this computer does not run a Debian that has a name"
    return
  fi
  enough_time "$name" || return 0
  "${limit[@]}" bash tests/packages.sh "$system" --quick 2>&1 |
    tee "$log" || status=${PIPESTATUS[0]}
  if [ "$status" -eq 0 ]; then
    counts="1 passed, 0 failed, 0 skipped"
  elif [ "$status" -eq "$OCT_NOT_NOW" ]; then
    leave_out "$name" "no such system or not its packages, the reason is above"
    return
  elif out_of_time "$status"; then
    leave_out "$name" "the $minutes minutes are over"
    return
  else
    counts="0 passed, 1 failed, 0 skipped"
    remember_failures "$name" < <(tail -n 24 "$log" | sed "s/^/failed in $name: /")
  fi
  echo "$name: $counts"
  # shellcheck disable=SC2086
  add $counts
}

if [[ $parts = *' most '* ]]; then
  cuda=$(oct_cuda) || exit 2
  oct_say_cuda "$cuda"
  run "The tests that matter most" build-test -Dwerror=true -Dtests=enabled \
    -Dpipelines=enabled "-Dcuda=$cuda" \
    "-Dgpu_architectures=$(oct_architectures)" -- --no-suite slow
fi

if [[ $parts = *' plain '* || $parts = *' system '* ]]; then
  some=()
  [[ $parts = *' plain '* ]] || some=(--no-suite separate --no-suite quality --no-suite load)
  # kernels for the oldest GPU that is supported and for Hopper, which has code
  # of its own: for all of them nvcc takes longer than all tests
  run "All tests" build-test -Dwerror=true -Dtests=enabled -Dpipelines=enabled \
    -Dcuda=auto -Dgpu_architectures=75,90 -- "${some[@]}"
fi

if [[ $parts = *' sanitize '* ]]; then
  # The plugin is scanned in the test's own process, which has the sanitizers;
  # programs that lack them, like gst-launch-1.0, cannot load it.  Only those of
  # the other plugins are there that the tests use, since many lose memory.
  plugins=$root/build-sanitize-plugins
  system_plugins=$(pkg-config --variable=pluginsdir gstreamer-1.0)
  rm -rf "$plugins"
  mkdir "$plugins"
  for name in coreelements coretracers app audioconvert matroska rawparse \
    videoconvertscale videotestsrc wavenc \
    aravis.0.8; do
    if [ -f "$system_plugins/libgst$name.so" ]; then
      ln -s "$system_plugins/libgst$name.so" "$plugins/"
    fi
  done
  export GST_PLUGIN_SYSTEM_PATH_1_0=$plugins
  export GST_REGISTRY_FORK=no
  # whole stacks, so that leaks.supp recognises the leaks of GLib
  export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:fast_unwind_on_malloc=0:detect_odr_violation=0
  export LSAN_OPTIONS=suppressions=$root/tests/leaks.supp:print_suppressions=0
  export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  # without CUDA even where the toolkit is, as most users build it
  slower=5 run "With sanitizers" build-sanitize -Dcuda=disabled \
    -Dbuildtype=debugoptimized \
    -Db_sanitize=address,undefined -Db_lundef=false -Dwerror=true \
    -Dtests=enabled -- --no-suite docs --no-suite pipelines --no-suite separate \
    --timeout-multiplier 5
  unset GST_PLUGIN_SYSTEM_PATH_1_0 GST_REGISTRY_FORK
  unset ASAN_OPTIONS LSAN_OPTIONS UBSAN_OPTIONS
fi

if [[ $parts = *' fuzz '* ]] && enough_time Fuzzing; then
  if command -v clang >/dev/null; then
    CC=clang target=fuzz run "Fuzzing" build-fuzz -Dfuzz=true -Dcuda=disabled \
      -Dpipelines=enabled -- --suite fuzz
  else
    leave_out "Fuzzing" "clang is not installed"
  fi
fi

if [ -n "$suite" ]; then
  another_debian
fi
if [ $packages = yes ]; then
  own_packages
fi

echo "$failures"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
