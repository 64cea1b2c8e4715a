# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples in C and for the shell.  Output is TAP.

programs.py DIGITIZER FROM_DIGITIZER LIVE FOLDER_OF_DEPTHGAIN
"""
import array
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGITIZER, FROM_DIGITIZER, LIVE, ELEMENT = map(pathlib.Path, sys.argv[1:5])
PYTHON = "/usr/bin/python3"  # GStreamer's bindings are those of the system's own
DEPTH = re.compile(r"volume (\d+), B-scan (\d+): mirror at ([\d.]+) um, "
                   r"(\d+) bins wide, at ([\d.]+) ms")
LIMIT = 120  # seconds


class Skip(Exception):
    pass


def need(*elements):
    for name in elements:
        if subprocess.run(
                ["gst-inspect-1.0", "--exists", "--atleast-version=0.0", name],
                stdin=subprocess.DEVNULL).returncode != 0:
            raise Skip(f"there is no element {name}")


def launch(folder, line):
    result = subprocess.run(
        ["gst-launch-1.0", "-q", *line.split()], cwd=folder, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=LIMIT)
    assert result.returncode == 0, result.stdout
    return result.stdout


def digitize(folder, *arguments):
    """The output of from-digitizer about the digitizer's A-lines."""
    need("shmsink", "shmsrc")
    socket = folder / "socket"
    with subprocess.Popen([DIGITIZER, socket, *arguments],
                          stdin=subprocess.DEVNULL) as digitizer:
        try:
            # it is there when the socket is
            while not socket.exists():
                assert digitizer.poll() is None, "the digitizer has ended"
                try:
                    digitizer.wait(0.05)
                except subprocess.TimeoutExpired:
                    pass
            result = subprocess.run(
                [FROM_DIGITIZER, socket], cwd=folder, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, timeout=LIMIT)
            assert result.returncode == 0, result.stdout
            assert digitizer.wait(LIMIT) == 0
        finally:
            digitizer.kill()
    return result.stdout


def check_mirror(volume, bscan, depth, width, time):
    """The mirror is 20 um deeper in every B-scan, which take 120 A-lines of
    10 us; half a bin of 3.23 um is what its depth is known to.  With the
    dispersion of the glass in it, it would be 8 bins wide or more."""
    assert abs(float(depth) - 300 - 20 * bscan) < 1.7, (bscan, depth)
    assert 2 <= int(width) <= 3, width
    assert abs(float(time) - 1.2 * (volume * 5 + bscan)) < 0.051, time


def test_digitizer(folder):
    found = DEPTH.findall(digitize(folder, "2"))
    assert [(int(volume), int(bscan)) for volume, bscan, *_ in found] == [
        (volume, bscan) for volume in range(2) for bscan in range(5)], found
    for volume, bscan, *rest in found:
        check_mirror(int(volume), int(bscan), *rest)


def test_lost_lines(folder):
    """Block 9, A-lines 256 to 287, is a part of B-scan 2."""
    text = digitize(folder, "1", "9")
    assert "volume 0, B-scan 2: left out, 68 of 100 A-lines came" in text, text
    found = DEPTH.findall(text)
    assert [int(bscan) for _, bscan, *_ in found] == [0, 1, 3, 4], found
    for volume, bscan, *rest in found:
        check_mirror(int(volume), int(bscan), *rest)


