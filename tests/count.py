# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads Meson's testlog.json (the argument): lists skipped tests and why, and
failed ones with the end of their output, and counts the results in its last
line.  With --failed before it: only the names of the failed ones, as `meson
test` takes them."""
import json
import re
import signal
import sys

GOOD = {"OK", "EXPECTEDFAIL"}
WAITS = {"SKIP", "INTERRUPT"}
# with the first comments after it, which say why
NOT_OK = re.compile(r"^not ok\b.*(?:\n# .*){0,6}", re.M)
SKIP = re.compile(r"^ok\s+\d+\s*-?\s*(.*?)\s*# SKIP\b\s*(.*)$", re.M | re.I)


def ending(test):
    """How a failed test ended: a crash and one that hung leave the same output."""
    how, code = test["result"].lower(), test.get("returncode", 0)
    # an interrupt is Meson's own way to end one that takes too long
    if code < 0 and test["result"] != "TIMEOUT":
        how += f" by {signal.Signals(-code).name}"
    elif code > 0:
        how += f" with status {code}"
    return f"{how} after {test.get('duration', 0):.0f} s"


def failure(test):
    """The output of a failed test: how it ended, its subtests that failed, why,
    and its last lines."""
    lines = [line for part in NOT_OK.findall(test.get("stdout", ""))[:8]
             for line in part.splitlines()]
    for stream in ("stdout", "stderr"):
        lines += test.get(stream, "").rstrip().splitlines()[-12:]
    return [f"failed in {test['name']}: {line[:300]}"
            for line in [ending(test)] + lines]


def main():
    try:
        with open(sys.argv[-1], encoding="utf-8") as log:
            # the last line has no end where the tests were stopped
            tests = [json.loads(line) for line in log if line.endswith("\n")]
    except FileNotFoundError:
        tests = [{"name": "all", "result": "did not run"}]
    failed = [test for test in tests if test["result"] not in GOOD | WAITS]
    if "--failed" in sys.argv:
        # no line where there is none: run.sh would run all tests once more
        for test in failed:
            print(test["name"].rsplit(" / ", 1)[-1])
        return
    for test in tests:
        parts = SKIP.findall(test.get("stdout", ""))
        if test["result"] == "SKIP" and not parts:
            parts = [("all of it", test.get("stdout", "").strip()[-200:])]
        if test["result"] == "INTERRUPT":
            parts = [("all of it", "stopped before its end")]
        for part, reason in parts:
            print(f"skipped in {test['name']}: {part[:100]}: {reason}")
    for test in failed:
        print("\n".join(failure(test)))
    # one that was running when the time was over has told nothing
    results = ["SKIP" if test["result"] == "INTERRUPT" else test["result"]
               for test in tests]
    good = sum(result in GOOD for result in results)
    skipped = results.count("SKIP")
    print(f"{good} passed, {len(results) - good - skipped} failed, {skipped} skipped")


main()
