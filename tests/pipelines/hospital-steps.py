# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-dicom step: with a system of another library, with one that hangs, closes and
refuses, killed and started again.  Output is TAP."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import tap
from dicom_archive import program, wait_for
from dicom_peer import DICOM, OPT, Peer, free_port, make_object, need_pydicom, run
from tap import Skip

CASE = "Doe Jane | 42 | A7"
ENTRY = {"case": CASE, "PatientName": "M\u00fcller^J\u00fcrgen", "PatientID": "42",
         "PatientBirthDate": "19610203", "PatientSex": "F", "AccessionNumber": "A7",
         "StudyInstanceUID": "2.25.1", "RequestedProcedureDescription": "OCT",
         "RequestedProcedureID": "R1", "ReferringPhysicianName": "",
         "ScheduledStationAETitle": "OCT",
         "ScheduledProcedureStepStartDate": "20261128",
         "ScheduledProcedureStepStartTime": "101500", "Modality": "OPT",
         "ScheduledProcedureStepDescription": "Macula",
         "ScheduledProcedureStepID": "S1"}
RAW = "1.2.840.10008.5.1.4.1.1.66"

# PS3.4, Table F.7.2-1: those with a value in N-CREATE, and those that may have none
WITH_VALUE = ("00400270", "00400253", "00400241", "00400244", "00400245", "00400252",
              "00080060")
THERE = ("00100010", "00100020", "00100030", "00100040", "00081120", "00400242",
         "00400243", "00400254", "00400255", "00081032", "00400250", "00400251",
         "00200010", "00400260", "00400340")
SCHEDULED = ("00081110", "00080050", "00401001", "00321060", "00400009", "00400007",
             "00400008")
SERIES = ("00081050", "00081070", "0008103E", "00080054", "00081140", "00400220")


def write_cases(folder, *changes):
    (folder / "c.jsonl").write_text("".join(
        json.dumps(ENTRY | change) + "\n" for change in changes or ({},)))


def step(folder, peer, *arguments, status=0):
    return run("step", arguments[0], "--peer", peer, "--queue", "q", "--timeout", 5,
               "--retries", 0, *arguments[1:], cwd=folder, status=status)


def begin(folder, peer, *more, status=0):
    return step(folder, peer, "begin", "--from", "c.jsonl", *more, CASE,
                status=status)


def files(folder):
    return {name: sorted(path.suffix for path in (folder / "q" / name).iterdir())
            for name in ("steps", "told")}


def need_odil():
    done = subprocess.run([sys.executable, "-c", "import odil"],
                          stderr=subprocess.DEVNULL)
    if done.returncode:
        raise Skip("Odil is not installed (Debian: python3-odil)")


@contextlib.contextmanager
def ris(folder):
    """The peer, and what it was told: a function."""
    need_odil()
    port = free_port()
    script = pathlib.Path(__file__).with_name("mpps_peer.py")
    with open(folder / "told", "w") as out, subprocess.Popen(
            [sys.executable, str(script), str(port)], stdout=out) as process:
        try:
            peer = f"RIS@127.0.0.1:{port}"
            wait_for(folder, peer)
            yield peer, lambda: [
                json.loads(line)
                for line in (folder / "told").read_text().splitlines()]
        finally:
            process.kill()


def value(data, tag):
    return data[tag].get("Value", [""])[0]


# ------------------------------------------------------------------------- options

def test_options(folder):
    """A sentence for each that is not possible, and the exit status 2."""
    peer = ("--peer", "A@localhost:1")
    for options, words in (
            ((), "begin, complete"), (("fly",), "'fly'"),
            (("begin", *peer, "x"), "--from"),
            (("begin", *peer, "--from", "c"), "one case"),
            (("begin", *peer, "--from", "c", "x"), "--queue"),
            (("tell", *peer, "--queue", "q", "x"), "takes no files"),
            (("discontinue", *peer, "--queue", "q", "--reason", "x"),
             "unspecified, entry")):
        _, err = run("step", *options, cwd=folder, status=2)
        assert words in err and err.count("\n") == 1, (options, err)


