# SPDX-License-Identifier: LGPL-2.1-or-later
"""From arrays, or recordings, of spectra to A-scans and images."""
from __future__ import annotations

import math
import warnings
from typing import Any, Iterator

import numpy
from numpy.typing import NDArray

from . import _cuda, _memory
from ._gst import Pipeline, choices, gst, make, refuse
from ._places import Places
from .calibration import Calibration, CalibrationLike, Sender, settle
from .errors import Error, OctWarning
from .recording import Recording
from .result import Result, check_spacing

OUTPUTS = ("ascans", "power", "image")
#: B-scans that are in the pipeline at a time
AHEAD = 4
LARGEST = 65536  # docs/caps.md, Sizes
RATE = "framerate=100/1"


def reconstruct(spectra: Any, calibration: CalibrationLike = None,
                dispersion: Any = None, method: str = "resample",
                output: str = "ascans", device: str = "auto", *,
                x_spacing: float | None = None, y_spacing: float | None = None,
                out: Any = None, on_gpu: bool = False, **settings: Any) -> Result:
    """A-scans, powers or images of spectra.

    spectra: counts, [samples], [A-lines, samples], [B-scans, A-lines, samples] or
        [volumes, B-scans, A-lines, samples]: a NumPy array, or an object with the
        buffer protocol, __array__ or DLPack, in host memory.  uint8, uint16 and
        float32 are used as they are, without a copy if samples lie side by side;
        other real types are converted to float32.  Or an array of one of these
        three types in the memory of a GPU (CuPy, PyTorch, or any other with DLPack
        or __cuda_array_interface__), which is read where it is if every B-scan
        begins at a multiple of 256 bytes and has no gaps; else it is copied on the
        GPU.  Or a Recording.
    calibration: a Calibration, the path of a file, (first, last) wavelength in nm,
        one wavelength in nm per sample, or a dict of the columns of Calibration.
        None: that of the recording; for an array, samples are taken to be uniform
        in wavenumber.
    dispersion: a2 in um^2, or (a2, a3) in um^2 and um^3, or one phase in rad per
        sample (with wavelengths alone) or per wavenumber.
    method: "resample", "nufft", "nudft" or "cs".
    output: "ascans" (complex64, [..., A-lines, depths]), "power" (float32, their
        squares) or "image" (uint8, [..., depths, A-lines]).
    device: "auto", "cpu", "cuda" or "cuda:1".  Spectra on a GPU are reconstructed
        there.
    x_spacing, y_spacing: metres between A-lines and between B-scans.
    on_gpu: the values stay in the memory of the GPU: they are a DeviceArray, or
        `out`, which then is an array there.  output="power" is not possible.
    out: array for the values, of their shape and type; new memory costs time, so
        that many calls are faster with one that is there.  (The memory of the last
        result is used again if that is gone and the system has not taken it.)
    settings: other properties of octreconstruct, with _ in place of -, such as
        mode="none", window="gaussian", depth_bins=400, range="manual".

    Returns a Result.  Raises Error with the sentence of the element that cannot
    do it, ValueError or TypeError for an argument.  Other threads run meanwhile.
    """
    if output not in OUTPUTS:
        raise ValueError(f"output is {output!r}, but one of {', '.join(OUTPUTS)} is "
                         "expected.")
    refuse(settings, backend="device", cuda_device_id="device")
    x_spacing = check_spacing("x_spacing", x_spacing)
    y_spacing = check_spacing("y_spacing", y_spacing)
    source, samples = _open_source(spectra)
    _check_lines(source.lines, settings)
    lent = source.lent if isinstance(source, _GpuFeed) else None
    gpu = choose_gpu(device, on_gpu, lent, output, "devices" in settings)
    known, properties = settle(calibration, samples)
    known, properties = _add_dispersion(known, properties, dispersion, samples)
    properties.update({name.replace("_", "-"): value
                       for name, value in settings.items()})
    if not isinstance(spectra, Recording) and not _says_axis(known, properties):
        properties["axis"] = "wavenumber"
    if lent is not None:  # octgather would copy them by way of the host
        properties.setdefault("gather", "never")
    element = make("octreconstruct", method=method,
                   output="images" if output == "image" else "ascans",
                   **device_properties(device, gpu, on_gpu or lent is not None),
                   **properties)
    if isinstance(source, _Feed) and lent is None:
        _check_apart(source.bscans, out)
    rows: _Rows = _GpuRows(gpu, out) if on_gpu and gpu is not None else _HostRows(out)
    with _Run(source, element, known, gpu, on_gpu) as run:
        return run.collect(output, x_spacing, y_spacing, rows)


