# SPDX-License-Identifier: LGPL-2.1-or-later
"""Property tables of docs/elements/, made from gst-inspect-1.0, and the table
of operations in docs/development.md, made by list-operations.

    properties.py --write    puts the tables into the pages
    properties.py            fails when a page's table is out of date

A table stands between <!-- properties of ELEMENT -->, or <!-- operations -->,
and <!-- end -->.  The built plugin has to be on GST_PLUGIN_PATH, and
OCT_LIST_OPERATIONS names the program.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(
    r"(<!-- (?:properties of (\w+)|operations) -->\n).*?(<!-- end -->\n)",
    re.DOTALL)
# Of GStreamer's base classes, in every element of their kind.
INHERITED = {
    "automatic-eos", "blocksize", "do-timestamp", "name", "num-buffers",
    "parent", "qos", "typefind",
    "async", "enable-last-sample", "last-sample", "max-bitrate",
    "max-lateness", "processing-deadline", "render-delay", "sync",
    "throttle-time", "ts-offset",
    "async-handling", "message-forward"}
# The same of sinks alone: other elements have one of their own by this name.
INHERITED_BY_SINKS = {"stats"}


def inspect(element):
    environment = dict(os.environ, LC_ALL="C", NO_COLOR="1")
    result = subprocess.run(
        ["gst-inspect-1.0", "--no-colors", element], env=environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"gst-inspect-1.0 does not know {element}: {result.stderr}")
    return result.stdout


def parse(text):
    """Yields (name, description, lines below it) of each property."""
    _, _, text = text.partition("Element Properties:")
    entry = None
    for line in text.splitlines():
        start = re.match(r"  ([a-z][a-z0-9-]*) *: (.*)", line)
        if start:
            if entry:
                yield entry
            entry = (start[1], start[2].strip(), [])
        elif entry and line.startswith("     "):
            entry[2].append(line.strip())
        elif line.strip() and not line.startswith(" "):
            break
    if entry:
        yield entry


def number(text):
    """As people write it; the ends of the machine's types are no limits."""
    value = float(text)
    if abs(value) in (2.0**31 - 1, 2.0**32 - 1, 2.0**63, 2.0**64, 2.0**63 - 1):
        return "" if value > 0 else "-"
    return f"{value:.10g}"


def describe(lines):
    """(type, range or choices, default)"""
    text = " ".join(lines)
    choices = re.findall(r"\((?:0x)?-?[0-9a-f]+\): (\S+)", text)
    default = re.search(r"Default: +(?:-?\d+, )?(\"[^\"]*\"|\S+)", text)
    default = default[1].strip('"') if default else ""
    kind = re.search(r"(Boolean|String|Enum|Double|Unsigned Integer64"
                     r"|Unsigned Integer|Integer64|Integer|Boxed)\b", text)[1]
    if kind == "Enum":
        return "choice", ", ".join(f"`{c}`" for c in choices), f"`{default}`"
    if kind == "String":
        return "text", "", "none" if default == "null" else f"`{default}`"
    if kind == "Boxed":
        return "structure", "", "none"
    if kind == "Boolean":
        return "yes or no", "", f"`{default}`"
    limits = re.search(r"Range: +(\S+) - +(\S+)", text)
    low, high = number(limits[1]), number(limits[2])
    span = f"{low} to {high}" if high else f"from {low}"
    kind = "real number" if kind == "Double" else "integer"
    return kind, span, f"`{number(default)}`"


def changeable(lines):
    flags = next(line for line in lines if line.startswith("flags:"))
    if "writable" not in flags:
        return "read only"
    return "any time" if "PLAYING" in flags else "before the start"


def operations():
    return subprocess.run(
        [os.environ["OCT_LIST_OPERATIONS"]], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=True).stdout


def table(element):
    """`element`: None for the operations."""
    if element is None:
        return operations()
    rows = ["| property | type | values | default | can be set | meaning |",
            "|---|---|---|---|---|---|"]
    text = inspect(element)
    inherited = INHERITED
    if re.search(r"^[ +-]*GstBaseSink$", text, re.M):
        inherited = INHERITED | INHERITED_BY_SINKS
    for name, meaning, lines in parse(text):
        if name in inherited:
            continue
        kind, span, default = describe(lines)
        meaning = meaning.replace("|", "\\|")
        rows.append(f"| `{name}` | {kind} | {span} | {default} "
                    f"| {changeable(lines)} | {meaning} |")
    return "\n".join(rows) + "\n"


def main():
    write = sys.argv[1:] == ["--write"]
    stale = found = 0
    pages = [*DOCS.glob("elements/*.md"), DOCS / "development.md"]
    for page in sorted(pages):
        old = page.read_text(encoding="utf-8")
        new = BLOCK.sub(lambda m: m[1] + table(m[2]) + m[3], old)
        found += len(BLOCK.findall(old))
        if new == old:
            continue
        if write:
            page.write_text(new, encoding="utf-8")
            continue
        stale += 1
        sys.stdout.writelines(difflib.unified_diff(
            old.splitlines(True), new.splitlines(True),
            f"{page.name} as it is", f"{page.name} as gst-inspect-1.0 says"))
    if not found:
        sys.exit(f"no property tables in docs/")
    if stale:
        sys.exit(f"{stale} pages are out of date: run tests/docs/properties.py "
                 "--write and commit them")
    print(f"{found} property tables are up to date")


main()
