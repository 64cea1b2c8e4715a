/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bench-fftw.h"

#ifndef OCT_FFTW

double
bench_fftw_rate (
    gboolean real, guint samples, guint lines, guint threads, guint repetitions)
{
  return 0;
}

#else

#  include "oct-parallel.h"

#  include <fftw3.h>
#  include <stdlib.h>
#  include <string.h>

/* B-scans used in turn, so that the cache does not flatter */
#  define BUFFERS 3

static int
compare (const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static guint8 *
new_bscan (gsize bytes)
{
  guint8 *data = fftwf_malloc (bytes);

  g_assert_nonnull (data);
  memset (data, 0, bytes);
  return data;
}

typedef struct {
  fftwf_plan plan;
  gboolean real;
  guint8 *in, *out;
  gsize in_row, out_row;
} Transform;

static void
transform_lines (gpointer data, guint first, guint end, guint thread)
{
  const Transform *t = data;

  for (guint line = first; line < end; line++) {
    gpointer from = t->in + line * t->in_row, to = t->out + line * t->out_row;

    if (t->real)
      fftwf_execute_dft_r2c (t->plan, from, to);
    else
      fftwf_execute_dft (t->plan, from, to);
  }
}

double
bench_fftw_rate (
    gboolean real, guint samples, guint lines, guint threads, guint repetitions)
{
  gsize in_row = ((gsize)samples * (real ? 4 : 8) + 63) & ~(gsize)63;
  gsize out_row =
      ((real ? samples / 2 + 1 : (gsize)samples) * 8 + 63) & ~(gsize)63;
  guint8 *in[BUFFERS], *out[BUFFERS];
  g_autofree double *seconds = g_new (double, repetitions);
  fftwf_plan plan;

  for (guint i = 0; i < BUFFERS; i++) {
    in[i] = new_bscan (in_row * lines);
    out[i] = new_bscan (out_row * lines);
  }
  if (real)
    plan = fftwf_plan_dft_r2c_1d (
        (int)samples, (float *)in[0], (fftwf_complex *)out[0], FFTW_MEASURE);
  else
    plan = fftwf_plan_dft_1d ((int)samples, (fftwf_complex *)in[0],
        (fftwf_complex *)out[0], FFTW_FORWARD, FFTW_MEASURE);
  for (guint i = 0; i < BUFFERS + repetitions; i++) {
    guint turn = i % BUFFERS;
    gint64 start = g_get_monotonic_time ();

    oct_parallel_for (lines, 16, threads, transform_lines,
        &(Transform){ plan, real, in[turn], out[turn], in_row, out_row });
    if (i >= BUFFERS)
      seconds[i - BUFFERS] = (g_get_monotonic_time () - start) * 1e-6;
  }
  fftwf_destroy_plan (plan);
  for (guint i = 0; i < BUFFERS; i++) {
    fftwf_free (in[i]);
    fftwf_free (out[i]);
  }
  qsort (seconds, repetitions, sizeof (double), compare);
  return lines / seconds[repetitions / 2];
}

#endif
