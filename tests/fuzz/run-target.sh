#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs a fuzz target for some seconds:
#   run-target.sh TARGET CORPUS FOLDER
# CORPUS is read only; what is found goes into FOLDER: new inputs, and those that
# fail (crash-*, leak-*, oom-*, timeout-*).  These end it with 1: libFuzzer's own
# 77 is a skip to Meson.
# OCT_FUZZ_SECONDS: how long, 10 unless it is set.  OCT_FUZZ_SEED: where chance
# begins, 1 unless it is set, so that two runs try the same inputs first; 0 is
# another one each time, for longer runs.
# An input has a minute: none takes a second, and libFuzzer goes by the clock, to
# which a computer that stood still for 20 s looked like one that hangs.
set -euo pipefail

target=$1 corpus=$2 found=$3
mkdir -p "$found/corpus"
# Addresses become parts of inputs: the same ones each time, where that may be set.
fixed=()
if [[ ${OCT_FUZZ_SEED:-1} != 0 ]] && setarch -R true 2>/dev/null; then
  fixed=(setarch -R)
fi
exec "${fixed[@]}" "$target" -seed="${OCT_FUZZ_SEED:-1}" \
  -max_total_time="${OCT_FUZZ_SECONDS:-10}" -timeout=60 \
  -error_exitcode=1 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$found/" \
  "$found/corpus" "$corpus" </dev/null
