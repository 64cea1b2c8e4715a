# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-calibrate: what the mirrors prove, and what it does where they do not:
sides that are wrong, mirrors behind the depth range, a calibration that is there
already.  Output is TAP.

Widths are compared with those that the fringes allow; 5 % more is good and 25 %
usable, as docs/calibration.md says.  A mirror deeper than 1.82 mm is behind the
depth range: 1024 samples over 0.885 rad/um.
"""
import os
import pathlib
import re

import tap
from mirrors import (ROOT, SAMPLES, calibrate, check_positions, read_csv,
                     read_table, refuse, simulate, some)

BEHIND = 2400  # um, seen where one of 1235 um is


def check(folder, name, *mirrors):
    """Excess of width of each with this calibration, over what is possible."""
    table = read_table(calibrate(folder, "--check", name, "--mirror", *mirrors,
                                 "--same-side"))
    return {mirror: after / possible
            for mirror, (_, _, after, possible) in table.items()}


def keep(folder, name, *arguments, says):
    """An error, and the file is as it was."""
    before = (folder / name).read_bytes()
    text = calibrate(folder, *arguments, "--output", name, status=1)
    error = [line for line in text.splitlines() if line.startswith("Error: ")]
    print(f"# {error[0]}", flush=True)
    assert "No calibration is written: " in error[0], text
    for part in (f"'{name}' is there already", *says):
        assert part in error[0], (part, text)
    assert (folder / name).read_bytes() == before


def test_source_alone(folder):
    """The flank of the source's spectrum is no fringe, however many A-lines say
    so; a narrow source reaches farther."""
    for fwhm in (0.02, 0.05, 0.1):
        for lines in (1, 200):
            source = simulate(folder, "source.raw", reflectivity=0, fwhm=fwhm,
                              lines=lines, seed=40)
            refuse(folder, "--mirror", source, says=["no fringe is seen in it"])


tap.main(globals())
