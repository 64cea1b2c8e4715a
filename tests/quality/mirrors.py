#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How resampling and the non-uniform transforms treat a mirror: sensitivity
over depth, and the point spread near the end of the range.

    mirrors.py [--build BUILD] [--plot FILE.png] [--data CSCAN_FOLDER] [--check]

The spectrometer is simulated (845 nm, 45 nm wide, 1024 samples, 17 depths, as
in Chan and Tang, Biomed. Opt. Express 1, 1309 (2010), Fig. 4); the A-scans are
those of the plugin.  --data adds the real mirrors of the C-scan.  --check ends
with an error when a figure is not what the float64 reference has.
"""
import argparse
import os
import sys

try:
    import numpy as np
except ImportError:
    print("numpy is missing")
    sys.exit(77)
import plugin

SAMPLES, LINES = 1024, 64
CENTRE, WIDTH = 0.845, 0.045  # um
PIXEL = CENTRE**2 / (4 * 1730.0)  # um: 1.73 mm of range
SPOT = 1.05  # pixels, full width at half maximum
LEVEL, FULL_WELL, READ_NOISE, BITS = 0.45, 5e4, 40, 12  # of the camera; electrons
REFLECTIVITY = 0.2  # amplitude, of the reference arm's
FINE = 8  # points per pixel
METHODS = {
    "linear": "octkresample method=linear ! octfft window=none",
    "cubic": "octkresample method=cubic ! octfft window=none",
    "linear, padded": "octkresample method=linear upsample=2 ! octfft window=none",
    "cubic, padded": "octkresample method=cubic upsample=2 ! octfft window=none",
    "NUFFT": "octnufft window=none",
    "NUDFT": "octnufft window=none method=nudft",
}
# dB, of the reference: what is lost against NUDFT at 1.70 mm, and the level of
# the shoulder 20 to 80 bins in front of a mirror at 1.3 mm
LOSS = {"linear": 6.66, "cubic": 4.80, "linear, padded": 5.11, "cubic, padded": 3.71}
SHOULDER = {"linear": -30.5, "cubic": -40.1, "linear, padded": -45.0, "cubic, padded": -49.6, "NUFFT": -49.7,
            "NUDFT": -49.7}


class Spectrometer:
    """Pixels of finite width and a Gaussian spot, linear in wavelength (Hu,
    Pan and Rollins, Appl. Opt. 46, 8499 (2007))."""

    def __init__(self):
        edge = 8  # pixels beyond the ends, for the spot
        at = (np.arange(-edge * FINE, (SAMPLES + edge) * FINE) + 0.5) / FINE - 0.5
        first = CENTRE - (SAMPLES - 1) / 2 * PIXEL
        self.wavelength = first + np.arange(SAMPLES) * PIXEL
        self.fine = first + at * PIXEL
        self.source = np.exp(-4 * np.log(2) * ((self.fine - CENTRE) / WIDTH) ** 2)
        x = np.arange(-6 * FINE, 6 * FINE + 1) / FINE
        self.spot = np.exp(-4 * np.log(2) * (x / SPOT) ** 2)
        self.spot /= self.spot.sum()
        self.edge = edge * FINE
        k = 2 * np.pi / self.wavelength
        period = (k.max() - k.min()) * SAMPLES / (SAMPLES - 1)
        self.bin = np.pi / period  # um per depth bin
        self.reference = self.see(0, 0)

    def see(self, depth, reflectivity):
        """counts without noise"""
        field = 1 + reflectivity * np.exp(2j * (2 * np.pi / self.fine) * depth)
        light = np.convolve(self.source * np.abs(field) ** 2, self.spot, "same")
        pixels = light[self.edge:self.edge + SAMPLES * FINE].reshape(SAMPLES, FINE).mean(1)
        return pixels * LEVEL * (2**BITS - 1)

    def detect(self, depth, rng):
        """[LINES][SAMPLES] counts with shot and read noise"""
        gain = FULL_WELL / (2**BITS - 1)
        electrons = np.repeat(self.see(depth, REFLECTIVITY)[None] * gain, LINES, 0)
        electrons = rng.poisson(electrons) + READ_NOISE * rng.standard_normal(electrons.shape)
        return np.clip(np.rint(electrons / gain), 0, 2**BITS - 1)


def measure(spectrometer, build):
    """Per method the mean amplitude over the A-lines, [depths][bins]; the bins
    of the mirrors."""
    rng = np.random.default_rng(1)
    bins = np.round(np.linspace(20, 0.985 * SAMPLES / 2, 17)).astype(int)
    raw = np.array([spectrometer.detect(q * spectrometer.bin, rng) for q in bins]).astype(np.uint16)
    calibration = {"wavelength_nm": spectrometer.wavelength * 1e3, "background": spectrometer.reference}
    found = {}
    for name, elements in METHODS.items():
        a = plugin.run(raw, calibration, elements, build, "mode=background")
        found[name] = np.abs(a).reshape(len(bins), LINES, -1).mean(1)
    return found, bins


def peak(profile, q):
    return profile[max(q - 4, 1):q + 5].max()


def report(found, bins, micrometres, checks):
    depths = bins * micrometres * 1e-3
    fall_off = {name: plugin.decibel(np.array([peak(p, q) for p, q in zip(profiles, bins)]))
                for name, profiles in found.items()}
    print("Sensitivity in dB, of the first depth's (NUDFT)\n")
    print(plugin.table(["depth in mm", *METHODS], [
        [f"{z:.2f}", *(f"{fall_off[name][i] - fall_off['NUDFT'][0]:.2f}" for name in METHODS)]
        for i, z in enumerate(depths)]))
    i = int(np.argmin(abs(depths - 1.3)))
    q, shoulder = bins[i], {}
    for name, profiles in found.items():
        side = profiles[i][q - 80:q - 20]
        shoulder[name] = plugin.decibel(np.sqrt((side**2).mean()) / peak(profiles[i], q))
    print(f"\nShoulder 20 to 80 bins in front of the mirror at {depths[i]:.2f} mm, in dB of its peak\n")
    print(plugin.table([*METHODS], [[f"{shoulder[name]:.1f}" for name in METHODS]]))
    for name in METHODS:
        checks.near(f"shoulder of {name}", shoulder[name], SHOULDER[name], 0.3)
    for name in LOSS:
        checks.near(f"loss of {name} at {depths[-1]:.2f} mm", fall_off["NUDFT"][-1] - fall_off[name][-1], LOSS[name],
                    0.3)
    worst = np.abs(fall_off["NUFFT"] - fall_off["NUDFT"]).max()
    print(f"\nNUFFT and NUDFT differ by at most {worst:.4f} dB")
    checks.near("NUFFT against NUDFT", worst, 0, 0.05)
    return depths, fall_off, i


def plot(path, found, depths, bins, fall_off, i, micrometres):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    style = {"linear": ("#c44e52", "-"), "cubic": ("#dd8452", "-"), "NUFFT": ("#4c72b0", "-"),
             "NUDFT": ("black", ":")}
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for name, (colour, line) in style.items():
        left.plot(depths, fall_off[name] - fall_off["NUDFT"][0], line, color=colour, label=name, lw=2)
        profile = plugin.decibel(found[name][i] / peak(found[name][i], bins[i]))
        z = np.arange(len(profile)) * micrometres * 1e-3
        right.plot(z, profile, line, color=colour, label=name, lw=1.2)
    left.set(xlabel="depth in mm", ylabel="sensitivity in dB", title="Fall-off of a mirror")
    right.set(xlabel="depth in mm", ylabel="amplitude in dB", xlim=(depths[i] - 0.4, depths[i] + 0.2), ylim=(-62, 2),
              title=f"A mirror at {depths[i]:.2f} mm")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(loc="lower left" if axes is left else "upper left")
    figure.savefig(path, dpi=90)


def density(build, checks):
    """octnufft gives every sample the same weight, however far its neighbours
    are: the level of a mirror that it finds against that of cubic interpolation,
    with nodes 0.3 to 1.1 of a uniform step apart.  Known: the sum of the window
    over the nodes against that over uniform ones."""
    x = np.linspace(0, 1, SAMPLES - 1)
    rows = []
    for name, distance, width in (("at one end", x, 0.127), ("at both ends", np.minimum(x, 1 - x), 0.0635)):
        t = np.r_[0, np.cumsum(1.1 - 0.8 * np.exp(-distance / width))]
        t *= (SAMPLES - 1) / t[-1]
        phase = 2 * np.pi * 60.3 * t / SAMPLES + np.linspace(0, 6, LINES)[:, None]
        raw = np.rint(2000 + 1000 * np.cos(phase)).astype(np.uint16)[None]
        calibration = {"k_index": np.interp(np.arange(SAMPLES), t, np.arange(SAMPLES))}
        level = {}
        for method, elements in (("cubic", "octkresample ! octfft"), ("NUFFT", "octnufft")):
            a = np.abs(plugin.run(raw, calibration, elements, build, "mode=none"))
            level[method] = plugin.decibel(a.mean(0)[50:70].max())
        found = level["NUFFT"] - level["cubic"]
        nodes = np.sin(np.pi * t / (SAMPLES - 1))**2
        uniform = np.hanning(SAMPLES)
        expected = plugin.decibel(nodes.sum() / uniform.sum())
        checks.near(f"level of NUFFT against cubic, samples dense {name}", found, expected, 0.05)
        rows.append([name, f"{np.diff(t).min():.2f} to {np.diff(t).max():.2f}", f"{found:.2f}"])
    print("\nLevel of a mirror with NUFFT against cubic interpolation (Hann window), samples dense in wavenumber\n")
    print(plugin.table(["dense", "step between samples", "dB"], rows))


def half_width(a):
    """bins between the places where the peak has fallen to a half, linear
    between bins"""
    q = a.argmax()
    half, width = a[q] / 2, 0.0
    for step in (-1, 1):
        i = q
        while a[i + step] > half:
            i += step
        width += abs(i - q) + (a[i] - half) / (a[i] - a[i + step])
    return width


def real_mirrors(folder, build, checks):
    """Bins above half of the maximum, 2 for both as the README of the data says.
    The mirrors lie on opposite sides of the zero delay, which is why the
    dispersion has opposite signs."""
    def load(name):
        return np.load(os.path.join(folder, name + ".npy")).astype(float).reshape(-1)

    text = np.genfromtxt(os.path.join(folder, "calibration.csv"), delimiter=",", names=True)
    rows = []
    for number, expected, sign in ((1, 48, -1), (2, 125, 1)):
        y = load(f"mirror{number}") - load("dark_ref") - load(f"dark_sample{number}") + load("dark_not")
        y = (y - y.mean()).astype(np.float32)[None, None]
        calibration = {"k_index": text["k_index"], "dispersion_rad": sign * text["dispersion_rad"]}
        for name, before, transform in (("cubic", "octkresample !", "octfft"), ("NUFFT", "", "octnufft"),
                                        ("NUDFT", "", "octnufft method=nudft")):
            widths = []
            for dispersion in ("", "octdispersion !"):
                a = np.abs(plugin.run(y, calibration, f"{before} {dispersion} {transform}", build, "mode=none"))[0]
                a[:20] = 0  # what is left of the source near the zero delay
                widths.append(f"{half_width(a):.2f}")
            width = int((a > a.max() / 2).sum())
            rows.append([f"mirror {number}", name, str(a.argmax()), *widths, str(width)])
            checks.near(f"bin of mirror {number}, {name}", a.argmax(), expected, 1)
            checks.near(f"width of mirror {number}, {name}", width, 2, 0)
    print("\nReal mirrors (Hann window): bin of the peak, its width at half maximum in bins without and with the\n"
          "compensation of dispersion, and with it the bins above half of it\n")
    print(plugin.table(["", "method", "bin", "without", "with", "bins"], rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", help="build folder of the plugin")
    parser.add_argument("--plot", help="PNG file to write")
    parser.add_argument("--data", help="folder of the real C-scan and its mirrors")
    parser.add_argument("--check", action="store_true", help="fail where the figures are not the reference's")
    options = parser.parse_args()
    spectrometer, checks = Spectrometer(), plugin.Checks()
    found, bins = measure(spectrometer, options.build)
    depths, fall_off, i = report(found, bins, spectrometer.bin, checks)
    if options.plot:
        plot(options.plot, found, depths, bins, fall_off, i, spectrometer.bin)
    density(options.build, checks)
    if options.data and os.path.isdir(options.data):
        real_mirrors(options.data, options.build, checks)
    if options.check:
        checks.end()


if __name__ == "__main__":
    main()
