/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Means of frames that are shifted to the position of the last one.  The ring
 * holds all frames unshifted.  Each mean adds them again, row by row in the
 * cache, each at its present shift.  So no frame is shifted twice, rounding
 * errors do not accumulate, and a drift may be of any length.
 */
#include "oct-cpu-average-moved.h"
#include "oct-cpu-registration.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

#define CHUNKS 32u

struct _OctCpuMoved {
  OctAverageParams params;
  OctCpuRegistration *registration;
  gsize values;       /* of one frame */
  gsize value_size;   /* bytes */
  guint8 *ring;       /* [frames][values] */
  OctCpuShift *where; /* [frames] shifts in the ring, from the first frame */
  double *sums;       /* [CHUNKS][2 values of a row] */
  guint *counts;      /* [CHUNKS][pixels of a row + 1] */
  guint row;          /* values of the longest row */
  /* under way */
  OctAverageTurn turn;
  const OctPlane *from, *to;
  guint width, rows, parts; /* of the plane: values of a row, of a pixel */
  gsize at;                 /* the plane's first value in a frame of the ring */
  gboolean half;            /* its pixels are twice as large */
};

void
oct_cpu_moved_free (OctCpuMoved *self)
{
  if (self == NULL)
    return;
  oct_cpu_registration_free (self->registration);
  oct_cpu_free (self->ring);
  oct_cpu_free (self->where);
  oct_cpu_free (self->sums);
  oct_cpu_free (self->counts);
  g_free (self);
}

static gboolean
cpu_average_moved_alloc_all (OctCpuMoved *self, GError **error)
{
  const OctAverageParams *p = &self->params;

  self->ring =
      oct_cpu_alloc ((gsize)p->frames * self->values, self->value_size, error);
  if (self->ring == NULL)
    return FALSE;
  self->where = oct_cpu_alloc (p->frames, sizeof *self->where, error);
  if (self->where == NULL)
    return FALSE;
  self->sums =
      oct_cpu_alloc ((gsize)CHUNKS * 2 * self->row, sizeof (double), error);
  if (self->sums == NULL)
    return FALSE;
  self->counts = oct_cpu_alloc (
      (gsize)CHUNKS * (self->row + 1), sizeof *self->counts, error);
  if (self->counts == NULL)
    return FALSE;
  self->registration = oct_cpu_registration_new (p, error);
  return self->registration != NULL;
}

OctCpuMoved *
oct_cpu_moved_new (const OctAverageParams *params, GError **error)
{
  OctCpuMoved *self = g_new0 (OctCpuMoved, 1);

  self->params = *params;
  self->values = oct_average_count_values (params);
  self->row = MAX (params->values, params->more_values);
  self->value_size = params->of == OCT_AVERAGE_POWER
                         ? sizeof (float)
                         : oct_sample_format_size (params->format);
  if (cpu_average_moved_alloc_all (self, error))
    return self;
  oct_cpu_moved_free (self);
  return NULL;
}

static inline float
cpu_average_moved_finite_or_zero (float value)
{
  return isfinite (value) ? value : 0;
}

/* ------------------------------------------------------------------- adding
 */

/* Values are added as doubles, which whole numbers are exact in. */
#define DEFINE_ADD(type)                                                       \
  OCT_VECTORISED static void add_##type (                                      \
      const type *restrict in, double *restrict sum, guint n)                  \
  {                                                                            \
    for (guint i = 0; i < n; i++)                                              \
      sum[i] += in[i];                                                         \
  }
DEFINE_ADD (guint8)
DEFINE_ADD (guint16)
DEFINE_ADD (float)

/* Numbers that are added per value: two if it is complex. */
static guint
count_numbers (const OctCpuMoved *self)
{
  return self->params.format == OCT_SAMPLE_CF32
                 && self->params.of == OCT_AVERAGE_VALUES
             ? 2
             : 1;
}

/* Adds a row of the frame at `place` of the ring to row `y` of the mean, and 1
 * to the counts of the pixels that it covers.  Counts are stored as differences
 * from pixel to pixel. */
static void
add_frame (
    const OctCpuMoved *self, guint place, guint y, double *sums, guint *counts)
{
  const OctCpuShift *last = &self->where[self->turn.place];
  gint down = self->where[place].rows - last->rows;
  gint across = self->where[place].columns - last->columns;
  gint pixels = (gint)(self->width / self->parts), from, to;
  gsize first, numbers = count_numbers (self);
  guint n;

  if (self->half) {
    down = oct_registration_half (down);
    across = oct_registration_half (across);
  }
  from = MAX (0, -across);
  to = MIN (pixels, pixels - across);
  if ((gint)y + down < 0 || (gint)y + down >= (gint)self->rows || from >= to)
    return;
  counts[from]++;
  counts[to]--;
  first = place * self->values + self->at
          + (gsize)((gint)y + down) * self->width
          + (gsize)(from + across) * self->parts;
  sums += (gsize)from * self->parts * numbers;
  n = (guint)((gsize)(to - from) * self->parts * numbers);
  switch (self->params.format) {
  case OCT_SAMPLE_U8:
    add_guint8 (self->ring + first, sums, n);
    break;
  case OCT_SAMPLE_U16:
    add_guint16 ((guint16 *)(gpointer)self->ring + first, sums, n);
    break;
  default:
    add_float ((float *)(gpointer)self->ring + first * numbers, sums, n);
  }
}

/* To nearest, halves up. */
#define DEFINE_DIVIDE(type)                                                    \
  OCT_VECTORISED static void divide_##type (const double *restrict sums,       \
      const guint *restrict counts, type *restrict out, guint n)               \
  {                                                                            \
    for (guint i = 0; i < n; i++) {                                            \
      double count = (double)(gint)counts[i];                                  \
                                                                               \
      out[i] = (type)(gint)((2 * sums[i] + count) / (2 * count));              \
    }                                                                          \
  }
