#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes of which a part of the A-lines and of the samples was taken, filled in
by octvolumecs: a simulated tissue, of which the truth is known, and a real C-scan.

    volume-cs.py [--data CSCAN_FOLDER] [--build BUILD] [--check]
                 [--plot FILE.png]

The float64 reference makes the tissue (reference/exp_xu3d.py).  The first step of
method=paper and method=joint are compared with reference/octref.py, value by value,
and the figures are those of its tables.  --check ends with an error if one of them
is not met.
"""
import argparse
import os
import sys

try:
    import numpy as np
    import scipy  # noqa: F401, the reference needs it
except ImportError:
    print("numpy or scipy is missing")
    sys.exit(77)
import plugin
import exp_xu3d as experiments
import octref

NX, NY, N = 64, 48, 512
DEPTHS = slice(36, 164)
SPOT = (3, 12)  # B-scans, A-lines
# part of the samples, and of the lines along each direction
RATES = {"18 %": (.5, .6), "10 %": (.4, .5)}
SAME_SAMPLES = "same-samples=true seed=7"  # as the reference has it, and the paper

# The reference's error of the amplitude, rms difference of the logarithm in dB and
# contrast to noise of the tissue, at 18 % and at 10 %; all data
ALL = (.021, 1.58, .55)
TISSUE = {
    "paper, wavelet": ((.343, 7.34, .45), (.427, 9.41, .39)),
    "paper, cosine": ((.335, 7.40, .33), (.447, 9.55, .24)),
    "paper, fourier": ((.384, 7.33, .31), (.469, 9.53, .22)),
    "linear": ((.218, 6.70, .48), (.313, 8.91, .43)),
    "joint, same lines": ((.145, 2.66, .51), (.232, 4.06, .46)),
    "joint, gaps of 1 (2 at 10 %)": ((.065, 2.00, .53), (.153, 3.43, .48)),
    "joint, by lot in the plane": ((.051, 1.89, .54), (.075, 2.86, .51)),
    "envelope, all A-lines": ((.239, 10.27, .37), (.359, 12.92, .29)),
}
# 18 %, by lot: the spot given 0.7 and 1.4 times as wide as it is, and one mask
WRONG_SPOTS = {.7: .036, 1.4: .074}
ONE_MASK = .19
# the same with a phase that walks at random from B-scan to B-scan, rad; mean of WALKS
PHASE_WALKS = {.3: .063, 1.0: .106}
# and with steady phase steps from A-line to A-line and from B-scan to B-scan, rad, as
# without any; a reference that leaves the first ones in has .202
PHASE_STEPS = ((.5, 0), (1.5, -1))
WALKS = 3
# the same error of the real C-scan, against all its data
CSCAN = {
    "paper, wavelet": (.558, .621),
    "paper, cosine": (.596, .660),
    "paper, fourier": (.575, .646),
    "linear": (.544, .602),
    "envelope": (.263, .427),
}
COHERENCE = (.18, .00)  # of its neighbouring A-lines and B-scans
# The reference states .01 and .3 dB; contrasts have two digits.  SAME: values of
# single precision beside those of double precision.
ERROR, DECIBEL, CONTRAST, SAME = .01, .3, .02, 1e-4


class Masks:
    """Which A-lines, by the reference's own drawings."""

    def __init__(self, rate):
        gap, least = octref.gap_for(rate), int(np.ceil(1 / rate)) - (rate > .5)
        self.x, self.y = octref.mask_max_gap(NX, rate, gap, 11), octref.mask_max_gap(NY, rate, gap, 12)
        self.same_lines = self.y[:, None] & self.x
        self.tight = octref.mask_max_gap(NY, rate, least, 12)[:, None] & octref.mask_max_gap(NX, rate, least, 11)
        both = rate * rate
        self.plane = octref.mask_max_gap(NX * NY, both, int(np.ceil(1 / both)), 5).reshape(NY, NX)
        self.scattered = np.array([octref.mask_max_gap(NX, both, int(np.ceil(1.6 / both)), 11 + j) for j in range(NY)])
        self.every = np.ones((NY, NX), bool)


