# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-dicom and peers that hang, refuse, lie, lose and flood.  Output is TAP."""
import json
import socket
import ssl
import struct
import subprocess
import time

import dicom_peer
import tap
from dicom_archive import need_program
from dicom_peer import (COMMITMENT, IMPLICIT, OPT, Conversation, Peer,
                        commit_stored, free_port, make_event, make_object, run,
                        send_event, stages)

try:
    from pydicom.dataset import Dataset
except ImportError:
    pass


def make_objects(folder, count):
    uids = [f"2.25.{1000 + i}" for i in range(count)]
    for uid in uids:
        make_object(folder / f"{uid}.dcm", uid)
    return uids


def send(folder, peer, uids, *more, status=0):
    return run("send", "--peer", peer.name, "--queue", "queue", "--timeout", 1,
               "--retries", 1, "--commit-wait", 1, *more,
               *(f"{uid}.dcm" for uid in uids), cwd=folder, status=status)


STEPS = ("accept", "associate", "echo", "find", "store", "stored", "action")


def test_hang_at_every_step(folder):
    """The program ends, names the peer, and keeps the objects."""
    uids = make_objects(folder, 1)
    for step in STEPS:
        with Peer(lambda at, step=step: "hang" if at == step else None) as peer:
            if step in ("accept", "associate", "echo"):
                _, err = run("echo", "--peer", peer.name, "--timeout", 1,
                             cwd=folder, status=1)
                assert peer.name in err, err
            if step in ("accept", "associate", "find"):
                _, err = run("worklist", "--peer", peer.name, "--timeout", 1,
                             cwd=folder, status=1)
                assert peer.name in err, err
            if step not in ("echo", "find"):
                _, err = send(folder, peer, uids, "--retries", 0, status=3)
                assert peer.name in err and "stay in the queue" in err, err
                there = stages(folder / "queue")
                assert there["waiting"] + there["sent"] == uids, there
                assert not there["committed"]


def test_close_at_every_step(folder):
    """As often as the link is cut, the object arrives when it holds."""
    for step in STEPS[:2] + STEPS[4:]:
        uids = make_objects(folder, 3)
        cut = []

        def trouble(at, step=step, cut=cut):
            if at == step and len(cut) < 2:
                cut.append(at)
                return "close"
            return None

        with Peer(trouble) as peer:
            peer.report = commit_stored(peer)
            queue = folder / step
            send(folder, peer, uids, "--queue", queue, "--retries", 5)
            assert len(cut) == 2
            assert stages(queue)["committed"] == uids
            assert set(peer.stored) == set(uids)


def test_rejected(folder):
    """The sentence says what to set."""
    with Peer() as peer:
        peer.reject = True
        _, err = run("echo", "--peer", peer.name, cwd=folder, status=1)
        assert "rejected" in err and "--aet" in err, err


def test_no_commitment_offered(folder):
    uids = make_objects(folder, 1)
    with Peer() as peer:
        peer.refused = (COMMITMENT,)
        _, err = send(folder, peer, uids, "--retries", 0, status=3)
        assert "offers no storage commitment" in err, err
        assert stages(folder / "queue")["sent"] == uids


def test_refuses_one(folder):
    """The others are committed; the one stays and is named."""
    uids = make_objects(folder, 5)
    with Peer() as peer:
        peer.report = commit_stored(peer)
        peer.status = lambda uid: 0xc001 if uid == uids[2] else 0
        _, err = send(folder, peer, uids, status=3)
        assert f"{uids[2]} was not sent" in err and "C001h" in err, err
        there = stages(folder / "queue")
        assert there["waiting"] == [uids[2]], there
        assert there["committed"] == sorted(set(uids) - {uids[2]}), there


