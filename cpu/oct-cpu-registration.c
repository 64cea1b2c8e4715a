/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Shifts of frames.  Only the compared rows of the mean are stored, and the
 * coarser levels of the frame; the rows of the frame itself are read when
 * needed.  Rows are in CHUNKS pieces, each with its own sums, which are added
 * in order, so that the shift does not depend on the number of threads.
 */
#include "oct-cpu-registration.h"
#include "oct-average.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

#define CHUNKS 32u
#define LANES 8

struct _OctCpuRegistration {
  OctSampleFormat format;
  guint parts;
  OctRegistrationPlan plan;
  float *mean[OCT_REGISTRATION_LEVELS];  /* [sampled][columns] */
  float *frame[OCT_REGISTRATION_LEVELS]; /* [rows][columns], not the finest */
  float *rows;                           /* [CHUNKS][2][columns] */
  OctRegistrationSums *sums;             /* [CHUNKS][OCT_REGISTRATION_TRIED] */
  /* under way */
  const OctPlane *plane;
  guint level;
  gint first_row, first_column, n_rows, n_columns; /* tried shifts */
};

void
oct_cpu_registration_free (OctCpuRegistration *self)
{
  if (self == NULL)
    return;
  for (guint l = 0; l < OCT_REGISTRATION_LEVELS; l++) {
    oct_cpu_free (self->mean[l]);
    oct_cpu_free (self->frame[l]);
  }
  oct_cpu_free (self->rows);
  oct_cpu_free (self->sums);
  g_free (self);
}

OctCpuRegistration *
oct_cpu_registration_new (const OctAverageParams *params, GError **error)
{
  OctCpuRegistration *self = g_new0 (OctCpuRegistration, 1);
  guint columns = params->values / OCT_AVERAGE_PARTS (params);
  gboolean ok;

  self->format = params->format;
  self->parts = OCT_AVERAGE_PARTS (params);
  self->plan = oct_registration_plan (
      params->rows / OCT_BSCANS (params), columns, params->max_shift);
  self->rows =
      oct_cpu_alloc ((gsize)CHUNKS * 2 * columns, sizeof (float), error);
  ok = self->rows != NULL;
  if (ok)
    self->sums = oct_cpu_alloc (
        CHUNKS * OCT_REGISTRATION_TRIED, sizeof (OctRegistrationSums), error);
  ok = ok && self->sums != NULL;
  for (guint l = 0; ok && l < self->plan.n; l++) {
    const OctRegistrationLevel *level = &self->plan.levels[l];
    gsize row = MAX (1, level->columns);

    self->mean[l] =
        oct_cpu_alloc (MAX (1, level->sampled) * row, sizeof (float), error);
    ok = self->mean[l] != NULL;
    if (ok && l > 0) {
      self->frame[l] =
          oct_cpu_alloc (MAX (1, level->rows) * row, sizeof (float), error);
      ok = self->frame[l] != NULL;
    }
  }
  if (ok)
    return self;
  oct_cpu_registration_free (self);
  return NULL;
}

/* ------------------------------------------------------------------- values
 */

OCT_VECTORISED static void
bytes_to_floats (const guint8 *restrict in, float *restrict out, guint n)
{
  for (guint i = 0; i < n; i++)
    out[i] = in[i];
}

OCT_VECTORISED static void
colours_to_floats (const guint8 *restrict in, float *restrict out, guint n)
{
  for (guint i = 0; i < n; i++)
    out[i] = (float)(in[4 * i] + in[4 * i + 1] + in[4 * i + 2]);
}

OCT_VECTORISED static void
words_to_floats (const guint16 *restrict in, float *restrict out, guint n)
{
  for (guint i = 0; i < n; i++)
    out[i] = in[i];
}

static void
complex_to_floats (const float *restrict in, float *restrict out, guint n)
{
  for (guint i = 0; i < n; i++) {
    float power = in[2 * i] * in[2 * i] + in[2 * i + 1] * in[2 * i + 1];

    out[i] = isfinite (power) ? sqrtf (sqrtf (power)) : 0;
  }
}

