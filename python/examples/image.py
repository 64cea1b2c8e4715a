# SPDX-License-Identifier: LGPL-2.1-or-later
"""Spectra in a NumPy array become a picture.  With names of files: those of
numpy.save(), [B-scans, A-lines, samples], and a calibration.

    image.py [SPECTRA.npy CALIBRATION.csv]
"""
import sys

import gstoct
import numpy

if len(sys.argv) == 3:
    spectra, calibration = numpy.load(sys.argv[1], mmap_mode="r"), sys.argv[2]
else:
    spectra, calibration = gstoct.simulate(lines=512)
image = gstoct.reconstruct(spectra, calibration=calibration, method="nufft",
                           output="image")
print(image)
print(f"depths to {image.z[-1] * 1e3:.2f} mm of air")
image.save_png("image.png")
