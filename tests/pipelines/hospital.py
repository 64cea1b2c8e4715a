# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-dicom with the programs of DCMTK and with Orthanc.  Output is TAP."""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import time

import tap
from dicom_archive import (instances, make_objects, names, need_program, orthanc,
                           program, wait_for)
from dicom_peer import (DICOM, EXPLICIT, JPEG, MPEG4, OPT, VIDEO, Peer,
                        commit_stored, free_port, make_object, need_pydicom, run,
                        stages)


# ------------------------------------------------------------------------ options

def test_options(folder):
    """A sentence for each that is not possible, and the exit status 2."""
    peer = ("--peer", "A@localhost:1")
    for options, words in (
            ((), "one of the commands"), (("fly",), "'fly'"),
            (("echo",), "--peer takes"), (("echo", "--peer", "x"), "not 'x'"),
            (("echo", "--peer", "A@h:0"), "--peer takes"),
            (("echo", "--peer", "A@:7"), "--peer takes"),
            (("echo", "--peer", "A@::1:7"), "IPv4"),
            (("echo", "--peer", "A" * 17 + "@h:7"), "1 to 16"),
            (("echo", *peer, "--aet", "a\\b"), "1 to 16"),
            (("echo", *peer, "x"), "takes no files"),
            (("echo", *peer, "--timeout", "0"), "--timeout takes"),
            (("echo", *peer, "--cert", "c"), "belong together"),
            (("send", *peer, "a"), "--queue"),
            (("send", *peer, "--queue", "q"), "takes DICOM files"),
            (("send", *peer, "--queue", "q", "--watch", "w"), "--stay"),
            (("commit", *peer, "--queue", "q", "--listen", "x"), "--listen"),
            (("commit", *peer, "--queue", "q", "--retries", "-1"), "--retries"),
            (("worklist", *peer, "--date", "tomorrow"), "--date takes"),
            (("worklist", *peer, "--every", "5"), "--output"),
            (("tags", "x"), "--from")):
        _, err = run(*options, cwd=folder, status=2)
        assert words in err and err.count("\n") == 1, (options, err)


def test_nothing_there(folder):
    _, err = run("echo", "--peer", f"A@127.0.0.1:{free_port()}", cwd=folder,
                 status=1)
    assert "There is no association with A@127.0.0.1" in err, err


# --------------------------------------------------------------------------- files

def test_files_that_cannot_be_sent(folder):
    """Each is named, and nothing of it stays in the queue."""
    whole = make_object(folder / "a.dcm", "2.25.7", pixels=bytes(100000))
    (folder / "cut.dcm").write_bytes(whole.read_bytes()[:50000])
    (folder / "text.dcm").write_text("no DICOM")
    (folder / "empty.dcm").write_bytes(b"")
    os.mkfifo(folder / "pipe.dcm")
    (folder / "folder.dcm").mkdir()
    make_object(folder / "other.dcm", "2.25.7", pixels=bytes(99999) + b"\1")
    for name in ("cut", "text", "empty", "pipe", "folder", "none"):
        _, err = run("send", "--peer", "A@127.0.0.1:1", "--queue", "q",
                     f"{name}.dcm", cwd=folder, status=1)
        assert f"{name}.dcm" in err, err
        assert stages(folder / "q")["waiting"] == []
    run("send", "--peer", "A@127.0.0.1:1", "--queue", "q", "--retries", 0,
        "a.dcm", cwd=folder, status=3)
    _, err = run("send", "--peer", "A@127.0.0.1:1", "--queue", "q", "--retries",
                 0, "other.dcm", cwd=folder, status=1)
    assert "2.25.7 of another file" in err, err
    assert ((folder / "q/waiting/2.25.7.dcm").read_bytes()
            == whole.read_bytes())
    assert not list((folder / "q/adding").iterdir())


