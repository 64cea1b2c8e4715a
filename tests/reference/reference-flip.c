/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images the right way round: docs/elements/octflip.md.
 */
#include "reference-plan.h"

#include <math.h>

/* Which A-line was taken at place u, -1 .. 1, of the field. */
static double
source_of (const OctFlipParams *p, guint width, gboolean is_way_back, double u)
{
  double h = p->duty * G_PI / 2, t;

  u = p->lateral ? -u : u;
  u = is_way_back ? -u : u;
  t = p->motion == OCT_MOTION_SINE ? asin (u * sin (h)) / h : u;
  t = ((t + 1) * width - 1) / 2;
  if (is_way_back)
    t += width == p->width ? p->way_back_shift : p->way_back_shift / 2;
  return t;
}

static double
value_at (const double *row, guint width, guint parts, double s)
{
  double at;

  s = fmin (fmax (s, 0), width - 1);
  at = floor (s);
  if (at == s)
    return row[(gsize)at * parts];
  return row[(gsize)at * parts] * (1 - (s - at))
         + row[((gsize)at + 1) * parts] * (s - at);
}

/* Integral of a function that is linear between whole numbers. */
static double
mean_of (const double *row, guint width, guint parts, double a, double b)
{
  double sum = 0;

  for (double x = a; x < b;) {
    double next = fmin (floor (x) + 1, b);

    sum += (next - x) * value_at (row, width, parts, (x + next) / 2);
    x = next;
  }
  return sum / (b - a);
}

void
oct_reference_flip (const OctFlipParams *p, guint width, guint height,
    guint parts, const double *in, double *out)
{
  guint bscans = OCT_BSCANS (p), rows = height / bscans;

  for (guint y = 0; y < height; y++) {
    guint bscan = y / rows, row = y % rows;
    guint number =
        p->volume > 0 ? (p->first + bscan) % p->volume : p->first + bscan;
    gboolean is_way_back =
        (p->way_back == OCT_WAY_BACK_ODD && number % 2 == 1)
        || (p->way_back == OCT_WAY_BACK_EVEN && number % 2 == 0);
    const double *from =
        in
        + ((gsize)bscan * rows + (p->depth ? rows - 1 - row : row)) * width
              * parts;

    for (guint x = 0; x < width; x++)
      for (guint part = 0; part < parts; part++) {
        double left = 2. * x / width - 1, right = 2. * (x + 1) / width - 1;
        double a = source_of (p, width, is_way_back, left);
        double b = source_of (p, width, is_way_back, right);
        double s = source_of (p, width, is_way_back, (left + right) / 2);

        out[((gsize)y * width + x) * parts + part] =
            p->motion == OCT_MOTION_SINE
                ? mean_of (from + part, width, parts, fmin (a, b), fmax (a, b))
                : value_at (from + part, width, parts, s);
      }
  }
}

void
reference_flip (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctFlipParams *p = plan->params;
  guint parts = p->format == OCT_IMAGE_RGBA ? 4 : 1;
  gsize n = (gsize)p->height * p->width * parts;
  g_autofree double *values = g_new (double, n), *result = g_new (double, n);

  for (gsize i = 0; i < n; i++)
    values[i] = creal (in[i]);
  oct_reference_flip (p, p->width, p->height, parts, values, result);
  for (gsize i = 0; i < n; i++)
    out[i] = result[i];
}