def _open_source(spectra: Any) -> tuple[Any, int]:
    """The source of the B-scans, and the samples of an A-line."""
    if isinstance(spectra, Recording):
        return spectra.make_source(), spectra.shape[-1]
    if _cuda.is_on_gpu(spectra):
        lent = _cuda.Lent(spectra, "The spectra")
        check_shape(lent.shape)
        if lent.dtype not in (numpy.uint8, numpy.dtype("<u2"), numpy.float32):
            raise TypeError(f"The spectra have the type {lent.dtype}, but uint8, uint16 "
                            "or float32 is expected on a GPU; convert them there.")
        return _GpuFeed(lent), lent.shape[-1]
    array = take_spectra(spectra)
    _warn_of_order(array)
    return _Feed(array), array.shape[-1]


def choose_gpu(device: str, on_gpu: bool, lent: _cuda.Lent | None, output: str,
               several: bool = False) -> _cuda.Gpu | None:
    """The GPU whose primary context the pipeline is to work in, None: it makes a
    context of its own, or none."""
    wanted = device_properties(device)
    needed = "values stay" if on_gpu else "the spectra are" if lent else None
    if needed is not None and wanted["backend"] == "cpu":
        raise ValueError(f"device is 'cpu', but {needed} on a GPU; set device='cuda', or "
                         + ("on_gpu=False." if on_gpu else
                            "give cupy.asnumpy(spectra) or spectra.cpu()."))
    if on_gpu and output == "power":
        raise ValueError("output is 'power', but with on_gpu 'ascans' or 'image' is "
                         "expected; take the squares of the A-scans on the GPU.")
    if needed is not None and several:
        raise ValueError(f"`devices` is set, but {needed} on one GPU; set device.")
    number = wanted.get("cuda-device-id")
    if lent is not None:
        if number not in (None, lent.gpu.number):
            raise ValueError(f"The spectra are on GPU {lent.gpu.number}, but device is "
                             f"{device!r}; set device='cuda:{lent.gpu.number}', or copy "
                             "them.")
        return lent.gpu
    if needed is not None:
        return _cuda.open_gpu(number or 0)
    if wanted["backend"] == "cpu" or several:
        return None
    try:
        return _cuda.open_gpu(number or 0)
    except (Error, ValueError):
        return None  # the elements know another way, or say what is wrong


def device_properties(device: str, gpu: _cuda.Gpu | None = None,
                      needed: bool = False) -> dict[str, Any]:
    """`backend` and `cuda-device-id` of "auto", "cpu", "cuda" or "cuda:1"; `needed`:
    it has to be this GPU."""
    if needed and gpu is not None:
        return {"backend": "cuda", "cuda-device-id": gpu.number}
    name, _, number = str(device).partition(":")
    if name not in ("auto", "cpu", "cuda") or (number and (
            name != "cuda" or not number.isdecimal())):
        raise ValueError(f"device is {device!r}, but auto, cpu, cuda or cuda:NUMBER "
                         "is expected.")
    found: dict[str, Any] = {"backend": name}
    if number:
        found["cuda-device-id"] = int(number)
    return found


