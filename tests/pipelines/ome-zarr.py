# SPDX-License-Identifier: LGPL-2.1-or-later
"""OME-Zarr: octvolumesink's stores read by a reader made from the specification
(zarr_store.py), and by Zarr of Python if it knows version 3; stores made by it
read by octsrc; stores that lie.  Output is TAP."""
import json
import re
import shutil
import signal
import struct
import subprocess

import tap
from tap import Skip

try:
    import numpy
    import zarr_store
except ImportError:
    raise SystemExit("1..0 # SKIP NumPy of Python is not installed") from None

LINES, SAMPLES, BSCANS = 300, 1100, 37
DEPTHS = SAMPLES // 2
IMAGES = ["!", "octreconstruct", "range=manual", "min=0", "max=90", "!",
          "video/x-raw,format=GRAY8"]
SPACING = ["x-spacing=1e-5", "y-spacing=2e-5", "z-spacing=4e-6",
           "refractive-index=1.25"]


def source(bscans=BSCANS, lines=LINES, samples=SAMPLES):
    return ["octsrc", "phantom=surgery", f"bscans={bscans}", f"lines={lines}",
            f"samples={samples}"]


def launch(folder, *elements, status=0):
    """Returns what is said as an error."""
    return tap.run("-q", *elements, program="gst-launch-1.0", cwd=folder,
                   status=status)[1]


def expected(folder, chain=IMAGES, kind="u1", shape=(DEPTHS, LINES), bscans=BSCANS):
    launch(folder, *source(), f"num-buffers={bscans}", *chain, "!", "filesink",
           "location=all.bin")
    return numpy.fromfile(folder / "all.bin", kind).reshape(bscans, *shape)


def write(folder, location, *properties, chain=IMAGES, bscans=BSCANS):
    return launch(folder, *source(), f"num-buffers={bscans}", *chain, "!",
                  "octvolumesink", f"location={location}", *SPACING, *properties)


def halve(images):
    """The mean of two by two pixels, or of those at an odd end, in float64."""
    images = images.astype("f8")
    rows, columns = images.shape[-2:]
    padded = numpy.full((*images.shape[:-2], rows + rows % 2,
                         columns + columns % 2), numpy.nan)
    padded[..., :rows, :columns] = images
    four = numpy.stack([padded[..., i::2, k::2] for i in (0, 1) for k in (0, 1)])
    return numpy.nanmean(four, axis=0)


def test_images(folder):
    write(folder, "a.ome.zarr")
    levels, attributes = zarr_store.read_image(folder / "a.ome.zarr")
    wanted = expected(folder)
    assert levels[0].dtype == "u1" and levels[0].shape == (1, *wanted.shape)
    assert (levels[0][0] == wanted).all() and wanted.std() > 10
    assert [level.shape[1:] for level in levels] == [
        (BSCANS, 550, 300), (BSCANS, 275, 150), (BSCANS, 138, 75)]
    for before, level in zip(levels, levels[1:]):
        # whole numbers, a half up
        assert (level == numpy.floor(halve(before) + 0.5)).all()
    image = attributes["ome"]["multiscales"][0]
    assert [axis["name"] for axis in image["axes"]] == list("tzyx")
    assert [axis.get("unit") for axis in image["axes"][1:]] == ["micrometer"] * 3
    assert image["type"] == "mean"
    for n, level in enumerate(image["datasets"]):
        scale, *moved = level["coordinateTransformations"]
        assert scale["type"] == "scale"
        wide = 2 ** n
        # B-scans, depths of tissue, A-lines
        assert numpy.allclose(scale["scale"][1:], [20, 3.2 * wide, 10 * wide])
        assert len(moved) == (n > 0)
        if moved:
            assert numpy.allclose(moved[0]["translation"], [
                0, 0, 3.2 * (wide - 1) / 2, 10 * (wide - 1) / 2])
    assert attributes["oct"]["complete"] is True
    assert attributes["oct"]["missing"] == []
    assert attributes["oct"]["refractive_index"] == 1.25
    assert not list(folder.glob("*.part"))
    for path in (folder / "a.ome.zarr").rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)
        assert not path.name.endswith(".part") and path.name.count(".") < 2
    _, metadata = zarr_store.read_array(folder / "a.ome.zarr" / "0")
    assert metadata["dimension_names"] == list("tzyx")
    assert metadata["codecs"][0]["name"] == "sharding_indexed"


