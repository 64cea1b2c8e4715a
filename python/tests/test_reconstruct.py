# SPDX-License-Identifier: LGPL-2.1-or-later
"""reconstruct() against the formulas in double precision, of all kinds of arrays, and
what it says to those that it cannot take."""
import gc
import importlib.util
import os
import pathlib
import sys
import tempfile
import threading
import unittest
import warnings
from unittest import mock

import common
import gstoct
import numpy
from common import WAVELENGTHS, expected_ascans, mirrors
from gstoct import _memory, _places
from gstoct._gst import gst

ARGUMENTS = {"calibration": (790, 900), "method": "nufft", "mode": "none",
             "device": "cpu"}
ROOT = pathlib.Path(__file__).resolve().parents[2]
RANDOM = numpy.random.default_rng(5)


def random_spectra(*shape):
    return RANDOM.integers(0, 4096, shape, numpy.uint16)


class Values(unittest.TestCase):

    def test_ascans(self):
        spectra = mirrors((200e-6, 500e-6, 900e-6))
        found = gstoct.reconstruct(spectra, **ARGUMENTS)
        expected, spacing = expected_ascans(spectra.astype(float))
        self.assertEqual(found.values.dtype, numpy.complex64)
        self.assertEqual(found.dims, ("y", "x", "z"))
        self.assertAlmostEqual(found.z_spacing / spacing, 1, places=9)
        error = abs(found.values - expected).max() / abs(expected).max()
        # what gridding of the default width may lose, docs/elements/octnufft.md
        self.assertLess(error, 1e-3)
        peaks = found.z[20 + abs(found.values[:, 0, 20:]).argmax(axis=1)]
        self.assertLess(abs(peaks - (200e-6, 500e-6, 900e-6)).max(), spacing / 2)

    def test_power_and_image(self):
        spectra = mirrors((300e-6,), lines=5)
        ascans = gstoct.reconstruct(spectra, **ARGUMENTS).values
        power = gstoct.reconstruct(spectra, output="power", **ARGUMENTS)
        self.assertEqual(power.dtype, numpy.float32)
        expected = abs(ascans.astype(complex)) ** 2
        self.assertTrue(numpy.allclose(power.values, expected, rtol=1e-5))
        image = gstoct.reconstruct(spectra, output="image", range="manual", min=20,
                                   max=70, x_spacing=1e-5, **ARGUMENTS)
        self.assertEqual((image.dims, image.shape), (("y", "z", "x"), (1, 512, 5)))
        grey = numpy.clip((10 * numpy.log10(expected + 1e-20) - 20) / 50 * 255, 0, 255)
        difference = abs(image.values - grey.transpose(0, 2, 1))
        self.assertLess(difference.max(), 0.51)
        self.assertTrue(numpy.allclose(image.x, numpy.arange(5) * 1e-5))

    def test_calibrations(self):
        """One calibration, given in all ways."""
        spectra = mirrors((400e-6,))
        first = gstoct.reconstruct(spectra, **ARGUMENTS).values
        rest = {name: value for name, value in ARGUMENTS.items()
                if name != "calibration"}
        known = gstoct.Calibration(wavelength_nm=WAVELENGTHS)
        known.save(FILE)
        for given in (WAVELENGTHS, list(WAVELENGTHS), known, FILE,
                      {"wavelength_nm": WAVELENGTHS}, gstoct.Calibration.load(FILE)):
            found = gstoct.reconstruct(spectra, calibration=given, **rest).values
            self.assertLess(abs(found - first).max(), 1e-5 * abs(first).max())

    def test_dispersion(self):
        """A phase that is given as numbers, or for each sample, makes the mirror
        that has it as sharp as one without."""
        k = 2e3 * numpy.pi / WAVELENGTHS  # rad/um
        middle = (k[0] + k[-1]) / 2
        phase = 60 * (k - middle) ** 2 + 20 * (k - middle) ** 3
        sharp = gstoct.reconstruct(mirrors((500e-6,)), **ARGUMENTS).values[0, 0]
        spectra = mirrors((500e-6,), phase=phase)
        blurred = gstoct.reconstruct(spectra, **ARGUMENTS).values[0, 0]
        self.assertLess(abs(blurred[20:]).max(), 0.8 * abs(sharp[20:]).max())
        for given in ((60, 20), -phase):
            found = gstoct.reconstruct(spectra, dispersion=given, **ARGUMENTS)
            ratio = abs(found.values[0, 0, 20:]).max() / abs(sharp[20:]).max()
            self.assertGreater(ratio, 0.99)

    def test_axis(self):
        """Without a calibration samples are uniform in wavenumber."""
        n = 256
        spectra = 1000 + 500 * numpy.cos(2 * numpy.pi * 40 / n * numpy.arange(n))
        found = gstoct.reconstruct(spectra.astype("<u2"), mode="none")
        self.assertEqual((found.shape, found.dims), ((128,), ("z",)))
        self.assertEqual(abs(found.values[10:]).argmax() + 10, 40)
        self.assertIsNone(found.z)

    def test_real_mirror(self):
        """That of ../shared/data/cscan: at bin 125, 15 bins wide without its
        calibration and 2 with it."""
        folder = pathlib.Path(os.environ.get(
            "OCT_TEST_DATA", ROOT.parent / "shared/data/cscan"))
        if not folder.is_dir():
            self.skipTest(f"there is no {folder}")
        parts = [numpy.load(folder / f"{name}.npy") for name in (
            "mirror2", "dark_ref", "dark_sample2", "dark_not")]
        fringe = parts[0] - parts[1] - parts[2] + parts[3]
        for used, most, least in ((folder / "calibration.csv", 3, 1), (None, 18, 12)):
            found = gstoct.reconstruct(fringe, calibration=used, mode="none")
            height = abs(found.values[10:])
            self.assertLessEqual(abs(height.argmax() + 10 - 125), 3 if used else 10)
            width = (height > height.max() / 2).sum()
            self.assertTrue(least <= width <= most, width)

    def test_out(self):
        spectra = random_spectra(2, 3, 1024)
        expected = gstoct.reconstruct(spectra, **ARGUMENTS).values
        out = numpy.empty_like(expected)
        found = gstoct.reconstruct(spectra, out=out, **ARGUMENTS)
        self.assertIs(found.values, out)
        self.assertTrue((out == expected).all())
        for wrong in (out[:1], out.astype(complex), [1], out[..., ::-1]):
            with self.assertRaisesRegex(ValueError, "out is a.*is expected"):
                gstoct.reconstruct(spectra, out=wrong, **ARGUMENTS)


