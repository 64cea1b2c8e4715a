/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list alone: a test that has another one keeps the rest. */
#include "oct-chain.h"

#define RESAMPLED " ! octdispersion name=dispersion ! octfft name=transform"
#define NON_UNIFORM "octdispersion name=dispersion ! "

/* clang-format off */
const OctMethod oct_methods[] = {
  { "cubic", "Cubic spline", "octkresample",
    "octkresample method=cubic" RESAMPLED },
  { "linear", "Linear (fastest)", "octkresample",
    "octkresample method=linear" RESAMPLED },
  { "lanczos", "Lanczos", "octkresample",
    "octkresample method=lanczos" RESAMPLED },
  { "nufft", "NUFFT", "octnufft",
    NON_UNIFORM "octnufft name=transform method=nufft" },
  { "nudft", "NUDFT (exact, slow)", "octnufft",
    NON_UNIFORM "octnufft name=transform method=nudft" },
  { "cs", "Compressive sensing (slow)", "octcs",
    NON_UNIFORM "octcs name=transform" },
  { NULL },
};
/* clang-format on */
