/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cs.h"

#include "oct-params.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const OctCsLimits oct_cs_limits[OCT_CS_N_SOLVERS] = {
  /* Xu, Huang and Kang 2014, figure 2 */
  [OCT_CS_SPARSA] = { "sparsa", 15, 1000 },
  [OCT_CS_CONTINUED] = { "continued", 8, 1000 },
  /* more would be rounding, see above */
  [OCT_CS_PERSISTENT] = { "persistent", 8, 15 },
};

/* Gridding for b of the exact transform, over 2N cells or a few more: it loses
 * 5e-8, what rounding to floats does. */
#define EXACT_WIDTH 8u

static gboolean
no_memory (gsize count, GError **error)
{
  g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "There is no memory for a table of %" G_GSIZE_FORMAT
      " numbers: use fewer samples per A-line",
      count);
  return FALSE;
}

/* ----------------------------------------------------------------- checks */

static gboolean
check_sampling (const OctCsParams *p, GError **error)
{
  if (p->columns < 1 || p->columns > p->samples) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Spectra with %u samples in a row cannot be A-lines of %u samples: "
        "there must be 1 to %u",
        p->columns, p->samples, p->samples);
    return FALSE;
  }
  if (p->kept < 1 || p->kept > p->samples || p->column == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The mask keeps %u samples of an A-line: it must keep 1 to %u",
        p->column != NULL ? p->kept : 0, p->samples);
    return FALSE;
  }
  for (guint i = 0; i < p->kept; i++) {
    if (p->column[i] >= p->columns) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
          "The mask keeps sample %u, but the spectra have %u", p->column[i],
          p->columns);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
cs_check_solver (const OctCsParams *p, GError **error)
{
  if ((guint)p->solver >= OCT_CS_N_SOLVERS) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS, "There is no solver %d",
        p->solver);
    return FALSE;
  }
  if (p->iterations < 1 || p->iterations > oct_cs_limits[OCT_CS_SPARSA].most) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%u iterations are not possible: there must be 1 to %u", p->iterations,
        oct_cs_limits[OCT_CS_SPARSA].most);
    return FALSE;
  }
  if (p->iterations > oct_cs_limits[p->solver].most) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%u iterations are too many for solver=%s, which loses precision "
        "after %u: set 1 to %u, or solver=continued",
        p->iterations, oct_cs_limits[p->solver].name,
        oct_cs_limits[p->solver].most, oct_cs_limits[p->solver].most);
    return FALSE;
  }
  if (!(p->tau >= 0 && isfinite (p->tau))) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The threshold tau is %g: it must be 0 or above, in units of the noise",
        p->tau);
    return FALSE;
  }
  if (!(p->noise >= 0 && isfinite (p->noise))) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The noise is %g counts: it must be above 0, or 0 to be estimated",
        p->noise);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_whole_nodes (const OctCsParams *p, GError **error)
{
  for (guint i = 0; i < p->kept; i++) {
    double t = p->nodes[i];
    if (t == rint (t) && t >= 0 && t <= p->samples - 1)
      continue;
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The FFT cannot take a sample at %.10g of the uniform wavenumber axis: "
        "all must lie at whole numbers from 0 to %u",
        t, p->samples - 1);
    return FALSE;
  }
  return TRUE;
}

/* The gridding that the parameters ask for, of modes 0 .. bins - 1. */
static OctNufftParams
gridding_params (const OctCsParams *p, const double *window, guint bins)
{
  OctNufftParams gridding = { .format = p->format,
    .samples = p->samples,
    .lines = p->lines,
    .depth_bins = bins,
    .kernel = p->kernel,
    .grid = p->grid,
    .width = p->width,
    .weights = OCT_WEIGHTS_PRECOMPUTED,
    .nodes = p->nodes,
    .window = window };

  if (p->transform == OCT_CS_NUDFT) {
    gridding.kernel = OCT_KERNEL_KAISER_BESSEL;
    gridding.grid = oct_nufft_grid_length (p->samples, 2);
    gridding.width = EXACT_WIDTH;
  }
  return gridding;
}

