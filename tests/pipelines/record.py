# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records with record.sh and its program and checks the files: their contents,
their access rights, and refused options.  Failures meanwhile: record-losses.py.
Output is TAP."""
import array
import contextlib
import csv
import os
import pathlib
import re
import signal
import subprocess
import time

import tap
from recordings import (
    BSCAN, LINES, RATE, RECORD, RECORD_SH, ROOT, SAMPLES, SMALL, count,
    lines_until, modes, play_spectra, quiet, recording, report, run)
from tap import decode, spread


# ----------------------------------------------------------- what is recorded

def check_parts(folder, output):
    """Files of a recording by the name of surgery: every part can be played
    alone.  How many there are."""
    frames, _, parts = report(output)["video"]
    files = sorted(folder.iterdir())
    assert [f.name for f in files] == [
        f"surgery-{n:05}.mkv" for n in range(parts)] + [
        f"surgery-{of}.csv" for of in ("ascans", "meters", "spectra")], files
    files = files[:parts]
    assert sum(count(f, folder) for f in files) == frames, (frames, files)
    _, width, height, last = decode(files[-1], folder)
    assert (width, height) == (160, 128)
    mean, deviation = spread(last)
    assert deviation > 15, f"flat video: {mean:.0f} +- {deviation:.0f}"
    return parts


def test_seconds_by_script(folder):
    """As a user calls it: so much is recorded, and then it ends."""
    output, errors = run("--output", "a/surgery", "--seconds", 5, *SMALL,
                         program=RECORD_SH, cwd=folder)
    assert quiet(errors) == "", errors
    assert check_parts(folder / "a", output) == 1
    minutes, seconds = re.search(r"^video: .*\((\d+):(\d+), ", output, re.M).groups()
    assert 60 * int(minutes) + int(seconds) >= 5, output


def test_parts(folder):
    """The next one is begun while the recording goes on."""
    with recording(folder, "--output", "a/surgery", "--part-seconds", 2,
                   *SMALL) as process:
        lines_until(process, lambda _: (folder / "a/surgery-00002.mkv").exists())
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 0 and quiet(errors) == "", errors
    assert check_parts(folder / "a", output) >= 3


def read_csv(path):
    return list(csv.DictReader(path.read_text().splitlines()))


def test_measurements(folder):
    """The measurements are in a file next to the recording, once a second, in
    numbers that are those of the virtual system; there is none if they are not
    wanted, and no file is overwritten."""
    tables = [folder / f"x-{of}.csv" for of in ("spectra", "ascans")]
    with recording(folder, "--output", "x", "--raw", *SMALL) as process:
        lines_until(process, lambda _: all(
            table.exists() and len(read_csv(table)) >= 3 for table in tables))
        process.send_signal(signal.SIGINT)
        output = process.stdout.read()
        assert process.wait(tap.PATIENCE) == 0, process.stderr.read()
    minutes, seconds = re.search(r"^video: .*\((\d+):(\d+), ", output, re.M).groups()
    for of, field, least, most in (("spectra", "centre-nm", 844, 846),
                                   ("spectra", "fwhm-nm", 48, 52),
                                   ("ascans", "snr", 15, 80)):
        rows = read_csv(folder / f"x-{of}.csv")
        # one each second, of which a busy machine may leave some out
        assert 3 <= len(rows) <= 60 * int(minutes) + int(seconds) + 2, rows
        values = [float(row[field]) for row in rows]
        assert least < min(values) and max(values) < most, (field, values)
        summary, = (row for row in read_csv(folder / "x-meters.csv")
                    if (row["of"], row["field"]) == (of, field))
        assert int(summary["measurements"]) == len(values)
        for name, value in (("least", min(values)), ("most", max(values)),
                            ("mean", sum(values) / len(values))):
            assert abs(float(summary[name]) - value) < 1e-6 * abs(value)
    # beside the video, which is first, and once
    assert sorted(f.name for f in folder.glob("*.csv")) == [
        "x-ascans.csv", "x-meters.csv", "x-spectra.csv"]
    assert set(modes(folder)[f"x-{of}.csv"] for of in
               ("ascans", "meters", "spectra")) == {0o600}
    run("--output", "y", "--no-meters", "--seconds", 2, *SMALL, cwd=folder)
    assert not list(folder.glob("y*.csv"))
    (folder / "z-spectra.csv").write_text("mine")
    _, errors = run("--output", "z", "--seconds", 2, *SMALL, cwd=folder,
                    status=1)
    assert "z-spectra.csv" in errors, errors
    assert [f.name for f in folder.glob("z*")] == ["z-spectra.csv"]
    assert (folder / "z-spectra.csv").read_text() == "mine"
    run("--output", "u", "--mode", "0640", "--seconds", 2, *SMALL, cwd=folder)
    assert modes(folder)["u-spectra.csv"] == 0o640


def test_instrument(folder):
    """Calibration and method are kept under a name and used again: what is
    measured has the wavelengths, without the file being named."""
    (folder / "spectrometer.csv").write_text("wavelength_nm\n" + "".join(
        f"{1300 + 0.25 * p}\n" for p in range(SAMPLES)))
    data = os.urandom(SAMPLES * LINES * 2)
    (folder / "spectra.raw").write_bytes(
        bytes(b if i % 2 == 0 else b & 7 for i, b in enumerate(data)))
    keep = {**os.environ, "XDG_DATA_HOME": str(folder / "kept")}

    def record(*arguments, status=0):
        result = subprocess.run(
            [RECORD, "--data", "spectra.raw", *map(str, SMALL), "--seconds",
             "2", *arguments], cwd=folder, env=keep, text=True,
            capture_output=True, timeout=tap.PATIENCE)
        assert result.returncode == status, result.stderr
        return result.stderr

    errors = record("--output", "none", "--instrument", "Bench 3", status=1)
    assert "--save-instrument" in errors, errors
    errors = record("--output", "none", "--save-instrument", "a]b", status=1)
    assert "brackets" in errors, errors
    errors = record("--output", "none", "--window", "glass", status=1)
    assert "hann, none, hamming, blackman, tukey, gaussian" in errors, errors
    assert "'glass'" in errors and len(errors.splitlines()) == 1, errors
    record("--output", "a", "--calibration", "spectrometer.csv", "--method",
           "nufft", "--window", "blackman", "--save-instrument", "Bench 3")
    record("--output", "b", "--instrument", "Bench 3")
    for name in "a", "b":
        values = [float(row["centre-nm"])
                  for row in read_csv(folder / f"{name}-spectra.csv")]
        assert all(1300 < v < 1364 for v in values) and values, values
        assert float(read_csv(folder / f"{name}-ascans.csv")[0]["peak-um"]) > 0
        # widths at half the maximum, of a flat spectrum: 2.35 bins to 2.00
        ratios = [float(row["resolution-window-um"]) / float(row["resolution-hann-um"])
                  for row in read_csv(folder / f"{name}-spectra.csv")]
        assert all(1.1 < ratio < 1.25 for ratio in ratios), ratios
    errors = record("--output", "c", "--instrument", "Bench 4", status=1)
    assert "Bench 3" in errors and len(errors.splitlines()) == 1, errors
    assert not list(folder.glob("c*"))


def test_calibration_beside_an_instrument(folder):
    """A file on the command line takes the place of all that an instrument
    knows of the spectrometer: nothing of that bends the new one."""
    (folder / "new.csv").write_text("wavelength_nm,background\n" + "".join(
        f"{800 + 0.5 * p},{p}\n" for p in range(SAMPLES)))
    (folder / "old.raw").write_bytes(bytes(2 * SAMPLES))
    data = os.urandom(SAMPLES * LINES * 2) * RATE
    (folder / "spectra.raw").write_bytes(
        bytes(b if i % 2 == 0 else b & 7 for i, b in enumerate(data)))
    keep = {**os.environ, "XDG_DATA_HOME": str(folder / "kept")}

    def record(*arguments):
        result = subprocess.run(
            [RECORD, "--data", "spectra.raw", *map(str, SMALL), "--seconds",
             "1", "--raw", "--no-video", *arguments], cwd=folder, env=keep,
            text=True, capture_output=True, timeout=tap.PATIENCE)
        assert result.returncode == 0, result.stderr
        return result.stderr

    def calibration(name):
        """The calibration in a recording's text, k-index first."""
        text = (folder / f"{name}.oct").read_text()
        return [line for line in text.splitlines() if re.match(
            "(positions|nodes|dispersion|background|k-m)", line)]

    # an instrument that would change all of it, by hand
    record("--output", "a", "--calibration", "new.csv", "--save-instrument",
           "Bench 3")
    preset = next((folder / "kept").rglob("*.prs"))
    kept = preset.read_text()
    assert "calibration=" in kept, kept
    kept = re.sub(r"^calibration=.*$", "", kept, flags=re.M)
    for name, value in (
            ("wavelength-min", 1200.0), ("wavelength-max", 1300.0),
            ("flip", "true"), ("k-warp", r"0\,0\,0.02"), ("a2", 90.0),
            ("a3", -20.0), ("phase2", 5.0), ("phase3", 6.0),
            ("background", str(folder / "old.raw")), ("mode", "background")):
        kept = re.sub(rf"^{name}=.*$\n", "", kept, flags=re.M)
        kept = kept.rstrip("\n") + f"\n{name}={value}\n"
    preset.write_text(kept)
    record("--output", "old", "--instrument", "Bench 3")
    errors = record("--output", "b", "--instrument", "Bench 3",
                    "--calibration", "new.csv")
    assert "Note" not in errors, errors
    for a, b in zip(calibration("a"), calibration("b")):
        assert a == b, (a[:200], b[:200])
    names = [[line.split("=")[0] for line in calibration(n)] for n in "ab"]
    assert names[0] == names[1] and len(names[0]) == 5, names
    assert calibration("old") != calibration("a")
    # dispersion and mode are not in there: kept once more they are seen
    record("--output", "c", "--instrument", "Bench 3", "--calibration",
           "new.csv", "--save-instrument", "Bench 4")
    again = preset.read_text().split("[Bench 4]")[1]
    # the contrast is that of the instrument: black as night here
    kept, changed = preset.read_text().split("[Bench 4]")
    for name, value in ("range", "manual"), ("min", 200.0), ("max", 300.0):
        changed = re.sub(rf"^{name}=.*$", f"{name}={value}", changed, flags=re.M)
    preset.write_text(f"{kept}[Bench 4]{changed}")
    for name, dark in ("Bench 3", False), ("Bench 4", True):
        output = name.replace(" ", "")
        subprocess.run(
            [RECORD, "--data", "spectra.raw", *map(str, SMALL), "--seconds",
             "1", "--output", output, "--instrument", name, "--calibration",
             "new.csv"], cwd=folder, env=keep, check=True,
            capture_output=True, timeout=tap.PATIENCE)
        mean, _ = spread(decode(f"{output}-00000.mkv", folder)[3])
        assert (mean < 20) == dark, (name, mean)
    for name in "a2", "a3", "phase2", "phase3":
        assert float(re.search(rf"^{name}=(.*)$", again, re.M)[1]) == 0, again
    assert re.search("^mode=background$", again, re.M), again
    assert not re.search("^background=", again, re.M), again


