# SPDX-License-Identifier: LGPL-2.1-or-later
"""Our sentences that gst-launch-1.0 -q shows on the terminal.

It shows errors, but not why a pipeline cannot be linked, and no warnings.
"""
import pathlib
import subprocess
import sys
import tempfile

SAMPLES, LINES = 64, 4
CHAIN = "octdcsub axis=wavenumber ! octfft ! fakesink"
CASES = [
    # launch line, what must be there, whether it runs
    ("octsrc num-buffers=1 ! octdcsub ! octfft ! fakesink",
     "octfft0 cannot follow octdcsub0", "put octkresample between them", False),
    ("octsrc num-buffers=1 ! octdcsub ! octkresample ! octnufft ! fakesink",
     "octnufft0 cannot follow octkresample0", "leave octkresample out", False),
    ("octsrc num-buffers=1 ! octlogscale ! fakesink",
     "octlogscale0 cannot follow octsrc0",
     "put octdcsub ! octkresample ! octfft between them", False),
    (f"octsrc location=leftover.raw samples={SAMPLES} lines={LINES} ! {CHAIN}",
     "holds 2 whole B-scans", "511 bytes more, which are left out", True),
    (f"octsrc location=whole.raw samples={SAMPLES} lines={LINES} ! {CHAIN}",
     "", "", True),
]


def check(folder, line, *parts, runs):
    result = subprocess.run(
        ["gst-launch-1.0", "-q", *line.split()], cwd=folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=60, errors="replace")
    missing = [part for part in parts if part not in result.stdout]
    if missing:
        return f"{line}\n  says\n{result.stdout}\n  without {missing}"
    if (result.returncode == 0) != runs:
        return f"{line}\n  ends with {result.returncode}:\n{result.stdout}"
    if not any(parts) and result.stdout:
        return f"{line}\n  says\n{result.stdout}"
    return None


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    size = 2 * SAMPLES * LINES
    data = bytes(range(256)) * (3 * size // 256)
    (folder / "leftover.raw").write_bytes(data[:3 * size - 1])
    (folder / "whole.raw").write_bytes(data)
    troubles = [check(folder, line, *parts, runs=runs)
                for line, *parts, runs in CASES]
troubles = [trouble for trouble in troubles if trouble]
print("\n".join(troubles))
sys.exit(1 if troubles else 0)
