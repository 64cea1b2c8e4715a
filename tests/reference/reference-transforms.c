/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Spectra to A-scans, uniform and not.
 */
#include "reference-plan.h"
#include "oct-nufft.h"

#include <math.h>

Complex *
reference_turns (guint length)
{
  Complex *turns = g_new (Complex, length);

  for (guint k = 0; k < length; k++)
    turns[k] = cexp (-2 * G_PI * I * k / length);
  return turns;
}

guint
reference_wrap (gint64 value, guint period)
{
  gint64 rest = value % (gint64)period;

  return (guint)(rest < 0 ? rest + period : rest);
}

gboolean
reference_are_uniform (const double *nodes, guint count)
{
  for (guint n = 0; n < count; n++)
    if (fabs (nodes[n] - rint (nodes[n])) > OCT_NUFFT_UNIFORM)
      return FALSE;
  return TRUE;
}

/* ------------------------------------------------ docs/elements/octfft.md */

/* out[q] = N^-1/2 sum_n window[n] in[n] exp (-2 pi i n q / length) */
void
reference_fft (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctFftParams *p = plan->params;
  g_autofree Complex *turns = reference_turns (p->length);

  for (guint line = 0; line < p->lines; line++) {
    const Complex *y = in + (gsize)line * p->samples;
    for (guint i = 0; i < p->depth_bins; i++) {
      guint64 q = p->depth_start + i;
      Complex sum = 0;
      for (guint n = 0; n < p->samples; n++)
        sum += p->window[n] * y[n] * turns[n * q % p->length];
      out[(gsize)line * p->depth_bins + i] = sum / sqrt (p->samples);
    }
  }
}

/* ------------------------- docs/elements/octnufft.md, oct-backend.h */

/* "Type 1", out[q] = N^-1/2 sum_n window[n] in[n] exp (-2 pi i nodes[n] q / N)
 */
void
oct_reference_exact (const OctNufftParams *p, const Complex *in, Complex *out)
{
  gboolean uniform = reference_are_uniform (p->nodes, p->samples);

  for (guint i = 0; i < p->depth_bins; i++)
    out[i] = 0;
  for (guint n = 0; n < p->samples; n++) {
    double t = uniform ? rint (p->nodes[n]) : p->nodes[n];
    for (guint i = 0; i < p->depth_bins; i++) {
      double cycles = t / p->samples * (p->depth_start + (gint)i);
      out[i] += p->window[n] / sqrt (p->samples)
                * cexp (-2 * G_PI * I * (cycles - rint (cycles))) * in[n];
    }
  }
}

guint
oct_reference_fast_length (double least)
{
  guint length = (guint)ceil (least - 1e-9), rest;

  for (length += length % 2;; length += 2) {
    rest = length;
    for (guint prime = 2; prime <= 7; prime++)
      while (rest % prime == 0)
        rest /= prime;
    if (rest == 1)
      return length;
  }
}

/* oct-nufft.h: the grid of M cells for the modes that are wanted, shifted
 * around 0 where the spectra are complex. */
ReferenceGrid
reference_choose_grid (const OctNufftParams *p)
{
  gboolean shifted = p->format == OCT_SAMPLE_CF32;
  ReferenceGrid grid = { .cells = p->grid,
    .modes = shifted ? p->depth_bins : p->samples,
    .kernel = p->kernel,
    .width = p->width };
  double r, root;

  if (grid.modes != p->samples)
    grid.cells = oct_reference_fast_length (
        MAX ((double)grid.modes * p->grid / p->samples, p->samples));
  if (shifted)
    grid.middle = p->depth_start + (gint)(p->depth_bins / 2);
  r = (double)grid.cells / grid.modes;
  root = p->width / r * (r - 0.5);
  /* Greengard and Lee 2004; Beatty, Nishimura and Pauly 2005 */
  grid.parameter = p->kernel == OCT_KERNEL_GAUSSIAN
                       ? r * p->width / (8 * G_PI * (r - 0.5))
                       : G_PI * sqrt (root * root - 0.8);
  return grid;
}

/* I0 (x) = sum_k (x^2 / 4)^k / k!^2 */
static double
bessel_i0 (double x)
{
  double term = 1, sum = 1;

  for (guint k = 1; k < 80; k++)
    sum += term *= x * x / 4 / ((double)k * k);
  return sum;
}

/* G (u), u in cells from the middle */
double
reference_kernel (const ReferenceGrid *grid, double u)
{
  double x = 2 * u / grid->width;

  if (grid->kernel == OCT_KERNEL_GAUSSIAN)
    return exp (-u * u / (4 * grid->parameter));
  return bessel_i0 (grid->parameter * sqrt (MAX (0, 1 - x * x))) / grid->width;
}

/* ghat (q); the square root is imaginary at far modes */
double
reference_kernel_transform (const ReferenceGrid *grid, gint q)
{
  double angle = 2 * G_PI * q / grid->cells;
  Complex s;

  if (grid->kernel == OCT_KERNEL_GAUSSIAN)
    return sqrt (4 * G_PI * grid->parameter)
           * exp (-grid->parameter * angle * angle);
  s = csqrt (
      grid->parameter * grid->parameter - pow (angle * grid->width / 2, 2));
  return cabs (s) < 1e-9 ? 1 : creal (csinh (s) / s);
}

/* A[q] = N^-1/2 / ghat (q) sum_l exp (-2 pi i l q / M)
 *        sum_n G (l - u_n) window[n] in[n],
 * u_n = nodes[n] M / N (Chan & Tang 2010; Xu 2014). */
void
oct_reference_gridded (const OctNufftParams *p, const Complex *in, Complex *out)
{
  ReferenceGrid grid = reference_choose_grid (p);
  gint start = p->depth_start - grid.middle;
  g_autofree Complex *turns = reference_turns (grid.cells);
  g_autofree Complex *cells = g_new0 (Complex, grid.cells);

  for (guint n = 0; n < p->samples; n++) {
    double u = p->nodes[n] * grid.cells / p->samples;
    double cycles = p->nodes[n] * grid.middle / p->samples;
    gint first = (gint)ceil (u - p->width / 2.0);
    Complex factor =
        p->window[n] * cexp (-2 * G_PI * I * (cycles - rint (cycles)));
    for (gint m = 0; m < (gint)p->width; m++)
      cells[reference_wrap (first + m, grid.cells)] +=
          reference_kernel (&grid, first + m - u) * factor * in[n];
  }
  for (guint i = 0; i < p->depth_bins; i++) {
    gint q = start + (gint)i;
    Complex sum = 0;
    for (guint l = 0; l < grid.cells; l++)
      sum += cells[l] * turns[reference_wrap ((gint64)l * q, grid.cells)];
    out[i] = sum / reference_kernel_transform (&grid, q) / sqrt (p->samples);
  }
}

void
reference_nudft (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctNufftParams *p = plan->params;

  for (guint line = 0; line < p->lines; line++)
    oct_reference_exact (
        p, in + (gsize)line * p->samples, out + (gsize)line * p->depth_bins);
}

/* Uniform nodes need no grid. */
void
reference_nufft (
    OctReference *plan, const Complex *in, const double *mean, Complex *out)
{
  const OctNufftParams *p = plan->params;

  if (reference_are_uniform (p->nodes, p->samples)) {
    reference_nudft (plan, in, mean, out);
    return;
  }
  for (guint line = 0; line < p->lines; line++)
    oct_reference_gridded (
        p, in + (gsize)line * p->samples, out + (gsize)line * p->depth_bins);
}
