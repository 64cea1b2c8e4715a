# SPDX-License-Identifier: LGPL-2.1-or-later
"""octvolumesink's files, read by other programs: NumPy, nibabel, tifffile,
h5py.  The expected voxels come through filesink, B-scan by B-scan.  Output is
TAP."""
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


def test_numbers_in_names(folder):
    """The number of a volume has a place and a length that make sense; nothing
    else in a name is a pattern."""
    for location, names in (
            ("%d.npy", ("0.npy", "1.npy")),
            ("a%05d.npy", ("a00000.npy", "a00001.npy")),
            ("b%009d.npy", ("b000000000.npy", "b000000001.npy")),
            ("100%s%n%.npy", ("100%s%n%.npy", "100%s%n%-1.npy")),
            ("%5x%2d.npy", ("%5x00.npy", "%5x01.npy"))):
        here = folder / str(len(list(folder.iterdir())))
        here.mkdir()
        write(here, location, bscans=2 * BSCANS)
        assert sorted(path.name for path in here.iterdir()) == sorted(names)
    for number in ("%99d", "%10d", "%010d", "%99999999999999999999999d"):
        errors = fail(folder, *SOURCE, *IMAGES, "!", "octvolumesink",
                      f"location=c{number}.npy")
        assert "at most 9 digits" in errors and "%05d" in errors, errors
        assert not list(folder.glob("c*"))


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
    assert image.header["descrip"].item().endswith(b"refractive index 1.25")


def test_depths_are_of_tissue(folder):
    """By default, as octvolume shows them, and the file says so."""
    nibabel = need("nibabel")
    write(folder, "a.nii", "refractive-index=1.38")
    launch(folder, *SOURCE, f"num-buffers={BSCANS}", *IMAGES, "!",
           "octvolumesink", "location=b.nii", *SPACING[:3])
    a, b = (nibabel.load(folder / name).header for name in ("a.nii", "b.nii"))
    assert a.get_zooms() == b.get_zooms(), (a.get_zooms(), b.get_zooms())
    assert abs(b.get_zooms()[1] - 4e-3 / 1.38) < 1e-8
    assert b["descrip"].item().endswith(b"refractive index 1.38")
    for element in ("octvolume", "octenface", "octslice", "octvolumesink"):
        text = tap.run(element, program="gst-inspect-1.0", cwd=folder)[0]
        text = text[text.index("refractive-index"):]
        assert "Default:            1.38" in text[:500], (element, text[:500])


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
        assert file.imagej_metadata["refractive_index"] == 1.25
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
        assert images.attrs["refractive_index"] == 1.25
        assert "repeats" not in images.attrs


def test_repeats(folder):
    """B-scans at each place, and the distance of places in the caps."""
    numpy, h5py, tifffile = need("numpy"), need("h5py"), need("tifffile")
    for name in ("a.h5", "a.tif"):
        launch(folder, *SOURCE, "repeats=2", f"num-buffers={BSCANS}",
               *IMAGES[:-1], "video/x-raw,format=GRAY8,y-spacing=2e-5", "!",
               "octvolumesink", f"location={name}", "x-spacing=1e-5",
               "z-spacing=4e-6", "refractive-index=1.25")
    with h5py.File(folder / "a.h5") as file:
        images = file["images"]
        assert images.attrs["repeats"] == 2
        assert numpy.allclose(images.attrs["element_size_um"],
                              (Y / 2, Z, X))
    with tifffile.TiffFile(folder / "a.tif") as file:
        assert file.imagej_metadata["repeats"] == 2
        assert numpy.isclose(file.imagej_metadata["spacing"], Y / 2 * 1e-3)


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
    assert data.ImageComments.endswith("refractive index 1.25")
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


