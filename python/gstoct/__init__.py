# SPDX-License-Identifier: LGPL-2.1-or-later
"""Optical coherence tomography with gst-oct, from Python.

    import gstoct
    result = gstoct.reconstruct(spectra, calibration=(790, 900), output="image")

Arrays go to GStreamer's elements and come back without detours; nothing is
computed here.  docs/python.md explains all of it with examples.
"""
from ._cuda import DeviceArray
from .calibration import Calibration, calibrate
from .errors import Error, ForkError, OctWarning
from .live import Frame, Live
from .reconstruction import methods, reconstruct
from .recording import Recording, open
from .result import Picture, Result
from .simulation import simulate
from .volume import Volume

__all__ = ["Calibration", "DeviceArray", "Error", "ForkError", "Frame", "Live",
           "OctWarning", "Picture", "Recording", "Result", "Volume", "calibrate",
           "methods", "open", "reconstruct", "simulate"]


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"gstoct has no '{name}'.")
    from importlib import metadata
    try:
        return metadata.version("gstoct")
    except metadata.PackageNotFoundError:
        return "0"  # run from its sources
