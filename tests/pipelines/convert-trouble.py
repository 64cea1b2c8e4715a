# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs oct-convert where disks fail, programs are killed and others write into
its folder: the manifest says what is there.  Output is TAP."""
import os
import re
import resource
import shutil
import signal
import subprocess

import tap
from archive import (
    BSCANS, CONVERT, LINES, SAMPLES, convert, count, make_archive, manifest,
    numpy, outputs, run, summary)
from tap import Skip

OTHER = ["--min", "20", "--max", "40"]


def on_bad_disk(folder, what, at, *more, place="out", **variables):
    """The exit status of a run with trouble at the change of this number."""
    env = dict(os.environ, LD_PRELOAD=os.environ["OCT_BAD_DISK_LIBRARY"],
               OCT_BAD_DISK=what, OCT_BAD_DISK_AT=str(at),
               OCT_BAD_DISK_FOLDER=str(folder.resolve() / place), **variables)
    result = subprocess.run(
        [CONVERT, folder / "archive", "--output", folder.resolve() / "out",
         "--format", "npy", "--calibration", folder / "cal.csv", *more],
        env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=120)
    return result.returncode, result.stdout + result.stderr


def read_all(folder):
    return {name: (folder / "out" / name).read_bytes()
            for name in outputs(folder)}


def check_next_run(folder, expected, at):
    """The same line again does what is missing, and nothing else is left."""
    before = summary(folder, *OTHER, status=None)
    text = convert(folder, *OTHER)
    done = count(text, "done before")
    assert count(before, "complete") == done, (at, before, text)
    assert count(text, "converted") + done == 1, (at, text)
    assert read_all(folder) == expected, (at, text)
    assert not list((folder / "out").glob(".oct-convert*")), at


def prepare(folder):
    """A file converted to two volumes, a copy of those, and the one volume that
    other options have to give."""
    make_archive(folder, ["sub/b.npy"])
    convert(folder, *OTHER)
    expected = read_all(folder)
    shutil.rmtree(folder / "out")
    convert(folder, "--bscans", BSCANS // 2)
    assert read_all(folder).keys() == {"sub/b.npy", "sub/b-1.npy"}
    assert expected.keys() == {"sub/b.npy"}
    shutil.copytree(folder / "out", folder / "before")
    return expected


def restore(folder, empty):
    shutil.rmtree(folder / "out")
    if not empty:
        shutil.copytree(folder / "before", folder / "out")


def test_killed_at_every_step(folder):
    """Whatever it did last: no volume of before passes for a new one."""
    expected = prepare(folder)
    for empty in (False, True):
        for at in range(1, 200):
            restore(folder, empty)
            status, text = on_bad_disk(folder, "kill", at, *OTHER)
            if status != -signal.SIGKILL:
                break
            check_next_run(folder, expected, at)
        assert status == 0 and at > 15, (status, at, text)


def test_stores_killed_at_every_step(folder):
    """A store that is replaced, and one that goes: no half of one is left under
    its name, also where names cannot be exchanged."""
    make_archive(folder, ["b.npy"])
    new = [*OTHER, "--format", "zarr"]
    run("archive", "--output", "before", "--calibration", "cal.csv", "--format",
        "zarr", "--bscans", BSCANS // 2, cwd=folder)
    assert {"b.zarr", "b-1.zarr"} < set(os.listdir(folder / "before"))
    convert(folder, *new)
    expected = read_all(folder)
    for variables in ({}, {"OCT_BAD_DISK_NO_EXCHANGE": "1"}):
        for at in range(1, 200):
            shutil.rmtree(folder / "out")
            shutil.copytree(folder / "before", folder / "out")
            status, text = on_bad_disk(folder, "kill", at, *new, **variables)
            assert status in (0, -signal.SIGKILL), (at, text)
            assert "failed               0" in convert(folder, *new), at
            assert read_all(folder) == expected, (at, variables)
            assert not list((folder / "out").glob(".oct-convert*")), at
            if status == 0:
                break
        assert 20 < at < 199, at


def test_full_at_every_step(folder):
    """The disk is full, for good or for once: what is not done is not called
    so, and the next run does it."""
    expected = prepare(folder)
    for what in ("full", "once"):
        failures = 0
        for at in range(1, 200):
            restore(folder, False)
            status, text = on_bad_disk(folder, what, at, *OTHER)
            assert status in (0, 1), (what, at, text)
            # octvolumesink's property is an option here
            assert "`location`" not in text, (what, at, text)
            there = read_all(folder)
            for row in manifest(folder):
                assert row["state"] != "move" or status == 1, (what, at, text)
            if status == 0 and what == "once":
                assert there == expected, (at, text)
            check_next_run(folder, expected, (what, at))
            failures += status
            if status == 0 and (what == "full" or at > 30):
                break
        assert failures > 5, (what, failures)


def test_cut_off(folder):
    """A file that could not be written to its end is none, in any format."""
    make_archive(folder, ["a.npy"])
    for kind in ("npy", "nii", "tif", "h5", "dcm"):
        line = ["archive", "--output", kind, "--format", kind, "--calibration",
                "cal.csv", "--width-um", 1000, "--length-um", 1000]
        try:
            run(*line, cwd=folder)
        except AssertionError as error:
            if "this build" in str(error) or "DCMTK" in str(error):
                continue
            raise
        size = (folder / kind / f"a.{kind}").stat().st_size
        shutil.rmtree(folder / kind)
        # identifiers in a DICOM file are of different lengths
        around = 300 if kind == "dcm" else 1
        for limit in (size - around, size - 1000, size // 2):
            result = subprocess.run(
                [CONVERT, *map(str, line), "--checksums"], cwd=folder, text=True,
                stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                preexec_fn=lambda limit=limit: resource.setrlimit(
                    resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY)))
            text = result.stdout + result.stderr
            assert result.returncode == 1, (kind, limit, text)
            assert count(text, "failed") == 1, (kind, limit, text)
            assert "cannot be written" in text, (kind, limit, text)
            assert [path.name for path in (folder / kind).iterdir()] == [
                "oct-convert.csv"], (kind, limit)
        run(*line, cwd=folder)
        assert abs((folder / kind / f"a.{kind}").stat().st_size - size) < around


def test_folder_not_writable(folder):
    """A volume that cannot be replaced has failed, as often as it is tried."""
    if os.geteuid() == 0:
        raise Skip("root may write everywhere")
    make_archive(folder, ["day/a.npy"])
    convert(folder, "--min", "0", "--max", "60")
    old = read_all(folder)
    (folder / "out/day").chmod(0o555)
    for _ in range(2):
        text = convert(folder, *OTHER, status=1)
        assert (count(text, "done before"), count(text, "failed")) == (0, 1)
        text = summary(folder, *OTHER, status=1)
        assert count(text, "failed") == 1, text
    (folder / "out/day").chmod(0o755)
    assert count(convert(folder, *OTHER), "converted") == 1
    assert read_all(folder) != old


def test_a_folder_in_the_way(folder):
    """The same where something else has the name of a folder."""
    make_archive(folder, ["day/a.npy"])
    convert(folder, "--min", "0", "--max", "60")
    shutil.move(folder / "out/day", folder / "elsewhere")
    (folder / "out/day").symlink_to(folder / "elsewhere")
    before = (folder / "elsewhere/a.npy").read_bytes()
    for _ in range(2):
        text = convert(folder, *OTHER, status=1)
        assert "is a link" in text and count(text, "failed") == 1, text
        text = summary(folder, *OTHER, status=1)
        assert count(text, "failed") == 1, text
    assert (folder / "elsewhere/a.npy").read_bytes() == before


def test_replaced_volume(folder):
    """A volume that is not the one that was written is not called done, and
    not replaced either; a copy with its checksum is."""
    make_archive(folder, ["a.npy", "b.npy"])
    convert(folder)
    path = folder / "out/a.npy"
    whole = path.read_bytes()
    os.utime(path, ns=(10 ** 18, 10 ** 18))
    for _ in range(2):
        text = convert(folder, status=1)
        assert (count(text, "done before"), count(text, "failed")) == (1, 1)
        assert "is not the file that was written" in text, text
        assert path.read_bytes() == whole
    text = summary(folder, status=1)
    assert count(text, "changed") == 1 and count(text, "complete") == 1, text
    # other options do not replace it either
    text = convert(folder, *OTHER, status=1)
    assert "is there already" in text and path.read_bytes() == whole, text
    path.unlink()
    assert count(convert(folder, "--checksums"), "converted") == 2
    shutil.copytree(folder / "out", folder / "copy", copy_function=shutil.copy)
    shutil.rmtree(folder / "out")
    (folder / "copy").rename(folder / "out")
    for name in ("a.npy", "b.npy"):
        os.utime(folder / "out" / name, ns=(10 ** 18, 10 ** 18))
    assert count(convert(folder), "done before") == 2
    data = bytearray((folder / "out/b.npy").read_bytes())
    data[-1] ^= 1
    (folder / "out/b.npy").write_bytes(data)
    os.utime(folder / "out/b.npy", ns=(10 ** 18, 10 ** 18))
    text = summary(folder, status=1)
    assert count(text, "changed") == 1 and count(text, "complete") == 1, text


def make_row(path, output, size=1, version="x"):
    status = path.stat()
    return (f'"{path.resolve()}",{status.st_size},'
            f'{status.st_mtime_ns // 1000},{version},done,"{output}",,"",1,'
            f',{size},{status.st_mtime_ns // 1000}\n')


def test_planted_manifest(folder):
    """Nothing outside the folder is touched, whatever a manifest says."""
    make_archive(folder, ["a.npy"])
    home = folder / "home"
    home.mkdir()
    precious = home / "precious.txt"
    precious.write_text("precious")
    archived = folder / "archive/a.npy"
    os.utime(precious, ns=(archived.stat().st_mtime_ns,) * 2)
    (folder / "out").mkdir()
    (folder / "out/link").symlink_to(home)
    header = ("input,bytes,changed,options,state,output,sha256,message,written,"
              "files,output_bytes,output_changed\n")
    (folder / "out/oct-convert-x.csv").write_text(header + "".join(
        make_row(archived, name, precious.stat().st_size) for name in (
            "../home/precious.txt", str(precious), "link/precious.txt",
            "./../home/precious.txt", "sub//../../home/precious.txt")))
    text = convert(folder)
    assert count(text, "converted") == 1 and "are left out" in text, text
    assert precious.read_text() == "precious"
    # the manifest itself is a link, a pipe, or no manifest
    own = folder / "out/oct-convert.csv"
    for what in ("link", "pipe", "text"):
        own.unlink()
        if what == "link":
            own.symlink_to(precious)
        elif what == "pipe":
            os.mkfifo(own)
        else:
            own.write_text("name,age\nJane,42")
        os.mkfifo(folder / f"out/oct-convert-{what}.csv")
        text = convert(folder, status=1)
        assert "manifest" in text and "set --output" in text, text
        assert precious.read_text() == "precious"
        if what == "text":
            assert own.read_text() == "name,age\nJane,42"


def test_planted_work_folder(folder):
    """A link that looks like a work folder of an earlier program."""
    make_archive(folder, ["a.npy"])
    (folder / "home").mkdir()
    (folder / "home/precious.txt").write_text("precious")
    (folder / "out").mkdir()
    for name in ("1-0123456789abcdef-XXXXXX", "x"):
        (folder / f"out/.oct-convert-0-of-0-{name}").symlink_to(folder / "home")
    convert(folder)
    assert (folder / "home/precious.txt").read_text() == "precious"


def test_damaged_manifest(folder):
    """Bytes of 0, a record that was cut off, a stray quote: the records after
    them are read."""
    names = [f"f{n}.npy" for n in range(5)]
    make_archive(folder, names)
    convert(folder)
    path = folder / "out/oct-convert.csv"
    lines = path.read_bytes().split(b"\n")
    for damage in (b"\0" * len(lines[2]), b"\0" * (len(lines[2]) - 7),
                   lines[2][:60] + b"\0" * 60, b",".join(lines[2].split(b",")[:-2]), lines[2][:30],
                   b'a "stray quote', lines[2].replace(b"done", b"dove"),
                   lines[2][:40] + lines[2]):
        for tail in (b"\n", b""):
            if not tail and damage[-1:] != b"\0":
                continue
            path.write_bytes(b"\n".join(lines[:2]) + b"\n" + damage + tail
                             + b"\n".join(lines[3:]))
            size = path.stat().st_size
            text = convert(folder, status=1)
            assert count(text, "done before") == 4, (damage, text)
            assert "is there already" in text and "f1.npy" in text, text
            assert "damaged" in text, (damage, text)
            # nothing of it was cut off
            assert path.stat().st_size > size
            if tail and damage[:1] == b"\0":
                assert "Note: 1 line of" in text, text
    # the last line: its end is there, so no crash cut it off
    path.write_bytes(b"\n".join(lines[:-2]) + b"\n" + b"\0" * len(lines[-2])
                     + b"\n")
    text = convert(folder, status=1)
    assert count(text, "done before") == 4, text
    assert "Note: 1 line of" in text, text
    # at the end: of a crash
    for tail in (b"\0" * 500, lines[2][:70], lines[2][:70] + b"\0" * 20):
        path.write_bytes(b"\n".join(lines) + tail)
        assert count(convert(folder), "done before") == 5, tail
        assert path.read_bytes() == b"\n".join(lines)


def test_removed_manifest(folder):
    """While it is in use: what would be written to it is not lost unseen."""
    make_archive(folder, ["a.npy", "b.npy"])
    with open(folder / "archive/m.npy", "wb") as file:
        numpy.lib.format.write_array_header_1_0(file, {
            "descr": "<u2", "fortran_order": False,
            "shape": (3000, LINES, SAMPLES)})
        file.truncate(128 + 3000 * LINES * SAMPLES * 2)
    with subprocess.Popen(
            [CONVERT, "archive", "--output", "out", "--format", "npy",
             "--calibration", "cal.csv"], cwd=folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as program:
        program.stdout.readline()
        (folder / "out/oct-convert.csv").unlink()
        text = program.communicate()[0]
        assert program.returncode == 1 and "manifest" in text, text


def test_two_at_once(folder):
    """The whole and a part of it at the same time: each file is converted, by
    one of them or both, and the next run finds it so."""
    make_archive(folder, [f"{n}.npy" for n in range(8)])
    line = [CONVERT, "archive", "--output", "out", "--format", "npy",
            "--calibration", "cal.csv"]
    programs = [subprocess.Popen(
        [*line, *more], cwd=folder, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT) for more in ([], ["--part", "1/1"])]
    for program in programs:
        text = program.communicate(timeout=120)[0]
        assert program.returncode in (0, 1), text
    convert(folder, status=None)
    text = convert(folder)
    assert count(text, "done before") == 8, text
    assert "Complete" in summary(folder)
    for n in range(8):
        assert len(numpy.load(folder / "out" / f"{n}.npy")) == BSCANS


def test_other_files_of_an_input(folder):
    """Settings and further files beside an input: it is converted again where
    one of them changes."""
    make_archive(folder, ["a.npy"])
    (folder / "archive/a.npy").unlink()
    data = numpy.random.default_rng(2).integers(
        0, 4000, (BSCANS, LINES, SAMPLES)).astype("<u2")
    data.tofile(folder / "archive/x_raw.raw")
    data.tofile(folder / "archive/y_1.unp")

    def write_settings(c1):
        (folder / "archive/x_meta.txt").write_text(
            "[processing]\nresampling=true\nresampling_c0=0\n"
            f"resampling_c1={c1}\nresampling_c2={SAMPLES - 1 - c1}\n"
            "resampling_c3=0\n[sys]\n"
            f"bit_depth=16\nwidth={SAMPLES}\nheight={LINES}\ndepth={BSCANS}\n"
            "buffers_per_volume=1\n[main_window_settings]\n"
            "main_active_system=sys\n")

    def write_sizes(bscans):
        (folder / "archive/y.xml").write_text(
            f'<V><Volume_Size Width="{SAMPLES}" Height="{LINES}" '
            f'Number_of_Frames="{bscans}" '
            f'Number_of_Volumes="{BSCANS // bscans}"/></V>')

    def again(converted):
        text = run("archive", "--output", "out", "--format", "npy",
                   "--calibration", "cal.csv", cwd=folder)
        assert count(text, "converted") == converted, text
        return outputs(folder)

    write_settings(SAMPLES - 1)
    write_sizes(BSCANS)
    again(2)
    assert again(0) == ["x_raw.npy", "y_1.npy"]
    write_settings(SAMPLES - 20)
    again(1)
    write_sizes(BSCANS // 2)
    assert again(1) == ["x_raw.npy", "y_1-1.npy", "y_1.npy"]
    again(0)


def test_srr(folder):
    """All files of a volume are one input; a calibration that comes to lie
    beside them makes it another one."""
    make_archive(folder, ["a.npy"])
    (folder / "archive/a.npy").unlink()
    random = numpy.random.default_rng(3)
    head = f"size1={SAMPLES} scanregions=1,0,{LINES} aporegions=0,0,0 \n".encode()

    def write(y, total=5, system="Ganymede"):
        data = random.integers(0, 4000, (LINES, SAMPLES)).astype("<u2")
        path = folder / "archive" / (
            f"Data_Y{y:04}_YTotal{total}_B0001_BTotal1_{system}.srr")
        path.write_bytes(b"headersize=%d\n" % len(head) + head + data.tobytes())
        return path

    for y in range(1, 6):
        last = write(y)
    first = last.with_name(last.name.replace("Y0005", "Y0001"))
    text = convert(folder)
    assert count(text, "converted") == 1, text
    row, = manifest(folder)
    assert row["input"] == str(first.resolve()), row
    assert int(row["bytes"]) == 5 * last.stat().st_size
    assert numpy.load(folder / "out" / row["output"]).shape[0] == 5
    # named one by one, too
    text = run(*sorted((folder / "archive").glob("*.srr")), "--output", "out",
               "--format", "npy", "--calibration", "cal.csv", cwd=folder)
    assert count(text, "done before") == 1, text
    write(5)
    assert count(convert(folder), "converted") == 1
    # another volume in the same folder
    for y in range(1, 3):
        write(y, 2, "Telesto")
    text = convert(folder)
    assert (count(text, "converted"), count(text, "done before")) == (1, 1)
    (folder / "archive/Chirp.dat").write_text(
        "\n".join(f"{n * n / SAMPLES}" for n in range(SAMPLES)))
    text = run("archive", "--output", "out", "--format", "npy", cwd=folder,
               status=None)
    assert count(text, "converted") == 2, text


def test_parts_of_a_recording(folder):
    """A part that has changed, or a mask, makes it another recording."""
    make_archive(folder, ["a.npy"])
    (folder / "archive/a.npy").unlink()
    tap.run("-q", "octsrc", f"samples={SAMPLES}", f"lines={LINES}",
            f"bscans={BSCANS}", f"num-buffers={BSCANS}", "!", "octrawsink",
            "location=archive/rec", "part-size=20000",
            program="gst-launch-1.0", cwd=folder)
    convert(folder)
    assert count(convert(folder), "done before") == 1
    part = folder / "archive/rec-00001.raw"
    data = bytearray(part.read_bytes())
    data[0] ^= 1
    part.write_bytes(data)
    assert count(convert(folder), "converted") == 1
    (folder / "archive/rec-scan-mask-00000.txt").write_text("1\n")
    assert count(convert(folder), "converted") == 1
    assert count(convert(folder), "done before") == 1


def test_dangling_links(folder):
    """They are named, and the others are converted."""
    make_archive(folder, [f"f{n}.npy" for n in range(6)])
    for name in ("0.npy", "f3x.npy", "z.npy"):
        (folder / "archive" / name).symlink_to("/nonexistent")
    text = convert(folder, status=1)
    assert count(text, "converted") == 6, text
    for name in ("0.npy", "f3x.npy", "z.npy"):
        assert f"archive/{name}' cannot be read" in text, text
    text = summary(folder, status=1)
    assert count(text, "complete") == 6 and "f3x.npy" in text, text


def test_list_that_ends_early(folder):
    """A folder whose list ends with an error is named, and what was listed
    before is converted; no volume is lost with a name that did not come."""
    make_archive(folder, [f"f{n}.npy" for n in range(6)])
    for at in (0, 5):  # with "." and ".."
        status, text = on_bad_disk(folder, "list", at, place="archive")
        assert status == 1, (at, text)
        assert re.search("Folder '.*/archive' cannot be listed: Input/output "
                         "error", text), (at, text)
    assert len(outputs(folder)) >= 3, text
    shutil.rmtree(folder / "out")
    # the folder in which the volumes of a file are made
    shutil.rmtree(folder / "archive")
    make_archive(folder, ["a.npy"])
    two = ["--bscans", BSCANS // 2]
    failures = 0
    for at in range(1, 30):
        status, text = on_bad_disk(folder, "list", at, *map(str, two))
        there = outputs(folder)
        assert status == 1 or len(there) == 2, (at, text)
        failures += status
        shutil.rmtree(folder / "out")
    assert failures > 0 and status == 0, (failures, text)


def test_names_for_terminals(folder):
    """Nothing in a name tells a terminal what to do."""
    bad = "x\x1b]0;title\x07\x1b[2J\x9b31m\rdone.npy"
    make_archive(folder, [bad, "b.npy"])
    (folder / "archive" / bad).write_bytes(b"no spectra")
    text = convert(folder, status=1)
    assert count(text, "failed") == 1, text
    result = subprocess.run(
        [CONVERT, "archive", "--output", "out", "--format", "npy",
         "--calibration", "cal.csv"], cwd=folder, capture_output=True,
        stdin=subprocess.DEVNULL, timeout=120)
    shown = (result.stdout + result.stderr).decode()
    assert "title" in shown and "done.npy" in shown, shown
    assert not [c for c in shown
                if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f"], repr(shown)


def test_more_than_the_disk_holds(folder):
    """The space for all volumes of a file is reported before the first is made."""
    make_archive(folder, ["a.npy"])
    (folder / "archive/a.npy").unlink()
    free = shutil.disk_usage(folder).free
    bscans = (free // (SAMPLES // 2 * LINES) // 1000 + 100) * 1000
    with open(folder / "archive/huge.npy", "wb") as file:
        numpy.lib.format.write_array_header_1_0(file, {
            "descr": "|u1", "fortran_order": False,
            "shape": (bscans, LINES, SAMPLES)})
        try:
            file.truncate(128 + bscans * LINES * SAMPLES)
        except OSError:
            raise Skip("this file system has no files of that size") from None
    text = convert(folder, "--bscans", 1000, "--sample-dimension", 3, status=1)
    assert count(text, "failed") == 1 and "Its volumes need" in text, text
    assert "are free" in text and not outputs(folder), text


tap.main(globals())
