/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mirror-camera.h"

#include <complex.h>
#include <math.h>

#define FINE 8          /* points of a pixel */
#define EDGE 8          /* pixels beyond the ends, for the spot's tails */
#define TAIL (6 * FINE) /* points */
#define FULL_WELL 2e4   /* electrons */
#define READ_NOISE 30.0 /* electrons */

static double
gaussian (double x)
{
  return exp (-4 * log (2) * x * x);
}

double
mirror_camera_wavelength (const MirrorCamera *c, double pixel)
{
  double ripple =
      c->ripple * sin (2 * G_PI * c->ripples * pixel / (c->samples - 1));
  double x = 2 * (pixel + ripple) / (c->samples - 1) - 1;

  return c->centre + c->span / 2 * x + c->bend * (x * x - 1 / 3.0)
         + c->cube * (x * x * x - 0.6 * x);
}

static double
wavenumber (const MirrorCamera *c, double pixel)
{
  return 2 * G_PI / mirror_camera_wavelength (c, pixel);
}

static double
dispersion (const MirrorCamera *c, double k)
{
  double middle = (wavenumber (c, 0) + wavenumber (c, c->samples - 1)) / 2;
  double off = k - middle;

  return c->a2 * off * off + c->a3 * off * off * off;
}

/* fine[(samples + 2 EDGE) FINE]: what falls on the camera, without the spot. */
static void
fill_light (const MirrorCamera *c, double depth, double phase, double *fine)
{
  for (guint i = 0; i < (c->samples + 2 * EDGE) * FINE; i++) {
    double pixel = (i + 0.5) / FINE - 0.5 - EDGE;
    double k = wavenumber (c, pixel);
    double complex field =
        c->reflectivity * cexp (I * (2 * k * depth + dispersion (c, k) + phase))
        * (1 + c->ghost * cexp (2 * I * k * c->ghost_distance));
    double magnitude = cabs (1 + field);

    fine[i] =
        gaussian ((2 * G_PI / k - c->centre) / c->fwhm) * magnitude * magnitude;
  }
}

static void
see_pixels (const MirrorCamera *c, const double *fine, double *pixels)
{
  double spot[2 * TAIL + 1], sum = 0;

  for (gint i = -TAIL; i <= TAIL; i++)
    sum += spot[i + TAIL] = gaussian ((double)i / FINE);
  for (guint p = 0; p < c->samples; p++) {
    pixels[p] = 0;
    for (guint part = 0; part < FINE; part++) {
      const double *at = fine + (p + EDGE) * FINE + part - TAIL;

      for (guint i = 0; i <= 2 * TAIL; i++)
        pixels[p] += spot[i] * at[i] / sum / FINE;
    }
  }
}

static double
draw_normal (GRand *random)
{
  double u = 1 - g_rand_double (random), v = g_rand_double (random);

  return sqrt (-2 * log (u)) * cos (2 * G_PI * v);
}

static double
draw_poisson (GRand *random, double mean)
{
  double limit = exp (-mean), product = 1;
  guint count = 0;

  if (mean > 50)
    return MAX (rint (mean + sqrt (mean) * draw_normal (random)), 0);
  while ((product *= g_rand_double (random)) > limit)
    count++;
  return count;
}

static double
detect (GRand *random, double electrons)
{
  if (random == NULL)
    return electrons / FULL_WELL * MIRROR_CAMERA_FULL;
  electrons =
      draw_poisson (random, electrons) + READ_NOISE * draw_normal (random);
  return CLAMP (
      rint (electrons / FULL_WELL * MIRROR_CAMERA_FULL), 0, MIRROR_CAMERA_FULL);
}

void
mirror_camera_see (
    const MirrorCamera *c, double depth, guint lines, double *counts)
{
  static guint calls;
  GRand *random =
      c->seed ? g_rand_new_with_seed (c->seed * 1000 + calls++) : NULL;
  g_autofree double *fine = g_new (double, (c->samples + 2 * EDGE) * FINE);
  double phase = random != NULL ? g_rand_double (random) * 2 * G_PI : 0;

  for (guint line = 0; line < lines; line++) {
    double *row = counts + (gsize)line * c->samples;

    if (random != NULL)
      phase += c->drift * draw_normal (random);
    fill_light (c, depth, phase, fine);
    see_pixels (c, fine, row);
    for (guint p = 0; p < c->samples; p++)
      row[p] = detect (random, row[p] * c->level * FULL_WELL);
  }
  if (random != NULL)
    g_rand_free (random);
}

double
mirror_camera_truth (const MirrorCamera *c, double *k, double *d, double *light)
{
  double first = wavenumber (c, 0), last = wavenumber (c, c->samples - 1);

  for (guint p = 0; p < c->samples; p++) {
    double here = wavenumber (c, p);
    double source = gaussian ((2 * G_PI / here - c->centre) / c->fwhm);

    k[p] = fabs (here - first) / fabs (last - first);
    d[p] = dispersion (c, here) * (last > first ? 1 : -1);
    light[p] = source * source;
  }
  return fabs (last - first);
}
