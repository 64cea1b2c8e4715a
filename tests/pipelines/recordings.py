# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the tests of recordings: starting oct-record, reading its progress
and its last lines, and playing its files."""
import contextlib
import os
import pathlib
import re
import subprocess
import time
import typing

import tap
from tap import decode

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


class Progress(typing.NamedTuple):
    """The counts of a recording, or of the live picture, in a line of progress."""
    frames: int
    dropped: int
    lost: int
    stopped: bool


def progress(line):
    """{"live": Progress, "video": Progress, ...}"""
    return {name: Progress(int(frames), int(dropped), int(lost or 0),
                           bool(stopped))
            for name, frames, dropped, lost, stopped in re.findall(
                r"(\w+) (\d+) (?:B-scans|frames), (\d+) dropped"
                r"(?:, (\d+) lost)?(?:, [\d.]+ MB)?( \(stopped\))?", line)}


def lines_until(process, condition):
    """Reads progress until it meets a condition; its last line."""
    end = time.monotonic() + tap.PATIENCE
    for line in process.stdout:
        found = progress(line)
        if found and condition(found):
            return found
        assert time.monotonic() < end, f"not within {tap.PATIENCE} s: {line}"
    raise AssertionError("the recording ended: " + process.stderr.read())


def check_counts(before, text):
    """Each image is in the recordings, or counted as dropped or as lost, and
    nothing else is.  `before`: a line of progress; `text`: what was printed from
    the end of the recordings on.  One image may be under way, and raw spectra wait
    for their reconstruction or are dropped before it."""
    last = [progress(line) for line in text.splitlines() if "live" in line][-1]
    live = last["live"]
    for name in last.keys() - {"live"}:
        every = sum(last[name][:3])
        assert before["live"].frames - 1 <= every, (name, before, last)
        assert every <= live.frames + (
            live.dropped + 10 if name == "raw" else 0), (name, last)


def quiet(errors):
    """Without the notes on a source that a busy machine has held up."""
    return re.sub(r"^Note: .*(no B-scan has come|no new B-scans have come|B-scans are"
                  r" coming).*\n", "", errors, flags=re.M).strip()


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
    found = {}
    for path in (folder, *folder.rglob("*")):
        try:
            found[str(path.relative_to(folder))] = path.stat().st_mode & 0o777
        except FileNotFoundError:
            pass  # a text that got its name meanwhile
    return found


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