def test_one_breaks_the_association(folder):
    """It does not hold up the others."""
    uids = make_objects(folder, 4)
    with Peer() as peer:
        peer.report = commit_stored(peer)

        def status(uid):
            if uid == uids[0]:
                raise dicom_peer.Closed
            return 0

        peer.status = status
        send(folder, peer, uids, status=3)
        there = stages(folder / "queue")
        assert there["waiting"] == [uids[0]], there
        assert there["committed"] == uids[1:], there


def test_accepts_and_loses(folder):
    """Commitment fails, is named, and the object is sent again, until the archive
    keeps it."""
    uids = make_objects(folder, 2)
    with Peer() as peer:
        def report(conversation, context, request):
            if len(peer.asked) == 1:
                peer.stored.remove(uids[1])  # lost
            commit_stored(peer)(conversation, context, request)

        peer.report = report
        _, err = send(folder, peer, uids, "--retries", 5)
        assert f"did not commit {uids[1]}: no such object instance" in err, err
        assert stages(folder / "queue")["committed"] == uids
        assert peer.stored == [uids[0], uids[1]], peer.stored
        (first, _), (second, again) = peer.asked
        assert first != second and again == [uids[1]], peer.asked


def test_loses_for_ever(folder):
    """It gives up, and nothing counts as committed."""
    uids = make_objects(folder, 1)
    with Peer() as peer:
        peer.report = lambda conversation, context, request: send_event(
            conversation, context,
            make_event(request.TransactionUID, failed=uids, reason=0x0110))
        _, err = send(folder, peer, uids, status=3)
        assert "processing failure" in err, err
        assert not stages(folder / "queue")["committed"]
        assert (folder / "queue/waiting" / f"{uids[0]}.dcm").exists()


def test_never_reports(folder):
    """It is asked again, by another transaction, and not sent again."""
    uids = make_objects(folder, 1)
    with Peer() as peer:
        def report(conversation, context, request):
            if len(peer.asked) > 1:
                commit_stored(peer)(conversation, context, request)

        peer.report = report
        send(folder, peer, uids, "--retries", 5)
        assert stages(folder / "queue")["committed"] == uids
        assert peer.stored == uids
        assert len({transaction for transaction, _ in peer.asked}) == 2


def test_lies_in_reports(folder):
    """Reports of other transactions, of other objects, and with another class commit
    nothing; nor does one that names nothing."""
    uids = make_objects(folder, 2)
    with Peer() as peer:
        def report(conversation, context, request):
            ours = request.TransactionUID
            for event in (make_event("2.25.4711", uids),
                          make_event("../../x", uids),
                          make_event(ours, ["2.25.5", "../../etc"]),
                          make_event(ours, uids, sop_class="2.25.9"),
                          make_event(ours)):
                send_event(conversation, context, event)
                peer.answer(conversation, *conversation.receive())
            raise dicom_peer.Closed

        peer.report = report
        # time for all of them on a busy machine; the end of the association ends it
        _, err = send(folder, peer, uids, "--retries", 0, "--timeout", 30,
                      "--commit-wait", 10, status=3)
        assert stages(folder / "queue") == {
            "waiting": [], "sent": uids, "committed": []}
        assert peer.replies[:2] == [0x0115, 0x0115], peer.replies
        assert peer.replies[2:5] == [0, 0, 0], peer.replies
        assert "transaction that is not ours" in err, err
        assert "was not asked for" in err, err


def test_report_before_the_answer(folder):
    """Some archives report before they answer the question."""
    uids = make_objects(folder, 1)
    with Peer() as peer:
        answer = peer.answer

        def early(conversation, context, command, data):
            if command.CommandField == dicom_peer.ACTION:
                request = dicom_peer.decode(data)
                send_event(conversation, context, make_event(
                    request.TransactionUID, uids))
            answer(conversation, context, command, data)

        peer.answer = early
        send(folder, peer, uids)
        assert stages(folder / "queue")["committed"] == uids


# ---------------------------------------------------------------------- worklists

