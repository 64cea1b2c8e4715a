#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes vectors/files/*.mat, *.h5 and *.tif with SciPy, h5py and tifffile (and
tiffcp of libtiff-tools for compressions), for the tests of the readers: an
implementation that has nothing to do with ours.  Thorlabs' .oct
are made by the layout that public readers of them agree on.

    python3 make_formats.py [FOLDER]

Sample s of line l of B-scan b is 12 b + 4 l + s, times a step; there are 4
samples, 3 lines and 2 B-scans.
"""
import pathlib
import subprocess
import sys
import zipfile
import zlib

import h5py
import numpy as np
import scipy.io
import tifffile

STEPS = {"u1": 10, "i1": -5, "u2": 1000, "i2": -1000, "i4": 100000, "u4": 100000, "f4": 0.5, "f8": 0.25}


def values(code):
    """As NumPy has them: [B-scans][lines][samples]."""
    return (np.arange(24) * STEPS[code]).reshape(2, 3, 4).astype(code)


def stack():
    """[volumes][B-scans][lines][samples][channels]; value n of channel c is
    (2 c + 1) n."""
    one = np.arange(2 * 3 * 4 * 20, dtype="u2").reshape(2, 3, 4, 20)
    return np.stack((one, 3 * one), axis=4)


def write_stacks(folder):
    for name, compressed in (("plain", False), ("packed", True)):
        scipy.io.savemat(folder / f"stack-{name}.mat",
                         {"matlab": stack().T, "scipy_one": stack()[0, ..., 0]}, do_compression=compressed)
    with h5py.File(folder / "stack.h5", "w") as f:
        f.create_dataset("stack", data=stack(), chunks=(1, 1, 4, 20, 2), maxshape=(None, 3, 4, 20, 2))
        f["one"] = stack()[..., :1]
        f["turned"] = stack().swapaxes(2, 3)
        f["half"] = (np.arange(3 * 4 * 20) / 2).reshape(3, 4, 20).astype("f2")


def write_mat(folder):
    for code in STEPS:
        for name, compressed in (("plain", False), ("packed", True)):
            scipy.io.savemat(
                folder / f"{name}-{code}.mat",
                {"note": "text", "scale": 2.5, "spectra": values(code).T, "dark": np.arange(4.0)},
                do_compression=compressed,
            )
    save = lambda name, contents: scipy.io.savemat(folder / f"{name}.mat", contents, do_compression=True)
    save("two", {"spectra": values("u2").T, "more": values("f4").T[:, :, 0], "dark": np.arange(4.0)})
    save("complex", {"spectra": values("f4").T * 1j})
    save("sparse", {"spectra": scipy.sparse.csc_matrix(np.eye(4))})
    save("four", {"spectra": np.zeros((4, 3, 2, 2))})
    save("cell", {"spectra": np.array([1.5, "x"], dtype=object)})
    save("noise", {"spectra": np.random.default_rng(1).integers(0, 65536, (4, 3, 200), dtype="u2")})
    save("line", {"spectra": np.arange(6, dtype="u2").reshape(6, 1)})
    save("flat", {"spectra": np.arange(24, dtype="u2").reshape(4, 6, order="F")})


def write_chunks(file, array, chunks, holes):
    """All chunks of an array but those whose places are `holes`."""
    spectra = file.create_dataset("spectra", shape=array.shape, dtype=array.dtype, chunks=chunks)
    for place in np.ndindex(*(-(-n // length) for n, length in zip(array.shape, chunks))):
        if place not in holes:
            part = tuple(slice(i * length, (i + 1) * length) for i, length in zip(place, chunks))
            spectra[part] = array[part]


def write_holes(folder):
    """Chunks that begin within a B-scan; that have B-scans of several volumes, and lines of them; that have one
    channel each, or the first of which was not written at all."""
    volumes = (np.arange(3 * 4 * 2 * 4, dtype="u2") * 200).reshape(3, 4, 2, 4)
    channels = np.stack([volumes, 3 * volumes], axis=-1)
    chunks, first, second = (2, 3, 1, 4), (0, 1, 1, 0), (1, 0, 0, 0)
    with h5py.File(folder / "hole-across-lines.h5", "w") as f:
        write_chunks(f, (np.arange(48, dtype="u2") * 900).reshape(12, 4), (5, 4), [(1, 0)])
    with h5py.File(folder / "hole-in-volumes.h5", "w") as f:
        write_chunks(f, volumes, chunks, [first, second])
    with h5py.File(folder / "hole-in-turned.h5", "w") as f:
        write_chunks(f, volumes.T, chunks[::-1], [first[::-1], second[::-1]])
    with h5py.File(folder / "hole-in-channels.h5", "w") as f:
        write_chunks(f, channels, chunks + (1,), [first + (0,), second + (1,)])
    # 4096 chunks, each with a B-scan of each of 2048 volumes
    with h5py.File(folder / "scattered.h5", "w") as f:
        spectra = f.create_dataset("spectra", (2048, 4096, 2, 4), "u2", chunks=(2048, 1, 2, 4), compression="gzip")
        spectra[:, :8] = 7
    with h5py.File(folder / "one-channel.h5", "w") as f:
        write_chunks(f, channels, chunks + (1,), [place + (0,) for place in np.ndindex(2, 2, 2, 1)])


def write_h5(folder):
    for code in STEPS:
        with h5py.File(folder / f"plain-{code}.h5", "w") as f:
            f["scan/spectra"] = values(code)
            f["scan/dark"] = np.arange(4.0)
            f["note"] = "text"
    with h5py.File(folder / "packed.h5", "w") as f:
        f.create_dataset("spectra", data=values("u2"), chunks=(1, 2, 3), compression="gzip", shuffle=True)
    with h5py.File(folder / "big-endian.h5", "w") as f:
        f["spectra"] = values("u2").astype(">u2")
    with h5py.File(folder / "two.h5", "w") as f:
        f["a/spectra"], f["b/spectra"] = values("u2"), values("f4")[0]
    with h5py.File(folder / "complex.h5", "w") as f:
        f["spectra"] = values("f4") * 1j
    with h5py.File(folder / "text.h5", "w") as f:
        f["spectra"] = np.array([[b"one", b"two"], [b"three", b"four"]])
    with h5py.File(folder / "records.h5", "w") as f:
        f["spectra"] = np.zeros((2, 3, 4), dtype=[("even", "u2"), ("odd", "u2")])
    with h5py.File(folder / "lzf.h5", "w") as f:
        f.create_dataset("spectra", data=values("u2"), chunks=(1, 3, 4), compression="lzf")
    with h5py.File(folder / "chunk.h5", "w") as f:
        spectra = f.create_dataset("spectra", shape=(600, 512, 2048), dtype="u2", chunks=(600, 512, 1024), compression="gzip")
        spectra.id.write_direct_chunk((0, 0, 0), zlib.compress(bytes(16)))
    with h5py.File(folder / "never-written.h5", "w") as f:
        f.create_dataset("spectra", shape=(1 << 40, 3, 4), dtype="u2", chunks=(1, 3, 4))
    # of six B-scans all but the fourth were written, whole or in part
    for name, chunks, hole in (("hole", (1, 3, 4), slice(None)), ("hole-in-part", (1, 1, 4), slice(1, 2))):
        with h5py.File(folder / f"{name}.h5", "w") as f:
            spectra = f.create_dataset("spectra", shape=(6, 3, 4), dtype="u2", chunks=chunks)
            for i, bscan in enumerate((np.arange(72, dtype="u2") * 900).reshape(6, 3, 4)):
                for line in range(3):
                    if i != 3 or line not in range(3)[hole]:
                        spectra[i, line] = bscan[line]
    # stopped after three of eight, two in a chunk; lines of two B-scans in one array
    with h5py.File(folder / "stopped.h5", "w") as f:
        spectra = f.create_dataset("spectra", shape=(8, 3, 4), dtype="u2", chunks=(2, 3, 4), compression="gzip")
        spectra[:4] = (np.arange(48, dtype="u2") * 900).reshape(4, 3, 4)
    with h5py.File(folder / "hole-in-lines.h5", "w") as f:
        spectra = f.create_dataset("spectra", shape=(12, 4), dtype="u2", chunks=(2, 4))
        for i in (0, 2, 4, 10):
            spectra[i : i + 2] = (np.arange(8 * i // 2, 8 * i // 2 + 8, dtype="u2") * 900).reshape(2, 4)
    # half of a single A-line
    with h5py.File(folder / "hole-in-line.h5", "w") as f:
        f.create_dataset("spectra", shape=(8,), dtype="u2", chunks=(4,))[:4] = 7
    write_holes(folder)
    with h5py.File(folder / "million.h5", "w") as f:
        f.create_dataset("spectra", shape=(1000000, 16, 32), dtype="u2", chunks=(1, 16, 32))[0] = 7
    with h5py.File(folder / "external.h5", "w") as f:
        f.create_dataset("spectra", shape=(2, 3, 4), dtype="u2", external=[("packed.h5", 0, 48)])
    # two repeats at each of three places, said by the dataset or by the file
    for name, on_file in (("repeats", False), ("repeats-of-file", True)):
        with h5py.File(folder / f"{name}.h5", "w") as f:
            f["spectra"] = (np.arange(72, dtype="u2") * 900).reshape(6, 3, 4)
            where = f.attrs if on_file else f["spectra"].attrs
            where["repeats"] = 2
            where["line_rate"] = 100000.0
            where["wavelength"] = 1.31e-6
    # and what cannot be right
    with h5py.File(folder / "repeats-wrong.h5", "w") as f:
        f["spectra"] = (np.arange(72, dtype="u2") * 900).reshape(6, 3, 4)
        f["spectra"].attrs["repeats"] = [2, 2]
        f["spectra"].attrs["line_rate"] = "fast"
        f["spectra"].attrs["wavelength"] = 1310.0
    # as MATLAB writes it: a text before, and what each array is
    with h5py.File(folder / "matlab73.mat", "w", userblock_size=512) as f:
        f["spectra"] = values("u2")
        f["spectra"].attrs["MATLAB_class"] = np.bytes_("uint16")
        f["name"] = np.frombuffer("scan".encode("utf-16-le"), "u2").reshape(4, 1)
        f["name"].attrs["MATLAB_class"] = np.bytes_("char")
        f["#refs#/a"] = values("f8")
        f["#refs#/a"].attrs["MATLAB_class"] = np.bytes_("double")
    with open(folder / "matlab73.mat", "r+b") as f:
        f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM")


PIXELS = 16
CHIRP = np.arange(PIXELS) - 0.8 * np.sin(np.pi * np.arange(PIXELS) / (PIXELS - 1))
HEADER = """<?xml version="1.0" encoding="utf-8"?>
<Ocity version="1.0">
  <DataFiles>
{files}
    <DataFile Type="Real" SizeZ="16" BytesPerPixel="4">data\\Chirp.data</DataFile>
  </DataFiles>
  <Image><SizePixel><SizeZ>8</SizeZ><SizeX>3</SizeX></SizePixel>
    <SizeReal Unit="mm"><SizeZ>0.08</SizeZ><SizeX>1</SizeX></SizeReal></Image>
  <Acquisition><RefractiveIndex>1.25</RefractiveIndex></Acquisition>
  <Instrument><Model>none</Model><BytesPerPixel>2</BytesPerPixel>
    <RawDataIsSigned>{signed}</RawDataIsSigned>
    <BinaryToElectronCountScaling>4</BinaryToElectronCountScaling>
    <CentralWavelength>{centre}</CentralWavelength></Instrument>
