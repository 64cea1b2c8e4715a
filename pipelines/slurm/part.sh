#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A part of an archive: a task of the array that submit.sh starts.
#   part.sh OCT_CONVERT ARGUMENT ...
# It is put back into the queue if the program dies, or the time is up.
set -uo pipefail

part=$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT
restarts=${SLURM_RESTART_COUNT:-0}
time_is_up=
# else each task would use all cores of its node
export OCT_THREADS=${OCT_THREADS:-${SLURM_CPUS_PER_TASK:-1}}

echo "$(date -Is) $(hostname): part $part, restarts: $restarts"
"$@" --part "$part" &
program=$!
# two minutes before Slurm ends it: the file under way is given up in order
trap 'time_is_up=yes; kill -TERM "$program" 2>/dev/null' USR1
trap 'kill -TERM "$program" 2>/dev/null' TERM
# a signal ends `wait`, not the program
while wait "$program"; status=$?; kill -0 "$program" 2>/dev/null; do :; done

# 3: all is done, but files lack B-scans
if [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { [ "$status" -le 2 ] && [ -z "$time_is_up" ]; }; then
  exit "$status"
fi
echo "$(date -Is) part $part: ended with status $status${time_is_up:+, the time is up}"
if [ "$restarts" -ge "${OCT_RESTARTS:-10}" ]; then
  echo "It was restarted $restarts times; submit it again to go on."
  exit 1
fi
scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" || exit 1
# until Slurm has ended this run
sleep 300
exit 1
