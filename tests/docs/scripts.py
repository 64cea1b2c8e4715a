# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails when a script that begins with #! cannot be started by its name, as the
docs start it, or when a file that can be started has no such line."""
import os
import sys

import files

wrong, scripts = [], 0
for name in files.ours():
    with open(files.ROOT / name, "rb") as file:
        begins = file.read(2) == b"#!"
    scripts += begins
    if begins != os.access(files.ROOT / name, os.X_OK):
        wrong.append(f"{name}: chmod +x" if begins else
                     f"{name}: it has no line #!, chmod -x")
print("\n".join(wrong) if wrong else f"{scripts} scripts can be started")
sys.exit(bool(wrong))
