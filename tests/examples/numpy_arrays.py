# SPDX-License-Identifier: LGPL-2.1-or-later
"""examples/ascans_from_numpy.py and what Python reads of buffers, against the
formula of docs/elements/octnufft.md in double precision.  Runs with the Python
that has GStreamer's bindings.  Output is TAP."""
import os
import pathlib
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
sys.dont_write_bytecode = True
sys.path[:0] = [str(EXAMPLES), str(EXAMPLES.parent / "python" / "tests")]
try:
    import gi
    import numpy
    gi.require_version("Gst", "1.0")
    gi.require_version("GstBase", "1.0")
    from gi.repository import Gst
    import ascans_from_numpy as example
    from common import expected_ascans
except (ImportError, ValueError) as missing:
    print(f"1..0 # SKIP {missing} (Debian: python3-gi, python3-numpy, "
          "gir1.2-gst-plugins-base-1.0)")
    sys.exit(0)

WAVELENGTHS = numpy.linspace(790, 900, 1024)
# metres; the last differs from the one before by 50 nm
DEPTHS = (200e-6, 650e-6, 650.05e-6)


def test_arrays():
    source = example.simulate_source(WAVELENGTHS)
    spectra = example.simulate_mirrors(DEPTHS, WAVELENGTHS, lines=3)
    found, spacing = example.reconstruct(spectra, WAVELENGTHS, source)
    expected, expected_spacing = expected_ascans(spectra - source)
    assert found.shape == (3, 3, 512) and found.dtype == numpy.complex64
    assert abs(spacing / expected_spacing - 1) < 1e-9, (spacing, expected_spacing)
    error = numpy.abs(found - expected).max() / numpy.abs(expected).max()
    # what gridding of the default width may lose, docs/elements/octnufft.md
    assert error < 1e-3, error
    peaks = numpy.abs(found[:, 0]).argmax(axis=1)
    for depth, peak in zip(DEPTHS, peaks):
        assert abs(peak * spacing - depth) <= spacing / 2, (depth, peak)
    # 50 nm more of depth are 4 pi 50 nm / 842.6 nm of phase at the middle k
    turned = numpy.angle(found[2, 0, peaks[2]] / found[1, 0, peaks[2]])
    k = numpy.pi * (1 / 790e-9 + 1 / 900e-9)
    assert abs(abs(turned) - 2 * k * 50e-9) < 0.03, turned


def test_files():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = example.simulate_source(WAVELENGTHS)
        spectra = example.simulate_mirrors(DEPTHS[:2], WAVELENGTHS, lines=2)
        for file, array in (("s", spectra), ("w", WAVELENGTHS), ("b", source)):
            numpy.save(folder / f"{file}.npy", array)
        subprocess.run(
            [sys.executable, "-B", EXAMPLES / "ascans_from_numpy.py", "s.npy",
             "w.npy", "b.npy", "a.npy"], cwd=folder, check=True, timeout=120,
            stdout=subprocess.DEVNULL)
        found = numpy.load(folder / "a.npy")
        expected, _ = example.reconstruct(spectra, WAVELENGTHS, source)
        assert numpy.array_equal(found, expected)


