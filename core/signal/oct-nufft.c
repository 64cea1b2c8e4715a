/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-nufft.h"

#include "oct-number.h"
#include "oct-nufft-kernel.h"
#include "oct-params.h"

#include <math.h>
#include <string.h>

/* Periods of the grid that nodes may cover: a calibration whose uniform axis is
 * a small part of the spectrometer covers some. */
#define MAX_PERIODS 16.0

guint
oct_nufft_grid_length (guint samples, double oversampling)
{
  guint length = (guint)ceil (samples * oversampling - 1e-9);

  for (length += length % 2;; length += 2) {
    guint rest = length;

    for (guint factor = 2; factor <= 7; factor++)
      while (rest % factor == 0)
        rest /= factor;
    if (rest == 1)
      return length;
  }
}

/* ----------------------------------------------------------------- checks */

static gboolean
nufft_check_size (const OctNufftParams *p, GError **error)
{
  /* real A-lines have the same once more, conjugated, before bin 0 */
  gint lowest = p->format == OCT_SAMPLE_CF32 ? -(gint)(p->samples / 2) : 0;

  if (!oct_check_size (p->samples, p->lines, error))
    return FALSE;
  if (p->format != OCT_SAMPLE_F32 && p->format != OCT_SAMPLE_CF32) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "Spectra of sample format %d cannot be transformed: they must be real "
        "or complex 32 bit float",
        p->format);
    return FALSE;
  }
  if (p->depth_bins < 1 || p->depth_bins > p->samples || p->depth_start < lowest
      || p->depth_start > (gint)((p->samples + 1) / 2) - (gint)p->depth_bins) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "%u depth bins from bin %d on do not fit A-lines of %u samples, which "
        "have %u",
        p->depth_bins, p->depth_start, p->samples, p->samples / 2);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_nodes (const OctNufftParams *p, guint count, GError **error)
{
  const double *t = p->nodes;
  gboolean rising;

  if (!oct_check_finite (
          t, count, "The table of positions on the wavenumber axis", error)
      || !oct_check_finite (p->window, count, "The window", error))
    return FALSE;
  rising = t[count - 1] > t[0];
  for (guint n = 1; n < count; n++) {
    if (rising ? t[n] <= t[n - 1] : t[n] >= t[n - 1]) {
      g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
          "The wavenumbers of samples %u and %u lie at %.10g and %.10g of the "
          "uniform axis: they must rise, or fall, from each sample to the next",
          n - 1, n, t[n - 1], t[n]);
      return FALSE;
    }
  }
  if (fabs (t[count - 1] - t[0]) > MAX_PERIODS * p->samples
      || fabs (t[0]) > MAX_PERIODS * p->samples) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "The samples lie at %.10g to %.10g of the uniform wavenumber axis, "
        "which has %u: check the calibration",
        t[0], t[count - 1], p->samples);
    return FALSE;
  }
  return TRUE;
}

/* (beta / pi)^2 of the Kaiser-Bessel kernel */
static double
beta_squared (double oversampling, guint width)
{
  double root = width / oversampling * (oversampling - 0.5);

  return root * root - 0.8;
}

static gboolean
check_grid (const OctNufftParams *p, GError **error)
{
  double oversampling = (double)p->grid / p->samples;

  if (p->grid % 2 != 0 || p->grid < p->samples || p->grid / 4 > p->samples) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A grid of %u cells cannot take A-lines of %u samples: it must be "
        "even and have 1 to 4 times as many (oversampling)",
        p->grid, p->samples);
    return FALSE;
  }
  if (p->width < 1 || p->width > OCT_NUFFT_MAX_WIDTH) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "A gridding kernel %u cells wide is not possible: it must have 1 to %u",
        p->width, OCT_NUFFT_MAX_WIDTH);
    return FALSE;
  }
  if (p->kernel != OCT_KERNEL_KAISER_BESSEL
      && p->kernel != OCT_KERNEL_GAUSSIAN) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There is no gridding kernel %d", p->kernel);
    return FALSE;
  }
  if (p->kernel == OCT_KERNEL_KAISER_BESSEL
      && !(beta_squared (oversampling, p->width) > 0)) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
        "There is no Kaiser-Bessel kernel %u cells wide for an oversampling of "
        "%.4g: set a larger kernel-width or oversampling",
        p->width, oversampling);
    return FALSE;
  }
  return TRUE;
}

