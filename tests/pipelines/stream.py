# SPDX-License-Identifier: LGPL-2.1-or-later
"""Streams with oct-record and watches: with several viewers, with some that
stall or vanish, and with none.  Output is TAP."""
import concurrent.futures
import contextlib
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading

import tap
from tap import decode

RECORD = os.environ["OCT_RECORD"]
WIDTH, HEIGHT = 160, 128
SMALL = ["--samples", 256, "--lines", 64, "--size", f"{WIDTH}x{HEIGHT}"]
DECODE = ["!", "avdec_h264"]
RTP = ("application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,"
       "payload=96")


class Sender:
    """oct-record at work; its progress is read all the time."""

    def __init__(self, folder, *arguments):
        self.process = subprocess.Popen(
            [RECORD, *map(str, arguments)], cwd=folder, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.lines, self.errors = [], []
        self.readers = [
            threading.Thread(target=lambda: self.lines.extend(
                iter(self.process.stdout.readline, "")), daemon=True),
            threading.Thread(target=lambda: self.errors.extend(
                iter(self.process.stderr.readline, "")), daemon=True)]
        for reader in self.readers:
            reader.start()

    def wait_for(self, pattern):
        def find():
            assert self.process.poll() is None, self.errors
            return next(filter(None, (
                re.search(pattern, line) for line in list(self.lines))), None)

        return tap.until(f"'{pattern}' is printed", find)

    def progress(self, first=0):
        """[{"live": (frames, dropped), "video": ..., "stream": ...}, ...]: of
        all lines from the first on."""
        return [{name: (int(frames), int(dropped))
                 for name, frames, dropped in re.findall(
                     r"(\w+) (\d+) (?:B-scans|frames), (\d+) dropped", line)}
                for line in self.lines[first:] if "live" in line]

    def goes_on(self, frames):
        """Waits until the live picture, the recording and the stream have each
        got so many frames more than they have in the next line of progress."""
        first = len(self.lines)

        def has_gone_on():
            assert self.process.poll() is None, self.errors
            lines = self.progress(first)
            return len(lines) > 1 and all(
                lines[-1][name][0] >= lines[0][name][0] + frames
                for name in lines[0])

        tap.until(f"{frames} frames more", has_gone_on)

    def stop(self):
        """Ctrl-C; (frames, dropped) of the video that it recorded."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(tap.PATIENCE) == 0, self.errors
        for reader in self.readers:
            reader.join(tap.PATIENCE)
        found = re.search(r"^video: .*, (\d+) frames, (\d+) dropped",
                          "".join(self.lines), re.M)
        return found and (int(found[1]), int(found[2]))


@contextlib.contextmanager
def sender(folder, *arguments):
    it = Sender(folder, *SMALL, *arguments)
    try:
        yield it
    finally:
        it.process.kill()
        it.process.wait()


@contextlib.contextmanager
def receiver(*elements, frames=None):
    """gst-launch-1.0 that ends after so many frames.  The file `received` has all
    that it receives."""
    end = ["!", "identity", f"eos-after={frames + 1}"] if frames else []
    with tempfile.TemporaryFile() as received:
        process = subprocess.Popen(
            ["gst-launch-1.0", "-q", *elements, *end, "!", "fdsink",
             f"fd={received.fileno()}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True,
            env={**os.environ, "GST_DEBUG": "2"}, pass_fds=[received.fileno()])
        process.received = received
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


def wait_for_pictures(*viewers):
    """Until each of them has received some."""

    def has_some(viewer):
        assert viewer.poll() is None, viewer.stderr.read()
        return os.fstat(viewer.received.fileno()).st_size > 0

    for viewer in viewers:
        tap.until("pictures come", lambda: has_some(viewer))


def rtsp(url, *properties, decode=()):
    """Counts frames; decodes them where that is to be seen too."""
    return ["rtspsrc", f"location={url}", "latency=50", *properties, "!",
            "rtph264depay", "!", "h264parse", *decode]


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def finish(process):
    """All of its frames have come."""
    try:
        status = process.wait(tap.PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        status = f"nothing within {tap.PATIENCE} s"
    assert status == 0, (status, process.args, process.stderr.read())


def rtsp_request(stream, method, url, number, **headers):
    """Sends one, returns the answer."""
    lines = [f"{method} {url} RTSP/1.0", f"CSeq: {number}",
             *(f"{name}: {value}" for name, value in headers.items())]
    stream.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += stream.recv(1)
    length = re.search(rb"Content-Length: (\d+)", answer, re.I)
    while length and len(answer.partition(b"\r\n\r\n")[2]) < int(length[1]):
        answer += stream.recv(1)
    return answer.decode()


def play(url, **options):
    """A viewer by TCP that asks for the video: its connection and its session."""
    stream = socket.socket()
    for name, value in options.items():
        stream.setsockopt(socket.SOL_SOCKET, getattr(socket, name), value)
    stream.settimeout(tap.PATIENCE)
    stream.connect(("127.0.0.1", int(re.search(r":(\d+)/", url)[1])))
    answer = rtsp_request(stream, "DESCRIBE", url, 1, Accept="application/sdp")
    assert answer.startswith("RTSP/1.0 200"), answer
    answer = rtsp_request(stream, "SETUP", url + "/stream=0", 2,
                          Transport="RTP/AVP/TCP;unicast;interleaved=0-1")
    assert answer.startswith("RTSP/1.0 200"), answer
    session = re.search(r"Session: ([^;\r]+)", answer)[1]
    stream.sendall((f"PLAY {url} RTSP/1.0\r\nCSeq: 3\r\nSession: {session}"
                    "\r\n\r\n").encode())
    return stream, session


def stalled_client(url):
    """A viewer by TCP that begins to play and then reads nothing at all."""
    return play(url, SO_RCVBUF=4096)[0]


def glance(url, says_goodbye):
    """A viewer that leaves after a few packets."""
    stream, session = play(url)
    with stream:
        received = b""
        while received.count(b"$\0") < 3:
            piece = stream.recv(65536)
            assert piece, received[:200]
            received += piece
        if says_goodbye:
            stream.sendall((f"TEARDOWN {url} RTSP/1.0\r\nCSeq: 4\r\n"
                            f"Session: {session}\r\n\r\n").encode())


def sent_in_vain(stream):
    """Bytes that wait for this client in the kernel."""
    mine, theirs = stream.getsockname()[1], stream.getpeername()[1]
    with open("/proc/net/tcp", encoding="ascii") as table:
        for row in list(table)[1:]:
            _, local, remote, _, queues = row.split()[:5]
            if (local.endswith(f":{theirs:04X}")
                    and remote.endswith(f":{mine:04X}")):
                return int(queues.partition(":")[0], 16)
    return None  # disconnected


def check_in_the_way(it, stream):
    """This client takes nothing more, or was disconnected; all goes on."""

    def is_in_the_way():
        before = sent_in_vain(stream)
        it.goes_on(20)
        return before is None or (
            before > 100000 and before == sent_in_vain(stream))

    tap.until("the kernel takes nothing more for it", is_in_the_way)


def check_counts(it):
    """One encoder for all viewers, and a recording: each of them has taken or
    dropped every image and nothing else.  The counts of a line are read one after
    the other, that of images first; one image is under way."""
    lines = it.progress()
    for now, following in zip(lines, lines[1:]):
        assert (now["live"][0] - 1 <= sum(now["stream"])
                <= following["live"][0]), (now, following)
    before, last = lines[-2:]
    frames, dropped = last["video"]
    assert before["live"][0] - 1 <= frames + dropped <= last["live"][0], (
        before, last)


def check_undisturbed(it, folder, name="x.mp4"):
    """Neither the live picture nor the recording waits."""
    it.goes_on(20)
    now = it.progress()[-1]
    frames, _ = it.stop()
    assert frames >= now["video"][0], (frames, now)
    check_counts(it)
    assert decode(folder / name, folder)[0] == frames


# -------------------------------------------------------------------- tests

def test_rtsp_viewers(folder):
    """Three viewers that ask for UDP first or for TCP, one that stalls, one
    that vanishes, and a recording that is complete."""
    with sender(folder, "--rtsp", 0, "--output", "x", "--mp4", "--size",
                "320x256") as it:
        url = it.wait_for(r"Live: (rtsp://127.0.0.1:\d+/oct)")[1]
        it.wait_for(r"stream [1-9]\d* frames")
        stalled = stalled_client(url)
        gone = stalled_client(url)
        gone.close()
        with receiver(*rtsp(url), frames=150) as one, \
                receiver(*rtsp(url, "protocols=tcp"), frames=150) as two, \
                receiver(*rtsp(url, "protocols=tcp")) as vanishing:
            wait_for_pictures(vanishing)
            vanishing.kill()
            for process in (one, two):
                finish(process)
        check_in_the_way(it, stalled)
        # it is served again, to somebody new
        with receiver(*rtsp(url, decode=DECODE), frames=30) as late:
            finish(late)
        stalled.close()
        check_undisturbed(it, folder)


def test_rtsp_coming_and_going(folder):
    """Viewers who come, look and go, one after the other and all at once."""
    with sender(folder, "--rtsp", 0, "--output", "x", "--mp4") as it:
        url = it.wait_for(r"Live: (rtsp://127.0.0.1:\d+/oct)")[1]
        with concurrent.futures.ThreadPoolExecutor(4) as viewers:
            # each of 60 gets pictures: also the one that comes while the last
            # one leaves, and after more than may watch at a time were cut off
            list(viewers.map(lambda n: glance(url, n % 2), range(60)))
        for _ in range(5):
            with receiver(*rtsp(url)) as one, \
                    receiver(*rtsp(url, "protocols=tcp")) as two:
                wait_for_pictures(one, two)
        with receiver(*rtsp(url), frames=30) as viewer:
            finish(viewer)
        check_undisturbed(it, folder)


def test_rtsp_password(folder):
    """Nobody without it, and no address but this machine's without one."""
    (folder / "secret").write_text("correct horse\n")
    (folder / "empty").write_text("")
    with sender(folder, "--rtsp", 0, "--address", "0.0.0.0", "--password-file",
                "secret") as it:
        port = it.wait_for(r"Live: rtsp://0.0.0.0:(\d+)/oct")[1]
        url = f"rtsp://127.0.0.1:{port}/oct"
        with socket.create_connection(("127.0.0.1", int(port))) as stream:
            answer = rtsp_request(stream, "DESCRIBE", url, 1)
            assert answer.startswith("RTSP/1.0 401"), answer
            assert "Digest" in answer and "Basic" not in answer, answer
        for user, word, works in (("oct", "correct horse", True),
                                  ("oct", "wrong horse", False),
                                  ("root", "correct horse", False)):
            with receiver(*rtsp(url, f"user-id={user}", f"user-pw={word}"),
                          frames=20) as viewer:
                assert (viewer.wait(tap.PATIENCE) == 0) == works, (user, word)
        it.stop()
        assert "horse" not in "".join(it.lines + it.errors)
    for arguments, words in (
            (["--address", "0.0.0.0"], "--password-file"),
            (["--password-file", "nowhere"], "nowhere"),
            (["--password-file", "empty"], "8 characters"),
            (["--address", "192.0.2.1", "--password-file", "secret"],
             "cannot listen")):
        _, errors = tap.run("--rtsp", 0, *arguments, *SMALL, program=RECORD,
                            cwd=folder, status=1)
        assert words in errors and len(errors.splitlines()) == 1, errors


def test_srt(folder):
    """A viewer that is stopped (SIGSTOP) and one that goes on."""
    port = free_port()
    uri = f"srt://127.0.0.1:{port}"
    watch = ["srtsrc", f"uri={uri}", "latency=100", "!", "tsdemux", "!", "h264parse", *DECODE]
    with sender(folder, "--output", "x", "--mp4", "--stream",
                f"mpegtsmux alignment=7 ! srtsink uri=srt://127.0.0.1:{port}"
                "?mode=listener latency=100 wait-for-connection=false") as it:
        it.wait_for(r"stream [1-9]\d* frames")
        with receiver(*watch) as stalled:
            wait_for_pictures(stalled)
            stalled.send_signal(signal.SIGSTOP)
            with receiver(*watch, frames=150) as viewer:
                finish(viewer)
            it.goes_on(20)
        with receiver(*watch, frames=30) as late:
            finish(late)
        check_undisturbed(it, folder)


def test_srt_receiver_that_comes_later(folder):
    """Sent to a place where nobody listens yet."""
    port = free_port()
    with sender(folder, "--output", "x", "--mp4", "--stream",
                f"mpegtsmux alignment=7 ! srtsink uri=srt://127.0.0.1:{port}"
                "?mode=caller wait-for-connection=false") as it:
        it.wait_for(r"stream [1-9]\d* frames")
        it.goes_on(90)
        with receiver("srtsrc", f"uri=srt://127.0.0.1:{port}?mode=listener",
                      "!", "tsdemux", "!", "h264parse", *DECODE, frames=30) as viewer:
            finish(viewer)
        check_undisturbed(it, folder)


def multicast(port):
    send = ("rtph264pay config-interval=-1 ! udpsink host=239.255.42.42 "
            f"port={port} multicast-iface=lo ttl-mc=0 sync=false")
    receive = ["udpsrc", "address=239.255.42.42", f"port={port}",
               "multicast-iface=lo", f"caps={RTP}", "!", "rtpjitterbuffer",
               "latency=50", "!", "rtph264depay", "!",
               "h264parse", *DECODE]
    return send, receive


def test_rtp_multicast(folder):
    """Two viewers of the same packets."""
    send, receive = multicast(free_port())
    with sender(folder, "--output", "x", "--mp4", "--stream", send) as it:
        it.wait_for(r"stream [1-9]\d* frames")
        with receiver(*receive, frames=90) as one, \
                receiver(*receive, frames=90) as two:
            finish(one)
            finish(two)
        check_undisturbed(it, folder)


def test_wrong_stream(folder):
    for launch in ("nosuchsink", "fakesink !", ""):
        _, errors = tap.run("--stream", launch, *SMALL, program=RECORD,
                            cwd=folder, status=1)
        assert len(errors.splitlines()) == 1 and "Error" in errors, errors


tap.main(globals(), at_a_time=3)  # they wait for viewers
