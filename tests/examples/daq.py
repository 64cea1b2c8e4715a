# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples of a digitizer's program, in C and Python: a mirror, whose depth is
known.  Output is TAP.

daq.py DAQ_WRITER
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("1..0 # SKIP NumPy is missing (Debian: python3-numpy)")
    sys.exit(0)

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 120  # s
BSCANS, LINES, SAMPLES = 5, 64, 1024
DEPTH = 500.0  # um
NEAR = 20  # bins that have the light of the source
WAVELENGTHS = numpy.array([0.790, 0.900])  # um


def depth_of(ascans):
    """Depth of the largest value of each A-line, um: bins are as far apart as
    docs/calibration.md says."""
    k = 2 * numpy.pi / WAVELENGTHS
    spacing = numpy.pi / ((k[0] - k[1]) * SAMPLES / (SAMPLES - 1))
    return (numpy.abs(ascans[:, NEAR:]).argmax(axis=-1) + NEAR) * spacing, spacing


def try_example(program, folder):
    socket = folder / "daq"
    with subprocess.Popen([*program, socket, str(BSCANS)],
                          stdin=subprocess.DEVNULL) as writer:
        try:
            subprocess.run(
                ["gst-launch-1.0", "-q", "octdaqsrc", f"socket={socket}",
                 "reconnect=false", "timeout=60000", "!", "octreconstruct",
                 "output=ascans", "mode=none", "!", "filesink", "location=ascans"],
                cwd=folder, stdin=subprocess.DEVNULL, check=True, timeout=LIMIT)
            assert writer.wait(LIMIT) == 0
        finally:
            writer.kill()
    ascans = numpy.fromfile(folder / "ascans", numpy.complex64)
    assert ascans.size % (BSCANS * LINES) == 0 and ascans.size > 0, ascans.size
    depths, spacing = depth_of(ascans.reshape(BSCANS * LINES, -1))
    # the peak is in the bin of the mirror
    assert numpy.all(numpy.abs(depths - DEPTH) <= spacing), depths


def main():
    programs = [[sys.argv[1]],
                ["/usr/bin/python3", ROOT / "examples" / "daq_writer.py"]]
    failures = 0
    print(f"1..{len(programs)}")
    for number, program in enumerate(programs, 1):
        with tempfile.TemporaryDirectory() as name:
            try:
                try_example(program, pathlib.Path(name))
                print(f"ok {number} - {program[-1]}")
            except (AssertionError, subprocess.SubprocessError) as error:
                failures += 1
                text = str(error).replace("\n", "\n# ")
                print(f"not ok {number} - {program[-1]}\n# {text}")
    sys.exit(failures != 0)


main()
