# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kills a recording, fills its disk, takes its files away, holds its source up,
and plays what is left.  Output is TAP."""
import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import threading
import time

import tap
from recordings import (
    LINES, RATE, SAMPLES, SLOW_DISK, SMALL, count, count_all, lines_until,
    modes, play_spectra, progress, recording, report, run)
from tap import Skip


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
    text, errors = process.communicate(timeout=tap.PATIENCE)
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
            text, errors = process.communicate(timeout=tap.PATIENCE)
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
            text, errors = process.communicate(timeout=tap.PATIENCE)
            assert process.returncode == 1, text
            assert errors.count("full") == 2, errors
            found = report(text)
            for name, pattern in (("video", "x[-.][0m]*"),
                                  ("lossless", "x-lossless*.mkv")):
                playable = count_all(disk, pattern, here)
                assert playable == found[name][0] > RATE, (playable, text)

    tap.together(fill_up, ([], ["--mp4"]))


# -------------------------------------------------- when files are taken away

KINDS = {"video": "-00000.mkv", "mp4": ".mp4", "lossless": "-lossless-00000.mkv",
         "raw": "-00000.raw"}


def check_losses(folder, process, container="video"):
    """Ends a recording of all kinds of which something is gone; what it says is
    what a player finds."""
    process.send_signal(signal.SIGINT)
    text, errors = process.communicate(timeout=tap.PATIENCE)
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


def errors_until(process, condition):
    """Reads stderr until it meets a condition."""
    text = ""
    end = time.monotonic() + tap.PATIENCE
    while not condition(text):
        left = end - time.monotonic()
        assert left > 0, f"not told: {text}"
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
                process, lambda t: t.count("Error") == 3)
            assert told.count("deleted, moved, replaced") == 3, told
            assert told.count("goes on in a new part") == 3, told
            lines_until(process, lambda p: p["live"][0] >=
                        before["live"][0] + 4 * RATE)
            # files that are no longer parts are not read by the players either
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
    """The folder is made again.  The files that were moved can be played there."""
    with recording(folder, "--output", "a/x", "--raw", "--lossless",
                   *SMALL) as process:
        before = lines_until(process, lambda p: p["video"][0] >= RATE)
        (folder / "a").rename(folder / "b")
        told = errors_until(process, lambda t: t.count("Error") == 3)
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
            told = errors_until(process, lambda t: "Error" in t)
            assert "unmounted" in told, told
            lines_until(process, lambda p: p["live"][0] >= 5 * RATE)
            process.send_signal(signal.SIGINT)
            text, _ = process.communicate(timeout=tap.PATIENCE)
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
        told = errors_until(process, lambda t: t.count("Error") == 2)
        assert "goes on in a new part" not in told, told
        lines_until(process, lambda p: p["live"][0] >= last["live"][0] + RATE)
        # and one right before the end
        (folder / "x-00002.mkv").unlink()
        found, lost, _ = check_losses(folder, process)
    assert lost["lossless"] == frames[1] and lost["video"] > frames[0], lost
    assert "raw" not in lost and found["raw"][0] > 4 * RATE, found


def test_texts_are_taken_away(folder):
    """The texts of a recording are written again, right before the end too."""
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
            assert process.wait(tap.PATIENCE) == 0, process.stderr.read()
        assert "dB" in (folder / f"{name}-lossless.txt").read_text()
        assert play_spectra(name, folder) == report(text)["raw"][0]


@tap.timed
def test_limit_of_file_size(folder):
    """One recording reaches the limit (ulimit -f), the other goes on."""
    with recording(folder, "--output", "x", "--raw", *SMALL,
                   before=["sh", "-c", 'ulimit -f 3000; exec "$@"', "-"],
                   ) as process:
        errors_until(process, lambda t: "Error" in t)
        last = lines_until(process, lambda p: "video" in p)
        lines_until(
            process, lambda p: p["video"][0] >= last["video"][0] + RATE)
        process.send_signal(signal.SIGINT)
        text = process.stdout.read()
        assert process.wait(tap.PATIENCE) == 1, text
    found = report(text)
    assert count(folder / "x-00000.mkv", folder) == found["video"][0], text
    assert play_spectra("x", folder) == found["raw"][0] >= RATE, text


# ------------------------------------------------------------ when others end

def test_terminal_is_closed(folder):
    """SIGHUP ends it as Ctrl-C does, though it comes twice; nohup holds."""
    with recording(folder, "--output", "x", *SMALL) as process:
        lines_until(process, lambda p: p["video"][0] > RATE)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.02)
        process.send_signal(signal.SIGHUP)
        text = process.stdout.read()
        assert process.wait(tap.PATIENCE) == 0, text
    assert count(folder / "x-00000.mkv", folder) == report(text)["video"][0]
    with recording(folder, "--output", "y", *SMALL, before=["nohup"]) as process:
        last = lines_until(process, lambda p: p["video"][0] > 5)
        process.send_signal(signal.SIGHUP)
        lines_until(process, lambda p: p["video"][0] > last["video"][0] + RATE)
        process.send_signal(signal.SIGINT)
        assert process.wait(tap.PATIENCE) == 0


def test_reader_goes_away(folder):
    """As in `record.sh | head -1`; the reader of the errors ends too."""
    with recording(folder, "--output", "x", *SMALL) as process:
        last = lines_until(process, lambda p: p["video"][0] > 5)
        process.stdout.close()
        process.stderr.close()
        video = folder / "x-00000.mkv"
        size = video.stat().st_size
        until = time.monotonic() + tap.PATIENCE
        while video.stat().st_size <= size + 20000:
            assert time.monotonic() < until, "it records nothing any more"
            assert process.poll() is None, process.returncode
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(tap.PATIENCE) == 0
        process.stdout = process.stderr = None
    assert count(folder / "x-00000.mkv", folder) > last["video"][0]


def test_no_room_at_the_start(folder):
    with small_disk(folder, 1) as disk:
        _, errors = run("--output", disk / "x", *SMALL, cwd=folder, status=1)
        assert "MB left" in errors and len(errors.splitlines()) == 1, errors
        assert not list(disk.iterdir())


# ----------------------------------------------------------------- slow disks

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
        text, errors = process.communicate(timeout=tap.PATIENCE)
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
            # as the parent process may do: still the same Ctrl-C
            time.sleep(0.05)
            process.send_signal(signals[-2])
            for line in process.stderr:
                if "has not taken the recording" in line:
                    break
            assert "Ctrl-C once more" in line, line
            assert process.poll() is None
            process.send_signal(signals[-1])
            _, errors = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 128 + signals[-1], (
            process.returncode, errors)
        assert "Ended at once by the second Ctrl-C" in errors, errors

    tap.together(hang, ((signal.SIGINT, signal.SIGINT),
                        (signal.SIGTERM, signal.SIGTERM),
                        (signal.SIGHUP, signal.SIGINT, signal.SIGINT)))


# ------------------------------------------------------------ hanging sources

class Camera:
    """Sends B-scans of 8 bit, 25 a second, to one client, while `flows` is set."""

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
        text, errors = process.communicate(timeout=tap.PATIENCE)
    assert process.returncode == 0 and errors == "", (text, errors)
    assert f"The source had a gap of {found[1]} s" in text, text
    assert count_all(folder, "x-*.mkv", folder) == report(text)["video"][0]


@tap.timed
def test_seconds_with_a_hanging_source(folder):
    """--seconds ends a recording that gets no more data, 5 s later."""
    with Camera() as camera, recording(
            folder, "--output", "x", "--source", camera.source, "--seconds", 4,
            *calibrate(folder), "--size", "160x128") as process:
        lines_until(process, lambda p: p["video"][0] > 20)
        camera.flows.clear()
        text, errors = process.communicate(timeout=tap.PATIENCE)
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
        text, errors = process.communicate(timeout=tap.PATIENCE)
    assert process.returncode == 0, (process.returncode, errors)
    assert "nothing was recorded" in text, text
    assert "does not stop" in errors, errors


tap.main(globals(), at_a_time=4)  # most of them wait
