# SPDX-License-Identifier: LGPL-2.1-or-later
"""A volume from above: the 100 um below the surface."""
import gstoct

spectra, calibration = gstoct.simulate(bscans=64, lines=128, samples=1024,
                                       phantom="surgery")
images = gstoct.reconstruct(spectra, calibration=calibration, output="image",
                            range="manual", min=25, max=65,
                            x_spacing=30e-6, y_spacing=60e-6)
picture = gstoct.Volume(images).enface(flatten=True, thickness=100)
print(picture)
picture.save_png("enface.png")
