# SPDX-License-Identifier: LGPL-2.1-or-later
"""gstoct.daq: what a writer in Python puts into a ring comes out of octdaqsrc."""
import pathlib
import tempfile
import threading
import unittest
import warnings

import common
import numpy

from gstoct import Error, OctWarning, daq
from gstoct._gst import Pipeline, make

LONG = 60  # s


def counts(number, shape, dtype):
    """Values that are different everywhere."""
    values = numpy.arange(numpy.prod(shape)).reshape(shape) * 7 + number * 1000
    return (values % 251).astype(dtype)


class Ring(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.socket = pathlib.Path(folder.name) / "daq"

    def read(self, dtype):
        """B-scans until the writer ends."""
        pipeline = Pipeline(
            make("octdaqsrc", socket=str(self.socket), reconnect=False),
            make("appsink", sync=False, max_buffers=4))
        found = []
        try:
            pipeline.start()
            for sample in pipeline.samples():
                buffer = sample.get_buffer()
                found.append((buffer.offset, numpy.frombuffer(
                    buffer.extract_dup(0, buffer.get_size()), dtype)))
        finally:
            pipeline.close()
        return found

    def try_writer(self, blocks, shape, dtype, read_as, **settings):
        found = []
        warnings.simplefilter("ignore", OctWarning)  # of the A-lines lost here
        self.addCleanup(warnings.simplefilter, "error", OctWarning)
        with daq.Writer(self.socket, samples=shape[1], lines=shape[0], dtype=dtype,
                        lossless=True, blocks=2, **settings) as writer:
            reader = threading.Thread(target=lambda: found.extend(self.read(read_as)))
            reader.start()
            self.assertEqual(writer.wait_for_readers(1, LONG), 1)
            for number in range(blocks):
                if number == 2:
                    writer.lost(3 * shape[0])
                block = writer.claim(LONG)
                if len(settings.get("channels", "1")) > 1:
                    block[0], block = 0, block[1]
                block[:] = counts(number, shape, dtype)
                writer.publish(tick=number)
        reader.join(LONG)
        self.assertEqual(len(found), blocks)
        for number, (offset, values) in enumerate(found):
            self.assertEqual(offset, number + (3 if number >= 2 else 0))
            numpy.testing.assert_array_equal(
                values, counts(number, shape, dtype).ravel())

    def test_formats(self):
        self.try_writer(5, (6, 32), "u2", "u2")
        self.try_writer(5, (6, 32), "u1", "u1")
        self.try_writer(5, (6, 32), "i2", "f4")
        self.try_writer(5, (6, 32), "f4", "f4", axis="wavenumber")
        self.try_writer(5, (6, 32), "u2", "u2", channels=("k-clock", "oct"))

    def test_places_and_calibration(self):
        nm = numpy.linspace(790, 900, 32)
        self.try_writer(4, (6, 32), "u2", "u2", wavelengths=nm, background=nm,
                        line_rate=1e5, bscans=9, name="\u00b5m")

    def test_errors(self):
        with self.assertRaisesRegex(Error, "samples 0"):
            daq.Writer(self.socket, samples=0, lines=4)
        with self.assertRaisesRegex(Error, "take one of u1, u2"):
            daq.Writer(self.socket, samples=8, lines=4, dtype="f8")
        with self.assertRaisesRegex(Error, "each of the 8 samples"):
            daq.Writer(self.socket, samples=8, lines=4, wavelengths=[1, 2])
        with self.assertRaisesRegex(Error, "no 'nonsense'"):
            daq.Writer(self.socket, samples=8, lines=4, nonsense=3)
        with self.assertRaisesRegex(Error, "cannot be made"):
            daq.Writer(self.socket / "none", samples=8, lines=4)
        writer = daq.Writer(self.socket, samples=8, lines=4)
        block = writer.claim()
        writer.close()
        block[:] = 1  # its memory is there as long as the array
        with self.assertRaisesRegex(Error, "is closed"):
            writer.claim()


if __name__ == "__main__":
    common.main()
