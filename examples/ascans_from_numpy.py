#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Spectra in a NumPy array become complex A-scans in another.

    ascans_from_numpy.py                 three mirrors, simulated here
    ascans_from_numpy.py SPECTRA.npy CALIBRATION.csv ASCANS.npy [IMAGES.npy]
    ascans_from_numpy.py SPECTRA.npy WAVELENGTHS.npy SOURCE.npy ASCANS.npy
                         [IMAGES.npy]

SPECTRA is an array [B-scans][A-lines][samples] of 16-bit counts.  CALIBRATION is a
file of calibrate.sh, or one as docs/calibration.md describes it.  In its place
WAVELENGTHS holds one number in nm per sample, and SOURCE the counts of each sample
while the sample arm is blocked.  ASCANS becomes an array [B-scans][A-lines][depths] of
complex numbers, IMAGES one [B-scans][depths][A-lines] of grey levels.  Needs NumPy and
GStreamer's Python bindings (Debian: python3-numpy, python3-gi,
gir1.2-gst-plugins-base-1.0).
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
    raise RuntimeError("The pipeline ended before all B-scans were there.")


def run(arrays, caps, elements, event=None):
    """Gives each array to `elements`, and yields (caps, bytes) that come out."""
    pipeline = launch(
        f"appsrc name=in format=time ! {elements} ! "
        "appsink name=out sync=false max-buffers=4")
    feed, sink = pipeline.get_by_name("in"), pipeline.get_by_name("out")
    feed.set_property("caps", Gst.Caps.from_string(f"{caps}, framerate=100/1"))
    pipeline.set_state(Gst.State.PLAYING)
    try:
        if event is not None:
            feed.send_event(event)
        for number, array in enumerate(arrays):
            buffer = Gst.Buffer.new_wrapped(numpy.ascontiguousarray(array).tobytes())
            buffer.pts = number * 10 * Gst.MSECOND
            buffer.duration = 10 * Gst.MSECOND
            feed.emit("push-buffer", buffer)
            # one by one, so that a large array is not in memory three times
            sample = sink.emit("try-pull-sample", TIMEOUT)
            if sample is None:
                raise_error(pipeline)
            values = sample.get_buffer()
            yield (sample.get_caps().get_structure(0),
                   values.extract_dup(0, values.get_size()))
    finally:
        pipeline.set_state(Gst.State.NULL)


def has_background(calibration):
    """Whether the file has a column of that name: its first line says so."""
    with open(calibration, encoding="utf-8") as lines:
        names = next((line for line in lines
                      if line.strip() and not line.startswith("#")), "")
    return "background" in names.strip().split(",")


def launch(text):
    """The pipeline; an element that GStreamer does not find is an error."""
    try:
        return Gst.parse_launch(text)
    except GLib.Error as error:
        if not error.matches(Gst.ParseError.quark(), Gst.ParseError.NO_SUCH_ELEMENT):
            raise
        raise RuntimeError(
            f"{error.message}: GStreamer does not find gst-oct. In the folder of the "
            "project open a shell in which it does, with meson devenv -C build "
            '-w "$PWD", or install it.') from error


def reconstruct(spectra, wavelengths=None, source=None, elements=None,
                calibration=None):
    """Complex A-scans [B-scans][A-lines][depth bins] and the depth in metres of
    one bin, in air.  Either wavelengths and source, or the path of a calibration.
    `elements` is the pipeline from raw spectra to A-scans."""
    event = None
    if calibration is None:
        event = calibration_event(wavelengths, source)
    if elements is None:
        # escaped, for a name with spaces
        path = str(calibration).replace("\\", "\\\\").replace('"', '\\"')
        elements = "octdcsub mode=background ! octnufft"
        if calibration is not None:
            mode = "background" if has_background(calibration) else "bscan"
            elements = (f'octdcsub mode={mode} calibration="{path}" '
                        "! octdispersion ! octnufft")
    _, lines, samples = spectra.shape
    ascans, spacing = [], None
    for caps, values in run(
            (bscan.astype("<u2") for bscan in spectra),
            f"video/x-raw, format=GRAY16_LE, width={samples}, height={lines}",
            f"{elements} ! application/x-oct-ascans", event):
        found, spacing = caps.get_double("z-spacing")
        if not found:
            raise RuntimeError("The calibration gives depths no scale.")
        ascans.append(numpy.frombuffer(values, "<c8").reshape(
            lines, caps.get_value("samples")))
    return numpy.stack(ascans), spacing


def make_images(ascans, settings="range=contrast"):
    """Grey levels [B-scans][depth bins][A-lines] of A-scans, by octlogscale."""
    _, lines, depths = ascans.shape
    images = []
    for caps, values in run(
            (bscan.astype("<c8") for bscan in ascans),
            "application/x-oct-ascans, format=CF32LE, "
            f"samples={depths}, lines={lines}",
            f"octlogscale {settings} ! video/x-raw,format=GRAY8"):
        # rows may end with bytes that are not part of the image
        rows = numpy.frombuffer(values, numpy.uint8).reshape(caps.get_value("height"), -1)
        images.append(rows[:, :lines])
    return numpy.stack(images)


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


def convert(arguments):
    """Reads and writes the files of the command line."""
    by_file = len(arguments) > 1 and not arguments[1].endswith(".npy")
    names = arguments[2 if by_file else 3:]
    if not 1 <= len(names) <= 2:
        sys.exit(__doc__)
    if numpy.load(arguments[0], mmap_mode="r").ndim != 3:
        sys.exit("SPECTRA must be [B-scans][A-lines][samples]; of one B-scan: "
                 "spectra[None]")
    if by_file:
        ascans, spacing = reconstruct(
            numpy.load(arguments[0]), calibration=arguments[1])
    else:
        ascans, spacing = reconstruct(*map(numpy.load, arguments[:3]))
    numpy.save(names[0], ascans)
    print(f"{names[0]}: {ascans.shape[0]} B-scans, {ascans.shape[1]} "
          f"A-lines, {ascans.shape[2]} depths, {spacing * 1e6:.3f} um apart")
    if len(names) == 2:
        images = make_images(ascans)
        numpy.save(names[1], images)
        print(f"{names[1]}: {images.shape[0]} images of {images.shape[2]} x "
              f"{images.shape[1]} pixels")


def main(arguments):
    Gst.init(None)
    if arguments:
        convert(arguments)
        return
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
