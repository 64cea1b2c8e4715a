# SPDX-License-Identifier: LGPL-2.1-or-later
"""Opens a file of spectra in napari, if that is installed: images are made as they
are looked at.  `napari FILE` does the same.

    view_in_napari.py [FILE]
"""
import sys

import gstoct
import gstoct.napari
import numpy

if len(sys.argv) > 1:
    path = sys.argv[1]
else:
    path = "volume.npy"
    numpy.save(path, gstoct.simulate(bscans=16, lines=256, samples=512)[0])
for images, about, kind in gstoct.napari.read(path):
    print(f"{kind} {about['name']}: {images.shape}, scale {about['scale']}")
    gstoct.Picture(images[len(images) // 2]).save_png("napari.png")
    try:
        import napari
        napari.imshow(images, scale=about["scale"], name=about["name"])
        napari.run()
    except ImportError:
        print("napari is not installed; napari.png is the B-scan in the middle")
