# SPDX-License-Identifier: LGPL-2.1-or-later
"""oct-audit --report: a known audit and known files in, the facts of the page out.
Output is TAP."""
import base64
import hashlib
import html.parser
import json
import os
import re
import struct
import subprocess

import tap

AUDIT = os.environ["OCT_AUDIT"]
LABEL = "Rabbit 7"


def at(minute, second=0):
    return f"2026-03-05T09:{minute:02}:{second:02}.000000Z"


def said(minute, second=0):
    """The same, as a page has it."""
    return f"2026-03-05 09:{minute:02}:{second:02} UTC"


def chain(events, before="0" * 64):
    """The lines of an audit, as docs/live-security.md describes them."""
    lines = []
    for number, (time, event, fields) in enumerate(events, 1):
        line = json.dumps({"number": number, "time": time, "event": event,
                           **fields, "before": before}, ensure_ascii=False,
                          separators=(",", ":"))
        before = hashlib.sha256(line.encode()).hexdigest()
        lines.append(line)
    return "\n".join(lines) + "\n", before


ONE = {"by": "control", "address": "10.0.0.7", "session": "5be1"}
OTHER = {"by": "control", "address": "10.0.0.8", "session": "77aa"}
PEDAL = {"by": "pedal"}
DAY = [
    (at(0), "program begun", {"program": "oct-live", "version": "0.1.0",
                              "computer": "theatre2", "user": "oct",
                              "process": 77}),
    (at(1), "label", {**ONE, "text": "Mouse 3"}),
    (at(2), "record", {**ONE, "on": 1}),
    (at(2), "recording begun", {"name": "bscans-20260305-090200"}),
    (at(3), "recording ended", {"name": "bscans-20260305-090200", "images": 5,
                                "dropped": 0, "bytes": 1}),
    (at(10), "label", {**ONE, "text": LABEL, "side": "left"}),
    (at(11), "record", {**ONE, "on": 1}),
    (at(11), "recording begun", {"name": "bscans-20260305-091100"}),
    (at(12), "note", {**ONE, "text": "<incision> & \"more\""}),
    (at(13), "set", {**OTHER, "settings": "min max"}),
    (at(13, 30), "label", {**OTHER, "text": "Rat 9", "refused": "too long"}),
    (at(14), "keep", PEDAL),
    (at(14, 1), "last seconds kept",
     {"files": "Kept the last 3 s: kept-20260305-091400.mkv."}),
    (at(15), "last seconds kept", {"trouble": "The disk is full."}),
    (at(20, 7), "recording ended", {"name": "bscans-20260305-091100",
                                    "images": 30, "dropped": 0, "bytes": 9}),
    (at(21), "recording begun", {"name": "bscans-20260305-091100-2"}),
    (at(22), "recording ended", {"name": "bscans-20260305-091100-2",
                                 "images": 12, "dropped": 2, "bytes": 9,
                                 "trouble": "The encoder was too slow."}),
    (at(23), "recording begun", {"name": "bscans-20260305-092300"}),
    (at(30), "label", {**ONE, "text": "Rat 9"}),
    (at(31), "recording ended", {"name": "bscans-20260305-092300", "images": 7,
                                 "dropped": 0, "bytes": 9}),
    (at(40), "program ended", {}),
]


class Page(html.parser.HTMLParser):
    """Its words, and the tags that make them."""

    def __init__(self, text):
        super().__init__()
        self.words, self.tags, self.sources = [], [], []
        self.inside = None
        self.feed(text)
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.inside = tag
        for name, value in attributes:
            assert not name.startswith("on") and name != "href", (tag, name)
            if name == "src":
                self.sources.append(value)

    def handle_data(self, data):
        if self.inside != "style":
            self.words.append(data)

    def handle_endtag(self, tag):
        self.inside = None


def audit(folder, *arguments, status=0):
    return "".join(tap.run(*arguments, program=AUDIT, cwd=folder, status=status))


