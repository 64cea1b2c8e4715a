#!/usr/bin/env bash
# Mirrors in, the calibration of a spectrometer out.
set -euo pipefail

for argument in "$@"; do
  if [ "$argument" = --help ] || [ "$argument" = -h ]; then
    cat <<'END'
Usage: pipelines/calibrate.sh --mirror FILE... --output CALIBRATION.csv [OPTIONS]

Makes the spectral calibration that demo.sh, record.sh, live.sh and the elements
take, from spectra of a mirror at two depths or more: docs/calibration.md.
Missing Debian packages are installed with apt; the program is built in build/.

  --mirror FILE...      spectra of the mirror at one depth each, on the side of
                        the zero delay where samples will be: raw, .npy, .oct
  --other-side FILE...  the same on the other side
  --same-side           all mirrors are on one side
  --each-bscan          each B-scan of a file is a mirror at another depth
  --background FILE...  spectra without the mirror: one file, or one per mirror
  --step-um UM          distance from each mirror to the next, in their order
  --depth-um UM...      positions of the mirrors, from any origin
  --wavelength-min NM, --wavelength-max NM
                        shortest and longest wavelength of the pixels
  --centre-nm NM        wavelength of the source, with --step-um or --depth-um
  --wavelength WAY      rising (default) or falling, along the samples
  --samples N           samples per A-line    (a .npy file knows by itself)
  --lines L             A-lines per B-scan, with --each-bscan
  --sample-format F     gray16-le (default) or gray8, for raw files
  --header-size B       bytes before the first sample of a raw file
  --output CSV          file for the calibration
  --check CSV           measure this calibration, and make none
  --plot FILE           draw what was found, .svg or .png
  --help                this text

Example:
  pipelines/calibrate.sh --mirror near.npy deep.npy --same-side \
    --output calibration.csv --plot calibration.svg
END
    exit 0
  fi
done

# shellcheck source=pipelines/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
oct_start oct-calibrate "$@"
