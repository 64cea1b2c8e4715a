#!/bin/sh
# Packs check-operations and the CUDA backend for a GPU host that has neither
# GLib nor FFTW: programs, module and every shared library they need but those
# of the C library and of CUDA.
#
#   tests/cuda/pack.sh BUILDDIR [OUTDIR]
#
# OUTDIR: _cuda, ignored by git.  On the GPU host, in the same checkout:
#   tests/cuda/run-on-gpu.sh [OUTDIR]
set -eu
build=$1
out=${2:-_cuda}
rm -rf "$out"
mkdir -p "$out/lib"
cp "$build/tests/cuda/check-operations" "$build/tests/cuda/racecheck-control" \
  "$build/cuda/liboctcuda.so" "$out/"
for file in "$out/check-operations" "$out/liboctcuda.so"; do ldd "$file"; done |
  awk '/=> \//{print $3}' | sort -u |
  grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*|libgcc_s)\.so' |
  grep -vE '/(libcuda|libcufft|libcublas|libcublasLt)\.so' |
  while read -r library; do cp -L "$library" "$out/lib/"; done
du -sh "$out"