def test_cases(folder):
    """A case that is not there, has no study, or several steps."""
    peer = "A@127.0.0.1:1"
    write_cases(folder, {"StudyInstanceUID": "../../x"})
    _, err = begin(folder, peer, status=1)
    assert "worklist server" in err, err
    write_cases(folder, {}, {"ScheduledProcedureStepID": "S2"})
    _, err = begin(folder, peer, status=1)
    assert "--scheduled" in err, err
    _, err = begin(folder, peer, "--scheduled", "S3", status=1)
    assert "no case" in err and "S3" in err, err
    assert files(folder) == {"steps": [], "told": []}
    out, _ = begin(folder, peer, "--scheduled", "S2", status=3)
    assert "begun " in out and files(folder)["steps"] == [".begin"]


def test_objects(folder):
    """Files that cannot belong to the step, and steps that are not there."""
    peer = "A@127.0.0.1:1"
    need_pydicom()
    write_cases(folder)
    make_object(folder / "a.dcm", "2.25.5")
    (folder / "text.dcm").write_text("no DICOM")
    make_object(folder / "b.dcm", "2.25.6", study="2.25.2")
    _, err = step(folder, peer, "complete", "a.dcm", status=1)
    assert "No step of the study 2.25.1" in err, err
    begin(folder, peer, status=3)
    for names, words in ((["text.dcm"], "text.dcm' is not a whole"),
                         (["none.dcm"], "none.dcm' is not a whole"),
                         (["a.dcm", "b.dcm"], "another study"),
                         (["b.dcm"], "No step of the study 2.25.2"),
                         (["--step", "2.25.7", "a.dcm"], "No step 2.25.7")):
        _, err = step(folder, peer, "complete", *names, status=1)
        assert words in err, err
    assert files(folder)["steps"] == [".begin"]
    write_cases(folder, {"StudyInstanceUID": "2.25.8"})
    begin(folder, peer, status=3)
    _, err = step(folder, peer, "complete", status=1)
    assert "2 steps" in err and "--step" in err, err


# ----------------------------------------------------------------------- the system

def check_begin(message):
    data = message["data"]
    for tag in WITH_VALUE:
        assert value(data, tag), (tag, data)
    assert set(THERE) <= set(data), set(THERE) - set(data)
    assert value(data, "00400252") == "IN PROGRESS"
    assert not data["00400340"].get("Value") and not data["00400250"].get("Value")
    item, = data["00400270"]["Value"]
    assert value(item, "0020000D") == "2.25.1" and set(SCHEDULED) <= set(item)
    assert [value(item, tag) for tag in (
        "00080050", "00401001", "00321060", "00400009", "00400007")] == [
            "A7", "R1", "OCT", "S1", "Macula"]
    assert value(data, "00100010")["Alphabetic"] == ENTRY["PatientName"], data
    assert [value(data, tag) for tag in (
        "00100020", "00100030", "00100040", "00080060", "00400241")] == [
            "42", "19610203", "F", "OPT", "OCT"]
    assert len(value(data, "00400253")) <= 16


def references(series, tag):
    return {value(each, "00081155"): value(each, "00081150")
            for each in series[tag].get("Value", [])}