class Tissue:
    def __init__(self):
        truth, self.spectra, amplitude = experiments.tissue(NX, NY, N, 1)
        self.truth, shown = np.abs(truth[..., DEPTHS]), amplitude[..., DEPTHS]
        self.where, self.air = shown > 1, shown < .02

    def measure(self, volume):
        """error of the amplitude, rms dB, contrast to noise"""
        a, truth = np.abs(volume[..., DEPTHS]), self.truth
        tissue, air = a[self.where], a[self.air]
        decibel = plugin.decibel(np.maximum(tissue, 1)) - plugin.decibel(np.maximum(truth[self.where], 1))
        return (octref.rel_err(tissue, truth[self.where]), np.sqrt((decibel**2).mean()),
                (tissue.mean() - air.mean()) / np.sqrt(tissue.var() + air.var()))

    def walk(self, step, seed):
        """spectra whose phase walks at random from B-scan to B-scan"""
        phase = np.cumsum(step * np.random.default_rng(seed).standard_normal(NY))
        return octref.half_forward(
            octref.half_adjoint(self.spectra) * np.exp(1j * phase)[:, None, None], N)

    def ramp(self, x, y):
        """spectra whose phase grows by x from A-line to A-line and by y from B-scan to B-scan"""
        phase = x * np.arange(NX) + y * np.arange(NY)[:, None]
        return octref.half_forward(octref.half_adjoint(self.spectra) * np.exp(1j * phase)[..., None], N)

    def first_step(self, acquired, rate, same):
        """the reference's A-scans from the acquired samples, by one mask or by 16"""
        number = 0 if same else (np.arange(NX) + 7 * np.arange(NY)[:, None]) % 16
        scans = np.zeros((NY, NX, N // 2), complex)
        for i in range(1 if same else 16):
            lines = acquired & (number == i)
            mask = octref.mask_uniform(N, rate, 7 if same else 100 + i)
            scans[lines] = octref.step_axial(self.spectra[lines], mask, maxit=150)
        scans[..., 0] = 0
        return scans


def by_paper(tissue, name, masks, rate, build, checks):
    """The published method and linear interpolation from spectra, with the same samples
    of all A-lines (of the table) and with 16 masks; the first step beside the
    reference's, value by value."""
    found = {}
    for same in (True, False):
        samples = f"window=none sampling-rate={rate} " + (SAME_SAMPLES if same else "")
        end = "" if same else ", 16 masks"
        scans, _ = plugin.fill(tissue.spectra, masks.same_lines, f"octvolumecs method=linear {samples}", build)
        expected, there = tissue.first_step(masks.same_lines, rate, same), masks.same_lines
        checks.near(f"{name}: step 1{end} against the reference", octref.rel_err(scans[there], expected[there]), 0, SAME)
        exact = octref.bilinear(np.abs(expected[masks.y][:, masks.x]), masks.y, masks.x)
        checks.near(f"{name}: linear{end} against the reference", octref.rel_err(np.abs(scans), exact), 0, SAME)
        found["linear" + end] = scans
        for basis in ("wavelet", "cosine", "fourier"):
            found[f"paper, {basis}{end}"], _ = plugin.fill(
                tissue.spectra, there, f"octvolumecs method=paper basis={basis} {samples}", build)
    return found


def by_joint(tissue, name, masks, rate, build, checks):
    def joint(acquired, more):
        return plugin.fill(tissue.spectra, acquired,
                           f"octvolumecs method=joint window=none sampling-rate={rate} {more}", build)

    known = f"spot-x={SPOT[1]} spot-y={SPOT[0]} noise=1"
    found = {"joint, same lines": joint(masks.same_lines, known)[0],
             "joint, gaps of 1 (2 at 10 %)": joint(masks.tight, known)[0],
             "joint, by lot in the plane": joint(masks.plane, known)[0]}
    measured, said = joint(masks.scattered, "")
    found["joint, scattered, spot and noise measured"] = measured
    print(f"{name}: spot found {float(said['spot-x-found']):.1f} x {float(said['spot-y-found']):.1f} "
          f"({SPOT[1]} x {SPOT[0]}), noise {float(said['noise-found']):.2f} (1)")
    if name == "18 %":
        # the reference's own, value by value
        spectral = experiments.masks16(N, rate, *np.nonzero(masks.plane))
        expected = octref.joint_scans(tissue.spectra[masks.plane], spectral, masks.plane, 1.0, SPOT)
        checks.near("joint against the reference", octref.rel_err(
            found["joint, by lot in the plane"][..., DEPTHS], expected[..., DEPTHS]), 0, SAME)
        for factor, expected in WRONG_SPOTS.items():
            spot = f"spot-x={SPOT[1] * factor} spot-y={SPOT[0] * factor} noise=1"
            error = tissue.measure(joint(masks.plane, spot)[0])[0]
            checks.near(f"joint, spot {factor} times as wide", error, expected, ERROR)
            print(f"{name}: joint, by lot, spot {factor} times as wide: {error:.3f}")
        for step, expected in PHASE_WALKS.items():
            error = np.mean([tissue.measure(plugin.fill(
                tissue.walk(step, seed), masks.plane,
                f"octvolumecs method=joint window=none sampling-rate={rate} {known}", build)[0])[0]
                for seed in range(WALKS)])
            checks.near(f"joint, phase walk of {step} rad", error, expected, ERROR)
            print(f"{name}: joint, by lot, phase walk of {step} rad from B-scan to B-scan: {error:.3f}")
        for steps in PHASE_STEPS:
            volume, said = plugin.fill(tissue.ramp(*steps), masks.plane,
                                       f"octvolumecs method=joint window=none sampling-rate={rate} {known}", build)
            error = tissue.measure(volume)[0]
            checks.near(f"joint, phase steps of {steps} rad", error, TISSUE["joint, by lot in the plane"][0][0], ERROR)
            print(f"{name}: joint, by lot, phase steps of {steps[0]} and {steps[1]} rad: {error:.3f}, found "
                  f"{float(said['phase-step-x']):.2f} and {float(said['phase-step-y']):.2f}")
        error = tissue.measure(joint(masks.plane, known + " same-samples=true")[0])[0]
        checks.near("joint, one mask", error, ONE_MASK, ERROR)
        print(f"{name}: joint, by lot, the same samples of all A-lines: {error:.3f}")
    return found


def by_envelope(tissue, rate, masks, build):
    line = f"octvolumecs method=envelope window=none sampling-rate={rate}"
    return {"envelope, all A-lines": plugin.fill(tissue.spectra, masks.every, line + " noise=1", build)[0],
            "envelope, noise measured": plugin.fill(tissue.spectra, masks.every, line, build)[0]}


def check_figures(checks, name, found, expected):
    for what, value, figure, tolerance in zip(("error", "rms difference in dB", "contrast"), found, expected,
                                              (ERROR, DECIBEL, CONTRAST)):
        checks.near(f"{name}: {what}", value, figure, tolerance)


def tissue_of_all_kinds(build, checks):
    tissue = Tissue()
    full = octref.half_adjoint(tissue.spectra)
    shown = lambda v: "{:.3f} / {:.1f} / {:.2f}".format(*v)
    rows, images = {"all data": [shown(tissue.measure(full)), ""]}, {"all data": full[..., DEPTHS]}
    check_figures(checks, "all data", tissue.measure(full), ALL)
    for column, (name, (axial, lateral)) in enumerate(RATES.items()):
        masks = Masks(lateral)
        found = {**by_paper(tissue, name, masks, axial, build, checks),
                 **by_joint(tissue, name, masks, axial, build, checks),
                 **by_envelope(tissue, axial * lateral * lateral, masks, build)}
        measured = {how: tissue.measure(v) for how, v in found.items()}
        for how, figures in measured.items():
            rows.setdefault(how, ["", ""])[column] = shown(figures)
            if how in TISSUE:
                check_figures(checks, f"{name}: {how}", figures, TISSUE[how][column])
        # a spot that is found need not be the true one, but must do half as well again as no joint solution
        checks.above(f"{name}: gain of joint, scattered, spot and noise measured",
                     measured["linear"][0] / measured["joint, scattered, spot and noise measured"][0], 2)
        images[f"{name}, linear"] = found["linear"][..., DEPTHS]
        images[f"{name}, joint"] = found["joint, by lot in the plane"][..., DEPTHS]
    print(f"\nTissue, {NY} x {NX} A-lines of {N} samples, against the truth: error of the amplitude / rms difference in "
          "dB /\ncontrast to noise\n")
    print(plugin.table(["", *RATES], [[how, *values] for how, values in rows.items()]))
    # what auto does where all samples are there
    _, said = plugin.fill(tissue.spectra, masks.scattered, "octfft window=none ! octvolumecs", build)
    checks.near("auto chooses joint", float(said["chosen"] == "joint"), 1, 0)
    print(f"\nauto: {said['chosen']}, coherence {float(said['coherence-x']):.2f} x {float(said['coherence-y']):.2f}: "
          f"{said['reason']}")
    return images


def cscan(build, checks, folder):
    """A real C-scan whose B-scans have nothing in common: what is missing is lost, and
    auto must not choose joint."""
    import chain
    raw = np.fromfile(os.path.join(folder, "cscan_100x100x1024_u16.raw"), "<u2").reshape(100, 100, 1024)[20:68]
    file = os.path.join(folder, "calibration.csv")
    calibration, window = chain.Calibration.read(file), chain.window("hann", 1024)
    spectra = np.stack([chain.k_resample(chain.subtract_dc(b), calibration, "cubic") for b in raw])[:, 20:84] * window
    scans, depths, rows = octref.half_adjoint(spectra), slice(20, 148), {}
    scans[..., :8] = 0  # what is left of the background
    spectra, truth = octref.half_forward(scans, 1024), np.abs(scans[..., depths])
    noise = np.sqrt((np.abs(scans[..., 400:500])**2).mean())
    for column, (name, (axial, lateral)) in enumerate(RATES.items()):
        masks = Masks(lateral)
        for how, expected in CSCAN.items():
            method, _, basis = how.partition(", ")
            acquired, line = masks.same_lines, f"octvolumecs method={method} window=none "
            if method == "envelope":
                acquired, line = masks.every, line + f"sampling-rate={axial * lateral * lateral} noise={noise}"
            else:
                line += f"sampling-rate={axial} {SAME_SAMPLES} " + (f"basis={basis}" if basis else "")
            error = octref.rel_err(np.abs(plugin.fill(spectra, acquired, line, build)[0][..., depths]), truth)
            checks.near(f"C-scan, {name}: {how}", error, expected[column], ERROR)
            rows.setdefault(how, []).append(f"{error:.3f}")
    print("\nReal C-scan: error of the amplitude against all data\n")
    print(plugin.table(["", *RATES], [[how, *values] for how, values in rows.items()]))
    y = raw[:, 20:84] - raw[:, 20:84].mean(1, keepdims=True, dtype=float)
    acquired = np.array([octref.mask_max_gap(NX, .36, 5, 11 + j) for j in range(NY)])
    _, said = plugin.fill(y, acquired, f"octkresample calibration={file} ! octfft ! octvolumecs", build, "wavelength")
    checks.near("C-scan: auto chooses linear", float(said["chosen"] == "linear"), 1, 0)
    for direction, expected in zip("xy", COHERENCE):
        # a third of the lines, and the noise left out: it is the same to some hundredths
        checks.near(f"C-scan: coherence {direction}", float(said[f"coherence-{direction}"]), expected, .05)
    print(f"\nC-scan: {said['chosen']}, coherence {float(said['coherence-x']):.2f} x "
          f"{float(said['coherence-y']):.2f}: {said['reason']}")


def plot(path, images):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    names = ["all data", "18 %, linear", "18 %, joint", "10 %, joint"]
    figure, axes = plt.subplots(2, 4, figsize=(9, 5.2), layout="constrained")
    for (above, below), name in zip(axes.T, names):
        v = plugin.decibel(np.maximum(np.abs(images[name]), 1e-3))
        above.imshow(v[20].T, cmap="gray", vmin=0, vmax=45, aspect="auto")
        below.imshow(v[:, :, 50], cmap="gray", vmin=0, vmax=45, aspect="auto")
        above.set_title(name, fontsize=10)
    for axis in axes.flat:
        axis.set(xticks=[], yticks=[])
    axes[0][0].set_ylabel("B-scan 20: depth")
    axes[1][0].set_ylabel("depth 86: B-scans")
    figure.savefig(path, dpi=75)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data")
    parser.add_argument("--build")
    parser.add_argument("--plot")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    checks = plugin.Checks()
    images = tissue_of_all_kinds(options.build, checks)
    if options.data and os.path.exists(options.data):
        cscan(options.build, checks, options.data)
    if options.plot:
        plot(options.plot, images)
    if options.check:
        checks.end()


if __name__ == "__main__":
    main()
