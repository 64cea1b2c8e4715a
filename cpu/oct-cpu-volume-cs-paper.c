/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Amplitudes of the missing A-lines, direction by direction: for every depth of
 * every B-scan along its A-lines, then from B-scan to B-scan, the line with the
 * sparsest coefficients that goes through the taken values.
 *
 * Basis pursuit for orthonormal bases.  Rows of real bases are 32 depths side
 * by side, [place][2][16]; of the Fourier basis, whose coefficients are
 * complex, they are 16.
 */
#include "oct-cpu-volume-cs-pursuit.h"
#include "oct-cpu-volume-cs-parts.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

#define TAPS 8
#define LEVELS 4
#define APPROXIMATION 0.05f          /* weight */
#define ROWS OCT_CPU_VOLUME_CS_BLOCK /* floats of a place, and rows */

/* db4, orthonormal */
static const float low[TAPS] = { 0.230377813f, 0.714846571f, 0.630880768f,
  -0.0279837694f, -0.187034812f, 0.0308413818f, 0.0328830117f, -0.0105974018f };

typedef struct {
  OctVolumeCs *cs;
  OctVolumeCsBasis basis;
  guint steps;
  guint d, count, places; /* direction, its lines, places of the basis */
  const guint8 *there;    /* [bscans][lines], or [bscans] for d = 1 */
  guint8 *memory;         /* of the threads */
  gsize memory_size;
} Paper;

/* The memory of one thread: [places][32] each. */
typedef struct {
  float *b, *x, *z, *dual, *result, *half;
  gpointer transform;
  const guint8 *kept; /* [count] */
  guint n_kept;
  float scale[ROWS], mu[ROWS], least[ROWS];
  gboolean done[ROWS];
} Solver;

/* ----------------------------------------------------------------- wavelet */

/* One level: `n` values of `from` to n / 2 of each band. */
static OCT_VECTORISED void
cpu_paper_split (
    const float *from, guint n, float *approximation, float *detail)
{
  for (guint i = 0; i < n / 2; i++) {
    float *a = approximation + (gsize)i * ROWS, *d = detail + (gsize)i * ROWS;

    for (guint k = 0; k < ROWS; k++)
      a[k] = d[k] = 0;
    for (guint t = 0; t < TAPS; t++) {
      const float *v = from + (gsize)((2 * i + t) % n) * ROWS;
      float h = low[t], g = t % 2 == 0 ? low[TAPS - 1 - t] : -low[TAPS - 1 - t];

      for (guint k = 0; k < ROWS; k++) {
        a[k] += h * v[k];
        d[k] += g * v[k];
      }
    }
  }
}

static OCT_VECTORISED void
cpu_volume_cs_paper_join (
    const float *approximation, const float *detail, guint n, float *to)
{
  for (gsize i = 0; i < (gsize)n * ROWS; i++)
    to[i] = 0;
  for (guint i = 0; i < n / 2; i++) {
    const float *a = approximation + (gsize)i * ROWS;
    const float *d = detail + (gsize)i * ROWS;

    for (guint t = 0; t < TAPS; t++) {
      float *v = to + (gsize)((2 * i + t) % n) * ROWS;
      float h = low[t], g = t % 2 == 0 ? low[TAPS - 1 - t] : -low[TAPS - 1 - t];

      for (guint k = 0; k < ROWS; k++)
        v[k] += h * a[k] + g * d[k];
    }
  }
}

/* In place: the approximation first, then the details from coarse to fine. */
static void
cpu_volume_cs_paper_wavelet (
    const Paper *p, gboolean back, float *v, float *half)
{
  gsize size = ROWS * sizeof (float);

  if (!back)
    for (guint n = p->places; n > p->places >> LEVELS; n /= 2) {
      cpu_paper_split (v, n, half, half + (gsize)n / 2 * ROWS);
      memcpy (v, half, n * size);
    }
  else
    for (guint n = p->places >> (LEVELS - 1); n <= p->places; n *= 2) {
      cpu_volume_cs_paper_join (v, v + (gsize)n / 2 * ROWS, n, half);
      memcpy (v, half, n * size);
    }
}