def test_no_room_for_the_queue(folder):
    make_object(folder / "a.dcm", "2.25.7")
    (folder / "q").write_text("a file")
    _, err = run("send", "--peer", "A@127.0.0.1:1", "--queue", "q", "a.dcm",
                 cwd=folder, status=1)
    assert "--queue" in err, err


# --------------------------------------------------------------------------- DCMTK

def make_worklist(folder, name, patient, number, **step_tags):
    need_pydicom()
    from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID = "1.2.276.0.7230010.3.1.0.1"
    meta.MediaStorageSOPInstanceUID = f"2.25.{number}"
    meta.TransferSyntaxUID = EXPLICIT
    entry = FileDataset(name, {}, file_meta=meta, preamble=bytes(128))
    entry.SpecificCharacterSet = "ISO_IR 100"
    entry.PatientName, entry.PatientID = patient, number
    entry.PatientBirthDate, entry.PatientSex = "19610203", "F"
    entry.AccessionNumber = f"A{number}"
    entry.StudyInstanceUID = f"2.25.77{number}"
    entry.RequestedProcedureDescription = "OCT of the macula"
    entry.RequestedProcedureID = "R1"
    step = Dataset()
    step.ScheduledStationAETitle = "OCT"
    step.ScheduledProcedureStepStartDate = time.strftime("%Y%m%d")
    step.ScheduledProcedureStepStartTime = "101500"
    step.Modality = "OPT"
    step.ScheduledPerformingPhysicianName = "Who"
    step.ScheduledProcedureStepDescription = "Macula"
    step.ScheduledProcedureStepID = "S1"
    for key, value in step_tags.items():
        setattr(step, key, value)
    entry.ScheduledProcedureStepSequence = [step]
    entry.is_little_endian, entry.is_implicit_VR = True, False
    entry.save_as(str(folder / "wl/LIST" / name), write_like_original=False)


@contextlib.contextmanager
def worklist_server(folder, *options):
    need_program("wlmscpfs")
    (folder / "wl/LIST").mkdir(parents=True)
    (folder / "wl/LIST/lockfile").touch()
    make_worklist(folder, "1.wl", "M\u00fcller^J\u00fcrgen", "11")
    make_worklist(folder, "2.wl", "Doe^Jane", "12", Modality="OP")
    make_worklist(folder, "3.wl", "Other^Day", "13",
                  ScheduledProcedureStepStartDate="20010101")
    make_worklist(folder, "4.wl", "Other^Room", "14",
                  ScheduledStationAETitle="OCT2")
    port = free_port()
    with program(folder, "wlmscpfs", "-dfr", *options, "-dfp", "wl", port):
        peer = f"LIST@127.0.0.1:{port}"
        wait_for(folder, peer)
        yield peer


def test_worklist(folder):
    """Those of today, of this modality and station; and all the others."""
    with worklist_server(folder, "-csk") as peer:
        out, _ = run("worklist", "--peer", peer, cwd=folder)
        assert "M\u00fcller^J\u00fcrgen" in out and "Doe" not in out, out
        assert "Other" not in out, out
        for options, patients in (
                ((), ["11"]), (("--modality", "any"), ["12", "11"]),
                (("--date", "any"), ["13", "11"]),
                (("--date", "20001231-20010102"), ["13"]),
                (("--station", "any"), ["11", "14"]),
                (("--aet", "OCT2"), ["14"])):
            out, _ = run("worklist", "--peer", peer, "--json", *options,
                         cwd=folder)
            found = [json.loads(line) for line in out.splitlines()]
            assert [each["PatientID"] for each in found] == patients, out
        assert found[0]["StudyInstanceUID"] == "2.25.7714"
        assert found[0]["ScheduledProcedureStepStartTime"] == "101500"


def test_worklist_without_a_character_set(folder):
    """Bytes whose meaning nobody says are not guessed."""
    with worklist_server(folder, "-cs0") as peer:
        out, err = run("worklist", "--peer", peer, cwd=folder)
        assert "M\ufffdller^J\ufffdrgen" in out, out
        assert "character set" in err, err


