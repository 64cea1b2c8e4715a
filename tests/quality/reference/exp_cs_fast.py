# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compressive sensing of A-lines in few steps: three solvers at equal cost.

    exp_cs_fast.py [--quick]

Cost: `steps` K of every solver are b = A^H y and K - 1 products with T = A^H A (two FFTs and a real
multiplier between them), all else is point-wise.  Shapes: b, x, g [lines][modes] complex; samples in
counts; every transform unitary (octref.py).  Modes q = 0..N/2-1 for real spectra (x[-q] = conj x[q], sums
count q > 0 twice), q in FFT order for complex ones.

  sparsa      octcs as it is: SpaRSA with a fixed threshold [1, 2]
  continued   the same minimum, sooner: the threshold falls with the residual [3]
  persistent  recommended: no l1 norm; the noise is read off the residual, a depth is kept when the mean power
              of its neighbours exceeds it [4, 5], and the part of the update that merely repeats its input is
              taken out ("divergence-free" [6, 7]), which keeps the residual honest and speeds up

[1] Xu, Huang, Kang, Opt. Express 22, 14871 (2014).  [2] Wright, Nowak, Figueiredo, IEEE TSP 57, 2479 (2009).
[3] Hale, Yin, Zhang, Fixed-point continuation, SIAM J. Optim. (2008).  [4] Siedenburg, Doerfler, Persistent
time-frequency shrinkage, J. Audio Eng. Soc. (2013).  [5] Kowalski, Siedenburg, Doerfler, Social sparsity!, IEEE TSP
61, 2498 (2013).  [6] Donoho, Maleki, Montanari, Message-passing algorithms for CS, PNAS (2009).  [7] Ma, Ping,
Orthogonal AMP, IEEE Access (2017).  The rule of `persistent` as a whole is put together here and has no proof of
convergence; [3, 4, 6, 7] are quoted from memory.

