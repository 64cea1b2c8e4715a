# SPDX-License-Identifier: LGPL-2.1-or-later
"""PNG files, by GStreamer's encoder."""
from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from . import _memory
from ._gst import Pipeline, gst, make


def encode(values: NDArray[Any]) -> bytes:
    """PNG of grey levels [rows, columns], colours [rows, columns, 3] (uint8), or
    of A-scans [A-lines, depths] (complex64) as octlogscale shows them."""
    values = numpy.ascontiguousarray(values)
    rows, columns = values.shape[:2]
    between = []
    if values.dtype == numpy.complex64:
        caps = (f"application/x-oct-ascans,format=CF32LE,samples={columns},"
                f"lines={rows},framerate=1/1")
        between = [make("octlogscale")]
    else:
        kind = "RGB" if values.ndim == 3 else "GRAY8"
        caps = (f"video/x-raw,format={kind},width={columns},height={rows},"
                "framerate=1/1")
        stride = (values[0].nbytes + 3) // 4 * 4
        if stride != values[0].nbytes:
            padded = numpy.zeros((rows, stride), numpy.uint8)
            padded[:, :values[0].nbytes] = values.reshape(rows, -1)
            values = padded
    buffer = gst().Buffer.new()
    flat = values.reshape(rows, -1) if values.ndim == 3 else values
    _memory.wrap(buffer, flat.view(numpy.uint8).reshape(1, -1).view(numpy.int8))
    pipeline = Pipeline(
        make("appsrc", format="time", caps=gst().Caps.from_string(caps)),
        *between, make("pngenc"), make("appsink", sync=False))
    try:
        pipeline.start()
        buffer.pts = 0
        pipeline.push(buffer)
        pipeline.elements[0].emit("end-of-stream")
        sample = pipeline.pull()
        return _memory.view(sample.get_buffer()).tobytes()
    finally:
        pipeline.close()
