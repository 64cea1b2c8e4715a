#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A whole instrument, from the voltages of its scanner to a picture: octscangen moves the
mirrors of oct-daq-sim, which are late; a swept source whose sweeps begin sooner or later,
with a k-clock; a digitizer that loses A-lines; then octdaqsrc, octkclock, octdcsub, octfft
(after octkclock spectra are even in wavenumber, and octnufft has nothing to do), octremap,
octvolumecs, octlogscale, octenface and octvolume. The pictures of a spiral that
loses A-lines are to be as near to the truth as those of a raster that loses none.

    instrument.py --daq-sim PROGRAM [--build BUILD] [--check] [--keep FOLDER]

--check ends with an error if they are not; --keep keeps the pictures as .npz.

The truth are the spectra of the virtual system without noise, reconstructed in double
precision by k_resample and a_scans_fft of reference/chain.py, at the middles of the pixels.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
from types import SimpleNamespace

try:
    import numpy as np
    import scipy.interpolate  # noqa: F401
except ImportError:
    print("NumPy or SciPy is missing")
    sys.exit(77)
import plugin
import chain

SIZE = 128          # pixels of a picture's side
SAMPLES = 512
SAMPLE = 6          # mm, the side of the sample
RATE = 100000
# The mirrors are late by 2 z / w, and octscangen knows it.
FREQUENCY, DAMPING = 2000, 0.8
DELAY = DAMPING / (np.pi * FREQUENCY)
LOSS = 0.05         # of the blocks, before which up to a block is lost
JITTER = 1.0        # samples by which sweeps begin sooner or later
# As a multiple of a real camera's: the raster comes to 28 dB then, as with the noise of
# docs/elements/octremap.md. With less, pictures differ by how they are interpolated.
NOISE = 4.0
BLACK, WHITE = 32, 70  # dB, black is above the noise
PATIENCE = 240      # s
# PSNR of the raster from above, dB: below, both pictures are bad.
LEAST = 26
# Decibels that the spiral may be worse than the raster.
WORSE = 1.5
LIMITS = "limit-amplitude-x=6 limit-amplitude-y=6"
LOG = f"octlogscale range=manual min={BLACK} max={WHITE}"
STEP = SAMPLE / SIZE * 1e-3  # m
# pi / (k1 - k2) of all samples, m
Z_STEP = 0.5e-9 / ((1 / 790 - 1 / 900) * SAMPLES / (SAMPLES - 1))
GRID = f"octremap columns={SIZE} rows={SIZE} x-spacing={STEP} y-spacing={STEP}"
RASTER = f"pattern=raster lines={SIZE} bscans={SIZE} width={SAMPLE} height={SAMPLE}"
# as many A-lines for an area, and as wide as the raster is from corner to corner
SPIRAL = f"pattern=spiral lines={SIZE} bscans={round(SIZE * np.pi / 2 * 1.01)} width={SAMPLE * np.sqrt(2) * 1.005:.3f}"
LATE = f" delay-x={DELAY} delay-y={DELAY} galvo-frequency={FREQUENCY} galvo-damping={DAMPING}"
INSTRUMENT = ["--k-clock", "--sweep-jitter", str(JITTER), "--noise", str(NOISE), "--galvo-frequency", str(FREQUENCY),
              "--galvo-damping", str(DAMPING)]
# properties of octscangen; options of oct-daq-sim; elements after octremap
SCANS = {
    "raster": (RASTER + LATE, [], ""),
    "lossy spiral": (SPIRAL + LATE, ["--lose", str(LOSS), "--block-lines", "32"], "! octvolumecs "),
}
PICTURES = {
    "above": (f"octenface bscans={SIZE} update=volume range=manual min=0 max=60", "GRAY8"),
    "volume": (f"octvolume bscans={SIZE} update=volume", "RGB"),
}


def environment(build):
    found = dict(os.environ)
    if build is not None:
        found["GST_PLUGIN_PATH"] = os.path.join(os.path.abspath(build), "gst")
    return found


