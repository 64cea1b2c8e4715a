# SPDX-License-Identifier: LGPL-2.1-or-later
"""A deep mirror by three methods: how high it stands above the rest, in dB."""
import gstoct
import numpy

spectra, calibration = gstoct.simulate(phantom="mirror", depth=1.4e-3, lines=64,
                                       samples=1024, noise=0)
images = []
for method, more in (("resample", {"interpolation": "linear"}), ("resample", {}),
                     ("nufft", {})):
    arguments = {"calibration": calibration, "method": method, "mode": "none", **more}
    power = gstoct.reconstruct(spectra, output="power", **arguments).values[0, 0]
    peak = 30 + power[30:].argmax()
    rest = numpy.delete(power, range(peak - 6, peak + 7))[30:]
    print(f"{method:9}{more.get('interpolation', ''):7} "
          f"{10 * numpy.log10(power[peak] / rest.max()):5.1f} dB")
    images.append(gstoct.reconstruct(spectra, output="image", range="manual", min=-10,
                                     max=70, **arguments).values[0])
gstoct.Picture(numpy.hstack(images)).save_png("methods.png")
