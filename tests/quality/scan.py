#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The samples of octscangen against the float64 reference (reference/scan.py), how much of
the limits they take, and pictures of the patterns.

    scan.py [--build BUILD] [--plot FILE] [--check]

--check ends with an error where a sample is not that of the reference to within TOLERANCE,
or a limit is exceeded.  --plot draws the samples of some patterns, for docs/scanning.md.
"""
import argparse
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("numpy is missing")
    sys.exit(77)
import plugin
import scan as reference

RATE = 100000
DT = 1 / RATE
VOLTS, FULL_SCALE = 0.64, 10.0
# Roundings of sums over a spiral's table, in mm: a hundredth of an atom.
TOLERANCE = 1e-9
LIMITS = reference.limits()
RASTER = reference.raster(512, 16, 6, 6)
LISSAJOUS = reference.lissajous(512 * 90, 70, 6, 6)
SHORT = reference.sweeps(reference.raster(256, 4, 3, 3), bidirectional=True)

# name: properties, segments of the reference, arguments of its stream, what is sent of it
CASES = {
    "raster": ("bscans=16", list(RASTER), {}, None),
    "raster, both ways": ("bscans=16 bidirectional=true volumes=2", reference.sweeps(RASTER, bidirectional=True),
                          {"volumes": 2}, None),
    "4 repeats, groups of 2": ("bscans=8 repeats=4 group=2 bidirectional=true",
                               reference.sweeps(reference.raster(512, 8, 6, 6), 4, 2, True), {}, None),
    "raster at 30 degrees": ("bscans=16 angle=30 offset-x=0.4 offset-y=-0.3 width=5 height=5",
                             list(reference.turn(reference.raster(512, 16, 5, 5), np.pi / 6, (0.4, -0.3))), {}, None),
    "radial": ("pattern=radial bscans=16", reference.sweeps(reference.radial(512, 16, 6), bidirectional=True), {}, None),
    "spiral": ("pattern=spiral pitch=0.03", [reference.spiral(3, 0.03, DT, 5e6, 512)], {}, None),
    "spiral-angular": ("pattern=spiral-angular bscans=100", [reference.spiral_angular(3, 100, 512)], {}, None),
    "Lissajous 70, 71": ("pattern=lissajous bscans=90 cycles=70 volumes=2", [LISSAJOUS], {"closed": True, "volumes": 2}, None),
    "Lissajous, its own cycles": (
        "pattern=lissajous bscans=90 width=4 height=5", [reference.lissajous(512 * 90, reference.default_cycles(512 * 90), 4, 5)],
        {"closed": True}, None),
    "rosette 60, 61": ("pattern=rosette bscans=120 cycles=60", [reference.rosette(512 * 120, 60, 6)], {"closed": True}, None),
    "settle, smooth": ("lines=256 bscans=4 width=3 height=3 bidirectional=true settle=0.0002 smooth=0.0002", SHORT,
                       {"settle": 20, "smooth": 21}, lambda p: reference.smoothed(p, 21)),
    "look-ahead": ("lines=256 bscans=4 width=3 height=3 bidirectional=true delay-x=0.000127 delay-y=0.0001", SHORT, {},
                   lambda p: reference.ahead(p, (12.7, 10))),
    "inverse of the mirrors": (
        "lines=256 bscans=4 width=3 height=3 bidirectional=true smooth=0.0002 delay-x=0.0002 delay-y=0.0002 "
        "galvo-frequency=2000", SHORT, {"smooth": 21},
        lambda p: reference.ahead(reference.inverse(reference.smoothed(p, 21), DT, 2000, 0.8),
                                  [(0.0002 - 0.8 / (np.pi * 2000)) * RATE] * 2)),
}


def send(properties, build):
    """(positions in mm, active) of a stream of one volume, or as many as the properties say."""
    environment = dict(os.environ)
    if build is not None:
        environment["GST_PLUGIN_PATH"] = os.path.join(os.path.abspath(build), "gst")
    if "volumes=" not in properties:
        properties += " volumes=1"
    with tempfile.TemporaryDirectory() as folder:
        taken = os.path.join(folder, "out.raw")
        line = f"octscangen gate=true {properties} ! audio/x-raw,format=F64LE ! filesink location={taken}"
        done = subprocess.run(["gst-launch-1.0", "-q", *line.split()], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise SystemExit(f"{line}\n{done.stdout}")
        values = np.fromfile(taken, "<f8").reshape(-1, 3)
    return values[:, :2] * FULL_SCALE / VOLTS, values[:, 2] != 0


def compare(sent, active, segments, arguments, process):
    """Largest difference in mm; A-lines and all samples of the reference."""
    p, taken = reference.stream(segments, LIMITS, DT, **arguments)
    # rest before and after, as far as anything looks
    more = 64
    p = np.concatenate([np.zeros((more, 2)), p, np.zeros((more, 2))])
    taken = np.concatenate([np.zeros(more, bool), taken, np.zeros(more, bool)])
    if process is not None:
        p = process(p)
    # aligned at the first A-line
    shift = int(np.argmax(taken)) - int(np.argmax(active))
    low, high = max(0, shift), min(len(p), shift + len(sent))
    inside = slice(low - shift, high - shift)
    rest = np.concatenate([sent[:low - shift], sent[high - shift:], p[:low], p[high:], np.zeros((1, 2))])
    worst = max(np.abs(sent[inside] - p[low:high]).max(), np.abs(rest).max())
    same = (active[inside] == taken[low:high]).all() and active.sum() == taken.sum()
    return worst if same else np.inf


def plot(path, build):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    few = {
        "raster": "lines=256 bscans=12 width=5 height=5",
        "raster, both ways": "lines=256 bscans=12 width=5 height=5 bidirectional=true",
        "radial": "pattern=radial lines=256 bscans=10 width=5",
        "spiral": "pattern=spiral pitch=0.2 width=5 lines=64",
        "lissajous": "pattern=lissajous cycles=8 lines=512 bscans=8 width=5 height=5",
        "rosette": "pattern=rosette cycles=10 lines=512 bscans=16 width=5",
    }
    figure, all_axes = plt.subplots(2, 3, figsize=(9, 6.2), layout="constrained", sharex=True, sharey=True)
    for axes, (name, properties) in zip(all_axes.flat, few.items()):
        p, active = send(properties, build)
        axes.plot(*p.T, color="0.75", linewidth=0.8)
        q = np.where(active[:, None], p, np.nan)
        axes.plot(*q.T, color="tab:blue", linewidth=0.9)
        axes.set_title(f"{name}: {active.sum() / len(p):.0%}", fontsize=10)
        axes.set_aspect("equal")
    all_axes[0, 0].invert_yaxis()
    figure.supxlabel("x (mm)", fontsize=9)
    figure.supylabel("y (mm)", fontsize=9)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build")
    parser.add_argument("--plot")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    checks, rows = plugin.Checks(), []
    for name, (properties, segments, arguments, process) in CASES.items():
        sent, active = send(properties, options.build)
        worst = compare(sent, active, segments, arguments, process)
        part = reference.excess(sent, DT, LIMITS)
        inner = slice(np.argmax(active), len(active) - np.argmax(active[::-1]))
        rows.append([name, f"{active.sum()}", f"{active[inner].mean():.3f}", *(f"{value:.3f}" for value in part),
                     f"{worst:.1e}"])
        checks.near(f"{name}, difference in mm", worst, 0, TOLERANCE)
        if "galvo" not in properties:
            checks.near(f"{name}, part of a limit above 1", max(0, max(part) - 1), 0, 1e-6)
    print(plugin.table(["pattern", "A-lines", "part of the time", "amplitude", "velocity", "acceleration",
                        "difference (mm)"], rows))
    if options.plot:
        plot(options.plot, options.build)
    if options.check:
        checks.end()


if __name__ == "__main__":
    main()