def take_spectra(given: Any) -> NDArray[Any]:
    """The array of `spectra`, [volumes, B-scans, A-lines, samples] or its last
    axes.  Samples lie side by side, and A-lines at equal distances."""
    if hasattr(given, "__dlpack__") and not hasattr(given, "__array__"):
        array = numpy.from_dlpack(given)
    else:
        array = _memory.take(given, "The spectra")
    if array.dtype.kind not in "uif":
        raise TypeError(f"The spectra have the type {array.dtype}, but real numbers "
                        "are expected: uint8, uint16 or float32 are best.")
    check_shape(array.shape)
    if array.dtype not in (numpy.uint8, numpy.dtype("<u2"), numpy.float32):
        array = array.astype(numpy.float32)
    return array


def check_shape(shape: tuple[int, ...]) -> None:
    """Raises ValueError for spectra of this shape."""
    if not 1 <= len(shape) <= 4 or 0 in shape:
        raise ValueError(f"The spectra have the shape {shape}, but [samples], "
                         "[A-lines, samples], [B-scans, A-lines, samples] or "
                         "[volumes, B-scans, A-lines, samples] is expected.")
    if max(shape[-2:]) > LARGEST:
        raise ValueError(f"The spectra have the shape {shape}, but an A-line has "
                         f"at most {LARGEST} samples, and a B-scan as many A-lines.")


def _check_apart(spectra: NDArray[Any], out: Any) -> None:
    """Raises ValueError if values would be written over spectra that are not read yet."""
    if isinstance(out, numpy.ndarray) and numpy.may_share_memory(spectra, out):
        raise ValueError("out shares memory with the spectra, which values would be "
                         "written over; give an array of its own.")


def _check_lines(lines: int, settings: dict[str, Any]) -> None:
    """Raises ValueError for one A-line alone, which is its own mean."""
    mode = settings.get("mode", "bscan")
    if lines == 1 and mode in ("bscan", "median", "high-pass", "fixed-pattern",
                               "fixed-pattern-scaled"):
        raise ValueError(
            f"A B-scan of the spectra has one A-line, and mode={mode!r} removes what its "
            "A-lines have in common, so that nothing would be left; set mode='none', "
            "mode='a-line', or mode='background' with the spectrum of the source.")