class Arrays(unittest.TestCase):
    """Arrays of every layout and type give the values of a plain one."""

    def check(self, given, plain=None):
        plain = numpy.ascontiguousarray(given).astype("<u2") if plain is None else plain
        found = gstoct.reconstruct(given, **ARGUMENTS)
        expected = gstoct.reconstruct(plain, **ARGUMENTS)
        self.assertEqual(found.shape, expected.shape)
        self.assertTrue((found.values == expected.values).all())

    def test_layouts(self):
        wide = random_spectra(4, 6, 2048)
        self.check(wide[::2, 1:5, 512:1536])
        self.check(wide[:, ::-1, ::2])
        # rows that would fill their gaps up to 4 bytes, but for the last one
        self.check(random_spectra(2, 3, 1024)[..., :-1])
        self.check(random_spectra(2, 3, 1024)[..., 1:])
        self.check(wide[::-1, ::3, 1:1022])
        self.check(random_spectra(3, 1024, 5).transpose(0, 2, 1))
        self.check(numpy.asfortranarray(wide[..., :1024]))
        self.check(numpy.broadcast_to(wide[0, 0, :1024], (2, 3, 1024)))
        self.check(random_spectra(2, 2, 3, 1024))
        self.check(random_spectra(3, 1023))
        self.check(random_spectra(1, 1, 1021))

    def test_types(self):
        plain = RANDOM.integers(0, 200, (2, 3, 1022)).astype("<u2")
        for kind in ("u1", ">u2", "i2", "<i4", "u8", "f4", "f8", ">f4", "f2"):
            with self.subTest(kind):
                found = gstoct.reconstruct(plain.astype(kind), **ARGUMENTS).values
                expected = gstoct.reconstruct(plain, **ARGUMENTS).values
                self.assertLess(abs(found - expected).max(),
                                1e-5 * abs(expected).max())

    def test_read_only_and_buffers(self):
        plain = random_spectra(2, 1024)
        fixed = plain.copy()
        fixed.flags.writeable = False
        self.check(fixed, plain)
        self.check(memoryview(plain), plain)
        # of odd addresses
        raw = bytearray(1 + plain.nbytes)
        raw[1:] = plain.tobytes()
        self.check(numpy.frombuffer(raw, "<u2", offset=1).reshape(2, 1024), plain)

        class Lent:  # knows DLPack alone
            def __dlpack__(self, **settings):
                return plain.astype("f4").__dlpack__()

            def __dlpack_device__(self):
                return plain.__dlpack_device__()
        self.check(Lent(), plain.astype("f4"))

    def test_no_copy(self):
        """A buffer has the memory of the array, and an array that of a buffer."""
        plain = random_spectra(3, 1024)
        buffer = gst().Buffer.new()
        _memory.wrap(buffer, plain)
        found = _memory.view(buffer)
        self.assertEqual(found.ctypes.data, plain.ctypes.data)
        self.assertFalse(found.flags.writeable)
        del buffer  # the array keeps it
        self.assertEqual(found.tobytes(), plain.tobytes())

    def test_lent(self):
        """Results lend their memory by DLPack."""
        found = gstoct.reconstruct(random_spectra(3, 4, 1024), **ARGUMENTS)
        self.assertEqual(found.__dlpack_device__(), (1, 0))  # host memory
        self.assertFalse(hasattr(found, "__cuda_array_interface__"))
        place, expected = found.values.ctypes.data, found.values.copy()
        lent = numpy.from_dlpack(found)
        del found
        self.assertEqual(lent.ctypes.data, place)
        self.assertTrue((lent == expected).all())

    def test_memory_is_used_again(self):
        """That of a result which is gone, and only then."""
        spectra = [random_spectra(4, 64, 1024) for _ in range(3)]
        expected = [gstoct.reconstruct(one, **ARGUMENTS).values.copy()
                    for one in spectra]
        last = gstoct.reconstruct(spectra[0], **ARGUMENTS).values
        part, place = last[1, 2:], last.ctypes.data
        del last
        second = gstoct.reconstruct(spectra[1], **ARGUMENTS).values
        third = gstoct.reconstruct(spectra[2], **ARGUMENTS).values
        self.assertTrue((part == expected[0][1, 2:]).all())
        self.assertTrue((second == expected[1]).all())
        self.assertTrue((third == expected[2]).all())
        self.assertTrue(third.flags.writeable and third.flags.c_contiguous)
        del part  # the last that has it
        again = gstoct.reconstruct(spectra[0], **ARGUMENTS).values
        self.assertEqual(again.ctypes.data, place)
        self.assertTrue((again == expected[0]).all())
        # not by one that needs far less of it
        del again
        small = gstoct.reconstruct(spectra[0][:1], **ARGUMENTS).values
        self.assertNotEqual(small.ctypes.data, place)

    def test_nothing_is_kept(self):
        spectra = random_spectra(3, 4, 1024)
        before = sys.getrefcount(spectra)
        for _ in range(3):
            found = gstoct.reconstruct(spectra, **ARGUMENTS)
            with self.assertRaises(gstoct.Error):
                gstoct.reconstruct(spectra, method="resample", depth_start=600,
                                   calibration=(790, 900))
        self.assertEqual(sys.getrefcount(spectra), before)
        self.assertEqual(sys.getrefcount(found.values), 2)