def test_files_of_others(folder):
    """Thorlabs' files have the suffix of recordings and say no rate; sizes are
    those of the file, and names of arrays can be given."""
    vectors = ROOT / "tests" / "unit" / "vectors" / "files"
    run("--output", "x", "--data", vectors / "thorlabs.oct", "--no-video",
        "--raw", "--no-meters", "--seconds", 1, cwd=folder)
    text = (folder / "x.oct").read_text()
    lines = int(re.search(r"^lines=(\d+)", text, re.M)[1])
    rate = float(re.search(r"^line-rate=(.*)", text, re.M)[1])
    assert rate == RATE * lines, text
    (folder / "c.csv").write_text("k_index\n0\n1\n2\n3\n")
    for name, option in (("two.mat", "--variable"), ("two.h5", "--dataset")):
        wanted = "spectra" if option == "--variable" else "a/spectra"
        common = ["--data", vectors / name, "--no-video", "--raw",
                  "--calibration", "c.csv", "--no-meters", "--seconds", 1]
        _, errors = run("--output", "none", *common, cwd=folder, status=1)
        if "-dev" in errors:  # built without the library
            continue
        assert wanted in errors, errors
        run("--output", name[4:], *common, option, wanted, cwd=folder)
        assert "lines=3" in (folder / f"{name[4:]}.oct").read_text()


