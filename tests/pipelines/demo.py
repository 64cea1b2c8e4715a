# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs demo.sh and its program and checks their output.  Output is TAP.

The MP4's boxes are read here; their contents and the PNG are decoded with
GStreamer to grey levels.
"""
import os
import pathlib
import re
import signal
import struct
import subprocess
import time

import tap
from tap import Skip, decode, spread

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO_SH = ROOT / "pipelines" / "demo.sh"
DEMO = os.environ["OCT_DEMO"]
RESULTS = {"bscan.png", "bscans.mp4"}


def run(*arguments, program=DEMO, cwd, status=0):
    return tap.run(*arguments, program=program, cwd=cwd, status=status)


def boxes(data, start=0, end=None):
    """{type: (start, end)} of the MP4 boxes, in the order of the file."""
    found, end = {}, len(data) if end is None else end
    while start + 8 <= end:
        size, = struct.unpack_from(">I", data, start)
        header = 8
        if size == 1:
            size, = struct.unpack_from(">Q", data, start + 8)
            header = 16
        found[data[start + 4:start + 8].decode("latin-1")] = (
            start + header, start + size)
        start += size
    assert start == end, "the boxes do not fill the file"
    return found


def check_results(folder, frames):
    """Returns the grey levels of the picture, its width and its height."""
    assert {p.name for p in folder.iterdir()} == RESULTS, list(folder.iterdir())
    # they may be of a patient
    assert all(p.stat().st_mode & 0o777 == 0o600 for p in folder.iterdir())
    mp4 = (folder / "bscans.mp4").read_bytes()
    top = boxes(mp4)
    order = list(top)
    assert order.index("moov") < order.index("mdat"), f"no faststart: {order}"
    moov = mp4[slice(*top["moov"])]
    assert b"avc1" in moov, "no H.264"
    size_at = moov.index(b"stsz") + 4
    _, _, count = struct.unpack_from(">III", moov, size_at)
    assert count == frames, f"{count} frames in the MP4, expected {frames}"
    decoded, width, height, last = decode(folder / "bscans.mp4", folder)
    assert decoded == frames, f"{decoded} frames decoded, expected {frames}"
    assert width % 2 == 0 and height % 2 == 0 and height >= 512, (width, height)
    assert 1.2 < width / height < 1.9, (width, height)
    mean, deviation = spread(last)
    assert deviation > 15, f"flat video: {mean:.0f} +- {deviation:.0f}"
    _, width, height, picture = decode(folder / "bscan.png", folder)
    mean, deviation = spread(picture)
    assert deviation > 15 and max(picture) > 240 and min(picture) < 10, (
        f"flat picture: {mean:.0f} +- {deviation:.0f}")
    return picture, width, height


def check_report(text):
    rate = re.search(r"Speed: +(\d+) A-lines/s", text)
    assert rate and int(rate[1]) > 1000, text
    assert re.search(r"Backend: (CPU, \d+ threads|CUDA)", text), text
    assert "bscans.mp4" in text and "bscan.png" in text, text
    assert "(100 %)" in text, text


# -------------------------------------------------------------------- tests

def test_virtual_system_by_script(folder):
    """demo.sh, as a user calls it, on the virtual system."""
    output, _ = run("--frames", 6, "--output", "here", program=DEMO_SH,
                    cwd=folder)
    check_report(output)
    check_results(folder / "here", 6)


def test_instrument_has_no_lines_beside_it(folder):
    """In B-scan 60 the tip is over the right fifth, above the tissue; what is
    beside it there is noise, the same in all depths."""
    run("--frames", 120, cwd=folder)
    _, width, height, picture = decode(folder / "out" / "bscan.png", folder)
    rows = range(height // 40, height // 7)
    beside = [sum(picture[y * width:y * width + width * 3 // 4]) for y in rows]
    beside = [total / (width * 3 // 4) for total in beside]
    over = [max(picture[y * width + width * 3 // 4:(y + 1) * width])
            for y in rows]
    assert max(over) > 200, "no instrument in the picture"
    assert max(beside) - min(beside) < 8, [round(level) for level in beside]


def test_picture_of_16_bit(folder):
    """The same B-scan twice: 8 bit are the upper ones of 16."""
    levels = {}
    for bits, kind in ((8, "GRAY8"), (16, "GRAY16_LE")):
        run("--frames", 2, "--bits", bits, "--output", bits, cwd=folder)
        png = folder / str(bits) / "bscan.png"
        # bits of a grey level, and its kind: grey
        assert png.read_bytes()[24:26] == bytes((bits, 0)), bits
        tap.run("filesrc", f"location={png}", "!", "pngdec", "!",
                "videoconvert", "dither=none", "!",
                f"video/x-raw,format={kind}", "!", "filesink",
                f"location={bits}.raw", program="gst-launch-1.0", cwd=folder)
        raw = (folder / f"{bits}.raw").read_bytes()
        levels[bits] = memoryview(raw).cast("H" if bits == 16 else "B")
    assert len(set(levels[16])) > 2000, len(set(levels[16]))
    # 8 bit are rounded when they are made and after each direction of the scaling,
    # whose weights (lanczos, some below 0) have absolute values that sum up to 1.4
    off = [deep / 257 - grey for deep, grey in
           zip(levels[16], levels[8], strict=True)]
    assert max(map(abs, off)) <= 0.5 * (1.4 ** 2 + 1.4 + 1) + 1, max(map(abs, off))
    assert abs(sum(off) / len(off)) < 0.02, sum(off) / len(off)
    output, _ = run("--bits", 12, cwd=folder, status=2)
    assert "--bits is 8 or 16" in output + _, (output, _)


def test_proportions_of_a_file_with_spacings(folder):
    """3 A-lines 500 um apart, 8 depths 12.5 um of air apart."""
    run("--data", ROOT / "tests/unit/vectors/files/lateral.oct", cwd=folder)
    _, width, height, _ = decode(folder / "out" / "bscan.png", folder)
    # 1500 um by 8 * 12.5 / 1.38, more than 8 : 1
    assert abs(width / height - 8) < 0.1, (width, height)


def test_default_folder(folder):
    run("--frames", 1, cwd=folder)
    check_results(folder / "out", 1)


def make_spectra(folder, lines=100, frames=4):
    run("-q", "octsrc", f"num-buffers={frames}", "samples=1024",
        f"lines={lines}", "!", "filesink", "location=scan.raw",
        program="gst-launch-1.0", cwd=folder)
    rows = "".join(f"{790 + 110 * i / 1023:.6f}\n" for i in range(1024))
    (folder / "cal.csv").write_text("wavelength_nm\n" + rows)


def test_raw_file(folder):
    """A small B-scan is enlarged; a name with blanks and signs works."""
    make_spectra(folder)
    name = 'a "scan" ! of 4.raw'
    (folder / "scan.raw").rename(folder / name)
    output, _ = run("--data", name, "--samples", 1024, "--lines", 100,
                    "--calibration", "cal.csv", "--output", "x y", cwd=folder)
    check_report(output)
    _, width, height = check_results(folder / "x y", 4)
    # some decoders fail where they have to crop
    assert width % 16 == 0 and 4 / 3 <= width / height <= 16 / 9, (width, height)


def test_header(folder):
    make_spectra(folder)
    data = (folder / "scan.raw").read_bytes()
    (folder / "scan.raw").write_bytes(b"\xff" * 77 + data + b"rest")
    _, errors = run(
        "--data", "scan.raw", "--samples", 1024, "--lines", 100, "--header-size",
        77, "--sample-format", "gray16-le", "--calibration", "cal.csv",
        cwd=folder)
    assert "4 bytes" in errors and "header-size" in errors, errors
    assert len(errors.splitlines()) == 1, errors
    check_results(folder / "out", 4)


def test_npy(folder):
    make_spectra(folder)
    header = b"{'descr': '<u2', 'fortran_order': False, 'shape': (4, 100, 1024), }"
    header += b" " * (117 - len(header)) + b"\n"
    (folder / "scan.npy").write_bytes(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
        + (folder / "scan.raw").read_bytes())
    run("--data", "scan.npy", "--calibration", "cal.csv", cwd=folder)
    check_results(folder / "out", 4)


def refuse(folder, *arguments, words, status=1):
    """One sentence, no results, no remains."""
    before = {p.name for p in folder.iterdir()} - {"out"}
    _, errors = run(*arguments, "--output", "out", cwd=folder, status=status)
    for word in words:
        assert word in errors, f"'{word}' is not in: {errors}"
    assert len(errors.splitlines()) == 1, errors
    assert "GStreamer" not in errors and "gst" not in errors, errors
    after = {p.name for p in folder.iterdir()} - {"out"}
    assert after == before, after
    out = folder / "out"
    assert not out.exists() or not list(out.iterdir()), list(out.iterdir())


def check_volume(folder, frames):
    """A block of tissue before a dark background, and it turns."""
    assert {p.name for p in folder.iterdir()} == {"volume.png", "volume.mp4"}
    assert all(p.stat().st_mode & 0o777 == 0o600 for p in folder.iterdir())
    decoded, width, height, last = decode(folder / "volume.mp4", folder)
    assert (decoded, width, height) == (frames, 960, 720), (decoded, width, height)
    _, width, height, picture = decode(folder / "volume.png", folder)
    assert (width, height) == (960, 720)
    for pixels in (picture, last):
        middle = pixels[360 * 960 + 480 - 100:360 * 960 + 480 + 100]
        corner = pixels[:100]
        assert sum(middle) / 200 > 3 * sum(corner) / 100, (middle, corner)
    moved = sum(abs(a - b) for a, b in zip(picture, last)) / len(picture)
    assert moved > 5, f"the picture and the end of the turn differ by {moved}"


def test_volume(folder):
    text, _ = run("--volume", "--samples", 256, "--lines", 48, "--bscans", 24,
               "--frames", 30, "--output", "turn", cwd=folder)
    assert "volume.mp4" in text and "30 pictures" in text, text
    check_volume(folder / "turn", 30)


# of the virtual system: middles of vessels that go across, as parts of the
# width, and places between them
VESSELS, BETWEEN = (0.25, 0.52, 0.80), (0.02, 0.43, 0.70)


def check_flow(folder, places):
    """At the last places only vessels that go across are met: they are bright,
    from above and in B-scans, and nothing else is."""
    assert {p.name for p in folder.iterdir()} == {"vessels.png", "flow.mp4"}
    assert all(p.stat().st_mode & 0o777 == 0o600 for p in folder.iterdir())
    decoded, width, height, last = decode(folder / "flow.mp4", folder)
    assert (decoded, height) == (places, 512), (decoded, height)
    _, w, h, above = decode(folder / "vessels.png", folder)
    columns = above[(h - 1) * w:]
    right = [sum(last[y * width + x] for y in range(height // 8, height)) / height
             for x in range(width // 2, width)]
    for levels, least, ratio in ((columns, 80, 2), (right, 15, 4)):
        vessels = [levels[int(part * len(levels))] for part in VESSELS]
        between = [levels[int(part * len(levels))] for part in BETWEEN]
        assert min(vessels) > least and sum(vessels) > ratio * sum(between), (
            vessels, between)
    structure = [last[y * width + width // 4] for y in range(height)]
    assert sum(structure) / height > 40, "no tissue beside the vessels"


def test_flow(folder):
    text, _ = run("--flow", "--samples", 512, "--lines", 128, "--frames", 24,
                  "--output", "flow", cwd=folder)
    assert "24 places" in text and "vessels.png" in text, text
    check_flow(folder / "flow", 24)


def test_flow_of_a_file(folder):
    """The file does not name its repeats; without them a sentence."""
    run("-q", "octsrc", "phantom=flow", "repeats=3", "bscans=72",
        "num-buffers=72", "samples=512", "lines=128", "!", "filesink",
        "location=scan.raw", program="gst-launch-1.0", cwd=folder)
    rows = "".join(f"{790 + 110 * i / 511:.6f}\n" for i in range(512))
    (folder / "cal.csv").write_text("wavelength_nm\n" + rows)
    scan = ["--flow", "--data", "scan.raw", "--samples", 512, "--lines", 128,
            "--calibration", "cal.csv"]
    refuse(folder, *scan, words=["one B-scan at each place", "--repeats"])
    run(*scan, "--repeats", 3, "--bscans", 72, "--width-um", 384, "--output",
        "flow", cwd=folder)
    check_flow(folder / "flow", 24)


def test_volume_of_a_file(folder):
    make_spectra(folder, 32, 20)
    run("--volume", "--data", "scan.raw", "--samples", 1024, "--lines", 32,
        "--calibration", "cal.csv", "--bscans", 20, "--width-um", 3000,
        "--length-um", 2000, "--frames", 5, "--output", "turn", cwd=folder)
    decoded, width, height, _ = decode(folder / "turn" / "volume.mp4", folder)
    assert (decoded, width, height) == (5, 960, 720)


def test_volume_of_a_real_scan(folder):
    """With nothing set the tissue is seen: light, in front of a background that
    no noise covers.  (With faces of noise, a lid and its shadow it was a dark
    slab, its mean 75.)"""
    data = ROOT / ".." / "shared" / "data" / "cscan"
    scan = data / "cscan_100x100x1024_u16.raw"
    if not scan.is_file():
        raise Skip("the real scan is not here")
    run("--volume", "--data", scan, "--samples", 1024, "--lines", 100,
        "--bscans", 100, "--calibration", data / "calibration.csv", "--frames", 2,
        "--output", "turn", cwd=folder)
    _, width, height, pixels = decode(folder / "turn" / "volume.png", folder)
    # the background is the same along a row
    seen = [value for y in range(height) for value in
            pixels[y * width:(y + 1) * width] if value > pixels[y * width] + 8]
    assert len(seen) > width * height / 8, len(seen)
    mean = sum(seen) / len(seen)
    assert mean > 110, mean


def test_depths(folder):
    """Images have the depth bins that were asked for."""
    make_spectra(folder)
    common = ["--data", "scan.raw", "--samples", 1024, "--lines", 100,
              "--calibration", "cal.csv"]
    output, _ = run(*common, "--depth-start", 30, "--depth-bins", 200,
                    "--output", "part", cwd=folder)
    assert "  200 depths over" in output, output
    refuse(folder, *common, "--depth-bins", 4000, words=["depth-bins=4000"])
    refuse(folder, *common, "--depth-start", -2, words=["--depth-start"],
           status=2)


def test_volume_options(folder):
    for arguments, named in (
            (["--bscans", 5], "--volume"),
            (["--volume", "--length-um", 5], "--bscans"),
            (["--volume", "--width-um", "-1"], "--width-um"),
            (["--volume", "--bscans", "-1"], "--bscans"),
            (["--volume", "--flow"], "--flow"),
            (["--repeats", 4], "--flow"),
            (["--flow", "--repeats", 1], "--repeats")):
        _, errors = run(*arguments, cwd=folder, status=2)
        assert named in errors, errors


def test_missing_file(folder):
    make_spectra(folder)
    refuse(folder, "--data", "nowhere.raw", "--samples", 1024, "--lines", 100,
           "--calibration", "cal.csv", words=["nowhere.raw"])


def test_missing_calibration(folder):
    make_spectra(folder)
    scan = ["--data", "scan.raw", "--samples", 1024, "--lines", 100]
    refuse(folder, *scan, words=["no spectral calibration", "--calibration CSV"])
    refuse(folder, *scan, "--calibration", "nowhere.csv",
           words=["nowhere.csv"])


def test_calibration_of_another_length(folder):
    make_spectra(folder)
    refuse(folder, "--data", "scan.raw", "--samples", 512, "--lines", 200,
           "--calibration", "cal.csv", words=["cal.csv", "1024", "512"])


def test_samples_not_given(folder):
    make_spectra(folder)
    refuse(folder, "--data", "scan.raw", "--calibration", "cal.csv",
           words=["scan.raw", "samples"])


def test_folder_that_cannot_be_written(folder):
    (folder / "file").write_text("")
    _, errors = run("--frames", 1, "--output", "file/out", cwd=folder, status=1)
    assert "file/out" in errors, errors


def test_wrong_options(folder):
    for arguments in (["--lines", "many"], ["--nonsense"], ["scan.raw"],
                      ["--sample-format", "float"], ["--packing", "mono12"],
                      ["--frames", "-1"]):
        _, errors = run(*arguments, cwd=folder, status=2)
        assert "--help" in errors, errors
        assert not (folder / "out").exists()


def test_interrupted(folder):
    """Ctrl-C ends the video; what there is can be played."""
    with subprocess.Popen([DEMO, "--frames", "100000"], cwd=folder, text=True,
                          stdout=subprocess.PIPE) as demo:
        for line in demo.stdout:
            if "B-scan" in line and "of 100000" in line:
                break
        time.sleep(1)
        demo.send_signal(signal.SIGINT)
        text = demo.stdout.read()
        assert demo.wait(60) == 0, text
    frames = int(re.search(r"(\d+) B-scans\)", text)[1])
    assert 0 < frames < 100000, text
    check_results(folder / "out", frames)


def test_real_data(folder):
    """The surface of the C-scan rises from bin 60 at the left to 35."""
    data = pathlib.Path(os.environ.get(
        "OCT_TEST_DATA", ROOT.parent / "shared" / "data" / "cscan"))
    if not data.is_dir():
        raise Skip(f"no real data in {data}")
    output, _ = run(
        "--data", data / "cscan_100x100x1024_u16.raw", "--samples", 1024,
        "--lines", 100, "--calibration", data / "calibration.csv", cwd=folder)
    check_report(output)
    picture, width, height = check_results(folder / "out", 100)
    assert height == 512  # a row of the picture is a depth bin

    def surface(first, last):
        """Where the mean over some columns rises most, below the first bins."""
        columns = range(first, last)
        means = [sum(picture[y * width + x] for x in columns) / len(columns)
                 for y in range(height)]
        smooth = [sum(means[y - 2:y + 3]) / 5 for y in range(10, 100)]
        return 10 + max(range(3, len(smooth) - 3),
                        key=lambda y: smooth[y + 3] - smooth[y - 3])

    left, right = surface(0, width // 8), surface(7 * width // 8, width)
    assert 48 <= left <= 66 and 25 <= right <= 42, (left, right)


tap.main(globals())
