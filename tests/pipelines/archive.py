# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the tests of oct-convert: archives, and the results of conversions."""
import csv
import os
import re

import tap
from tap import Skip

CONVERT = os.environ["OCT_CONVERT"]
SAMPLES, LINES, BSCANS = 128, 24, 6

try:
    import numpy
except ImportError:
    numpy = None


def run(*arguments, cwd, status=0):
    """Returns all that is printed."""
    return "".join(tap.run(*arguments, program=CONVERT, cwd=cwd, status=status))


def make_archive(folder, names=("a.npy", "sub/b.npy", "sub/deep/c.npy")):
    if numpy is None:
        raise Skip("NumPy is not installed")
    random = numpy.random.default_rng(1)
    for name in names:
        path = folder / "archive" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        numpy.save(path, random.integers(
            0, 4000, (BSCANS, LINES, SAMPLES), "u2"))
    rows = "".join(f"{790 + 110 * i / (SAMPLES - 1):.6f}\n"
                   for i in range(SAMPLES))
    (folder / "cal.csv").write_text("wavelength_nm\n" + rows)


def convert(folder, *more, status=0):
    return run("archive", "--output", "out", "--format", "npy", "--calibration",
               "cal.csv", *more, cwd=folder, status=status)


def manifest(folder, name="oct-convert.csv"):
    with open(folder / "out" / name, newline="") as file:
        return list(csv.DictReader(file))


def outputs(folder):
    return sorted(str(path.relative_to(folder / "out"))
                  for path in (folder / "out").rglob("*")
                  if path.is_file() and not path.name.startswith("oct-convert"))


def count(text, what):
    return int(re.search(rf"^  {what} +(\d+)(,.*)?$", text, re.M)[1])


def summary(folder, *more, status=0):
    return convert(folder, "--summary", *more, status=status)
