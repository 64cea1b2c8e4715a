#!/usr/bin/env python3
"""Makes vectors/mirror.csv: spectra of the mirror phantom from the float64
reference (class Spectrometer of octref.py, whose folder is the argument).

    python3 make_phantom_vectors.py FOLDER_OF_OCTREF

A header line with the depths in um, then one line per sample: counts of full
scale 1 at every depth.  The numbers below are those of the virtual
spectrometer, stated in oct-phantom.h.
"""
import pathlib
import sys

import numpy as np

SAMPLES = 256
CENTRE, FWHM, SPAN = 0.845, 0.050, 0.110  # um
DISPERSION = 80.0  # um^2
LEVEL = 0.7  # of full scale
REFLECTIVITY = 0.1
DEPTHS = (0.0, 20.0, 150.0, 300.0, 400.0)  # um


def main():
    sys.path.insert(0, sys.argv[1])
    from octref import Spectrometer

    camera = Spectrometer(N=SAMPLES, lam_c=CENTRE, fwhm=FWHM, dlam=SPAN / SAMPLES, wres=1.0, os=8)
    z = np.array(DEPTHS)[:, None]
    spectra = LEVEL * camera.expected(z, np.full(z.shape, REFLECTIVITY), a2=DISPERSION, kc=2 * np.pi / CENTRE)
    path = pathlib.Path(__file__).parent / "vectors" / "mirror.csv"
    np.savetxt(path, spectra.T, fmt="%.9f", delimiter=",", comments="", header=",".join(f"{d:g}" for d in DEPTHS))


if __name__ == "__main__":
    main()
