/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-window.h"

#include <math.h>

#define TUKEY_TAPER 0.25   /* of the axis, at either end */
#define GAUSSIAN_SIGMA 0.4 /* of the half width */

/* Below this mean square a window has no sample inside its support, as Hann
 * over two samples; rounding leaves about 1e-33 there. */
#define VANISHING 1e-24

static double
shape_hann (double x)
{
  return 0.5 - 0.5 * cos (2 * G_PI * x);
}

static double
shape_none (double x)
{
  return 1;
}

static double
shape_hamming (double x)
{
  return 0.54 - 0.46 * cos (2 * G_PI * x);
}

static double
shape_blackman (double x)
{
  return 0.42 - 0.5 * cos (2 * G_PI * x) + 0.08 * cos (4 * G_PI * x);
}

static double
shape_tukey (double x)
{
  double edge = MIN (x, 1 - x);

  return edge < TUKEY_TAPER ? 0.5 - 0.5 * cos (G_PI * edge / TUKEY_TAPER) : 1;
}

static double
shape_gaussian (double x)
{
  double u = (2 * x - 1) / GAUSSIAN_SIGMA;

  return exp (-0.5 * u * u);
}

/* Harris, On the use of windows for harmonic analysis with the discrete
 * Fourier transform, Proc. IEEE 66, 51 (1978). */
/* clang-format off */
const OctWindowInfo oct_windows[OCT_N_WINDOWS] = {
  [OCT_WINDOW_HANN] = { "hann",
    "Hann, 0.5 - 0.5 cos (2 pi x)", shape_hann },
  [OCT_WINDOW_NONE] = { "none",
    "None, 1", shape_none },
  [OCT_WINDOW_HAMMING] = { "hamming",
    "Hamming, 0.54 - 0.46 cos (2 pi x)", shape_hamming },
  [OCT_WINDOW_BLACKMAN] = { "blackman",
    "Blackman, 0.42 - 0.5 cos (2 pi x) + 0.08 cos (4 pi x)", shape_blackman },
  [OCT_WINDOW_TUKEY] = { "tukey",
    "Tukey, 1 with a taper 0.5 - 0.5 cos (4 pi x) over a quarter at either end",
    shape_tukey },
  [OCT_WINDOW_GAUSSIAN] = { "gaussian",
    "Gaussian, exp (-((2 x - 1) / 0.4)^2 / 2)", shape_gaussian },
};
/* clang-format on */

void
oct_window_fill (OctWindow kind, guint samples, const double *t, double *window)
{
  double (*shape) (double);
  double last, power = 0, scale;
  guint i;

  g_return_if_fail ((guint)kind < OCT_N_WINDOWS);

  shape = oct_windows[kind].shape;
  last = (double)samples - 1;
  for (i = 0; i < samples && samples > 1; i++) {
    double w = shape (i / last);
    power += w * w / samples;
  }
  if (power < VANISHING) {
    for (i = 0; i < samples; i++)
      window[i] = 1;
    return;
  }

  scale = 1 / sqrt (power);
  for (i = 0; i < samples; i++) {
    double x = t ? CLAMP (t[i], 0, last) : i;
    window[i] = scale * shape (x / last);
  }
}
