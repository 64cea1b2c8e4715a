# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exceptions and warnings."""
from __future__ import annotations


class Error(RuntimeError):
    """An element or a program of gst-oct cannot go on.

    The text is its own sentence: what was found, what was expected, what to
    set.  `element` is the name of the element (None for a program).
    """

    def __init__(self, sentence: str, element: str | None = None) -> None:
        super().__init__(sentence)
        self.element = element


class ForkError(Error):
    """The process was forked after GStreamer had started its threads, which a
    forked process does not have."""


class OctWarning(UserWarning):
    """An element goes on, but something is not as it was asked for."""
