# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures and files of volumes of known grey levels."""
import pathlib
import tempfile
import unittest

import common
import gstoct
import numpy

#: grey levels that say where they are: 20 B-scans, 64 depths, 30 A-lines
LEVELS = (numpy.arange(20)[:, None, None] * 8 + numpy.arange(30) * 2
          + numpy.zeros((64, 1))).astype("u1")


class Pictures(unittest.TestCase):

    def test_enface(self):
        """The mean of the depths of each A-line; one row per B-scan."""
        volume = gstoct.Volume(LEVELS, x_spacing=2e-5, y_spacing=3e-5)
        for images in (LEVELS, numpy.asfortranarray(LEVELS), LEVELS[None]):
            found = gstoct.Volume(images).enface(range="manual", min=0, max=255,
                                                 scaling="none", z_spacing=5e-6)
            self.assertEqual(found.shape, (20, 30))
            self.assertLessEqual(abs(found.values.astype(int)
                                     - LEVELS[:, 0]).max(), 1)
        square = volume.enface(z_spacing=5e-6)
        self.assertEqual(square.shape[:2], (30, 30))
        self.assertAlmostEqual(square.y_spacing, 2e-5)

    def test_slice(self):
        found = gstoct.Volume(LEVELS, 2e-5, 2e-5, 2e-5).slice(
            plane="bscan", position_y=0.5, refractive_index=1.0)
        middle = LEVELS[9:11, 0].mean(axis=0)
        row = found.values[len(found.values) // 2].astype(float)
        at = numpy.linspace(0, 29, len(row))
        self.assertLess(abs(row - numpy.interp(at, range(30), middle)).max(), 6)

    def test_render(self):
        """A bright box in the middle is seen, and none where nothing is."""
        images = numpy.zeros((24, 64, 24), "u1")
        images[6:18, 20:44, 6:18] = 200
        found = gstoct.Volume(images, 2e-5, 2e-5, 1e-5).render(
            320, 240, threshold=50, mode="alpha")
        self.assertEqual(found.shape, (240, 320, 3))
        background = found.values[:20].max()
        self.assertGreater(found.values[100:140, 140:180].min(), background + 40)
        self.assertEqual(found._repr_png_()[1:4], b"PNG")

    def test_sizes_that_are_none(self):
        volume = gstoct.Volume(LEVELS)
        for size, kind, sentence in (
                ((0, 0), ValueError, "width is 0, but 16 to 8192"),
                ((64, 8193), ValueError, "height is 8193, but"),
                ((-5, 64), ValueError, "width is -5"), ((64.5, 64), TypeError, "64.5"),
                (("64", 64), TypeError, "width is '64', but an integer"),
                ((True, 64), TypeError, "width is True")):
            with self.assertRaisesRegex(kind, sentence):
                volume.render(*size)
        self.assertEqual(volume.render(16, 16).shape, (16, 16, 3))
        for name in ("x_spacing", "y_spacing", "z_spacing"):
            for wrong, kind in (("2e-5", TypeError), ([1, 2], TypeError),
                                (True, TypeError), (0, ValueError), (-1e-5, ValueError),
                                (float("nan"), ValueError), (float("inf"), ValueError)):
                with self.assertRaisesRegex(kind, f"{name} is .*, but"):
                    gstoct.Volume(LEVELS, **{name: wrong})

    def test_of_a_result(self):
        spectra = common.mirrors((3e-4,) * 8, lines=8)
        images = gstoct.reconstruct(spectra, calibration=(790, 900), output="image",
                                    mode="none", y_spacing=1e-5)
        volume = gstoct.Volume(images)
        self.assertEqual((volume.z_spacing, volume.y_spacing),
                         (images.z_spacing, 1e-5))

    def test_file(self):
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "volume.npy"
            volume = gstoct.Volume(LEVELS)
            volume.save(path)
            found = numpy.load(path)
            self.assertEqual(sorted(found.shape), sorted(LEVELS.shape))
            self.assertTrue((found.transpose(
                [found.shape.index(n) for n in LEVELS.shape]) == LEVELS).all())
            with self.assertRaisesRegex(gstoct.Error, "volume.npy"):
                volume.save(path)

    def test_wrong(self):
        for given, kind, sentence in (
                (LEVELS.astype(float), TypeError, "type float64, but uint8"),
                (LEVELS[0], ValueError, r"shape \(64, 30\)"),
                (LEVELS[:0], ValueError, "shape"),
                (numpy.zeros((1, 2, 65537), "u1"), ValueError, "at most 65536 depths"),
                (numpy.ma.array(LEVELS, mask=LEVELS == 8), ValueError,
                 "images have .* masked values"),
                (gstoct.reconstruct(numpy.ones((2, 64), "u2")), TypeError,
                 "has ascans, but images")):
            with self.assertRaisesRegex(kind, sentence):
                gstoct.Volume(given)
        with self.assertRaisesRegex(AttributeError, "octvolume has no property"):
            gstoct.Volume(LEVELS).render(nonsense=1)
        for work in (gstoct.Volume.render, gstoct.Volume.enface, gstoct.Volume.slice):
            with self.assertRaisesRegex(TypeError, "bscans is .*, but the volume sets"):
                work(gstoct.Volume(LEVELS), bscans=2)


if __name__ == "__main__":
    common.main()
