# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-convert with volumes that are folders (OME-Zarr), and with names of BIDS.
Output is TAP."""
import csv
import hashlib
import json
import os
import shutil

import tap
from archive import (
    BSCANS, LINES, SAMPLES, convert, count, make_archive, manifest, numpy, run)

try:
    import zarr_store
except ImportError:
    raise SystemExit("1..0 # SKIP NumPy of Python is not installed") from None

DEPTHS = SAMPLES // 2
RANGE = ["--min", "20", "--max", "90"]


def zarr(folder, *more, status=0):
    return run("archive", "--output", "out", "--format", "zarr", "--calibration",
               "cal.csv", *RANGE, *more, cwd=folder, status=status)


def stores(folder, ending=".zarr"):
    return sorted(str(path.relative_to(folder / "out"))
                  for path in (folder / "out").rglob("*" + ending))


def store_sum(path):
    """As `sha256sum` of all files, sorted by their paths, has it."""
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  "
             f"{file.relative_to(path)}\n"
             for file in path.rglob("*") if file.is_file()]
    lines.sort(key=lambda line: line[66:].encode())
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def test_stores(folder):
    """The values are those of other formats, the manifest those of the folders,
    and a second run does nothing."""
    make_archive(folder)
    text = zarr(folder, "--checksums")
    assert count(text, "converted") == 3 and count(text, "failed") == 0, text
    assert stores(folder) == ["a.zarr", "sub/b.zarr", "sub/deep/c.zarr"]
    run("archive", "--output", "npy", "--format", "npy", "--calibration",
        "cal.csv", *RANGE, cwd=folder)
    for row in manifest(folder):
        path = folder / "out" / row["output"]
        levels, attributes = zarr_store.read_image(path)
        other = folder / "npy" / row["output"].replace(".zarr", ".npy")
        assert (levels[0][0] == numpy.load(other)).all()
        assert attributes["oct"]["complete"] is True
        size = sum(file.stat().st_size for file in path.rglob("*")
                   if file.is_file())
        assert int(row["output_bytes"]) == size, row
        assert row["sha256"] == store_sum(path), row
    assert not [path for path in (folder / "out").iterdir()
                if path.name.startswith(".")]
    text = zarr(folder)
    assert (count(text, "converted"), count(text, "done before")) == (0, 3), text
    text = zarr(folder, "--summary", "--checksums")
    assert "Complete: all 3" in text, text


def test_changed_and_replaced(folder):
    make_archive(folder, ["a.npy"])
    zarr(folder)
    shard = folder / "out/a.zarr/0/c/0/0/0/0"
    whole = shard.read_bytes()
    shard.write_bytes(whole + b"more")
    text = zarr(folder, status=1)
    assert "is not the file that was written" in text, text
    # a part of it is missing
    shard.unlink()
    text = zarr(folder, status=1)
    assert "is not the file that was written" in text, text
    shutil.rmtree(folder / "out/a.zarr")
    assert count(zarr(folder), "converted") == 1
    assert shard.read_bytes() == whole
    # another input takes the place of its own volume alone
    data = numpy.load(folder / "archive/a.npy")
    numpy.save(folder / "archive/a.npy", data[:4])
    assert count(zarr(folder), "converted") == 1
    levels, _ = zarr_store.read_image(folder / "out/a.zarr")
    assert levels[0].shape[1] == 4
    assert sorted(os.listdir(folder / "out")) == ["a.zarr", "oct-convert.csv"]


def test_hidden_names(folder):
    """The store of an earlier run goes with the work folder, whatever its name."""
    make_archive(folder, ["archive.npy"])
    data = numpy.load(folder / "archive/archive.npy")
    for count_of in (BSCANS, 4):
        numpy.save(folder / "archive/.a.npy", data[:count_of])
        run("archive/.a.npy", "--output", "out", "--format", "zarr",
            "--calibration", "cal.csv", *RANGE, cwd=folder)
    levels, _ = zarr_store.read_image(folder / "out/.a.zarr")
    assert levels[0].shape[1] == 4
    assert sorted(os.listdir(folder / "out")) == [".a.zarr", "oct-convert.csv"]


def test_others_stay(folder):
    """A folder that the manifest does not know is nobody's to replace."""
    make_archive(folder, ["a.npy"])
    (folder / "out/a.zarr").mkdir(parents=True)
    (folder / "out/a.zarr/mine").write_text("mine")
    text = zarr(folder, status=1)
    assert "is there already" in text, text
    assert (folder / "out/a.zarr/mine").read_text() == "mine"
    # a link to a folder elsewhere is not a store, and is not followed
    shutil.rmtree(folder / "out/a.zarr")
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere/mine").write_text("mine")
    (folder / "out/a.zarr").symlink_to(folder / "elsewhere")
    assert "is there already" in zarr(folder, status=1)
    assert (folder / "elsewhere/mine").read_text() == "mine"


