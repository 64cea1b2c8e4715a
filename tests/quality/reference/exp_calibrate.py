# SPDX-License-Identifier: LGPL-2.1-or-later
"""exp_calibrate.py -- float64 reference for calibration: k map from mirrors, dispersion and k from a live scene,
signal meters, background estimates. Own algorithms, tried on simulated spectra and on the shared C-scan's mirrors.

    python3 exp_calibrate.py            prints tables of figures (about a minute and a half on one core)

Definitions:
  * raw [L][N] counts, pixel order. Phases are of the component with rising phase, exp(+i phi).
  * mirror m: phi_m(p) = a_m K(p) + side_m D(p) + c_m; K rises from 0 to 1 over the record, a_m > 0 rad over the record,
    D has no straight line in K left (weighted with the light). bin = a_m N / (2 pi (N - 1)).
  * k_index[j] = p where K(p) = j/(N-1); dispersion_rad[j] = -side D(k_index[j]), to be multiplied as exp(+i ...).
  * phases of a live scene: exp(-i (c2 x^2 + c3 x^3)), x = -1..1 over the uniform axis: c2, c3 are the phases in rad at
    its ends. a2 = c2/(dk/2)^2, a3 = c3/(dk/2)^3, dk = k_max - k_min, in um^2 and um^3.
  * k warp of a live scene: reads the uniform axis at x + q2 P2(x) + q3 P3(x), P2 and P3 = x^2 and x^3 less the straight
    line that fits them best under the light: depths and bandwidth stay as they are.
"""
import itertools
import sys
import time

import numpy as np
from scipy.interpolate import BSpline, CubicSpline
from scipy.ndimage import convolve1d
from scipy.signal import fftconvolve

import octref

PI = np.pi
DATA = __file__.rsplit("/", 2)[0] + "/data/cscan/" if "/" in __file__ else "../data/cscan/"
SEGMENTS = 48          # of the splines K(p) and D(p)
SMOOTH = 1e-9          # weight of the integral of K'''^2 (p from 0 to 1), times the sum of a_m^2; 10 times that for D, times
SMOOTH_WEAK = 1e-7     # the number of mirrors. The stiffer one where the median SNR is below 30 dB
SYSTEMATIC = 0.03      # rad, phase error that does not average out (ghosts, saturation)
MIN_SNR, GOOD_SNR = 15, 25      # dB above the floor, below them a mirror is refused, or warned of


# ------------------------------------------------------------------------------------------ 1 k map from mirrors
def low_pass(v, h):
    """moving average with a Hann kernel of half length h samples, normalised at the ends"""
    h = max(int(h), 1)
    w = np.hanning(2 * h + 3)[1:-1]
    return fftconvolve(v, w, mode="same") / fftconvolve(np.ones(len(v)), w, mode="same")


def unwrap_from(p, c):
    """unwraps outwards from sample c, so that noise at dark ends stays there"""
    return np.concatenate([np.unwrap(p[c::-1])[::-1][:-1], np.unwrap(p[c:])])


def splines(n, segments, points):
    t = np.arange(-3, segments + 4) / segments
    u = np.minimum(np.asarray(points) / (n - 1), 1 - 1e-12)
    return np.nan_to_num(np.stack([BSpline.basis_element(t[i:i + 5], extrapolate=False)(u) for i in range(segments + 3)]))


def roughness(segments):
    d = np.diff(np.eye(segments + 3), n=3, axis=0) * segments ** 2.5
    return d.T @ d


def subtract_background(raw, background=None):
    """raw [L][N], background [Lb][N] counts -> [L][N], background scaled to each line by least squares"""
    raw = np.atleast_2d(np.asarray(raw, float))
    if background is None:
        return raw
    b = np.atleast_2d(np.asarray(background, float)).mean(0)
    return raw - ((raw @ b) / (b @ b))[:, None] * b


def find_fringe(y, first=8):
    """y [L][N] -> frequency (cycles per record), SNR in dB, noise variance of a sample.
    The fringe is the band of 0.8 to 1.25 of its centre that holds most power above the floor: a mirror's peak is
    broad before the k map is known. floor = median power / ln 2 (exponential distribution)."""
    n = y.shape[1]
    p = (np.abs(np.fft.rfft((y - y.mean(1, keepdims=True)) * np.hanning(n), axis=1)) ** 2).mean(0)
    p[:first] = 0
    floor = np.median(p[first:]) / np.log(2)
    c = np.concatenate([[0], np.cumsum(np.maximum(p - 2 * floor, 0))])
    q = np.arange(first, int(len(p) / 1.05))
    lo, hi = np.maximum((0.8 * q).astype(int), first), np.minimum((1.25 * q).astype(int) + 1, len(p))
    b = q[np.argmax(c[hi] - c[lo])]
    s = slice(max(int(0.75 * b), first), min(int(1.33 * b) + 1, len(p)))
    w = np.maximum(p[s] - 4 * floor, 0)
    if w.sum() == 0:
        return float(b), 0.0, floor / (0.375 * n)
    return (w @ np.arange(s.start, s.stop)) / w.sum(), 10 * np.log10(p[s].max() / floor), floor / (0.375 * n)


def average_locked(y, q):
    """[L][N] -> complex mean of lines turned to a common phase, mean of exp(-2 i theta), coherence 0..1"""
    n = y.shape[1]
    if len(y) == 1:
        return y[0].astype(complex), 1 + 0j, 1.0
    f = np.arange(n)
    z = np.fft.ifft(np.where((f > 0.4 * q) & (f < 1.7 * q), np.fft.fft(y, axis=1), 0), axis=1)
    ref = z[np.argmax((np.abs(z) ** 2).sum(1))]
    for _ in range(4):
        g = (z * ref.conj()).sum(1)
        g = g / np.maximum(np.abs(g), 1e-300)
        ref = (z * g.conj()[:, None]).mean(0)
    coherence = np.sqrt((np.abs(ref) ** 2).sum() / (np.abs(z) ** 2).sum(1).mean())
    return (y * g.conj()[:, None]).mean(0), (g.conj() ** 2).mean(), coherence


