# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pipelines that run: frames, settings, drops; and their ends: errors, an interpreter
that exits in mid-stream, processes that fork."""
import re
import threading
import unittest
import warnings

import common
import gstoct
import numpy
from common import mirrors, run_python

SMALL = "octsrc samples=256 lines=16 bscans=4 "

EXITS = {
    "waits in a thread": "threading.Thread(target=lambda: list(live)).start()",
    "falls off its end": "found = gstoct.open(sys.argv[1]); found[0, 0]; next(live)",
    "exits with a frame": "kept = next(live); sys.exit(0)",
    "was never started": "",
    "in a thread": "live.__enter__(); came.wait()",
}
EXIT = """
import sys, threading, gstoct
came = threading.Event()
SOURCE = "octsrc is-live=true line-rate=1e5 samples=256 lines=16"
live = gstoct.Live(SOURCE, drop=False{extra})
{body}
"""

FORK = """
import os, sys, gstoct, numpy
spectra = numpy.ones((2, 64), "u2")
live = gstoct.Live("octsrc is-live=true line-rate=1e4 samples=256 lines=16")
found = gstoct.open(sys.argv[1])
next(live)
child = os.fork()
if child == 0:
    said = []
    for work in (lambda: gstoct.reconstruct(spectra), lambda: gstoct.open(sys.argv[1]),
                 lambda: found[0], lambda: next(live), lambda: live.autofocus(),
                 lambda: live.undo(), lambda: live.window,
                 lambda: setattr(live, "window", "hann"),
                 lambda: setattr(live, "calibration", (790, 900)),
                 lambda: setattr(live.source, "noise", 0)):
        try:
            work()
        except gstoct.ForkError as reason:
            said.append("spawn" in str(reason))
    live.close()
    del live, found
    if said != [True] * 10:
        print(said, flush=True)
        os._exit(1)
    sys.exit(0)
status = os.waitpid(child, 0)[1]
assert status == 0, status
# the parent goes on
gstoct.reconstruct(spectra)
next(live)
print(found[0, 0].shape)
"""

FORK_FIRST = """
import os, sys, gstoct, numpy
child = os.fork()
os.write(1, b"%d " % gstoct.reconstruct(numpy.ones((2, 64), "u2")).shape[0])
if child:
    assert os.waitpid(child, 0)[1] == 0
