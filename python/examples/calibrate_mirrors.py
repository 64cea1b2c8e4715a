# SPDX-License-Identifier: LGPL-2.1-or-later
"""Three mirrors become a calibration; a mirror is as narrow with it as light allows."""
import gstoct
import numpy

DEPTHS_UM = [200, 700, 1400]


def count_wide(ascan):
    """Depths of the peak above half of its power, without the source's own."""
    power = numpy.abs(ascan[20:]) ** 2
    return int((power > power.max() / 2).sum())


mirrors = [gstoct.simulate(phantom="mirror", depth=depth * 1e-6, lines=16)[0][0]
           for depth in DEPTHS_UM]
calibration = gstoct.calibrate(mirrors, depths_um=DEPTHS_UM, centre_nm=845)
print(calibration.report)
calibration.save("calibration.csv")
pictures = []
for name, used in (("data sheet", (795, 895)), ("calibrated", calibration)):
    arguments = {"calibration": used, "mode": "none"}
    found = gstoct.reconstruct(numpy.stack(mirrors), **arguments)
    widths = [count_wide(ascans[0]) for ascans in found.values]
    print(f"{name}: {widths} depths wide")
    images = gstoct.reconstruct(numpy.stack(mirrors), output="image", range="manual",
                                min=20, max=80, depth_bins=512, **arguments)
    pictures.append(numpy.hstack(images.values))
# one column per mirror, by the data sheet and calibrated
gstoct.Picture(numpy.hstack(pictures).repeat(4, axis=1)).save_png("mirrors.png")