def test_mp4_and_interrupt(folder):
    """Ctrl-C finishes the file."""
    with recording(folder, "--output", "x", "--mp4", *SMALL) as process:
        lines_until(process, lambda p: p["video"][0] > 2 * RATE)
        process.send_signal(signal.SIGINT)
        text = process.stdout.read()
        assert process.wait(tap.PATIENCE) == 0, text
    frames, _, _ = report(text)["video"]
    assert count(folder / "x.mp4", folder) == frames > 2 * RATE, text


def source_frames(cwd, *chain):
    """The first B-scans of the virtual system, or what `chain` makes of them.
    A live source may drop some of them when it starts."""
    run("-q", "octsrc", f"samples={SAMPLES}", f"lines={LINES}", "bscans=1",
        "num-buffers=80", *chain, "!", "filesink", "location=expected.raw",
        program="gst-launch-1.0", cwd=cwd)
    expected = array.array("H", (pathlib.Path(cwd) / "expected.raw").read_bytes())
    size = len(expected) // 80
    return [expected[n * size:(n + 1) * size] for n in range(80)]


def largest_difference(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def test_depths(folder):
    """Lossless images have the depth bins that were asked for."""
    output, _ = run("--output", "x", "--seconds", 1, "--no-video", "--lossless",
                    "--no-meters", "--depth-start", 5, "--depth-bins", 20, *SMALL,
                    cwd=folder)
    frames, _, _ = report(output)["lossless"]
    run("-q", "filesrc", "location=x-lossless-00000.mkv", "!", "matroskademux",
        "!", "avdec_ffv1", "!", "video/x-raw,format=GRAY16_LE", "!", "filesink",
        "location=found.raw", program="gst-launch-1.0", cwd=folder)
    assert (folder / "found.raw").stat().st_size == 2 * frames * LINES * 20
    _, errors = run("--output", "y", "--depth-bins", -2, *SMALL, cwd=folder,
                    status=2)
    assert "--depth-bins" in errors, errors


def test_lossless(folder):
    """The images are those that gst-launch makes of the virtual system with the
    background that it knows, up to the rounding of the transform, whose way the
    FFT chooses anew in every program: one level of 65536."""
    output, _ = run("--output", "x", "--seconds", 1, "--no-video", "--lossless",
                    "--min", 10, "--max", 70, *SMALL, cwd=folder)
    frames, _, _ = report(output)["lossless"]
    run("-q", "filesrc", "location=x-lossless-00000.mkv", "!", "matroskademux",
        "!", "avdec_ffv1", "!", "video/x-raw,format=GRAY16_LE", "!", "filesink",
        "location=found.raw", program="gst-launch-1.0", cwd=folder)
    found = array.array("H", (folder / "found.raw").read_bytes())
    expected = source_frames(
        folder, "!", "octdcsub", "mode=background", "!", "octkresample", "!", "octdispersion", "!",
        "octfft", "!", "octlogscale", "range=manual", "min=10", "max=70", "!",
        "video/x-raw,format=GRAY16_LE")
    size = LINES * SAMPLES // 2
    assert len(found) == frames * size, (len(found), frames)
    assert min(largest_difference(found[:size], e) for e in expected) <= 1
    text = (folder / "x-lossless.txt").read_text()
    assert "10 + g/65535 * 60 dB" in text, text
    assert "x-lossless-spectra.csv, x-lossless-ascans.csv" in text, text


def test_flow(folder):
    """Vessels are where the virtual system has them, at a quarter of the width;
    the raw spectra say that there are four B-scans at each place."""
    source = ("octsrc is-live=true phantom=flow motion=0 samples=512 lines=128 "
              "repeats=4 bscans=40 num-buffers=40 line-rate=1280")
    output, _ = run("--output", "x", "--flow", "--raw", "--no-video", "--size",
                    "128x256", "--source", source, cwd=folder)
    assert report(output)["flow"][0] > 0, output
    _, width, height, last = decode("x-flow-00000.mkv", folder)
    assert (width, height) == (128, 256), (width, height)
    columns = [sum(last[32 * width + x::width]) / height for x in range(width)]
    assert columns[32] > 10 and columns[32] > 4 * columns[4], columns
    assert "repeats=4" in (folder / "x.oct").read_text()
    _, errors = run("--output", "y", "--repeats", 4, cwd=folder, status=2)
    assert "--flow" in errors, errors


def depth_profile(image, depths):
    """Mean over the A-lines."""
    lines = len(image) // depths
    return [sum(image[z * lines:(z + 1) * lines]) / lines
            for z in range(depths)]


def correlation(a, b):
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    return sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b)) / (
        sum((x - mean_a) ** 2 for x in a)
        * sum((y - mean_b) ** 2 for y in b)) ** 0.5


