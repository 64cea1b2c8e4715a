# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every gst-launch-1.0 line of README.md, docs/ and the elements' comments.

In a page a line counts when it starts a line of a fenced block; a backslash continues
it.  Lines that need a display, a GPU or a camera stand in ```text blocks or
follow a comment line "# needs ..."; they are checked for known elements only.
Films are cut after a second.  Lines of the elements' SECTION comments (sections.py)
run with fewer B-scans, and without a display.
Each runs in a folder with the files that the documentation talks about.
Output is TAP, for Meson.
"""
import contextlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import sections
from sections import ROOT

# with variables of the environment before it, or not
LAUNCH = re.compile(r"(?:[A-Z_]+=\S+ )*gst-launch-1\.0 ")
TIME_LIMIT = 60  # seconds for one line
FEW = 6  # B-scans
FILM = 32  # B-scans of a film, a second of it
# The virtual system's spectrometer, so that the files fit each other.
FIRST_NM, LAST_NM, SAMPLES = 790.0, 900.0, 1024
LINES, ODD_LINES = 100, 99


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text):
    """(language, lines) of each fenced block."""
    for match in re.finditer(r"^```(\w*)\n(.*?)^```", text, re.M | re.S):
        joined = match[2].replace("\\\n", " ")
        yield match[1], joined.splitlines()


def commands():
    """(page, command, whether it can run here)"""
    for page in pages():
        for language, lines in blocks(page.read_text(encoding="utf-8")):
            excused = language == "text"
            for line in lines:
                if line.startswith("#"):
                    excused = excused or line.startswith("# needs ")
                elif LAUNCH.match(line):
                    yield page.relative_to(ROOT), line, not excused


def element_commands():
    """The same of SECTION comments, which gtk-doc and hotdoc show."""
    for source, element, text in sections.sections():
        if element in sections.left_out():
            continue
        for lines in sections.parts(text)[1]:
            yield source, " ".join(lines)


def short(command):
    """With fewer B-scans, and where there is no display."""
    command = re.sub(r"\bnum-buffers=\d+", f"num-buffers={FEW}", command)
    command = command.replace("bscans=64", f"bscans={FEW // 2}")
    if "num-buffers=" not in command and "location=" not in command:
        command = command.replace(" octsrc ", f" octsrc num-buffers={FEW} ", 1)
    return command.replace("autovideosink", "fakesink")


def brief(command):
    """The beginning of a film; a volume needs all of its B-scans."""
    if "bscans=" in command:
        return command
    return re.sub(r"\bnum-buffers=(\d+)",
                  lambda match: f"num-buffers={min(int(match[1]), FILM)}", command)


@contextlib.contextmanager
def digitizer(command, folder):
    """Writes at the socket `daq` for a line that reads there."""
    if "octdaqsrc" not in command:
        yield
        return
    with subprocess.Popen([os.environ["OCT_DAQ_SIM"], "--samples", "256", "--lines",
                           "32", "--loop", "4", "--k-clock", "--line-rate", "10000", "daq"],
                          cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL) as simulated:
        try:
            yield
        finally:
            simulated.terminate()


def without_board(command):
    """A false library has the board that a line plays on."""
    if " octcomedisink " not in command:
        return command
    return command.replace(
        " octcomedisink ", f" octcomedisink library={os.environ['OCT_FAKE_COMEDI']} ")


def run(arguments, folder):
    try:
        result = subprocess.run(
            arguments, cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=TIME_LIMIT, errors="replace")
    except subprocess.TimeoutExpired:
        return f"did not end within {TIME_LIMIT} s"
    if result.returncode != 0 or "ERROR" in result.stdout:
        return result.stdout
    return None


def look(command, folder):
    """The fault of the pictures that it wrote, or None."""
    for name in re.findall(r"location=([\w-]+\.png)", command):
        count = (folder / name).read_bytes().count(b"\x89PNG\r\n\x1a\n")
        if count != 1:
            return (f"{name} has {count} pictures one after the other; a viewer "
                    "shows the first")
    return None


def odd(command):
    """The same with an odd number of A-lines, which H.264 does not take."""
    if "lines=100" in command:
        return command.replace("lines=100", f"lines={ODD_LINES}")
    if "location=scan.npy" in command:
        return command
    return command.replace(" octsrc ", f" octsrc lines={ODD_LINES} ", 1)


def has_odd(command):
    """It encodes, and nothing says how many A-lines there are but odd()."""
    return (" octsrc " in command and "x264enc" in command
            and ".oct " not in command
            and (" lines=100 " in command or " lines=" not in command))


def make_files(folder, lines):
    """Writes the files that the documentation's lines read."""
    rows = [f"{FIRST_NM + (LAST_NM - FIRST_NM) * i / (SAMPLES - 1):.6f}"
            for i in range(SAMPLES)]
    (folder / "calibration.csv").write_text(
        "wavelength_nm\n" + "\n".join(rows) + "\n", encoding="utf-8")
    trouble = run(shlex.split(
        f"gst-launch-1.0 -q octsrc num-buffers=10 samples={SAMPLES} lines={lines} "
        "! filesink location=scan.raw"), folder)
    if trouble:
        print(f"Bail out! scan.raw cannot be made: {trouble}")
        sys.exit(1)
    spectra = (folder / "scan.raw").read_bytes()
    header = (f"{{'descr': '<u2', 'fortran_order': False, "
              f"'shape': (10, {lines}, {SAMPLES}), }}").encode()
    header += b" " * (117 - len(header)) + b"\n"
    (folder / "scan.npy").write_bytes(
        b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
        + spectra)
    (folder / "background.raw").write_bytes(spectra[:2 * SAMPLES])


def missing_elements(command):
    """Elements of this plugin, whose version is not GStreamer's."""
    return [name for name in re.findall(r"\boct[a-z0-9]+\b", command)
            if name not in sections.left_out() and subprocess.run(
                ["gst-inspect-1.0", "--exists", "--atleast-version=0.0", name],
                stdin=subprocess.DEVNULL).returncode != 0]


def other_calibrations():
    """Where a line has another calibration than the one that the README makes."""
    for page in pages():
        for _, lines in blocks(page.read_text(encoding="utf-8")):
            for line in lines:
                for path in re.findall(r"\bcalibration[= ]([^ \"']+\.csv)\b", line):
                    if path.split("/")[-1] != "calibration.csv":
                        yield f"{page.relative_to(ROOT)}: {line}"


def main():
    found = [(page, command, runs, LINES) for page, command, runs in commands()]
    found += [(page, odd(command), runs, ODD_LINES)
              for page, command, runs in commands()
              if runs and has_odd(command)]
    # in a folder of their own, as they write files of the same names
    sections = [(page, short(command), True, "elements")
                for page, command in element_commands()]
    found += sections
    if len(found) == len(sections) or not sections:
        print("Bail out! no launch lines found")
        sys.exit(1)
    failures = 0
    print(f"1..{len(found) + 1}")
    with tempfile.TemporaryDirectory() as name:
        folders = {lines: pathlib.Path(name) / str(lines)
                   for lines in (LINES, ODD_LINES, "elements")}
        for lines, folder in folders.items():
            folder.mkdir()
            make_files(folder, LINES if lines == "elements" else lines)
        for number, (page, command, runs, lines) in enumerate(found, 1):
            label = f"{number} - {page}: {command}".replace("#", "")
            if not runs:
                unknown = missing_elements(command)
                print(f"not ok {label}" if unknown
                      else f"ok {label} # SKIP needs hardware or a display")
                failures += bool(unknown)
                continue
            with digitizer(command, folders[lines]):
                trouble = (run(["env", *shlex.split(without_board(brief(command)))],
                               folders[lines])
                       or look(command, folders[lines]))
            print(f"{'not ok' if trouble else 'ok'} {label}", flush=True)
            if trouble:
                failures += 1
                for line in trouble.splitlines():
                    print(f"# {line}")
    others = list(other_calibrations())
    print(f"{'not ok' if others else 'ok'} {len(found) + 1} - calibrations of lines "
          "are calibration.csv")
    failures += len(others)
    for line in others:
        print(f"# {line}")
    sys.exit(failures > 0)


os.environ["LC_ALL"] = "C"
main()
