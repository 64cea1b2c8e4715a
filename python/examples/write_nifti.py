# SPDX-License-Identifier: LGPL-2.1-or-later
"""A volume as a NIfTI file, with its lengths in mm of tissue."""
import pathlib

import gstoct

spectra, calibration = gstoct.simulate(bscans=32, lines=64, samples=1024)
images = gstoct.reconstruct(spectra, calibration=calibration, output="image",
                            range="manual", min=25, max=65,
                            x_spacing=20e-6, y_spacing=40e-6)
path = pathlib.Path("volume.nii")
path.unlink(missing_ok=True)  # octvolumesink never overwrites
volume = gstoct.Volume(images)
volume.save(path, refractive_index=1.38)
volume.slice(plane="cross", refractive_index=1.38).save_png("cross.png")
print(f"{path}: {path.stat().st_size} bytes")
