# SPDX-License-Identifier: LGPL-2.1-or-later
"""The SECTION comments of the elements: what each is for, and lines to try it.

A comment holds paragraphs, and launch lines between |[ and ]|.  A line of a block
that does not begin with gst-launch-1.0 continues the one above.
"""
import functools
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMENT = re.compile(r"/\*\*\n \* SECTION:element-(\w+)\n(.*?) \*/", re.S)


@functools.cache
def left_out():
    """Elements that a build without their library does not have."""
    return [name for name in ["octcamerasrc"]
            if subprocess.run(
                ["gst-inspect-1.0", "--exists", "--atleast-version=0.0", name],
                stdin=subprocess.DEVNULL).returncode != 0]


def sections():
    """(source, element, text without the stars) of each element."""
    for source in sorted((ROOT / "gst").rglob("*.c")):
        comment = COMMENT.search(source.read_text(encoding="utf-8"))
        if comment:
            text = re.sub(r"^ \* ?", "", comment[2], flags=re.M)
            yield source.relative_to(ROOT), comment[1], text.strip()


def parts(text):
    """(paragraphs, launch lines); each launch line is a list of its lines."""
    blocks = re.findall(r"\|\[(.*?)\]\|", text, re.S)
    prose = re.sub(r"\|\[.*?\]\|", "", text, flags=re.S)
    commands = []
    for line in "\n".join(blocks).split("\n"):
        if line.startswith("gst-launch-1.0 "):
            commands.append([line.strip()])
        elif line.strip():
            commands[-1].append(line.strip())
    paragraphs = [" ".join(paragraph.split())
                  for paragraph in re.split(r"\n\s*\n", prose)]
    return [paragraph for paragraph in paragraphs if paragraph], commands
