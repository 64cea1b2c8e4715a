#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes out of focus through octrefocus: points whose width in focus is known, planes
of speckle with points, phases between B-scans and aberrations.

    refocus.py [--build BUILD] [--plot FILE] [--check]

--check ends with an error where a width is not within 5 % of that in focus up to ten
Rayleigh lengths, or a sharpness not that of the float64 reference (functional.py).
"""
import argparse
import struct
import sys
import zlib

try:
    import numpy as np
except ImportError:
    print("numpy is missing")
    sys.exit(77)
import plugin
import functional as reference
from octphys import PI, System

RADIUS, STEP = 4.0, 2.0  # um
DISTANCES = 0, 1, 3, 10  # Rayleigh lengths


def frequencies(n):
    qy, qx = reference.frequencies(n, n, STEP, STEP)
    return qy ** 2 + qx ** 2


def rayleigh(s):
    return PI * RADIUS ** 2 * s.index / s.lam


# -------------------------------------------------------------------- points
def spectra_of_points(s, n, depths, focus, rng):
    """Real spectra [n][n][samples] of a point at each of the depths (um), in the middle,
    of equal power in focus; noise 60 dB below the brightest A-scan."""
    q2 = frequencies(n)[..., None]
    root = np.sqrt(np.maximum(4 * s.kn ** 2 - q2, 0))
    field = sum(np.exp(1j * (root * (z - focus) + 2 * s.kn * focus)) for z in depths)
    middle = np.exp(-2j * PI * (np.fft.fftfreq(n)[:, None, None] + np.fft.fftfreq(n)[None, :, None]) * (n // 2))
    field = np.fft.ifft2(field * np.exp(-RADIUS ** 2 * q2 / 8) * middle, axes=(0, 1)) * s.S
    spectra = 2 * field.real
    return spectra / np.abs(spectra).max() + rng.normal(0, 3e-4, spectra.shape)


def width(line):
    """Full width at half maximum in um, linear between samples"""
    j, half = int(np.argmax(line)), line.max() / 2
    ends = []
    for way in (-1, 1):
        i = j
        while 0 < i < len(line) - 1 and line[i] > half:
            i += way
        ends.append(i - way * (half - line[i]) / (line[i - way] - line[i]))
    return (ends[1] - ends[0]) * STEP


def judge_points(checks, build):
    """Rows of a table, and images [depth][x] through the points, before and after"""
    n, focus = 96, 100.0
    s = System(N=512, w=RADIUS, dx=STEP, dy=STEP, dz=4.0)
    depths = [focus + m * rayleigh(s) for m in DISTANCES]
    spectra = spectra_of_points(s, n, depths, focus, np.random.default_rng(5)).astype("<f4")
    calibration = {"wavelength_nm": 2 * PI * s.index / s.kn * 1e3}
    spacings = f"x-spacing={STEP}e-6 y-spacing={STEP}e-6 align=false"
    volumes = []
    for element in ("", f"! octrefocus {spacings} automatic=false focus-depth={focus * s.index}e-6",
                    f"! octrefocus {spacings}"):
        made = plugin.run(spectra, calibration, f"octkresample ! octfft {element}", build, "mode=none",
                          "bscans-per-buffer=0")
        volumes.append(np.abs(made.reshape(n, n, -1)) ** 2)
    rows = []
    brightest = None
    for m, z in zip(DISTANCES, depths):
        row = [str(m)]
        for volume in volumes:
            plane = volume[:, :, round(z / s.dz)]
            i = np.unravel_index(np.argmax(plane), plane.shape)[0]
            brightest = brightest or plane.max()
            row += [f"{width(plane[i]):.1f}", f"{10 * np.log10(plane.max() / brightest):+.1f}"]
            if volume is not volumes[0]:
                checks.near(f"width at {m} Rayleigh lengths", width(plane[i]), width(volumes[0][n // 2, :, round(
                    focus / s.dz)]), 0.05 * 3.2)
        rows.append(row)
    return rows, [volume[n // 2].T for volume in volumes]


# ------------------------------------------------------------------- speckle
def planes_of_speckle(s, n, count, first, rng):
    """[plane][y][x] of speckle with points, `first` um and more below the focus"""
    q2 = frequencies(n)
    root = np.sqrt(4 * s.kc ** 2 - q2)
    planes = []
    for d in range(count):
        f = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
        for _ in range(12):
            f[rng.integers(n), rng.integers(n)] += 60 * np.exp(2j * PI * rng.uniform())
        planes.append(np.fft.ifft2(np.fft.fft2(f) * np.exp(-RADIUS ** 2 * q2 / 8 - 1j * (first + d) * (2 * s.kc - root))))
    return np.array(planes)


def aberrate(planes, c):
    """with -c rad of two astigmatisms and two comas, in the element's unit"""
    n = planes.shape[-1]
    modes = reference.pupil_modes(n, n, STEP, STEP, PI / (2 * STEP))[1:5]
    return np.array([reference.correct(p, modes, -np.array(c)) for p in planes])


