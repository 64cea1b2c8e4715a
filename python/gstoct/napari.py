# SPDX-License-Identifier: LGPL-2.1-or-later
"""A reader for napari: files of spectra become layers of images, B-scan by B-scan as
they are looked at, and volumes that octvolumesink has written layers as they are.  napari
finds it by the manifest napari.yaml."""
from __future__ import annotations

import importlib
import json
import os
from typing import Any, Callable

import numpy
from numpy.typing import NDArray

from .errors import Error
from .reconstruction import reconstruct
from .recording import Recording

#: metres are shown as micrometres
UM = 1e6


class _Lazy:
    """Images [B-scans, depths, A-lines] that are made or read when they are sliced:
    an array as napari wants it."""

    ndim = 3
    dtype: numpy.dtype[Any]
    shape: tuple[int, ...]

    def _make(self, number: int) -> NDArray[Any]:
        raise NotImplementedError

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
            image: NDArray[Any] = self._make(numbers)[rest]
            return image
        if len(numbers) == 0:
            return numpy.empty(self.shape, self.dtype)[:0][(slice(None), *rest)]
        images = [self._make(n) for n in numbers]
        return numpy.stack(images)[(slice(None), *rest)]

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        values = self[:]
        return values if dtype is None else values.astype(dtype, copy=False)


class LazyImages(_Lazy):
    """Images of the spectra of a Recording."""

    dtype = numpy.dtype(numpy.uint8)

    def __init__(self, recording: Recording, **settings: Any) -> None:
        self._recording, self._settings = recording, settings
        first = self._reconstruct(0)
        self.z_spacing, self.x_spacing = first.z_spacing, first.x_spacing
        self.shape = (recording.shape[0] * recording.shape[1], *first.shape[1:])

    def _reconstruct(self, number: int) -> Any:
        spectra = self._recording[divmod(number, self._recording.shape[1])]
        return reconstruct(spectra[None], calibration=self._recording.calibration,
                           output="image", x_spacing=self._recording.x_spacing,
                           **self._settings)

    def _make(self, number: int) -> NDArray[Any]:
        image: NDArray[Any] = self._reconstruct(number).values[0]
        return image


class LazyVolume(_Lazy):
    """A volume that octvolumesink or oct-convert has written."""

    def __init__(self, path: str) -> None:
        self._recording = Recording(path)
        self.dtype = self._recording.dtype
        volumes, bscans, *image = self._recording.shape
        self.shape = (volumes * bscans, *image)

    def _make(self, number: int) -> NDArray[Any]:
        return self._recording[divmod(number, self._recording.shape[1])]


# ------------------------------------------------------------------------ volumes

def _optional(name: str) -> Any:
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _zarr_scale(path: str) -> list[float] | None:
    with open(os.path.join(path, "zarr.json"), encoding="utf-8") as text:
        attributes = json.load(text).get("attributes", {})
    if "oct" not in attributes:
        return None
    level = attributes["ome"]["multiscales"][0]["datasets"][0]
    scale: list[float] = level["coordinateTransformations"][0]["scale"][1:]
    return scale


def _hdf5_scale(path: str) -> list[float] | None:
    module = _optional("h5py")
    if module is None:
        return None
    with module.File(path) as file:
        attributes = dict(file["images"].attrs) if "images" in file else {}
    if not bytes(attributes.get("axes", b"")).startswith(b"bscan"):
        return None
    return [float(size) for size in attributes.get("element_size_um", (1, 1, 1))]


def _tiff_scale(path: str) -> list[float] | None:
    module = _optional("tifffile")
    if module is None:
        return None
    with module.TiffFile(path) as file:
        about, tags = file.imagej_metadata or {}, file.pages[0].tags
        if "refractive_index" not in about:
            return None
        if "spacing" not in about:
            return [1.0, 1.0, 1.0]
        # pixels of a millimetre, as a fraction
        lateral, depth = (tags[name].value for name in ("XResolution", "YResolution"))
    mm = [about["spacing"], depth[1] / depth[0], lateral[1] / lateral[0]]
    return [1e3 * length for length in mm]


def _find_scale(path: str) -> list[float] | None:
    """Micrometres between the voxels of a volume, 1 where they are not known; None:
    not one of gst-oct."""
    ways = {".zarr": _zarr_scale, ".h5": _hdf5_scale, ".hdf5": _hdf5_scale,
            ".tif": _tiff_scale, ".tiff": _tiff_scale}
    way = ways.get(os.path.splitext(path)[1].lower())
    try:
        return way(path) if way is not None else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _load_nifti(path: str) -> tuple[NDArray[Any], list[float]] | None:
    """A volume of NIfTI, [B-scans, depths, A-lines], and its scale in um."""
    module = _optional("nibabel")
    if module is None or not path.lower().endswith((".nii", ".nii.gz")):
        return None
    try:
        image = module.load(path)
        about = bytes(image.header["descrip"])
        values = numpy.asanyarray(image.dataobj)
    except (OSError, ValueError, LookupError, EOFError,
            module.filebasedimages.ImageFileError):
        return None
    if not about.startswith(b"OCT volume, gst-oct") or values.ndim != 3:
        return None
    return values.T, [1e3 * float(step) for step in image.header.get_zooms()[::-1]]


# ------------------------------------------------------------------------- reader

def get_reader(path: str | list[str]) -> Callable[[Any], list[tuple[Any, ...]]] | None:
    """The reader for this path, or None if there are no spectra and no volume."""
    if not isinstance(path, str) or not (
            os.path.isfile(path) or os.path.isfile(os.path.join(path, "zarr.json"))):
        return None
    path = os.path.normpath(path)
    if _load_nifti(path) is not None:
        return read
    try:
        Recording(path).close()
    except (Error, ImportError):
        return None
    return read


def _read_volume(path: str) -> tuple[Any, list[float]] | None:
    nifti = _load_nifti(path)
    if nifti is not None:
        return nifti
    scale = _find_scale(path)
    return (LazyVolume(path), scale) if scale is not None else None


def read(path: str) -> list[tuple[Any, ...]]:
    """The layers of a file: its images or its volume, with a scale in um where it is
    known."""
    path = os.path.normpath(path)
    volume = _read_volume(path)
    if volume is not None:
        images, scale = volume
        axes = ("B-scan", "depth in the sample", "A-line")
    else:
        recording = Recording(path)
        images = LazyImages(recording)
        scale = [(spacing or 0) * UM or 1.0 for spacing in (
            recording.y_spacing, images.z_spacing, images.x_spacing)]
        axes = ("B-scan", "depth in air", "A-line")
    return [(images, {"name": os.path.basename(path), "scale": scale,
                      "metadata": {"axes": axes}}, "image")]