class InPlace(unittest.TestCase):
    """B-scans from a size on are written where the result is."""

    SHAPE = (5, 64, 1024)  # 256 KiB of A-scans in a B-scan

    def setUp(self):
        self.spectra = random_spectra(*self.SHAPE)
        self.expected = [gstoct.reconstruct(one[None], output="power", **ARGUMENTS).values
                         for one in self.spectra]

    def check(self, values):
        for bscan, power in zip(values, self.expected, strict=True):
            self.assertTrue(numpy.allclose(abs(bscan) ** 2, power[0], rtol=1e-4))

    def run_with(self, change=None, **arguments):
        """The values, and the addresses of the B-scans as they came; `change` is done to
        the rows that are offered."""
        came, make_pool = [], _places._make_pool

        def changed(caps, rows):
            return make_pool(caps, rows if change is None else change(rows))

        def put(rows, number, bscan, power):
            came.append(bscan.ctypes.data)
            return keep(rows, number, bscan, power)
        rows = gstoct.reconstruction._HostRows
        keep = rows.put
        with mock.patch.object(_places, "_make_pool", changed), \
                mock.patch.object(_places.Places, "_is_in_use", lambda self: False), \
                mock.patch.object(rows, "put", put):
            values = gstoct.reconstruct(self.spectra, **(ARGUMENTS | arguments)).values
        return values, came

    def places(self, values):
        return [bscan.ctypes.data for bscan in values]

    def test_new(self):
        values, came = self.run_with()
        self.assertEqual(came, self.places(values))
        self.check(values)

    def test_given(self):
        """Also one that begins in the middle of a cache line, and ends with the page."""
        size = 5 * 64 * 512
        for start in (0, 1, 3, 8):
            memory = numpy.zeros(size + start + 1, numpy.complex64)
            out = memory[start:start + size].reshape(5, 64, 512)
            values, came = self.run_with(out=out)
            self.assertIs(values, out)
            self.assertEqual(came, self.places(out))
            self.check(out)
            self.assertFalse(memory[:start].any() or memory[start + size:].any())

    def test_image(self):
        spectra = random_spectra(3, 640, 1024)
        levels = {"output": "image", "range": "manual", "min": 20, "max": 70}
        self.spectra = spectra
        values, came = self.run_with(**levels)
        self.assertEqual(came, self.places(values))
        # of the width that rows of video fill up
        part = gstoct.reconstruct(spectra[:, :637], **levels, **ARGUMENTS).values
        self.assertTrue((part == values[..., :637]).all())

    def test_other_order(self):
        """Buffers that are not those of their rows: nothing is lost."""
        for order in ((4, 3, 2, 1, 0), (1, 0, 2, 4, 3), (1, 2, 3, 4), (2, 3)):
            with self.subTest(order):
                values, came = self.run_with(lambda rows: [rows[i] for i in order])
                self.assertEqual(came[0], self.places(values)[order[0]])
                self.check(values)

    def test_memory_is_free(self):
        """That of a result goes with it, without the help of the collector."""
        gc.disable()
        self.addCleanup(gc.enable)
        found = gstoct.reconstruct(self.spectra, **ARGUMENTS)
        place = found.values.ctypes.data
        del found
        again = gstoct.reconstruct(self.spectra, **ARGUMENTS).values
        self.assertEqual(again.ctypes.data, place)
        self.check(again)


