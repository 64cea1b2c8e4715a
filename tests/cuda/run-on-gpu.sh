#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs what tests/cuda/pack.sh has packed; a short table last.  Exits with 1 when
# anything in it has failed, with 77 where there is no GPU.
#
#   tests/cuda/run-on-gpu.sh [OUTDIR] [LOGDIR] [PART ...]
#
# PART, all but the last two when none is named:
#   check      operations of CUDA against those of the CPU and the reference
#   elements   the tests of every element on the GPU and on its own choice
#   separate   those of the chain with OCT_FUSE=0: every element its own pass
#   failures   operations, calls and contexts that fail in mid-stream
#   pipelines  pipelines, and the tests of some elements under the memory checker
#   bench      speed of the operations and of pipelines
#   memory     the memory checker on the small cases of the operations
#   races      the race checker on some of them
#   gather     several B-scans in a buffer: operations, elements, a table of
#              speeds of many sizes and latencies at parts of the full rate
#   soak       one pipeline for OCT_SOAK_SECONDS (600), memory at intervals
set -u
if ! nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
  echo "There is no NVIDIA GPU here (nvidia-smi -L names none)." >&2
  exit 77
fi
pack=$(cd "${1:-_cuda}" && pwd)
logs=${2:-$pack/logs}
[ $# -ge 2 ] && shift 2 || set --
parts=${*:-check elements separate failures pipelines bench memory races}
mkdir -p "$logs"
cuda=${CUDA_PATH:-/usr/local/cuda}
cufft=$(dirname "$(find "$cuda/" /usr/lib* /opt -name 'libcufft.so.*' \
  2>/dev/null | head -n 1)")
cublas=$(dirname "$(find "$cuda/" /usr/lib* /opt -name 'libcublas.so.*' \
  2>/dev/null | head -n 1)")
export LD_LIBRARY_PATH="$pack/lib:$cuda/lib64:$cufft:$cublas"
chmod +x "$pack"/bin/* 2>/dev/null
program="$pack/bin/check-operations --module $pack/module/liboctcuda.so"
summary="$logs/summary.txt"
: >"$summary"

# what the programs look for
export GST_PLUGIN_PATH_1_0="$pack/plugins" GST_PLUGIN_SYSTEM_PATH_1_0=
export GST_PLUGIN_SCANNER_1_0="$pack/bin/gst-plugin-scanner"
export OCT_CUDA_MODULE_PATH="$pack/module"
export OCT_TEST_DATA="$pack/data" OCT_TEST_VECTORS="$pack/vectors"
export GST_REGISTRY_1_0="$logs/registry.bin" CK_DEFAULT_TIMEOUT=240

note () {
  printf '%-22s %s\n' "$1" "$2" >>"$summary"
}

# Notes the exit status of a program and the text; a skip (77) is a failure
# here.
failed=0
note_status () { # NAME STATUS TEXT
  [ "$2" = 0 ] || failed=1
  note "$1" "exit $2${3:+, $3}"
}

# log_of TOOL FILTER
log_of () {
  echo "$logs/$1$(printf %s "$2" | tr -c 'a-z0-9' -).txt"
}

# check_with TOOL FILTER: its log and, when done, its exit status.
check_with () {
  log=$(log_of "$1" "$2")
  timeout "${OCT_CHECKER_SECONDS:-300}" compute-sanitizer --tool "$1" \
    --error-exitcode 9 $program --reduced --filter "$2" >"$log" 2>&1
  echo $? >"$log.status"
}

# note_check TOOL FILTER: a line of the table.
note_check () {
  log=$(log_of "$1" "$2")
  status=$(cat "$log.status")
  cases=$(grep -c '^ok' "$log")
  result="$cases cases, $(
    grep 'SUMMARY' "$log" | tail -n 1 | sed 's/^=* //')"
  if [ "$1" = racecheck ]; then
    places=$(hazards "$log" | wc -l)
    result="$result, $places places outside of cuBLAS"
    [ "$status" = 9 ] && [ "$places" = 0 ] && status=0
    hazards "$log"
  fi
  # the checker's status hides that of the program
  [ "$cases" -gt 0 ] && grep -q '^# 0 of' "$log" || status=1
  note_status "$1" "$status" "$result${2:+ ($2)}"
}

# hazards LOG: which kernels have how many, but for those of cuBLAS (nvjet). The
# checker reports their asynchronous copies in every product.
hazards () {
  sed -nE 's/.*Error: Race reported between [A-Za-z]+ access at //p' "$1" |
    grep -v '^nvjet' | sort | uniq -c
}

# Runs the race checker on kernels that are known to be right or wrong.
run_control () {
  for kind in barriers copies both race; do
    compute-sanitizer --tool racecheck --error-exitcode 9 \
      "$pack/bin/racecheck-control" $kind >"$logs/control-$kind.txt" 2>&1
    status=$?
    # the wrong one must be found
    [ "$kind" = race ] && status=$((status == 9 ? 0 : 1))
    note_status "racecheck of $kind" "$status" "$(
      grep 'SUMMARY' "$logs/control-$kind.txt" | tail -n 1 | sed 's/^=* //')"
  done
}

# check_all TOOL FILTER ...: all at once, as the checkers take their time.
check_all () {
  tool=$1
  shift
  for filter; do check_with "$tool" "$filter" & done
  wait
  for filter; do note_check "$tool" "$filter"; done
}

run_races () {
  run_control
  check_all racecheck 'nufft real 1024 x' 'nufft complex 1024 x' \
    'nudft real 101 x' ' 203 x 75' ' 2047 x 6' ' 1024 x 5' ' 4096 x 3' \
    'cubic upsample 1 8200 x 3' 'log auto smoothing 0.8 range -60 to 3, 7' \
    'log contrast smoothing 0 range -60 to 3, 33 x 65' \
    'linear manual smoothing 0 range 0.01 to 1.5, 33 x 65' \
    'average registered' 'cs of counts' 'cs nudft estimated real 512' 'cs fft estimated real 1000' \
    'cs nudft not finite complex' 'mean bscan 2 bytes 256' \
    'cubic compensated 2048x5' 'cubic compensated 2048x1185' 'cubic 512x5' \
    'lanczos 256x5' 'linear compensated 8192x5' \
    'gray8 log contrast smoothing 0.8, bins 0'
  check_volumes racecheck
}

# Together all cases; ' length ' is in the names of those of octfft, and the last
# ones are of sequences in one pass.
run_memory () {
  check_all memcheck background resample dispersion ' length ' logscale \
    'nufft real' 'nufft complex' 'nudft' 'cs ' 'error of' \
    'mean ' ' kernel,' ' rows,' ' lines,' ' image' ' values,'
  check_volumes memcheck
}

# The same of volumes, whose programs have no small cases, all at once.
check_volumes () { # TOOL
  for name in volume sections volume-cs remap; do
    (timeout "${OCT_CHECKER_SECONDS:-300}" compute-sanitizer --tool "$1" \
      --error-exitcode 9 "$pack/bin/check-$name" \
      --module "$pack/module/liboctcuda.so" >"$logs/$1-$name.txt" 2>&1
    echo $? >"$logs/$1-$name.status") &
  done
  wait
  for name in volume sections volume-cs remap; do
    note_status "$1 $name" "$(cat "$logs/$1-$name.status")" "$(
      grep 'SUMMARY' "$logs/$1-$name.txt" | tail -n 1 | sed 's/^=* //')"
  done
}

# test_program NAME BACKEND FORK [CASE]: its log and, when done, its exit status.
# To begin with CUDA again in every test takes seconds: FORK=no saves them, but
# a crash ends the program.  CASE: that part of its tests alone.
test_program () {
  log="$logs/$1-${2:-auto}${4:+-$4}"
  OCT_TEST_BACKEND=$2 CK_FORK=$3 ${4:+env CK_RUN_CASE="$4"} \
    timeout "${OCT_TEST_SECONDS:-240}" "$pack/bin/test-$1" >"$log.txt" 2>&1
  echo $? >"$log.status"
}

# test_programs BACKEND NAME ...: some at a time, so that those that take long
# come first.  Most of their time goes into contexts, which the driver makes one
# after the other.
test_programs () {
  backend=$1
  shift
  while [ $# -gt 0 ]; do
    for turn in 1 2 3 4 5 6; do
      [ $# -gt 0 ] || break
      test_program "$1" "$backend" no &
      shift
    done
    wait
  done
}

# note_program NAME BACKEND [CASE]: a line of the table: what Check said last,
# skips, the exit status.
note_program () {
  log="$logs/$1-${2:-auto}${3:+-$3}"
  result=$(grep -E '^[0-9]+%: Checks' "$log.txt" || tail -n 1 "$log.txt")
  skips=$(grep -c '^SKIP of' "$log.txt")
  [ "$skips" -gt 0 ] && result="$result, $skips without a meaning there"
  note_status "$1 ${2:-auto}${3:+ $3}" "$(cat "$log.status")" "$result"
  grep -E ':[FE]:' "$log.txt" | sed "s/^.*\/test-/$1 ${2:-auto}: test-/"
}

run_elements () {
  "$pack/bin/gst-inspect-1.0" octfft >/dev/null 2>&1 # writes the registry
  on_gpu=${OCT_TESTS_ON_GPU-chain filters bscans waiting octcs octdcsub octnufft \
    octkclock octkresample octdispersion octfft octcs-masks octlogscale cscan states \
    settings files pending refused octreconstruct method-switch autofocus \
    octmeter background octvolume volume-noise octvolumecs octremap octremap-virtual sections \
    octcolormap octflip octspeckle octsharpen octangio octdoppler octdynamic octrefocus octaverage waiting scatter devices leaks errors}
  as_it_likes=${OCT_TESTS_AUTO-chain filters octcs octdcsub octnufft \
    octkclock octkresample octcs-masks cscan states settings files leaks octsrc \
    octsrc-seek octsrc-live errors}
  test_programs cuda $on_gpu
  test_programs '' $as_it_likes
  for name in $on_gpu; do note_program "$name" cuda; done
  for name in $as_it_likes; do note_program "$name" ''; done
  run_other_module
}

run_separate () {
  "$pack/bin/gst-inspect-1.0" octfft >/dev/null 2>&1
  # not `pending`: it asserts that steps are
  on_gpu=${OCT_TESTS_SEPARATE-chain filters bscans octcs octdcsub octnufft \
    octlogscale octreconstruct method-switch octfft octkresample \
    octdispersion octcs-masks settings autofocus octmeter background cscan \
    states errors refused files octvolumecs octaverage}
  (
    export OCT_FUSE=0
    logs="$logs/separate"
    mkdir -p "$logs"
    test_programs cuda $on_gpu
    for name in $on_gpu; do note_program "$name" cuda; done
    exit $failed
  ) || failed=1
}

# A module of another build in the place of ours: backend=auto goes on on the CPU,
# backend=cuda is an error that names both versions.
run_other_module () {
  mkdir -p "$logs/other"
  cp "$pack/module/libfake-other.so" "$logs/other/liboctcuda.so"
  for backend in auto cuda; do
    log="$logs/other-module-$backend.txt"
    OCT_CUDA_MODULE_PATH="$logs/other" GST_DEBUG=octcuda:4 \
      timeout 60 "$pack/bin/gst-launch-1.0" octsrc num-buffers=2 \
      ! octdcsub backend=$backend ! octkresample ! octfft ! octlogscale \
      ! fakesink >"$log" 2>&1
    status=$?
    [ "$backend" = cuda ] && status=$((status == 0))
    grep -q 'is of version 0.0.9-abc and the plugin of version' "$log" ||
      status=1
    note_status "other module $backend" "$status"
  done
}

# Failures in mid-stream; the loss of a context may end the process.
run_failures () {
  "$pack/bin/gst-inspect-1.0" octfft >/dev/null 2>&1
  test_program failures cuda no general
  test_program failures cuda yes lost
  note_program failures cuda general
  note_program failures cuda lost
  grep -hE '^(fault|[0-9]+ images|a new|[a-z]+: [A-Z])' \
    "$logs/failures-cuda-general.txt" "$logs/failures-cuda-lost.txt"
}

# bench_pipeline NAME LINES [OPTION ...]
bench_pipeline () {
  name=$1 lines=$2
  shift 2
  "$pack/bin/bench-pipeline" --backend cuda --lines "$lines" --bscans 2000 \
    "$@" >"$logs/bench-$name.txt" 2>&1
  note_status "bench $name" $?
  cat "$logs/bench-$name.txt"
}

# memcheck_program NAME: the tests of an element under the memory checker.
memcheck_program () {
  OCT_TEST_BACKEND=cuda CK_FORK=no \
    timeout "${OCT_CHECKER_SECONDS:-300}" compute-sanitizer \
    --tool memcheck --target-processes all --error-exitcode 9 \
    "$pack/bin/test-$1" >"$logs/memcheck-$1.txt" 2>&1
  echo $? >"$logs/memcheck-$1.status"
}

run_memcheck () {
  set -- ${OCT_MEMCHECK:-octlogscale octnufft octcs chain}
  for name; do memcheck_program "$name" & done
  wait
  for name; do
    log="$logs/memcheck-$name"
    note_status "memcheck $name" "$(cat "$log.status")" "$(
      grep -h 'Checks' "$log.txt"), $(grep -h 'ERROR SUMMARY' "$log.txt" |
        sort | uniq -c | tr '\n' ' ')"
  done
}

run_pipelines () {
  "$pack/bin/gst-inspect-1.0" octfft >/dev/null 2>&1
  for name in cuda cuda-memory; do
    test_program $name cuda yes
    note_program $name cuda
    grep -E 'memory|MiB' "$logs/$name-cuda.txt"
  done
  run_memcheck
}

run_bench () {
  $program --bench >"$logs/bench.txt" 2>&1
  note_status bench $?
  cat "$logs/bench.txt"
  "$pack/bin/bench-calls" >"$logs/bench-calls.txt" 2>&1
  note_status 'bench calls' $?
  cat "$logs/bench-calls.txt"
  "$pack/bin/gst-inspect-1.0" octfft >/dev/null 2>&1
  for lines in 1000 256; do
    bench_pipeline fft-$lines "$lines" --transform fft
    bench_pipeline nufft-$lines "$lines" --transform nufft
    # images that stay on the GPU between these
    bench_pipeline filters-$lines "$lines" --transform fft --format NV12 \
      --filters 'octspeckle backend=cuda ! octflip depth=true backend=cuda !
        cudadownload'
  done
  for size in '1024 256 200' '1024 1024 512'; do
    set -- $size
    "$pack/bin/bench-volume" --module "$pack/module/liboctcuda.so" \
      --depth "$1" --lines "$2" --bscans "$3" --width 1920 --height 1080 \
      >"$logs/bench-volume-$2.txt" 2>&1
    note_status "bench volume $size" $?
    cat "$logs/bench-volume-$2.txt"
  done
  for size in '1024 256 200' '2048 1000 250'; do
    set -- $size
    "$pack/bin/bench-volume-cs" --module "$pack/module/liboctcuda.so" \
      --samples "$1" --lines "$2" --bscans "$3" \
      >"$logs/bench-volume-cs-$2.txt" 2>&1
    note_status "bench volume-cs $size" $?
    cat "$logs/bench-volume-cs-$2.txt"
  done
  bench_pipeline nufft-cs-1000 1000 --transform nufft-cs --no-dispersion \
    --cs noise=12
  bench_pipeline nufft-cs-estimated-1000 1000 --transform nufft-cs \
    --no-dispersion
}

run_gather () {
  "$pack/bin/gst-inspect-1.0" octfft >/dev/null 2>&1
  $program --filter 'in parts' >"$logs/gather-parts.txt" 2>&1
  note_status 'check in parts' $? "$(
    grep -c '^ok' "$logs/gather-parts.txt") cases"
  grep '^not ok' "$logs/gather-parts.txt" | head -n 40
  on_gpu='waiting bscans octreconstruct method-switch'
  test_programs cuda $on_gpu
  for name in $on_gpu; do note_program "$name" cuda; done
  for run in 1 2; do
    "$pack/bin/bench-pipeline" --backend cuda --range contrast --sizes \
      >"$logs/gather-sizes-$run.txt" 2>&1
    note_status "bench sizes, run $run" $?
    cat "$logs/gather-sizes-$run.txt"
  done
  for size in '2048 64' '1024 256' '2048 256' '2048 1000'; do
    set -- $size
    "$pack/bin/bench-pipeline" --backend cuda --samples "$1" --lines "$2" \
      --bscans 4000 --loads >"$logs/gather-loads-$1-$2.txt" 2>&1
    note_status "bench loads $size" $?
    cat "$logs/gather-loads-$1-$2.txt"
  done
  for together in 1 8; do
    "$pack/bin/bench-pipeline" --backend cuda --samples 1024 --lines 256 \
      --volume 200 --bscans 4000 --together "$together" \
      >"$logs/gather-volume-$together.txt" 2>&1
    note_status "bench volume, $together in a buffer" $?
    cat "$logs/gather-volume-$together.txt"
  done
  "$pack/bin/bench-pipeline" --backend cuda --samples 1024 --lines 256 \
    --volume 200 --bscans 4000 --gather >"$logs/gather-volume.txt" 2>&1
  note_status 'bench volume, those that wait' $?
  cat "$logs/gather-volume.txt"
}

note device "$(nvidia-smi --query-gpu=name,driver_version \
  --format=csv,noheader)"
note date "$(date -u +%F)"
for part in $parts; do
  start=$(date +%s)
  case $part in
    check)
      $program >"$logs/check.txt" 2>&1
      note_status check $? "$(tail -n 1 "$logs/check.txt")"
      grep '^not ok' "$logs/check.txt" | head -n 40
      grep -c '^ok' "$logs/check.txt"
      $program --reference >"$logs/reference.txt" 2>&1
      note_status 'check reference' $? "$(tail -n 1 "$logs/reference.txt")"
      grep '^not ok' "$logs/reference.txt" | head -n 40
      "$pack/bin/check-volume" --module "$pack/module/liboctcuda.so" \
        >"$logs/volume.txt" 2>&1
      note_status 'check volume' $? "$(tail -n 1 "$logs/volume.txt")"
      grep -E '^not ok|backend|CPU' "$logs/volume.txt" | head -n 60
      "$pack/bin/check-volume-look" --module "$pack/module/liboctcuda.so" \
        >"$logs/volume-look.txt" 2>&1
      note_status 'check volume-look' $? "$(tail -n 1 "$logs/volume-look.txt")"
      grep '^not ok' "$logs/volume-look.txt" | head -n 40
      "$pack/bin/check-sections" --module "$pack/module/liboctcuda.so" \
        >"$logs/sections.txt" 2>&1
      note_status 'check sections' $? "$(tail -n 1 "$logs/sections.txt")"
      grep '^not ok' "$logs/sections.txt" | head -n 40
      "$pack/bin/check-volume-cs" --module "$pack/module/liboctcuda.so" \
        >"$logs/volume-cs.txt" 2>&1
      note_status 'check volume-cs' $? "$(
        grep -c '^ok' "$logs/volume-cs.txt") cases"
      grep '^not ok' "$logs/volume-cs.txt" | head -n 40
      "$pack/bin/check-remap" --module "$pack/module/liboctcuda.so" \
        >"$logs/remap.txt" 2>&1
      note_status 'check remap' $? "$(grep -c '^ok' "$logs/remap.txt") cases"
      grep '^not ok' "$logs/remap.txt" | head -n 40
      ;;
    bench) run_bench ;;
    gather) run_gather ;;
    memory) run_memory ;;
    races) run_races ;;
    elements) run_elements ;;
    separate) run_separate ;;
    failures) run_failures ;;
    pipelines) run_pipelines ;;
    soak)
      "$pack/bin/test-cuda-memory" --soak "${OCT_SOAK_SECONDS:-600}" \
        >"$logs/soak.txt" 2>&1
      note_status soak $? "$(tail -n 1 "$logs/soak.txt")"
      cat "$logs/soak.txt"
      ;;
  esac
  note "seconds of $part" $(($(date +%s) - start))
done
tail -n 5 "$logs/check.txt" 2>/dev/null
cat "$summary"
exit $failed