DEFINE_DIVIDE (guint8)
DEFINE_DIVIDE (guint16)

/* For pixels of several values. */
static void
divide_parts (const double *sums, const guint *counts, guint parts, guint8 *out,
    guint pixels)
{
  for (guint x = 0; x < pixels; x++)
    for (guint i = x * parts; i < (x + 1) * parts; i++)
      out[i] = (guint8)((2 * sums[i] + counts[x]) / (2 * counts[x]));
}

static void
divide_complex (const OctCpuMoved *self, const double *sums,
    const guint *counts, float *out)
{
  for (guint i = 0; i < self->width; i++) {
    gboolean is_power = self->params.of == OCT_AVERAGE_POWER;

    out[2 * i] = (float)(is_power ? sqrt (sums[i] / counts[i])
                                  : sums[2 * i] / counts[i]);
    out[2 * i + 1] = is_power ? 0 : (float)(sums[2 * i + 1] / counts[i]);
  }
}

static void
mean_row (const OctCpuMoved *self, guint y, double *sums, guint *counts)
{
  guint frames = self->params.frames, pixels = self->width / self->parts;
  gpointer out = oct_cpu_row (self->to, y);

  memset (sums, 0, (gsize)self->width * count_numbers (self) * sizeof *sums);
  memset (counts, 0, (pixels + 1) * sizeof *counts);
  for (guint age = self->turn.count; age-- > 0;)
    add_frame (
        self, (self->turn.place + frames - age) % frames, y, sums, counts);
  for (guint x = 1; x < pixels; x++)
    counts[x] += counts[x - 1];
  switch (self->params.format) {
  case OCT_SAMPLE_U8:
    if (self->parts > 1)
      divide_parts (sums, counts, self->parts, out, pixels);
    else
      divide_guint8 (sums, counts, out, pixels);
    break;
  case OCT_SAMPLE_U16:
    divide_guint16 (sums, counts, out, self->width);
    break;
  default:
    divide_complex (self, sums, counts, out);
  }
}

static void
mean_rows (gpointer data, guint first, guint end, guint thread)
{
  const OctCpuMoved *self = data;

  for (guint chunk = first; chunk < end; chunk++) {
    guint y = (guint)((guint64)self->rows * chunk / CHUNKS);
    guint last = (guint)((guint64)self->rows * (chunk + 1) / CHUNKS);

    for (; y < last; y++)
      mean_row (self, y, self->sums + (gsize)chunk * 2 * self->row,
          self->counts + (gsize)chunk * (self->row + 1));
  }
}

/* ------------------------------------------------------------------- frames
 */

static void
keep_complex (const OctCpuMoved *self, const float *in, float *to)
{
  if (self->params.of == OCT_AVERAGE_POWER)
    for (guint i = 0; i < self->width; i++)
      to[i] = cpu_average_moved_finite_or_zero (
          in[2 * i] * in[2 * i] + in[2 * i + 1] * in[2 * i + 1]);
  else
    for (guint i = 0; i < 2 * self->width; i++)
      to[i] = cpu_average_moved_finite_or_zero (in[i]);
}

static void
cpu_average_moved_keep_rows (
    gpointer data, guint first, guint end, guint thread)
{
  const OctCpuMoved *self = data;

  for (guint y = first; y < end; y++) {
    gsize at =
        self->turn.place * self->values + self->at + (gsize)y * self->width;
    gpointer to = self->ring + at * self->value_size;
    gconstpointer in = oct_cpu_row (self->from, y);

    if (self->params.format == OCT_SAMPLE_CF32)
      keep_complex (self, in, to);
    else
      memcpy (to, in, self->width * self->value_size);
  }
}

static void
run_plane (OctCpuMoved *self, guint plane, const OctFrame *in,
    const OctFrame *out, OctParallelTask task, guint count, guint grain)
{
  const OctAverageParams *p = &self->params;
  guint rows = p->rows / OCT_BSCANS (p);

  self->half = plane > 0;
  self->from = &in->planes[plane];
  self->to = &out->planes[plane];
  self->width = plane > 0 ? p->more_values : p->values;
  self->rows = plane > 0 ? p->more_rows : rows;
  self->parts = plane > 0 ? 2 : OCT_AVERAGE_PARTS (p);
  self->at = plane > 0 ? (gsize)rows * p->values : 0;
  oct_parallel_for (count > 0 ? count : self->rows, grain,
      oct_cpu_threads (G_MAXUINT), task, self);
}

void
oct_cpu_moved_run (OctCpuMoved *self, const OctAverageTurn *turn,
    const OctFrame *in, const OctFrame *out)
{
  const OctAverageParams *p = &self->params;
  guint previous = (turn->place + p->frames - 1) % p->frames;
  guint planes = p->more_rows > 0 ? 2 : 1;
  OctCpuShift where = { 0, 0 };

  self->turn = *turn;
  if (!turn->is_first) {
    OctCpuShift moved =
        oct_cpu_registration_find (self->registration, &in->planes[0]);

    /* unsigned: a long drift may overflow */
    where.rows = (gint)((guint)self->where[previous].rows + (guint)moved.rows);
    where.columns =
        (gint)((guint)self->where[previous].columns + (guint)moved.columns);
  }
  self->where[turn->place] = where;
  for (guint plane = 0; plane < planes; plane++) {
    run_plane (
        self, plane, in, out, cpu_average_moved_keep_rows, 0, OCT_CPU_GRAIN);
    run_plane (self, plane, in, out, mean_rows, CHUNKS, 1);
  }
  oct_cpu_registration_keep (self->registration, &out->planes[0]);
}
