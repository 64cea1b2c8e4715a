# SPDX-License-Identifier: LGPL-2.1-or-later
"""From arrays, or recordings, of spectra to A-scans and images."""
from __future__ import annotations

from typing import Any, Iterator

import numpy

from . import _memory
from ._gst import Pipeline, choices, gst, make
from .calibration import Calibration, CalibrationLike, settle
from .errors import Error
from .recording import Recording
from .result import Result

OUTPUTS = ("ascans", "power", "image")
#: B-scans that are in the pipeline at a time
AHEAD = 4
LARGEST = 65536  # docs/caps.md, Sizes
RATE = "framerate=100/1"


def reconstruct(spectra: Any, calibration: CalibrationLike = None,
                dispersion: Any = None, method: str = "resample",
                output: str = "ascans", device: str = "auto", *,
                x_spacing: float | None = None, y_spacing: float | None = None,
                out: numpy.ndarray | None = None, **settings: Any) -> Result:
    """A-scans, powers or images of spectra.

    spectra: counts, [samples], [A-lines, samples], [B-scans, A-lines, samples] or
        [volumes, B-scans, A-lines, samples]: a NumPy array, or an object with the
        buffer protocol, __array__ or DLPack, in host memory.  uint8, uint16 and
        float32 are used as they are, without a copy if samples lie side by side;
        other real types are converted to float32.  Or a Recording.
    calibration: a Calibration, the path of a file, (first, last) wavelength in nm,
        one wavelength in nm per sample, or a dict of the columns of Calibration.
        None: that of the recording; for an array, samples are taken to be uniform
        in wavenumber.
    dispersion: a2 in um^2, or (a2, a3) in um^2 and um^3, or one phase in rad per
        sample (with wavelengths alone) or per wavenumber.
    method: "resample", "nufft", "nudft" or "cs".
    output: "ascans" (complex64, [..., A-lines, depths]), "power" (float32, their
        squares) or "image" (uint8, [..., depths, A-lines]).
    device: "auto", "cpu", "cuda" or "cuda:1".
    x_spacing, y_spacing: metres between A-lines and between B-scans.
    out: array for the values, of their shape and type; new memory costs time, so
        that many calls are faster with one that is there.  (The memory of the last
        result is used again if that is gone, and at most 256 MB.)
    settings: other properties of octreconstruct, with _ in place of -, such as
        mode="none", window="gaussian", depth_bins=400, range="manual".

    Returns a Result.  Raises Error with the sentence of the element that cannot
    do it, ValueError or TypeError for an argument.  Other threads run meanwhile.
    """
    if output not in OUTPUTS:
        raise ValueError(f"output is {output!r}, but one of {', '.join(OUTPUTS)} is "
                         "expected.")
    recording = spectra if isinstance(spectra, Recording) else None
    array = None if recording is not None else take_spectra(spectra)
    samples = (recording if recording is not None else array).shape[-1]
    known, properties = settle(calibration, samples)
    known, properties = _add_dispersion(known, properties, dispersion, samples)
    properties.update({name.replace("_", "-"): value
                       for name, value in settings.items()})
    if array is not None and not _says_axis(known, properties):
        properties["axis"] = "wavenumber"
    element = make("octreconstruct", method=method,
                   output="images" if output == "image" else "ascans",
                   **device_properties(device), **properties)
    source = recording.make_source() if recording is not None \
        else _Feed(array)
    with _Run(source, element, known) as run:
        return run.collect(output, x_spacing, y_spacing, out)


def device_properties(device: str) -> dict[str, Any]:
    """`backend` and `cuda-device-id` of "auto", "cpu", "cuda" or "cuda:1"."""
    name, _, number = str(device).partition(":")
    if name not in ("auto", "cpu", "cuda") or (number and (
            name != "cuda" or not number.isdecimal())):
        raise ValueError(f"device is {device!r}, but auto, cpu, cuda or cuda:NUMBER "
                         "is expected.")
    found: dict[str, Any] = {"backend": name}
    if number:
        found["cuda-device-id"] = int(number)
    return found


def take_spectra(given: Any) -> numpy.ndarray:
    """The array of `spectra`, [volumes, B-scans, A-lines, samples] or its last
    axes.  Samples lie side by side, and A-lines at equal distances."""
    if hasattr(given, "__cuda_array_interface__"):
        raise TypeError("The spectra are in the memory of a GPU, but host memory is "
                        "expected; give cupy.asnumpy(spectra) or spectra.cpu().")
    if hasattr(given, "__dlpack__") and not hasattr(given, "__array__"):
        array = numpy.from_dlpack(given)
    else:
        array = numpy.asarray(given)
    if array.dtype.kind not in "uif":
        raise TypeError(f"The spectra have the type {array.dtype}, but real numbers "
                        "are expected: uint8, uint16 or float32 are best.")
    if not 1 <= array.ndim <= 4 or array.size == 0:
        raise ValueError(f"The spectra have the shape {array.shape}, but [samples], "
                         "[A-lines, samples], [B-scans, A-lines, samples] or "
                         "[volumes, B-scans, A-lines, samples] is expected.")
    if max(array.shape[-2:]) > LARGEST:
        raise ValueError(f"The spectra have the shape {array.shape}, but an A-line has "
                         f"at most {LARGEST} samples, and a B-scan as many A-lines.")
    if array.dtype not in (numpy.uint8, numpy.dtype("<u2"), numpy.float32):
        array = array.astype(numpy.float32)
    return array


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
    values = numpy.atleast_1d(numpy.asarray(dispersion, numpy.float64))
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
    columns = {} if known is None else {
        "wavelength_nm": known.wavelength_nm, "k_index": known.k_index,
        "background": known.background}
    return Calibration(**columns, dispersion_rad=values), properties