def test_calibration_file():
    """A calibration in place of wavelengths, and images too: the mirror's row is
    the brightest."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        spectra = example.simulate_mirrors(DEPTHS[:2], WAVELENGTHS, lines=6)
        source = example.simulate_source(WAVELENGTHS)
        numpy.save(folder / "s.npy", spectra)
        (folder / "a calibration.csv").write_text("wavelength_nm,background\n" + "".join(
            f"{nm!r},{counts!r}\n" for nm, counts in zip(
                WAVELENGTHS.tolist(), source.tolist())))
        subprocess.run(
            [EXAMPLES / "ascans_from_numpy.py", "s.npy", "a calibration.csv", "a.npy",
             "i.npy"], cwd=folder, check=True, timeout=120, stdout=subprocess.DEVNULL)
        ascans = numpy.load(folder / "a.npy")
        images = numpy.load(folder / "i.npy")
    _, spacing = expected_ascans(spectra - source)
    assert ascans.shape == (2, 6, 512) and images.shape == (2, 512, 6)
    assert images.dtype == numpy.uint8
    for depth, image in zip(DEPTHS, images):
        row = int(image[:, 0].argmax())
        assert abs(row * spacing - depth) <= spacing, (depth, row)


def test_no_plugin():
    """GStreamer does not find the plugin: what to do."""
    with tempfile.TemporaryDirectory() as name:
        result = subprocess.run(
            [sys.executable, "-B", EXAMPLES / "ascans_from_numpy.py"], text=True,
            capture_output=True, timeout=120, env=dict(
                os.environ, GST_PLUGIN_PATH=name, GST_PLUGIN_SYSTEM_PATH=name,
                GST_PLUGIN_PATH_1_0=name, GST_PLUGIN_SYSTEM_PATH_1_0=name,
                GST_REGISTRY=str(pathlib.Path(name) / "registry.bin")))
    assert result.returncode == 1, result
    assert "meson devenv -C build" in result.stderr, result.stderr


def test_wrong():
    """A sentence, and no endless wait."""
    source = example.simulate_source(WAVELENGTHS)
    spectra = example.simulate_mirrors(DEPTHS[:1], WAVELENGTHS, lines=1)
    try:
        example.reconstruct(spectra, WAVELENGTHS[:100], source)
    except RuntimeError as error:
        assert "calibration" in str(error), error
    else:
        raise AssertionError("columns of two lengths made A-scans")


def test_position():
    """Python reads the place of a B-scan in the volume, after the elements."""
    pipeline = Gst.parse_launch(
        "octsrc samples=64 lines=2 bscans=3 num-buffers=4 ! octdcsub ! octnufft "
        "! appsink name=out sync=false")
    sink = pipeline.get_by_name("out")
    pipeline.set_state(Gst.State.PLAYING)
    places = []
    while True:
        sample = sink.emit("try-pull-sample", 60 * Gst.SECOND)
        if sample is None:
            break
        meta = sample.get_buffer().get_custom_meta("GstOctScanMeta")
        fields = meta.get_structure()
        places.append(tuple(fields.get_value(field) for field in
                            ("bscan", "bscans", "volume", "count")))
    pipeline.set_state(Gst.State.NULL)
    assert places == [(0, 3, 0, 1), (1, 3, 0, 1), (2, 3, 0, 1), (0, 3, 1, 1)], (
        places)


def test_element():
    """The element in Python multiplies by 10^(gain depth / 20)."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        before = ("octsrc samples=1024 lines=4 num-buffers=2 "
                  "! octdcsub wavelength-min=790 wavelength-max=900 ! octnufft")
        for gain in (0, 6):
            subprocess.run(
                [sys.executable, "-B", EXAMPLES / "depth_gain.py", before,
                 f"filesink location={gain}.cf32", str(gain)], cwd=folder,
                check=True, timeout=120)
        without, found = (numpy.fromfile(folder / f"{gain}.cf32", "<c8")
                          .reshape(8, 512) for gain in (0, 6))
        k = 2 * numpy.pi / numpy.array([900e-6, 790e-6])
        spacing = numpy.pi * 1023 / (1024 * (k[1] - k[0]))
        factors = 10 ** (6 * spacing * numpy.arange(512) / 20)
        assert numpy.abs(without).max() > 0
        assert numpy.allclose(found, without * factors, rtol=1e-5, atol=0)


def main():
    Gst.init(None)
    tests = [test for name, test in globals().items() if name.startswith("test_")]
    failed = 0
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} - {test.__name__}", flush=True)
        except Exception as error:  # the others are tried too
            failed += 1
            print(f"not ok {number} - {test.__name__}: "
                  f"{type(error).__name__}: {error}".replace("\n", " "),
                  flush=True)
    sys.exit(failed > 0)


main()
