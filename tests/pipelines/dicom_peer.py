# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the tests of oct-dicom: objects, and a peer that behaves as a test wants,
also badly.  It speaks the upper layer of DICOM (PS3.8) itself, as libraries refuse to
do wrong things."""
import io
import os
import socket
import struct
import threading

import tap
from tap import Skip

try:
    import pydicom
    import pydicom.encaps
    from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
    from pydicom.filebase import DicomBytesIO
    from pydicom.filereader import read_dataset
    from pydicom.filewriter import write_dataset
except ImportError:
    pydicom = None

DICOM = os.environ["OCT_DICOM"]
OPT = "1.2.840.10008.5.1.4.1.1.77.1.5.4"
VIDEO = "1.2.840.10008.5.1.4.1.1.77.1.1.1"
COMMITMENT = "1.2.840.10008.1.20.1"
IMPLICIT, EXPLICIT = "1.2.840.10008.1.2", "1.2.840.10008.1.2.1"
JPEG, MPEG4 = "1.2.840.10008.1.2.4.50", "1.2.840.10008.1.2.4.102"
STORE, FIND, ECHO, EVENT, ACTION = 0x0001, 0x0020, 0x0030, 0x0100, 0x0130
SET, CREATE = 0x0120, 0x0140


def run(*arguments, cwd, status=0):
    return tap.run(*arguments, program=DICOM, cwd=cwd, status=status)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def need_pydicom():
    if pydicom is None:
        raise Skip("pydicom is not installed (Debian: python3-pydicom)")


def make_object(path, uid, syntax=EXPLICIT, sop_class=OPT, pixels=bytes(64),
                study="2.25.1", series="2.25.2"):
    """A small DICOM file of 8 x 8 pixels, or with encapsulated `pixels`."""
    need_pydicom()
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID = sop_class
    meta.MediaStorageSOPInstanceUID = uid
    meta.TransferSyntaxUID = syntax
    data = FileDataset(str(path), {}, file_meta=meta, preamble=bytes(128))
    data.SOPClassUID, data.SOPInstanceUID = sop_class, uid
    data.PatientID, data.PatientName = "1", "Test"
    data.StudyInstanceUID, data.SeriesInstanceUID = study, series
    data.Modality, data.Rows, data.Columns = "OPT", 8, 8
    data.BitsAllocated = data.BitsStored = 8
    data.HighBit, data.PixelRepresentation, data.SamplesPerPixel = 7, 0, 1
    data.PhotometricInterpretation = "MONOCHROME2"
    if syntax not in (IMPLICIT, EXPLICIT):
        pixels = pydicom.encaps.encapsulate([pixels])
    data.PixelData = pixels
    data["PixelData"].VR = "OB"
    data["PixelData"].is_undefined_length = syntax not in (IMPLICIT, EXPLICIT)
    data.is_little_endian, data.is_implicit_VR = True, syntax == IMPLICIT
    data.save_as(str(path), write_like_original=False)
    return path


# -------------------------------------------------------------------- upper layer

def encode(data):
    need_pydicom()
    out = DicomBytesIO()
    out.is_little_endian, out.is_implicit_VR = True, True
    write_dataset(out, data)
    return out.getvalue()


def decode(bytes_):
    return read_dataset(io.BytesIO(bytes_), True, True)


def item(kind, body):
    return struct.pack(">BBH", kind, 0, len(body)) + body


class Closed(Exception):
    pass


class Conversation:
    """One association, from either side."""

    def __init__(self, stream):
        self.stream = stream
        self.contexts = {}
        self.rest = []

    def read(self, count):
        got = b""
        while len(got) < count:
            more = self.stream.recv(count - len(got))
            if not more:
                raise Closed
            got += more
        return got

    def read_pdu(self):
        kind, length = struct.unpack(">BxI", self.read(6))
        return kind, self.read(length)

    def send_pdu(self, kind, body):
        self.stream.sendall(struct.pack(">BxI", kind, len(body)) + body)

    def take_request(self, body):
        place = 68
        self.called, self.calling = (
            body[start:start + 16].decode().strip() for start in (4, 20))
        while place < len(body):
            kind, length = struct.unpack(">BxH", body[place:place + 4])
            value = body[place + 4:place + 4 + length]
            place += 4 + length
            if kind == 0x20:
                parts, inner = [], 4
                while inner < len(value):
                    size, = struct.unpack(">2xH", value[inner:inner + 4])
                    parts.append(value[inner + 4:inner + 4 + size].decode())
                    inner += 4 + size
                self.contexts[value[0]] = parts
        self.header = body[:68]

    def accept(self, refused=()):
        accepted = b"".join(
            item(0x21, bytes([number, 0, 3 if parts[0] in refused else 0, 0])
                 + item(0x40, (IMPLICIT if IMPLICIT in parts[1:]
                               else parts[1]).encode()))
            for number, parts in self.contexts.items())
        user = item(0x50, item(0x51, struct.pack(">I", 16384))
                    + item(0x52, b"2.25.99"))
        self.send_pdu(2, self.header + item(0x10, b"1.2.840.10008.3.1.1.1")
                      + accepted + user)

    def request(self, calling, called, contexts):
        """Requests an association; the kind of the PDU that answers."""
        self.contexts = dict(contexts)
        asked = b"".join(
            item(0x20, bytes([number, 0, 0, 0]) + item(0x30, parts[0].encode())
                 + b"".join(item(0x40, each.encode()) for each in parts[1:]))
            for number, parts in contexts.items())
        role = b"".join(
            item(0x54, struct.pack(">H", len(parts[0])) + parts[0].encode()
                 + b"\0\1") for parts in contexts.values())
        user = item(0x50, item(0x51, struct.pack(">I", 16384))
                    + item(0x52, b"2.25.99") + role)
        self.send_pdu(1, struct.pack(">HH", 1, 0) + called.ljust(16).encode()
                      + calling.ljust(16).encode() + bytes(32)
                      + item(0x10, b"1.2.840.10008.3.1.1.1") + asked + user)
        return self.read_pdu()[0]

    def send(self, context, command, data=None, last=True):
        fields = Dataset()
        for name, value in command.items():
            setattr(fields, name, value)
        fields.CommandDataSetType = 0x0101 if data is None else 1
        body = encode(fields)
        body = struct.pack("<HHII", 0, 0, 4, len(body)) + body
        parts = [(3, body)]
        if data is not None:
            content = encode(data)
            parts += [(0, content[i:i + 8000])
                      for i in range(0, len(content), 8000)]
            if last:
                parts[-1] = (2, parts[-1][1])
        for control, part in parts:
            self.send_pdu(4, struct.pack(">IBB", len(part) + 2, context, control)
                          + part)

    def receive(self):
        """(context, command, bytes of the data), None at the release."""
        command, data = b"", b""
        while True:
            kind, body = self.read_pdu()
            if kind == 5:
                self.send_pdu(6, bytes(4))
                return None
            if kind != 4:
                raise Closed
            while body:
                length, context, control = struct.unpack(">IBB", body[:6])
                part, body = body[6:4 + length], body[4 + length:]
                if control & 1:
                    command += part
                else:
                    data += part
                if control & 2:
                    fields = decode(command)
                    if not control & 1 or fields.CommandDataSetType == 0x0101:
                        return context, fields, data


# ------------------------------------------------------------------------- peers

class Peer:
    """An archive and a worklist that listens on loopback.

    `trouble (step)`, where the step is accept, associate, or a command, returns
    None, "hang" or "close" before that step is answered.
    """

    def __init__(self, trouble=lambda step: None):
        self.trouble = trouble
        self.ended = threading.Event()
        self.stored = []       # UIDs, as they came
        self.asked = []        # (transaction, [UIDs])
        self.steps = []        # (UID, dataset) of N-CREATE and N-SET
        self.replies = []      # status of our event reports
        self.answers = []      # of the worklist
        self.endless = False
        self.status = lambda uid: 0
        self.step_status = self.keep_step
        self.report = None     # (conversation, context, transaction, request)
        self.refused = ()
        self.reject = False
        self.titles = None
        self.syntaxes = set()
        self.door = socket.create_server(("127.0.0.1", 0), backlog=50)
        self.port = self.door.getsockname()[1]
        self.name = f"PEER@127.0.0.1:{self.port}"
        threading.Thread(target=self.listen, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.door.close()

    def listen(self):
        while not self.ended.is_set():
            try:
                stream, _ = self.door.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(stream,),
                             daemon=True).start()

    def keep_step(self, kind, uid):
        """As PS3.4, F.7.2 says: one has a UID once, and an end is the end."""
        states = [data.PerformedProcedureStepStatus for each, data in self.steps
                  if each == uid]
        if kind == CREATE:
            return 0x0111 if states else 0
        return 0x0112 if not states else 0x0110 if len(states) > 1 else 0

    def pause(self, step):
        trouble = self.trouble(step)
        if trouble == "hang":
            self.ended.wait()
        if trouble in ("hang", "close"):
            raise Closed

    def serve(self, stream):
        conversation = Conversation(stream)
        try:
            with stream:
                self.pause("accept")
                conversation.take_request(conversation.read_pdu()[1])
                self.titles = conversation.calling, conversation.called
                self.pause("associate")
                if self.reject:
                    conversation.send_pdu(3, b"\0\1\1\7")
                    return
                conversation.accept(self.refused)
                while True:
                    message = conversation.receive()
                    if message is None:
                        return
                    self.answer(conversation, *message)
        except (Closed, OSError):
            pass

    def answer(self, conversation, context, command, data):
        kind = command.CommandField
        reply = {"CommandField": kind | 0x8000, "Status": 0,
                 "MessageIDBeingRespondedTo": command.get("MessageID", 0),
                 "AffectedSOPClassUID": command.get(
                     "AffectedSOPClassUID",
                     command.get("RequestedSOPClassUID", ""))}
        if kind == EVENT | 0x8000:
            self.replies.append(command.Status)
        elif kind == ECHO:
            self.pause("echo")
            conversation.send(context, reply)
        elif kind == STORE:
            self.pause("store")
            uid = command.AffectedSOPInstanceUID
            reply["Status"] = self.status(uid)
            reply["AffectedSOPInstanceUID"] = uid
            if reply["Status"] == 0:
                self.stored.append(uid)
            self.syntaxes.add(conversation.contexts[context][1])
            self.pause("stored")
            conversation.send(context, reply)
        elif kind == FIND:
            self.pause("find")
            reply["Status"] = 0xff00
            while True:
                for answer in self.answers:
                    conversation.send(context, reply, answer)
                if not self.endless:
                    break
            reply["Status"] = 0
            conversation.send(context, reply)
        elif kind in (CREATE, SET):
            self.pause("create" if kind == CREATE else "set")
            uid = command.get("AffectedSOPInstanceUID",
                              command.get("RequestedSOPInstanceUID"))
            reply["AffectedSOPInstanceUID"] = uid
            reply["Status"] = self.step_status(kind, uid)
            if reply["Status"] == 0:
                self.steps.append((uid, decode(data)))
            self.pause("created" if kind == CREATE else "was set")
            # some answer with the attributes as they have them
            conversation.send(context, reply, decode(data))
        elif kind == ACTION:
            request = decode(data)
            uids = [each.ReferencedSOPInstanceUID
                    for each in request.ReferencedSOPSequence]
            self.asked.append((request.TransactionUID, uids))
            self.pause("action")
            reply["AffectedSOPInstanceUID"] = COMMITMENT + ".1"
            reply["ActionTypeID"] = 1
            conversation.send(context, reply)
            if self.report:
                self.report(conversation, context, request)


def make_event(transaction, good=(), failed=(), sop_class=OPT, reason=0x0112):
    event = Dataset()
    event.TransactionUID = transaction
    for name, uids in (("ReferencedSOPSequence", good),
                       ("FailedSOPSequence", failed)):
        items = []
        for uid in uids:
            each = Dataset()
            each.ReferencedSOPClassUID = sop_class
            each.ReferencedSOPInstanceUID = uid
            if name == "FailedSOPSequence":
                each.FailureReason = reason
            items.append(each)
        if items:
            setattr(event, name, items)
    return event


def send_event(conversation, context, event):
    conversation.send(context, {
        "CommandField": EVENT, "MessageID": 7, "AffectedSOPClassUID": COMMITMENT,
        "AffectedSOPInstanceUID": COMMITMENT + ".1",
        "EventTypeID": 2 if "FailedSOPSequence" in event else 1}, event)


def commit_stored(peer):
    """A report of an honest archive, on the same association."""
    def report(conversation, context, request):
        uids = [each.ReferencedSOPInstanceUID
                for each in request.ReferencedSOPSequence]
        send_event(conversation, context, make_event(
            request.TransactionUID, [uid for uid in uids if uid in peer.stored],
            [uid for uid in uids if uid not in peer.stored]))
    return report


def stages(queue):
    """{stage: UIDs}"""
    return {stage: sorted(path.stem for path in (queue / stage).iterdir())
            for stage in ("waiting", "sent", "committed")}
