#!/bin/sh
# Runs what tests/cuda/pack.sh has packed: checks, memory and race checkers on
# the small cases, benchmark; a short table last.
#
#   tests/cuda/run-on-gpu.sh [OUTDIR] [LOGDIR] [PART ...]
#
# PART: check, sanitize, bench; all of them when none is named.
set -u
pack=$(cd "${1:-_cuda}" && pwd)
logs=${2:-$pack/logs}
[ $# -ge 2 ] && shift 2 || set --
parts=${*:-check bench sanitize}
mkdir -p "$logs"
cuda=${CUDA_PATH:-/usr/local/cuda}
cufft=$(dirname "$(find "$cuda/" /usr/lib* /opt -name 'libcufft.so.*' \
  2>/dev/null | head -n 1)")
export LD_LIBRARY_PATH="$pack/lib:$cuda/lib64:$cufft"
export OMP_WAIT_POLICY=passive
chmod +x "$pack/check-operations"
program="$pack/check-operations --module $pack/liboctcuda.so"
summary="$logs/summary.txt"
: >"$summary"

note () {
  printf '%-22s %s\n' "$1" "$2" >>"$summary"
}

note device "$(nvidia-smi --query-gpu=name,driver_version \
  --format=csv,noheader)"
note date "$(date -u +%F)"
for part in $parts; do
  start=$(date +%s)
  case $part in
    check)
      $program >"$logs/check.txt" 2>&1
      note check "exit $?, $(tail -n 1 "$logs/check.txt")"
      grep '^not ok' "$logs/check.txt" | head -n 40
      grep -c '^ok' "$logs/check.txt"
      ;;
    bench)
      $program --bench >"$logs/bench.txt" 2>&1
      note bench "exit $?"
      cat "$logs/bench.txt"
      ;;
    sanitize)
      for tool in memcheck racecheck; do
        timeout "${OCT_SANITIZE_SECONDS:-300}" compute-sanitizer --tool $tool --error-exitcode 9 \
          $program --reduced --filter "${OCT_FILTER:-}" \
          >"$logs/$tool.txt" 2>&1
        note $tool "exit $?, $(grep -c '^ok' "$logs/$tool.txt") cases, $(
          grep 'SUMMARY' "$logs/$tool.txt" | tail -n 1)"
      done
      ;;
  esac
  note "seconds of $part" $(($(date +%s) - start))
done
tail -n 5 "$logs/check.txt" 2>/dev/null
cat "$summary"
