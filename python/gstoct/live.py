# SPDX-License-Identifier: LGPL-2.1-or-later
"""A pipeline that runs, frame by frame."""
from __future__ import annotations

import re
import threading
from typing import Any, Callable, Iterator

import numpy

from ._gst import Pipeline, get_property, gst, has_property, make, set_property
from .calibration import CalibrationLike, Sender, settle
from .errors import Error
from .reconstruction import (OUTPUTS, choose_gpu, device_properties, read_bscan,
                             spacing_of, take_values)
from .result import Result


class Frame(Result):
    """One B-scan of a Live: a Result with `values` that cannot be written, and

    number: its running number in the source, None if that does not count.
    time: its time in seconds from the start, None if it has none.
    bscan, volume: its place in its volume and the number of that, or None.
    lost: B-scans that were lost between the frame before and this one.
    """

    number: int | None
    time: float | None
    bscan: int | None
    volume: int | None
    lost: int


class _Settings:
    """Properties of elements as attributes: of the first that has each."""

    def __init__(self, elements: list[Any]) -> None:
        object.__setattr__(self, "_elements", elements)

    def _find(self, name: str) -> Any:
        for element in self._elements:
            if has_property(element, name):
                return element
        names = ", ".join(e.get_factory().get_name() for e in self._elements)
        raise AttributeError(f"No element of the source ({names}) has a property "
                             f"'{name}'; gst-inspect-1.0 lists those of each.")

    def __getattr__(self, name: str) -> Any:
        return get_property(self._find(name), name)

    def __setattr__(self, name: str, value: Any) -> None:
        set_property(self._find(name), name, value)

    def __dir__(self) -> list[str]:
        return sorted({p.name.replace("-", "_") for e in self._elements
                       for p in e.list_properties()})