gboolean
oct_cs_check (const OctCsParams *p, GError **error)
{
  OctNufftParams gridding = gridding_params (p, p->window, p->depth_bins);

  if (!oct_check_size (p->samples, p->lines, error)
      || !oct_check_bscans (p->bscans, p->lines, error)
      || !check_sampling (p, error) || !cs_check_solver (p, error))
    return FALSE;
  if ((guint)p->transform > OCT_CS_FFT) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There is no sensing transform %d", p->transform);
    return FALSE;
  }
  gridding.depth_start = (gint)MIN (p->depth_start, OCT_MAX_SAMPLES);
  return oct_nufft_check_some (
             &gridding, p->kept, p->transform == OCT_CS_NUFFT, error)
         && (p->transform != OCT_CS_FFT || check_whole_nodes (p, error));
}

double
oct_cs_noise_gain (const OctCsParams *params)
{
  double sum = 0;

  for (guint i = 0; i < params->kept; i++)
    sum += params->window[i] * params->window[i];
  return sqrt (sum / params->samples);
}

gint
oct_cs_noise_place (guint line, guint lines)
{
  guint n = MIN (lines, OCT_CS_NOISE_LINES);
  /* this one or the next is (2i + 1) lines / (2n) */
  guint i = (guint)((guint64)line * n / lines);

  for (guint last = MIN (i + 1, n - 1); i <= last; i++)
    if ((2 * (guint64)i + 1) * lines / (2 * n) == line)
      return (gint)i;
  return -1;
}

static int
compare_levels (gconstpointer a, gconstpointer b)
{
  float x = *(const float *)a, y = *(const float *)b;

  return (x > y) - (x < y);
}

double
oct_cs_noise_median (float *levels, guint count)
{
  guint finite = 0;

  for (guint i = 0; i < count; i++)
    if (isfinite (levels[i]))
      levels[finite++] = levels[i];
  qsort (levels, finite, sizeof *levels, compare_levels);
  return finite > 0 ? levels[(finite - 1) / 2] : 0;
}

/* ------------------------------------------------------------------ Toeplitz
 */

/* t_d for d = 0 .. N - 1 (t_-d is its conjugate), all samples turning side by
 * side: after 65536 turns the rounding of doubles is still four orders below
 * that of floats. */
static void
sum_turns (const OctCsParams *p, double *turning, double *re, double *im)
{
  double *c = turning, *s = c + p->kept, *x = s + p->kept, *y = x + p->kept;

  for (guint i = 0; i < p->kept; i++) {
    double angle = -2 * G_PI * (fmod (p->nodes[i], p->samples) / p->samples);
    c[i] = cos (angle);
    s[i] = sin (angle);
    x[i] = 1.0 / p->samples;
    y[i] = 0;
  }
  for (guint d = 0; d < p->samples; d++) {
    double sum_re = 0, sum_im = 0;
    for (guint i = 0; i < p->kept; i++) {
      double next = x[i] * c[i] - y[i] * s[i];
      sum_re += x[i];
      sum_im += y[i];
      y[i] = x[i] * s[i] + y[i] * c[i];
      x[i] = next;
    }
    re[d] = sum_re;
    im[d] = sum_im;
  }
}

/* out[c] = sum_d in[d stride] exp (+2 pi i d c / length), by the prime factors
 * of the length: in double, and only once for a mask */
static void
transform_in_steps (guint length, guint stride, const double *re,
    const double *im, double *out_re, double *out_im)
{
  guint factor = 2, rest;
  g_autofree double *part = NULL;

  if (length == 1) {
    out_re[0] = re[0];
    out_im[0] = im[0];
    return;
  }
  while (length % factor != 0)
    factor++;
  rest = length / factor;
  part = g_new (double, 2 * (gsize)length);
  for (guint r = 0; r < factor; r++)
    transform_in_steps (rest, stride * factor, re + (gsize)r * stride,
        im + (gsize)r * stride, part + (gsize)r * rest,
        part + length + (gsize)r * rest);
  for (guint c = 0; c < length; c++) {
    double sum_re = 0, sum_im = 0;
    for (guint r = 0; r < factor; r++) {
      gsize at = (gsize)r * rest + c % rest;
      double angle = 2 * G_PI * (double)((guint64)r * c % length) / length;
      double co = cos (angle), si = sin (angle);
      sum_re += part[at] * co - part[length + at] * si;
      sum_im += part[at] * si + part[length + at] * co;
    }
    out_re[c] = sum_re;
    out_im[c] = sum_im;
  }
}

