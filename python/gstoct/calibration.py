# SPDX-License-Identifier: LGPL-2.1-or-later
"""Calibrations: which wavelength, or wavenumber, each sample of a spectrum has."""
from __future__ import annotations

import csv
import io
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any, Union

import numpy
from numpy.typing import NDArray

from . import _memory
from ._gst import Pipeline, gst, refuse
from .errors import Error

EVENT = "application/x-oct-calibration"
#: columns of the file, and their names in the event
COLUMNS = {"wavelength_nm": "wavelength-nm", "k_index": "k-index",
           "dispersion_rad": "dispersion-rad", "background": "background"}


class Calibration:
    """Columns of one number per sample.

    wavelength_nm: wavelength of each sample, in nm.
    k_index: position, in samples, at which to read for each uniform wavenumber.
    dispersion_rad: phase that compensates dispersion, in rad.
    background: spectrum of the source alone, in counts.
    Each is an array [samples] of float64, or None.  `report` is the text of
    oct-calibrate, if that has made it.
    """

    wavelength_nm: NDArray[Any] | None
    k_index: NDArray[Any] | None
    dispersion_rad: NDArray[Any] | None
    background: NDArray[Any] | None

    def __init__(self, wavelength_nm: Any = None, k_index: Any = None,
                 dispersion_rad: Any = None, background: Any = None,
                 report: str = "") -> None:
        given = (wavelength_nm, k_index, dispersion_rad, background)
        for name, values in zip(COLUMNS, given):
            setattr(self, name, None if values is None else _column(name, values))
        sizes = {name: len(getattr(self, name)) for name in COLUMNS
                 if getattr(self, name) is not None}
        if not sizes:
            raise ValueError("A calibration without columns says nothing; give "
                             "wavelength_nm or k_index.")
        if len(set(sizes.values())) > 1:
            raise ValueError("The columns of a calibration have different lengths: "
                             + ", ".join(f"{n} {s}" for n, s in sizes.items())
                             + "; give one number per sample in each.")
        self.samples = next(iter(sizes.values()))
        self.report = report
        self._event: Any = None  # the one that it came with

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Calibration:
        """Reads a CSV file with the columns above, as oct-calibrate writes it."""
        text = pathlib.Path(path).read_text(encoding="utf-8")
        lines = [line for line in text.splitlines()
                 if line.strip() and not line.startswith("#")]
        rows = list(csv.reader(lines, skipinitialspace=True))
        names = [name.strip() for name in rows[0]] if rows else []
        if not names or set(names) - set(COLUMNS):
            raise ValueError(f"'{path}' has the columns {', '.join(names) or 'none'}, "
                             f"but {', '.join(COLUMNS)} are expected.")
        try:
            values = numpy.array(rows[1:], numpy.float64)
            return cls(**dict(zip(names, values.T)))
        except ValueError as reason:
            raise ValueError(f"'{path}' is not a calibration: {reason}") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the columns to a CSV file, for `calibration` of the elements."""
        self._need_columns()
        names = [name for name in COLUMNS if getattr(self, name) is not None]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(zip(*([repr(float(value)) for value in getattr(self, name)]
                               for name in names)))
        pathlib.Path(path).write_text(text.getvalue(), encoding="utf-8")

    def _need_columns(self) -> None:
        if not self.is_known:
            raise ValueError("The columns of this calibration are not known, as a "
                             "source has sent it; take the file that it is from.")

    @property
    def is_known(self) -> bool:
        """Whether its columns are known here."""
        return self._event is None

    @property
    def has_axis(self) -> bool:
        """Whether it says where on the axis of wavenumbers samples are."""
        return not self.is_known or self.wavelength_nm is not None \
            or self.k_index is not None

    def event(self) -> Any:
        """The event that tells it to the elements downstream."""
        Gst = gst()
        if self._event is not None:
            return self._event
        fields = Gst.Structure.new_empty(EVENT)
        for name, field in COLUMNS.items():
            values = getattr(self, name)
            if values is not None:
                fields.set_value(field, Gst.Buffer.new_wrapped(values.tobytes()))
        return Gst.Event.new_custom(
            Gst.EventType.CUSTOM_DOWNSTREAM_STICKY, fields)

    @classmethod
    def of_pipeline(cls, pipeline: Pipeline, samples: int) -> Calibration | None:
        """The calibration that has arrived at the end of a pipeline."""
        pad = pipeline.sink.get_static_pad("sink")
        number = 0
        while (event := pad.get_sticky_event(
                gst().EventType.CUSTOM_DOWNSTREAM_STICKY, number)) is not None:
            if event.has_name(EVENT):
                return cls.from_event(event, samples)
            number += 1
        return None

    @classmethod
    def from_event(cls, event: Any, samples: int) -> Calibration:
        """The calibration that a source has sent.  It works wherever a
        calibration does; its columns are not known here."""
        found = cls.__new__(cls)
        for name in COLUMNS:
            setattr(found, name, None)
        found.samples, found.report, found._event = samples, "", event
        return found

    def __repr__(self) -> str:
        names = [name for name in COLUMNS if getattr(self, name) is not None]
        return (f"<gstoct.Calibration of {self.samples} samples: "
                f"{', '.join(names) if self.is_known else 'as the source sent it'}>")


class Sender:
    """Sends a calibration from a pad, in place of those that the source sends.

    Threads of the pipeline do it, before the next buffer: another thread would wait for
    them, and they perhaps for it.
    """

    def __init__(self, pad: Any) -> None:
        """Before the start."""
        self._ours: Any = None
        self._pending: Any = None
        self._of_source: Any = None
        pad.add_probe(gst().PadProbeType.EVENT_DOWNSTREAM, self._drop)

    def send(self, pad: Any, calibration: Calibration | None) -> None:
        """From the next buffer of `pad` on; None: that of the source again."""
        self._ours = None if calibration is None else calibration.event()
        self._pending = self._of_source if calibration is None else self._ours
        if self._pending is not None:
            types = gst().PadProbeType
            pad.add_probe(types.BUFFER | types.BUFFER_LIST, self._push)

    def _drop(self, pad: Any, info: Any) -> Any:
        kinds = gst().PadProbeReturn
        event = info.get_event()
        if event.type != gst().EventType.CUSTOM_DOWNSTREAM_STICKY \
                or not event.has_name(EVENT):
            return kinds.OK
        ours = self._ours
        if ours is not None and event.get_seqnum() == ours.get_seqnum():
            return kinds.OK
        self._of_source = event
        return kinds.OK if ours is None else kinds.DROP

    def _push(self, pad: Any, info: Any) -> Any:
        event, self._pending = self._pending, None
        if event is not None:
            pad.push_event(event)
        return gst().PadProbeReturn.REMOVE


#: What `calibration=` takes: an object, a file, the first and the last wavelength
#: in nm, one wavelength in nm per sample, or columns by their names.
CalibrationLike = Union[Calibration, str, "os.PathLike[str]", Iterable[float],
                        Mapping[str, Any], None]


def _column(name: str, values: Any) -> NDArray[Any]:
    try:
        found = numpy.ascontiguousarray(values, numpy.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {values!r}, but one number per sample is "
                        "expected.") from None
    if found.ndim != 1 or not numpy.isfinite(found).all():
        wrong = "values that are not finite" if found.ndim == 1 \
            else f"the shape {found.shape}"
        raise ValueError(f"{name} has {wrong}, but one finite number per sample is "
                         "expected.")
    return found


def settle(given: CalibrationLike,
           samples: int | None) -> tuple[Calibration | None, dict[str, Any]]:
    """The calibration to send, or the properties to set, for spectra of so many
    samples (None: not known)."""
    if given is None:
        return None, {}
    if isinstance(given, (str, os.PathLike)):
        return None, {"calibration": os.fspath(given)}
    if isinstance(given, Mapping):
        unknown = set(given) - set(COLUMNS)
        if unknown:
            raise ValueError(f"A calibration has no column {sorted(unknown)[0]!r}; "
                             f"its columns are {', '.join(COLUMNS)}.")
        given = Calibration(**given)
    elif not isinstance(given, Calibration):
        values = _column("calibration", given)
        if len(values) == 2 and samples != 2:
            return None, {"wavelength-min": values[0], "wavelength-max": values[1]}
        given = Calibration(wavelength_nm=values)
    if samples is not None and given.samples != samples:
        raise ValueError(f"The calibration is for {given.samples} samples per A-line, "
                         f"but the spectra have {samples}; give that of these "
                         "spectra.")
    return given, {}


def _find_program() -> str:
    program = os.environ.get("OCT_CALIBRATE") or shutil.which("oct-calibrate")
    if program is None:
        raise Error("The program oct-calibrate is not found; install oct-tools, or "
                    "name it in the environment variable OCT_CALIBRATE.")
    return program


def _name_files(given: Iterable[Any], folder: str, word: str) -> list[str]:
    """Names of files; arrays are written into the folder."""
    names = []
    for number, item in enumerate(given, 1):
        if not isinstance(item, (str, os.PathLike)):
            path = os.path.join(folder, f"{word}-{number}.npy")
            array = _memory.take(item, f"The spectra of {word} {number}")
            if array.dtype.kind not in "uif":
                raise TypeError(f"{word} {number} has the type {array.dtype}, but an "
                                "array of real numbers or the path of a file is "
                                "expected.")
            numpy.save(path, numpy.atleast_2d(array), allow_pickle=False)
            item = path
        names.append(os.fspath(item))
    return names


def _list(name: str, given: Any, example: str) -> list[Any]:
    """The items for the depths."""
    if isinstance(given, (str, bytes, os.PathLike)) or not isinstance(given, Iterable):
        raise TypeError(f"{name} is {given!r}, but a list with one item for each depth "
                        f"is expected, {example}.")
    return list(given)


def _numbers(name: str, given: Any, example: str) -> list[float]:
    try:
        return [float(number) for number in given]
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {given!r}, but numbers are expected {example}."
                        ) from None


def calibrate(mirrors: Iterable[Any], *, other_side: Iterable[Any] = (),
              background: Any = None,
              wavelengths_nm: tuple[float, float] | None = None,
              depths_um: Iterable[float] | None = None,
              centre_nm: float | None = None, falling: bool = False,
              same_side: bool | None = None, **options: Any) -> Calibration:
    """The calibration that mirrors at two depths or more give.

    mirrors: one item per depth, on the samples' side of the zero delay: an array
        [A-lines, samples] or [samples] in counts, or the path of a file.
    other_side: the same on the other side.
    background: the spectrum without the mirror: array or path.
    wavelengths_nm: shortest and longest wavelength of the pixels, in nm, roughly.
    depths_um, centre_nm: positions of the mirrors in um, those of `other_side`
        last, and the wavelength of the source in nm: more exact than
        wavelengths_nm.
    falling: wavelengths fall from the first sample to the last.
    same_side: no mirror is on the other side; by default so if there is none
        in `other_side`.  False lets three mirrors or more say it themselves.
    options: other options of oct-calibrate, such as samples=1024 for raw files.

    Returns a Calibration, with the report of oct-calibrate in `report`.  Raises
    Error with its sentence if the mirrors give no calibration.
    """
    refuse(options, mirror="mirrors", depth_um="depths_um", output="save()",
           wavelength_min="wavelengths_nm", wavelength_max="wavelengths_nm",
           wavelength="falling")
    mirrors = _list("mirrors", mirrors, "such as [near, far]")
    other_side = _list("other_side", other_side, "such as [other]")
    if not mirrors:
        raise ValueError("mirrors is empty, but spectra of a mirror at one depth or more "
                         "are expected.")
    if depths_um is not None:
        depths_um = _numbers("depths_um", depths_um, "in um, such as [200, 700]")
    if wavelengths_nm is not None:
        ends = _numbers("wavelengths_nm", wavelengths_nm, "in nm, such as (790, 900)")
        if len(ends) != 2:
            raise ValueError(f"wavelengths_nm has {len(ends)} values, but two in nm are "
                             "expected, such as (790, 900).")
    with tempfile.TemporaryDirectory(prefix="gstoct-") as folder:
        command = [_find_program(), "--mirror",
                   *_name_files(mirrors, folder, "mirror")]
        if other_side:
            command += ["--other-side",
                        *_name_files(other_side, folder, "other-side")]
        elif same_side is None or same_side:
            command.append("--same-side")
        if background is not None:
            command += ["--background",
                        *_name_files([background], folder, "background")]
        if wavelengths_nm is not None:
            command += ["--wavelength-min", str(ends[0]),
                        "--wavelength-max", str(ends[1])]
        if depths_um is not None:
            command += ["--depth-um", *(str(depth) for depth in depths_um)]
        if centre_nm is not None:
            command += ["--centre-nm", str(centre_nm)]
        if falling:
            command += ["--wavelength", "falling"]
        for name, value in options.items():
            command += [f"--{name.replace('_', '-')}", str(value)]
        output = os.path.join(folder, "calibration.csv")
        found = subprocess.run(
            [*command, "--output", output], text=True, stdin=subprocess.DEVNULL,
            capture_output=True, env=os.environ | {"LC_ALL": "C.UTF-8"})
        if found.returncode != 0:
            raise Error(_sentence(found.stderr))
        calibration = Calibration.load(output)
        calibration.report = found.stdout + found.stderr
    return calibration


def _sentence(said: str) -> str:
    """The error among the lines of a program, without its notes."""
    lines = said.strip().splitlines() or ["oct-calibrate has failed."]
    errors = [line.removeprefix("Error: ") for line in lines
              if not line.startswith("Note: ")]
    return errors[-1].removesuffix(" See --help.") if errors else lines[-1]
