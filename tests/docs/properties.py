# SPDX-License-Identifier: LGPL-2.1-or-later
"""The generated parts of docs/.

    properties.py --write    puts them into the pages
    properties.py --print    prints them
    properties.py            fails when one of them is out of date

Each stands between one of these marks and <!-- end -->:

    <!-- section of ELEMENT -->     the element's SECTION comment, and its caps
                                    as gst-inspect-1.0 tells them
    <!-- properties of ELEMENT -->  its properties, from gst-inspect-1.0
    <!-- operations -->             the table of list-operations
    <!-- messages -->, <!-- signals -->   those of all elements, from the descriptions
                                    that gst-inspect-1.0 shows

The first two are in the page of each element.  The built plugin has to be on
GST_PLUGIN_PATH, and OCT_LIST_OPERATIONS names the program.
"""
import difflib
import functools
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import sections

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(
    r"(<!-- (?:(section|properties) of (oct[a-z0-9]+)|(operations|messages|signals)) -->\n).*?"
    r"(<!-- end -->\n)",
    re.DOTALL)
COLUMNS = 88
# Properties of GStreamer's base classes, in every element of their kind.
INHERITED = {
    "automatic-eos", "blocksize", "do-timestamp", "name", "num-buffers",
    "parent", "qos", "typefind",
    "async", "enable-last-sample", "last-sample", "max-bitrate",
    "max-lateness", "processing-deadline", "render-delay", "sync",
    "throttle-time", "ts-offset",
    "async-handling", "message-forward"}
# The same of sinks alone: other elements have one of their own by this name.
INHERITED_BY_SINKS = {"stats"}


@functools.cache
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
    """As people write it; the ends of the machine's types are not limits."""
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


def properties(element):
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


# -------------------------------------------------------- messages and signals

def check_posting():
    """Every message goes through the table that gst-inspect-1.0 shows."""
    for source in (DOCS.parent / "gst").rglob("*.c"):
        if (source.name != "gstoctbus.c"
                and "gst_message_new_element" in source.read_text(encoding="utf-8")):
            sys.exit(f"{source.name} makes a message by itself: use gst_oct_bus_post()")


def descriptions():
    for page in sorted((DOCS / "elements").glob("*.md")):
        if page.stem not in sections.left_out():
            yield page.stem, re.search(r"^ +Description +(.*)", inspect(page.stem),
                                       re.M)[1]


def messages():
    check_posting()
    rows = {}
    for element, text in descriptions():
        for name, says, fields in re.findall(
                r"Bus message ([\w-]+), ([^:]*): (.*?)\.(?= [A-Z]|$)", text):
            fields = ", ".join(f"`{field}`" if field[0].isalpha() else field
                               for field in fields.split(", "))
            rows.setdefault((name, says, fields), []).append(
                f"[{element}](elements/{element}.md)")
    return "\n".join(["| message | from | says | fields |", "|---|---|---|---|", *(
        f"| `{name}` | {', '.join(elements)} | {says} | {fields} |"
        for (name, says, fields), elements in sorted(rows.items())), ""])


def signals():
    rows = {}
    for element, text in descriptions():
        for name, arguments, returns, does in re.findall(
                r"Action signal ([\w-]+) \((.*?)\), returns (\w+): (.*?)\."
                r"(?= [A-Z]|$)", text):
            rows.setdefault((name, arguments, returns, does), []).append(
                f"[{element}](elements/{element}.md)")
    return "\n".join(
        ["| signal | of | arguments | returns | does |", "|---|---|---|---|---|", *(
            f"| `{name}` | {', '.join(elements)} | "
            f"{f'`{arguments}`' if arguments else 'none'} | `{returns}` | {does} |"
            for (name, arguments, returns, does), elements in sorted(rows.items())),
         ""])


# ------------------------------------------------------------------------ caps

def pads(text):
    """(direction, name, {memory: [caps]}) of each pad template."""
    _, _, text = text.partition("Pad Templates:\n")
    text, _, _ = text.partition("\nElement ")
    for template in re.split(r"^  (?=S\w+ template: )", text, flags=re.M)[1:]:
        direction, name = re.match(r"(\w+) template: '(.*)'", template).groups()
        _, _, lines = template.partition("Capabilities:\n")
        found = []
        for line in lines.splitlines():
            field = re.match(r" +([a-z][a-z-]*): (.*)", line)
            if field:
                value = re.sub(r"\(\w+\)| ", "", field[2])
                # what every size and rate may be says nothing
                if value not in ("[1,65536]", "[0/1,2147483647/1]"):
                    found[-1][1].append(f"{field[1]}={value}")
            elif line.strip():
                found.append((line.strip(), []))
        memories = {}
        for media, fields in found:
            media, _, feature = media.partition("(")
            memories.setdefault(feature.rstrip(")"), []).append(
                ", ".join([media, *fields]))
        yield direction, name, memories


