#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The error of gridding against the exact transform, over kernel, oversampling
and width: octnufft against octnufft method=nudft, next to the float64 reference.

    gridding.py [--build BUILD] [--samples N] [--check]

White data, 725 to 965 nm, no window; the relative l2 error of all depths.
"""
import argparse
import os
import re
import sys

try:
    import numpy as np
except ImportError:
    print("numpy is missing")
    sys.exit(77)
import plugin

KERNELS = {"kaiser-bessel": "KAISER_BESSEL", "gaussian": "GAUSSIAN"}
OVERSAMPLINGS = (1.25, 1.5, 2)
WIDTHS = range(2, 9)
LINES = 8


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", help="build folder of the plugin")
    parser.add_argument("--samples", type=int, default=2048, help="per A-line (2048, as the reference has)")
    parser.add_argument("--check", action="store_true", help="fail where the error is not within 20 %% of the reference's")
    options = parser.parse_args()
    with open(os.path.join(os.path.dirname(__file__), "..", "reference", "gridding-errors.h")) as f:
        reference = {row[:3]: float(row[3])
                     for row in re.findall(r"OCT_KERNEL_(\w+), ([\d.]+), (\d+), ([\d.e-]+) ", f.read())}
    rng = np.random.default_rng(3)
    white = rng.standard_normal((1, LINES, options.samples)).astype(np.float32)
    calibration = {"wavelength_nm": np.linspace(725, 965, options.samples)}

    def transform(properties):
        return plugin.run(white, calibration, "octnufft window=none " + properties, options.build, "mode=none")

    exact, checks, rows = transform("method=nudft"), plugin.Checks(), []
    for kernel, name in KERNELS.items():
        for oversampling in OVERSAMPLINGS:
            row = [kernel, f"{oversampling:g}"]
            for width in WIDTHS:
                a = transform(f"kernel={kernel} oversampling={oversampling} kernel-width={width}")
                error = np.linalg.norm(a - exact) / np.linalg.norm(exact)
                expected = reference[name, f"{oversampling:g}", f"{width}"]
                row.append(f"{error:.2g} ({expected:.2g})")
                # 3e-7: what the single precision of both leaves
                checks.near(f"{kernel}, {oversampling:g}, {width}", error, expected, 0.2 * expected + 3e-7)
            rows.append(row)
    print("Relative error of the A-scans, in brackets that of the float64 reference\n")
    print(plugin.table(["kernel", "oversampling", *(f"width {width}" for width in WIDTHS)], rows))
    if options.check:
        checks.end()


if __name__ == "__main__":
    main()
