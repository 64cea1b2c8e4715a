/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Every A-line less the mean of the A-lines around it.
 *
 * The sum over the window moves from A-line to A-line: one A-line is added and
 * one subtracted.  It is computed from scratch for every chunk of A-lines, so
 * that a result does not depend on the number of threads.  Counts are summed as
 * integers, and the difference count * width - sum is exact.
 */
#include "oct-cpu-background-parts.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

/* at least, and as many as begin with its sum */
#define CHUNK 256u

struct _OctCpuHighPass {
  OctSampleFormat format;
  guint samples, lines;
  gpointer sums;   /* [threads][samples] guint32 of counts, double of floats */
  guint32 *counts; /* [threads][samples] finite values of floats, else NULL */
  float *copy;     /* [lines][samples] of floats that are replaced, else NULL */
};

typedef struct {
  OctCpuHighPass *high_pass;
  guint width, chunk;
  const OctPlane *in, *out;
} Loop;

OctCpuHighPass *
oct_cpu_high_pass_new (OctSampleFormat format, guint samples, guint lines,
    guint threads, GError **error)
{
  OctCpuHighPass *h = g_new0 (OctCpuHighPass, 1);
  gboolean floats = format == OCT_SAMPLE_F32;

  h->format = format;
  h->samples = samples;
  h->lines = lines;
  if (!(h->sums = oct_cpu_alloc ((gsize)threads * samples,
            floats ? sizeof (double) : sizeof (guint32), error))
      || (floats
          && (!(h->counts = oct_cpu_alloc (
                    (gsize)threads * samples, sizeof (guint32), error))
              || !(h->copy = oct_cpu_alloc (
                       (gsize)lines * samples, sizeof (float), error)))))
    g_clear_pointer (&h, oct_cpu_high_pass_free);
  return h;
}

void
oct_cpu_high_pass_free (OctCpuHighPass *h)
{
  if (h == NULL)
    return;
  oct_cpu_free (h->sums);
  oct_cpu_free (h->counts);
  oct_cpu_free (h->copy);
  g_free (h);
}

/* ------------------------------------------------------------------ counts */

/* advance: out = row - sum / width, and then the sum of the next window */
#define DEFINE_COUNTS(name, type)                                              \
  OCT_VECTORISED static void cpu_high_pass_add_##name (                        \
      const type *row, guint samples, guint32 times, guint32 *restrict sums)   \
  {                                                                            \
    for (guint i = 0; i < samples; i++)                                        \
      sums[i] += times * row[i];                                               \
  }                                                                            \
                                                                               \
  OCT_VECTORISED static void cpu_high_pass_advance_##name (const type *row,    \
      const type *comes, const type *goes, guint samples, guint32 width,       \
      guint32 *restrict sums, float *restrict out)                             \
  {                                                                            \
    for (guint i = 0; i < samples; i++) {                                      \
      out[i] = (float)(gint32)(row[i] * width - sums[i]) / (float)width;       \
      sums[i] += (guint32)comes[i] - goes[i];                                  \
    }                                                                          \
  }

DEFINE_COUNTS (u8, guint8)
DEFINE_COUNTS (u16, guint16)

/* ------------------------------------------------------------------ floats */

OCT_VECTORISED static void
cpu_high_pass_add_f32 (const float *row, guint samples, guint32 times,
    double *restrict sums, guint32 *restrict counts)
{
  for (guint i = 0; i < samples; i++) {
    gboolean is_finite = row[i] - row[i] == 0;
    sums[i] += is_finite ? (double)row[i] * times : 0;
    counts[i] += is_finite ? times : 0;
  }
}

OCT_VECTORISED static void
cpu_high_pass_advance_f32 (const float *row, const float *comes,
    const float *goes, guint samples, double *restrict sums,
    guint32 *restrict counts, float *restrict out)
{
  for (guint i = 0; i < samples; i++) {
    gboolean in = comes[i] - comes[i] == 0, away = goes[i] - goes[i] == 0;

    out[i] = (float)(row[i] - sums[i] / counts[i]);
    sums[i] += (in ? (double)comes[i] : 0) - (away ? (double)goes[i] : 0);
    counts[i] += (guint32)in - (guint32)away;
  }
}

/* -------------------------------------------------------------------- both */

static gconstpointer
cpu_high_pass_get_row (const Loop *loop, gint64 line)
{
  return oct_cpu_row (
      loop->in, (gsize)CLAMP (line, 0, (gint64)loop->high_pass->lines - 1));
}

