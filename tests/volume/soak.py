#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes for a long time: whether memory, threads and open files stay.

  meson devenv -C build python3 "$PWD/tests/volume/soak.py" [SECONDS] [RATE] [BACKEND]

One pipeline makes RATE B-scans a second (default: 25) for SECONDS (default:
600) and shows their volumes by octvolume, octenface and octslice, each with
update=volume and update=scan, and by octvolume with a camera that turns.
BACKEND is that of all elements: auto (default), cuda or cpu.  It prints what
the process holds, 20 times, and fails with more than 4 MiB, one thread or one
file more at the end than after the first twentieth.  Memory is what belongs to
this process alone, not the libraries; what a GPU holds is not in it.
"""
import os
import signal
import subprocess
import sys
import time

MOST = 4 << 10  # kB
LINES = 96
BACKENDS = ("auto", "cuda", "cpu")
SCAN = ("octsrc is-live=true bscans=32 lines={lines} samples=512 line-rate={line_rate} "
        "! octreconstruct backend={backend} range-smoothing=0.99 ! tee name=t")
PICTURES = (
    "octvolume {settings} turn-rate=30 max-render-time=20 ! capsfilter "
    "caps=video/x-raw,width=160,height=120",
    "octenface {settings} flatten=true mode=max",
    "octslice {settings} plane=oblique yaw=30 tilt=40",
)


def launch_line(rate, backend):
    settings = f"backend={backend} update="
    branches = [f"t. ! queue max-size-buffers=4 ! {picture.format(settings=settings + of)}"
                " ! fakesink sync=false async=false"
                for picture in PICTURES for of in ("volume", "scan")]
    scan = SCAN.format(lines=LINES, line_rate=LINES * rate, backend=backend)
    return " ".join([scan, *branches])


def look(pid):
    """Private memory in kB, threads, open files."""
    private = threads = 0
    sums = f"/proc/{pid}/smaps_rollup"
    with open(sums if os.path.exists(sums) else f"/proc/{pid}/smaps",
              encoding="ascii") as text:
        for line in text:
            if line.startswith(("Private_Clean:", "Private_Dirty:")):
                private += int(line.split()[1])
    with open(f"/proc/{pid}/status", encoding="ascii") as text:
        for line in text:
            if line.startswith("Threads:"):
                threads = int(line.split()[1])
    return private, threads, len(os.listdir(f"/proc/{pid}/fd"))


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600
    rate = int(sys.argv[2]) if len(sys.argv) > 2 else 25
    backend = sys.argv[3] if len(sys.argv) > 3 else "auto"
    if backend not in BACKENDS:
        sys.exit(f"There is no backend '{backend}'; take one of {', '.join(BACKENDS)}.")
    with subprocess.Popen(["gst-launch-1.0", "-q", "-e",
                           *launch_line(rate, backend).split()]) as program:
        begin, seen = time.monotonic(), []
        print(f"{'s':>6} {'MiB':>8} {'threads':>8} {'files':>6} {'s of CPU':>9}")
        for turn in range(1, 21):
            time.sleep(max(0, begin + seconds * turn / 20 - time.monotonic()))
            if program.poll() is not None:
                sys.exit(f"The pipeline ended with {program.returncode}.")
            seen.append(look(program.pid))
            private, threads, files = seen[-1]
            with open(f"/proc/{program.pid}/stat", encoding="ascii") as text:
                fields = text.read().rpartition(")")[2].split()
            cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            print(f"{time.monotonic() - begin:6.0f} {private / 1024:8.1f} "
                  f"{threads:8d} {files:6d} {cpu:9.1f}", flush=True)
        program.send_signal(signal.SIGINT)
        program.wait(60)
    first, last = seen[0], seen[-1]
    grown = [b - a for a, b in zip(first, last)]
    print(f"grown: {grown[0] / 1024:.1f} MiB, {grown[1]} threads, {grown[2]} files")
    sys.exit(grown[0] > MOST or grown[1] > 0 or grown[2] > 0)


if __name__ == "__main__":
    main()
