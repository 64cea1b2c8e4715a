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
    BSCAN, LINES, RATE, SAMPLES, SLOW_DISK, SMALL, check_counts, count,
    count_all, lines_until, modes, play_spectra, progress, recording, report,
    run)
from tap import Skip


# ----------------------------------------------------------- when things fail

def check_killed(frames, playable, what):
    """At most as many frames are lost as a second has, and so of longer recordings
    5 %."""
    assert playable >= frames - RATE, f"{what}: {playable} of {frames}"
    if frames >= 20 * RATE:
        assert playable >= 0.95 * frames, f"{what}: {playable} of {frames}"


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
                        for moment, part in ((20, 180), (4, 2), (1.5, 180))
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


def fill_up(disk):
    """At once, to the last byte."""
    with contextlib.suppress(OSError), open(disk / "fill", "wb") as f:
        while True:
            os.write(f.fileno(), bytes(1 << 16))


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


def test_full_disk(folder):
    """Files are finished; the program goes on where it shows a picture."""
    with small_disk(folder, 8) as disk:
        with recording(folder, "--output", disk / "x", "--view=fakesink",
                       *SMALL, "--bitrate", 20000, "--lossless") as process:
            found = check_full(process, ["video", "lossless"])
        for name, what in (("x-lossless", "lossless"), ("x", "video")):
            playable = count(disk / f"{name}-00000.mkv", folder)
            assert playable == found[what][0] > 0, (playable, found)


def test_full_disk_raw(folder):
    with small_disk(folder, 8) as disk:
        with recording(folder, "--output", disk / "x", "--view=fakesink",
                       "--no-video", "--raw", *SMALL) as process:
            found = check_full(process, ["raw"])
        assert play_spectra(disk / "x", folder) == found["raw"][0] > RATE


def test_disk_filled_by_another(folder):
    """From one moment to the next: nothing can be finished any more."""
    with small_disk(folder, 64) as disk:
        with recording(folder, "--output", disk / "x", "--raw", "--mp4",
                       "--view=fakesink", *SMALL) as process:
            last = lines_until(process, lambda p: p["video"][0] >= 3 * RATE)
            raw = disk / "x-00000.raw"
            tap.until("spectra are on the disk", lambda: (
                raw.stat().st_size >= last["raw"][0] * BSCAN))
            fill_up(disk)
            told = errors_until(process, lambda t: t.count("full") == 2)
            process.send_signal(signal.SIGINT)
            text, errors = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 1, text
        assert (told + errors).count("full") == 2, told + errors
        playable = count(disk / "x.mp4", folder)
        assert playable >= last["video"][0] - RATE, (playable, last)
        assert playable == report(text)["video"][0], (playable, text)
        spectra = play_spectra(disk / "x", folder)
        assert spectra >= last["raw"][0], (spectra, last)
        assert spectra == report(text)["raw"][0], (spectra, text)