gboolean
oct_nufft_check_some (
    const OctNufftParams *params, guint count, gboolean gridded, GError **error)
{
  return nufft_check_size (params, error) && check_nodes (params, count, error)
         && (!gridded || check_grid (params, error));
}

gboolean
oct_nufft_check (const OctNufftParams *params, gboolean gridded, GError **error)
{
  return oct_nufft_check_some (params, params->samples, gridded, error);
}

/* ---------------------------------------------------------------- kernels */

/* I0 by its power series; all its terms are positive. */
static double
bessel_i0 (double x)
{
  double square = x * x / 4, term = 1, sum = 1;

  for (guint k = 1; term > 1e-17 * sum; k++) {
    term *= square / ((double)k * k);
    sum += term;
  }
  return sum;
}

/* beta, or t in cells^2 */
static double
kernel_parameter (const OctNufftParams *p, double oversampling)
{
  if (p->kernel == OCT_KERNEL_KAISER_BESSEL)
    return G_PI * sqrt (beta_squared (oversampling, p->width));
  return oversampling * p->width / (8 * G_PI * (oversampling - 0.5));
}

/* G at a distance in cells */
static double
kernel_value (OctKernel kernel, double parameter, guint width, double distance)
{
  double x = 2 * distance / width;

  if (kernel == OCT_KERNEL_GAUSSIAN)
    return exp (-distance * distance / (4 * parameter));
  return bessel_i0 (parameter * sqrt (MAX (0, (1 - x) * (1 + x)))) / width;
}

/* ghat at mode q of a grid */
static double
kernel_transform (
    const OctNufftParams *p, double parameter, guint grid, double q)
{
  double angle = 2 * G_PI * q / grid, square;

  if (p->kernel == OCT_KERNEL_GAUSSIAN)
    return sqrt (4 * G_PI * parameter) * exp (-parameter * angle * angle);
  angle *= p->width / 2.0;
  square = parameter * parameter - angle * angle;
  if (fabs (square) < 1e-12)
    return 1;
  return square > 0 ? sinh (sqrt (square)) / sqrt (square)
                    : sin (sqrt (-square)) / sqrt (-square);
}

/* ----------------------------------------------------------------- tables */

/* Whether each sample lies at a whole position of the axis. */
static gboolean
nufft_is_uniform (const OctNufftParams *p, guint count)
{
  for (guint n = 0; n < count; n++) {
    double place = rint (p->nodes[n]);
    if (fabs (p->nodes[n] - place) > OCT_NUFFT_UNIFORM || place < 0
        || place > p->samples - 1)
      return FALSE;
  }
  return TRUE;
}

/* The first cell of the kernel of sample n on the grid without end, and where
 * the sample lies. */
static double
lowest_cell (const OctNufftTables *t, const OctNufftParams *p, gboolean uniform,
    guint n, double *u)
{
  *u = uniform ? rint (p->nodes[n]) : p->nodes[n] * t->grid / p->samples;
  return uniform ? *u : ceil (*u - t->width / 2.0);
}

static gboolean
nufft_resize (gpointer array, gsize count, gsize size, GError **error)
{
  gpointer *pointer = array, bigger = NULL;

  if (count < G_MAXSIZE / size)
    bigger = g_try_realloc (*pointer, MAX (1, count * size));
  if (bigger == NULL) {
    g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
        "There is no memory for the gridding weights, %" G_GSIZE_FORMAT
        " x %" G_GSIZE_FORMAT " bytes: use fewer samples or check the "
        "calibration",
        count, size);
    return FALSE;
  }
  *pointer = bigger;
  return TRUE;
}

/* Where the kernels lie: lowest, offset, cells, origin. */
static gboolean
place_nodes (OctNufftTables *t, const OctNufftParams *p, gboolean uniform,
    GError **error)
{
  double u, start, end, place;

  if (!nufft_resize (&t->lowest, t->samples, sizeof *t->lowest, error)
      || !nufft_resize (&t->offset, t->samples, sizeof *t->offset, error)
      || !nufft_resize (&t->window, t->samples, sizeof *t->window, error))
    return FALSE;
  start = lowest_cell (t, p, uniform, 0, &u);
  end = lowest_cell (t, p, uniform, t->samples - 1, &u);
  if (end < start) {
    double other = start;
    start = end;
    end = other;
  }
  for (guint n = 0; n < t->samples; n++) {
    double lowest = lowest_cell (t, p, uniform, n, &u);
    t->lowest[n] = (gint32)(lowest - start);
    t->offset[n] = (float)(lowest - u);
    t->window[n] = (float)p->window[n];
  }
  t->cells = (guint)(end - start) + t->width;
  place = fmod (start, t->grid);
  t->origin = (guint)(place < 0 ? place + t->grid : place);
  return TRUE;
}

