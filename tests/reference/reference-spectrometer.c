/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The camera of the virtual OCT system in front of a mirror, as core/
 * oct-phantom.h states it.
 */
#include "oct-reference.h"

#include <math.h>

#define CENTRE 0.845    /* um, of the source and of the camera */
#define FWHM 0.050      /* um, of the source */
#define SPAN 0.110      /* um, of all pixels */
#define DISPERSION 80.0 /* um^2, of the sample arm */
#define LEVEL 0.7       /* of full scale, without the mirror */
#define MIRROR 0.1      /* amplitude, of that of the reference arm */
#define PART 8          /* points of a pixel */
#define BLUR 6          /* pixels, of the spot's tails */

static double
gaussian (double x)
{
  return exp (-4 * log (2) * x * x);
}

/* S |1 + r exp (i (2 k z + a2 (k - kc)^2))|^2 `x` pixels from the middle */
static double
intensity (double x, guint samples, double depth)
{
  double wavelength = CENTRE + x * SPAN / samples;
  double k = 2 * G_PI / wavelength, off = k - 2 * G_PI / CENTRE;
  double phase = 2 * k * depth + DISPERSION * off * off;

  return gaussian ((wavelength - CENTRE) / FWHM)
         * (1 + MIRROR * MIRROR + 2 * MIRROR * cos (phase));
}

/* The spot on the camera is a Gaussian, one pixel wide at half maximum; a pixel
 * takes the mean over its width. */
void
oct_reference_mirror (guint samples, double depth, double *spectrum)
{
  gint tail = BLUR * PART;
  double spot = 0;

  for (gint i = -tail; i <= tail; i++)
    spot += gaussian ((double)i / PART);
  for (guint n = 0; n < samples; n++) {
    double sum = 0;
    for (guint part = 0; part < PART; part++) {
      double x = n + (part + 0.5) / PART - samples / 2.0;
      for (gint i = -tail; i <= tail; i++)
        sum += gaussian ((double)i / PART)
               * intensity (x + (double)i / PART, samples, depth);
    }
    spectrum[n] = LEVEL * sum / PART / spot;
  }
}
