# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pipelines: how they are made, what they say, how they end."""
from __future__ import annotations

import atexit
import operator
import os
import threading
import time
import warnings
import weakref
from typing import Any, Iterator

import numpy

from .errors import Error, ForkError, OctWarning

#: How long one call waits inside GStreamer: Ctrl-C is seen in between, ns.
SLICE = 100_000_000

#: what GStreamer says if an element has stopped the stream without a reason
GENERIC = "Internal data stream error"
_KINDS = {"gboolean": "True or False", "gchararray": "a text", "gint": "an integer",
          "guint": "an integer", "gint64": "an integer", "guint64": "an integer",
          "gdouble": "a number", "gfloat": "a number"}

_pipelines: weakref.WeakSet[Pipeline] = weakref.WeakSet()
_lock = threading.RLock()
_module: Any = None
_used = False  # a pipeline has been made, and with it threads
_forked = False
_ending = False  # of the program: no source that never ends is waited for


def gst() -> Any:
    """The module Gst, ready for use.  It begins with the first call and not
    when gstoct is imported, so that a process may fork in between."""
    global _module
    if _forked:
        raise ForkError(
            "This process was forked from one in which gstoct was at work, and "
            "has none of its threads; start it with multiprocessing's method "
            "'spawn' (PyTorch: multiprocessing_context='spawn').")
    with _lock:
        if _module is None:
            try:
                with warnings.catch_warnings():
                    # PyGObject 3.42 imports in a way that Python 3.11 and 3.12 warn of
                    warnings.simplefilter("ignore", ImportWarning)
                    warnings.simplefilter("ignore", DeprecationWarning)
                    import gi
                    gi.require_version("Gst", "1.0")
                    from gi.repository import Gst
            except (ImportError, ValueError) as reason:
                raise ImportError(
                    f"gstoct needs PyGObject and GStreamer: {reason}; install "
                    "python3-gi and gir1.2-gstreamer-1.0.") from reason
            if not Gst.is_initialized():
                Gst.init(None)
            _module = Gst
    return _module


def _before_exit() -> None:
    for pipeline in list(_pipelines):
        pipeline.close()


def _in_child() -> None:
    """No thread that was at work exists here, so nothing can be stopped: what is
    open is left alone, also when its wrapper goes."""
    global _forked
    _forked = _used
    if _forked:
        for pipeline in list(_pipelines):
            pipeline.abandon()


def is_forked() -> bool:
    """Whether this process was forked from one in which gstoct was at work."""
    return _forked


def _before_threads_end() -> None:
    """The program waits for its threads at its end, and they perhaps for frames of a source
    that never ends."""
    global _ending
    _ending = True
    for pipeline in list(_pipelines):
        if pipeline.is_live:
            pipeline.close()


atexit.register(_before_exit)
# as concurrent.futures does it; without it such threads have to be daemons
getattr(threading, "_register_atexit", lambda work: None)(_before_threads_end)
os.register_at_fork(after_in_child=_in_child)


def make(factory: str, **properties: Any) -> Any:
    """An element with these properties.  Names may have _ in place of -; None is
    not set."""
    made = gst().ElementFactory.make(factory, None)
    if made is None:
        hint = ("install gstreamer1.0-oct, or set GST_PLUGIN_PATH to the folder of "
                "libgstoct.so" if factory.startswith("oct")
                else "install the plugin of GStreamer that has it")
        raise Error(f"There is no element {factory}; {hint}.")
    for name, value in properties.items():
        if value is not None:
            set_property(made, name, value)
    return made


def has_property(element: Any, name: str) -> bool:
    """Whether an element has it."""
    return element.find_property(name.replace("_", "-")) is not None


def choices(element: Any, name: str) -> list[str]:
    """The words of a property that is a choice, [] of any other."""
    from . import _memory
    param = element.find_property(name.replace("_", "-"))
    return list(_memory.words(param.value_type.name)) if param is not None else []


def _convert(param: Any, value: Any) -> Any:
    """The value as PyGObject takes it, which by itself would make a text of a
    number and an integer of 2.5.  Raises TypeError."""
    kind = param.value_type.name
    if kind == "gboolean":
        if not isinstance(value, (bool, numpy.bool_)):
            raise TypeError
        return bool(value)
    if kind == "gchararray":
        if isinstance(value, os.PathLike):
            value = os.fspath(value)
        if not isinstance(value, str):
            raise TypeError
        return value
    if kind in ("gint", "guint", "gint64", "guint64"):
        return operator.index(value)
    if kind in ("gdouble", "gfloat"):
        return float(value)
    return value


