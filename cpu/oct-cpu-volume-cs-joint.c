/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * All A-lines of a volume at once: the sparsest cosine transform along both
 * lateral directions that explains what was taken.
 *
 * SpaRSA (Wright, Nowak and Figueiredo 2009) with one step size for all, and
 * thresholds that fall from step to step until they are those of the problem. A
 * step is pointwise, one cosine transform back, the A-lines that were taken,
 * and one cosine transform forth: over the volume four times, over spectra
 * once.
 */
#include "oct-cpu-volume-cs-parts.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

#define FALL 0.6       /* of the thresholds from step to step */
#define LEAST_STEP 0.1 /* of 1 / step size */
#define MOST_STEP 1e30
#define FLOOR 1e-3 /* is added to the power transfer of the spot */
/* A volume without noise has no threshold, and its own rounding. */
#define LEAST_NOISE 1e-6

typedef struct {
  OctVolumeCs *cs;
  float *c, *g;          /* coefficients, and what the next ones are made of */
  double *sums, *others; /* [MAX (bscans, groups)] of rows and groups */
  float *thresholds;     /* [bscans][lines] */
  double raised, alpha;  /* of the step */
  double phase_step[2];
} Joint;

/* ------------------------------------------------------------- phase steps */

static OCT_VECTORISED void
joint_multiply (float *line, float re, float im, guint blocks)
{
  for (guint block = 0; block < blocks;
       block++, line += OCT_CPU_VOLUME_CS_BLOCK)
    for (guint i = 0; i < OCT_LANES; i++) {
      float a = line[i], b = line[OCT_LANES + i];

      line[i] = a * re - b * im;
      line[OCT_LANES + i] = a * im + b * re;
    }
}

/* Puts the phase steps into an A-line of g (sign = 1) or takes them out (-1). */
static void
joint_shift_line (const Joint *j, guint32 place, double sign)
{
  const OctVolumeCs *cs = j->cs;
  double phase = j->phase_step[0] * (place % cs->lines)
                 + j->phase_step[1] * (place / cs->lines);

  if (j->phase_step[0] != 0 || j->phase_step[1] != 0)
    joint_multiply (oct_cpu_volume_cs_line (cs, j->g, place),
        (float)cos (phase), (float)sin (sign * phase), cs->blocks);
}

static void
joint_shift_rows (gpointer data, guint first, guint end, guint thread)
{
  const Joint *j = data;

  for (guint32 at = first * j->cs->lines; at < end * j->cs->lines; at++)
    joint_shift_line (j, at, 1);
}

static void
joint_shift_group (const Joint *j, guint group, double sign)
{
  const OctVolumeCs *cs = j->cs;
  const OctScanMask *mask = cs->params.mask;
  guint end = MIN ((group + 1) * OCT_LANES, mask->count);

  for (guint k = group * OCT_LANES; k < end; k++)
    if (cs->valid[k])
      joint_shift_line (j, mask->places[k], sign);
}

/* -------------------------------------------------------- cosine transforms */

/* The order of a line in the transform that gives its cosine transform: even
 * places first, then odd ones from the end (Makhoul 1980). */
static inline guint
cpu_volume_cs_joint_reordered (guint j, guint count)
{
  return j % 2 == 0 ? j / 2 : count - 1 - j / 2;
}

/* values [count][2][16] from lines `step` floats apart */
static void
read_lines (const float *from, gsize step, guint count, float *values)
{
  for (guint j = 0; j < count; j++)
    memcpy (values
                + (gsize)cpu_volume_cs_joint_reordered (j, count)
                      * OCT_CPU_VOLUME_CS_BLOCK,
        from + j * step, OCT_CPU_VOLUME_CS_BLOCK * sizeof (float));
}

static void
write_lines (const float *values, guint count, float *to, gsize step)
{
  for (guint j = 0; j < count; j++)
    memcpy (to + j * step,
        values
            + (gsize)cpu_volume_cs_joint_reordered (j, count)
                  * OCT_CPU_VOLUME_CS_BLOCK,
        OCT_CPU_VOLUME_CS_BLOCK * sizeof (float));
}

