# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the quality programs: A-scans of the plugin's own elements, and the
float64 reference in reference/ (octref, chain, and the experiments that made
the published figures), which they import by name after this module."""
import os
import subprocess
import sys
import tempfile

import numpy as np

# programs import the reference; nothing is written beside it
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference"))
sys.dont_write_bytecode = True

SKIP = 77


def run(spectra, calibration, elements, build=None, properties="", source=""):
    """A-scans of `spectra` [bscans][lines][samples] (u2 or f4), complex
    [bscans * lines][depth bins].

    calibration: columns of the CSV file by name.  elements: the launch line
    between octdcsub's output and the file, properties: those of octdcsub, source:
    those of octsrc.
    build: a build folder of the plugin, else what is installed is used.
    """
    environment = dict(os.environ)
    if build is not None:
        environment["GST_PLUGIN_PATH"] = os.path.join(os.path.abspath(build), "gst")
    with tempfile.TemporaryDirectory() as folder:
        given, csv, taken = (os.path.join(folder, name) for name in ("in.npy", "calibration.csv", "out.raw"))
        np.save(given, np.ascontiguousarray(spectra))
        with open(csv, "w") as f:
            f.write(",".join(calibration) + "\n")
            for row in zip(*calibration.values()):
                f.write(",".join(repr(float(value)) for value in row) + "\n")
        line = f"octsrc location={given} calibration={csv} {source} ! octdcsub {properties} ! {elements} ! filesink location={taken}"
        done = subprocess.run(["gst-launch-1.0", "-q", *line.split()], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise SystemExit(f"{line}\n{done.stdout}")
        lines = spectra.shape[0] * spectra.shape[1]
        return np.fromfile(taken, np.complex64).reshape(lines, -1).astype(complex)


def run_ascans(ascans, elements, build=None, rate="250/1", **fields):
    """Output of `elements` for A-scans [bscans][lines][bins]: the bytes.  `fields`: of
    the caps; bscans: B-scans in a buffer."""
    environment = dict(os.environ)
    if build is not None:
        environment["GST_PLUGIN_PATH"] = os.path.join(os.path.abspath(build), "gst")
    more = "".join(f",{name.replace('_', '-')}={value}" for name, value in fields.items())
    with tempfile.TemporaryDirectory() as folder:
        given, taken = os.path.join(folder, "in.raw"), os.path.join(folder, "out.raw")
        ascans.astype(np.complex64).tofile(given)
        _, lines, bins = ascans.shape
        size = lines * bins * 8 * fields.get("bscans", 1)
        line = (f"filesrc location={given} blocksize={size} ! application/x-oct-ascans,format=CF32LE,"
                f"samples={bins},lines={lines},framerate={rate}{more} ! {elements} ! filesink location={taken}")
        done = subprocess.run(["gst-launch-1.0", "-q", *line.split()], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise SystemExit(f"{line}\n{done.stdout}")
        with open(taken, "rb") as file:
            return file.read()


def fill(spectra, acquired, elements, build=None, axis="wavenumber"):
    """Complex A-scans [bscans][lines][depths] of `spectra` [bscans][lines][samples] of
    which the plugin gets to see those that were acquired [bscans][lines], and what
    octvolumecs, the last of the elements, says of them: its properties by name."""
    environment = dict(os.environ)
    if build is not None:
        environment["GST_PLUGIN_PATH"] = os.path.join(os.path.abspath(build), "gst")
    with tempfile.TemporaryDirectory() as folder:
        given, mask, taken = (os.path.join(folder, name) for name in ("in.npy", "mask.txt", "out.raw"))
        # samples that were not acquired are NaN, so that using them would be seen
        np.save(given, np.ascontiguousarray(np.where(acquired[..., None], spectra, np.nan), "<f4"))
        np.savetxt(mask, acquired, "%d")
        line = (f"octsrc location={given} ! octdcsub mode=none axis={axis} ! {elements} scan-mask-file={mask} name=v "
                f"! filesink location={taken}")
        done = subprocess.run(["gst-launch-1.0", "-v", *line.split()], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise SystemExit(f"{line}\n{done.stdout}")
        said = dict(row.split(": ", 1)[1].split(" = ", 1) for row in done.stdout.splitlines()
                    if "GstOctVolumeCs:v: " in row)
        return np.fromfile(taken, np.complex64).reshape(*acquired.shape, -1).astype(complex), said


def decibel(amplitude):
    return 20 * np.log10(amplitude)


def table(header, rows):
    """Markdown"""
    out = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    out += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(out)


class Checks:
    """Collects what is not as it must be."""

    def __init__(self):
        self.failed = []

    def near(self, what, found, expected, tolerance):
        if not abs(found - expected) <= tolerance:
            self.failed.append(f"{what}: {found:.4g}, expected {expected:.4g} to within {tolerance:g}")

    def above(self, what, found, bound):
        if not found > bound:
            self.failed.append(f"{what}: {found:.3f}, expected more than {bound:g}")

    def end(self):
        for line in self.failed:
            print("FAILED", line)
        raise SystemExit(1 if self.failed else 0)
