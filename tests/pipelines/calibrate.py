# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-calibrate: calibrations of simulated mirrors, of the virtual OCT system
through pipelines, and of the C-scan's mirrors; what it says of files that are
none.  Output is TAP."""
import array
import math
import random
import re
import resource
import signal
import struct
import subprocess

import tap
from mirrors import (PROGRAM, SAMPLES, calibrate, check_positions, launch,
                     read_csv, read_table, refuse, simulate, some, wavelength)


def test_two_mirrors(folder):
    text = calibrate(folder, "--mirror", *some(folder, 200, 900), "--same-side",
                     "--output", "c.csv")
    assert "This calibration is good: " in text, text
    for before, _, after, possible in read_table(text).values():
        assert after < before and after <= 1.02 * possible, text
    assert "have no scale in mm" in text, text
    columns = read_csv(folder / "c.csv")
    assert sorted(columns) == ["dispersion_rad", "k_index"]
    check_positions(columns)
    # as good behind other mirrors, on either side
    text = calibrate(folder, "--check", "c.csv", "--mirror",
                     *some(folder, 100, 650, -500))
    assert "'c.csv' is good for these mirrors" in text, text
    assert re.search(r"m-500\.raw'\s+other", text), text
    for before, _, after, possible in read_table(text).values():
        assert after < before and after <= 1.05 * possible, text


def test_many_mirrors_with_a_scale(folder):
    """Any order, both sides, nobody says which; one is empty, one saturated, one
    another thing; positions give um, and the wavelengths."""
    depths = [200, -300, 450, 700, -550, 900, 350]
    names = some(folder, *depths)
    names[2] = simulate(folder, "empty.raw", depth=450, reflectivity=0, seed=90)
    names[4] = simulate(folder, "bright.raw", depth=-550, level=1.3, seed=91)
    text = calibrate(
        folder, "--mirror", *names, "--depth-um", *(d + 5000 for d in depths),
        "--centre-nm", 845, "--output", "c.csv")
    assert "'empty.raw' is left out: no fringe" in text, text
    assert "'bright.raw' is left out: 2" in text, text
    assert "the camera is saturated" in text, text
    assert "'m-300.raw' lies on the other side of the zero delay than" in text
    assert "This calibration is good: " in text, text
    worst = re.search(r"each of 5, with a calibration of the others, is at most "
                      r"([\d.]+) % wider", text)
    assert float(worst[1]) < 3, text
    scale = re.search(r"bins (\d+) to (\d+) \(([\d.]+) to ([\d.]+) mm in air", text)
    k = [2e3 * math.pi / wavelength(pixel) for pixel in (0, SAMPLES - 1)]
    bin_um = math.pi * (SAMPLES - 1) / SAMPLES / (k[0] - k[1])
    assert abs(float(scale[4]) * 1e3 / int(scale[2]) / bin_um - 1) < 0.02, text
    columns = read_csv(folder / "c.csv")
    for pixel in range(150, 874):
        off = columns["wavelength_nm"][pixel] - wavelength(pixel)
        assert abs(off) < 0.6, (pixel, off)
    # wavelengths rise, wavenumbers fall: the uniform axis begins at the end
    assert columns["k_index"][0] > columns["k_index"][-1]
    check_positions(columns)


def test_step_and_each_bscan(folder):
    """One file with a mirror in each B-scan, 150 um from one to the next."""
    whole = b"".join(
        (folder / name).read_bytes() for name in some(
            folder, 200, 350, 500, 650, lines=4))
    (folder / "scan.raw").write_bytes(whole)
    text = calibrate(
        folder, "--mirror", "scan.raw", "--lines", 4, "--each-bscan",
        "--same-side", "--step-um", 150, "--wavelength-min", 796.7,
        "--wavelength-max", 897.7, "--output", "c.csv")
    assert len(read_table(text)) == 1  # all have one name
    assert text.count("'scan.raw'[") == 4, text
    check_positions(read_csv(folder / "c.csv"))
    # the same as one mirror is one that moves
    text = calibrate(folder, "--mirror", "scan.raw", "--output", "d.csv")
    assert "'scan.raw' is at several depths" in text, text
    assert "the 4 of its 16 A-lines" in text, text


def test_positions_that_are_wrong(folder):
    names = some(folder, 100, 250, 400, 550, 700)
    text = calibrate(folder, "--mirror", *names, "--same-side", "--depth-um", 100,
                     250, 480, 550, 700, "--centre-nm", 845, "--output", "c.csv")
    assert "The depth of 'm400.raw' does not fit to its position" in text, text
    assert "wavelength_nm" in read_csv(folder / "c.csv")
    # one step for distances that differ, and what was given is not asked for
    for step, given in ((200, []), (200, ["--centre-nm", 845])):
        text = calibrate(folder, "--mirror", names[0], names[2], names[3],
                         "--same-side", "--step-um", step, *given, "--output",
                         "e.csv")
        assert "positions of the mirrors do not fit" in text, text
        advice = re.search(r"for one give (.*)\.$", text, re.M)[1]
        assert advice == ("--wavelength-min and --wavelength-max, or correct "
                          "--step-um" + ("" if given else " and add --centre-nm")
                          ), text
    # of three nobody knows which: no wavelengths rather than wrong ones
    text = calibrate(folder, "--mirror", *names[:3], "--same-side", "--depth-um",
                     100, 250, 480, "--centre-nm", 845, "--output", "d.csv")
    assert "depths are not known in um" in text, text
    assert "wavelength_nm" not in read_csv(folder / "d.csv")


def test_units_that_are_wrong(folder):
    """Depths in mm or nm do not give a calibration with a strange scale."""
    names = some(folder, 200, 500, 900, lines=4)
    for factor in (1e-3, 1e3):
        depths = [factor * depth for depth in (200, 500, 900)]
        refuse(folder, "--mirror", *names, "--depth-um", *depths,
               "--wavelength-min", 796.7, "--wavelength-max", 897.7,
               says=["correct --depth-um, which is in um", "in nm"])
    refuse(folder, "--mirror", *names, "--depth-um", 0.2, 0.5, 0.9, "--centre-nm",
           845, says=["correct --depth-um, which is in um", "--centre-nm"])
    # positions that fit nothing do not prevent a scale
    text = calibrate(folder, "--mirror", *names, "--step-um", 300,
                     "--wavelength-min", 796.7, "--wavelength-max", 897.7,
                     "--output", "c.csv")
    assert "the wavelengths alone give the scale" in text, text
    check_positions(read_csv(folder / "c.csv"))


def test_files_that_end_within_a_line(folder):
    """With the wrong number of samples there may be fringes all the same."""
    names = some(folder, 200, 900, lines=4)
    made = ["--mirror", *names, "--same-side", "--output"]
    text = calibrate(folder, *made, "c.csv")
    assert "bytes that are less" not in text, text
    for samples, more in ((1000, []), (SAMPLES, ["--header-size", 20])):
        text = calibrate(folder, *made, f"{samples}-{len(more)}.csv", *more,
                         samples=samples)
        left = (4 * 2 * SAMPLES - sum(more[1:])) % (2 * samples)
        for name in names:
            assert (f"'{name}' ends with {left} bytes that are less than a whole "
                    f"A-line of {samples} samples") in text, text


def test_falling_wavelengths(folder):
    names = some(folder, 200, 900)
    for name in names:
        values = array.array("H", (folder / name).read_bytes())
        values.reverse()
        (folder / name).write_bytes(values.tobytes())
    text = calibrate(
        folder, "--mirror", *names, "--same-side", "--step-um", 700,
        "--centre-nm", 845, "--wavelength", "falling", "--output", "c.csv")
    assert "This calibration is good: " in text, text
    columns = read_csv(folder / "c.csv")
    assert columns["k_index"][0] < columns["k_index"][-1]
    for pixel in range(150, 874):
        off = columns["wavelength_nm"][pixel] - wavelength(SAMPLES - 1 - pixel)
        assert abs(off) < 0.6, (pixel, off)


def test_sides_are_asked_for(folder):
    one, two, other = some(folder, 200, 900, -400)
    refuse(folder, "--mirror", one, two,
           says=["which side of the zero delay", "--other-side", "--same-side"])
    calibrate(folder, "--mirror", one, two, "--same-side", "--output", "a.csv")
    calibrate(folder, "--mirror", two, "--other-side", other, "--output",
              "b.csv")
    check_positions(read_csv(folder / "b.csv"))
    text = calibrate(folder, "--check", "b.csv", "--mirror", one, other)
    assert re.search(r"'m200\.raw'\s+sample", text), text
    assert re.search(r"'m-400\.raw'\s+other", text), text
    # three tell it, and say so where the command line is wrong
    text = calibrate(folder, "--mirror", one, other, two, "--output", "c.csv")
    assert "'m-400.raw' lies on the other side" in text, text
    refuse(folder, "--mirror", one, other, two, "--same-side",
           says=["off by", "--other-side"])
    refuse(folder, "--mirror", one, two, "--other-side", one,
           says=[f"'{one}' is given on both sides"])
    # two, whose distance and wavelengths are known
    calibrate(folder, "--mirror", one, other, "--depth-um", 200, -400,
              "--wavelength-min", 796.7, "--wavelength-max", 897.7, "--output",
              "d.csv")
    check_positions(read_csv(folder / "d.csv"))


def test_one_mirror(folder):
    (deep,) = some(folder, 900)
    text = calibrate(folder, "--mirror", deep, "--output", "c.csv")
    assert "There is one depth alone" in text, text
    assert "near bin 254 only" in text, text
    assert "to make it better, add a mirror at another depth" in text, text
    assert set(read_csv(folder / "c.csv")["dispersion_rad"]) <= {0.0, -0.0}


def test_depths_too_near(folder):
    near, nearer, same = some(folder, 500, 530, 502)
    text = calibrate(folder, "--mirror", near, nearer, "--same-side",
                     "--output", "c.csv")
    assert "The mirrors are close together, within 6 %" in text, text
    assert "add a mirror that is farther away" in text, text
    text = calibrate(folder, "--mirror", near, same, "--same-side", "--output",
                     "d.csv")
    assert "There is one depth alone" in text, text
    # what is known there is right there
    for before, _, after, possible in read_table(text).values():
        assert after <= 1.02 * possible < before, text


def test_no_mirror(folder):
    good = some(folder, 200, 900)
    none = simulate(folder, "none.raw", reflectivity=0, seed=50)
    two = simulate(folder, "two.raw", depth=300, ghost=0.9, ghost_distance=400,
                   seed=51)
    beat = simulate(folder, "beat.raw", depth=300, ghost=0.9, ghost_distance=40,
                    seed=52)
    near = simulate(folder, "near.raw", depth=1750, seed=53)
    weak = simulate(folder, "weak.raw", depth=700, reflectivity=0.004, seed=54)
    refuse(folder, "--mirror", none, says=["'none.raw'", "no fringe is seen"])
    for name in two, beat:
        refuse(folder, "--mirror", name,
               says=[f"'{name}'", "beside its fringe at bin", "one mirror alone"])
    refuse(folder, "--mirror", near,
           says=["half of the sampling rate", "nearer to the zero delay"])
    refuse(folder, "--mirror", weak, says=["more A-lines", "more light"])
    # beside good ones each is left out, with a sentence
    text = calibrate(folder, "--mirror", none, good[0], two, near, beat, good[1],
                     "--same-side", "--output", "c.csv")
    for name in none, two, near, beat:
        assert f"Note: '{name}' is left out: " in text, text
    assert "This calibration is good: " in text, text
    check_positions(read_csv(folder / "c.csv"))


def test_a_ghost_is_told(folder):
    """Also at twice the depth, where saturation has its own."""
    good = some(folder, 900)
    for distance, bin_number in ((250, 155), (300, 169)):
        ghost = simulate(folder, "ghost.raw", depth=300, ghost=0.2,
                         ghost_distance=distance, seed=60)
        text = calibrate(folder, "--mirror", ghost, *good, "--same-side",
                         "--output", f"{distance}.csv")
        found = re.search(r"second reflection at bin (\d+), 1[345] dB", text)
        assert found and abs(int(found[1]) - bin_number) <= 3, text


def test_lines_that_move(folder):
    still = simulate(folder, "still.raw", depth=900, lines=60, seed=70)
    parts = [(folder / name).read_bytes() for name in some(
        folder, 200, 260, lines=30)]
    (folder / "moving.raw").write_bytes(b"".join(parts))
    text = calibrate(folder, "--mirror", "moving.raw", still, "--same-side",
                     "--output", "c.csv")
    assert "Note: 'moving.raw' is at several depths" in text, text
    assert "the 30 of its 60 A-lines" in text, text
    assert "This calibration is good: " in text, text
    check_positions(read_csv(folder / "c.csv"))


def npy(values, kind, shape):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header = header.ljust(117) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
            + header.encode() + values)


def test_deep_lines_of_any_phase(folder):
    """From line to line a fringe may have any phase: near the end of the depth
    range its image beyond half of the sampling rate is not another depth."""
    names = some(folder, 300, 1500, lines=16, drift=3)
    text = calibrate(folder, "--mirror", *names, "--same-side", "--output",
                     "c.csv")
    assert "several depths" not in text, text
    assert abs(read_table(text)["m1500.raw"][1] - 423) < 3, text
    check_positions(read_csv(folder / "c.csv"))


def test_deep_lines_by_themselves(folder):
    """The image of a single A-line's fringe is as strong as the fringe; still
    deeper ones are too deep, and no two mirrors."""
    for depth, seed in ((1450, 8), (1550, 6), (1550, 8)):
        name = simulate(folder, f"m{depth}.raw", depth=depth, seed=seed)
        text = calibrate(folder, "--mirror", name, "--output", f"{seed}.csv")
        before, found, after, possible = read_table(text)[name]
        assert abs(found - depth * 423 / 1500) < 3, text
        assert after <= 1.05 * possible < before, text
        (folder / f"{seed}.csv").unlink()
    for depth, seed in ((1650, 1), (1650, 2), (1700, 8)):
        refuse(folder, "--mirror",
               simulate(folder, "deep.raw", depth=depth, seed=seed),
               says=["near half of the sampling rate", "nearer to the zero delay"])
    # with fewer samples that begins nearer
    refuse(folder, "--mirror",
           simulate(folder, "few.raw", depth=740, seed=2, samples=512),
           samples=512, says=["near half of the sampling rate"])


def test_formats(folder):
    """All that octsrc reads gives the same."""
    names = some(folder, 200, 900)
    reference = None
    raw = [array.array("H", (folder / name).read_bytes()) for name in names]

    def give(number, data, name):
        (folder / f"{number}{name}").write_bytes(data)

    for number, values in enumerate(raw):
        give(number, b"head" + values.tobytes(), "header.raw")
        give(number, npy(values.tobytes(), "<u2", "(1024,)"), "line.npy")
        give(number, npy(array.array("d", values).tobytes(), "<f8",
                         "(1, 1, 1024)"), "float.npy")
        give(number, values.tobytes(), "rec-00000.raw")
        give(number, b"[oct-recording]\nversion=1\nsample-format=gray16-le\n"
             b"samples=1024\nlines=1\n", "rec.oct")
        give(number, bytes(min(v // 16, 255) for v in values), "byte.raw")
        assert max(values) < 4096
        give(number, b"".join(
            (low | high << 12).to_bytes(3, "little")
            for low, high in zip(values[::2], values[1::2])), "packed.raw")
    for name, options in (
            ("header.raw", ["--samples", 1024, "--header-size", 4]),
            ("packed.raw", ["--samples", 1024, "--packing", "mono12p"]),
            ("line.npy", []), ("float.npy", []), ("rec.oct", []),
            ("byte.raw", ["--samples", 1024, "--sample-format", "gray8"])):
        calibrate(folder, "--mirror", f"0{name}", f"1{name}", "--same-side",
                  *options, "--output", "c.csv", samples=None)
        columns = read_csv(folder / "c.csv")
        (folder / "c.csv").unlink()
        check_positions(columns, 0.5)
        if name == "byte.raw":
            continue
        reference = reference or columns
        assert columns == reference, name


def test_bytes_in_the_other_order(folder):
    """A note for each such file says what they are, whatever becomes of it."""
    names = some(folder, 200, 900)
    for name in names:
        values = array.array("H", (folder / name).read_bytes())
        values.byteswap()
        (folder / name).write_bytes(values.tobytes())
    mirrors = ["--mirror", *names, "--same-side", "--output", "c.csv"]
    text = calibrate(folder, *mirrors, status=None)
    notes = [line for line in text.splitlines()
             if line.startswith("Note: ") and "gray16-be" in line]
    assert notes and names[0] in notes[0], text
    text = calibrate(folder, *mirrors, "--sample-format", "gray16-be")
    assert "neighbouring samples" not in text, text
    check_positions(read_csv(folder / "c.csv"))


def test_files_that_are_none(folder):
    one, two = some(folder, 200, 900)
    values = array.array("f", array.array("H", (folder / one).read_bytes()))
    values[17] = float("nan")
    (folder / "nan.npy").write_bytes(npy(values.tobytes(), "<f4", "(1, 1024)"))
    (folder / "cut.npy").write_bytes(
        npy(values.tobytes(), "<f4", "(1, 1024)")[:-100])
    (folder / "text.npy").write_bytes(b"k_index,dispersion_rad\n")
    (folder / "empty.raw").write_bytes(b"")
    (folder / "same.raw").write_bytes(b"\1\2" * SAMPLES)
    (folder / "folder").mkdir()
    short = simulate(folder, "short.raw", depth=300, samples=512)
    for name, says in (
            ("nan.npy", ["sample 17 of A-line 0", "not a finite number"]),
            ("cut.npy", ["cut.npy", "cut off"]),
            ("text.npy", ["text.npy"]), ("empty.raw", ["empty.raw", "is empty"]),
            ("same.raw", ["same.raw", "no fringe"]),
            ("none.raw", ["none.raw"]), ("folder", ["folder"])):
        refuse(folder, "--mirror", name, "--same-side", says=says)
    refuse(folder, "--mirror", two, "nan.npy", samples=None, says=["samples"])
    (folder / "other.npy").write_bytes(npy(
        (folder / short).read_bytes(), "<u2", "(512,)"))
    (folder / "two.npy").write_bytes(npy(
        (folder / two).read_bytes(), "<u2", "(1024,)"))
    refuse(folder, "--mirror", "two.npy", "other.npy", "--same-side",
           samples=None, says=["512 samples", "1024", "one spectrometer"])
    refuse(folder, "--mirror", "two.npy", "--background", "other.npy",
           samples=None, says=["512", "1024"])
    (folder / "tiny.npy").write_bytes(npy(b"\0\0" * 20, "<u2", "(20,)"))
    refuse(folder, "--mirror", "tiny.npy", samples=None, says=["20 samples"])


def test_output_that_cannot_be_written(folder):
    names = some(folder, 200, 900)
    for output, says in (("nowhere/c.csv", "no folder"), (".", "is a folder")):
        text = calibrate(folder, "--mirror", *names, "--same-side", "--output",
                         output, status=1)
        assert says in text and "No calibration is written" in text, text
    text = calibrate(folder, "--mirror", *names, "--same-side", "--output",
                     "/proc/c.csv", status=1)
    assert "No calibration is written" in text and "/proc" in text, text
    text = calibrate(folder, "--mirror", *names, "--same-side", "--output",
                     "c.csv", "--plot", "nowhere/c.svg", status=1)
    assert "plot" in text and "Written: c.csv" in text, text


def test_nothing_is_lost(folder):
    names = some(folder, 200, 900)
    files = {
        "spectra.raw": (bytes(range(256)) * 40, "is not a calibration of"),
        "short.csv": (b"k_index\n0\n1\n2\n", "is not a calibration of"),
        "waves.csv": ("wavelength_nm\n" + "".join(
            f"{800 + 0.05 * i}\n" for i in range(SAMPLES)), "has wavelengths"),
        "dark.csv": ("k_index,background\n" + "".join(
            f"{i},{100 + i % 7}\n" for i in range(SAMPLES)),
            "has a background"),
    }
    for name, (content, says) in files.items():
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes)
                         else content.encode())
        before = path.read_bytes()
        text = calibrate(folder, "--mirror", *names, "--same-side",
                         "--output", name, status=1)
        assert f"'{name}' is there already" in text and says in text, text
        assert path.read_bytes() == before, name


def test_a_link_stays_one(folder):
    names = some(folder, 200, 900)
    (folder / "spectrometer.csv").write_text("k_index\n" + "".join(
        f"{i}\n" for i in range(SAMPLES)))
    (folder / "c.csv").symlink_to("spectrometer.csv")
    calibrate(folder, "--mirror", *names, "--same-side", "--output", "c.csv")
    assert (folder / "c.csv").is_symlink()
    check_positions(read_csv(folder / "spectrometer.csv"))


def test_a_better_one_is_kept(folder):
    names = some(folder, 200, 900)
    (folder / "c.csv").write_text("k_index\n" + "".join(
        f"{i}\n" for i in range(SAMPLES)))
    calibrate(folder, "--mirror", *names, "--same-side", "--output", "c.csv")
    good = (folder / "c.csv").read_bytes()
    assert b"dispersion_rad" in good
    # one that is right at one depth alone, where the other is right too
    text = calibrate(folder, "--mirror", names[1], "--output", "c.csv", status=1)
    assert "'c.csv' is there already and is as good" in text, text
    assert (folder / "c.csv").read_bytes() == good
    calibrate(folder, "--mirror", *names, "--same-side", "--output", "c.csv")
    # but where the curve is the same, the columns that are added count
    calibrate(folder, "--mirror", names[1], "--output", "one.csv")
    waves = ["--wavelength-min", 796.7, "--wavelength-max", 897.7]
    calibrate(folder, "--mirror", names[1], *waves, "--output", "one.csv")
    assert "wavelength_nm" in read_csv(folder / "one.csv")
    text = calibrate(folder, "--mirror", names[1], *waves, "--output", "c.csv",
                     status=1)
    assert "'c.csv' is there already and is as good" in text, text
    assert (folder / "c.csv").read_bytes() == good
    (folder / "one.csv").unlink()
    # nothing is left of a refusal
    refuse(folder, "--mirror",
           simulate(folder, "none.raw", reflectivity=0), says=["no fringe"])
    assert sorted(p.name for p in folder.glob("*.csv*")) == ["c.csv"]


def test_what_is_added_counts(folder):
    """A calibration made as a note advised replaces one that is as sharp, if it
    adds columns that the old one lacks."""
    names = some(folder, 500, 530, lines=8)
    dark = simulate(folder, "dark.raw", reflectivity=0, lines=50, seed=80)
    ways = {"wavelength_nm": ["--wavelength-min", 796.7, "--wavelength-max",
                              897.7], "background": ["--background", dark]}
    for column, more in ways.items():
        made = ["--mirror", *names, "--same-side", "--output", f"{column}.csv"]
        text = calibrate(folder, *made)
        assert "to make it better, add a mirror" in text, text
        before = read_csv(folder / f"{column}.csv")
        assert column not in before
        calibrate(folder, *made, *more)
        after = read_csv(folder / f"{column}.csv")
        assert sorted(after) == sorted([*before, column]), after.keys()
        # and nothing is lost the other way
        text = calibrate(folder, *made, status=1)
        assert f"'{column}.csv' is there already and has" in text, text
        # columns that both have are not a gain
        text = calibrate(folder, *made, *more, status=1)
        assert "is there already and is as good" in text, text


def test_background(folder):
    names = some(folder, 200, 900, lines=8)
    dark = simulate(folder, "dark.raw", reflectivity=0, lines=50, seed=80)
    text = calibrate(folder, "--mirror", *names, "--background", dark,
                     "--same-side", "--output", "c.csv")
    assert "good" in text
    columns = read_csv(folder / "c.csv")
    check_positions(columns)
    values = array.array("H", (folder / dark).read_bytes())
    for pixel in range(0, SAMPLES, 100):
        mean = sum(values[pixel::SAMPLES]) / 50
        assert abs(columns["background"][pixel] - mean) < 1e-3
    text = calibrate(folder, "--mirror", *names, "--background", dark, dark, dark,
                     "--same-side", "--output", "d.csv", status=1)
    assert "3 backgrounds for 2 mirrors" in text, text
    refuse(folder, "--mirror", *names, "--background", names[1], "--same-side",
           says=[f"'{names[1]}' is given as a mirror and as a background"])
    # the elements take all columns
    for chain in ("octdcsub mode=background ! octkresample ! octdispersion ! "
                  "octfft", "octreconstruct", "octreconstruct method=nufft"):
        launch(folder, f"octsrc location={names[0]} samples={SAMPLES} lines=8 "
               f"calibration=c.csv ! {chain} ! fakesink")


def test_options(folder):
    for arguments, says in (
            ([], "No mirror is given"),
            (["--mirror"], "--mirror has no value"),
            (["--mirror", "--output", "b"], "--mirror has no value"),
            (["--mirror", "a", "--output", ""], "not nothing"),
            (["--mirror", "a", "--check", ""], "not nothing"),
            (["--mirror", "a", "--output", "c.svg", "--plot", "./c.svg"],
             "the same file"),
            (["--mirror", "a"], "--output CSV"),
            (["--other-side", "a", "--output", "b"], "--mirror FILE"),
            (["--mirror", "a", "--check", "c", "--output", "b"], "--output CSV"),
            (["--mirror", "a", "--same-side", "--other-side", "b", "--output",
              "c"], "not both"),
            (["--mirror", "a", "--output", "c", "--step-um", "0"], "not 0"),
            (["--mirror", "a", "--output", "c", "--depth-um", "x"], "--depth"),
            (["--mirror", "a", "--output", "c", "--wavelength-min", "800"],
             "give both"),
            (["--mirror", "a", "--output", "c", "--centre-nm", "800"],
             "--step-um or --depth-um"),
            (["--mirror", "a", "--output", "c", "--wavelength", "up"],
             "rising or falling"),
            (["--mirror", "a", "--output", "c", "--plot", "c.gif"], ".svg"),
            (["--mirror", "a", "--output", "c", "--plot", "c.svg", "--window",
              "square"], "hann, none, hamming, blackman, tukey, gaussian, not "
             "'square'"),
            (["--mirror", "a", "--output", "c", "--window", "none"],
             "add --plot FILE"),
            (["--mirror", "a", "--output", "c", "--samples", "-3"], "negative"),
            (["--mirror", "a", "--output", "c", "--nothing"], "--nothing")):
        text = calibrate(folder, *arguments, status=2, samples=None)
        assert says in text and "See --help." in text, (arguments, text)
    names = some(folder, 200, 900)
    text = calibrate(folder, "--mirror", *names, "--depth-um", 1, 2, 3,
                     "--output", "c.csv", status=1)
    assert "3 values for 2 mirrors" in text, text


def test_check_says_what_is_wrong(folder):
    names = some(folder, 300, 900)
    (folder / "plain.csv").write_text("wavelength_nm\n" + "".join(
        f"{795 + 100 * i / 1023:.4f}\n" for i in range(SAMPLES)))
    text = calibrate(folder, "--check", "plain.csv", "--mirror", *names, status=1)
    assert "'plain.csv' is poor for these mirrors: 'm900.raw' is" in text, text
    assert "make a new one" in text, text
    # a good one of a part of the record
    calibrate(folder, "--mirror", *names, "--same-side", "--output", "c.csv")
    columns = read_csv(folder / "c.csv")
    for name, first, last in (("part.csv", 200, 800), ("back.csv", 900, 150)):
        at = [first + (last - first) * i / 1023 for i in range(SAMPLES)]
        (folder / name).write_text("k_index,dispersion_rad\n" + "".join(
            "{:.6f},{:.6f}\n".format(*(
                column[int(x)] + (column[int(x) + 1] - column[int(x)]) * (x % 1)
                for column in (columns["k_index"], columns["dispersion_rad"])))
            for x in at))
        text = calibrate(folder, "--check", name, "--mirror", *names)
        part = abs(last - first) / 1023
        for name, (_, at, after, _) in read_table(text).items():
            depth = 254 if "900" in name else 85
            assert abs(at - depth * part) < 3 and after < 2.6, text
    (folder / "phase.csv").write_text("dispersion_rad\n" + "0\n" * SAMPLES)
    text = calibrate(folder, "--check", "phase.csv", "--mirror", *names, status=1)
    assert "neither k_index nor wavelength_nm" in text, text
    text = calibrate(folder, "--check", "none.csv", "--mirror", *names, status=1)
    assert "none.csv" in text, text


def sweeps(delay, clock=True):
    """A-lines of a mirror that comes `delay` samples after its k-clock."""
    noise = random.Random(1)

    def phase(n):
        x = n / SAMPLES
        return 2 * math.pi * 180 * (x + 0.35 * math.sin(2 * math.pi * x)
                                    / (2 * math.pi))

    values = array.array("H")
    for _ in range(24):
        late = noise.uniform(-0.5, 0.5)
        for n in range(SAMPLES):
            bright = math.exp(-4 * (n / SAMPLES - 0.5) ** 2)
            values.append(round(20000 * bright + 4000 * bright * math.cos(
                0.8 * phase(n - late - delay)) + noise.gauss(0, 100)))
        for n in range(SAMPLES):
            values.append(round(30000 + clock * 10000 * math.cos(phase(n - late))
                                + noise.gauss(0, 300)))
    return values.tobytes()


def test_delay_of_a_clock(folder):
    (folder / "clock.raw").write_bytes(sweeps(2.4))
    text = calibrate(folder, "--clock", "clock.raw", samples=2 * SAMPLES)
    print(f"# {text.strip()}", flush=True)
    found = re.fullmatch(r"The spectra come (-?[\d.]+) samples after the k-clock "
                         r"\(standard error ([\d.]+)\): set delay=(-?[\d.]+) on "
                         r"octkclock\.", text.strip())
    assert abs(float(found[1]) - 2.4) < 0.03 and found[1] == found[3], text
    assert float(found[2]) < 0.03, text
    (folder / "none.raw").write_bytes(sweeps(0, clock=False))
    text = calibrate(folder, "--clock", "none.raw", samples=2 * SAMPLES, status=1)
    assert "The second half of the samples has no clear fringe" in text, text
    text = calibrate(folder, "--clock", "clock.raw", samples=2 * SAMPLES - 1,
                     status=1)
    assert "an even number" in text, text
    text = calibrate(folder, "--clock", "clock.raw", "--mirror", "clock.raw",
                     samples=2 * SAMPLES, status=2)
    assert "--clock finds the delay of octkclock" in text, text


def test_plots(folder):
    names = some(folder, 200, 900)
    text = calibrate(folder, "--mirror", *names, "--same-side", "--output",
                     "c.csv", "--plot", "c.svg")
    if "built without cairo" in text:
        raise tap.Skip("no cairo")
    assert (folder / "c.svg").read_text().rstrip().endswith("</svg>")
    # another window is drawn, and what is said of the mirrors stays
    said = [calibrate(folder, "--check", "c.csv", "--mirror", *names, "--plot",
                      f"{window}.svg", "--window", window).replace(window, "")
            for window in ("hann", "blackman")]
    assert said[0] == said[1], said
    drawn = [(folder / f"{window}.svg").read_text() for window in ("hann", "blackman")]
    assert drawn[0] != drawn[1]
    calibrate(folder, "--check", "c.csv", "--mirror", *names, "--plot", "c.png")
    assert (folder / "c.png").read_bytes()[:4] == b"\x89PNG"
    # what is there stays, if there is no room for another one
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    for name in ("c.svg", "c.png"):
        before = (folder / name).read_bytes()
        result = subprocess.run(
            [PROGRAM, "--samples", str(SAMPLES), "--check", "c.csv", "--mirror",
             *names, "--plot", name], cwd=folder, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=120, preexec_fn=limit)
        assert result.returncode == 1, result
        assert "cannot be written" in result.stderr, result
        assert (folder / name).read_bytes() == before, name
    assert not list(folder.glob("c.*.*")), list(folder.glob("c.*.*"))


tap.main(globals())
