# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails when docs/debugging.md lacks a variable of the environment that the code
reads, or has one that it does not, or README.md lacks a package that the scripts
install."""
import re
import sys

import files

GETENV = re.compile(r'getenv \("(OCT_\w+)"\)')
SHELL = re.compile(r"\$\{(OCT_\w+):-")


def read(path):
    return (files.ROOT / path).read_text(encoding="utf-8")


def main():
    found = {name for path in files.ours("core/*.c", "cpu/*.c", "cuda/*.c", "gst/*.c",
                                         "pipelines/*.c")
             for name in GETENV.findall(read(path))}
    found |= {name for path in files.ours("pipelines/*.sh")
              for name in SHELL.findall(read(path)) if "_TEST_" not in name
              and "/slurm/" not in path}
    listed = set(re.findall(r"^\| `(OCT_\w+)=", read("docs/debugging.md"), re.M))
    problems = [f"docs/debugging.md lacks {name}" for name in sorted(found - listed)]
    problems += [f"nothing reads {name} of docs/debugging.md"
                 for name in sorted(listed - found)]
    readme = read("README.md")
    for name in ("BUILD", "DICOM", "CAMERA", "RUN", "LIVE"):
        packages = re.search(rf"^OCT_{name}_PACKAGES=\((.*?)\)",
                             read("pipelines/packages.sh"), re.M | re.S)[1]
        problems += [f"README.md lacks the package {package}"
                     for package in packages.split() if package not in readme]
    if not found:
        problems.append("no variable was found in the code")
    print("\n".join(problems) if problems
          else f"{len(found)} variables, and all packages")
    return bool(problems)


sys.exit(main())
