# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumetric compressive sensing (Xu 2014, Opt. Express 22): the three steps of the paper and what does better.

    python3 exp_xu3d.py [mirror] [skin] [volume] [cscan]      none = all; under three minutes on one core

Deterministic, float64.  All masks by SplitMix64 (octref.mask_*), seeds below.  e = ||f - ref|| / ||ref|| of magnitudes."""
import sys
import time

import numpy as np
import scipy.fft as sfft
import octref as o

BASES = ("wavelet-plain", "wavelet", "fourier", "cosine")


def spot(f, width, axis):
    """periodic convolution with a Gaussian of the FWHM width along axis"""
    k = np.fft.fftfreq(f.shape[axis])
    shape = [1] * f.ndim
    shape[axis] = -1
    h = np.exp(-2 * (np.pi * k * width / 2.3548) ** 2).reshape(shape)
    return sfft.ifft(sfft.fft(f, axis=axis) * h, axis=axis)


def tissue(nx, ny, N, seed, top=60.0, glint=1000.0, width=(3.0, 12.0)):
    """layered tissue, fully developed speckle seen through a Gaussian spot of FWHM width (B-scans, A-lines), a specular
    glint above it; -> A-scans without noise (ny, nx, N/2), real spectra with white noise of 1 (ny, nx, N), reflectivity"""
    rng = np.random.default_rng(seed)
    D = N // 2
    fy, fx = width
    X, Y = np.meshgrid(np.arange(nx, dtype=float), np.arange(ny, dtype=float))
    surface = 0.14 * D + 0.10 * X + 0.0006 * (X - nx / 2) ** 2 + 0.25 * Y + 2 * np.sin(2 * np.pi * (X / 70 + Y / 40))
    z = np.arange(D)
    d = z - surface[:, :, None]
    edge = lambda t: 0.5 * (1 + np.tanh(t / 0.7))
    b1 = (0.08 * D + 0.02 * D * np.sin(2 * np.pi * X / 90))[:, :, None]
    b2 = (0.20 * D + 0.03 * D * np.cos(2 * np.pi * (X / 120 + Y / 50)))[:, :, None]
    b3 = 0.36 * D
    amp = 3 * edge(d) * edge(3 - d) + edge(d - 3) * edge(b1 - d) + 0.25 * edge(d - b1) * edge(b2 - d)
    amp = top * (amp + 0.7 * edge(d - b2) * edge(b3 - d) + 0.35 * edge(d - b3)) * np.exp(-np.maximum(d, 0) * 5 / D)
    for cx, cz, r in ((0.3, 0.45, 0.06), (0.72, 0.40, 0.045)):                # two dark vessels
        rr = ((X / nx - cx) * nx / D * 1.3)[:, :, None] ** 2 + (z / D - cz - 0.03 * np.sin(2 * np.pi * Y / 60)[:, :, None]) ** 2
        amp *= 1 - 0.95 * edge((r * r - rr) * D * D / 12)
    oy, ox = int(1.5 * fy), int(1.5 * fx)
    field = np.pad(amp, ((oy, oy), (ox, ox), (0, 0)), mode="edge")
    shape = field.shape
    field = field * (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)) / np.sqrt(2)
    t = np.arange(-200, 201)
    norm = 1.0
    for w in (fx, fy):
        g = np.exp(-4 * np.log(2) * (t / w) ** 2)
        norm *= np.sqrt((g ** 2).sum()) / g.sum()
    field = spot(spot(field, fx, 1), fy, 0)[oy:oy + ny, ox:ox + nx] / norm
    n = np.arange(N)
    S = np.exp(-4 * np.log(2) * ((n - N / 2) / N * 240 / 105) ** 2)           # 105 nm of 240 nm
    S /= np.sqrt((S ** 2).mean())
    zg = 0.14 * D - 12
    bright = glint * np.exp(-((X - (nx - 1) / 2) / nx / 0.12) ** 2 - ((Y - (ny - 1) / 2) / ny / 0.15) ** 2)
    y = o.half_forward(field, N) * S + bright[:, :, None] * 2 / np.sqrt(N) * np.cos(2 * np.pi * n * zg / N) * S
    return o.half_adjoint(y), y + rng.standard_normal(y.shape), amp


def mirror():
    N, L, rows = 1024, 400, slice(112, 136)
    sp = o.Spectrometer(N=N, lam_c=.845, fwhm=.105, dlam=.240 / N, wres=1.0, os=4, level=.5, fwc=2.5e4, read_e=30, seed=4)
    x = np.linspace(-1, 1, L)
    z = 180 + 1.5 * x + 0.6 * x ** 2                                          # um: tilt and curvature
    lin = o.resample(sp.k, sp.detect(sp.expected(z[:, None], (.3 * (1 - .15 * x ** 2))[:, None])) - sp.reference(), "cubic")
    ref = np.abs(o.half_adjoint(lin)).T[rows]

    def axial(ra, lines):
        return np.abs(o.step_axial(lin[lines], o.mask_uniform(N, ra, 7), tol=2e-3)).T[rows]

    def run(ra, rl, a=None):
        ml = o.mask_max_gap(L, rl, o.gap_for(rl), 11) if rl < 1 else np.ones(L, bool)
        a = axial(ra, ml) if a is None else a[:, ml]
        out, worst = [], 0
        for b in BASES:
            f, d = o.step_lateral(a, ml, b, tol=1e-4, maxit=300, info=True)
            out.append(f)
            worst = max(worst, d["gap"].max())
        i = np.flatnonzero(ml)
        out.append(np.stack([np.interp(np.arange(L), i, r) for r in a]))
        return ml, out, o.rel_err(a, ref[:, ml]), worst

    print("mirror, 5 % overall: axial, lateral rate; e of step 1; e of the B-scan: " + ", ".join(BASES) + ", linear; gap")
    for ra in (.05, .10, .14, .20, .25, .33, .5, 1.0):
        ml, out, ea, worst = run(ra, .05 / ra)
        print("  %.2f %.3f  %.3f  " % (ra, .05 / ra, ea) + " ".join("%.3f" % o.rel_err(f, ref) for f in out) + "  %.0e" % worst, flush=True)
    print("mirror, axial 20 %: lateral rate; e of step 1; e of the missing A-lines, as above")
    a = axial(.2, slice(None))
    for rl in (.1, .2, .25, .35, .5, .9):
        ml, out, ea, worst = run(.2, rl, a)
        print("  %.2f  %.3f  " % (rl, ea) + " ".join("%.3f" % o.rel_err(f[:, ~ml], ref[:, ~ml]) for f in out), flush=True)


def skin():
    N, L = 1024, 128
    t, y, amp = tissue(L, 1, N, 3, top=3.0, glint=4000.0)
    y = y[0]
    full = np.abs(o.half_adjoint(y))
    bg = slice(int(.88 * N / 2), int(.98 * N / 2))
    psnr = lambda f: 10 * np.log10(f.max() ** 2 / f[:, bg].var())
    print("skin B-scan, PSNR of eq. 3 (in brackets: against all data; paper 72.60, -2.68, +2.89 wavelet, +2.97 Fourier)")
    print("  all data %.2f" % psnr(full))
    show = lambda name, f: print("  %-34s %.2f (%+.2f)" % (name, psnr(f), psnr(f) - psnr(full)), flush=True)
    for delta in (0.0, 1.0):
        name = "bound at the noise" if delta else "basis pursuit"
        for rate in (.25, .5):
            a = np.abs(o.step_axial(y, o.mask_uniform(N, rate, 1), delta * np.sqrt(rate * N)))
            show("%s, axial %.0f %%" % (name, 100 * rate), a)
        m = o.mask_max_gap(L, .5, 4, 5)
        for b in ("wavelet-plain", "wavelet", "fourier", "cosine"):
            if delta == 0:
                show("  and 50 %% of the A-lines, %s" % b, np.abs(o.step_lateral(a[m].T, m, b)).T)


def masks16(N, rate, y, x):
    """16 spectral masks; line x of B-scan y has number (x + 7 y) mod 16"""
    return np.array([o.mask_uniform(N, rate, 100 + i) for i in range(16)])[(x + 7 * y) % 16]


def rivals(y, full, score, rates, sigma, width, depth):
    """prints score(volume) of the paper's three steps and of the others; y (ny, nx, N); full, score: on depth bins `depth`"""
    ny, nx, N = y.shape
    ra, rl = rates
    mx, my = o.mask_max_gap(nx, rl, o.gap_for(rl), 11), o.mask_max_gap(ny, rl, o.gap_for(rl), 12)
    kept = y[my][:, mx]
    t0 = time.time()

    def show(name, v, data):
        nonlocal t0
        print("  %-46s %4.1f %%  %s  %3.0f s" % (name, 100 * data, score(v, my[:, None] & mx), time.time() - t0), flush=True)
        t0 = time.time()
    a = np.abs(o.step_axial(kept.reshape(-1, N), o.mask_uniform(N, ra, 7))[:, depth]).reshape(kept.shape[:2] + (-1,))
    data = ra * mx.mean() * my.mean()
    print("  step 1: e %.3f on the acquired lines" % o.rel_err(a, np.abs(full[my][:, mx])))
    for b in BASES:
        show("three steps, " + b, np.abs(o.three_steps(a, my, mx, b, tol=5e-3, maxit=150)), data)
    show("step 1, then bilinear", o.bilinear(a, my, mx), data)
    if width:
        least = int(np.ceil(1 / rl)) - (rl > .5)                              # the smallest gap that leaves a choice
        tight = o.mask_max_gap(ny, rl, least, 12)[:, None] & o.mask_max_gap(nx, rl, least, 11)
        lots = o.mask_max_gap(nx * ny, rl * rl, int(np.ceil(1 / rl ** 2)), 5).reshape(ny, nx)
        for name, acq in (("joint, the same lines", my[:, None] & mx), ("joint, gaps of at most %d" % least, tight),
                          ("joint, lines by lot in the plane", lots)):
            h = []
            at = np.nonzero(acq)
            v = np.abs(o.joint_scans(y[acq], masks16(N, ra, *at), acq, sigma, width, history=h)[..., depth])
            show(name + " (KKT %.2g)" % h[-1][1], v, ra * acq.mean())
        b = np.stack([np.abs(o.joint_scans(y[j][mx], masks16(N, ra, j, np.flatnonzero(mx)), mx[None], sigma, (0, width[1]))[0, :, depth])
                      for j in np.flatnonzero(my)])
        show("joint in every B-scan, then linear", o.bilinear(b, my, np.ones(nx, bool)), data)
    data = ra * rl * rl
    v = o.envelope_scans(y, masks16(N, data, np.arange(ny)[:, None], np.arange(nx)), sigma)
    show("envelope, all lines, axial only", np.abs(v[..., depth]), data)


