# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes A-lines into a ring in shared memory, as the program of a digitizer.

The functions are those of liboctdaq (docs/digitizers.md): the order in which memory
is written matters, which Python alone cannot promise.
"""
from __future__ import annotations

import ctypes
import functools
import mmap
import os
from typing import Any, Optional, Sequence, Union

import numpy
from numpy.typing import NDArray

from .errors import Error

_ERROR = 512
_CHANNELS = 8
_LOSSLESS = 1
_HAS_PLACE = 1
_KINDS = ("other", "oct", "k-clock", "plus", "minus")
_FORMATS = ("u1", "u2", "i2", "f4")
_AXES = ("wavelength", "wavenumber")
# in the order of their bits
_COLUMNS = ("wavelengths", "k_index", "dispersion", "background")


class _Header(ctypes.Structure):
    _fields_ = [
        ("magic", ctypes.c_char * 8), ("version", ctypes.c_uint32),
        ("header_size", ctypes.c_uint32),
        *[(name, ctypes.c_uint64) for name in (
            "size", "writer_offset", "readers_offset", "heads_offset",
            "blocks_offset", "block_stride")],
        *[(name, ctypes.c_uint32) for name in (
            "blocks", "flags", "sample_format", "samples", "lines", "channels",
            "axis", "bscan_lines", "bscans", "repeats")],
        *[(name, ctypes.c_double) for name in (
            "line_rate", "bscan_rate", "tick_rate", "wavelength_first",
            "wavelength_last", "x_spacing", "y_spacing")],
        ("calibration_offset", ctypes.c_uint64),
        ("calibration_columns", ctypes.c_uint32), ("readers", ctypes.c_uint32),
        ("reserved", ctypes.c_uint64 * 2), ("name", ctypes.c_char * 64),
        ("channel_kind", ctypes.c_uint32 * _CHANNELS),
        ("channel_name", ctypes.c_char * 28 * _CHANNELS)]


class _Place(ctypes.Structure):
    _fields_ = [
        ("tick", ctypes.c_uint64), ("volume", ctypes.c_uint64),
        ("bscan", ctypes.c_uint32), ("line_in_bscan", ctypes.c_uint32),
        ("flags", ctypes.c_uint32)]


@functools.cache
def _library() -> ctypes.CDLL:
    name = os.environ.get("OCT_DAQ_LIBRARY", "liboctdaq.so.0")
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise Error(f"liboctdaq cannot be loaded ({error}); install it (Debian: "
                    "liboctdaq0), or set OCT_DAQ_LIBRARY to its path.") from None
    pointer = ctypes.c_void_p
    library.oct_daq_open.restype = pointer
    library.oct_daq_open.argtypes = [ctypes.c_char_p, ctypes.POINTER(_Header), pointer,
                                     ctypes.c_char_p]
    library.oct_daq_header.restype = ctypes.POINTER(_Header)
    library.oct_daq_header.argtypes = [pointer]
    library.oct_daq_memory.argtypes = [pointer]
    library.oct_daq_claim.restype = pointer
    library.oct_daq_claim.argtypes = [pointer, ctypes.c_int]
    library.oct_daq_publish.argtypes = [pointer, ctypes.POINTER(_Place)]
    library.oct_daq_publish.restype = None
    library.oct_daq_lost.argtypes = [pointer, ctypes.c_uint64]
    library.oct_daq_lost.restype = None
    library.oct_daq_wait_for_readers.argtypes = [pointer, ctypes.c_uint, ctypes.c_int]
    library.oct_daq_close.argtypes = [pointer]
    library.oct_daq_close.restype = None
    return library


def _choose(word: str, words: Sequence[str], what: str) -> int:
    if word not in words:
        raise Error(f"{what} is '{word}'; take one of {', '.join(words)}.")
    return words.index(word)


def _milliseconds(seconds: Optional[float]) -> int:
    return -1 if seconds is None else max(0, min(round(seconds * 1000), 2 ** 31 - 1))


class Writer:
    """A ring, and the socket through which octdaqsrc finds it.

    socket: path of the socket to make.
    samples, lines: of an A-line and of a block.
    dtype: "u1", "u2", "i2" or "f4".
    channels: what each is: "oct", "k-clock", "plus", "minus" or "other".
    axis: "wavelength", or "wavenumber" if samples are uniform in it.
    wavelengths (nm), k_index, dispersion (rad), background (counts): the calibration,
        one number per sample each.
    lossless: claim() waits for the slowest reader; else readers that are slow lose
        blocks.
    settings: the other members of OctDaqHeader that oct-daq.h marks with *, such as
        line_rate=1e5, bscan_lines=512, bscans=256.
    """

    def __init__(self, socket: Union[str, os.PathLike[str]], samples: int, lines: int,
                 dtype: Any = "u2", channels: Sequence[str] = ("oct",),
                 axis: str = "wavelength", lossless: bool = False, name: str = "",
                 wavelengths: Any = None, k_index: Any = None, dispersion: Any = None,
                 background: Any = None, **settings: Any) -> None:
        self._writer = None
        self._library = _library()
        if not 1 <= len(channels) <= _CHANNELS:
            raise Error(f"A ring has 1 to {_CHANNELS} channels, not {len(channels)}.")
        self._dtype = numpy.dtype(dtype)
        header = _Header(samples=samples, lines=lines, channels=len(channels),
                         flags=_LOSSLESS if lossless else 0, name=name.encode()[:63],
                         axis=_choose(axis, _AXES, "axis"),
                         sample_format=_choose(self._dtype.str[1:], _FORMATS, "dtype"))
        for number, kind in enumerate(channels):
            header.channel_kind[number] = _choose(kind, _KINDS, "A channel")
        known = {field[0] for field in _Header._fields_}
        for key, value in settings.items():
            if key not in known:
                raise Error(f"A ring has no '{key}'; oct-daq.h has what can be set.")
            setattr(header, key, value)
        columns = self._columns(header, (wavelengths, k_index, dispersion, background))
        text = ctypes.create_string_buffer(_ERROR)
        self._writer = self._library.oct_daq_open(
            os.fsencode(socket), ctypes.byref(header),
            columns.ctypes.data if columns.size else None, text)
        if not self._writer:
            raise Error(text.value.decode(errors="replace"))
        ring = self._library.oct_daq_header(self._writer).contents
        self._shape = (len(channels), lines, samples)
        self._offset, self._stride, self._blocks = \
            ring.blocks_offset, ring.block_stride, ring.blocks
        # of our own: arrays of it are valid as long as somebody has them
        self._memory = mmap.mmap(self._library.oct_daq_memory(self._writer), ring.size)
        self._count = 0

    @staticmethod
    def _columns(header: _Header, given: Sequence[Any]) -> NDArray[Any]:
        columns = []
        for bit, (name, values) in enumerate(zip(_COLUMNS, given)):
            if values is None:
                continue
            column = numpy.asarray(values, numpy.float64)
            if column.shape != (header.samples,):
                raise Error(f"{name} has the shape {column.shape}; give one number for "
                            f"each of the {header.samples} samples.")
            header.calibration_columns |= 1 << bit
            columns.append(column)
        return numpy.ascontiguousarray(columns, numpy.float64)

    def _open(self) -> int:
        if not self._writer:
            raise Error("The ring is closed; make another Writer.")
        return self._writer

    def claim(self, timeout: Optional[float] = None) -> Optional[NDArray[Any]]:
        """The next block to fill, [lines][samples], or [channels][lines][samples] of
        several channels; it belongs to the readers after publish().  A lossless ring
        waits for them, `timeout` s at most (None: for ever); None: that is over."""
        if not self._library.oct_daq_claim(self._open(), _milliseconds(timeout)):
            return None
        block = numpy.frombuffer(
            self._memory, self._dtype, int(numpy.prod(self._shape)),
            self._offset + self._count % self._blocks * self._stride)
        return block.reshape(self._shape if self._shape[0] > 1 else self._shape[1:])

    def publish(self, tick: int = 0, flags: int = 0, volume: Optional[int] = None,
                bscan: int = 0, line: int = 0) -> None:
        """Hands the block to the readers.  tick: of the digitizer's clock; volume,
        bscan, line: the place of its first A-line in the scan, if the numbers of
        A-lines do not say it."""
        place = _Place(tick=tick, flags=flags, volume=volume or 0, bscan=bscan,
                       line_in_bscan=line)
        if volume is not None:
            place.flags |= _HAS_PLACE
        self._library.oct_daq_publish(self._open(), ctypes.byref(place))
        self._count += 1

    def lost(self, lines: int) -> None:
        """So many A-lines were lost before the next block."""
        if lines < 0:
            raise Error(f"{lines} A-lines cannot be lost; give 0 or more.")
        self._library.oct_daq_lost(self._open(), lines)

    def wait_for_readers(self, readers: int = 1,
                         timeout: Optional[float] = None) -> int:
        """Waits for so many readers, `timeout` s at most (None: for ever); returns how
        many there are."""
        return self._library.oct_daq_wait_for_readers(
            self._open(), readers, _milliseconds(timeout))

    def close(self) -> None:
        """The end of the ring; readers still read all published blocks."""
        writer, self._writer = self._writer, None
        if writer:
            self._library.oct_daq_close(writer)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()