def test_worklist_tags_a_volume(folder):
    """From the server to the tags of a DICOM file."""
    need_program("gst-launch-1.0")
    need_program("dcmdump")
    with worklist_server(folder, "-csk") as peer:
        run("worklist", "--peer", peer, "--output", "cases.txt", cwd=folder)
    case = (folder / "cases.txt").read_text().strip()
    assert case == "M\u00fcller J\u00fcrgen | 11 | A11", case
    tags, _ = run("tags", "--from", "cases.txt.jsonl", case, cwd=folder)
    tap.run("octsrc", "num-buffers=4", "samples=128", "lines=16", "bscans=4", "!",
            "octreconstruct", "!", "octvolumesink", "location=a.dcm",
            "x-spacing=1e-5", "y-spacing=1e-5", "z-spacing=1e-5",
            f"dicom-tags={tags.strip()}", program="gst-launch-1.0", cwd=folder)
    import pydicom
    data = pydicom.dcmread(folder / "a.dcm")
    assert (data.PatientName, data.PatientID, data.AccessionNumber,
            data.StudyInstanceUID, data.PatientBirthDate, data.PatientSex) == (
        "M\u00fcller^J\u00fcrgen", "11", "A11", "2.25.7711", "19610203", "F")


def test_storescp_as_stored(folder):
    """Compressed objects arrive with their bytes; without commitment."""
    need_program("storescp")
    port = free_port()
    (folder / "in").mkdir()
    for i, (syntax, kind, pixels) in enumerate((
            (EXPLICIT, OPT, bytes(range(64))), (JPEG, OPT, b"\xff\xd8jpeg"),
            (MPEG4, VIDEO, b"\0\0\0\1video!"))):
        make_object(folder / f"{i}.dcm", f"2.25.{i}", syntax, kind, pixels)
    with program(folder, "storescp", "+xa", "-od", "in", port):
        peer = f"STORE@127.0.0.1:{port}"
        wait_for(folder, peer)
        out, _ = run("send", "--peer", peer, "--queue", "q", "--no-commit",
                     "0.dcm", "1.dcm", "2.dcm", cwd=folder)
        assert out.count("sent ") == 3, out
        out, _ = run("send", "--peer", peer, "--queue", "q", "--no-commit",
                     "0.dcm", cwd=folder)
        assert "committed before 2.25.0" in out and "sent " not in out, out
    import pydicom
    arrived = [pydicom.dcmread(path) for path in (folder / "in").iterdir()]
    assert len(arrived) == 3
    for data in arrived:
        sent = pydicom.dcmread(folder / f"{data.SOPInstanceUID[5:]}.dcm")
        assert data.file_meta.TransferSyntaxUID == sent.file_meta.TransferSyntaxUID
        assert data.PixelData == sent.PixelData


def make_certificates(folder):
    need_program("openssl")
    for name in ("ours", "theirs", "foreign"):
        tap.run("req", "-x509", "-newkey", "rsa:3072", "-nodes", "-days", "2",
                "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out",
                f"{name}.pem", program="openssl", cwd=folder)


def test_tls(folder):
    """Both sides show a certificate; one that is not trusted, or none, ends it."""
    need_program("storescp")
    make_certificates(folder)
    make_object(folder / "a.dcm", "2.25.1")
    (folder / "in").mkdir()
    port = free_port()
    ours = ("--cert", "ours.pem", "--key", "ours.key")
    with program(folder, "storescp", "+tls", "theirs.key", "theirs.pem", "+cf",
                 "ours.pem", "-od", "in", port):
        peer = f"STORE@127.0.0.1:{port}"
        wait_for(folder, peer, "--ca", "theirs.pem", *ours)
        for options in ((), ("--ca", "foreign.pem", *ours),
                        ("--ca", "theirs.pem"),
                        ("--ca", "theirs.pem", "--cert", "foreign.pem", "--key",
                         "foreign.key")):
            run("echo", "--peer", peer, "--timeout", 3, *options, cwd=folder,
                status=1)
        _, err = run("echo", "--peer", peer, "--ca", "theirs.pem", "--cert",
                     "ours.pem", "--key", "foreign.key", cwd=folder, status=1)
        assert "belong together" in err, err
        run("send", "--peer", peer, "--queue", "q", "--no-commit", "--ca",
            "theirs.pem", *ours, "a.dcm", cwd=folder)
        assert stages(folder / "q")["committed"] == ["2.25.1"]