def test_completed(folder):
    """N-CREATE and N-SET as the standard wants them, with each object once."""
    need_pydicom()
    write_cases(folder)
    for name, uid, sop_class, series in (
            ("a", "2.25.11", OPT, "2.25.2"), ("b", "2.25.12", OPT, "2.25.2"),
            ("c", "2.25.13", OPT, "2.25.3"), ("d", "2.25.14", RAW, "2.25.3")):
        make_object(folder / f"{name}.dcm", uid, sop_class=sop_class, series=series)
    with ris(folder) as (peer, told):
        out, _ = begin(folder, peer)
        assert "begun " in out and "told " in out, out
        out, _ = begin(folder, peer)
        assert "in progress already" in out and "told " not in out, out
        step(folder, peer, "complete", "a.dcm", "b.dcm", "a.dcm", "c.dcm", "d.dcm")
        first, second = told()
        assert (first["kind"], first["status"]) == ("create", 0)
        assert (second["kind"], second["status"]) == ("set", 0)
        assert first["uid"] == second["uid"] and first["uid"] in out
        check_begin(first)
        data = second["data"]
        assert value(data, "00400252") == "COMPLETED"
        assert value(data, "00400250") and value(data, "00400251")
        # no attribute that was not there before, as N-SET cannot make one
        assert set(data) <= set(first["data"]), data
        one, two = data["00400340"]["Value"]
        for series in one, two:
            assert set(SERIES) <= set(series) and value(series, "00181030")
        assert value(one, "0020000E") == "2.25.2"
        assert references(one, "00081140") == {"2.25.11": OPT, "2.25.12": OPT}
        assert references(one, "00400220") == {}
        assert value(two, "0020000E") == "2.25.3"
        assert references(two, "00081140") == {"2.25.13": OPT}
        assert references(two, "00400220") == {"2.25.14": RAW}
        assert files(folder) == {"steps": [], "told": [".begin", ".end"]}
        _, err = step(folder, peer, "complete", "a.dcm", status=1)
        assert "No step" in err and len(told()) == 2, err


def test_discontinued(folder):
    """With a reason, and one series without an object."""
    write_cases(folder)
    with ris(folder) as (peer, told):
        begin(folder, peer)
        step(folder, peer, "discontinue", "--reason", "entry")
        first, second = told()
        data = second["data"]
        assert value(data, "00400252") == "DISCONTINUED"
        reason, = data["00400281"]["Value"]
        assert value(reason, "00080100") == "110514"
        assert value(reason, "00080102") == "DCM"
        series, = data["00400340"]["Value"]
        assert value(series, "0020000E") and not references(series, "00081140")
        assert set(data) <= set(first["data"]), data
        # another one of the same case may follow
        begin(folder, peer)
        assert len({each["uid"] for each in told()}) == 2


# ------------------------------------------------------------------------- trouble

def test_not_there_and_later(folder):
    """Both messages wait, the beginning is told before the end, each once."""
    write_cases(folder)
    with Peer() as peer:
        port = free_port()
        _, err = begin(folder, f"PEER@127.0.0.1:{port}", status=3)
        assert "oct-dicom step tell" in err, err
        step(folder, f"PEER@127.0.0.1:{port}", "complete", status=3)
        assert files(folder)["steps"] == [".begin", ".end"]
        step(folder, peer.name, "tell")
        states = [data.PerformedProcedureStepStatus for _, data in peer.steps]
        assert states == ["IN PROGRESS", "COMPLETED"], states
        step(folder, peer.name, "tell")
        assert len(peer.steps) == 2


def test_hang_and_close_at_every_step(folder):
    """The program ends, names the peer, and keeps the messages that were not told;
    then the peer says that it has one, or is told."""
    for number, where in enumerate(("accept", "associate", "create", "created",
                                    "set", "was set")):
        for how in ("hang", "close"):
            queue = f"q{number}{how}"
            write_cases(folder)
            options = ("--queue", queue, "--timeout", 1)
            with Peer(lambda at, where=where, how=how:
                      how if at == where else None) as bad:
                _, err = begin(folder, bad.name, *options,
                               status=0 if "set" in where else 3)
                _, err = step(folder, bad.name, "complete", *options, status=3)
                assert bad.name in err and "1 messages" in err or \
                    "2 messages" in err, err
            with Peer() as peer:
                peer.steps = bad.steps  # the same system, mended
                run("step", "tell", "--peer", peer.name, "--queue", queue,
                    "--retries", 2, cwd=folder)
                states = [data.PerformedProcedureStepStatus
                          for _, data in peer.steps]
                assert states == ["IN PROGRESS", "COMPLETED"], (where, states)
            assert not list((folder / queue / "steps").iterdir())


