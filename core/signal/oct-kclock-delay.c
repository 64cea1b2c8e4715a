/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The delay between the channels of a digitizer, from one mirror.
 */
#include "oct-kclock-delay.h"

#include <math.h>
#include <string.h>

/* Cables of which the standard error is larger than this, in samples, are not
 * found: half a sample costs .2 dB. */
#define WORST 0.1

/* Less the mean over a sixteenth of the sweep, twice: the spectrum of the source
 * would be taken for the fringe.  The filter is symmetric and keeps phases. */
static void
kclock_remove_source (float *values, gint n)
{
  const gint half = MAX (1, n / 32);
  g_autofree double *sums = g_new (double, n + 1);

  for (guint round = 0; round < 2; round++) {
    sums[0] = 0;
    for (gint i = 0; i < n; i++)
      sums[i + 1] = sums[i] + values[i];
    for (gint i = 0; i < n; i++) {
      gint first = MAX (0, i - half), end = MIN (n, i + half + 1);

      values[i] -= (float)((sums[end] - sums[first]) / (end - first));
    }
  }
}

/* The reference of one channel, first + 0 .. samples - 1 of the rows. */
static OctKclock *
kclock_find_channel (const OctKclockParams *params, const float *rows,
    guint lines, guint first, gboolean is_spectrum, GError **error)
{
  static const char *const why[] = { [OCT_KCLOCK_NONE] = "has no clear fringe",
    [OCT_KCLOCK_FAST] =
        "has a fringe of nearly half a cycle per sample or more",
    [OCT_KCLOCK_SLOW] = "has a fringe of fewer than 8 cycles" };
  const guint n = params->samples;
  guint wanted = MIN (oct_kclock_first_lines (params), lines);
  g_autofree float *values = g_new (float, (gsize)wanted *n);
  OctKclock *k = oct_kclock_new (params, error);

  if (k == NULL)
    return NULL;
  for (guint l = 0; l < wanted; l++) {
    float *row = values + (gsize)l * n;

    memcpy (row, rows + ((gsize)l * lines / wanted) * 2 * n + first,
        n * sizeof *row);
    if (is_spectrum)
      kclock_remove_source (row, (gint)n);
  }
  oct_kclock_find (k, values, wanted);
  if (k->found)
    return k;
  g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
      "The %s half of the samples %s; record one mirror with its k-clock, of "
      "every A-line the spectrum and then the clock.",
      is_spectrum ? "first" : "second", why[k->why]);
  oct_kclock_free (k);
  return NULL;
}

/* Least squares of phase = x0 ref + x1 slope + x2 over the inner samples:
 * *delay and its standard error. */
static gboolean
kclock_fit_channels (const OctKclock *clock, const OctKclock *spectrum,
    double *delay, double *deviation)
{
  const gint n = (gint)clock->params.samples, edge = n / 24;
  const double *ref = clock->phase + OCT_KCLOCK_EXTENT;
  const double *phase = spectrum->phase + OCT_KCLOCK_EXTENT;
  double a[3][4] = { { 0 } }, inverse[3][3] = { { 0 } }, squares = 0, x[3];

  for (gint i = edge; i < n - edge; i++) {
    double g[4] = { ref[i], (ref[i + 1] - ref[i - 1]) / 2, 1, phase[i] };
    double w = sqrt ((double)clock->weight[i] * spectrum->weight[i]);

    for (guint r = 0; r < 3; r++)
      for (guint c = 0; c < 4; c++)
        a[r][c] += w * g[r] * g[c];
    squares += w * g[3] * g[3];
  }
  for (guint r = 0; r < 3; r++) {
    double m[3][4];

    /* a m = e_r by Gaussian elimination */
    for (guint i = 0; i < 3; i++) {
      memcpy (m[i], a[i], 3 * sizeof (double));
      m[i][3] = i == r;
    }
    for (guint i = 0; i < 3; i++)
      for (guint j = 0; j < 3; j++) {
        double factor = m[j][i] / m[i][i];

        for (guint c = i; j != i && c < 4; c++)
          m[j][c] -= factor * m[i][c];
      }
    for (guint i = 0; i < 3; i++)
      inverse[i][r] = m[i][3] / m[i][i];
  }
  for (guint i = 0; i < 3; i++) {
    x[i] = 0;
    for (guint j = 0; j < 3; j++)
      x[i] += inverse[i][j] * a[j][3];
  }
  for (guint i = 0; i < 3; i++)
    squares -= x[i] * a[i][3];
  *delay = -x[1] / x[0];
  *deviation =
      sqrt (MAX (squares, 0) / (n - 2 * edge) * inverse[1][1]) / fabs (x[0]);
  return isfinite (*delay) && isfinite (*deviation);
}

gboolean
oct_kclock_find_delay (const float *rows, guint samples, guint lines,
    double *delay, double *deviation, GError **error)
{
  const OctKclockParams params = { .format = OCT_SAMPLE_F32,
    .samples = samples,
    .lines = lines,
    .order = 6,
    .average = OCT_KCLOCK_FIRST_LINES,
    .max_jitter = OCT_KCLOCK_MOST_JITTER };
  OctKclock *clock, *spectrum = NULL;
  gboolean found = FALSE;

  if (!oct_check_kclock (&params, error))
    return FALSE;
  clock = kclock_find_channel (&params, rows, lines, samples, FALSE, error);
  if (clock != NULL)
    spectrum = kclock_find_channel (&params, rows, lines, 0, TRUE, error);
  if (spectrum != NULL) {
    found = kclock_fit_channels (clock, spectrum, delay, deviation)
            && *deviation <= WORST;
    if (!found)
      g_set_error (error, OCT_ERROR, OCT_ERROR_FORMAT,
          "The delay of the spectra after the k-clock cannot be told to better "
          "than %.2g samples, %g were expected; use a mirror with a stronger "
          "fringe, or a sweep whose speed changes more.",
          *deviation, WORST);
  }
  oct_kclock_free (clock);
  oct_kclock_free (spectrum);
  return found;
}
