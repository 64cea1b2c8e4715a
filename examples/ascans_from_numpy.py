#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Spectra in a NumPy array become complex A-scans in another.

    ascans_from_numpy.py                 three mirrors, simulated here
    ascans_from_numpy.py SPECTRA.npy WAVELENGTHS.npy SOURCE.npy ASCANS.npy

SPECTRA is an array [B-scans][A-lines][samples] of 16-bit counts, WAVELENGTHS
holds one number in nm per sample, SOURCE the counts of each sample while the
sample arm is blocked.  Needs NumPy and GStreamer's Python bindings
(Debian: python3-numpy, python3-gi, gir1.2-gst-plugins-base-1.0).
"""
import sys

import gi
import numpy

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

TIMEOUT = 60 * Gst.SECOND


def calibration_event(wavelengths, source):
    """Tells the elements which wavelength (nm) each sample has, and how much
    light of the source (counts) there is."""
    fields = Gst.Structure.new_empty("application/x-oct-calibration")
    for name, values in (("wavelength-nm", wavelengths), ("background", source)):
        column = numpy.asarray(values, numpy.float64).tobytes()
        fields.set_value(name, Gst.Buffer.new_wrapped(column))
    return Gst.Event.new_custom(
        Gst.EventType.CUSTOM_DOWNSTREAM_STICKY, fields)


def raise_error(pipeline):
    """The reason, when an element has stopped the pipeline."""
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    if message is not None:
        raise RuntimeError(message.parse_error()[0].message)
    raise RuntimeError("The pipeline ended before all A-scans were there.")


def reconstruct(spectra, wavelengths, source,
                elements="octdcsub mode=background ! octnufft"):
    """Complex A-scans [B-scans][A-lines][depth bins] and the depth in metres of
    one bin, in air.  `elements` is the pipeline from raw spectra to A-scans."""
    bscans, lines, samples = spectra.shape
    pipeline = Gst.parse_launch(
        f"appsrc name=in format=time ! {elements} ! "
        "appsink name=out sync=false max-buffers=4 "
        "caps=application/x-oct-ascans")
    feed, sink = pipeline.get_by_name("in"), pipeline.get_by_name("out")
    feed.set_property("caps", Gst.Caps.from_string(
        f"video/x-raw, format=GRAY16_LE, width={samples}, height={lines}, "
        "framerate=100/1"))
    ascans, spacing = [], None
    pipeline.set_state(Gst.State.PLAYING)
    try:
        feed.send_event(calibration_event(wavelengths, source))
        for number in range(bscans):
            counts = numpy.ascontiguousarray(spectra[number], "<u2")
            buffer = Gst.Buffer.new_wrapped(counts.tobytes())
            buffer.pts = number * 10 * Gst.MSECOND
            buffer.duration = 10 * Gst.MSECOND
            feed.emit("push-buffer", buffer)
            # one by one, so that a large array is not in memory three times
            sample = sink.emit("try-pull-sample", TIMEOUT)
            if sample is None:
                raise_error(pipeline)
            caps = sample.get_caps().get_structure(0)
            found, spacing = caps.get_double("z-spacing")
            if not found:
                raise RuntimeError("The calibration gives depths no scale.")
            values = sample.get_buffer()
            ascans.append(numpy.frombuffer(
                values.extract_dup(0, values.get_size()), "<c8").reshape(
                    lines, caps.get_value("samples")))
    finally:
        pipeline.set_state(Gst.State.NULL)
    return numpy.stack(ascans), spacing


def simulate_source(wavelengths):
    """Counts of a Gaussian source."""
    middle = (wavelengths[0] + wavelengths[-1]) / 2
    return 2000 * numpy.exp(-((wavelengths - middle) / 30) ** 2)


def simulate_mirrors(depths, wavelengths, lines=8):
    """One B-scan for each depth (metres): 12-bit counts of a mirror."""
    wavenumbers = 2 * numpy.pi / (numpy.asarray(wavelengths) * 1e-9)
    fringes = numpy.cos(2 * wavenumbers * numpy.asarray(depths)[:, None])
    counts = numpy.round(simulate_source(wavelengths) * (1 + 0.5 * fringes))
    return numpy.repeat(counts[:, None, :], lines, axis=1).astype("<u2")


def main(arguments):
    Gst.init(None)
    if len(arguments) == 4:
        ascans, spacing = reconstruct(*map(numpy.load, arguments[:3]))
        numpy.save(arguments[3], ascans)
        print(f"{arguments[3]}: {ascans.shape[0]} B-scans, {ascans.shape[1]} "
              f"A-lines, {ascans.shape[2]} depths, {spacing * 1e6:.3f} um apart")
        return
    if arguments:
        sys.exit(__doc__)
    depths = [200e-6, 500e-6, 900e-6]
    wavelengths = numpy.linspace(790, 900, 1024)
    ascans, spacing = reconstruct(
        simulate_mirrors(depths, wavelengths), wavelengths,
        simulate_source(wavelengths))
    for depth, bscan in zip(depths, ascans):
        peak = numpy.abs(bscan[0]).argmax()
        print(f"mirror at {depth * 1e6:.0f} um, found at "
              f"{peak * spacing * 1e6:.1f} um, phase "
              f"{numpy.angle(bscan[0, peak]):+.2f} rad")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (GLib.Error, RuntimeError, OSError, ValueError) as error:
        sys.exit(str(error))
