/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Filters of grey images: docs/elements/octspeckle.md, octsharpen.md.
 */
#include "reference-plan.h"

#include <math.h>
#include <stdlib.h>

static int
rising (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* v[size * size] around the pixel in their middle. */
static double
filter (const OctSpeckleParams *p, double *v)
{
  gint n = (gint)(p->size * p->size), r = (gint)p->size / 2;
  double scale = p->format == OCT_IMAGE_GRAY16 ? 65535. / 255 : 1;
  double sigma = p->sigma * scale, middle = v[n / 2];
  double sum = 0, weights = 0, mean = 0, variance = 0;

  if (p->method == OCT_SPECKLE_MEDIAN) {
    qsort (v, (gsize)n, sizeof (double), rising);
    return v[n / 2];
  }
  for (gint i = 0; i < n; i++) {
    gint x = i % (gint)p->size - r, y = i / (gint)p->size - r;
    double w = exp (-(x * x + y * y) / (2 * pow (p->spatial_sigma, 2))
                    - pow (v[i] - middle, 2) / (2 * sigma * sigma));

    sum += w * v[i];
    weights += w;
    mean += v[i] / n;
  }
  if (p->method == OCT_SPECKLE_BILATERAL)
    return sum / weights;
  for (gint i = 0; i < n; i++)
    variance += pow (v[i] - mean, 2) / n;
  if (variance <= sigma * sigma)
    return mean;
  return mean + (variance - sigma * sigma) / variance * (middle - mean);
}

void
oct_reference_speckle (const OctSpeckleParams *p, const double *in, double *out)
{
  guint parts = p->format == OCT_IMAGE_RGBA ? 4 : 1;
  gint rows = (gint)(p->height / OCT_BSCANS (p)), r = (gint)p->size / 2;
  gint width = (gint)p->width;

  for (gint y = 0; y < (gint)p->height; y++)
    for (gint x = 0; x < width; x++) {
      double v[OCT_SPECKLE_LARGEST * OCT_SPECKLE_LARGEST];
      guint n = 0;

      for (gint dy = -r; dy <= r; dy++)
        for (gint dx = -r; dx <= r; dx++) {
          gint row = CLAMP (y % rows + dy, 0, rows - 1) + y / rows * rows;
          gint column = CLAMP (x + dx, 0, width - 1);

          v[n++] = in[((gsize)row * p->width + column) * parts];
        }
      out[(gsize)y * p->width + x] = filter (p, v);
    }
}

void
reference_speckle (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctSpeckleParams *p = plan->params;
  guint parts = p->format == OCT_IMAGE_RGBA ? 4 : 1;
  gsize n = (gsize)p->height * p->width;
  g_autofree double *values = g_new (double, n *parts);
  g_autofree double *result = g_new (double, n);

  for (gsize i = 0; i < n * parts; i++)
    values[i] = creal (in[i]);
  oct_reference_speckle (p, values, result);
  for (gsize i = 0; i < n * parts; i++)
    out[i] = parts == 4 && i % 4 == 3 ? 255 : result[i / parts];
}

/* The mean of `count` values, `step` apart, around number `at`, the weights a
 * Gaussian of standard deviation `radius`. */
static double
gaussian_mean (
    const double *values, gsize step, gint count, gint at, double radius)
{
  gint reach = (gint)ceil (4 * radius);
  double sum = 0, weights = 0;

  for (gint d = -reach; d <= reach; d++) {
    double w = exp (-d * d / (2 * radius * radius));

    sum += w * values[(gsize)CLAMP (at + d, 0, count - 1) * step];
    weights += w;
  }
  return sum / weights;
}

/* in + amount (in - G * in) of one image, G first along rows. */
static void
unsharp (const OctSharpenParams *p, gint rows, const double *in, double *out)
{
  gint width = (gint)p->width;
  g_autofree double *means = g_new (double, (gsize)rows * p->width);

  for (gint y = 0; y < rows; y++)
    for (gint x = 0; x < width; x++)
      means[(gsize)y * p->width + x] =
          gaussian_mean (in + (gsize)y * p->width, 1, width, x, p->radius);
  for (gint y = 0; y < rows; y++)
    for (gint x = 0; x < width; x++) {
      double v = in[(gsize)y * p->width + x];
      double m = gaussian_mean (means + x, p->width, rows, y, p->radius);

      out[(gsize)y * p->width + x] = v + p->amount * (v - m);
    }
}

void
reference_sharpen (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctSharpenParams *p = plan->params;
  guint rows = p->height / OCT_BSCANS (p);
  guint parts = p->format == OCT_IMAGE_RGBA ? 4 : 1;
  double full = p->format == OCT_IMAGE_GRAY16 ? 65535 : 255;
  gsize n = (gsize)p->height * p->width, size = (gsize)rows * p->width;
  g_autofree double *grey = g_new (double, n), *result = g_new (double, n);

  for (gsize i = 0; i < n; i++)
    grey[i] = creal (in[i * parts]);
  for (gsize first = 0; first < n; first += size)
    unsharp (p, (gint)rows, grey + first, result + first);
  for (gsize i = 0; i < n * parts; i++)
    out[i] = i % parts == 3 ? 255 : CLAMP (result[i / parts], 0, full);
}
