#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times octsrc reading a raw file of spectra, from the disk and from memory,
beside dd on the same file.

  meson devenv -C build python3 "$PWD/tests/bench/bench-reading.py" \\
    FILE SAMPLES LINES [ROUNDS]

Rounds follow each other (default: 5), each with every case once, in an order of
its own, so that the load of other programs falls on all of them.  Prints GB/s by the
clock, and GB per second of processor time (program and kernel), which other
programs disturb less: median, lowest, highest.  From memory nothing waits, and the
second is what the first would be on a processor of its own; from the disk the first
counts.  The program's start, which is the last line, is in it: take a file of a GB.

A virtual machine may give free memory back to its host within seconds, and has to
ask for it again page by page, which costs several times more than reading: so the
file is in memory right before it is forgotten, and cases should take less than
two seconds.
"""
import os
import random
import resource
import statistics
import subprocess
import sys
import time


def forget(path):
    """The part of the file in memory; the file must be on the disk."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def remember(path):
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 24):
            pass


def run(command):
    """Seconds by the clock, and of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    elapsed = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return elapsed, (after.ru_utime + after.ru_stime
                     - before.ru_utime - before.ru_stime)


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
        "dd bs=2M": [*dd, "bs=2M"],
        "dd bs=16M": [*dd, "bs=16M"],
        "dd bs=4M iflag=direct": [*dd, "bs=4M", "iflag=direct"],
        "octsrc ! fakesink": source,
    }
    rates = {(where, case): [] for where in ("disk", "memory")
             for case in cases}
    start = [*source[:5], "num-buffers=1", *source[5:]]
    run(start)  # the list of plugins is there
    for _ in range(rounds):
        for where, case in random.sample(list(rates), len(rates)):
            remember(path)
            if where == "disk":
                forget(path)
            rates[where, case].append(
                [os.path.getsize(path) / 1e9 / seconds
                 for seconds in run(cases[case])])
    print("                                GB/s                  "
          "GB per second of a processor")
    for (where, case), found in rates.items():
        print(f"{where:7} {case:22}", *(
            f"{statistics.median(column):6.2f} {min(column):6.2f}"
            f" {max(column):6.2f}    " for column in zip(*found)))
    first = [run(start) for _ in range(rounds)]
    print("start of the program, s: {:.3f} by the clock, {:.3f} of a processor"
          .format(*(statistics.median(column) for column in zip(*first))))


main()
