# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files of this project, as git knows them."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIP = 77  # Meson's


def ours(*patterns):
    """Paths relative to ROOT, those new to git too; ends the test as skipped
    where there is no git, as in a release."""
    need("git")
    result = subprocess.run(
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached",
         "--others", "--exclude-standard", *patterns],
        cwd=ROOT, capture_output=True, text=True)
    if result.returncode != 0:
        print("this is not a checkout of git")
        sys.exit(SKIP)
    return [name for name in result.stdout.split("\0")
            if name and (ROOT / name).is_file()]


def need(program):
    """Its path; ends the test as skipped where it is not installed."""
    path = shutil.which(program)
    if path is None:
        print(f"{program} is not installed")
        sys.exit(SKIP)
    return path