def make_answer(name, number, accession="A1", day=None):
    answer, step = Dataset(), Dataset()
    answer.SpecificCharacterSet = "ISO_IR 192"
    answer.PatientName, answer.PatientID = name, number
    answer.AccessionNumber = accession
    step.ScheduledProcedureStepStartDate = day or time.strftime("%Y%m%d")
    step.Modality, step.ScheduledStationAETitle = "OPT", "OCT"
    answer.ScheduledProcedureStepSequence = [step]
    return answer


def test_hostile_names(folder):
    """One line each, without commands for a terminal, paths or other tags."""
    dicom_peer.need_pydicom()
    with Peer() as peer:
        peer.answers = [
            make_answer("\x1b[2J\x1b]0;owned\x07Doe^Jane", "1\n2"),
            make_answer("# Comment", "../../../etc/passwd"),
            make_answer("Tag;StudyInstanceUID=1.2.3", "3;PatientSex=F"),
            make_answer("\u202eevil\u200b" + "x" * 1000, "4" * 1000),
            make_answer("\ud55c\uad6d", "5"), make_answer("", "", "")]
        out, _ = run("worklist", "--peer", peer.name, cwd=folder)
        assert "\x1b" not in out and "\x07" not in out, out
        assert len(out.splitlines()) == 1 + len(peer.answers), out
        run("worklist", "--peer", peer.name, "--output", "cases.txt", cwd=folder)
        cases = (folder / "cases.txt").read_text().split("\n")[:-1]
        assert len(cases) == len(peer.answers), cases
        assert all(len(case) <= 80 and case.isprintable() for case in cases)
        assert not any(case.startswith("#") for case in cases), cases
        tags = {}
        for case in cases:
            out, _ = run("tags", "--from", "cases.txt.jsonl", case, cwd=folder)
            tags[case] = out.strip()
        assert "PatientName=\ud55c\uad6d;PatientID=5;AccessionNumber=A1" \
            in tags.values(), tags
        injected, = (each for each in tags.values() if "Tag" in each)
        assert injected == ("PatientName=Tag StudyInstanceUID=1.2.3;"
                            "PatientID=3 PatientSex=F;AccessionNumber=A1"), injected
        assert sorted(path.name for path in folder.iterdir()) == [
            "cases.txt", "cases.txt.jsonl"]


def test_endless_worklist(folder):
    """The first 500 are listed, and a sentence says so."""
    dicom_peer.need_pydicom()
    with Peer() as peer:
        peer.endless = True
        peer.answers = [make_answer("A", str(i)) for i in range(10)]
        out, err = run("worklist", "--peer", peer.name, "--json", cwd=folder)
        assert len(out.splitlines()) == 500
        assert "more than 500" in err, err


def test_answer_without_an_end(folder):
    """It costs time and memory up to a limit, and the program says so."""
    dicom_peer.need_pydicom()
    (folder / "cases.txt").write_text("as it was\n")
    # elements that are empty; one that says that it has 2 GB, and has them
    for start, seconds in ((b"", 2), (b"\xe0\x7f\x10\0\xf0\xff\xff\x7f", 3600)):
        with Peer() as peer:
            def flood(conversation, context, command, data, start=start):
                conversation.send(context, {
                    "CommandField": 0x8020, "Status": 0xff00,
                    "MessageIDBeingRespondedTo": command.MessageID,
                    "AffectedSOPClassUID": command.AffectedSOPClassUID},
                    Dataset(), last=False)
                part = struct.pack(">BxIIBB", 4, 16006, 16002, context, 0)
                conversation.stream.sendall(part + start.ljust(16000, b"\0"))
                while True:
                    conversation.stream.sendall(64 * (part + bytes(16000)))

            peer.answer = flood
            _, err = run("worklist", "--peer", peer.name, "--timeout", seconds,
                         "--output", "cases.txt", cwd=folder, status=1)
            assert "Error: " in err and peer.name in err, err
            assert (folder / "cases.txt").read_text() == "as it was\n"