def _warn_of_order(array: NDArray[Any]) -> None:
    """The spectrum of a source changes along the samples, and hardly from A-line to
    A-line."""
    first = array[(0,) * (array.ndim - 2)] if array.ndim > 1 else array[None]
    if min(first.shape) < 16:
        return
    few = first[::max(1, first.shape[0] // 128), ::max(1, first.shape[1] // 128)]
    along, across = few.mean(axis=0).std(), few.mean(axis=1).std()
    if across > 0.2 * abs(few.mean()) and across > 10 * along:
        lines, samples = first.shape
        warnings.warn(
            "The spectra look as if they were [samples, A-lines]: their means change "
            f"along the {lines} of the last axis but one, and hardly along the {samples} "
            "of the last; give spectra.swapaxes(-1, -2) if that is so.", OctWarning,
            stacklevel=4)


def _says_axis(known: Calibration | None, properties: dict[str, Any]) -> bool:
    """Whether something says which wavelength, or wavenumber, samples have."""
    if known is not None:
        return known.has_axis
    return any(name in properties for name in (
        "calibration", "wavelength-min", "wavelength-polynomial", "k-polynomial",
        "axis"))


def _add_dispersion(known: Calibration | None, properties: dict[str, Any],
                    dispersion: Any, samples: int
                    ) -> tuple[Calibration | None, dict[str, Any]]:
    if dispersion is None:
        return known, properties
    try:
        values = numpy.atleast_1d(numpy.asarray(dispersion, numpy.float64))
    except (TypeError, ValueError):
        raise TypeError(f"dispersion is {dispersion!r}, but a2, (a2, a3) or {samples} "
                        "phases in rad are expected.") from None
    if values.ndim == 1 and len(values) <= 2 < samples:
        return known, properties | dict(zip(("a2", "a3"), values))
    if values.shape != (samples,):
        raise ValueError(f"dispersion has the shape {values.shape}, but a2, (a2, a3) "
                         f"or {samples} phases in rad are expected.")
    if "calibration" in properties:
        known = Calibration.load(properties.pop("calibration"))
    elif "wavelength-min" in properties:
        known = Calibration(numpy.linspace(properties.pop("wavelength-min"),
                                           properties.pop("wavelength-max"), samples))
    if known is not None:
        known._need_columns()
    columns: dict[str, Any] = {} if known is None else {
        "wavelength_nm": known.wavelength_nm, "k_index": known.k_index,
        "background": known.background}
    return Calibration(**columns, dispersion_rad=values), properties


class _Feed:
    """An appsrc that gets the B-scans of an array."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.bscans = array.reshape(-1, *array.shape[-2:]) if array.ndim > 1 \
            else array.reshape(1, 1, -1)
        self._open(array.shape, array.dtype)
        self._held: list[NDArray[Any]] = []  # copies that buffers point to

    def _open(self, shape: tuple[int, ...], dtype: numpy.dtype[Any]) -> None:
        self.leading, self.is_flat = shape[:-2], len(shape) == 1
        self.count, self.sent = math.prod(self.leading), 0
        lines, samples = (1, *shape)[-2:]
        self.lines = lines
        size = f"width={samples},height={lines}"
        caps = {"uint8": f"video/x-raw,format=GRAY8,{size}",
                "uint16": f"video/x-raw,format=GRAY16_LE,{size}",
                "float32": "application/x-oct-spectra,format=F32LE,axis=wavelength,"
                           f"samples={samples},lines={lines}"}[dtype.name]
        self.element = make("appsrc", format="time",
                            caps=gst().Caps.from_string(f"{caps},{RATE}"))

    def send(self, pipeline: Pipeline) -> None:
        """The next B-scan, or the end."""
        if self.sent == self.count:
            return
        buffer = self._make(self.sent)
        buffer.pts = self.sent * 10_000_000
        buffer.duration = 10_000_000
        pipeline.push(buffer)
        self.sent += 1
        if self.sent == self.count:
            self.element.emit("end-of-stream")

    def _make(self, number: int) -> Any:
        bscan = self.bscans[number]
        step = bscan.strides[0]
        gaps_fit = bscan.dtype != numpy.float32 or bscan.flags.c_contiguous
        if bscan.strides[1] != bscan.itemsize or not gaps_fit \
                or step < bscan.shape[1] * bscan.itemsize \
                or step % bscan.itemsize != 0 or not bscan.flags.aligned:
            bscan = numpy.ascontiguousarray(bscan)
            self._held = [*self._held[-2 * AHEAD:], bscan]
        buffer = gst().Buffer.new()
        _memory.wrap(buffer, bscan)
        return buffer


class _GpuFeed(_Feed):
    """An appsrc that gets the B-scans of an array on a GPU."""

    def __init__(self, lent: _cuda.Lent) -> None:
        self.lent = lent
        if lent.shape[-1] > 1 and lent.strides[-1] != lent.dtype.itemsize:
            raise ValueError("The spectra on the GPU have gaps between samples, but "
                             "samples that lie side by side are expected; make them "
                             "contiguous there.")
        if min(lent.strides) < 0:
            raise ValueError("The spectra on the GPU are turned round, but axes that "
                             "rise in memory are expected; make them contiguous there.")
        lines, samples = (1, *lent.shape)[-2:]
        self._lines = lines
        self._width = samples * lent.dtype.itemsize
        # rows as video has them
        self._row = self._width if lent.dtype == numpy.float32 else \
            (self._width + 3) // 4 * 4
        self._pitch = lent.strides[-2] if len(lent.shape) > 1 else self._width
        if lines == 1:
            self._pitch = self._width
        self._open(lent.shape, lent.dtype)

    def _make(self, number: int) -> Any:
        where = self.lent.address
        for size, step in zip(reversed(self.lent.shape[:-2]),
                              reversed(self.lent.strides[:-2])):
            number, index = divmod(number, size)
            where += index * step
        gpu, size = self.lent.gpu, self._row * self._lines
        fits = where % _cuda.ALIGNMENT == 0 and (
            self._pitch == self._row or (self._lines == 1 and self._width == self._row))
        if fits:
            return gpu.new_buffer(where, size)
        buffer = gpu.new_buffer(None, size)
        place = _cuda.DeviceArray(gpu, buffer, 0, (size,), (1,), numpy.uint8)
        gpu.copy(place.address, self._row, where, self._pitch, self._width, self._lines)
        return buffer


class _Rows:
    """Memory for the values of all B-scans."""

    def __init__(self, out: Any) -> None:
        self.out = out

    def lend(self, sink: Any, source: Any, power: bool) -> None:
        """Before the start: has the pipeline write there, if it can."""

    def begin(self, shape: tuple[int, ...], bscan: Any, power: bool) -> None:
        """Before the first B-scan; `shape` of all."""
        raise NotImplementedError

    def put(self, number: int, bscan: Any, power: bool) -> None:
        """The values of B-scan `number`."""
        raise NotImplementedError

    def finish(self) -> None:
        """After the end of the pipeline, also if it has failed."""


class _HostRows(_Rows):

    def __init__(self, out: Any) -> None:
        super().__init__(out)
        self._is_new = out is None
        self._places: Places | None = None
        self._held: list[Any] = []  # else their rows would be used again
        self._elsewhere: list[tuple[int, Any]] = []

    def lend(self, sink: Any, source: Any, power: bool) -> None:
        def find(caps: Any) -> NDArray[Any] | None:
            rows, columns, dtype = sizes_of(caps)
            shape = shape_of(source, (rows, columns))
            # rows of video are padded
            if columns * dtype.itemsize % 4 != 0:
                return None
            if self._is_new and not self._fits(shape, dtype):
                self.out = _memory.empty(shape, dtype)
            if not self._fits(shape, dtype) or self.out.ctypes.data % dtype.itemsize:
                return None
            return self.out.reshape(-1, rows, columns)
        if not power:
            self._places = Places(sink, find)

    def _fits(self, shape: tuple[int, ...], dtype: Any) -> bool:
        out = self.out
        return isinstance(out, numpy.ndarray) and out.shape == shape \
            and not isinstance(out, numpy.ma.MaskedArray) \
            and out.dtype == dtype and out.flags.c_contiguous and out.flags.writeable

    def begin(self, shape: tuple[int, ...], bscan: Any, power: bool) -> None:
        dtype = numpy.dtype(numpy.float32) if power else bscan.dtype
        if self._is_new and not self._fits(shape, dtype):
            self.out = _memory.empty(shape, dtype)
        if not self._fits(shape, dtype):
            raise ValueError(f"out is {_describe(self.out)}, but an array {shape} of "
                             f"{dtype} that is contiguous and can be written is "
                             "expected.")
        self._rows = self.out.reshape(-1, *bscan.shape)
        self._are_placed = self._places is not None and self._places.are_taken()

    def put(self, number: int, bscan: Any, power: bool) -> None:
        row = self._rows[number]
        if power:
            numpy.abs(bscan, out=row)
            numpy.square(row, out=row)
        elif not self._are_placed:
            numpy.copyto(row, bscan)
        elif bscan.ctypes.data == row.ctypes.data:
            self._held.append(bscan)
        else:  # its row may have another B-scan that is not here yet
            self._held.append(bscan)
            self._elsewhere.append((number, bscan.copy()))

    def finish(self) -> None:
        self._held.clear()
        if self._places is not None:
            self._places.end()
            self._places = None
        for number, bscan in self._elsewhere:
            self._rows[number] = bscan


class _GpuRows(_Rows):
    """On the GPU.  All copies are in the legacy default stream, before the
    next work of the plugin in the memory that they are made of."""

    def __init__(self, gpu: _cuda.Gpu, out: Any) -> None:
        super().__init__(out)
        self._gpu = gpu
        self._lent: _cuda.Lent | None = None
        if out is not None and not _cuda.is_on_gpu(out):
            raise ValueError(f"out is {_describe(out)}, but with on_gpu an array in the "
                             "memory of a GPU is expected.")

    def begin(self, shape: tuple[int, ...], bscan: Any, power: bool) -> None:
        if self.out is None:
            strides = _cuda.contiguous(shape, bscan.dtype)
            size = math.prod(shape) * bscan.dtype.itemsize
            self.out = _cuda.DeviceArray(self._gpu, self._gpu.new_buffer(None, size), 0,
                                         shape, strides, bscan.dtype)
            self._address = self.out.address
            return
        lent = self._lent = _cuda.Lent(self.out, "The values of out")
        if lent.shape != shape or lent.dtype != bscan.dtype or not lent.is_contiguous \
                or lent.read_only or lent.gpu is not self._gpu:
            raise ValueError(f"out is an array {lent.shape} of {lent.dtype} on GPU "
                             f"{lent.gpu.number}, but one {shape} of {bscan.dtype} on "
                             f"GPU {self._gpu.number} that is contiguous and can be "
                             "written is expected.")
        self._address = lent.address

    def put(self, number: int, bscan: Any, power: bool) -> None:
        lines, width = bscan.shape[0], bscan.shape[1] * bscan.dtype.itemsize
        self._gpu.copy(self._address + number * lines * width, width, bscan.address,
                       bscan.strides[0], width, lines)


class _Run:
    """One pass of all B-scans through octreconstruct."""

    def __init__(self, source: Any, element: Any, calibration: Calibration | None,
                 gpu: _cuda.Gpu | None, on_gpu: bool) -> None:
        sink = make("appsink", sync=False, max_buffers=AHEAD)
        self.source, self.calibration, self.gpu = source, calibration, gpu
        self._waits = on_gpu or isinstance(source, _GpuFeed)
        self._on_gpu = gpu if on_gpu else None
        self.pipeline = Pipeline(source.element, element, sink)
        if gpu is not None:
            gpu.use(self.pipeline.pipeline)
        take_values(sink, on_gpu)

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *reason: Any) -> None:
        self.pipeline.close()
        if self._waits and self.gpu is not None:
            self.gpu.wait()  # nothing of the caller is in use, and all values are there

    def _samples(self) -> Iterator[Any]:
        if self.calibration is not None:
            pad = self.source.element.get_static_pad("src")
            Sender(pad).send(pad, self.calibration)
        self.pipeline.start()
        for _ in range(AHEAD):
            self.source.send(self.pipeline)
        while (sample := self.pipeline.pull()) is not None:
            yield sample
            self.source.send(self.pipeline)

    def collect(self, output: str, x_spacing: float | None,
                y_spacing: float | None, rows: _Rows) -> Result:
        """All of its B-scans in one array."""
        try:
            caps = self._put_all(rows, output == "power")
        finally:
            self.pipeline.close()  # nothing is written any more
            rows.finish()
        return Result(rows.out, output, spacing_of(caps, "z-spacing"),
                      x_spacing or spacing_of(caps, "x-spacing"),
                      y_spacing or spacing_of(caps, "y-spacing"),
                      caps.get_value("depth-start") or 0)

    def _put_all(self, rows: _Rows, power: bool) -> Any:
        """The caps of the first B-scan."""
        number = 0
        rows.lend(self.pipeline.sink, self.source, power)
        for number, sample in enumerate(self._samples(), 1):
            bscan = read_bscan(sample, self._on_gpu)
            if number == 1:
                caps = sample.get_caps().get_structure(0).copy()
                rows.begin(shape_of(self.source, bscan.shape), bscan, power)
            if number > self.source.count:
                break
            rows.put(number - 1, bscan, power)
        if number != self.source.count:
            raise Error(f"{number} of {self.source.count} B-scans came.")
        return caps


def shape_of(source: Any, bscan: tuple[int, ...]) -> tuple[int, ...]:
    """That of all B-scans."""
    return (math.prod(bscan),) if source.is_flat else (*source.leading, *bscan)


def _describe(given: Any) -> str:
    if isinstance(given, numpy.ma.MaskedArray):
        return f"a masked array {given.shape} of {given.dtype}"
    if isinstance(given, numpy.ndarray):
        return f"an array {given.shape} of {given.dtype}"
    return f"a {type(given).__name__}"


def spacing_of(caps: Any, name: str) -> float | None:
    """Metres that the caps state."""
    found, value = caps.get_double(name)
    return value if found else None


def take_values(sink: Any, on_gpu: bool, last: Any = None) -> None:
    """An appsink takes values in host memory, where they are brought while the next
    ones are computed, or in that of a GPU.  If the element before it makes none,
    all is taken, and read_bscan() says what came."""
    feature = "(memory:CUDAMemory)" if on_gpu else ""
    # of NV12 the first plane is the image
    image = "NV12" if on_gpu else "{GRAY8,GRAY16_LE}"
    caps = gst().Caps.from_string(
        f"application/x-oct-ascans{feature}; application/x-oct-values{feature}; "
        f"video/x-raw{feature},format={image}")
    if last is None or last.get_static_pad("src").query_caps(None).can_intersect(caps):
        sink.set_property("caps", caps)
    sink.set_property("enable-last-sample", False)  # which would keep its memory


def read_bscan(sample: Any, gpu: _cuda.Gpu | None = None) -> Any:
    """The values of a Gst.Sample, without a copy: A-scans [A-lines, depths] or an
    image [depths, A-lines]; a DeviceArray if they are on this GPU."""
    caps = sample.get_caps().get_structure(0)
    if gpu is not None:
        return _read_on_gpu(sample.get_buffer(), caps, gpu)
    return _memory.view_rows(sample.get_buffer(), *sizes_of(caps))


def sizes_of(caps: Any) -> tuple[int, int, numpy.dtype[Any]]:
    """Rows, columns and type of a B-scan of these caps."""
    sizes = ("height", "width") if caps.get_name() == "video/x-raw" \
        else ("lines", "samples")
    dtype = {"GRAY8": "u1", "GRAY16_LE": "<u2", "F32LE": "<f4",
             "CF32LE": "<c8"}.get(caps.get_value("format"))
    if dtype is None or not all(caps.has_field(name) for name in sizes):
        kind = caps.get_value("format") or caps.get_name()
        raise Error(f"Frames of {kind} have come, but grey images (GRAY8, GRAY16_LE), "
                    "A-scans or values are expected; end `then` with '! videoconvert ! "
                    "video/x-raw,format=GRAY8', or without the element that makes "
                    f"{kind}.")
    rows, columns = (caps.get_value(name) for name in sizes)
    return rows, columns, numpy.dtype(dtype)


def _read_on_gpu(buffer: Any, caps: Any, gpu: _cuda.Gpu) -> _cuda.DeviceArray:
    if caps.get_name() == "video/x-raw":
        shape = caps.get_value("height"), caps.get_value("width")
        offset, stride = _memory.video_plane(buffer) or (0, (shape[1] + 3) // 4 * 4)
        return _cuda.DeviceArray(gpu, buffer, offset, shape, (stride, 1), numpy.uint8)
    dtype = {"F32LE": "<f4", "CF32LE": "<c8"}[caps.get_value("format")]
    shape = caps.get_value("lines"), caps.get_value("samples")
    return _cuda.DeviceArray(gpu, buffer, 0, shape, _cuda.contiguous(shape, dtype), dtype)


def methods() -> list[str]:
    """The values that `method` can have."""
    return choices(make("octreconstruct"), "method")
