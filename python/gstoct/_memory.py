# SPDX-License-Identifier: LGPL-2.1-or-later
"""NumPy arrays in GStreamer's buffers, and its buffers as NumPy arrays, without
a copy.

PyGObject copies bytes twice on either way.  So these few functions of GStreamer
are called with ctypes, which needs no compiler and lets other threads run.  The
hash of a PyGObject wrapper is the address of the object in it.
"""
from __future__ import annotations

import collections
import ctypes
import math
import mmap
from typing import Any

import numpy
from numpy.typing import NDArray

MAP_READ = 1
MEMORY_FLAG_READONLY = 2
#: bytes of the smallest array whose memory is used again
SMALLEST_KEPT = 1 << 20
VIDEO_FORMATS = {"uint8": "GRAY8", "uint16": "GRAY16_LE"}


class _MapInfo(ctypes.Structure):
    _fields_ = [("memory", ctypes.c_void_p), ("flags", ctypes.c_int),
                ("data", ctypes.c_void_p), ("size", ctypes.c_size_t),
                ("maxsize", ctypes.c_size_t),
                ("user_data", ctypes.c_void_p * 4),
                ("reserved", ctypes.c_void_p * 4)]


def bind(library: Any, name: str, result: Any, *arguments: Any) -> Any:
    """A function of a library with its types."""
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


_pointer, _size = ctypes.c_void_p, ctypes.c_size_t
_gst = ctypes.CDLL("libgstreamer-1.0.so.0")
_video = ctypes.CDLL("libgstvideo-1.0.so.0")
_buffer_map = bind(_gst, "gst_buffer_map", ctypes.c_int, _pointer,
                    ctypes.POINTER(_MapInfo), ctypes.c_int)
_buffer_unmap = bind(_gst, "gst_buffer_unmap", None, _pointer,
                      ctypes.POINTER(_MapInfo))
_append_memory = bind(_gst, "gst_buffer_append_memory", None, _pointer, _pointer)
_new_wrapped = bind(_gst, "gst_memory_new_wrapped", _pointer, ctypes.c_int,
                     _pointer, _size, _size, _size, _pointer, _pointer)
_remove_memory = bind(_gst, "gst_buffer_remove_all_memory", None, _pointer)
_add_pool = bind(_gst, "gst_query_add_allocation_pool", None, _pointer, _pointer,
                 ctypes.c_uint, ctypes.c_uint, ctypes.c_uint)
_object_ref = bind(_gst, "gst_object_ref", _pointer, _pointer)
_format_from_string = bind(_video, "gst_video_format_from_string", ctypes.c_int,
                            ctypes.c_char_p)
_add_video_meta = bind(
    _video, "gst_buffer_add_video_meta_full", _pointer, _pointer, ctypes.c_int,
    ctypes.c_int, ctypes.c_uint, ctypes.c_uint, ctypes.c_uint,
    ctypes.POINTER(_size), ctypes.POINTER(ctypes.c_int))


class _VideoMeta(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_int), ("info", _pointer), ("buffer", _pointer),
                ("frame_flags", ctypes.c_int), ("format", ctypes.c_int),
                ("id", ctypes.c_int), ("width", ctypes.c_uint),
                ("height", ctypes.c_uint), ("n_planes", ctypes.c_uint),
                ("offset", _size * 4), ("stride", ctypes.c_int * 4)]


_get_video_meta = bind(_video, "gst_buffer_get_video_meta",
                       ctypes.POINTER(_VideoMeta), _pointer)
_glib = ctypes.CDLL("libglib-2.0.so.0")
free_error = bind(_glib, "g_error_free", None, _pointer)


class _EnumValue(ctypes.Structure):
    _fields_ = [("value", ctypes.c_int), ("name", ctypes.c_char_p),
                ("nick", ctypes.c_char_p)]


class _EnumClass(ctypes.Structure):
    _fields_ = [("type", _size), ("minimum", ctypes.c_int),
                ("maximum", ctypes.c_int), ("n_values", ctypes.c_uint),
                ("values", ctypes.POINTER(_EnumValue))]


_gobject = ctypes.CDLL("libgobject-2.0.so.0")
_type_from_name = bind(_gobject, "g_type_from_name", _size, ctypes.c_char_p)
_type_fundamental = bind(_gobject, "g_type_fundamental", _size, _size)
_type_class_ref = bind(_gobject, "g_type_class_ref", ctypes.POINTER(_EnumClass), _size)


def words(type_name: str) -> dict[str, int]:
    """The words of a type of choices (GEnum) with their numbers, {} of any other.
    Versions of PyGObject differ in how they show them."""
    kind = _type_from_name(type_name.encode())
    if kind == 0 or _type_fundamental(kind) != _type_from_name(b"GEnum"):
        return {}
    found = _type_class_ref(kind).contents
    return {value.nick.decode(): value.value
            for value in found.values[:found.n_values]}


def take(given: Any, word: str) -> NDArray[Any]:
    """An object as an array.  Raises ValueError for one with a mask, which nothing
    downstream would know."""
    if isinstance(given, numpy.ma.MaskedArray) and numpy.any(given.mask):
        count = numpy.count_nonzero(given.mask)
        raise ValueError(f"{word} have {count} masked values, but values for all are "
                         "expected; fill them with .filled(VALUE).")
    return numpy.asarray(given)


def address(wrapper: Any) -> int:
    """The address of the boxed GStreamer object that PyGObject has wrapped."""
    found = hash(wrapper)
    # a mini object begins with its type
    if _size.from_address(found).value != hash(wrapper.__gtype__):
        raise SystemError("This version of PyGObject hides the addresses of "
                          "buffers; 3.42 shows them.")
    return found


