/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Each A-line by itself, from a part of its samples, with thresholds that are
 * low where its neighbours are bright: min 1/2 |M A x - y|^2 + sum t |x|, four
 * times from 0, t of the envelope that the neighbourhood had the time before.
 *
 * 16 A-lines side by side, all of them on the chip: the step sizes are those of
 * each.
 */
#include "oct-cpu-volume-cs-parts.h"
#include "oct-simd.h"

#include <math.h>
#include <string.h>

#define PASSES 4
#define FALL 0.5f   /* of the thresholds from step to step */
#define OFFSET 0.3f /* of the noise: what counts as dark */
#define LEAST_STEP 0.1f
#define MOST_STEP 1e30f
/* Standard deviations of the smoothing, B-scans, A-lines and depths, cut at
 * four of them. */
#define LATERAL 2.0
#define AXIAL 1.0
#define MOST_RADIUS 8
/* The least noise, as a part of the brightest value: less counts as none. */
#define LEAST_NOISE 1e-4f

typedef struct {
  OctVolumeCs *cs;
  float noise;
  guint steps, depths;   /* depths: of rows of power, whole blocks */
  gboolean first;        /* pass: nothing is known of the envelope */
  float *power, *smooth; /* [bscans][lines][depths] */
  float weights[2 * MOST_RADIUS + 1];
  guint radius;
} Envelope;

/* One group at work. */
typedef struct {
  float *g, *c, *spectra, *r, *t; /* bins, bins, samples twice, thresholds */
  gpointer fft;
  float alpha[OCT_LANES], high[OCT_LANES], moved[OCT_LANES], change[OCT_LANES];
} Group;

static Group
cpu_envelope_get_group (const OctVolumeCs *cs, guint thread)
{
  gsize n = cs->params.columns, bins = (n / 2 + 1) * OCT_CPU_VOLUME_CS_BLOCK;
  Group group = { .g = oct_cpu_volume_cs_scratch (cs, thread) };

  group.c = group.g + bins;
  group.spectra = group.c + bins;
  group.r = group.spectra + n * OCT_LANES;
  group.t = group.r + n * OCT_LANES;
  group.fft = group.t + (n / 2 + 1) * OCT_LANES;
  return group;
}

gsize
oct_cpu_volume_cs_envelope_scratch (guint samples)
{
  gsize bins = (gsize)samples / 2 + 1;

  return (2 * bins * OCT_CPU_VOLUME_CS_BLOCK + bins * OCT_LANES
             + 2 * (gsize)samples * OCT_LANES)
         * sizeof (float);
}

/* Thresholds [depth][16] of the A-lines of a group. */
static void
cpu_envelope_set_thresholds (const Envelope *e, guint number, float *t)
{
  const OctVolumeCs *cs = e->cs;
  const OctScanMask *mask = cs->params.mask;

  for (guint i = 0; i < cs->depths * OCT_LANES; i++)
    t[i] = OFFSET * e->noise;
  for (guint lane = 0; lane < OCT_LANES && !e->first; lane++) {
    guint k = number * OCT_LANES + lane;
    const float *power;

    if (k >= mask->count)
      continue;
    power = e->power + mask->places[k] * (gsize)e->depths;
    for (guint z = 0; z < cs->depths; z++)
      t[z * OCT_LANES + lane] =
          e->noise * e->noise / (sqrtf (power[z]) + OFFSET * e->noise);
  }
}

/* g = A^H r, mode 0 left out. */
static void
find_gradient (const OctVolumeCs *cs, Group *w)
{
  float scale = (float)(1 / sqrt (cs->params.columns));

  oct_lanes_fft_run_real (cs->to_depths, w->r, w->g, 0, cs->depths, w->fft);
  memset (w->g, 0, OCT_CPU_VOLUME_CS_BLOCK * sizeof (float));
  for (gsize i = 0; i < (gsize)cs->depths * OCT_CPU_VOLUME_CS_BLOCK; i++)
    w->g[i] *= scale;
}

static OCT_VECTORISED void
find_highest (const float *g, const float *t, guint depths, float *high)
{
  for (guint i = 0; i < OCT_LANES; i++)
    high[i] = 0;
  for (guint z = 0; z < depths; z++, g += 2 * OCT_LANES, t += OCT_LANES)
    for (guint i = 0; i < OCT_LANES; i++) {
      float size =
          sqrtf (g[i] * g[i] + g[OCT_LANES + i] * g[OCT_LANES + i]) / t[i];
      high[i] = size > high[i] ? size : high[i];
    }
}

/* c = soft (c - g / alpha, raised t / alpha); moved: the square of its change.
 */
