# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-dicom video: films as DICOM files, checked by dciodvfy, taken out again, sent to
Orthanc and back; and films that do not fit.  Output is TAP."""
import shutil
import struct
import subprocess
import urllib.request

import tap
from dicom_archive import orthanc
from dicom_peer import free_port, need_pydicom, run, stages
from tap import Skip

try:
    import pydicom
    from pydicom.encaps import generate_pixel_data_fragment, get_frame_offsets
except ImportError:
    pydicom = None

VIDEO_PHOTOGRAPHIC = "1.2.840.10008.5.1.4.1.1.77.1.4.1"
MPEG4 = "1.2.840.10008.1.2.4.102"
TAGS = "PatientName=M\u00fcller^J\u00fcrgen;PatientID=42;StudyInstanceUID=2.25.1;" \
       "AccessionNumber=A7;ImageLaterality=R"


def launch(folder, *words):
    tap.run("-q", *words, program="gst-launch-1.0", cwd=folder)


def make_film(folder, name, *muxer, frames=40, caps="", encoder=()):
    """A film of `frames` frames, 24 a second."""
    launch(folder, "videotestsrc", f"num-buffers={frames}", "!",
           "video/x-raw,format=I420,width=320,height=240,framerate=24/1" + caps,
           "!", "x264enc", "tune=zerolatency", *encoder, "!", "h264parse", "!",
           "mp4mux", "name=mux", *muxer, "!", "filesink", f"location={name}")
    return folder / name


def video(folder, name, *more, status=0):
    return run("video", name, "--output", "a.dcm", "--dicom-tags", TAGS, *more,
               cwd=folder, status=status)


def take_out(path):
    """(dataset, the one fragment)"""
    need_pydicom()
    data = pydicom.dcmread(path)
    pixels = pydicom.filebase.DicomBytesIO(data.PixelData)
    pixels.is_little_endian = True
    has_table, offsets = get_frame_offsets(pixels)
    assert not has_table or offsets == [0], offsets
    fragment, = generate_pixel_data_fragment(pixels)
    return data, fragment


def check_same(film, fragment):
    """Byte for byte; DICOM adds one to an odd number."""
    stored = film.read_bytes()
    assert fragment == stored + bytes(len(stored) % 2), (len(stored),
                                                         len(fragment))


def check_valid(path):
    if not shutil.which("dciodvfy"):
        raise Skip("dciodvfy is not installed (Debian: dicom3tools)")
    said = subprocess.run(["dciodvfy", path], capture_output=True, text=True)
    said = said.stdout + said.stderr
    assert "VideoPhotographicImage" in said and "Error" not in said, said


def test_films(folder):
    """Files as those of oct-record, of fragments, and of an odd size: the film is the
    same, and its frames are those that a decoder finds."""
    for name, muxer, frames in (("whole.mp4", (), 40),
                                ("parts.mp4", ("fragment-duration=500",), 60),
                                ("one.mp4", (), 1)):
        film = make_film(folder, name, *muxer, frames=frames)
        if name == "parts.mp4":
            # an empty box of 9 bytes, so that the size is odd
            odd = film.stat().st_size % 2 == 0
            with open(film, "ab") as file:
                file.write(struct.pack(">I4sx", 9, b"free") if odd else b"")
            assert film.stat().st_size % 2 == 1
        out, _ = video(folder, name)
        assert f"{frames} frames of 320 x 240" in out, out
        data, fragment = take_out(folder / "a.dcm")
        check_same(film, fragment)
        (folder / "out.mp4").write_bytes(fragment)
        assert tap.decode("out.mp4", folder)[:3] == (frames, 320, 240)
        assert data.NumberOfFrames == frames
        assert (data.Rows, data.Columns) == (240, 320)
        assert abs(data.FrameTime - 1000 / 24) < 0.05 and data.CineRate == 24
        assert data.SOPClassUID == VIDEO_PHOTOGRAPHIC
        assert data.file_meta.TransferSyntaxUID == MPEG4
        assert (data.PatientName, data.PatientID, data.StudyInstanceUID,
                data.AccessionNumber, data.ImageLaterality) == (
                    "M\u00fcller^J\u00fcrgen", "42", "2.25.1", "A7", "R")
        assert data.PhotometricInterpretation == "YBR_PARTIAL_420"
        assert data.LossyImageCompression == "01"
        check_valid(folder / "a.dcm")


def test_frame_times(folder):
    """Frames that came irregularly have the mean distance of those that came."""
    launch(folder, "videotestsrc", "num-buffers=30", "!",
           "video/x-raw,format=I420,width=320,height=240,framerate=30/1", "!",
           "identity", "drop-probability=0.5", "!", "x264enc",
           "tune=zerolatency", "!", "h264parse", "!", "mp4mux", "!", "filesink",
           "location=a.mp4")
    video(folder, "a.mp4")
    data, _ = take_out(folder / "a.dcm")
    count = tap.decode("a.mp4", folder)[0]
    assert data.NumberOfFrames == count and 1 < count < 30, count
    assert 34 < data.FrameTime <= 1000 / 30 * 29 / (count - 1) + 0.01, (
        count, data.FrameTime)


def test_films_that_do_not_fit(folder):
    """Each is refused with a sentence, and no file is left."""
    source = ("videotestsrc", "num-buffers=10", "!")
    end = ("!", "h264parse", "!", "mp4mux", "name=mux", "!", "filesink",
           "location=bad.mp4")
    raw = "video/x-raw,width=320,height=240,framerate=24/1"
    whole = make_film(folder, "whole.mp4").read_bytes()
    make_film(folder, "parts.mp4", "fragment-duration=500")
    for words, line in (
            ("has the profile 'high-4:4:4'",
             (*source, raw + ",format=Y444", "!", "x264enc", *end)),
            ("has the level 4.2",
             ("videotestsrc", "num-buffers=3", "!",
              "video/x-raw,format=I420,width=1920,height=1080,framerate=60/1",
              "!", "x264enc", "speed-preset=ultrafast", *end)),
            ("is interlaced",
             (*source, raw + ",format=I420,interlace-mode=interleaved,"
              "field-order=top-field-first", "!", "x264enc", "interlaced=true",
              *end)),
            ("has pixels of 2:1",
             (*source, raw + ",format=I420,pixel-aspect-ratio=2/1", "!",
              "x264enc", *end)),
            ("has a stream of audio",
             (*source, raw + ",format=I420", "!", "x264enc", *end,
              "audiotestsrc", "num-buffers=20", "!", "avenc_aac", "!",
              "aacparse", "!", "mux.")),
            ("has a stream of video/mpeg",
             (*source, raw, "!", "avenc_mpeg4", "!", "mp4mux", "!", "filesink",
              "location=bad.mp4")),
            ("is not an MP4 file",
             (*source, raw + ",format=I420", "!", "x264enc", "!", "h264parse",
              "!", "matroskamux", "!", "filesink", "location=bad.mp4"))):
        launch(folder, *line)
        _, err = video(folder, "bad.mp4", status=1)
        assert words in err and err.count("\n") == 1, (words, err)
        assert "the transfer syntax takes" in err, err
    # cut anywhere, a file of fragments too, which players show without a word
    parts = (folder / "parts.mp4").read_bytes()
    for content in (whole[:-1], whole[:len(whole) // 2], whole[:20],
                    parts[:-1], parts[:len(parts) * 2 // 3]):
        (folder / "bad.mp4").write_bytes(content)
        _, err = video(folder, "bad.mp4", status=1)
        assert "cut off or damaged" in err, err
    # HEVC, by the name of its kind
    (folder / "bad.mp4").write_bytes(
        whole.replace(b"avc1", b"hvc1").replace(b"avcC", b"hvcC"))
    _, err = video(folder, "bad.mp4", status=1)
    assert "bad.mp4' " in err and "the transfer syntax takes" in err, err
    for content, words in ((b"", "is empty"), (b"no film at all\n" * 9, "MP4"),
                           (whole[:32] + bytes(64), "cannot be read")):
        (folder / "bad.mp4").write_bytes(content)
        _, err = video(folder, "bad.mp4", status=1)
        assert words in err, err
    assert "bad2" in video(folder, "bad2.mp4", status=1)[1]
    assert sorted(path.suffix for path in folder.iterdir()) == [".mp4"] * 3


def test_options_and_output(folder):
    film = make_film(folder, "a.mp4", frames=2)
    _, err = run("video", "a.mp4", cwd=folder, status=2)
    assert "--output" in err, err
    for tags, words in (("Rows=7", "Rows"), ("Nonsense=1", "Nonsense")):
        _, err = run("video", "a.mp4", "--output", "a.dcm", "--dicom-tags", tags,
                     cwd=folder, status=1)
        assert words in err and not (folder / "a.dcm").exists(), err
    _, err = run("video", "a.mp4", "--output", "none/a.dcm", cwd=folder, status=1)
    assert "cannot be written" in err, err
    run("video", "a.mp4", "--output", "a.dcm", cwd=folder)
    check_same(film, take_out(folder / "a.dcm")[1])
    check_valid(folder / "a.dcm")


def test_orthanc_and_back(folder):
    """The archive commits the film and gives it back byte for byte."""
    film = make_film(folder, "a.mp4", "fragment-duration=500", frames=100)
    video(folder, "a.mp4")
    data, fragment = take_out(folder / "a.dcm")
    port = free_port()
    with orthanc(folder, port) as (peer, address):
        run("send", "--peer", peer, "--queue", "q", "--listen", port, "a.dcm",
            cwd=folder)
        assert stages(folder / "q")["committed"] == [data.SOPInstanceUID]
        with urllib.request.urlopen(f"{address}/instances") as answer:
            name = answer.read().decode().split('"')[1]
        with urllib.request.urlopen(f"{address}/instances/{name}/file") as answer:
            (folder / "back.dcm").write_bytes(answer.read())
    back, same = take_out(folder / "back.dcm")
    assert same == fragment
    check_same(film, same)
    assert back.file_meta.TransferSyntaxUID == MPEG4
    assert back == data


tap.main(globals(), at_a_time=2)
