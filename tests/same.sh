#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shows that a change of the code changes nothing that users see.
set -euo pipefail

usage () {
  cat <<'END_OF_USAGE'
Usage: tests/same.sh record FOLDER [BUILD] [OPTIONS]
       tests/same.sh compare FOLDER [BUILD] [OPTIONS]

Records what the programs in BUILD (default: build) do, before a change that is to
change nothing; afterwards records it again and names what differs.  FOLDER must not
exist before `record`.  Two to three minutes on two cores.

What is recorded (--part takes one of these words, again for several):
  pipelines   buffers and files of the pipelines in tests/same/pipelines.txt
  properties  the tables of properties and the SECTION comments of all elements
  help        --help of all programs and shell scripts
  live        the answers of oct-live to the messages in tests/same/session.mjs
  fuzz        the inputs of tests/fuzz: accepted or refused, and why

  --backend B   pipelines only with this backend: cpu or cuda (default: cpu, and
                cuda too if there is a GPU and BUILD has its module)
  --part PART   only this part
  --help        this text

Compare on the same computer: processors with other vector instructions round
differently.  Ends with 1 if anything differs or could not be recorded, and with 0
otherwise.  Parts that cannot run here are named as skipped.
END_OF_USAGE
}

die () {
  echo "$1" >&2
  exit 2
}

readonly TIME_LIMIT=180 # seconds, of one pipeline or program

words=() parts='' backends='' elements=''
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --backend | --part)
      [ $# -ge 2 ] || die "$1 needs a value, see --help."
      case $1=$2 in
        --backend=cpu | --backend=cuda) backends=$2 ;;
        --part=pipelines | --part=properties | --part=help | --part=live \
          | --part=fuzz) parts+=" $2" ;;
        *) die "$1 cannot be '$2', see --help." ;;
      esac
      shift ;;
    -*) die "'$1' is not an option of tests/same.sh, see --help." ;;
    *) words+=("$1") ;;
  esac
  shift
done
if [ ${#words[@]} -lt 2 ] || [ ${#words[@]} -gt 3 ]; then
  die "Say record or compare, and the folder, see --help."
fi
action=${words[0]}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${words[2]:-$root/build}" 2>/dev/null && pwd) \
  || die "There is no build in ${words[2]:-$root/build}."
plugin=$build/gst/libgstoct.so
[ -f "$plugin" ] || die "There is no plugin in $build; build it with ninja."
case $action in
  record) [ ! -e "${words[1]}" ] || die "${words[1]} exists already." ;;
  compare) [ -d "${words[1]}" ] || die "${words[1]} was not recorded." ;;
  *) die "'$action' is neither record nor compare, see --help." ;;
esac
parts=" ${parts:-pipelines properties help live fuzz} "
if [ -z "$backends" ]; then
  backends=cpu
  if [ -e "$build/cuda/liboctcuda.so" ] && nvidia-smi -L 2>/dev/null | grep -q '^GPU'
  then
    backends='cpu cuda'
  fi
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The same sums and the same words each time.
export OCT_THREADS=2 LC_ALL=C.UTF-8 NO_COLOR=1
export GST_PLUGIN_PATH=$build/gst OCT_CUDA_MODULE_PATH=$build/cuda
export GST_REGISTRY=$work/registry.bin
unset GST_DEBUG G_MESSAGES_DEBUG OCT_FUSE

trouble=0
note () {
  echo "$1"
  trouble=1
}

# -------------------------------------------------------------------- pipelines

# Those with a property `backend`, as a regular expression.
list_elements () {
  local name
  gst-inspect-1.0 "$plugin" | sed -nE 's/^ +(oct[a-z]+): .*/\1/p' \
    | while read -r name; do
      if gst-inspect-1.0 "$name" | grep '^  backend ' >/dev/null; then
        echo "$name"
      fi
    done | paste -sd '|'
}