static void
cpu_high_pass_add_row (const Loop *loop, gint64 line, guint32 times,
    gpointer sums, guint32 *counts)
{
  const OctCpuHighPass *h = loop->high_pass;
  gconstpointer row = cpu_high_pass_get_row (loop, line);

  if (times == 0)
    return;
  if (h->format == OCT_SAMPLE_U8)
    cpu_high_pass_add_u8 (row, h->samples, times, sums);
  else if (h->format == OCT_SAMPLE_U16)
    cpu_high_pass_add_u16 (row, h->samples, times, sums);
  else
    cpu_high_pass_add_f32 (row, h->samples, times, sums, counts);
}

/* The sum around A-line `line`.  The first or last A-line replaces those
 * outside the B-scan, and is added with their number at once. */
static void
begin_sums (const Loop *loop, guint line, gpointer sums, guint32 *counts)
{
  const OctCpuHighPass *h = loop->high_pass;
  gint64 first = (gint64)line - loop->width / 2;
  gint64 last = (gint64)line + loop->width / 2, end = (gint64)h->lines - 1;

  memset (sums, 0,
      h->samples
          * (h->format == OCT_SAMPLE_F32 ? sizeof (double) : sizeof (guint32)));
  if (counts != NULL)
    memset (counts, 0, h->samples * sizeof *counts);
  cpu_high_pass_add_row (loop, 0, (guint32)MAX (0, -first), sums, counts);
  for (gint64 i = MAX (0, first); i <= MIN (last, end); i++)
    cpu_high_pass_add_row (loop, i, 1, sums, counts);
  cpu_high_pass_add_row (loop, end, (guint32)MAX (0, last - end), sums, counts);
}

static void
run_chunks (gpointer data, guint first_chunk, guint end_chunk, guint thread)
{
  const Loop *loop = data;
  const OctCpuHighPass *h = loop->high_pass;
  gboolean floats = h->format == OCT_SAMPLE_F32;
  guint samples = h->samples, half = loop->width / 2;
  gpointer sums =
      (guint8 *)h->sums
      + (gsize)thread * samples * (floats ? sizeof (double) : sizeof (guint32));
  guint32 *counts = floats ? h->counts + (gsize)thread * samples : NULL;
  guint line = first_chunk * loop->chunk;
  guint end = MIN (end_chunk * loop->chunk, h->lines);

  for (; line < end; line++) {
    gconstpointer row = cpu_high_pass_get_row (loop, line);
    gconstpointer comes = cpu_high_pass_get_row (loop, (gint64)line + half + 1);
    gconstpointer goes = cpu_high_pass_get_row (loop, (gint64)line - half);
    float *out = oct_cpu_row (loop->out, line);

    if (line % loop->chunk == 0)
      begin_sums (loop, line, sums, counts);
    if (h->format == OCT_SAMPLE_U8)
      cpu_high_pass_advance_u8 (
          row, comes, goes, samples, loop->width, sums, out);
    else if (h->format == OCT_SAMPLE_U16)
      cpu_high_pass_advance_u16 (
          row, comes, goes, samples, loop->width, sums, out);
    else
      cpu_high_pass_advance_f32 (row, comes, goes, samples, sums, counts, out);
  }
}

static void
cpu_high_pass_copy_lines (gpointer data, guint first, guint end, guint thread)
{
  const Loop *loop = data;
  const OctCpuHighPass *h = loop->high_pass;

  for (guint line = first; line < end; line++)
    memcpy (h->copy + (gsize)line * h->samples, oct_cpu_row (loop->in, line),
        h->samples * sizeof (float));
}

void
oct_cpu_high_pass_run (OctCpuHighPass *h, guint width, const OctPlane *in,
    const OctPlane *out, guint threads)
{
  Loop loop = { h, width, MAX (width, CHUNK), in, out };
  OctPlane copy = { h->copy, h->samples * sizeof (float) };

  if (in->data == out->data) { /* only rows of floats have the same size */
    oct_parallel_for (
        h->lines, OCT_CPU_GRAIN, threads, cpu_high_pass_copy_lines, &loop);
    loop.in = &copy;
  }
  oct_parallel_for (
      (h->lines + loop.chunk - 1) / loop.chunk, 1, threads, run_chunks, &loop);
}
