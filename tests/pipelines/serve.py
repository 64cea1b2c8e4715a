# SPDX-License-Identifier: LGPL-2.1-or-later
"""Attacks the RTSP server of an oct-record that records, from this computer:
floods of connections, of requests, of bytes, and clients that stop.  The
recording, and a viewer with the password, must not notice.  Output is TAP."""
import contextlib
import hashlib
import os
import re
import resource
import select
import signal
import socket
import subprocess
import threading
import time

import tap

RECORD = os.environ["OCT_RECORD"]
SECRET = "correct horse"
REQUEST = b"OPTIONS rtsp://127.0.0.1/oct RTSP/1.0\r\nCSeq: 1\r\n\r\n"
# The most that one address may hold without a password, and a viewer's seats.
GUESTS = 56
# Open files of a connection: of the client, two inside, two of the library.
FILES_EACH = 5


class Server:
    """An oct-record with a password; its output goes to files."""

    def __init__(self, folder, *arguments, files=None):
        (folder / "secret").write_text(SECRET + "\n")
        self.folder = folder
        self.out = folder / "out"
        self.process = subprocess.Popen(
            [RECORD, "--output", "x", "--rtsp", "0", "--password-file",
             "secret", "--samples", "256", "--lines", "64",
             *map(str, arguments)],
            cwd=folder, stdin=subprocess.DEVNULL,
            stdout=open(self.out, "w", encoding="utf-8"),
            stderr=open(folder / "err", "w", encoding="utf-8"),
            preexec_fn=files and (lambda: resource.setrlimit(
                resource.RLIMIT_NOFILE, (files, files))))
        self.port = int(self.wait_for(r"Live: rtsp://127.0.0.1:(\d+)/oct")[1])
        self.url = f"rtsp://127.0.0.1:{self.port}/oct"

    def wait_for(self, pattern, seconds=60):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = re.search(pattern, self.out.read_text())
            if found:
                return found
            assert self.process.poll() is None, self.errors()
            time.sleep(0.05)
        raise AssertionError(f"no '{pattern}': {self.out.read_text()}")

    def errors(self):
        return (self.folder / "err").read_text()

    def frames(self):
        """Frames recorded so far, as the program shows them."""
        found = re.findall(r"video (\d+) frames", self.out.read_text())
        return int(found[-1]) if found else 0

    def wait_for_frames(self, more, seconds=60):
        before = self.frames()
        until = time.monotonic() + seconds
        while self.frames() < before + more:
            assert time.monotonic() < until, "the recording stands still"
            assert self.process.poll() is None, self.errors()
            time.sleep(0.1)

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory(self):
        """MB that it uses."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read())[1]) / 1024

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), 30)

    def stop(self):
        """Ctrl-C; frames of a recording that has lost nothing."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(60) == 0, self.errors()
        assert "Error" not in self.errors(), self.errors()
        found = re.search(r"^video: .*, (\d+) frames", self.out.read_text(),
                          re.M)
        assert found, self.out.read_text()
        return int(found[1])


@contextlib.contextmanager
def server(folder, *arguments, **options):
    it = Server(folder, *arguments, **options)
    try:
        yield it
    finally:
        it.process.kill()
        it.process.wait()


def is_over(stream, seconds=30):
    """The server has ended this connection, whatever it said before."""
    stream.settimeout(seconds)
    try:
        while stream.recv(65536):
            pass
    except ConnectionError:
        pass
    return True


