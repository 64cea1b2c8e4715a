# SPDX-License-Identifier: LGPL-2.1-or-later
"""chain.py -- float64 reference of the plugin's chain, with exactly its definitions.

    python3 chain.py RAW --samples 1024 --lines 100 --calibration calibration.csv -o image.npy

Definitions (also in design.md):
  * sample n, uniform wavenumber j = 0..N-1 between the smallest and the largest wavenumber, ascending.
  * s[j]: position (in samples) of uniform wavenumber j.  From k_index: s[j] = k_index[j].  From wavelengths:
    lambda' = 2 pi / k'[j], wavelength linear between pixels.  Clamped to [0, N-1] when a sample is read.
  * t[n]: position of sample n on the uniform wavenumber axis, the inverse of s, linear between entries,
    linear extrapolation at the ends (from wavelengths: exact, t = (k_n - k_min) / dK (N-1)).
  * resampling works on the sample index: linear; cubic = natural cubic spline; lanczos = a 4, normalised.
  * window: symmetric (numpy.hanning ...), scaled to unit mean square; evaluated at t for non-uniform samples.
  * every transform is unitary: N^-1/2 sum_n y_n exp(-2 pi i n q / N); depth q = 0..N/2-1.
  * image: 20 log10 |a| (or |a|^2), 255 (v - min) / (max - min), rounded to nearest, clamped; depth downwards.
"""
import argparse
import csv

import numpy as np
from scipy.interpolate import CubicSpline

from octref import NUDFT, NUFFT


class Calibration:
    """s [N], t [N] (see above), dispersion [N] in rad at the uniform wavenumbers or None."""

    def __init__(self, s, t, dispersion=None):
        self.s, self.t, self.dispersion = s, t, dispersion

    @classmethod
    def from_wavelengths(cls, nm, dispersion_at_pixels=None):
        nm = np.asarray(nm, float)
        n = len(nm)
        k = 2 * np.pi / nm
        lo, hi = k.min(), k.max()
        order = np.argsort(nm)
        uniform = np.linspace(lo, hi, n)
        s = np.interp(2 * np.pi / uniform, nm[order], order.astype(float))
        t = (k - lo) / (hi - lo) * (n - 1)
        d = None
        if dispersion_at_pixels is not None:
            up = np.argsort(t)
            d = np.interp(np.arange(n), t[up], np.asarray(dispersion_at_pixels)[up])
        return cls(s, t, d)

    @classmethod
    def from_k_index(cls, k_index, dispersion=None):
        s = np.asarray(k_index, float)
        n = len(s)
        up = np.argsort(s)
        j = np.arange(n, dtype=float)[up]
        x = np.arange(n, dtype=float)
        t = np.interp(x, s[up], j)
        first = (j[1] - j[0]) / (s[up][1] - s[up][0])
        last = (j[-1] - j[-2]) / (s[up][-1] - s[up][-2])
        t = np.where(x < s[up][0], j[0] + (x - s[up][0]) * first, t)
        t = np.where(x > s[up][-1], j[-1] + (x - s[up][-1]) * last, t)
        return cls(s, t, None if dispersion is None else np.asarray(dispersion, float))

    @classmethod
    def read(cls, path):
        with open(path, newline="") as f:
            rows = list(csv.DictReader(f))
        col = {name: np.array([float(r[name]) for r in rows]) for name in rows[0]}
        d = col.get("dispersion_rad")
        if "wavelength_nm" in col:
            return cls.from_wavelengths(col["wavelength_nm"], d)
        return cls.from_k_index(col["k_index"], d)


def subtract_dc(raw):
    """raw [L][N] counts -> [L][N], mean spectrum of the B-scan removed"""
    raw = raw.astype(float)
    return raw - raw.mean(0)


def k_resample(y, cal, method="cubic"):
    """y [L][N] on samples -> [L][N] on uniform wavenumbers"""
    n = y.shape[1]
    s = np.clip(cal.s, 0, n - 1)
    if method == "linear":
        i = np.minimum(s.astype(int), n - 2)
        f = s - i
        return y[:, i] * (1 - f) + y[:, i + 1] * f
    if method == "cubic":
        return CubicSpline(np.arange(n), y, axis=1, bc_type="natural")(s)
    if method == "lanczos":
        a, base = 4, np.floor(s).astype(int)
        out, total = np.zeros(y.shape), np.zeros(n)
        for m in range(1 - a, a + 1):
            i = base + m
            w = np.where(np.abs(s - i) < a, np.sinc(s - i) * np.sinc((s - i) / a), 0.0)
            w = np.where((i >= 0) & (i < n), w, 0.0)
            out += w * y[:, np.clip(i, 0, n - 1)]
            total += w
        return out / total
    raise ValueError(method)


