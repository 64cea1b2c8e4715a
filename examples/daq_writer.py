#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program of a digitizer in Python: daq_writer.py SOCKET BSCANS writes B-scans of
a mirror into a ring, which octdaqsrc reads.  A real one has the board fill `block`."""
import sys

import numpy

from gstoct import daq

SAMPLES, LINES = 1024, 64
DEPTH = 500  # um

wavelengths = numpy.linspace(790, 900, SAMPLES)  # nm
fringes = numpy.cos(2 * (2e3 * numpy.pi / wavelengths) * DEPTH)
spectrum = numpy.round(2000 + 1000 * fringes)

with daq.Writer(sys.argv[1], samples=SAMPLES, lines=LINES, dtype="u2", bscans=16,
                line_rate=20000, wavelengths=wavelengths, lossless=True) as writer:
    writer.wait_for_readers()
    for _ in range(int(sys.argv[2])):
        block = writer.claim()  # [lines][samples]
        block[:] = spectrum
        writer.publish()
