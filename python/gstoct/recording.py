# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of spectra, of every format that octsrc reads, as arrays that are read
when they are sliced."""
from __future__ import annotations

import os
import threading
import warnings
from typing import Any, Iterator

import numpy
from numpy.typing import NDArray

from . import _memory
from ._gst import Pipeline, get_property, gst, make, refuse
from .calibration import Calibration
from .errors import Error, OctWarning

AXES = ("volume", "B-scan", "A-line", "sample")


class Recording:
    """Spectra of a file, [volume, B-scan, A-line, sample], in counts.

    path: the file, as octsrc's `location`.
    settings: other properties of octsrc, with _ in place of -, such as
        samples=1024, lines=100, bscans=100, calibration="calibration.csv".

    shape is that of the B-scans that are there.  `missing` counts those that the file
    announces and does not have; 0 if it announces nothing.

    Slices read only the B-scans that they need.  shape and dtype are those of an
    array: numpy.asarray() reads all, dask.array.from_array() takes it.  It can be
    pickled, for processes that are spawned; each opens the file anew.  A lock
    lets several threads use it.
    """

    ndim = 4

    def __init__(self, path: str | os.PathLike[str], **settings: Any) -> None:
        if not os.fspath(path):  # octsrc simulates then
            raise ValueError("path is empty, but the name of a file is expected.")
        refuse(settings, location="path")
        self.path = os.fspath(path)
        self.settings = settings
        self._lock = threading.RLock()
        self._source = make("octsrc", location=self.path, **settings)
        self._pipeline = Pipeline(self._source, make("appsink", sync=False,
                                                     max_buffers=4))
        self._pipeline.start(paused=True)
        self._pipeline.wait()
        sample = self._pipeline.sink.emit("pull-preroll")
        if sample is None:
            self._pipeline.check()
            raise Error(f"'{self.path}' has no B-scans.")
        self._read_sizes(sample)

    def _read_sizes(self, sample: Any) -> None:
        caps = sample.get_caps().get_structure(0)
        self._is_video = caps.get_name() == "video/x-raw"
        if self._is_video:
            samples, lines = caps.get_value("width"), caps.get_value("height")
            self.dtype = numpy.dtype(
                {"GRAY8": "u1", "GRAY16_LE": "<u2"}[caps.get_value("format")])
        else:
            samples, lines = caps.get_value("samples"), caps.get_value("lines")
            self.dtype = numpy.dtype("<f4")
        found, self._count = self._pipeline.pipeline.query_duration(
            gst().Format.DEFAULT)
        if not found or self._count < 1:
            raise Error(f"'{self.path}' does not say how many B-scans it has.")
        self.missing: int = get_property(self._source, "missing")
        meta = sample.get_buffer().get_custom_meta("GstOctScanMeta")
        bscans = min(meta.get_structure().get_value("bscans") if meta
                     else self._count, self._count) or self._count
        self.shape = (-(-self._count // bscans), bscans, lines, samples)
        spacings = (caps.get_double(name) for name in ("x-spacing", "y-spacing"))
        self.x_spacing, self.y_spacing = (
            value if known else None for known, value in spacings)
        self.calibration = Calibration.of_pipeline(self._pipeline, samples)

    @property
    def size(self) -> int:
        """Number of values."""
        return int(numpy.prod(self.shape, dtype=numpy.int64))

    @property
    def nbytes(self) -> int:
        """Bytes that all values take in memory."""
        return self.size * self.dtype.itemsize

    def make_source(self) -> Any:
        """The same file for a pipeline of its own, from its beginning."""
        return _Source(self)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> NDArray[Any]:
        volumes, bscans, rest, dropped = self._resolve(index)
        numbers = [volume * self.shape[1] + bscan
                   for volume in volumes for bscan in bscans]
        bscan: NDArray[Any] = numpy.empty(self.shape[2:], numpy.uint8)
        chosen = bscan[rest].shape
        values = numpy.zeros((len(numbers), *chosen), self.dtype)
        with self._lock:
            self._fill(values, numbers, rest)
        values = values.reshape(len(volumes), len(bscans), *chosen)
        kept: tuple[Any, ...] = tuple(0 if drop else slice(None) for drop in dropped)
        return values[kept]

    def _resolve(self, index: Any) -> tuple[range, range, tuple[Any, ...],
                                           tuple[bool, ...]]:
        """Volumes, B-scans, the index within a B-scan, and whether the first two
        axes go."""
        parts: list[Any] = list(index) if isinstance(index, tuple) else [index]
        if any(part is Ellipsis for part in parts):
            at = [part is Ellipsis for part in parts].index(True)
            parts[at:at + 1] = [slice(None)] * (5 - len(parts))
        if len(parts) > 4:
            raise IndexError(f"There are {len(parts)} indices, but the four axes are "
                             f"{', '.join(AXES)}.")
        parts += [slice(None)] * (4 - len(parts))
        ranges, dropped = [], []
        for part, size, name in zip(parts, self.shape, AXES):
            if isinstance(part, slice):
                ranges.append(range(size)[part])
                dropped.append(False)
                continue
            try:
                if isinstance(part, (bool, numpy.bool_)):
                    raise TypeError  # NumPy would take it for a mask
                number = range(size)[part]
            except TypeError:
                raise TypeError(f"The index of the {name} is {part!r}, but an integer "
                                "or a slice is expected; read a part and index "
                                "that.") from None
            except IndexError:
                raise IndexError(f"The index of the {name} is {part}, but there are "
                                 f"{size}.") from None
            ranges.append(range(number, number + 1))
            dropped.append(True)
        return ranges[0], ranges[1], tuple(parts[2:]), tuple(dropped[:2])

    def _fill(self, values: NDArray[Any], numbers: list[int],
              rest: tuple[Any, ...]) -> None:
        """Reads B-scans of these numbers, one run after the other."""
        absent, start = 0, 0
        while start < len(numbers):
            end = start + 1
            while end < len(numbers) and numbers[end] == numbers[end - 1] + 1:
                end += 1
            absent += self._fill_run(values[start:end], numbers[start], rest)
            start = end
        if absent:
            warnings.warn(f"'{self.path}' lacks {absent} of {len(numbers)} B-scans "
                          "that were read; they are 0.", OctWarning, stacklevel=3)

    def _fill_run(self, values: NDArray[Any], first: int,
                  rest: tuple[Any, ...]) -> int:
        """Returns how many are not in the file."""
        absent = len(values)
        stop = min(first + len(values), self._count)
        if first >= stop:
            return absent
        for number, bscan in self._read(first, stop):
            if first <= number < stop:
                values[number - first] = bscan[rest]
                absent -= 1
            if number >= stop - 1:
                break
        return absent

    def _read(self, first: int, stop: int) -> Iterator[tuple[int, NDArray[Any]]]:
        Gst = gst()
        if self._pipeline.closed:
            raise Error(f"'{self.path}' is closed; open it again.")
        pipeline = self._pipeline.pipeline
        pipeline.set_state(Gst.State.PAUSED)
        self._pipeline.wait()
        if not pipeline.seek(
                1.0, Gst.Format.DEFAULT, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE,
                Gst.SeekType.SET, first, Gst.SeekType.SET, stop):
            self._pipeline.check()
            raise Error(f"'{self.path}' cannot be read from B-scan {first} on.")
        pipeline.set_state(Gst.State.PLAYING)
        for sample in self._pipeline.samples():
            buffer = sample.get_buffer()
            yield buffer.offset, _memory.view_rows(
                buffer, *self.shape[2:], self.dtype)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        values = self[...]
        return values if dtype is None else values.astype(dtype, copy=False)

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self[number] for number in range(len(self)))

    def bscans(self) -> Iterator[NDArray[Any]]:
        """All B-scans in their order, each an array [A-line, sample] that cannot
        be written; the file is opened once more, and read once."""
        if self._pipeline.closed:
            raise Error(f"'{self.path}' is closed; open it again.")
        with Recording(self.path, **self.settings) as own:
            for _, bscan in own._read(0, own._count):
                yield bscan

    def close(self) -> None:
        """Closes the file; it happens too when nothing uses it any more."""
        self._pipeline.close()

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *reason: Any) -> None:
        self.close()

    def __reduce__(self) -> Any:
        return _reopen, (self.path, self.settings)

    def __repr__(self) -> str:
        sizes = " x ".join(map(str, self.shape))
        return f"<gstoct.Recording '{self.path}': {sizes} {self.dtype}>"


class _Source:
    """A source for _Run of reconstruction."""

    is_flat = False

    def __init__(self, recording: Recording) -> None:
        self.element = make("octsrc", location=recording.path, **recording.settings)
        volumes, bscans, self.lines, _ = recording.shape
        self.count = recording._count
        self.leading = (volumes, bscans) if volumes * bscans == self.count \
            else (self.count,)

    def send(self, pipeline: Pipeline) -> None:
        """The element sends by itself."""


def _reopen(path: str, settings: dict[str, Any]) -> Recording:
    return Recording(path, **settings)


def open(path: str | os.PathLike[str], **settings: Any) -> Recording:
    """The Recording of a file of any format that octsrc reads; see Recording."""
    return Recording(path, **settings)
