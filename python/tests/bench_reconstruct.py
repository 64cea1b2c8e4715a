#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How fast arrays are, beside the same pipeline as gst-launch-1.0 has it.

    bench_reconstruct.py [RUNS [BSCANS [SAMPLES [LINES]]]] [image|ascans|power] [cpu|cuda]

The pipeline of gst-launch-1.0 reads a file of B-scans that is in memory, and throws
away what it has made; reconstruct() gets the same B-scans as an array, and returns an
array: in new memory, in that of the last result, which is gone, or in one that is given
(out).  All play in this process, so none
counts the time to start a program.  They alternate, so that other programs slow down
all alike; processor time is shown too.
"""
import os
import resource
import statistics
import sys
import tempfile
import time

import gstoct
import numpy
from gstoct import _memory
from gstoct._gst import gst


def measure(run):
    """Seconds of the clock and of processors."""
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    run()
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    return wall, (after.ru_utime + after.ru_stime - before.ru_utime
                  - before.ru_stime)


def launch(line):
    """Plays as gst-launch-1.0 does."""
    Gst = gst()
    pipeline = Gst.parse_launch(line)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    assert message.type == Gst.MessageType.EOS, message.parse_error()


def in_new_memory(spectra, arguments):
    """As the first call of a program."""
    _memory._kept.clear()
    gstoct.reconstruct(spectra, **arguments)


def add_gpu(ways, spectra, arguments):
    """The same from memory of the GPU, and to it, if CuPy is there."""
    try:
        import cupy
    except ImportError:
        return
    there = cupy.asarray(spectra)
    ways["CuPy to CuPy"] = lambda: gstoct.reconstruct(there, on_gpu=True, **arguments)


def main():
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    runs, bscans, samples, lines = numbers + [5, 100, 2048, 1000][len(numbers):]
    words = [word for word in sys.argv[1:] if not word.isdecimal()]
    device = next((word for word in words if word in ("cpu", "cuda")), "auto")
    output = next((word for word in words if word != device), "image")
    spectra = numpy.random.default_rng(1).integers(
        0, 4096, (bscans, lines, samples), numpy.uint16)
    with tempfile.TemporaryDirectory(prefix="gstoct-", dir="/dev/shm") as folder:
        path = os.path.join(folder, "spectra.npy")
        numpy.save(path, spectra)
        kind = {"image": "images"}.get(output, "ascans")
        line = (f"octsrc location={path} wavelength-min=790 wavelength-max=900 "
                f"! octreconstruct backend={device} output={kind} ! fakesink")
        arguments = {"calibration": (790, 900), "output": output, "device": device}
        again = gstoct.reconstruct(spectra, **arguments).values
        ways = {"gst-launch": lambda: launch(line),
                "new memory": lambda: in_new_memory(spectra, arguments),
                "gstoct": lambda: gstoct.reconstruct(spectra, **arguments),
                "gstoct, out": lambda: gstoct.reconstruct(
                    spectra, out=again, **arguments)}
        if device == "cuda":
            add_gpu(ways, spectra, arguments)
        found = {name: [] for name in ways}
        for run in range(runs + 1):  # the first loads the plugins
            for name, way in ways.items():
                seconds = measure(way)
                if run > 0:
                    found[name].append(seconds)
    medians = {name: [statistics.median(column) for column in zip(*rows)]
               for name, rows in found.items()}
    print(f"{output}, {bscans} B-scans of {samples} x {lines}, medians of {runs} runs")
    base = medians["gst-launch"]
    for name, (wall, processor) in medians.items():
        print(f"{name:12} {wall:7.3f} s, processors {processor:7.3f} s: "
              f"{base[0] / wall:.3f} of the speed of gst-launch, "
              f"{base[1] / processor:.3f} by processor time")


main()
