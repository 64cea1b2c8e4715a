# SPDX-License-Identifier: LGPL-2.1-or-later
"""The version, which is that of the project: from its meson.build, and in an sdist from
the file that was made of it."""
import pathlib
import re

from setuptools import setup

HERE = pathlib.Path(__file__).resolve().parent


def find_version():
    for file, pattern in ((HERE / "PKG-INFO", r"^Version: (\S+)"),
                          (HERE.parent / "meson.build", r"^ +version: '([^']+)'")):
        if file.is_file():
            return re.search(pattern, file.read_text(encoding="utf-8"), re.M)[1]
    raise SystemExit("There is neither PKG-INFO nor ../meson.build, which name the "
                     "version; build in a checkout of gst-oct, or from an sdist.")


setup(version=find_version())