static OCT_VECTORISED void
cpu_envelope_shrink (float *c, const float *g, const float *t,
    const float *alpha, const float *raised, guint depths, float *moved)
{
  for (guint i = 0; i < OCT_LANES; i++)
    moved[i] = 0;
  for (guint z = 0; z < depths;
       z++, c += 2 * OCT_LANES, g += 2 * OCT_LANES, t += OCT_LANES)
    for (guint i = 0; i < OCT_LANES; i++) {
      float ur = c[i] - g[i] / alpha[i];
      float ui = c[OCT_LANES + i] - g[OCT_LANES + i] / alpha[i];
      float size = sqrtf (ur * ur + ui * ui), a = t[i] * raised[i] / alpha[i];
      float keep = size > a ? (size - a) / size : 0;
      float sr = ur * keep - c[i], si = ui * keep - c[OCT_LANES + i];

      c[i] = ur * keep;
      c[OCT_LANES + i] = ui * keep;
      moved[i] += sr * sr + si * si;
    }
}

/* r = M found - y, in place; change: the square of its own. */
static void
find_residual (const float *const *masks, const float *found, const float *y,
    float scale, guint samples, float *r, float *change)
{
  for (guint i = 0; i < OCT_LANES; i++)
    change[i] = 0;
  for (guint n = 0; n < samples; n++)
    for (guint i = 0; i < OCT_LANES; i++) {
      gsize at = (gsize)n * OCT_LANES + i;
      float next = found[at] * scale * masks[i][n] - y[at];
      float by = next - r[at];

      r[at] = next;
      change[i] += by * by;
    }
}

static void
cpu_envelope_solve (const Envelope *e, guint number, Group *w)
{
  const OctVolumeCs *cs = e->cs;
  gsize n = cs->params.columns, size = n * OCT_LANES;
  const float *y = cs->given + number * size, *masks[OCT_LANES];
  float raised[OCT_LANES], fall = 1;

  for (guint i = 0; i < OCT_LANES; i++) {
    masks[i] = oct_cpu_volume_cs_mask_of (cs, number * OCT_LANES + i);
    w->alpha[i] = 1;
  }
  cpu_envelope_set_thresholds (e, number, w->t);
  for (gsize i = 0; i < size; i++)
    w->r[i] = -y[i];
  memset (w->c, 0, (n / 2 + 1) * OCT_CPU_VOLUME_CS_BLOCK * sizeof (float));
  find_gradient (cs, w);
  find_highest (w->g, w->t, cs->depths, w->high);
  for (guint step = 0; step < e->steps; step++) {
    fall *= FALL;
    for (guint i = 0; i < OCT_LANES; i++)
      raised[i] = MAX (1, w->high[i] * fall);
    cpu_envelope_shrink (
        w->c, w->g, w->t, w->alpha, raised, cs->depths, w->moved);
    if (step + 1 == e->steps)
      return;
    /* g is no longer needed, and is as long as the bins of real values */
    memcpy (w->g, w->c, (n / 2 + 1) * OCT_CPU_VOLUME_CS_BLOCK * sizeof (float));
    oct_lanes_fft_run_back_real (cs->to_samples, w->g, w->spectra, w->fft);
    find_residual (
        masks, w->spectra, y, (float)(1 / sqrt (n)), (guint)n, w->r, w->change);
    for (guint i = 0; i < OCT_LANES; i++)
      w->alpha[i] = w->moved[i] > 0 ? CLAMP (
                        w->change[i] / 2 / w->moved[i], LEAST_STEP, MOST_STEP)
                                    : MOST_STEP;
    find_gradient (cs, w);
  }
}

static void
cpu_envelope_solve_groups (gpointer data, guint first, guint end, guint thread)
{
  const Envelope *e = data;
  const OctScanMask *mask = e->cs->params.mask;
  Group group = cpu_envelope_get_group (e->cs, thread);

  for (guint number = first; number < end; number++) {
    cpu_envelope_solve (e, number, &group);
    for (guint lane = 0; lane < OCT_LANES; lane++) {
      guint k = number * OCT_LANES + lane;
      float *to;

      if (k >= mask->count)
        continue;
      to = oct_cpu_volume_cs_line (e->cs, e->cs->volume, mask->places[k]);
      for (guint z = 0; z < e->cs->depths; z++) {
        const float *bin = group.c + (gsize)z * OCT_CPU_VOLUME_CS_BLOCK + lane;
        float *block = to + (gsize)(z / OCT_LANES) * OCT_CPU_VOLUME_CS_BLOCK
                       + z % OCT_LANES;

        block[0] = bin[0];
        block[OCT_LANES] = bin[OCT_LANES];
      }
    }
  }
}

/* --------------------------------------------------------------- smoothing */

