#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes of which a part of the A-lines and of the samples was taken, filled in
by octvolumecs: a simulated tissue, of which the truth is known, and a real C-scan.

    volume-cs.py REFERENCE [--data CSCAN_FOLDER] [--build BUILD] [--check]
                 [--plot FILE.png]

REFERENCE is the folder of the float64 reference: its exp_xu3d.py makes the
tissue, its octref.joint_scans() is what method=joint is compared with, value by
value, and the figures are those of its table.  --check ends with an error where
one of them is not met.
"""
import argparse
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import scipy  # noqa: F401, of the reference
except ImportError:
    print("numpy or scipy is missing")
    sys.exit(77)
import plugin

NX, NY, N = 64, 48, 512
DEPTHS = slice(36, 164)
SPOT = (3, 12)  # B-scans, A-lines
# parts of the samples and, along each direction, of the lines; of the reference:
# e of linear interpolation behind the paper's first step and of joint, A-lines by
# lot in the plane, the same A-lines, and of envelope, all A-lines
RATES = {"18 %": (.5, .6, .218, .051, .145, .239), "10 %": (.4, .5, .313, .075, .232, .359)}
# the paper's three steps: weighted wavelet, Fourier
PAPER = {"18 %": (.343, .384), "10 %": (.427, .469)}
TOLERANCE, SAME = .01, 1e-4


def fill(y, acquired, elements, build, axis="wavenumber"):
    """Complex A-scans [B-scans][A-lines][depths] of spectra y of which the plugin
    gets to see those that were acquired, and what octvolumecs says of them."""
    environment = dict(os.environ)
    if build is not None:
        environment["GST_PLUGIN_PATH"] = os.path.join(os.path.abspath(build), "gst")
    with tempfile.TemporaryDirectory() as folder:
        given, mask, taken = (os.path.join(folder, name) for name in ("in.npy", "mask.txt", "out.raw"))
        # what was not acquired is no number, and would be seen
        np.save(given, np.where(acquired[..., None], y, np.nan).astype("<f4"))
        np.savetxt(mask, acquired, "%d")
        line = (f"octsrc location={given} ! octdcsub mode=none axis={axis} ! {elements} scan-mask-file={mask} name=v "
                f"! filesink location={taken}")
        done = subprocess.run(["gst-launch-1.0", "-v", *line.split()], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise SystemExit(f"{line}\n{done.stdout}")
        said = dict(row.split(": ", 1)[1].split(" = ", 1) for row in done.stdout.splitlines()
                    if "GstOctVolumeCs:v: " in row)
        return np.fromfile(taken, np.complex64).reshape(*acquired.shape, -1).astype(complex), said


def joint(build, y, acquired, rate, more=""):
    return fill(y, acquired, f"octvolumecs method=joint window=none sampling-rate={rate} {more}", build)


def tissue(octref, experiments, build, checks):
    truth, y, amplitude = experiments.tissue(NX, NY, N, 1)
    T, where = np.abs(truth[..., DEPTHS]), amplitude[..., DEPTHS] > 1
    full = octref.half_adjoint(y)[..., DEPTHS]
    error = lambda v: octref.rel_err(np.abs(v)[where], T[where])
    rows, images = [["all data", "", f"{error(full):.3f}", "", "", ""]], {"all data": full}
    known = f"spot-x={SPOT[1]} spot-y={SPOT[0]} noise=1"
    for name, (ra, rl, linear, lot, same, alone) in RATES.items():
        gap = octref.gap_for(rl)
        mx, my = octref.mask_max_gap(NX, rl, gap, 11), octref.mask_max_gap(NY, rl, gap, 12)
        separate = my[:, None] & mx
        rate = rl * rl
        plane = octref.mask_max_gap(NX * NY, rate, int(np.ceil(1 / rate)), 5).reshape(NY, NX)
        scattered = np.array([octref.mask_max_gap(NX, rate, int(np.ceil(1.6 / rate)), 11 + j) for j in range(NY)])
        # the reference's own, value by value
        found = joint(build, y, plane, ra, known)[0][..., DEPTHS]
        if name == "18 %":
            masks = experiments.masks16(N, ra, *np.nonzero(plane))
            expected = octref.joint_scans(y[plane], masks, plane, 1.0, SPOT)[..., DEPTHS]
            checks.near("joint against the reference", octref.rel_err(found, expected), 0, SAME)
        checks.near(f"{name}: joint, by lot", error(found), lot, TOLERANCE)
        images[f"{name}, joint"] = found
        v = joint(build, y, separate, ra, known)[0][..., DEPTHS]
        checks.near(f"{name}: joint, same lines", error(v), same, TOLERANCE)
        measured, said = joint(build, y, scattered, ra)
        measured = measured[..., DEPTHS]
        # a spot that is found need not be the true one, but must do half as well again as no joint solution
        checks.above(f"{name}: gain of joint, scattered, spot and noise measured", linear / error(measured), 2)
        every = np.ones((NY, NX), bool)
        envelope = {noise: fill(y, every, f"octvolumecs method=envelope window=none sampling-rate={ra * rate} {noise}",
                                build)[0][..., DEPTHS] for noise in ("noise=1", "")}
        checks.near(f"{name}: envelope", error(envelope["noise=1"]), alone, TOLERANCE)
        # the paper's first step, basis pursuit, is the reference's
        scans = np.zeros((NY, NX, N // 2))
        scans[separate] = np.abs(octref.step_axial(y[separate], octref.mask_uniform(N, ra, 7)))
        spectra = octref.half_forward(scans.astype(complex), N)
        interpolated, _ = fill(spectra, separate, "octfft window=none ! octvolumecs method=linear", build)
        interpolated = interpolated[..., DEPTHS]
        checks.near(f"{name}: linear", error(interpolated), linear, TOLERANCE)
        exact = octref.bilinear(scans[my][:, mx][..., DEPTHS], my, mx)
        checks.near(f"{name}: linear against the reference", octref.rel_err(np.abs(interpolated), exact), 0, SAME)
        images[f"{name}, linear"] = interpolated
        for basis, published in zip(("wavelet", "fourier"), PAPER[name]):
            steps, _ = fill(spectra, separate, f"octfft window=none ! octvolumecs method=paper basis={basis}", build)
            steps = error(steps[..., DEPTHS])
            checks.near(f"{name}: paper, {basis}", steps, published, TOLERANCE)
            rows.append([name, f"paper, {basis}", f"{steps:.3f}", f"{published:.3f}", "", ""])
        rows += [[name, "linear, same A-lines", f"{error(interpolated):.3f}", f"{linear:.3f}", "", ""],
                 [name, "joint, same A-lines", f"{error(v):.3f}", f"{same:.3f}", "", ""],
                 [name, "joint, by lot in the plane", f"{error(found):.3f}", f"{lot:.3f}", "", ""],
                 [name, "joint, scattered, spot and noise measured", f"{error(measured):.3f}", "",
                  f"{float(said['spot-x-found']):.1f} x {float(said['spot-y-found']):.1f}",
                  f"{float(said['noise-found']):.2f}"],
                 [name, "envelope, all A-lines", f"{error(envelope['noise=1']):.3f}", f"{alone:.3f}", "", ""],
                 [name, "envelope, noise measured", f"{error(envelope['']):.3f}", "", "", ""]]
    print("Tissue, 48 x 64 A-lines of 512 samples: error of the amplitude against the truth\n")
    print(plugin.table(["data", "how", "error", "reference", "spot found (12 x 3)", "noise found (1)"], rows))
    # what auto does where all samples are there
    _, said = fill(y, scattered, "octfft window=none ! octvolumecs", build)
    checks.near("auto chooses joint", float(said["chosen"] == "joint"), 1, 0)
    print(f"\nauto: {said['chosen']}, coherence {float(said['coherence-x']):.2f} x {float(said['coherence-y']):.2f}: "
          f"{said['reason']}")
    return images, T


def cscan(octref, build, checks, folder):
    """A real C-scan whose B-scans have nothing in common: auto must not choose
    joint."""
    raw = np.fromfile(os.path.join(folder, "cscan_100x100x1024_u16.raw"), "<u2").reshape(100, 100, 1024)[20:68, 20:84]
    calibration = os.path.join(folder, "calibration.csv")
    acquired = np.array([octref.mask_max_gap(NX, .36, 5, 11 + j) for j in range(NY)])
    y = raw - raw.mean(1, keepdims=True, dtype=float)
    _, said = fill(y, acquired, f"octkresample calibration={calibration} ! octfft ! octvolumecs", build,
                   axis="wavelength")
    checks.near("C-scan: auto chooses linear", float(said["chosen"] == "linear"), 1, 0)
    print(f"C-scan: {said['chosen']}, coherence {float(said['coherence-x']):.2f} x {float(said['coherence-y']):.2f}: "
          f"{said['reason']}")


def plot(path, images, truth):
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
    parser.add_argument("reference")
    parser.add_argument("--data")
    parser.add_argument("--build")
    parser.add_argument("--plot")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.reference, "octref.py")):
        print(f"{options.reference} has no octref.py")
        sys.exit(plugin.SKIP)
    sys.path.insert(0, options.reference)
    import exp_xu3d as experiments
    import octref
    checks = plugin.Checks()
    images, truth = tissue(octref, experiments, options.build, checks)
    if options.data and os.path.exists(options.data):
        cscan(octref, options.build, checks, options.data)
    if options.plot:
        plot(options.plot, images, truth)
    if options.check:
        checks.end()


if __name__ == "__main__":
    main()
