# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-daq-sim with voltages that are none, scales that no scanner has, and more memory
than there is.  Output is TAP."""
import os
import pathlib
import signal
import struct
import subprocess

import tap

SIM = os.environ["OCT_DAQ_SIM"]
SMALL = ["--lines", 16, "--bscans", 4, "--samples", 64]


def sim(folder, *options, status):
    _, error = tap.run(*SMALL, *options, "daq", program=SIM, cwd=folder, status=status)
    return error


def volts(folder, samples):
    data = b"".join(struct.pack("<3d", 0, 0, 1) for _ in range(samples))
    pathlib.Path(folder, "volts.raw").write_bytes(data)


def test_voltages_that_are_none(folder):
    assert "cannot be read" in sim(folder, "--volts", folder, status=1)
    for samples in 0, 15:
        volts(folder, samples)
        assert "end before the first block" in sim(folder, "--volts", "volts.raw", status=1)
    volts(folder, 16)
    assert sim(folder, "--volts", "volts.raw", status=0) == ""


def test_scales(folder):
    volts(folder, 16)
    for option in (["--full-scale", "inf"], ["--full-scale", "nan"], ["--volts-per-mm", "inf"],
                   ["--full-scale", "1e300", "--volts-per-mm", "1e-6"]):
        assert "--full-scale" in sim(folder, "--volts", "volts.raw", *option, status=2), option


def test_a_gate_that_never_opens(folder):
    with subprocess.Popen([SIM, *map(str, SMALL), "--volts", "/dev/zero", "daq"], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            # it reads for ever: the ring is there before that
            tap.until("the socket", lambda: pathlib.Path(folder, "daq").exists())
            process.send_signal(signal.SIGINT)
            said, error = process.communicate(timeout=tap.PATIENCE)
        finally:
            process.kill()
    assert process.returncode == 0 and said.startswith("0 blocks"), (said, error)


def test_memory(folder):
    error = tap.run("--lines", 65536, "--samples", 1024, "--loop", 100000, "daq", program=SIM,
                    cwd=folder, status=1)[1]
    assert "set --loop to less" in error, error


tap.main(globals())