def video(path, frames):
    """A Matroska file of a ball that moves."""
    subprocess.run(
        ["gst-launch-1.0", "-q", "videotestsrc", f"num-buffers={frames}",
         "pattern=ball", "!", "video/x-raw,width=320,height=200,framerate=10/1",
         "!", "jpegenc", "!", "matroskamux", "!", "filesink",
         f"location={path}"], check=True, timeout=120)


def make(folder):
    """Returns the hash of the last line."""
    text, last = chain(DAY)
    (folder / "audit.jsonl").write_text(text)
    here = folder / "recordings"
    here.mkdir()
    video(here / "bscans-20260305-091100-00000.mkv", 20)
    video(here / "bscans-20260305-091100-00001.mkv", 10)
    video(here / "bscans-20260305-091100-2-00000.mkv", 12)
    video(here / "bscans-20260305-092300-00000.mkv", 6)
    video(here / "kept-20260305-091400.mkv", 30)
    (here / "kept-20260305-091400.txt").write_text(
        "Kept at 09:14:00 on 2026-03-05: the last 3.0 s, 30 images\n"
        "Case: Rabbit 7\n")
    (here / "bscans-20260305-091100-meters.csv").write_text(
        "measurement,field,mean,minimum,maximum\nspectra,missing,0,0,0\n"
        "ascans,snr-db,41.25,40,42.5\n")
    # B-scans since the program began, some of them before the recording
    (here / "bscans-20260305-091100-spectra.csv").write_text(
        "time,of,bscans,missing,mean\n" + "".join(
            f"{at(11, n)},spectra,{400 + 60 * n},7,1.5\n" for n in range(5)))
    (here / "bscans-20260305-091100-2-spectra.csv").write_text(
        "time,of,bscans,missing,mean\nx,spectra,10,7,\ny,spectra,30,9,\n")
    (here / "bscans-20260305-091100-notes.csv").write_text(
        "seconds,time,note\n60.000,09:12,\"<incision>\"\n")
    return last


def section(page, name):
    """The words from a heading on, to the next recording."""
    return page.text[page.text.index(name):]


def test_facts(folder):
    last = make(folder)
    audit(folder, "--report", "case.html", "--case", LABEL, "--recordings",
          "recordings", "audit.jsonl")
    assert (folder / "case.html").stat().st_mode & 0o777 == 0o600
    page = Page((folder / "case.html").read_text())
    text = page.text
    assert "Report of a case " + LABEL in text, text[:500]
    for words in (f"Begin {said(10)} End {said(30)} Duration 0:20:00",
                  "computer: theatre2", f"Hash of the last line {last}",
                  f"Events {len(DAY)} From {at(0)} To {at(40)}",
                  "Recordings 3 (without a loss 1, with a loss 2 , not known 0)",
                  "Kept moments 2"):
        assert words in text, (words, text)
    # the recording whose files have all that the program counted
    first = text.index("Recordings bscans-20260305-091100 ")
    second = text.index("bscans-20260305-091100-2 ", first)
    third = text.index("bscans-20260305-092300 ", second)
    kept = text.index("Kept moments", third)
    one, two, three = text[first:second], text[second:third], text[third:kept]
    assert "given 30 images, dropped none, and the files have 30" in one, one
    assert f"Begun {said(11)} Ended {said(20, 7)} Duration 0:09:07 Images 30" in one
    assert "ascans snr-db 41.25 40 42.5" in one, one
    assert "<incision>" in one, one
    for path in (folder / "recordings").iterdir():
        data = path.read_bytes()
        assert hashlib.sha256(data).hexdigest() in text, path
        assert f"{path.name} {len(data)}" in text, (path, text)
    missing = "By the numbers of the source, {} B-scans were missing from the " \
              "first measurement to the last, in which {} came."
    assert missing.format(0, 240) in one and missing.format(2, 20) in two
    # one with a loss that the program knew, one whose file lacks an image
    assert "files have the 12 images that were written; 2 were dropped" in two
    assert "The encoder was too slow." in two, two
    assert "The program wrote 7 images, and the files have 6." in three, three
    rest = text[kept:]
    assert "Kept the last 3 s: kept-20260305-091400.mkv." in rest
    assert "The program kept 30 images, and the file has 30." in rest
    assert "Case: Rabbit 7" in rest and "The disk is full." in rest
    assert "Side left" in text
    # what others did is not in it
    assert "label that of another case" in rest
    # (somebody tried to name the other during this one)
    text = text.replace("text: Rat 9; refused", "")
    for words in ("Mouse 3", "090200", "Rat 9"):
        assert words not in text, words
    people = section(page, "Commands came from")
    assert f"control 10.0.0.7 {at(10)} {at(30)} 4 0" in people, people
    assert f"control 10.0.0.8 {at(13)} {at(13, 30)} 2 1" in people, people
    assert f"pedal {at(14)} {at(14)} 1 0" in people, people


