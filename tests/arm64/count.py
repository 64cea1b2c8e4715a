#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Instructions per A-line, counted in emulation.

  count.py NAME=EMULATOR,OPTION,...,bench-operations ... -- OPTIONS of bench-operations

Each program runs with one B-scan of 16 A-lines and with three; the difference is what
two B-scans take, without plans and tables.  The emulator writes which blocks of
instructions it translates, and which it runs (-d in_asm,exec,nochain of qemu-user).
"""
import os
import re
import subprocess
import sys

LINES = 16

KINDS = ["all", "fused multiply-add", "other arithmetic of floats", "loads and stores",
         "of vectors on the stack"]


def kinds_arm(name, rest):
    yield "all"
    if re.match(r"fn?ml[as]|fn?m(add|sub)", name):
        yield "fused multiply-add"
    elif re.match(r"f(add|sub|mul|neg|div|sqrt|abs|max|min)", name):
        yield "other arithmetic of floats"
    if re.match(r"ld|st", name):
        yield "loads and stores"
        if re.match(r"q\d", rest) and "[sp" in rest:
            yield "of vectors on the stack"


def kinds_x86(name, rest):
    yield "all"
    if re.match(r"vfn?m", name):
        yield "fused multiply-add"
    elif re.match(r"v?(add|sub|mul|div|sqrt|max|min|xor)[ps]s", name):
        yield "other arithmetic of floats"
    # most of x86's instructions can take one operand from memory
    if "(" in rest and not name.startswith(("lea", "nop")):
        yield "loads and stores"
        if re.search(r"%[xyz]mm", rest) and "(%rsp" in rest:
            yield "of vectors on the stack"


def count(command, kinds):
    """Executed instructions of each kind of a program in emulation."""
    blocks, total, start = {}, dict.fromkeys(KINDS, 0), None
    reading, writing = os.pipe()
    emulator = subprocess.Popen(
        [command[0], "-d", "in_asm,exec,nochain", "-D", "/dev/fd/%d" % writing] + command[1:],
        stdout=subprocess.DEVNULL, pass_fds=[writing])
    os.close(writing)
    with open(reading, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("Trace"):
                for kind, n in blocks[int(line.split("/")[1], 16)].items():
                    total[kind] += n
            elif line.startswith("IN:"):
                start = None
            else:
                found = re.match(r"0x([0-9a-f]+): +(?:[0-9a-f]+ )+ +(\S+) *(.*)", line)
                if found and start is None:
                    start = int(found[1], 16)
                    blocks[start] = dict.fromkeys(KINDS, 0)
                for kind in kinds(found[2], found[3]) if found else ():
                    blocks[start][kind] += 1
    if emulator.wait() != 0:
        sys.exit("%s ended with %d" % (" ".join(command), emulator.returncode))
    return total


def main():
    separator = sys.argv.index("--")
    options = sys.argv[separator + 1:]
    results = {}
    for argument in sys.argv[1:separator]:
        name, command = argument.split("=", 1)
        command = command.split(",")
        kinds = kinds_x86 if "x86" in command[0] else kinds_arm
        totals = [count(command + ["--threads", "1", "--lines", str(LINES), "--buffers", "1",
                                   "--repetitions", str(n)] + options, kinds)
                  for n in (1, 3)]
        results[name] = {kind: (totals[1][kind] - totals[0][kind]) / (2 * LINES)
                         for kind in KINDS}
    print("| instructions per A-line | %s |" % " | ".join(results))
    print("|---|%s" % ("---|" * len(results)))
    for kind in KINDS:
        print("| %s | %s |" % (kind, " | ".join(
            "{:,.0f}".format(found[kind]).replace(",", " ") for found in results.values())))


if __name__ == "__main__":
    main()
