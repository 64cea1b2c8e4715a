# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs oct-convert on recordings of scans along paths (--remap) and of scans that run back
and forth (--flip).  Output is TAP."""
import os
import re
import subprocess

import tap
from archive import count, manifest, numpy, run
from tap import Skip

DAQ_SIM = os.environ["OCT_DAQ_SIM"]
SIZE = 128          # pixels of the sample's side
SAMPLES = 512
RATE = 100000
SAMPLE = 6          # mm, the side of the sample
STEP = SAMPLE / SIZE * 1e-3  # m
GRID = f"columns={SIZE} rows={SIZE} x-spacing={STEP} y-spacing={STEP}"
RASTER = f"pattern=raster lines={SIZE} bscans={SIZE} width={SAMPLE} height={SAMPLE}"
# as many A-lines for an area as the raster has
SPIRAL = f"pattern=spiral lines={SIZE} bscans={round(SIZE * 0.7854)} width={SAMPLE}"
# As a multiple of a real camera's, which hides how pictures are interpolated, as the noise
# of docs/elements/octremap.md does.
NOISE = 4
# The mean of a B-scan would have a part of the sample in it.
BACKGROUND = ["--background", "fixed-pattern-scaled"]
BLACK, WHITE = 32, 70  # dB, black is above the noise
BRIGHT = 60            # mean grey level that is white from above
# Decibels that the spiral may be worse than the raster (docs/instrument.md).
WORSE = 1.5


def record(folder, name, *settings):
    """Keeps B-scans of the virtual system as NAME.oct."""
    if numpy is None:
        raise Skip("NumPy is not installed")
    tap.run("-q", "octsrc", *settings, "!", "octrawsink", f"location={name}",
            program="gst-launch-1.0", cwd=folder)


def scan(folder, name, pattern, *options):
    """Keeps a volume of a sample that does not move, as NAME.oct: octscangen moves the
    mirrors of oct-daq-sim.  The path lies beside it."""
    if numpy is None:
        raise Skip("NumPy is not installed")
    tap.run("-q", "octscangen", *pattern.split(), f"line-rate={RATE}", "gate=true", "volumes=1",
            "limit-amplitude-x=6", "limit-amplitude-y=6", "scan-output=path.txt", "!",
            "audio/x-raw,format=F64LE", "!", "filesink", "location=volts.raw",
            program="gst-launch-1.0", cwd=folder)
    sizes = dict(pair.split("=") for pair in pattern.split())
    with subprocess.Popen(
            [DAQ_SIM, "--volts", "volts.raw", "--volts-rate", str(RATE), "--samples", str(SAMPLES),
             "--lines", sizes["lines"], "--bscans", sizes["bscans"], "--phantom", "surgery",
             "--still", "--sample-columns", str(SIZE * 3 // 2), "--lossless", "--readers", "1",
             *options, "daq"], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL) as simulated:
        try:
            tap.run("-q", "octdaqsrc", "socket=daq", "reconnect=false", "timeout=60000",
                    "scan-file=path.txt", "!", "octrawsink", f"location={name}",
                    program="gst-launch-1.0", cwd=folder)
            assert simulated.wait(tap.PATIENCE) == 0
        finally:
            simulated.kill()


def convert(folder, name, *more, status=0):
    return run(f"{name}.oct", "--output", "out", "--format", "npy", *more, cwd=folder,
               status=status)


def see(ascans):
    """The picture from above, 0 to 255: grey levels of A-scans, averaged over depths."""
    grey = (20 * numpy.log10(numpy.abs(ascans) + 1e-9) - BLACK) / (WHITE - BLACK)
    mean = 255 * numpy.clip(grey, 0, 1).mean(2)
    return numpy.clip(255 / BRIGHT * mean, 0, 255)


def find_truth(folder):
    """A-scans of a raster without noise, by their formula in double precision: the sum of
    the samples with the window of Hann, each with the phase of its wavenumber."""
    scan(folder, "clean", RASTER, "--noise", "0")
    path, = folder.glob("clean-*.raw")
    spectra = numpy.fromfile(path, "<u2").reshape(SIZE, SIZE, SAMPLES).astype(float)
    spectra -= spectra.mean((0, 1))
    k = 1 / numpy.linspace(790, 900, SAMPLES)
    u = (k[0] - k) / (k[0] - k[-1])
    # samples are as far apart in wavenumbers as `step`, and each counts as much
    step = numpy.abs(numpy.gradient(u)) * (SAMPLES - 1)
    window = step * (0.5 - 0.5 * numpy.cos(2 * numpy.pi * u))
    bins = numpy.arange(SAMPLES // 2)
    turns = numpy.exp(2j * numpy.pi * numpy.outer(u * (SAMPLES - 1) / SAMPLES, bins))
    return (spectra * window) @ turns


def test_spiral(folder):
    """The raster that is made of a spiral is as near to the truth as one that was taken,
    as A-scans and as images."""
    scan(folder, "raster", RASTER, "--noise", str(NOISE))
    scan(folder, "spiral", SPIRAL, "--noise", str(NOISE))
    convert(folder, "raster", "--ascans", *BACKGROUND)
    convert(folder, "spiral", "--ascans", *BACKGROUND, "--remap", "--remap-settings", GRID)
    truth = find_truth(folder)
    y, x = numpy.indices((SIZE, SIZE)) - (SIZE - 1) / 2
    # within the spiral, without its rim
    inside = x ** 2 + y ** 2 < (0.46 * SIZE) ** 2
    taken = numpy.load(folder / "out/raster.npy")
    assert taken.shape == truth.shape, taken.shape
    # what one count becomes
    gain = numpy.abs(taken).sum() / numpy.abs(truth).sum()

    def psnr(ascans):
        found = see(ascans) - see(gain * truth)
        return 10 * numpy.log10(255 ** 2 / (found[inside] ** 2).mean())

    mapped = numpy.load(folder / "out/spiral.npy")
    assert mapped.shape == taken.shape and mapped.dtype == taken.dtype
    # beyond the spiral nothing was measured
    assert not mapped[:3, :3].any() and not mapped[-3:, -3:].any()
    print(f"# raster {psnr(taken):.2f} dB, spiral {psnr(mapped):.2f} dB")
    assert psnr(taken) > 22, psnr(taken)
    assert psnr(mapped) > psnr(taken) - WORSE, (psnr(mapped), psnr(taken))
    # turned, it is not near
    assert psnr(mapped.swapaxes(0, 1)) < psnr(mapped) - 2, psnr(mapped.swapaxes(0, 1))


SMALL = 24


def small(folder, name, bscans, *settings):
    record(folder, name, f"samples={SMALL * 4}", f"lines={SMALL}", f"bscans={SMALL}",
           f"num-buffers={bscans}", "noise=0", *settings)


def back_and_forth(folder):
    """The recording `forth` again as `back`, with every second B-scan backwards."""
    small(folder, "forth", SMALL, "phantom=surgery", "scan=raster")
    spectra = numpy.fromfile(folder / "forth-00000.raw", "<u2").reshape(SMALL, SMALL, -1)
    spectra[1::2] = spectra[1::2, ::-1]
    spectra.tofile(folder / "back-00000.raw")
    (folder / "back.oct").write_text((folder / "forth.oct").read_text())
    rows = [line for line in (folder / "forth-scan-path.txt").read_text().splitlines()
            if re.match(r"-?\d", line)]
    rows = [rows[i * SMALL:(i + 1) * SMALL] for i in range(SMALL)]
    rows[1::2] = [row[::-1] for row in rows[1::2]]
    (folder / "back-scan-path.txt").write_text("\n".join("\n".join(row) + "\n" for row in rows))


def load(folder, name):
    return numpy.load(folder / f"out/{name}.npy")


GREY = ["--min", "10", "--max", "80"]


def test_a_raster_back_and_forth(folder):
    """With its path it becomes the raster in one direction; without, --flip turns it."""
    back_and_forth(folder)
    convert(folder, "forth", *GREY)
    taken = load(folder, "forth")
    assert taken.std() > 5
    convert(folder, "back", *GREY)
    assert (load(folder, "back") != taken).any()
    # each A-line is the nearest of its pixel, in one direction and in both
    nearest = ["--remap", "--remap-settings", "method=nearest columns=24 rows=24"]
    for name in "forth", "back":
        assert count(convert(folder, name, *GREY, *nearest), "converted") == 1
        assert (load(folder, name) == taken).all(), name
        assert count(convert(folder, name, *GREY, *nearest), "done before") == 1
    assert count(convert(folder, "back", *GREY, "--flip", "way-back=odd"), "converted") == 1
    assert (load(folder, "back") == taken).all()
    # upside down, which says nothing about the path
    convert(folder, "back", *GREY, *nearest, "--flip", "depth=true")
    assert (load(folder, "back") == taken[:, ::-1]).all()
    # late by three A-lines on both ways
    convert(folder, "back", *GREY, "--flip", "way-back=odd way-back-shift=3")
    shifted = load(folder, "back")
    assert (shifted[::2] == taken[::2]).all() and (shifted[1::2] != taken[1::2]).any()


def test_sizes(folder):
    """Those of the path are in the file, and --width-um is of the raster."""
    small(folder, "s", SMALL, "scan=lissajous", "scan-width=3")
    run("s.oct", "--output", "out", "--remap", "--remap-settings", "columns=40 rows=30", cwd=folder)
    header = (folder / "out/s.nii").read_bytes()
    sizes = numpy.frombuffer(header[40:56], "<i2")
    zooms = numpy.frombuffer(header[76:108], "<f4")
    assert sorted(sizes[1:4]) == sorted([40, 30, 2 * SMALL]), sizes
    # 3 mm, but for half an A-line at the turning points
    assert numpy.allclose(zooms[1] * 39, 3, rtol=0.01) and numpy.allclose(
        zooms[3] * 29, 3, rtol=0.01), zooms


def test_the_end_of_a_recording(folder):
    """B-scans that are missing in the last volume are told, and not black."""
    small(folder, "s", SMALL + 10, "scan=lissajous")
    text = convert(folder, "s", "--remap", *GREY, status=3)
    assert "2 volumes, 14 B-scans of the path are missing" in text, text
    assert count(text, "converted") == 1
    assert manifest(folder)[0]["message"].startswith("14 B-scans of the path"), manifest(folder)
    # those of the volume before are in their places
    first, last = load(folder, "s"), numpy.load(folder / "out/s-1.npy")
    assert first.shape == last.shape and abs(first.mean() - last.mean()) < 0.2 * first.mean()


def test_no_path(folder):
    """A sentence says so, and the others go on."""
    small(folder, "plain", SMALL)
    small(folder, "s", SMALL, "scan=rosette")
    text = run("plain.oct", "s.oct", "--output", "out", "--format", "npy", "--remap", cwd=folder,
               status=1)
    assert (count(text, "converted"), count(text, "failed")) == (1, 1), text
    assert "keeps no scan path" in text and "leave out --remap" in text, text
    # a path of another scan
    (folder / "plain-scan-path.txt").write_text("0 0\n1 1\n\n2 2\n3 3\n")
    text = convert(folder, "plain", "--remap", status=1)
    failed = text[text.index("Failed:"):]
    assert "plain-scan-path.txt" in failed and "keeps no scan path" in failed, text
    assert "plain-scan-path.txt" in manifest(folder)[-1]["message"], manifest(folder)
    text = convert(folder, "s", "--remap", "--bscans", SMALL // 2, status=1)
    assert "set --lines and --bscans" in text and "`" not in text, text
    assert "not begun" in text and not list((folder / "out").glob("plain*"))


def test_the_path_is_an_input(folder):
    """With another path the volume is made again."""
    small(folder, "s", SMALL, "scan=lissajous")
    convert(folder, "s", "--remap", *GREY)
    assert count(convert(folder, "s", "--remap", *GREY), "done before") == 1
    before = load(folder, "s")
    path = folder / "s-scan-path.txt"
    path.write_text(re.sub(r"^(-?[0-9]\S*) (\S+)", r"\2 \1", path.read_text(), flags=re.M))
    assert count(convert(folder, "s", "--remap", *GREY), "converted") == 1
    assert (load(folder, "s") != before).any()


def test_wrong_options(folder):
    for arguments, named in (
            (["--remap-settings", "columns=9"], "belongs to --remap"),
            (["--remap", "--flow"], "leave one out"),
            (["--remap", "--doppler"], "leave one out"),
            (["--remap", "--crop-start", 3], "--crop-start"),
            (["--flip", "depth=true", "--ascans"], "--flip is for images"),
            (["--remap", "--remap-settings", "columns"], "'columns'"),
            (["--remap", "--remap-settings", "columns="], "'columns='"),
            (["--remap", "--remap-settings", "columns=70000"], "cannot have this value"),
            (["--remap", "--remap-settings", "columns=-1"], "cannot have this value"),
            (["--remap", "--remap-settings", "delay-x=nan"], "cannot have this value"),
            (["--remap", "--remap-settings", "method=best"], "cannot have this value"),
            (["--remap", "--remap-settings", "holes=3"], "does not have this property"),
            (["--remap", "--remap-settings", "name=x"], "does not have this property"),
            (["--remap", "--remap-settings", "rows=9 ! fakesink"], "'!'"),
            (["--flip", "upside=down"], "does not have this property"),
            (["--remap", "--flip", "way-back=odd"], "--flip sets way-back"),
            (["--remap", "--flip", "lateral=true"], "--flip sets lateral")):
        text = run("x.oct", "--output", "o", *arguments, cwd=folder, status=2)
        assert named in text and "--help" in text and len(text.splitlines()) == 1, text
    assert not list(folder.iterdir())


tap.main(globals())