def jpeg_size(data):
    """(height, width), from the header of the frame."""
    at_byte = 2
    while data[at_byte + 1] not in (0xc0, 0xc1, 0xc2):
        at_byte += 2 + struct.unpack(">H", data[at_byte + 2:at_byte + 4])[0]
    return struct.unpack(">HH", data[at_byte + 5:at_byte + 9])


def test_pictures(folder):
    """One of each video: three recordings and a kept moment."""
    make(folder)
    audit(folder, "--report", "case.html", "--case", LABEL, "--recordings",
          "recordings", "audit.jsonl")
    page = Page((folder / "case.html").read_text())
    assert len(page.sources) == 4, len(page.sources)
    for source in page.sources:
        kind, _, data = source.partition(",")
        data = base64.b64decode(data)
        assert kind == "data:image/jpeg;base64" and data[:2] == b"\xff\xd8"
        assert jpeg_size(data) == (200, 320), jpeg_size(data)
    # at the end of the kept moment the ball is elsewhere than in the middle
    assert len(set(page.sources)) > 1


def test_all_events(folder):
    """Without a label, and without a folder: nothing is said about files."""
    make(folder)
    audit(folder, "--report", "all.html", "audit.jsonl")
    text = Page((folder / "all.html").read_text()).text
    assert "Report of a case all events" in text
    assert f"Begin {said(0)} End {said(40)} Duration 0:40:00" in text, text[:600]
    assert "Recordings 4 (without a loss 0, with a loss 0 , not known 4)" in text
    assert text.count("Its files were not looked at.") == 4
    for words in ("Mouse 3", LABEL, "Rat 9"):
        assert words in text, words


def test_case_that_comes_back(folder):
    """Both of its times, and a recording that began before it."""
    events = [(at(0), "program begun", {}),
              (at(1), "recording begun", {"name": "r"}),
              (at(2), "label", {**ONE, "text": LABEL}),
              (at(3), "label", {**ONE, "text": "other"}),
              (at(4), "recording ended", {"name": "r", "images": 1,
                                          "dropped": 0, "bytes": 1}),
              (at(5), "label", {**ONE, "text": LABEL}),
              (at(6), "recording begun", {"name": "s"}),
              (at(8), "program begun", {}),
              (at(9), "recording begun", {"name": "t"})]
    (folder / "audit.jsonl").write_text(chain(events)[0])
    audit(folder, "--report", "case.html", "--case", LABEL, "audit.jsonl")
    text = Page((folder / "case.html").read_text()).text
    assert f"Begin {said(2)} End {said(3)} Duration 0:01:00 " \
           f"Begin {said(5)} End {said(8)}" in text, text
    assert f"Recordings r Its files were not looked at. Begun {said(1)}" in text
    assert text.count("It began before the case, and shows more than it.") == 1
    assert f"Begun {said(6)} Ended not in the audit" in text
    assert f"Begun {said(9)}" not in text, text


