#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# An archive of spectra to volumes, by many tasks of a Slurm cluster.
set -euo pipefail

usage () {
  cat <<'END'
Usage: pipelines/slurm/submit.sh --tasks N [OPTIONS] -- FILE... --output DIR
                                 [OPTIONS OF convert.sh]

Splits an archive into N parts of as many bytes each as whole files allow,
converts each in a task of its own, and says at the end whether all is there.
A task that dies is run again and converts what it had not converted yet; the
same line, submitted again, converts what is missing.  docs/clusters.md tells
more.

  --tasks N            parts of the archive
  --at-once M          not more tasks than this at a time (default: all)
  --cores C            cores of a task (default: 4)
  --gpus G             GPUs of a task (default: none)
  --time T             time of a task, as 4:00:00; it goes on in another run when
                       that is over (default: that of the partition)
  --partition P        where they run
  --account A          who pays for them
  --sbatch OPTION      another option of sbatch for the tasks, such as
                       --sbatch --mem=16G; can be repeated
  --restarts R         of a task that dies (default: 10)
  --logs DIR           what tasks print, and the summary (default: the folder
                       `slurm` in that of the volumes)
  --program FILE       oct-convert that is installed on all nodes (default: it is
                       built in build/, which all nodes must see)
  --wait               until all is done; then prints the summary
  --help               this text

Ends with 0 when the tasks were submitted or nothing is left to do (with --wait:
when all files are converted), 1 when not, 2 when the options are wrong.

Example:
  pipelines/slurm/submit.sh --tasks 64 --gpus 1 --cores 8 -- /archive \
    --output /volumes --calibration /archive/calibration.csv --checksums
END
}

fail () {
  echo "$1 See --help." >&2
  exit 2
}

# check NAME VALUE: a whole number above 0
check () {
  [[ $2 =~ ^[1-9][0-9]{0,6}$ ]] || fail "--$1 is a whole number above 0, not '$2'."
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tasks='' at_once='' cores=4 gpus='' restarts=10 logs='' program='' wait=''
all=() array=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --wait) wait=yes; shift; continue ;;
    --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
  esac
  [ $# -ge 2 ] || fail "'$1' is not an option, or its value is missing."
  case $1 in
    --tasks) tasks=$2 ;;
    --at-once) at_once=$2 ;;
    --cores) cores=$2 ;;
    --gpus) gpus=$2 ;;
    --time) array+=("--time=$2") ;;
    --partition) all+=("--partition=$2") ;;
    --account) all+=("--account=$2") ;;
    --sbatch) array+=("$2") ;;
    --restarts) restarts=$2 ;;
    --logs) logs=$2 ;;
    --program) program=$2 ;;
    *) fail "'$1' is not an option; those of convert.sh follow --." ;;
  esac
  shift 2
done
[ "${1:-}" = -- ] || fail "The files are missing, after --."
shift
[ -n "$tasks" ] || fail "--tasks is missing, the number of parts."
check tasks "$tasks"
check cores "$cores"
check restarts "$restarts"
[ -z "$at_once" ] || check at-once "$at_once"
[ -z "$gpus" ] || check gpus "$gpus"

output='' summary=()
for ((n = 1; n <= $#; n++)); do
  case ${!n} in
    --output) next=$((n + 1)); output=${!next:-} ;;
    --output=*) output=${!n#*=} ;;
    --part | --part=* | --summary)
      fail "${!n%%=*} is not for this script, which sets it for each task." ;;
  esac
  # sums are made by the tasks: to read all volumes again takes long
  [ "${!n}" = --checksums ] || summary+=("${!n}")
done
[ -n "$output" ] || fail "--output is missing, the folder for the volumes."
command -v sbatch >/dev/null || {
  echo "sbatch was not found; start this on a computer of a Slurm cluster" \
    "(Debian: slurm-client), or use pipelines/convert.sh." >&2
  exit 1
}
if [ -z "$program" ]; then
  # shellcheck source=pipelines/build.sh
  . "$here/../build.sh"
  if oct_wants_dicom "$@"; then
    oct_add_dicom
  fi
  oct_prepare oct-convert
  program=$oct_build/pipelines/oct-convert
fi

# The options are checked, and the remaining work is known, before anything waits.
status=0
state=$("$program" "${summary[@]}" --summary) || status=$?
case $status in
  0 | 3) echo "$state"
     echo "Nothing is left to do."
     exit "$status" ;;
  1) grep '^Not complete' <<<"$state" || exit 1 ;;
  *) exit "$status" ;;
esac

logs=${logs:-$output/slurm}
mkdir -p "$logs"
all+=(--parsable --export=ALL)
array+=("--cpus-per-task=$cores")
[ -z "$gpus" ] || array+=("--gres=gpu:$gpus")
export OCT_RESTARTS=$restarts
job=$(sbatch "${all[@]}" "${array[@]}" --job-name=oct-convert --requeue \
  --open-mode=append --array="1-$tasks${at_once:+%$at_once}" \
  --output="$logs/%A-part-%a.txt" --signal=B:USR1@120 \
  "$here/part.sh" "$program" "$@")
job=${job%%;*}
echo "Job $job: $tasks tasks, what they print is in $logs/$job-part-*.txt"
echo "The summary will be in $logs/$job-summary.txt"
status=0
sbatch "${all[@]}" ${wait:+--wait} --job-name=oct-summary --cpus-per-task=1 \
  --dependency="afterany:$job" --output="$logs/$job-summary.txt" \
  "$here/summary.sh" "$program" "${summary[@]}" --summary >/dev/null || status=$?
if [ -n "$wait" ]; then
  cat "$logs/$job-summary.txt"
fi
[ "$status" -eq 0 ]
