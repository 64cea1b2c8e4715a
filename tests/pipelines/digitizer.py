# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-record with a digitizer, whose program is oct-daq-sim: a k-clock, A-lines that
are lost, a program that dies, options that do not fit.  Output is TAP."""
import contextlib
import csv
import os
import pathlib
import signal
import subprocess

import tap
from recordings import RECORD, lines_until, recording, run

SIM = os.environ["OCT_DAQ_SIM"]
# a mirror at 0.5 mm, 15 B-scans per second
MIRROR = ["--phantom", "mirror", "--samples", 1024, "--lines", 64, "--bscans", 8,
          "--line-rate", 960]
DEPTH_UM = 500


@contextlib.contextmanager
def digitizer(folder, *options, name="daq"):
    """oct-daq-sim at the socket `name`, which is there."""
    socket = pathlib.Path(folder, name)
    process = subprocess.Popen([SIM, *map(str, options), name], cwd=folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        tap.until("the socket", lambda: socket.exists() or process.poll() is not None)
        assert process.poll() is None, process.stderr.read()
        yield process
    finally:
        process.kill()
        process.communicate()


def rows(path):
    return list(csv.DictReader(path.read_text().splitlines()))


def record(folder, name, *options, until):
    """Records until `until` is true of a line of progress, then Ctrl-C; what was printed
    after that and as errors."""
    with recording(folder, "--daq", "daq", "--output", name, *options) as process:
        lines_until(process, until)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 0, errors
    return output, errors


def test_mirror(folder):
    """Sizes, rates and wavelengths come from the ring: the mirror is at its depth."""
    with digitizer(folder, *MIRROR):
        record(folder, "m", "--background", "none", "--raw", "--bscans", 8, "--volume",
               until=lambda found: found["raw"].frames >= 20)
    for row in rows(folder / "m-ascans.csv"):
        assert abs(float(row["peak-um"]) - DEPTH_UM) < 2, row
    text = (folder / "m.oct").read_text(errors="replace")
    for line in "samples=1024", "lines=64", "bscans-per-volume=8", "line-rate=960":
        assert f"\n{line}\n" in text, text[:600]
    assert "k-clock" not in text


def test_k_clock(folder):
    """The channel of a k-clock is used by itself; raw spectra keep it."""
    with digitizer(folder, *MIRROR, "--k-clock", "--sweep-jitter", 1.5):
        record(folder, "k", "--background", "none", "--raw", "--clock-jitter", 2,
               until=lambda found: found["raw"].frames >= 20)
    # the clock begins and ends within the sweep, which changes the scale by 1 %
    for row in rows(folder / "k-ascans.csv"):
        assert abs(float(row["peak-um"]) - DEPTH_UM) < 0.01 * DEPTH_UM, row
    text = (folder / "k.oct").read_text(errors="replace")
    assert "\nk-clock=true\n" in text and "\nsamples=2048\n" in text, text[:600]


def test_losses(folder):
    """Lost A-lines are told; B-scans that lack some count as dropped."""
    with digitizer(folder, *MIRROR, "--lose", 0.3):
        with recording(folder, "--daq", "daq", "--output", "l", "--no-meters") as process:
            for line in process.stdout:
                if " A-lines lost" in line:
                    break
            else:
                raise AssertionError(process.stderr.read())
            lines_until(process, lambda found: found["live"].dropped > 0)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=tap.PATIENCE)
    assert "The digitizer has lost A-lines" in errors, errors


def test_a_program_that_dies(folder):
    """The recording goes on when the program of the digitizer is there again."""
    with recording(folder, "--daq", "daq", "--output", "d", "--no-meters") as process:
        with digitizer(folder, *MIRROR):
            lines_until(process, lambda found: found["video"].frames >= 5)
        before = lines_until(process, lambda found: True)["video"].frames
        with digitizer(folder, *MIRROR):
            lines_until(process, lambda found: found["video"].frames >= before + 20)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=tap.PATIENCE)
    assert process.returncode == 0, errors
    assert "has ended without closing its ring" in errors, errors
    assert "is there again" in errors or "Note:" in errors, errors


def test_a_program_with_other_sizes(folder):
    """The film of volumes goes on with B-scans of another size, and that is told."""
    other = [24 if option == 64 else option for option in MIRROR]
    with recording(folder, "--daq", "daq", "--output", "o", "--no-meters", "--volume") as process:
        with digitizer(folder, *MIRROR):
            lines_until(process, lambda found: found["volume"].frames >= 5)
        before = lines_until(process, lambda found: True)["live"].frames
        with digitizer(folder, *other):
            lines_until(process, lambda found: found["live"].frames >= before + 60)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=tap.PATIENCE)
    # the video of B-scans cannot go on
    assert "The frames changed their size" in errors, errors
    assert "Note: B-scans have 24 A-lines and " in errors and " and had 64 and " in errors, errors


def test_nobody_there(folder):
    _, errors = run("--daq", "daq", "--output", "n", cwd=folder, status=1)
    assert "Nothing answers at the socket" in errors and len(errors.splitlines()) == 1, errors
    assert not list(folder.glob("n*"))
    (folder / "daq").write_text("not a socket")
    _, errors = run("--daq", "daq", "--output", "n", cwd=folder, status=1)
    assert "daq" in errors and len(errors.splitlines()) == 1, errors


def size_of(path):
    """(width, height) of the grey image that GStreamer decodes."""
    _, width, height, _ = tap.decode(path, path.parent)
    return width, height


def test_scan(folder):
    """The virtual system looks along a Lissajous figure; images are of the raster, and
    the path is kept with the raw spectra, by which they are played again."""
    sizes = ["--lines", 40, "--bscans", 40, "--samples", 256, "--line-rate", 2000]
    with recording(folder, "--scan", "lissajous", "--size-um", "4000x1000", "--output", "s",
                   "--raw", "--lossless", "--no-meters", *sizes) as process:
        lines_until(process, lambda found: found["lossless"].frames >= 25
                    and found["raw"].frames >= 80)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 0, errors
    # 1600 pixels for 4 mm x 1 mm: 80 x 20
    width, _ = size_of(folder / "s-lossless-00000.mkv")
    assert abs(width - 80) <= 2, width
    path, = folder.glob("s*scan-path.txt")
    places = [[float(v) for v in line.split()[:2]] for line in path.read_text().splitlines()
              if line and not line.startswith("#")]
    assert len(places) == 1600
    for axis, half in (0, 2.0), (1, 0.5):
        most = max(abs(place[axis]) for place in places)
        assert 0.99 * half < most <= half, (axis, most)
    with recording(folder, "--data", "s.oct", "--output", "again", "--lossless",
                   "--no-meters") as process:
        lines_until(process, lambda found: found["lossless"].frames >= 10)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=tap.PATIENCE)
    assert size_of(folder / "again-lossless-00000.mkv")[0] == width


def test_scan_of_a_digitizer(folder):
    """The voltages reach the digitizer's program by a pipe; it ends when the beam is at
    rest."""
    os.mkfifo(folder / "volts")
    with digitizer(folder, "--samples", 256, "--lines", 40, "--bscans", 40, "--phantom",
                   "surgery", "--volts", "volts", "--volts-rate", 20000, "--block-lines", 16,
                   "--lose", 0.02) as daq:
        record(folder, "d", "--scan", "spiral", "--size-um", 4000, "--scan-rate", 20000,
               "--scanner", "gate=true", "--scan-sink",
               "audio/x-raw,format=F64LE ! filesink buffer-mode=unbuffered location=volts",
               "--lossless", "--no-meters", until=lambda found: found["lossless"].frames >= 20)
        assert daq.wait(tap.PATIENCE) == 0, daq.stderr.read()
    width, _ = size_of(folder / "d-lossless-00000.mkv")
    assert abs(width - 40) <= 2, width


def test_names(folder):
    """A socket has any name that people give it."""
    name = "Gerät \"2\" \\ n.daq"
    with digitizer(folder, *MIRROR, name=name):
        with recording(folder, "--daq", name, "--output", "g", "--no-meters") as process:
            lines_until(process, lambda found: found["video"].frames > 0)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=tap.PATIENCE)
    assert process.returncode == 0, errors


def test_a_delay_without_a_clock(folder):
    """Options of a k-clock are not left out without a word."""
    with digitizer(folder, *MIRROR):
        for options in ["--clock-delay", 3], ["--clock-jitter", 2]:
            _, errors = run("--daq", "daq", *options, "--output", "c", cwd=folder, status=1)
            assert "no channel of one" in errors and len(errors.splitlines()) == 1, errors
    assert not list(folder.glob("c*"))


def test_wrong_options(folder):
    for options, said in (
            (["--daq", "daq", "--data", "x.raw"], "Only one of"),
            (["--daq", "daq", "--source", "octsrc"], "Only one of"),
            (["--daq", "daq", "--oct-camera", "first"], "Only one of"),
            (["--daq", "daq", "--samples", 512], "ring of --daq says"),
            (["--daq", "daq", "--lines", 64], "ring of --daq says"),
            (["--daq", "daq", "--line-rate", 1000], "ring of --daq says"),
            (["--daq", ""], "--daq is the path"),
            (["--scan", "circle"], "--scan is raster"),
            (["--scan", "spiral", "--size-um", "1x"], "--size-um is"),
            (["--scan", "spiral", "--centre-um", "x"], "--centre-um is"),
            (["--scan", "spiral", "--source", "octsrc"], "leave out --data"),
            (["--scan", "spiral", "--flow"], "each place once"),
            (["--scan", "spiral", "--volume", "--width-um", 9], "its size from --size-um"),
            (["--scan-sink", "fakesink"], "belong to --scan"),
            (["--clock-delay", 2], "belong to --daq"),
            (["--clock-jitter", 2], "belong to --daq"),
            (["--daq", "daq", "--clock-delay", "nan"], "-1000 to 1000"),
            (["--daq", "daq", "--clock-jitter", 33], "0 to 32"),
            (["--daq", "daq", "--clock-jitter", -1], "0 to 32")):
        _, errors = run(*options, "--output", "w", cwd=folder, status=2)
        assert said in errors and len(errors.splitlines()) == 1, (options, errors)


assert RECORD
tap.main(globals())
