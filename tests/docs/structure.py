# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails when the sources lose their order:

- a circle: two files, each of which includes or calls the other, directly or
  through more files (NAME.c and NAME.h are one file here);
- a file that includes one of a higher layer (docs/development.md, "Folders and layers");
- a file of more than MOST_LINES lines, or a function of more than
  MOST_FUNCTION_LINES.

Known exceptions of sizes stand in the lists below.  They may only shrink: an
entry that is no longer needed fails the test too.
"""
import collections
import re
import sys

import csource
import files

CODE = ("c", "cc", "cu", "h", "cuh")
TEXT = (*CODE, "py", "sh", "mjs", "js", "css", "html")
MOST_LINES = 800
MOST_FUNCTION_LINES = 80

# From the lowest to the highest; those of one line do not know each other.
LAYERS = (
    ("daq", "core/headers"),
    ("core/base",),
    ("core/signal",),
    ("core/calibration",),
    ("core/scan", "core/volume"),
    ("core/io", "core/operations", "core/phantom"),
    ("cpu", "cuda"),
    ("gst/oct",),
    ("gst/messages",),
    ("gst/settings",),
    ("gst/memory",),
    ("gst/stream",),
    ("gst/defer",),
    ("gst/filter",),
    ("gst/comedi", "gst/elements", "gst/igtl", "gst/volume"),
    ("gst/chain",),
    ("gst/source",),
    ("gst",),
    ("pipelines/serve", "pipelines/shared"),
    ("pipelines/audit",),
    ("pipelines/calibrate", "pipelines/convert", "pipelines/daq", "pipelines/demo",
     "pipelines/dicom", "pipelines/live", "pipelines/record"),
)

# Long tables: {file: functions}
LONG_FUNCTIONS = {
    "pipelines/calibrate/oct-calibrate-options.c": ("oct_calibrate_options_parse",),
}
LONG_FILES = (
    "tests/gst/test-octvolume.c",
    "tests/gst/test-scatter.c",
    "tests/quality/reference/exp_calibrate.py",
)


# ---------------------------------------------------------------------- circles

# functions that other files call
PUBLIC = re.compile("(?:gst_)?oct_")


def node_of(path):
    return path.rpartition(".")[0]


def includes(sources):
    """(file that includes, file that is included) for {path: text}; headers are
    included by their names alone."""
    paths = {path.rpartition("/")[2]: path for path in sources}
    for path, text in sources.items():
        for name in csource.INCLUDE.findall(text):
            other = paths.get(name.rpartition("/")[2])
            if other and other != path:
                yield path, other


def edges(sources):
    """{(file, file that it needs): why}"""
    found = {}
    for path, other in includes(sources):
        found.setdefault((node_of(path), node_of(other)), f"includes {other}")
    blanked = {path: csource.blank(text) for path, text in sources.items()}
    defined = {path: list(csource.functions(text))
               for path, text in blanked.items()}
    owners = collections.defaultdict(set)
    for path, functions in defined.items():
        for function in functions:
            if PUBLIC.match(function.name):
                owners[function.name].add(node_of(path))
    for path, functions in defined.items():
        # a header declares what is defined elsewhere
        text = blanked[path] if not path.endswith((".h", ".cuh")) \
            else "\n".join(function.body for function in functions)
        own = {function.name for function in functions}
        for word in set(re.findall(r"[A-Za-z_]\w+", text)) - own:
            # a name that several files define belongs to different programs
            if len(owners.get(word, ())) == 1:
                other, = owners[word]
                found.setdefault((node_of(path), other), f"calls {word}()")
    return {pair: why for pair, why in found.items() if pair[0] != pair[1]}


def find_circles(pairs):
    """Sets of files that all need each other (Tarjan 1972)."""
    needs = collections.defaultdict(set)
    for one, other in pairs:
        needs[one].add(other)
    number, lowest, stack, circles = {}, {}, [], []

    def visit(node):
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for other in sorted(needs.get(node, ())):
            if other not in number:
                visit(other)
            if other in stack:
                lowest[node] = min(lowest[node], lowest[other])
        if lowest[node] == number[node]:
            place = stack.index(node)
            if len(stack) - place > 1:
                circles.append(frozenset(stack[place:]))
            del stack[place:]

    for node in sorted(needs):
        if node not in number:
            visit(node)
    return circles


def check_circles(sources):
    found = edges(sources)
    for circle in find_circles(found):
        yield "these files need each other: " + ", ".join(sorted(circle))
        for (one, other), why in sorted(found.items()):
            if one in circle and other in circle:
                yield f"  {one} {why} of {other}"


# ----------------------------------------------------------------------- layers

def layer_of(path):
    """(its place in LAYERS, folder) of the nearest folder that is there."""
    folder = path
    while "/" in folder:
        folder = folder.rpartition("/")[0]
        for place, layer in enumerate(LAYERS):
            if folder in layer:
                return place, folder
    return None


def check_layers(sources):
    for path in sources:
        if layer_of(path) is None:
            yield f"{path}: add its folder to LAYERS"
    for path, other in includes(sources):
        one, two = layer_of(path), layer_of(other)
        if one and two and one != two and two[0] >= one[0]:
            yield (f"{path} includes {other}, but {two[1]} is not a layer "
                   f"below {one[1]}")


# ------------------------------------------------------------------------ sizes

def check_sizes(sources, long_files, long_functions):
    long = {path for path, text in sources.items()
            if text.count("\n") > MOST_LINES}
    for path in sorted(long - set(long_files)):
        yield (f"{path} has {sources[path].count(chr(10))} lines, more than "
               f"{MOST_LINES}")
    for path in set(long_files) - long:
        yield f"take {path} out of LONG_FILES"
    found = set()
    for path, text in sources.items():
        if not path.endswith(tuple("." + kind for kind in CODE)):
            continue
        for function in csource.functions(csource.blank(text)):
            if function.lines <= MOST_FUNCTION_LINES:
                continue
            found.add((path, function.name))
            if function.name not in long_functions.get(path, ()):
                yield (f"{path}:{function.line}: {function.name}() has "
                       f"{function.lines} lines, more than {MOST_FUNCTION_LINES}")
    for path, names in long_functions.items():
        for name in names:
            if (path, name) not in found:
                yield f"take {name} of {path} out of LONG_FUNCTIONS"


# -------------------------------------------------------------------- self-test

def test_itself():
    """Each check finds a fault that is planted, and an entry of the lists of sizes
    that is not needed."""
    one = '#include "b.h"\nvoid\noct_a_run (void)\n{\n  oct_b_run ("b_stop (");\n}\n'
    two = ('#include "b.h"\nstatic int\nb_count (void)\n{\n  return 1;\n}\n\n'
           "void\noct_b_run (void)\n{\n  %s; /* oct_a_run () */\n}\n")
    good = {"core/base/a.c": one, "core/base/b.c": two % "b_count ()",
            "core/base/b.h": "void oct_b_run (void);\n"}
    bad = {**good, "core/base/b.c": two % "oct_a_run ()"}
    assert not list(check_circles(good))
    assert len(list(check_circles(bad))) == 3  # the circle, both of its edges

    above = {"core/signal/c.c": '#include "b.h"\n', **good}
    below = {"core/base/c.c": '#include "d.h"\n', "core/io/d.h": ""}
    beside = {"cpu/c.c": '#include "d.h"\n', "cuda/d.h": ""}
    assert not list(check_layers(above))
    assert len(list(check_layers(below))) == 1
    assert len(list(check_layers(beside))) == 1
    assert len(list(check_layers({"new/c.c": ""}))) == 1

    long = {"c.c": "static void\nf (int a,\n    int b)\n{\n" + "\n" * 75 + "}\n"}
    longer = {"c.c": long["c.c"].replace("{\n", "{\n\n")}
    assert not list(check_sizes(long, (), {}))
    assert len(list(check_sizes(longer, (), {}))) == 1
    assert not list(check_sizes(longer, (), {"c.c": ("f",)}))
    assert len(list(check_sizes(long, (), {"c.c": ("f",)}))) == 1
    assert not list(check_sizes({"a.py": "\n" * MOST_LINES}, (), {}))
    assert len(list(check_sizes({"a.py": "\n" * (MOST_LINES + 1)}, (), {}))) == 1
    assert len(list(check_sizes({"a.py": ""}, ("a.py",), {}))) == 1


def read(*patterns):
    return {path: (files.ROOT / path).read_text(encoding="utf-8")
            for path in files.ours(*patterns)}


def main():
    test_itself()
    product = read(*(f"{folder}/*.{kind}" for kind in CODE
                     for folder in ("core", "cpu", "cuda", "gst", "pipelines")))
    everything = read(*(f"*.{kind}" for kind in TEXT))
    problems = [*check_circles(product), *check_layers(product),
                *check_sizes(everything, LONG_FILES, LONG_FUNCTIONS)]
    print("\n".join(problems) if problems
          else f"{len(product)} files in {len(LAYERS)} layers, without a circle")
    return bool(problems)


sys.exit(main())