</Ocity>
"""


def write_oct(folder, name, *, apo=((0, 2),), scan=((2, 5),), lines=5, signed="False", centre="930", separator="\\",
              packing=zipfile.ZIP_DEFLATED, size_z=PIXELS, chirp=CHIRP, n=2, per_file=1, replace=None, spoil=lambda e: e):
    """B-scans of which line `scan` and sample s count up by 7; apodization lines
    are 100 + s on average."""
    regions = "".join(f' {kind}Region{end}{i}="{r[j]}"' for kind, all_ in (("Apo", apo), ("Scan", scan))
                      for i, r in enumerate(all_) for j, end in enumerate(("Start", "End")))
    files = "\n".join(f'    <DataFile Type="Raw" SizeZ="{size_z}" SizeX="{lines}" BytesPerPixel="2"{regions}>'
                      f"data\\Spectral{i}.data</DataFile>" for i in range(n))
    header = HEADER.format(files=files, signed=signed, centre=centre)
    for before, after in replace or ():
        assert before in header
        header = header.replace(before, after)
    entries = {"Header.xml": header.encode()}
    count = 0
    for i in range(n):
        bscans = np.zeros((per_file, lines, PIXELS))
        for bscan in bscans:
            k = 0
            for a, b in apo:
                for line in range(a, b):
                    bscan[line] = 100 + np.arange(PIXELS) + (3 if k % 2 else -3)
                    k += 1
            for a, b in scan:
                for line in range(a, b):
                    bscan[line] = (count + np.arange(PIXELS)) * (7 if signed == "False" else -7)
                    count += PIXELS
        entries[f"data{separator}Spectral{i}.data"] = bscans.astype("<u2" if signed == "False" else "<i2").tobytes()
    if chirp is not None:
        entries[f"data{separator}Chirp.data"] = np.asarray(chirp).astype("<f4").tobytes()
    entries[f"data{separator}OffsetErrors.data"] = np.zeros(PIXELS, "<f4").tobytes()
    entries[f"data{separator}ApodizationSpectrum.data"] = (4.0 * (200 + np.arange(PIXELS))).astype("<f4").tobytes()
    with zipfile.ZipFile(folder / f"{name}.oct", "w", packing) as archive:
        for entry, data in spoil(entries).items():
            archive.writestr(zipfile.ZipInfo(entry, (2020, 1, 1, 0, 0, 0)), data, packing)


def write_thorlabs(folder):
    make = lambda name, **settings: write_oct(folder, name, **settings)
    make("thorlabs")
    make("stored-slashes", packing=zipfile.ZIP_STORED, separator="/")
    make("signed", signed="True")
    make("several-in-one", per_file=3)
    make("regions", apo=((0, 1), (3, 4)), scan=((1, 3), (4, 5)))
    make("no-apodization", apo=(), scan=((0, 5),))
    make("no-scale", replace=[("<CentralWavelength>930</CentralWavelength>", "")])
    make("no-chirp", chirp=None)
    lateral = [("<SizePixel>", "<SizePixel><SizeY>2</SizeY>"), ("<SizeX>1</SizeX>", "<SizeX>1.5</SizeX><SizeY>0.5</SizeY>")]
    make("lateral", replace=lateral)
    # three A-lines and three B-scans at each place
    make("lateral-averaged", replace=[*lateral, ("<SizeX>3</SizeX>", "<SizeX>1</SizeX>")], n=6)
    # as ThorImage says it: SizeY are the places
    make("repeats", n=6, replace=[
        *lateral, ("<RefractiveIndex>", "<SpeckleAveraging><FastAxis>1</FastAxis><SlowAxis>3</SlowAxis>"
                   "</SpeckleAveraging><RefractiveIndex>")])
    make("repeats-alone", n=6, replace=[("<SizePixel>", "<SizePixel><SizeY>6</SizeY>"),
                                        ("<SizeX>1</SizeX>", "<SizeX>1</SizeX><SizeY>-1</SizeY>")])
    make("lateral-wrong", replace=[lateral[0], ("<SizeX>1</SizeX>", "<SizeX>nan</SizeX><SizeY>-1</SizeY>")])
    # entries that the header lists and that are not there, or not whole
    without = lambda *names: lambda e: {k: v for k, v in e.items() if k not in names}
    cut = lambda name, size: lambda e: {k: v[:size] if k == name else v for k, v in e.items()}
    third, bscan = "data\\Spectral3.data", 5 * PIXELS * 2
    make("missing-entry", n=6, spoil=without(third))
    make("missing-first", n=6, spoil=without("data\\Spectral0.data"))
    make("short-entry", n=6, spoil=cut(third, bscan // 2))
    make("empty-entry", n=6, spoil=cut(third, 0))
    make("short-several", n=2, per_file=3, spoil=cut("data\\Spectral1.data", bscan * 3 // 2))
    # bad ones
    make("bad-chirp-length", chirp=CHIRP[:-1])
    make("bad-chirp-falls", chirp=CHIRP[::-1])
    make("bad-chirp-nan", chirp=[*CHIRP[:-1], np.nan])
    make("bad-overlap", scan=((1, 3), (2, 5)))
    make("bad-sizes", size_z=17)
    make("bad-nan", replace=[('SizeZ="16" SizeX', 'SizeZ="NaN" SizeX')])
    make("bad-negative", replace=[('SizeX="5"', 'SizeX="-5"'), ('ScanRegionEnd0="5"', 'ScanRegionEnd0="-5"')])
    make("bad-huge", replace=[('SizeX="5"', 'SizeX="2147483647"')])
    make("bad-end", replace=[('ScanRegionEnd0="5"', 'ScanRegionEnd0="6"')])
    make("bad-xml", replace=[("</Ocity>", "")])
    bomb = "<!DOCTYPE a [<!ENTITY b 'bbbbbbbbbb'><!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>]>"
    make("bad-entities", replace=[("<Ocity version", bomb + "<Ocity version"), ("none", "&c;&c;")])
    # names with bytes that are not text, which GLib's message shows
    spoilt = lambda e: e["Header.xml"].replace(b"<Image>", b"<Im\xe9\xff>")
    make("bad-utf8", spoil=lambda e: {**e, "Header.xml": spoilt(e)})
    # one entry of a million, of 100000 B-scans
    make("bad-last-only", apo=((0, 1),), scan=((1, 2),), lines=2, n=1, chirp=None,
         replace=[("Spectral0.data", "Spectral999999.data")],
         spoil=lambda e: {"Header.xml": e["Header.xml"], "data/Spectral999999.data": bytes(100000 * 2 * PIXELS * 2)})
    make("bad-no-header", spoil=without("Header.xml"))
    make("bad-no-spectra", spoil=without("data\\Spectral0.data", "data\\Spectral1.data"))
    make("bad-bomb", packing=zipfile.ZIP_BZIP2, spoil=lambda e: {**e, "Header.xml": bytes(65 << 20)})


def write_tiff(folder):
    """Fixed metadata: tifffile would put the time of day into files."""
    write = lambda name, data, **settings: tifffile.imwrite(
        folder / f"{name}.tif", data, **{"photometric": "minisblack", "metadata": None, "software": False, **settings})
    for code in ("u1", "u2", "i2", "u4", "f4", "f8"):
        write(f"plain-{code}", values(code))
    write("swapped", values("u2").astype(">u2"), byteorder=">")
    write("big", values("u2"), bigtiff=True)
    write("strips", values("u2"), rowsperstrip=2)
    write("tiles", values("u2"), tile=(16, 16))
    # several tiles, the last ones with a rest
    write("wide", np.arange(2 * 37 * 50, dtype="u2").reshape(2, 37, 50), tile=(16, 32))
    write("deflated", values("u2"), compression="zlib", predictor=True)
    for name in ("lzw", "packbits"):
        subprocess.run(["tiffcp", "-c", name, "-r", "2", folder / "plain-u2.tif", folder / f"{name}.tif"], check=True)
    write("one-page", values("u2")[0])
    tifffile.imwrite(folder / "imagej.tif", values("u2"), imagej=True, metadata={"axes": "ZYX"})
    # bad ones
    with tifffile.TiffWriter(folder / "bad-mixed-sizes.tif") as f:
        for page in (values("u2")[0], values("u2")[0][:2]):
            f.write(page, photometric="minisblack", metadata=None, software=False)
    with tifffile.TiffWriter(folder / "bad-mixed-types.tif") as f:
        for page in (values("u2")[0], values("f4")[0]):
            f.write(page, photometric="minisblack", metadata=None, software=False)
    write("bad-colour", np.zeros((3, 4, 3), "u1"), photometric="rgb")
    write("bad-inverted", values("u1"), photometric="miniswhite")
    write("bad-complex", values("f4").astype("c8"))
    plain = (folder / "plain-u2.tif").read_bytes()
    assert plain[:4] == b"II*\0"
    (folder / "bad-compression.tif").write_bytes(plain.replace(b"\x03\1\3\0\1\0\0\0\1\0", b"\x03\1\3\0\1\0\0\0\x99\x99"))
    # one page of five hundred, the others are not there
    text = b"ImageJ=1.53t\nimages=500\nslices=500\n"
    write("short-imagej", values("u2")[0], description=text.decode())
    # as ImageJ saves more than 4 GB: one page, the other images follow it
    many = (np.arange(72) * 900).astype("u2").reshape(6, 3, 4)
    for name, order in (("imagej-large", "<"), ("imagej-large-swapped", ">")):
        tifffile.imwrite(folder / f"{name}.tif", many[0].astype(f"{order}u2"), photometric="minisblack", byteorder=order,
                         metadata=None, software=False, description="ImageJ=1.53t\nimages=6\nslices=6\nloop=false\n")
        with open(folder / f"{name}.tif", "ab") as f:
            f.write(many[1:].astype(f"{order}u2").tobytes())
    # in one strip, which libtiff would divide
    strip = (np.arange(3 * 16 * 512) * 2).astype("u2").reshape(3, 16, 512)
    tifffile.imwrite(folder / "imagej-large-strip.tif", strip[0], photometric="minisblack", metadata=None,
                     software=False, rowsperstrip=16, description="ImageJ=1.53t\nimages=3\nslices=3\nloop=false\n")
    with open(folder / "imagej-large-strip.tif", "ab") as f:
        f.write(strip[1:].tobytes())
    # six B-scans below each other in a page
    tall = many.reshape(18, 4)
    write("tall", tall)
    write("tall-strips", tall, rowsperstrip=4, compression="zlib")
    write("tall-tiles", tall, tile=(16, 16))


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) == 2 else pathlib.Path(__file__).parent / "vectors/files")
    write_mat(folder)
    write_h5(folder)
    write_stacks(folder)
    write_thorlabs(folder)
    write_tiff(folder)