def test_distances_that_lie(folder):
    """A distance that no level can state is not known, and the text is JSON."""
    spectra = make_spectra("u1", (2, 300, 600))
    zarr_store.write_array(folder / "a.zarr/0", spectra, (2, 300, 600))
    (folder / "a.zarr/zarr.json").write_text(json.dumps({
        "zarr_format": 3, "node_type": "group", "attributes": {
            "oct": {"content": "images"}, "ome": {
                "version": "0.5", "multiscales": [{
                    "axes": [{"name": name, "type": "space", "unit": "meter"}
                             for name in "zyx"],
                    "datasets": [{"path": "0", "coordinateTransformations": [
                        {"type": "scale", "scale": [1e-5, 1e-6, 1e302]}]}]}]}}}))
    launch(folder, "octsrc", "location=a.zarr", "!", "octvolumesink",
           "location=b.zarr")
    text = (folder / "b.zarr/zarr.json").read_text()
    image = json.loads(text, parse_constant=lambda word: 1 / 0)
    first = image["attributes"]["ome"]["multiscales"][0]
    assert "unit" not in first["axes"][3] and "inf" not in text, text
    assert first["axes"][1]["unit"] == "micrometer"


def test_read_by_zarr(folder):
    """Debian 12 has Zarr 2 of Python, which does not know version 3."""
    try:
        import zarr
    except ImportError:
        raise Skip("zarr of Python is not installed") from None
    if int(zarr.__version__.split(".")[0]) < 3:
        raise Skip(f"zarr {zarr.__version__} of Python does not read version 3")
    write(folder, "a.zarr")
    group = zarr.open_group(folder / "a.zarr", mode="r")
    assert (numpy.asarray(group["0"][0]) == expected(folder)).all()


def test_values(folder):
    """Phases: the depth runs downwards as in images."""
    chain = ["!", "octreconstruct", "output=ascans", "!", "octdoppler", "!",
             "application/x-oct-values"]
    wanted = expected(folder, chain, "f4", (LINES, DEPTHS))
    write(folder, "a.zarr", chain=chain)
    levels, attributes = zarr_store.read_image(folder / "a.zarr")
    assert levels[0].dtype == "f4"
    assert (levels[0][0] == wanted.transpose(0, 2, 1)).all() and wanted.any()
    # float32 sums of four against float64
    assert numpy.allclose(levels[1], halve(levels[0]), rtol=1e-5,
                          atol=1e-6 * abs(wanted).max())
    assert attributes["oct"]["quantity"] == "phase"
    assert attributes["oct"]["unit"] == "rad"


def test_pictures_en_face(folder):
    """They follow each other in time."""
    launch(folder, *source(), f"num-buffers={BSCANS}", *IMAGES, "!",
           "octenface", "!", "tee", "name=t", "!", "queue", "!", "octvolumesink",
           "location=a.zarr", "t.", "!", "queue", "!", "octvolumesink",
           "location=a.npy")
    levels, attributes = zarr_store.read_image(folder / "a.zarr")
    picture = numpy.load(folder / "a.npy")
    assert levels[0].shape == (1, 1, *picture.shape[1:])
    assert (levels[0][0] == picture).all() and picture.std() > 1
    assert attributes["oct"]["axes"][0] == "picture"


