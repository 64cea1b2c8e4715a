# SPDX-License-Identifier: LGPL-2.1-or-later
"""A reader for napari: files of spectra become layers of images, B-scan by B-scan as
they are looked at.  napari finds it by the manifest napari.yaml."""
from __future__ import annotations

import os
from typing import Any, Callable

import numpy
from numpy.typing import NDArray

from .errors import Error
from .reconstruction import reconstruct
from .recording import Recording

#: metres are shown as micrometres
UM = 1e6


class LazyImages:
    """Images of a Recording, [B-scans, depths, A-lines], made when they are
    sliced: an array as napari wants it."""

    ndim = 3
    dtype = numpy.dtype(numpy.uint8)

    def __init__(self, recording: Recording, **settings: Any) -> None:
        self._recording, self._settings = recording, settings
        first = self._make(0, 1)
        self.z_spacing, self.x_spacing = first.z_spacing, first.x_spacing
        self.shape = (recording.shape[0] * recording.shape[1], *first.shape[1:])

    def _make(self, start: int, stop: int) -> Any:
        bscans = self._recording.shape[1]
        spectra = numpy.stack([self._recording[number // bscans, number % bscans]
                               for number in range(start, stop)])
        return reconstruct(spectra, calibration=self._recording.calibration,
                           output="image", x_spacing=self._recording.x_spacing,
                           **self._settings)

    @property
    def size(self) -> int:
        """Number of values."""
        return int(numpy.prod(self.shape, dtype=numpy.int64))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> NDArray[Any]:
        parts = index if isinstance(index, tuple) else (index,)
        if parts[0] is Ellipsis:
            parts = (slice(None),) * (4 - len(parts)) + parts[1:]
        first, rest = parts[0], parts[1:]
        numbers = range(self.shape[0])[first]
        if isinstance(numbers, int):
            return self._make(numbers, numbers + 1).values[0][rest]
        if len(numbers) == 0:
            return numpy.empty(self.shape, self.dtype)[:0][(slice(None), *rest)]
        images = [self._make(n, n + 1).values[0] for n in numbers]
        return numpy.stack(images)[(slice(None), *rest)]

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        values = self[:]
        return values if dtype is None else values.astype(dtype, copy=False)


def get_reader(path: str | list[str]) -> Callable[[Any], list[tuple[Any, ...]]] | None:
    """The reader for this path, or None if octsrc cannot open it."""
    if not isinstance(path, str) or not os.path.isfile(path):
        return None
    try:
        Recording(path).close()
    except (Error, ImportError):
        return None
    return read


def read(path: str) -> list[tuple[Any, ...]]:
    """The layers of a file: its images, with a scale in um where it is known."""
    recording = Recording(path)
    images = LazyImages(recording)
    scale = [(spacing or 0) * UM or 1.0 for spacing in (
        recording.y_spacing, images.z_spacing, images.x_spacing)]
    return [(images, {"name": os.path.basename(path), "scale": scale,
                      "metadata": {"axes": ("B-scan", "depth in air", "A-line")}},
             "image")]