/* FALSE when so many samples, from `first` on, reach one cell that a table with
 * as many for all cells is out of proportion. */
static gboolean
check_crowd (const OctNufftTables *t, const OctNufftParams *p, guint first,
    GError **error)
{
  const double gib = (double)sizeof (float) / (1 << 30);
  gsize weights = (gsize)t->cells * t->taps;
  g_autofree char *size =
      oct_number_beside (weights * gib, OCT_NUFFT_MAX_WEIGHTS * gib, 1);

  if (weights <= OCT_NUFFT_MAX_WEIGHTS)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "Samples %u to %u lie so close together, at %.6g to %.6g of the uniform "
      "wavenumber axis, that the gridding weights would take %s GiB, where "
      "%.0f is the most: check the calibration, or use method=nudft of "
      "octnufft, which needs none",
      first, first + t->taps - 1, p->nodes[first],
      p->nodes[first + t->taps - 1], size, OCT_NUFFT_MAX_WEIGHTS * gib);
  return FALSE;
}

/* Which samples reach each cell: first, taps.  In the order in which their
 * kernels lie, the samples from `begin` to before `end` reach cell x. */
static gboolean
nufft_find_taps (OctNufftTables *t, const OctNufftParams *p, GError **error)
{
  guint samples = t->samples, begin = 0, end = 0, most = 1, crowd = 0;
  const gint32 *lowest = t->lowest;
  gboolean rising = lowest[samples - 1] >= lowest[0];

  if (!nufft_resize (&t->first, t->cells, sizeof *t->first, error))
    return FALSE;
  for (guint x = 0; x < t->cells; x++) {
    while (
        end < samples && (guint)lowest[rising ? end : samples - 1 - end] <= x)
      end++;
    while (
        begin < end
        && (guint)lowest[rising ? begin : samples - 1 - begin] + t->width <= x)
      begin++;
    t->first[x] = rising ? begin : samples - end;
    if (end - begin > most) {
      most = end - begin;
      crowd = t->first[x];
    }
  }
  t->taps = most;
  if (!check_crowd (t, p, crowd, error))
    return FALSE;
  for (guint x = 0; x < t->cells; x++)
    t->first[x] = MIN (t->first[x], samples - most);
  return TRUE;
}

static void
set_node_weights (OctNufftTables *t, const OctNufftParams *p)
{
  float row[OCT_NUFFT_MAX_WIDTH];

  for (guint m = 0; m < t->width; m++) {
    double centre = (double)m - t->width / 2;
    row[m] = (float)exp (-centre * centre / (4 * t->parameter));
  }
  for (guint n = 0; n < t->samples; n++) {
    float *weights = t->node_weights + (gsize)n * t->width;

    if (t->parameter == 0)
      weights[0] = t->window[n];
    else if (p->weights == OCT_WEIGHTS_PRECOMPUTED)
      for (guint m = 0; m < t->width; m++) {
        double u = p->nodes[n] * t->grid / p->samples;
        weights[m] = (float)(p->window[n]
                             * kernel_value (p->kernel, t->parameter, t->width,
                                 ceil (u - t->width / 2.0) + m - u));
      }
    else if (p->kernel == OCT_KERNEL_GAUSSIAN)
      oct_kernel_gaussian ((float)t->parameter, (int)t->width, t->offset[n],
          t->window[n], row, weights);
    else
      oct_kernel_kaiser_bessel ((float)t->parameter, (int)t->width,
          t->offset[n], t->window[n], weights);
  }
}

static void
set_cell_weights (OctNufftTables *t)
{
  memset (
      t->cell_weights, 0, (gsize)t->cells * t->taps * sizeof *t->cell_weights);
  for (guint n = 0; n < t->samples; n++) {
    for (guint m = 0; m < t->width; m++) {
      gsize x = (gsize)t->lowest[n] + m;
      t->cell_weights[x * t->taps + n - t->first[x]] =
          t->node_weights[(gsize)n * t->width + m];
    }
  }
}

