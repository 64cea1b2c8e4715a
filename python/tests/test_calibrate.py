# SPDX-License-Identifier: LGPL-2.1-or-later
"""calibrate(): mirrors of a spectrometer that is known, as arrays and files."""
import pathlib
import tempfile
import unittest

import common
import gstoct
import numpy
from common import mirrors

PIXELS = numpy.linspace(0, 1, 1024)
WAVELENGTHS = 790 + 100 * PIXELS + 10 * PIXELS ** 2
DEPTHS = (200e-6, 500e-6, 800e-6)
K = 2e3 * numpy.pi / WAVELENGTHS
PHASE = 60 * (K - K.mean()) ** 2


def width(ascan):
    """Depths above half of the peak."""
    power = abs(ascan[20:])
    return (power > power.max() / 2).sum()


class Mirrors(unittest.TestCase):

    def setUp(self):
        noise = numpy.random.default_rng(1)
        counts = mirrors(DEPTHS, 16, WAVELENGTHS, PHASE)
        self.mirrors = (counts + noise.integers(0, 8, counts.shape)).astype("u2")

    def check(self, calibration):
        """Mirrors are sharp, and where they are."""
        found = gstoct.reconstruct(self.mirrors, calibration=calibration, mode="none")
        for depth, ascans in zip(DEPTHS, found.values):
            self.assertLessEqual(width(ascans[0]), 3)
            peak = found.z[20 + abs(ascans[0, 20:]).argmax()]
            self.assertLess(abs(peak - depth), 0.01 * depth + found.z_spacing)

    def test_arrays(self):
        calibration = gstoct.calibrate(list(self.mirrors), depths_um=[200, 500, 800],
                                       centre_nm=845)
        self.assertEqual(calibration.samples, 1024)
        self.assertIn("This calibration is good", calibration.report)
        self.check(calibration)
        blurred = gstoct.reconstruct(self.mirrors, calibration=(790, 890), mode="none")
        self.assertGreater(width(blurred.values[2, 0]), 5)

    def test_files(self):
        with tempfile.TemporaryDirectory() as name:
            paths = [pathlib.Path(name) / f"mirror {i}.npy" for i in range(3)]
            for path, counts in zip(paths, self.mirrors):
                numpy.save(path, counts)
            calibration = gstoct.calibrate(paths, wavelengths_nm=(790, 900))
            self.check(calibration)
            calibration.save(pathlib.Path(name) / "calibration.csv")
            self.check(pathlib.Path(name) / "calibration.csv")

    def test_wrong(self):
        with self.assertRaisesRegex(gstoct.Error, "No calibration is written"):
            gstoct.calibrate([numpy.full((4, 1024), 100, "u2")] * 2)
        with self.assertRaisesRegex(gstoct.Error, "missing.npy"):
            gstoct.calibrate(["missing.npy", "other.npy"])
        with self.assertRaisesRegex(ValueError, "mirrors is empty, but"):
            gstoct.calibrate([])
        with self.assertRaisesRegex(gstoct.Error, "--nonsense"):
            gstoct.calibrate(list(self.mirrors), nonsense=1)
        for wrong in ("mirror.npy", pathlib.Path("mirror.npy"), 7):
            with self.assertRaisesRegex(TypeError, "mirrors is .*, but a list with one"):
                gstoct.calibrate(wrong)
            with self.assertRaisesRegex(TypeError, "other_side is .*, but a list"):
                gstoct.calibrate(list(self.mirrors), other_side=wrong)
        masked = numpy.ma.array(self.mirrors[0], mask=self.mirrors[0] > 1000)
        for kind, sentence, arguments in (
                (TypeError, "depths_um is 5, but numbers", {"depths_um": 5}),
                (TypeError, "depths_um is .*, but numbers", {"depths_um": "ab"}),
                (TypeError, "wavelengths_nm is 5, but numbers", {"wavelengths_nm": 5}),
                (ValueError, "wavelengths_nm has 1 values", {"wavelengths_nm": [790]}),
                (TypeError, "output is among the settings, but save",
                 {"output": "other.csv"}),
                (TypeError, "background 1 has the type object", {"background": [None]}),
                (TypeError, "other-side 1 has the type complex",
                 {"other_side": [self.mirrors[0].astype(complex)]}),
                (ValueError, "mirror 1 have .* masked values", {"mirrors": [masked]})):
            with self.assertRaisesRegex(kind, sentence):
                gstoct.calibrate(**({"mirrors": list(self.mirrors), "centre_nm": 845}
                                    | arguments))


if __name__ == "__main__":
    common.main()
