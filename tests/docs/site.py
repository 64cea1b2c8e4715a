# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds docs/ as a site and checks the output: every page is in the menu,
every link, anchor and picture is there, and no table or list is left as text,
as Markdown does if a blank line is missing."""
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

import files

SKIPPED = {"pre", "code", "script", "style"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.targets, self.text, self.open = set(), [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.add(attributes["id"])
        if tag == "a" and "href" in attributes:
            self.targets.append(attributes["href"])
        if tag == "img":
            self.targets.append(attributes["src"])
        if tag in SKIPPED:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data):
        if not self.open:
            self.text.append(data)


def broken_links(site, name, pages):
    for target in pages[name].targets:
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        aim = (site / name).parent / urllib.parse.unquote(path)
        aim = aim.resolve() if path else site / name
        if not aim.exists():
            yield target
        elif anchor and aim.suffix == ".html":
            other = pages.get(aim.relative_to(site).as_posix())
            if other is None or urllib.parse.unquote(anchor) not in other.ids:
                yield target


def left_as_text(page):
    """Lines that begin like a row of a table, an item or a title."""
    return [line for line in "".join(page.text).splitlines()
            if re.match(r"(\|.*\|\s*$|- \S|\d+\. \S|#+ \S|```)", line)]


def check(site):
    names = [page for page in site.rglob("*.html") if page.name != "404.html"]
    pages = {page.relative_to(site).as_posix(): Page(page.read_text("utf-8"))
             for page in names}
    sources = (files.ROOT / "docs").rglob("*.md")
    menu = (files.ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for source in sources:
        name = source.relative_to(files.ROOT / "docs").as_posix()
        if f": {name}\n" not in menu:
            yield f"{name} is not in the menu of mkdocs.yml"
    for name, page in sorted(pages.items()):
        for target in broken_links(site, name, pages):
            yield f"{name}: {target} leads nowhere"
        for line in left_as_text(page):
            yield f"{name}: '{line[:60]}' is left as text; is a blank line missing?"


def main():
    mkdocs = files.need("mkdocs")
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder).resolve() / "site"
        result = subprocess.run(
            [mkdocs, "build", "--strict", "--quiet", "--config-file",
             files.ROOT / "mkdocs.yml", "--site-dir", site],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if "theme" in result.stdout and "material" in result.stdout:
            print("the theme of mkdocs-material is not installed")
            sys.exit(files.SKIP)
        if result.returncode != 0:
            print(result.stdout)
            sys.exit(1)
        found = list(check(site))
    print("\n".join(found) if found else "the site is as it should be")
    sys.exit(bool(found))


main()
