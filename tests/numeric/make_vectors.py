#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the vectors of the numeric tests from the float64 reference.

    python3 make_vectors.py REFERENCE_FOLDER vectors

REFERENCE_FOLDER holds chain.py and octref.py.  Writes one .npy per array,
cases.ini, which says what operation takes what array to what result, and
gridding-errors.h, what gridding itself loses.  All
expected arrays are computed in float64 from the very input that is stored.
"""
import configparser
import os
import sys

import numpy as np
from scipy.signal import windows

reference, output = sys.argv[1:3]
sys.path.insert(0, reference)
import chain  # noqa: E402
import octref  # noqa: E402

os.makedirs(output, exist_ok=True)
for name in os.listdir(output):
    os.remove(os.path.join(output, name))
rng = np.random.default_rng(20)
cases = configparser.ConfigParser()
stored = {}

# ---------------------------------------------------------------- the store


def store(name, array):
    """the same array under two names is kept once"""
    array = np.ascontiguousarray(array)
    key = (array.dtype.str, array.shape, array.tobytes())
    if key not in stored:
        np.save(os.path.join(output, name + ".npy"), array)
        stored[key] = name + ".npy"
    return stored[key]


def case(name, operation, expected, **values):
    settings = {"operation": operation}
    for key, value in values.items():
        if isinstance(value, np.ndarray):
            value = store(f"{name}-{key}", value)
        settings[key] = str(value)
    settings["expected"] = store(f"{name}-expected", expected)
    cases[name] = settings


# ------------------------------------------------------------------ signals


def spectra(lines, samples, full=65535, level=0.45):
    """counts: a source with the fringes of a few mirrors and noise"""
    x = np.linspace(0, 1, samples)
    source = np.exp(-8 * (x - 0.5) ** 2)
    out = np.empty((lines, samples))
    for i in range(lines):
        fringe = sum(
            a * np.cos(2 * np.pi * z * samples * x + rng.uniform(0, 6.28) + 9 * (x - 0.5) ** 2)
            for z, a in ((0.05 + 0.002 * i, 0.2), (0.17, 0.1), (0.31, 0.02))
        )
        out[i] = full * level * source * (1 + fringe) + full * 1e-3 * rng.standard_normal(samples)
    return np.clip(np.rint(out), 0, full)


def positions(samples):
    """increasing, not uniform, both ends clamped"""
    x = np.linspace(0, 1, samples)
    return (samples - 1) * (x + 0.12 * x * (1 - x)) * 1.01 - 0.3


def dispersion(samples):
    x = np.linspace(-1, 1, samples)
    return 12 * x**2 - 3 * x**3


def window(kind, samples):
    if kind in ("none", "hann", "hamming", "blackman"):
        return chain.window(kind, samples)
    if kind == "tukey":
        shape = windows.tukey(samples, 0.5)
    else:
        shape = windows.gaussian(samples, 0.4 * (samples - 1) / 2)
    return shape / np.sqrt(np.mean(shape**2))


WINDOWS = ("hann", "none", "hamming", "blackman", "tukey", "gaussian")

# -------------------------------------------------------------- background
u16 = spectra(17, 101).astype(np.uint16)
u8 = spectra(17, 101, full=255).astype(np.uint8)
f32 = (spectra(17, 101) * 0.37).astype(np.float32)
for raw, kind in ((u8, "u8"), (u16, "u16"), (f32, "f32")):
    case(f"background-bscan-{kind}", "background", chain.subtract_dc(raw), mode="bscan", input=raw)
case("background-none", "background", u16.astype(float), mode="none", input=u16)
case("background-one-line", "background", np.zeros((1, 101)), mode="bscan", input=u16[:1])
stored_background = u16.mean(0) + rng.uniform(-3, 3, 101)
case("background-stored", "background", u16 - stored_background, mode="stored",
     background=stored_background, input=u16)
saturated = np.full((6, 33), 65535, np.uint16)
saturated[2, ::2] = 65534
case("background-saturated", "background", chain.subtract_dc(saturated), mode="bscan", input=saturated)
# several B-scans one after the other: the lines of all in one array
scans = np.concatenate([spectra(5, 51, level=0.3 + 0.1 * i) for i in range(4)]).astype(np.uint16)
expected, r = [], None
for scan in scans.reshape(4, 5, 51).astype(float):
    mean = scan.mean(0)
    r = mean if r is None else r + 0.25 * (mean - r)
    expected.append(scan - r)
case("background-running", "background", np.concatenate(expected), mode="running", weight=0.25,
     bscans=4, input=scans)

# ---------------------------------------------------------------- resample


def resampled(y, at, method, upsample):
    n = y.shape[1]
    at = np.clip(at, 0, n - 1)
    if upsample == 2:
        y = octref.shafer_upsample(y, 2)
        at = np.concatenate([2 * at, np.zeros(n)])  # chain wants as many as samples
    return chain.k_resample(y, chain.Calibration(at, None), method)[:, :n]


def resample_case(name, y, at, method="cubic", upsample=1, expected=None):
    y = y.astype(np.float32)
    if expected is None:
        expected = resampled(y.astype(float), at, method, upsample)
    case(name, "resample", expected, method=method, upsample=upsample, positions=at, input=y)


for samples, lines in ((255, 19), (128, 16)):
    y = chain.subtract_dc(spectra(lines, samples))
    for method in ("linear", "cubic", "lanczos"):
        resample_case(f"resample-{method}-{samples}", y, positions(samples), method)
        resample_case(f"resample-{method}-{samples}-upsample", y, positions(samples), method, 2)
y = chain.subtract_dc(spectra(3, 101))
resample_case("resample-descending", y, positions(101)[::-1].copy())
resample_case("resample-constant", np.full((2, 40), 65535.0), positions(40))
for samples in (2, 3):
    y = rng.standard_normal((1, samples))
    for method in ("linear", "cubic", "lanczos"):
        resample_case(f"resample-{method}-{samples}", y, np.linspace(0, samples - 1, samples) * 0.7 + 0.1, method)
# one sample stays what it is
for method in ("linear", "cubic", "lanczos"):
    resample_case(f"resample-{method}-1", np.array([[3.5]]), np.array([0.0]), method,
                  expected=np.array([[3.5]]))
# Shafer: 2 N points uniform in k; ours are every second of them
nm = np.linspace(0.8, 0.89, 120)
y = chain.subtract_dc(spectra(4, 120)).astype(np.float32)
fine, k = octref.shafer_resample(nm, y.astype(float), 2)
at = np.interp(2 * np.pi / k, nm, np.arange(120))
resample_case("resample-shafer", y, at[::2], "linear", 2, expected=fine[:, ::2])

# -------------------------------------------------------------- dispersion
y = chain.subtract_dc(spectra(5, 255)).astype(np.float32)
phase = dispersion(255)
case("dispersion-255", "dispersion", y.astype(float) * np.exp(1j * phase), phase=phase, input=y)
case("dispersion-1", "dispersion", y[:, :1].astype(float) * np.exp(1j * phase[:1]), phase=phase[:1],
     input=y[:, :1])

# --------------------------------------------------------------------- fft


def fft_case(name, y, kind="hann", length=0, start=0, bins=0):
    n = y.shape[1]
    y = y.astype(np.complex64 if np.iscomplexobj(y) else np.float32)
    w = window(kind, n)
    length = length or n
    bins = bins or length // 2 - start
    full = np.fft.fft(y.astype(complex) * w, length, axis=1) / np.sqrt(n)
    case(name, "fft", full[:, start:start + bins], window=w, kind=kind, length=length, start=start,
         bins=bins, input=y)


real = chain.subtract_dc(spectra(7, 128))
odd = chain.subtract_dc(spectra(7, 101))
for kind in WINDOWS:
    fft_case(f"fft-real-{kind}", odd[:2], kind)
fft_case("fft-real-128", real)
fft_case("fft-real-126", real[:, :126])
fft_case("fft-complex-128", real * np.exp(1j * dispersion(128)))
fft_case("fft-complex-101", odd * np.exp(1j * dispersion(101)))
fft_case("fft-real-padded", odd, length=256)
fft_case("fft-real-padded-odd", real, length=201)
fft_case("fft-complex-padded", odd * np.exp(1j * dispersion(101)), length=243)
fft_case("fft-real-crop", real, start=5, bins=31)
# a tone there, so that the last bin is not small against what is cropped
tone = np.exp(2j * np.pi * 49 * np.arange(101) / 101)
fft_case("fft-complex-crop", odd / 1e5 + tone, start=49, bins=1)
fft_case("fft-one-line", real[:1])
fft_case("fft-two-samples", np.array([[3.0, -1.0]]), "none")
fft_case("fft-constant", np.full((2, 64), 4095.0))

# ---------------------------------------------------------------- logscale


def levels(v, lo, hi, full):
    """as chain.image, for any depth of grey; not-a-number is 0"""
    if not hi > lo:
        return np.zeros(v.T.shape, np.uint16)
    return np.nan_to_num(np.clip(np.rint((v - lo) / (hi - lo) * full), 0, full)).astype(np.uint16).T


def contrast_range(power, v, scale):
    """range=contrast of docs/elements/octlogscale.md; None when nothing counts"""
    depth = power.shape[1]
    edges = [depth * b // 8 for b in range(9)]
    edges[0] = min(max(4, depth // 64), depth // 16)
    counts = np.isfinite(power) & (power > float(np.float32(1e-20)))
    bands = [v[:, p:q][counts[:, p:q]] for p, q in zip(edges, edges[1:])]
    if all(band.size == 0 for band in bands):
        return None
    black = min(band.mean() for band in bands if band.size > 0)
    counted = np.sort(power[:, edges[0]:][counts[:, edges[0]:]])[::-1]
    above = counted.size // 1000
    octave = 2.0 ** np.floor(np.log2(counted[above]))
    low = octave * np.floor(counted[above] / octave * 8) / 8
    high = low + octave / 8
    more, inside = np.sum(counted >= high), np.sum((counted >= low) & (counted < high))
    white = low + (high - low) * (1 - (above - more + 0.5) / inside)
    if scale == "log":
        return np.array([black, max(10 * np.log10(white), black + 15)])
    return np.array([black, max(white, black * 10 ** 1.5)])


def log_case(name, a, scale="log", mode="auto", lo=None, hi=None, format="gray8", smoothing=0.0, bscans=1):
    """a [bscans lines][depth]"""
    a = a.astype(np.complex64)
    full = 65535 if format == "gray16" else 255
    images, history = [], None
    for scan in a.astype(complex).reshape(bscans, -1, a.shape[1]):
        power = np.abs(scan) ** 2
        v = 10 * np.log10(np.maximum(power, 1e-20)) if scale == "log" else power
        if mode == "contrast":
            extent = contrast_range(power, v, scale)
        elif mode == "manual":
            extent = np.array([lo, hi])
        else:
            extent = np.array([v.min(), v.max()])
        if extent is None:
            images.append(levels(v, 0, 0, full))
            continue
        history = extent if history is None else smoothing * history + (1 - smoothing) * extent
        images.append(levels(v, history[0], history[1], full))
        if mode == "auto" and smoothing == 0 and full == 255 and extent[1] > extent[0]:
            assert np.array_equal(images[-1], chain.image(scan, scale))
    values = {"min": lo, "max": hi} if mode == "manual" else {}
    case(name, "logscale", np.concatenate(images).astype(np.uint16 if full > 255 else np.uint8),
         scale=scale, range=mode, format=format, smoothing=smoothing, bscans=bscans, input=a, **values)


def a_scans(lines, depth):
    decay = np.exp(-np.linspace(0, 9, depth))
    return 3e3 * decay * (rng.standard_normal((lines, depth)) + 1j * rng.standard_normal((lines, depth)))


plain = a_scans(70, 101)
for scale in ("log", "linear"):
    log_case(f"logscale-{scale}-auto", plain, scale)
    log_case(f"logscale-{scale}-contrast", plain, scale, "contrast")
log_case("logscale-log-manual", plain, "log", "manual", 10.5, 61.25)
log_case("logscale-linear-manual", plain, "linear", "manual", 100.0, 2e5)
for format in ("gray16", "nv12", "rgba"):
    log_case(f"logscale-{format}", plain, format=format)
log_case("logscale-gray16-linear", plain, "linear", format="gray16")
log_case("logscale-gray16-manual", plain, "log", "manual", -20.0, 80.0, format="gray16")
log_case("logscale-nv12-odd", plain[:5, :7], format="nv12")
log_case("logscale-exact-tiles", a_scans(64, 64))
log_case("logscale-one-line", plain[:1])
log_case("logscale-one-bin", plain[:, :1])
log_case("logscale-few-bins-contrast", plain[:, :3], mode="contrast")
log_case("logscale-zeros", np.zeros((9, 16)))
log_case("logscale-constant", np.full((9, 16), 12.5 - 3j))
some = plain.copy()
some[3:5, 7:9] = 0
log_case("logscale-some-zeros", some)
several = np.concatenate([s * a_scans(9, 40) for s in (1, 5, 0.2)])
log_case("logscale-smoothing", several, smoothing=0.7, bscans=3)
log_case("logscale-smoothing-linear", several, "linear", smoothing=0.7, bscans=3)
log_case("logscale-smoothing-contrast", several, mode="contrast", smoothing=0.5, bscans=3)

# range=contrast; numbers of their own, so that those of the other cases stay
other = np.random.default_rng(21)


def speckle(lines, depth, level=1.0):
    return level * (other.standard_normal((lines, depth)) + 1j * other.standard_normal((lines, depth)))


tissue = speckle(40, 128) * np.exp(-np.linspace(0, 5, 128))[None] * 1e3 + speckle(40, 128)
left = tissue.copy()  # of the source's spectrum
left[:, :4] = 1e7
mirror = speckle(40, 128)
mirror[:, 40:43] += np.array([3e3, 6e3, 3e3])
lost = tissue.copy()
lost[5:9, 20:90] = np.nan
lost[11, 7] = np.inf
lost[12, 8] = complex(np.nan, -1)
no_part = tissue[:, :64].copy()  # that counts
no_part[:, 4:] = np.nan
most_zero = np.zeros((40, 128), complex)
most_zero[:, 100:104] = tissue[:, 100:104]
sparse = np.where(np.abs(tissue) > 60, tissue, 0)  # as compressive sensing leaves it
edge = np.full((40, 32), 2.0 ** 0.5)  # power 2, the edge of an octave
for scale in ("log", "linear"):
    for name, a in (("tissue", tissue), ("left", left), ("mirror", mirror), ("lost", lost), ("noise", speckle(50, 80)),
                    ("no-part", no_part), ("most-zero", most_zero), ("sparse", sparse), ("zeros", np.zeros((9, 16))),
                    ("constant", np.full((9, 40), 12.5 - 3j)), ("edge", edge),
                    ("one-line", tissue[:1]), ("one-bin", tissue[:, :1]), ("one-value", tissue[:1, :1]),
                    ("fewer-than-bands", tissue[:, :7]), ("fifteen", tissue[:, :15]), ("sixteen", tissue[:, :16]),
                    ("narrow", np.sqrt(1 + 0.1 * other.random((30, 64)))),
                    ("all-nan", np.full((3, 20), np.nan)), ("tiny", speckle(30, 64, 1e-12)),
                    ("huge", tissue * 1e15)):
        log_case(f"logscale-{scale}-contrast-{name}", a, scale, "contrast")
log_case("logscale-gray16-contrast", tissue, mode="contrast", format="gray16")
log_case("logscale-nv12-contrast", tissue, mode="contrast", format="nv12")
log_case("logscale-rgba-contrast", tissue, mode="contrast", format="rgba")
log_case("logscale-long-contrast", speckle(2, 5000) + 30 * speckle(2, 1) * (np.arange(5000) % 97 < 2), mode="contrast")
log_case("logscale-smoothing-contrast-lost",
         np.concatenate([tissue[:20], np.full((20, 128), np.nan), 0.1 * tissue[20:40]]), mode="contrast",
         smoothing=0.5, bscans=3)

# ------------------------------------------------------------- whole chain


def chain_case(name, raw, method="cubic", kind="hann", with_dispersion=True):
    n = raw.shape[1]
    cal = chain.Calibration(positions(n), None, dispersion(n))
    y = chain.k_resample(chain.subtract_dc(raw), cal, method)
    if kind in ("tukey", "gaussian"):
        y = y * window(kind, n) / chain.window("none", n)
        a = chain.a_scans_fft(y, cal, "none", with_dispersion)
    else:
        a = chain.a_scans_fft(y, cal, kind, with_dispersion)
    power = np.abs(a) ** 2
    image = chain.image(a) if power.max() > power.min() else np.zeros(power.T.shape, np.uint8)
    values = {"phase": cal.dispersion} if with_dispersion else {}
    case(name, "chain", a, method=method, window=window(kind, n), positions=cal.s,
         image=image, input=raw, **values)


raw = spectra(21, 255).astype(np.uint16)
for method in ("linear", "cubic", "lanczos"):
    chain_case(f"chain-{method}", raw, method)
    chain_case(f"chain-{method}-real", raw, method, with_dispersion=False)
for kind in WINDOWS[1:]:
    chain_case(f"chain-{kind}", raw[:6, :128], kind=kind)
chain_case("chain-even", spectra(20, 256).astype(np.uint16))
chain_case("chain-u8", spectra(12, 128, full=255).astype(np.uint8))
chain_case("chain-f32", (spectra(12, 128) * 0.31).astype(np.float32))
chain_case("chain-saturated-16-bit", spectra(12, 128, level=0.95).astype(np.uint16))
chain_case("chain-saturated-12-bit", spectra(12, 128, full=4095, level=0.95).astype(np.uint16))
chain_case("chain-constant", np.full((4, 64), 65535, np.uint16))
chain_case("chain-one-line", raw[:1, :64])

# -------------------------------------------------- non-uniform transforms


def nodes(samples, low=-0.3, high=None, jitter=0.8):
    """positions on the uniform axis, rising, at irregular distances"""
    steps = np.cumsum(rng.uniform(1 - jitter, 1 + jitter, samples))
    steps = (steps - steps[0]) / (steps[-1] - steps[0])
    return low + steps * ((samples - 0.6 if high is None else high) - low)


def grid_length(least):
    """even, without a prime factor above 7"""
    length = int(np.ceil(least - 1e-9))
    length += length % 2
    while True:
        rest = length
        for prime in (2, 3, 5, 7):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return length
        length += 2


def non_uniform_case(name, t, real=True, adjoint=False, kernel=None, grid=0, width=4, start=0, bins=0,
                     lines=5, on_the_fly=False, kind="hann"):
    """kernel None: the exact transform"""
    n = len(t)
    order = np.argsort(t)
    w = window(kind, n)[np.clip(np.rint(t), 0, n - 1).astype(int)]
    bins = bins or n // 2 - start
    grid = grid or 2 * n
    omega = 2 * np.pi * t[order] / n
    shift, index = np.ones(n), np.arange(start, start + bins) % n
    if kernel and not real and not np.allclose(t, np.rint(t)):
        # the grid resolves the modes wanted, shifted around 0
        middle = start + bins // 2
        modes = bins
        cells = grid if modes == n else grid_length(max(modes * grid / n, n))
        parameter = {"beta": octref.beatty_beta(cells / modes, width),
                     "theta": octref.gauss_theta_grid(cells / modes, width)}
        op = octref.NUFFT(t[order], cells / n, width, kernel, omega=omega, **parameter)
        shift = np.exp(-1j * omega * middle)
        index = (index - middle) % n
    elif kernel:
        op = octref.NUFFT(t[order], grid / n, width, kernel, omega=omega)
    else:
        op = octref.NUDFT(t[order], omega=omega)
    if adjoint:
        x = (rng.standard_normal((lines, bins)) + 1j * rng.standard_normal((lines, bins))).astype(np.complex64)
        y = np.empty((lines, n), complex)
        if kernel:
            # as op.t2, which does not know a grid with fewer cells than samples
            modes = np.zeros((lines, op.Mr), complex)
            modes[:, op.idx[index]] = x / op.gh[index]
            y[:, order] = (op.S @ (np.fft.ifft(modes, axis=1) * op.Mr).T).T / np.sqrt(n) * shift.conj()
        else:
            full = np.zeros((lines, n), complex)
            full[:, index] = x
            y[:, order] = op.t2(full)
        y *= w
        expected, given = y.real if real else y, x
    else:
        y = rng.standard_normal((lines, n))
        if not real:
            y = y + 1j * rng.standard_normal((lines, n))
        y = y.astype(np.float32 if real else np.complex64)
        expected, given = op.t1((y.astype(complex) * w)[:, order] * shift)[:, index], y
    values = {"kernel": kernel, "grid": grid, "width": width} if kernel else {}
    if on_the_fly:
        values["weights"] = "on-the-fly"
    case(name, ("nufft" if kernel else "nudft") + ("-adjoint" if adjoint else ""), expected, nodes=t,
         window=w, real=int(real), start=start, bins=bins, input=given, **values)


for direction in (False, True):
    label = "adjoint-" if direction else ""
    for real in (True, False):
        value = "real" if real else "complex"
        for samples in (101, 128):
            t = nodes(samples)
            non_uniform_case(f"nudft-{label}{value}-{samples}", t, real, direction)
            for kernel in ("kb", "gauss"):
                non_uniform_case(f"nufft-{label}{value}-{kernel}-{samples}", t, real, direction, kernel)
                non_uniform_case(f"nufft-{label}{value}-{kernel}-{samples}-on-the-fly", t, real, direction,
                                 kernel, 160, 6, on_the_fly=True)
        t = nodes(96)
        for kernel in (None, "kb"):
            name = f"{'nufft' if kernel else 'nudft'}-{label}{value}"
            non_uniform_case(f"{name}-falling", t[::-1].copy(), real, direction, kernel, 120, 6)
            non_uniform_case(f"{name}-crop", t, real, direction, kernel, 120, 5, start=7, bins=13)
            # k_index that covers a part of the spectrometer
            non_uniform_case(f"{name}-periods", nodes(96, -80.2, 170.7), real, direction, kernel, 144, 5)
            non_uniform_case(f"{name}-behind", nodes(96, 100.1, 150), real, direction, kernel, 144, 5)
            non_uniform_case(f"{name}-edges", np.linspace(-0.5, 95.5, 96), real, direction, kernel, 120, 7)
            non_uniform_case(f"{name}-gap", np.r_[nodes(48, 0, 20), nodes(48, 80, 95)], real, direction, kernel,
                             126, 3)
            for samples in (2, 3, 5):
                non_uniform_case(f"{name}-{samples}", nodes(samples, 0.1, samples - 1.2), real, direction,
                                 kernel, 2 * samples, 4, kind="none")
    non_uniform_case(f"nufft-{label}all-modes", nodes(90), False, direction, "kb", 120, 6, start=-45, bins=90)
    non_uniform_case(f"nudft-{label}all-modes", nodes(91), False, direction, start=-45, bins=91)
    non_uniform_case(f"nufft-{label}negative", nodes(90), False, direction, "kb", 120, 6, start=-40, bins=7)

# what gridding itself loses: relative l2 error of the displayed half, white data
k = np.sort(2 * np.pi / np.linspace(725, 965, 2048))
white = rng.standard_normal((16, 2048))
exact = octref.NUDFT(k).t1(white)[:, :1024]
rows = []
for name, kernel in (("KAISER_BESSEL", "kb"), ("GAUSSIAN", "gauss")):
    for oversampling in (1.25, 1.5, 2):
        for width in range(2, 9):
            gridded = octref.NUFFT(k, oversampling, width, kernel).t1(white)[:, :1024]
            error = np.linalg.norm(gridded - exact) / np.linalg.norm(exact)
            rows.append(f"  {{ OCT_KERNEL_{name}, {oversampling:g}, {width}, {error:.4g} }},\n")
with open(os.path.join(output, "gridding-errors.h"), "w") as f:
    f.write("""/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Written by make_vectors.py; do not edit.  Relative l2 error of gridding: real
 * white spectra of 2048 samples, 725 to 965 nm, 1024 depth bins. */
