# SPDX-License-Identifier: LGPL-2.1-or-later
"""Blood that flows, from B-scans that are repeated at one place."""
import gstoct

SOURCE = ("octsrc phantom=flow samples=512 lines=256 bscans=320 repeats=8 motion=0 "
          "num-buffers=168")
with gstoct.Live(SOURCE, output="ascans", mode="none", depth_bins=200,
                 then="octangio") as live:
    frames = list(live)
print(f"{len(frames)} places, the last: {frames[-1]}")
frames[-1].save_png("angiography.png")
