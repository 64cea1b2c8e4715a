/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-background-modes.h"
#include "oct-fit.h"

const OctBackgroundModeInfo oct_background_modes[OCT_N_BACKGROUND_MODES] = {
  [OCT_BACKGROUND_BSCAN] = { "bscan",
      "Mean of all A-lines of the B-scan; draws ghost lines of an instrument",
      .is_found = TRUE },
  [OCT_BACKGROUND_RUNNING] = { "running",
      "Exponential mean over the B-scans so far; for a sample that moves",
      .is_found = TRUE },
  [OCT_BACKGROUND_STORED] = { "background",
      "Spectrum that was measured without a sample, from `background` or the "
      "calibration",
      .is_stored = TRUE },
  [OCT_BACKGROUND_NONE] = { "none", "Nothing is removed" },
  [OCT_BACKGROUND_FIXED_PATTERN] = { "fixed-pattern",
      "What stays the same from A-line to A-line, by minimum variance; for "
      "instruments above tissue",
      .is_found = TRUE, .has_pattern = TRUE, .tolerance = 1e-7 },
  [OCT_BACKGROUND_STORED_SCALED] = { "background-scaled",
      "As background, scaled to the brightness and tilt of each A-line; for a "
      "source that flickers",
      .is_found = TRUE, .terms = OCT_FIT_TERMS, .is_stored = TRUE,
      .tolerance = 3e-7 },
  [OCT_BACKGROUND_MEDIAN] = { "median",
      "Median over all A-lines of the B-scan; for few A-lines that are bright "
      "or "
      "saturated",
      .is_found = TRUE },
  [OCT_BACKGROUND_A_LINE] = { "a-line",
      "Mean value of each A-line, a constant; for spectra that do not contain "
      "the source's spectrum",
      .is_found = TRUE, .terms = 1, .tolerance = 1e-7 },
  [OCT_BACKGROUND_HIGH_PASS] = { "high-pass",
      "Mean of the A-lines around each A-line; for a background that drifts "
      "along the B-scan",
      .is_apart = TRUE },
  [OCT_BACKGROUND_FIXED_PATTERN_SCALED] = { "fixed-pattern-scaled",
      "As fixed-pattern, scaled to the brightness and tilt of each A-line; for "
      "instruments above tissue, and a source that flickers",
      /* Two A-lines can consist of the pattern alone: then only the rounding of
       * the two Fourier transforms that compute it is left, each some 5e-7 with
       * 65536 samples. */
      .is_found = TRUE, .has_pattern = TRUE, .terms = OCT_FIT_TERMS,
      .tolerance = 1.5e-6 },
};