def test_methods(folder):
    """Tissue is where it is, depths 130 to 260 of the virtual system, with
    nothing above, by every method; of compressive sensing the strong parts
    are left and the noise is gone."""
    depths, lines = 512, 64
    source = (f"octsrc is-live=true samples={2 * depths} lines={lines} "
              f"bscans=1 line-rate={10 * lines} num-buffers=6")
    first = None
    for method, alike in (("cubic", 1 - 1e-6), ("linear", 0.98),
                          ("lanczos", 0.98), ("nufft", 0.98), ("nudft", 0.98),
                          ("cs", 0.75)):
        output, errors = run(
            "--output", method, "--method", method, "--source", source,
            "--lossless", "--size", f"{lines}x{depths}", cwd=folder)
        assert quiet(errors) == "", errors
        run("-q", "filesrc", f"location={method}-lossless-00000.mkv", "!",
            "matroskademux", "!", "avdec_ffv1", "!",
            "video/x-raw,format=GRAY16_LE", "!", "filesink",
            "location=found.raw", program="gst-launch-1.0", cwd=folder)
        found = array.array("H", (folder / "found.raw").read_bytes())
        frames, width, height, last = decode(
            folder / f"{method}-00000.mkv", folder)
        assert frames == report(output)["video"][0] >= 3, (method, output)
        assert (width, height) == (lines, depths), (method, width, height)
        # dB, and grey levels of the video
        profiles = (
            [level * 100 / 65535
             for level in depth_profile(found[-depths * lines:], depths)],
            depth_profile(last, depths))
        first = first or profiles
        for profile, expected, least in zip(profiles, first, (10, 20)):
            tissue = sum(profile[130:260]) / 130 - sum(profile[:60]) / 60
            same = correlation(profile, expected)
            assert tissue > least, (method, tissue)
            assert same > alike, (method, same)
    # with its settings: of a threshold of 1000 nothing is left
    output, errors = run(
        "--output", "dark", "--method", "cs", "--solver", "continued", "--tau",
        "1000", "--sampling-rate", "0.5", "--source", source, "--lossless",
        "--size", f"{lines}x{depths}", cwd=folder)
    assert quiet(errors) == "", errors
    run("-q", "filesrc", "location=dark-lossless-00000.mkv", "!",
        "matroskademux", "!", "avdec_ffv1", "!",
        "video/x-raw,format=GRAY16_LE", "!", "filesink", "location=found.raw",
        program="gst-launch-1.0", cwd=folder)
    found = array.array("H", (folder / "found.raw").read_bytes())
    assert sum(found[-depths * lines:]) == 0
    for wrong, words in (
            (("--tau", "3"), "set --method cs"),
            (("--method", "cs", "--tau", "-2"), "--tau is -2"),
            (("--method", "cs", "--sampling-rate", "1.5"), "--sampling-rate is 1.5"),
            (("--method", "cs", "--sampling-rate", "-1"), "--sampling-rate is -1"),
            (("--method", "cs", "--tau", "-1"), "--tau is -1"),
            (("--method", "cs", "--solver", "best"), "persistent, continued, sparsa")):
        _, errors = run("--output", "x", *wrong, cwd=folder, status=1)
        assert words in errors, errors
    _, errors = run("--output", "x", "--method", "best", cwd=folder, status=1)
    assert "--method" in errors and "cubic, linear" in errors, errors
    assert not list(folder.glob("x*"))