def test_more_than_the_memory(folder):
    """A volume that this computer cannot hold is refused when it begins."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")
    lines, samples = 4096, 8192
    bscans = memory // (lines * samples // 2) + 1
    if bscans > 65536:
        raise Skip("this computer holds the largest volume")
    errors = fail(folder, "octsrc", "phantom=surgery", f"samples={samples}",
                  f"lines={lines}", "bscans=1", "num-buffers=1", *IMAGES, "!",
                  "octvolumesink", "location=a.npy", f"bscans={bscans}")
    assert "does not fit the memory" in errors, errors
    assert not (folder / "a.npy").exists()


def test_dicom_is_valid(folder):
    """The accepted complaints are about an element that the standard requires
    of this image in one module and forbids in another: a concatenation of one.
    """
    need_program("dciodvfy")
    write_dicom(folder, "a.dcm", "dicom-tags=PatientID=1")
    result = subprocess.run(["dciodvfy", "a.dcm"], cwd=folder, text=True,
                            capture_output=True)
    lines = (result.stdout + result.stderr).splitlines()
    wrong = [line for line in lines
             if not line.startswith("OphthalmicTomographyImage")
             and "oncatenation" not in line]
    assert not wrong, "\n".join(lines)


# ------------------------------------------------------------------- en face

ENFACE = [*IMAGES, "!", "octenface", "x-spacing=1e-5", "y-spacing=2e-5"]
# what octenface makes of it, rows by columns, and how far those are apart, mm
PICTURES = {
    "scaling=none": ((BSCANS, LINES), (Y * 1e-3, X * 1e-3)),
    "scaling=square": ((2 * BSCANS, LINES), (X * 1e-3, X * 1e-3)),
    "! video/x-raw,width=48,height=5": ((5, 48), (0.04, 0.005)),
}


def write_enface(folder, location, *properties, chain=(), bscans=BSCANS):
    if "(5): dicom" not in launch_inspect(folder):
        raise Skip("this build has no DICOM")
    return launch(folder, *SOURCE, f"num-buffers={bscans}", *ENFACE, *chain,
                  "!", "octvolumesink", f"location={location}", *properties)


def fail_enface(folder, *properties, chain=ENFACE):
    errors = fail(folder, *SOURCE, f"num-buffers={BSCANS}", *chain, "!",
                  "octvolumesink", "location=bad.dcm", *properties)
    assert not list(folder.glob("bad*"))
    return errors


def test_enface(folder):
    """Pixels as they come, and their distances in both directions, whatever
    size was asked for."""
    numpy, pydicom = need("numpy"), need("pydicom")
    for n, (chain, (shape, spacing)) in enumerate(PICTURES.items()):
        write_enface(folder, f"{n}-%d.dcm", chain=chain.split(),
                     bscans=2 * BSCANS)
        launch(folder, *SOURCE, f"num-buffers={2 * BSCANS}", *ENFACE,
               *chain.split(), "!", "capsfilter",
               "caps=video/x-raw,format=GRAY8", "!", "filesink",
               "location=all.bin")
        wanted = numpy.fromfile(folder / "all.bin", "u1").reshape(2, *shape)
        assert wanted.std() > 10
        for i in (0, 1):
            data = pydicom.dcmread(folder / f"{n}-{i}.dcm")
            assert (data.pixel_array == wanted[i]).all()
            assert numpy.allclose(data.PixelSpacing, spacing), data.PixelSpacing
            assert list(data.PatientOrientation) == ["L", "F"]
            assert data.SOPClassUID.name == (
                "Ophthalmic Photography 8 Bit Image Storage")
            assert data.InstanceNumber == i + 1 and data.NumberOfFrames == 1
            assert data.Modality == "OP"
            assert not data.SourceImageSequence
            # the clock of this computer, which may go on to the next day
            taken = time.mktime(time.strptime(data.AcquisitionDateTime,
                                              "%Y%m%d%H%M%S"))
            assert abs(time.time() - taken) < 120, data.AcquisitionDateTime
            assert data.AcquisitionDateTime == (
                data.ContentDate + data.ContentTime)


def test_enface_of_16_bit(folder):
    numpy, pydicom = need("numpy"), need("pydicom")
    chain = ["!", "videoconvert", "!", "video/x-raw,format=GRAY16_LE"]
    write_enface(folder, "a.dcm", "dicom-tags=PatientID=1", chain=chain)
    launch(folder, *SOURCE, f"num-buffers={BSCANS}", *ENFACE, *chain, "!",
           "filesink", "location=all.bin")
    data = pydicom.dcmread(folder / "a.dcm")
    shape, spacing = PICTURES["scaling=square"]
    assert data.SOPClassUID.name == "Ophthalmic Photography 16 Bit Image Storage"
    assert numpy.allclose(data.PixelSpacing, spacing)
    wanted = numpy.fromfile(folder / "all.bin", "<u2").reshape(shape)
    assert (data.pixel_array == wanted).all() and wanted.max() > 10000
    check_enface(folder, "a.dcm", has_source=False)


def check_enface(folder, name, has_source):
    """Accepted complaints: a word of ours for the kind of derived image, which
    the standard leaves open, and a reference that the module of this image
    wants empty if the source is unknown, and the general one does not."""
    if shutil.which("dciodvfy") is None:
        return
    result = subprocess.run(["dciodvfy", name], cwd=folder, text=True,
                            capture_output=True)
    lines = (result.stdout + result.stderr).splitlines()
    wrong = [line for line in lines
             if not line.startswith("OphthalmicPhotography")
             and "defined term <EN_FACE>" not in line
             and (has_source or "<SourceImageSequence> Module=<GeneralReference>"
                  not in line)]
    assert not wrong, "\n".join(lines)


def test_enface_is_valid(folder):
    need_program("dciodvfy")
    write_enface(folder, "a.dcm", "dicom-tags=PatientID=1")
    check_enface(folder, "a.dcm", has_source=False)


def test_enface_refers_to_its_volume(folder):
    pydicom = need("pydicom")
    write_dicom(folder, "v.dcm", "dicom-tags=PatientID=42;"
                "PatientName=Müller^Jörg;ImageLaterality=R;AccessionNumber=7")
    write_enface(folder, "e.dcm", "dicom-source=v.dcm")
    volume, picture = (pydicom.dcmread(folder / name)
                       for name in ("v.dcm", "e.dcm"))
    for key in ("PatientID", "PatientName", "ImageLaterality",
                "AccessionNumber", "StudyInstanceUID", "StudyDate"):
        assert volume[key].value == picture[key].value, key
    assert str(picture.PatientName) == "Müller^Jörg"
    assert picture.SeriesInstanceUID != volume.SeriesInstanceUID
    source, = picture.SourceImageSequence
    assert source.ReferencedSOPClassUID == volume.SOPClassUID
    assert source.ReferencedSOPInstanceUID == volume.SOPInstanceUID
    check_enface(folder, "e.dcm", has_source=True)
    # what is set counts, whatever the volume says
    write_enface(folder, "f.dcm", "dicom-source=v.dcm",
                 "dicom-tags=ImageLaterality=L")
    assert pydicom.dcmread(folder / "f.dcm").ImageLaterality == "L"
    (folder / "text.dcm").write_text("no DICOM")
    for name, named in (("e.dcm", "OphthalmicPhotography8BitImageStorage"),
                        ("none.dcm", "No such file"),
                        ("text.dcm", "cannot be read as a DICOM file")):
        errors = fail_enface(folder, f"dicom-source={name}")
        assert named in errors and "dicom-source" in errors, errors


def test_enface_refused(folder):
    """Without distances, in colour, several in a file."""
    if "(5): dicom" not in launch_inspect(folder):
        raise Skip("this build has no DICOM")
    for lacking in ("x-spacing=0", "y-spacing=0"):
        errors = fail_enface(folder, chain=[*ENFACE, lacking])
        assert "`x-spacing` and `y-spacing` of octenface" in errors, errors
    errors = fail_enface(folder, "bscans=3")
    assert "`bscans` of octvolumesink to 0" in errors, errors
    for colour in (["!", "octcolormap"],
                   ["!", "videoconvert", "!", "video/x-raw,format=RGB"]):
        errors = fail_enface(folder, chain=[*ENFACE, *colour])
        assert "takes grey images" in errors, errors
        assert "videoconvert ! video/x-raw,format=GRAY8" in errors, errors


def test_deidentified(folder):
    """A picture without identity has no date, and takes no patient."""
    pydicom = need("pydicom")
    write_enface(folder, "a.dcm", "deidentify=true",
                 "dicom-tags=PatientName=Doe^Jane;ImageLaterality=R")
    data = pydicom.dcmread(folder / "a.dcm")
    assert str(data.PatientName) == "" and data.ImageLaterality == "R"
    assert data.StudyDate == data.ContentDate == "19000101"
    assert data.PatientIdentityRemoved == "YES"
    write_dicom(folder, "v.dcm")
    errors = fail_enface(folder, "deidentify=true", "dicom-source=v.dcm")
    assert "leave out `dicom-source`" in errors, errors
    # a tag that is left out is checked as ever
    errors = fail_enface(folder, "deidentify=true",
                         "dicom-tags=PatientBirthDate=yesterday")
    assert "yesterday" in errors, errors


def test_enface_changes(folder):
    """Pictures of other sizes and distances are files of their own, and so are
    B-scans after them."""
    numpy, pydicom = need("numpy"), need("pydicom")
    if "(5): dicom" not in launch_inspect(folder):
        raise Skip("this build has no DICOM")
    grey = "video/x-raw,format=GRAY8,width={},height={}"
    seen = grey + ",view=en-face,x-spacing=(double){},y-spacing=(double){}"
    sizes = [(8, 4, 1e-5, 2e-5), (8, 4, 3e-5, 2e-5), (6, 10, 3e-5, 5e-6)]
    branches = [caps for size in sizes
                for caps in ("videotestsrc", "num-buffers=1", "!",
                             seen.format(*size), "!", "c.")]
    launch(folder, "concat", "name=c", "!", "octvolumesink",
           "location=v%d.dcm", *branches)
    for n, (width, height, x, y) in enumerate(sizes):
        data = pydicom.dcmread(folder / f"v{n}.dcm")
        assert data.pixel_array.shape == (height, width)
        assert numpy.allclose(data.PixelSpacing, (y * 1e3, x * 1e3))
    assert len(list(folder.iterdir())) == len(sizes)
    errors = fail(folder, "concat", "name=c", "!", "octvolumesink",
                  "location=w%d.dcm", *branches[:6], "videotestsrc",
                  "num-buffers=1", "!", grey.format(8, 4), "!", "c.")
    assert "`bscans` of octvolumesink" in errors, errors
    assert (folder / "w0.dcm").exists()


def test_enface_of_other_kinds(folder):
    """Rows of a picture are B-scans, and lie as far apart as those."""
    numpy = need("numpy")
    for name in ("a.npy", "a.nii", "a.tif", "a.h5"):
        launch(folder, *SOURCE, f"num-buffers={BSCANS}", *ENFACE,
               "scaling=none", "!", "octvolumesink", f"location={name}")
    wanted = numpy.load(folder / "a.npy")
    assert wanted.shape == (1, BSCANS, LINES)
    nibabel, tifffile, h5py = need("nibabel"), need("tifffile"), need("h5py")
    image = nibabel.load(folder / "a.nii")
    assert (numpy.asarray(image.dataobj).transpose(2, 1, 0) == wanted).all()
    assert numpy.allclose(image.header.get_zooms()[:2], (X * 1e-3, Y * 1e-3))
    assert nibabel.aff2axcodes(image.affine) == ("R", "P", "I"), image.affine
    with tifffile.TiffFile(folder / "a.tif") as file:
        assert (file.asarray() == wanted[0]).all()
        over, under = file.pages[0].tags["YResolution"].value
        assert numpy.isclose(under / over * 1e3, Y)
    with h5py.File(folder / "a.h5") as file:
        assert (file["images"][:] == wanted).all()
        assert file["images"].attrs["axes"] in (
            b"picture, bscan, line", "picture, bscan, line")


# ------------------------------------------------------------------- archives

def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_dicom_archive(folder):
    """Pushed to an Orthanc server, which keeps and shows it."""
    need_program("Orthanc")
    need_program("storescu")
    write_dicom(folder, "a.dcm", "dicom-tags=PatientID=archive-42")
    write_enface(folder, "e.dcm", "dicom-source=a.dcm")
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
            tap.run("127.0.0.1", dicom, "e.dcm", program="storescu", cwd=folder)
            with urllib.request.urlopen(f"{address}/studies") as answer:
                study, = json.load(answer)
            with urllib.request.urlopen(
                    f"{address}/studies/{study}/instances") as answer:
                kept = json.load(answer)
            enface, = (each["ID"] for each in kept if each["ID"] != instance)
            with urllib.request.urlopen(
                    f"{address}/instances/{enface}/simplified-tags") as answer:
                seen = json.load(answer)
            with urllib.request.urlopen(
                    f"{address}/instances/{enface}/preview") as answer:
                from_above = answer.read()
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
    assert seen["PatientID"] == "archive-42" and seen["Modality"] == "OP"
    assert seen["PixelSpacing"] == "0.01\\0.01", seen["PixelSpacing"]
    assert from_above.startswith(b"\x89PNG")


def test_is_read_again(folder):
    """octsrc reads the written volume, as spectra although it is not."""
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
