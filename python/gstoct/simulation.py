# SPDX-License-Identifier: LGPL-2.1-or-later
"""Spectra of the virtual OCT system as an array."""
from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from . import _memory
from ._gst import Pipeline, make
from .calibration import Calibration
from .errors import Error


def simulate(bscans: int = 1, lines: int = 512, samples: int = 2048,
             **settings: Any) -> tuple[NDArray[Any], Calibration]:
    """Spectra that the camera of a spectrometer would deliver, by octsrc.

    bscans, lines, samples: sizes; all B-scans are one volume.
    settings: other properties of octsrc, with _ in place of -, such as
        phantom="mirror", depth=500e-6 (metres), noise=0, seed=2.

    Returns counts, uint16 [B-scans, A-lines, samples], and their calibration.
    """
    source = make("octsrc", bscans=bscans, lines=lines, samples=samples,
                  num_buffers=bscans, **settings)
    pipeline = Pipeline(source, make("appsink", sync=False, max_buffers=4))
    counts = numpy.empty((bscans, lines, samples), numpy.uint16)
    number = 0
    try:
        pipeline.start()
        for number, sample in enumerate(pipeline.samples(), 1):
            counts[number - 1] = _memory.view_rows(sample.get_buffer(), lines, samples,
                                                   "<u2")
        calibration = Calibration.of_pipeline(pipeline, samples)
    finally:
        pipeline.close()
    if number != bscans or calibration is None:
        raise Error(f"The virtual system has delivered {number} of {bscans} B-scans.")
    return counts, calibration