def test_volumes_and_names(folder):
    write(folder, "a.ome.zarr", "bscans=10", bscans=25)
    assert sorted(path.name for path in folder.iterdir()) == ["a.ome.zarr"]
    launch(folder, *source(bscans=10), "num-buffers=25", *IMAGES, "!",
           "octvolumesink", "location=b.ome.zarr")
    assert sorted(path.name for path in folder.glob("b*")) == [
        "b-1.ome.zarr", "b-2.ome.zarr",
        "b.ome.zarr"]
    levels, attributes = zarr_store.read_image(folder / "b-2.ome.zarr")
    assert attributes["oct"]["missing"] == [[5, 9]], attributes
    assert levels[0][0, :5].any() and not levels[0][0, 5:].any()
    errors = launch(folder, *source(), "num-buffers=2", *IMAGES, "!",
                    "octvolumesink", "location=a.ome.zarr", status=255)
    assert "exists already" in errors, errors


def test_killed(folder):
    """The files that are on the disk by then are a store that can be read; it says that it
    is not complete, and chunks that are not there are black."""
    process = subprocess.Popen(
        ["gst-launch-1.0", "-q", *source(), f"num-buffers={BSCANS}", *IMAGES,
         "!", "identity", "sleep-time=100000", "!", "octvolumesink",
         "location=a.zarr"], cwd=folder)
    part = folder / "a.zarr.part"
    # the last level of the first shard is the last file of it
    tap.until("the first shard", (part / "2/c/0/0/0/0").exists)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (folder / "a.zarr").exists()
    levels, attributes = zarr_store.read_image(part)
    assert attributes["oct"]["complete"] is False
    wanted = expected(folder)
    written = [levels[0][0, i].any() for i in range(BSCANS)]
    count = written.index(False)
    assert count % 16 == 0 and count >= 16 and not any(written[count:])
    assert (levels[0][0, :count] == wanted[:count]).all()
    errors = launch(folder, "octsrc", "location=a.zarr.part", "!", "filesink",
                    "location=back.bin")
    assert f"{BSCANS - count} of them are missing" in errors, errors


def test_full_disk(folder):
    """A limit for files stands for it: an error, and what was written stays."""
    command = " ".join([
        "ulimit -f 8; trap '' XFSZ; exec gst-launch-1.0 -q", *source(),
        f"num-buffers={BSCANS}", *(f"'{word}'" for word in IMAGES), "!",
        "octvolumesink", "location=a.zarr"])
    _, errors = tap.run("-c", command, program="bash", cwd=folder, status=1)
    assert "cannot be written" in errors and "location" in errors, errors
    assert [path.name for path in folder.iterdir()] == ["a.zarr.part"]
    text = json.loads((folder / "a.zarr.part" / "zarr.json").read_text())
    assert text["attributes"]["oct"]["complete"] is False


def get_spacing(said):
    """The distance in the caps that gst-launch-1.0 -v prints."""
    return float(re.search(r"x-spacing=\(double\)([-+.e0-9]+)", said)[1])


def test_images_come_back(folder):
    """octsrc plays a store of images as images, with their distances."""
    write(folder, "a.zarr")
    launch(folder, "octsrc", "location=a.zarr", "!", "filesink",
           "location=back.bin")
    back = numpy.fromfile(folder / "back.bin", "u1")
    assert (back.reshape(BSCANS, DEPTHS, LINES) == expected(folder)).all()
    said, _ = tap.run("-v", "octsrc", "location=a.zarr", "num-buffers=1", "!",
                      "fakesink", program="gst-launch-1.0", cwd=folder)
    assert abs(get_spacing(said) - 1e-5) < 1e-12, said


def play(folder, path, *properties):
    """All bytes that octsrc makes of it."""
    launch(folder, "octsrc", f"location={path}", *properties, "!", "filesink",
           "location=played.bin")
    return (folder / "played.bin").read_bytes()


def make_spectra(kind="u2", shape=(7, 33, 512)):
    values = numpy.random.default_rng(5).integers(0, 4000, shape)
    return values.astype(kind)


