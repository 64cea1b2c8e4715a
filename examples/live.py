#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A live application: images, measurements, settings while images are made.

    live.py [SOURCE [SINK]]

SOURCE and SINK are elements as gst-launch-1.0 takes them: raw spectra, and grey images.
Commands, a line each: a (autofocus), u (undo it), m DB (white, in dB), q (quit).
Needs GStreamer's Python bindings (Debian: python3-gi).
"""
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

SOURCE = "octsrc is-live=true lines=256 bscans=1 line-rate=7680 dispersion-a2=30"
# the elements of gst-oct are found where it is installed
FIND_IT = ('In the folder of the project, meson devenv -C build -w "$PWD" opens a '
           "shell in which GStreamer finds gst-oct.")
SINK = "videoconvert ! autovideosink"


class Application:
    def __init__(self, source, sink):
        self.loop = GLib.MainLoop()
        self.status = 0
        self.pipeline = Gst.parse_launch(
            f"{source} ! octreconstruct name=reconstruct output=ascans ! "
            "octmeter interval=1 ! octlogscale name=image range-smoothing=0.9 ! "
            f"{sink}")
        self.reconstruct = self.pipeline.get_by_name("reconstruct")
        self.image = self.pipeline.get_by_name("image")
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)
        GLib.io_add_watch(GLib.IOChannel.unix_new(sys.stdin.fileno()),
                          GLib.PRIORITY_DEFAULT,
                          GLib.IOCondition.IN | GLib.IOCondition.HUP, self.on_input)

    def on_message(self, _bus, message):
        if message.type == Gst.MessageType.ERROR:
            print("error:", message.parse_error()[0].message, flush=True)
            self.status = 1
            self.loop.quit()
        elif message.type == Gst.MessageType.WARNING:
            print("warning:", message.parse_warning()[0].message, flush=True)
        elif message.type == Gst.MessageType.EOS:
            self.loop.quit()
        elif message.type == Gst.MessageType.ELEMENT:
            self.on_result(message.get_structure())

    def on_result(self, result):
        """The messages of elements: docs/messages.md."""
        if result.get_name() == "oct-meter":
            # a field whose value is not known is left out
            found, depth = result.get_double("peak-um")
            _, snr = result.get_double("snr")
            if found:
                print(f"oct-meter: peak at {depth:.1f} um, SNR {snr:.1f} dB",
                      flush=True)
        elif result.get_name() == "oct-autofocus":
            print(f"autofocus: {result.get_string('result')}, "
                  f"a2 = {self.reconstruct.get_property('a2'):.2f}; "
                  f"{result.get_string('text')}", flush=True)

    def on_input(self, _channel, _condition):
        command, _, value = sys.stdin.readline().strip().partition(" ")
        if command == "a" and not self.reconstruct.emit("autofocus"):
            print("a search is under way already", flush=True)
        elif command == "u" and not self.reconstruct.emit("undo-autofocus"):
            print("there is nothing to undo", flush=True)
        elif command == "m":
            try:
                self.image.set_property("max", float(value))
            except ValueError:
                print("m needs a number, as m 70", flush=True)
                return True
            self.image.set_property("range", "manual")
            print(f"max = {self.image.get_property('max'):g} dB", flush=True)
        elif command in ("q", ""):
            self.loop.quit()
            return False
        return True

    def run(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        try:
            self.loop.run()
        finally:
            self.pipeline.set_state(Gst.State.NULL)
        return self.status


def main(arguments):
    Gst.init(None)
    if len(arguments) > 2:
        sys.exit(__doc__)
    try:
        return Application(*arguments, *(SOURCE, SINK)[len(arguments):]).run()
    except GLib.Error as error:
        if error.matches(Gst.ParseError.quark(), Gst.ParseError.NO_SUCH_ELEMENT):
            return f"{error.message}\n{FIND_IT}"
        return str(error.message)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