static void
read_row (const OctCpuRegistration *self, const OctPlane *plane, guint row,
    float *out)
{
  gconstpointer in = oct_cpu_row (plane, row);
  guint n = self->plan.levels[0].columns;

  if (self->format == OCT_SAMPLE_CF32)
    complex_to_floats (in, out, n);
  else if (self->format == OCT_SAMPLE_U16)
    words_to_floats (in, out, n);
  else if (self->parts == 4)
    colours_to_floats (in, out, n);
  else
    bytes_to_floats (in, out, n);
}

/* ------------------------------------------------------------------- levels
 */

OCT_VECTORISED static void
cpu_registration_add_rows (
    float *restrict sum, const float *restrict row, guint n)
{
  for (guint i = 0; i < n; i++)
    sum[i] += row[i];
}

/* Two rows and columns to one; `out` may be `a`. */
static void
cpu_registration_halve (const float *a, const float *b, float *out, guint n)
{
  for (guint i = 0; i < n; i++)
    out[i] = a[2 * i] + a[2 * i + 1] + b[2 * i] + b[2 * i + 1];
}

static void
get_piece (guint count, guint chunk, guint *first, guint *end)
{
  *first = (guint)((guint64)count * chunk / CHUNKS);
  *end = (guint)((guint64)count * (chunk + 1) / CHUNKS);
}

static void
cpu_registration_keep_rows (gpointer data, guint first, guint end, guint thread)
{
  OctCpuRegistration *self = data;
  const OctRegistrationLevel *level = &self->plan.levels[self->level];
  guint all = self->plan.levels[0].columns, l = self->level;

  for (guint chunk = first; chunk < end; chunk++) {
    float *sum = self->rows + (gsize)chunk * 2 * all, *row = sum + all;
    guint i, last;

    for (get_piece (level->sampled, chunk, &i, &last); i < last; i++) {
      guint y = (i * level->step) << l, half = all;

      read_row (self, self->plane, y, sum);
      for (guint k = 1; k < 1u << l; k++) {
        read_row (self, self->plane, y + k, row);
        cpu_registration_add_rows (sum, row, all);
      }
      for (guint k = 0; k < l; k++) {
        half /= 2;
        for (guint x = 0; x < half; x++)
          sum[x] = sum[2 * x] + sum[2 * x + 1];
      }
      memcpy (self->mean[l] + (gsize)i * level->columns, sum,
          level->columns * sizeof *sum);
    }
  }
}

void
oct_cpu_registration_keep (OctCpuRegistration *self, const OctPlane *mean)
{
  self->plane = mean;
  for (self->level = 0; self->level < self->plan.n; self->level++)
    oct_parallel_for (CHUNKS, 1, oct_cpu_threads (G_MAXUINT),
        cpu_registration_keep_rows, self);
}

static void
make_coarser (gpointer data, guint first, guint end, guint thread)
{
  OctCpuRegistration *self = data;
  const OctRegistrationLevel *level = &self->plan.levels[self->level];
  guint all = self->plan.levels[0].columns, y, last;

  for (guint chunk = first; chunk < end; chunk++)
    for (get_piece (level->rows, chunk, &y, &last); y < last; y++) {
      float *a = self->rows + (gsize)chunk * 2 * all, *b = a + all;

      if (self->level == 1) {
        read_row (self, self->plane, 2 * y, a);
        read_row (self, self->plane, 2 * y + 1, b);
      } else {
        guint finer = self->plan.levels[self->level - 1].columns;

        a = self->frame[self->level - 1] + (gsize)(2 * y) * finer;
        b = a + finer;
      }
      cpu_registration_halve (a, b,
          self->frame[self->level] + (gsize)y * level->columns, level->columns);
    }
}

/* ------------------------------------------------------------------- search
 */

/* Products in double precision, LANES at a time. */
OCT_VECTORISED static void
cpu_registration_compare (const float *restrict f, const float *restrict g,
    guint n, OctRegistrationSums *sums)
{
  double lanes[5][LANES] = { { 0 } };
  guint i = 0;

  for (; i + LANES <= n; i += LANES)
    for (guint k = 0; k < LANES; k++) {
      double a = f[i + k], b = g[i + k];

      lanes[0][k] += a;
      lanes[1][k] += b;
      lanes[2][k] += a * a;
      lanes[3][k] += b * b;
      lanes[4][k] += a * b;
    }
  for (; i < n; i++) {
    double a = f[i], b = g[i];

    lanes[0][0] += a;
    lanes[1][0] += b;
    lanes[2][0] += a * a;
    lanes[3][0] += b * b;
    lanes[4][0] += a * b;
  }
  for (guint k = 0; k < LANES; k++) {
    sums->f += lanes[0][k];
    sums->g += lanes[1][k];
    sums->ff += lanes[2][k];
    sums->gg += lanes[3][k];
    sums->fg += lanes[4][k];
  }
  sums->n += n;
}

