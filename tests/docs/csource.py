# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions and includes in files of C, C++ and CUDA that are laid out as
.clang-format says."""
import collections
import re

# comments, strings, attributes and lines of the preprocessor define nothing
BLANK = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|"""
                   r"""'(?:\\[^'\n]+|\\'|[^'\\\n])'|"""
                   r"G_GNUC_PRINTF\s*\([^)]*\)|__attribute__\s*\(\(.*?\)\)|"
                   r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include "([^"]+)"', re.M)
NAME = re.compile(r"\b((?!__)\w+)\s*\(")

Function = collections.namedtuple("Function", "name is_static line lines body")


def blank(text):
    """Without what BLANK finds; lines keep their numbers."""
    return BLANK.sub(lambda found: re.sub(r"[^\n]+", " ", found[0]), text)


def functions(blanked):
    """The functions defined in the text of blank()."""
    lines = blanked.split("\n")
    end = 0
    for number, line in enumerate(lines):
        if line.rstrip() != "{" or line[0] != "{":
            continue
        first = number
        while first > end and lines[first - 1].strip() \
                and not lines[first - 1].rstrip().endswith((";", "}")):
            first -= 1
        head = "\n".join(lines[first:number])
        end = next((i for i in range(number, len(lines))
                    if lines[i].startswith("}")), len(lines) - 1) + 1
        name = NAME.search(head)
        if name:
            yield Function(name[1], re.search(r"\bstatic\b", head) is not None,
                           first + 1, end - first, "\n".join(lines[number:end]))
