# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs oct-convert on archives, whole, broken and interrupted.  Output is TAP."""
import csv
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

import tap
from archive import (
    BSCANS, CONVERT, LINES, SAMPLES, convert, count, make_archive, manifest,
    numpy, outputs, run, summary)
from tap import Skip

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests/unit/vectors/files"


def test_archive(folder):
    """Folders stay folders; the values are those of a pipeline."""
    make_archive(folder)
    text = convert(folder, "--checksums", "--min", "20", "--max", "90")
    assert outputs(folder) == ["a.npy", "sub/b.npy", "sub/deep/c.npy"]
    assert count(text, "converted") == 3 and count(text, "failed") == 0, text
    tap.run("-q", "octsrc", "location=archive/sub/b.npy", "calibration=cal.csv",
            "!", "octreconstruct", "range=manual", "min=20", "max=90", "!",
            "video/x-raw,format=GRAY8", "!", "filesink", "location=b.bin",
            program="gst-launch-1.0", cwd=folder)
    found = numpy.load(folder / "out" / "sub" / "b.npy")
    assert found.shape == (BSCANS, SAMPLES // 2, LINES)
    assert found.tobytes() == (folder / "b.bin").read_bytes()
    assert found.std() > 5
    for row in manifest(folder):
        data = (folder / "out" / row["output"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == row["sha256"], row
        assert row["state"] == "done" and not row["message"], row
    assert not [path for path in (folder / "out").iterdir()
                if path.name.startswith(".")]
    assert (folder / "out/a.npy").stat().st_mode & 0o777 == 0o600


def test_not_again(folder):
    """Volumes that are done are left; changed or deleted ones are done again."""
    make_archive(folder)
    convert(folder)
    before = (folder / "out/a.npy").stat().st_mtime_ns
    text = convert(folder)
    assert (count(text, "converted"), count(text, "done before")) == (0, 3), text
    assert (folder / "out/a.npy").stat().st_mtime_ns == before
    (folder / "out/sub/b.npy").unlink()
    text = convert(folder)
    assert (count(text, "converted"), count(text, "done before")) == (1, 2), text
    assert (folder / "out/sub/b.npy").is_file()
    data = numpy.load(folder / "archive/a.npy")
    numpy.save(folder / "archive/a.npy", data[:4])
    text = convert(folder)
    assert (count(text, "converted"), count(text, "done before")) == (1, 2), text
    assert len(numpy.load(folder / "out/a.npy")) == 4


def test_broken_files(folder):
    """They are reported, the others go on, and nothing of them is left."""
    make_archive(folder)
    whole = (folder / "archive/a.npy").read_bytes()
    (folder / "archive/empty.npy").write_bytes(b"")
    (folder / "archive/cut.npy").write_bytes(whole[:60])
    (folder / "archive/text.mat").write_text("no file of MATLAB\n" * 40)
    (folder / "archive/ignored.txt").write_text("not spectra")
    text = convert(folder, status=1)
    assert (count(text, "converted"), count(text, "failed")) == (3, 3), text
    assert outputs(folder) == ["a.npy", "sub/b.npy", "sub/deep/c.npy"]
    failed = [row for row in manifest(folder) if row["state"] == "failed"]
    assert sorted(pathlib.Path(row["input"]).name for row in failed) == [
        "cut.npy", "empty.npy", "text.mat"]
    for row in failed:
        assert row["message"] and row["message"] in text, row
    # still failed the second time, and said again
    text = convert(folder, status=1)
    assert (count(text, "done before"), count(text, "failed")) == (3, 3), text


def test_strange_names(folder):
    names = ['a "b", c.npy', "%d %s %05d.npy", "new\nline.npy", "-x.npy"]
    make_archive(folder, names)
    convert(folder)
    rows = manifest(folder)
    assert sorted(pathlib.Path(row["input"]).name for row in rows) == sorted(
        names)
    for row in rows:
        assert len(numpy.load(folder / "out" / row["output"])) == BSCANS
    assert count(convert(folder), "done before") == len(names)


def test_recording(folder):
    """One with parts is one input, with all of its volumes."""
    make_archive(folder, ["a.npy"])
    tap.run("-q", "octsrc", f"samples={SAMPLES}", f"lines={LINES}",
            f"bscans={BSCANS}", f"num-buffers={2 * BSCANS}", "!", "octrawsink",
            "location=archive/rec", "part-size=50000",
            program="gst-launch-1.0", cwd=folder)
    assert len(list((folder / "archive").glob("rec-*.raw"))) > 1
    text = run("archive/rec.oct", "--output", "out", "--format", "npy",
               "--calibration", "cal.csv", cwd=folder)
    assert "2 volumes" in text, text
    assert outputs(folder) == ["rec-1.npy", "rec.npy"]
    text = convert(folder)
    assert count(text, "converted") == 1 and count(text, "done before") == 1
    row = manifest(folder)[0]
    assert row["input"] == str((folder / "archive/rec.oct").resolve()), row
    size = sum(path.stat().st_size for path in (folder / "archive").glob("rec*"))
    assert int(row["bytes"]) == size, row


def test_parts(folder):
    """Together they are all files, each once, and about as large."""
    names = [f"{n:02}.npy" for n in range(11)]
    make_archive(folder, names)
    found = []
    for part in (1, 2, 3):
        text = convert(folder, "--part", f"{part}/3")
        assert 3 <= count(text, "converted") <= 4, text
        found += [row["output"] for row in manifest(
            folder, f"oct-convert-{part}-of-3.csv")]
    assert sorted(found) == names
    # manifests of parts hold for the whole
    assert count(convert(folder), "done before") == len(names)
    # more parts than files
    (folder / "out/oct-convert.csv").unlink()
    assert count(convert(folder, "--part", "40/50"), "failed") == 0


def test_interrupted(folder):
    """Ctrl-C leaves complete files, and the next run does the rest; so does a
    program that was killed."""
    if numpy is None:
        raise Skip("NumPy is not installed")
    (folder / "archive").mkdir()
    for n in range(6):
        numpy.save(folder / "archive" / f"{n}.npy",
                   numpy.zeros((64, 128, 512), "u2") + n)
    rows = "".join(f"{790 + 110 * i / 511:.6f}\n" for i in range(512))
    (folder / "cal.csv").write_text("wavelength_nm\n" + rows)
    for number in (signal.SIGINT, signal.SIGKILL):
        with subprocess.Popen(
                [CONVERT, "archive", "--output", "out", "--format", "npy",
                 "--calibration", "cal.csv"], cwd=folder,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as program:
            for _ in range(600):
                if len(outputs(folder)) >= (1 if number == signal.SIGINT else 2):
                    break
                time.sleep(0.05)
            program.send_signal(number)
            program.communicate()
            assert program.returncode in (1, -signal.SIGKILL, 0)
        # complete under their names, whatever lies in folders of the program
        for name in outputs(folder):
            if not name.startswith("."):
                assert len(numpy.load(folder / "out" / name)) == 64
    text = convert(folder)
    assert count(text, "failed") == 0, text
    assert [name for name in outputs(folder)] == [f"{n}.npy" for n in range(6)]
    # twice the one that was killed between its line and its place
    done = [row["output"] for row in manifest(folder) if row["state"] == "done"]
    assert len(set(done)) == 6 and len(done) <= 7, manifest(folder)


def test_summary(folder):
    """It says what is missing, failed or damaged, and makes one manifest."""
    names = [f"{n}.npy" for n in range(6)]
    make_archive(folder, names)
    text = summary(folder, status=1)
    assert count(text, "not converted") == 6 and "Not complete: 6 of 6" in text
    assert not outputs(folder), "a summary has converted"
    for part in (1, 3):
        convert(folder, "--part", f"{part}/3", "--checksums")
    text = summary(folder, status=1)
    missing = re.findall(r"^  (.*\.npy)$", text, re.M)
    assert missing == [str((folder / "archive" / name).resolve())
                       for name in ("2.npy", "3.npy")], text
    # the others failed or are done before: told by name, with the reason
    (folder / "archive/2.npy").write_bytes(b"no spectra")
    convert(folder, "--part", "2/3", "--checksums", status=1)
    text = summary(folder, status=1)
    row, = (row for row in manifest(folder) if row["state"] == "failed")
    assert f"{row['input']}: {row['message']}" in text, text
    assert count(text, "failed") == 1 and count(text, "not converted") == 0
    (folder / "archive/2.npy").unlink()
    text = summary(folder)
    assert "Complete: all 5 files" in text, text
    # all in one, each once, with the checksum of `sha256sum`
    for part in (1, 2, 3):
        (folder / f"out/oct-convert-{part}-of-3.csv").unlink()
    text = summary(folder, "--checksums")
    assert count(text, "damaged") == 0 and "Complete" in text, text
    rows = [row for row in manifest(folder) if row["state"] == "done"]
    assert sorted(row["output"] for row in rows) == [
        name for name in names if name != "2.npy"]
    for row in rows:
        data = (folder / "out" / row["output"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == row["sha256"], row
    before = (folder / "out/oct-convert.csv").read_bytes()
    summary(folder)
    assert (folder / "out/oct-convert.csv").read_bytes() == before
    # one bit, of one volume
    path = folder / "out/4.npy"
    times = path.stat().st_mtime_ns
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(times, times))
    text = summary(folder, "--checksums", status=1)
    assert count(text, "damaged") == 1 and "out/4.npy: its SHA-256" in text, text
    assert "Complete" in summary(folder)
    path.unlink()
    text = summary(folder, status=1)
    assert count(text, "not converted") == 1 and "archive/4.npy" in text, text
    # other options: nothing is done
    assert count(summary(folder, "--bscans", 2, status=1), "not converted") == 5


def test_newest_manifest_counts(folder):
    """An older record of a part does not count after the whole was converted
    with other options."""
    make_archive(folder, ["a.npy", "b.npy"])
    convert(folder, "--part", "1/1")
    convert(folder, "--min", 10, "--max", 60)
    changed = (folder / "out/a.npy").read_bytes()
    assert count(convert(folder, "--min", 10, "--max", 60, "--part", "1/1"),
                 "done before") == 2
    text = convert(folder, "--part", "1/1")
    assert count(text, "converted") == 2, text
    assert (folder / "out/a.npy").read_bytes() != changed
    assert count(convert(folder), "done before") == 2
    # of an earlier version, without the time
    path = folder / "out/oct-convert-1-of-1.csv"
    with open(path, newline="") as file:
        rows = [row[:8] for row in csv.reader(file)][-2:]
    for old in (folder / "out").glob("oct-convert*.csv"):
        old.unlink()
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    assert count(convert(folder), "done before") == 2


def is_open(program, path):
    folder = pathlib.Path(f"/proc/{program.pid}/fd")
    try:
        return any(file.resolve() == path for file in folder.iterdir())
    except OSError:
        return False


def end_at(folder, name, how, *arguments):
    """Ends it while it converts the file of this name, which takes long."""
    with subprocess.Popen(
            [CONVERT, "archive", "--output", "out", "--format", "npy",
             "--calibration", "cal.csv", *arguments], cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as program:
        for _ in range(6000):
            if is_open(program, (folder / "archive" / name).resolve()):
                break
            assert program.poll() is None, f"ended before {name}"
            time.sleep(0.01)
        program.send_signal(how)
        return program.wait(60)


def test_a_file_that_kills(folder):
    """It comes last the second time, and is left out the third, for the others
    to be converted."""
    make_archive(folder, ["a.npy", "z.npy"])
    with open(folder / "archive/m.npy", "wb") as file:
        numpy.lib.format.write_array_header_1_0(file, {
            "descr": "<u2", "fortran_order": False,
            "shape": (400000, LINES, SAMPLES)})
        file.truncate(128 + 400000 * LINES * SAMPLES * 2)
    # so many B-scans of few samples do not suggest another order here
    slow = ["--method", "nudft", "--sample-dimension", "3"]
    end_at(folder, "m.npy", signal.SIGKILL, *slow)
    assert outputs(folder) == ["a.npy"]
    end_at(folder, "m.npy", signal.SIGKILL, *slow)
    assert outputs(folder) == ["a.npy", "z.npy"]
    text = convert(folder, *slow, status=1)
    assert count(text, "failed") == 1 and "left out" in text, text
    assert count(text, "done before") == 2, text
    text = summary(folder, *slow, status=1)
    assert "m.npy: 2 programs" in text and count(text, "failed") == 1, text
    assert not list(folder.glob("out/.oct-convert*"))
    # it is tried again; Ctrl-C does not count as a crash
    end_at(folder, "m.npy", signal.SIGKILL, *slow)
    assert end_at(folder, "m.npy", signal.SIGINT, *slow) == 1
    assert not list(folder.glob("out/.oct-convert*"))
    end_at(folder, "m.npy", signal.SIGKILL, *slow)
    end_at(folder, "m.npy", signal.SIGKILL, *slow)


def test_packed(folder):
    """Samples of 12 bits, as cameras pack them, both ways; they are other
    options."""
    make_archive(folder, ["a.npy"])
    data = numpy.load(folder / "archive/a.npy").astype("u4")
    (folder / "archive/a.npy").unlink()
    even, odd = data.ravel()[::2], data.ravel()[1::2]
    (folder / "archive/a.raw").write_bytes(data.astype("u2").tobytes())
    sizes = ["--bscans", BSCANS, "--samples", SAMPLES, "--lines", LINES]
    convert(folder, *sizes)
    found = (folder / "out/a.npy").read_bytes()
    packed = {"mono12p": (even & 255, even >> 8 | (odd & 15) << 4, odd >> 4),
              "mono12packed": (even >> 4, even & 15 | (odd & 15) << 4, odd >> 4)}
    for packing, three in packed.items():
        (folder / "archive/a.raw").write_bytes(
            numpy.stack(three, 1).astype("u1").tobytes())
        text = convert(folder, *sizes, "--packing", packing)
        assert count(text, "converted") == 1, text
        assert (folder / "out/a.npy").read_bytes() == found, packing
    # the same bytes, taken for the other
    text = convert(folder, *sizes, "--packing", "mono12p")
    assert count(text, "converted") == 1, text
    assert (folder / "out/a.npy").read_bytes() != found
    text = convert(folder, "--packing", "12", status=2)
    assert "mono12packed" in text and "--help" in text, text


def test_two_of_one_name(folder):
    """The second keeps its ending."""
    make_archive(folder, ["a.npy"])
    data = numpy.load(folder / "archive/a.npy")
    (folder / "archive/a.raw").write_bytes(data.tobytes())
    convert(folder, "--samples", SAMPLES, "--lines", LINES, "--bscans", BSCANS)
    assert outputs(folder) == ["a.npy", "a.raw.npy"]
    first, second = (numpy.load(folder / "out" / name)
                     for name in ("a.npy", "a.raw.npy"))
    assert (first == second).all()


def test_nothing_of_others_is_replaced(folder):
    """Not the input, not a volume of another input, not a file of a person."""
    make_archive(folder, ["left.npy", "left-1.npy", "a%b.npy", "a_b.npy"])
    whole = (folder / "archive/left.npy").read_bytes()
    text = run("archive", "--output", "archive", "--format", "npy", cwd=folder,
               status=1)
    assert "another folder" in text, text
    assert (folder / "archive/left.npy").read_bytes() == whole
    # two volumes of left, the second of which would be called as the other's
    text = convert(folder, "--bscans", BSCANS // 2)
    assert count(text, "converted") == 4, text
    rows = [row["output"] for row in manifest(folder) if row["state"] == "done"]
    assert len(rows) == len(set(rows)) == 8, rows
    for name, output in (("left", "left.npy"), ("left", "left.npy-1.npy"),
                         ("left-1", "left-1.npy"), ("left-1", "left-1-1.npy")):
        row, = (row for row in manifest(folder) if row["output"] == output)
        assert pathlib.Path(row["input"]).name == f"{name}.npy", row
    # a file that comes later and is called as a volume that is there
    whole_2 = numpy.load(folder / "archive/left-1.npy")
    numpy.save(folder / "archive/left-1-1.npy", whole_2[::-1])
    convert(folder, "--bscans", BSCANS // 2, status=1)
    text = convert(folder, "--bscans", BSCANS // 2)
    assert count(text, "converted") == 1, text
    text = convert(folder, "--bscans", BSCANS // 2)
    assert count(text, "done before") == 5, text
    # the same name from two folders, in two runs
    for day in ("1", "2"):
        (folder / day).mkdir()
        (folder / day / "scan.npy").write_bytes(whole)
    line = ["--output", "days", "--format", "npy", "--calibration", "cal.csv"]
    run("1/scan.npy", *line, cwd=folder)
    before = (folder / "days/scan.npy").stat().st_mtime_ns
    text = run("2/scan.npy", *line, cwd=folder, status=1)
    assert "1/scan.npy" in text and "is there already" in text, text
    assert (folder / "days/scan.npy").stat().st_mtime_ns == before
    (folder / "mine").mkdir()
    (folder / "mine/scan.npy").write_text("mine")
    text = run("1/scan.npy", "--output", "mine", *line[2:], cwd=folder, status=1)
    assert "is there already" in text, text
    assert (folder / "mine/scan.npy").read_text() == "mine"


def test_missing_bscans(folder):
    """A file that ends within a volume is converted, and said to be short."""
    make_archive(folder, ["a.npy"])
    data = numpy.load(folder / "archive/a.npy")
    (folder / "archive/a.npy").unlink()
    (folder / "archive/a.raw").write_bytes(data.tobytes())
    text = convert(folder, "--bscans", 4, "--samples", SAMPLES, "--lines", LINES,
                   status=3)
    assert "2 B-scans are missing" in text, text
    assert re.search(r"^  incomplete +1 of them", text, re.M), text
    assert re.search(r"^  incomplete +1 of them", convert(
        folder, "--bscans", 4, "--samples", SAMPLES, "--lines", LINES,
        "--summary", status=3), re.M)
    assert all("missing" in row["message"] for row in manifest(folder))


def test_files_with_holes(folder):
    """Missing parts that a file announces are named; all the rest is converted."""
    if numpy is None:
        raise Skip("NumPy is not installed")
    (folder / "archive").mkdir()
    name = folder / "archive/scan.oct"
    name.write_bytes((VECTORS / "missing-entry.oct").read_bytes())
    line = ["archive", "--output", "out", "--format", "npy"]
    try:
        text = run(*line, cwd=folder, status=3)
    except AssertionError as error:
        if "made without libzip" in str(error):
            raise Skip("built without libzip") from None
        raise
    assert "6 B-scans, but 1 of them is missing" in text, text
    assert "data/Spectral3.data is not in the archive" in text, text
    volume = numpy.load(folder / "out/scan.npy")
    assert [bool(bscan.any()) for bscan in volume] == [True] * 3 + [False] + [True] * 2
    note, = re.findall("^Note: (.*)$", text, re.M)
    assert "missing: B-scan 3 (data/Spectral3.data " in note, note
    assert [row["message"] for row in manifest(folder)] == [
        f"1 B-scan is missing and black ({note})"]
    assert "1 volume, 1 B-scan is missing and black\n" in text, text
    text = run(*line, cwd=folder, status=3)
    assert count(text, "done before") == 1, text
    run(*line, "--summary", cwd=folder, status=3)


def test_missing_volume(folder):
    """Where a whole volume is missing nothing is black, and it is said too."""
    make_archive(folder, ["a.npy"])
    data = numpy.load(folder / "archive/a.npy")
    (folder / "archive/a.npy").unlink()
    (folder / "archive/a.unp").write_bytes(data.tobytes())
    (folder / "archive/a.xml").write_text(
        f'<Volume_Size Width="{SAMPLES}" Height="{LINES}" '
        f'Number_of_Frames="{BSCANS}" Number_of_Volumes="2"/>')
    convert(folder, status=3)
    assert len(manifest(folder)) == 1
    assert f"{BSCANS} B-scans are missing" in manifest(folder)[0]["message"]


def test_other_options(folder):
    """They make other volumes; those of before go where the names change."""
    make_archive(folder, ["a.npy"])
    convert(folder)
    assert count(convert(folder, "--min", 10, "--max", 60), "converted") == 1
    assert count(convert(folder, "--min", 10, "--max", 60), "done before") == 1
    text = convert(folder, "--bscans", 2)
    assert outputs(folder) == ["a-1.npy", "a-2.npy", "a.npy"], text
    convert(folder)
    assert outputs(folder) == ["a.npy"]
    assert len(numpy.load(folder / "out/a.npy")) == BSCANS
    (folder / "cal.csv").write_text("k_index\n" + "".join(
        f"{n}\n" for n in range(SAMPLES)))
    assert count(convert(folder), "converted") == 1


def test_links_and_own_volumes(folder):
    """Links make no loops, and output files are not input."""
    make_archive(folder, ["a.npy"])
    for name in ("x", "y"):
        (folder / "archive" / name).symlink_to(".")
    line = ["archive", "--output", "archive/out", "--format", "npy",
            "--calibration", "cal.csv"]
    for what in ("converted", "done before"):
        text = run(*line, cwd=folder)
        assert count(text, what) == 1 and count(text, "failed") == 0, text
    (folder / "archive/empty").mkdir(mode=0)
    if not os.access(folder / "archive/empty", os.R_OK):
        text = run(*line, cwd=folder, status=1)
        assert count(text, "done before") == 1 and "empty" in text, text


def test_manifest_of_others(folder):
    """Two programs do not share one; a damaged one is not thrown away."""
    make_archive(folder, ["a.npy"])
    convert(folder)
    path = folder / "out/oct-convert.csv"
    with open(path, "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = convert(folder, status=1)
        assert "Another program" in text, text
    good = path.read_text()
    path.write_text(good + '"a stray quote\n')
    text = convert(folder, status=1)
    assert "damaged" in text, text
    assert path.read_text() == good + '"a stray quote\n'
    # of a crash: a record without its end
    path.write_text(good + '"archive/a.npy",12,"to')
    assert count(convert(folder), "done before") == 1
    assert path.read_text() == good


def test_manifest_of_the_future(folder):
    """A record written after one with the latest possible time still counts as
    newer."""
    make_archive(folder, ["a.npy"])
    convert(folder)
    path = folder / "out/oct-convert.csv"
    written = manifest(folder)[0]["written"]
    path.write_text(path.read_text().replace(
        f",{written},", f",{2 ** 63 - 1},"))
    data = numpy.load(folder / "archive/a.npy")
    numpy.save(folder / "archive/a.npy", data[:4])
    assert count(convert(folder), "converted") == 1
    assert len(numpy.load(folder / "out/a.npy")) == 4
    assert count(convert(folder), "done before") == 1


def test_ascans_and_sizes(folder):
    make_archive(folder, ["a.npy"])
    convert(folder, "--ascans")
    found = numpy.load(folder / "out/a.npy")
    assert found.dtype == "c8" and found.shape == (BSCANS, LINES, SAMPLES // 2)
    run("archive/a.npy", "--output", "sized", "--format", "nii", "--calibration",
        "cal.csv", "--bscans", BSCANS, "--width-um", 240, "--length-um", 50,
        cwd=folder)
    header = (folder / "sized/a.nii").read_bytes()
    zooms = numpy.frombuffer(header[80:92], "<f4")
    assert numpy.allclose(zooms[[0, 2]], (0.01, 0.01)), zooms


def make_flow(folder, repeats, places):
    """Spectra of vessels that go across B-scans of 128 A-lines."""
    if numpy is None:
        raise Skip("NumPy is not installed")
    (folder / "archive").mkdir()
    bscans = repeats * places
    tap.run("-q", "octsrc", "phantom=flow", f"repeats={repeats}",
            f"bscans={bscans}", f"num-buffers={bscans}", "samples=512",
            "lines=128", "motion=0", "!", "filesink", "location=flow.bin",
            program="gst-launch-1.0", cwd=folder)
    numpy.save(folder / "archive/f.npy", numpy.fromfile(
        folder / "flow.bin", "<u2").reshape(bscans, 128, 512))
    rows = "".join(f"{790 + 110 * i / 511:.6f}\n" for i in range(512))
    (folder / "cal.csv").write_text("wavelength_nm\n" + rows)


def test_flow(folder):
    """One image for each place, bright where the virtual system has a vessel."""
    make_flow(folder, 3, 4)
    text = convert(folder, "--flow", status=1)
    assert "one B-scan at each place" in text and "--repeats" in text, text
    convert(folder, "--flow", "--repeats", 3)
    found = numpy.load(folder / "out/f.npy")
    assert found.dtype == "u1" and found.shape == (4, 256, 128), found.shape
    # the surface is 50 um below zero delay, the middle of the vessel 130 below it
    depth = round((50 + 130) * 1.38 / (0.845 ** 2 / 2 / 0.11))
    vessel = found[:, depth - 6:depth + 7, 32 - 4:32 + 5].mean()
    tissue = found[:, depth - 6:depth + 7, 46:52].mean()
    assert vessel > 100 and tissue < 20, (vessel, tissue)
    # another volume than the structure, and no less complete
    assert count(convert(folder, "--flow", "--repeats", 3), "done before") == 1
    assert count(convert(folder), "converted") == 1
    assert numpy.load(folder / "out/f.npy").shape == (12, 256, 128)


def test_doppler(folder):
    """Blood moves along the beam, tissue beside it does not."""
    make_flow(folder, 1, 4)
    convert(folder, "--doppler", "--line-rate", 100000)
    found = numpy.load(folder / "out/f.npy")
    assert found.dtype == "f4" and found.shape == (4, 128, 256), found.shape
    depth = round((50 + 130) * 1.38 / (0.845 ** 2 / 2 / 0.11))
    vessel = abs(numpy.median(found[:, 27:38, depth - 4:depth + 5]))
    tissue = abs(numpy.median(found[:, 46:52, 30:100]))
    assert tissue < 0.5 and 2 < vessel < 10, (tissue, vessel)


def test_length_without_bscans(folder):
    """The file knows them: the length is from the first to the last."""
    make_archive(folder, ["a.npy"])
    run("archive/a.npy", "--output", "sized", "--calibration", "cal.csv",
        "--width-um", 240, "--length-um", 50, cwd=folder)
    header = (folder / "sized/a.nii").read_bytes()
    zooms = numpy.frombuffer(header[80:92], "<f4")
    assert numpy.allclose(zooms[[0, 2]],
                          (0.24 / LINES, 0.05 / (BSCANS - 1))), zooms


def test_dicom(folder):
    """Without the sizes it is said which of our options give them."""
    make_archive(folder, ["a.npy"])
    line = ["archive/a.npy", "--output", "out", "--calibration", "cal.csv",
            "--format", "dcm"]
    text = run(*line, cwd=folder, status=1)
    if "--width-um" not in text and "DCMTK" in text:
        raise Skip("built without DICOM")
    assert "--width-um and --length-um" in text and "`" not in text, text
    run(*line, "--width-um", 240, "--length-um", 50, cwd=folder)
    data = (folder / "out/a.dcm").read_bytes()
    assert data[128:132] == b"DICM"
    # PixelSpacing: between rows, which are depths, and between A-lines, in mm
    _, found = data.split(b"\x28\x00\x30\x00DS", 1)
    length = int.from_bytes(found[:2], "little")
    spacing = [float(n) for n in found[2:2 + length].split(b"\\")]
    assert abs(spacing[1] - 0.24 / LINES) < 1e-9, spacing


def test_properties_are_options(folder):
    """The elements' sentences about properties name our options instead."""
    make_archive(folder, ["a.npy"])
    (folder / "r.raw").write_bytes(bytes(1000))
    text = run("r.raw", "--output", "o", "--calibration", "cal.csv", cwd=folder,
               status=1)
    assert "set --samples" in text and "--lines" in text, text
    assert "`" not in text, text
    # in warnings too
    spectra = 2000 + 600 * numpy.cos(numpy.arange(SAMPLES) / 5)
    numpy.tile(spectra, BSCANS * LINES).astype(">u2").tofile(folder / "be.raw")
    text = run("be.raw", "--output", "o", "--calibration", "cal.csv", "--format",
               "npy", "--samples", SAMPLES, "--lines", LINES, cwd=folder)
    assert "Note: " in text and "set --sample-format to gray16-be" in text, text
    assert "`" not in text, text
    try:
        import h5py
    except ImportError:
        raise Skip("h5py is not installed") from None
    data = numpy.load(folder / "archive/a.npy")
    with h5py.File(folder / "two.h5", "w") as file:
        file["x"], file["y"] = data, data + 1
    line = ["two.h5", "--output", "o", "--calibration", "cal.csv", "--format",
            "npy"]
    text = run(*line, cwd=folder, status=1)
    assert "set --dataset to one of them" in text, text
    run(*line, "--dataset", "y", cwd=folder)
    assert (folder / "o/two.npy").is_file()


def test_depths(folder):
    """They are a part of the A-scans, and make other volumes."""
    make_archive(folder, ["a.npy"])
    convert(folder, "--ascans")
    all_of_it = numpy.load(folder / "out/a.npy")
    part = ["--ascans", "--depth-start", 3, "--depth-bins", 10]
    assert count(convert(folder, *part), "converted") == 1
    assert count(convert(folder, *part), "done before") == 1
    found = numpy.load(folder / "out/a.npy")
    assert (found == all_of_it[..., 3:13]).all(), (found.shape, all_of_it.shape)


def test_flyback(folder):
    """The volume is that of a file without these A-lines."""
    make_archive(folder, ["a.npy"])
    path = folder / "archive/a.npy"
    data = numpy.load(path)
    numpy.save(path, data[:, 3:-5])
    convert(folder, "--ascans")
    kept = numpy.load(folder / "out/a.npy")
    numpy.save(path, data)
    crop = ["--ascans", "--crop-start", 3, "--crop-end", 5]
    assert count(convert(folder, *crop), "converted") == 1
    assert count(convert(folder, *crop), "done before") == 1
    found = numpy.load(folder / "out/a.npy")
    assert found.shape == kept.shape and (found == kept).all(), found.shape
    assert count(convert(folder, "--ascans"), "converted") == 1
    assert numpy.load(folder / "out/a.npy").shape != kept.shape


def test_transposed(folder):
    """A camera with A-lines in columns: raw frames and TIFF pages."""
    make_archive(folder, ["a.npy"])
    data = numpy.load(folder / "archive/a.npy")
    convert(folder, "--ascans")
    found = (folder / "out/a.npy").read_bytes()
    shutil.rmtree(folder / "out")
    (folder / "archive/a.npy").unlink()
    turned = numpy.ascontiguousarray(data.swapaxes(1, 2))
    (folder / "archive/a.raw").write_bytes(turned.tobytes())
    sizes = ["--bscans", BSCANS, "--samples", SAMPLES, "--lines", LINES]
    columns = ["--ascans", "--sample-dimension", 2]
    assert count(convert(folder, *sizes, *columns), "converted") == 1
    assert (folder / "out/a.npy").read_bytes() == found
    assert count(convert(folder, *sizes, *columns), "done before") == 1
    try:
        import tifffile
    except ImportError:
        raise Skip("tifffile of Python is not installed") from None
    shutil.rmtree(folder / "out")
    tifffile.imwrite(folder / "archive/a.tif", turned,
                     photometric="minisblack")
    text = run("archive/a.tif", "--output", "out", "--format", "npy",
               "--calibration", "cal.csv", *columns, cwd=folder)
    assert count(text, "converted") == 1, text
    assert (folder / "out/a.npy").read_bytes() == found


def test_compressive_sensing(folder):
    """Its settings hold, for images and A-scans, and are other options."""
    make_archive(folder, ["a.npy"])
    line = ["--ascans", "--method", "cs"]
    convert(folder, *line)
    default = numpy.load(folder / "out/a.npy")
    assert default.any()
    # the same settings, said
    convert(folder, *line, "--solver", "persistent", "--tau", 3,
            "--sampling-rate", 0.4)
    assert (numpy.load(folder / "out/a.npy") == default).all()
    for option, value in (("--sampling-rate", 0.7), ("--solver", "sparsa"),
                          ("--tau", 1)):
        text = convert(folder, *line, option, value)
        assert count(text, "converted") == 1, text
        assert count(convert(folder, *line, option, value), "done before") == 1
        found = numpy.load(folder / "out/a.npy")
        assert numpy.isfinite(found).all()
        assert abs(found - default).max() > 1e-3 * abs(default).max(), option
    # noise does not exceed a thousand standard deviations of it
    convert(folder, *line, "--tau", 1000)
    assert not numpy.load(folder / "out/a.npy").any()
    convert(folder, "--method", "cs", "--tau", 1000, "--min", 20, "--max", 90)
    assert not numpy.load(folder / "out/a.npy").any()
    for wrong, words in (
            (("--tau", "3"), "set --method cs"),
            (("--method", "cs", "--tau", "-2"), "--tau is -2"),
            (("--method", "cs", "--sampling-rate", "1.5"),
             "--sampling-rate is 1.5"),
            (("--method", "cs", "--solver", "best"),
             "persistent, continued, sparsa")):
        text = convert(folder, *wrong, status=2)
        assert words in text and "--help" in text, text


def test_ascans_of_methods(folder):
    """They are those of the chain with each method, dispersion compensated."""
    make_archive(folder, ["a.npy"])
    lines = (folder / "cal.csv").read_text().split()[1:]
    x = numpy.linspace(-1, 1, SAMPLES)
    (folder / "cal.csv").write_text("wavelength_nm,dispersion_rad\n" + "".join(
        f"{line},{phase:.6f}\n" for line, phase in zip(lines, 20 * x * x)))
    fft = ["octdispersion", "!", "octfft"]
    for method, chain in (
            ("cubic", ["octkresample", "!", *fft]),
            ("linear", ["octkresample", "method=linear", "!", *fft]),
            ("lanczos", ["octkresample", "method=lanczos", "!", *fft]),
            ("nufft", ["octdispersion", "!", "octnufft"]),
            ("nudft", ["octdispersion", "!", "octnufft", "method=nudft"]),
            ("cs", ["octdispersion", "!", "octcs"])):
        convert(folder, "--ascans", "--method", method)
        tap.run("-q", "octsrc", "location=archive/a.npy", "calibration=cal.csv",
                "!", "octdcsub", "!", *chain, "!", "filesink", "location=b.bin",
                program="gst-launch-1.0", cwd=folder)
        found = numpy.load(folder / "out/a.npy")
        assert found.tobytes() == (folder / "b.bin").read_bytes(), method


def test_wrong_options(folder):
    for arguments, named in (
            ([], "No file"), (["x.npy"], "--output"),
            (["x.npy", "--output", "o", "--format", "png"], "--format"),
            (["x.npy", "--output", "o", "--part", "3/2"], "--part"),
            (["x.npy", "--output", "o", "--part", "1/2x"], "--part"),
            (["x.npy", "--output", "o", "--part", "1/2", "--summary"], "--part"),
            (["x.npy", "--output", "o", "--min", "5"], "--max"),
            (["x.npy", "--output", "o", "--crop-end", "-1"], "--crop-end"),
            (["x.npy", "--output", "o", "--method", "magic"], "magic"),
            (["x.npy", "--output", "o", "--background", "no"], "fixed-pattern"),
            (["x.npy", "--output", "o", "--width-um", "1e9"], "--width-um"),
            (["x.npy", "--output", "o", "--doppler", "--format", "dcm"], "h5"),
            (["x.npy", "--output", "o", "--doppler", "--flow"], "one of"),
            (["x.npy", "--output", "o", "--repeats", 2], "--flow"),
            (["x.npy", "--output", "o", "--line-rate", 9], "--doppler"),
            (["x.npy", "--output", "o", "--flow", "--repeats", 1], "2 to 64"),
            (["x.npy", "--output", "o", "--ascans", "--format", "tif"], "h5"),
            (["--data", "x.npy", "y.npy", "--output", "o"], "without --data"),
            (["x.npy", "--output", "o", "--length-um", "5", "--bscans", "1"],
             "--bscans")):
        text = run(*arguments, cwd=folder, status=2)
        assert named in text and "--help" in text, text
    for path, named in (("missing.npy", "missing.npy"), (".", "no file")):
        text = run(path, "--output", "o", cwd=folder, status=1)
        assert named in text, text
    assert not list(folder.iterdir())


tap.main(globals())