def test_raw(folder):
    """The spectra are those of the source; they play by name alone."""
    output, _ = run("--output", "x", "--seconds", 2, "--no-video", "--raw",
                    *SMALL, cwd=folder)
    frames, _, parts = report(output)["raw"]
    assert parts == 1 and frames > 20, output
    found = (folder / "x-00000.raw").read_bytes()
    assert len(found) == frames * BSCAN
    expected = [e.tobytes() for e in source_frames(folder)]
    # those of the source, in its order; a busy machine may miss some
    numbers = [expected.index(found[n * BSCAN:(n + 1) * BSCAN])
               for n in range(20)]
    assert numbers == sorted(set(numbers)), numbers
    assert play_spectra("x", folder) == frames
    # what was measured is named in the text, and is there
    text = (folder / "x.oct").read_text()
    measured = re.search(r"^measurements=(.*);$", text, re.M)[1].split(";")
    assert measured == [f"x-{of}.csv" for of in ("spectra", "ascans", "meters")]
    assert all((folder / name).stat().st_size for name in measured)
    # and again through record.sh's program, as a video
    output, _ = run("--output", "y", "--data", "x.oct", "--size", "160x128",
                    cwd=folder)
    again, _, _ = report(output)["video"]
    assert 0 < again <= frames, output


def test_calibration_of_a_camera(folder):
    """Given for a --source that knows none, it is in the recording."""
    rows = "".join(f"{800 + i / 10}\n" for i in range(SAMPLES))
    (folder / "cal.csv").write_text("wavelength_nm\n" + rows)
    source = (f"videotestsrc is-live=true pattern=snow num-buffers=40 ! video/"
              f"x-raw,format=GRAY8,width={SAMPLES},height={LINES},framerate=30/1")
    run("--output", "x", "--no-video", "--raw", "--source", source,
        "--calibration", "cal.csv", cwd=folder)
    assert play_spectra("x", folder) == 40
    text = (folder / "x.oct").read_text()
    assert "sample-format=gray8" in text and "k-min" in text, text[:300]
    assert "line-rate=1920" in text, text[:300]


def test_camera_and_clock(folder):
    """B-scan at the left, camera at the right, the clock in a corner."""
    with recording(folder, "--output", "x", "--camera", "test", *SMALL, "--size",
                   "320x256") as process:
        # the camera alone makes a video, too
        lines_until(process, lambda p: min(p["video"][0], p["live"][0]) > RATE)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 0, errors
    frames, width, height, last = decode(folder / "x-00000.mkv", folder)
    assert (width, height) == (640, 256) and frames > RATE, (width, frames)

    def part(rows, columns):
        return [last[y * width + x] for y in rows for x in columns]

    assert spread(part(range(180), range(320)))[1] > 15
    # both in the range that most players take for granted
    text, _ = run("-v", "filesrc", "location=x-00000.mkv", "!", "matroskademux",
                  "!", "h264parse", "!", "fakesink", program="gst-launch-1.0",
                  cwd=folder)
    assert "colorimetry=(string)bt709" in text, text
    # the ball of the test picture on black
    camera = part(range(256), range(320, 640))
    bright = sum(v > 200 for v in camera)
    assert 100 < bright < 8000, bright
    assert sum(v < 30 for v in camera) > 60000
    clock = part(range(180, 256), range(320))
    assert sum(v > 180 for v in clock) > 50, "no clock"