def test_rest_of_a_program_that_was_killed(folder):
    """A part of a store goes with its work folder; a link in it leads nowhere."""
    make_archive(folder, ["a.npy"])
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere/mine").write_text("mine")
    left = folder / "out/.oct-convert-0-of-0-1-0123456789abcdef-ABCDEF"
    part = left / "a.zarr.part/0/c/0/0/0"
    part.mkdir(parents=True)
    (part / "0").write_bytes(b"shard")
    (part / "link").symlink_to(folder / "elsewhere")
    assert count(zarr(folder), "converted") == 1
    assert sorted(os.listdir(folder / "out")) == ["a.zarr", "oct-convert.csv"]
    assert (folder / "elsewhere/mine").read_text() == "mine"


def test_stores_as_inputs(folder):
    """A folder of spectra is one input, also within folders."""
    make_archive(folder, ["b.npy"])
    spectra = numpy.load(folder / "archive/b.npy")
    zarr_store.write_array(
        folder / "archive/in/a.zarr", spectra, (2, LINES, SAMPLES),
        (zarr_store.LITTLE, zarr_store.ZSTD))
    text = convert(folder)
    assert count(text, "converted") == 2, text
    first = numpy.load(folder / "out/in/a.npy")
    assert (first == numpy.load(folder / "out/b.npy")).all() and first.std() > 5
    row = next(row for row in manifest(folder) if "a.zarr" in row["input"])
    assert row["input"] == str((folder / "archive/in/a.zarr").resolve())
    assert count(convert(folder), "done before") == 2
    # another chunk is another input
    zarr_store.write_array(
        folder / "new", spectra[::-1], (2, LINES, SAMPLES),
        (zarr_store.LITTLE, zarr_store.ZSTD))
    shutil.copy(folder / "new/c/0/0/0", folder / "archive/in/a.zarr/c/0/0/0")
    text = convert(folder)
    assert (count(text, "converted"), count(text, "done before")) == (1, 1), text
    # named by itself
    run("archive/in/a.zarr", "--output", "one", "--format", "npy",
        "--calibration", "cal.csv", cwd=folder)
    assert (folder / "one/a.npy").is_file()


SIZES = ["--width-um", "240", "--length-um", "100"]


def bids(folder, *more, status=0):
    return run("archive", "--output", "out", "--bids", "--calibration", "cal.csv",
               *SIZES, *more, cwd=folder, status=status)


def test_bids_labels_of_two(folder):
    """Two people are never one, though their labels have the same letters."""
    for two in (["p-1/left.npy", "p_1/right.npy"],
                ["M\u00fcller/x.npy", "M\u00f6ller/y.npy"],
                ["sub-p1/left.npy", "p-1/right.npy"]):
        make_archive(folder, two)
        text = bids(folder, status=1)
        assert all(name.split("/")[1] in text for name in two), text
        assert "one subject of BIDS" in text, text
        assert not list((folder / "out").rglob("*.zarr"))
        shutil.rmtree(folder / "archive")
    # one person in several folders
    make_archive(folder, ["sub-1/a.npy", "sub-1/more/b.npy", "p/c.npy",
                          "p/d.npy"])
    assert count(bids(folder), "converted") == 4
    assert len(rows(folder / "out/participants.tsv")) == 2