#pragma once

#include "oct-backend.h"

static const struct {
  OctKernel kernel;
  double oversampling;
  guint width;
  double error;
} gridding_errors[] = {
""")
    f.writelines(rows)
    f.write("};\n")

# ------------------------------------------------------ compressive sensing


def sensing_case(name, t, mask, transform="nufft", kernel="kb", grid=0, width=6, real=True, iterations=15,
                 tau=3.0, kind="none", start=0, bins=0, lines=3, compact=False, nearest=None, y=None):
    """t: positions on the uniform axis of all samples; nearest: the sample that each position takes"""
    n = len(t)
    grid = grid or 2 * ((5 * n + 7) // 8)
    bins = bins or n // 2 - start
    w = window(kind, n)[np.clip(np.rint(t), 0, n - 1).astype(int)]
    if y is None:
        depth = np.zeros((lines, n), complex)
        for line in range(lines):
            depth[line, rng.choice(np.arange(1, n // 2), 4, replace=False)] = rng.uniform(20, 400, 4)
        y = (octref.NUDFT(t, omega=2 * np.pi * t / n).t2(depth)).real + 3 * rng.standard_normal((lines, n))
    if not real:
        y = y * np.exp(1j * dispersion(n))
    y = y.astype(np.float32 if real else np.complex64)
    whole = (y if nearest is None else y[:, nearest]).astype(complex) * w
    omega = 2 * np.pi * t / n
    uniform = np.array_equal(t, np.rint(t))
    if transform == "fft" or uniform:  # the gridding of uniform samples is none
        op = octref.UDFT(n)
        order = np.argsort(t)
        whole, keep = whole[:, order], mask[order]
    elif transform == "nudft":
        op, keep = octref.NUDFT(t, omega=omega), mask
        if real and n % 2 == 0:
            op.E[:, n // 2] = 0  # the mode without a partner is left out
    else:
        op, keep = octref.NUFFT(t, grid / n, width, kernel, omega=omega), mask
        if real and n % 2 == 0:
            op.gh[n // 2] = np.inf
    gain = np.sqrt((w[mask] ** 2).sum() / n)
    x = octref.sparsa(op, keep, whole, tau * 3.0 * gain, iterations, rule="eq14", amin=0.1)
    column = np.flatnonzero(mask) if nearest is None else nearest[mask]
    given = y
    if compact:
        given = y[:, mask]
        column = np.arange(mask.sum())
    case(name, "cs", x[:, start:start + bins], transform=transform, kernel=kernel, grid=grid, width=width,
         samples=n, column=column.astype(np.uint16), nodes=t[mask], window=w[mask], iterations=iterations,
         tau=tau, noise=3.0, start=start, bins=bins, input=given)


def part(n, rate=0.4):
    kept = np.zeros(n, bool)
    kept[rng.choice(n, int(round(rate * n)), replace=False)] = True
    return kept


for samples in (101, 128):
    t, kept = nodes(samples, 0.1, samples - 1.3, jitter=0.3), part(samples)
    for real in (True, False):
        value = "real" if real else "complex"
        for iterations in (1, 15):
            label = f"{value}-{samples}-{iterations}"
            for kernel in ("kb", "gauss"):
                sensing_case(f"cs-nufft-{kernel}-{label}", t, kept, "nufft", kernel, real=real, iterations=iterations)
            sensing_case(f"cs-nudft-{label}", t, kept, "nudft", real=real, iterations=iterations)
            sensing_case(f"cs-fft-{label}", np.arange(samples) * 1.0, kept, "fft", real=real, iterations=iterations)
t, kept = nodes(96, jitter=0.3), part(96)
for transform in ("nufft", "nudft", "fft"):
    at = np.arange(96) * 1.0 if transform == "fft" else t
    for real in (True, False):
        label = f"{transform}-{'real' if real else 'complex'}"
        sensing_case(f"cs-{label}-falling", at[::-1].copy(), kept, transform, real=real)
        sensing_case(f"cs-{label}-hann", at, kept, transform, real=real, kind="hann")
        sensing_case(f"cs-{label}-crop", at, kept, transform, real=real, start=7, bins=13)
        sensing_case(f"cs-{label}-compact", at, kept, transform, real=real, compact=True)
        sensing_case(f"cs-{label}-all-kept", at, np.ones(96, bool), transform, real=real)
        sensing_case(f"cs-{label}-no-threshold", at, kept, transform, real=real, tau=0.0, iterations=5)
        one = np.zeros(96, bool)
        one[40] = True
        sensing_case(f"cs-{label}-one-kept", at, one, transform, real=real, tau=0.1)
        sensing_case(f"cs-{label}-one-line", at, kept, transform, real=real, lines=1)
        sensing_case(f"cs-{label}-zeros", at, kept, transform, real=real, y=np.zeros((2, 96)))
        sensing_case(f"cs-{label}-saturated", at, kept, transform, real=real, y=np.full((2, 96), 65535.0),
                     iterations=3)
        # every uniform one takes its nearest sample, some of them two
        if transform == "fft":
            sensing_case(f"cs-{label}-nearest", at, kept, transform, real=real,
                         nearest=np.clip(np.rint(at + 3 * np.sin(at / 15)), 0, 95).astype(int))
sensing_case("cs-nufft-uniform", np.arange(96) * 1.0, kept, "nufft")
sensing_case("cs-nudft-uniform", np.arange(96) * 1.0, kept, "nudft")
# the paper's: 2048 samples, 725 to 965 nm
k = np.sort(2 * np.pi / np.linspace(725, 965, 2048))
t = octref.nodes(k) * 2048 / (2 * np.pi)
for transform, grid, width in (("nufft", 2560, 6), ("nufft", 4096, 3), ("nudft", 2560, 6)):
    sensing_case(f"cs-{transform}-2048-{width}", t, part(2048), transform, grid=grid, width=width, lines=2, bins=600)

with open(os.path.join(output, "cases.ini"), "w") as f:
    f.write("# made by make_vectors.py\n")
    cases.write(f)
total = sum(os.path.getsize(os.path.join(output, name)) for name in os.listdir(output))
print(f"{len(cases.sections())} cases, {len(stored)} arrays, {total / 1e6:.2f} MB")