def check_film(folder, name):
    """A film that turns or not, 25 pictures a second, of a body on black."""
    frames, width, height, last = decode(folder / name, folder)
    assert (width, height) == (640, 480) and frames > 30, (width, frames)
    text, _ = run("-v", "filesrc", f"location={name}", "!", "matroskademux",
                  "!", "h264parse", "!", "fakesink", program="gst-launch-1.0",
                  cwd=folder)
    assert "colorimetry=(string)bt709" in text, text
    middle = [last[y * width + x] for y in range(180, 300)
              for x in range(240, 400)]
    corner = [last[y * width + x] for y in range(60) for x in range(60)]
    assert max(middle) > 100 and max(corner) < 45, (max(middle), max(corner))
    return last


def test_volume(folder):
    """A film of the volumes beside the video; from a recording alone, where
    the volume turns while the B-scans do not."""
    small = ["--volume", "--bscans", 16, "--size", "160x128", "--line-rate", 1600]

    def record(*arguments, frames):
        """Until there is enough of the film, however slow the machine is."""
        with recording(folder, *arguments, *small) as process:
            lines_until(process, lambda found: found["volume"][0] > frames)
            process.send_signal(signal.SIGINT)
            # by the same reader: what plays a file may have ended by itself,
            # and its last lines come with the one that was waited for
            output, errors = process.stdout.read(), process.stderr.read()
            assert process.wait(tap.PATIENCE) == 0, errors
        return output

    # longer than its output
    output = record("--output", "x", "--raw", "--samples", 256, "--lines", 32,
                    frames=70)
    made = report(output)
    assert set(made) == {"video", "volume", "raw"}, output
    assert count(folder / "x-00000.mkv", folder) == made["video"][0]
    check_film(folder, "x-volume-00000.mkv")
    films = []
    for rate in (0, 90):
        output = record("--output", f"y{rate}", "--data", "x.oct",
                        "--no-video", "--turn-rate", rate, frames=40)
        assert set(report(output)) == {"volume"}, output
        films.append(check_film(folder, f"y{rate}-volume-00000.mkv"))
    still, turned = films
    # by half a turn or so: many more pixels differ than by motion in the scene
    assert sum(abs(a - b) for a, b in zip(still, turned)) > 4 * len(still)


def test_masked(folder):
    """A scan that leaves A-lines out: its recording has the mask, images are as
    wide as the whole B-scan, from the source and from the recording, and as
    narrow as the acquired lines if they are not filled in."""
    source = (f"octsrc is-live=true phantom=surgery samples={SAMPLES} "
              f"lines={LINES} bscans=8 line-rate=640 scan-mask=scattered "
              "scan-rate=0.5 scan-mask-output=mask.txt")

    def record(name, *arguments):
        with recording(folder, "--output", name, "--no-video", "--lossless",
                       *arguments) as process:
            lines_until(process, lambda found: found["lossless"][0] > 20)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 0, errors
        return errors, decode(f"{name}-lossless-00000.mkv", folder)[1]

    errors, width = record("x", "--raw", "--source", source)
    assert "(--fill linear)" in errors and width == LINES, (errors, width)
    assert (folder / "x-scan-mask-00000.txt").read_text() \
        == (folder / "mask.txt").read_text()
    assert "scan-masks=0:0;\n" in (folder / "x.oct").read_text()
    errors, width = record("y", "--data", "x.oct", "--fill", "joint")
    assert "(--fill joint)" in errors and width == LINES, (errors, width)
    errors, width = record("z", "--data", "x.oct", "--fill", "off")
    assert "--fill fills in" in errors and width == LINES // 2, (errors, width)
    _, errors = run("--output", "w", "--fill", "of", cwd=folder, status=2)
    assert "linear, joint, auto, off" in errors, errors


