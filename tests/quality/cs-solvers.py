#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The solvers of octcs at equal cost: mirrors, a phantom and a B-scan of a real
C-scan, by the number of steps.

    cs-solvers.py [--data CSCAN_FOLDER] [--build BUILD] [--check]
                  [--plot-mirrors FILE.png] [--plot-phantom FILE.png]
                  [--plot-cscan FILE.png]

The spectrometer of the float64 reference (reference/octref.py) makes the spectra,
and reference/exp_cs_fast.py has the figures; the A-scans are those of the plugin.
--check ends with an error if one of them is not the reference's.
"""
import argparse
import os
import sys
import tempfile

try:
    import numpy as np
    from scipy.ndimage import uniform_filter
except ImportError:
    print("numpy or scipy is missing")
    sys.exit(77)
import plugin
import exp_cs_fast
import octref

SAMPLES = 2048
DEPTHS = (80, 250, 420, 590, 760, 850, 1020, 1190, 1360)  # um
LINES = 16
STEPS = (6, 8, 10, 15, 20)
SPARSA, CONTINUED, PERSISTENT = "sparsa", "continued", "persistent"
# of exp_cs_fast.py: background at 80 um and the worst of all depths, dB of the
# first peak.  octcs refuses more than 15 steps of persistent.
MIRRORS = {
    SPARSA: ((-35.2, -35.2), (-37.9, -37.9), (-44.3, -44.3), (-71.6, -71.6), (-94.3, -90.1)),
    CONTINUED: ((-84.1, -84.1), (-94.3, -90.0), (-94.4, -90.1), (-94.3, -90.1), (-94.3, -90.1)),
    PERSISTENT: ((-68.2, -68.1), (-68.7, -68.3), (-67.5, -66.9), (-66.7, -66.3)),
}
ALL_MIRRORS = (-59.3, -50.6)
# error of tissue, PSNR of the logarithm in dB; of weak layers error, level in dB,
# contrast to noise and part that is zero; by solver and tau
PHANTOM = {
    (SPARSA, 3): ((.259, 20.2, .61, -4.7, .40, .47), (.243, 21.0, .61, -4.5, .46, .56),
                  (.227, 21.7, .59, -4.5, .49, .61), (.221, 21.8, .59, -4.4, .49, .61),
                  (.220, 21.8, .59, -4.3, .50, .61)),
    (CONTINUED, 2): ((.234, 20.7, .56, -3.8, .51, .43), (.213, 21.3, .54, -3.6, .54, .46),
                     (.205, 21.9, .53, -3.6, .54, .49), (.193, 22.3, .51, -3.3, .56, .50),
                     (.189, 22.5, .51, -3.3, .56, .50)),
    (PERSISTENT, 3): ((.089, 28.4, .28, -0.6, 1.00, .18), (.084, 28.9, .27, -0.9, .99, .14),
                      (.081, 29.2, .25, -0.7, 1.03, .07), (.079, 29.2, .24, -0.6, 1.02, .10)),
}
ALL_PHANTOM = (.029, 25.2, .12, 0.1, .90, .00)
# part of the samples: error of tissue of sparsa, 15 steps, tau 2, noise known, and of
# persistent, 6 and 8 steps
PHANTOM_RATES = {.30: (.281, .119, .109), .20: (.445, .241, .226), .10: (None, .48, .477)}
# solver, steps, tau, noise; error where all samples exceed ten times their noise,
# correlation of the logarithm.  "once estimated": as octcs did before it had
# persistent, 2.09 times too large.
CSCAN = ((SPARSA, 15, 3, "once estimated", .260, .792), (SPARSA, 15, 2, "known", .168, .824),
         (PERSISTENT, 6, 3, "not needed", .072, .925), (PERSISTENT, 8, 3, "not needed", .070, .926))
ESTIMATED = 2.09
# single precision beside double, of the amplitudes of the phantom; 15 steps of
# persistent, which magnifies rounding from step to step
ROUNDING, MAGNIFIED = 1e-6, 1e-5
# that they may differ by
FLOOR, ERROR, PSNR, WEAK, LEVEL, CONTRAST, ZEROS = 1, .01, .4, .03, .4, .05, .03


def by_steps(rows):
    """Markdown of rows of which some have fewer steps"""
    return plugin.table(["steps", *map(str, STEPS)], [row + [""] * (len(STEPS) + 1 - len(row)) for row in rows])


def octcs(folder, mask, solver, steps, tau, noise, window="none"):
    path = os.path.join(folder, "mask.txt")
    np.savetxt(path, mask, "%d")
    return (f"octcs transform=nudft window={window} mask=file mask-file={path} solver={solver} iterations={steps} "
            f"tau={tau} noise={noise if solver != PERSISTENT else 0}")


# ------------------------------------------------------------------- mirrors
def mirrors(build, checks, path):
    s = octref.Spectrometer(N=SAMPLES, lam_c=.845, fwhm=.105, dlam=.240 / 2048, wres=1.0, os=8, level=0.5, fwc=2.5e4,
                            read_e=30, seed=2)
    reference, z = s.reference(), octref.depth_axis(s.k)
    mask = octref.mask_variable_density(reference / reference.max(), .30, np.random.default_rng(5))
    bins = [int(round(d / z[1])) for d in DEPTHS]
    raw = np.array([s.detect(s.expected([z[q]], [0.3]), L=LINES) for q in bins]).astype(np.uint16)
    noise = np.sqrt(np.mean(reference / 4095 * s.fwc) + s.read_e**2) * 4095 / s.fwc * np.sqrt(.30 / mask.mean())
    calibration = {"wavelength_nm": s.lam[s.perm] * 1e3, "background": reference}

    def image(elements):
        a = plugin.run(raw, calibration, elements, build, "mode=background")
        return np.abs(a).reshape(len(DEPTHS), LINES, -1)

    def backgrounds(a):
        peaks, floors = [], []
        for line, q in zip(a, bins):
            far = np.ones(a.shape[2], bool)
            far[:15] = far[max(q - 120, 0):q + 121] = False
            peaks.append(line.mean(0)[q - 3:q + 4].max())
            floors.append(np.sqrt((line[:, far]**2).mean()))
        return plugin.decibel(np.maximum(np.array(floors) / peaks[0], 1e-9))

    images, rows = {"all samples (octnufft)": image("octnufft method=nudft window=none")}, []
    whole = backgrounds(images["all samples (octnufft)"])
    checks.near("mirrors, all samples, background at 80 um", whole[0], ALL_MIRRORS[0], FLOOR)
    checks.near("mirrors, all samples, worst background", whole.max(), ALL_MIRRORS[1], FLOOR)
    with tempfile.TemporaryDirectory() as folder:
        for solver, expected in MIRRORS.items():
            found = []
            for steps, (first, worst) in zip(STEPS, expected):
                a = image(octcs(folder, mask, solver, steps, 3, noise))
                floors = backgrounds(a)
                found.append((floors[0], floors.max()))
                checks.near(f"mirrors, {solver}, {steps} steps, background at 80 um", floors[0], first, FLOOR)
                checks.near(f"mirrors, {solver}, {steps} steps, worst background", floors.max(), worst, FLOOR)
                if steps == 8:
                    images[f"30 %, {solver}, {steps} steps"] = a
            rows.append([solver, *(f"{a:.0f} / {b:.0f}" for a, b in found)])
    print(f"Mirrors, 30 %, tau 3: background at 80 um / at the worst depth, dB; all samples {whole[0]:.0f} / "
          f"{whole.max():.0f}\n")
    print(by_steps(rows))
    if path:
        plot_mirrors(path, images, z[1])


def plot_mirrors(path, images, micrometres):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(len(images), 1, figsize=(8, 8.4), sharex=True, sharey=True, layout="constrained")
    for axis, (name, a) in zip(axes, images.items()):
        depth = np.arange(a.shape[2]) * micrometres * 1e-3
        first = a[0].mean(0).max()
        for line in a:
            axis.plot(depth, plugin.decibel(np.maximum(line.mean(0) / first, 1e-6)), lw=0.8)
        axis.set(title=name, ylim=(-100, 3), ylabel="dB")
        axis.title.set_fontsize(10)
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel("depth in mm")
    figure.savefig(path, dpi=75)


# ------------------------------------------------------------------- phantom
class Phantom:
    def __init__(self, build):
        self.rng = np.random.default_rng(8)
        s = octref.Spectrometer(N=SAMPLES, level=.6, fwc=2.5e4, read_e=30, os=4, seed=9)
        expected = s.expected(*octref.layer_phantom(48, self.rng))
        self.raw, self.source, self.build = s.detect(expected).astype(np.uint16)[None], s.reference(), build
        clean = (expected * s.level * 4095)[:, s.perm] - self.source
        self.calibration = {"wavelength_nm": s.lam[s.perm] * 1e3, "background": self.source}
        self.nodes = octref.nodes(s.k)
        self.truth = np.abs(exp_cs_fast.Operator(self.nodes, np.ones(SAMPLES, bool)).adjoint(clean))
        self.variance = (self.source / 4095 * s.fwc + s.read_e**2) * (4095 / s.fwc)**2
        self.noise = np.sqrt(self.variance.mean())
        level = 10 * np.log10(uniform_filter(self.truth**2, (7, 9)) / self.noise**2)
        there = np.zeros(self.truth.shape, bool)
        there[:, 60:400] = True
        self.tissue, self.weak = there & (level > 0), there & (level > 5) & (level < 20)
        self.dark = np.zeros(self.truth.shape, bool)
        self.dark[8:40, 700:950] = True

    def mask(self, rate):
        return octref.mask_variable_density(self.source / self.source.max(), rate, self.rng)

    def reference(self, mask):
        """By solver, of steps and tau: amplitudes of the reference."""
        op, sigma = exp_cs_fast.Operator(self.nodes, mask), np.sqrt(self.variance[mask].sum() / SAMPLES)
        b = op.adjoint(self.raw[0] - self.source)
        return {SPARSA: lambda steps, tau: np.abs(exp_cs_fast.sparsa(op, b, tau * sigma, steps)),
                CONTINUED: lambda steps, tau: np.abs(exp_cs_fast.continued(op, b, tau * sigma, steps)),
                PERSISTENT: lambda steps, tau: np.abs(exp_cs_fast.persistent(op, b, steps, tau)[0])}

    def image(self, elements):
        return np.abs(plugin.run(self.raw, self.calibration, elements, self.build, "mode=background"))

    def shown(self, a):
        low = plugin.decibel(self.noise) - 3
        return np.clip(plugin.decibel(np.maximum(a, 1e-9)), low, low + 60)

    def measure(self, a):
        """error of tissue, PSNR of the logarithm; of weak layers error, level, contrast
        to noise and part that is zero"""
        def error(where):
            return np.sqrt(((a - self.truth)[where]**2).sum() / (self.truth[where]**2).sum())
        log = plugin.decibel(60 / np.sqrt(((self.shown(a) - self.shown(self.truth))[:, 30:]**2).mean()))
        level = 10 * np.log10((a[self.weak]**2).sum() / (self.truth[self.weak]**2).sum())
        weak, dark = a[self.weak], a[self.dark]
        contrast = (weak.mean() - dark.mean()) / np.sqrt(weak.var() + dark.var())
        return error(self.tissue), log, error(self.weak), level, contrast, (weak == 0).mean()


def phantom(build, checks, path):
    p = Phantom(build)
    images, rows = {"all samples": p.image("octnufft method=nudft window=none")}, []
    with tempfile.TemporaryDirectory() as folder:
        mask = p.mask(.40)
        noise, reference = np.sqrt(p.variance[mask].mean()), p.reference(mask)
        for (solver, tau), expected in PHANTOM.items():
            found = []
            for steps, figures in zip(STEPS, expected):
                a = p.image(octcs(folder, mask, solver, steps, tau, noise))
                found.append(p.measure(a))
                check_phantom(checks, f"{solver}, {steps} steps", found[-1], figures)
                limit = MAGNIFIED if (solver, steps) == (PERSISTENT, 15) else ROUNDING
                checks.near(f"phantom, {solver}, {steps} steps, against the reference",
                            octref.rel_err(a, reference[solver](steps, tau)), 0, limit)
                if (solver, steps) in ((SPARSA, 15), (PERSISTENT, 8)):
                    images[f"40 %, {solver}, {steps} steps"] = a
            rows.append([f"{solver}, tau {tau}", *("{:.3f} / {:.1f}".format(*f) for f in found)])
            rows.append(["weak layers", *("{2:.2f} / {3:+.1f} / {4:.2f} / {5:.2f}".format(*f) for f in found)])
        whole = p.measure(images["all samples"])
        check_phantom(checks, "all samples", whole, ALL_PHANTOM)
        print("\nPhantom, 40 %: error of tissue / PSNR of the logarithm in dB; weak layers: error / level in dB / contrast "
              "/ zeros.\nAll samples {:.3f} / {:.1f}; {:.2f} / {:+.1f} / {:.2f} / {:.2f}\n".format(*whole))
        print(by_steps(rows))
        fewer_samples(p, folder, checks)
    if path:
        plot_images(path, {name: a.T for name, a in images.items()}, 60, 600)


def check_phantom(checks, name, found, expected):
    names = ("error of tissue", "PSNR", "error of weak layers", "level of them", "contrast", "zeros")
    for what, x, y, tolerance in zip(names, found, expected, (ERROR, PSNR, WEAK, LEVEL, CONTRAST, ZEROS)):
        checks.near(f"phantom, {name}, {what}", x, y, tolerance)


def fewer_samples(p, folder, checks):
    rows = []
    for rate, expected in PHANTOM_RATES.items():
        mask = p.mask(rate)
        noise = np.sqrt(p.variance[mask].mean())
        found = [p.measure(p.image(octcs(folder, mask, *how)))[0]
                 for how in ((SPARSA, 15, 2, noise), (PERSISTENT, 6, 3, 0), (PERSISTENT, 8, 3, 0))]
        rows.append([f"{rate:.0%}", *(f"{error:.3f}" for error in found)])
        for how, error, figure in zip(("sparsa", "persistent, 6 steps", "persistent, 8 steps"), found, expected):
            if figure is not None:
                checks.near(f"phantom, {rate:.0%}, {how}, error of tissue", error, figure, ERROR)
    print("\nPhantom, fewer samples: error of tissue\n")
    print(plugin.table(["samples", "sparsa, 15 steps, tau 2", "persistent, 6 steps", "8 steps"], rows))


# -------------------------------------------------------------------- C-scan
def cscan(folder, build, checks, path):
    """B-scan 50, 100 A-lines of 1024 samples, dispersion compensated"""
    raw = np.fromfile(os.path.join(folder, "cscan_100x100x1024_u16.raw"), "<u2").reshape(100, 100, 1024)[50:51]
    text = np.genfromtxt(os.path.join(folder, "calibration.csv"), delimiter=",", names=True)
    calibration = {name: text[name] for name in ("k_index", "dispersion_rad")}
    mask = exp_cs_fast.octcs_mask(1024, .4)

    def image(elements):
        return np.abs(plugin.run(raw, calibration, "octdispersion ! " + elements, build))

    images, rows = {"100 %": image("octnufft method=nudft")}, []
    whole = images["100 %"]
    floor = np.sqrt((whole[:, 420:500]**2).mean())
    strong = whole > 10 * floor

    def measure(a):
        def log(x):
            return plugin.decibel(np.maximum(x[:, 8:400], floor)).ravel()
        return (np.linalg.norm((a - whole)[strong]) / np.linalg.norm(whole[strong]),
                np.corrcoef(log(a), log(whole))[0, 1])

    # the estimate is one of A^H noise; octcs takes the noise of all samples
    import chain
    op, b, gain, _ = exp_cs_fast.real(chain.subtract_dc(raw[0]), chain.Calibration.read(
        os.path.join(folder, "calibration.csv")), .4, True)
    estimated = exp_cs_fast.estimate_old(op, b) / gain
    checks.near("C-scan, noise as once estimated, of the true one", estimated / floor, ESTIMATED, .03)
    noises = {"known": floor, "once estimated": estimated, "not needed": 0}

    with tempfile.TemporaryDirectory() as temporary:
        for solver, steps, tau, noise, *expected in CSCAN:
            a = image(octcs(temporary, mask, solver, steps, tau, noises[noise], "hann"))
            found = measure(a)
            name = f"{solver}, {steps} steps, tau {tau}, noise {noise}"
            rows.append([name, f"{found[0]:.3f}", f"{found[1]:.3f}"])
            checks.near(f"C-scan, {name}, error of strong parts", found[0], expected[0], ERROR)
            checks.near(f"C-scan, {name}, correlation of the logarithm", found[1], expected[1], ERROR)
            if noise != "once estimated" and steps != 8:
                images[f"40 %, {solver}, {steps} steps"] = a
    print("\nReal B-scan, 40 %: error of strong parts, correlation of the logarithm, both with all samples\n")
    print(plugin.table(["", "error", "correlation"], rows))
    if path:
        plot_images(path, {name: a.T for name, a in images.items()}, 50, 400)


def plot_images(path, images, span, depths):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, len(images), figsize=(3.6 * len(images), 4.2), layout="constrained")
    top = plugin.decibel(next(iter(images.values())).max())
    for axis, (name, a) in zip(axes, images.items()):
        axis.imshow(plugin.decibel(np.maximum(a[:depths], 1e-6)), cmap="gray", vmin=top - span, vmax=top,
                    aspect="auto", interpolation="nearest")
        axis.set(title=name, xlabel="A-line")
    axes[0].set_ylabel("depth bin")
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder of the real C-scan")
    parser.add_argument("--build", help="build folder of the plugin")
    for name in ("mirrors", "phantom", "cscan"):
        parser.add_argument(f"--plot-{name}", help="PNG file to write")
    parser.add_argument("--check", action="store_true", help="fail where a figure is not the reference's")
    options = parser.parse_args()
    checks = plugin.Checks()
    mirrors(options.build, checks, options.plot_mirrors)
    phantom(options.build, checks, options.plot_phantom)
    if options.data and os.path.isdir(options.data):
        cscan(options.data, options.build, checks, options.plot_cscan)
    if options.check:
        checks.end()


if __name__ == "__main__":
    main()