# Inputs of pipelines that read files.
make_data () { # FOLDER
  mkdir -p "$1"
  gst-launch-1.0 -q octsrc backend=cpu samples=512 lines=64 num-buffers=4 \
    ! filesink location="$1/scan.raw"
  head -c 65536 "$1/scan.raw" >"$1/background.raw"
  awk 'BEGIN { print "wavelength_nm"
    for (i = 0; i < 512; i++) printf "%.6f\n", 790 + 110 * i / 511 }' \
    >"$1/calibration.csv"
  awk 'BEGIN { for (i = 0; i < 512; i++) print i * i % 7 < 3 }' >"$1/mask.txt"
  printf '%s\n' '0 0 0 0' '100 0.5 0 0.2' '255 1 1 0.8' >"$1/colours.csv"
  printf '%s\n' '0 0 0 0 0' '80 0.5 0.2 0.1 2' '255 1 1 0.9 40' >"$1/transfer.csv"
}

# The files in this folder, without times.
record_files () { # NAME
  case $1 in refused-*) return ;; esac
  find . -name '*.oct' -exec sed -i '/^start-time=/d' {} +
  find . -name 'measurements.csv' -exec sed -i -E 's/^[0-9TZ:.-]+,/TIME,/' {} +
  # HDF5 has them among its bytes
  find . -name '*.h5' -printf '%s bytes  %p\n'
  find . -type f ! -name '*.h5' | LC_ALL=C sort | xargs -r sha256sum
}

# One pipeline, in a process of its own: its record on standard output.
run_pipeline () { # BACKEND NAME LINE
  local folder=$work/run-$1-$2 line=" $3" status=0
  local out='! identity name=out silent=false ! filesink location=out'
  mkdir "$folder"
  cd "$folder"
  line=$(sed -E "s/ ($elements) / \\1 backend=$1 /g
    s/ octimagesrc / octimagesrc source::backend=$1 reconstruct::backend=$1 /
    s|! out\\b|$out|; s|@data|$work/data|g; s|@files|$root/tests/unit/vectors/files|g" \
    <<<"$line ")
  # words of the list, as in a shell without quotes
  read -ra line_words <<<"$line"
  timeout -k 5 "$TIME_LIMIT" gst-launch-1.0 -v "${line_words[@]}" \
    >"$folder.said" 2>"$folder.errors" </dev/null &
  # after an error gst-launch-1.0 waits for ever sometimes
  case $2 in refused-*)
    while kill -0 $! 2>/dev/null && ! grep -qs '^ERROR' "$folder.errors"; do
      sleep 0.1
    done
    kill $! 2>/dev/null || true ;;
  esac
  wait $! || status=$?
  case $2 in refused-*) ;; *) echo "status $status" ;; esac
  # caps and buffers at the end, without addresses; an error may be faster
  [ "$status" != 0 ] || sed -nE '/GstIdentity:out(\.GstPad:sink)?: (caps|last-message = chain)/ {
    s/^[^ ]*: //; s/ 0x[0-9a-f]+$//; p }' "$folder.said"
  # the first sentence: those of other elements come as their threads end
  { grep -m 1 -E '^(ERROR|WARNING)' "$folder.errors" || true; } \
    | sed "s|$work|WORK|g; s|$root|ROOT|g"
  record_files "$2"
  cd "$work"
  rm -rf "$folder"
}

record_pipelines () { # FOLDER BACKEND
  local name line
  [ -d "$work/data" ] || make_data "$work/data"
  elements=${elements:-$(list_elements)}
  mkdir -p "$1/pipelines-$2"
  while read -r name line; do
    case $name in '' | '#'*) continue ;; esac
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
    run_pipeline "$2" "$name" "$line" >"$1/pipelines-$2/$name" &
  done <"$root/tests/same/pipelines.txt"
  wait
  for name in "$1/pipelines-$2"/*; do
    case ${name##*/} in
      refused-*) grep -qE '^(ERROR|WARNING)' "$name" \
        || note "pipeline ${name##*/} was not refused" ;;
      *) grep -qx 'status 0' "$name" || note "pipeline ${name##*/} failed: $(
        grep -m 1 ERROR "$name" || echo "no error was printed")" ;;
    esac
  done
}

# ------------------------------------------------------------------- other parts

record_properties () { # FOLDER
  if [ ! -x "$build/tests/docs/list-operations" ]; then
    echo "skipped: properties, as $build was built without tests"
    return
  fi
  OCT_LIST_OPERATIONS=$build/tests/docs/list-operations \
    timeout "$TIME_LIMIT" python3 "$root/tests/docs/properties.py" --print \
    >"$1/properties" || note "the tables of properties could not be made"
}

