# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails when a file of C is not laid out as .clang-format says.  Other versions
than 14 (Debian 12) break lines elsewhere, so there this is skipped."""
import re
import subprocess
import sys

import files

VERSION = 14
program = files.need("clang-format")
version = re.search(r"version (\d+)", subprocess.run(
    [program, "--version"], capture_output=True, text=True).stdout)
if version is None or int(version[1]) != VERSION:
    print(f"clang-format {VERSION} is needed, this is {version and version[1]}")
    sys.exit(files.SKIP)
names = files.ours("*.c", "*.h")
found = subprocess.run(
    [program, "--dry-run", "--Werror", *names], cwd=files.ROOT,
    stderr=subprocess.PIPE, text=True)
wrong = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error", found.stderr, re.M)))
for name in wrong:
    print(f"{name}: run clang-format -i {name}")
if not wrong:
    print(f"{len(names)} files are laid out as .clang-format says")
sys.exit(bool(wrong) or found.returncode != 0)
