# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs pipelines/slurm/submit.sh on a Slurm cluster of one node, this computer,
which is started here and ended at the end.  Output is TAP."""
import atexit
import csv
import getpass
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import tap
from tap import Skip

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUBMIT = ROOT / "pipelines/slurm/submit.sh"
CONVERT = pathlib.Path(os.environ["OCT_CONVERT"])
NEEDED = ("slurmctld", "slurmd", "munged", "sbatch")
SAMPLES, LINES = 128, 24
# where Debian has daemons
os.environ["PATH"] += ":/usr/sbin:/sbin"
os.environ.pop("SLURM_CONF", None)

try:
    import numpy
except ImportError:
    numpy = None

CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=6
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=here NodeHostname={host} NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes=here Default=YES
"""


def wait_for(what, happens, seconds=60):
    """Returns the first true value of `happens`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = happens()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError(f"{seconds} s have passed without: {what}")


def ask(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=30,
                          check=False).stdout


class Cluster:
    """munged, slurmctld and slurmd with a folder and ports of their own."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.folder.chmod(0o755)
        self.daemons = []
        atexit.register(self.end)
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        with socket.socket() as one, socket.socket() as other:
            for listener in (one, other):
                listener.bind(("127.0.0.1", 0))
            ports = [one.getsockname()[1], other.getsockname()[1]]
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], ports=ports,
            user=getpass.getuser(), folder=self.folder))
        version = re.search(r" (\d+)\.", ask("slurmd", "-V"))
        if version and int(version[1]) >= 23:
            (self.folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
        os.environ["SLURM_CONF"] = str(self.folder / "slurm.conf")
        self.start("munged", "--foreground", "--force", f"--key-file={key}",
                   *(f"--{name}={self.folder}/munge.{name.split('-')[0]}"
                     for name in ("socket", "pid-file", "log-file",
                                  "seed-file")))
        wait_for("munged", (self.folder / "munge.socket").exists)
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D", "-N", "here")
        wait_for("an idle node", lambda: self.state() == "idle")

    def start(self, *command):
        with open(self.folder / f"{command[0]}.txt", "wb") as log:
            self.daemons.append(subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def state(self):
        """State of the node, as sinfo calls it; fails when a daemon has ended."""
        for daemon in self.daemons:
            if daemon.poll() is not None:
                name = daemon.args[0]
                raise AssertionError(f"{name} has ended:\n" + (
                    self.folder / f"{name}.txt").read_text())
        return ask("sinfo", "--noheader", "--format=%T").strip()

    def set_state(self, state):
        tap.run("update", "nodename=here", f"state={state}", "reason=test",
                program="scontrol", cwd=self.folder)

    def end(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


cluster = None


def need_cluster():
    global cluster
    for name in NEEDED:
        if not shutil.which(name):
            raise Skip(f"{name} was not found (Debian: slurmctld, slurmd, "
                       "slurm-client, munge)")
    if numpy is None:
        raise Skip("NumPy is not installed")
    if cluster is None:
        cluster = Cluster()
    # what a test that failed has left
    subprocess.run(["scancel", "--user", getpass.getuser()], check=False)
    if cluster.state() != "idle":
        cluster.set_state("resume")
        wait_for("an idle node", lambda: cluster.state() == "idle")
    return cluster


def make_archive(folder, sizes):
    """B-scans by name."""
    random = numpy.random.default_rng(1)
    (folder / "archive").mkdir()
    for name, bscans in sizes.items():
        numpy.save(folder / "archive" / name, random.integers(
            0, 4000, (bscans, LINES, SAMPLES), "u2"))
    (folder / "cal.csv").write_text("wavelength_nm\n" + "".join(
        f"{790 + 110 * i / (SAMPLES - 1):.6f}\n" for i in range(SAMPLES)))


def submit(folder, *options, more=(), status=0):
    return "".join(tap.run(
        "--program", CONVERT, "--cores", 1, *options, "--", "archive",
        "--output", "out", "--format", "npy", "--calibration", "cal.csv",
        # some archives have more B-scans than hundreds of samples
        "--sample-dimension", 3,
        "--checksums", *more, program=SUBMIT, cwd=folder, status=status))


def tasks(state):
    """Indices of the tasks of that state, PENDING or RUNNING."""
    found = ask("squeue", "--noheader", "--array", "--name=oct-convert",
                f"--states={state}", "--format=%K")
    return sorted(found.split())


def wait_for_summary(folder):
    wait_for("the end of all jobs",
             lambda: ask("squeue", "--noheader", "--format=%i?") == "")
    path, = folder.glob("out/slurm/*-summary.txt")
    return path.read_text()


def manifest(folder):
    with open(folder / "out/oct-convert.csv", newline="") as file:
        return list(csv.DictReader(file))


def check_volumes(folder, names):
    """All are there, and sha256sum agrees with the manifest."""
    rows = [row for row in manifest(folder) if row["state"] == "done"]
    assert sorted(row["output"] for row in rows) == sorted(names), rows
    (folder / "sums").write_text("".join(
        f"{row['sha256']}  out/{row['output']}\n" for row in rows))
    tap.run("--check", "--strict", "sums", program="sha256sum", cwd=folder)


def test_archive(folder):
    """Converted by three tasks; a broken file is told, and what is complete is
    not submitted again."""
    need_cluster()
    names = [f"{n}.npy" for n in range(7)]
    make_archive(folder, dict.fromkeys(names, 6))
    (folder / "archive/3.npy").write_bytes(b"no spectra")
    text = submit(folder, "--tasks", 3, "--at-once", 2, "--wait", status=1)
    assert "Not complete: 1 of 7" in text and "archive/3.npy: " in text, text
    (folder / "archive/3.npy").unlink()
    names.remove("3.npy")
    check_volumes(folder, names)
    logs = list(folder.glob("out/slurm/*-part-*.txt"))
    assert len(logs) == 3, logs
    text = submit(folder, "--tasks", 3)
    assert "Complete: all 6 files" in text and "Nothing is left" in text, text
    assert len(list(folder.glob("out/slurm/*"))) == len(logs) + 1


def find_program(path):
    """The oct-convert that has this file open."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (process / "exe").resolve() == CONVERT.resolve() and any(
                    file.resolve() == path
                    for file in (process / "fd").iterdir()):
                return int(process.name)
        except OSError:
            pass  # it has ended, or is somebody else's
    return None


def test_killed_task_and_drained_node(folder):
    """A task that is killed is run again when the node is back, and converts
    only what it had not."""
    here = need_cluster()
    # the first two are the first part, the second of them takes seconds
    sizes = {"a.npy": 2, "b.npy": 6000, **{f"{c}.npy": 50 for c in "vwxyz"}}
    make_archive(folder, sizes)
    submit(folder, "--tasks", 2, "--cores", 2, more=("--method", "nudft"))
    program = wait_for("b.npy is being converted", lambda: find_program(
        (folder / "archive/b.npy").resolve()))
    os.kill(program, signal.SIGSTOP)
    before = (folder / "out/a.npy").stat().st_mtime_ns
    here.set_state("drain")
    os.kill(program, signal.SIGKILL)
    wait_for("the task is in the queue again",
             lambda: tasks("PENDING") == ["1", "2"])
    wait_for("the node is drained", lambda: here.state() == "drained")
    assert sorted(path.name for path in folder.glob("out/*.npy")) == ["a.npy"]
    here.set_state("resume")
    text = wait_for_summary(folder)
    assert f"Complete: all {len(sizes)} files" in text, text
    assert (folder / "out/a.npy").stat().st_mtime_ns == before
    check_volumes(folder, sizes)
    log = next(folder.glob("out/slurm/*-part-1.txt")).read_text()
    assert "restarts: 1" in log and re.search("done before +1\n", log), log
    assert not list(folder.glob("out/.oct-convert*"))


def test_cancelled_task(folder):
    """Its files are reported as missing, and converted when the line is
    submitted again."""
    here = need_cluster()
    names = [f"{n}.npy" for n in range(4)]
    make_archive(folder, dict.fromkeys(names, 6))
    here.set_state("drain")
    text = submit(folder, "--tasks", 2)
    job = re.search(r"^Job (\d+):", text, re.M)[1]
    assert tasks("PENDING") == ["1", "2"] and not tasks("RUNNING")
    tap.run(f"{job}_2", program="scancel", cwd=folder)
    here.set_state("resume")
    text = wait_for_summary(folder)
    assert "Not complete: 2 of 4" in text and "archive/2.npy\n" in text, text
    assert "Complete: all 4" in submit(folder, "--tasks", 2, "--wait")
    check_volumes(folder, names)


def test_time_is_up(folder):
    """The signal that Slurm sends before it ends a task stops it in order; it
    goes on in another run."""
    need_cluster()
    make_archive(folder, {"a.npy": 2, "b.npy": 6000})
    text = submit(folder, "--tasks", 1, more=("--method", "nudft"))
    job = re.search(r"^Job (\d+):", text, re.M)[1]
    wait_for("b.npy is being converted", lambda: find_program(
        (folder / "archive/b.npy").resolve()))
    tap.run("--batch", "--signal=USR1", f"{job}_1", program="scancel",
            cwd=folder)
    text = wait_for_summary(folder)
    assert "Complete: all 2 files" in text, text
    log = next(folder.glob("out/slurm/*-part-1.txt")).read_text()
    assert "the time is up" in log and "restarts: 1" in log, log
    check_volumes(folder, ["a.npy", "b.npy"])


def test_wrong_options(folder):
    """They are told before anything is submitted."""
    (folder / "sbatch").write_text("#!/bin/sh\ntouch submitted\n")
    (folder / "sbatch").chmod(0o755)
    path, os.environ["PATH"] = os.environ["PATH"], (
        f"{folder}:{os.environ['PATH']}")
    good = ["--", "x.npy", "--output", "out"]
    try:
        for arguments, status, named in (
                (good, 2, "--tasks is missing"),
                (["--tasks", "2"], 2, "after --"),
                (["--tasks", "0", *good], 2, "'0'"),
                (["--tasks=2x", *good], 2, "'2x'"),
                (["--tasks", "2", "--gpus", "a", *good], 2, "--gpus"),
                (["--tasks", "2", "--magic", "3", *good], 2, "'--magic'"),
                (["--tasks", "2", "--", "x.npy"], 2, "--output"),
                (["--tasks", "2", *good, "--part", "1/2"], 2, "--part"),
                (["--tasks", "2", *good, "--format", "png"], 2, "--format"),
                (["--tasks", "2", *good], 1, "x.npy")):
            text = "".join(tap.run("--program", CONVERT, *arguments,
                                   program=SUBMIT, cwd=folder, status=status))
            assert named in text, text
    finally:
        os.environ["PATH"] = path
    assert not (folder / "submitted").exists()


# for the daemons to end too when Meson ends the test
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
tap.main(globals())