/* Modes that the grid has to resolve. */
static guint
nufft_count_modes (const OctNufftParams *p)
{
  return p->format == OCT_SAMPLE_CF32 ? p->depth_bins : p->samples;
}

/* At least as many cells as samples: then no depth of the other sign, nor one
 * that is cut off, aliases onto the selected ones. */
static guint
choose_length (const OctNufftParams *p, gboolean uniform)
{
  guint modes = nufft_count_modes (p);
  double cells = (double)p->grid / p->samples * modes;

  if (uniform)
    return p->samples;
  return modes == p->samples
             ? p->grid
             : oct_nufft_grid_length (1, MAX (cells, p->samples));
}

guint
oct_nufft_grid_of (const OctNufftParams *p)
{
  return choose_length (p, nufft_is_uniform (p, p->samples));
}

/* The grid, its kernel, and the shift of the selected modes to 0. */
static gboolean
choose_grid (OctNufftTables *t, const OctNufftParams *p, gboolean uniform,
    GError **error)
{
  guint modes = nufft_count_modes (p);
  gint middle = uniform || p->format != OCT_SAMPLE_CF32
                    ? 0
                    : p->depth_start + (gint)(p->depth_bins / 2);

  t->width = uniform ? 1 : p->width;
  t->grid = choose_length (p, uniform);
  t->parameter = uniform ? 0 : kernel_parameter (p, (double)t->grid / modes);
  t->first_mode = p->depth_start - middle;
  if (middle == 0) {
    g_clear_pointer (&t->shifts, g_free);
    return TRUE;
  }
  if (!nufft_resize (&t->shifts, t->samples, 2 * sizeof *t->shifts, error))
    return FALSE;
  for (guint n = 0; n < t->samples; n++) {
    double turn = p->nodes[n] * middle / p->samples;
    /* within half a turn, where single precision serves as well */
    float angle = (float)(-2 * G_PI * (turn - rint (turn)));
    t->shifts[2 * n] = cosf (angle);
    t->shifts[2 * n + 1] = sinf (angle);
  }
  return TRUE;
}

/* Nodes that change from B-scan to B-scan leave the factors as they are, unless
 * they become uniform or cease to be: the parameter of the kernel says that
 * too.
 */
static void
nufft_set_factors (OctNufftTables *t, const OctNufftParams *p)
{
  OctNufftTables is = { .factors_of = { p->samples, t->grid, t->width,
                            p->depth_bins, t->first_mode, p->kernel,
                            t->parameter } };

  if (memcmp (&is.factors_of, &t->factors_of, sizeof is.factors_of) == 0)
    return;
  t->factors_of = is.factors_of;
  for (guint i = 0; i < p->depth_bins; i++) {
    double q = (double)t->first_mode + i;
    double ghat =
        t->parameter == 0 ? 1 : kernel_transform (p, t->parameter, t->grid, q);
    t->factors[i] = (float)(1 / (ghat * sqrt (p->samples)));
  }
}

gboolean
oct_nufft_tables_set_some (OctNufftTables *t, const OctNufftParams *params,
    guint count, gboolean weights_too, GError **error)
{
  gboolean uniform = nufft_is_uniform (params, count);

  t->samples = count;
  if (!choose_grid (t, params, uniform, error)
      || !place_nodes (t, params, uniform, error)
      || !nufft_find_taps (t, params, error)
      || !nufft_resize (&t->node_weights, (gsize)t->samples * t->width,
          sizeof *t->node_weights, error)
      || !nufft_resize (&t->cell_weights, (gsize)t->cells * t->taps,
          sizeof *t->cell_weights, error)
      || !nufft_resize (
          &t->factors, params->depth_bins, sizeof *t->factors, error))
    return FALSE;
  nufft_set_factors (t, params);
  if (weights_too) {
    set_node_weights (t, params);
    set_cell_weights (t);
  }
  return TRUE;
}

gboolean
oct_nufft_tables_set (OctNufftTables *tables, const OctNufftParams *params,
    gboolean weights_too, GError **error)
{
  return oct_nufft_tables_set_some (
      tables, params, params->samples, weights_too, error);
}

void
oct_nufft_tables_clear (OctNufftTables *tables)
{
  g_free (tables->lowest);
  g_free (tables->offset);
  g_free (tables->window);
  g_free (tables->node_weights);
  g_free (tables->first);
  g_free (tables->cell_weights);
  g_free (tables->factors);
  g_free (tables->shifts);
  memset (tables, 0, sizeof *tables);
}