def test_answers_to_another_question(folder):
    dicom_peer.need_pydicom()
    with Peer() as peer:
        peer.answers = [make_answer("A", "1", day="19991231"),
                        make_answer("B", "2")]
        out, err = run("worklist", "--peer", peer.name, "--json", cwd=folder)
        assert [json.loads(line)["PatientID"] for line in out.splitlines()] == [
            "2"]
        assert "1 answers" in err, err
        out, _ = run("worklist", "--peer", peer.name, "--json", "--date", "any",
                     cwd=folder)
        assert len(out.splitlines()) == 2


def test_a_worklist_that_fails_leaves_the_file(folder):
    dicom_peer.need_pydicom()
    (folder / "cases.txt").write_text("as it was\n")
    with Peer(lambda step: "close" if step == "find" else None) as peer:
        run("worklist", "--peer", peer.name, "--output", "cases.txt", cwd=folder,
            status=1)
    assert (folder / "cases.txt").read_text() == "as it was\n"


def test_same_case_twice(folder):
    """Two patients with the same line have no tags; the same one has."""
    dicom_peer.need_pydicom()
    with Peer() as peer:
        first, second = make_answer("A", "1"), make_answer("A", "1")
        peer.answers = [first, second]
        run("worklist", "--peer", peer.name, "--output", "c", cwd=folder)
        run("tags", "--from", "c.jsonl", "A | 1 | A1", cwd=folder)
        second.PatientBirthDate = "19700101"
        run("worklist", "--peer", peer.name, "--output", "c", cwd=folder)
        _, err = run("tags", "--from", "c.jsonl", "A | 1 | A1", cwd=folder,
                     status=1)
        assert "Two entries" in err, err
        (folder / "bad").write_text('[]\n{"case": 1}\n{"case":"x"}\n\0{\n')
        run("tags", "--from", "bad", "x", cwd=folder, status=1)


# ----------------------------------------------------------------- our own port

def call(port, calling="PEER", called="OCT", abstract=COMMITMENT):
    stream = socket.create_connection(("127.0.0.1", port), 30)
    conversation = Conversation(stream)
    return conversation, conversation.request(
        calling, called, {1: [abstract, IMPLICIT]})


class Sender:
    """An oct-dicom that has sent, and waits for reports at its port."""

    def __init__(self, folder, peer, uids, *more):
        self.port = free_port()
        self.process = subprocess.Popen(
            [dicom_peer.DICOM, "send", "--peer", peer.name, "--queue", "queue",
             "--commit-wait", "600", "--listen", str(self.port), *more,
             *(f"{uid}.dcm" for uid in uids)], cwd=folder,
            stdout=subprocess.DEVNULL, stderr=open(folder / "err", "w"))
        tap.until("the question for commitment", lambda: peer.asked)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def test_report_at_our_port(folder):
    """Only from the archive to us; and also after a flood of silent, of cut and of
    nonsensical connections."""
    uids = make_objects(folder, 2)
    with Peer() as peer, Sender(folder, peer, uids) as sender:
        (transaction, _), = peer.asked
        assert call(sender.port, calling="OTHER")[1] == 3
        assert call(sender.port, called="OTHER")[1] == 3
        conversation, answer = call(sender.port, abstract=OPT)
        assert answer == 3
        silent = [socket.create_connection(("127.0.0.1", sender.port), 30)
                  for _ in range(12)]
        for rubbish in (b"GET / HTTP/1.1\r\n\r\n", b"\1\0\xff\xff\xff\xff",
                        b"\1\0\0\0\0\4" + bytes(4), b"\4" * 1000):
            with socket.create_connection(("127.0.0.1", sender.port), 30) as each:
                each.sendall(rubbish)
        conversation, answer = call(sender.port)
        assert answer == 2
        send_event(conversation, 1, make_event(transaction, uids))
        _, reply, _ = conversation.receive()
        assert reply.Status == 0
        assert sender.process.wait(tap.PATIENCE) == 0
        assert stages(folder / "queue") == {
            "waiting": [], "sent": [], "committed": uids}
        for each in silent:
            each.close()