def test_spectra(folder):
    """Every way in which chunks are stored."""
    Z = zarr_store
    ways = [
        dict(chunk=(2, 10, 100)),
        dict(chunk=(7, 33, 512), codecs=(Z.LITTLE, Z.ZSTD)),
        dict(chunk=(1, 33, 512), codecs=(Z.LITTLE, Z.GZIP)),
        dict(chunk=(3, 8, 512), codecs=(Z.BIG, Z.GZIP, Z.SUM)),
        dict(chunk=(3, 8, 64), codecs=(Z.LITTLE, Z.SUM, Z.ZSTD)),
        dict(chunk=(2, 10, 100), keys=("default", ".")),
        dict(chunk=(2, 10, 100), keys=("v2", ".")),
        dict(chunk=(2, 10, 100), keys=("v2", "/")),
        dict(chunk=(2, 11, 128), shard=(4, 33, 512), codecs=(Z.LITTLE, Z.ZSTD)),
        dict(chunk=(1, 5, 100), shard=(2, 15, 300), index=("start", True)),
        dict(chunk=(1, 5, 100), shard=(2, 15, 300), index=("end", False)),
    ]
    for kind in ("u1", "u2"):
        spectra = make_spectra(kind)
        for number, way in enumerate(ways):
            name = f"{kind}-{number}.zarr"
            zarr_store.write_array(folder / name, spectra, **way)
            assert (zarr_store.read_array(folder / name)[0] == spectra).all()
            assert play(folder, name) == spectra.tobytes(), (kind, way)
    # numbers that are not delivered as they are
    for kind in ("i2", "f4", "f8", "u4"):
        spectra = make_spectra(kind)
        zarr_store.write_array(folder / f"{kind}.zarr", spectra, (2, 20, 200),
                               (Z.BIG, Z.ZSTD))
        assert play(folder, f"{kind}.zarr") == spectra.astype("f4").tobytes()


def test_dimensions_and_groups(folder):
    Z = zarr_store
    spectra = make_spectra(shape=(2, 1, 6, 20, 512))
    Z.write_array(folder / "g.zarr/deep/spectra", spectra, (1, 1, 4, 8, 512),
                  (Z.LITTLE, Z.ZSTD))
    group = {"zarr_format": 3, "node_type": "group", "attributes": {"ome": {
        "version": "0.5", "multiscales": [{
            "axes": [{"name": name, "type": "space", "unit": unit}
                     for name, unit in zip("tczyx", (
                         "second", None, "micrometer", "millimeter",
                         "nanometer"))],
            "datasets": [{"path": "deep/spectra", "coordinateTransformations": [
                {"type": "scale", "scale": [1, 1, 30, 0.02, 1]}]}]}]}}}
    (folder / "g.zarr/zarr.json").write_text(json.dumps(group))
    assert play(folder, "g.zarr") == spectra.tobytes()
    assert play(folder, "g.zarr/zarr.json") == spectra.tobytes()
    assert play(folder, "g.zarr", "dataset=deep/spectra") == spectra.tobytes()
    said, _ = tap.run("-v", "octsrc", "location=g.zarr", "num-buffers=1", "!",
                      "fakesink", program="gst-launch-1.0", cwd=folder)
    assert abs(get_spacing(said) - 2e-5) < 1e-12, said
    # columns are spectra: another order than that of the chunks
    turned = numpy.ascontiguousarray(spectra[:, 0].transpose(0, 1, 3, 2))
    Z.write_array(folder / "t.zarr", turned, (1, 2, 100, 20), (Z.LITTLE, Z.ZSTD))
    assert play(folder, "t.zarr", "sample-dimension=3") == spectra.tobytes()
    # two dimensions
    Z.write_array(folder / "l.zarr", spectra[0, 0, 0], (3, 500))
    assert play(folder, "l.zarr", "lines=10") == spectra[0, 0, 0].tobytes()


