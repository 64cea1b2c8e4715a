# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-dicom and what goes wrong on its own computer: folders that are lost, files
that are traps, a full disk, other locales.  Output is TAP."""
import contextlib
import json
import os
import shutil
import socket
import ssl
import struct
import subprocess
import threading
import zlib

import tap
from dicom_archive import make_objects, need_program
from dicom_peer import (COMMITMENT, DICOM, IMPLICIT, OPT, Conversation, Peer,
                        commit_stored, free_port, make_event, make_object,
                        need_pydicom, run, send_event, stages)

try:
    from pydicom.dataset import Dataset
except ImportError:
    pass


def start(folder, *arguments, **more):
    return subprocess.Popen([DICOM, *map(str, arguments)], cwd=folder, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)


@contextlib.contextmanager
def working(folder, *arguments):
    """The program while it works; what it has said as errors."""
    with open(folder / "err", "w") as err, subprocess.Popen(
            [DICOM, *map(str, arguments)], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=err) as process:
        try:
            yield (folder / "err").read_text
            assert process.poll() is None
        finally:
            process.kill()


# ----------------------------------------------------------------------- the queue

def test_queue_that_is_lost_while_it_works(folder):
    """A folder that cannot be listed is not an empty one."""
    uids = make_objects(folder, 1)
    with Peer() as peer:
        with start(folder, "send", "--peer", peer.name, "--queue", "q",
                   "--commit-wait", 600, "--listen", free_port(),
                   f"{uids[0]}.dcm") as process:
            tap.until("the question", lambda: peer.asked)
            os.rename(folder / "q/sent", folder / "away")
            _, err = process.communicate(timeout=tap.PATIENCE)
            assert process.returncode == 1, (process.returncode, err)
            assert "sent'" in err and "cannot be listed" in err, err
        os.rename(folder / "away", folder / "q/sent")
        peer.report = commit_stored(peer)
        run("commit", "--peer", peer.name, "--queue", "q", "--commit-wait", 1,
            cwd=folder)
        assert stages(folder / "q")["committed"] == uids
        assert peer.stored == uids


def test_queue_whose_lock_is_no_file(folder):
    """Nobody else works on it, and the sentence does not say so."""
    uids = make_objects(folder, 1)
    (folder / "q/lock").mkdir(parents=True)
    _, err = run("send", "--peer", "A@127.0.0.1:1", "--queue", "q",
                 f"{uids[0]}.dcm", cwd=folder, status=1)
    assert "Another" not in err and "lock' cannot be used" in err, err
    assert stages(folder / "q")["waiting"] == uids


def call(port):
    """Calls the port of the program as the archive."""
    conversation = Conversation(socket.create_connection(("127.0.0.1", port), 30))
    assert conversation.request("PEER", "OCT", {1: [COMMITMENT, IMPLICIT]}) == 2
    return conversation


def test_report_from_before_a_loss(folder):
    """The archive says that it lost the object, and then a report comes late, of a
    question from before that: it does not count."""
    uids = make_objects(folder, 1)
    port = free_port()
    with Peer() as peer, working(
            folder, "send", "--peer", peer.name, "--queue", "q", "--listen", port,
            "--stay", "--commit-wait", 1, f"{uids[0]}.dcm") as said:
        tap.until("two questions", lambda: len(peer.asked) > 1)
        (old, _), (new, _) = peer.asked[:2]
        conversation = call(port)
        for event in (make_event(new, failed=uids), make_event(old, uids)):
            send_event(conversation, 1, event)
            conversation.receive()
        assert "did not commit" in said() and "sent again since" in said(), said()
        assert not stages(folder / "q")["committed"]
        tap.until("it again", lambda: peer.stored == 2 * uids)
        peer.report = commit_stored(peer)
        tap.until("it", lambda: stages(folder / "q")["committed"] == uids)


# ----------------------------------------------------------------------- the files

def make_trap(path, syntax, data):
    """A file whose header is right, and whose data is `data`."""
    make_object(path, "2.25.66", syntax=IMPLICIT)
    import pydicom
    meta = pydicom.filereader.read_file_meta_info(path)
    meta.TransferSyntaxUID = syntax
    with open(path, "wb") as file:
        file.write(bytes(128) + b"DICM")
        pydicom.filewriter.write_file_meta_info(file, meta)
        file.write(data)


def element(group, number, kind, value):
    return (struct.pack("<HH2s", group, number, kind)
            + struct.pack("<H", len(value)) + value)


def identity():
    return (element(8, 0x16, b"UI", OPT.encode())
            + element(8, 0x18, b"UI", b"2.25.66\0"))


def deep_sequences():
    level = (struct.pack("<HH2sHI", 0x40, 0xa730, b"SQ", 0, 0xffffffff)
             + struct.pack("<HHI", 0xfffe, 0xe000, 0xffffffff))
    return "1.2.840.10008.1.2.1", identity() + level * 400000


def inflating_pixels():
    """2 GB of zeros in 2 MB."""
    squeeze = zlib.compressobj(9, wbits=-15)
    start = identity() + struct.pack("<HH2sHI", 0x7fe0, 0x10, b"OW", 0, 2 << 30)
    data = squeeze.compress(start) + squeeze.flush(zlib.Z_FULL_FLUSH)
    block = zlib.compressobj(9, wbits=-15)
    data += (block.compress(bytes(1 << 20))
             + block.flush(zlib.Z_FULL_FLUSH)) * 2048
    return "1.2.840.10008.1.2.1.99", data + squeeze.flush()


def test_files_that_are_traps(folder):
    """They cost no crash and no memory, and the next file is sent."""
    need_pydicom()
    uids = make_objects(folder, 1)
    for make in (deep_sequences, inflating_pixels):
        make_trap(folder / "trap.dcm", *make())
        with Peer() as peer, start(
                folder, "send", "--peer", peer.name, "--queue", make.__name__,
                "trap.dcm", f"{uids[0]}.dcm") as process:
            peer.report = commit_stored(peer)
            out, err = process.stdout.read(), process.stderr.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            assert process.returncode == 1, (process.returncode, out, err)
            assert "trap.dcm" in err, err
            assert used.ru_maxrss < 700000, used.ru_maxrss  # kB
            assert stages(folder / make.__name__)["committed"] == uids


def test_names_of_several_lines(folder):
    """A name cannot say that another object was committed."""
    uids = make_objects(folder, 1)
    name = "a\ncommitted 2.25.1.dcm"
    os.rename(folder / f"{uids[0]}.dcm", folder / name)
    out, err = run("send", "--peer", "A@127.0.0.1:1", "--queue", "q", "--retries",
                   0, name, "no\nError: x", cwd=folder, status=1)
    assert len(out.splitlines()) == 1 and "committed" in out, out
    assert not any(line.startswith("Error: x") for line in err.splitlines()), err


def test_watched_file_waits_for_room(folder):
    """A file that did not get into the queue does so when it can."""
    uids = make_objects(folder, 1)
    (folder / "new").mkdir()
    shutil.move(folder / f"{uids[0]}.dcm", folder / "new/a.dcm")
    (folder / "new/text.dcm").write_text("no DICOM")
    (folder / "q/adding/part").mkdir(parents=True)
    with Peer() as peer, working(
            folder, "send", "--peer", peer.name, "--queue", "q", "--stay",
            "--watch", "new") as said:
        peer.report = commit_stored(peer)
        tap.until("the error", lambda: "cannot be used" in said())
        (folder / "q/adding/part").rmdir()
        tap.until("it", lambda: stages(folder / "q")["committed"] == uids)
        tap.until("the other", lambda: "whole DICOM" in said())
        assert said().count("text.dcm' is not a whole DICOM") == 1, said()


def test_watched_folder_that_is_not_there(folder):
    """It is said once, and looked for again."""
    uids = make_objects(folder, 1)
    with Peer() as peer, working(
            folder, "send", "--peer", peer.name, "--queue", "q", "--stay",
            "--watch", "new") as said:
        peer.report = commit_stored(peer)
        tap.until("the warning", lambda: "cannot be listed" in said())
        (folder / "new").mkdir()
        shutil.move(folder / f"{uids[0]}.dcm", folder / "new/a.dcm")
        tap.until("it", lambda: stages(folder / "q")["committed"] == uids)
        assert said().count("cannot be listed") == 1, said()


# ---------------------------------------------------------------------- the output

NAME = "M\u00fcller^J\u00fcrgen"
LINE = json.dumps({"case": "x", "PatientName": NAME} | {name: "" for name in (
    "PatientID", "PatientBirthDate", "PatientSex", "AccessionNumber",
    "StudyInstanceUID", "RequestedProcedureDescription", "RequestedProcedureID",
    "ReferringPhysicianName", "ScheduledStationAETitle",
    "ScheduledProcedureStepStartDate", "ScheduledProcedureStepStartTime",
    "Modality", "ScheduledProcedureStepDescription", "ScheduledProcedureStepID")})


def test_tags_in_every_locale(folder):
    """A service has no locale: the name of a patient is the same there."""
    (folder / "c.jsonl").write_text(LINE + "\n")
    for locale in ("C", "C.UTF-8"):
        out = subprocess.run([DICOM, "tags", "--from", "c.jsonl", "x"], cwd=folder,
                             env=os.environ | {"LC_ALL": locale},
                             stdout=subprocess.PIPE, check=True).stdout
        assert out.decode() == f"PatientName={NAME}\n", out


def test_output_that_is_full(folder):
    """It ends with a sentence and 1 if its output is lost."""
    need_pydicom()
    (folder / "c.jsonl").write_text(LINE + "\n")
    with Peer() as peer, open("/dev/full", "w") as full:
        answer = Dataset()
        answer.PatientID = "1"
        peer.answers = [answer]
        for arguments in (("tags", "--from", "c.jsonl", "x"),
                          ("worklist", "--peer", peer.name),
                          ("worklist", "--peer", peer.name, "--json")):
            done = subprocess.run([DICOM, *arguments], cwd=folder, stdout=full,
                                  stderr=subprocess.PIPE, text=True)
            assert done.returncode == 1, done
            assert "cannot be written" in done.stderr, done.stderr


# ------------------------------------------------------------------------- the peer

def flood(conversation, context, *_):
    """A command with a text of 2 GB."""
    part = struct.pack(">BxIIBB", 4, 16006, 16002, context, 1)
    text = struct.pack("<HHI", 0, 0x1000, 0x7ffffff0)
    conversation.stream.sendall(part + text.ljust(16000))
    while True:
        conversation.stream.sendall(64 * (part + bytes(16000)))


def test_answers_without_an_end(folder):
    """A command of gigabytes costs a limited memory."""
    uids = make_objects(folder, 1)
    for arguments, status in (
            (("echo",), 1),
            (("send", "--queue", "q", "--retries", 0, f"{uids[0]}.dcm"), 3)):
        with Peer() as peer:
            peer.answer = flood
            with start(folder, *arguments, "--peer", peer.name, "--timeout",
                       20) as process:
                process.stdout.read(), process.stderr.read()
                _, got, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(got)
            assert process.returncode == status, (arguments, process.returncode)
            assert used.ru_maxrss < 700000, (arguments, used.ru_maxrss)


def test_key_with_a_password(folder):
    """It is refused with a sentence: nobody is there to type."""
    need_program("openssl")
    tap.run("req", "-x509", "-newkey", "rsa:3072", "-passout", "pass:secret",
            "-days", "2", "-subj", "/CN=ours", "-keyout", "a.key", "-out", "a.pem",
            program="openssl", cwd=folder)
    _, err = run("echo", "--peer", f"A@127.0.0.1:{free_port()}", "--ca", "a.pem",
                 "--cert", "a.pem", "--key", "a.key", cwd=folder, status=1)
    assert "pass phrase" not in err and "a.key" in err, err
    assert "password" in err, err


def test_certificate_that_is_not_trusted(folder):
    """The sentence names the option, not the network."""
    need_program("openssl")
    for name in ("theirs", "foreign"):
        tap.run("req", "-x509", "-newkey", "rsa:3072", "-nodes", "-days", "2",
                "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out",
                f"{name}.pem", program="openssl", cwd=folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "theirs.pem", folder / "theirs.key")

    def shake(door):
        stream, _ = door.accept()
        with contextlib.suppress(OSError), stream:
            context.wrap_socket(stream, server_side=True)

    with socket.create_server(("127.0.0.1", 0)) as door:
        threading.Thread(target=shake, args=(door,), daemon=True).start()
        _, err = run("echo", "--peer", f"A@127.0.0.1:{door.getsockname()[1]}",
                     "--ca", "foreign.pem", cwd=folder, status=1)
    assert "certificate verify failed" in err and "give --ca" in err, err


tap.main(globals(), at_a_time=2)