def test_late_report_after_a_restart(folder):
    """kill -9 while it waits; the report comes to the next run."""
    uids = make_objects(folder, 1)
    with Peer() as peer:
        with Sender(folder, peer, uids):
            pass
        (transaction, _), = peer.asked
        assert stages(folder / "queue")["sent"] == uids
        port = free_port()
        with subprocess.Popen(
                [dicom_peer.DICOM, "commit", "--peer", peer.name, "--queue",
                 "queue", "--commit-wait", "600", "--listen", str(port)],
                cwd=folder, stdout=subprocess.DEVNULL) as again:
            def try_call():
                try:
                    return call(port)
                except OSError:
                    return None

            conversation, answer = tap.until("the port", try_call)
            assert answer == 2
            send_event(conversation, 1, make_event(transaction, uids))
            assert again.wait(tap.PATIENCE) == 0
        assert stages(folder / "queue")["committed"] == uids
        assert len(peer.asked) == 1 and peer.stored == uids


# ------------------------------------------------------------------ our port by TLS

def make_certificates(folder, *names):
    need_program("openssl")
    for name in names:
        tap.run("req", "-x509", "-newkey", "rsa:3072", "-nodes", "-days", "2",
                "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out",
                f"{name}.pem", program="openssl", cwd=folder)


def call_by_tls(folder, port, name):
    """A conversation with our port as the archive, with the certificate `name` or
    none; an error if it is refused, at once or when an answer is waited for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(folder / "ours.pem")
    if name is not None:
        context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    stream = context.wrap_socket(
        socket.create_connection(("127.0.0.1", port), 60))
    conversation = Conversation(stream)
    assert conversation.request("PEER", "OCT", {1: [COMMITMENT, IMPLICIT]}) == 2
    return conversation


def refused(folder, port, name):
    try:
        call_by_tls(folder, port, name)
    except (OSError, dicom_peer.Closed):  # ssl.SSLError is one of them
        return True
    return False


def test_report_at_our_port_by_tls(folder):
    """With a certificate that is trusted; plain connections, those without one or with
    that of another, and silent ones are refused and hold up nobody."""
    uids = make_objects(folder, 1)
    make_certificates(folder, "ours", "theirs", "foreign")
    port = free_port()
    with Peer() as peer:
        # the question goes without TLS, the archive that answers has it: one queue
        send(folder, peer, uids, "--retries", 0, status=3)
        (transaction, _), = peer.asked[:1]
        with subprocess.Popen(
                [dicom_peer.DICOM, "commit", "--peer", peer.name, "--queue",
                 "queue", "--commit-wait", "86400", "--timeout", "20", "--stay",
                 "--listen", str(port), "--ca", "theirs.pem", "--cert",
                 "ours.pem", "--key", "ours.key"], cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=open(folder / "err", "w")) as process:
            def try_connect():
                try:
                    return socket.create_connection(("127.0.0.1", port), 60)
                except OSError:
                    return None

            silent = [tap.until("the port", try_connect)]
            silent += [try_connect() for _ in range(3)]
            # a plain association, as if there were no TLS
            conversation = Conversation(try_connect())
            try:
                kind = conversation.request(
                    "PEER", "OCT", {1: [COMMITMENT, IMPLICIT]})
            except (OSError, dicom_peer.Closed):
                kind = None
            assert kind != 2, kind
            assert refused(folder, port, None)
            assert refused(folder, port, "foreign")
            # half of a handshake
            half = try_connect()
            half.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
            assert not stages(folder / "queue")["committed"]
            conversation = call_by_tls(folder, port, "theirs")
            send_event(conversation, 1, make_event(transaction, uids))
            _, reply, _ = conversation.receive()
            assert reply.Status == 0
            assert stages(folder / "queue")["committed"] == uids
            assert process.poll() is None
            process.kill()
            for each in (*silent, half):
                each.close()


tap.main(globals(), at_a_time=4)
