# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes of images: pictures of them, and files."""
from __future__ import annotations

import os
from typing import Any

import numpy

from . import _memory
from ._gst import Pipeline, gst, make, refuse
from .reconstruction import LARGEST, device_properties, spacing_of
from .result import Picture, Result, check_spacing

#: Debian's and others' defaults: soft tissue
INDEX = 1.38


class Volume:
    """Images of the B-scans of a volume.

    images: grey levels [B-scans, depths, A-lines], uint8; or a Result of
        reconstruct(..., output="image"), which brings its spacings along.
    x_spacing, y_spacing: metres between A-lines and between B-scans.
    z_spacing: metres of air between depths.
    device: "auto", "cpu", "cuda" or "cuda:1".
    """

    def __init__(self, images: Any, x_spacing: float | None = None,
                 y_spacing: float | None = None, z_spacing: float | None = None,
                 device: str = "auto") -> None:
        known = images if isinstance(images, Result) else None
        if known is not None and known.kind != "image":
            raise TypeError(f"The result has {known.kind}, but images are expected; "
                            "reconstruct with output='image'.")
        array = _memory.take(images, "The images")
        if array.dtype != numpy.uint8:
            raise TypeError(f"The images have the type {array.dtype}, but uint8 is "
                            "expected.")
        if array.ndim == 4 and len(array) == 1:
            array = array[0]
        if array.ndim != 3 or array.size == 0:
            raise ValueError(f"The images have the shape {array.shape}, but "
                             "[B-scans, depths, A-lines] is expected.")
        if max(array.shape[1:]) > LARGEST:
            raise ValueError(f"The images have the shape {array.shape}, but at most "
                             f"{LARGEST} depths and A-lines are expected.")
        self.values = array
        self.x_spacing = check_spacing("x_spacing", x_spacing) \
            or getattr(known, "x_spacing", None)
        self.y_spacing = check_spacing("y_spacing", y_spacing) \
            or getattr(known, "y_spacing", None)
        self.z_spacing = check_spacing("z_spacing", z_spacing) \
            or getattr(known, "z_spacing", None)
        self.depth_start = getattr(known, "depth_start", 0)
        self._device = device_properties(device)

    def __repr__(self) -> str:
        bscans, depths, lines = self.values.shape
        return (f"<gstoct.Volume of {bscans} B-scans, {lines} A-lines, {depths} "
                "depths>")

    def _caps(self) -> Any:
        bscans, depths, lines = self.values.shape
        text = (f"video/x-raw,format=GRAY8,width={lines},height={depths},"
                "framerate=100/1")
        for name in ("x-spacing", "y-spacing", "z-spacing"):
            value = getattr(self, name.replace("-", "_"))
            if value:
                text += f",{name}=(double){value!r}"
        if self.depth_start:
            text += f",depth-start=(int){self.depth_start}"
        return gst().Caps.from_string(text)

    def _run(self, *elements: Any) -> Any:
        """Sends all B-scans through elements; the last sample, if they end with
        an appsink."""
        feed = make("appsrc", format="time", caps=self._caps())
        pipeline = Pipeline(feed, *elements)
        try:
            pipeline.start()
            images = self.values
            if images.strides[2] != 1 or images.strides[1] < images.shape[2]:
                images = numpy.ascontiguousarray(images)
            for number, image in enumerate(images):
                buffer = gst().Buffer.new()
                _memory.wrap(buffer, image)
                buffer.pts, buffer.duration = number * 10_000_000, 10_000_000
                pipeline.push(buffer)
            feed.emit("end-of-stream")
            return pipeline.finish()
        finally:
            pipeline.close()

    def _make(self, factory: str, settings: dict[str, Any], **own: Any) -> Any:
        """An element for the B-scans of the volume."""
        refuse(settings, bscans="the volume", backend="device of Volume",
               cuda_device_id="device of Volume", location="path")
        return make(factory, bscans=len(self.values), **own, **settings)

    def _picture(self, element: Any, caps: str) -> Picture:
        limit = make("capsfilter", caps=gst().Caps.from_string(caps))
        sample = self._run(element, limit, make("appsink", sync=False))
        found = sample.get_caps().get_structure(0)
        rows, columns = found.get_value("height"), found.get_value("width")
        if found.get_value("format") == "GRAY8":
            values = _memory.view_rows(sample.get_buffer(), rows, columns, "u1")
        else:
            values = _memory.view_rows(sample.get_buffer(), rows, columns * 4, "u1")
            values = values.reshape(rows, columns, 4)[..., :3]
        return Picture(values.copy(), spacing_of(found, "x-spacing"),
                       spacing_of(found, "y-spacing"))

    def render(self, width: int = 640, height: int = 480, **settings: Any) -> Picture:
        """A picture in colours, by octvolume; settings are its properties, with _
        in place of -, such as yaw=-35, pitch=38, zoom=1.2, mode="mip".  width and
        height: pixels, 16 to 8192."""
        for name, size in (("width", width), ("height", height)):
            if not isinstance(size, (int, numpy.integer)) or isinstance(size, bool):
                raise TypeError(f"{name} is {size!r}, but an integer is expected.")
            if not 16 <= size <= 8192:
                raise ValueError(f"{name} is {size}, but 16 to 8192 pixels are "
                                 "expected.")
        return self._picture(
            self._make("octvolume", settings, **self._device),
            f"video/x-raw,format=RGBA,width={width},height={height}")

    def enface(self, **settings: Any) -> Picture:
        """A slab of depth from above, by octenface: rows are B-scans, columns
        A-lines.  Settings are its properties, such as flatten=True, start=100
        and thickness=50 (um of tissue), mode="max"."""
        return self._picture(
            self._make("octenface", settings, **self._device),
            "video/x-raw,format=GRAY8")

    def slice(self, **settings: Any) -> Picture:
        """A plane through it, by octslice; settings are its properties, such as
        plane="cross", position_x=0.5."""
        return self._picture(
            self._make("octslice", settings, **self._device),
            "video/x-raw,format=GRAY8")

    def save(self, path: str | os.PathLike[str], **settings: Any) -> None:
        """Writes a file by octvolumesink: .npy, .nii, .tif, .h5, .zarr or .dcm,
        by its ending.  It must not exist.  Settings are properties of
        octvolumesink, such as refractive_index=1.38, file_mode=0o640."""
        self._run(self._make("octvolumesink", settings, location=os.fspath(path)))
