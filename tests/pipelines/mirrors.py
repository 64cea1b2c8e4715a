# SPDX-License-Identifier: LGPL-2.1-or-later
"""Simulated mirrors, and oct-calibrate with them."""
import os
import pathlib
import re
import subprocess

import tap

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["OCT_CALIBRATE"]
SIMULATE = os.environ["OCT_SIMULATE_MIRROR"]
SAMPLES = 1024


def simulate(folder, name, **settings):
    """A raw file of one mirror; returns its name."""
    subprocess.run([SIMULATE, folder / name] + [
        f"{key.replace('_', '-')}={value}" for key, value in settings.items()],
        check=True, timeout=60)
    return name


def some(folder, *depths, **settings):
    return [simulate(folder, f"m{depth}.raw", depth=depth, seed=2 + i, **settings)
            for i, depth in enumerate(depths)]


def calibrate(folder, *arguments, status=0, samples=SAMPLES):
    """Returns the output, notes and errors included.  A calibration that is
    poor ends --check with status 1."""
    sizes = ["--samples", samples] if samples else []
    result = subprocess.run(
        [PROGRAM, *map(str, sizes), *map(str, arguments)], cwd=folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=120)
    if status == 0 and "--check" in arguments and "' is poor for" in result.stdout:
        status = 1
    assert status is None or result.returncode == status, (
        f"exit status {result.returncode}, expected {status}\n{result.stdout}")
    return result.stdout


def refuse(folder, *arguments, says, samples=SAMPLES):
    """No calibration, and one sentence that has all of these parts."""
    (folder / "no.csv").unlink(missing_ok=True)
    text = calibrate(folder, *arguments, "--output", "no.csv", status=1,
                     samples=samples)
    error = [line for line in text.splitlines() if line.startswith("Error: ")]
    assert len(error) == 1, text
    print(f"# {error[0]}", flush=True)
    assert "No calibration is written: " in error[0], text
    for part in says:
        assert part in error[0], (part, text)
    assert not (folder / "no.csv").exists()


def read_table(text):
    """{mirror: (width before, bin, width after, possible)} of a report."""
    return {m[1]: tuple(map(float, m.groups()[1:])) for m in re.finditer(
        r"^'(\S+?)'\S*\s+\w+\s+[-\d.]+\s+([\d.]+)\s+([\d.]+)\s+[-\d.]+\s+([\d.]+)"
        r"\s+([\d.]+)", text, re.M)}


def read_csv(path):
    rows = [line for line in path.read_text().splitlines()
            if not line.startswith("#")]
    names = rows[0].split(",")
    columns = zip(*(map(float, row.split(",")) for row in rows[1:]))
    return dict(zip(names, map(list, columns)))


def wavelength(pixel):
    """nm, as mirror-camera.c has it"""
    x = 2 * pixel / (SAMPLES - 1) - 1
    return 845 + 50 * x + 4 * (x * x - 1 / 3) + (x**3 - 0.6 * x)


def check_positions(columns, limit=0.25, see=wavelength):
    """k_index against the wavenumbers that were simulated, in samples, where
    there is light; `see`: the wavelength of a pixel."""
    k = [1 / see(pixel) for pixel in range(SAMPLES)]
    rises = columns["k_index"][-1] > columns["k_index"][0]
    ends = (k[0], k[-1]) if rises else (k[-1], k[0])
    for j in range(150, 874):
        position = columns["k_index"][j]
        low = int(position)
        here = k[low] + (k[low + 1] - k[low]) * (position - low)
        wanted = ends[0] + (ends[1] - ends[0]) * j / (SAMPLES - 1)
        off = (here - wanted) / (ends[1] - ends[0]) * (SAMPLES - 1)
        assert abs(off) < limit, (j, off)


def launch(folder, line):
    return tap.run("-q", *line.split(), program="gst-launch-1.0", cwd=folder)