/* Cosine coefficients, orthonormal, of bins v: s/2 (w v[k] + conj w v[n-k]). */
static OCT_VECTORISED void
write_cosines (
    const float *v, const float *twiddles, guint count, float *to, gsize step)
{
  for (guint k = 0; k < count; k++) {
    const float *a = v + (gsize)k * OCT_CPU_VOLUME_CS_BLOCK;
    const float *b = v + (gsize)((count - k) % count) * OCT_CPU_VOLUME_CS_BLOCK;
    float scale = sqrtf ((k == 0 ? 0.25f : 0.5f) / (float)count);
    float re = twiddles[2 * k] * scale, im = twiddles[2 * k + 1] * scale;
    float *out = to + k * step;

    for (guint i = 0; i < OCT_LANES; i++) {
      float ar = a[i], ai = a[OCT_LANES + i];
      float br = b[i], bi = b[OCT_LANES + i];

      out[i] = re * (ar + br) - im * (ai - bi);
      out[OCT_LANES + i] = re * (ai + bi) + im * (ar - br);
    }
  }
}

/* Bins that the backward transform makes into the lines: conj w (c[k] - i
 * c[n-k]), of unnormalised cosines c. */
static OCT_VECTORISED void
read_cosines (
    const float *from, gsize step, const float *twiddles, guint count, float *v)
{
  for (guint k = 0; k < count; k++) {
    const float *a = from + k * step;
    const float *b = from + (k == 0 ? 0 : count - k) * step;
    float scale = sqrtf ((k == 0 ? 1.0f : 0.5f) / (float)count);
    float other = k == 0 ? 0 : scale;
    float re = twiddles[2 * k], im = -twiddles[2 * k + 1];
    float *out = v + (gsize)k * OCT_CPU_VOLUME_CS_BLOCK;

    for (guint i = 0; i < OCT_LANES; i++) {
      float cr = a[i] * scale + b[OCT_LANES + i] * other;
      float ci = a[OCT_LANES + i] * scale - b[i] * other;

      out[i] = re * cr - im * ci;
      out[OCT_LANES + i] = re * ci + im * cr;
    }
  }
}

void
oct_cpu_volume_cs_cosines (const OctVolumeCs *cs, guint d, gboolean back,
    float *lines, gsize step, gpointer memory)
{
  guint count = d == 0 ? cs->lines : cs->bscans;
  float *a = memory, *b = a + (gsize)count * OCT_CPU_VOLUME_CS_BLOCK;
  gpointer scratch = b + (gsize)count * OCT_CPU_VOLUME_CS_BLOCK;

  if (back) {
    read_cosines (lines, step, cs->twiddles[d], count, a);
    oct_lanes_fft_run (cs->backward[d], a, b, 0, count, scratch);
    write_lines (b, count, lines, step);
  } else {
    read_lines (lines, step, count, a);
    oct_lanes_fft_run (cs->forward[d], a, b, 0, count, scratch);
    write_cosines (b, cs->twiddles[d], count, lines, step);
  }
}

static void
transform_columns (
    Joint *j, guint first, guint end, guint thread, gboolean back)
{
  OctVolumeCs *cs = j->cs;
  gpointer memory = oct_cpu_volume_cs_scratch (cs, thread);

  for (guint x = first; x < end; x++)
    for (guint block = 0; block < cs->blocks; block++)
      oct_cpu_volume_cs_cosines (cs, 1, back,
          j->g + x * cs->line + (gsize)block * OCT_CPU_VOLUME_CS_BLOCK,
          cs->line * cs->lines, memory);
}

static void
columns_forth (gpointer data, guint first, guint end, guint thread)
{
  transform_columns (data, first, end, thread, FALSE);
}

static void
columns_back (gpointer data, guint first, guint end, guint thread)
{
  transform_columns (data, first, end, thread, TRUE);
}

/* Blocks of B-scan y along the A-lines. */
static void
transform_row (Joint *j, guint y, guint thread, gboolean back)
{
  OctVolumeCs *cs = j->cs;
  float *row = j->g + (gsize)y * cs->lines * cs->line;

  for (guint block = 0; block < cs->blocks; block++)
    oct_cpu_volume_cs_cosines (cs, 0, back,
        row + (gsize)block * OCT_CPU_VOLUME_CS_BLOCK, cs->line,
        oct_cpu_volume_cs_scratch (cs, thread));
}

/* ------------------------------------------------------------------- steps */