def judge_speckle(checks, build):
    """Rows of a table: sharpness relative to planes refocused as they were blurred"""
    n, count, rng = 128, 24, np.random.default_rng(1)
    s = System(w=RADIUS, dx=STEP, dy=STEP)
    first = 5 * rayleigh(s)
    still = planes_of_speckle(s, n, count, first, rng)
    turned = still * np.exp(1j * np.cumsum(rng.standard_normal(n) * 10))[None, :, None]
    noise = np.sqrt(np.mean(reference.power(still)) / 20)
    noisy = turned + noise * (rng.standard_normal(still.shape) + 1j * rng.standard_normal(still.shape))
    bent = aberrate(still, (-2.0, 1.5, 0.8, -0.6))
    best = np.mean([reference.sharpness(reference.refocus(p, first + d, s.kc, STEP, STEP)) for d, p in enumerate(still)])
    rows = []
    for name, planes, properties, least in (
            ("still", still, "align=false", 0.97), ("random phases, not aligned", turned, "align=false", None),
            ("random phases", turned, "", 0.95), ("the same at 10 dB", noisy, "", 0.78),
            ("astigmatism and coma", bent, "align=false", None),
            ("the same, `modes=5`", bent, "align=false modes=5", 0.95)):
        made = plugin.run_ascans(planes.transpose(1, 2, 0), f"octrefocus {properties}", build, bscans=n,
                                 x_spacing=STEP * 1e-6, y_spacing=STEP * 1e-6, z_spacing=s.index * 1e-6,
                                 wavelength=s.lam * 1e-6)
        made = np.frombuffer(made, np.complex64).reshape(n, n, count).transpose(2, 0, 1)
        before, after = (np.mean([reference.sharpness(p) for p in v]) / best for v in (planes, made))
        rows.append([name, f"{before:.3f}", f"{after:.3f}"])
        if least is not None:
            checks.above(f"sharpness of {name}", after, least)
    return rows


def plot(path, images):
    """A PNG of depths 40 to 960 um, before and after, x stretched three times; 40 dB"""
    levels = [10 * np.log10(image[10:240] / images[0].max() + 1e-9) for image in (images[0], images[2])]
    levels = [np.kron(np.clip(255 * (1 + level / 40), 0, 255), np.ones((2, 3))) for level in levels]
    gap = np.full((len(levels[0]), 12), 255)
    grey = np.hstack([levels[0], gap, levels[1]]).astype(np.uint8)
    rows = np.hstack([np.zeros((len(grey), 1), np.uint8), grey]).tobytes()
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, data in ((b"IHDR", struct.pack(">IIBBBBB", grey.shape[1], len(grey), 8, 0, 0, 0, 0)),
                           (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")):
            file.write(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build")
    parser.add_argument("--plot")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    checks = plugin.Checks()
    rows, images = judge_points(checks, options.build)
    print(plugin.table(["Rayleigh lengths", "as measured, um", "peak, dB", "focus given, um", "peak, dB",
                        "automatic, um", "peak, dB"], rows))
    print()
    print(plugin.table(["planes", "as measured", "octrefocus"], judge_speckle(checks, options.build)))
    if options.plot:
        plot(options.plot, images)
    if options.check:
        checks.end()


main()