def start_phase(s, q):
    """cubic phase of one fringe: analytic signal of the band 0.5 q .. 1.6 q, unwrapped from its brightest part"""
    n = len(s)
    f = np.arange(n)
    low = low_pass(s.real, n / q) + 1j * low_pass(s.imag, n / q)
    z = np.fft.ifft(np.where((f > 0.5 * q) & (f < 1.6 * q), np.fft.fft(s - low), 0))
    a = np.abs(z)
    p = unwrap_from(np.angle(z), int(np.argmax(low_pass(a, n // 20))))
    basis = np.polynomial.legendre.legvander(np.linspace(-1, 1, n), 3)
    return np.linalg.lstsq(basis * a[:, None], p * a, rcond=None)[0]


def averaged_snr(snr, lines, coherence):
    """SNR in dB of the locked average; noise alone reaches a coherence of 1/sqrt(lines) + 1/sqrt(samples/2)"""
    return snr + (10 * np.log10(lines) + 20 * np.log10(coherence) if coherence > 0.4 else 0)


class MirrorFit:
    """phi_m(p) = a_m K(p) + side_m D(p) + c_m, weighted, robust; K from 0 to 1 over the record, a_m > 0"""

    def __init__(self, lines, side=None, first=8):
        self.n = n = lines[0].shape[1]
        self.m = len(lines)
        self.side = np.ones(self.m) if side is None else np.asarray(side, float)
        found = [find_fringe(y, first) for y in lines]
        self.q, self.snr, var = (np.array(v) for v in zip(*found))
        avg = [average_locked(y, q) for y, q in zip(lines, self.q)]
        self.s, self.mix, self.coherence = np.stack([a[0] for a in avg]), np.array([a[1] for a in avg]), np.array([a[2] for a in avg])
        self.snr = np.array([averaged_snr(s, len(y), c) for s, y, c in zip(self.snr, lines, self.coherence)])
        self.smooth = SMOOTH if np.median(self.snr) >= 30 else SMOOTH_WEAK
        self.var = var / np.array([len(y) for y in lines]) / 4
        self.cubic = np.stack([start_phase(s, q) for s, q in zip(self.s, self.q)])
        self.at = np.unique(np.rint(np.linspace(0, n - 1, min(n, 384))).astype(int))
        self.b, self.rough = splines(n, SEGMENTS, self.at), roughness(SEGMENTS)
        self.ball = splines(n, SEGMENTS, np.arange(n))

    def start(self, how):
        n = self.n
        basis = np.polynomial.legendre.legvander(np.linspace(-1, 1, n), 3)[:, 1:]
        good = np.minimum(self.snr, 30) / 30 * (self.snr > 18)
        if how == "best" or (good > 0).sum() < 2:
            k, d = basis @ self.cubic[np.argmax(np.minimum(self.snr, 40) + 20 * np.log10(self.q)), 1:], np.zeros(n)
        else:
            c = self.cubic[:, 1:] * self.side[:, None]
            mean = (good @ c) / good.sum()
            k = basis @ np.linalg.svd((c - mean) * good[:, None], full_matrices=False)[2][0]
            d = basis @ mean
        k = (k - k[0]) / (k[-1] - k[0])
        if (np.diff(k) <= 0).any():
            k, d = np.linspace(0, 1, n), np.zeros(n)
        self.k, self.d = k, d - np.polyval(np.polyfit(k, d, 1), k)
        self.a, self.bg = np.zeros(self.m), np.zeros((self.m, n), complex)
        t = np.interp(np.linspace(0, 1, n), k, np.arange(n))
        x = np.arange(n)
        for m in range(self.m):
            v = self.s[m] * np.exp(-1j * self.side[m] * self.d)
            f = np.abs(np.fft.fft((np.interp(t, x, v.real) + 1j * np.interp(t, x, v.imag)) * np.hanning(n), 4 * n))
            lo, hi = int(2.4 * self.q[m]), min(int(6 * self.q[m]), 2 * n)
            self.a[m] = 2 * np.pi * (lo + np.argmax(f[lo:hi])) / 4 * (n - 1) / n

    def demodulate(self):
        """phases with the present model, weights: fills t [M][points], w, h, amplitude"""
        n, slope, bend = self.n, np.gradient(self.k), np.gradient(self.d)
        self.t, self.w = np.zeros((self.m, len(self.at))), np.zeros((self.m, len(self.at)))
        self.h, self.amplitude = np.zeros(self.m), np.zeros((self.m, n))
        for m in range(self.m):
            f = np.maximum(self.a[m] * slope + self.side[m] * bend, 0) / (2 * np.pi)     # fringe frequency, cycles per sample
            h = int(np.clip(1.5 / max(np.quantile(f, 0.05), 1e-9), n / 96, n / 6))
            carrier = np.exp(1j * (self.a[m] * self.k + self.side[m] * self.d))
            for _ in range(2):
                v = low_pass((self.s[m] - self.bg[m]) * carrier.conj(), h)
                fringe = v * carrier
                rest = self.s[m] - fringe - self.mix[m] * fringe.conj()
                self.bg[m] = low_pass(rest, h)
            a = np.abs(v)
            r = unwrap_from(np.angle(v), int(np.argmax(a)))
            ok = (np.abs(2 * f - np.rint(2 * f)) > 1.2 / h) & (a > 0.03 * a.max())   # not near 0 or half the sampling rate
            noise = self.var[m] * 2 / (0.75 * 2 * h + 1)
            w = ok / (noise / np.maximum(a, 1e-300) ** 2 + SYSTEMATIC ** 2) / h * (n / len(self.at))
            self.t[m], self.w[m], self.h[m] = (r + self.a[m] * self.k + self.side[m] * self.d)[self.at], w[self.at], h
            self.amplitude[m] = 2 * a

    def solve(self, side, rounds=3):
        """K and D of given phases: penalised least squares, Huber weights; then a_m. Returns chi^2 per mirror"""
        nb, b = len(self.b), self.b
        a, w = self.a.copy(), self.w.copy()
        for _ in range(rounds):
            g, y = np.zeros((2 * nb, 2 * nb)), np.zeros(2 * nb)
            for m in range(self.m):
                if w[m].sum() == 0:
                    continue
                bm = b - ((b @ w[m]) / w[m].sum())[:, None]
                gm, ym = (bm * w[m]) @ bm.T, (bm * w[m]) @ self.t[m]
                g += np.kron([[a[m] ** 2, a[m] * side[m]], [a[m] * side[m], 1]], gm)
                y += np.concatenate([a[m] * ym, side[m] * ym])
            q = np.zeros_like(g)
            q[:nb, :nb] = self.rough * self.smooth * (a ** 2).sum() + np.outer(b[:, 0], b[:, 0]) * g[:nb, :nb].max()   # pins K(0) = 0
            q[nb:, nb:] = self.rough * 10 * self.smooth * self.m + np.eye(nb) * 1e-3
            x = np.linalg.solve(g + q, y)
            k, d = x[:nb] @ b, x[nb:] @ b
            r = np.zeros_like(self.t)
            for m in range(self.m):
                if w[m].sum() == 0:
                    continue
                z = np.stack([np.ones(len(k)), k])
                c = np.linalg.solve((z * w[m]) @ z.T, (z * w[m]) @ (self.t[m] - side[m] * d))
                a[m], r[m] = c[1], self.t[m] - side[m] * d - c @ z
            u = np.abs(r) * np.sqrt(self.w * self.h[:, None] * len(self.at) / self.n)
            self.scale = max(np.median(u[self.w > 0]) / 0.6745, 1e-9)
            w = self.w * np.minimum(1, 2 * self.scale / np.maximum(u, 1e-12))
        return x, a, r, g, q, (r ** 2 * w).sum()

    def run(self, how, iterations=12):
        self.start(how)
        last = np.inf
        nb = len(self.b)
        for it in range(iterations):
            self.demodulate()
            x, self.a, self.r, g, q, _ = self.solve(self.side)
            k = x[:nb] @ self.ball
            self.d = x[nb:] @ self.ball
            scale = k[-1] - k[0]
            self.k, self.a = (k - k[0]) / scale, self.a * scale
            self.rms = np.sqrt((self.r ** 2 * self.w).sum(1) / np.maximum(self.w.sum(1), 1e-300))
            total = np.sqrt((self.rms ** 2).mean())
            if it > 3 and abs(total - last) < 1e-3 * last:
                break
            last = total
        self.iterations, self.total = it + 1, total
        light = ((self.amplitude / self.amplitude.max(1, keepdims=True)).mean(0)) ** 2
        self.light = light
        line = np.polyfit(self.k, self.d, 1, w=np.sqrt(light))
        self.d = self.d - np.polyval(line, self.k)
        self.a = self.a + self.side * line[0]
        c = np.linalg.inv(g + q)
        z = np.stack([np.ones(self.n), self.k])
        free = self.ball - ((self.ball * light) @ z.T) @ np.linalg.inv((z * light) @ z.T) @ z
        cov = (c @ g @ c)[:nb, :nb] / scale ** 2
        var = np.einsum("ij,ik,kj->j", free, cov, free) * self.scale ** 2
        self.sigma_k = np.sqrt(max((var * light).sum() / light.sum(), 0))     # rms over the light, straight line removed
        self.monotone = bool((np.diff(self.k) > 0).all())
        self.bins = self.a / (2 * np.pi) * self.n / (self.n - 1)
        return self

    def find_sides(self):
        """-> side [M] with side[0] = 1, and chi^2 of the next best pattern over that of the best (near 1: cannot be told).
        Phases do not depend on the sides assumed, so only the linear fit is repeated: all patterns of up to 9 mirrors
        spread over depth, then every other mirror by itself."""
        nb, b, k = len(self.b), self.b, self.k[self.at]
        pick = np.argsort(self.a)[np.unique(np.rint(np.linspace(0, self.m - 1, min(self.m, 9))).astype(int))]
        gm, ym, tt = {}, {}, 0.0
        for m in range(self.m):
            z = np.stack([np.ones(len(k)), k])
            off = lambda v: v - ((v * self.w[m]) @ z.T) @ np.linalg.inv((z * self.w[m]) @ z.T) @ z
            bm, tm = off(b), off(self.t[m][None])[0]
            gm[m], ym[m] = (bm * self.w[m]) @ bm.T, (bm * self.w[m]) @ tm
            if m in pick:
                tt += (tm ** 2 * self.w[m]).sum()

        def chi(sides):
            g = np.zeros((2 * nb, 2 * nb))
            g[:nb, :nb] = self.rough * self.smooth * (self.a ** 2).sum() + np.eye(nb) * 1e-3
            g[nb:, nb:] = self.rough * 10 * self.smooth * self.m + np.eye(nb) * 1e-3
            y = np.zeros(2 * nb)
            for m, s in sides:
                g += np.kron([[self.a[m] ** 2, self.a[m] * s], [self.a[m] * s, 1]], gm[m])
                y += np.concatenate([self.a[m] * ym[m], s * ym[m]])
            x = np.linalg.solve(g, y)
            return tt - y @ x, x

        tried = sorted((chi(list(zip(pick, (1,) + s)))[0], (1,) + s) for s in itertools.product((1, -1), repeat=len(pick) - 1))
        side = np.zeros(self.m)
        side[pick] = tried[0][1]
        x = chi([(m, side[m]) for m in pick])[1]
        for m in np.flatnonzero(side == 0):
            r = ym[m] - self.a[m] * gm[m] @ x[:nb]
            side[m] = 1 if r @ x[nb:] >= 0 else -1
        return side * side[0], tried[1][0] / max(tried[0][0], 1e-12)


def fit_mirrors(raws, background=None, side=None):
    """raws: list of [L][N], background None, one or a list -> MirrorFit, numbers of the mirrors used, warnings.
    side: +1 or -1 per mirror; None: one side for two mirrors, found for three or more."""
    warnings, lines, used = [], [], []
    for i, raw in enumerate(raws):
        y = subtract_background(raw, background[i] if isinstance(background, list) else background)
        q, snr, _ = find_fringe(y)
        coherence = average_locked(y, q)[2]
        snr = averaged_snr(snr, len(y), coherence)
        n = y.shape[1]
        p = (np.abs(np.fft.rfft((y - y.mean(1, keepdims=True)) * np.hanning(n), axis=1)) ** 2).mean(0)
        near = (p[int(0.96 * len(p)):].max() - 10 * np.median(p[8:])) / p[8:].max()
        full = (np.asarray(raw) >= np.max(raw)).mean()
        if snr < MIN_SNR:
            warnings.append(f"mirror {i + 1}: no fringe found ({snr:.0f} dB above the floor), left out")
            continue
        if near > 1e-3 and q > 0.3 * n:
            warnings.append(f"mirror {i + 1}: no fringe, or it reaches half the sampling rate, left out: move the mirror nearer")
            continue
        if snr < GOOD_SNR:
            warnings.append(f"mirror {i + 1}: weak fringe, {snr:.0f} dB: average more lines")
        if coherence < 0.8:
            warnings.append(f"mirror {i + 1}: lines agree to {100 * coherence:.0f} %: it moved, or noise")
        if full > 0.02:
            warnings.append(f"mirror {i + 1}: {100 * full:.0f} % of the samples at the maximum: saturated?")
        lines.append(y)
        used.append(i)
    if not lines:
        raise ValueError("no mirror with a fringe")
    side = None if side is None else np.asarray(side, float)[used]

    def both_starts():
        fits = []
        for how in ("all", "best"):
            try:
                fits.append(MirrorFit(lines, side).run(how))
            except (np.linalg.LinAlgError, ValueError):
                pass
        return min(fits, key=lambda f: f.total + (0 if f.monotone else 1e3))
    fit = both_starts()
    if len(lines) > 2:                          # a peak that stays broad while the others are narrow is not a mirror
        wide = np.array([psf(y, *columns(fit, s), lo=max(0.8 * b, 8), hi=1.25 * b)[3] for y, s, b in zip(lines, fit.side, fit.bins)])
        bad = (wide > 2 * np.median(wide)) | (fit.rms > max(0.3, 5 * np.median(fit.rms)))
        if bad.any() and (~bad).sum() > 1:
            for i in np.flatnonzero(bad):
                warnings.append(f"mirror {used[i] + 1}: does not fit to the others, left out")
            lines, used = [y for y, b in zip(lines, bad) if not b], [i for i, b in zip(used, bad) if not b]
            side = None if side is None else side[~bad]
            fit = both_starts()
    if side is None and len(lines) > 2:
        s, ratio = fit.find_sides()
        if ratio < 2:
            warnings.append("which mirrors lie on the other side of the zero delay cannot be told, one side assumed: say so if not")
        elif (s != 1).any():
            fit = MirrorFit(lines, s).run("all")
    if len(lines) == 1:
        fit.d = np.zeros(fit.n)
        warnings.append("one depth: dispersion is taken into the k map, exact at this depth only")
    elif np.ptp(fit.a * fit.side) < 0.3 * fit.a.max():
        warnings.append("the depths lie close together: the k map is uncertain far from them")
    if not fit.monotone:
        warnings.append("k map does not rise everywhere: do not use it")
    if fit.total > 0.3:
        warnings.append(f"phases deviate by {fit.total:.2f} rad rms from one k map: do the files belong together?")
    fit.warnings = warnings
    return fit, used, warnings


def columns(fit, side=1):
    """-> k_index [N], dispersion_rad [N] for samples on the side of the mirrors with side +1 (or -1)"""
    n = fit.n
    k = np.maximum.accumulate(fit.k) + 1e-12 * np.arange(n)
    position = np.interp(np.linspace(0, 1, n), k, np.arange(n))
    return position, -side * np.interp(position, np.arange(n), fit.d)


def depth_scale(fit, positions_um):
    """mirror displacements in um -> dk in rad/um, um per bin, rms of the deviation in um, mirrors that deviate (left out:
    more than 5 times the median, e.g. another reflection found). Median of all slopes first, then least squares"""
    a, p = fit.a * fit.side, np.asarray(positions_um, float)
    i, j = np.triu_indices(fit.m, 1)
    slope = np.median(((a[j] - a[i]) / (p[j] - p[i]))[p[j] != p[i]])
    off = np.abs(a - slope * p - np.median(a - slope * p))
    ok = off <= 5 * np.median(off) + 1e-3 * np.ptp(a)
    c = np.polyfit(p[ok], a[ok], 1)
    dk = abs(c[0]) / 2
    return dk, PI * (fit.n - 1) / (fit.n * dk), np.std(a[ok] - np.polyval(c, p[ok])) / abs(c[0]), np.flatnonzero(~ok)


def wavelengths(fit, dk, centre_nm, rising):
    """wavelength of every pixel in nm; centre_nm: of the light's centre of gravity; rising: with the pixel"""
    k = 2e3 * PI / centre_nm + (-1 if rising else 1) * dk * (fit.k - (fit.k * fit.light).sum() / fit.light.sum())
    return 2e3 * PI / k


# ------------------------------------------------------------------------------------------ 2 dispersion of a live scene
def window(n):
    w = np.hanning(n)
    return w / np.sqrt((w * w).mean())


def choose_lines(u, count=256):
    return u if len(u) <= count else u[np.linspace(0, len(u) - 1, count).astype(int)]


class Autofocus:
    """u [L][N] spectra on uniform wavenumbers without background; bins lo..hi are judged.
    score = mean over lines of sum p ln p, p = power over its sum in the line (minus the entropy)"""

    def __init__(self, u, lo=20, hi=None):
        n = u.shape[1]
        self.u, self.x = u * window(n), np.linspace(-1, 1, n)
        self.lo, self.hi, self.count = lo, n // 2 if hi is None else hi, 0

    def score(self, c2, c3=0.0):
        self.count += 1
        p = np.abs(np.fft.fft(self.u * np.exp(-1j * (c2 * self.x ** 2 + c3 * self.x ** 3)), axis=1)[:, self.lo:self.hi]) ** 2
        p = p / p.sum(1, keepdims=True)
        return float((p * np.log(p + 1e-30)).sum(1).mean())

    def run(self, range2=100.0, range3=60.0, third=True):
        """-> (c2, c3), score: grids of 3 and 4 rad, then golden sections to 0.1 rad"""
        c = grid(self.score, [0.0, 0.0], 0, range2, 3.0)
        if third:
            for axis, half, step in ((1, range3, 4.0), (0, 18.0, 3.0), (1, 16.0, 4.0)):
                c = grid(self.score, c, axis, half, step)
        for k in range(3):
            c = golden(self.score, c, 0, 4.0 / 2 ** k, 0.1)
            if third:
                c = golden(self.score, c, 1, 5.2 / 2 ** k, 0.1)
        return c, self.score(*c)


def put(c, axis, v):
    return [v if i == axis else z for i, z in enumerate(c)]


def grid(score, c, axis, half, step):
    return max((score(*t), t) for t in (put(c, axis, v) for v in c[axis] + np.arange(-half, half + step / 2, step)))[1]


def golden(score, c, axis, half, tolerance):
    r = (5 ** 0.5 - 1) / 2
    a, b = c[axis] - half, c[axis] + half
    x1, x2 = b - r * (b - a), a + r * (b - a)
    f1, f2 = score(*put(c, axis, x1)), score(*put(c, axis, x2))
    while b - a > tolerance:
        if f1 > f2:
            b, x2, f2 = x2, x1, f1
            x1 = b - r * (b - a)
            f1 = score(*put(c, axis, x1))
        else:
            a, x1, f1 = x1, x2, f2
            x2 = a + r * (b - a)
            f2 = score(*put(c, axis, x2))
    return put(c, axis, (a + b) / 2)


def autofocus(u, lo=20, hi=None, third=True):
    """-> c2, c3 rad, their standard errors (from four parts of the lines), score gained, evaluations"""
    u = choose_lines(u)
    f = Autofocus(u, lo, hi)
    c, s = f.run(third=third)
    parts = []
    for part in np.array_split(u, 4):                      # neighbours share their speckle: runs of lines, not every fourth
        g, t = Autofocus(part, lo, hi), list(c)
        for axis in (0, 1) if third else (0,):
            t = golden(g.score, t, axis, 6.0, 0.3)
        parts.append(t)
        f.count += g.count
    return c[0], c[1], np.std(parts, axis=0, ddof=1) / 2, s - f.score(0.0), f.count


# ------------------------------------------------------------------------------------------ 3 k map of a live scene
class Refine:
    """k warp q2, q3 together with c2, c3 at the pivot (the mean depth), so that the two hardly depend on each other.
    score = mean over lines of ln sum power^2 (not normalised: power that leaves the range must count as lost)"""

    def __init__(self, u, lo=20, hi=None):
        n = u.shape[1]
        self.x, self.w, self.lo, self.hi, self.count, self.last = np.linspace(-1, 1, n), window(n), lo, n // 2 if hi is None else hi, 0, None
        self.spline = CubicSpline(self.x, u, axis=1)
        self.u = u
        power = low_pass((u ** 2).mean(0), n // 16)
        self.envelope = np.sqrt(power)
        light = power * self.w ** 2
        z = np.stack([np.ones(n), self.x])
        self.p2, self.p3 = (p - np.linalg.solve((z * light) @ z.T, (z * light) @ p) @ z for p in (self.x ** 2, self.x ** 3))
        p = np.abs(np.fft.fft(u * self.w, axis=1)[:, self.lo:self.hi]) ** 2
        p = (p / p.sum(1, keepdims=True)).mean(0)
        p = np.maximum(p - 2 * np.median(p), 0)
        at = np.arange(self.lo, self.hi)
        self.pivot = (p @ at) / p.sum()
        self.spread = np.sqrt((p @ (at - self.pivot) ** 2) / p.sum()) / self.pivot

    def positions(self, q2, q3):
        return np.clip(self.x + q2 * self.p2 + q3 * self.p3, -1, 1)

    def phases(self, c2, c3, q2, q3):
        return c2 + PI * self.pivot * q2, c3 + PI * self.pivot * q3

    def score(self, c2, c3, q2, q3):
        self.count += 1
        if self.last is None or self.last[0] != (q2, q3):
            t = self.positions(q2, q3)
            self.last = (q2, q3), self.spline(t) * self.w * np.clip(self.envelope / np.interp(t, self.x, self.envelope), 0.5, 2)
        b2, b3 = self.phases(c2, c3, q2, q3)
        p = np.abs(np.fft.fft(self.last[1] * np.exp(-1j * (b2 * self.x ** 2 + b3 * self.x ** 3)), axis=1)[:, self.lo:self.hi]) ** 2
        return float(np.log((p ** 2).sum(1)).mean())

    def run(self):
        f = Autofocus(self.u, self.lo, self.hi)
        c0, _ = f.run(range2=60.0, range3=30.0)
        self.count += f.count
        c = max((self.score(c0[0] + d, c0[1], q, 0.0), [c0[0] + d, c0[1], q, 0.0])
                for q in np.arange(-0.12, 0.121, 0.01) for d in (-12.0, -8.0, -4.0, 0.0, 4.0, 8.0, 12.0))[1]
        c = grid(self.score, c, 3, 0.06, 0.01)
        last = self.score(*c)
        for _ in range(8):
            for axis, half, tolerance in ((2, 0.01, 0.0005), (0, 4.0, 0.2), (3, 0.01, 0.0005), (1, 4.0, 0.2)):
                c = golden(self.score, c, axis, half, tolerance)
            s = self.score(*c)
            if s - last < 2e-5 * abs(s):
                break
            last = s
        return c


# ------------------------------------------------------------------------------------------ 4 signal meters
def width_at(m, i, level):
    t, l, r = m[i] * level, i, i
    while l > 0 and m[l] > t:
        l -= 1
    while r < len(m) - 1 and m[r] > t:
        r += 1
    return (r - (t - m[r]) / (m[r - 1] - m[r])) - (l + (t - m[l]) / (m[l + 1] - m[l]))


def transform(y, k_index=None, dispersion=None, pad=1):
    """[L][N] -> complex [L][pad N/2], Hann window of unit mean square, unitary for pad 1, natural cubic spline"""
    n = y.shape[-1]
    u = y if k_index is None else CubicSpline(np.arange(n), y, axis=-1, bc_type="natural")(np.clip(k_index, 0, n - 1))
    u = u * window(n) * (1 if dispersion is None else np.exp(1j * dispersion))
    return np.fft.fft(u, pad * n, axis=-1)[..., :pad * n // 2] / np.sqrt(n)


def psf(y, k_index=None, dispersion=None, lo=8, hi=None, pad=8):
    """[L][N] -> peak bin, peak dB (20 log10 |a|), widths of |a| in bins at -3, -6 and -20 dB, highest side lobe in dB"""
    m = np.sqrt((np.abs(transform(y, k_index, dispersion, pad)) ** 2).mean(0))
    i = int(lo * pad) + int(np.argmax(m[int(lo * pad):None if hi is None else int(hi * pad)]))
    w = [width_at(m, i, 10 ** (-d / 20)) / pad for d in (3, 6, 20)]
    far = np.abs(np.arange(len(m)) - i) / pad > 1.5 * w[2]
    far[:int(lo * pad)] = False
    return i / pad, 20 * np.log10(m[i]), *w, 20 * np.log10(m[far].max() / m[i])


def snr(y, k_index=None, dispersion=None, guard=0.06):
    """[L][N] of a still mirror -> SNR in dB, noise floor in dB, phase noise in rad between lines, and its limit.
    signal = mean |a(peak)|^2 - noise, peak found with 8-fold padding; noise = E|n|^2: variance over the lines of complex a (L >= 8), median over the bins
    farther from the peak and from zero than guard; sensitivity = SNR + 20 OD for a filter of density OD before the mirror"""
    peak = psf(y, k_index, dispersion)[0]
    a, top = transform(y, k_index, dispersion), transform(y, k_index, dispersion, 8)[:, int(round(8 * peak))]
    d = a.shape[1]
    far = np.abs(np.arange(d) - peak) > guard * d
    far[:max(int(guard * d), 8)] = False
    noise = np.median(a.var(0, ddof=1)[far]) if len(a) >= 8 else np.median(np.abs(a[:, far]) ** 2) / np.log(2)
    s = (np.abs(top) ** 2).mean() - noise
    step = np.angle(top[1:] * top[:-1].conj())
    step = np.angle(np.exp(1j * (step - np.angle(np.exp(1j * step).sum()))))
    return 10 * np.log10(s / noise), 10 * np.log10(noise), step.std(), np.sqrt(noise / s)


def roll_off(z_mm, db):
    """-> dB per mm (least squares), depth in mm where 6 dB are lost (nan: farther than the last mirror)"""
    o = np.argsort(z_mm)
    z, v = np.asarray(z_mm)[o], np.asarray(db)[o]
    slope = np.polyfit(z, v, 1)[0]
    lost = np.flatnonzero(v < v[0] - 6)
    if len(lost) == 0:
        return slope, np.nan
    i = lost[0]
    return slope, z[i - 1] + (z[i] - z[i - 1]) * (v[i - 1] - (v[0] - 6)) / (v[i - 1] - v[i])


def spectrum_meter(spectrum, k_pixel=None):
    """spectrum [N] without dark counts -> centre of gravity and FWHM in samples; with k (rad/um, per pixel) also in nm and
    the axial resolution in um (FWHM of |a|) by 0.4413 lambda^2/dlambda, of the bare spectrum and of that with the window"""
    n = len(spectrum)
    s = np.maximum(low_pass(spectrum, n // 100), 0)
    i = int(np.argmax(s))
    out = dict(centroid=(s * np.arange(n)).sum() / s.sum(), fwhm=width_at(np.concatenate([[0], s, [0]]), i + 1, 0.5))
    if k_pixel is not None:
        lam = 2e3 * PI / k_pixel
        c = np.interp(out["centroid"], np.arange(n), lam)
        f = abs(np.interp(out["centroid"] + out["fwhm"] / 2, np.arange(n), lam) - np.interp(out["centroid"] - out["fwhm"] / 2, np.arange(n), lam))
        o = np.argsort(k_pixel)
        k = k_pixel[o]
        z = np.linspace(0, 12 * PI / np.ptp(k), 1201)
        wave = np.exp(-2j * np.outer(z, k)) * np.gradient(k)
        hann = np.interp(k, np.linspace(k[0], k[-1], n), window(n))
        out.update(centre_nm=c, fwhm_nm=f, formula_um=0.4413 * c * c / f / 1e3)
        for name, v in (("bare_um", s[o]), ("window_um", s[o] * hann)):
            m = np.abs(wave @ v)
            i = int(np.argmax(m < m[0] / 2))
            out[name] = 2 * np.interp(m[0] / 2, [m[i], m[i - 1]], [z[i], z[i - 1]])
    return out


def photon_transfer(lines):
    """lines [L][N] of the source alone -> counts per electron, read noise in counts, relative intensity noise;
    fits variance(p) = read^2 + gain mean(p) + rin^2 mean(p)^2 with weights 1/variance^2"""
    mean, var = lines.mean(0), lines.var(0, ddof=1)
    x = np.stack([np.ones(len(mean)), mean, mean ** 2])
    c = np.zeros(3)
    w = 1 / np.maximum(low_pass(var, len(var) // 50), 1e-9)
    active = [0, 1, 2]
    while active:
        s = np.linalg.lstsq((x[active] * w).T, var * w, rcond=None)[0]
        if (s >= 0).all():
            c[active] = s
            break
        active.remove(active[int(np.argmin(s))])
    return c[1], np.sqrt(c[0]), np.sqrt(c[2])


def shot_noise_floor(mean_counts, gain, k_index=None):
    """dB that shot noise alone leaves in the transform: sum of variance times window^2 over N"""
    n = len(mean_counts)
    v = gain * np.maximum(mean_counts, 0)
    w = window(n) if k_index is None else np.interp(np.arange(n), k_index, window(n))
    return 10 * np.log10((v * w ** 2).mean())


# ------------------------------------------------------------------------------------------ 5 background
def line_gain(raw, b, tilt=True):
    """background fitted to every line: raw ~ b (g0 + g1 x + g2 x^2) -> [L][N] to subtract. tilt False: g0 alone"""
    x = np.linspace(-1, 1, len(b))
    basis = np.stack([b, b * x, b * x * x]) if tilt else b[None]
    return np.linalg.solve(basis @ basis.T, basis @ raw.T).T @ basis


def minimum_variance(raw, segments=9):
    """fixed pattern of [L][N]: lines scaled to a common brightness, real FFT, and for each frequency the mean over that of
    `segments` runs of lines whose variance is least (Moon 2010 does it after the transform to depth)"""
    b = raw.mean(0)
    g = (raw @ b) / (b @ b)
    f = np.fft.rfft(raw / g[:, None], axis=1)
    run = len(f) // segments
    s = f[:run * segments].reshape(segments, run, -1)
    m = s.mean(1)
    best = ((np.abs(s) ** 2).mean(1) - np.abs(m) ** 2).argmin(0)
    return np.fft.irfft(np.take_along_axis(m, best[None], 0)[0], raw.shape[1])


BACKGROUND = {
    "none": lambda raw, stored: raw - raw.mean(1, keepdims=True),
    "mean": lambda raw, stored: raw - raw.mean(0),
    "mean, scaled": lambda raw, stored: raw - line_gain(raw, raw.mean(0), False),
    "median": lambda raw, stored: raw - np.median(raw, 0),
    "high-pass 31 lines": lambda raw, stored: raw - convolve1d(raw, np.ones(31) / 31, axis=0, mode="nearest"),
    "stored": lambda raw, stored: raw - stored,
    "stored, scaled and tilted": lambda raw, stored: raw - line_gain(raw, stored),
    "minimum variance": lambda raw, stored: raw - line_gain(raw, minimum_variance(raw)),
}


# ------------------------------------------------------------------------------------------ simulation
class Camera(octref.Spectrometer):
    """octref's spectrometer (finite resolution, shot and read noise, 12 bits) with a bent wavelength scale; um, rad/um"""

    def __init__(self, n=1024, centre=0.845, fwhm=0.05, span=0.1, bend=0.004, cube=0.001, ripple=0.0, **more):
        super().__init__(N=n, lam_c=centre, fwhm=fwhm, dlam=span / n, **more)

        def lam(j):
            x = 2 * j / (n - 1) - 1
            return centre + span / 2 * x + bend * (x * x - 1 / 3) + cube * (x ** 3 - 0.6 * x)
        self.lam = lam(np.arange(n))
        self.lam_f = lam((np.arange(-self.pad * self.os, (n + self.pad) * self.os) + 0.5) / self.os - 0.5)
        self.k, self.k_f, self.perm = 2 * PI / self.lam, 2 * PI / self.lam_f, np.arange(n)
        self.kc, self.dk = 0.5 * (self.k[0] + self.k[-1]), abs(np.ptp(self.k))
        self.S_f = np.exp(-4 * np.log(2) * ((self.lam_f - centre) / fwhm) ** 2) * (1 + ripple * np.cos(2 * PI * self.lam_f / 0.017))
        self.S = self._pix(self.S_f[None])[0]

    def mirror(self, z, r=0.3, a2=30.0, a3=15.0, lines=1, drift=0.5, ghost=0.0, gain=0.75, noise=True):
        """[lines][N] counts of a mirror at z um (negative: other side), amplitude r to the reference, ghost 40 um deeper"""
        d = a2 * (self.k_f - self.kc) ** 2 + a3 * (self.k_f - self.kc) ** 3
        phase = self.rng.uniform(0, 2 * PI) + np.cumsum(self.rng.standard_normal(lines) * drift)
        e = r * np.exp(1j * (2 * self.k_f * z + d)) * (1 + ghost * np.exp(80j * self.k_f))
        out = [self._pix((self.S_f * np.abs(1 + e * np.exp(1j * p)) ** 2)[None])[0] for p in phase]
        return self.detect(np.array(out) * gain, noise=noise)

    def source(self, lines=50, gain=1.0):
        return self.detect(np.repeat(self.S[None] * gain, lines, 0))

    def truth(self, a2=30.0, a3=15.0):
        """K as MirrorFit has it, phase over pixels for z > 0 in the sense of rising pixel, weight of the light"""
        d = a2 * (self.k - self.kc) ** 2 + a3 * (self.k - self.kc) ** 3
        return np.abs(self.k - self.k[0]) / self.dk, d * np.sign(self.k[-1] - self.k[0]), self.S ** 2


class Scene:
    """many scatterers, fast: fringes at pixel centres, fall-off as a factor; wavelength falls, so pixel order is rising k"""

    def __init__(self, n=1024, centre=0.845, fwhm=0.05, span=0.1, bend=0.004, seed=0):
        x = np.linspace(-1, 1, n)
        self.n, self.lam = n, (centre + span / 2 * x + bend * (x * x - 1 / 3))[::-1]
        self.k = 2 * PI / self.lam
        self.dk, self.kc = np.ptp(self.k), 0.5 * (self.k[0] + self.k[-1])
        self.s = np.exp(-4 * np.log(2) * ((self.lam - centre) / fwhm) ** 2)
        self.position = np.interp(np.linspace(self.k[0], self.k[-1], n), self.k, np.arange(n))
        self.rng = np.random.default_rng(seed)

    def phase(self, c2, c3=0.0):
        x = (self.k - self.kc) / (self.dk / 2)
        return np.exp(1j * (c2 * x ** 2 + c3 * x ** 3))

    def field(self, z, r):
        f = np.abs(2 * z) * self.dk / (2 * PI) / self.n
        r = r * np.sinc(f) * np.exp(-(PI * f) ** 2 / (4 * np.log(2)))
        return np.stack([np.exp(2j * np.outer(self.k, z[i][r[i] != 0])) @ r[i][r[i] != 0] for i in range(len(z))])

    def counts(self, e, source=None, full=20000.0, read=30.0):
        v = (self.s if source is None else source) * np.abs(1 + e) ** 2 * 0.7 * full
        v = self.rng.poisson(np.maximum(v, 0)) + read * self.rng.standard_normal(v.shape)
        return np.clip(np.rint(v / full * 4095), 0, 4095)

    def uniform(self, y, position=None):
        return CubicSpline(np.arange(self.n), y, axis=1)(self.position if position is None else position)


def off_line(v, reference, weight):
    """v in the scale of reference, less the best straight line in reference -> weighted rms"""
    z = np.stack([np.ones_like(v), reference])
    c = np.linalg.solve((z * weight) @ z.T, (z * weight) @ v)
    return np.sqrt(((v - c @ z) ** 2 * weight).sum() / weight.sum()), c[1]


# ------------------------------------------------------------------------------------------ tables
def table_mirrors():
    print("1 k map: error of K at the deepest mirror (rad rms over the light), as predicted; of D; loss against the true map at bin 28, 141, 282")
    one, both = (200.0, 900.0), (300.0, -800.0)
    cases = [("two on one side, background", one, {}, {}, 1, False), ("two on one side, none", one, {}, {}, 1, True),
             ("two on both sides, none", both, {}, {}, 1, True), ("pixels in reverse", one, {}, {}, -1, True),
             ("50 lines, phase drifts", one, {}, dict(lines=50), 1, True), ("27 % of samples saturated", one, {}, dict(gain=1.8), 1, True),
             ("ghost of 5 %", one, {}, dict(ghost=0.05), 1, True), ("weak, 21 dB", one, {}, dict(r=0.01), 1, True),
             ("source of 20 nm on 100", one, dict(fwhm=0.02), {}, 1, True), ("240 nm, 2048 samples", (150.0, 700.0), dict(n=2048, fwhm=0.105, span=0.24), {}, 1, True),
             ("a2 = 300 um^2", one, {}, dict(a2=300.0), 1, True), ("depths 500 and 520 um", (500.0, 520.0), {}, {}, 1, True),
             ("5, one of them empty, sides found", (200.0, 3000.0, 600.0, -400.0, 900.0), {}, {}, 1, True)]
    for name, zs, cam, mir, way, alone in cases:
        c = Camera(**cam)
        a2, sign = mir.get("a2", 30.0), np.sign(zs[0])
        raws = [c.mirror(z, **{**mir, **(dict(r=0.0) if abs(z) > 2000 else {})})[:, ::way] for z in zs]
        bg = None if alone else c.source(gain=mir.get("gain", 0.75))[:, ::way]
        side = [np.sign(z) * sign for z in zs] if len(zs) == 2 else None
        t0 = time.time()
        f, used, warn = fit_mirrors(raws, bg, side)
        k, d, w = c.truth(a2)
        if way < 0:
            k, d, w = 1 - k[::-1], -d[::-1], w[::-1]
        deepest = 2 * max(abs(zs[i]) for i in used) * c.dk
        ek, scale = off_line(f.k, k, w)
        d = sign * d                                                        # rising pixel and z > 0: as in truth()
        ed, _ = off_line(f.d - d, k, w)
        position, disp = columns(f)
        pt = np.interp(np.linspace(0, 1, c.N), k, np.arange(c.N))
        loss = []
        for z in (100.0, 500.0, 1000.0):
            y = (c.mirror(sign * z, a2=a2, noise=False) - c.detect(c.S[None], noise=False))[:, ::way]
            y = y - y.mean()
            loss.append("%+.2f" % (psf(y, position, disp)[1] - psf(y, pt, -np.interp(pt, np.arange(c.N), d))[1]))
        print("  %-34s %.3f (%.3f)  %.3f rad   %s dB   residual %.3f rad, %d rounds, %.1f s%s" % (name, ek / scale * deepest, f.sigma_k * deepest, ed, " ".join(loss), f.total, f.iterations, time.time() - t0,
              "; sides " + " ".join("%+d" % s for s in f.side) if len(zs) > 2 else ""))
        for line in warn:
            print("      ", line)


def table_cscan():
    load = lambda f: np.load(DATA + f).astype(float)
    raws = [load("mirror1.npy"), load("mirror2.npy")]
    bgs = [load("dark_ref.npy") + load(f"dark_sample{i}.npy") - load("dark_not.npy") for i in (1, 2)]
    theirs = np.genfromtxt(DATA + "calibration.csv", delimiter=",", names=True)
    fits = [("with backgrounds", fit_mirrors(raws, bgs, [1, -1])[0]), ("without any", fit_mirrors(raws, None, [1, -1])[0])]
    print("  shared C-scan's mirrors, both sides: bin, peak dB, width at -3, -6, -20 dB, side lobe")
    for i, raw in enumerate(raws):
        y = subtract_background(raw, bgs[i])
        y = y - y.mean()
        print("    mirror %d without                 " % (i + 1), " ".join("%7.2f" % v for v in psf(y)))
        print("    mirror %d its own calibration     " % (i + 1), " ".join("%7.2f" % v for v in psf(y, theirs["k_index"], (-1) ** (i + 1) * theirs["dispersion_rad"])))
        for name, f in fits:
            position, d = columns(f, f.side[i])
            print("    mirror %d fitted %-17s" % (i + 1, name), " ".join("%7.2f" % v for v in psf(y, position, d)), "  residual %.3f rad" % f.total)


def table_autofocus():
    print("2 dispersion of a live scene (layers with speckle, phases at the ends of the axis in rad)")
    rng = np.random.default_rng(3)
    for lines in (200, 50, 20):
        s = Scene(seed=lines)
        e = s.field(*octref.layer_phantom(lines, rng))
        for c2, c3 in ((25.0, 0.0), (-64.0, 36.0)):
            y = s.counts(e * s.phase(c2, c3))
            t0 = time.time()
            b2, b3, se, gain, count = autofocus(s.uniform(y - y.mean(0)))
            print("  %3d lines: true %6.1f %5.1f  found %7.2f %6.2f  +- %.2f %.2f   score +%.2f, %d evaluations, %.1f s" % (lines, c2, c3, b2, b3, se[0], se[1], gain, count, time.time() - t0))


def table_refine():
    print("3 k map and dispersion of a live scene: bend of 4 nm unknown; k error in rad per 100 bins, rms over the light")
    for name, layers, mu, bend in (("layers to bin 260", (150.0, 400.0, 650.0, 920.0), 0.3, 0.004), ("layers, bins 42 to 130", (150.0, 230.0, 330.0, 460.0), 1.0, 0.004), ("map right already", (150.0, 400.0, 650.0, 920.0), 0.3, 0.0)):
        s = Scene(seed=1, bend=bend)
        z, r = octref.layer_phantom(120, np.random.default_rng(101), surfaces=layers, mu=tuple(mu * v for v in (0.004, 0.002, 0.006)), n_max=160)
        y = s.counts(s.field(z, r) * s.phase(12.0))
        lam = (0.845 + 0.05 * np.linspace(-1, 1, s.n))[::-1]
        k = 2 * PI / lam
        wrong = np.interp(np.linspace(k[0], k[-1], s.n), k, np.arange(s.n))
        t0 = time.time()
        f = Refine(s.uniform(y - y.mean(0), wrong))
        c = f.run()
        true = np.interp(wrong, np.arange(s.n), (s.k - s.k[0]) / s.dk) * 2 - 1
        light = f.envelope ** 2 * f.w ** 2
        e0, e1 = off_line(true, f.x, light)[0], off_line(np.interp(f.positions(c[2], c[3]), f.x, true), f.x, light)[0]
        print("  %-24s q2 %.4f q3 %.4f  error %.2f -> %.2f rad   spread of depths %.2f, %d evaluations, %.1f s" % (name, c[2], c[3], e0 * PI * 100, e1 * PI * 100, f.spread, f.count, time.time() - t0))


def table_meters():
    print("4 meters, simulated: found (true)")
    c = Camera(bend=0.0, cube=0.0, seed=5)
    position = columns_of(c.k)
    source = c.source(200)
    gain, read, rin = photon_transfer(source)
    print("  camera: %.3f counts per electron (%.3f), read noise %.1f counts (%.1f), intensity noise %.4f (0)" % (gain, 4095 / c.fwc, read, c.read_e * 4095 / c.fwc, rin))
    m = spectrum_meter(source.mean(0), c.k)
    print("  spectrum: centre %.1f nm (845.0), FWHM %.1f nm (50.0), resolution by formula %.2f um (6.30), bare spectrum %.2f, with the window %.2f um" % (m["centre_nm"], m["fwhm_nm"], m["formula_um"], m["bare_um"], m["window_um"]))
    z_bin = PI * (c.N - 1) / (c.N * c.dk)
    zs, db = [], []
    for z in (200.0, 500.0, 900.0, 1300.0):
        y = c.mirror(z, r=0.01, a2=0.0, a3=0.0, lines=60, drift=0.02, gain=1.0) - source.mean(0)
        y = y[:, ::-1]
        p = psf(y, position)
        s = snr(y, position)
        # truth: peak from the noiseless fringe; noise from shot and read variance of the pixels, thinned by the spline
        clean = (c.expected(z, 0.01, kc=c.kc)[0] - c.S)[::-1] * c.level * 4095
        top = psf((clean - clean.mean())[None], position)[1]
        var = (c.S[::-1] * c.level * 4095 * gain + (c.read_e * 4095 / c.fwc) ** 2) + 1 / 12
        rng = np.random.default_rng(1)
        noise = 10 * np.log10((np.abs(transform(rng.standard_normal((200, c.N)) * np.sqrt(var), position)[:, int(0.1 * c.N):int(0.45 * c.N)]) ** 2).mean())
        print("  z %4.0f um: bin %.2f (%.2f), -3/-6/-20 dB %.2f %.2f %.2f bins = %.2f %.2f %.2f um, SNR %.1f dB (%.1f), floor %.1f dB (%.1f; shot alone %.1f), phase %.4f rad (drift 0.02, limit %.4f)"
              % (z, p[0], z / z_bin, *p[2:5], *(v * z_bin for v in p[2:5]), s[0], top - noise, s[1], noise, shot_noise_floor(source.mean(0)[::-1], gain, position), s[2], s[3]))
        zs.append(z / 1e3)
        db.append(p[1])
    print("  roll-off %.2f dB/mm, 6 dB lost at %.2f mm" % roll_off(zs, db))


def columns_of(k_pixel):
    """positions for pixels given in any order of k, read in rising k"""
    k = np.sort(k_pixel)
    return np.interp(np.linspace(k[0], k[-1], len(k)), k, np.arange(len(k)))


def table_background():
    print("5 background: dB above the noise floor in lines without instrument (306 lines, brightness +-2 %, tilt 1 %, stored one 3 % too bright)")
    s, lines = Scene(seed=1, bend=0.0), 306
    tissue = s.field(*octref.layer_phantom(lines, np.random.default_rng(7), surfaces=(350.0, 430.0, 530.0, 660.0), n_max=60))
    for part, tilt in ((0.3, 0.1), (0.3, 3.0), (0.6, 0.1)):
        rng = np.random.default_rng(8)
        there = np.arange(lines) < part * lines
        metal = s.field((200 + tilt * np.linspace(-0.5, 0.5, lines))[:, None], np.where(there, 0.1, 0.0)[:, None])
        e = tissue * np.where(there, 0.1, 1.0)[:, None] + metal
        x = np.linspace(-1, 1, s.n)
        fixed = s.s * (1 + 0.01 * np.cos(600 * s.k + 1)) * (1 + 0.003 * rng.standard_normal(s.n))
        source = fixed * ((1 + 0.02 * rng.standard_normal(lines))[:, None] * (1 + 0.01 * rng.standard_normal(lines)[:, None] * x))
        raw = s.counts(e, source)
        stored = s.counts(np.zeros((200, s.n), complex), np.repeat(fixed[None] * 1.03, 200, 0)).mean(0)
        bin_um = PI * (s.n - 1) / (s.n * s.dk)
        at, stripe = int(round(200 / bin_um)), int(round(300 / bin_um))
        floor = np.median((np.abs(transform(BACKGROUND["stored, scaled and tilted"](raw, stored), s.position)[:, 400:500]) ** 2).mean(0))
        print("  instrument over %.0f %% of the lines, tilted by %.1f um" % (100 * part, tilt))
        for name, f in BACKGROUND.items():
            t0 = time.time()
            y = f(raw, stored)
            dt = time.time() - t0
            p = np.abs(transform(y, s.position)) ** 2 / floor
            level = lambda sel, b: 10 * np.log10(p[sel][:, b - 2:b + 3].max(1).mean())
            print("    %-26s bins 0-2 %5.1f  ghost %5.1f  stripe %5.1f  instrument itself %5.1f  floor %+.2f dB   %.0f ms" % (name, 10 * np.log10(p[~there][:, :3].mean()), level(~there, at), level(~there, stripe), level(there, at), 10 * np.log10(np.median(p[:, 400:500].mean(0))), dt * 1e3))


if __name__ == "__main__":
    np.seterr(all="ignore")
    start = time.time()
    for table in (table_mirrors, table_cscan, table_autofocus, table_refine, table_meters, table_background):
        t0 = time.time()
        table()
        print("  [%.0f s]" % (time.time() - t0))
        sys.stdout.flush()
    print("%.0f s" % (time.time() - start))
