# SPDX-License-Identifier: LGPL-2.1-or-later
"""octvolumesink's files, read by others: NumPy, nibabel, tifffile, h5py.  What
they have to hold comes through filesink, B-scan by B-scan.  Output is TAP."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.request

import tap
from tap import Skip

LINES, SAMPLES, BSCANS = 24, 128, 10
DEPTHS = SAMPLES // 2
SOURCE = ["octsrc", "phantom=surgery", f"bscans={BSCANS}", f"lines={LINES}",
          f"samples={SAMPLES}"]
IMAGES = ["!", "octreconstruct", "range=manual", "min=0", "max=90", "!",
          "video/x-raw,format=GRAY8"]
ASCANS = ["!", "octdcsub", "!", "octkresample", "!", "octfft"]
SPACING = ["x-spacing=1e-5", "y-spacing=2e-5", "z-spacing=4e-6",
           "refractive-index=1.25"]
X, Y, Z = 10.0, 20.0, 3.2  # um


def need(name):
    try:
        return __import__(name)
    except ImportError:
        raise Skip(f"{name} of Python is not installed") from None


def launch(folder, *elements):
    """Returns what is said."""
    return "".join(
        tap.run(*elements, program="gst-launch-1.0", cwd=folder))


def fail(folder, *elements):
    """Returns what is said."""
    result = subprocess.run(
        ["gst-launch-1.0", "-q", *elements], cwd=folder, capture_output=True,
        text=True, timeout=60)
    assert result.returncode in (1, 255), (result.returncode, result.stderr)
    return result.stderr


def expected(folder, chain=IMAGES, kind="u1", shape=(DEPTHS, LINES),
             bscans=BSCANS):
    """[B-scan][...], as the elements make them."""
    numpy = need("numpy")
    launch(folder, *SOURCE, f"num-buffers={bscans}", *chain, "!", "filesink",
           "location=all.bin")
    return numpy.fromfile(folder / "all.bin", kind).reshape(bscans, *shape)


def write(folder, location, *properties, chain=IMAGES, bscans=BSCANS):
    return launch(folder, *SOURCE, f"num-buffers={bscans}", *chain, "!",
                  "octvolumesink", f"location={location}", *SPACING, *properties)


def test_numpy(folder):
    numpy = need("numpy")
    write(folder, "a.npy")
    found = numpy.load(folder / "a.npy")
    assert found.dtype == "u1" and (found == expected(folder)).all()
    assert found.std() > 10
    assert (folder / "a.npy").stat().st_mode & 0o777 == 0o600


def test_nifti(folder):
    numpy, nibabel = need("numpy"), need("nibabel")
    write(folder, "a.nii")
    image = nibabel.load(folder / "a.nii")
    found = numpy.asarray(image.dataobj)
    # A-line, depth, B-scan
    assert (found.transpose(2, 1, 0) == expected(folder)).all()
    assert image.header.get_xyzt_units()[0] == "mm"
    assert numpy.allclose(image.header.get_zooms(),
                          (X * 1e-3, Z * 1e-3, Y * 1e-3))
    # A-lines to the right, depth down, B-scans to the back: right-handed as
    # they are seen, which DICOM has to agree with
    assert nibabel.aff2axcodes(image.affine) == ("R", "I", "P"), image.affine
    assert numpy.linalg.det(image.affine[:3, :3]) < 0
    assert numpy.allclose(nibabel.affines.voxel_sizes(image.affine),
                          (X * 1e-3, Z * 1e-3, Y * 1e-3))


def test_nifti_ascans(folder):
    numpy, nibabel = need("numpy"), need("nibabel")
    write(folder, "a.nii", chain=ASCANS)
    image = nibabel.load(folder / "a.nii")
    found = numpy.asarray(image.dataobj)
    wanted = expected(folder, ASCANS, "c8", (LINES, DEPTHS))
    assert found.dtype == "c8" and (found.transpose(2, 1, 0) == wanted).all()
    assert nibabel.aff2axcodes(image.affine) == ("I", "R", "P"), image.affine


def test_tiff(folder):
    numpy, tifffile = need("numpy"), need("tifffile")
    write(folder, "a.tif")
    with tifffile.TiffFile(folder / "a.tif") as file:
        assert (file.asarray() == expected(folder)).all()
        assert len(file.pages) == BSCANS
        assert file.imagej_metadata["slices"] == BSCANS
        assert file.imagej_metadata["unit"] == "mm"
        assert numpy.isclose(file.imagej_metadata["spacing"], Y * 1e-3)
        for tag, um in (("XResolution", X), ("YResolution", Z)):
            over, under = file.pages[0].tags[tag].value
            assert numpy.isclose(under / over * 1e3, um), (tag, over, under)


def test_tiff_of_16_bit(folder):
    tifffile = need("tifffile")
    chain = [*IMAGES[:-1], "video/x-raw,format=GRAY16_LE"]
    write(folder, "a.tiff", chain=chain)
    found = tifffile.imread(folder / "a.tiff")
    assert found.dtype == "u2"
    assert (found == expected(folder, chain, "<u2")).all()
    assert found.max() > 10000


def test_hdf5(folder):
    numpy, h5py = need("numpy"), need("h5py")
    write(folder, "a.h5")
    with h5py.File(folder / "a.h5") as file:
        images = file["images"]
        assert (images[:] == expected(folder)).all()
        assert numpy.allclose(images.attrs["element_size_um"], (Y, Z, X))


def test_hdf5_ascans(folder):
    numpy, h5py = need("numpy"), need("h5py")
    write(folder, "a.hdf5", chain=ASCANS)
    with h5py.File(folder / "a.hdf5") as file:
        ascans = file["ascans"]
        wanted = expected(folder, ASCANS, "c8", (LINES, DEPTHS))
        assert ascans.dtype == "c8" and (ascans[:] == wanted).all()
        assert numpy.allclose(ascans.attrs["element_size_um"], (Y, X, Z))


def need_program(name):
    if shutil.which(name) is None:
        raise Skip(f"{name} is not installed")


def write_dicom(folder, location, *properties, **more):
    if "(5): dicom" not in launch_inspect(folder):
        raise Skip("this build has no DICOM")
    return write(folder, location, *properties, **more)


def launch_inspect(folder):
    return tap.run("octvolumesink", program="gst-inspect-1.0", cwd=folder)[0]


def check_dicom(folder, data, wanted, instance):
    numpy = need("numpy")
    assert (data.pixel_array == wanted).all()
    assert data.SOPClassUID.name == "Ophthalmic Tomography Image Storage"
    assert data.InstanceNumber == instance
    shared = data.SharedFunctionalGroupsSequence[0]
    measures = shared.PixelMeasuresSequence[0]
    assert numpy.allclose(measures.PixelSpacing, (Z * 1e-3, X * 1e-3))
    assert numpy.isclose(measures.SliceThickness, Y * 1e-3)
    along = numpy.array(shared.PlaneOrientationSequence[0]
                        .ImageOrientationPatient, float)
    # columns of the affine, without lengths: A-lines, depth, B-scans
    sides = numpy.stack([along[:3], along[3:], (0, 0, -1)], 1)
    assert numpy.linalg.det(sides) < 0, sides
    frames = data.PerFrameFunctionalGroupsSequence
    places = numpy.array([frame.PlanePositionSequence[0].ImagePositionPatient
                          for frame in frames], float)
    assert numpy.allclose(places[:, 2], -Y * 1e-3 * numpy.arange(BSCANS))
    assert not places[:, :2].any()
    assert [list(frame.FrameContentSequence[0].DimensionIndexValues)
            for frame in frames] == [[1, n + 1] for n in range(BSCANS)]


def test_dicom(folder):
    pydicom = need("pydicom")
    write_dicom(folder, "a%d.dcm", bscans=2 * BSCANS)
    wanted = expected(folder, bscans=2 * BSCANS).reshape(2, BSCANS, DEPTHS, LINES)
    found = [pydicom.dcmread(folder / f"a{n}.dcm") for n in (0, 1)]
    for n in (0, 1):
        check_dicom(folder, found[n], wanted[n], n + 1)
    assert found[0].SeriesInstanceUID == found[1].SeriesInstanceUID
    assert found[0].StudyInstanceUID == found[1].StudyInstanceUID
    assert found[0].SOPInstanceUID != found[1].SOPInstanceUID


def test_dicom_of_16_bit(folder):
    pydicom = need("pydicom")
    chain = [*IMAGES[:-1], "video/x-raw,format=GRAY16_LE"]
    write_dicom(folder, "a.dcm", chain=chain)
    check_dicom(folder, pydicom.dcmread(folder / "a.dcm"),
                expected(folder, chain, "<u2"), 1)


def test_dicom_attributes(folder):
    pydicom = need("pydicom")
    write_dicom(folder, "a.dcm", "dicom-tags=PatientName=Doe^Jane; "
                "PatientID=42;ImageLaterality=R;;")
    data = pydicom.dcmread(folder / "a.dcm")
    assert (str(data.PatientName), data.PatientID) == ("Doe^Jane", "42")
    anatomy = data.SharedFunctionalGroupsSequence[0].FrameAnatomySequence[0]
    assert data.ImageLaterality == anatomy.FrameLaterality == "R"
    for tags in ("PatientNam=x", "PatientName", "=x"):
        errors = fail(folder, *SOURCE, *IMAGES, "!", "octvolumesink",
                      "location=b.dcm", *SPACING, f"dicom-tags={tags}")
        assert "no attribute of DICOM" in errors and tags in errors, errors
    for tags, named in (("Rows=7", "Rows"), ("SOPClassUID=1.2", "SOPClassUID"),
                        ("PatientBirthDate=yesterday", "yesterday")):
        errors = fail(folder, *SOURCE, *IMAGES, "!", "octvolumesink",
                      "location=b.dcm", *SPACING, f"dicom-tags={tags}")
        assert named in errors and "dicom-tags" in errors, errors
    errors = fail(folder, *SOURCE, *IMAGES, "!", "octvolumesink",
                  "location=b.dcm")
    assert "`x-spacing`" in errors, errors


def test_dicom_is_valid(folder):
    """What is left is what the standard asks of this image in one module and
    forbids in another: a concatenation of one."""
    need_program("dciodvfy")
    write_dicom(folder, "a.dcm", "dicom-tags=PatientID=1")
    result = subprocess.run(["dciodvfy", "a.dcm"], cwd=folder, text=True,
                            capture_output=True)
    lines = (result.stdout + result.stderr).splitlines()
    wrong = [line for line in lines
             if not line.startswith("OphthalmicTomographyImage")
             and "oncatenation" not in line]
    assert not wrong, "\n".join(lines)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_dicom_archive(folder):
    """Pushed to an Orthanc server, which keeps and shows it."""
    need_program("Orthanc")
    need_program("storescu")
    write_dicom(folder, "a.dcm", "dicom-tags=PatientID=archive-42")
    web, dicom = free_port(), free_port()
    (folder / "orthanc.json").write_text(json.dumps({
        "StorageDirectory": str(folder / "store"), "HttpPort": web,
        "IndexDirectory": str(folder / "store"), "DicomPort": dicom,
        "RemoteAccessAllowed": False, "AuthenticationEnabled": False,
        "DicomAlwaysAllowStore": True, "Plugins": []}))
    with open(folder / "orthanc.log", "w") as log, subprocess.Popen(
            ["Orthanc", "orthanc.json"], cwd=folder, stdout=log,
            stderr=log) as server:
        try:
            for _ in range(100):
                try:
                    tap.run("127.0.0.1", dicom, program="echoscu", cwd=folder)
                    break
                except AssertionError:
                    time.sleep(0.2)
            tap.run("127.0.0.1", dicom, "a.dcm", program="storescu", cwd=folder)
            address = f"http://127.0.0.1:{web}"
            with urllib.request.urlopen(f"{address}/instances") as answer:
                instance, = json.load(answer)
            with urllib.request.urlopen(
                    f"{address}/instances/{instance}/simplified-tags") as answer:
                tags = json.load(answer)
            with urllib.request.urlopen(
                    f"{address}/instances/{instance}/frames/3/preview") as answer:
                picture = answer.read()
        finally:
            server.terminate()
    assert tags["PatientID"] == "archive-42"
    assert tags["NumberOfFrames"] == str(BSCANS), tags["NumberOfFrames"]
    assert picture.startswith(b"\x89PNG")


def test_is_read_again(folder):
    """octsrc reads what was written, as spectra that it is not."""
    write(folder, "a.npy")
    launch(folder, "octsrc", "location=a.npy", "!", "filesink",
           "location=again.bin")
    assert ((folder / "again.bin").read_bytes()
            == expected(folder).tobytes())


def test_names_and_what_is_missing(folder):
    """One file a volume; the last is not complete, and black where it is not."""
    numpy = need("numpy")
    wanted = expected(folder, bscans=2 * BSCANS + 4)
    for location, names in (
            ("v-%03d.npy", ["v-000.npy", "v-001.npy", "v-002.npy"]),
            ("v %s.npy", ["v %s.npy", "v %s-1.npy", "v %s-2.npy"]),
            ("x.y/v.npy", ["x.y/v.npy", "x.y/v-1.npy", "x.y/v-2.npy"])):
        (folder / location).parent.mkdir(exist_ok=True)
        text = write(folder, location,
                          bscans=2 * BSCANS + 4)
        assert "4 of 10 B-scans" in text, text
        found = numpy.concatenate([numpy.load(folder / name) for name in names])
        assert (found[:len(wanted)] == wanted).all()
        assert not found[len(wanted):].any() and len(found) == 3 * BSCANS


def test_several_in_a_buffer(folder):
    numpy = need("numpy")
    chain = [*IMAGES[:-1], "video/x-raw,format=GRAY8,bscans=4"]
    launch(folder, *SOURCE, "num-buffers=5", "bscans-per-buffer=4", *chain, "!",
           "octvolumesink", "location=v%d.npy")
    found = numpy.concatenate([numpy.load(folder / f"v{n}.npy") for n in (0, 1)])
    assert (found == expected(folder, bscans=20)).all()


def test_counted_without_meta(folder):
    """A source of images that says nothing of volumes."""
    numpy = need("numpy")
    launch(folder, "videotestsrc", "num-buffers=6", "!",
           "video/x-raw,format=GRAY8,width=33,height=7", "!", "octvolumesink",
           "location=v%d.npy", "bscans=3")
    assert [numpy.load(folder / f"v{n}.npy").shape for n in (0, 1)] == [
        (3, 7, 33)] * 2
    errors = fail(
        folder, "videotestsrc", "num-buffers=6", "!",
        "video/x-raw,format=GRAY8,width=33,height=7", "!", "octvolumesink",
        "location=w.npy")
    assert "`bscans` of octvolumesink" in errors, errors


def test_nothing_is_overwritten(folder):
    (folder / "a.npy").write_text("mine")
    errors = fail(folder, *SOURCE, *IMAGES, "!", "octvolumesink",
                       "location=a.npy")
    assert "exists already" in errors, errors
    # one in the middle of a run
    (folder / "b-1.npy").write_text("mine")
    errors = fail(folder, *SOURCE, "num-buffers=30", *IMAGES, "!",
                       "octvolumesink", "location=b.npy")
    assert "b-1.npy" in errors and "exists already" in errors, errors
    assert (folder / "a.npy").read_text() == (folder / "b-1.npy").read_text()
    assert {path.name for path in folder.iterdir()} == {
        "a.npy", "b.npy", "b-1.npy"}


def test_bad_settings(folder):
    for sink, chain, named in (
            ([], IMAGES, "`location`"),
            (["location=a.png"], IMAGES, ".nii"),
            (["location=no/a.npy"], IMAGES, "No such file"),
            (["location=a.tif"], ASCANS, "octlogscale"),
            (["location=a.nii", "bscans=40000"], IMAGES, "32767")):
        source = (["videotestsrc", "num-buffers=2"], ["!",
                  "video/x-raw,format=GRAY8"]) if named == "32767" else (
                      SOURCE, chain)
        errors = fail(folder, *source[0], *source[1], "!",
                           "octvolumesink", *sink)
        assert named in errors, errors
    assert not list(folder.iterdir())


def test_full_disk(folder):
    """A limit for files stands for it; what was complete stays."""
    numpy = need("numpy")
    command = " ".join([
        "ulimit -f 40; trap '' XFSZ; exec gst-launch-1.0 -q", *SOURCE,
        "num-buffers=30", "!", "octreconstruct", "!",
        "'video/x-raw,format=GRAY8'", "!", "octvolumesink", "location=a.npy"])
    tap.run("-c", command, program="bash", cwd=folder)
    numpy.load(folder / "a-2.npy")
    for name in os.listdir(folder):
        (folder / name).unlink()
    _, errors = tap.run("-c", command.replace("-f 40", "-f 4"), program="bash",
                        cwd=folder, status=1)
    assert "cannot be written" in errors and "location" in errors, errors
    assert not list(pathlib.Path(folder).iterdir())


tap.main(globals())