def test_refused(folder):
    """Its end is not told before it; another step is."""
    write_cases(folder)
    with Peer() as peer:
        out, _ = begin(folder, "A@127.0.0.1:1", status=3)
        refused = out.split()[1].rstrip(":")
        step(folder, "A@127.0.0.1:1", "complete", status=3)
        peer.step_status = lambda kind, uid: 0x0106 if uid == refused else 0
        write_cases(folder, {"StudyInstanceUID": "2.25.99"})
        _, err = begin(folder, peer.name, status=3)
        assert "0106h" in err.lower() and refused in err, err
        (uid, _), = peer.steps
        assert uid != refused
        assert files(folder) == {"steps": [".begin", ".end"], "told": [".begin"]}
        # a refusal of the end is not an end that was known
        peer.step_status = peer.keep_step
        step(folder, peer.name, "tell")
        peer.step_status = lambda kind, uid: 0x0110
        for command in "discontinue", "tell":
            _, err = step(folder, peer.name, command, status=3)
            assert "0110h" in err.lower(), err
        assert files(folder)["steps"] == [".end"]


def test_not_offered(folder):
    write_cases(folder)
    with Peer() as peer:
        peer.refused = ("1.2.840.10008.3.1.2.3.3",)
        _, err = begin(folder, peer.name, status=3)
        assert "set it up for this service" in err, err


def test_service(folder):
    """With --stay it tells what others add, and goes on after the peer was away."""
    write_cases(folder)
    with Peer() as peer:
        (folder / "q").mkdir()
        with program(folder, DICOM, "step", "tell", "--peer", peer.name, "--queue",
                     "q", "--stay") as process:
            tap.until("its lock", (folder / "q/steps.lock").exists)

            def add():
                _, err = run("step", "begin", "--peer", peer.name, "--queue", "q",
                             "--from", "c.jsonl", CASE, cwd=folder, status=None)
                return "Another oct-dicom" in err

            assert tap.until("the service", add)
            tap.until("the beginning", lambda: len(peer.steps) == 1)
            step(folder, peer.name, "complete", status=3)
            tap.until("the end", lambda: len(peer.steps) == 2)
            tap.until("both", lambda: files(folder)["told"] == [".begin", ".end"])
            assert process.poll() is None


def test_killed_at_any_time(folder):
    """kill -9 again and again: each message arrives, in order, and counts once."""
    with ris(folder) as (peer, told):
        for number in range(6):
            write_cases(folder, {"StudyInstanceUID": f"2.25.{100 + number}"})
            begin(folder, "A@127.0.0.1:1", status=3)
            step(folder, "A@127.0.0.1:1", "complete", status=3)
        for delay in (0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2):
            with subprocess.Popen(
                    [DICOM, "step", "tell", "--peer", peer, "--queue", "q"],
                    cwd=folder, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL) as process:
                # not a limit: whatever it has done by then
                time.sleep(delay)
                process.send_signal(signal.SIGKILL)
        run("step", "tell", "--peer", peer, "--queue", "q", cwd=folder)
        taken = [(each["uid"], each["kind"]) for each in told()
                 if each["status"] == 0]
        assert len(taken) == len(set(taken)) == 12, taken
        for uid in {uid for uid, _ in taken}:
            assert [kind for each, kind in taken if each == uid] == [
                "create", "set"], taken
        # an answer that was lost is all that may be told again
        assert {each["status"] for each in told()} <= {0, 0x0111, 0x0110}
        assert not [name for name in files(folder)["steps"] if name != ".asked"]