class _Feed:
    """An appsrc that gets the B-scans of an array."""

    def __init__(self, array: numpy.ndarray) -> None:
        self.leading = array.shape[:-2]
        self.bscans = array.reshape(-1, *array.shape[-2:]) if array.ndim > 1 \
            else array.reshape(1, 1, -1)
        lines, samples = self.bscans.shape[1:]
        size = f"width={samples},height={lines}"
        caps = {"uint8": f"video/x-raw,format=GRAY8,{size}",
                "uint16": f"video/x-raw,format=GRAY16_LE,{size}",
                "float32": "application/x-oct-spectra,format=F32LE,axis=wavelength,"
                           f"samples={samples},lines={lines}"}[array.dtype.name]
        self.element = make("appsrc", format="time",
                            caps=gst().Caps.from_string(f"{caps},{RATE}"))
        self.is_flat = array.ndim == 1
        self.count = len(self.bscans)
        self.sent = 0
        self._held: list[numpy.ndarray] = []  # copies that buffers point to

    def send(self, pipeline: Pipeline) -> None:
        """The next B-scan, or the end."""
        if self.sent == self.count:
            return
        bscan = self.bscans[self.sent]
        step = bscan.strides[0]
        gaps_fit = bscan.dtype != numpy.float32 or bscan.flags.c_contiguous
        if bscan.strides[1] != bscan.itemsize or not gaps_fit \
                or step < bscan.shape[1] * bscan.itemsize \
                or step % bscan.itemsize != 0 or not bscan.flags.aligned:
            bscan = numpy.ascontiguousarray(bscan)
            self._held = [*self._held[-2 * AHEAD:], bscan]
        buffer = gst().Buffer.new()
        _memory.wrap(buffer, bscan)
        buffer.pts = self.sent * 10_000_000
        buffer.duration = 10_000_000
        pipeline.push(buffer)
        self.sent += 1
        if self.sent == self.count:
            self.element.emit("end-of-stream")


class _Run:
    """One pass of all B-scans through octreconstruct."""

    def __init__(self, source: Any, element: Any,
                 calibration: Calibration | None) -> None:
        sink = make("appsink", sync=False, max_buffers=AHEAD)
        self.source, self.calibration = source, calibration
        self.pipeline = Pipeline(source.element, element, sink)

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *reason: Any) -> None:
        self.pipeline.close()

    def _samples(self) -> Iterator[Any]:
        self.pipeline.start()
        if self.calibration is not None:
            self.source.element.send_event(self.calibration.event())
        for _ in range(AHEAD):
            self.source.send(self.pipeline)
        while (sample := self.pipeline.pull()) is not None:
            yield sample
            self.source.send(self.pipeline)

    def _allocate(self, output: str, bscan: numpy.ndarray,
                  out: numpy.ndarray | None) -> numpy.ndarray:
        """Memory for all B-scans, of which this is the first."""
        shape = (*self.source.leading, *bscan.shape)
        if self.source.is_flat:
            shape = (bscan.size,)
        dtype = numpy.dtype(numpy.float32) if output == "power" else bscan.dtype
        if out is None:
            return _memory.empty(shape, dtype)
        if not isinstance(out, numpy.ndarray) or out.shape != shape \
                or out.dtype != dtype or not out.flags.c_contiguous \
                or not out.flags.writeable:
            raise ValueError(f"out is {_describe(out)}, but an array {shape} of "
                             f"{dtype} that is contiguous and can be written is "
                             "expected.")
        return out

    def collect(self, output: str, x_spacing: float | None,
                y_spacing: float | None, out: numpy.ndarray | None) -> Result:
        """All of its B-scans in one array."""
        number = 0
        for number, sample in enumerate(self._samples(), 1):
            bscan = read_bscan(sample)
            if number == 1:
                caps = sample.get_caps().get_structure(0)
                out = self._allocate(output, bscan, out)
                rows = out.reshape(-1, *bscan.shape)
            if number > self.source.count:
                break
            if output == "power":
                numpy.abs(bscan, out=rows[number - 1])
                numpy.square(rows[number - 1], out=rows[number - 1])
            else:
                numpy.copyto(rows[number - 1], bscan)
        if number != self.source.count:
            raise Error(f"{number} of {self.source.count} B-scans came.")
        return Result(out, output, spacing_of(caps, "z-spacing"),
                      x_spacing or spacing_of(caps, "x-spacing"),
                      y_spacing or spacing_of(caps, "y-spacing"),
                      caps.get_value("depth-start") or 0)


def _describe(given: Any) -> str:
    if isinstance(given, numpy.ndarray):
        return f"an array {given.shape} of {given.dtype}"
    return f"a {type(given).__name__}"


def spacing_of(caps: Any, name: str) -> float | None:
    """Metres that the caps state."""
    found, value = caps.get_double(name)
    return value if found else None


def read_bscan(sample: Any) -> numpy.ndarray:
    """The values of a Gst.Sample, without a copy: A-scans [A-lines, depths] or an
    image [depths, A-lines]."""
    caps = sample.get_caps().get_structure(0)
    if caps.get_name() == "video/x-raw":
        dtype = {"GRAY8": numpy.uint8, "GRAY16_LE": "<u2"}[caps.get_value("format")]
        return _memory.view_rows(sample.get_buffer(), caps.get_value("height"),
                                 caps.get_value("width"), dtype)
    dtype = {"F32LE": "<f4", "CF32LE": "<c8"}[caps.get_value("format")]
    return _memory.view_rows(sample.get_buffer(), caps.get_value("lines"),
                             caps.get_value("samples"), dtype)


def methods() -> list[str]:
    """The values that `method` can have."""
    return choices(make("octreconstruct"), "method")
