# SPDX-License-Identifier: LGPL-2.1-or-later
"""Nothing is left after the end: objects, references to those of gstoct and to arrays,
threads, open files.  (The count of all references, which a debug build of Python has, is
of no use: PyGObject 3.42 loses some of them to its own classes in most calls.)"""
import gc
import os
import sys
import tempfile
import unittest

import common
import gstoct
import numpy

TIMES = 10
SPECTRA = numpy.ones((3, 8, 256), numpy.uint16)


def count():
    """Numbers that must not rise."""
    gc.collect()
    found = {"objects": len(gc.get_objects()),
             "threads": len(os.listdir("/proc/self/task")),
             "files": len(os.listdir("/proc/self/fd"))}
    modules = [module for name, module in sys.modules.items()
               if name.partition(".")[0] == "gstoct"]
    found["references"] = sys.getrefcount(SPECTRA) + sum(
        sys.getrefcount(value) for module in modules
        for value in vars(module).values()
        if getattr(value, "__module__", "").startswith("gstoct"))
    return found


class Leaks(unittest.TestCase):

    def check(self, work):
        for _ in range(3):  # what is made once: classes, pools of threads
            work()
        before = count()
        for _ in range(TIMES):
            work()
        after = count()
        for name, number in after.items():
            # one object a time would be a leak; a file or a thread, too
            self.assertLess(number - before[name], TIMES, name)

    def test_reconstruct(self):
        self.check(lambda: gstoct.reconstruct(SPECTRA, output="image"))

    def test_error(self):
        def fail():
            with self.assertRaises(gstoct.Error):
                gstoct.reconstruct(SPECTRA, depth_start=600)
        self.check(fail)

    def test_recording(self):
        def read():
            gstoct.open(FILE)[0, 1]
        self.check(read)

    def test_live(self):
        def look(source, **settings):
            with gstoct.Live(source, **settings) as live:
                held = [next(live) for _ in range(2)]
                try:
                    held += live
                except gstoct.Error:
                    pass
        line = "octsrc samples=64 lines=4 num-buffers=6"
        self.check(lambda: look(line))
        self.check(lambda: look(f"{line} ! identity error-after=4"))

    def test_volume(self):
        images = numpy.ones((3, 32, 8), "u1")
        self.check(lambda: gstoct.Volume(images).enface())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        FILE = os.path.join(folder, "a.npy")
        numpy.save(FILE, SPECTRA)
        common.main()
