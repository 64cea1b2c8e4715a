# SPDX-License-Identifier: LGPL-2.1-or-later
"""Zarr version 3 for tests, by its specification and without our C code: stores
are read to NumPy arrays, and made of them.  zstd is that of the system's
library."""
import ctypes
import ctypes.util
import gzip
import itertools
import json
import pathlib
import struct

import numpy

TYPES = {"uint8": "u1", "uint16": "u2", "int16": "i2", "float32": "f4",
         "float64": "f8", "uint32": "u4"}
ABSENT = 2**64 - 1


def _zstd():
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    for name in ("ZSTD_compress", "ZSTD_decompress", "ZSTD_compressBound"):
        getattr(library, name).restype = ctypes.c_size_t
    library.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    library.ZSTD_compress.argtypes = [
        ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t,
        ctypes.c_int]
    library.ZSTD_decompress.argtypes = [
        ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    return library


def compress(data):
    library = _zstd()
    room = library.ZSTD_compressBound(len(data))
    packed = ctypes.create_string_buffer(room)
    size = library.ZSTD_compress(packed, room, data, len(data), 3)
    return packed.raw[:size]


def decompress(data, size):
    values = ctypes.create_string_buffer(size)
    found = _zstd().ZSTD_decompress(values, size, data, len(data))
    assert found == size, (found, size)
    return values.raw


def crc32c(data):
    """Bit by bit, as RFC 3720 describes it."""
    value = 0xffffffff
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (0x82f63b78 if value & 1 else 0)
    return struct.pack("<I", value ^ 0xffffffff)


def _decode(data, codecs, kind, shape):
    size = int(numpy.prod(shape)) * numpy.dtype(kind).itemsize
    for at in range(len(codecs) - 1, 0, -1):
        codec = codecs[at]
        if codec["name"] == "zstd":
            # with the sums that were added before
            data = decompress(data, size + 4 * sum(
                before["name"] == "crc32c" for before in codecs[1:at]))
        elif codec["name"] == "gzip":
            data = gzip.decompress(data)
        else:
            assert codec["name"] == "crc32c", codec
            assert crc32c(data[:-4]) == data[-4:]
            data = data[:-4]
    assert codecs[0]["name"] == "bytes"
    endian = codecs[0].get("configuration", {}).get("endian", "little")
    order = {"little": "<", "big": ">"}[endian]
    return numpy.frombuffer(data, order + kind).reshape(shape)


def _encode(values, codecs):
    endian = codecs[0]["configuration"]["endian"]
    order = {"little": "<", "big": ">"}[endian]
    data = values.astype(values.dtype.newbyteorder(order)).tobytes()
    for codec in codecs[1:]:
        data = {"zstd": compress, "gzip": gzip.compress,
                "crc32c": lambda data: data + crc32c(data)}[codec["name"]](data)
    return data


def _index(data, sharding, count):
    """(offset, bytes) of each chunk of a shard."""
    names = [codec["name"] for codec in sharding["index_codecs"]]
    size = 16 * count + 4 * ("crc32c" in names)
    index = (data[:size] if sharding.get("index_location") == "start"
             else data[-size:])
    if "crc32c" in names:
        assert crc32c(index[:-4]) == index[-4:]
        index = index[:-4]
    numbers = struct.unpack(f"<{2 * count}Q", index)
    return list(zip(numbers[::2], numbers[1::2]))


def _key(metadata, place):
    encoding = metadata["chunk_key_encoding"]
    default = encoding["name"] == "default"
    separator = encoding.get("configuration", {}).get(
        "separator", "/" if default else ".")
    return separator.join((["c"] if default else []) + [str(i) for i in place])


def _places(shape, chunk):
    return itertools.product(
        *(range((n + c - 1) // c) for n, c in zip(shape, chunk)))


def _put(array, values, place, chunk):
    start = [p * c for p, c in zip(place, chunk)]
    where = tuple(slice(s, s + c) for s, c in zip(start, chunk))
    array[where] = values[tuple(slice(0, n) for n in array[where].shape)]


def read_array(path):
    """The values and the metadata of an array."""
    path = pathlib.Path(path)
    metadata = json.loads((path / "zarr.json").read_text())
    assert metadata["zarr_format"] == 3 and metadata["node_type"] == "array"
    kind = TYPES[metadata["data_type"]]
    shape = metadata["shape"]
    outer = metadata["chunk_grid"]["configuration"]["chunk_shape"]
    array = numpy.full(shape, metadata["fill_value"], kind)
    codecs = metadata["codecs"]
    sharding = None
    if codecs[0]["name"] == "sharding_indexed":
        sharding = codecs[0]["configuration"]
        codecs = sharding["codecs"]
    for place in _places(shape, outer):
        file = path / _key(metadata, place)
        if not file.exists():
            continue
        data = file.read_bytes()
        if sharding is None:
            _put(array, _decode(data, codecs, kind, outer), place, outer)
            continue
        chunk = sharding["chunk_shape"]
        inner = list(_places(outer, chunk))
        values = numpy.full(outer, metadata["fill_value"], kind)
        for at, (offset, size) in zip(inner, _index(data, sharding, len(inner))):
            if (offset, size) != (ABSENT, ABSENT):
                _put(values, _decode(data[offset:offset + size], codecs, kind,
                                     chunk), at, chunk)
        _put(array, values, place, outer)
    return array, metadata


def read_image(path):
    """All levels of an OME-Zarr image and the attributes of the group."""
    path = pathlib.Path(path)
    group = json.loads((path / "zarr.json").read_text())
    assert group["zarr_format"] == 3 and group["node_type"] == "group"
    ome = group["attributes"]["ome"]
    assert ome["version"] == "0.5"
    return [read_array(path / level["path"])[0]
            for level in ome["multiscales"][0]["datasets"]], group["attributes"]


LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
ZSTD = {"name": "zstd", "configuration": {"level": 3, "checksum": False}}
GZIP = {"name": "gzip", "configuration": {"level": 5}}
SUM = {"name": "crc32c"}


def write_array(path, values, chunk, codecs=(LITTLE,), shard=None,
                index=("end", True), keys=("default", "/"), skip=()):
    """`skip`: places of files that are not written.  Returns the metadata."""
    path = pathlib.Path(path)
    path.mkdir(parents=True)
    codecs = list(codecs)
    outer = list(shard or chunk)
    metadata = {
        "zarr_format": 3, "node_type": "array", "shape": list(values.shape),
        "data_type": values.dtype.name,
        "chunk_grid": {"name": "regular",
                       "configuration": {"chunk_shape": outer}},
        "chunk_key_encoding": {"name": keys[0],
                               "configuration": {"separator": keys[1]}},
        "fill_value": 0, "codecs": codecs, "attributes": {}}
    if shard:
        metadata["codecs"] = [{"name": "sharding_indexed", "configuration": {
            "chunk_shape": list(chunk), "codecs": codecs,
            "index_codecs": [LITTLE] + ([SUM] if index[1] else []),
            "index_location": index[0]}}]
    (path / "zarr.json").write_text(json.dumps(metadata))
    for place in _places(values.shape, outer):
        if place in skip:
            continue
        full = numpy.zeros(outer, values.dtype)
        part = values[tuple(slice(p * c, (p + 1) * c)
                            for p, c in zip(place, outer))]
        full[tuple(slice(0, n) for n in part.shape)] = part
        file = path / _key(metadata, place)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_shard(full, chunk, codecs, index) if shard
                         else _encode(full, codecs))
    return metadata


def _shard(values, chunk, codecs, index):
    chunks = [
        _encode(values[tuple(slice(p * c, (p + 1) * c)
                             for p, c in zip(place, chunk))], codecs)
        for place in _places(values.shape, chunk)]
    at = 16 * len(chunks) + 4 * index[1] if index[0] == "start" else 0
    numbers = []
    for data in chunks:
        numbers += [at, len(data)]
        at += len(data)
    table = struct.pack(f"<{len(numbers)}Q", *numbers)
    if index[1]:
        table += crc32c(table)
    return (table + b"".join(chunks) if index[0] == "start"
            else b"".join(chunks) + table)
