/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-scans to the range of an image: docs/elements/octlogscale.md.
 */
#include "reference-plan.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* |a|^2 (Shafer 2.8) */
static double
power_of (Complex a)
{
  return creal (a) * creal (a) + cimag (a) * cimag (a);
}

static double
to_scale (OctScale scale, double power)
{
  if (scale == OCT_SCALE_LINEAR || isnan (power))
    return power;
  return 10 * log10 (power > 1e-20 ? power : 1e-20); /* Shafer 2.9 */
}

double
reference_scaled (OctScale scale, Complex a)
{
  return to_scale (scale, power_of (a));
}

/* range=auto: the smallest and the largest v that is finite. */
static gboolean
full_range (
    const OctLogscaleParams *p, const Complex *in, double *min, double *max)
{
  gboolean found = FALSE;

  for (gsize i = 0; i < (gsize)p->lines * p->depth_bins; i++) {
    double v = reference_scaled (p->scale, in[i]);
    if (!isfinite (v))
      continue;
    *min = found ? MIN (*min, v) : v;
    *max = found ? MAX (*max, v) : v;
    found = TRUE;
  }
  return found;
}

/* Neither zero nor anything that is not finite. */
static gboolean
counts (double power)
{
  return isfinite (power) && power > (double)1e-20f;
}

static int
falling (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x < y) - (x > y);
}

/* The power that one of 1000 of the counted values is above: in a histogram of
 * eight even steps in every octave, whose values are evenly spread. */
static double
white_power (double *powers, guint count)
{
  guint above = count / 1000, more = 0, inside = 0;
  double octave, low, high;

  qsort (powers, count, sizeof (double), falling);
  octave = exp2 (floor (log2 (powers[above])));
  low = octave * floor (powers[above] / octave * 8) / 8;
  high = low + octave / 8;
  for (guint i = 0; i < count; i++) {
    more += powers[i] >= high;
    inside += powers[i] >= low && powers[i] < high;
  }
  return low + (high - low) * (1 - (above - more + 0.5) / inside);
}

/* First row of depth band `band` of eight equal ones; the first begins after
 * zero delay. */
static guint
band_start (guint depth_bins, guint band)
{
  return band == 0 ? MIN (MAX (4, depth_bins / 64), depth_bins / 16)
                   : depth_bins * band / 8;
}

/* range=contrast: from the lowest mean v of a depth band to white, at least 15
 * dB. */
static gboolean
contrast_range (
    const OctLogscaleParams *p, const Complex *in, double *min, double *max)
{
  g_autofree double *powers = g_new (double, (gsize)p->lines * p->depth_bins);
  guint count = 0;
  double white;

  *min = INFINITY;
  for (guint band = 0; band < 8; band++) {
    double sum = 0;
    guint before = count;
    for (guint line = 0; line < p->lines; line++)
      for (guint i = band_start (p->depth_bins, band);
           i < band_start (p->depth_bins, band + 1); i++) {
        double power = power_of (in[(gsize)line * p->depth_bins + i]);
        if (counts (power)) {
          sum += to_scale (p->scale, power);
          powers[count++] = power;
        }
      }
    if (count > before)
      *min = MIN (*min, sum / (count - before));
  }
  if (count == 0)
    return FALSE;
  white = to_scale (p->scale, white_power (powers, count));
  *max =
      MAX (white, p->scale == OCT_SCALE_LOG ? *min + 15 : *min * pow (10, 1.5));
  return TRUE;
}

gboolean
reference_range (
    OctReference *plan, const Complex *in, double *min, double *max)
{
  const OctLogscaleParams *p = plan->params;
  double weight = plan->has_range ? p->range_smoothing : 0;

  if (p->range == OCT_RANGE_MANUAL) {
    *min = p->min;
    *max = p->max;
    return TRUE;
  }
  if (!(p->range == OCT_RANGE_CONTRAST ? contrast_range (p, in, min, max)
                                       : full_range (p, in, min, max)))
    return FALSE;
  /* range-smoothing */
  plan->range_min = *min = weight * plan->range_min + (1 - weight) * *min;
  plan->range_max = *max = weight * plan->range_max + (1 - weight) * *max;
  plan->has_range = TRUE;
  return TRUE;
}

/* The history of another scale is made anew. */
void
reference_range_rescale (OctReference *plan, const OctLogscaleParams *former)
{
  gboolean to_log = former->scale == OCT_SCALE_LINEAR;
  double *limits[] = { &plan->range_min, &plan->range_max };

  if (((const OctLogscaleParams *)plan->params)->scale == former->scale)
    return;
  for (guint i = 0; i < 2; i++)
    *limits[i] = to_log ? 10 * log10 (MAX (*limits[i], 1e-20))
                        : pow (10, *limits[i] / 10);
}