def test_spoiled_files(folder):
    """A message that is damaged is named, and the others are told."""
    write_cases(folder)
    begin(folder, "A@127.0.0.1:1", status=3)
    for name, content in (("2.25.1.begin", b""), ("2.25.2.begin", bytes(1000)),
                          ("2.25.3.end", b"DICM" * 100), ("x.begin", b"x")):
        (folder / "q/steps" / name).write_bytes(content)
    with Peer() as peer:
        _, err = step(folder, peer.name, "tell", status=3)
        assert "2.25.1.begin' is not a message" in err, err
        assert "2.25.3.end' is not a message" in err, err
        assert len(peer.steps) == 1
        _, err = begin(folder, peer.name, status=3)
        assert "2.25.2.begin' is not a message" in err, err
        assert len(peer.steps) == 1


def test_messages_of_another_name_or_kind(folder):
    """A pipe keeps nobody waiting, and a message is what its name says: an end in the
    file of a beginning, or one of another step, is not told."""
    write_cases(folder)
    begin(folder, "A@127.0.0.1:1", status=3)
    step(folder, "A@127.0.0.1:1", "complete", status=3)
    steps = folder / "q/steps"
    first, last = sorted(steps.iterdir())
    shutil.copy(last, steps / "2.25.5.begin")
    shutil.copy(first, steps / "2.25.6.begin")
    shutil.copy(first, steps / "2.25.7.end")
    os.mkfifo(steps / "2.25.8.begin")
    (steps / "2.25.9.begin").symlink_to(first)
    with Peer() as peer:
        _, err = step(folder, peer.name, "tell", status=3)
        for name in ("2.25.5.begin", "2.25.6.begin", "2.25.7.end", "2.25.8.begin",
                     "2.25.9.begin"):
            assert f"{name}' is not a message" in err, err
        assert [data.PerformedProcedureStepStatus for _, data in peer.steps] == [
            "IN PROGRESS", "COMPLETED"], peer.steps
        # does not wait for the pipe with the lock of the queue
        write_cases(folder, {"StudyInstanceUID": "2.25.99"})
        out, err = begin(folder, peer.name, status=3)
        assert "begun " in out and "2.25.8.begin' is not a message" in err, err


@contextlib.contextmanager
def reading_the_queue(folder, *arguments):
    """A program that has read the messages and goes on when this ends."""
    gate, there = folder / "gate", folder / "gate.there"
    gate.touch()
    with open(folder / "said", "w") as out, subprocess.Popen(
            [DICOM, "step", *arguments, "--queue", "q", "--timeout", "5",
             "--retries", "0"], cwd=folder,
            env=os.environ | {"LD_PRELOAD": os.environ["OCT_SLOW_DISK"],
                              "OCT_SLOW_DISK_WHILE": str(gate)},
            stdout=out) as process:
        try:
            tap.until("a look at the queue", there.exists)
            yield process
        finally:
            gate.unlink()


def test_told_while_another_looks(folder):
    """A message that goes from one folder to the other meanwhile is not overlooked."""
    write_cases(folder)
    begin(folder, "A@127.0.0.1:1", status=3)
    message, = (folder / "q/steps").iterdir()
    with reading_the_queue(folder, "begin", "--peer", "A@127.0.0.1:1", "--from",
                           "c.jsonl", CASE):
        message.rename(folder / "q/told" / message.name)
    out = (folder / "said").read_text()
    assert "in progress already" in out, out


def test_added_at_the_end_of_another(folder):
    """It was left to the other one, which tells it before it ends."""
    write_cases(folder)
    (folder / "q").mkdir()
    with Peer() as peer:
        with reading_the_queue(folder, "tell", "--peer", peer.name) as process:
            _, err = begin(folder, peer.name, status=3)
            assert "Another oct-dicom" in err, err
        assert len(peer.steps) == 1 and process.returncode == 0, peer.steps


tap.main(globals(), at_a_time=4)
