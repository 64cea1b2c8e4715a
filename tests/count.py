# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the results in Meson's testlog.json (the argument)."""
import json
import sys

GOOD = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}


def main():
    try:
        with open(sys.argv[1], encoding="utf-8") as log:
            results = [json.loads(line)["result"] for line in log if line.strip()]
    except FileNotFoundError:
        results = ["no log: the tests did not run"]
    good = sum(result in GOOD for result in results)
    skipped = sum(result in SKIPPED for result in results)
    print(f"{good} passed, {len(results) - good - skipped} failed, {skipped} skipped")


main()
