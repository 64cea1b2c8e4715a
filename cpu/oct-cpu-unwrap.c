/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Phases without jumps: the sum of the steps between neighbours, wrapped, is a
 * Poisson equation with free edges, which cosine transforms solve; 32 rows or
 * columns at a time, as the real and imaginary parts of 16.
 */
#include "oct-cpu-unwrap.h"
#include "oct-cpu-lanes-fft.h"
#include "oct-cpu-lanes.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

#define SIDE (2 * OCT_LANES)

/* Cosine transforms along one direction. */
typedef struct {
  guint count;
  OctLanesFft *forward, *backward;
  float *twiddles; /* [count][2] exp (-pi i k / (2 count)) */
  float *cosines;  /* [count] 2 cos (pi k / count) - 2 */
} Direction;

struct _OctCpuUnwrap {
  guint lines, bins, threads;
  Direction across, along; /* lines, bins */
  float *values;           /* [lines][bins]: the equation and its solution */
  float *turned;           /* the same, [bins][lines] */
  float *sorted;           /* for a median */
  guint8 *scratch;
  gsize scratch_size;
  /* under way */
  const Direction *direction;
  float *rows; /* [count][width] */
  guint width;
  gboolean back;
  const float *phases;
};

static void
unwrap_clear_direction (Direction *direction)
{
  oct_lanes_fft_free (direction->forward);
  oct_lanes_fft_free (direction->backward);
  oct_cpu_free (direction->twiddles);
  oct_cpu_free (direction->cosines);
}

void
oct_cpu_unwrap_free (OctCpuUnwrap *unwrap)
{
  if (unwrap == NULL)
    return;
  unwrap_clear_direction (&unwrap->across);
  unwrap_clear_direction (&unwrap->along);
  oct_cpu_free (unwrap->values);
  oct_cpu_free (unwrap->turned);
  oct_cpu_free (unwrap->sorted);
  oct_cpu_free (unwrap->scratch);
  g_free (unwrap);
}

static gboolean
unwrap_make_direction (Direction *direction, guint count, GError **error)
{
  direction->count = count;
  direction->forward = oct_lanes_fft_new (count, FALSE, error);
  if (direction->forward != NULL)
    direction->backward = oct_lanes_fft_new (count, TRUE, error);
  if (direction->backward != NULL)
    direction->twiddles =
        oct_cpu_alloc (2 * (gsize)count, sizeof (float), error);
  if (direction->twiddles != NULL)
    direction->cosines = oct_cpu_alloc (count, sizeof (float), error);
  if (direction->cosines == NULL)
    return FALSE;
  for (guint k = 0; k < count; k++) {
    double angle = -G_PI * k / (2.0 * count);

    direction->twiddles[2 * k] = (float)cos (angle);
    direction->twiddles[2 * k + 1] = (float)sin (angle);
    /* 2 cos (-2 angle) - 2 without a difference */
    direction->cosines[k] = (float)(-4 * sin (angle) * sin (angle));
  }
  return TRUE;
}

static gsize
unwrap_get_scratch (const Direction *direction)
{
  return 2 * (gsize)direction->count * SIDE * sizeof (float)
         + MAX (oct_lanes_fft_scratch (direction->forward),
             oct_lanes_fft_scratch (direction->backward));
}

OctCpuUnwrap *
oct_cpu_unwrap_new (guint lines, guint bins, GError **error)
{
  OctCpuUnwrap *unwrap = g_new0 (OctCpuUnwrap, 1);
  gsize values = (gsize)lines * bins;
  gboolean ok;

  unwrap->lines = lines;
  unwrap->bins = bins;
  unwrap->threads = oct_parallel_get_threads ();
  ok = unwrap_make_direction (&unwrap->across, lines, error)
       && unwrap_make_direction (&unwrap->along, bins, error)
       && (unwrap->values = oct_cpu_alloc (values, sizeof (float), error))
       && (unwrap->turned = oct_cpu_alloc (values, sizeof (float), error))
       && (unwrap->sorted = oct_cpu_alloc (values, sizeof (float), error));
  if (ok) {
    unwrap->scratch_size =
        oct_cpu_pad (MAX (unwrap_get_scratch (&unwrap->across),
            unwrap_get_scratch (&unwrap->along)));
    unwrap->scratch =
        oct_cpu_alloc (unwrap->threads, unwrap->scratch_size, error);
  }
  if (unwrap->scratch != NULL)
    return unwrap;
  oct_cpu_unwrap_free (unwrap);
  return NULL;
}

/* --------------------------------------------------------- cosine transforms
 */