def test_missing_chunks(folder):
    """B-scans without any chunk are missing; a chunk that is not there has the
    fill value."""
    spectra = make_spectra(shape=(8, 20, 512))
    zarr_store.write_array(
        folder / "a.zarr", spectra, (2, 20, 256), skip=((1, 0, 0), (1, 0, 1),
                                                        (3, 0, 1)))
    errors = launch(folder, "octsrc", "location=a.zarr", "!", "filesink",
                    "location=played.bin")
    assert "2 of them are missing: B-scans 2 to 3" in errors, errors
    found = numpy.fromfile(folder / "played.bin", "u2").reshape(-1, 20, 512)
    wanted = numpy.concatenate([spectra[:2], spectra[4:]])
    wanted[4:, :, 256:] = 0
    # octsrc fills in for those that are missing
    if len(found) == len(spectra):
        found = numpy.concatenate([found[:2], found[4:]])
    assert (found == wanted).all()


def test_missing_of_a_store(folder):
    """B-scans that have not come while it was written, in a shard that has others."""
    launch(folder, *source(), "num-buffers=20", *IMAGES, "!", "octvolumesink",
           "location=a.zarr")
    told = json.loads((folder / "a.zarr/zarr.json").read_text())
    assert told["attributes"]["oct"]["missing"] == [[20, BSCANS - 1]], told

    def play_all():
        errors = launch(folder, "octsrc", "location=a.zarr", "!", "filesink",
                        "location=played.bin")
        return errors, numpy.fromfile(folder / "played.bin", "u1").reshape(
            -1, DEPTHS, LINES)
    errors, found = play_all()
    assert "17 of them are missing: B-scans 20 to 36" in errors, errors
    wanted = expected(folder)
    assert (found == wanted[:20]).all()
    # runs that are none, or lead out of the volume
    for runs, first in (([[20, 2 ** 50]], 20), ([[25, 10], [-1, 3], [1], "a", None,
                        [1.5, "b"], [20, 36]], 20), ([[18, 40], [19, 30]], 18)):
        told["attributes"]["oct"]["missing"] = runs
        (folder / "a.zarr/zarr.json").write_text(json.dumps(told))
        errors, found = play_all()
        assert f"B-scans {first} to 36" in errors, (runs, errors)
        assert (found == wanted[:first]).all()
    told["attributes"]["oct"]["missing"] = [[0, 36]]
    (folder / "a.zarr/zarr.json").write_text(json.dumps(told))
    assert "missing" in refused(folder, "a.zarr")


def test_link_in_place_of_a_folder(folder):
    """It is not followed, and said."""
    spectra = make_spectra(shape=(8, 20, 512))
    zarr_store.write_array(folder / "bad.zarr", spectra, (2, 20, 256))
    for name in ("c/1", "c"):
        place = folder / "bad.zarr" / name
        place.rename(folder / "outside")
        place.symlink_to(folder / "outside")
        said = refused(folder)
        assert f"has a link '{name}' in place of a folder" in said, said
        place.unlink()
        (folder / "outside").rename(place)
    # others are nobody's business
    (folder / "bad.zarr/notes").symlink_to(folder)
    assert play(folder, "bad.zarr") == spectra.tobytes()


def refused(folder, path="bad.zarr", *properties):
    """The sentence; no crash, no hang."""
    result = subprocess.run(
        ["gst-launch-1.0", "-q", "octsrc", f"location={path}", *properties, "!",
         "fakesink"], cwd=folder, capture_output=True, text=True,
        timeout=tap.PATIENCE)
    assert result.returncode in (1, 255), (result.returncode, result.stderr)
    assert "ERROR" in result.stderr, result.stderr
    assert "CRITICAL" not in result.stderr, result.stderr
    return result.stderr


def change(metadata, path, value):
    for name in path[:-1]:
        metadata = metadata[name]
    if value is None:
        del metadata[path[-1]]
    else:
        metadata[path[-1]] = value