# ------------------------------------------------------------------------- Orthanc

def test_orthanc_commits(folder):
    """Stored, committed by a report to our port, recorded, and sent once."""
    uids = make_objects(folder, 5)
    port = free_port()
    with orthanc(folder, port) as (peer, address):
        run("echo", "--peer", peer.replace("ORTHANC", "WRONG"), cwd=folder,
            status=1)
        out, _ = run("send", "--peer", peer, "--queue", "q", "--listen", port,
                     *names(uids), cwd=folder)
        assert out.count("committed ") == 5, out
        assert instances(address) == uids
        out, _ = run("send", "--peer", peer, "--queue", "q", "--listen", port,
                     *names(uids), cwd=folder)
        assert out.count("committed before") == 5 and "sent " not in out, out
        assert stages(folder / "q") == {
            "waiting": [], "sent": [], "committed": uids}
        record = (folder / f"q/committed/{uids[0]}.txt").read_text()
        assert f"archive {peer}" in record and "sha256 " in record, record


def test_folder_is_watched(folder):
    """Files that appear are sent; others are left alone."""
    uids = make_objects(folder, 2)
    (folder / "new").mkdir()
    with Peer() as peer:
        peer.report = commit_stored(peer)
        with program(folder, DICOM, "send", "--peer", peer.name, "--queue", "q",
                     "--stay", "--watch", "new") as process:
            for uid in uids:
                shutil.copy(folder / f"{uid}.dcm", folder / f"new/{uid}.part")
                os.rename(folder / f"new/{uid}.part", folder / f"new/{uid}.dcm")
            (folder / "new/notes.txt").write_text("not this one")
            tap.until("the queue", (folder / "q/committed").is_dir)
            tap.until("both", lambda: stages(folder / "q")["committed"] == uids)
            process.send_signal(signal.SIGTERM)
            assert process.wait(tap.PATIENCE) == 0
        assert peer.stored == uids


def test_two_at_a_time(folder):
    """The second adds its object, and leaves the work to the first."""
    uids = make_objects(folder, 2)
    with Peer() as peer:
        peer.report = commit_stored(peer)
        with program(folder, DICOM, "send", "--peer", peer.name, "--queue", "q",
                     "--stay", f"{uids[0]}.dcm"):
            tap.until("the first", lambda: peer.stored)
            _, err = run("send", "--peer", peer.name, "--queue", "q",
                         f"{uids[1]}.dcm", cwd=folder, status=3)
            assert "Another oct-dicom" in err, err
            tap.until("both", lambda: stages(folder / "q")["committed"] == uids)


def test_killed_at_any_time(folder):
    """kill -9 again and again: nothing is lost, and Orthanc has nothing twice."""
    uids = make_objects(folder, 40)
    port = free_port()
    with orthanc(folder, port) as (peer, address):
        arguments = [DICOM, "send", "--peer", peer, "--queue", "q",
                     "--commit-wait", "2", "--listen", str(port), *names(uids)]
        for delay in (0.01, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8):
            with subprocess.Popen(arguments, cwd=folder,
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                # not a limit: whatever it has done by then
                time.sleep(delay)
                process.kill()
        run(*arguments[1:], cwd=folder)
        assert stages(folder / "q") == {
            "waiting": [], "sent": [], "committed": uids}
        assert instances(address) == uids


tap.main(globals(), at_a_time=3)