def keep(element: Any) -> None:
    """Never frees this GObject: in a forked process, which cannot stop it."""
    _object_ref(hash(element))


def wrap(buffer: Any, array: NDArray[Any]) -> None:
    """Puts the bytes of `array` into an empty Gst.Buffer, without a copy.  Rows
    may have gaps.  `array` must not be freed before the buffer is."""
    rows = array.reshape(-1, array.shape[-1]) if array.flags.c_contiguous else array
    lines, samples = rows.shape
    stride = rows.strides[0] if lines > 1 else samples * rows.itemsize
    size = (lines - 1) * stride + samples * rows.itemsize
    _append_memory(address(buffer), _new_wrapped(
        MEMORY_FLAG_READONLY, rows.ctypes.data, size, 0, size, None, None))
    name = VIDEO_FORMATS.get(rows.dtype.name)
    # the last row may lack the bytes that fill it up
    if name is not None and size != lines * ((samples * rows.itemsize + 3) // 4 * 4):
        _add_video_meta(
            address(buffer), 0, _format_from_string(name.encode()), samples, lines,
            1, (_size * 4)(), (ctypes.c_int * 4)(stride))


def replace(buffer: Any, values: NDArray[Any]) -> None:
    """Has a Gst.Buffer write to `values`, which have no gaps, in place of its own memory.
    They must not be freed before the buffer is."""
    _remove_memory(address(buffer))
    _append_memory(address(buffer), _new_wrapped(
        0, values.ctypes.data, values.nbytes, 0, values.nbytes, None, None))


def add_pool(query: int, pool: Any, size: int) -> None:
    """Offers a pool, of buffers of so many bytes, to the element that asks with the
    ALLOCATION query at this address."""
    _add_pool(query, hash(pool), size, 0, 0)


def append(buffer: Any, memory: int) -> None:
    """Gives a GstMemory to an empty Gst.Buffer."""
    _append_memory(address(buffer), memory)


def video_plane(buffer: Any) -> tuple[int, int] | None:
    """Bytes to the first row of a Gst.Buffer with a picture, and from row to row; None
    if it does not say it."""
    meta = _get_video_meta(address(buffer))
    return (meta.contents.offset[0], meta.contents.stride[0]) if meta else None


class Mapping:
    """A Gst.Buffer that is mapped for reading.  NumPy arrays that are made of it
    keep it, so it is unmapped with the last of them."""

    def __init__(self, buffer: Any) -> None:
        self._buffer = None
        self._info = _MapInfo()
        if not _buffer_map(address(buffer), self._info, MAP_READ):
            raise MemoryError("The values of a B-scan cannot be read.")
        self._buffer = buffer
        self.__array_interface__ = {
            "version": 3, "typestr": "|u1", "shape": (self._info.size,),
            "data": (self._info.data or 0, True)}

    def __del__(self, unmap: Any = _buffer_unmap) -> None:
        if self._buffer is not None:
            unmap(hash(self._buffer), self._info)


def view(buffer: Any) -> NDArray[Any]:
    """The bytes of a Gst.Buffer as an array [bytes] that cannot be written."""
    return numpy.asarray(Mapping(buffer))


def view_rows(buffer: Any, rows: int, columns: int, dtype: Any) -> NDArray[Any]:
    """An array [rows][columns].  Rows of video are padded to multiples of 4
    bytes; the size of the buffer tells."""
    values = view(buffer)
    width = columns * numpy.dtype(dtype).itemsize
    stride = width if values.size == rows * width else (width + 3) // 4 * 4
    return numpy.ndarray((rows, columns), dtype, values, 0,
                         (stride, numpy.dtype(dtype).itemsize))


#: the memory of the last array of empty() that was dropped.  (A deque needs no
#: lock, which a __del__ that comes in between could not take.)
_kept: collections.deque[mmap.mmap] = collections.deque(maxlen=1)


class _Block:
    """Memory that is kept for the next empty() when its last array is gone."""

    def __init__(self, memory: mmap.mmap) -> None:
        self._memory = memory
        self.__array_interface__ = {
            "version": 3, "typestr": "|u1", "shape": (len(memory),),
            "data": (numpy.frombuffer(memory, numpy.uint8).ctypes.data, False)}

    def __del__(self, kept: Any = _kept, free: int = mmap.MADV_FREE) -> None:
        try:
            # the system takes the pages if it lacks some; else they stay as they are
            self._memory.madvise(free)
        except OSError:  # pages that are locked
            return
        kept.append(self._memory)


def _map(size: int) -> mmap.mmap:
    """New memory, of huge pages if the system has them."""
    try:
        memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as reason:
        raise MemoryError(f"There are no {size >> 20} MB of memory for the values; "
                          "reconstruct fewer B-scans at a time.") from reason
    try:
        memory.madvise(mmap.MADV_HUGEPAGE)
    except OSError:
        pass  # a system without them
    return memory


def empty(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """As numpy.empty(), of the memory of the last one if that is gone and not
    much larger: the system clears new pages before they can be written, which
    takes longer than writing them."""
    dtype = numpy.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    if size < SMALLEST_KEPT:
        return numpy.empty(shape, dtype)
    try:
        memory = _kept.pop()
    except IndexError:
        memory = None
    if memory is None or not size <= len(memory) <= 2 * size:
        memory = None  # gone before there is more
        memory = _map(size)
    return numpy.asarray(_Block(memory))[:size].view(dtype).reshape(shape)
