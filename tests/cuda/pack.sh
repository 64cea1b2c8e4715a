#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Packs what a GPU host without GStreamer needs: GStreamer's libraries and the
# plugins the tests use (nvcodec among them), our plugin and module, the test
# programs, the benchmark.
#
#   tests/cuda/pack.sh BUILDDIR [OUTDIR]
#
# OUTDIR: _cuda, ignored by git.  With OCT_TEST_DATA set to the folder of the
# real C-scan its files come along.  On the GPU host, in the same checkout:
#   tests/cuda/run-on-gpu.sh [OUTDIR]
#
# Built on Debian 12, it runs where glibc is as new as that or newer.
set -eu
build=$1
out=${2:-_cuda}
system=$(pkg-config --variable=pluginsdir gstreamer-1.0)
scanner=$(pkg-config --variable=pluginscannerdir gstreamer-1.0)
rm -rf "$out"
mkdir -p "$out/bin" "$out/lib" "$out/plugins" "$out/module"

for name in app coreelements coretracers matroska nvcodec png rawparse videoconvertscale \
  videoparsersbad videotestsrc; do
  cp "$system/libgst$name.so" "$out/plugins/"
done
cp "$build/gst/libgstoct.so" "$out/plugins/"
cp "$build/cuda/liboctcuda.so" "$build/tests/gst/libfake-other.so" \
  "$out/module/"
cp "$scanner/gst-plugin-scanner" "$(command -v gst-launch-1.0)" \
  "$(command -v gst-inspect-1.0)" "$build/tests/bench/bench-pipeline" \
  "$build/tests/cuda/check-operations" "$build/tests/cuda/racecheck-control" \
  "$build/tests/volume/check-volume" "$build/tests/volume/check-sections" \
  "$build/tests/volume/check-volume-look" \
  "$build/tests/volume/check-volume-cs" "$build/tests/volume/check-remap" \
  "$build/tests/bench/bench-volume" \
  "$build/tests/bench/bench-volume-cs" "$build/tests/bench/bench-calls" \
  "$out/bin/"
for program in "$build"/tests/gst/test-*; do
  [ -f "$program" ] && [ -x "$program" ] && cp "$program" "$out/bin/"
done

# all linked libraries, except for those of the host: the C library, its
# compiler's libraries and CUDA
for file in "$out"/bin/* "$out"/plugins/* "$out"/module/*; do
  ldd "$file"
done | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
  grep -vE '/lib(c|m|pthread|dl|rt|resolv|util|gcc_s|stdc\+\+)\.so' |
  grep -vE '/lib(cuda|cudart|cufft|cublas|cublasLt|nvrtc)\.so' |
  while read -r library; do cp -L "$library" "$out/lib/"; done

strip --strip-unneeded "$out"/bin/* "$out"/lib/* "$out"/plugins/* 2>/dev/null || true
cp -r "$(dirname "$0")/../unit/vectors/files" "$out/vectors"
if [ -n "${OCT_TEST_DATA:-}" ]; then
  cp -r "$OCT_TEST_DATA" "$out/data"
fi
du -sh "$out"