def test_bids_labels_of_earlier_runs(folder):
    """Nor in two runs into one dataset; a person that comes again is the same."""
    make_archive(folder, ["p-1/left.npy", "sub-x1/a.npy", "Ann b.npy"])
    assert count(bids(folder), "converted") == 3
    before = stores(folder)
    for name, one in (("p_1/right.npy", "p-1/left.npy"), ("x_1/b.npy", "sub-x1/a.npy"),
                      ("sub-p1/right.npy", "p-1/left.npy"),
                      ("Ann_b.npy", "Ann b.npy")):
        shutil.rmtree(folder / "archive")
        make_archive(folder, [name])
        text = bids(folder, status=1)
        assert "one subject of BIDS" in text and one in text and name in text, text
        assert stores(folder) == before
    shutil.rmtree(folder / "archive")
    make_archive(folder, ["p-1/right.npy", "sub-x1/b.npy"])
    assert count(bids(folder), "converted") == 2
    assert len(rows(folder / "out/participants.tsv")) == 3
    # volumes that are gone are nobody's
    shutil.rmtree(folder / "archive")
    shutil.rmtree(folder / "out/sub-p1")
    make_archive(folder, ["p_1/right.npy"])
    assert count(bids(folder), "converted") == 1


def test_bids_folders_above(folder):
    """Labels are those of the archive, and of folders of BIDS that it is right in;
    names of folders further above are not those of its people."""
    study = folder / "sub-study_run-3"
    make_archive(folder, ["anna/left.npy", "ben/left.npy"])
    study.mkdir()
    (folder / "archive").rename(study / "archive")
    (folder / "cal.csv").rename(study / "cal.csv")
    assert count(bids(study), "converted") == 2
    assert stores(study) == [f"sub-{name}/micr/sub-{name}_sample-left_OCT.ome.zarr"
                             for name in ("anna", "ben")]
    shutil.rmtree(study / "out")
    below = study / "sub-07/ses-b/micr"
    below.parent.mkdir(parents=True)
    (study / "archive/anna").rename(below)
    for given in ("sub-07/ses-b", "sub-07/ses-b/micr", "sub-07/ses-b/micr/left.npy"):
        run(given, "--output", "out", "--bids", "--calibration", "cal.csv", *SIZES,
            cwd=study)
        assert stores(study) == [
            "sub-07/ses-b/micr/sub-07_ses-b_sample-left_OCT.ome.zarr"], given
        shutil.rmtree(study / "out")


def line(*cells):
    return "\t".join(cells)