def test_masked_camera(folder):
    """A camera knows nothing of the scan: its mask is a file, and from then on
    it is as if the source had told it."""
    rows = "".join(f"{800 + i / 10}\n" for i in range(SAMPLES))
    (folder / "cal.csv").write_text("wavelength_nm\n" + rows)
    # the second B-scan is left out
    (folder / "mask.txt").write_text("11001010\n00000000\n01010011\n")
    # no more of them than may wait for a busy machine
    source = (f"videotestsrc is-live=true pattern=snow num-buffers=7 ! video/"
              f"x-raw,format=GRAY8,width={SAMPLES},height=4,framerate=30/1")
    _, errors = run(
        "--output", "x", "--no-video", "--raw", "--lossless", "--source", source,
        "--calibration", "cal.csv", "--scan-mask-file", "mask.txt", cwd=folder)
    assert "leaves A-lines out" in errors, errors
    frames, width, _, _ = decode("x-lossless-00000.mkv", folder)
    assert width == 8 and frames == 12, (width, frames)
    text = (folder / "x.oct").read_text()
    assert "bscans-per-volume=2\n" in text and "scan-masks=0:0;\n" in text, text
    assert (folder / "x-scan-mask-00000.txt").read_text() \
        == (folder / "mask.txt").read_text()
    _, errors = run("--output", "y", "--source", source, "--calibration",
                    "cal.csv", "--scan-mask-file", "no.txt", cwd=folder, status=1)
    assert "no.txt" in errors, errors


# --------------------------------------------------------------- access rights

def test_private(folder):
    """Whatever the umask, nobody else can read them, from the first byte on."""
    for container in ([], ["--mp4"]):
        here = folder / f"f{len(container)}"
        here.mkdir(mode=0o700)
        with recording(here, "--output", "a/b/x", "--raw", "--lossless",
                       "--part-seconds", 1, *container, *SMALL,
                       before=["sh", "-c", 'umask 0; exec "$@"', "-"],
                       ) as process:
            while process.poll() is None:
                for name, mode in modes(here).items():
                    assert mode & 0o077 == 0, (name, oct(mode))
                if all((here / "a/b" / name).exists() for name in (
                        "x.mp4" if container else "x-00001.mkv",
                        "x-lossless-00000.mkv", "x-00000.raw")):
                    process.send_signal(signal.SIGINT)
                time.sleep(0.01)
        found = modes(here)
        assert len(found) >= 8, found
        for name, mode in found.items():
            assert mode == (0o700 if (here / name).is_dir() else 0o600), found


def test_mode(folder):
    """Widened, whatever the umask."""
    run("-c", 'umask 077; exec "$@"', "-", RECORD, "--output", "a/x",
        "--seconds", 1, "--raw", "--mp4", "--mode", "0640", *SMALL,
        program="sh", cwd=folder)
    found = modes(folder / "a")
    assert found.pop(".") == 0o750, found
    assert sorted(found) == ["x-00000.raw", "x-ascans.csv", "x-meters.csv",
                             "x-spectra.csv", "x.mp4", "x.oct"], found
    assert set(found.values()) == {0o640}, found
    for mode in ("0", "0000", "0177", "0700", "0640x", "640 ", "0900", "01600",
                 "-1", "rw", ""):
        _, errors = run("--output", "y", "--mode", mode, cwd=folder, status=2)
        assert "--mode" in errors and len(errors.splitlines()) == 1, errors


def test_open_folder(folder):
    """One that was there is left as it is; a note says who can look into it."""

    def record_into(case):
        mode, words = case
        here = folder / oct(mode)
        here.mkdir()
        here.chmod(mode)
        _, errors = run("--output", f"{here.name}/x", "--seconds", 1, *SMALL,
                        cwd=folder)
        if words:
            assert words in errors and len(errors.splitlines()) == 1, errors
        else:
            assert errors == "", errors
        assert here.stat().st_mode & 0o7777 == mode
        assert sorted(file.name for file in here.iterdir()) == [
            "x-00000.mkv", "x-ascans.csv", "x-meters.csv", "x-spectra.csv"]

    tap.together(record_into, ((0o755, "see the names"), (0o777, "delete"),
                               (0o1777, "see the names"), (0o700, None)))


# ------------------------------------------------------------ what is refused

def test_odd_names(folder):

    def record(case):
        number, name = case
        here = folder / str(number)
        here.mkdir()
        output, _ = run("--output", f"./{name}", "--seconds", 1, "--raw",
                        "--lossless", *SMALL, cwd=here)
        found = report(output.replace(name, "NAME"))
        (here / f"{name}-00000.mkv").rename(here / "v.mkv")
        assert count("v.mkv", here) == found["video"][0] > 0, output
        size = (here / f"{name}-00000.raw").stat().st_size
        assert size == BSCAN * found["raw"][0], output
        assert (here / f"{name}-lossless.txt").exists()

    tap.together(record, enumerate((
        "a b", "100%d %s %05u", "new\nline", "-dash", "Größe", "x'\"$`!",
        "x ! fakesink", "\udcff")))


