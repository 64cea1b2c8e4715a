# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records with record.sh and its program, kills it, fills its disk, and plays
what is left.  Output is TAP."""
import array
import contextlib
import csv
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import threading
import time

import tap
from tap import Skip, decode, spread

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORD_SH = ROOT / "pipelines" / "record.sh"
RECORD = os.environ["OCT_RECORD"]
SLOW_DISK = os.environ["OCT_SLOW_DISK"]
# Small B-scans: two busy cores simulate, reconstruct and encode them in time.
SAMPLES, LINES = 256, 64
SMALL = ["--samples", SAMPLES, "--lines", LINES, "--size", "160x128"]
BSCAN = SAMPLES * LINES * 2
RATE = 30


def run(*arguments, cwd, status=0, program=RECORD, before=()):
    return tap.run(
        *before, *arguments, program=program, cwd=cwd, status=status)


@contextlib.contextmanager
def recording(folder, *arguments, before=(), **environment):
    """A recording that runs; ended whatever happens."""
    process = subprocess.Popen(
        [*before, RECORD, *map(str, arguments)], cwd=folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env={**os.environ, **environment})
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def progress(line):
    """{"live": (frames, dropped), "video": (frames, dropped, MB), ...}"""
    found = {}
    for name, frames, dropped, size in re.findall(
            r"(\w+) (\d+) (?:B-scans|frames), (\d+) dropped(?:, ([\d.]+) MB)?",
            line):
        found[name] = (int(frames), int(dropped), float(size or 0))
    return found


def lines_until(process, condition):
    """Reads progress until it meets a condition; its last line."""
    for line in process.stdout:
        found = progress(line)
        if found and condition(found):
            return found
    raise AssertionError("the recording ended: " + process.stderr.read())


def report(text):
    """{"video": (frames, dropped, parts)} of the last lines."""
    return {name: (int(frames), int(dropped), int(parts))
            for name, frames, dropped, parts in re.findall(
                r"^(\w+): .*, (\d+) frames, (\d+) dropped, .* in (\d+) parts?\)",
                text, re.M)}


def count(path, cwd):
    """Frames that can be played."""
    return decode(path, cwd)[0]


def count_all(folder, pattern, cwd):
    """... in all files of this pattern that hold a picture."""
    return sum(count(f, cwd) for f in folder.glob(pattern) if f.stat().st_size)


def modes(folder):
    """{name: permissions} of all that is in a folder, and of itself as "."."""
    return {str(path.relative_to(folder)): path.stat().st_mode & 0o777
            for path in (folder, *folder.rglob("*"))}


def play_spectra(name, cwd):
    """Plays a recording of spectra by its name alone; B-scans."""
    run("-q", "octsrc", f"location={name}.oct", "!", "octdcsub", "!",
        "octkresample", "!", "octdispersion", "!", "octfft", "!",
        "octlogscale", "!", "filesink", "location=images.gray",
        program="gst-launch-1.0", cwd=cwd)
    image = pathlib.Path(cwd) / "images.gray"
    size = image.stat().st_size
    image.unlink()
    assert size % (LINES * SAMPLES // 2) == 0, size
    return size // (LINES * SAMPLES // 2)


# -------------------------------------------------------------------- tests

@tap.timed
def test_parts_by_script(folder):
    """As a user calls it; every part can be played alone."""
    output, errors = run("--output", "a/surgery", "--seconds", 5,
                         "--part-seconds", 2, *SMALL, program=RECORD_SH,
                         cwd=folder)
    frames, dropped, parts = report(output)["video"]
    files = sorted((folder / "a").iterdir())
    assert [f.name for f in files] == [
        f"surgery-{n:05}.mkv" for n in range(parts)] + [
        f"surgery-{of}.csv" for of in ("ascans", "meters", "spectra")], files
    assert parts == 3
    files = files[:parts]
    assert sum(count(f, folder) for f in files) == frames, (frames, files)
    assert dropped <= 5 and 4.5 * RATE <= frames <= 6.5 * RATE, output
    _, width, height, last = decode(files[-1], folder)
    assert (width, height) == (160, 128)
    mean, deviation = spread(last)
    assert deviation > 15, f"flat video: {mean:.0f} +- {deviation:.0f}"
    assert errors == "", errors


def read_csv(path):
    return list(csv.DictReader(path.read_text().splitlines()))


@tap.timed
def test_measurements(folder):
    """What was measured is beside the recording, once a second, in numbers that
    are those of the virtual system; none where they are not wanted, and no file
    is written over."""
    run("--output", "x", "--raw", "--seconds", 4, *SMALL, cwd=folder)
    for of, field, least, most in (("spectra", "centre-nm", 844, 846),
                                   ("spectra", "fwhm-nm", 48, 52),
                                   ("ascans", "snr", 15, 80)):
        rows = read_csv(folder / f"x-{of}.csv")
        # one each second, of which a busy machine may leave some out
        assert 2 <= len(rows) <= 6, rows
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
            capture_output=True, timeout=60)
        assert result.returncode == status, result.stderr
        return result.stderr

    errors = record("--output", "none", "--instrument", "Bench 3", status=1)
    assert "--save-instrument" in errors, errors
    errors = record("--output", "none", "--save-instrument", "a]b", status=1)
    assert "brackets" in errors, errors
    record("--output", "a", "--calibration", "spectrometer.csv", "--method",
           "nufft", "--save-instrument", "Bench 3")
    record("--output", "b", "--instrument", "Bench 3")
    for name in "a", "b":
        values = [float(row["centre-nm"])
                  for row in read_csv(folder / f"{name}-spectra.csv")]
        assert all(1300 < v < 1364 for v in values) and values, values
        assert float(read_csv(folder / f"{name}-ascans.csv")[0]["peak-um"]) > 0
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
            text=True, capture_output=True, timeout=60)
        assert result.returncode == 0, result.stderr
        return result.stderr

    def calibration(name):
        """What a recording says of it, k-index first."""
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
            capture_output=True, timeout=60)
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


@tap.timed
def test_mp4_and_interrupt(folder):
    """Ctrl-C finishes the file."""
    with recording(folder, "--output", "x", "--mp4", *SMALL) as process:
        lines_until(process, lambda p: p["video"][0] > 2 * RATE)
        process.send_signal(signal.SIGINT)
        text = process.stdout.read()
        assert process.wait(30) == 0, text
    frames, dropped, _ = report(text)["video"]
    assert count(folder / "x.mp4", folder) == frames, text
    assert dropped <= 5, text


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


@tap.timed
def test_lossless(folder):
    """The images are those that gst-launch makes, up to the rounding of the
    transform, whose way the FFT chooses anew in every program: one level of
    65536."""
    output, _ = run("--output", "x", "--seconds", 1, "--no-video", "--lossless",
                    "--min", 10, "--max", 70, *SMALL, cwd=folder)
    frames, _, _ = report(output)["lossless"]
    run("-q", "filesrc", "location=x-lossless-00000.mkv", "!", "matroskademux",
        "!", "avdec_ffv1", "!", "video/x-raw,format=GRAY16_LE", "!", "filesink",
        "location=found.raw", program="gst-launch-1.0", cwd=folder)
    found = array.array("H", (folder / "found.raw").read_bytes())
    expected = source_frames(
        folder, "!", "octdcsub", "!", "octkresample", "!", "octdispersion", "!",
        "octfft", "!", "octlogscale", "range=manual", "min=10", "max=70", "!",
        "video/x-raw,format=GRAY16_LE")
    size = LINES * SAMPLES // 2
    assert len(found) == frames * size, (len(found), frames)
    assert min(largest_difference(found[:size], e) for e in expected) <= 1
    text = (folder / "x-lossless.txt").read_text()
    assert "10 + g/65535 * 60 dB" in text, text
    assert "x-lossless-spectra.csv, x-lossless-ascans.csv" in text, text


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
        assert errors == "", errors
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
    assert errors == "", errors
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
            (("--method", "cs", "--solver", "best"), "persistent, continued, sparsa")):
        _, errors = run("--output", "x", *wrong, cwd=folder, status=1)
        assert words in errors, errors
    _, errors = run("--output", "x", "--method", "best", cwd=folder, status=1)
    assert "--method" in errors and "cubic, linear" in errors, errors
    assert not list(folder.glob("x*"))


@tap.timed
def test_raw(folder):
    """The spectra are those of the source; they play by name alone."""
    output, _ = run("--output", "x", "--seconds", 2, "--no-video", "--raw",
                    *SMALL, cwd=folder)
    frames, dropped, parts = report(output)["raw"]
    assert dropped == 0 and parts == 1 and frames >= 1.8 * RATE, output
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
    assert 0.8 * frames <= again <= frames, output


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
    run("--output", "x", "--seconds", 2, "--camera", "test", *SMALL, "--size",
        "320x256", cwd=folder)
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

    def record(*arguments):
        """Until there is enough of the film, however slow the machine is."""
        with recording(folder, *arguments, *small) as process:
            lines_until(process, lambda found: found["volume"][0] > 40)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        return output

    output = record("--output", "x", "--raw", "--samples", 256, "--lines", 32)
    made = report(output)
    assert set(made) == {"video", "volume", "raw"}, output
    assert count(folder / "x-00000.mkv", folder) == made["video"][0]
    check_film(folder, "x-volume-00000.mkv")
    films = []
    for rate in (0, 90):
        output = record("--output", f"y{rate}", "--data", "x.oct",
                        "--no-video", "--turn-rate", rate)
        assert set(report(output)) == {"volume"}, output
        films.append(check_film(folder, f"y{rate}-volume-00000.mkv"))
    still, turned = films
    # by half a turn or so: much else is seen than with what moves in the scene
    assert sum(abs(a - b) for a, b in zip(still, turned)) > 4 * len(still)


def test_masked(folder):
    """A scan that leaves A-lines out: its recording has the mask, images are as
    wide as the whole B-scan, from the source and from the recording, and as
    narrow as what was taken where they are not filled in."""
    source = (f"octsrc is-live=true phantom=surgery samples={SAMPLES} "
              f"lines={LINES} bscans=8 line-rate=640 scan-mask=scattered "
              "scan-rate=0.5 scan-mask-output=mask.txt")

    def record(name, *arguments):
        with recording(folder, "--output", name, "--no-video", "--lossless",
                       *arguments) as process:
            lines_until(process, lambda found: found["lossless"][0] > 20)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
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
    source = (f"videotestsrc is-live=true pattern=snow num-buffers=41 ! video/"
              f"x-raw,format=GRAY8,width={SAMPLES},height=4,framerate=30/1")
    _, errors = run(
        "--output", "x", "--no-video", "--raw", "--lossless", "--source", source,
        "--calibration", "cal.csv", "--scan-mask-file", "mask.txt", cwd=folder)
    assert "leaves A-lines out" in errors, errors
    frames, width, _, _ = decode("x-lossless-00000.mkv", folder)
    assert width == 8 and frames == 63, (width, frames)
    text = (folder / "x.oct").read_text()
    assert "bscans-per-volume=2\n" in text and "scan-masks=0:0;\n" in text, text
    assert (folder / "x-scan-mask-00000.txt").read_text() \
        == (folder / "mask.txt").read_text()
    _, errors = run("--output", "y", "--source", source, "--calibration",
                    "cal.csv", "--scan-mask-file", "no.txt", cwd=folder, status=1)
    assert "no.txt" in errors, errors


# ----------------------------------------------------------- when things fail

def check_killed(frames, playable, what):
    """At most the last second is lost, and of longer recordings 5 %."""
    assert playable >= frames - RATE, f"{what}: {playable} of {frames}"
    if frames >= 12 * RATE:
        assert playable >= 0.95 * frames, f"{what}: {playable} of {frames}"


@tap.timed
def test_killed(folder):
    """kill -9 at several moments, with a part being changed nearby."""

    def kill(case):
        moment, part, container = case
        here = folder / f"{moment}{len(container)}"
        here.mkdir()
        with recording(here, "--output", "x", "--raw", "--lossless",
                       "--part-seconds", part, *container,
                       *SMALL) as process:
            last = lines_until(
                process, lambda p: p["video"][0] >= moment * RATE)
            process.kill()
            process.wait()
        # a part that was begun in that moment may have no frame yet
        files = [f for f in here.glob("x*.m*") if f.stat().st_size > 2000]
        playable = {lossless: sum(count(f, here) for f in files
                                  if ("lossless" in f.name) == lossless)
                    for lossless in (False, True)}
        what = f"{container} {part}"
        check_killed(last["video"][0], playable[False], "video " + what)
        check_killed(last["lossless"][0], playable[True], "16 bit " + what)
        check_killed(last["raw"][0], play_spectra("x", here), "raw")

    # the longest first
    tap.together(kill, [(moment, part, container)
                        for moment, part in ((14, 180), (4, 2), (1.5, 180))
                        for container in ([], ["--mp4"])], 3)


@contextlib.contextmanager
def small_disk(folder, megabytes):
    disk = folder / "disk"
    disk.mkdir()
    if os.geteuid() != 0 or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "oct-test",
             disk], stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("a small disk can be made as root only")
    try:
        yield disk
    finally:
        # a test may have done it
        subprocess.run(["umount", "-l", disk], stderr=subprocess.DEVNULL,
                       check=False)


def check_full(process, what):
    """One sentence of each recording; the live picture goes on for two
    seconds."""
    stopped = None
    for line in process.stdout:
        if all(f"{name} " in line for name in what) and line.count(
                "(stopped)") == len(what):
            stopped = stopped or progress(line)
            if progress(line)["live"][0] > stopped["live"][0] + 2 * RATE:
                break
    assert stopped, process.stderr.read()
    process.send_signal(signal.SIGINT)
    text, errors = process.communicate(timeout=30)
    assert process.returncode == 1, text
    errors = [line for line in errors.splitlines() if "Error" in line]
    assert len(errors) == len(what), errors
    assert all("is full" in error for error in errors), errors
    return report(text)


@tap.timed
def test_full_disk(folder):
    """Files are finished; the program goes on where it shows a picture."""
    with small_disk(folder, 8) as disk:
        with recording(folder, "--output", disk / "x", "--view=fakesink",
                       *SMALL, "--bitrate", 20000, "--lossless") as process:
            found = check_full(process, ["video", "lossless"])
        for name, what in (("x-lossless", "lossless"), ("x", "video")):
            playable = count(disk / f"{name}-00000.mkv", folder)
            assert playable == found[what][0] > 0, (playable, found)


@tap.timed
def test_full_disk_raw(folder):
    with small_disk(folder, 8) as disk:
        with recording(folder, "--output", disk / "x", "--view=fakesink",
                       "--no-video", "--raw", *SMALL) as process:
            found = check_full(process, ["raw"])
        assert play_spectra(disk / "x", folder) == found["raw"][0] > RATE


@tap.timed
def test_disk_filled_by_another(folder):
    """From one moment to the next: nothing can be finished any more."""
    with small_disk(folder, 64) as disk:
        with recording(folder, "--output", disk / "x", "--raw", "--mp4",
                       "--view=fakesink", *SMALL) as process:
            last = lines_until(process, lambda p: p["video"][0] >= 3 * RATE)
            with contextlib.suppress(OSError), open(disk / "fill", "wb") as f:
                while True:
                    os.write(f.fileno(), bytes(1 << 16))
            time.sleep(3)
            process.send_signal(signal.SIGINT)
            text, errors = process.communicate(timeout=30)
        assert process.returncode == 1, text
        assert errors.count("full") == 2, errors
        playable = count(disk / "x.mp4", folder)
        assert playable >= last["video"][0] - RATE, (playable, last)
        assert playable == report(text)["video"][0], (playable, text)
        spectra = play_spectra(disk / "x", folder)
        assert spectra >= last["raw"][0], (spectra, last)
        assert spectra == report(text)["raw"][0], (spectra, text)


@tap.timed
def test_three_fill_a_disk(folder):
    """All of them finish their files, and have what they say."""
    with small_disk(folder, 24) as disk:
        with recording(folder, "--output", disk / "x", "--view=fakesink",
                       "--samples", 1024, "--lines", 128, "--size", "320x256",
                       "--bitrate", 20000, "--lossless", "--raw",
                       before=["nice", "-n", "-5"]) as process:
            found = check_full(process, ["video", "lossless", "raw"])
        playable = {"video": count_all(disk, "x-0*.mkv", folder),
                    "lossless": count_all(disk, "x-l*.mkv", folder),
                    "raw": (disk / "x-00000.raw").stat().st_size // 2**18}
        assert playable == {n: f[0] for n, f in found.items()}, (
            playable, found)
        assert all(n > 5 for n in playable.values()), playable
        assert all(f[2] == 1 for f in found.values()), found


@tap.timed
def test_lossless_filled_by_another(folder):

    def fill_up(container):
        with contextlib.ExitStack() as stack:
            here = folder / f"f{len(container)}"
            here.mkdir()
            disk = stack.enter_context(small_disk(here, 48))
            process = stack.enter_context(recording(
                here, "--output", disk / "x", "--lossless", *container,
                "--samples", 1024, "--lines", 128, "--size", "320x256"))
            lines_until(process, lambda p: p["lossless"][0] >= 2 * RATE)
            with contextlib.suppress(OSError), open(disk / "fill", "wb") as f:
                while True:
                    os.write(f.fileno(), bytes(1 << 16))
            text, errors = process.communicate(timeout=60)
            assert process.returncode == 1, text
            assert errors.count("full") == 2, errors
            found = report(text)
            for name, pattern in (("video", "x[-.][0m]*"),
                                  ("lossless", "x-lossless*.mkv")):
                playable = count_all(disk, pattern, here)
                assert playable == found[name][0] > RATE, (playable, text)

    tap.together(fill_up, ([], ["--mp4"]))


# ------------------------------------------------- when files are taken away

KINDS = {"video": "-00000.mkv", "mp4": ".mp4", "lossless": "-lossless-00000.mkv",
         "raw": "-00000.raw"}


def check_losses(folder, process, container="video"):
    """Ends a recording of all kinds of which something is gone; what it says is
    what a player finds."""
    process.send_signal(signal.SIGINT)
    text, errors = process.communicate(timeout=60)
    assert process.returncode == 1, (text, errors)
    found = report(text)
    playable = {
        "video": count_all(folder, "x*.mp4" if container == "mp4" else
                           "x-0*.mkv", folder),
        "lossless": count_all(folder, "x-lossless-*.mkv", folder),
        "raw": play_spectra(folder / "x", folder)}
    assert playable == {name: f[0] for name, f in found.items()}, (
        playable, text, errors)
    lost = dict(re.findall(r"^(\w+): .* (\d+) lost, ", text, re.M))
    return found, {name: int(n) for name, n in lost.items()}, errors


def errors_until(process, condition, seconds):
    """Reads stderr until it meets a condition; fails after this time."""
    text = ""
    end = time.monotonic() + seconds
    while not condition(text):
        left = end - time.monotonic()
        assert left > 0, f"not told in {seconds} s: {text}"
        if select.select([process.stderr], [], [], left)[0]:
            text += os.read(process.stderr.fileno(), 1 << 16).decode()
    return text


def take_away(folder, how, *names):
    for name in names:
        path = folder / ("x" + KINDS[name])
        if how == "deleted":
            path.unlink()
        elif how == "moved":
            path.rename(path.with_suffix(".elsewhere"))
        elif how == "replaced":
            path.rename(path.with_suffix(".elsewhere"))
            path.symlink_to("precious")
        else:
            os.truncate(path, 1000)


@tap.timed
def test_files_are_taken_away(folder):
    """Said at once, recorded on in a new part, and reported."""

    def lose(case):
        how, container = case
        here = folder / how
        here.mkdir()
        (here / "precious").write_text("precious")
        with recording(here, "--output", "x", "--raw", "--lossless",
                       *(["--mp4"] if container == "mp4" else []),
                       *SMALL) as process:
            before = lines_until(process, lambda p: p["video"][0] >= RATE)
            take_away(here, how, container, "lossless", "raw")
            told = errors_until(
                process, lambda t: t.count("Error") == 3, 4)
            assert told.count("deleted, moved, replaced") == 3, told
            assert told.count("goes on in a new part") == 3, told
            lines_until(process, lambda p: p["live"][0] >=
                        before["live"][0] + 4 * RATE)
            # what is no part any more is not looked at by the players either
            for path in here.iterdir():
                if path.is_symlink() or how == "cut off" and path.name in (
                        "x" + KINDS[container], "x" + KINDS["lossless"]):
                    path.unlink()
            found, lost, errors = check_losses(here, process, container)
        assert "Error" not in errors, errors
        for name, (frames, _, parts) in found.items():
            assert frames > RATE and parts == 1, (name, found)
            assert before["video"][0] - RATE <= lost[name] < 4 * RATE, lost
        assert (here / "precious").read_text() == "precious"

    tap.together(lose, (("deleted", "video"), ("moved", "mp4"),
                        ("replaced", "video"), ("cut off", "mp4")), 2)


@tap.timed
def test_folder_is_taken_away(folder):
    """It is made again.  What is elsewhere can be played there."""
    with recording(folder, "--output", "a/x", "--raw", "--lossless",
                   *SMALL) as process:
        before = lines_until(process, lambda p: p["video"][0] >= RATE)
        (folder / "a").rename(folder / "b")
        told = errors_until(process, lambda t: t.count("Error") == 3, 4)
        assert "goes on in a new part" in told, told
        lines_until(process, lambda p: p["live"][0] >= 5 * RATE)
        found, lost, _ = check_losses(folder / "a", process)
    assert all(f[0] > RATE for f in found.values()), found
    assert "dB" in (folder / "a" / "x-lossless.txt").read_text()
    assert modes(folder / "a")["."] == 0o700
    for name, frames in (("lossless", count_all(folder / "b", "x-l*.mkv", folder)),
                         ("raw", play_spectra(folder / "b" / "x", folder))):
        assert before[name][0] - RATE <= frames == lost[name], (frames, lost)


@tap.timed
def test_disk_is_taken_away(folder):
    with small_disk(folder, 64) as disk:
        with recording(folder, "--output", disk / "x", *SMALL) as process:
            lines_until(process, lambda p: p["video"][0] >= RATE)
            subprocess.run(["umount", "-l", disk], check=True)
            told = errors_until(process, lambda t: "Error" in t, 4)
            assert "unmounted" in told, told
            lines_until(process, lambda p: p["live"][0] >= 5 * RATE)
            process.send_signal(signal.SIGINT)
            text, _ = process.communicate(timeout=30)
            assert process.returncode == 1, text
        frames, _, parts = report(text)["video"]
        assert count_all(disk, "x-*.mkv", folder) == frames > RATE, text
        assert parts == 1, text


@tap.timed
def test_finished_part_is_taken_away(folder):
    """Of those that are there nothing is lost."""
    with recording(folder, "--output", "x", "--raw", "--lossless",
                   "--part-seconds", 1, *SMALL) as process:
        last = lines_until(process, lambda p: p["video"][0] >= 4 * RATE)
        gone = [folder / "x-00001.mkv", folder / "x-lossless-00000.mkv"]
        frames = [count(path, folder) for path in gone]
        for path in gone:
            path.unlink()
        told = errors_until(process, lambda t: t.count("Error") == 2, 4)
        assert "goes on in a new part" not in told, told
        lines_until(process, lambda p: p["live"][0] >= last["live"][0] + RATE)
        # and one right before the end
        (folder / "x-00002.mkv").unlink()
        found, lost, _ = check_losses(folder, process)
    assert lost["lossless"] == frames[1] and lost["video"] > frames[0], lost
    assert "raw" not in lost and found["raw"][0] > 4 * RATE, found


@tap.timed
def test_texts_are_taken_away(folder):
    """What describes a recording is written again, right before the end too."""
    for number, take in enumerate((lambda path: path.write_text(""),
                                   lambda path: path.unlink())):
        name = f"x{number}"
        with recording(folder, "--output", name, "--raw", "--lossless",
                       "--no-video", *SMALL) as process:
            lines_until(process, lambda p: p["raw"][0] >= RATE)
            (folder / f"{name}-lossless.txt").unlink()
            take(folder / f"{name}.oct")
            process.send_signal(signal.SIGINT)
            text = process.stdout.read()
            assert process.wait(30) == 0, process.stderr.read()
        assert "dB" in (folder / f"{name}-lossless.txt").read_text()
        assert play_spectra(name, folder) == report(text)["raw"][0]


@tap.timed
def test_limit_of_file_size(folder):
    """One recording reaches the limit (ulimit -f), the other goes on."""
    with recording(folder, "--output", "x", "--raw", *SMALL,
                   before=["sh", "-c", 'ulimit -f 3000; exec "$@"', "-"],
                   ) as process:
        errors_until(process, lambda t: "Error" in t, 10)
        last = lines_until(process, lambda p: "video" in p)
        lines_until(
            process, lambda p: p["video"][0] >= last["video"][0] + RATE)
        process.send_signal(signal.SIGINT)
        text = process.stdout.read()
        assert process.wait(30) == 1, text
    found = report(text)
    assert count(folder / "x-00000.mkv", folder) == found["video"][0], text
    assert play_spectra("x", folder) == found["raw"][0] >= RATE, text


# ------------------------------------------------------- who may, and who ends

@tap.timed
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
                if (here / "a/b/x-00001.mkv").exists() or container and (
                        here / "a/b/x-00000.raw").exists():
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


@tap.timed
def test_terminal_is_closed(folder):
    """SIGHUP ends it as Ctrl-C does, though it comes twice; nohup holds."""
    with recording(folder, "--output", "x", *SMALL) as process:
        lines_until(process, lambda p: p["video"][0] > RATE)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.02)
        process.send_signal(signal.SIGHUP)
        text = process.stdout.read()
        assert process.wait(30) == 0, text
    assert count(folder / "x-00000.mkv", folder) == report(text)["video"][0]
    with recording(folder, "--output", "y", *SMALL, before=["nohup"]) as process:
        last = lines_until(process, lambda p: p["video"][0] > 5)
        process.send_signal(signal.SIGHUP)
        lines_until(process, lambda p: p["video"][0] > last["video"][0] + RATE)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


@tap.timed
def test_reader_goes_away(folder):
    """As in `record.sh | head -1`; so does who reads the errors."""
    with recording(folder, "--output", "x", "--seconds", 4, *SMALL) as process:
        lines_until(process, lambda p: p["video"][0] > 5)
        process.stdout.close()
        process.stderr.close()
        assert process.wait(30) == 0
        process.stdout = process.stderr = None
    assert count(folder / "x-00000.mkv", folder) >= 3.5 * RATE


def test_no_room_at_the_start(folder):
    with small_disk(folder, 1) as disk:
        _, errors = run("--output", disk / "x", *SMALL, cwd=folder, status=1)
        assert "MB left" in errors and len(errors.splitlines()) == 1, errors
        assert not list(disk.iterdir())


@tap.alone
def test_slow_disk(folder):
    """Frames of the recording are lost and counted; the live picture has all
    of them, in time."""
    with recording(folder, "--output", "x", "--raw", "--mp4", *SMALL,
                   LD_PRELOAD=SLOW_DISK, OCT_SLOW_DISK_MS="150") as process:
        start = time.monotonic()
        last = lines_until(process, lambda p: p["live"][0] >= 6 * RATE)
        took = time.monotonic() - start
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    # waiting for the disk would leave at most 6 or 7 a second
    assert last["live"][1] <= 0.4 * last["live"][0] and took < 15, (last, took)
    found = report(text)
    for what in ("video", "raw"):
        frames, dropped, _ = found[what]
        assert dropped > RATE and frames > 20, found
        assert last["live"][0] - 5 <= frames + dropped, (last, found)
    assert count(folder / "x.mp4", folder) == found["video"][0]
    assert play_spectra("x", folder) == found["raw"][0]
    # the recording tells where; what was lost after its last frame has no place
    missing = re.search(r"^missing=(.*)$", (folder / "x.oct").read_text(), re.M)
    missing = sum(int(n) for n in re.findall(r":(\d+);", missing[1]))
    assert RATE <= missing <= found["raw"][1] + last["live"][1] + 2, (
        missing, found)


@tap.timed
def test_hanging_disk(folder):
    """It waits, says so, and ends at once when it is told a second time."""

    def hang(signals):
        name = "x" + "".join(str(int(s)) for s in signals)
        with recording(folder, "--output", name, *SMALL, LD_PRELOAD=SLOW_DISK,
                       OCT_SLOW_DISK_MS="600000") as process:
            lines_until(process, lambda p: p["live"][0] > 2 * RATE)
            for number in signals[:-1]:
                process.send_signal(number)
            # as whoever starts it may do: still the same Ctrl-C
            time.sleep(0.05)
            process.send_signal(signals[-2])
            for line in process.stderr:
                if "has not taken the recording" in line:
                    break
            assert "Ctrl-C once more" in line, line
            assert process.poll() is None
            process.send_signal(signals[-1])
            _, errors = process.communicate(timeout=10)
        assert process.returncode == 128 + signals[-1], (
            process.returncode, errors)
        assert "Ended at once by the second Ctrl-C" in errors, errors

    tap.together(hang, ((signal.SIGINT, signal.SIGINT),
                        (signal.SIGTERM, signal.SIGTERM),
                        (signal.SIGHUP, signal.SIGINT, signal.SIGINT)))


class Camera:
    """Whoever connects gets B-scans of 8 bit, 25 a second, while it flows."""

    def __init__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.flows = threading.Event()
        self.flows.set()
        self.ended = False
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            viewer, _ = self.server.accept()
            with viewer:
                number = 0
                while not self.ended:
                    self.flows.wait(1)
                    if self.flows.is_set():
                        number += 1
                        viewer.sendall(bytes([20 + number % 200]) * (SAMPLES * LINES))
                        time.sleep(1 / 25)

    @property
    def source(self):
        return (f"tcpclientsrc host=127.0.0.1 port={self.server.getsockname()[1]} "
                f"do-timestamp=true ! rawvideoparse width={SAMPLES} height={LINES} "
                "format=gray8 framerate=25/1")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended = True
        self.server.close()


def calibrate(folder):
    (folder / "cal.csv").write_text("wavelength_nm\n" + "".join(
        f"{800 + i / 10}\n" for i in range(SAMPLES)))
    return ["--calibration", "cal.csv"]


@tap.timed
def test_hanging_source(folder):
    """It is told, when it is back too, and what is missing in the end."""
    with Camera() as camera, recording(
            folder, "--output", "x", "--raw", "--source", camera.source,
            *calibrate(folder), "--size", "160x128") as process:
        lines_until(process, lambda p: p["video"][0] > 20)
        camera.flows.clear()
        line = process.stderr.readline()
        assert "no new B-scans have come" in line and "cables" in line, line
        camera.flows.set()
        line = process.stderr.readline()
        found = re.search(r"coming again, after ([\d.]+) s", line)
        assert found and 5 <= float(found[1]) < 15, line
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=30)
    assert process.returncode == 0 and errors == "", (text, errors)
    assert f"The source had a gap of {found[1]} s" in text, text
    assert count_all(folder, "x-*.mkv", folder) == report(text)["video"][0]


@tap.timed
def test_seconds_with_a_hanging_source(folder):
    """--seconds ends what records nothing any more, 5 s later."""
    with Camera() as camera, recording(
            folder, "--output", "x", "--source", camera.source, "--seconds", 4,
            *calibrate(folder), "--size", "160x128") as process:
        lines_until(process, lambda p: p["video"][0] > 20)
        camera.flows.clear()
        text, errors = process.communicate(timeout=60)
    assert process.returncode == 0, (text, errors)
    assert "no new B-scans have come" in errors, errors
    gap = re.search(r"The source had a gap of ([\d.]+) s", text)
    assert gap and 5 <= float(gap[1]) <= 9, text
    frames, _, _ = report(text)["video"]
    assert 20 < frames == count_all(folder, "x-*.mkv", folder) < 4 * 25, text


def test_source_that_cannot_be_woken(folder):
    """The first Ctrl-C is enough."""
    source = (f"octsrc is-live=true samples={SAMPLES} lines={LINES} bscans=1 "
              f"line-rate={LINES * RATE} ! identity sleep-time=120000000")
    with recording(folder, "--output", "x", "--source", source) as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=60)
    assert process.returncode == 0, (process.returncode, errors)
    assert "nothing was recorded" in text, text
    assert "does not stop" in errors, errors


# -------------------------------------------------------------- what is refused

def test_odd_names(folder):

    def record(case):
        number, name = case
        here = folder / str(number)
        here.mkdir()
        output, _ = run("--output", f"./{name}", "--seconds", 1, "--raw",
                        "--lossless", *SMALL, cwd=here)
        found = report(output.replace(name, "NAME"))
        (here / f"{name}-00000.mkv").rename(here / "v.mkv")
        assert count("v.mkv", here) == found["video"][0] > 5, output
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
            found = [p.communicate(timeout=60) for p in processes]
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
             ["--source", "nosuchsrc", "no pipeline"]),
            (["--output", "x", "--source", ""], ["--source", "no pipeline"]),
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


def test_help(folder):
    """Both helps know the same options; nothing is installed or built."""
    mine, _ = run("--help", program=RECORD_SH, cwd=folder)
    theirs, _ = run("--help", cwd=folder)
    options = set(re.findall(r"--[a-z][a-z0-9-]+", theirs)) - {"--help"}
    assert len(options) >= 20, theirs
    for option in options:
        assert option in mine, f"{option} is not in record.sh --help"


tap.main(globals(), at_a_time=4)  # most of them wait
