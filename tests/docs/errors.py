#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every sentence that oct-calibrate can say is explained in docs/calibration.md:
each stands in the first column of one of its tables "it says", shortened by ...,
several of them with a semicolon between; and nothing else stands there."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = [
    "pipelines/calibrate/oct-calibrate.c",
    "pipelines/calibrate/oct-calibrate-columns.c",
    "pipelines/calibrate/oct-calibrate-options.c",
    "pipelines/calibrate/oct-calibrate-plot.c",
    "pipelines/calibrate/oct-calibrate-report.c", "core/io/oct-lines.c",
    "core/calibration/oct-mirror-outliers.c",
    "core/calibration/oct-mirror-select.c", "core/calibration/oct-mirror-sides.c",
    "core/calibration/oct-mirror-verdict.c"]
# The calls that make a sentence from the strings after them.
CALLS = re.compile(
    r"\b(?:g_set_error|g_set_error_literal|g_prefix_error|g_printerr"
    r"|(?:\w+_)?(?:fail|note|leave_out\w*))\s*\("
    r"|\breturn\b|\breason\s*=|\bg_print\s*\(")
# Literals side by side, with macros of GLib between them.
TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:G_\w+\s*)?"(?:[^"\\\n]|\\.)*")*')


def find_sentences(text):
    """Sentences in a source that end as one or give advice."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for call in CALLS.finditer(text):
        end = text.index(";\n", call.end())
        is_print = call[0].startswith("g_print ") or call[0].startswith("g_print(")
        for literal in TEXT.finditer(text, call.end(), end):
            sentence = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', literal[0]))
            plain = sentence.replace("\\n", "").strip()
            # what stands before all errors is explained with them
            if len(plain.split()) < 4 or plain.startswith("No calibration is"):
                continue
            # among printed texts, only notes are addressed to the user
            if is_print and not plain.startswith("Note:"):
                continue
            yield plain


def find_explained(text):
    """The entries of the tables."""
    section = text.split("### Messages and remedies")[1].split("\n## ")[0]
    for row in re.findall(r"^\| (.*?) \|", section, re.M):
        if row == "it says":
            continue
        yield from row.replace("`", "").split("; ")


def fits(entry, sentence):
    """Its parts, one after the other."""
    parts = [re.escape(part.strip()) for part in entry.split("...")]
    return re.search(".*".join(parts), sentence, re.I) is not None


def main():
    sentences = sorted({sentence for path in SOURCES
                        for sentence in find_sentences((ROOT / path).read_text())})
    entries = list(find_explained((ROOT / "docs" / "calibration.md").read_text()))
    missing = [s for s in sentences if not any(fits(e, s) for e in entries)]
    stale = [e for e in entries if not any(fits(e, s) for s in sentences)]
    for sentence in missing:
        print(f"not explained in docs/calibration.md: {sentence}")
    for entry in stale:
        print(f"docs/calibration.md explains what nothing says: {entry}")
    print(f"{len(sentences)} sentences, {len(entries)} entries")
    assert len(sentences) > 50, "the sentences were not found"
    return bool(missing or stale)


sys.exit(main())