def test_metadata_that_lies(folder):
    Z = zarr_store
    spectra = make_spectra()
    grid = ("chunk_grid", "configuration", "chunk_shape")
    inner = ("codecs", 0, "configuration")
    lies = [
        (("zarr_format",), 2, "not 3"), (("node_type",), "thing", "node_type"),
        (("shape",), [0, 33, 512], "shape"), (("shape",), [], "shape"),
        (("shape",), [-1, 33, 512], "shape"), (("shape",), "many", "shape"),
        (("shape",), [7.5, 33, 512], "shape"),
        (("shape",), [2**40, 33, 512], "only"),
        (("shape",), [2**52, 2**52, 2**52], ""),
        (("shape",), [1e300, 33, 512], "shape"), (("shape",), [7] * 9, "shape"),
        (grid, [0, 33, 512], "chunk_grid"), (grid, [7, 33], "chunk_grid"),
        (grid, [-7, 33, 512], "chunk_grid"), (grid, None, "chunk_grid"),
        (grid, [7, 33, 511], "multiple"),
        (inner + ("chunk_shape",), [0, 11, 128], "shards"),
        (inner + ("chunk_shape",), [2**31, 2**31, 2**31], ""),
        (inner + ("chunk_shape",), None, "shards"),
        (inner + ("codecs",), [], "codecs"),
        (inner + ("codecs",), [Z.LITTLE, {"name": "lzma2"}], "lzma2"),
        (inner + ("codecs",), [Z.LITTLE, Z.ZSTD, Z.ZSTD], "several times"),
        (inner + ("codecs",), [{"name": "transpose"}, Z.LITTLE], "transpose"),
        (inner + ("codecs",), [{"name": "bytes"}], "endian"),
        (inner + ("codecs",), 5, "codecs"),
        (inner + ("index_codecs",), [Z.LITTLE, Z.GZIP], "index"),
        (inner + ("index_codecs",), None, "index"),
        (inner + ("index_location",), "middle", "index"),
        (("data_type",), "complex64", "complex64"), (("data_type",), 5, "data_type"),
        (("fill_value",), "five", "fill_value"), (("fill_value",), None, "fill"),
        (("fill_value",), 70000, "fill_value"), (("fill_value",), -1, "fill_value"),
        (("fill_value",), 0.5, "fill_value"), (("fill_value",), 1e300, "fill"),
        (("chunk_key_encoding", "name"), "odd", "chunk_key"),
        (("chunk_key_encoding", "configuration", "separator"), "..", "chunk_key"),
        (("storage_transformers",), [{"name": "x"}], "storage_transformers"),
        (("codecs",), {"name": "bytes"}, "codecs"),
    ]
    path = folder / "bad.zarr"
    metadata = Z.write_array(path, spectra, (2, 11, 128), (Z.LITTLE, Z.ZSTD),
                             (4, 33, 512))
    assert play(folder, "bad.zarr") == spectra.tobytes()
    for where, value, named in lies:
        told = json.loads(json.dumps(metadata))
        change(told, where, value)
        (path / "zarr.json").write_text(json.dumps(told))
        errors = refused(folder)
        assert named in errors, (where, value, errors)
    for text in ('{"zarr_format": 3', '{"zarr_format": 3, "a": ' + "[" * 50000,
                 '{"zarr_format": ' + "9" * 5000 + "}",
                 '{"zarr_format": 3}' + " " * 2**21, '{"zarr_format"\0: 3}'):
        (path / "zarr.json").write_text(text)
        assert "Zarr" in refused(folder), text[:40]
    # what is more than JSON, with quotes that do not count before brackets
    for odd in ('/*"*/', "'\"': 1, ", '"\\ud800"": 1, ', '"\\u0"": 1, '):
        (path / "zarr.json").write_text(
            '{"zarr_format": 3, ' + odd + '"a": ' + "[" * 900000)
        assert "Zarr" in refused(folder), odd
    # a pair of UTF-16 and other escapes are JSON
    metadata["attributes"] = {"\U0001f441 \"/\\\n": ["\U0001f441"]}
    (path / "zarr.json").write_text(json.dumps(metadata))
    assert play(folder, "bad.zarr") == spectra.tobytes()


