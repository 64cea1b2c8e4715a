# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails when comments or pages have more phrases that are hard to read than before.

    wording.py                   counts them
    wording.py --list PATTERN    prints each with its place, and how many a folder has

PATTERN is a name in the list below, or `all`.  The limits may only shrink.  If a phrase
is right where it stands, make its pattern more exact.
"""
import bisect
import collections
import re
import sys

import files

START = r"(?:^|(?<=[.!?;:] ))"
# a person does something; "who" after anything else makes a riddle of it
PERSONS = ("person", "people", "those", "anyone", "anybody", "someone", "somebody",
           "everyone", "everybody", "nobody", "user", "users", "viewer", "viewers",
           "all", "others", "he", "one", "know", "knows", "decide", "see", "say",
           "says", "ask", "asks", "and", "or")
# "X behind" that is no order in time or in a stream
LEFT = ("left", "leave", "leaves", "fall", "falls", "lag", "lags", "stay", "stays")
RIGHT = ("mirror", "mirrors", "proxy", "firewall", "router", "NAT", "glass", "lens",
         "surface", "tissue", "instrument", "camera", "reverse proxy")
VERBS = (r"(?:takes?|taken|keeps?|kept|gives?|given|makes?|reads?|writes?|writ?ten|"
         r"holds?|finds?|uses?|removes?|drops?|needs?|sends?|gets?|deletes?|stores?|"
         r"returns?|frees?|closes?|copies|copy|puts?|passes|computes?|adds?|lists?|"
         r"loses?|moves?|ends?|loads?|measures?|draws?|renders?|sees?|hears?)")


def not_after(words):
    return "".join(rf"(?<!\b(?i:{word}) )" for word in words)


Pattern = collections.namedtuple("Pattern", "limit advice expression")
PATTERNS = {
    # "the element behind" is downstream; "the byte behind the last one" follows it
    "behind": Pattern(
        0, "write after, downstream of, beyond, or followed by",
        not_after(LEFT) + r"\b[Bb]ehind\b(?! (?:an? |the |other |another )?(?:"
        + "|".join(RIGHT) + r")\b)"),
    # "What is missing: ...", "of what is left", "keeps what waits for it"
    "what": Pattern(
        0, "name the thing: the missing samples, not what is missing",
        START + r"What (?!to\b|if\b|about\b)(?![^.!?]*\?)"
        r"|\b(?:of|for|to|from|by|with|in|than|as|into|on|at|after|before|beside|"
        r"besides|without|all|that|but|except|through|over|below|above|between) "
        r"what\b(?! (?:kind|order|extent|way|size|sort|to)\b)"
        rf"|\b{VERBS} what\b(?! to\b)"),
    # "who needs them", said of elements and threads
    "who": Pattern(
        0, "name it: the element that ..., the thread that ..., the caller",
        not_after(PERSONS) + r"\b[Ww]ho(?:ever)?\b(?! am| are you)(?![^.!?]*\?)"),
    # "what is no number", but not "there is no number" and not "is no longer"
    "is no": Pattern(
        0, "write is not a",
        r"(?<!\b[Tt]here )\b(?:is|are|was|were) no (?!(?:longer|more|less|fewer|"
        r"such|way|need|doubt|use|matter|problem|larger|smaller|faster|slower|"
        r"sharper|better|worse|higher|lower|further|later|earlier|other|different)"
        r"\b)"),
    # "Of all A-lines.", which says nothing of what it is
    "Of": Pattern(
        0, "begin with the subject: the sum of all A-lines",
        START + r"Of (?!course\b|these\b|those\b|them\b)"),
}
# those that sentences for users must not have either
IN_STRINGS = ("is no",)

C_TOKEN = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\[^'\n]+|\\'|[^'\\\n])')|"""
                     r"/\*.*?\*/|(?://[^\n]*(?:\n[ \t]*|$))+", re.S)
DOCSTRING = re.compile(r'^[ \t]*"""(.*?)"""', re.S | re.M)
LINE_COMMENT = re.compile(r"(?:^|\s)#[ \t](.*)$")


# --------------------------------------------------------------------- comments

