# SPDX-License-Identifier: LGPL-2.1-or-later
"""A volume from two sides."""
import gstoct

spectra, calibration = gstoct.simulate(bscans=96, lines=128, samples=1024,
                                       phantom="surgery")
images = gstoct.reconstruct(spectra, calibration=calibration, output="image",
                            range="manual", min=25, max=65, depth_bins=384,
                            x_spacing=30e-6, y_spacing=40e-6)
volume = gstoct.Volume(images)
for name, yaw in (("volume", -35), ("volume-other-side", 145)):
    volume.render(480, 360, yaw=yaw, pitch=35).save_png(f"{name}.png")
print(volume)
