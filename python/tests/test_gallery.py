# SPDX-License-Identifier: LGPL-2.1-or-later
"""The scripts of python/examples, and the lines of docs/python.md, do what they say."""
import contextlib
import importlib.util
import io
import os
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile
import unittest

import common
import gstoct
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Scripts(unittest.TestCase):

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def run_script(self, name, *pictures):
        """Returns what it prints; its pictures are there."""
        said = io.StringIO()
        arguments, sys.argv = sys.argv, [name]
        try:
            with contextlib.redirect_stdout(said):
                runpy.run_path(str(ROOT / "python/examples" / f"{name}.py"),
                               run_name="__main__")
        finally:
            sys.argv = arguments
        for picture in pictures:
            content = (self.folder / f"{picture}.png").read_bytes()
            self.assertEqual(content[1:4], b"PNG")
            self.assertGreater(len(content), 2000)
        return said.getvalue()

    def test_image(self):
        said = self.run_script("image", "image")
        self.assertIn("(y: 1, z: 1024, x: 512)", said)
        self.assertIn("3.31 mm", said)  # 1023 bins of 3.23 um

    def test_calibrate_mirrors(self):
        said = self.run_script("calibrate_mirrors", "mirrors")
        self.assertIn("This calibration is good", said)
        widths = {name: eval(values) for name, values in re.findall(
            r"^([a-z ]+): (\[.*\]) depths wide", said, re.M)}
        self.assertLessEqual(max(widths["calibrated"]), 3)
        self.assertGreater(min(widths["data sheet"]), 4)

    def test_enface(self):
        self.assertIn("128 x 128", self.run_script("enface", "enface"))

    def test_volume(self):
        self.run_script("volume", "volume", "volume-other-side")

    def test_angiography(self):
        self.assertIn("21 places", self.run_script("angiography", "angiography"))

    def test_compare_methods(self):
        """The rest is lower from method to method."""
        heights = [float(number) for number in re.findall(
            r"([\d.]+) dB", self.run_script("compare_methods", "methods"))]
        self.assertEqual(len(heights), 3)
        self.assertGreater(heights[1], heights[0] + 3)
        self.assertGreater(heights[2], heights[1] + 3)

    def test_live_camera(self):
        self.assertIn("30 frames by nufft", self.run_script("live_camera", "live"))

    def test_write_nifti(self):
        self.run_script("write_nifti", "cross")
        header = (self.folder / "volume.nii").read_bytes()[:348]
        self.assertEqual(header[344:347], b"n+1")
        sizes = numpy.frombuffer(header[40:56], "<i2")
        self.assertEqual(sorted(sizes[1:4]), [32, 64, 512])
        steps = numpy.frombuffer(header[76:108], "<f4")[1:4]  # mm
        self.assertTrue(numpy.isclose(steps, 0.02, rtol=1e-4).any(), steps)
        self.assertTrue(numpy.isclose(steps, 0.04, rtol=1e-4).any(), steps)

    def test_data_loader(self):
        self.assertIn(str([(4, 1, 512, 64)] * 3), self.run_script("data_loader", "batch"))

    def test_view_in_napari(self):
        self.assertIn("image volume.npy: (16, 256, 256)",
                      self.run_script("view_in_napari", "napari"))

    def test_napari_layers(self):
        """Images that are made when they are sliced are those of reconstruct()."""
        from gstoct import napari
        spectra, _ = gstoct.simulate(bscans=4, lines=16, samples=256)
        numpy.save("a.npy", spectra)
        images, about, kind = napari.get_reader("a.npy")("a.npy")[0]
        expected = gstoct.reconstruct(spectra, output="image").values
        self.assertEqual((kind, images.shape, len(about["scale"])),
                         ("image", expected.shape, 3))
        for index in (1, -1, slice(1, 3), (2, slice(5, 9)), (..., 0),
                      (slice(None), 7, slice(2, 4)), slice(2, 2), numpy.int64(3)):
            with self.subTest(str(index)):
                self.assertTrue((images[index] == expected[index]).all())
        self.assertTrue((numpy.asarray(images) == expected).all())
        pathlib.Path("b.npy").write_bytes(b"no spectra")
        for path in ("b.npy", "missing.npy", ["a.npy", "b.npy"], "."):
            self.assertIsNone(napari.get_reader(path))

    def test_napari_volumes(self):
        """Volumes of each kind are shown as they were written, with their distances."""
        from gstoct import napari
        gst_launch = ["gst-launch-1.0", "-q", *"octsrc bscans=6 lines=20 samples=128 "
                      "num-buffers=6 ! octreconstruct range=manual min=0 max=90".split()]
        subprocess.run([*gst_launch, "!", "filesink", "location=all.bin"], check=True)
        expected = numpy.fromfile("all.bin", numpy.uint8).reshape(6, 64, 20)
        for kind, module in (("ome.zarr", "json"), ("h5", "h5py"), ("tif", "tifffile"),
                             ("nii", "nibabel")):
            with self.subTest(kind):
                if importlib.util.find_spec(module) is None:
                    self.skipTest(f"{module} is not installed")
                name = f"volume.{kind}"
                subprocess.run([*gst_launch, "!", "octvolumesink", f"location={name}",
                                "x-spacing=1e-5", "y-spacing=2e-5", "z-spacing=4e-6",
                                "refractive-index=1.25"], check=True)
                images, about, _ = napari.get_reader(name)(name)[0]
                self.assertEqual((about["name"], images.shape), (name, (6, 64, 20)))
                self.assertTrue(numpy.allclose(about["scale"], (20, 3.2, 10)), about)
                self.assertTrue((numpy.asarray(images) == expected).all())
                self.assertTrue((images[2, 5:9] == expected[2, 5:9]).all())

    def test_pictures(self):
        """Each script has a picture in docs/python.md."""
        text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
        for path in (ROOT / "python/examples").glob("*.py"):
            self.assertRegex(text, r"\| !\[[^|]+\]\(images/python-[^|]+\) \| "
                             f"`{path.name}`: ")

    def test_page(self):
        """The lines of docs/python.md run one after the other."""
        text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
        names = {}
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.S | re.M)
        self.assertGreaterEqual(len(blocks), 6)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            for block in blocks:
                if block.startswith("# needs"):
                    continue
                exec(compile(block, "docs/python.md", "exec"), names)
        for line in re.findall(r"print\(.*?\) +# (.*)$", text, re.M):
            if line[0] in "<(":
                self.assertIn(line, said.getvalue())
        for name in ("bscan.png", "volume.png", "enface.png", "volume.nii",
                     "calibration.csv"):
            self.assertTrue((self.folder / name).exists(), name)


if __name__ == "__main__":
    common.main()
