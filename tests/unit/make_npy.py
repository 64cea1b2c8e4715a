#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes vectors/*.npy, small files of every kind as NumPy itself makes them,
for the tests of the reader.

    python3 make_npy.py [FOLDER]

Values are 10 (index of the value) + ..., so that a test can compute them.
"""
import pathlib
import sys

import numpy as np


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) == 2 else pathlib.Path(__file__).parent / "vectors")
    folder.mkdir(exist_ok=True)
    flat = np.arange(24)
    save = lambda name, a: np.save(folder / f"{name}.npy", a)
    for code in ("|u1", "<u2", "<i2", "<f4", "<f8"):
        values = flat * 10 if code == "|u1" else flat * 1000 - (0 if code == "<u2" else 5000)
        values = values + 0.5 if code[1] == "f" else values
        save("volume-" + code[1:], values.reshape(2, 3, 4).astype(code))
    save("one-line", flat.astype("<u2"))
    save("lines", flat.reshape(6, 4).astype("<u2"))
    save("four-dimensions", flat.reshape(1, 2, 3, 4).astype("<u2"))
    save("scalar", np.uint16(5))
    save("empty", np.zeros((0, 4), "<u2"))
    save("big-endian", flat.reshape(6, 4).astype(">u2"))
    save("fortran", np.asfortranarray(flat.reshape(6, 4).astype("<u2")))
    save("complex", flat.reshape(6, 4).astype("<c8"))
    save("int64", flat.reshape(6, 4).astype("<i8"))
    save("records", np.zeros(3, [("a", "<u2"), ("b", "<f4")]))
    # [volumes][B-scans][lines][samples][channels], as vortex lays them out
    stack = np.arange(2 * 3 * 4 * 20).reshape(2, 3, 4, 20, 1).astype("<u2")
    save("stack-c", stack)
    save("stack-channels", np.asfortranarray(np.concatenate((stack, 3 * stack), axis=4)))
    header = "{ 'descr': 'uint16', 'fortran_order': False, 'shape': (2, 3, 4, 20, 1) } \n"
    (folder / "stack-names.npy").write_bytes(
        b"\x93NUMPY\x02\x00" + len(header).to_bytes(4, "little") + header.encode() + stack.tobytes())
    for version in ((2, 0), (3, 0)):
        with open(folder / f"version-{version[0]}.npy", "wb") as f:
            np.lib.format.write_array(f, flat.reshape(6, 4).astype("<u2"), version=version)


if __name__ == "__main__":
    main()