def volume():
    nx, ny, N, depth = 64, 48, 512, slice(36, 164)
    truth, y, amp = tissue(nx, ny, N, 1)
    full = o.half_adjoint(y)[..., depth]
    T, where = np.abs(truth[..., depth]), amp[..., depth] > 1
    air = amp[..., depth] < 0.02
    db = lambda v: 20 * np.log10(np.maximum(v, 1.0))

    def score(v, acquired):
        cnr = (v[where].mean() - v[air].mean()) / np.sqrt(v[where].var() + v[air].var())
        return "e %.3f, to the truth %.3f, dB %5.2f, PSNR %.1f, CNR %.2f" % (
            o.rel_err(v, np.abs(full)), o.rel_err(v[where], T[where]), np.sqrt(((db(v) - db(T))[where] ** 2).mean()),
            10 * np.log10(T.max() ** 2 / v[air].var()), cnr)
    print("tissue volume 48 x 64 x 512, spot 3 B-scans x 12 A-lines: e against all data, e and rms dB against the truth")
    print("  all data: " + score(np.abs(full), None))
    for rates in ((.5, .6), (.4, .5)):
        rivals(y, full, score, rates, 1.0, (3, 12), depth)


def cscan():
    import chain
    raw = np.fromfile("../data/cscan/cscan_100x100x1024_u16.raw", "<u2").reshape(100, 100, 1024)[20:68, :, :]
    cal = chain.Calibration.read("../data/cscan/calibration.csv")
    w = chain.window("hann", 1024)
    y = np.stack([chain.k_resample(chain.subtract_dc(b), cal, "cubic") for b in raw])[:, 20:84] * w
    full = o.half_adjoint(y)
    full[..., :8] = 0                                                         # what is left of the background
    y = o.half_forward(full, 1024)
    sigma = np.sqrt((np.abs(full[..., 400:500]) ** 2).mean())
    depth = slice(20, 148)
    F = np.abs(full[..., depth])

    def score(v, acquired):
        return "e %.3f, of missing lines %.3f" % (o.rel_err(v, F), o.rel_err(v[~acquired], F[~acquired]))
    c = lambda u, v: abs(np.vdot(u, v)) / np.linalg.norm(u) / np.linalg.norm(v)
    g = full[..., 30:100]
    print("real C-scan, 48 x 64 lines; noise %.2f; coherence of neighbours: A-lines %.2f, B-scans %.2f" % (
        sigma, c(g[:, 1:], g[:, :-1]), c(g[1:], g[:-1])))
    for rates in ((.5, .6), (.4, .5)):
        rivals(y, full[..., depth], score, rates, sigma, None, depth)


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    began = time.time()
    for part in sys.argv[1:] or ("mirror", "skin", "volume", "cscan"):
        globals()[part]()
    print("%.0f s" % (time.time() - began))