def set_property(element: Any, name: str, value: Any) -> None:
    """Sets a property.  One that there is not is an AttributeError, a value of
    another type a TypeError, any other that it does not take a ValueError."""
    from . import _memory
    gst()  # not in a forked process
    kind = element.get_factory().get_name()
    child, separator, last = name.rpartition("::")
    if separator:
        element, name = element.get_by_name(child), last
        if element is None:
            raise AttributeError(f"{kind} has no element '{child}' in it.")
        kind = element.get_factory().get_name()
    name = name.replace("_", "-")
    param = element.find_property(name)
    if param is None:
        raise AttributeError(f"{kind} has no property '{name}'; "
                             f"gst-inspect-1.0 {kind} lists those it has.")
    try:
        value = _convert(param, value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} of {kind} is {value!r}, but "
                        f"{_KINDS[param.value_type.name]} is expected.") from None
    # PyGObject warns of a number that a choice does not have, and takes another
    numbers = _memory.words(param.value_type.name).values()
    if numbers and isinstance(value, int) and value not in numbers:
        raise _not_one_of(element, name, value)
    low, high = (getattr(param, end, None) for end in ("minimum", "maximum"))
    if low is not None and not low <= value <= high:
        raise ValueError(f"{name} of {kind} is {value!r}, but {low:g} to {high:g} is "
                         "expected.")
    try:
        element.set_property(name, value)
    except TypeError:
        raise _not_one_of(element, name, value) from None


def _not_one_of(element: Any, name: str, value: Any) -> ValueError:
    words = ", ".join(choices(element, name))
    return ValueError(f"{name} of {element.get_factory().get_name()} is {value!r}, but "
                      f"one of {words} is expected.")


def refuse(settings: dict[str, Any], **instead: str) -> None:
    """Raises a TypeError for a setting that an argument sets, or what else is named in
    its place."""
    for name, other in instead.items():
        if {name, name.replace("_", "-")} & settings.keys():
            raise TypeError(f"{name} is among the settings, but {other} sets it; leave "
                            "it out.")


def get_property(element: Any, name: str) -> Any:
    """The value of a property; a choice is its word."""
    gst()  # not in a forked process
    value = element.get_property(name.replace("_", "-"))
    return getattr(value, "value_nick", value)


def fields_of(structure: Any) -> dict[str, Any]:
    """The fields of a Gst.Structure."""
    names = (structure.nth_field_name(i) for i in range(structure.n_fields()))
    return {name: structure.get_value(name) for name in names}