/* Compares one row of the mean with one of the frame, for all shifts along it.
 */
static void
compare_rows (const OctCpuRegistration *self, const float *f, const float *g,
    OctRegistrationSums *sums)
{
  gint columns = (gint)self->plan.levels[self->level].columns;

  for (gint i = 0; i < self->n_columns; i++) {
    gint d = self->first_column + i;

    if (ABS (d) < columns)
      cpu_registration_compare (f + MAX (0, d), g + MAX (0, -d),
          (guint)(columns - ABS (d)), &sums[i]);
  }
}

static void
compare_chunks (gpointer data, guint first, guint end, guint thread)
{
  OctCpuRegistration *self = data;
  const OctRegistrationLevel *level = &self->plan.levels[self->level];
  guint all = self->plan.levels[0].columns, i, last;

  for (guint chunk = first; chunk < end; chunk++) {
    OctRegistrationSums *sums = self->sums + chunk * OCT_REGISTRATION_TRIED;
    float *row = self->rows + (gsize)chunk * 2 * all;

    memset (sums, 0, OCT_REGISTRATION_TRIED * sizeof *sums);
    for (get_piece (level->sampled, chunk, &i, &last); i < last; i++)
      for (gint k = 0; k < self->n_rows; k++) {
        gint y = (gint)(i * level->step) + self->first_row + k;
        const float *f = row;

        if (y < 0 || y >= (gint)level->rows)
          continue;
        if (self->level == 0)
          read_row (self, self->plane, (guint)y, row);
        else
          f = self->frame[self->level] + (gsize)y * level->columns;
        compare_rows (self, f,
            self->mean[self->level] + (gsize)i * level->columns,
            sums + k * self->n_columns);
      }
  }
}

static OctRegistrationSums
add_chunks (const OctCpuRegistration *self, guint tried)
{
  OctRegistrationSums all = { 0 };

  for (guint chunk = 0; chunk < CHUNKS; chunk++) {
    const OctRegistrationSums *s =
        &self->sums[chunk * OCT_REGISTRATION_TRIED + tried];

    all.n += s->n;
    all.f += s->f;
    all.g += s->g;
    all.ff += s->ff;
    all.gg += s->gg;
    all.fg += s->fg;
  }
  return all;
}

/* `shift`: of the coarser level, then of this one. */
static void
search_level (OctCpuRegistration *self, OctCpuShift *shift)
{
  const OctRegistrationLevel *level = &self->plan.levels[self->level];
  gboolean is_coarsest = self->level == self->plan.n - 1;
  double best = -G_MAXDOUBLE;

  self->first_row = oct_registration_first (
      shift->rows, is_coarsest, level->most_rows, &self->n_rows);
  self->first_column = oct_registration_first (
      shift->columns, is_coarsest, level->most_columns, &self->n_columns);
  oct_parallel_for (
      CHUNKS, 1, oct_cpu_threads (G_MAXUINT), compare_chunks, self);
  for (gint i = 0; i < self->n_rows * self->n_columns; i++) {
    OctRegistrationSums sums = add_chunks (self, (guint)i);
    OctCpuShift tried = { self->first_row + i / self->n_columns,
      self->first_column + i % self->n_columns };
    double score = oct_registration_score (
        &sums, level->independent, tried.rows, tried.columns);

    if (score > best) {
      best = score;
      *shift = tried;
    }
  }
}

OctCpuShift
oct_cpu_registration_find (OctCpuRegistration *self, const OctPlane *frame)
{
  OctCpuShift shift = { 0, 0 };

  self->plane = frame;
  for (self->level = 1; self->level < self->plan.n; self->level++)
    oct_parallel_for (
        CHUNKS, 1, oct_cpu_threads (G_MAXUINT), make_coarser, self);
  for (guint l = self->plan.n; l-- > 0;) {
    self->level = l;
    search_level (self, &shift);
  }
  return shift;
}
