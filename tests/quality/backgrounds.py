#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The background methods of octdcsub on a simulated scene: a flat instrument over
a part of the A-lines, 200 um deep, and layered tissue below and beside it; a
source whose brightness changes by 2 % and whose tilt by 1 % from A-line to
A-line, with fringes of the optics on it; shot and read noise, 12 bits.

    backgrounds.py [--build BUILD] [--plot FOLDER] [--check]

A-scans are those of the plugin.  Figures are dB above the noise floor in the
A-lines without the instrument: the rows next to zero delay, and the ghost of the
instrument at its depth.  --plot writes the pictures of docs/elements/octdcsub.md.
--check ends with an error where a figure is not that of the float64 reference.
"""
import argparse
import os
import struct
import sys
import tempfile
import zlib

try:
    import numpy as np
except ImportError:
    print("numpy is missing")
    sys.exit(77)
import plugin

LINES, SAMPLES = 306, 1024
CENTRE, FWHM, SPAN = 0.845, 0.05, 0.1  # um
SURFACES = (350.0, 430.0, 530.0, 660.0)  # um
DEPTH, STRIPE = 200.0, 300.0  # um, of the instrument, and of nothing
FULL, READ = 20000.0, 30.0  # electrons
# rows 0 to 2, ghost: the reference, by the part of the A-lines with the instrument
# and by how much its depth changes over the B-scan in um
EXPECTED = {
    (0.3, 0.1): {"a-line": (58.4, 7.2), "bscan": (32.8, 38.9), "median": (32.8, 39.9), "high-pass": (32.6, 27.3),
                 "background": (37.1, 7.2), "background-scaled": (1.1, 7.2), "fixed-pattern": (32.8, 8.8),
                 "fixed-pattern-scaled": (2.8, 8.8)},
    (0.3, 3.0): {"a-line": (58.4, 6.7), "bscan": (32.8, 15.9), "median": (32.8, 16.1), "high-pass": (32.6, 26.3),
                 "background": (37.1, 6.6), "background-scaled": (1.1, 6.6), "fixed-pattern": (32.8, 6.8),
                 "fixed-pattern-scaled": (1.0, 6.8)},
    (0.6, 0.1): {"a-line": (58.4, 6.6), "bscan": (33.0, 44.7), "median": (33.0, 47.5), "high-pass": (32.8, 29.6),
                 "background": (37.2, 6.5), "background-scaled": (1.5, 6.5), "fixed-pattern": (33.0, 8.2),
                 "fixed-pattern-scaled": (1.8, 8.2)},
}
TOLERANCE = 0.2  # dB
SHOWN = 260  # rows of the pictures
GREYS = 12


class System:
    """Spectrometer of falling wavelength, so that k rises; fringes at the pixels, fall-off as a factor."""

    def __init__(self):
        x = np.linspace(-1, 1, SAMPLES)
        self.wavelength = (CENTRE + SPAN / 2 * x)[::-1]
        self.k = 2 * np.pi / self.wavelength
        self.span = np.ptp(self.k)
        self.source = np.exp(-4 * np.log(2) * ((self.wavelength - CENTRE) / FWHM)**2)
        self.noise = np.random.default_rng(1)
        self.bin_um = np.pi * (SAMPLES - 1) / (SAMPLES * self.span)

    def field(self, depths, amplitudes):
        """A-line by A-line, what comes back of the sample relative to the reference arm"""
        f = np.abs(2 * depths) * self.span / (2 * np.pi) / SAMPLES
        r = amplitudes * np.sinc(f) * np.exp(-(np.pi * f)**2 / (4 * np.log(2)))
        return np.exp(2j * np.outer(self.k, depths[r != 0])) @ r[r != 0]

    def counts(self, fields, source):
        """12 bits, of electrons with shot and read noise"""
        expected = source * np.abs(1 + fields)**2 * 0.7 * FULL
        electrons = self.noise.poisson(np.maximum(expected, 0)) + READ * self.noise.standard_normal(expected.shape)
        return np.clip(np.rint(electrons / FULL * 4095), 0, 4095)


def tissue(system):
    """Layers of scatterers that neighbouring A-lines share, and their surfaces"""
    rng, reach = np.random.default_rng(7), 4.0
    number = int(60 * LINES / reach)
    layers = rng.integers(0, len(SURFACES) - 1, number)
    depths, amplitudes, places = np.empty(number), np.empty(number), np.empty(number)
    for i, layer in enumerate(layers):
        depths[i] = rng.uniform(SURFACES[layer], SURFACES[layer + 1])
        amplitudes[i] = 0.012 * rng.standard_normal() * (1.0, 0.45, 0.8)[layer]
        amplitudes[i] *= np.exp(-(0.004, 0.002, 0.006)[layer] * (depths[i] - SURFACES[0]) / 2)
        places[i] = rng.uniform(-2 * reach, LINES + 2 * reach)
    fields = []
    for line in range(LINES):
        weight = np.exp(-((places - line) / reach)**2)
        seen = weight > 0.02
        bent = 20.0 * np.sin(2 * np.pi * line / LINES / 1.5)
        fields.append(system.field(
            np.concatenate([depths[seen], SURFACES]) + bent,
            np.concatenate([amplitudes[seen] * weight[seen], [0.03], [0.012] * (len(SURFACES) - 1)])))
    return np.array(fields)


def scene(system, fields, part, lean):
    """Counts of a B-scan with the instrument over `part` of the A-lines, and of the source alone"""
    rng = np.random.default_rng(8)
    there = np.arange(LINES) < part * LINES
    leaning = DEPTH + lean * np.linspace(-0.5, 0.5, LINES)
    metal = np.array([system.field(leaning[i:i + 1], np.array([0.1 * there[i]])) for i in range(LINES)])
    x = np.linspace(-1, 1, SAMPLES)
    fixed = system.source * (1 + 0.01 * np.cos(600 * system.k + 1)) * (1 + 0.003 * rng.standard_normal(SAMPLES))
    flicker = (1 + 0.02 * rng.standard_normal(LINES))[:, None] * (1 + 0.01 * rng.standard_normal(LINES)[:, None] * x)
    raw = system.counts(fields * np.where(there, 0.1, 1.0)[:, None] + metal, fixed * flicker)
    # some weeks ago, when the source was brighter
    alone = system.counts(np.zeros((200, SAMPLES), complex), np.repeat(fixed[None] * 1.03, 200, 0))
    return raw, alone, there


def grey_png(path, image):
    """[rows][columns] of 0 to 1"""
    values = (np.rint(np.clip(image, 0, 1) * GREYS) * (255 / GREYS)).astype(np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in values)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n")
        f.write(chunk(b"IHDR", struct.pack(">IIBBBBB", values.shape[1], values.shape[0], 8, 0, 0, 0, 0)))
        f.write(chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def measure(system, raw, alone, there, build):
    """By mode: powers [lines][depths] over the floor, rows 0 to 2, ghost, stripe, instrument, floor in dB"""
    calibration = {"wavelength_nm": system.wavelength * 1e3}
    powers, figures = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "background.npy")
        np.save(path, alone.mean(0).astype(np.float32))
        for mode in EXPECTED[0.3, 0.1]:
            a = plugin.run(raw.astype(np.uint16)[None], calibration, "octkresample ! octfft window=hann", build,
                           f"mode={mode} background={path}")
            powers[mode] = np.abs(a)**2
    floor = np.median(powers["background-scaled"][:, 400:500].mean(0))

    def level(power, depth):
        at = int(round(depth / system.bin_um))
        return 10 * np.log10(power[:, at - 2:at + 3].max(1).mean())

    for mode, power in powers.items():
        power /= floor
        figures[mode] = (10 * np.log10(power[~there][:, :3].mean()), level(power[~there], DEPTH),
                         level(power[~there], STRIPE), level(power[there], DEPTH),
                         10 * np.log10(np.median(power[:, 400:500].mean(0))))
    return powers, figures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build")
    parser.add_argument("--plot")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    checks = plugin.Checks()
    system = System()
    fields = tissue(system)
    for (part, lean), expected in EXPECTED.items():
        name = f"Instrument over {100 * part:.0f} % of the A-lines, leaning by {lean:g} um"
        raw, alone, there = scene(system, fields, part, lean)
        powers, figures = measure(system, raw, alone, there, options.build)
        print(f"\n{name}; dB above the noise floor\n")
        print(plugin.table(["mode", "rows 0 to 2", "ghost of the instrument", "where nothing is", "instrument",
                            "noise floor"],
                           [[f"`{mode}`"] + [f"{value:.1f}" for value in row] for mode, row in figures.items()]))
        for mode, (rows, ghost) in expected.items():
            checks.near(f"{name}, {mode}: rows 0 to 2", figures[mode][0], rows, TOLERANCE)
            checks.near(f"{name}, {mode}: ghost", figures[mode][1], ghost, TOLERANCE)
        if options.plot and (part, lean) == (0.3, 0.1):
            for mode in ("bscan", "median", "high-pass", "background", "background-scaled", "fixed-pattern-scaled"):
                image = 10 * np.log10(powers[mode][:, :SHOWN].T + 1e-9)
                grey_png(os.path.join(options.plot, f"background-{mode}.png"), (image + 3) / 43)
    if options.check:
        checks.end()


main()
