# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keeps the last seconds with oct-record and counts what is in the files.  Output is
TAP."""
import contextlib
import fcntl
import os
import pathlib
import re
import signal
import subprocess
import termios
import time

import tap
from recordings import (
    BSCAN, RECORD, SMALL, count, count_all, lines_until, modes, quiet, recording,
    report, run)

KEEP = ["--keep-seconds", 2, "--keep-memory", 50]
VIDEO, SPECTRA = r"Kept the last \d+ s: (.*)\.", r"Kept the last \d+ s of spectra: (.*)\."


def told(process, pattern):
    """Reads lines until one is that; what it names."""
    end = time.monotonic() + tap.PATIENCE
    for line in process.stdout:
        found = re.fullmatch(pattern, line.strip())
        if found:
            return found[1]
        assert time.monotonic() < end, line
    raise AssertionError("the recording ended: " + process.stderr.read())


def told_both(process):
    """The video and the spectra, whichever is there first."""
    names = {}
    while len(names) < 2:
        name = told(process, r"Kept the last \d+ s(?: of spectra)?: (.*)\.")
        names["spectra" if "-spectra-" in name else "video"] = name
    return names["video"], names["spectra"]


def count_spectra(path):
    """B-scans in the parts of a recording."""
    size = sum(f.stat().st_size for f in path.parent.glob(
        path.stem + "-[0-9][0-9][0-9][0-9][0-9].raw"))
    assert size % BSCAN == 0, size
    return size // BSCAN


def check_kept(folder, video, spectra):
    """The texts, the decoder and the sizes of the files agree."""
    for name, there, unit in ((video, count(folder / video, folder), "images"),
                              (spectra, count_spectra(folder / spectra), "B-scans")):
        text = (folder / name).with_suffix(".txt").read_text()
        kept = re.fullmatch(r"Kept at \d\d:\d\d:\d\d on \d{4}-\d\d-\d\d: the last "
                            r"(\d+\.\d) s, (\d+) " + unit + "\n", text)
        assert kept, text
        assert int(kept[2]) == there > 0, (text, there)
    assert "[calibration]" in (folder / spectra).read_text()


def test_kept_twice(folder):
    """Two moments in a row, while a recording goes on: that is complete."""
    with recording(folder, "--output", "a/x", *KEEP, *SMALL) as process:
        lines_until(process, lambda p: p["video"].frames > 90)
        process.send_signal(signal.SIGUSR1)
        first = told_both(process)
        process.send_signal(signal.SIGUSR1)
        second = told_both(process)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 0 and quiet(errors) == "", errors
    assert len({*first, *second}) == 4, (first, second)
    for names in (first, second):
        check_kept(folder / "a", *names)
    assert report(output)["video"][0] == count_all(
        folder / "a", "x-[0-9][0-9][0-9][0-9][0-9].mkv", folder)
    assert set(modes(folder / "a").values()) == {0o700, 0o600}, modes(folder / "a")


def test_kept_at_the_end(folder):
    """A moment that is asked for right before the end is written; nothing else is."""
    with recording(folder, "--output", "x", "--no-video", "--no-meters", *KEEP,
                   *SMALL) as process:
        lines_until(process, lambda p: p["live"].frames > 30)
        process.send_signal(signal.SIGUSR1)
        names = told_both(process)
        process.send_signal(signal.SIGUSR1)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 0 and quiet(errors) == "", errors
    files = sorted(folder.glob("*.mkv"))
    assert len(files) == 2 and len(list(folder.glob("*.oct"))) == 2, files
    check_kept(folder, *names)
    check_kept(folder, *(re.search(pattern.replace(".*", "x-.*"), output)[1]
                         for pattern in (VIDEO, SPECTRA)))
    assert not [f for f in folder.iterdir() if "kept" not in f.name]


def test_enter(folder):
    """The key Enter in the terminal of the program, and not in another one."""
    master, terminal = os.openpty()

    def take_terminal():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    with contextlib.ExitStack() as stack:
        process = subprocess.Popen(
            [RECORD, *map(str, ["--output", "x", *KEEP, *SMALL])], cwd=folder,
            text=True, stdin=terminal, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, preexec_fn=take_terminal)
        stack.callback(process.communicate)
        stack.callback(process.kill)
        lines_until(process, lambda p: p["video"].frames > 30)
        os.write(master, b"\r")
        check_kept(folder, *told_both(process))
        process.send_signal(signal.SIGINT)
        assert process.wait(tap.PATIENCE) == 0
    os.close(master)
    os.close(terminal)
    assert len(list(folder.glob("*.oct"))) == 1


def test_full_disk(folder):
    """Files of limited size: the moment is lost and told, and the recording goes
    on; what is left of spectra has the number that is told."""
    with recording(folder, "--output", "x", "--part-seconds", 1, *KEEP, *SMALL,
                   before=["sh", "-c", 'ulimit -f 1500; exec "$@"', "-"]) as process:
        lines_until(process, lambda p: p["video"].frames > 70)
        process.send_signal(signal.SIGUSR1)
        before = lines_until(process, lambda p: p["video"].frames > 120)
        process.send_signal(signal.SIGUSR1)
        lines_until(process, lambda p: p["video"].frames > before["video"].frames + 30)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=tap.PATIENCE)
    assert process.returncode == 1, errors
    lost = re.findall(r"Error \(keep\): '(.*\.oct)' holds (\d+) of (\d+) images that",
                      errors)
    assert len(lost) == 2, errors
    for name, there, wanted in lost:
        assert int(there) == count_spectra(folder / name) < int(wanted), lost
        assert f", {there} B-scans\n" in (
            folder / name).with_suffix(".txt").read_text(), lost
    assert "Error (video)" not in errors, errors


def test_killed(folder):
    """kill -9 at any moment: a file of video is whole or is not there."""
    def kill(case):
        place = folder / str(case)
        place.mkdir()
        with recording(place, "--output", "x", "--no-video", *KEEP, *SMALL) as process:
            lines_until(process, lambda p: p["live"].frames > 60)
            process.send_signal(signal.SIGUSR1)
            time.sleep(case * 0.03)
            process.kill()
            process.wait()
        for file in place.glob("*.mkv"):
            text = file.with_suffix(".txt")
            there = count(file, place)
            assert there > 30, there
            assert not text.exists() or f", {there} images\n" in text.read_text()
        assert len(list(place.glob("*.part"))) <= 1

    tap.together(kill, range(8))


def test_nothing_held(folder):
    """The signal ends nothing, and what cannot be is refused with a sentence."""
    with recording(folder, "--output", "x", *SMALL) as process:
        lines_until(process, lambda p: p["video"].frames > 10)
        process.send_signal(signal.SIGUSR1)
        lines_until(process, lambda p: p["video"].frames > 50)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 0, errors
    assert "nothing is held that could be kept; start with --keep-seconds" in errors
    for arguments, words in (
            (["--output", "y", "--keep-seconds", 601], "between 1 and 600"),
            (["--rtsp", 0, "--keep-seconds", 5], "needs a place"),
            (["--output", "y", "--keep-memory", 5], "needs --keep-seconds"),
            (["--output", "y", "--keep-seconds", 5, "--keep-memory", 2000000000],
             "this computer has")):
        _, errors = run(*arguments, cwd=folder, status=2)
        assert words in errors, errors
    assert not list(pathlib.Path(folder).glob("y*"))


tap.main(globals(), at_a_time=3)  # most of them wait