def test_bids_tables(folder):
    """Columns in another order, ends of lines and a mark of other programs."""
    make_archive(folder, ["sub-1_sample-a.npy", "sub-2_sample-b.npy"])
    (folder / "out").mkdir()
    samples, participants = (folder / "out" / name
                             for name in ("samples.tsv", "participants.tsv"))
    samples.write_bytes("\ufeff{}{}{}".format(
        line("sample_type", "participant_id", "age", "sample_id") + "\r\n",
        line("tissue", "sub-1", "61", "sample-a") + "\r\n",
        line("tissue", "sub-2", "61", "sample-a")).encode())
    participants.write_text(line("age", "participant_id") + "\n61\tsub-1\n")
    for _ in range(2):
        bids(folder)
        assert samples.read_text(encoding="utf-8").splitlines()[1:] == [
            line("tissue", "sub-1", "61", "sample-a"),
            line("tissue", "sub-2", "61", "sample-a"),
            line("n/a", "sub-2", "n/a", "sample-b")]
        assert samples.read_bytes().count(b"\r\n") == 4
        assert participants.read_text().splitlines()[1:] == [
            line("61", "sub-1"), line("n/a", "sub-2")]
    before = line("age", "name") + "\n61\tsub-1\n"
    participants.write_text(before)
    text = bids(folder, status=1)
    assert "has no column participant_id" in text, text
    assert participants.read_text() == before


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_bids(folder):
    make_archive(folder, [
        "sub-07/ses-b/sample-eye_run-2.npy", "sub-08_sample-skin_acq-wide.npy",
        "Anna 1/left eye.npy", "alone!.npy"])
    text = bids(folder, "--checksums")
    assert "1 volume" in text and count(text, "converted") == 4, text
    names = [
        "sub-07/ses-b/micr/sub-07_ses-b_sample-eye_run-2_OCT",
        "sub-08/micr/sub-08_sample-skin_acq-wide_OCT",
        "sub-Anna1/micr/sub-Anna1_sample-lefteye_OCT",
        "sub-alone/micr/sub-alone_sample-1_OCT"]
    assert stores(folder) == [name + ".ome.zarr" for name in names]
    for name in names:
        levels, attributes = zarr_store.read_image(
            folder / "out" / (name + ".ome.zarr"))
        assert levels[0].shape == (1, BSCANS, DEPTHS, LINES)
        sidecar = json.loads((folder / "out" / (name + ".json")).read_text())
        image = attributes["ome"]["multiscales"][0]
        scale = image["datasets"][0]["coordinateTransformations"][0]["scale"]
        assert sidecar["PixelSizeUnits"] == "um"
        # x, y, z as the array has them
        assert numpy.allclose(sidecar["PixelSize"], scale[:0:-1])
        assert abs(sidecar["PixelSize"][0] - 10) < 1e-6
        assert abs(sidecar["PixelSize"][2] - 20) < 1e-6
        oct = sidecar["OCT"]
        assert oct["Calibration"]["File"] == "cal.csv"
        assert oct["Calibration"]["SHA256"] == hashlib.sha256(
            (folder / "cal.csv").read_bytes()).hexdigest()
        # random counts below 4000, whose spectrum is as wide as the camera
        assert abs(oct["LightSource"]["CentreWavelength"] - 845) < 10
        assert oct["LightSource"]["Units"] == "nm"
        assert 1900 < oct["Meters"]["MeanCounts"]["Mean"] < 2100
        assert 3900 < oct["Meters"]["MaximumCounts"]["Maximum"] < 4000
        assert oct["Contents"] == "images" and oct["RefractiveIndex"] == 1.38
    description = json.loads(
        (folder / "out/dataset_description.json").read_text())
    assert description["Name"] == "out" and description["BIDSVersion"] == "1.10.0"
    samples = rows(folder / "out/samples.tsv")
    assert sorted((row["sample_id"], row["participant_id"], row["sample_type"])
                  for row in samples) == [
        ("sample-1", "sub-alone", "n/a"), ("sample-eye", "sub-07", "n/a"),
        ("sample-lefteye", "sub-Anna1", "n/a"),
        ("sample-skin", "sub-08", "n/a")]
    assert len(rows(folder / "out/participants.tsv")) == 4
    # what somebody has filled in stays
    table = folder / "out/samples.tsv"
    table.write_text(table.read_text().replace(
        "sub-07\tn/a", "sub-07\ttissue"))
    text = bids(folder)
    assert count(text, "done before") == 4, text
    assert "sub-07\ttissue" in table.read_text()
    assert len(rows(table)) == 4
    text = bids(folder, "--summary", "--checksums")
    assert "Complete: all 4" in text, text
    # columns that somebody has added
    table = folder / "out/participants.tsv"
    table.write_text(
        table.read_text().replace("participant_id", "\t".join(("participant_id", "age")))
        .replace("sub-07", "sub-07\t61"))
    make_archive(folder, ["sub-09_sample-x.npy"])
    bids(folder)
    lines = table.read_text().splitlines()
    assert "sub-07\t61" in lines and "sub-09\tn/a" in lines, lines


def test_bids_runs(folder):
    """Several volumes of one file are runs, of TIFF too."""
    make_archive(folder, ["sub-1_sample-a.npy", "sub-1_sample-b_run-1.npy"])
    text = run("archive", "--output", "out", "--bids", "--format", "tif",
               "--bscans", "3", "--calibration", "cal.csv", "--width-um", "240",
               cwd=folder, status=1)
    assert "a run is in its name" in text, text
    assert count(text, "converted") == 1 and "2 volumes" in text, text
    found = sorted(path.name for path in (folder / "out/sub-1/micr").iterdir())
    assert found == [f"sub-1_sample-a_run-{n}_OCT.{ending}" for n in (1, 2)
                     for ending in ("json", "tif")]
    assert len(rows(folder / "out/samples.tsv")) == 1


def test_bids_refused(folder):
    make_archive(folder, ["sub-1/x/sample-a.npy", "sub-1/y/sample-a.npy"])
    text = bids(folder, status=1)
    assert "one name of BIDS" in text and "run-1" in text, text
    shutil.rmtree(folder / "archive")
    make_archive(folder, ["äöü.npy"])
    assert "no letters or digits" in bids(folder, status=1)
    shutil.rmtree(folder / "archive")
    make_archive(folder, ["a.npy"])
    text = run("archive", "--output", "out", "--bids", "--calibration", "cal.csv",
               cwd=folder, status=1)
    assert "--width-um" in text and "size of pixels" in text, text
    assert not stores(folder)
    for more in (["--format", "nii"], ["--format", "dcm"], ["--ascans"]):
        text = run("archive", "--output", "out", "--bids", *more, cwd=folder,
                   status=2)
        assert "--bids needs" in text or "--ascans needs" in text, text


tap.main(globals())
