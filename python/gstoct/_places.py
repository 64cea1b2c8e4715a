# SPDX-License-Identifier: LGPL-2.1-or-later
"""An array as the memory that a pipeline writes its B-scans into: B-scan n is row n of
the array, without a copy.

The last element before an appsink asks for a pool of buffers (the ALLOCATION query).  It
gets one of GStreamer's own kind, with one buffer for each row.
"""
from __future__ import annotations

from typing import Any, Callable

from numpy.typing import NDArray

from . import _memory
from ._gst import gst

#: bytes of a B-scan from which on it takes longer to copy it than to make a buffer
SMALLEST = 256 << 10
#: the array for B-scans of these caps, [B-scan, row, column], None: they are copied
Finder = Callable[[Any], "NDArray[Any] | None"]


class Places:
    """Offers the rows of an array to the elements before `sink`.  The array is kept until
    end(), after the pipeline has ended."""

    def __init__(self, sink: Any, find: Finder) -> None:
        self._find = find
        self._pool: Any = None
        types = gst().PadProbeType
        self._pad = sink.get_static_pad("sink")
        self._probe = self._pad.add_probe(
            types.QUERY_DOWNSTREAM | types.PUSH, self._answer)

    def _answer(self, pad: Any, info: Any) -> Any:
        """A thread of the pipeline asks."""
        Gst = gst()
        query = info.get_query()
        if query.type != Gst.QueryType.ALLOCATION:
            return Gst.PadProbeReturn.OK
        caps, _ = query.parse_allocation()
        address = _memory.address(query)
        # only a query that has one owner can be answered
        del query
        if self._is_in_use():
            return Gst.PadProbeReturn.OK
        try:
            rows = self._find(caps.get_structure(0))
        except MemoryError:  # where the array is made, it is raised
            rows = None
        if rows is None or rows[0].nbytes < SMALLEST:
            return Gst.PadProbeReturn.OK
        self._pool, self._first = _make_pool(caps, rows), rows.ctypes.data
        _memory.add_pool(address, self._pool, rows[0].nbytes)
        return Gst.PadProbeReturn.HANDLED

    def _is_in_use(self) -> bool:
        """Whether a row may have a B-scan already; the query may come twice before the
        first.  Then the first buffer of the pool is no longer that of the first row."""
        if self._pool is None:
            return False
        buffer = self._pool.acquire_buffer(None)[1]
        return buffer is None or _memory.view(buffer).ctypes.data != self._first

    def end(self) -> None:
        """After the end of the pipeline: nothing keeps the array any more."""
        self._pad.remove_probe(self._probe)
        self._pool = None

    def are_taken(self) -> bool:
        """Whether the pipeline writes there; after its first B-scan."""
        return self._pool is not None and self._pool.__grefcount__ > 1


def _make_pool(caps: Any, rows: NDArray[Any]) -> Any:
    """Its buffers come in the order of the rows.  After the last it makes others."""
    Gst = gst()
    pool = Gst.BufferPool.new()
    config = pool.get_config()
    Gst.BufferPool.config_set_params(config, caps, rows[0].nbytes, 0, 0)
    pool.set_config(config)
    pool.set_active(True)
    buffers = [pool.acquire_buffer(None)[1] for _ in rows]
    for buffer, row in zip(buffers, rows):
        _memory.replace(buffer, row)
        # the pool would throw away a buffer that has other memory than at first
        buffer.unset_flags(Gst.BufferFlags.TAG_MEMORY)
    while buffers:
        del buffer
        buffer = buffers.pop(0)
    del buffer
    return pool