def c_comments(text):
    """Lists of (line number, words of the line)."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    for found in C_TOKEN.finditer(text):
        if found[1] is None:
            first = bisect.bisect(starts, found.start())
            yield [(first + i, re.sub(r"^\s*(?:/\*+|\*(?!/)|//+)|\*+/\s*$|-{4,}", " ",
                                      line))
                   for i, line in enumerate(found[0].split("\n"))]


def c_strings(text):
    """The same of strings that stand one after the other, as "a " PRIu64 "b" does."""
    block, end = [], 0
    for found in C_TOKEN.finditer(text):
        if found[1] is None or found[1][0] != '"':
            continue
        if block and not re.fullmatch(r"[\sA-Z_0-9]*", text[end:found.start()]):
            yield block
            block = []
        block.append((text.count("\n", 0, found.start()) + 1, found[1][1:-1]))
        end = found.end()
    if block:
        yield block


def hash_comments(text):
    """The same of shell, Python and Meson; lines one after the other are one."""
    block, alone = [], False
    for number, line in enumerate(text.split("\n"), 1):
        found = LINE_COMMENT.search(line)
        is_alone = line.lstrip().startswith("#")
        if block and not (found and is_alone and alone):
            yield block
            block = []
        if found and not line.startswith("#!"):
            block.append((number, found[1]))
        alone = is_alone
    if block:
        yield block


def docstrings(text):
    for found in DOCSTRING.finditer(text):
        first = text.count("\n", 0, found.start(1)) + 1
        for paragraph in paragraphs(enumerate(found[1].split("\n"), first)):
            yield paragraph


def paragraphs(lines):
    """Of text: what stands between empty lines."""
    block = []
    for number, line in lines:
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def page_paragraphs(text):
    """Of Markdown, without headings, code and comments."""
    fenced, lines = False, []
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        if fenced or line.startswith(("#", "<!--")):
            line = ""
        if re.match(r"\s*(?:[-*] |\d+\. |\|)", line):
            lines.append((number, ""))  # an item, or a row of a table
        lines.append((number, re.sub(r"^\s*(?:[-*] |\d+\. |\| )", "", line)))
    return paragraphs(lines)


def comments(path, text):
    if path.endswith((".c", ".cc", ".h", ".cu", ".cuh")):
        return c_comments(text)
    if path.endswith(".md"):
        return page_paragraphs(text)
    if path.endswith(".py"):
        return [*hash_comments(text), *docstrings(text)]
    return hash_comments(text)


# --------------------------------------------------------------------- counting

def find(path, text):
    """(pattern, line number, what is around it) of each phrase."""
    blocks = [(block, PATTERNS) for block in comments(path, text)]
    if path.endswith((".c", ".h", ".cu", ".cuh")):
        blocks += [(block, IN_STRINGS) for block in c_strings(text)]
    for block, names in blocks:
        words = [(word, number) for number, line in block
                 for word in line.split()]
        joined = " ".join(word for word, _ in words)
        starts = [0]
        for word, _ in words:
            starts.append(starts[-1] + len(word) + 1)
        for name in names:
            for found in re.finditer(PATTERNS[name].expression, joined):
                place = bisect.bisect(starts, found.start()) - 1
                around = joined[max(0, found.start() - 40):found.end() + 40]
                yield name, words[place][1], around


def folder_of(path):
    return "/".join(path.split("/")[:-1][:2]) or "."


def test_itself():
    """Phrases that have to be found, and those that must not."""
    text = {
        "behind": ("/* The element behind. */", "/* An image behind a mirror. */"),
        "what": ("/* A record\n * of what is left. */", "/* Says what is left. */"),
        "who": ("// whoever waits, who\n", "// those who wait\n"),
        "is no": ("/* It is no number. */", "/* There is no number. */"),
        "Of": ("/* Of all A-lines. */", "/* The sum of all A-lines. */")}
    for name, (bad, good) in text.items():
        assert [found[0] for found in find("a.c", bad)].count(name) > 0, bad
        assert not list(find("a.c", good)), good
    assert [(name, line) for name, line, _ in find(
        "a.py", 'x = "is no # number"\n# It\n# is no number.\n')] == [("is no", 3)]
    assert [line for _, line, _ in find(
        "a.md", "# What is left\n\n```\nis no\n```\nIt\nis no number.\n")] == [7]
    assert not list(find("a.c", 'char *a = "/* Of it. */";\n'))
    assert [(name, line) for name, line, _ in find(
        "a.c", 'f ("It", "%s is "\n  "no number");\n')] == [("is no", 1)]
    assert not list(find("a.c", 'f ("which there is", "no number");\n'))


def main():
    test_itself()
    wanted = sys.argv[2] if len(sys.argv) == 3 and sys.argv[1] == "--list" else None
    if len(sys.argv) > 1 and wanted not in (*PATTERNS, "all"):
        sys.exit("Usage: wording.py [--list " + "|".join([*PATTERNS, "all"]) + "]")
    counts, folders = collections.Counter(), collections.Counter()
    for path in files.ours("*.c", "*.cc", "*.h", "*.cu", "*.cuh", "*.sh", "*.py",
                           "*meson.build", "docs/*.md"):
        if path == "tests/docs/wording.py":
            continue
        text = (files.ROOT / path).read_text(encoding="utf-8")
        for name, line, around in find(path, text):
            counts[name] += 1
            if wanted in (name, "all"):
                folders[folder_of(path)] += 1
                print(f"{path}:{line}: {around}")
    for folder, count in sorted(folders.items(), key=lambda item: -item[1]):
        print(f"{count:6} {folder}")
    more = False
    for name, pattern in PATTERNS.items():
        verdict = "the limit"
        if counts[name] > pattern.limit:
            more = True
            verdict = (f"more than {pattern.limit}: {pattern.advice}; "
                       f"tests/docs/wording.py --list '{name}' shows them")
        elif counts[name] < pattern.limit:
            verdict = f"the limit of {pattern.limit} can be lowered"
        print(f'"{name}": {counts[name]}, {verdict}')
    sys.exit(more)


main()
