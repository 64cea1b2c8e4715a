# SPDX-License-Identifier: LGPL-2.1-or-later
"""Recordings are sliced as the array that is in the file."""
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import common
import gstoct
import numpy
from common import WAVELENGTHS, mirrors

RANDOM = numpy.random.default_rng(3)
SPECTRA = RANDOM.integers(0, 4096, (2, 6, 5, 1024), numpy.uint16)


class Files(unittest.TestCase):

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.path = self.folder / "spectra.raw"
        SPECTRA.tofile(self.path)

    def open(self, **settings):
        found = gstoct.open(self.path, samples=1024, lines=5, bscans=6, **settings)
        self.addCleanup(found.close)
        return found

    def test_slices(self):
        found = self.open()
        self.assertEqual((found.shape, found.dtype, found.ndim, len(found)),
                         (SPECTRA.shape, SPECTRA.dtype, 4, 2))
        for index in (
                0, -1, (1, 2), (1, -1, 3), (1, 5, 4, 1023), ..., (..., 7),
                (0, ..., 1), slice(None, None, -1), (slice(0, 2), slice(5, 1, -2)),
                (0, slice(1, 4), slice(1, 3), slice(None, None, 100)),
                (slice(None), 3), (slice(1, 1),), numpy.int64(1),
                (0, slice(4, 99)), (slice(None), slice(None), -1, slice(-3, None))):
            with self.subTest(str(index)):
                values = found[index]
                self.assertEqual(values.shape, SPECTRA[index].shape)
                self.assertTrue((values == SPECTRA[index]).all())
        self.assertTrue((numpy.asarray(found) == SPECTRA).all())
        self.assertTrue((numpy.stack(list(found)) == SPECTRA).all())
        self.assertTrue((numpy.stack(list(found.bscans()))
                         == SPECTRA.reshape(12, 5, 1024)).all())

    def test_wrong_indices(self):
        found = self.open()
        for index, sentence in ((2, "volume is 2, but there are 2"),
                                (-3, "volume is -3"), ((0, 6), "B-scan is 6"),
                                ((0, 0, 5), "A-line is 5"),
                                ((0, 0, 0, 0, 0), "5 indices")):
            with self.assertRaisesRegex(IndexError, sentence):
                found[index]
        for index in ("x", 1.5, [0, 1], True, (0, 0, numpy.True_)):
            with self.assertRaisesRegex(TypeError, "an integer or a slice"):
                found[index]

    def test_formats(self):
        """Types and values are those that were written."""
        numpy.save(self.folder / "a.npy", SPECTRA[0])
        found = gstoct.open(self.folder / "a.npy")
        self.assertTrue((found[0] == SPECTRA[0]).all())
        numpy.save(self.folder / "f.npy", SPECTRA[1].astype("<f4") - 100)
        found = gstoct.open(self.folder / "f.npy")
        self.assertEqual(found.dtype, numpy.float32)
        self.assertTrue((found[0] == SPECTRA[1].astype(float) - 100).all())
        (SPECTRA[0, :, :, :1021] % 256).astype("u1").tofile(self.folder / "b.raw")
        found = gstoct.Recording(self.folder / "b.raw", samples=1021, lines=5,
                                 sample_format="gray8")
        self.assertTrue((found[0] == SPECTRA[0, :, :, :1021] % 256).all())

    def test_incomplete_volume(self):
        """B-scans that are not in the file are 0, and there is a warning."""
        SPECTRA.reshape(12, 5, 1024)[:10].tofile(self.path)
        found = self.open()
        self.assertEqual(found.shape, SPECTRA.shape)
        with self.assertWarnsRegex(gstoct.OctWarning, "lacks 2 of 6"):
            values = found[1]
        self.assertTrue((values[:4] == SPECTRA[1, :4]).all())
        self.assertFalse(values[4:].any())

    def test_missing(self):
        """A file that says that it has more; the warning comes once, and does not hide
        what is wrong otherwise."""
        path = self.folder / "short.npy"
        numpy.save(path, SPECTRA.reshape(12, 5, 1024))
        os.truncate(path, path.stat().st_size - 2 * 5 * 1024 * 2 - 1)
        said = subprocess.run(
            [sys.executable, "-W", "always", "-c",
             "import gstoct, sys; r = gstoct.open(sys.argv[1]); "
             "print(r.shape, r.missing); r[0, 1]", path],
            text=True, capture_output=True)
        self.assertEqual(said.stdout.strip(), "(1, 9, 5, 1024) 3")
        self.assertEqual(said.stderr.count("3 of them are missing"), 1, said.stderr)
        with self.assertWarnsRegex(gstoct.OctWarning, "3 of them are missing"):
            found = gstoct.open(path)
        with self.assertRaisesRegex(gstoct.Error, "needs a spectral calibration"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                gstoct.reconstruct(found)
        self.assertEqual(self.open().missing, 0)

    def test_reconstruct(self):
        """As its array with its calibration."""
        counts = mirrors((300e-6, 600e-6, 800e-6, 400e-6))
        counts.tofile(self.path)
        found = gstoct.open(self.path, samples=1024, lines=4, bscans=2,
                            wavelength_min=790, wavelength_max=900)
        ascans = gstoct.reconstruct(found, mode="none", x_spacing=1e-5)
        expected = gstoct.reconstruct(counts, calibration=WAVELENGTHS, mode="none")
        self.assertEqual(ascans.shape, (2, 2, 4, 512))
        difference = abs(ascans.values.reshape(4, 4, 512) - expected.values).max()
        self.assertLess(difference, 1e-5 * abs(expected.values).max())
        self.assertAlmostEqual(ascans.z_spacing / expected.z_spacing, 1, places=9)
        # an array of it, with the wavelengths of the file
        again = gstoct.reconstruct(found[1], calibration=found.calibration,
                                   mode="none")
        self.assertTrue((again.values == ascans.values[1]).all())

    def test_readers_at_once(self):
        """A slice, and another iterator, while one goes through the file."""
        spectra = gstoct.simulate(bscans=6, lines=4, samples=64)[0]
        path = self.path.with_suffix(".npy")
        numpy.save(path, spectra)
        with gstoct.open(path) as recording:
            came = [(numpy.array(a), numpy.array(b), recording[0, 1])
                    for a, b in zip(recording.bscans(), recording.bscans())]
        self.assertEqual(len(came), 6)
        for number, (a, b, one) in enumerate(came):
            self.assertTrue((a == spectra[number]).all() and (b == a).all())
            self.assertTrue((one == spectra[1]).all())

    def test_pickle_and_threads(self):
        found = pickle.loads(pickle.dumps(self.open()))
        right = []

        def read(seed):
            numbers = numpy.random.default_rng(seed).integers(0, 12, 30)
            right.append(all((found[n // 6, n % 6]
                              == SPECTRA[n // 6, n % 6]).all() for n in numbers))
        threads = [threading.Thread(target=read, args=(seed,)) for seed in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(right, [True] * 3)

    def test_errors(self):
        with self.assertRaisesRegex(gstoct.Error, "nothing.raw"):
            gstoct.open("nothing.raw", samples=10, lines=10)
        with self.assertRaisesRegex(gstoct.Error, "`samples`"):
            gstoct.open(self.path)
        with self.assertRaisesRegex(AttributeError, "no property 'sample'"):
            gstoct.open(self.path, sample=1)
        with self.assertRaisesRegex(ValueError, "path is empty"):
            gstoct.open("")  # octsrc would simulate
        with self.assertRaisesRegex(TypeError, "location is .*, but path sets it"):
            gstoct.open(self.path, location="other.npy")
        found = self.open()
        found.close()
        with self.assertRaisesRegex(gstoct.Error, "is closed"):
            found[0]


if __name__ == "__main__":
    common.main()
