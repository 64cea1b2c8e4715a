# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames of a camera while they come.  Without an argument the virtual system takes
its place; with one, it is the elements of a camera, such as "octcamerasrc".

    live_camera.py [ELEMENTS]
"""
import sys

import gstoct

CAMERA = "octsrc is-live=true line-rate=20000 bscans=1 samples=1024 lines=400"
source = sys.argv[1] if len(sys.argv) > 1 else CAMERA
with gstoct.Live(source, range_smoothing=0.9) as live:
    for frame in live:
        if live.frames == 10:
            live.method = "nufft"  # from one of the next frames on
        if live.frames == 30:
            break
    print(f"{live.frames} frames by {live.method_in_use}, {live.dropped} were lost")
frame.save_png("live.png")