class Pipeline:
    """Elements one after the other.  The last is an appsink where frames are
    pulled; the first may be an appsrc."""

    def __init__(self, *elements: Any) -> None:
        global _used
        _used = True
        self._closed = False
        self._lock = threading.RLock()  # one thread changes the state
        self.is_live = False  # its source comes at its own pace, and has no end
        self.gst = gst()
        self.elements = elements
        self.sink = elements[-1]
        self.on_message: Any = None
        self._said: list[Any] = []  # messages that nobody was told of
        self._at_end = False
        self._tell_next = 0.0  # time.monotonic()
        self.pipeline = self.gst.Pipeline.new(None)
        self._bus = self.pipeline.get_bus()
        for element in elements:
            self.pipeline.add(element)
        for first, second in zip(elements, elements[1:]):
            if not first.link(second):
                self._raise_error(f"{first.get_name()} and {second.get_name()} "
                                  "cannot be linked.")
        _pipelines.add(self)

    def start(self, paused: bool = False) -> bool:
        """Begins to play, or pauses with the first frame.  Returns whether the
        source is live.  A pipeline that another thread has closed stays so."""
        with self._lock:
            return not self._closed and self._start(paused)

    def _start(self, paused: bool) -> bool:
        states, results = self.gst.State, self.gst.StateChangeReturn
        # only the way to PAUSED tells that a source is live
        result = self.pipeline.set_state(states.PAUSED)
        self.is_live = result == results.NO_PREROLL
        if result != results.FAILURE and not paused:
            result = self.pipeline.set_state(states.PLAYING)
        if result == results.FAILURE:
            self._raise_error("The pipeline cannot start.")
        if self.is_live and _ending:
            self.close()
        return self.is_live

    def wait(self) -> None:
        """Until it is paused or plays."""
        while True:
            result = self.pipeline.get_state(SLICE)[0]
            self.check()
            if result != self.gst.StateChangeReturn.ASYNC:
                return

    def push(self, buffer: Any) -> None:
        """A buffer for the appsrc."""
        self.elements[0].emit("push-buffer", buffer)

    def pull(self) -> Any:
        """The next Gst.Sample, or None at the end of the stream.  Other threads
        run meanwhile."""
        gst()  # not in a forked process
        while not self._closed:
            sample = self.sink.emit("try-pull-sample", SLICE)
            if sample is not None:
                self._tell_in_time()
                return sample
            at_end = self.sink.get_property("eos")
            self.check()
            if at_end:
                return None
        return None

    def samples(self) -> Iterator[Any]:
        """All samples up to the end of the stream."""
        while (sample := self.pull()) is not None:
            yield sample

    def finish(self) -> Any:
        """Runs to its end; the last sample if it ends with an appsink."""
        if has_property(self.sink, "emit-signals"):
            last = None
            for last in self.samples():
                pass
            if last is None:
                raise Error("The pipeline has delivered nothing.")
            return last
        while not self._closed:
            self.check()
            if self._at_end:
                break
            self._collect(SLICE)
        return None

    def _collect(self, wait: int = 0) -> None:
        """Takes the messages that are there, after waiting for the first one for `wait`
        ns.  A bus throws away those before the one that is asked for, so all that matter
        are taken."""
        types = self.gst.MessageType
        wanted = types.ERROR | types.WARNING | types.EOS
        if self.on_message is not None:
            wanted |= types.ELEMENT
        while not self._closed:
            message = self._bus.timed_pop_filtered(wait, wanted)
            if message is None:
                break
            wait = 0
            if message.type == types.EOS:
                self._at_end = True
            else:
                self._said.append(message)

    def _tell(self) -> None:
        """Warns of warnings, and calls on_message; errors stay."""
        types = self.gst.MessageType
        said, self._said = self._said, []
        self._said = [message for message in said if message.type == types.ERROR]
        for message in said:
            if message.type == types.WARNING:
                warnings.warn(message.parse_warning()[0].message, OctWarning,
                              stacklevel=5)
            elif message.type == types.ELEMENT:
                self.on_message(message.get_structure().get_name(),
                                fields_of(message.get_structure()))

    def _tell_in_time(self) -> None:
        """The same where one sample follows the other without a pause; an error is
        raised after the samples before it."""
        now = time.monotonic()
        if now >= self._tell_next:
            self._tell_next = now + SLICE / 1e9
            self._collect()
            self._tell()

    def check(self) -> None:
        """Raises the error of an element, warns of its warnings."""
        self._collect()
        types = self.gst.MessageType
        if any(message.type == types.ERROR for message in self._said):
            said, self._said = self._said, []
            self._fail(said)
        self._tell()

    def _fail(self, said: list[Any], otherwise: str = GENERIC) -> None:
        """Raises the sentence of an element among messages, or this one.  That of
        a warning says more than that data stopped."""
        types = self.gst.MessageType
        found = [((message.parse_error() if message.type == types.ERROR
                   else message.parse_warning()), message.src.get_name())
                 for kind in (types.ERROR, types.WARNING)
                 for message in said if message.type == kind]
        self.close()
        for (reason, _), name in found:
            if not reason.message.startswith(GENERIC):
                raise Error(reason.message, name)
        raise Error(found[0][0][0].message if found else otherwise)

    def _raise_error(self, otherwise: str) -> None:
        """The sentence of the element that has failed, or this one."""
        types = self.gst.MessageType
        said = []
        while (message := self._bus.pop_filtered(
                types.ERROR | types.WARNING)) is not None:
            said.append(message)
        self._fail(said, otherwise)

    def close(self) -> None:
        """Ends it; all threads of it have ended then."""
        if self._closed or _forked:
            return
        self._closed = True
        with self._lock:  # it may start at this moment
            self.pipeline.set_state(self.gst.State.NULL)
        self._bus.set_flushing(True)

    @property
    def closed(self) -> bool:
        """Whether it has ended."""
        return self._closed

    def abandon(self) -> None:
        """In a forked process: keeps everything as it is, for ever."""
        from . import _memory
        self._closed = True
        for kept in (self.pipeline, *self.elements):
            _memory.keep(kept)

    def __del__(self) -> None:
        if not getattr(self, "_closed", True):
            self.close()
