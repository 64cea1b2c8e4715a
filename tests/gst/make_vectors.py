#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the vectors of the element tests from the float64 reference.

    python3 make_vectors.py REFERENCE_FOLDER vectors [CSCAN_FOLDER]

REFERENCE_FOLDER holds chain.py and octref.py, CSCAN_FOLDER the real C-scan;
without it the vectors of the real C-scan stay as they are.

Writes calibrations as CSV, arrays as .npy and cases.ini.  A case says which
elements (a launch line, '@' is the folder of the vectors) turn which input
into which result:

    launch    elements between input and result
    input     u1, u2: raw spectra; f4: spectra; c8: A-scans
    axis      of f4 spectra, wavelength when not given
    bscans    B-scans in the input, one after the other along the lines
    expected  of the same shape as what comes out

Everything is computed in float64 from the very input that is stored; complex
results are stored as complex64, whose rounding (6e-8) is far below what the
tests allow.
"""
import configparser
import os
import sys

import numpy as np
from scipy.signal import windows

reference, output = sys.argv[1:3]
cscan = sys.argv[3] if len(sys.argv) > 3 else None
sys.path.insert(0, reference)
import chain  # noqa: E402
import octref  # noqa: E402

os.makedirs(output, exist_ok=True)
for name in os.listdir(output):
    if not name.startswith("cscan"):
        os.remove(os.path.join(output, name))
rng = np.random.default_rng(7)
cases = configparser.ConfigParser(interpolation=None)
stored = {}

# ---------------------------------------------------------------- the store


def store(name, array):
    """the same array under two names is kept once"""
    array = np.ascontiguousarray(array)
    if array.dtype == np.float64:
        array = array.astype(np.float32)
    if array.dtype == np.complex128:
        array = array.astype(np.complex64)
    key = (array.dtype.str, array.shape, array.tobytes())
    if key not in stored:
        np.save(os.path.join(output, name + ".npy"), array)
        stored[key] = name + ".npy"
    return stored[key]


def case(name, launch, given, expected, **settings):
    values = {"launch": launch, "input": store(name + "-input", given)}
    values.update({key: str(value) for key, value in settings.items()})
    values["expected"] = store(name + "-expected", expected)
    cases[name] = values


def write_csv(name, **columns):
    """repr: read back to the last bit"""
    with open(os.path.join(output, name), "w") as f:
        f.write(",".join(columns) + "\n")
        for row in zip(*columns.values()):
            f.write(",".join(repr(float(v)) for v in row) + "\n")


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


def k_index(samples):
    """increasing, not uniform, both ends clamped"""
    x = np.linspace(0, 1, samples)
    return (samples - 1) * (x + 0.12 * x * (1 - x)) * 1.01 - 0.3


def dispersion(samples):
    x = np.linspace(-1, 1, samples)
    return 12 * x**2 - 3 * x**3


def background(samples):
    return 20000 * np.exp(-8 * (np.linspace(0, 1, samples) - 0.5) ** 2)


def window(kind, samples):
    if kind in ("none", "hann", "hamming", "blackman"):
        return chain.window(kind, samples)
    if kind == "tukey":
        shape = windows.tukey(samples, 0.5)
    else:
        shape = windows.gaussian(samples, 0.4 * (samples - 1) / 2)
    return shape / np.sqrt(np.mean(shape**2))


WINDOWS = ("hann", "none", "hamming", "blackman", "tukey", "gaussian")
ODD, EVEN = 101, 128
CALIBRATION = "calibration=@/k-index-%d.csv"
calibrations = {}
for n in (ODD, EVEN, 64, 33):
    calibrations[n] = chain.Calibration.from_k_index(k_index(n), dispersion(n))
    write_csv(f"k-index-{n}.csv", k_index=k_index(n), dispersion_rad=dispersion(n), background=background(n))
# a camera's wavelengths, in nm, as wavelength-min=800 wavelength-max=880 give
NM = np.linspace(800.0, 880.0, ODD)
write_csv("wavelength-101.csv", wavelength_nm=NM)
u16 = spectra(11, ODD).astype(np.uint16)
u8 = spectra(11, ODD, full=255).astype(np.uint8)
f32 = (spectra(11, ODD) * 0.37).astype(np.float32)

# ----------------------------------------------------------------- octdcsub
for raw, kind in ((u8, "u8"), (u16, "u16"), (f32, "f32")):
    case(f"octdcsub-bscan-{kind}", "octdcsub", raw, chain.subtract_dc(raw))
    case(f"octdcsub-none-{kind}", "octdcsub mode=none", raw, raw.astype(float))
case("octdcsub-one-line", "octdcsub", u16[:1], np.zeros((1, ODD)))
case("octdcsub-stored", "octdcsub mode=background " + CALIBRATION % ODD, u16, u16 - background(ODD))
case("octdcsub-file", "octdcsub mode=background background=@/octdcsub-bscan-u16-input.npy", u8,
     u8 - u16.mean(0))
scans = np.concatenate([spectra(5, 51, level=0.3 + 0.1 * i) for i in range(4)]).astype(np.uint16)
expected, r = [], None
for scan in scans.reshape(4, 5, 51).astype(float):
    r = scan.mean(0) if r is None else r + 0.25 * (scan.mean(0) - r)
    expected.append(scan - r)
case("octdcsub-running", "octdcsub mode=running running-weight=0.25", scans, np.concatenate(expected), bscans=4)

# -------------------------------------------------------------- octkresample


def resampled(y, cal, method, upsample=1):
    n = y.shape[1]
    if upsample == 1:
        return chain.k_resample(y, cal, method)
    # chain wants as many positions as samples
    at = np.concatenate([2 * np.clip(cal.s, 0, n - 1), np.zeros(n)])
    return chain.k_resample(octref.shafer_upsample(y, 2), chain.Calibration(at, None), method)[:, :n]


for n, lines in ((ODD, 5), (EVEN, 4)):
    y = chain.subtract_dc(spectra(lines, n)).astype(np.float32)
    for method in ("linear", "cubic", "lanczos"):
        for upsample in (1, 2):
            case(f"octkresample-{method}-{n}-{upsample}",
                 f"octkresample method={method} upsample={upsample} " + CALIBRATION % n, y,
                 resampled(y.astype(float), calibrations[n], method, upsample))
y = chain.subtract_dc(spectra(3, ODD)).astype(np.float32)
by_wavelength = chain.Calibration.from_wavelengths(NM)
case("octkresample-wavelength", "octkresample calibration=@/wavelength-101.csv", y,
     chain.k_resample(y.astype(float), by_wavelength))

# ------------------------------------------------------------- octdispersion
case("octdispersion-calibration", "octdispersion " + CALIBRATION % ODD, y,
     y.astype(float) * np.exp(1j * dispersion(ODD)), axis="wavenumber")
case("octdispersion-nothing", "octdispersion", y, y.astype(complex), axis="wavenumber")
lo, hi = 2e3 * np.pi / 880, 2e3 * np.pi / 800  # rad/um
k = np.linspace(lo, hi, ODD) - (lo + hi) / 2
case("octdispersion-polynomial", "octdispersion a2=95 a3=-210 calibration=@/wavelength-101.csv", y,
     y.astype(float) * np.exp(-1j * (95 * k**2 - 210 * k**3)), axis="wavenumber")

# -------------------------------------------------------------------- octfft


def fft_case(name, properties, y, kind="hann", length=0, start=0, bins=0):
    n = y.shape[1]
    length = length or n
    bins = bins or length // 2 - start
    full = np.fft.fft(y.astype(float) * window(kind, n), length, axis=1) / np.sqrt(n)
    case(name, "octfft " + properties, y, full[:, start:start + bins], axis="wavenumber")


for kind in WINDOWS:
    fft_case(f"octfft-{kind}", f"window={kind}", y, kind)
even = chain.subtract_dc(spectra(3, EVEN)).astype(np.float32)
fft_case("octfft-even", "", even)
fft_case("octfft-padded", "length=256", y, length=256)
fft_case("octfft-crop", "depth-start=5 depth-bins=31", even, start=5, bins=31)
fft_case("octfft-one-line", "", y[:1])
fft_case("octfft-padded-crop", "window=none length=243 depth-start=100", y, "none", length=243, start=100)
case("octfft-complex", "octdispersion " + CALIBRATION % ODD + " ! octfft", y,
     np.fft.fft(y * window("hann", ODD) * np.exp(1j * dispersion(ODD)), axis=1)[:, : ODD // 2] / np.sqrt(ODD),
     axis="wavenumber")

# --------------------------------------------------------------- octlogscale


def levels(v, lo, hi, full=255):
    """as chain.image, for any depth of grey"""
    if hi <= lo:
        return np.zeros(v.T.shape)
    return np.clip(np.rint((v - lo) / (hi - lo) * full), 0, full).T


def contrast_range(power, v, scale):
    """range=contrast of docs/elements/octlogscale.md"""
    depth = power.shape[1]
    edges = [depth * b // 8 for b in range(9)]
    edges[0] = min(max(4, depth // 64), depth // 16)
    counts = np.isfinite(power) & (power > float(np.float32(1e-20)))
    bands = [v[:, p:q][counts[:, p:q]] for p, q in zip(edges, edges[1:])]
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


def log_case(name, properties, a, scale="log", lo=None, hi=None, full=255, smoothing=0.0, bscans=1,
             contrast=False, caps=None):
    images, history = [], None
    for scan in a.astype(complex).reshape(bscans, -1, a.shape[1]):
        power = np.abs(scan) ** 2
        v = 10 * np.log10(np.maximum(power, 1e-20)) if scale == "log" else power
        if contrast:
            extent = contrast_range(power, v, scale)
        else:
            extent = np.array([v.min() if lo is None else lo, v.max() if hi is None else hi])
        history = extent if history is None else smoothing * history + (1 - smoothing) * extent
        images.append(levels(v, history[0], history[1], full))
    if properties == "range=auto" and bscans == 1 and full == 255:
        assert np.array_equal(images[0], chain.image(a.astype(complex)))
    image = np.concatenate(images).astype(np.uint16 if full > 255 else np.uint8)
    case(name, "octlogscale " + properties + (" ! capsfilter caps=" + caps if caps else ""), a, image, bscans=bscans)


def a_scans(lines, depth):
    decay = np.exp(-np.linspace(0, 9, depth))
    return (3e3 * decay * (rng.standard_normal((lines, depth)) + 1j * rng.standard_normal((lines, depth)))
            ).astype(np.complex64)


plain = a_scans(37, 41)
GRAY16 = "video/x-raw,format=GRAY16_LE"
log_case("octlogscale-auto", "range=auto", plain, caps="video/x-raw,format=GRAY8")
log_case("octlogscale-nv12", "range=auto", plain, caps="video/x-raw,format=NV12")
log_case("octlogscale-gray16", "range=auto", plain, full=65535, caps=GRAY16)
log_case("octlogscale-gray16-manual", "range=manual min=-20 max=80", plain, lo=-20, hi=80, full=65535, caps=GRAY16)
log_case("octlogscale-linear", "range=auto scale=linear", plain, "linear")
log_case("octlogscale-manual", "range=manual min=10.5 max=61.25", plain, lo=10.5, hi=61.25)
log_case("octlogscale-linear-manual", "scale=linear range=manual min=100 max=2e5", plain, "linear", 100.0, 2e5)
log_case("octlogscale-contrast", "range=contrast", plain, contrast=True)
log_case("octlogscale-default", "", plain, contrast=True)
log_case("octlogscale-zeros", "range=auto", np.zeros((9, 16), np.complex64))
log_case("octlogscale-one-line", "range=auto", plain[:1])
several = np.concatenate([np.complex64(s) * a_scans(9, 20) for s in (1, 5, 0.2)])
log_case("octlogscale-smoothing", "range=auto range-smoothing=0.7", several, smoothing=0.7, bscans=3)

# ------------------------------------------------------------- whole chain


def chain_case(name, raw, method="cubic", kind="hann", with_dispersion=True, upsample=1, caps=None):
    n = raw.shape[1]
    cal = calibrations[n]
    y = resampled(chain.subtract_dc(raw), cal, method, upsample)
    if kind in ("tukey", "gaussian"):
        a = chain.a_scans_fft(y * window(kind, n), cal, "none", with_dispersion)
    else:
        a = chain.a_scans_fft(y, cal, kind, with_dispersion)
    power = np.abs(a) ** 2
    if caps == GRAY16:
        v = 10 * np.log10(np.maximum(power, 1e-20))
        image = levels(v, v.min(), v.max(), 65535).astype(np.uint16)
    elif power.max() > power.min():
        image = chain.image(a)
    else:
        image = np.zeros(power.T.shape, np.uint8)
    launch = (f"octdcsub {CALIBRATION % n} ! octkresample method={method} upsample={upsample} ! "
              + ("octdispersion ! " if with_dispersion else "") + f"octfft window={kind}")
    case(f"chain-{name}", launch, raw, a)
    case(f"image-{name}", launch + " ! octlogscale range=auto" + (" ! capsfilter caps=" + caps if caps else ""), raw, image)


for method in ("linear", "cubic", "lanczos"):
    chain_case(method, u16, method)
    chain_case(f"{method}-real", u16, method, with_dispersion=False)
for kind in WINDOWS[1:]:
    chain_case(kind, u16[:5], kind=kind)
chain_case("upsample", u16, "linear", upsample=2)
chain_case("even", spectra(9, EVEN).astype(np.uint16))
chain_case("u8", u8)
chain_case("f32", f32)
chain_case("saturated", spectra(7, 64, level=0.95).astype(np.uint16))
chain_case("saturated-8-bit", spectra(7, 64, full=255, level=0.95).astype(np.uint8))
chain_case("constant", np.full((4, 64), 65535, np.uint16))
chain_case("one-line", u16[:1])
chain_case("few-samples", spectra(3, 33).astype(np.uint16))
chain_case("gray16", u16, caps=GRAY16)
chain_case("nv12", u16, caps="video/x-raw,format=NV12")

# ------------------------------------------------------------------ octnufft


def non_uniform(y, cal, kernel=None, grid=0, width=6, kind="hann"):
    """all depths; kernel None: the exact transform"""
    n = y.shape[1]
    if kernel is None:
        return chain.a_scans_nufft(y, cal, kind, False)
    return chain.a_scans_nufft(y, cal, kind, False, kernel, grid / n, width)


def nufft_case(name, properties, y, cal, csv, start=0, bins=0, **settings):
    a = non_uniform(y.astype(complex), cal, **settings)
    case(f"octnufft-{name}", f"octnufft {properties} calibration=@/{csv}", y, a[:, start:start + (bins or None)]
         if bins else a[:, start:])


# np.random's sequence goes on: what is above stays as it is
raw_odd, raw_even = spectra(5, ODD), spectra(4, EVEN)
y = chain.subtract_dc(raw_odd).astype(np.float32)
even = chain.subtract_dc(raw_even).astype(np.float32)
K101, K128 = calibrations[ODD], calibrations[EVEN]
for kind in ("none", "hamming", "blackman"):
    nufft_case(kind, f"window={kind}", y, K101, "k-index-101.csv", kernel="kb", grid=128, kind=kind)
nufft_case("default", "", y, K101, "k-index-101.csv", kernel="kb", grid=128)
nufft_case("even", "", even, K128, "k-index-128.csv", kernel="kb", grid=160)
nufft_case("on-the-fly", "weights=on-the-fly", even, K128, "k-index-128.csv", kernel="kb", grid=160)
nufft_case("narrow", "oversampling=2 kernel-width=3", even, K128, "k-index-128.csv", kernel="kb", grid=256, width=3)
nufft_case("gaussian", "kernel=gaussian oversampling=1.5 kernel-width=7", even, K128, "k-index-128.csv",
           kernel="gauss", grid=192, width=7)
nufft_case("gaussian-on-the-fly", "kernel=gaussian weights=on-the-fly oversampling=1.5 kernel-width=7", even, K128,
           "k-index-128.csv", kernel="gauss", grid=192, width=7)
nufft_case("rounded", "oversampling=1.3", y, K101, "k-index-101.csv", kernel="kb", grid=140)
nufft_case("exact", "method=nudft", y, K101, "k-index-101.csv")
nufft_case("exact-even", "method=nudft", even, K128, "k-index-128.csv")
nufft_case("wavelength", "", y, by_wavelength, "wavelength-101.csv", kernel="kb", grid=128)
nufft_case("crop", "depth-start=5 depth-bins=20", y, K101, "k-index-101.csv", 5, 20, kernel="kb", grid=128)
nufft_case("one-line", "", y[:1], K101, "k-index-101.csv", kernel="kb", grid=128)

def shifted_nufft(y, cal, cells, width):
    """of spectra that are complex, with dispersion: the depths shown are shifted around 0, the grid has as many cells as samples"""
    n, bins = y.shape[1], y.shape[1] // 2
    order = np.argsort(cal.t)
    t = cal.t[order]
    omega = 2 * np.pi * t / n
    op = octref.NUFFT(t, cells / n, width, "kb", omega=omega, beta=octref.beatty_beta(cells / bins, width))
    y = (y * chain.window("hann", n, cal.t))[:, order] * np.exp(1j * np.interp(t, np.arange(n), cal.dispersion))
    return op.t1(y * np.exp(-1j * omega * (bins // 2)))[:, (np.arange(bins) - bins // 2) % n]


# uniform nodes: the FFT
w = y.astype(float) * window("hann", ODD)
write_csv("uniform-101.csv", k_index=np.arange(ODD))
case("octnufft-uniform", "octnufft calibration=@/uniform-101.csv", y,
     np.fft.fft(w, axis=1)[:, : ODD // 2] / np.sqrt(ODD))

# the phase at the samples, alone and in the chain
at_samples = np.interp(K101.t, np.arange(ODD), dispersion(ODD))
case("octdispersion-samples", "octdispersion " + CALIBRATION % ODD, y, y.astype(float) * np.exp(1j * at_samples))
k = 2e3 * np.pi / NM - (lo + hi) / 2
case("octdispersion-samples-polynomial", "octdispersion a2=95 a3=-210 calibration=@/wavelength-101.csv", y,
     y.astype(float) * np.exp(-1j * (95 * k**2 - 210 * k**3)))
for method in ("nufft", "nudft"):
    for raw, cal, n in ((raw_odd, K101, ODD), (raw_even, K128, EVEN)):
        raw = raw.astype(np.uint16)
        for with_dispersion in (False, True):
            settings = (None,) if method == "nudft" else ("kb", {ODD: 128, EVEN: 160}[n] / n, 6)
            if method == "nufft" and with_dispersion:
                a = shifted_nufft(chain.subtract_dc(raw), cal, {ODD: 108, EVEN: 128}[n], 6)
            else:
                a = chain.a_scans_nufft(chain.subtract_dc(raw), cal, "hann", with_dispersion, *settings)
            launch = (f"octdcsub {CALIBRATION % n} ! " + ("octdispersion ! " if with_dispersion else "")
                      + f"octnufft method={method}")
            label = f"{method}-{n}" + ("" if with_dispersion else "-real")
            case(f"chain-{label}", launch, raw, a)
            case(f"image-{label}", launch + " ! octlogscale range=auto", raw, chain.image(a))

# ------------------------------------------------------------- real C-scan
if cscan is not None:
    cal = chain.Calibration.read(os.path.join(cscan, "calibration.csv"))
    raw = np.fromfile(os.path.join(cscan, "cscan_100x100x1024_u16.raw"), "<u2").reshape(100, 100, 1024)[50]
    a = chain.a_scans_fft(chain.k_resample(chain.subtract_dc(raw), cal), cal, "hann", True)
    np.save(os.path.join(output, "cscan-bscan-50.npy"), np.ascontiguousarray(chain.image(a)))

# ------------------------------------------------------------------- octcs
rng = np.random.default_rng(9)
mask = rng.random(ODD) < 0.5
with open(os.path.join(output, "mask-101.txt"), "w") as f:
    f.write("# one line for every sample\n" + "".join(f"{int(kept)}\n" for kept in mask))
y = chain.subtract_dc(spectra(4, ODD)).astype(np.float32)
turned = (y * np.exp(1j * dispersion(ODD))).astype(np.complex64)
k = 2 * np.pi / NM
omega = 2 * np.pi * (k - k.min()) / ((k.max() - k.min()) * ODD / (ODD - 1))
at = omega * ODD / (2 * np.pi)
hann = (0.5 - 0.5 * np.cos(2 * np.pi * np.clip(at, 0, ODD - 1) / (ODD - 1))) / np.sqrt(np.mean(
    (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(ODD) / (ODD - 1))) ** 2))
ways = {"nufft": octref.NUFFT(NM, 128 / ODD, 6, "kb", omega=omega), "nudft": octref.NUDFT(NM, omega=omega),
        "gaussian": octref.NUFFT(NM, 210 / ODD, 5, "gauss", omega=omega)}
for name, properties in (("nufft", ""), ("nudft", "transform=nudft"),
                         ("gaussian", "kernel=gaussian oversampling=2 kernel-width=5")):
    for given, kind in ((y, "real"), (turned, "complex")):
        threshold = 3.0 * 80 * np.sqrt((hann[mask] ** 2).sum() / ODD)
        x = octref.sparsa(ways[name], mask, given.astype(complex) * hann, threshold, 8, amin=0.1)
        case(f"octcs-{name}-{kind}", f"octcs {properties} iterations=8 noise=80 mask=file mask-file=@/mask-101.txt "
             "calibration=@/wavelength-101.csv", given, x[:, :ODD // 2], axis="wavelength")
w = chain.window("none", ODD)
x = octref.sparsa(octref.UDFT(ODD), mask, y.astype(complex) * w, 2.5 * 80 * np.sqrt(mask.mean()), 5, amin=0.1)
case("octcs-fft", "octcs transform=fft window=none noise=80 tau=2.5 iterations=5 depth-start=3 depth-bins=30 "
     "mask=file mask-file=@/mask-101.txt", y, x[:, 3:33], axis="wavenumber")

with open(os.path.join(output, "cases.ini"), "w") as f:
    f.write("# made by make_vectors.py\n")
    cases.write(f)
total = sum(os.path.getsize(os.path.join(output, name)) for name in os.listdir(output))
print(f"{len(cases.sections())} cases, {len(stored)} arrays, {total / 1e6:.2f} MB")