/* The largest |value|^2 of an A-scan. */
static OCT_VECTORISED float
find_largest (const float *line, guint blocks)
{
  float most = 0;

  for (guint block = 0; block < blocks;
       block++, line += OCT_CPU_VOLUME_CS_BLOCK)
    for (guint i = 0; i < OCT_LANES; i++) {
      float power =
          line[i] * line[i] + line[OCT_LANES + i] * line[OCT_LANES + i];
      most = power > most ? power : most;
    }
  return most;
}

/* g becomes S g, and others the largest |g| in units of the threshold. */
static void
rows_forth (gpointer data, guint first, guint end, guint thread)
{
  Joint *j = data;
  OctVolumeCs *cs = j->cs;

  for (guint y = first; y < end; y++) {
    transform_row (j, y, thread, FALSE);
    j->others[y] = 0;
    for (guint x = 0; x < cs->lines; x++) {
      guint32 at = y * cs->lines + x;
      double size = sqrt (
          find_largest (oct_cpu_volume_cs_line (cs, j->g, at), cs->blocks));
      j->others[y] = MAX (j->others[y], size / j->thresholds[at]);
    }
  }
}

/* n = soft (c - g / alpha, a) takes the place of c and g; returns |n - c|^2. */
static OCT_VECTORISED double
cpu_joint_shrink (float *c, float *g, float per_alpha, float a, guint blocks)
{
  double sum = 0;

  for (guint block = 0; block < blocks;
       block++, c += OCT_CPU_VOLUME_CS_BLOCK, g += OCT_CPU_VOLUME_CS_BLOCK) {
    float part = 0;

    for (guint i = 0; i < OCT_LANES; i++) {
      float ur = c[i] - g[i] * per_alpha;
      float ui = c[OCT_LANES + i] - g[OCT_LANES + i] * per_alpha;
      float size = sqrtf (ur * ur + ui * ui);
      float keep = size > a ? (size - a) / size : 0;
      float sr = ur * keep - c[i], si = ui * keep - c[OCT_LANES + i];

      c[i] = g[i] = ur * keep;
      c[OCT_LANES + i] = g[OCT_LANES + i] = ui * keep;
      part += sr * sr + si * si;
    }
    sum += part;
  }
  return sum;
}

static void
rows_step (gpointer data, guint first, guint end, guint thread)
{
  Joint *j = data;
  OctVolumeCs *cs = j->cs;

  for (guint y = first; y < end; y++) {
    j->sums[y] = 0;
    for (guint x = 0; x < cs->lines; x++) {
      guint32 at = y * cs->lines + x;

      j->sums[y] += cpu_joint_shrink (oct_cpu_volume_cs_line (cs, j->c, at),
          oct_cpu_volume_cs_line (cs, j->g, at), (float)(1 / j->alpha),
          (float)(j->thresholds[at] * j->raised / j->alpha), cs->blocks);
    }
    transform_row (j, y, thread, TRUE);
  }
}

/* r = found - given, in place of both; returns the square of its change. */
static OCT_VECTORISED double
cpu_joint_update (float *r, float *found, const float *given, gsize count)
{
  double sum = 0;

  for (gsize i = 0; i < count; i += OCT_LANES) {
    float part = 0;

    for (guint k = 0; k < OCT_LANES; k++) {
      float next = found[i + k] - given[i + k];
      float change = next - r[i + k];

      r[i + k] = found[i + k] = next;
      part += change * change;
    }
    sum += part;
  }
  return sum;
}

/* A-scans: what is not explained of those that were taken is the gradient. */
static void
compare_ascans (gpointer data, guint first, guint end, guint thread)
{
  Joint *j = data;
  OctVolumeCs *cs = j->cs;

  for (guint k = first; k < end; k++) {
    guint32 place = cs->params.mask->places[k];

    j->others[k] = 0;
    if (!cs->valid[k])
      continue;
    joint_shift_line (j, place, 1);
    j->others[k] = cpu_joint_update (cs->residual + k * cs->line,
        oct_cpu_volume_cs_line (cs, j->g, place), cs->given + k * cs->line,
        cs->line);
    joint_shift_line (j, place, -1);
  }
}