record_help () { # FOLDER
  local program name
  mkdir -p "$1/help"
  for program in "$build"/pipelines/oct-* "$build"/pipelines/*/oct-* \
    "$root"/pipelines/*.sh "$root"/pipelines/*/*.sh "$root"/tests/*.sh; do
    if [ ! -f "$program" ] || [ ! -x "$program" ]; then
      continue
    fi
    case $program in
      # not all scripts have it
      *.sh) grep -q -e '--help)' -e '--help |' "$program" || continue ;;
    esac
    name=${program##*/}
    timeout "$TIME_LIMIT" "$program" --help >"$1/help/$name" 2>&1 </dev/null \
      || note "$name --help failed"
    case $program in
      *.sh) ;;
      *) timeout "$TIME_LIMIT" "$program" --help-all >>"$1/help/$name" 2>&1 \
           </dev/null || true ;;
    esac
  done
}

record_live () { # FOLDER
  if [ ! -x "$build/pipelines/live/oct-live" ]; then
    echo "skipped: live, as there is no oct-live in $build"
  elif ! command -v node >/dev/null; then
    echo "skipped: live, as node is not installed"
  else
    OCT_LIVE=$build/pipelines/live/oct-live timeout -k 5 120 \
      node "$root/tests/same/session.mjs" "$1/live" >"$work/live.log" 2>&1 \
      || { note "the conversation with oct-live failed:"; cat "$work/live.log"; }
  fi
}

record_fuzz () { # FOLDER
  local program name
  mkdir -p "$1/fuzz"
  for program in "$build"/tests/unit/replay-* "$build"/tests/live/replay-*; do
    if [ ! -f "$program" ] || [ ! -x "$program" ]; then
      continue
    fi
    name=${program##*/replay-}
    timeout "$TIME_LIMIT" "$program" --tell "$root/tests/fuzz/corpus-$name" \
      >"$1/fuzz/$name" </dev/null || note "replay-$name failed"
    # names of temporary files
    sed -i -E 's/fuzz-(hdf5-)?[A-Za-z0-9]{6}/TEMPORARY/g' "$1/fuzz/$name"
  done
  if [ -z "$(ls "$1/fuzz")" ]; then
    echo "skipped: fuzz, as $build was built without tests"
    rmdir "$1/fuzz"
  fi
}

record () { # FOLDER
  local part backend
  mkdir -p "$1"
  # once, and not by all pipelines that begin at the same time
  gst-inspect-1.0 --exists --atleast-version=0.0 octsrc \
    || die "GStreamer does not load $plugin."
  for part in $parts; do
    if [ "$part" = pipelines ]; then
      for backend in $backends; do record_pipelines "$1" "$backend"; done
    else
      "record_$part" "$1"
    fi
  done
}

# Files of these parts and backends alone, where not all are compared.
list () { # FOLDER
  local part backend
  (
    cd "$1"
    for part in $parts; do
      if [ "$part" = pipelines ]; then
        for backend in $backends; do
          find "pipelines-$backend" -type f 2>/dev/null || true
        done
      else
        find "$part" -type f 2>/dev/null || true
      fi
    done
  ) | LC_ALL=C sort
}

if [ "$action" = record ]; then
  record "${words[1]}"
  echo "$(list "${words[1]}" | wc -l) records in ${words[1]}"
  exit "$trouble"
fi

record "$work/now"
differ=0 count=0
while read -r name; do
  count=$((count + 1))
  if ! cmp -s "${words[1]}/$name" "$work/now/$name"; then
    differ=$((differ + 1))
    echo "differs: $name"
    diff -N "${words[1]}/$name" "$work/now/$name" | head -n 8 | cut -c 1-300 \
      | sed 's/^/  /' || true
  fi
done < <({ list "${words[1]}"; list "$work/now"; } | LC_ALL=C sort -u)
echo "$count records compared, $differ differ"
[ "$count" -gt 0 ] || die "There is nothing to compare in ${words[1]}."
[ "$differ" = 0 ] && [ "$trouble" = 0 ]