"""


class Frames(unittest.TestCase):

    def test_all(self):
        """All frames of a source that waits, with their places."""
        with gstoct.Live(SMALL + "num-buffers=10", device="cpu") as live:
            frames = list(live)
            self.assertEqual([f.number for f in frames], list(range(10)))
            self.assertEqual([(f.volume, f.bscan) for f in frames],
                             [(n // 4, n % 4) for n in range(10)])
            self.assertEqual((live.dropped, live.frames), (0, 10))
        self.assertEqual(frames[0].dims, ("z", "x"))
        self.assertFalse(frames[0].values.flags.writeable)
        self.assertGreater(frames[1].time, frames[0].time)
        # they outlive the pipeline
        self.assertGreater(frames[9].values.max(), 200)
        self.assertEqual(frames[9]._repr_png_()[1:4], b"PNG")

    def test_values(self):
        """As reconstruct() of the same spectra."""
        line = ("octsrc phantom=mirror depth=400e-6 samples=1024 lines=4 noise=0 "
                "bscans=1 num-buffers=1")
        with gstoct.Live(line, output="ascans", mode="none") as live:
            frame = next(live)
        peak = frame.z[20 + abs(frame.values[0, 20:]).argmax()]
        self.assertLess(abs(peak - 400e-6), frame.z_spacing / 2)
        with gstoct.Live(line, output="power", mode="none") as live:
            self.assertTrue(numpy.allclose(next(live).values,
                                           abs(frame.values) ** 2, rtol=1e-5))

    def test_settings(self):
        """They are attributes, and change the next frames."""
        with gstoct.Live(SMALL, drop=False, buffers=1, range_smoothing=0.5,
                         **{"fft::length": 512}) as live:
            self.assertEqual((live.range_smoothing, live.method), (0.5, "resample"))
            live.window = "gaussian"
            live.depth_bins = 50
            self.assertEqual((live.window, live.depth_bins), ("gaussian", 50))
            for frame in live:
                if frame.shape == (50, 16):
                    break
            live.calibration = (800, 890)
            while abs(next(live).z_spacing / frame.z_spacing - 1) < 0.1:
                pass
            live.method = "nufft"
            while live.method_in_use != "nufft":
                next(live)
            self.assertEqual(live.source.samples, 256)
            self.assertIn("window", dir(live))
            self.assertIn("dropped", dir(live.source))
            for name in ("nonsense", "source_nonsense"):
                with self.assertRaisesRegex(AttributeError, name):
                    getattr(live, name)
            with self.assertRaisesRegex(AttributeError, "'nonsense'"):
                live.nonsense = 1
            with self.assertRaisesRegex(AttributeError, r"octsrc\) has a property"):
                live.source.nonsense = 1
            with self.assertRaisesRegex(ValueError, "hann"):
                live.window = "x"

    def test_drops(self):
        """B-scans that were lost and frames that came are all there were."""
        with gstoct.Live(SMALL + "num-buffers=400", drop=True, buffers=1) as live:
            first = next(live)
            # until the source has ended; only the newest frame is left
            while not live._pipeline.sink.get_property("eos") \
                    and live.source.frames < 400:
                pass
            for last in live:
                pass
            self.assertEqual(last.number, 399)
            self.assertEqual(live.frames + live.dropped, 400 - first.number)
            self.assertGreater(live.dropped, 0)

    def test_drops_of_a_live_source(self):
        """It does not wait for this program, unless it is told to."""
        for drop in (None, False):
            with gstoct.Live("octsrc is-live=true line-rate=1e5 samples=64 lines=8 "
                             "bscans=1", drop=drop, buffers=2) as live:
                next(live)
                self.assertEqual(live._pipeline.sink.get_property("drop"), drop is None)
                while drop is None and live.source.frames < 50:
                    pass
                lost = sum(next(live).lost for _ in range(4))
                self.assertEqual(lost, live.dropped)
                if drop is None:
                    self.assertGreater(lost, 0)

    def test_callback(self):
        came, messages = [], []
        with gstoct.Live(SMALL + "num-buffers=5 ! octmeter interval=0", device="cpu",
                         on_frame=came.append, on_message=lambda name, fields:
                         messages.append((name, fields))) as live:
            live.wait()
        self.assertEqual([frame.number for frame in came], list(range(5)))

        def fail(frame):
            raise ZeroDivisionError(frame.number)
        with self.assertRaises(ZeroDivisionError):
            with gstoct.Live(SMALL, drop=False, on_frame=fail) as live:
                live.wait()

    def test_messages_between_frames(self):
        """Messages come while frames follow each other without a pause."""
        said = []
        with gstoct.Live("octsrc num-buffers=3000 lines=4 samples=64 ! "
                         "octmeter interval=1",
                         on_message=lambda name, fields: said.append(name)) as live:
            for frame in live:
                if said:
                    break
        self.assertTrue(said)
        self.assertLess(frame.number, 2999)

    def test_caps_at_the_end(self):
        """As gst-launch-1.0 takes them."""
        with gstoct.Live("videotestsrc num-buffers=2 ! "
                         "video/x-raw,format=GRAY16_LE,width=512,height=64",
                         calibration=(790, 900)) as live:
            self.assertEqual([frame.values.shape for frame in live], [(256, 64)] * 2)

    def test_calibration(self):
        """One that the source does not have."""
        spectra = mirrors((500e-6,), lines=2)
        with gstoct.Live(f"octsrc location={FILE} samples=1024 lines=2",
                         calibration=common.WAVELENGTHS, output="ascans",
                         mode="none") as live:
            frame = next(live)
        expected = gstoct.reconstruct(spectra, calibration=common.WAVELENGTHS,
                                      mode="none")
        self.assertLess(abs(frame.values - expected.values[0]).max(),
                        1e-5 * abs(expected.values).max())


    def test_calibration_of_a_source(self):
        """One that another source has sent, in place of that of this one, and back."""
        _, known = gstoct.simulate(lines=1, samples=1024, wavelength_min=790,
                                   wavelength_max=900)
        line = ("octsrc phantom=mirror depth=400e-6 samples=1024 lines=2 noise=0 "
                "bscans=1 wavelength-min=700 wavelength-max=1000")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            live = gstoct.Live(line, output="ascans", mode="none", drop=False, buffers=1)
            own = next(live).z_spacing
            live.calibration = known
            self.assertIs(live.calibration, known)
            spacing = gstoct.reconstruct(mirrors((4e-4,)),
                                         calibration=(790, 900)).z_spacing
            for given, expected in ((known, spacing), (None, own), ((790, 900), spacing),
                                    (None, own), (common.WAVELENGTHS, spacing),
                                    ((700, 1000), own), (known, spacing)):
                live.calibration = given
                for frame in live:
                    if abs(frame.z_spacing / expected - 1) < 1e-6:
                        break
            del live
            # from the first frame on
            with gstoct.Live(line, output="ascans", calibration=known) as live:
                self.assertAlmostEqual(next(live).z_spacing / spacing, 1, places=6)
        with gstoct.Live(line + " ! identity", calibration=common.WAVELENGTHS[:100],
                         output="ascans") as live:
            with self.assertRaisesRegex(gstoct.Error, "for 100 samples, but the"):
                next(live)

    def test_calibration_of_a_file(self):
        """That of the caller comes before that of the file."""
        recording = gstoct.open(FILE, samples=1024, lines=2, wavelength_min=700,
                                wavelength_max=1000)
        known = gstoct.Calibration(wavelength_nm=common.WAVELENGTHS)
        expected = gstoct.reconstruct(mirrors((4e-4,)), calibration=known).z_spacing
        found = gstoct.reconstruct(recording, calibration=known).z_spacing
        self.assertAlmostEqual(found / expected, 1, places=6)


class Ends(unittest.TestCase):

    def test_error(self):
        """The element's sentence, and a frame that is held stays."""
        with gstoct.Live(SMALL + "! identity error-after=4", device="cpu") as live:
            held = next(live)
            before = held.values.copy()
            with self.assertRaisesRegex(gstoct.Error, "after iterations") as caught:
                for _ in live:
                    pass
            self.assertIn("identity", caught.exception.element)
            self.assertTrue((held.values == before).all())
            self.assertRaises(StopIteration, next, live)

    def test_no_pipeline(self):
        for source, sentence in (
                ("nosuchelement", "nosuchelement"), ("octsrc !", "not a pipeline"),
                ("octsrc nonsense=1", "nonsense"),
                ("octsrc octsrc", "has two ends"),
                ("octsrc ! fakesink", "delivers nothing")):
            with self.assertRaisesRegex(gstoct.Error, sentence):
                gstoct.Live(source)
        with self.assertRaisesRegex(TypeError, "a text of elements"):
            gstoct.Live(7)
        with self.assertRaisesRegex(TypeError, "drop is 'yes', but True"):
            gstoct.Live(SMALL, drop="yes")
        with self.assertRaisesRegex(gstoct.Error, "missing.raw"):
            list(gstoct.Live("octsrc location=missing.raw samples=8 lines=8"))
        with self.assertRaises(gstoct.Error):
            list(gstoct.Live("videotestsrc num-buffers=1 ! video/x-raw,format=I420"))

    def test_then(self):
        """The examples of the docstring, and what cannot be read."""
        examples = re.findall(r'"(oct[^"]*)"(?: after (output="ascans"|images))',
                              gstoct.Live.__doc__)
        self.assertEqual(len(examples), 2)
        for then, what in examples:
            with gstoct.Live(SMALL + "repeats=2 num-buffers=4", then=then, mode="none",
                             output="ascans" if "ascans" in what else "image") as live:
                frames = list(live)
            self.assertEqual((frames[-1].kind, frames[-1].shape), ("image", (128, 16)))
        for then, kind in (("videoconvert ! video/x-raw,format=NV12", "NV12"),
                           ("videoconvert ! video/x-raw,format=RGB", "RGB"),
                           ("pngenc", "image/png")):
            with gstoct.Live(SMALL, then=then) as live:
                with self.assertRaisesRegex(gstoct.Error, f"Frames of {kind} have come"):
                    next(live)

    def test_closed(self):
        live = gstoct.Live(SMALL)
        next(live)
        live.close()
        live.close()
        for work in (iter, list, live.__class__.__enter__):
            with self.assertRaisesRegex(gstoct.Error, "closed and has no more frames"):
                work(live)
        never = gstoct.Live(SMALL)
        never.close()
        with self.assertRaisesRegex(gstoct.Error, "is closed"):
            next(never)

    def test_closed_by_another_thread(self):
        live = gstoct.Live(SMALL + "is-live=true volume-rate=0.001")
        closing = threading.Timer(0.05, live.close)
        closing.start()
        self.assertLessEqual(len(list(live)), 1)
        closing.join()

    def test_closed_while_it_starts(self):
        """Between PAUSED and PLAYING."""
        live = gstoct.Live(SMALL + "is-live=true volume-rate=0.001")
        pipeline = live._pipeline.pipeline
        change, closing = pipeline.set_state, threading.Thread(target=live.close)

        def change_slowly(state):
            result = change(state)
            if closing.ident is None:
                closing.start()
                closing.join(0.3)
            return result

        pipeline.set_state = change_slowly
        self.assertEqual(list(live), [])
        closing.join()
        self.assertEqual(pipeline.get_state(0)[1].value_nick, "null")

    def test_exit_in_mid_stream(self):
        for name, body in EXITS.items():
            extra = ", on_frame=lambda frame: came.set()" if name == "in a thread" else ""
            with self.subTest(name):
                run_python(EXIT.format(body=body, extra=extra), ARRAY)

    def test_fork(self):
        self.assertEqual(run_python(FORK, ARRAY).strip(), "(4, 1024)")

    def test_fork_before_use(self):
        """Importing starts nothing."""
        self.assertEqual(run_python(FORK_FIRST), "2 2 ")


if __name__ == "__main__":
    import os
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        FILE, ARRAY = os.path.join(folder, "a.raw"), os.path.join(folder, "a.npy")
        mirrors((500e-6,), lines=2).tofile(FILE)
        numpy.save(ARRAY, mirrors((500e-6, 600e-6)))
        common.main()