def launch(line, folder, build):
    done = subprocess.run(["gst-launch-1.0", "-q", *line.split()], env=environment(build), text=True, cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
    if done.returncode != 0:
        raise SystemExit(f"{line}\n{done.stdout}")
    return done.stdout


def take(daq_sim, folder, build, scan, chain_line, *options):
    """Runs the instrument: `scan` are properties of octscangen, `chain_line` comes after octdaqsrc."""
    launch(f"octscangen {scan} {LIMITS} line-rate={RATE} gate=true scan-output=path.txt volumes=1 "
           "! audio/x-raw,format=F64LE ! filesink location=volts.raw", folder, build)
    sizes = dict(pair.split("=") for pair in scan.split())
    with subprocess.Popen([daq_sim, "--volts", "volts.raw", "--volts-rate", str(RATE), "--samples", str(SAMPLES),
                           "--lines", sizes["lines"], "--bscans", sizes["bscans"], "--phantom", "surgery", "--still",
                           "--sample-columns", str(SIZE * 3 // 2), "--lossless", "--readers", "1", *options, "daq"],
                          cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as simulated:
        try:
            launch(f"octdaqsrc socket=daq reconnect=false timeout=60000 {chain_line}", folder, build)
            said, _ = simulated.communicate(timeout=PATIENCE)
            assert simulated.returncode == 0, said
        finally:
            simulated.kill()
    return int(said.split()[2])


# From A-scans to the files of all pictures, after which only the last picture counts.
DRAW = f"{LOG} ! tee name=t " + " ".join(
    f"t. ! queue max-size-time=0 max-size-bytes=0 max-size-buffers=0 ! {element} ! video/x-raw,width={2 * SIZE},"
    f"height={2 * SIZE} ! videoconvert ! video/x-raw,format={kind} ! filesink location={name}.raw"
    for name, (element, kind) in PICTURES.items())


def read_pictures(folder):
    found = {}
    for name, (_, kind) in PICTURES.items():
        size = 4 * SIZE * SIZE * {"GRAY8": 1, "RGB": 3}[kind]
        data = np.fromfile(folder / f"{name}.raw", np.uint8)
        assert data.size >= size and data.size % size == 0, (name, data.size)
        found[name] = data[-size:].astype(float)
    return found


def find_truth(daq_sim, folder, build):
    """Pictures of A-scans without noise, in double precision."""
    take(daq_sim, folder, build, RASTER, "! filesink location=spectra.raw", "--noise", "0")
    spectra = np.fromfile(folder / "spectra.raw", "<u2").reshape(SIZE, SIZE, SAMPLES)
    # of the virtual spectrometer, nm
    nm = np.linspace(790, 900, SAMPLES)
    k = 1 / nm
    # samples that lie at even wavenumbers, falling as those of the samples do
    at = scipy.interpolate.CubicSpline(-k, np.arange(SAMPLES))(np.linspace(-k[0], -k[-1], SAMPLES))
    cal = SimpleNamespace(s=at, dispersion=None)
    # the spectrum of the source: in all of the volume, no depth has much in common
    source = spectra.mean((0, 1))
    ascans = np.stack([chain.a_scans_fft(chain.k_resample(b - source, cal), cal) for b in spectra])
    bins = ascans.shape[2]
    ascans.astype(np.complex64).tofile(folder / "truth.raw")
    launch(f"filesrc location=truth.raw blocksize={SIZE * bins * 8} ! application/x-oct-ascans,format=CF32LE,"
           f"samples={bins},lines={SIZE},framerate=100/1,x-spacing={STEP},y-spacing={STEP},z-spacing={Z_STEP} "
           f"! {DRAW}", folder, build)
    return read_pictures(folder)


def psnr(picture, truth):
    return 10 * np.log10(255 ** 2 / np.mean((picture - truth) ** 2))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--daq-sim", required=True)
    parser.add_argument("--build")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--keep", help="a folder for the pictures")
    options = parser.parse_args()
    options.daq_sim = os.path.abspath(options.daq_sim)
    checks = plugin.Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        truth = find_truth(options.daq_sim, folder, options.build)
        rows, found = [], {}
        if options.keep is not None:
            np.savez(os.path.join(options.keep, "truth"), **truth)
        for scan, (properties, more, fill) in SCANS.items():
            lost = take(options.daq_sim, folder, options.build, properties,
                        "k-clock=true keep-incomplete=true scan-file=path.txt ! octkclock max-jitter=2 ! octdcsub mode=fixed-pattern-scaled "
                        f"! octfft ! {GRID} {fill}! {DRAW}", *INSTRUMENT, *more)
            pictures = read_pictures(folder)
            found[scan] = {name: psnr(picture, truth[name]) for name, picture in pictures.items()}
            if options.keep is not None:
                np.savez(os.path.join(options.keep, scan), **pictures)
            rows.append([scan, str(lost), *(f"{value:.2f}" for value in found[scan].values())])
    print(plugin.table(["scan", "A-lines lost", *(f"{name}, PSNR (dB)" for name in PICTURES)], rows))
    checks.above("lossy spiral, A-lines lost", lost, 100)
    checks.above("raster, above, PSNR in dB", found["raster"]["above"], LEAST)
    raster, *others = found
    for scan in others:
        for name in PICTURES:
            checks.above(f"{scan}, {name}, dB better than the raster", found[scan][name] - found[raster][name], -WORSE)
    if options.check:
        checks.end()


if __name__ == "__main__":
    main()
