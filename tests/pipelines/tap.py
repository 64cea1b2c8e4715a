# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the programs share: running them, decoding what they made
with GStreamer, TAP."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback


class Skip(Exception):
    pass


def run(*arguments, program, cwd, status=0):
    """Returns (what was printed, what was printed as an error)."""
    result = subprocess.run(
        [str(program), *map(str, arguments)], cwd=cwd, text=True,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    assert result.returncode == status, (
        f"exit status {result.returncode}, expected {status}\n"
        f"{result.stdout}{result.stderr}")
    return result.stdout, result.stderr


def decode(path, cwd):
    """(frames, values of the last one): grey levels, by any decoder."""
    grey = pathlib.Path(cwd) / "grey.raw"
    output, _ = run(
        "-v", "filesrc", f"location={path}", "!", "decodebin", "!",
        "videoconvert", "!", "video/x-raw,format=GRAY8", "!", "filesink",
        f"location={grey}", program="gst-launch-1.0", cwd=cwd)
    width, height = (
        int(re.search(rf"{name}=\(int\)(\d+)", output)[1])
        for name in ("width", "height"))
    data = grey.read_bytes()
    grey.unlink()
    stride = (width + 3) // 4 * 4  # rows of GRAY8 are padded to 4 bytes
    frame = stride * height
    assert len(data) % frame == 0, f"{len(data)} bytes, {width} x {height}"
    last = b"".join(data[len(data) - frame + y * stride:][:width]
                    for y in range(height))
    return len(data) // frame, width, height, last


def spread(grey):
    """Mean and standard deviation."""
    mean = sum(grey) / len(grey)
    return mean, (sum((v - mean) ** 2 for v in grey) / len(grey)) ** 0.5


def main(functions):
    """Runs every test_... of a program, each in a folder of its own."""
    tests = [(name[5:].replace("_", " "), function)
             for name, function in functions.items()
             if name.startswith("test_")]
    failures = 0
    print(f"1..{len(tests)}", flush=True)
    for number, (name, function) in enumerate(tests, 1):
        folder = pathlib.Path(tempfile.mkdtemp())
        try:
            function(folder)
            print(f"ok {number} - {name}", flush=True)
        except Skip as reason:
            print(f"ok {number} - {name} # SKIP {reason}", flush=True)
        except Exception:
            failures += 1
            print(f"not ok {number} - {name}", flush=True)
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    sys.exit(failures > 0)