static void
cpu_volume_cs_paper_fourier (
    const Paper *p, gboolean back, float *v, gpointer memory)
{
  float scale = (float)(1 / sqrt (p->count));

  oct_lanes_fft_run (back ? p->cs->backward[p->d] : p->cs->forward[p->d], v, v,
      0, p->count, memory);
  for (gsize i = 0; i < (gsize)p->count * ROWS; i++)
    v[i] *= scale;
}

/* Lines to coefficients or back, in place. */
static void
cpu_volume_cs_paper_transform (
    const Paper *p, const Solver *s, gboolean back, float *v)
{
  if (p->basis == OCT_VOLUME_CS_WAVELET)
    cpu_volume_cs_paper_wavelet (p, back, v, s->half);
  else if (p->basis == OCT_VOLUME_CS_COSINE)
    oct_cpu_volume_cs_cosines (p->cs, p->d, back, v, ROWS, s->transform);
  else
    cpu_volume_cs_paper_fourier (p, back, v, s->transform);
}

/* ------------------------------------------------------------ basis pursuit */

static float
get_weight (const Paper *p, guint place)
{
  return p->basis == OCT_VOLUME_CS_WAVELET && place < p->places >> LEVELS
             ? APPROXIMATION
             : 1;
}

/* Sizes of the coefficients of one place. */
static inline void
find_sizes (const float *v, gboolean complex, float *sizes)
{
  for (guint k = 0; k < ROWS; k++)
    sizes[k] = fabsf (v[k]);
  for (guint k = 0; complex && k < OCT_LANES; k++)
    sizes[k] = sizes[OCT_LANES + k] =
        sqrtf (v[k] * v[k] + v[OCT_LANES + k] * v[OCT_LANES + k]);
}

/* Sums of each row for a check; both halves of complex rows are the same. */
typedef struct {
  double step[ROWS], x[ROWS], z[ROWS], primal[ROWS], value[ROWS];
} Sums;

static void
share_halves (double *sums)
{
  for (guint k = 0; k < OCT_LANES; k++)
    sums[k] = sums[OCT_LANES + k] = sums[k] + sums[OCT_LANES + k];
}

/* z = what the bound leaves of dual + x / mu, x += mu (dual - z); adds to sums.
 */
static void
cpu_paper_update (const Paper *p, Solver *s, Sums *sums)
{
  gboolean complex = p->basis == OCT_VOLUME_CS_FOURIER;

  memset (sums, 0, sizeof *sums);
  for (guint i = 0; i < p->places; i++) {
    gsize at = (gsize)i * ROWS;
    float weight = get_weight (p, i), sizes[ROWS], z[ROWS];

    for (guint k = 0; k < ROWS; k++)
      z[k] = s->dual[at + k] + s->x[at + k] / s->mu[k];
    find_sizes (z, complex, sizes);
    for (guint k = 0; k < ROWS; k++) {
      float next = z[k] * (weight / MAX (weight, sizes[k]));
      float step = s->dual[at + k] - next;

      s->z[at + k] = next;
      s->x[at + k] += s->mu[k] * step;
      sums->step[k] += step * step;
      sums->z[k] += next * next;
      sums->x[k] += s->x[at + k] * s->x[at + k];
    }
    find_sizes (s->x + at, complex, sizes);
    for (guint k = 0; k < ROWS; k++)
      sums->primal[k] += weight * sizes[k];
  }
  if (!complex)
    return;
  share_halves (sums->step);
  share_halves (sums->z);
  share_halves (sums->x);
}

/* y = A (z - x / mu) + b / mu where lines are kept, dual = A^H y. */
static void
find_dual (const Paper *p, Solver *s, double *value)
{
  memset (value, 0, ROWS * sizeof *value);
  for (guint i = 0; i < p->places; i++)
    for (guint k = 0; k < ROWS; k++) {
      gsize at = (gsize)i * ROWS + k;
      s->dual[at] = s->z[at] - s->x[at] / s->mu[k];
    }
  cpu_volume_cs_paper_transform (p, s, TRUE, s->dual);
  for (guint i = 0; i < p->places; i++) {
    float *y = s->dual + (gsize)i * ROWS;
    const float *b = s->b + (gsize)i * ROWS;
    gboolean kept = i < p->count && s->kept[i];

    for (guint k = 0; k < ROWS; k++) {
      y[k] = kept ? y[k] + b[k] / s->mu[k] : 0;
      value[k] += b[k] * y[k];
    }
  }
  cpu_volume_cs_paper_transform (p, s, FALSE, s->dual);
}

