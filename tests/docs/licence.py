# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails when a source file or a script does not begin with the line that says
its licence, or `reuse lint` finds a file without licence or copyright.  The
latter has .reuse/dep5, which speaks for all files: it alone would not miss the
line."""
import subprocess
import sys

import files

LINE = "SPDX-License-Identifier: LGPL-2.1-or-later"
# what programs of others have in them
PERMISSIVE = ("daq/", "SPDX-License-Identifier: MIT")
# after "#!" and the line with the shell or the language
FIRST_LINES = 4

names = files.ours("*.c", "*.cc", "*.h", "*.cu", "*.cuh", "*.js", "*.mjs",
                   "*.css", "*.py", "*.sh", "*.bash")
wrong = []
for name in names:
    folder, permissive = PERMISSIVE
    line = permissive if name.startswith(folder) else LINE
    with open(files.ROOT / name, encoding="utf-8") as file:
        if line not in "".join(file.readline() for _ in range(FIRST_LINES)):
            wrong.append((name, line))
for name, line in wrong:
    print(f"{name}: begin it with a comment of the line '{line}'")
if wrong:
    sys.exit(1)
print(f"{len(names)} source files and scripts say their licence")
reuse = files.need("reuse")
found = subprocess.run([reuse, "lint"], cwd=files.ROOT, text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
if found.returncode != 0:
    print(found.stdout)
sys.exit(found.returncode != 0)
