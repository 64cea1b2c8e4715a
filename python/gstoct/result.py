# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results: arrays that know their axes."""
from __future__ import annotations

import math
import os
import pathlib
from typing import Any

import numpy
from numpy.typing import NDArray

from . import _pictures
from ._cuda import DeviceArray
from .errors import Error


UNITS = {"image": "1", "ascans": "counts", "power": "counts^2"}


def check_spacing(name: str, value: Any) -> float | None:
    """Metres as they were given, or None.  Raises TypeError and ValueError."""
    if value is None:
        return None
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = None
    if found is None or isinstance(value, (str, bytes, bool)):
        raise TypeError(f"{name} is {value!r}, but a number of metres is expected.")
    if not 0 < found < math.inf:
        raise ValueError(f"{name} is {value!r}, but metres above 0 are expected; leave "
                         "it out if it is not known.")
    return found


class Result:
    """An array with its axes.

    values: NumPy array, its axes in the order of `dims`; a DeviceArray if they have
        stayed on a GPU, and then host() copies them.
    dims: names of the axes, some of "volume", "y" (B-scans), "x" (A-lines) and
        "z" (depths); images have "z" before "x", A-scans "x" before "z".
    kind: "ascans" (complex64, counts), "power" (float32, counts squared) or
        "image" (uint8, grey levels).
    z_spacing: metres of air from one depth to the next; None if the calibration
        does not say it.
    x_spacing, y_spacing: metres between A-lines and between B-scans, or None.
    depth_start: bins from the zero delay to the first depth.
    """

    def __init__(self, values: Any, kind: str,
                 z_spacing: float | None = None, x_spacing: float | None = None,
                 y_spacing: float | None = None, depth_start: int = 0) -> None:
        self.values, self.kind = values, kind
        self.z_spacing, self.x_spacing = z_spacing, x_spacing
        self.y_spacing, self.depth_start = y_spacing, depth_start
        last = ("z", "x") if kind == "image" else ("x", "z")
        self.dims = ("z",) if values.ndim == 1 else (
            "volume", "y", *last)[4 - values.ndim:]

    def _axis(self, name: str, spacing: float | None,
              start: int = 0) -> NDArray[Any] | None:
        if spacing is None or name not in self.dims:
            return None
        size = self.values.shape[self.dims.index(name)]
        return (start + numpy.arange(size)) * spacing

    @property
    def z(self) -> NDArray[Any] | None:
        """Depths in metres of air, from the zero delay; None if not known.  In
        tissue they are lengths divided by its refractive index."""
        return self._axis("z", self.z_spacing, self.depth_start)

    @property
    def x(self) -> NDArray[Any] | None:
        """Places of A-lines in metres, None if not known."""
        return self._axis("x", self.x_spacing)

    @property
    def y(self) -> NDArray[Any] | None:
        """Places of B-scans in metres, None if not known."""
        return self._axis("y", self.y_spacing)

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self.values.shape

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """Type of the values."""
        return self.values.dtype

    def host(self) -> NDArray[Any]:
        """The values as a NumPy array: a copy if they are on a GPU."""
        values = self.values
        return values.numpy() if isinstance(values, DeviceArray) else values

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        values = numpy.asarray(self.values)  # a sentence if they are on a GPU
        if dtype is not None:
            values = values.astype(dtype, copy=False)
        return values.copy() if copy else values

    def __dlpack__(self, **settings: Any) -> Any:
        return self.values.__dlpack__(**settings)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.values.__cuda_array_interface__  # an AttributeError on the host

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]

    def __repr__(self) -> str:
        axes = ", ".join(f"{name}: {size}"
                         for name, size in zip(self.dims, self.shape))
        return f"<gstoct {self.kind} {self.dtype} ({axes})>"

    def to_xarray(self) -> Any:
        """An xarray.DataArray with these axes, coordinates in metres.  Needs
        xarray."""
        try:
            import xarray
        except ImportError as reason:
            raise ImportError("to_xarray() needs xarray; install "
                              "python3-xarray.") from reason
        found = {"x": self.x, "y": self.y, "z": self.z}
        array = xarray.DataArray(
            self.host(), dims=self.dims, name=self.kind,
            coords={name: (name, values, {"units": "m"})
                    for name, values in found.items() if values is not None},
            attrs={"units": UNITS.get(self.kind, "")})
        if "z" in array.coords:
            array.coords["z"].attrs["long_name"] = "depth in air"
        return array

    def png(self, bscan: int | None = None) -> bytes:
        """One B-scan as the bytes of a PNG file, the middle one if `bscan` is
        None.  A-scans and powers are shown as octlogscale does it."""
        values = self.host()
        flat = values.reshape(-1, *self.shape[-2:]) if values.ndim > 1 \
            else values.reshape(1, 1, -1)
        chosen = flat[len(flat) // 2 if bscan is None else bscan]
        if self.kind == "power":
            chosen = numpy.sqrt(chosen).astype(numpy.complex64)
        return _pictures.encode(chosen)

    def save_png(self, path: str | os.PathLike[str], bscan: int | None = None) -> None:
        """Writes png() to a file."""
        pathlib.Path(path).write_bytes(self.png(bscan))

    def _repr_png_(self) -> bytes | None:
        try:
            return self.png()
        except Error:  # a notebook shows the text then
            return None


class Picture:
    """A picture of a volume: `values` is an array [rows, columns] of grey levels,
    or [rows, columns, 3] of red, green and blue, uint8.  x_spacing and y_spacing
    are metres from column to column and from row to row, or None."""

    def __init__(self, values: NDArray[Any], x_spacing: float | None = None,
                 y_spacing: float | None = None) -> None:
        self.values = values
        self.x_spacing, self.y_spacing = x_spacing, y_spacing

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows, columns, and 3 if it has colours."""
        return self.values.shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        values = self.values if dtype is None else self.values.astype(
            dtype, copy=False)
        return values.copy() if copy else values

    def __repr__(self) -> str:
        return (f"<gstoct picture of {self.shape[1]} x {self.shape[0]} pixels, "
                f"{'colour' if self.values.ndim == 3 else 'grey'}>")

    def png(self) -> bytes:
        """The bytes of a PNG file."""
        return _pictures.encode(self.values)

    def save_png(self, path: str | os.PathLike[str]) -> None:
        """Writes png() to a file."""
        pathlib.Path(path).write_bytes(self.png())

    def _repr_png_(self) -> bytes | None:
        try:
            return self.png()
        except Error:  # a notebook shows the text then
            return None