def test_three_fill_a_disk(folder):
    """All of them finish their files, and have what they say."""
    with small_disk(folder, 24) as disk:
        with recording(folder, "--output", disk / "x", "--view=fakesink",
                       "--samples", 1024, "--lines", 128, "--size", "320x256",
                       "--bitrate", 20000, "--lossless", "--raw") as process:
            found = check_full(process, ["video", "lossless", "raw"])
        playable = {"video": count_all(disk, "x-0*.mkv", folder),
                    "lossless": count_all(disk, "x-l*.mkv", folder),
                    "raw": (disk / "x-00000.raw").stat().st_size // 2**18}
        assert playable == {n: f[0] for n, f in found.items()}, (
            playable, found)
        assert all(n > 5 for n in playable.values()), playable
        assert all(f[2] == 1 for f in found.values()), found


def test_lossless_filled_by_another(folder):

    def fill(container):
        with contextlib.ExitStack() as stack:
            here = folder / f"f{len(container)}"
            here.mkdir()
            disk = stack.enter_context(small_disk(here, 48))
            process = stack.enter_context(recording(
                here, "--output", disk / "x", "--lossless", *container,
                "--samples", 1024, "--lines", 128, "--size", "320x256"))
            # as many as a second has may be lost
            lines_until(process, lambda p: all(
                p[name][0] > 2 * RATE for name in ("video", "lossless")))
            fill_up(disk)
            text, errors = process.communicate(timeout=tap.PATIENCE)
            assert process.returncode == 1, text
            assert errors.count("full") == 2, errors
            found = report(text)
            for name, pattern in (("video", "x[-.][0m]*"),
                                  ("lossless", "x-lossless*.mkv")):
                playable = count_all(disk, pattern, here)
                assert playable == found[name][0] > RATE, (playable, text)

    tap.together(fill, ([], ["--mp4"]))


# -------------------------------------------------- when files are taken away

KINDS = {"video": "-00000.mkv", "mp4": ".mp4", "lossless": "-lossless-00000.mkv",
         "raw": "-00000.raw"}


def check_losses(folder, process, last, container="video"):
    """Ends a recording of all kinds from which files were taken.  Its report has
    the frames that a player finds, and these and the lost ones are all.  `last`:
    the last line of progress."""
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
    check_counts(last, text)
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


def recorded_on(process, *names):
    """Reads until each recording has frames of three seconds in a new part:
    (the last line of progress, {name: frames when it was told}).  The new part
    begins with the next key frame, after the frames that wait for the encoder."""
    told = {}

    def have_gone_on(p):
        for name in names:
            if p[name].lost:
                told.setdefault(name, p[name].frames + p[name].lost)
        return all(p[name].lost and p[name].frames >= 3 * RATE
                   for name in names)

    return lines_until(process, have_gone_on), told


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
            last, counted = recorded_on(process, "video", "lossless", "raw")
            # files that are no longer parts are not read by the players either
            for path in here.iterdir():
                if path.is_symlink() or how == "cut off" and path.name in (
                        "x" + KINDS[container], "x" + KINDS["lossless"]):
                    path.unlink()
            found, lost, errors = check_losses(here, process, last, container)
        assert "Error" not in errors, errors
        for name, (frames, _, parts) in found.items():
            assert frames > RATE and parts == 1, (name, found)
            assert (before[name][0] - RATE <= lost[name]
                    < counted[name] + 2 * RATE), (name, before, lost, counted)
        assert (here / "precious").read_text() == "precious"

    tap.together(lose, (("deleted", "video"), ("moved", "mp4"),
                        ("replaced", "video"), ("cut off", "mp4")), 2)


def test_folder_is_taken_away(folder):
    """The folder is made again.  The files that were moved can be played there."""
    with recording(folder, "--output", "a/x", "--raw", "--lossless",
                   *SMALL) as process:
        before = lines_until(process, lambda p: p["video"][0] >= RATE)
        (folder / "a").rename(folder / "b")
        told = errors_until(process, lambda t: t.count("Error") == 3)
        assert "goes on in a new part" in told, told
        last, _ = recorded_on(process, "video", "lossless", "raw")
        found, lost, _ = check_losses(folder / "a", process, last)
    assert all(f[0] > RATE for f in found.values()), found
    assert "dB" in (folder / "a" / "x-lossless.txt").read_text()
    assert modes(folder / "a")["."] == 0o700
    for name, frames in (("lossless", count_all(folder / "b", "x-l*.mkv", folder)),
                         ("raw", play_spectra(folder / "b" / "x", folder))):
        assert before[name][0] - RATE <= frames == lost[name], (frames, lost)


def test_disk_is_taken_away(folder):
    with small_disk(folder, 64) as disk:
        with recording(folder, "--output", disk / "x", *SMALL) as process:
            lines_until(process, lambda p: p["video"][0] >= RATE)
            subprocess.run(["umount", "-l", disk], check=True)
            told = errors_until(process, lambda t: "Error" in t)
            assert "unmounted" in told, told
            recorded_on(process, "video")
            process.send_signal(signal.SIGINT)
            text, _ = process.communicate(timeout=tap.PATIENCE)
            assert process.returncode == 1, text
        frames, _, parts = report(text)["video"]
        assert count_all(disk, "x-*.mkv", folder) == frames > RATE, text
        assert parts == 1, text


def test_finished_part_is_taken_away(folder):
    """Of those that are there nothing is lost."""
    with recording(folder, "--output", "x", "--raw", "--lossless",
                   "--part-seconds", 1, *SMALL) as process:
        # a part is finished before the next one begins
        begun = [folder / "x-00003.mkv", folder / "x-lossless-00001.mkv"]
        last = lines_until(process, lambda p: p["raw"][0] > 4 * RATE and all(
            path.exists() for path in begun))
        gone = [folder / "x-00001.mkv", folder / "x-lossless-00000.mkv"]
        frames = [count(path, folder) for path in gone]
        for path in gone:
            path.unlink()
        told = errors_until(process, lambda t: t.count("Error") == 2)
        assert "goes on in a new part" not in told, told
        last = lines_until(
            process, lambda p: p["live"][0] >= last["live"][0] + RATE)
        # and one right before the end
        (folder / "x-00002.mkv").unlink()
        found, lost, _ = check_losses(folder, process, last)
    assert lost["lossless"] == frames[1] and lost["video"] > frames[0], lost
    assert "raw" not in lost and found["raw"][0] >= last["raw"][0], found


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


def test_limit_of_file_size(folder):
    """One recording reaches the limit (ulimit -f), the other goes on."""
    with recording(folder, "--output", "x", "--raw", *SMALL,
                   before=["sh", "-c", 'ulimit -f 3000; exec "$@"', "-"],
                   ) as process:
        errors_until(process, lambda t: "Error" in t)
        last = lines_until(process, lambda p: p["raw"].stopped)
        lines_until(
            process, lambda p: p["video"][0] >= last["video"][0] + RATE)
        process.send_signal(signal.SIGINT)
        text = process.stdout.read()
        assert process.wait(tap.PATIENCE) == 1, text
    found = report(text)
    assert count(folder / "x-00000.mkv", folder) == found["video"][0], text
    assert play_spectra("x", folder) == found["raw"][0] >= RATE, text


# ------------------------------------------------------------ when others end

def is_handled(process, number):
    """Whether this signal does not wait for the process any more."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        pending = re.search(r"^ShdPnd:\s*(\w+)", status.read(), re.M)[1]
    return not int(pending, 16) >> (number - 1) & 1


def send_together(process, *numbers):
    """Signals that come at the same moment, on a busy machine too."""
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)
    for number in (*numbers, signal.SIGCONT):
        process.send_signal(number)


def test_terminal_is_closed(folder):
    """SIGHUP ends it as Ctrl-C does, though it comes twice; nohup holds."""
    with recording(folder, "--output", "x", *SMALL) as process:
        lines_until(process, lambda p: p["video"][0] > RATE)
        process.send_signal(signal.SIGHUP)
        tap.until("the first is handled", lambda: is_handled(
            process, signal.SIGHUP))
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

        def has_grown():
            assert process.poll() is None, process.returncode
            return video.stat().st_size > size + 20000

        tap.until("it records on", has_grown)
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

def test_slow_disk(folder):
    """While the disk takes nothing, frames of the recording are lost and counted,
    and the live picture goes on."""
    waits = folder / "waits"
    with recording(folder, "--output", "x", "--raw", "--mp4", *SMALL,
                   LD_PRELOAD=SLOW_DISK, OCT_SLOW_DISK_WHILE=waits) as process:

        def records_on(last):
            return lines_until(process, lambda p: all(
                p[what].frames > last[what].frames + 20
                for what in ("video", "raw")))

        last = records_on(lines_until(process, lambda p: True))
        for _ in range(2):
            waits.touch()
            before = last
            last = lines_until(process, lambda p: all(
                p[what].dropped > before[what].dropped + RATE
                for what in ("video", "raw")))
            waits.unlink()
            last = records_on(last)
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 0, errors
    check_counts(last, text)
    found = report(text)
    for what in ("video", "raw"):
        frames, dropped, _ = found[what]
        assert dropped > 2 * RATE and frames > 60, found
    assert count(folder / "x.mp4", folder) == found["video"][0]
    assert play_spectra("x", folder) == found["raw"][0]
    # the recording tells where; what was lost after its last frame has no place
    missing = re.search(r"^missing=(.*)$", (folder / "x.oct").read_text(), re.M)
    missing = sum(int(n) for n in re.findall(r":(\d+);", missing[1]))
    live = progress(text)["live"]
    assert 2 * RATE <= missing <= found["raw"][1] + live.dropped + 2, (
        missing, found, live)


def test_hanging_disk(folder):
    """It waits, says so, and ends at once when it is told a second time."""

    def hang(signals):
        name = "x" + "".join(str(int(s)) for s in signals)
        *first, second = signals
        with recording(folder, "--output", name, *SMALL, LD_PRELOAD=SLOW_DISK,
                       OCT_SLOW_DISK_MS="600000") as process:
            lines_until(process, lambda p: p["live"][0] > 2 * RATE)
            # both are the same Ctrl-C: the terminal sends one, and so may the
            # parent process
            send_together(process, *first)
            for line in process.stderr:
                if "has not taken the recording" in line:
                    break
            assert "Ctrl-C once more" in line, line
            assert process.poll() is None
            process.send_signal(second)
            _, errors = process.communicate(timeout=tap.PATIENCE)
        assert process.returncode == 128 + second, (
            process.returncode, errors)
        assert "Ended at once by the second Ctrl-C" in errors, errors

    tap.together(hang, (
        (signal.SIGINT, signal.SIGTERM, signal.SIGINT),
        (signal.SIGINT, signal.SIGTERM, signal.SIGTERM),
        (signal.SIGHUP, signal.SIGINT, signal.SIGINT)))


# ------------------------------------------------------------ hanging sources

class Camera:
    """Sends B-scans of 8 bit, 25 a second, to one client, while `flows` is set;
    `count` of them if that is given.  `began`: when it began to send the last."""

    def __init__(self, count=None):
        self.count = count
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
                        self.began = time.monotonic()
                        viewer.sendall(bytes([20 + number % 200]) * (SAMPLES * LINES))
                        if number == self.count:
                            self.flows.clear()
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


def test_hanging_source(folder):
    """It is told, when it is back too, and what is missing in the end."""
    with Camera() as camera, recording(
            folder, "--output", "x", "--raw", "--source", camera.source,
            *calibrate(folder), "--size", "160x128") as process:
        lines_until(process, lambda p: p["video"][0] > 20)
        camera.flows.clear()
        line = process.stderr.readline()
        assert "no new B-scans have come" in line and "cables" in line, line
        began = camera.began
        camera.flows.set()
        line = process.stderr.readline()
        passed = time.monotonic() - began
        found = re.search(r"coming again, after ([\d.]+) s", line)
        assert found and 5 <= float(found[1]) <= passed + 0.1, (line, passed)
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=tap.PATIENCE)
    assert process.returncode == 0 and errors == "", (text, errors)
    assert f"The source had a gap of {found[1]} s" in text, text
    assert count_all(folder, "x-*.mkv", folder) == report(text)["video"][0]


def test_seconds_with_a_hanging_source(folder):
    """--seconds ends a recording that gets no more data, 5 s later."""
    with Camera(5) as camera, recording(
            folder, "--output", "x", "--source", camera.source, "--seconds", 4,
            *calibrate(folder), "--size", "160x128") as process:
        text, errors = process.communicate(timeout=tap.PATIENCE)
        passed = time.monotonic() - camera.began
    assert process.returncode == 0, (text, errors)
    assert "no new B-scans have come" in errors, errors
    gap = re.search(r"The source had a gap of ([\d.]+) s", text)
    assert gap and 5 <= float(gap[1]) <= passed + 0.1, (text, passed)
    # lines are a second apart or more, but for the last one
    lines = [line for line in map(progress, text.splitlines())
             if line and line["live"].frames]
    assert len(lines) <= 4 + 5 + 3, text
    frames, dropped, _ = report(text)["video"]
    assert 0 < frames == count_all(folder, "x-*.mkv", folder), text
    # one of them is under way as long as no other comes
    assert 5 - 1 <= frames + dropped + lines[-1]["live"].dropped <= 5, text


def test_source_that_cannot_be_woken(folder):
    """The first Ctrl-C is enough."""
    source = (f"octsrc is-live=true samples={SAMPLES} lines=1 bscans=1 "
              f"line-rate={RATE} ! identity dump=true sleep-time=120000000")
    with recording(folder, "--output", "x", "--source", source) as process:
        # it shows what it has got, to the last line, and sleeps
        for line in process.stdout:
            if line.startswith(f"{2 * SAMPLES - 16:08x} "):
                break
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=tap.PATIENCE)
    assert process.returncode == 0, (process.returncode, errors)
    assert "nothing was recorded" in text, text
    assert "does not stop" in errors, errors


tap.main(globals(), at_a_time=4)  # most of them wait
