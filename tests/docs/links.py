# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails when a relative link of README.md or docs/ leads nowhere."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(page):
    titles = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", t.lower()).replace(" ", "-") for t in titles}


def main():
    broken = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for link in LINK.findall(page.read_text(encoding="utf-8")):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or anchor and anchor not in anchors(target):
                broken.append(f"{page.relative_to(ROOT)}: {link}")
    print("\n".join(broken) if broken else "all links lead somewhere")
    sys.exit(bool(broken))


main()