def describe_caps(memories):
    host, gpu = ("; ".join("any" if caps == "ANY" else f"`{caps}`" for caps in found)
                 for found in (memories.get("", []),
                               memories.get("memory:CUDAMemory", [])))
    if not gpu:
        return host
    return f"{host}; in GPU memory {'the same' if gpu == host else gpu}"


def facts(element):
    text = inspect(element)
    rows = []
    # SINK, then SRC
    for direction, name, memories in sorted(pads(text)):
        end = "in" if direction == "SINK" else "out"
        if "%" in name:
            end += ", pads on request"
        rows.append((end, describe_caps(memories)))
    if len(rows) == 2 and rows[0][1] == rows[1][1] and "any" not in rows[0]:
        rows = [("in and out", rows[0][1])]
    name, kind = (re.search(rf"^ +{what} +(.*)", text, re.M)[1]
                  for what in ("Long-name", "Klass"))
    rows.append(("name and class", f"{name}, `{kind}`"))
    return "\n".join(["| | |", "|---|---|",
                      *(f"| {what} | {value} |" for what, value in rows), ""])


# ------------------------------------------------------------ SECTION comments

def prose(element, paragraph, elements):
    """With what gtk-doc links, and each other element once, as Markdown has it."""
    paragraph = re.sub(r"#Gst\w+?::?([a-z][a-z0-9-]*)", r"`\1`", paragraph)
    for other in elements:
        if other != element:
            paragraph = re.sub(rf"(?<![\w`/]){other}(?![\w`]|\.\w)",
                               f"[{other}]({other}.md)", paragraph, count=1)
    return textwrap.fill(paragraph, COLUMNS, break_long_words=False,
                         break_on_hyphens=False)


def section(element):
    texts = {name: text for _, name, text in sections.sections()}
    if element not in texts:
        sys.exit(f"no source in gst/ has a comment SECTION:element-{element}")
    paragraphs, commands = sections.parts(texts[element])
    lines, shown = [], False
    for command in commands:
        if not shown and "autovideosink" in " ".join(command):
            lines.append("# needs a display")
            shown = True
        lines.append(" \\\n  ".join(command))
    return "\n".join([
        *(prose(element, paragraph, texts) + "\n" for paragraph in paragraphs),
        "```sh", *lines, "```", "", facts(element)])


def generate(match):
    kind, element = match[2], match[3]
    if match[4] == "messages" and sections.left_out():
        return match[0][len(match[1]):-len(match[5])]
    if match[4]:
        return {"operations": operations, "messages": messages,
                "signals": signals}[match[4]]()
    if kind == "section":
        return section(element)
    return properties(element)


def missing(element, text):
    """The marks that the page of an element lacks."""
    marks = [mark[1:3] for mark in BLOCK.findall(text)]
    if ("section", element) not in marks:
        yield f"<!-- section of {element} -->"
    if ("properties", element) not in marks and "| `" in properties(element):
        yield f"<!-- properties of {element} -->"


def main():
    write, show = (sys.argv[1:] == [option] for option in ("--write", "--print"))
    stale = found = 0
    pages = [*DOCS.glob("elements/*.md"), DOCS / "development.md",
             DOCS / "messages.md"]
    for page in sorted(pages):
        if page.stem in sections.left_out():
            continue
        old = page.read_text(encoding="utf-8")
        new = BLOCK.sub(lambda m: m[1] + generate(m) + m[5], old)
        found += len(BLOCK.findall(old))
        if page.parent.name == "elements":
            for mark in missing(page.stem, old):
                sys.exit(f"{page.name} has no {mark}, with <!-- end --> below it")
        if show:
            print("".join(mark[0] for mark in BLOCK.finditer(new)), end="")
        if new == old or show:
            continue
        if write:
            page.write_text(new, encoding="utf-8")
            continue
        stale += 1
        sys.stdout.writelines(difflib.unified_diff(
            old.splitlines(True), new.splitlines(True),
            f"{page.name} as it is", f"{page.name} as the elements say"))
    if not found:
        sys.exit("no generated parts in docs/")
    for _, element, _ in sections.sections():
        if not (DOCS / f"elements/{element}.md").exists():
            sys.exit(f"{element} has no page docs/elements/{element}.md")
    if stale:
        sys.exit(f"{stale} pages are out of date: run tests/docs/properties.py "
                 "--write and commit them")
    if not show:
        print(f"{found} generated parts are up to date")


main()
