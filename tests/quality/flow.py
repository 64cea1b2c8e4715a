#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Vessels by octalign and octangio, and phases by octdoppler, of simulated A-scans whose
vessels and speeds are known (reference/octphys.py).

    flow.py [--build BUILD] [--truth PROGRAM] [--plot FILE] [--check]

With --truth, flow-truth of the build, spectra of octsrc phantom=flow as well.

AUC: the chance that a pixel of a vessel has more than one of still tissue or noise.
Found: the part of the vessels' pixels that has more than 99 % of the others have.
Windows are 3 x 3, the noise is known, or found with --truth.  --check ends with an error where a figure is
not that of the float64 reference (functional.py), made of the same A-scans.
"""
import argparse
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy import ndimage
    from scipy.stats import rankdata
except ImportError:
    print("numpy or scipy is missing")
    sys.exit(77)
import plugin
import functional as reference
from octphys import Phantom, System, Vessel, motion

TOLERANCE = 0.02
DOPPLER_TOLERANCE = 0.01  # rad
S = System()


def add_pairs(a):
    """complex differential variance, pairs added before the modulus; 3 x 3"""
    product = reference.box((a[1:] * a[:-1].conj()).mean(0), 3, 3)
    pair = reference.box((reference.power(a[1:]) + reference.power(a[:-1])).mean(0) / 2, 3, 3)
    return 1 - np.abs(product) / pair


# method of octangio: its figure in the reference
METHODS = {
    "flow": lambda a, n: reference.flow_value(a, n, 0.01, 3, 3),
    "index": lambda a, n: reference.flow_index(a, n, 0.01, 3, 3),
    "complex-difference": lambda a, n: reference.complex_difference(a, 3, 3),
    "noise-immune": lambda a, n: reference.noise_immune(a, n, 3, 3),
    "id-mask": lambda a, n: reference.id_mask(a, n, 3, 3),
    "speckle-variance": lambda a, n: reference.speckle_variance(a, 3, 3),
    "phase-variance": lambda a, n: reference.phase_variance(a, 3, 3),
    "cdv": lambda a, n: add_pairs(a),
}
# name: sample, repeats, dB of the brightest tissue over the noise, moves
CASES = {
    "still, 2 repeats, 5 dB": ("uniform", 2, 5, False),
    "2, 10 dB": ("uniform", 2, 10, False),
    "4, 5 dB": ("uniform", 4, 5, False),
    "moving, 2, 20 dB": ("layered", 2, 20, True),
    "2, 30 dB": ("layered", 2, 30, True),
    "4, 20 dB": ("layered", 4, 20, True),
}


# ------------------------------------------------------------------- samples
def uniform(seed):
    vessels = [Vessel(x=90, z=130, diameter=50, speed=3, alpha=88)]
    vessels += [Vessel(x=170 + i * 30, z=100 + (i % 3) * 50, diameter=12, speed=0.5 + 0.25 * (i % 3), alpha=85)
                for i in range(10)]
    return Phantom(S, seed=seed, vessels=vessels)


def layered(seed):
    def profile(d):
        a = np.where(d < 0, 0, np.select([d < 60, d < 110, d < 180], [1.0, 0.35, 0.8], 0.5))
        return a * np.exp(-0.005 * np.maximum(d, 0))
    vessels = [Vessel(x=90, z=150, diameter=50, speed=3, alpha=88)]
    vessels += [Vessel(x=150 + i * 28, z=90 + (i % 4) * 45, diameter=12, speed=0.5 + 0.25 * (i % 3), alpha=85)
                for i in range(11)]
    return Phantom(S, seed=seed, profile=profile, surface=lambda x, y: 40 + 15 * np.sin(x / 90) + 0 * y,
                   vessels=vessels)


def take(make, repeats, seeds, **moves):
    """[(repeats without noise, labels)] of some places, and the power of the tissue"""
    places = []
    for seed in seeds:
        phantom = make(seed)
        for y in (-24, 12):
            moved = motion(repeats, phantom.lines, phantom.rng, **moves) if moves else None
            places.append((phantom.repeats(repeats, y=y, motion=moved), phantom.labels(y=y, shrink=1)))
    return places, phantom.power


def make_data(made, sample, repeats, moves):
    key = sample, repeats
    if key not in made:
        made[key] = (take(layered, repeats, (1,), axial_speed=0.5, vibration=0.3, lateral=0.7) if moves
                     else take(uniform, repeats, (1, 2)))
    return made[key]


# ------------------------------------------------------------------- figures
def auc(p, n):
    r = rankdata(np.r_[p, n])
    return (r[:len(p)].sum() - len(p) * (len(p) + 1) / 2) / (len(p) * len(n))


def judge(values, labels):
    vessel, rest = values[labels > 0], values[(labels == 0) | (labels == -2)]
    return auc(vessel, rest), np.mean(vessel > np.quantile(rest, 0.99))


def judge_case(data, power, case, build):
    """{method: ((AUC, found) of the element, of the reference)} and one image of each"""
    _, repeats, snr, moves = case
    rng, noise = np.random.default_rng(9), power / 10 ** (snr / 10)
    places = [a + S.noise(a.shape[:2], rng, noise) for a, _ in data]
    labels = np.array([label for _, label in data])
    aligned = [reference.register_set(a, 16, 8, True, "histogram")[0] if moves else a for a in places]
    align = "octalign registration=translation ! " if moves else ""
    figures, images = {}, {}
    for method, expected in METHODS.items():
        made = plugin.run_ascans(np.concatenate(places), f"{align}octangio method={method} noise={noise} min=-30 max=40 ! "
                   "video/x-raw,format=GRAY16_LE", build, repeats=repeats)
        # depths are rows
        image = np.frombuffer(made, "<u2").reshape(len(places), S.D, -1).swapaxes(1, 2)
        figures[method] = judge(image, labels), judge(np.array([expected(a, noise) for a in aligned]), labels)
        images[method] = image[0]
    return figures, images


def judge_phantom(repeats, truth, checks, build):
    """The same of spectra of octsrc phantom=flow: vessels and capillaries, and a sample
    that moves.  Figures of the elements by method; the noise is found."""
    samples, lines, places = 512, 256, 4
    bscans = 16 * repeats
    depths = slice(14, 114)  # above the cells that stir
    environment = dict(os.environ)
    if build is not None:
        environment["GST_PLUGIN_PATH"] = os.path.join(os.path.abspath(build), "gst")
    with tempfile.TemporaryDirectory() as folder:
        taken = os.path.join(folder, "ascans.raw")
        subprocess.run(["gst-launch-1.0", "-q", *f"octsrc phantom=flow samples={samples} lines={lines} repeats={repeats} "
                        f"bscans={bscans} num-buffers={places * repeats} ! octreconstruct mode=background output=ascans "
                        f"! filesink location={taken}".split()], env=environment, check=True)
        ascans = np.fromfile(taken, np.complex64).reshape(places, repeats, lines, -1)
    mask = subprocess.run([truth, *map(str, (samples, lines, bscans, repeats, places))], check=True,
                          capture_output=True).stdout
    mask = np.frombuffer(mask, np.uint8).reshape(places, lines, -1)[:, :, depths]
    blood = mask == 2
    around = np.ones((1, 5, 5))
    labels = np.where(ndimage.binary_erosion(blood, np.ones((1, 1, 3))), 1,
                      np.where(ndimage.binary_dilation(blood, around), -1, 0))
    aligned = [reference.register_set(a.astype(complex), 16, 8, True, "mode")[0] for a in ascans]
    # the smoothed noise of the elements begins with that of the first place
    noises = np.cumsum([reference.noise_of_residual(a) for a in aligned]) / np.arange(1, places + 1)
    figures = {}
    for method, expected in METHODS.items():
        made = plugin.run_ascans(ascans.reshape(-1, *ascans.shape[2:]), "octalign registration=translation ! "
                   f"octangio method={method} min=-30 max=40 ! video/x-raw,format=GRAY16_LE", build, repeats=repeats)
        image = np.frombuffer(made, "<u2").reshape(places, samples // 2, lines).swapaxes(1, 2)
        figures[method] = judge(image[:, :, depths], labels)
        values = np.array([expected(a, noise)[:, depths] for a, noise in zip(aligned, noises)])
        check(checks, f"{method} of the phantom, {repeats}", figures[method], judge(values, labels))
    return figures


def check(checks, name, found, expected):
    checks.near(f"{name}: AUC", found[0], expected[0], TOLERANCE)
    # white of an image of id-mask is 1, but two repeats reach 2
    if not name.startswith("id-mask"):
        checks.near(f"{name}: found", found[1], expected[1], TOLERANCE)


def judge_doppler(checks, build):
    """Rows of a table: bias and standard deviation of phases between A-lines, 5 x 5 values"""
    rows = []
    s = System(dx=1.0, dy=1.0)
    for speed, snr in ((1.0, 5), (1.0, 20), (8.0, 10), (14.0, 10), (14.0, 30)):
        phantom = Phantom(s, lines=160, ny=40, seed=3)
        t, true = np.arange(160) / s.line_rate, 2 * s.kc * speed * 1e3 / s.line_rate
        bscans = np.array([phantom.bscan(y=y, axial=speed * 1e3 * t) for y in (-12, 0, 12)])
        bscans = bscans + s.noise(bscans.shape[:2], phantom.rng, phantom.power / 10 ** (snr / 10))
        made = plugin.run_ascans(bscans, "octdoppler quantity=phase bulk-lines=0 threshold=0 window-lines=5 window-bins=5 ! "
                   "application/x-oct-values", build)
        phase = np.frombuffer(made, "<f4").reshape(bscans.shape)
        products = [reference.kasai(a[:-1], a[1:], 5, 5)[0] for a in bscans]
        found, expected = ([np.angle(np.exp(1j * (p - true)))[3:-4:5, 40:120:5] for p in q]
                           for q in (phase[:, :-1], np.angle(products)))
        rows.append([f"{true:.2f}", str(snr), f"{np.mean(found):+.4f}", f"{np.std(found):.3f}", f"{np.mean(expected):+.4f}"])
        checks.near(f"bias at {true:.2f} rad, {snr} dB", np.mean(found), 0, DOPPLER_TOLERANCE)
        checks.near("the same, reference", np.mean(found), np.mean(expected), 1e-4)
    return rows


def plot(path, images, labels):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(3, 3, figsize=(8, 7), layout="constrained")
    axes.flat[0].imshow((labels > 0).T, cmap="gray", aspect="auto")
    axes.flat[0].set_title("vessels", fontsize=9)
    for axis, (method, image) in zip(axes.flat[1:], images.items()):
        axis.imshow(image.T, cmap="gray", aspect="auto", vmin=np.quantile(image, 0.5), vmax=np.quantile(image, 0.995))
        axis.set_title(method, fontsize=9)
    for axis in axes.flat:
        axis.set_axis_off()
    figure.savefig(path, dpi=90)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build")
    parser.add_argument("--truth")
    parser.add_argument("--plot")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    checks, made, table = plugin.Checks(), {}, {method: [] for method in METHODS}
    for name, case in CASES.items():
        data, power = make_data(made, case[0], case[1], case[3])
        figures, images = judge_case(data, power, case, options.build)
        for method, (found, expected) in figures.items():
            table[method].append(f"{found[0]:.3f} {found[1]:.2f}")
            check(checks, f"{method}, {name}", found, expected)
        if options.plot and name == "moving, 2, 20 dB":
            plot(options.plot, images, data[0][1])
    phantoms = {f"phantom, {n}": n for n in (2, 4)} if options.truth else {}
    for repeats in phantoms.values():
        for method, found in judge_phantom(repeats, options.truth, checks, options.build).items():
            table[method].append(f"{found[0]:.3f} {found[1]:.2f}")
    print(plugin.table(["method", *CASES, *phantoms], [[f"`{method}`", *row] for method, row in table.items()]))
    print()
    print(plugin.table(["true, rad", "dB", "bias", "standard deviation", "bias of the reference"],
                       judge_doppler(checks, options.build)))
    if options.check:
        checks.end()


main()
