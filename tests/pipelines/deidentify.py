# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-convert --deidentify: nothing of a person is left in any byte or name.
Output is TAP."""
import calendar
import csv
import datetime
import json
import os
import re
import shutil
import subprocess

import tap
from archive import count, make_archive, run
from tap import Skip

# A patient in every place that a name can come from: folders, files, tags, the
# title of the calibration, and the time of the file.
PERSON = ["Okonkwo^Adaeze", "Okonkwo", "Adaeze", "MRN77310", "19610203",
          "ACC5512", "Hargreaves", "1.2.826.0.1.3680043.9.77310"]
TAGS = ";".join([
    "PatientName=Okonkwo^Adaeze", "PatientID=MRN77310", "PatientSex=F",
    "PatientBirthDate=19610203", "AccessionNumber=ACC5512",
    "ReferringPhysicianName=Hargreaves^Ruth", "StudyDate=19991231",
    "PatientComments=called Adaeze", "SeriesDescription=eye of Okonkwo",
    "StudyInstanceUID=1.2.826.0.1.3680043.9.77310", "ImageLaterality=R",
    "DeviceSerialNumber=MRN77310"])
TIME = calendar.timegm((1999, 12, 31, 11, 58, 7))
DATES = ["19991231", "1999-12-31", str(TIME)]
NAMES = ["Okonkwo_Adaeze/MRN77310_19610203_left.npy",
         "Okonkwo_Adaeze/MRN77310_19610203_right.npy",
         "Hargreaves/1999-12-31.npy"]
SIZES = ["--width-um", "240", "--length-um", "50"]


def prepare(folder, names=NAMES):
    make_archive(folder, names)
    os.rename(folder / "cal.csv", folder / "Okonkwo.csv")
    for path in (folder / "archive").rglob("*.npy"):
        os.utime(path, (TIME, TIME))


def deidentify(folder, *more, status=0):
    return run("archive", "--output", "out", "--calibration", "Okonkwo.csv",
               *SIZES, "--deidentify", *more, cwd=folder, status=status)


def files(folder):
    return sorted(str(path.relative_to(folder / "out"))
                  for path in (folder / "out").rglob("*") if path.is_file())


def found(folder, words):
    """(word, file) of words in names or bytes, as 8 and as 16 bit."""
    result = []
    for path in (folder / "out").rglob("*"):
        name = str(path.relative_to(folder)).lower().encode()
        data = path.read_bytes().lower() if path.is_file() else b""
        for word in words:
            low = word.lower()
            result += [(word, path) for text in (
                low.encode(), low.encode("utf-16-le"), low.encode("utf-16-be"))
                if text in name or text in data]
    return result


def is_built(folder, kind):
    text = deidentify(folder, "--format", kind, status=None)
    shutil.rmtree(folder / "out")
    return "built without" not in text and "was built" not in text


def test_every_format(folder):
    """Without the option the search finds the person, so that it would find
    it with the option."""
    prepare(folder)
    run("archive", "--output", "out", "--format", "npy", cwd=folder,
        *["--calibration", "Okonkwo.csv"])
    assert {word for word, _ in found(folder, PERSON + DATES)} >= {
        "Okonkwo", "Adaeze", "MRN77310", "19610203", "Hargreaves",
        "1999-12-31", str(TIME)}
    shutil.rmtree(folder / "out")
    for kind in ("npy", "nii", "tif", "h5", "dcm", "zarr"):
        if not is_built(folder, kind):
            continue
        tags = ["--dicom-tags", TAGS] if kind == "dcm" else []
        text = deidentify(folder, "--format", kind, *tags, "--checksums")
        assert count(text, "converted") == 3, text
        assert not found(folder, PERSON + DATES), found(folder, PERSON + DATES)
        names = sorted(path.name for path in (folder / "out").iterdir())
        assert names == [f"oct-000{n}.{kind}" for n in (1, 2, 3)], names
        shutil.rmtree(folder / "out")


def need_dicom(folder):
    if not is_built(folder, "dcm"):
        raise Skip("built without DICOM")
    if shutil.which("dcmdump") is None:
        raise Skip("dcmdump of dcmtk is not installed")


def dump(folder, name):
    """{keyword: [values]} as dcmdump has them, of all levels."""
    text = subprocess.run(["dcmdump", "+L", name], cwd=folder / "out",
                          capture_output=True, text=True, check=True).stdout
    result = {}
    for line in text.splitlines():
        match = re.match(r" *\([0-9a-f]{4},[0-9a-f]{4}\) (\S\S) (.*?) *# .* (\w+)$",
                         line)
        if match:
            value = match[2]
            value = value[1:-1] if value[:1] == "[" else value
            result.setdefault(match[3], []).append(value)
    return result


def test_dicom(folder):
    """As table E.1-1 of PS3.15 has it: the basic profile."""
    prepare(folder)
    need_dicom(folder)
    before = datetime.date.today()
    deidentify(folder, "--format", "dcm", "--dicom-tags", TAGS)
    days = {f"{day:%Y%m%d}" for day in (before, datetime.date.today())}
    data = dump(folder, "oct-0001.dcm")
    other = dump(folder, "oct-0002.dcm")
    for keyword in ("PatientName", "PatientID", "PatientBirthDate",
                    "PatientSex", "ReferringPhysicianName", "AccessionNumber"):
        assert data[keyword] == ["(no value available)"], data[keyword]
    for keyword in ("PatientComments", "SeriesDescription", "ImageComments"):
        assert keyword not in data, keyword
    assert data["PatientIdentityRemoved"] == ["YES"]
    assert data["LongitudinalTemporalInformationModified"] == ["REMOVED"]
    codes = list(zip(data["CodingSchemeDesignator"], data["CodeValue"]))
    assert ("DCM", "113100") in codes, codes
    # what describes the eye stays
    assert data["ImageLaterality"] == data["FrameLaterality"] == ["R"]
    assert data["DeviceSerialNumber"] == ["0"]
    for keyword, values in data.items():
        if keyword.endswith(("Date", "DateTime")):
            assert all(value in ("19000101", "19000101000000",
                                 "(no value available)")
                       for value in values), (keyword, values)
        if keyword.endswith("Time") and keyword != "FrameTime":
            assert all(value.endswith("000000") or "no value" in value
                       for value in values), (keyword, values)
        assert not days & {value[:8] for value in values}, (keyword, values)
    # each file of spectra is a study of its own, with identifiers of no meaning
    for keyword in ("StudyInstanceUID", "SeriesInstanceUID", "SOPInstanceUID",
                    "FrameOfReferenceUID"):
        assert data[keyword][0].startswith("2.25."), data[keyword]
        assert data[keyword] != other[keyword], keyword


def test_dicom_is_valid(folder):
    prepare(folder)
    need_dicom(folder)
    if shutil.which("dciodvfy") is None:
        raise Skip("dciodvfy of dicom3tools is not installed")
    deidentify(folder, "--format", "dcm", "--dicom-tags", TAGS)
    result = subprocess.run(["dciodvfy", "oct-0001.dcm"], cwd=folder / "out",
                            text=True, capture_output=True)
    lines = (result.stdout + result.stderr).splitlines()
    # as for every volume: tests/pipelines/volume-files.py says why; a patient
    # without an identifier cannot be in the index of a medium
    wrong = [line for line in lines
             if not line.startswith("OphthalmicTomographyImage")
             and "oncatenation" not in line and "DICOMDIR" not in line]
    assert lines and not wrong, "\n".join(lines)


def table(folder):
    with open(folder / "table/oct-convert.csv", newline="") as file:
        return {row["input"].partition("/archive/")[2]:
                row["output"].removesuffix(".npy")
                for row in csv.DictReader(file) if row["state"] == "done"}


def test_table(folder):
    """With it runs continue: files keep their numbers, new ones get the next."""
    prepare(folder)
    more = ["--format", "npy", "--table", "table"]
    text = deidentify(folder, *more)
    assert count(text, "converted") == 3, text
    first = table(folder)
    assert sorted(first) == sorted(NAMES), first
    assert sorted(first.values()) == ["oct-0001", "oct-0002", "oct-0003"]
    assert files(folder) == ["oct-0001.npy", "oct-0002.npy", "oct-0003.npy"]
    assert not found(folder, PERSON + DATES)
    make_archive(folder, ["Aaronson.npy"])
    text = deidentify(folder, *more)
    assert (count(text, "converted"), count(text, "done before")) == (1, 3), text
    assert table(folder) == {**first, "Aaronson.npy": "oct-0004"}
    # one that has changed keeps its own
    os.utime(folder / "archive" / NAMES[0], (TIME + 100, TIME + 100))
    text = deidentify(folder, *more)
    assert (count(text, "converted"), count(text, "done before")) == (1, 3), text
    assert table(folder) == {**first, "Aaronson.npy": "oct-0004"}
    text = deidentify(folder, *more, "--summary")
    assert "Complete: all 4" in text, text


def test_order_is_not_told(folder):
    """One in 479 million orders of twelve files is that of their names."""
    names = [f"{chr(ord('a') + n)}.npy" for n in range(12)]
    prepare(folder, names)
    deidentify(folder, "--format", "npy", "--table", "table")
    found_names = table(folder)
    assert sorted(found_names, key=found_names.get) != names
    assert sorted(found_names) == names


def test_bids(folder):
    """Files of one person stay together, with their samples."""
    prepare(folder, [f"sub-{who}/ses-19991231/sub-{who}_sample-{what}.npy"
                     for who in ("Okonkwo", "Hargreaves")
                     for what in ("MRN77310", "Adaeze")])
    text = deidentify(folder, "--bids", "--format", "tif", "--table", "table")
    assert count(text, "converted") == 4, text
    assert not found(folder, PERSON + DATES), found(folder, PERSON + DATES)
    volumes = [name for name in files(folder) if name.endswith(".tif")]
    subjects = [re.fullmatch(
        r"(sub-000[12])/micr/\1_sample-000[1-4]_acq-000[1-4]_OCT\.tif", name)[1]
        for name in volumes]
    assert sorted(subjects) == ["sub-0001"] * 2 + ["sub-0002"] * 2, volumes
    rows = (folder / "out/participants.tsv").read_text().split()
    assert rows == ["participant_id", "sub-0001", "sub-0002"], rows
    rows = (folder / "out/samples.tsv").read_text().splitlines()
    assert len(rows) == 5 and all("sample-000" in row for row in rows[1:]), rows
    described = json.loads(
        (folder / "out/dataset_description.json").read_text())
    assert described["Name"] == "OCT"
    beside = json.loads(
        (folder / "out" / volumes[0].replace(".tif", ".json")).read_text())
    assert "Input" not in beside["OCT"]
    assert list(beside["OCT"]["Calibration"]) == ["SHA256"]
    # a further file of one of them
    name = "sub-Okonkwo/ses-20000101/sub-Okonkwo_sample-Adaeze_acq-2.npy"
    make_archive(folder, [name])
    text = deidentify(folder, "--bids", "--format", "tif", "--table", "table")
    assert count(text, "converted") == 1, text
    new, = set(files(folder)) - set(volumes) - {
        name for name in files(folder) if not name.endswith("_acq-0005_OCT.tif")}
    old = [line for line in (folder / "table/oct-convert.csv").read_text()
           .splitlines() if "sub-Okonkwo_sample-Adaeze.npy" in line]
    assert new.split("_acq")[0] in old[-1], (new, old)


def test_refused(folder):
    prepare(folder)
    for more, words in (
            (["--table", "out/table"], "outside"),
            (["--table", "out"], "outside"),
            (["--table", "link/table"], "outside"),
            (["--part", "1/2"], "leave out --part"),
            (["--summary"], "needs --table")):
        (folder / "out").mkdir(exist_ok=True)
        if not (folder / "link").is_symlink():
            (folder / "link").symlink_to(folder / "out")
        text = deidentify(folder, *more, status=None)
        assert words in text, (more, text)
        assert files(folder) == [], (more, files(folder))
    text = run("archive", "--output", "out", "--table", "t", cwd=folder, status=2)
    assert "belongs to --deidentify" in text, text
    # a manifest with names is there already
    run("archive", "--output", "out", "--calibration", "Okonkwo.csv",
        cwd=folder)
    text = deidentify(folder, status=1)
    assert "a manifest of an earlier run" in text, text


def test_nothing_is_left(folder):
    """Neither a folder of the table nor a hidden one, after a failure too."""
    prepare(folder)
    (folder / "archive/Okonkwo_Adaeze/broken.npy").write_bytes(b"none")
    here = folder / "temporary"
    here.mkdir()
    environment = {**os.environ, "TMPDIR": str(here)}
    result = subprocess.run(
        [os.environ["OCT_CONVERT"], "archive", "--output", "out",
         "--deidentify", "--format", "npy", "--calibration", "Okonkwo.csv"],
        cwd=folder, env=environment, text=True, capture_output=True)
    assert result.returncode == 1, result
    assert not list(here.iterdir())
    assert len(files(folder)) == 3, files(folder)
    assert not found(folder, PERSON + DATES)
    assert not [path for path in (folder / "out").iterdir()
                if path.name.startswith(".")]


tap.main(globals())