/* Bins of the A-scans of a group, those that are not there 0. */
static void
cpu_volume_cs_joint_gather (const Joint *j, guint group, float *bins)
{
  const OctVolumeCs *cs = j->cs;
  const OctScanMask *mask = cs->params.mask;
  gsize size = (gsize)cs->params.columns / 2 + 1;

  memset (bins, 0, size * OCT_CPU_VOLUME_CS_BLOCK * sizeof (float));
  for (guint lane = 0; lane < OCT_LANES; lane++) {
    guint k = group * OCT_LANES + lane;
    const float *line;

    if (k >= mask->count || !cs->valid[k])
      continue;
    line = oct_cpu_volume_cs_line (cs, j->g, mask->places[k]);
    for (guint i = 1; i < cs->depths; i++) {
      const float *block = line
                           + (gsize)(i / OCT_LANES) * OCT_CPU_VOLUME_CS_BLOCK
                           + i % OCT_LANES;
      float *bin = bins + (gsize)i * OCT_CPU_VOLUME_CS_BLOCK + lane;

      bin[0] = block[0];
      bin[OCT_LANES] = block[OCT_LANES];
    }
  }
}

/* Scales spectra and sets the samples to 0 that their masks leave out. */
static void
cpu_volume_cs_joint_keep (const OctVolumeCs *cs, guint group, float *spectra)
{
  const float *masks[OCT_LANES];
  float scale = (float)(1 / sqrt (cs->params.columns));

  for (guint lane = 0; lane < OCT_LANES; lane++)
    masks[lane] = oct_cpu_volume_cs_mask_of (cs, group * OCT_LANES + lane);
  for (guint i = 0; i < cs->params.columns; i++)
    for (guint lane = 0; lane < OCT_LANES; lane++)
      spectra[(gsize)i * OCT_LANES + lane] *= scale * masks[lane][i];
}

static void
compare_spectra (gpointer data, guint first, guint end, guint thread)
{
  Joint *j = data;
  OctVolumeCs *cs = j->cs;
  gsize n = cs->params.columns, size = n * OCT_LANES;
  float *spectra = oct_cpu_volume_cs_scratch (cs, thread);
  float *bins = spectra + size;
  gpointer scratch = bins + (n / 2 + 1) * OCT_CPU_VOLUME_CS_BLOCK;

  for (guint group = first; group < end; group++) {
    joint_shift_group (j, group, 1);
    cpu_volume_cs_joint_gather (j, group, bins);
    oct_lanes_fft_run_back_real (cs->to_samples, bins, spectra, scratch);
    cpu_volume_cs_joint_keep (cs, group, spectra);
    /* both halves of a real spectrum hold the same */
    j->others[group] = cpu_joint_update (cs->residual + group * size, spectra,
                           cs->given + group * size, size)
                       / 2;
    oct_cpu_volume_cs_adjoint (cs, group, spectra, j->g, bins, scratch);
    joint_shift_group (j, group, -1);
  }
}

/* The gradient of A-lines that were not taken is 0. */
static void
clear_missing (Joint *j)
{
  OctVolumeCs *cs = j->cs;
  const OctScanMask *mask = cs->params.mask;
  guint n = cs->lines * cs->bscans;

  for (guint at = 0, k = 0; at < n; at++) {
    gboolean taken = k < mask->count && mask->places[k] == at;

    if (!taken || !cs->valid[k])
      memset (
          oct_cpu_volume_cs_line (cs, j->g, at), 0, cs->line * sizeof (float));
    k += taken;
  }
}

static double
sum_of (const double *values, guint count)
{
  double sum = 0;

  for (guint i = 0; i < count; i++)
    sum += values[i];
  return sum;
}

static void
cpu_volume_cs_joint_run (Joint *j, guint steps)
{
  OctVolumeCs *cs = j->cs;
  guint threads = oct_cpu_threads (cs->threads);
  guint count = cs->params.mask->count;
  guint pieces =
      cs->params.spectra ? (count + OCT_LANES - 1) / OCT_LANES : count;
  double high = 0;

  j->alpha = 1;
  for (guint k = 0; k < steps; k++) {
    double moved, change;

    oct_parallel_for (cs->lines, 1, threads, columns_forth, j);
    oct_parallel_for (cs->bscans, 1, threads, rows_forth, j);
    if (k == 0)
      for (guint y = 0; y < cs->bscans; y++)
        high = MAX (high, j->others[y]);
    j->raised = MAX (1, high * pow (FALL, k + 1));
    oct_parallel_for (cs->bscans, 1, threads, rows_step, j);
    moved = sum_of (j->sums, cs->bscans);
    oct_parallel_for (cs->lines, 1, threads, columns_back, j);
    if (k + 1 == steps)
      return;
    oct_parallel_for (pieces, 1, threads,
        cs->params.spectra ? compare_spectra : compare_ascans, j);
    change = sum_of (j->others, pieces);
    clear_missing (j);
    j->alpha =
        moved > 0 ? CLAMP (change / moved, LEAST_STEP, MOST_STEP) : MOST_STEP;
  }
}

