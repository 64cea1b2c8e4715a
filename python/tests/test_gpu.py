# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays of CuPy and PyTorch on a GPU, both ways: values, addresses, streams and
lifetimes.  Expected is what the same GPU makes of the same spectra in host memory, bit
for bit, as the kernels are the same.  Exit status 77: there is no GPU, or neither."""
import gc
import sys
import unittest

import common
import gstoct
import numpy
from gstoct import _cuda

try:
    GPU = _cuda.open_gpu(0)
except gstoct.Error as reason:
    print(f"{reason} Skipped.")
    sys.exit(77)
LIBRARIES = {}
try:
    import cupy
    LIBRARIES["cupy"] = cupy
except ImportError:
    pass
try:
    import torch
    LIBRARIES["torch"] = torch
except ImportError:
    pass
if not LIBRARIES:
    print("Neither CuPy nor PyTorch is there: skipped.")
    sys.exit(77)

RANDOM = numpy.random.default_rng(3)
SETTINGS = {"calibration": (790, 900), "device": "cuda"}
SLEEP = 200_000_000  # cycles of a GPU: some 0.1 s, far longer than a B-scan


def to_gpu(name, array):
    """An array of this library."""
    return LIBRARIES[name].asarray(array, device="cuda:0") if name == "torch" \
        else LIBRARIES[name].asarray(array)


def from_dlpack(name, lent):
    return LIBRARIES[name].from_dlpack(lent)


def to_host(name, array):
    return array.cpu().numpy() if name == "torch" else array.get()


def address(name, array):
    return array.data_ptr() if name == "torch" else array.data.ptr


def make_spectra(*shape, dtype="u2"):
    return RANDOM.integers(0, 200, shape).astype(dtype)


class Only:
    """An array that shows one of the two protocols alone."""

    def __init__(self, array, *names):
        self.array = array
        for name in names:
            setattr(type(self), name, property(
                lambda self, name=name: getattr(self.array, name)))


class Interface(Only):
    pass


class Tensor(Only):
    pass


class Input(unittest.TestCase):

    def check(self, given, plain, **settings):
        # the mean of a B-scan of one A-line is all that it has
        settings = SETTINGS | {"mode": "none"} | settings
        found = gstoct.reconstruct(given, **settings).values
        expected = gstoct.reconstruct(numpy.ascontiguousarray(plain), **settings).values
        self.assertEqual(found.shape, expected.shape)
        self.assertGreater(abs(expected.astype("f4") if expected.dtype == "u1"
                               else expected).max(), 0)
        self.assertTrue((found == expected).all())

    def test_types_and_layouts(self):
        for name in LIBRARIES:
            for dtype in ("u1", "u2", "f4"):
                wide = make_spectra(4, 12, 2048, dtype=dtype)
                there = to_gpu(name, wide)
                for part in ((...,), (slice(1, 3),), (2,), (2, 3),
                             (slice(None, None, 2), slice(1, 9, 2), slice(512, 1536)),
                             (slice(None), slice(None), slice(1, 1022)),
                             (1, slice(0, 1), slice(0, 1023))):
                    with self.subTest(name, dtype=dtype, part=part):
                        self.check(there[part], wide[part])
                        self.check(there[part], wide[part], output="image")

    def test_protocols(self):
        wide = make_spectra(3, 8, 1024)
        for name in LIBRARIES:
            there = to_gpu(name, wide)
            self.check(Interface(there, "__cuda_array_interface__"), wide)
            self.check(Tensor(there, "__dlpack__", "__dlpack_device__"), wide)

    def test_is_not_copied(self):
        """A B-scan that the array has is in the memory of the buffer."""
        from gstoct.reconstruction import _GpuFeed
        for name in LIBRARIES:
            there = to_gpu(name, make_spectra(2, 8, 1024))
            feed = _GpuFeed(_cuda.Lent(there, "The spectra"))
            buffer = feed._make(1)
            seen = _cuda.DeviceArray(GPU, buffer, 0, (8, 1024), (2048, 2), "u2")
            self.assertEqual(seen.address, address(name, there) + 8 * 2048)

    def test_stream(self):
        """Work of another stream that still writes is waited for."""
        plain = make_spectra(3, 64, 1024)
        expected = gstoct.reconstruct(plain, **SETTINGS).values
        if "torch" in LIBRARIES:
            source, there = to_gpu("torch", plain), to_gpu("torch", plain * 0)
            torch.cuda.synchronize()
            with torch.cuda.stream(torch.cuda.Stream()):
                torch.cuda._sleep(SLEEP)
                there.copy_(source)
                found = gstoct.reconstruct(there, **SETTINGS).values
            self.assertTrue((found == expected).all())
        if "cupy" in LIBRARIES:
            source, there = cupy.asarray(plain), cupy.zeros(plain.shape, "u2")
            slow = cupy.RawKernel('extern "C" __global__ void slow(long long n) {'
                                  "long long a = clock64(); while (clock64() - a < n);}",
                                  "slow")
            cupy.cuda.Device().synchronize()
            with cupy.cuda.Stream(non_blocking=True):
                slow((1,), (1,), (SLEEP,))
                there[...] = source
                found = gstoct.reconstruct(
                    Interface(there, "__cuda_array_interface__"), **SETTINGS).values
            self.assertTrue((found == expected).all())

    def test_wrong(self):
        for name in LIBRARIES:
            there = to_gpu(name, make_spectra(3, 8, 1024))
            for kind, sentence, given, settings in (
                    (TypeError, "type float64, but uint8",
                     to_gpu(name, make_spectra(8, 64, dtype="f8")), {}),
                    (ValueError, "gaps between samples", there[..., ::2], {}),
                    (ValueError, "device is 'cpu', but the spectra are on a GPU", there,
                     {"device": "cpu"}),
                    (ValueError, "on GPU 0, but device is 'cuda:1'", there,
                     {"device": "cuda:1"}),
                    (ValueError, "shape", there[:0], {}),
                    (gstoct.Error, "depth", there, {"depth_start": 600})):
                with self.subTest(name, sentence=sentence):
                    with self.assertRaisesRegex(kind, sentence):
                        gstoct.reconstruct(given, **(SETTINGS | settings))
            # and all is well afterwards
            self.check(there, to_host(name, there))


class Output(unittest.TestCase):

    def test_values(self):
        plain = make_spectra(3, 9, 1023)
        for output in ("ascans", "image"):
            expected = gstoct.reconstruct(plain, output=output, **SETTINGS)
            for given in (plain, to_gpu(next(iter(LIBRARIES)), plain)):
                found = gstoct.reconstruct(given, output=output, on_gpu=True, **SETTINGS)
                self.assertIsInstance(found.values, gstoct.DeviceArray)
                self.assertEqual(found.shape, expected.shape)
                self.assertTrue((found.host() == expected.values).all())
                self.assertTrue((found.z == expected.z).all())
                for name in LIBRARIES:
                    there = from_dlpack(name, found)
                    self.assertEqual(address(name, there), found.values.address)
                    self.assertTrue((to_host(name, there) == expected.values).all())
                with self.assertRaisesRegex(TypeError, "memory of a GPU; numpy"):
                    numpy.asarray(found)

    def test_out(self):
        plain = make_spectra(3, 8, 1024)
        expected = gstoct.reconstruct(plain, **SETTINGS).values
        for name in LIBRARIES:
            out = to_gpu(name, numpy.zeros_like(expected))
            found = gstoct.reconstruct(plain, on_gpu=True, out=out, **SETTINGS)
            self.assertIs(found.values, out)
            self.assertTrue((to_host(name, out) == expected).all())
            for wrong in (out[:1], out[..., ::2], numpy.zeros_like(expected)):
                with self.assertRaisesRegex(ValueError, "out is .*expected"):
                    gstoct.reconstruct(plain, on_gpu=True, out=wrong, **SETTINGS)

    def test_wrong(self):
        plain = make_spectra(3, 8, 1024)
        for sentence, settings in (
                ("output is 'power', but with on_gpu", {"output": "power"}),
                ("device is 'cpu', but values stay", {"device": "cpu"}),
                ("device is GPU 99, but there", {"device": "cuda:99"})):
            with self.assertRaisesRegex(ValueError, sentence):
                gstoct.reconstruct(plain, on_gpu=True, **(SETTINGS | settings))
        values = gstoct.reconstruct(plain, on_gpu=True, **SETTINGS).values
        with self.assertRaisesRegex(BufferError, "numpy"):
            values.__dlpack__(dl_device=(1, 0))
        with self.assertRaisesRegex(ValueError, "stream is 0"):
            values.__dlpack__(stream=0)


class Frames(unittest.TestCase):

    SOURCE = "octsrc samples=1024 lines=128 bscans=8 num-buffers={}"

    def look(self, number, **settings):
        return gstoct.Live(self.SOURCE.format(number), drop=False, **settings)

    def test_frames(self):
        for output in ("ascans", "image"):
            with self.look(8, device="cuda", output=output) as live:
                expected = [frame.values.copy() for frame in live]
            with self.look(8, device="cuda", output=output, on_gpu=True) as live:
                frames = list(live)
            # the pipeline has ended, and the frames are still there
            self.assertEqual(len(frames), len(expected))
            for frame, values in zip(frames, expected):
                self.assertTrue((frame.host() == values).all())
                for name in LIBRARIES:
                    there = from_dlpack(name, frame)
                    self.assertEqual(address(name, there), frame.values.address)
                    self.assertTrue((to_host(name, there) == values).all())
                    interface = LIBRARIES[name].as_tensor(frame.values, device="cuda") \
                        if name == "torch" else LIBRARIES[name].asarray(frame.values)
                    self.assertEqual(address(name, interface), frame.values.address)
                    self.assertTrue((to_host(name, interface) == values).all())
            self.assertIsNotNone(frames[0]._repr_png_())

    def test_slow_readers(self):
        """A frame that a slow stream still reads is not written by the next one, also
        if Python has dropped it."""
        with self.look(40, device="cuda", output="ascans") as live:
            expected = [frame.values.copy() for frame in live]
        if "torch" not in LIBRARIES:
            self.skipTest("PyTorch is not there")
        for by_interface in (False, True):
            found, stream = [], torch.cuda.Stream()
            with self.look(40, device="cuda", output="ascans", on_gpu=True,
                           buffers=1) as live, torch.cuda.stream(stream):
                for frame in live:
                    there = torch.as_tensor(frame.values, device="cuda") \
                        if by_interface else torch.from_dlpack(frame)
                    if by_interface:  # PyTorch does not read its stream
                        stream.wait_stream(torch.cuda.default_stream())
                    torch.cuda._sleep(SLEEP // 50)
                    found.append(there * 1)
                    del there, frame
                torch.cuda.synchronize()
            self.assertEqual(len(found), len(expected))
            for number, (one, values) in enumerate(zip(found, expected)):
                self.assertTrue((one.cpu().numpy() == values).all(), number)

    def test_error_while_a_frame_is_held(self):
        held = []
        with self.assertRaises(gstoct.Error):
            # far more than wait in the pipeline before the first frame is fetched
            with gstoct.Live(self.SOURCE.format(400) + " ! identity error-after=300",
                             device="cuda", on_gpu=True, drop=False) as live:
                for frame in live:
                    held.append(frame)
        self.assertGreater(len(held), 0)
        for frame in held:
            self.assertEqual(frame.host().shape, frame.shape)


class Lifetimes(unittest.TestCase):

    def test_memory_comes_back(self):
        there = {name: to_gpu(name, make_spectra(8, 512, 2048)) for name in LIBRARIES}

        def work():
            for name, spectra in there.items():
                found = gstoct.reconstruct(spectra, on_gpu=True, **SETTINGS)
                capsule = found.__dlpack__()  # that nobody takes
                lent = from_dlpack(name, found)
                del found, capsule
                self.assertEqual(len(lent), 8)
        free = []
        for _ in range(12):
            work()
            gc.collect()
            GPU.wait()
            if "torch" in LIBRARIES:
                free.append(torch.cuda.mem_get_info()[0])
            else:
                free.append(cupy.cuda.runtime.memGetInfo()[0])
        self.assertGreaterEqual(free[-1], free[2] - (1 << 20))  # a B-scan has 4 MiB

    def test_exit(self):
        """The program ends while frames are held, lent, and a pipeline plays."""
        library = next(iter(LIBRARIES))
        common.run_python(
            f"import gstoct, {library}\n"
            "live = gstoct.Live(device='cuda', on_gpu=True)\n"
            "live.__enter__()\n"
            "frame = next(live)\n"
            f"lent = {library}.from_dlpack(frame)\n"
            "capsule = frame.__dlpack__()\n"
            "interface = frame.values.__cuda_array_interface__\n")

    def test_fork(self):
        common.run_python(
            "import os, gstoct, numpy\n"
            "found = gstoct.reconstruct(numpy.ones((2, 8, 256), 'u2'), on_gpu=True,\n"
            "                           device='cuda')\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    try:\n"
            "        gstoct.reconstruct(numpy.ones((8, 256), 'u2'), on_gpu=True)\n"
            "    except gstoct.ForkError:\n"
            "        del found\n"
            "        os._exit(3)\n"
            "    os._exit(4)\n"
            "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3\n")


if __name__ == "__main__":
    common.main()
