# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the tests of the programs: running them, decoding their output with
GStreamer, TAP."""
import concurrent.futures
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import traceback


# Seconds after which something counts as not coming at all.  It is long, since a
# busy machine may be many times slower; no test depends on how long a thing takes.
PATIENCE = 300


class Skip(Exception):
    pass


class Others:
    """Load that disturbs tests of time: how much of the processors other
    programs have used since this was made, the host of a virtual machine
    included, as a part of all cores."""

    def __init__(self):
        self.before = self.count()

    @staticmethod
    def count():
        """Seconds of work of all programs, seconds in all, and those of this
        program and the children that it has waited for."""
        with open("/proc/stat", encoding="ascii") as table:
            user, nice, system, idle, wait, *rest = (
                int(n) for n in table.readline().split()[1:9])
        worked = user + nice + system + sum(rest)
        ours = sum(use.ru_utime + use.ru_stime for use in map(
            resource.getrusage,
            (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
        return worked / 100, (worked + idle + wait) / 100, ours

    def part(self):
        worked, everything, ours = (
            now - before for now, before in zip(self.count(), self.before))
        return max(0, worked - ours) / max(everything, 1e-3)


def timed(function):
    """A test of the computer's speed.  It says nothing while others use more
    than a twentieth of the processors: it is tried up to four times and skipped
    if that is always so.  Failing twice without others is a failure, once may
    be a hiccup of the machine.  If tests run at the same time it is tried once
    among them, which is harder, before all of this."""
    function.timed = True
    return function


def alone(function):
    """A timed test that is easier among others: it is not tried there."""
    function.alone = True
    return timed(function)


def run(*arguments, program, cwd, status=0):
    """Returns (what was printed, what was printed as an error).  `status`: what
    it has to exit with, None: whatever."""
    result = subprocess.run(
        [str(program), *map(str, arguments)], cwd=cwd, text=True,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    assert status is None or result.returncode == status, (
        f"exit status {result.returncode}, expected {status}\n"
        f"{result.stdout}{result.stderr}")
    return result.stdout, result.stderr


# Any decoder, into buffers of its own.  In those of the element after it
# avdec_h264 of GStreamer 1.26 sometimes aborts ("video meta uses 688x512
# instead of 682x512"): its threads change the pool while another negotiates it.
DECODER = ["decodebin", "!", "identity", "drop-allocation=true"]


def decode(path, cwd):
    """(frames, values of the last one): grey levels, by any decoder."""
    grey = pathlib.Path(cwd) / "grey.raw"
    output, _ = run(
        "-v", "filesrc", f"location={path}", "!", *DECODER, "!",
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


def together(function, cases, at_a_time=4):
    """Calls function(case) for each case, several at the same time: for
    functions that wait more than they work.  Raises the first of their errors.
    """
    with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
        for _ in pool.map(function, cases):
            pass


def describe(name):
    """The error that is being handled, as a comment."""
    lines = [name, *traceback.format_exc().splitlines()]
    print("".join(f"# {line}\n" for line in lines), end="", flush=True)


def try_once(function):
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        function(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def try_test(name, function):
    """Raises Skip, or what the test raises last."""
    quiet = 0
    for _ in range(4):
        others = Others()
        try:
            try_once(function)
            return
        except Skip:
            raise
        except Exception:
            part = others.part()
            quiet += part <= 0.05
            if not hasattr(function, "timed") or quiet == 2:
                raise
            describe(name)
            print(f"# others used {100 * part:.0f} % of the processors",
                  flush=True)
    raise Skip("the machine was busy with other things, see above")


class Results:
    """Runs tests and prints what they come to, numbered in the order of their
    ends."""

    def __init__(self):
        self.lock = threading.Lock()
        self.count = self.failures = 0
        self.left = []

    def say(self, verdict, text):
        with self.lock:
            self.count += 1
            self.failures += verdict != "ok"
            print(f"{verdict} {self.count} - {text}", flush=True)

    def run(self, test):
        name, function = test
        try:
            try_test(name, function)
            self.say("ok", name)
        except Skip as reason:
            self.say("ok", f"{name} # SKIP {reason}")
        except Exception:
            self.say("not ok", name)
            describe(name)

    def run_among_others(self, test):
        """A timed test that fails here is left for when it is alone."""
        name, function = test
        if not hasattr(function, "timed"):
            self.run(test)
            return
        if not hasattr(function, "alone"):
            try:
                try_once(function)
                self.say("ok", name)
                return
            except Skip as reason:
                self.say("ok", f"{name} # SKIP {reason}")
                return
            except Exception:
                describe(f"{name}, among others")
        self.left.append(test)


def main(functions, at_a_time=1):
    """Runs every test_... of a program, each in a folder of its own."""
    # the tests may have been started to outlive their terminal (nohup)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    tests = [(name[5:].replace("_", " "), function)
             for name, function in functions.items()
             if name.startswith("test_")]
    results = Results()
    print(f"1..{len(tests)}", flush=True)
    if at_a_time > 1:
        together(results.run_among_others, tests, at_a_time)
        tests = results.left
    for test in tests:
        results.run(test)
    sys.exit(results.failures > 0)