def hear(folder, *elements):
    """All that is said, warnings too; no crash."""
    said = "".join(tap.run(*elements, program="gst-launch-1.0", cwd=folder,
                           status=None))
    assert "CRITICAL" not in said and "Execution ended" in said, said
    return said


def test_files_that_lie(folder):
    Z = zarr_store
    spectra = make_spectra()
    path = folder / "bad.zarr"
    Z.write_array(path, spectra, (2, 11, 128), (Z.LITTLE, Z.ZSTD), (4, 33, 512))
    file = path / "c/0/0/0"
    whole = file.read_bytes()
    count = 2 * 3 * 4
    index = whole[-16 * count - 4:-4]

    def with_index(first):
        table = struct.pack("<QQ", *first) + index[16:]
        return whole[:-16 * count - 4] + table + Z.crc32c(table)

    bomb = Z.compress(bytes(1 << 28))
    lies = {
        "cut": whole[:-10], "empty": b"", "short": whole[-100:],
        "sum": whole[:-1] + bytes([whole[-1] ^ 1]),
        "far": with_index((2**63, 100)), "long": with_index((0, 2**62)),
        "round": with_index((2**64 - 5, 10)), "none": with_index((0, 0)),
        "half": with_index((2**64 - 1, 5)),
        "chunk": bytes([whole[0] ^ 255]) + whole[1:],
    }
    for name, data in lies.items():
        file.write_bytes(data)
        said = hear(folder, "octsrc", "location=bad.zarr", "!", "filesink",
                    "location=played.bin")
        assert "B-scan 0 cannot be read, the file is damaged" in said, (name, said)
        # the others are played
        found = (folder / "played.bin").read_bytes()
        assert found.endswith(spectra[4:].tobytes()), name
    # a chunk that unpacks to more than it may
    shutil.rmtree(path)
    Z.write_array(path, spectra, (7, 33, 512), (Z.LITTLE, Z.ZSTD))
    file.write_bytes(bomb)
    assert "damaged" in hear(folder, "octsrc", "location=bad.zarr", "!",
                             "fakesink")
    # a type whose values are larger than the chunks
    told = json.loads((path / "zarr.json").read_text())
    (path / "zarr.json").write_text(json.dumps({**told, "data_type": "float64"}))
    assert "damaged" in hear(folder, "octsrc", "location=bad.zarr", "!",
                             "fakesink")
    (path / "zarr.json").write_text(json.dumps(told))
    # links and pipes are not followed
    (folder / "outside").write_bytes(whole)
    file.unlink()
    file.symlink_to(folder / "outside")
    assert "damaged" in hear(folder, "octsrc", "location=bad.zarr", "!",
                             "fakesink")
    file.unlink()
    subprocess.run(["mkfifo", file], check=True)
    assert "damaged" in hear(folder, "octsrc", "location=bad.zarr", "!",
                             "fakesink")


def test_groups_that_lie(folder):
    path = folder / "bad.zarr"
    path.mkdir()
    zarr_store.write_array(folder / "out", make_spectra(), (7, 33, 512))
    (path / "link").symlink_to(folder / "out")
    for inner in ("../out", "/etc", "link", "none", "", "a//b", ".", 5, None):
        (path / "zarr.json").write_text(json.dumps({
            "zarr_format": 3, "node_type": "group", "attributes": {"ome": {
                "multiscales": [{"datasets": [{"path": inner}]}]}}}))
        refused(folder)
    for dataset in ("../out", "/out", "link", "none", "../bad.zarr"):
        refused(folder, "bad.zarr", f"dataset={dataset}")
    for attributes in ({}, {"ome": 5}, {"ome": {"multiscales": 7}},
                       {"ome": {"multiscales": [[]]}}):
        (path / "zarr.json").write_text(json.dumps({
            "zarr_format": 3, "node_type": "group", "attributes": attributes}))
        assert "dataset" in refused(folder)


tap.main(globals())
