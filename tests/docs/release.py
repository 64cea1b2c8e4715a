# SPDX-License-Identifier: LGPL-2.1-or-later
"""The archive that `meson dist` makes of the last commit: it is named by the version
that NEWS.md and the Debian packages have, holds each file of that commit, and can be
set up without git.  Argument: the build folder.  `meson dist` without --no-tests also
builds it and runs its tests; see CONTRIBUTING.md."""
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

import files
from files import ROOT

SAFE = ["-c", f"safe.directory={ROOT}"]


def read_version(name, pattern):
    """(file, version)"""
    found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.M)
    if found is None:
        sys.exit(f"{name} names no version")
    return name, found[1]


def last_commit():
    """Names of its files; ends the test as skipped outside of a checkout."""
    git = files.need("git")
    result = subprocess.run(
        [git, *SAFE, "ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"],
        cwd=ROOT, capture_output=True, text=True)
    if result.returncode != 0 or not (ROOT / ".git").exists():
        print("this is not a checkout of git")
        sys.exit(files.SKIP)
    return set(result.stdout.split("\0")) - {""}


def run(command, **settings):
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, **settings)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}:\n{result.stdout}")


versions = [read_version("meson.build", r"^ +version: '([^']+)'"),
            read_version("NEWS.md", r"^## (\d[^ ,]*)"),
            read_version("debian/changelog", r"^gst-oct \(([^)]+)-[^-)]+\)")]
if len({version for _, version in versions}) != 1:
    sys.exit(f"the versions differ: {versions}")
top = f"gst-oct-{versions[0][1]}"
expected = last_commit()

meson = files.need("meson")
build = pathlib.Path(sys.argv[1])
# the owner of a checkout may be another one, as in a container
safe = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": str(ROOT)}
run([meson, "dist", "-C", str(build), "--no-tests", "--allow-dirty",
     "--formats", "gztar"], env=os.environ | safe)
with tempfile.TemporaryDirectory() as folder, \
        tarfile.open(build / "meson-dist" / f"{top}.tar.gz") as archive:
    names = {member.name for member in archive if not member.isdir()}
    missing = {f"{top}/{name}" for name in expected} - names
    if missing:
        sys.exit(f"not in the archive: {sorted(missing)}")
    archive.extractall(folder)
    # a git that fails takes the place of the one that is installed
    stand_in = pathlib.Path(folder) / "bin" / "git"
    stand_in.parent.mkdir()
    stand_in.write_text("#!/bin/sh\nexit 1\n")
    stand_in.chmod(0o755)
    path = f"{stand_in.parent}:{os.environ['PATH']}"
    run([meson, "setup", "build", "-Dcuda=disabled", "-Dtests=enabled"],
        cwd=pathlib.Path(folder) / top, env=os.environ | {"PATH": path})
print(f"{top}: {len(names)} files, set up without git")