HOSTILE = [
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>' &lt;b&gt; -->", "</title></style><h1>other",
    "\u202ereversed\u2066 \x7f\x85\u200b", "a\nb\r\x1b[31mred", "a\x00b",
    "x" * 60000, "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
]


def test_hostile_texts(folder):
    """Each of them is text: the page has the elements that it has without
    them, and nothing that turns words around."""
    plain = None
    for n, words in enumerate(["plain", *HOSTILE]):
        events = [(at(0), "program begun", {"computer": words}),
                  (at(1), "label", {**ONE, "text": words}),
                  (at(2), "recording begun", {"name": words}),
                  (at(2), "recording ended", {
                      "name": words, "images": 1, "dropped": 1, "bytes": 1,
                      "trouble": words}),
                  (at(3), "last seconds kept", {"files": "Kept: " + words.replace("\0", "") + "."}),
                  (at(3), "last seconds kept", {"trouble": words}),
                  (at(4), "note", {"by": words, "address": words, words: words,
                                   "text": words}),
                  (words, words, {})]
        if len(words) > 10000:  # a line has its longest length
            events = events[:2]
        (folder / "audit.jsonl").write_text(chain(events)[0])
        line = ["--report", f"{n}.html", "--recordings", ".", "audit.jsonl"]
        # a command line cannot hold a byte of 0
        line[2:2] = ["--case", words] if "\0" not in words else []
        audit(folder, *line)
        data = (folder / f"{n}.html").read_text()
        page = Page(data)
        if len(events) > 2 and "\0" not in words:
            plain = plain or page.tags
            assert page.tags == plain, (words, page.tags)
        assert "script" not in page.tags and not page.sources
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e"
                             "\u2066-\u2069]", data), words
        if words.isprintable():
            assert " ".join(words.split()) in page.text, words


def test_hostile_folder(folder):
    """Links, pipes and folders are left out; a file that a player
    cannot read is said to have no images."""
    make(folder)
    here = folder / "recordings"
    (folder / "secret").write_text("secret words")
    (here / "bscans-20260305-092300.txt").symlink_to(folder / "secret")
    os.mkfifo(here / "bscans-20260305-092300-00002.mkv")
    (here / "bscans-20260305-092300-00003.mkv").mkdir()
    (here / "bscans-20260305-092300-00001.mkv").write_bytes(b"no video" * 100)
    (here / os.fsdecode(b"bscans-20260305-092300-\xff<b>.csv")).write_bytes(b"")
    audit(folder, "--report", "case.html", "--case", LABEL, "--recordings",
          "recordings", "audit.jsonl")
    page = Page((folder / "case.html").read_text())
    assert "secret" not in page.text and "00002" not in page.text
    assert "00003" not in page.text and "bscans-20260305-092300-00001.mkv" \
        in page.text
    assert "with a loss 2" in page.text and "b" not in page.tags


def test_refused(folder):
    make(folder)
    text = (folder / "audit.jsonl").read_text()
    for more, words in (
            (["--report", "audit.jsonl"], "cannot be written"),
            (["--report", "none/case.html"], "cannot be written"),
            (["--report", "a.html", "--case", "Cat"], "'Mouse 3', 'Rabbit 7', "
             "'Rat 9'"),
            (["--report", "a.html", "--recordings", "none"], "none"),
            (["--case", LABEL], "belong to --report")):
        said = audit(folder, *more, "audit.jsonl", status=1)
        assert words in said, (more, said)
        assert not (folder / "a.html").exists()
    assert (folder / "audit.jsonl").read_text() == text
    # an audit that was changed has no report
    (folder / "audit.jsonl").write_text(text.replace("Mouse 3", "Mouse 4"))
    said = audit(folder, "--report", "a.html", "audit.jsonl", status=1)
    assert "does not follow" in said and not (folder / "a.html").exists()


tap.main(globals())
