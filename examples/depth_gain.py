#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An element of your own in Python, between those of gst-oct.

    depth_gain.py [BEFORE AFTER [GAIN]]

runs the pipeline BEFORE, the element, AFTER.  The element makes A-scans brighter
with depth, by `gain` dB per mm; gstdepthgain.c is the same in C.  Needs NumPy and GStreamer's
Python bindings (Debian: python3-numpy, python3-gi,
gir1.2-gst-plugins-base-1.0).
"""
import sys

import gi
import numpy

gi.require_version("Gst", "1.0")
gi.require_version("GstBase", "1.0")
from gi.repository import GLib, GObject, Gst, GstBase  # noqa: E402

Gst.init(None)
CAPS = "application/x-oct-ascans, format=(string)CF32LE"
BEFORE = "octsrc num-buffers=3 ! octdcsub ! octnufft"
AFTER = "octlogscale ! fakesink"


class DepthGain(GstBase.BaseTransform):
    gain = GObject.Property(
        type=float, default=0, minimum=-1000, maximum=1000,
        blurb="dB to add per mm of depth, in air")

    depths = None  # mm, of each bin

    def do_set_caps(self, caps, _):
        """Caps come twice, the second time with the scale of depth, which the
        elements know when they have got the calibration."""
        fields = caps.get_structure(0)
        found, spacing = fields.get_double("z-spacing")
        start = (fields.get_int("depth-start")[1]
                 if fields.has_field("depth-start") else 0)
        bins = numpy.arange(fields.get_value("samples"))
        self.depths = (start + bins) * spacing * 1e3 if found else None
        return True

    def do_transform(self, source, result):
        if self.depths is None:
            self.message_full(
                Gst.MessageType.ERROR, Gst.stream_error_quark(),
                Gst.StreamError.FORMAT, "The A-scans have no scale of depth; "
                "give a calibration with wavelengths.", None, __file__,
                "do_transform", 0)
            return Gst.FlowReturn.ERROR
        values = numpy.frombuffer(
            source.extract_dup(0, source.get_size()), "<c8")
        factors = 10 ** (self.gain * self.depths / 20)
        values = values.reshape(-1, len(factors)) * factors
        result.fill(0, values.astype("<c8").tobytes())
        return Gst.FlowReturn.OK


DepthGain.set_metadata(
    "Depth gain", "Filter", "Makes A-scans brighter with depth", "You")
for name, direction in (("sink", Gst.PadDirection.SINK),
                        ("src", Gst.PadDirection.SRC)):
    DepthGain.add_pad_template(Gst.PadTemplate.new(
        name, direction, Gst.PadPresence.ALWAYS, Gst.Caps.from_string(CAPS)))


def main(before=BEFORE, after=AFTER, gain="6"):
    pipeline = Gst.Pipeline()
    first = Gst.parse_bin_from_description(before, True)
    element = DepthGain(gain=float(gain))
    last = Gst.parse_bin_from_description(after, True)
    for part in (first, element, last):
        pipeline.add(part)
    if not first.link(element) or not element.link(last):
        sys.exit("The element takes and gives A-scans; other elements of the "
                 "pipeline do not.")
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error()[0].message)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (GLib.Error, ValueError) as error:
        sys.exit(str(error))