/* ------------------------------------------------------------------- whole */

/* FALSE: there is nothing but zeros. */
static gboolean
cpu_joint_set_thresholds (Joint *j, const OctVolumeCsSettings *s)
{
  OctVolumeCs *cs = j->cs;
  guint n = cs->lines * cs->bscans;
  double most = 0, unit;

  for (guint at = 0; at < n; at++)
    most = MAX (most,
        find_largest (oct_cpu_volume_cs_line (cs, cs->volume, at), cs->blocks));
  unit = MAX (s->tau * s->noise, LEAST_NOISE * sqrt (most));
  for (guint y = 0; y < cs->bscans; y++) {
    double across = oct_volume_cs_get_transfer (y, cs->bscans, s->spot_y);

    for (guint x = 0; x < cs->lines; x++)
      j->thresholds[y * cs->lines + x] =
          (float)(unit
                  / sqrt (
                      across
                          * oct_volume_cs_get_transfer (x, cs->lines, s->spot_x)
                      + FLOOR));
  }
  return most > 0;
}

static gboolean
cpu_volume_cs_joint_reserve (OctVolumeCs *cs, gsize given, GError **error)
{
  gsize volume = cs->line * cs->lines * cs->bscans;

  if (cs->work == NULL)
    cs->work = oct_cpu_alloc (volume, sizeof (float), NULL);
  if (cs->residual == NULL)
    cs->residual = oct_cpu_alloc (given, sizeof (float), NULL);
  if (cs->work != NULL && cs->residual != NULL)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_MEMORY,
      "There is no memory to fill in a volume of %u B-scans of %u A-lines of "
      "%u depths at once, which takes %" G_GUINT64_FORMAT
      " MB; set method=linear, or fewer depths",
      cs->bscans, cs->lines, cs->depths,
      oct_volume_cs_get_size (&cs->params) / 1000000);
  return FALSE;
}

gboolean
oct_cpu_volume_cs_joint (
    OctVolumeCs *cs, const OctVolumeCsSettings *s, GError **error)
{
  gsize n = (gsize)cs->lines * cs->bscans;
  gsize groups = ((gsize)cs->params.mask->count + OCT_LANES - 1) / OCT_LANES;
  gsize given = cs->params.spectra ? groups * OCT_LANES * cs->params.columns
                                   : cs->params.mask->count * cs->line;
  g_autofree double *sums = g_new0 (double, n);
  g_autofree double *others = g_new0 (double, n + OCT_LANES);
  g_autofree float *thresholds = g_new (float, n);
  Joint joint = { .cs = cs,
    .sums = sums,
    .others = others,
    .thresholds = thresholds,
    .phase_step = { s->phase_step_x, s->phase_step_y } };

  if (!cpu_volume_cs_joint_reserve (cs, given, error))
    return FALSE;
  joint.c = cs->work;
  /* A^H y; the first gradient is its negative */
  joint.g = cs->volume;
  if (!cpu_joint_set_thresholds (&joint, s))
    return TRUE;
  for (gsize i = 0; i < n * cs->line; i++)
    joint.g[i] = -joint.g[i];
  for (gsize group = 0; group < groups; group++)
    joint_shift_group (&joint, (guint)group, -1);
  for (gsize i = 0; i < given; i++)
    cs->residual[i] = -cs->given[i];
  memset (joint.c, 0, n * cs->line * sizeof (float));
  cpu_volume_cs_joint_run (&joint, s->steps);
  oct_parallel_for (
      cs->bscans, 1, oct_cpu_threads (cs->threads), joint_shift_rows, &joint);
  return TRUE;
}