def window(kind, n, t=None):
    """[n], unit mean square over the uniform axis; evaluated at t where given"""
    x = np.arange(n) if t is None else np.clip(t, 0, n - 1)
    u = 2 * np.pi * x / (n - 1)
    v = 2 * np.pi * np.arange(n) / (n - 1)
    shape = {
        "none": lambda a: np.ones_like(a),
        "hann": lambda a: 0.5 - 0.5 * np.cos(a),
        "hamming": lambda a: 0.54 - 0.46 * np.cos(a),
        "blackman": lambda a: 0.42 - 0.5 * np.cos(a) + 0.08 * np.cos(2 * a),
    }[kind]
    return shape(u) / np.sqrt(np.mean(shape(v) ** 2))


def a_scans_fft(y_uniform, cal, window_kind="hann", dispersion=False):
    """[L][N] on uniform wavenumbers -> complex [L][N/2]"""
    n = y_uniform.shape[1]
    y = y_uniform * window(window_kind, n)
    if dispersion and cal.dispersion is not None:
        y = y * np.exp(1j * cal.dispersion)
    return np.fft.fft(y, axis=1)[:, : n // 2] / np.sqrt(n)


def a_scans_nufft(y, cal, window_kind="hann", dispersion=False, kernel=None, oversampling=2.0, width=4):
    """[L][N] on samples -> complex [L][N/2]; kernel None = exact non-uniform DFT, else 'kb' or 'gauss'"""
    n = y.shape[1]
    order = np.argsort(cal.t)
    t = cal.t[order]
    y = (y * window(window_kind, n, cal.t))[:, order]
    if dispersion and cal.dispersion is not None:
        y = y * np.exp(1j * np.interp(t, np.arange(n), cal.dispersion))
    omega = 2 * np.pi * t / n
    op = NUDFT(t, omega=omega) if kernel is None else NUFFT(t, oversampling, width, kernel, omega=omega)
    return op.t1(y)[:, : n // 2]


def image(a, scale="log", lo=None, hi=None):
    """complex [L][D] -> uint8 [D][L]; automatic range = minimum and maximum of the B-scan"""
    power = np.abs(a) ** 2
    v = 10 * np.log10(np.maximum(power, 1e-20)) if scale == "log" else power
    lo = v.min() if lo is None else lo
    hi = v.max() if hi is None else hi
    return np.clip(np.rint((v - lo) / (hi - lo) * 255), 0, 255).astype(np.uint8).T


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("raw")
    p.add_argument("--samples", type=int, required=True)
    p.add_argument("--lines", type=int, required=True)
    p.add_argument("--calibration", required=True)
    p.add_argument("--bscan", type=int, default=0)
    p.add_argument("--path", choices=["fft", "nufft", "nudft"], default="fft")
    p.add_argument("--method", choices=["linear", "cubic", "lanczos"], default="cubic")
    p.add_argument("--kernel", choices=["kb", "gauss"], default="kb")
    p.add_argument("--oversampling", type=float, default=2.0)
    p.add_argument("--width", type=int, default=4)
    p.add_argument("--window", default="hann")
    p.add_argument("--dispersion", action="store_true")
    p.add_argument("--min", type=float)
    p.add_argument("--max", type=float)
    p.add_argument("-o", "--output", required=True, help=".npy, uint8 [depth][lines]; with --complex complex [lines][depth]")
    p.add_argument("--complex", action="store_true")
    a = p.parse_args()
    raw = np.fromfile(a.raw, "<u2").reshape(-1, a.lines, a.samples)[a.bscan]
    cal = Calibration.read(a.calibration)
    y = subtract_dc(raw)
    if a.path == "fft":
        x = a_scans_fft(k_resample(y, cal, a.method), cal, a.window, a.dispersion)
    else:
        x = a_scans_nufft(y, cal, a.window, a.dispersion, None if a.path == "nudft" else a.kernel, a.oversampling, a.width)
    np.save(a.output, x if a.complex else image(x, "log", a.min, a.max))


if __name__ == "__main__":
    main()
