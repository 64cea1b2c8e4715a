# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails when two source files define static functions of the same name: a
backtrace, a profile and `break NAME` in a debugger show the name alone."""
import collections
import re
import sys

import csource
import files

FOLDERS = ("core", "cpu", "cuda", "gst", "pipelines")
# a macro may stand in front, as OCT_VECTORISED does
STATIC = re.compile(r"^(?:[A-Z_]+\s)?static\b[^;{}()=]*?\b(\w+)\s*\(\s*(\w*)",
                    re.M)
ENUM = "GST_OCT_DEFINE_ENUM"  # its first argument is the function


def functions(text):
    """The names of static functions in a file of C."""
    found = STATIC.findall(csource.blank(text))
    # a second macro may stand on the line where the first one ended
    found += re.findall(rf"static ({ENUM}) \(\s*(\w+)", text)
    return {argument if name == ENUM else name for name, argument in found}


places = collections.defaultdict(list)
for path in files.ours(*(f"{folder}/*.{kind}" for folder in FOLDERS
                         for kind in ("c", "cc", "h"))):
    for name in functions((files.ROOT / path).read_text(encoding="utf-8")):
        places[name].append(path)
twice = {name: paths for name, paths in places.items() if len(paths) > 1}
for name, paths in sorted(twice.items()):
    print(f"{name} is a static function in {len(paths)} files, put the name of "
          f"the module in front: {', '.join(paths)}")
if not twice:
    print(f"{len(places)} static functions, no name twice")
sys.exit(bool(twice))
