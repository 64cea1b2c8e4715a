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

# check_with TOOL FILTER
check_with () {
  timeout "${OCT_SANITIZE_SECONDS:-300}" compute-sanitizer --tool "$1" \
    --error-exitcode 9 $program --reduced --filter "$2" >"$logs/$1.txt" 2>&1
  note "$1" "exit $?, $(grep -c '^ok' "$logs/$1.txt") cases, $(
    grep 'SUMMARY' "$logs/$1.txt" | tail -n 1)"
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
      check_with memcheck "${OCT_FILTER:-}"
      # the race checker is slow: some sizes of every operation
      for filter in ' 203 x 75' ' 2047 x 6' ' 1024 x 5' ' 4096 x 3' \
        'cubic upsample 1 8200 x 3' 'log auto smoothing 0.8 range -60 to 3, 7' \
        'log contrast smoothing 0 range -60 to 3, 33 x 65' \
        'linear manual smoothing 0 range 0.01 to 1.5, 33 x 65'; do
        check_with racecheck "$filter"
      done
      ;;
  esac
  note "seconds of $part" $(($(date +%s) - start))
done
tail -n 5 "$logs/check.txt" 2>/dev/null
cat "$summary"
