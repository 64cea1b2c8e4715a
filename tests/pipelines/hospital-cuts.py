# SPDX-License-Identifier: LGPL-2.1-or-later
"""500 objects to Orthanc by a line that is cut ten times: all are committed, none is
there twice.  Output is TAP."""
import socket
import struct
import threading

import tap
from dicom_archive import instances, make_objects, names, orthanc
from dicom_peer import free_port, run, stages

OBJECTS, CUTS = 500, 10


class Line:
    """Two ways between us and the archive, cut at the same moment with everything
    that is on them, each time that so many more bytes have gone."""

    def __init__(self, bytes_each):
        self.lock = threading.Lock()
        self.streams, self.bytes, self.cuts = set(), 0, 0
        self.bytes_each = bytes_each

    def open(self, port, target):
        door = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self.listen, args=(door, target),
                         daemon=True).start()

    def listen(self, door, target):
        while True:
            one, _ = door.accept()
            try:
                two = socket.create_connection(("127.0.0.1", target))
            except OSError:
                one.close()
                continue
            with self.lock:
                self.streams |= {one, two}
            for pair in ((one, two), (two, one)):
                threading.Thread(target=self.carry, args=pair,
                                 daemon=True).start()

    def carry(self, one, two):
        try:
            while True:
                data = one.recv(4096)
                if not data:
                    break
                two.sendall(data)
                self.count(len(data))
        except OSError:
            pass
        with self.lock:
            for each in {one, two} & self.streams:
                self.streams.discard(each)
                self.end(each)

    def count(self, number):
        with self.lock:
            self.bytes += number
            if self.cuts < CUTS and self.bytes > (
                    self.cuts + 1) * self.bytes_each:
                self.cuts += 1
                for each in self.streams:
                    # what is on the way is lost
                    each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                    struct.pack("ii", 1, 0))
                    self.end(each)
                self.streams.clear()

    @staticmethod
    def end(stream):
        try:
            stream.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        stream.close()


def test_link_cut_ten_times(folder):
    uids = make_objects(folder, OBJECTS)
    size = (folder / f"{uids[0]}.dcm").stat().st_size
    ours, theirs, outside = free_port(), free_port(), free_port()
    with orthanc(folder, outside) as (peer, address):
        line = Line(OBJECTS * size // (CUTS + 1))
        line.open(theirs, int(peer.rpartition(":")[2]))
        line.open(outside, ours)
        # a report that is cut off is waited for so long
        run("send", "--peer", f"ORTHANC@127.0.0.1:{theirs}", "--queue", "q",
            "--commit-wait", 3, "--listen", ours, *names(uids), cwd=folder)
        assert line.cuts == CUTS, line.cuts
        assert stages(folder / "q") == {
            "waiting": [], "sent": [], "committed": uids}
        assert instances(address) == uids


tap.main(globals())