gboolean
oct_cs_toeplitz (
    const OctCsParams *p, guint length, double *multiplier, GError **error)
{
  g_autofree double *turning = g_try_new (double, 4 * (gsize)p->kept);
  g_autofree double *t = g_try_new0 (double, 3 * (gsize)length);
  double *re = t, *im = t ? t + length : NULL;

  if (turning == NULL || t == NULL)
    return no_memory (3 * (gsize)length, error);
  sum_turns (p, turning, re, im);
  for (guint d = 1; d < p->samples; d++) {
    re[length - d] = re[d];
    im[length - d] = -im[d];
  }
  transform_in_steps (length, 1, re, im, multiplier, im + length);
  return TRUE;
}

/* ------------------------------------------------------------------ tables */

static gboolean
cs_resize (float **array, gsize count, GError **error)
{
  float *bigger = g_try_renew (float, *array, MAX (1, count));

  if (bigger != NULL)
    *array = bigger;
  return bigger != NULL || no_memory (count, error);
}

/* S^T S of the kernels without the window, which `gridding` holds so far. */
static gboolean
set_band_of_kernels (OctCsTables *t, GError **error)
{
  const OctNufftTables *g = &t->gridding;
  gsize count = (gsize)g->width * t->length;
  g_autofree double *band = g_try_new0 (double, count);

  if (band == NULL)
    return no_memory (count, error);
  if (!cs_resize (&t->band, count, error))
    return FALSE;
  t->diagonals = g->width;
  for (guint n = 0; n < g->samples; n++) {
    const float *weights = g->node_weights + (gsize)n * g->width;
    for (guint a = 0; a < g->width; a++) {
      guint cell = (guint)(((guint64)g->lowest[n] + a + g->origin) % t->length);
      for (guint b = a; b < g->width; b++)
        band[(gsize)(b - a) * t->length + cell] +=
            (double)weights[a] * weights[b];
    }
  }
  for (gsize i = 0; i < count; i++)
    t->band[i] = (float)band[i];
  return TRUE;
}

static gboolean
set_band_of_toeplitz (OctCsTables *t, const OctCsParams *p, GError **error)
{
  g_autofree double *multiplier = g_try_new (double, t->length);

  t->diagonals = 1;
  if (multiplier == NULL)
    return no_memory (t->length, error);
  if (!cs_resize (&t->band, t->length, error)
      || !oct_cs_toeplitz (p, t->length, multiplier, error))
    return FALSE;
  for (guint c = 0; c < t->length; c++)
    t->band[c] = (float)multiplier[c];
  return TRUE;
}

gboolean
oct_cs_tables_set (OctCsTables *t, const OctCsParams *p, GError **error)
{
  guint bins = p->samples / 2 + 1;
  g_autofree double *ones = g_try_new (double, p->kept);
  OctNufftParams plain = gridding_params (p, ones, bins);
  OctNufftParams windowed = gridding_params (p, p->window, bins);
  gboolean exact;

  if (ones == NULL)
    return no_memory (p->kept, error);
  if (!cs_resize (&t->factors, bins, error))
    return FALSE;
  for (guint i = 0; i < p->kept; i++)
    ones[i] = 1;
  /* a grid for the modes of both signs, as real spectra have it */
  plain.format = windowed.format = OCT_SAMPLE_F32;
  if (!oct_nufft_tables_set_some (&t->gridding, &plain, p->kept, TRUE, error))
    return FALSE;
  t->samples = p->samples;
  t->length = t->gridding.grid;
  t->nyquist = t->gridding.parameter == 0 && p->samples % 2 == 0;
  exact = p->transform == OCT_CS_NUDFT && t->gridding.parameter != 0;
  if (exact ? !set_band_of_toeplitz (t, p, error)
            : !set_band_of_kernels (t, error))
    return FALSE;
  for (guint q = 0; q < bins; q++)
    t->factors[q] =
        exact ? (float)(1 / sqrt (t->length)) : t->gridding.factors[q];
  return oct_nufft_tables_set_some (
      &t->gridding, &windowed, p->kept, TRUE, error);
}

void
oct_cs_tables_clear (OctCsTables *tables)
{
  oct_nufft_tables_clear (&tables->gridding);
  g_free (tables->band);
  g_free (tables->factors);
  memset (tables, 0, sizeof *tables);
}
