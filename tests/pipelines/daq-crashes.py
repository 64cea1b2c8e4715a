# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program of a digitizer is killed again and again while it is recorded: the recording
goes on, and has no wrong A-line.  OCT_KILLS says how often.  Output is TAP."""
import array
import os
import pathlib
import random
import signal
import subprocess
import time

import tap

KILLS = int(os.environ.get("OCT_KILLS", "15"))
# more B-scans at the end than a program has before it is killed
SAMPLES, LINES, LAST = 64, 16, 300
# of fake-board.c: a sample is trigger * A + input * ... + sample * C
A, C = 40503, 257


def board(folder, *options, fake):
    return subprocess.Popen(
        [os.environ["OCT_DAQ_ALAZAR"], "--library", os.environ["OCT_FAKE_ALAZAR"], "--samples",
         str(SAMPLES), "--lines", str(LINES), "--bscans", "4", *map(str, options), "daq"],
        cwd=folder, env={**os.environ, "OCT_FAKE_BITS": "16", **fake},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def wait_for_start(log):
    tap.until("the start", lambda: log.exists()
              and "AlazarStartCapture" in log.read_text(encoding="utf-8"))


def recorded(folder):
    """The whole B-scans in the recording, as numbers that their program gave them."""
    size = SAMPLES * LINES
    content = b"".join(part.read_bytes() for part in
                       sorted(pathlib.Path(folder).glob("recording*.raw")))
    data = array.array("H", content[:len(content) // (2 * size) * 2 * size])
    found = []
    for at in range(0, len(data), size):
        trigger = data[at] * pow(A, -1, 65536) % 65536
        assert trigger % LINES == 0, (at, trigger)
        expected = array.array("H", (
            ((trigger + line) * A + sample * C) % 65536
            for line in range(LINES) for sample in range(SAMPLES)))
        assert data[at:at + size] == expected, f"B-scan at {at} is wrong"
        found.append(trigger // LINES)
    return found


def test_recording(folder):
    chance = random.Random(5)
    with subprocess.Popen(
            ["gst-launch-1.0", "-e", "octdaqsrc", "socket=daq", "timeout=0", "!", "octrawsink",
             "location=recording.oct"], cwd=folder, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True) as recorder:
        try:
            for i in range(KILLS):
                log = pathlib.Path(folder, f"log{i}")
                program = board(folder, "--readers", 1,
                                fake={"OCT_FAKE_US": "300", "OCT_FAKE_LOG": str(log)})
                # any moment, while it begins or while octdaqsrc reads
                if i % 4:
                    wait_for_start(log)
                time.sleep(chance.uniform(0, 0.06))
                program.kill()
                program.communicate()
            assert recorder.poll() is None
            program = board(folder, "--readers", 1, "--lossless", "--count", LAST,
                            fake={"OCT_FAKE_US": "300"})
            _, error = program.communicate(timeout=tap.PATIENCE)
            assert program.returncode == 0, error
            tap.until("the last B-scan",
                      lambda: recorded(folder)[-LAST:] == list(range(LAST)))
            recorder.send_signal(signal.SIGINT)
            said, _ = recorder.communicate(timeout=tap.PATIENCE)
        finally:
            recorder.kill()
    assert recorder.returncode == 0, said
    assert "ERROR" not in said, said
    before = recorded(folder)[:-LAST]
    programs = 1 + sum(b <= a for a, b in zip(before, before[1:]))
    print(f"# {len(before)} B-scans of {programs} programs that were killed")
    assert programs >= KILLS // 2


tap.main(globals())