def test_one_name_for_two(folder):
    """At the same time: one of them gets it, and nothing is mixed."""
    for options in (["--raw"], ["--mp4", "--lossless"]):
        here = folder / options[0]
        here.mkdir()
        with contextlib.ExitStack() as stack:
            processes = [stack.enter_context(recording(
                here, "--output", "x", "--seconds", 2, *options, *SMALL))
                for _ in range(4)]
            found = [p.communicate(timeout=tap.PATIENCE) for p in processes]
        done = [text for p, (text, _) in zip(processes, found)
                if p.returncode == 0]
        assert len(done) == 1, found
        assert all("exists already" in errors for text, errors in found
                   if text not in done), found
        video = list(here.glob("x.mp4")) or list(here.glob("x-0*.mkv"))
        assert [count(f, here) for f in video] == [report(done[0])["video"][0]]


def test_nothing_is_overwritten(folder):
    arguments = ["--output", "x", "--seconds", 1, "--lossless", *SMALL]
    run(*arguments, "--raw", cwd=folder)
    before = {f: f.stat().st_mtime_ns for f in folder.iterdir()}
    for options in ([], ["--no-video"], ["--no-video", "--raw"]):
        _, errors = run(*arguments, *options, cwd=folder, status=1)
        assert "exists already" in errors, errors
        assert len(errors.splitlines()) == 1, errors
    assert {f: f.stat().st_mtime_ns for f in folder.iterdir()} == before


def test_later_parts_are_not_overwritten(folder):
    """Those of a recording whose first part was moved elsewhere."""
    for name in ("x-00001.mkv", "x-lossless-00100.mkv", "x-00002.raw"):
        (folder / name).write_text("precious")
        options = {"mkv": [], "raw": ["--raw", "--no-video"]}[name[-3:]]
        if "lossless" in name:
            options = ["--lossless", "--no-video"]
        _, errors = run("--output", "x", *options, *SMALL, cwd=folder, status=1)
        assert name in errors and "exists already" in errors, errors
        assert [f.name for f in folder.iterdir()] == [name]
        (folder / name).rename(folder / ("b" + name))
        run("--output", "x", "--seconds", 1, *options, *SMALL, cwd=folder)
        assert (folder / ("b" + name)).read_text() == "precious"
        for file in folder.iterdir():
            file.unlink()


def test_wrong_options(folder):
    for arguments in ([], ["--output", "x", "--no-video"],
                      ["--output", "x", "--size", "big"],
                      ["--output", "x", "--size", "1x1"],
                      ["--output", "x", "--min", "5", "--max", "5"],
                      ["--output", "x", "--seconds", "-1"],
                      ["--output", "x", "--line-rate", "nan"],
                      ["--output", "x", "--bscans", "16"],
                      ["--output", "x", "--volume", "--bscans", "1"],
                      ["--output", "x", "--volume", "--bscans", "-5"],
                      ["--output", "x", "--volume", "--width-um", "nan"],
                      ["--output", "x", "--volume", "--turn-rate", "inf"],
                      ["--rtsp", "0", "--volume"],
                      ["--output", "x", "--source", "a", "--data", "b"],
                      ["--output", "", "--rtsp", "0"], ["--output", "a/"],
                      ["--output", "x", "y"], ["--nonsense"]):
        _, errors = run(*arguments, cwd=folder, status=2)
        assert "--help" in errors and len(errors.splitlines()) == 1, errors
    _, errors = run("--output", "x", "--view", cwd=folder, status=2,
                    program="env", before=["-u", "DISPLAY", "-u",
                                           "WAYLAND_DISPLAY", RECORD])
    assert "no display" in errors, errors
    assert not list(folder.iterdir())


def test_failing_sources(folder):
    """One sentence each, and no files."""
    (folder / "file").write_text("")
    for arguments, words in (
            (["--output", "file/x"], ["file"]),
            (["--output", "x", "--data", "nowhere.oct"], ["nowhere.oct"]),
            (["--output", "x", "--source", "nosuchsrc"],
             ["--source", "nosuchsrc", "not a valid pipeline"]),
            (["--output", "x", "--source", ""],
             ["--source", "not a valid pipeline"]),
            (["--output", "x", "--source",
              "videotestsrc ! video/x-raw,format=RGB"],
             ["--source", "raw spectra", "GRAY16_LE"]),
            (["--output", "x", "--lossless", "--source",
              "filesrc location=nowhere ! rawvideoparse format=gray8"], []),
            (["--output", "x", "--camera", "/dev/nowhere"], ["/dev/nowhere"])):
        _, errors = run(*arguments, *SMALL, cwd=folder, status=1)
        errors = [e for e in errors.splitlines() if "Error" in e]
        assert len(errors) == 1, errors
        assert all(word in errors[0] for word in words), errors
    assert [f.name for f in folder.iterdir()] == ["file"], list(folder.iterdir())


tap.main(globals(), at_a_time=4)  # most of them wait
