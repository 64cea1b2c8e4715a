# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-calibrate and the plugin: calibrations of the virtual OCT system, of a
spectrometer by the README, and of the C-scan's mirrors, in pipelines.  Output is
TAP."""
import array
import math
import os
import pathlib
import re
import struct
import subprocess

import tap
from mirrors import (ROOT, SAMPLES, calibrate, check_positions, launch, read_csv,
                     read_table, refuse, simulate)

VIRTUAL = 2048


def see(folder, depth_um):
    """Spectra of a mirror in the virtual OCT system."""
    launch(folder, "octsrc phantom=mirror lines=4 bscans=1 num-buffers=1 "
           f"depth={depth_um}e-6 ! filesink location=v{depth_um}.raw")
    return f"v{depth_um}.raw"


def measure(folder, spectra, low, high):
    """Width at -6 dB in bins, and the bin, of the highest value between two
    bins of the A-scans of the plugin."""
    pad = 8
    launch(folder, f"{spectra} ! octdcsub mode=none ! octkresample ! "
           f"octdispersion ! octfft length={pad * VIRTUAL} ! filesink "
           "location=ascans.bin")
    data = array.array("f", (folder / "ascans.bin").read_bytes())
    bins = pad * VIRTUAL // 2
    level = [math.hypot(data[2 * i], data[2 * i + 1]) for i in range(bins)]
    at = max(range(pad * low, pad * high), key=level.__getitem__)
    edges = []
    for step in (-1, 1):
        i = at
        while level[i] > level[at] * 10**-0.3:
            i += step
        part = (level[at] * 10**-0.3 - level[i]) / (level[i - step] - level[i])
        edges.append(i - step * part)
    return (edges[1] - edges[0]) / pad, at / pad


def test_virtual_system(folder):
    """Wavenumbers and dispersion nobody tells: mirrors at other depths are as
    narrow as with the truth, in images of the plugin."""
    names = [see(folder, depth) for depth in (150, 1100)]
    text = calibrate(folder, "--mirror", *names, "--same-side", "--output",
                     "c.csv", samples=VIRTUAL)
    assert "This calibration is good: " in text, text
    # the same with a scale, which puts them where they are
    calibrate(folder, "--mirror", *names, "--same-side", "--step-um", 950,
              "--centre-nm", 845, "--output", "um.csv", samples=VIRTUAL)
    k = [2 * math.pi / nm * 1e3 for nm in (790, 900)]
    see(folder, 700)
    width, at = measure(
        folder, f"octsrc location=v700.raw samples={VIRTUAL} lines=4 "
        "calibration=um.csv", 200, 320)
    place = at * math.pi * (VIRTUAL - 1) / VIRTUAL / (k[0] - k[1])
    print(f"# with a scale {width:.3f} bins, at {place:.1f} um", flush=True)
    assert abs(place - 700) < 7 and width < 2.8, (place, width)
    for depth in (250, 600, 900, 1300):
        virtual = f"octsrc phantom=mirror lines=4 bscans=1 num-buffers=1 depth={depth}e-6"
        see(folder, depth)
        stored = f"octsrc location=v{depth}.raw samples={VIRTUAL} lines=4"
        low, high = int(depth / 3.5 * 0.8), int(depth / 2.2)
        width, _ = measure(folder, f"{stored} calibration=c.csv", low, high)
        ideal, _ = measure(folder, virtual, low, high)
        rough, _ = measure(
            folder, f"{stored} wavelength-min=790 wavelength-max=900", low, high)
        print(f"# {depth} um: {width:.3f} bins, with the truth {ideal:.3f}, "
              f"with linear wavelengths alone {rough:.3f}", flush=True)
        assert width <= 1.05 * ideal, (depth, width, ideal)
        assert width < 0.8 * rough, (depth, width, rough)


def test_poor_one_of_the_docs(folder):
    """The lines below `--check` of docs/calibration.md make the file, and what
    is said of it there is what is said."""
    page = (ROOT / "docs/calibration.md").read_text().split("`--check` measures")[1]
    make, check, said = re.search(
        r"```sh\n(awk .*)\n\./pipelines/calibrate\.sh (.*)\n```\n\nends with\n\n```text\n(.*)\n",
        page).groups()
    for depth in (200, 700, 1400):
        launch(folder, "octsrc phantom=mirror lines=16 bscans=1 num-buffers=1 "
               f"depth={depth}e-6 ! filesink location=mirror-{depth}.raw")
    subprocess.run(["sh", "-c", make], cwd=folder, check=True, timeout=60)
    text = calibrate(folder, *check.split(), samples=None)
    number = re.compile(r"\d+\.\d\d")
    line = text.splitlines()[-1]
    assert number.sub("", line) == number.sub("", said), text
    # the widths, to a hundredth of those on the page
    for here, there in zip(number.findall(line), number.findall(said)):
        assert abs(float(here) / float(there) - 1) < 0.01, (line, said)


def read_recipe():
    """The line in README.md under "Use your own data" after calibrate.sh."""
    text = (ROOT / "README.md").read_text().split("## Use your own data")[1]
    line = re.search(r"^\./pipelines/calibrate\.sh (.*)$", text, re.M)[1]
    assert "--mirror near.oct deep.oct" in line, line
    return line.split()


def record(folder, name, spectra):
    launch(folder, f"{spectra} ! octrawsink location={name}")


def check_recipe(folder, recipe, samples):
    """Calibrates from near.oct and deep.oct as people read it, and plays deep.oct
    with it: there is a scale."""
    text = calibrate(folder, *recipe, samples=None)
    assert "no scale" not in text, text
    table = read_table(text)
    for before, _, after, possible in table.values():
        assert after <= 1.05 * possible and after < before, text
    columns = read_csv(folder / "calibration.csv")
    assert sorted(columns) == ["dispersion_rad", "k_index", "wavelength_nm"]
    output, _ = tap.run(
        "-v", *f"octsrc location=deep.oct num-buffers=1 ! octreconstruct mode=none "
        "calibration=calibration.csv ! fakesink".split(),
        program="gst-launch-1.0", cwd=folder)
    spacing = float(re.search(r"z-spacing=\(double\)([\d.e-]+)", output)[1])
    k = [2 * math.pi / columns["wavelength_nm"][p] * 1e9 for p in (0, -1)]
    expected = math.pi * (samples - 1) / samples / abs(k[0] - k[1])
    assert abs(spacing / expected - 1) < 0.02, (spacing, expected)
    return table


def test_recipe_of_the_readme(folder):
    """From two recordings of a mirror to images with a scale, of a spectrometer
    that the virtual system knows nothing of."""
    for name, depth in ("near", 200), ("deep", 900):
        raw = simulate(folder, f"{name}.raw", depth=depth, lines=8, seed=depth)
        record(folder, name, f"octsrc location={raw} samples={SAMPLES} lines=8")
    recipe = read_recipe()
    check_recipe(folder, recipe, SAMPLES)
    check_positions(read_csv(folder / "calibration.csv"))


def test_recipe_with_the_cscan(folder):
    """The same of its mirrors, which lie on either side: the one option is the
    other one."""
    data = pathlib.Path(os.environ.get(
        "OCT_TEST_DATA", ROOT.parent / "shared" / "data" / "cscan"))
    if not (data / "mirror1.npy").exists():
        raise tap.Skip("the C-scan is not there")
    recipe = read_recipe()
    recipe[recipe.index("deep.oct"):recipe.index("--same-side") + 1] = [
        "--other-side", "deep.oct"]
    for name, number in ("near", 2), ("deep", 1):
        values = (data / f"mirror{number}.npy").read_bytes()
        header = 10 + struct.unpack("<H", values[8:10])[0]
        assert b"'<f4'" in values[:header], values[:header]
        spectrum = array.array("f", values[header:])
        # octrawsink records counts
        (folder / f"{name}.raw").write_bytes(array.array(
            "H", (round(1e4 * v) for v in spectrum)).tobytes())
        record(folder, name, f"octsrc location={name}.raw "
               f"samples={len(spectrum)} lines=1")
    check_recipe(folder, recipe, len(spectrum))


def find_power(folder, spectra):
    """dB of the A-scans of one B-scan of tissue."""
    launch(folder, f"{spectra} ! octdcsub ! octkresample ! octdispersion ! octfft"
           " ! filesink location=ascans.bin")
    data = array.array("f", (folder / "ascans.bin").read_bytes())
    return [10 * math.log10(data[i] ** 2 + data[i + 1] ** 2 + 1e-6)
            for i in range(0, len(data), 2)]


def correlate(a, b):
    ma, mb = sum(a) / len(a), sum(b) / len(b)
    ab = sum((x - ma) * (y - mb) for x, y in zip(a, b))
    return ab / math.sqrt(sum((x - ma) ** 2 for x in a)
                          * sum((y - mb) ** 2 for y in b))


def test_tissue(folder):
    """An image of tissue becomes that of the true calibration."""
    names = [see(folder, depth) for depth in (150, 1100)]
    calibrate(folder, "--mirror", *names, "--same-side", "--output", "c.csv",
              samples=VIRTUAL)
    launch(folder, "octsrc lines=64 bscans=1 num-buffers=1 ! filesink "
           "location=tissue.raw")
    stored = f"octsrc location=tissue.raw samples={VIRTUAL} lines=64"
    ideal = find_power(folder, "octsrc lines=64 bscans=1 num-buffers=1")
    ours = correlate(ideal, find_power(folder, f"{stored} calibration=c.csv"))
    rough = correlate(ideal, find_power(
        folder, f"{stored} wavelength-min=790 wavelength-max=900"))
    print(f"# correlation with the true image: {ours:.3f}, with linear "
          f"wavelengths alone {rough:.3f}", flush=True)
    # and tissue is not a mirror
    refuse(folder, "--mirror", "tissue.raw", samples=VIRTUAL,
           says=["one mirror alone"])
    refuse(folder, "--mirror", "tissue.raw", "--lines", 1, "--each-bscan",
           "--same-side", samples=VIRTUAL, says=["mirror"])
    assert ours > 0.9 and 1 - ours < 0.5 * (1 - rough), (ours, rough)


def test_cscan(folder):
    """The mirrors of the C-scan become as narrow as with the calibration that
    comes with it, or narrower."""
    data = pathlib.Path(os.environ.get(
        "OCT_TEST_DATA", ROOT.parent / "shared" / "data" / "cscan"))
    if not (data / "mirror1.npy").exists():
        raise tap.Skip("the C-scan is not there")
    mirrors = ["--mirror", data / "mirror2.npy", "--other-side",
               data / "mirror1.npy"]
    ours = read_table(calibrate(
        folder, *mirrors, "--output", "c.csv", samples=None))
    theirs = read_table(calibrate(
        folder, "--check", data / "calibration.csv", *mirrors, samples=None))
    for name, (before, at, after, possible) in ours.items():
        print(f"# {name} at bin {at}: {before} bins wide without calibration, "
              f"{theirs[name][2]} with its own, {after} with this", flush=True)
        assert after <= theirs[name][2] + 0.005, (name, after, theirs[name])
        assert after < 0.35 * before
    launch(folder, f"octsrc location={data}/cscan_100x100x1024_u16.raw "
           "samples=1024 lines=100 num-buffers=2 calibration=c.csv ! "
           "octreconstruct ! fakesink")


tap.main(globals())