/* The order in the Fourier transform that gives the cosine transform: even
 * places first, then odd ones from the end (Makhoul, IEEE Trans. Acoust. 28, 27
 * (1980)). */
static inline guint
unwrap_reordered (guint j, guint count)
{
  return j % 2 == 0 ? j / 2 : count - 1 - j / 2;
}

/* c[k] = sum_j x[j] cos (pi k (2 j + 1) / (2 count)), of bins v. */
OCT_VECTORISED static void
unwrap_write_cosines (const float *v, const float *twiddles, guint count,
    guint used, float *to, gsize step)
{
  for (guint k = 0; k < count; k++) {
    const float *a = v + (gsize)k * SIDE;
    const float *b = v + (gsize)((count - k) % count) * SIDE;
    float re = twiddles[2 * k] / 2, im = twiddles[2 * k + 1] / 2;
    float out[SIDE];

    for (guint i = 0; i < OCT_LANES; i++) {
      float ar = a[i], ai = a[OCT_LANES + i];
      float br = b[i], bi = b[OCT_LANES + i];

      out[i] = re * (ar + br) - im * (ai - bi);
      out[OCT_LANES + i] = re * (ai + bi) + im * (ar - br);
    }
    for (guint i = 0; i < used; i++)
      to[k * step + i] = out[i];
  }
}

/* Bins that the backward transform makes into the x of these c. */
OCT_VECTORISED static void
unwrap_read_cosines (
    const float *c, const float *twiddles, guint count, float *restrict v)
{
  float scale = 1 / (float)count;

  for (guint k = 0; k < count; k++) {
    const float *a = c + (gsize)k * SIDE;
    const float *b = c + (gsize)(k == 0 ? 0 : count - k) * SIDE;
    float other = k == 0 ? 0 : scale;
    float re = twiddles[2 * k], im = -twiddles[2 * k + 1];
    float *out = v + (gsize)k * SIDE;

    for (guint i = 0; i < OCT_LANES; i++) {
      float cr = a[i] * scale + b[OCT_LANES + i] * other;
      float ci = a[OCT_LANES + i] * scale - b[i] * other;

      out[i] = re * cr - im * ci;
      out[OCT_LANES + i] = re * ci + im * cr;
    }
  }
}

/* A part of the columns of the rows. */
static void
unwrap_transform (gpointer data, guint first, guint end, guint thread)
{
  OctCpuUnwrap *unwrap = data;
  const Direction *d = unwrap->direction;
  float *a =
      (float *)(gpointer)(unwrap->scratch + thread * unwrap->scratch_size);
  float *b = a + (gsize)d->count * SIDE;
  gpointer scratch = b + (gsize)d->count * SIDE;

  for (guint part = first; part < end; part++) {
    float *rows = unwrap->rows + (gsize)part * SIDE;
    guint used = MIN (SIDE, unwrap->width - part * SIDE);

    memset (a, 0, (gsize)d->count * SIDE * sizeof *a);
    for (guint j = 0; j < d->count; j++)
      memcpy (
          a + (gsize)(unwrap->back ? j : unwrap_reordered (j, d->count)) * SIDE,
          rows + (gsize)j * unwrap->width, used * sizeof (float));
    if (unwrap->back) {
      unwrap_read_cosines (a, d->twiddles, d->count, b);
      oct_lanes_fft_run (d->backward, b, a, 0, d->count, scratch);
      for (guint j = 0; j < d->count; j++)
        memcpy (rows + (gsize)j * unwrap->width,
            a + (gsize)unwrap_reordered (j, d->count) * SIDE,
            used * sizeof (float));
    } else {
      oct_lanes_fft_run (d->forward, a, b, 0, d->count, scratch);
      unwrap_write_cosines (
          b, d->twiddles, d->count, used, rows, unwrap->width);
    }
  }
}

static void
unwrap_run_direction (OctCpuUnwrap *unwrap, const Direction *direction,
    float *rows, guint width, gboolean back)
{
  unwrap->direction = direction;
  unwrap->rows = rows;
  unwrap->width = width;
  unwrap->back = back;
  oct_parallel_for ((width + SIDE - 1) / SIDE, 1,
      oct_cpu_threads (unwrap->threads), unwrap_transform, unwrap);
}

static void
unwrap_transpose (const float *from, guint rows, guint columns, float *to)
{
  for (guint top = 0; top < rows; top += OCT_LANES)
    for (guint left = 0; left < columns; left += OCT_LANES)
      for (guint y = top; y < MIN (top + OCT_LANES, rows); y++)
        for (guint x = left; x < MIN (left + OCT_LANES, columns); x++)
          to[(gsize)x * rows + y] = from[(gsize)y * columns + x];
}