class Live:
    """Frames of a pipeline that runs: an iterator and a context manager.

        with gstoct.Live("octsrc is-live=true line-rate=20000 bscans=1") as live:
            for frame in live:
                live.window = "gaussian"     # from one of the next frames on

    source: the elements up to the spectra, as gst-launch-1.0 takes them.
    calibration, method, output, device, settings: as those of reconstruct();
        calibration None means that of the source.
    on_gpu: frames stay in the memory of the GPU: their values are a DeviceArray,
        which CuPy, PyTorch and others use without a copy.
    then: elements after the reconstruction, as gst-launch-1.0 takes them, such as
        "octangio" after output="ascans", or "octflip ! octaverage" after images.
        The last has to make grey images, A-scans or values of A-scans.
    drop: whether the oldest frames are dropped if they are not fetched in time;
        None: if the source is live.  Otherwise the source waits.
    buffers: how many frames may wait.
    on_frame: called with each Frame, in a thread of its own, from the beginning of
        the `with` block on.  Do not iterate then.  An exception in it ends the
        thread and is raised at the end of the block.
    on_message: called with the name and the fields of each message that elements
        post, such as "oct-autofocus", between frames.

    Every property of octreconstruct is an attribute, with _ in place of -, and
    can be read, and set if gst-inspect-1.0 says so.  Those of the source are
    attributes of `source`.  `dropped` counts B-scans that were lost since the
    first frame, in the source and here; `frames` those that were delivered.
    """

    def __init__(self, source: str = "octsrc is-live=true line-rate=20000 bscans=1",
                 calibration: CalibrationLike = None, method: str = "resample",
                 output: str = "image", device: str = "auto", *,
                 on_gpu: bool = False, then: str | None = None,
                 drop: bool | None = None, buffers: int = 2,
                 on_frame: Callable[[Frame], Any] | None = None,
                 on_message: Callable[[str, dict[str, Any]], Any] | None = None,
                 **settings: Any) -> None:
        if output not in OUTPUTS:
            raise ValueError(f"output is {output!r}, but one of {', '.join(OUTPUTS)} "
                             "is expected.")
        if drop not in (None, True, False):
            raise TypeError(f"drop is {drop!r}, but True, False or None is expected.")
        gpu = choose_gpu(device, on_gpu, None, output, "devices" in settings)
        begin = self.__dict__
        begin.update(_gpu=gpu if on_gpu else None, _output=output,
                     _calibration=None, _calibration_names=(),
                     _expected=None, _thread=None,
                     _failure=None, _on_frame=on_frame, dropped=0, frames=0,
                     _drop=drop, _started=False, _is_closed=False)
        begin["_reconstruct"] = make(
            "octreconstruct", method=method, **device_properties(device, gpu, on_gpu),
            output="images" if output == "image" else "ascans")
        for name, value in settings.items():
            set_property(self._reconstruct, name, value)
        bin_ = _parse(source)
        begin["_source_pad"] = pad = bin_.get_static_pad("src")
        if pad is None:
            raise Error(f"The source '{source}' delivers nothing; end it with the "
                        "element that has the spectra, without a sink.")
        begin["_sender"] = Sender(self._source_pad)
        begin["source"] = _Settings(_elements_of(bin_))
        after = [] if then is None else [_parse(then, "then")]
        begin["_pipeline"] = Pipeline(
            bin_, self._reconstruct, *after,
            make("appsink", sync=False, max_buffers=buffers))
        self._pipeline.on_message = on_message
        if calibration is not None:
            self.calibration = calibration
        if gpu is not None:
            gpu.use(self._pipeline.pipeline)
        take_values(self._pipeline.sink, on_gpu, None if on_gpu or not after else after[0])

    def _start(self) -> None:
        if self._started:
            return
        self._check_open()
        self.__dict__["_started"] = True
        sink = self._pipeline.sink
        if self._drop is not None:
            sink.set_property("drop", self._drop)
        if self._pipeline.start() and self._drop is None:
            sink.set_property("drop", True)

    def _check_open(self) -> None:
        if self._is_closed:
            raise Error("This Live is closed and has no more frames; make another one.")

    def __enter__(self) -> Live:
        self._check_open()
        self._start()
        if self._on_frame is not None:
            thread = threading.Thread(target=self._run, name="gstoct.Live",
                                      daemon=True)
            self.__dict__["_thread"] = thread
            thread.start()
        return self

    def _run(self) -> None:
        try:
            for frame in self:
                self._on_frame(frame)
        except BaseException as failure:  # raised where the block ends
            self.__dict__["_failure"] = failure

    def __exit__(self, *reason: Any) -> None:
        self.close()
        failure = self._failure
        self.__dict__["_failure"] = None
        if failure is not None and reason[0] is None:
            raise failure

    def __iter__(self) -> Iterator[Frame]:
        self._check_open()
        return self

    def __next__(self) -> Frame:
        self._start()
        sample = self._pipeline.pull()
        if sample is None:
            raise StopIteration
        return self._make_frame(sample)

    def _make_frame(self, sample: Any) -> Frame:
        caps, buffer = sample.get_caps().get_structure(0), sample.get_buffer()
        values = read_bscan(sample, self._gpu)
        if self._output == "power":
            values = numpy.square(numpy.abs(values))
        kind = "image" if caps.get_name() == "video/x-raw" else \
            caps.get_string("quantity") or self._output
        frame = Frame(values, kind, spacing_of(caps, "z-spacing"),
                      spacing_of(caps, "x-spacing"), spacing_of(caps, "y-spacing"),
                      caps.get_value("depth-start") or 0)
        none = 2 ** 64 - 1
        frame.number = buffer.offset if buffer.offset != none else None
        frame.time = buffer.pts / 1e9 if buffer.pts != none else None
        meta = buffer.get_custom_meta("GstOctScanMeta")
        fields = meta.get_structure() if meta else None
        frame.bscan = fields.get_value("bscan") if fields else None
        frame.volume = (fields.get_value("volume") or 0) if fields else None
        frame.lost = 0
        if frame.number is not None:
            if self._expected is not None:
                frame.lost = max(0, frame.number - self._expected)
            self.__dict__["_expected"] = frame.number + 1
        self.__dict__["dropped"] += frame.lost
        self.__dict__["frames"] += 1
        return frame

    def wait(self) -> None:
        """Until the source ends; for `on_frame`."""
        while self._thread is not None and self._thread.is_alive():
            self._thread.join(0.1)  # Ctrl-C is seen in between

    def close(self) -> None:
        """Ends the pipeline, and a loop over its frames in another thread.  Frames that
        were delivered stay valid."""
        self.__dict__["_is_closed"] = True
        self._pipeline.close()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _ask(self, signal: str) -> bool:
        gst()  # not in a forked process
        return self._reconstruct.emit(signal)

    def autofocus(self) -> bool:
        """Looks for the dispersion in the next B-scans; the result is set, and
        posted as the message "oct-autofocus".  False if a search is under way."""
        return self._ask("autofocus")

    def refine(self) -> bool:
        """The same for wavenumbers and dispersion."""
        return self._ask("refine")

    def take_background(self) -> bool:
        """Takes the mean of the next B-scans as `background_spectrum`."""
        return self._ask("take-background")

    def undo(self) -> bool:
        """Undoes the last of these."""
        return self._ask("undo-autofocus")

    @property
    def calibration(self) -> CalibrationLike:
        """As it was given; None: that of the source.  It can be set while it runs."""
        return self._calibration

    @calibration.setter
    def calibration(self, given: CalibrationLike) -> None:
        self._set_calibration(given)

    def _set_calibration(self, given: CalibrationLike) -> None:
        known, properties = settle(given, None)
        for name in self._calibration_names:  # they would come before an event
            if name not in properties:
                default = self._reconstruct.find_property(name).default_value
                self._reconstruct.set_property(name, default)
        for name, value in properties.items():
            set_property(self._reconstruct, name, value)
        self._sender.send(self._source_pad, known)
        self.__dict__.update(_calibration=given, _calibration_names=tuple(properties))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not has_property(self._reconstruct, name):
            raise AttributeError(f"Live and octreconstruct have no '{name}'; "
                                 "gst-inspect-1.0 octreconstruct lists properties.")
        return get_property(self._reconstruct, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "calibration":
            object.__setattr__(self, name, value)
        else:
            set_property(self._reconstruct, name, value)

    def __dir__(self) -> list[str]:
        names = (p.name.replace("-", "_") for p in self._reconstruct.list_properties())
        return sorted({*super().__dir__(), *names})


def _parse(source: str, word: str = "source") -> Any:
    """The elements of a launch line as one, with a pad at its end."""
    if not isinstance(source, str):
        raise TypeError(f"{word} is {source!r}, but a text of elements is expected, "
                        "such as 'octcamerasrc'.")
    Gst = gst()
    make("octsrc")  # says it if the plugin is not there
    # caps stand between two elements
    if re.match(r'\s*"?\w+/[-\w.+]+\s*[,("]?', source.rpartition("!")[2]):
        source += " ! identity"
    try:
        bin_ = Gst.parse_bin_from_description(source, True)
    except Exception as reason:
        raise Error(f"The {word} '{source}' is not a pipeline: "
                    f"{getattr(reason, 'message', reason)}.") from None
    for element in bin_.children:
        if any(not pad.is_linked() for pad in element.srcpads):
            raise Error(f"The {word} '{source}' has two ends, of which one is "
                        f"{element.get_name()}; put '!' between elements.")
    return bin_


def _elements_of(bin_: Any) -> list[Any]:
    """Those of a bin, the source first."""
    found = [bin_.get_child_by_index(i) for i in range(bin_.get_children_count())]
    return sorted(found, key=lambda element: element.numsinkpads)