static void
set_weights (Envelope *e, double sd)
{
  double sum = 0;

  e->radius = (guint)(4 * sd + 0.5);
  for (guint i = 0; i <= 2 * e->radius; i++)
    sum += exp (-0.5 * pow (((double)i - e->radius) / sd, 2));
  for (guint i = 0; i <= 2 * e->radius; i++)
    e->weights[i] =
        (float)(exp (-0.5 * pow (((double)i - e->radius) / sd, 2)) / sum);
}

/* Lines are vectors of depths: to = sum of weights by lines `step` apart, the
 * first and last one repeated. */
static void
smooth_across (const Envelope *e, const float *from, gsize step, guint at,
    guint count, float *to)
{
  memset (to, 0, e->depths * sizeof (float));
  for (guint k = 0; k <= 2 * e->radius; k++) {
    gint i = CLAMP ((gint)at + (gint)k - (gint)e->radius, 0, (gint)count - 1);
    const float *line = from + (guint)i * step;
    float w = e->weights[k];

    for (guint z = 0; z < e->depths; z++)
      to[z] += w * line[z];
  }
}

/* |x|^2 of B-scan y, smoothed along the depths, to power. */
static void
smooth_depths (gpointer data, guint first, guint end, guint thread)
{
  const Envelope *e = data;
  OctVolumeCs *cs = e->cs;
  gint last = (gint)cs->depths - 1;

  for (guint at = first * cs->lines; at < end * cs->lines; at++) {
    const float *line = oct_cpu_volume_cs_line (cs, cs->volume, at);
    float *to = e->power + at * (gsize)e->depths;
    float *square = oct_cpu_volume_cs_scratch (cs, thread);

    for (guint z = 0; z < e->depths; z++) {
      const float *v = line + (gsize)(z / OCT_LANES) * OCT_CPU_VOLUME_CS_BLOCK
                       + z % OCT_LANES;
      square[z] = v[0] * v[0] + v[OCT_LANES] * v[OCT_LANES];
    }
    for (gint z = 0; z < (gint)e->depths; z++) {
      to[z] = 0;
      for (guint k = 0; k <= 2 * e->radius; k++)
        to[z] += e->weights[k]
                 * square[CLAMP (z + (gint)k - (gint)e->radius, 0, last)];
    }
  }
}

static void
smooth_lines (gpointer data, guint first, guint end, guint thread)
{
  const Envelope *e = data;
  guint lines = e->cs->lines;

  for (guint y = first; y < end; y++)
    for (guint x = 0; x < lines; x++)
      smooth_across (e, e->power + (gsize)y * lines * e->depths, e->depths, x,
          lines, e->smooth + ((gsize)y * lines + x) * e->depths);
}

static void
smooth_bscans (gpointer data, guint first, guint end, guint thread)
{
  const Envelope *e = data;
  guint lines = e->cs->lines;

  for (guint y = first; y < end; y++)
    for (guint x = 0; x < lines; x++)
      smooth_across (e, e->smooth + (gsize)x * e->depths,
          (gsize)lines * e->depths, y, e->cs->bscans,
          e->power + ((gsize)y * lines + x) * e->depths);
}

static float
find_brightest (const OctVolumeCs *cs)
{
  float most = 0;

  for (gsize i = 0; i < (gsize)cs->lines * cs->bscans * cs->line; i++)
    most = MAX (most, fabsf (cs->volume[i]));
  return most;
}

gboolean
oct_cpu_volume_cs_envelope (
    OctVolumeCs *cs, const OctVolumeCsSettings *s, GError **error)
{
  guint threads = oct_cpu_threads (cs->threads);
  guint groups = (cs->params.mask->count + OCT_LANES - 1) / OCT_LANES;
  gsize size = (gsize)cs->lines * cs->bscans * cs->line;
  Envelope e = {
    .cs = cs, .steps = s->steps, .depths = cs->blocks * OCT_LANES
  };
  float brightest = find_brightest (cs);

  if (brightest == 0)
    return TRUE;
  if (cs->work == NULL)
    cs->work = oct_cpu_alloc (size, sizeof (float), error);
  if (cs->work == NULL)
    return FALSE;
  e.noise = MAX ((float)s->noise, LEAST_NOISE * brightest);
  e.power = cs->work;
  e.smooth = cs->work + size / 2;
  for (guint pass = 0; pass < PASSES; pass++) {
    e.first = pass == 0;
    oct_parallel_for (groups, 1, threads, cpu_envelope_solve_groups, &e);
    if (pass + 1 == PASSES)
      break;
    set_weights (&e, AXIAL);
    oct_parallel_for (cs->bscans, 1, threads, smooth_depths, &e);
    set_weights (&e, LATERAL);
    oct_parallel_for (cs->bscans, 1, threads, smooth_lines, &e);
    oct_parallel_for (cs->bscans, 1, threads, smooth_bscans, &e);
  }
  return TRUE;
}