def ask(stream, method, url, number, slowly=False, **headers):
    """Sends a request, whole or byte by byte; returns the answer."""
    text = "\r\n".join([f"{method} {url} RTSP/1.0", f"CSeq: {number}",
                        *(f"{name}: {value}"
                          for name, value in headers.items())]) + "\r\n\r\n"
    for part in text if slowly else [text]:
        stream.sendall(part.encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        got = stream.recv(1)
        assert got, "the server has ended the connection"
        answer += got
    length = re.search(rb"Content-Length: (\d+)", answer, re.I)
    while length and len(answer.partition(b"\r\n\r\n")[2]) < int(length[1]):
        answer += stream.recv(4096)
    return answer.decode()


def digest(*parts):
    return hashlib.md5(":".join(parts).encode()).hexdigest()


def authorize(refusal, method, url, password):
    """The header for a server that has answered 401 (RFC 2617)."""
    realm, nonce = (re.search(rf'{name}="([^"]+)"', refusal)[1]
                    for name in ("realm", "nonce"))
    response = digest(digest("oct", realm, password), nonce,
                      digest(method, url))
    return {"Authorization": f'Digest username="oct", realm="{realm}", '
                             f'nonce="{nonce}", uri="{url}", '
                             f'response="{response}"'}


def log_in(stream, url, password=SECRET, slowly=False):
    """(the refusal, the answer to the password)."""
    refusal = ask(stream, "DESCRIBE", url, 1, slowly)
    assert refusal.startswith("RTSP/1.0 401"), refusal
    return refusal, ask(stream, "DESCRIBE", url, 2, slowly,
                        **authorize(refusal, "DESCRIBE", url, password))


def play(it, slowly=False):
    """A viewer with the password; returns its connection when video comes."""
    stream = it.connect()
    refusal, answer = log_in(stream, it.url, slowly=slowly)
    assert answer.startswith("RTSP/1.0 200"), answer
    track = it.url + "/stream=0"
    answer = ask(stream, "SETUP", track, 3, slowly,
                 Transport="RTP/AVP/TCP;unicast;interleaved=0-1",
                 **authorize(refusal, "SETUP", track, SECRET))
    assert answer.startswith("RTSP/1.0 200"), answer
    answer = ask(stream, "PLAY", it.url, 4, slowly,
                 Session=re.search(r"Session: ([^;\r]+)", answer)[1],
                 **authorize(refusal, "PLAY", it.url, SECRET))
    assert answer.startswith("RTSP/1.0 200"), answer
    read_video(stream)
    return stream


def read_video(stream, size=20000):
    """So many bytes of video."""
    stream.settimeout(60)
    while size > 0:
        got = stream.recv(65536)
        assert got, "the server has ended the video"
        size -= len(got)


class Viewer:
    """Reads all that comes."""

    def __init__(self, stream):
        self.stream, self.size = stream, 0
        self.ended = threading.Event()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        with contextlib.suppress(OSError):
            while got := self.stream.recv(65536):
                self.size += len(got)
        self.ended.set()

    def wait_for(self, size):
        """So many more bytes."""
        size += self.size
        until = time.monotonic() + 60
        while self.size < size:
            assert not self.ended.is_set(), "the server has ended the video"
            assert time.monotonic() < until, "no video comes"
            time.sleep(0.05)


def flood(it, count, first):
    """As many connections as that, each with the bytes `first`; those that the
    server has kept."""
    streams = []
    for _ in range(count):
        stream = it.connect()
        with contextlib.suppress(ConnectionError):
            stream.sendall(first)
        streams.append(stream)
    return streams


def kept(streams):
    """Those that are open still."""
    count = 0
    for stream in streams:
        stream.setblocking(False)
        try:
            while stream.recv(65536):
                pass
        except BlockingIOError:
            count += 1
        except ConnectionError:
            pass
    return count


def wait_until_kept(streams, most):
    """The server has ended all but so many."""
    until = time.monotonic() + 60
    while kept(streams) > most:
        assert time.monotonic() < until, f"{kept(streams)} are open"
        time.sleep(0.1)


# -------------------------------------------------------------------- tests

def test_connections(folder):
    """Far more than there are open files, while parts of a recording begin."""
    with server(folder, "--part-seconds", 1, files=512) as it:
        it.wait_for_frames(20)
        before = it.files()
        streams = flood(it, 700, REQUEST)
        assert it.files() <= before + FILES_EACH * GUESTS + 16
        silent = flood(it, 300, b"")
        wait_until_kept(streams + silent, GUESTS)
        it.wait_for_frames(60)
        for stream in streams + silent:
            stream.close()
        play(it).close()
        assert it.stop() > 80
        parts = sorted(folder.glob("x-*.mkv"))
        assert len(parts) >= 2, parts


def test_seats_of_viewers(folder):
    """Flooded before and meanwhile, viewers come in and keep their seats; one
    address does not get all of them."""
    with server(folder, "--size", "160x128") as it:
        streams = flood(it, 100, REQUEST)
        viewers = [Viewer(play(it)) for _ in range(12)]
        streams += flood(it, 100, REQUEST)
        for viewer in viewers:
            viewer.wait_for(20000)
        one_more = Viewer(play(it))
        one_more.ended.wait(60)
        assert one_more.ended.is_set()
        for viewer in viewers:
            viewer.wait_for(20000)
            viewer.stream.close()
        wait_until_kept(streams, GUESTS)
        it.stop()


def test_bodies(folder):
    """Lengths of bodies are not believed."""
    with server(folder) as it:
        it.wait_for_frames(10)
        before = it.memory()
        for length in ("2000000000", "5000", "-1", "5\r\nContent-Length: 5"):
            for _ in range(4):
                with it.connect() as stream:
                    stream.sendall(REQUEST[:-2] + b"Content-Length: "
                                   + length.encode() + b"\r\n\r\n")
                    answer = stream.recv(4096)
                    assert answer.startswith(b"RTSP/1.0 4"), answer
                    assert is_over(stream)
        assert it.memory() < before + 50
        it.stop()


def push(it, block, most=200):
    """Sends as many MB as that, or what the server takes within some seconds
    without any of it moving."""
    sent = 0
    with it.connect() as stream:
        stream.setblocking(False)
        try:
            while sent < most * len(block):
                if not select.select([], [stream], [], 3)[1]:
                    break
                sent += stream.send(block)
        except ConnectionError:
            pass
    return sent / 1e6


def test_floods_of_bytes(folder):
    """A head without an end, packets for nobody, requests without a pause."""
    with server(folder) as it:
        it.wait_for_frames(10)
        before = it.memory()
        with it.connect() as stream:
            with contextlib.suppress(ConnectionError):
                stream.sendall(REQUEST[:-2] + b"A: b\r\n" * 10000)
            assert is_over(stream)
        packets = (b"$\x01\x0f\x00" + bytes(0xf00)) * 256
        requests = REQUEST * 20000
        for block in (b"A: " + b"b" * 1000000, packets, requests):
            # some of it waits in the kernel
            assert push(it, block) < 20
        assert it.memory() < before + 50
        it.wait_for_frames(20)
        play(it).close()
        it.stop()


def test_other_protocols(folder):
    """No tunnels, and no methods that a viewer does not need."""
    with server(folder) as it:
        it.wait_for_frames(10)
        for request, status in (
                (b"GET /oct HTTP/1.0\r\nx-sessioncookie: abc\r\n\r\n", b"505"),
                (b"POST /oct HTTP/1.0\r\nx-sessioncookie: abc\r\n"
                 b"Content-Length: 32767\r\n\r\n", b"505"),
                (b"ANNOUNCE rtsp://127.0.0.1/oct RTSP/1.0\r\nCSeq: 1\r\n"
                 b"Content-Length: 10\r\n\r\n", b"405"),
                (b"RECORD rtsp://127.0.0.1/oct RTSP/1.0\r\n\r\n", b"405"),
                (b"OPTIONS * RTSP/1.0\nCSeq: 1\n\n", b"400"),
                (b"\x16\x03\x01\x00\x05hello\r\n\r\n", b"400")):
            with it.connect() as stream:
                stream.sendall(request)
                answer = stream.recv(4096)
                assert answer.startswith(b"RTSP/1.0 " + status), answer
                assert is_over(stream)
        it.stop()


def test_empty_lines(folder):
    """Before a request they are passed over, as some clients send one."""
    with server(folder) as it:
        with it.connect() as stream:
            for before in (b"", b"\r\n", b"\r\n\r\n"):
                stream.sendall(before + REQUEST)
                answer = b""
                while b"\r\n\r\n" not in answer:
                    more = stream.recv(4096)
                    assert more, (before, answer)
                    answer += more
                assert answer.startswith(b"RTSP/1.0 200"), (before, answer)
        it.stop()


def test_wrong_passwords(folder):
    """Guesses are slow, and the right one still gets in, byte by byte."""
    with server(folder) as it:
        it.wait_for_frames(10)
        began = time.monotonic()
        for guess in range(60):
            with it.connect() as stream:
                _, answer = log_in(stream, it.url, f"guess {guess}")
                assert answer.startswith("RTSP/1.0 401"), answer
        # two requests each, of which 60 are free and then 20 a second
        assert time.monotonic() - began > 2
        with play(it, slowly=True) as viewer:
            read_video(viewer)
        it.stop()


def test_slow_clients(folder):
    """A connection that sends nothing, or stops in the middle, is closed; so is
    a viewer that does not read.  Others go on."""
    with server(folder, "--size", "320x256") as it:
        streams = [it.connect() for _ in range(3)]
        streams[1].sendall(REQUEST[:20])
        streams[2].sendall(b"$\x00\x00")
        stalled = play(it)
        viewer = play(it)
        for stream in streams:
            assert is_over(stream, 60)
        # its windows fill up, and then nothing moves
        mine = stalled.getsockname()[1]
        until = time.monotonic() + 240
        while is_connected(it.port, mine):
            assert time.monotonic() < until, "a viewer that stalls keeps a seat"
            read_video(viewer)
        it.stop()


def is_connected(port, other):
    """Whether the server's end of a connection is open (/proc/net/tcp)."""
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [row.split() for row in list(table)[1:]]
    return any(row[1].endswith(f":{port:04X}") and row[3] == "01"
               and row[2].endswith(f":{other:04X}") for row in rows)


tap.main(globals(), at_a_time=2)
