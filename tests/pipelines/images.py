# SPDX-License-Identifier: LGPL-2.1-or-later
"""--depth-um, --average, --background, --window and --speckle of oct-convert, oct-demo
and oct-record: the same names and the same images as of the elements they stand for.
Output is TAP."""
import math
import os
import pathlib
import subprocess
import sys
import tempfile

SAMPLES, LINES, BSCANS = 1024, 64, 6
FIRST_NM, LAST_NM = 790.0, 900.0
LIMIT = 120  # seconds
ALL = ["--depth-um", "200", "900", "--average", "2", "--background", "median",
       "--window", "blackman", "--speckle"]


def depths():
    """First bin and number of bins of 200 to 900 um of tissue, whose index is 1.38."""
    span = 2 * math.pi * (1e9 / FIRST_NM - 1e9 / LAST_NM)
    step = math.pi * (SAMPLES - 1) / (SAMPLES * span) / 1.38 * 1e6
    return round(200 / step), round(900 / step) - round(200 / step)


def run(folder, *arguments, status=0):
    result = subprocess.run(
        [*arguments], cwd=folder, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT)
    assert result.returncode == status, result.stdout
    return result.stdout


def launch(folder, line):
    return run(folder, "gst-launch-1.0", "-v", *line.split())


def program(name):
    return os.environ[f"OCT_{name}"]


def of_file():
    return ["--samples", str(SAMPLES), "--lines", str(LINES), "--calibration", "c.csv"]


def convert(folder, output, *options):
    run(folder, program("CONVERT"), "scan.raw", "--bscans", str(BSCANS), "--output",
        output, "--format", "npy", *of_file(), *options)
    return (folder / output / "scan.npy").read_bytes()


def test_convert(folder):
    start, bins = depths()
    found = convert(folder, "options", "--min", "0", "--max", "90", *ALL)
    launch(folder, f"octsrc location=scan.raw samples={SAMPLES} lines={LINES} "
           f"bscans={BSCANS} calibration=c.csv ! octreconstruct mode=median "
           f"window=blackman range=manual min=0 max=90 depth-start={start} "
           f"depth-bins={bins} ! octaverage frames=2 ! octspeckle ! octvolumesink "
           "location=elements.npy")
    assert found == (folder / "elements.npy").read_bytes()
    assert f"({BSCANS}, {bins}, {LINES})".encode() in found[:128], found[:128]


def test_each_changes(folder):
    """None of them is without effect, nor does one stand for another."""
    results = [convert(folder, "plain")]
    for i, option in enumerate((["--depth-um", "200", "900"], ["--average", "2"],
                                ["--background", "median"], ["--window", "blackman"],
                                ["--speckle"])):
        results.append(convert(folder, f"option{i}", *option))
    assert len(set(results)) == len(results)


def test_demo(folder):
    said = run(folder, program("DEMO"), "--data", "scan.raw", *of_file(), "--frames",
               "2", "--output", "out", *ALL)
    assert f"{depths()[1]} depths" in said, said


def test_record(folder):
    run(folder, program("RECORD"), "--output", "r", "--data", "scan.raw", *of_file(),
        "--lossless", "--line-rate", "1000", "--seconds", "1", *ALL)
    said = launch(folder, "filesrc location=r-lossless-00000.mkv ! matroskademux ! "
                  "fakesink")
    assert f"height=(int){depths()[1]}," in said, said


def test_refused(folder):
    for options, sentence in (
            (["--depth-um", "900", "200"], "the smaller one first"),
            (["--depth-um", "1", "2", "--depth-start", "3"], "one or the other"),
            (["--average", "0"], "1 to 256"),
            (["--window", "foo"], "--window is one of hann, none,"),
            (["--background", "foo"], "--background is one of ")):
        for name, more, status in (
                ("CONVERT", ["scan.raw", "--output", "x"], 2),
                ("DEMO", ["--data", "scan.raw", "--output", "x"], None),
                ("RECORD", ["--data", "scan.raw", "--output", "x"], None)):
            result = subprocess.run(
                [program(name), *more, *of_file(), *options], cwd=folder, text=True,
                stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
            assert result.returncode in ([status] if status else (1, 2)), result
            assert sentence in result.stderr, (name, options, result.stderr)


def main():
    tests = [test for name, test in globals().items() if name.startswith("test_")]
    if "OCT_RECORD" not in os.environ:
        tests.remove(test_record)
        tests.remove(test_refused)
    failed = 0
    print(f"1..{len(tests)}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        launch(folder, f"octsrc samples={SAMPLES} lines={LINES} bscans={BSCANS} "
               f"num-buffers={BSCANS} ! filesink location=scan.raw")
        (folder / "c.csv").write_text("wavelength_nm\n" + "".join(
            f"{FIRST_NM + (LAST_NM - FIRST_NM) * i / (SAMPLES - 1):.9f}\n"
            for i in range(SAMPLES)))
        for number, test in enumerate(tests, 1):
            try:
                test(folder)
                print(f"ok {number} - {test.__name__}", flush=True)
            except (AssertionError, OSError, subprocess.SubprocessError) as error:
                failed += 1
                print(f"not ok {number} - {test.__name__}: {error!r}".replace("#", ""),
                      flush=True)
    sys.exit(failed > 0)


main()