/* ------------------------------------------------------------------ equation
 */

/* A phase between -2 pi and 2 pi, to -pi .. pi. */
static inline float
unwrap_wrap (float phase)
{
  float turn = (float)(2 * G_PI);

  return phase > (float)G_PI    ? phase - turn
         : phase < -(float)G_PI ? phase + turn
                                : phase;
}

/* The divergence of the wrapped steps. */
static void
unwrap_diverge (gpointer data, guint first, guint end, guint thread)
{
  OctCpuUnwrap *unwrap = data;
  guint n = unwrap->bins;

  for (guint x = first; x < end; x++) {
    const float *here = unwrap->phases + (gsize)x * n;
    float *to = unwrap->values + (gsize)x * n;

    for (guint i = 0; i < n; i++) {
      float sum = i + 1 < n ? unwrap_wrap (here[i + 1] - here[i]) : 0;

      sum -= i > 0 ? unwrap_wrap (here[i] - here[i - 1]) : 0;
      sum += x + 1 < unwrap->lines ? unwrap_wrap (here[i + n] - here[i]) : 0;
      to[i] = sum - (x > 0 ? unwrap_wrap (here[i] - here[(gssize)i - n]) : 0);
    }
  }
}

static void
unwrap_solve (OctCpuUnwrap *unwrap)
{
  guint lines = unwrap->lines, bins = unwrap->bins;

  unwrap_run_direction (unwrap, &unwrap->across, unwrap->values, bins, FALSE);
  unwrap_transpose (unwrap->values, lines, bins, unwrap->turned);
  unwrap_run_direction (unwrap, &unwrap->along, unwrap->turned, lines, FALSE);
  for (guint i = 0; i < bins; i++)
    for (guint x = 0; x < lines; x++)
      unwrap->turned[(gsize)i * lines + x] /=
          i + x > 0 ? unwrap->along.cosines[i] + unwrap->across.cosines[x] : 1;
  unwrap->turned[0] = 0;
  unwrap_run_direction (unwrap, &unwrap->along, unwrap->turned, lines, TRUE);
  unwrap_transpose (unwrap->turned, bins, lines, unwrap->values);
  unwrap_run_direction (unwrap, &unwrap->across, unwrap->values, bins, TRUE);
}

/* The k-th smallest, k from 0 (Hoare's FIND); changes the order. */
static float
unwrap_select (float *values, gssize count, gssize k)
{
  gssize low = 0, high = count - 1;

  while (low < high) {
    float pivot = values[low + (high - low) / 2];
    gssize i = low, j = high;

    while (i <= j) {
      while (values[i] < pivot)
        i++;
      while (values[j] > pivot)
        j--;
      if (i <= j) {
        float swap = values[i];

        values[i++] = values[j];
        values[j--] = swap;
      }
    }
    if (k <= j)
      high = j;
    else if (k >= i)
      low = i;
    else
      break;
  }
  return values[k];
}

/* The median of the values that are still, or of the others; 0 if there is
 * none. */
static float
unwrap_find_median (OctCpuUnwrap *unwrap, const float *values,
    const guint8 *still, gboolean of_still)
{
  gsize n = (gsize)unwrap->lines * unwrap->bins;
  gssize count = 0;
  float upper;

  for (gsize i = 0; i < n; i++)
    if ((still[i] != 0) == of_still)
      unwrap->sorted[count++] = values[i];
  if (count == 0)
    return 0;
  upper = unwrap_select (unwrap->sorted, count, count / 2);
  if (count % 2 == 1)
    return upper;
  return (upper + unwrap_select (unwrap->sorted, count, count / 2 - 1)) / 2;
}

void
oct_cpu_unwrap_run (OctCpuUnwrap *unwrap, float *phases, const guint8 *still)
{
  const float turn = (float)(2 * G_PI);
  gsize n = (gsize)unwrap->lines * unwrap->bins;
  float middle;

  unwrap->phases = phases;
  oct_parallel_for (unwrap->lines, OCT_CPU_GRAIN,
      oct_cpu_threads (unwrap->threads), unwrap_diverge, unwrap);
  unwrap_solve (unwrap);
  middle = unwrap_find_median (unwrap, unwrap->values, still, TRUE);
  for (gsize i = 0; i < n; i++)
    phases[i] += turn * rintf ((unwrap->values[i] - middle - phases[i]) / turn);
  middle =
      turn * rintf (unwrap_find_median (unwrap, phases, still, FALSE) / turn);
  for (gsize i = 0; i < n; i++)
    phases[i] = still[i] ? 0 : phases[i] - middle;
}