def test_no_digitizer(folder):
    """A socket that nobody made: the reason, and an end."""
    need("shmsrc")
    result = subprocess.run(
        [FROM_DIGITIZER, folder / "nobody"], text=True, timeout=LIMIT,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    assert result.returncode == 1 and result.stdout.strip(), result


def test_element(folder):
    """The element multiplies A-scans by 10^(gain depth / 20)."""
    os.environ["GST_PLUGIN_PATH"] += os.pathsep + str(ELEMENT)
    line = ("octsrc samples=1024 lines=4 num-buffers=2 "
            "! octdcsub wavelength-min=790 wavelength-max=900 "
            "! octnufft depth-start=100 depth-bins=200 ! {} filesink location={}")
    launch(folder, line.format("", "without"))
    launch(folder, line.format("depthgain gain=6 !", "with"))
    values = [array.array("f", (folder / name).read_bytes())
              for name in ("without", "with")]
    assert len(values[0]) == len(values[1]) == 2 * 4 * 200 * 2
    assert max(values[0]) > 0
    step = 1023 / 1024 / 2 / (1 / 790e-6 - 1 / 900e-6)  # mm
    for i, (before, found) in enumerate(zip(*values)):
        depth = (100 + i // 2 % 200) * step
        assert math.isclose(found, before * 10 ** (6 * depth / 20),
                            rel_tol=1e-5), (i, before, found)


def test_no_scale(folder):
    """A-scans without a scale of depth are refused with a sentence."""
    result = subprocess.run(
        ["gst-launch-1.0", "-q", *(
            "octsrc samples=64 lines=2 num-buffers=1 ! filesink "
            "location=counts").split()], cwd=folder, timeout=LIMIT)
    # gst-launch-1.0 of GStreamer 1.20 and later misses an error that comes
    # before its main loop runs, and goes on: its sentence is waited for
    with subprocess.Popen(
            ["gst-launch-1.0", "-q", *(
                "octsrc location=counts samples=64 lines=2 ! octdcsub "
                "axis=wavenumber ! octfft ! depthgain ! fakesink").split()],
            cwd=folder, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as launched:
        stop = threading.Timer(LIMIT, launched.kill)
        stop.start()
        try:
            said = []
            for line in launched.stdout:
                said.append(line)
                if "The A-scans have no scale of depth" in line:
                    return
            raise AssertionError("".join(said))
        finally:
            stop.cancel()
            launched.kill()


class Live:
    """A live application, with the lines that it prints."""

    def __init__(self, program, source):
        self.process = subprocess.Popen(
            [*program, source, "fakesink"], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.stop = threading.Timer(LIMIT, self.process.kill)

    def __enter__(self):
        self.stop.start()
        return self

    def __exit__(self, *_):
        self.stop.cancel()
        self.process.kill()
        self.process.communicate()

    def wait_for(self, start):
        said = []
        for line in self.process.stdout:
            if line.startswith(start):
                return line
            said.append(line)
        raise AssertionError(f"no {start} in {said}")

    def command(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()


def check_live(program):
    """The calibration of the source has 30 um^2 too much, which autofocus takes
    away again."""
    with Live(program, "octsrc is-live=true samples=1024 lines=256 bscans=1 "
              "line-rate=2560 dispersion-a2=30") as live:
        assert re.fullmatch(r"oct-meter: peak at [\d.]+ um, SNR [\d.]+ dB\n",
                            live.wait_for("oct-meter"))
        live.command("a")
        a2 = re.match(r"autofocus: changed, a2 = (-[\d.]+);",
                      live.wait_for("autofocus"))
        assert a2 and abs(float(a2[1]) + 30) < 5, a2
        live.command("m abc")
        live.wait_for("m needs a number")
        live.command("m 70")
        assert live.wait_for("max") == "max = 70 dB\n"
        live.command("u")
        assert live.wait_for("autofocus").startswith("autofocus: undone, a2 = 0.00;")
        live.command("u")
        live.wait_for("there is nothing to undo")
        live.command("q")
        assert live.process.wait(LIMIT) == 0
    with Live(program, "octsrc location=none.raw samples=64 lines=4") as live:
        assert "none.raw" in live.wait_for("error: ")
        assert live.process.wait(LIMIT) == 1


def test_live_in_c(_):
    check_live([LIVE])


def test_live_in_python(_):
    if subprocess.run([PYTHON, "-c", "import gi"], capture_output=True).returncode:
        raise Skip("there is no python3-gi")
    check_live([PYTHON, "-B", ROOT / "examples" / "live.py"])


def test_make(folder):
    """Without an installed plugin: with the header of the sources, or a sentence."""
    if not shutil.which("make") or not shutil.which("pkg-config"):
        raise Skip("there is no make or no pkg-config")
    examples = folder / "examples"
    shutil.copytree(ROOT / "examples", examples,
                    ignore=shutil.ignore_patterns("*.so", "live", "*digitizer"))
    environment = dict(os.environ, PKG_CONFIG_PATH="")
    if subprocess.run(["pkg-config", "--exists", "gstreamer-oct-1.0"],
                      env=environment).returncode == 0:
        raise Skip("gst-oct is installed")
    make = ["make", "-s", "-C", examples]
    result = subprocess.run(make, env=environment, text=True, capture_output=True)
    assert result.returncode != 0, result.stdout
    assert "install gst-oct (in Debian gst-oct-dev)" in result.stderr, result.stderr
    (folder / "gst").symlink_to(ROOT / "gst")
    result = subprocess.run(make, env=environment, text=True, capture_output=True)
    assert result.returncode == 0, result.stderr
    assert all((examples / name).exists() for name in
               ("live", "digitizer", "from-digitizer", "libgstdepthgain.so"))


def test_shell(folder):
    need("pngenc", "octvolumesink")
    result = subprocess.run(
        ["sh", ROOT / "examples" / "pipelines.sh", folder], text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, timeout=LIMIT)
    assert result.returncode == 0, result.stdout
    sizes = {name.name: name.stat().st_size for name in folder.iterdir()}
    assert sizes["spectra.raw"] == 3 * 200 * 1024 * 2
    assert sizes["ascans.cf32"] == 3 * 200 * 512 * 8
    assert sizes["both.cf32"] == 512 * 1024 * 8
    # tissue and not black
    for name in ("bscan2.png", "both.png", "settings.png"):
        assert sizes[name] > 100000, sizes
    # a recording played is what was seen
    for number in range(3):
        assert ((folder / f"bscan{number}.png").read_bytes()
                == (folder / f"played{number}.png").read_bytes())
    assert (folder / "volume.npy").read_bytes()[:6] == b"\x93NUMPY"
    assert sizes["volume.npy"] > 16 * 128 * 1000
    assert sizes["enface0.png"] > 500


def main():
    tests = [test for name, test in globals().items() if name.startswith("test_")]
    failed = 0
    print(f"1..{len(tests)}")
    for number, test in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(pathlib.Path(folder))
                print(f"ok {number} - {test.__name__}", flush=True)
            except Skip as reason:
                print(f"ok {number} - {test.__name__} # SKIP {reason}", flush=True)
            except (AssertionError, subprocess.SubprocessError, KeyError) as error:
                failed += 1
                print(f"not ok {number} - {test.__name__}: {error!r}"
                      .replace("#", ""), flush=True)
    sys.exit(failed > 0)


os.environ["LC_ALL"] = "C"
main()