/* TRUE: all rows are done. */
static gboolean
cpu_paper_check (const Paper *p, Solver *s, Sums *sums, guint step)
{
  gboolean all = TRUE;

  if (p->basis == OCT_VOLUME_CS_FOURIER)
    share_halves (sums->value);
  for (guint k = 0; k < ROWS; k++) {
    OctCpuPursuitSums row = { sums->step[k], sums->x[k], sums->z[k],
      sums->primal[k], sums->value[k] };

    if (s->done[k])
      continue;
    if (oct_cpu_pursuit_judge (&row, step, s->least[k], &s->mu[k])
        || step == p->steps) {
      s->done[k] = TRUE;
      for (guint i = 0; i < p->places; i++)
        s->result[(gsize)i * ROWS + k] =
            s->x[(gsize)i * ROWS + k] * s->scale[k];
      continue;
    }
    all = FALSE;
  }
  return all;
}

/* b in units of its largest value, the first step size by its mean. */
static void
cpu_paper_begin (const Paper *p, Solver *s)
{
  gboolean complex = p->basis == OCT_VOLUME_CS_FOURIER;
  float sums[ROWS] = { 0 };

  memset (s->scale, 0, sizeof s->scale);
  for (guint i = 0; i < p->count; i++)
    for (guint k = 0; k < ROWS; k++) {
      float size = fabsf (s->b[(gsize)i * ROWS + k]);
      s->scale[k] = MAX (s->scale[k], size);
      sums[k] += size;
    }
  for (guint k = 0; k < ROWS; k++) {
    guint from = complex ? k % OCT_LANES : k;
    float scale = s->scale[from];

    s->scale[k] = scale;
    s->done[k] = scale == 0;
    s->mu[k] = scale > 0 ? sums[from] / scale / (float)s->n_kept : 1;
    s->least[k] = OCT_CPU_PURSUIT_LEAST * s->mu[k];
    for (guint i = 0; i < p->count && scale > 0; i++)
      s->b[(gsize)i * ROWS + k] /= scale;
  }
}

/* Writes the lines that go through b to result. */
static void
cpu_volume_cs_paper_pursue (const Paper *p, Solver *s)
{
  gsize size = (gsize)p->places * ROWS * sizeof (float);

  cpu_paper_begin (p, s);
  memset (s->result, 0, size);
  memset (s->z, 0, size);
  memcpy (s->x, s->b, size);
  cpu_volume_cs_paper_transform (p, s, FALSE, s->x);
  for (guint step = 1; step <= p->steps; step++) {
    Sums sums;
    double value[ROWS];

    find_dual (p, s, value);
    cpu_paper_update (p, s, &sums);
    memcpy (sums.value, value, sizeof value);
    if ((step % 2 == 0 || step == p->steps)
        && cpu_paper_check (p, s, &sums, step))
      break;
  }
  cpu_volume_cs_paper_transform (p, s, TRUE, s->result);
}

/* ------------------------------------------------------------------- lines */

static Solver
get_solver (const Paper *p, guint thread)
{
  gsize size = (gsize)p->places * ROWS;
  Solver s = { .b = (float *)(p->memory + thread * p->memory_size) };

  s.x = s.b + size;
  s.z = s.x + size;
  s.dual = s.z + size;
  s.result = s.dual + size;
  s.half = s.result + size;
  s.transform = s.half + size;
  return s;
}

/* Depths of blocks `block` and, of real bases, the next one, between the volume
 * and rows. */
static void
read_rows (
    const Paper *p, Solver *s, const float *lines, gsize step, guint block)
{
  gboolean two = p->basis != OCT_VOLUME_CS_FOURIER;

  memset (s->b, 0, (gsize)p->places * ROWS * sizeof (float));
  for (guint i = 0; i < p->count; i++)
    for (guint n = 0; s->kept[i] && n < (two ? 2u : 1u); n++)
      if (block + n < p->cs->blocks)
        memcpy (s->b + (gsize)i * ROWS + n * OCT_LANES,
            lines + i * step + (gsize)(block + n) * OCT_CPU_VOLUME_CS_BLOCK,
            OCT_LANES * sizeof (float));
}

