#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compressive sensing of mirrors at nine depths: Fig. 2 of Xu, Huang and Kang,
Opt. Express 22, 14871 (2014), with 30 % of the samples, 15 iterations and
a threshold of three standard deviations of the noise.

    cs-mirrors.py [--build BUILD] [--plot FILE.png] [--check]

The spectrometer of the float64 reference (reference/octref.py) makes the
spectra; the A-scans are those of the plugin.  --check ends with an error when a
figure is more than 1 dB from the reference's (reference/exp_xu.py 16 3.0 eq14
0.1), and for one side lobe, which EXCEPTION names, more than 1.6 dB.
"""
import argparse
import os
import sys
import tempfile

try:
    import numpy as np
    import scipy  # noqa: F401, the reference needs it
except ImportError:
    print("numpy or scipy is missing")
    sys.exit(77)
import plugin
import octref

SAMPLES, LINES, RATE, TAU = 2048, 16, 0.30, 3.0
DEPTHS = (80, 250, 420, 590, 760, 850, 1020, 1190, 1360)  # um
NUDFT, CUBIC, NEAREST, MNUDFT, NUFFT = "NUDFT, all samples", "FFT-CS, cubic", "FFT-CS, nearest", "NUDFT-CS", "NUFFT-CS"
ALL = (NUDFT, CUBIC, NEAREST, MNUDFT, NUFFT)
NOTHING = -150  # dB; the reference writes -180 where there are only zeros
LOBE = "Highest side lobe 12 to 100 bins beside the peak, of the peak"
EXCEPTION, EXCEPTIONAL = (LOBE, NUFFT, 420), 1.6
# of exp_xu.py, dB: roll-off at all depths, rms background, side lobes
EXPECTED = {
    NUDFT: ((0, -0.3, -0.8, -1.7, -2.8, -3.6, -5.2, -7, -9.1),
        (-59.3, -59.3, -59.3, -59.3, -59.3, -58.7, -55.3, -50.6, -57.4),
        (-56.5, -57, -57.1, -56.6, -54.6, -54, -52.3, -39.2, -26.9)),
    CUBIC: ((0, -0.3, -0.9, -1.8, -3, -3.9, -5.9, -8.7, -12.4),
        (-106.5, -97.4, -93.1, -107, -97.3, -87.2, -71.6, -61.1, -59.6),
        (-180, -110.1, -83.1, -84, -88.2, -74, -54.2, -36.9, -23.5)),
    NEAREST: ((0, -0.6, -1.7, -2.9, -4.4, -5.8, -7.7, -9.7, -12.5),
        (-69.4, -50.6, -45.4, -43.3, -42.5, -41.4, -42.1, -42.9, -45.6),
        (-47.8, -34.8, -28.5, -26.5, -23.1, -20.5, -23.4, -19.9, -16.3)),
    MNUDFT: ((0, -0.2, -0.7, -1.6, -2.7, -3.5, -5.1, -7, -9.2),
        (-71.6, -86.3, -85, -90.5, -86.2, -88.1, -95.7, -91.9, -95.8),
        (-59.3, -78.7, -74.1, -81, -74.6, -77.5, -97.7, -80.4, -96.4)),
    NUFFT: ((0, -0.2, -0.7, -1.6, -2.7, -3.5, -5.1, -7, -9.2),
        (-71.5, -86, -84.8, -90.5, -85.6, -87.7, -95.7, -91.5, -96.2),
        (-57.5, -80, -73.9, -80.8, -74.2, -78.5, -94.1, -77.9, -95.6)),
}


# of exp_cs_fast.py: rms background at 80 um by the number of steps; the solver
# has not converged below 15
STEPS = {8: None, 10: -44.3, 12: -48.3, 15: -71.5, 20: -94.4, 30: None}


def spectra():
    """[depths][LINES][SAMPLES] counts, ascending in wavenumber; all else that is
    known of them"""
    s = octref.Spectrometer(N=SAMPLES, lam_c=.845, fwhm=.105, dlam=.240 / 2048, wres=1.0, os=8, level=0.5, fwc=2.5e4,
                            read_e=30, seed=2)
    rng = np.random.default_rng(5)
    reference, z = s.reference(), octref.depth_axis(s.k)
    source = reference / reference.max()
    masks = {"pixels": octref.mask_variable_density(source, RATE, rng)}
    _, nearest = octref.mask_linear_k(s.k, RATE, rng)  # the pixel of each uniform wavenumber
    uniform = np.interp(octref.uniform_k(s.k), s.k, source)
    masks["uniform"] = octref.mask_variable_density(uniform, RATE, rng)
    bins = np.array([int(round(depth / z[1])) for depth in DEPTHS])
    raw = np.array([s.detect(s.expected([z[q]], [0.3]), L=LINES) for q in bins]).astype(np.uint16)
    electrons = np.mean(reference / 4095 * s.fwc)
    noise = np.sqrt(electrons + s.read_e**2) * 4095 / s.fwc
    # the threshold of exp_xu.py: of 30 % exactly
    noise *= np.sqrt(RATE / masks["pixels"].mean())
    calibration = {"wavelength_nm": s.lam[s.perm] * 1e3, "background": reference}
    return raw, calibration, nearest, masks, noise, bins, z[1]


def reconstruct(raw, calibration, nearest, masks, noise, build):
    """Per method the amplitudes, [depths][LINES][SAMPLES / 2]"""
    with tempfile.TemporaryDirectory() as folder:
        def sensing(mask, properties):
            path = os.path.join(folder, mask + ".txt")
            np.savetxt(path, masks[mask], "%d")
            return f"octcs solver=sparsa window=none tau={TAU} noise={noise} mask=file mask-file={path} {properties}"

        elements = {
            NUDFT: "octnufft method=nudft window=none",
            CUBIC: "octkresample method=cubic ! " + sensing("uniform", "transform=fft"),
            NEAREST: sensing("uniform", "transform=fft"),
            MNUDFT: sensing("pixels", "transform=nudft"),
            NUFFT: sensing("pixels", "transform=nufft oversampling=2 kernel-width=3"),
        }
        found = {}
        for name, line in elements.items():
            given, known, properties = raw, calibration, "mode=background"
            if name == NUFFT:  # a GPU has the exact transform in its place
                properties += " backend=cpu"
            if name == NEAREST:
                given, known = raw[:, :, nearest], {"background": calibration["background"][nearest]}
                properties += " axis=wavenumber"
            found[name] = np.abs(plugin.run(given, known, line, build, properties)).reshape(len(DEPTHS), LINES, -1)
        return found


def measure(amplitudes, bins):
    """As exp_xu.py: the peak, the rms far from it and the highest value of
    the mean profile 12 to 100 bins from it, dB"""
    peaks, backgrounds, lobes = [], [], []
    for a, q in zip(amplitudes, bins):
        profile = a.mean(0)
        peak = profile[q - 3:q + 4].max()
        far = np.ones(a.shape[1], bool)
        far[:15] = False
        far[max(q - 120, 0):q + 121] = False
        beside = np.r_[profile[max(q - 100, 3):q - 12], profile[q + 13:q + 101]]
        peaks.append(peak)
        backgrounds.append(np.sqrt((a[:, far]**2).mean()))
        lobes.append(beside.max())
    peaks, backgrounds, lobes = np.array(peaks), np.array(backgrounds), np.array(lobes)
    return tuple(plugin.decibel(np.maximum(x, 1e-9)) for x in (
        peaks / peaks[0], backgrounds / peaks[0], lobes / peaks))


def report(found, checks):
    texts = ("Roll-off: the peak, of the first depth's", "Background, rms, of the first peak",
             LOBE)
    for i, text in enumerate(texts):
        print(f"{text}, in dB\n")
        print(plugin.table(["", *(f"{depth} um" for depth in DEPTHS)], [
            # 1e-9 stands for nothing at all
            [name, *("none" if x < NOTHING else f"{x:.1f}" for x in found[name][i])] for name in ALL]) + "\n")
        for name in EXPECTED:
            for depth, x, expected in zip(DEPTHS, found[name][i], EXPECTED[name][i]):
                # the exception depends on two of the 16 A-lines, where the
                # threshold leaves half of the values; all others are 0
                tolerance = EXCEPTIONAL if (text, name, depth) == EXCEPTION else 1
                if max(x, expected) > NOTHING:
                    checks.near(f"{text}, {name}, {depth} um", x, expected, tolerance)


def report_steps(raw, calibration, masks, noise, bins, build, checks):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pixels.txt")
        np.savetxt(path, masks["pixels"], "%d")
        for steps, expected in STEPS.items():
            line = (f"octcs solver=sparsa window=none tau={TAU} noise={noise} mask=file mask-file={path} transform=nudft "
                    f"iterations={steps}")
            a = np.abs(plugin.run(raw, calibration, line, build, "mode=background"))
            background = measure(a.reshape(len(DEPTHS), LINES, -1), bins)[1]
            rows.append([str(steps), *(f"{background[DEPTHS.index(depth)]:.1f}" for depth in (80, 420, 760, 1360))])
            if expected is not None:
                checks.near(f"background at 80 um after {steps} steps", background[0], expected, 1)
    print("Background of NUDFT-CS by the number of steps, in dB of the first peak\n")
    print(plugin.table(["`iterations`", "80 um", "420 um", "760 um", "1360 um"], rows))


def plot(path, amplitudes, bins, micrometres):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(len(ALL), 1, figsize=(8, 10), sharex=True, sharey=True, layout="constrained")
    z = np.arange(SAMPLES // 2) * micrometres * 1e-3
    for axis, name in zip(axes, ALL):
        first = amplitudes[name][0].mean(0).max()
        for a in amplitudes[name]:
            axis.plot(z, plugin.decibel(np.maximum(a.mean(0) / first, 1e-6)), lw=0.8)
        axis.set(title=name, ylim=(-100, 3), ylabel="dB")
        axis.title.set_fontsize(10)
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel("depth in mm")
    figure.savefig(path, dpi=75)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", help="build folder of the plugin")
    parser.add_argument("--plot", help="PNG file to write")
    parser.add_argument("--check", action="store_true", help="fail where a figure is not the reference's")
    options = parser.parse_args()
    checks = plugin.Checks()
    raw, calibration, nearest, masks, noise, bins, micrometres = spectra()
    amplitudes = reconstruct(raw, calibration, nearest, masks, noise, options.build)
    report({name: measure(amplitudes[name], bins) for name in ALL}, checks)
    report_steps(raw, calibration, masks, noise, bins, options.build, checks)
    if options.plot:
        plot(options.plot, amplitudes, bins, micrometres)
    if options.check:
        checks.end()


if __name__ == "__main__":
    main()
