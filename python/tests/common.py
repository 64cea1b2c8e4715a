# SPDX-License-Identifier: LGPL-2.1-or-later
"""Known answers for the tests of gstoct, and how they are run.  Exit status 77: a
package is missing, and the last line says which."""
import subprocess
import sys
import unittest

try:
    import gi
    import numpy
    gi.require_version("Gst", "1.0")
except (ImportError, ValueError) as missing:
    print(f"{missing}: skipped (Debian: python3-gi, python3-numpy, "
          "gir1.2-gstreamer-1.0)")
    sys.exit(77)

WAVELENGTHS = numpy.linspace(790, 900, 1024)  # nm
LIMIT = 120  # seconds, for a program


def source_counts(wavelengths=WAVELENGTHS):
    """Counts of a Gaussian source."""
    middle = (wavelengths[0] + wavelengths[-1]) / 2
    return 2000 * numpy.exp(-((wavelengths - middle) / 30) ** 2)


def mirrors(depths, lines=4, wavelengths=WAVELENGTHS, phase=0):
    """Counts [depth][A-line][sample] of mirrors at depths in metres; `phase` is that
    of dispersion, in rad."""
    k = 2 * numpy.pi / (wavelengths * 1e-9)
    fringes = numpy.cos(2 * k * numpy.asarray(depths)[:, None] + phase)
    counts = numpy.round(source_counts(wavelengths) * (1 + 0.5 * fringes))
    return numpy.repeat(counts[:, None, :], lines, axis=1).astype("<u2")


def expected_ascans(spectra, wavelengths=WAVELENGTHS):
    """A-scans in double precision, docs/elements/octnufft.md:
    a[q] = N^(-1/2) sum_n w(t[n]) y[n] exp(-2 pi i q t[n] / N), and their spacing."""
    n = spectra.shape[-1]
    k = 2 * numpy.pi / (wavelengths * 1e-9)
    t = (k - k.min()) / (k.max() - k.min()) * (n - 1)
    window = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * t / (n - 1))
    uniform = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(n) / (n - 1))
    window /= numpy.sqrt(numpy.mean(uniform ** 2))
    matrix = numpy.exp(-2j * numpy.pi / n * numpy.outer(t, numpy.arange(n // 2)))
    spacing = numpy.pi * (n - 1) / (n * (k.max() - k.min()))
    return (spectra * window) @ matrix / numpy.sqrt(n), spacing


def run_python(code, *arguments):
    """The output of a program of its own, which has to end by itself with status 0 and
    without a word on stderr."""
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments], text=True,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
    assert found.returncode == 0 and not found.stderr, (
        found.returncode, found.stdout, found.stderr)
    return found.stdout


def main():
    """Runs the tests of the program."""
    unittest.main(verbosity=2)