Under a minute of one core.
"""
import argparse
import os
import time

import numpy as np
import scipy.fft as sfft
from scipy.ndimage import uniform_filter

import chain
import octref

HERE = os.path.dirname(os.path.abspath(__file__))
SHRINK = 1.3      # lambda of the steps: a mean power over 2 REACH + 1 depths below SHRINK times the noise is 0
REACH = 4         # depths on each side
KAPPA_MAX = 0.5
STEPS = (6, 8, 10, 15, 20)


class Operator:
    """T and A^H for nodes omega [N] (rad per mode) of which mask [N] are kept.  is_complex: all N modes."""

    def __init__(self, omega, mask, is_complex=False):
        n, kept = len(omega), omega[mask]
        self.n, self.length, self.mask, self.is_complex = n, 2 * n, mask, is_complex
        lags = np.arange(n)
        t = np.exp(-1j * np.outer(lags, kept)).sum(1) / n
        row = np.zeros(2 * n, complex)
        row[:n], row[n + 1:] = t, t[:0:-1].conj()
        self.band = (sfft.ifft(row) * 2 * n).real
        q = octref.modes(n) if is_complex else np.arange(n // 2)
        self.adjoint_matrix = np.exp(-1j * np.outer(kept, q)) / np.sqrt(n)
        self.place = q.astype(int) % (2 * n)
        self.count = np.ones(len(q)) if is_complex else np.where(q > 0, 2.0, 1.0)
        self.rate = mask.mean()                             # the diagonal of T

    def adjoint(self, y):
        """y [lines][N] -> b [lines][modes]"""
        b = y[:, self.mask] @ self.adjoint_matrix
        if not self.is_complex:
            b[:, 0] = b[:, 0].real
        return b

    def normal(self, x):
        """T x"""
        if self.is_complex:
            cells = np.zeros((len(x), self.length), complex)
            cells[:, self.place] = x
            return sfft.fft(sfft.ifft(cells) * self.band)[:, self.place]
        out = sfft.rfft(sfft.irfft(x, n=self.length) * self.band)[:, : self.n // 2]
        out[:, 0] = out[:, 0].real
        return out

    def dot(self, a, b):
        """Re <a, b> over all modes, [lines][1]"""
        return (self.count * (a.real * b.real + a.imag * b.imag)).sum(-1, keepdims=True)

    def mean(self, a):
        return (self.count * a).sum(-1, keepdims=True) / self.count.sum()

    def rms(self, a):
        return np.sqrt(self.dot(a, a) / self.count.sum())

    def power_around(self, u):
        """mean of |u|^2 over 2 REACH + 1 depths; beyond the ends of real A-lines their mirror image"""
        p = u.real**2 + u.imag**2
        if self.is_complex:
            p = np.concatenate([p[:, -REACH:], p, p[:, :REACH]], 1)
        else:
            p = np.concatenate([p[:, REACH:0:-1], p, p[:, :-REACH - 1:-1]], 1)
        total = np.cumsum(np.pad(p, ((0, 0), (1, 0))), 1)
        return (total[:, 2 * REACH + 1:] - total[:, :-2 * REACH - 1]) / (2 * REACH + 1)


def step_length(op, s, ts, old, least):
    """Barzilai-Borwein, alpha = <s, T s> / |s|^2, not below `least`"""
    squares = op.dot(s, s)
    return np.maximum(np.where(squares > 0, op.dot(s, ts) / np.where(squares > 0, squares, 1), old), least)


def sparsa(op, b, threshold, steps):
    """octcs: min 1/2 |A x - y|^2 + threshold |x|_1 from x = 0, alpha = 1, alpha >= 0.1"""
    x, g, alpha = np.zeros_like(b), -b, np.ones((len(b), 1))
    for k in range(steps):
        s = octref.soft(x - g / alpha, threshold / alpha) - x
        x = x + s
        if k < steps - 1:
            ts = op.normal(s)
            g, alpha = g + ts, step_length(op, s, ts, alpha, 0.1)
    return x


def continued(op, b, threshold, steps, start=1.5):
    """The same minimum.  g = T x - b; the threshold of step k is the larger of `threshold` and
    start (1 - k / (steps - 2)) rms g; alpha from kept / N, and not below it"""
    x, g, alpha = np.zeros_like(b), -b, np.full((len(b), 1), op.rate)
    for k in range(steps):
        above = start * max(0.0, 1 - k / max(steps - 2, 1)) * op.rms(g)
        s = octref.soft(x - g / alpha, np.maximum(threshold, above) / alpha) - x
        x = x + s
        if k < steps - 1:
            ts = op.normal(s)
            g, alpha = g + ts, step_length(op, s, ts, alpha, op.rate)
    return x


def persistent(op, b, steps, tau=3.0, noise=0.0):
    """A-lines [lines][modes] and the noise found [lines][1] (of the modes of A^H noise, as sigma_A).

    x = 0, g = -b, alpha = kept / N, kappa = 0; each step
      nu    = max (rms g, noise)                      what is not yet explained, and noise
      u     = x - g / alpha
      w     = max (0, 1 - lambda (nu / alpha)^2 / mean of |u|^2 over the depths around)
      last step: lambda = tau^2 / 6, the result is w^(1/2) u (keeps the power of layers); else lambda = SHRINK,
      x'    = (w - kappa) u / (1 - kappa),  kappa' = min (mean of w, KAPPA_MAX)   (kappa of the step before)
      g    += T (x' - x),  alpha = max (<s, T s> / |s|^2, kept / N) with s = x' - x
    """
    x, g = np.zeros_like(b), -b
    alpha, kappa = np.full((len(b), 1), op.rate), np.zeros((len(b), 1))
    for k in range(steps):
        nu = np.maximum(op.rms(g), noise)
        u = x - g / alpha
        power, last = op.power_around(u), k == steps - 1
        cut = (tau**2 / 6 if last else SHRINK) * (nu / alpha)**2
        w = np.where(power > cut, 1 - cut / np.maximum(power, 1e-300), 0)
        if last:
            return np.sqrt(w) * u, nu
        s = (w - kappa) * u / (1 - kappa) - x
        kappa = np.minimum(op.mean(w), KAPPA_MAX)
        ts = op.normal(s)
        x, g, alpha = x + s, g + ts, step_length(op, s, ts, alpha, op.rate)


def estimate_old(op, b):
    """sigma_A that octcs finds: 32 A-lines, 20 steps, 1.5 medians of |g| over the deeper half"""
    n = min(len(b), 32)
    b = b[[(2 * i + 1) * len(b) // (2 * n) for i in range(n)]]
    deep = slice(op.n // 4, (op.n + 1) // 2)
    x, g, alpha = np.zeros_like(b), -b, np.ones((n, 1))
    for k in range(21):
        level = np.median(np.abs(g[:, deep]), -1, keepdims=True) / np.sqrt(np.log(2))
        s = octref.soft(x - g / alpha, 1.5 * level / alpha) - x
        ts = op.normal(s)
        if k < 20:
            x, g, alpha = x + s, g + ts, step_length(op, s, ts, alpha, 0.1)
    return float(np.median(level))


def objective(op, b, x, threshold):
    return 0.5 * op.dot(x, op.normal(x)) - op.dot(b, x) + threshold * (op.count * np.abs(x)).sum(-1, keepdims=True)


def decibel(a):
    return 20 * np.log10(np.maximum(a, 1e-9))


def octcs_mask(n, rate, density=None, seed=1):
    """variable-density as octcs has it (another random generator); without a density a Gaussian"""
    if density is None:
        density = np.exp(-4 * np.log(2) * ((np.arange(n) - (n - 1) / 2) / (0.5 * n))**2)
    return octref.mask_variable_density(density, rate, np.random.default_rng(seed))


# ------------------------------------------------------------------ mirrors
def mirrors():
    """30 % of 2048 samples, nine depths, 16 A-lines each, no window: tests/quality/cs-mirrors.py"""
    s = octref.Spectrometer(N=2048, lam_c=.845, fwhm=.105, dlam=.240 / 2048, wres=1.0, os=8, level=0.5, fwc=2.5e4,
                            read_e=30, seed=2)
    reference, z = s.reference(), octref.depth_axis(s.k)
    mask = octref.mask_variable_density(reference / reference.max(), .30, np.random.default_rng(5))
    bins = [int(round(d / z[1])) for d in (80, 250, 420, 590, 760, 850, 1020, 1190, 1360)]
    y = np.concatenate([s.detect(s.expected([z[q]], [0.3]), L=16) for q in bins]) - reference
    noise = np.sqrt(np.mean(reference / 4095 * s.fwc) + s.read_e**2) * 4095 / s.fwc
    op = Operator(octref.nodes(s.k), mask)
    b, sigma = op.adjoint(y), noise * np.sqrt(.30)
    whole = Operator(octref.nodes(s.k), np.ones(2048, bool)).adjoint(y)

    def measure(x):
        a = np.abs(x).reshape(9, 16, -1)
        peaks, floors, lobes = [], [], []
        for line, q in zip(a, bins):
            far = np.ones(a.shape[2], bool)
            far[:15] = far[max(q - 120, 0):q + 121] = False
            m = line.mean(0)
            peaks.append(m[q - 3:q + 4].max())
            floors.append(np.sqrt((line[:, far]**2).mean()))
            lobes.append(np.r_[m[max(q - 100, 15):q - 12], m[q + 13:q + 101]].max() / peaks[-1])
        return peaks[0], decibel(np.array(floors) / peaks[0]), decibel(np.array(lobes))

    threshold = 3 * sigma
    best = sparsa(op, b, threshold, 150)
    least, peak = objective(op, b, best, threshold), measure(best)[0]
    print("MIRRORS, 30 %.  floor: rms far from the peak, dB of the first peak, at 80 um / mean / worst of nine depths;"
          "\nlobe: worst; peak: of the first, dB of the l1 minimum; gap: objective above its minimum, relative")

    def row(name, steps, x, l1=True):
        first, floor, lobe = measure(x)
        gap = ((objective(op, b, x, threshold) - least) / np.abs(least)).mean() if l1 else np.nan
        print(f"  {name:28s} {steps:4} floor {floor[0]:7.1f} {floor.mean():7.1f} {floor.max():7.1f}"
              f"  lobe {lobe.max():7.1f}  peak {decibel(first / peak):6.2f}" + (f"  gap {gap:.0e}" if l1 else ""))

    row("all samples (NUDFT)", "", whole, False)
    for name, solve in (("sparsa tau 3, noise known", lambda k: sparsa(op, b, threshold, k)),
                        ("continued tau 3, noise known", lambda k: continued(op, b, threshold, k))):
        for k in STEPS:
            row(name, k, solve(k))
    row("l1 minimum (150 steps)", "", best)
    for tau, some in ((3, STEPS), (5, (6, 8, 10))):
        for k in some:
            row(f"persistent tau {tau}", k, persistent(op, b, k, tau)[0], False)

    print("weak mirror at 850 um: its level (mean amplitude over 48 A-lines, dB of the true one), by its true "
          "amplitude\nover the noise of all samples")
    q, rng = bins[5], np.random.default_rng(3)
    clean = Operator(octref.nodes(s.k), np.ones(2048, bool)).adjoint(s.detect(s.expected([z[q]], [0.3]), noise=False)
                                                                     - reference)
    spectrum = s.detect(s.expected([z[q]], [0.3]), noise=False) - reference
    for ratio in (3, 5, 8, 12, 20):
        scale = ratio * noise / np.abs(clean[0, q - 2:q + 3]).max()
        bb = op.adjoint(scale * spectrum + noise * rng.standard_normal((48, 2048)))
        level = [decibel(np.abs(x[:, q - 2:q + 3]).max(1).mean() / (ratio * noise)) for x in (
            sparsa(op, bb, 3 * sigma, 15), sparsa(op, bb, 2 * sigma, 15), persistent(op, bb, 6)[0])]
        print(f"  {ratio:3d}: sparsa 15 steps tau 3 {level[0]:6.1f}, tau 2 {level[1]:6.1f};"
              f" persistent 6 steps {level[2]:6.1f}")


# ------------------------------------------------------------------ phantom
def phantom():
    """40 % of 2048 samples, layered phantom, no window: tests/quality/cs-images.py; truth: noise-free, all samples"""
    rng = np.random.default_rng(8)
    s = octref.Spectrometer(N=2048, level=.6, fwc=2.5e4, read_e=30, os=4, seed=9)
    expected = s.expected(*octref.layer_phantom(48, rng))
    y, source = s.detect(expected), s.reference()
    y, clean = y - source, (expected * s.level * 4095)[:, s.perm] - source
    omega = octref.nodes(s.k)
    whole = Operator(omega, np.ones(2048, bool))
    truth, all_samples = np.abs(whole.adjoint(clean)), np.abs(whole.adjoint(y))
    variance = (source / 4095 * s.fwc + s.read_e**2) * (4095 / s.fwc)**2
    noise = np.sqrt(variance.mean())
    level = 10 * np.log10(uniform_filter(truth**2, (7, 9)) / noise**2)
    there = np.zeros(truth.shape, bool)
    there[:, 60:400] = True
    tissue, weak = there & (level > 0), there & (level > 5) & (level < 20)
    dark = np.zeros(truth.shape, bool)
    dark[8:40, 700:950] = True

    def shown(a):
        low = decibel(noise) - 3
        return np.clip(decibel(a), low, low + 60)

    def row(name, steps, x):
        a = np.abs(x)
        error = np.sqrt(((a - truth)[tissue]**2).sum() / (truth[tissue]**2).sum())
        weak_error = np.sqrt(((a - truth)[weak]**2).sum() / (truth[weak]**2).sum())
        weak_level = 10 * np.log10((a[weak]**2).sum() / (truth[weak]**2).sum())
        linear = 10 * np.log10(truth[:, 30:].max()**2 / ((a - truth)[:, 30:]**2).mean())
        log = decibel(60 / np.sqrt(((shown(a) - shown(truth))[:, 30:]**2).mean()))
        paper = 10 * np.log10(a[:, 8:].max()**2 / max(a[dark].var(), 1e-6))
        contrast = (a[weak].mean() - a[dark].mean()) / np.sqrt(a[weak].var() + a[dark].var())
        print(f"  {name:28s} {steps:3} PSNR {linear:5.1f} log {log:5.1f} paper {paper:6.1f}  error {error:.3f}"
              f"  weak {weak_error:.2f} {weak_level:6.1f} dB CNR {contrast:5.2f} zeros {(a[weak] == 0).mean():.2f}"
              f"  zeros {(a == 0).mean():.2f}", flush=True)

    for rate in (.40, .30, .20):
        mask = octref.mask_variable_density(source / source.max(), rate, rng)
        op = Operator(omega, mask)
        b, sigma = op.adjoint(y), np.sqrt(variance[mask].sum() / 2048)
        found, (_, nu) = estimate_old(op, b), persistent(op, b, 15)
        print(f"PHANTOM, {rate:.0%}.  PSNR against the noise-free image: of amplitudes, of the logarithm (60 dB), as "
              f"in the paper;\nerror: relative, of tissue; weak: layers 5 to 20 dB above the noise, error, power, CNR, "
              f"zeros.\nNoise found / true: octcs {found / sigma:.2f}, persistent {np.median(nu) / sigma:.2f}")
        row("all samples (NUDFT)", "", all_samples)
        if rate != .40:
            row("sparsa tau 2, noise known", 15, sparsa(op, b, 2 * sigma, 15))
            for k in (6, 10):
                row("persistent tau 3", k, persistent(op, b, k)[0])
            continue
        row("sparsa tau 3, noise found", 15, sparsa(op, b, 3 * found, 15))
        for tau in (3, 2):
            for k in STEPS:
                row(f"sparsa tau {tau}, noise known", k, sparsa(op, b, tau * sigma, k))
        for k in STEPS:
            row("continued tau 2, noise known", k, continued(op, b, 2 * sigma, k))
        row("l1 minimum tau 2 (100 steps)", "", sparsa(op, b, 2 * sigma, 100))
        for k in (4,) + STEPS:
            row("persistent tau 3", k, persistent(op, b, k)[0])
        for tau in (1, 2, 4, 6):
            row(f"persistent tau {tau}", 8, persistent(op, b, 8, tau)[0])


# ------------------------------------------------------------------ real data
def compare(title, op, b, sigma, whole, dark, regions, shown, steps=STEPS):
    """whole [lines][depths]: amplitudes of all samples; dark, regions: depths; shown: depths of the error"""
    floor = np.sqrt((whole[:, dark]**2).mean())
    found, (_, nu) = estimate_old(op, b), persistent(op, b, 15)
    print(f"{title}\nlevel of regions and of the dark depths in dB of those of all samples; correlation with all "
          f"samples, of amplitudes and\nof the logarithm above the noise; error where all samples exceed 10 times "
          f"their noise; zeros.\nNoise found / noise of the dark depths: octcs {found / sigma:.2f}, persistent "
          f"{np.median(nu) / sigma:.2f}")

    def row(name, k, x):
        a = np.abs(x)[:, : whole.shape[1]]
        parts = "".join(f" {n} {10 * np.log10((a[:, r]**2).mean() / (whole[:, r]**2).mean() + 1e-9):6.1f}"
                        for n, r in {**regions, "dark": dark}.items())
        p, q = a[:, shown], whole[:, shown]
        strong = whole > 10 * floor
        print(f"  {name:28s} {k:3}{parts}  corr {np.corrcoef(p.ravel(), q.ravel())[0, 1]:.3f} log "
              f"{np.corrcoef(decibel(np.maximum(p, floor)).ravel(), decibel(np.maximum(q, floor)).ravel())[0, 1]:.3f}"
              f"  error {np.linalg.norm((a - whole)[strong]) / np.linalg.norm(whole[strong]):.3f}"
              f"  zeros {(a == 0).mean():.2f}", flush=True)

    row("sparsa tau 3, noise found", 15, sparsa(op, b, 3 * found, 15))
    for tau in (3, 2):
        for k in steps:
            row(f"sparsa tau {tau}, dark noise", k, sparsa(op, b, tau * sigma, k))
    for k in (4,) + steps:
        row("persistent tau 3", k, persistent(op, b, k)[0])


def real(y, cal, rate, with_dispersion):
    """kept samples as octcs sees them (Hann), sorted: operator, b, window, amplitudes of all samples"""
    n = y.shape[1]
    order = np.argsort(cal.t)
    omega, w = 2 * np.pi * cal.t[order] / n, chain.window("hann", n, cal.t)[order]
    y = y[:, order] * w
    if with_dispersion:
        y = y * np.exp(1j * np.interp(cal.t[order], np.arange(n), cal.dispersion))
    mask = octcs_mask(n, rate)[order]
    op = Operator(omega, mask, with_dispersion)
    whole = np.abs(Operator(omega, np.ones(n, bool), with_dispersion).adjoint(y))[:, : n // 2]
    return op, op.adjoint(y), np.sqrt((w[mask]**2).sum() / (w**2).sum()), whole


def cscan():
    folder = os.path.join(HERE, "..", "data", "cscan")
    raw = np.fromfile(os.path.join(folder, "cscan_100x100x1024_u16.raw"), "<u2").reshape(100, 100, 1024)[50]
    cal = chain.Calibration.read(os.path.join(folder, "calibration.csv"))
    op, b, gain, whole = real(chain.subtract_dc(raw), cal, .4, True)
    dark = slice(420, 500)
    compare("C-SCAN, B-scan 50, 40 %, dispersion compensated (complex)", op, b,
            gain * np.sqrt((whole[:, dark]**2).mean()), whole, dark,
            {"30..90": slice(30, 90), "120..200": slice(120, 200), "200..300": slice(200, 300)}, slice(8, 400),
            (6, 10, 15))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--quick", action="store_true", help="mirrors and C-scan only")
    options = p.parse_args()
    start = time.time()
    mirrors()
    if not options.quick:
        phantom()
    cscan()
    print(f"{time.time() - start:.0f} s")


if __name__ == "__main__":
    main()
