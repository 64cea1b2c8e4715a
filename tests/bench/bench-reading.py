#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times octsrc reading a raw file of spectra, from the disk and from memory,
beside dd on the same file.

  meson devenv -C build python3 "$PWD/tests/bench/bench-reading.py" \\
    FILE SAMPLES LINES [ROUNDS]

Rounds follow each other (default: 5), each with every case once, so that what
other programs do falls on all of them.  Prints GB/s: median, lowest, highest.
The program's start, some 0.1 s, is in it: take a file of some GB.
"""
import os
import statistics
import subprocess
import sys
import time


def forget(path):
    """What is of the file in memory; it must be on the disk."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def remember(path):
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 24):
            pass


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    path, samples, lines = sys.argv[1:4]
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    dd = ["dd", f"if={path}", "of=/dev/null"]
    source = ["gst-launch-1.0", "-q", "octsrc", f"location={path}",
              f"samples={samples}", f"lines={lines}", "!", "fakesink",
              "sync=false"]
    cases = {
        "dd bs=1M": [*dd, "bs=1M"],
        "dd bs=4M iflag=direct": [*dd, "bs=4M", "iflag=direct"],
        "octsrc ! fakesink": source,
    }
    rates = {(where, case): [] for where in ("disk", "memory")
             for case in cases}
    subprocess.run(source, check=True)  # the list of plugins is there
    for _ in range(rounds):
        for where, case in rates:
            (forget if where == "disk" else remember)(path)
            start = time.monotonic()
            subprocess.run(cases[case], check=True, capture_output=True)
            rates[where, case].append(os.path.getsize(path) / 1e9 / (
                time.monotonic() - start))
    for (where, case), found in rates.items():
        print(f"{where:7} {case:22} {statistics.median(found):6.2f}"
              f" {min(found):6.2f} {max(found):6.2f}")


main()