class Wrong(unittest.TestCase):
    """Each a sentence."""

    def check(self, kind, sentence, spectra=None, **arguments):
        spectra = random_spectra(2, 1024) if spectra is None else spectra
        with self.assertRaisesRegex(kind, sentence):
            gstoct.reconstruct(spectra, **(ARGUMENTS | arguments))

    def test_spectra(self):
        self.check(TypeError, "type complex128.*real numbers",
                   numpy.zeros((2, 1024), complex))
        self.check(TypeError, "type object", numpy.array([None, None]))
        self.check(TypeError, "type <U1", [["a"]])
        self.check(TypeError, "type bool", numpy.zeros((2, 1024), bool))
        self.check(ValueError, r"shape \(0, 1024\)", numpy.zeros((0, 1024)))
        self.check(ValueError, r"shape \(\)", 7)
        self.check(ValueError, "shape", numpy.zeros((1, 1, 1, 1, 64)))

        class OnGpu:  # at an address that no GPU has
            __cuda_array_interface__ = {
                "version": 3, "shape": (2, 1024), "typestr": "<u2", "data": (16, False)}
        self.check((ValueError, gstoct.Error),
                   "no NVIDIA driver|not memory of a GPU|no CUDA backend", OnGpu())
        self.check(ValueError, "at most 65536", numpy.zeros((70000, 16), "u1"))
        # nothing downstream knows a mask
        spectra = random_spectra(2, 1024)
        self.check(ValueError, "spectra have 3 masked values.*filled", numpy.ma.array(
            spectra, mask=numpy.arange(2048).reshape(2, 1024) < 3))
        free = gstoct.reconstruct(numpy.ma.array(spectra), **ARGUMENTS).values
        self.assertTrue((free == gstoct.reconstruct(spectra, **ARGUMENTS).values).all())

    def test_out(self):
        """Values would be written over spectra that are not read yet, or hidden by a
        mask."""
        memory = numpy.zeros(6 * 8 * 1024, "u1")
        spectra = memory.reshape(6, 8, 1024)
        spectra[:] = random_spectra(6, 8, 1024)
        before = spectra.copy()
        for begin in (0, memory.size // 2):
            out = memory[begin:begin + memory.size // 2].reshape(6, 512, 8)
            self.check(ValueError, "out shares memory with the spectra", spectra,
                       output="image", out=out)
        self.assertTrue((spectra == before).all())
        self.check(ValueError, "out is a masked array", spectra, output="image",
                   out=numpy.ma.zeros((6, 512, 8), "u1"))

    def test_arguments(self):
        self.check(ValueError, "output is 'x', but one of ascans", output="x")
        self.check(ValueError, "'x', but one of resample, nufft", method="x")
        self.check(ValueError, "device is 'gpu', but auto", device="gpu")
        self.check(ValueError, "device is 'cpu', but values stay on a GPU", device="cpu",
                   on_gpu=True)
        self.check(ValueError, "'power', but with on_gpu", output="power",
                   device="auto", on_gpu=True)
        self.check(AttributeError, "no property 'nonsense'", nonsense=1)
        self.check(TypeError, "depth-bins.*2.5, but an integer", depth_bins=2.5)
        self.check(TypeError, "background.*3, but a text", background=3)
        self.check(ValueError, "depth-bins.*-1, but 0 to 65536", depth_bins=-1)
        self.check(AttributeError, "no element 'nothing'", **{"nothing::x": 1})
        # PyGObject would warn, and take the default
        self.check(ValueError, "window.*99, but one of hann, none", window=99)
        for name in ("backend", "cuda_device_id", "cuda-device-id"):
            self.check(TypeError, "among the settings, but device sets it", **{name: 0})

    def test_calibrations(self):
        self.check(ValueError, "100 samples per A-line, but the spectra have 1024",
                   calibration=WAVELENGTHS[:100])
        self.check(ValueError, "different lengths", calibration={
            "wavelength_nm": WAVELENGTHS, "background": [1, 2]})
        self.check(ValueError, "no column 'x'", calibration={"x": [1]})
        self.check(ValueError, "not finite", calibration=WAVELENGTHS * numpy.nan)
        self.check(gstoct.Error, "missing.csv", calibration="missing.csv")
        self.check(TypeError, "calibration is <object.*, but one number per sample",
                   calibration=object())
        self.check(ValueError, "dispersion has the shape", dispersion=[1, 2, 3])
        self.check(TypeError, "dispersion is 'x', but a2", dispersion="x")

    def test_one_line(self):
        """Its mean is itself."""
        arguments = ARGUMENTS | {"mode": "bscan"}
        for shape in ((1024,), (1, 1024), (3, 1, 1024)):
            with self.assertRaisesRegex(ValueError, "one A-line, and mode='bscan'"):
                gstoct.reconstruct(random_spectra(*shape), **arguments)
            self.check(ValueError, "one A-line, and mode='median'", mode="median",
                       spectra=random_spectra(*shape))
            found = gstoct.reconstruct(random_spectra(*shape), **ARGUMENTS).values
            self.assertGreater(abs(found).max(), 0)

    def test_spacings(self):
        for name in ("x_spacing", "y_spacing"):
            for wrong in (0, -1e-5, float("nan"), float("inf")):
                self.check(ValueError, f"{name} is .*, but metres above 0",
                           **{name: wrong})
            for wrong in ("1e-5", [1], False):
                self.check(TypeError, f"{name} is .*, but a number of metres",
                           **{name: wrong})

    def test_order(self):
        """Samples first: a picture of nothing, so there is a warning."""
        spectra = numpy.repeat(mirrors((3e-4,), lines=1), 200, axis=1)
        for wrong in (spectra.swapaxes(1, 2), spectra[0].T, spectra[0].T.astype("f4")):
            with self.assertWarnsRegex(gstoct.OctWarning, r"\[samples, A-lines\]"):
                gstoct.reconstruct(wrong, mode="none")
        for right in (spectra, spectra[0], random_spectra(400, 64),
                      # some A-lines are dark, or the offset of an ADC is all there is
                      spectra * (numpy.arange(200) % 4 > 0)[:, None],
                      2048 + random_spectra(200, 1024) // 64):
            gstoct.reconstruct(right.astype("u2"), mode="none")

    def test_error_of_an_element(self):
        """Its own sentence, and its name."""
        with self.assertRaises(gstoct.Error) as caught:
            gstoct.reconstruct(random_spectra(2, 1024), depth_start=600, **ARGUMENTS)
        self.assertIn("depth-start", str(caught.exception))
        self.assertTrue(caught.exception.element)


class Threads(unittest.TestCase):

    def test_released(self):
        """Another thread runs while B-scans are made: it ends their waiting."""
        spectra = random_spectra(20, 64, 1024)
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1
        thread = threading.Thread(target=count)
        thread.start()
        before = counted[0]
        gstoct.reconstruct(spectra, **ARGUMENTS)
        self.assertGreater(counted[0], before + 100)
        done.set()
        thread.join()

    def test_at_the_same_time(self):
        spectra = random_spectra(6, 8, 1024)
        expected = gstoct.reconstruct(spectra, **ARGUMENTS).values
        found = []
        threads = [threading.Thread(target=lambda: found.append(
            gstoct.reconstruct(spectra, **ARGUMENTS).values)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 4)
        for values in found:
            self.assertTrue((values == expected).all())


class Results(unittest.TestCase):

    def test_png(self):
        for output in gstoct.reconstruction.OUTPUTS:
            found = gstoct.reconstruct(mirrors((3e-4, 5e-4)), output=output,
                                       **ARGUMENTS)
            self.assertEqual(found._repr_png_()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertIn("image uint8 (y: 2, z: 512, x: 4)", repr(found))

    def test_xarray(self):
        found = gstoct.reconstruct(random_spectra(2, 3, 1024), x_spacing=1e-5,
                                   depth_start=10, **ARGUMENTS)
        if importlib.util.find_spec("xarray") is None:
            with self.assertRaisesRegex(ImportError, "python3-xarray"):
                found.to_xarray()
            self.skipTest("xarray is not installed (Debian: python3-xarray)")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # those of xarray while it is imported
            array = found.to_xarray()
        self.assertEqual(array.dims, ("y", "x", "z"))
        self.assertEqual(array.z.attrs["units"], "m")
        self.assertAlmostEqual(float(array.z[0]), 10 * found.z_spacing)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        FILE = os.path.join(folder, "calibration.csv")
        common.main()
