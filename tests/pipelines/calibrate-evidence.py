# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-calibrate: the conclusions from mirrors, and the results when they prove
nothing: sides that are wrong, mirrors beyond the depth range, an existing
calibration.  Output is TAP.

Widths are compared with those that the fringes allow; 5 % more is good and 25 %
usable, as docs/calibration.md says.  A mirror deeper than 1.82 mm is beyond the
depth range: 1024 samples over 0.885 rad/um.
"""
import array
import math
import os
import pathlib
import random
import re

import tap
from mirrors import (ROOT, SAMPLES, calibrate, check_positions, read_csv,
                     read_table, refuse, simulate, some, wavelength)

BEHIND = 2400  # um, seen where one of 1235 um is


def check(folder, name, *mirrors):
    """Width of each with this calibration, relative to the least possible."""
    table = read_table(calibrate(folder, "--check", name, "--mirror", *mirrors,
                                 "--same-side"))
    return {mirror: after / possible
            for mirror, (_, _, after, possible) in table.items()}


def keep(folder, name, *arguments, says):
    """An error, and the file is as it was."""
    before = (folder / name).read_bytes()
    text = calibrate(folder, *arguments, "--output", name, status=1)
    error = [line for line in text.splitlines() if line.startswith("Error: ")]
    print(f"# {error[0]}", flush=True)
    assert "No calibration is written: " in error[0], text
    for part in (f"'{name}' is there already", *says):
        assert part in error[0], (part, text)
    assert (folder / name).read_bytes() == before


def test_a_proven_one_is_kept(folder):
    """Two mirrors with a wrong side, beyond the depth range, or at one depth
    fit each other, and do not take the place of a calibration of three."""
    near, middle, deep, other, behind = some(
        folder, 300, 700, 1200, -900, BEHIND, lines=8)
    closer = simulate(folder, "m715.raw", depth=715, lines=8, seed=70)
    calibrate(folder, "--mirror", near, middle, deep, "--same-side", "--output",
              "c.csv")
    for mirrors, says in (
            ([near, other, "--same-side"],
             [f"'{other}' is", "bins wide on the side where it is taken to be",
              "Two depths prove neither the sides", "at a third depth"]),
            ([simulate(folder, "o300.raw", depth=-300, seed=71), "--other-side",
              deep], ["contradicts the calibration"]),
            ([near, behind, "--same-side"],
             [f"'{behind}' is", "beyond the depth range"]),
            ([behind], ["has dispersion", "farther away"]),
            ([middle, closer, "--same-side", "--wavelength-min", 796.7,
              "--wavelength-max", 897.7], [])):
        keep(folder, "c.csv", "--mirror", *mirrors, says=says)
    # where there is nothing to lose it is written, and says what it is worth
    text = calibrate(folder, "--mirror", near, other, "--same-side", "--output",
                     "d.csv")
    assert "two depths always fit each other" in text, text
    assert check(folder, "d.csv", deep)["m1200.raw"] > 2
    # sides that are right do not contradict, and add their columns
    calibrate(folder, "--mirror", near, "--other-side", other, "--output", "c.csv",
              "--wavelength-min", 796.7, "--wavelength-max", 897.7)
    assert "wavelength_nm" in read_csv(folder / "c.csv")
    assert max(check(folder, "c.csv", near, middle, deep).values()) < 1.05


def test_as_good_is_not_better(folder):
    """One as sharp replaces none, whatever else is said of it; the same one
    does."""
    names = some(folder, 200, 900, lines=8)
    calibrate(folder, "--mirror", *names, "--same-side", "--output", "c.csv")
    (folder / "again").mkdir()
    again = [f"again/{name}" for name in names]
    for i, name in enumerate(again):
        simulate(folder, name, depth=(200, 900)[i], lines=8, seed=30 + i)
    keep(folder, "c.csv", "--mirror", *again, "--same-side",
         says=["is as good for these mirrors; it is left as it is"])
    calibrate(folder, "--mirror", *names, "--same-side", "--output", "c.csv")
    # of one depth there is more to know: two replace it
    calibrate(folder, "--mirror", names[1], "--output", "one.csv")
    calibrate(folder, "--mirror", *names, "--same-side", "--output", "one.csv")
    check_positions(read_csv(folder / "one.csv"))


def test_two_depths_of_many_files(folder):
    """A depth that is recorded twice proves no more than once."""
    near, middle, deep, other = some(folder, 200, 500, 900, -400, lines=4)
    again = simulate(folder, "o401.raw", depth=-401, lines=4, seed=70)
    calibrate(folder, "--mirror", near, middle, deep, "--same-side", "--output",
              "c.csv")
    wrong = ["--mirror", near, other, again, "--same-side"]
    keep(folder, "c.csv", *wrong, says=["contradicts the calibration",
                                        "Two depths prove neither the sides"])
    text = calibrate(folder, *wrong, "--output", "d.csv")
    assert "two depths always fit each other" in text, text
    assert check(folder, "d.csv", deep)["m900.raw"] > 2
    # ten of two depths, of which one alone contradicts, are not a majority
    many = [simulate(folder, f"n{i}.raw", depth=-400, seed=80 + i)
            for i in range(8)]
    refuse(folder, "--mirror", near, deep, *many, "--same-side",
           says=["which of them is wrong is not certain"])
    # and a mirror left out for a check takes those at its depth along
    text = calibrate(folder, "--mirror", near, near, deep, deep, "--same-side",
                     "--output", "e.csv")
    assert "Checked with mirrors left out" not in text, text


def test_dispersion_alone_is_kept(folder):
    near, deep = some(folder, 200, 900, lines=4)
    (folder / "c.csv").write_text("dispersion_rad\n" + "".join(
        f"{1e-4 * (i - 512)**2:.6f}\n" for i in range(SAMPLES)))
    keep(folder, "c.csv", "--mirror", near, says=["has dispersion"])
    calibrate(folder, "--mirror", near, deep, "--same-side", "--output", "c.csv")
    check_positions(read_csv(folder / "c.csv"))


def test_two_known_by_their_distance(folder):
    """Distance and wavelengths show the sides of two; one alone does not."""
    near, other = some(folder, 200, -700)
    waves = ["--wavelength-min", 796.7, "--wavelength-max", 897.7]
    for name, more, proven in (
            ("known.csv", [*waves, "--depth-um", 200, -700], True),
            ("told.csv", [*waves, "--same-side"], False)):
        text = calibrate(folder, "--mirror", near, other, *more, "--output", name)
        assert ("two depths always fit" in text) != proven, text
    check_positions(read_csv(folder / "known.csv"))


def test_sides_of_many_with_dispersion(folder):
    """Nobody says on which side they are, and dispersion of 50 rad spoils the
    phases while they are all taken to be on one."""
    depths = [1200, 1350, -380, -970, 180, 330]
    names = some(folder, *depths, a2=150)
    text = calibrate(folder, "--mirror", *names, "--output", "c.csv")
    assert "is left out" not in text, text
    for depth in depths:
        side = "other" if depth < 0 else "sample"
        assert re.search(rf"'m{depth}\.raw'\s+{side}", text), text
    assert len(read_table(text)) == len(depths), text
    check_positions(read_csv(folder / "c.csv"))
    # and one that fits to none of them is found all the same
    (behind,) = some(folder, BEHIND, a2=150)
    text = calibrate(folder, "--mirror", *names, behind, "--output", "d.csv")
    assert f"'{behind}' is left out: its fringe does not fit" in text, text
    assert len(read_table(text)) == len(depths), text
    check_positions(read_csv(folder / "d.csv"))


def test_sharp_by_chance(folder):
    """At one depth dispersion and uneven wavenumbers cancel: a peak that is as
    narrow as its light allows may be a little lower than without a calibration."""
    settings = {"a2": 200, "bend": -0.004, "lines": 4}
    near, other = some(folder, 200, -300, **settings)
    text = calibrate(folder, "--mirror", near, "--other-side", other, "--output",
                     "c.csv")
    assert "This calibration is good" in text, text
    deep = simulate(folder, "m900.raw", depth=900, seed=70, **settings)
    assert max(check(folder, "c.csv", deep).values()) < 1.05


def test_one_of_three_is_wrong(folder):
    """Any two fit each other, thus none of three is the wrong one for certain."""
    near, middle, other, behind = some(folder, 100, 700, -500, BEHIND, lines=8)
    refuse(folder, "--mirror", near, middle, behind, "--same-side",
           says=["which of them is wrong is not certain", "fourth one"])
    refuse(folder, "--mirror", near, middle, behind,
           says=["which of them is wrong is not certain"])
    # a side that is wrong is named where the right one makes all fit
    refuse(folder, "--mirror", near, middle, other, "--same-side",
           says=["off by", f"'{other}' on the other side than '{near}' is"])
    # the sides are found before anything is left out, in any order
    for order in ((near, middle, other), (near, other, middle)):
        text = calibrate(folder, "--mirror", *order, "--output", "c.csv")
        assert f"'{other}' lies on the other side" in text, text
        assert "is left out" not in text, text
        check_positions(read_csv(folder / "c.csv"))
        (folder / "c.csv").unlink()


def test_what_does_not_fit_is_found(folder):
    """From four on one of them is left out, from five on two."""
    good = some(folder, 200, 700, 1200, lines=8)
    behind, deeper, other = some(folder, BEHIND, 2600, -500, lines=8)
    for wrong in ([behind], [behind, deeper]):
        for sides in ([], ["--same-side"]):
            text = calibrate(folder, "--mirror", wrong[0], *good, *wrong[1:],
                             *sides, "--output", "c.csv")
            assert re.findall(r"'(\S+)' is left out: its fringe does not fit",
                              text) == [*wrong], text
            assert sorted(read_table(text)) == sorted(good), text
            check_positions(read_csv(folder / "c.csv"))
            (folder / "c.csv").unlink()
    text = calibrate(folder, "--mirror", *good, other, "--same-side", "--output",
                     "c.csv")
    assert f"'{other}' is left out: its fringe does not fit" in text, text
    check_positions(read_csv(folder / "c.csv"))
    refuse(folder, "--mirror", *good[:2], behind, deeper, "--same-side",
           says=["which of them is wrong is not certain", "another one"])


def test_of_many_no_right_one_is_lost(folder):
    """Two beyond the depth range spoil the fit of the others, on both sides."""
    good = some(folder, 100, 300, 700, 900, 1200, -300, -500, -800)
    wrong = some(folder, BEHIND, 2600, lines=8)
    text = calibrate(folder, "--mirror", *good, *wrong, "--output", "c.csv")
    assert set(re.findall(r"'(\S+)' is left out", text)) == set(wrong), text
    assert sorted(read_table(text)) == sorted(good), text
    check_positions(read_csv(folder / "c.csv"))


def test_check_with_the_sides_exchanged(folder):
    one, two = some(folder, 300, -800, lines=8)
    calibrate(folder, "--mirror", one, "--other-side", two, "--output", "c.csv")
    text = calibrate(folder, "--check", "c.csv", "--mirror", one, "--other-side",
                     two)
    assert "'c.csv' is good for these mirrors: " in text, text
    text = calibrate(folder, "--check", "c.csv", "--mirror", two, "--other-side",
                     one)
    assert "good for these mirrors, with the sides exchanged (" in text, text
    assert "on the other side of the zero delay than --mirror says" in text, text
    # sides that are not given
    text = calibrate(folder, "--check", "c.csv", "--mirror", two)
    assert f"'{two}' lies on the other side of the zero delay than" in text, text
    text = calibrate(folder, "--check", "c.csv", "--mirror", one, two)
    assert "lies on the other side" not in text, text
    # one side that is wrong is not an exchange
    text = calibrate(folder, "--check", "c.csv", "--mirror", one, two,
                     "--same-side")
    assert "'c.csv' is poor for these mirrors: " in text, text


def test_check_the_cscan_with_the_sides_exchanged(folder):
    data = pathlib.Path(os.environ.get(
        "OCT_TEST_DATA", ROOT.parent / "shared" / "data" / "cscan"))
    if not (data / "mirror1.npy").exists():
        raise tap.Skip("the C-scan is not there")
    text = calibrate(folder, "--check", data / "calibration.csv", "--mirror",
                     data / "mirror1.npy", "--other-side", data / "mirror2.npy",
                     samples=None)
    assert "good for these mirrors, with the sides exchanged (" in text, text


def test_source_alone(folder):
    """The flank of the source's spectrum is not a fringe, however many A-lines
    have it; a narrow source reaches farther."""
    for fwhm in (0.02, 0.05, 0.1):
        for lines in (1, 200):
            source = simulate(folder, "source.raw", reflectivity=0, fwhm=fwhm,
                              lines=lines, seed=40)
            refuse(folder, "--mirror", source, says=["no fringe is seen in it"])
    near = simulate(folder, "near.raw", depth=30, fwhm=0.02, seed=41)
    text = calibrate(folder, "--mirror", near, "--output", "n.csv", status=None)
    assert "one mirror alone in the light" not in text, text


def test_range_follows_from_the_distance(folder):
    """0.03 rad of each of two mirrors, which do not average out, become more than
    0.3 rad at sqrt (50 - 1/4) times the distance between them from their
    middle: a straight line through two points has a variance of
    e^2 (1/2 + 2 (x / d)^2)."""
    for first, second in ((500, 530), (500, 560)):
        names = some(folder, first, second, lines=8)
        text = calibrate(folder, "--mirror", *names, "--same-side", "--output",
                         f"{second}.csv")
        low, high = map(int, re.search(
            r"Depths to use it for: bins (\d+) to (\d+)", text).groups())
        bins = [bin for _, bin, _, _ in read_table(text).values()]
        middle, far = sum(bins) / 2, 49.75**0.5 * abs(bins[1] - bins[0])
        print(f"# {first} and {second} um: bins {low} to {high}", flush=True)
        # noise takes some of it away; 129 steps over the range
        step = SAMPLES / 2 / 128
        assert max(middle - far, 8) - step <= low < middle, (low, middle, far)
        assert middle < high <= middle + far + step, (high, middle, far)
        assert high - low < 2 * far + step, (low, high, far)


def balanced(folder, name, bin, samples, lines):
    """A mirror in front of a swept source with balanced detection, whose phase
    drifts: no spectrum of the source is in the counts, and the fringe of each
    A-line begins at another phase."""
    noise, values, drift = random.Random(bin), array.array("H"), 0
    axis = [i / (samples - 1) for i in range(samples)]
    light = [9 * math.exp(-((x - 0.5) / 0.28)**2) for x in axis]
    phase = [2 * math.pi * bin * (x + (25 * math.sin(math.pi * x) - 6 * math.sin(
        2 * math.pi * x)) / samples) + 48 * (x - 0.5)**2 for x in axis]
    for _ in range(lines):
        drift += noise.gauss(0, 0.3)
        values.extend(round(2040 + a * math.cos(p + drift) + noise.gauss(0, 2.5))
                      for a, p in zip(light, phase))
    (folder / name).write_bytes(values.tobytes())
    return name


def test_wrong_number_of_samples(folder):
    """A part of A-lines that are cut in the wrong places agree all the same, and
    each mirror alone is as sharp as can be."""
    made = ["--mirror", balanced(folder, "one.raw", 95, 900, 400),
            balanced(folder, "two.raw", 233, 900, 400), "--same-side"]
    for samples in (450, 675, 1024, 1300):
        refuse(folder, *made, samples=samples,
               says=[f"to have {samples} samples", "repeats every 900 samples",
                     "correct --samples"])
    # 12 bit in 1.5 bytes: 1800 bytes hold 1200 values
    refuse(folder, *made, "--packing", "mono12p", samples=900,
           says=["repeats every 1200 samples", "--packing"])
    text = calibrate(folder, *made, "--output", "c.csv", samples=900)
    assert "This calibration is good: each is within 5 %" in text, text
    assert "left out" not in text, text


def test_what_is_left_out_counts(folder):
    """Few A-lines of a mirror that is tilted below a scan are at one depth."""
    deep = simulate(folder, "deep.raw", depth=900, lines=60, seed=70)
    (folder / "tilted.raw").write_bytes(b"".join(
        (folder / name).read_bytes() for name in some(
            folder, *range(200, 230), lines=2)))
    none = simulate(folder, "none.raw", reflectivity=0, seed=50)
    for mirrors in (1, 0):
        text = calibrate(folder, "--mirror", "tilted.raw", deep, *[none] * mirrors,
                         "--same-side", "--output", f"{mirrors}.csv")
        used = int(re.search(r"the (\d+) of its 60 A-lines", text)[1])
        assert 2 <= used < 30, text
        assert "If it stood still, correct --samples, --header-size" in text, text
        assert ("This calibration is usable: each is within 5 % of the narrowest "
                "that its light allows, "
                + ("with 1 of 3 mirrors left out, and " if mirrors else "with ")
                + f"{60 - used} of 120 A-lines left out, but only {used} of the "
                "60 A-lines of 'tilted.raw' agree with each other") in text, text
    # the same of a calibration that is there
    text = calibrate(folder, "--check", "0.csv", "--mirror", "tilted.raw")
    assert "'0.csv' is usable for these mirrors: each is within" in text, text


def test_ripple_of_the_wavenumbers(folder):
    """A ripple along the record is not a second mirror: one of 4 samples, three
    times over the record, makes side lobes as high as the peak of a smooth
    curve.  One that is too fast to be followed is named."""
    depths = (200, 550, 1000)
    names = some(folder, *depths, lines=20, ripple=4, ripples=3)
    text = calibrate(folder, "--mirror", *names, "--same-side", "--output", "c.csv")
    assert "This calibration is good: " in text and "left out" not in text, text
    check_positions(read_csv(folder / "c.csv"), 0.1, lambda pixel: wavelength(
        pixel + 4 * math.sin(6 * math.pi * pixel / (SAMPLES - 1))))
    others = some(folder, 100, 380, 750, 1200, ripple=4, ripples=3)
    assert max(check(folder, "c.csv", *others).values()) <= 1.05
    fast = some(folder, *depths, lines=20, ripple=1, ripples=30)
    refuse(folder, "--mirror", *fast, "--same-side",
           says=["ripple 30 times along the record", "bins wide"])


tap.main(globals())