static void
write_rows (
    const Paper *p, const Solver *s, float *lines, gsize step, guint block)
{
  gboolean two = p->basis != OCT_VOLUME_CS_FOURIER;

  for (guint i = 0; i < p->count; i++)
    for (guint n = 0; n < (two ? 2u : 1u); n++)
      if (block + n < p->cs->blocks)
        memcpy (lines + i * step + (gsize)(block + n) * OCT_CPU_VOLUME_CS_BLOCK,
            s->result + (gsize)i * ROWS + n * OCT_LANES,
            OCT_LANES * sizeof (float));
}

/* Lines of one direction, one after the other; nothing where none is kept. */
static void
fill_lines (gpointer data, guint first, guint end, guint thread)
{
  const Paper *p = data;
  OctVolumeCs *cs = p->cs;
  Solver s = get_solver (p, thread);
  guint at_once = p->basis == OCT_VOLUME_CS_FOURIER ? 1 : 2;
  gsize step = p->d == 0 ? cs->line : cs->lines * cs->line;

  for (guint i = first; i < end; i++) {
    float *lines =
        cs->volume + (gsize)i * (p->d == 0 ? cs->lines * cs->line : cs->line);

    s.kept = p->d == 0 ? p->there + (gsize)i * cs->lines : p->there;
    s.n_kept = 0;
    for (guint k = 0; k < p->count; k++)
      s.n_kept += s.kept[k];
    for (guint block = 0; s.n_kept > 0 && block < cs->blocks;
         block += at_once) {
      read_rows (p, &s, lines, step, block);
      cpu_volume_cs_paper_pursue (p, &s);
      write_rows (p, &s, lines, step, block);
    }
  }
}

static gboolean
cpu_paper_fill_direction (
    Paper *p, guint d, const guint8 *there, GError **error)
{
  OctVolumeCs *cs = p->cs;
  guint threads = oct_cpu_threads (cs->threads);

  if (!oct_volume_cs_is_missing (&cs->params, cs->valid, d))
    return TRUE;
  p->d = d;
  p->there = there;
  p->count = d == 0 ? cs->lines : cs->bscans;
  p->places = p->basis == OCT_VOLUME_CS_WAVELET
                  ? 16 * ((p->count + 15) / 16 + 1)
                  : p->count;
  p->memory_size = oct_cpu_pad (6 * (gsize)p->places * ROWS * sizeof (float)
                                + oct_cpu_volume_cs_lateral_scratch (cs));
  p->memory = oct_cpu_alloc (threads, p->memory_size, error);
  if (p->memory == NULL)
    return FALSE;
  oct_parallel_for (d == 0 ? cs->bscans : cs->lines, 1, threads, fill_lines, p);
  oct_cpu_free (p->memory);
  return TRUE;
}

/* Amplitudes in place of A-scans. */
static void
take_amplitudes (gpointer data, guint first, guint end, guint thread)
{
  OctVolumeCs *cs = data;
  float *block = cs->volume + (gsize)first * cs->lines * cs->line;
  float *last = cs->volume + (gsize)end * cs->lines * cs->line;

  for (; block < last; block += OCT_CPU_VOLUME_CS_BLOCK)
    for (guint i = 0; i < OCT_LANES; i++) {
      block[i] = sqrtf (
          block[i] * block[i] + block[OCT_LANES + i] * block[OCT_LANES + i]);
      block[OCT_LANES + i] = 0;
    }
}

gboolean
oct_cpu_volume_cs_paper (
    OctVolumeCs *cs, const OctVolumeCsSettings *s, GError **error)
{
  const OctScanMask *mask = cs->params.mask;
  g_autofree guint8 *there = g_malloc0 ((gsize)cs->lines * cs->bscans);
  g_autofree guint8 *rows = g_malloc0 (cs->bscans);
  Paper paper = { .cs = cs, .basis = s->basis, .steps = s->steps };

  for (guint k = 0; k < mask->count; k++) {
    there[mask->places[k]] = cs->valid[k];
    rows[mask->places[k] / cs->lines] |= cs->valid[k];
  }
  oct_parallel_for (
      cs->bscans, 1, oct_cpu_threads (cs->threads), take_amplitudes, cs);
  return cpu_paper_fill_direction (&paper, 0, there, error)
         && cpu_paper_fill_direction (&paper, 1, rows, error);
}
