#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the vectors of the unit tests: numbers of the float64 reference as a
C header, and small .npy files.

    python3 make_vectors.py REFERENCE_FOLDER [OUTPUT_FOLDER]

REFERENCE_FOLDER holds chain.py; OUTPUT_FOLDER is vectors/ beside this file.
"""
import pathlib
import sys

import numpy as np
from scipy.signal import windows


def array(name, values):
    rows = [f"  {float(v)!r}," for v in values]
    return f"static const double {name}[{len(rows)}] = {{\n" + "\n".join(rows) + "\n};\n"


def calibration_vectors(chain):
    rng = np.random.default_rng(1)
    out = []
    n = 16
    x = np.linspace(0, 1, n)
    up = 790.0 + 95 * x + 6 * x**2 - 3 * x**3
    at_pixels = 5 * np.sin(3 * x) + x**2
    for name, nm in (("up", up), ("down", up[::-1] + 0.25)):
        cal = chain.Calibration.from_wavelengths(nm, at_pixels)
        k = 2e3 * np.pi / nm
        spacing = 1e-6 * np.pi / ((k.max() - k.min()) * n / (n - 1))
        out += [array(f"wavelength_{name}", nm), array(f"wavelength_{name}_s", cal.s),
                array(f"wavelength_{name}_t", cal.t), array(f"wavelength_{name}_dispersion", cal.dispersion),
                array(f"wavelength_{name}_k_range", [k.min(), k.max()]),
                array(f"wavelength_{name}_z_spacing", [spacing])]
    out.append(array("dispersion_at_pixels", at_pixels))

    inside = 0.5 + (n - 2.25) * (x + 0.2 * x * (1 - x)) + 0.05 * rng.random(n)
    outside = (n - 1 + 0.6) - (n - 1 + 1.1) * (x - 0.3 * x * (1 - x))
    for name, s in (("up", inside), ("down", outside)):
        cal = chain.Calibration.from_k_index(s, at_pixels)
        out += [array(f"k_index_{name}", s), array(f"k_index_{name}_t", cal.t)]

    nm = np.linspace(800, 900, n)
    cal = chain.Calibration.from_wavelengths(nm)
    k = np.linspace(2e3 * np.pi / 900, 2e3 * np.pi / 800, n)
    kc = 0.5 * (k[0] + k[-1])
    out += [array("linear_s", cal.s), array("linear_t", cal.t),
            array("linear_phase", -(60 * (k - kc) ** 2 + 7 * (k - kc) ** 3))]

    p = np.polynomial.polynomial.polyval(np.arange(n) / (n - 1), [14.5, -12, -3.25, 1.5])
    out += [array("polynomial_s", p), array("polynomial_t", chain.Calibration.from_k_index(p).t)]
    return out


def window_vectors(chain):
    n = 9
    t = np.array([-0.5, 0.1, 0.9, 2.3, 3.7, 4.4, 5.9, 7.2, 8.4])
    unit = lambda w: w / np.sqrt(np.mean(w**2))
    out = [array("window_t", t)]
    for kind in ("hann", "none", "hamming", "blackman"):
        out += [array(f"window_{kind}", chain.window(kind, n)), array(f"window_{kind}_at_t", chain.window(kind, n, t))]
    out += [array("window_tukey", unit(windows.tukey(n, 0.5))),
            array("window_gaussian", unit(windows.gaussian(n, 0.4 * (n - 1) / 2)))]
    return out


def npy_files(folder):
    """Values are 10 (index of the array) + ..., so that a test can compute them."""
    flat = np.arange(24)
    save = lambda name, a: np.save(folder / f"{name}.npy", a)
    for code in ("|u1", "<u2", "<i2", "<f4", "<f8"):
        values = flat * 10 if code == "|u1" else flat * 1000 - (0 if code == "<u2" else 5000)
        values = values + 0.5 if code[1] == "f" else values
        save("volume-" + code[1:], values.reshape(2, 3, 4).astype(code))
    save("one-line", flat.astype("<u2"))
    save("lines", flat.reshape(6, 4).astype("<u2"))
    save("four-dimensions", flat.reshape(1, 2, 3, 4).astype("<u2"))
    save("scalar", np.uint16(5))
    save("empty", np.zeros((0, 4), "<u2"))
    save("big-endian", flat.reshape(6, 4).astype(">u2"))
    save("fortran", np.asfortranarray(flat.reshape(6, 4).astype("<u2")))
    save("complex", flat.reshape(6, 4).astype("<c8"))
    save("int64", flat.reshape(6, 4).astype("<i8"))
    save("records", np.zeros(3, [("a", "<u2"), ("b", "<f4")]))
    for version in ((2, 0), (3, 0)):
        with open(folder / f"version-{version[0]}.npy", "wb") as f:
            np.lib.format.write_array(f, flat.reshape(6, 4).astype("<u2"), version=version)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    sys.path.insert(0, sys.argv[1])
    sys.dont_write_bytecode = True
    import chain

    folder = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else pathlib.Path(__file__).parent / "vectors")
    folder.mkdir(exist_ok=True)
    text = "/* SPDX-License-Identifier: LGPL-2.1-or-later */\n/* Written by make_vectors.py; do not edit. */\n#pragma once\n\n"
    (folder / "vectors.h").write_text(text + "\n".join(calibration_vectors(chain) + window_vectors(chain)))
    npy_files(folder)


if __name__ == "__main__":
    main()
