/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * A-scans of a part of the samples, each A-line by itself: the least sum of |x|
 * over the modes of the unitary transform with A x = y where samples are kept.
 *
 * A spectrum is real, so that modes 0 to samples / 2 are enough, and all but
 * the first and, of an even number, the last one count twice.  16 A-lines side
 * by side, all of them on the chip; each stops by itself.
 */
#include "oct-cpu-volume-cs-pursuit.h"
#include "oct-cpu-volume-cs-parts.h"
#include "oct-simd.h"

#include <string.h>

typedef struct {
  OctVolumeCs *cs;
  guint steps;
} Axial;

/* One group at work. */
typedef struct {
  float *x, *z, *dual; /* [bins][2][16]; dual: what back and forth makes too */
  float *y, *kept;     /* [samples][16] */
  gpointer fft;
  const float *b; /* [samples][16] as it was stored */
  guint samples, bins;
  float mu[OCT_LANES], least[OCT_LANES];
  float scale[OCT_LANES]; /* b is taken in units of it */
  gboolean done[OCT_LANES];
} Group;

gsize
oct_cpu_volume_cs_axial_scratch (guint samples)
{
  gsize bins = (gsize)samples / 2 + 1;

  return (3 * bins * OCT_CPU_VOLUME_CS_BLOCK + 2 * (gsize)samples * OCT_LANES)
         * sizeof (float);
}

static Group
cpu_axial_get_group (const OctVolumeCs *cs, guint thread)
{
  guint n = cs->params.columns;
  gsize size = ((gsize)n / 2 + 1) * OCT_CPU_VOLUME_CS_BLOCK;
  Group group = {
    .x = oct_cpu_volume_cs_scratch (cs, thread), .samples = n, .bins = n / 2 + 1
  };

  group.z = group.x + size;
  group.dual = group.z + size;
  group.y = group.dual + size;
  group.kept = group.y + (gsize)n * OCT_LANES;
  group.fft = group.kept + (gsize)n * OCT_LANES;
  return group;
}

/* Modes of a real spectrum that bin `bin` stands for. */
static inline float
count_of (const Group *w, guint bin)
{
  return bin == 0 || 2 * bin == w->samples ? 1 : 2;
}

/* --------------------------------------------------------------------- step */

/* dual = z - x / mu */
static OCT_VECTORISED void
cpu_axial_mix (
    const float *z, const float *x, const float *mu, guint bins, float *dual)
{
  float over[OCT_LANES];

  for (guint i = 0; i < OCT_LANES; i++)
    over[i] = 1 / mu[i];
  for (guint bin = 0; bin < 2 * bins;
       bin++, z += OCT_LANES, x += OCT_LANES, dual += OCT_LANES)
    for (guint i = 0; i < OCT_LANES; i++)
      dual[i] = z[i] - x[i] * over[i];
}

/* y = kept A (z - x / mu) + b / mu; y holds A (z - x / mu), unscaled. */
static OCT_VECTORISED void
cpu_volume_cs_axial_constrain (const Group *w, float back)
{
  float *y = w->y, over[OCT_LANES];
  const float *kept = w->kept, *b = w->b;

  for (guint i = 0; i < OCT_LANES; i++)
    over[i] = 1 / (w->scale[i] * w->mu[i]);
  for (guint n = 0; n < w->samples;
       n++, y += OCT_LANES, kept += OCT_LANES, b += OCT_LANES)
    for (guint i = 0; i < OCT_LANES; i++)
      y[i] = y[i] * back * kept[i] + b[i] * over[i];
}

/* Scales dual in place; z = dual + x / mu, its modulus bounded by 1;
 * x += mu (dual - z). */
static OCT_VECTORISED void
cpu_volume_cs_axial_advance (const Group *w, float forth)
{
  float *x = w->x, *z = w->z, *dual = w->dual, over[OCT_LANES];
  const float *mu = w->mu;

  for (guint i = 0; i < OCT_LANES; i++)
    over[i] = 1 / mu[i];
  for (guint bin = 0; bin < w->bins; bin++, x += OCT_CPU_VOLUME_CS_BLOCK,
             z += OCT_CPU_VOLUME_CS_BLOCK, dual += OCT_CPU_VOLUME_CS_BLOCK)
    for (guint i = 0; i < OCT_LANES; i++) {
      float dr = dual[i] * forth, di = dual[OCT_LANES + i] * forth;
      float re = dr + x[i] * over[i], im = di + x[OCT_LANES + i] * over[i];
      float size = sqrtf (re * re + im * im), keep = size > 1 ? 1 / size : 1;

      dual[i] = dr;
      dual[OCT_LANES + i] = di;
      z[i] = re * keep;
      z[OCT_LANES + i] = im * keep;
      x[i] += mu[i] * (dr - z[i]);
      x[OCT_LANES + i] += mu[i] * (di - z[OCT_LANES + i]);
    }
}

static void
take_step (const OctVolumeCs *cs, const Group *w)
{
  float scale = (float)(1 / sqrt (w->samples));

  cpu_axial_mix (w->z, w->x, w->mu, w->bins, w->dual);
  oct_lanes_fft_run_back_real (cs->to_samples, w->dual, w->y, w->fft);
  cpu_volume_cs_axial_constrain (w, scale);
  oct_lanes_fft_run_real (cs->to_depths, w->y, w->dual, 0, w->bins, w->fft);
  cpu_volume_cs_axial_advance (w, scale);
}

/* -------------------------------------------------------------------- judge */

/* Sums of all A-lines of the group, after a step. */
static OCT_VECTORISED void
find_sums (const Group *w, OctCpuPursuitSums *sums)
{
  double step[OCT_LANES] = { 0 }, x2[OCT_LANES] = { 0 }, z2[OCT_LANES] = { 0 };
  double primal[OCT_LANES] = { 0 }, value[OCT_LANES] = { 0 };

  for (guint bin = 0; bin < w->bins; bin++) {
    gsize at = (gsize)bin * OCT_CPU_VOLUME_CS_BLOCK;
    const float *x = w->x + at, *z = w->z + at, *dual = w->dual + at;
    float count = count_of (w, bin);

    for (guint i = 0; i < OCT_LANES; i++) {
      float re = dual[i] - z[i], im = dual[OCT_LANES + i] - z[OCT_LANES + i];
      float xx = x[i] * x[i] + x[OCT_LANES + i] * x[OCT_LANES + i];
      float zz = z[i] * z[i] + z[OCT_LANES + i] * z[OCT_LANES + i];

      step[i] += count * (re * re + im * im);
      x2[i] += count * xx;
      z2[i] += count * zz;
      primal[i] += count * sqrtf (xx);
    }
  }
  for (gsize at = 0; at < (gsize)w->samples * OCT_LANES; at += OCT_LANES)
    for (guint i = 0; i < OCT_LANES; i++)
      value[i] += w->b[at + i] * w->y[at + i];
  for (guint i = 0; i < OCT_LANES; i++)
    sums[i] = (OctCpuPursuitSums){ step[i], x2[i], z2[i], primal[i],
      value[i] / w->scale[i] };
}

/* x of one A-line to its place in the volume; mode 0 is left out. */
static void
cpu_volume_cs_axial_deliver (
    const OctVolumeCs *cs, guint number, guint lane, const Group *w)
{
  guint32 place = cs->params.mask->places[number * OCT_LANES + lane];
  float *to = oct_cpu_volume_cs_line (cs, cs->volume, place);

  for (guint z = 1; z < cs->depths; z++) {
    const float *bin = w->x + (gsize)z * OCT_CPU_VOLUME_CS_BLOCK + lane;
    float *block =
        to + (gsize)(z / OCT_LANES) * OCT_CPU_VOLUME_CS_BLOCK + z % OCT_LANES;

    block[0] = bin[0] * w->scale[lane];
    block[OCT_LANES] = bin[OCT_LANES] * w->scale[lane];
  }
}

/* TRUE: all A-lines of the group are done. */
static gboolean
cpu_volume_cs_axial_judge (const Axial *a, guint number, Group *w, guint step)
{
  OctCpuPursuitSums sums[OCT_LANES];
  gboolean all = TRUE;

  find_sums (w, sums);
  for (guint i = 0; i < OCT_LANES; i++) {
    if (w->done[i])
      continue;
    w->done[i] = oct_cpu_pursuit_judge (&sums[i], step, w->least[i], &w->mu[i])
                 || step == a->steps;
    if (w->done[i])
      cpu_volume_cs_axial_deliver (a->cs, number, i, w);
    all &= w->done[i];
  }
  return all;
}

/* -------------------------------------------------------------------- solve */

/* Reads the stored A-lines, in units of their largest value; the mean over the
 * kept samples gives the first step size.  A missing A-line, or one of zeros,
 * is done. */
static void
cpu_axial_begin (const OctVolumeCs *cs, guint number, Group *w)
{
  gsize n = w->samples;

  w->b = cs->given + number * n * OCT_LANES;
  for (guint i = 0; i < OCT_LANES; i++) {
    const float *mask = oct_cpu_volume_cs_mask_of (cs, number * OCT_LANES + i);
    float most = 0, sum = 0, many = 0;

    for (gsize k = 0; k < n; k++) {
      float size = fabsf (w->b[k * OCT_LANES + i]);

      w->kept[k * OCT_LANES + i] = mask[k];
      most = MAX (most, size);
      sum += size;
      many += mask[k];
    }
    w->done[i] = most == 0;
    w->scale[i] = most > 0 ? most : 1;
    w->mu[i] = most > 0 ? sum / (most * many) : 1;
    w->least[i] = OCT_CPU_PURSUIT_LEAST * w->mu[i];
  }
}

static void
cpu_axial_solve (const Axial *a, guint number, Group *w)
{
  const OctVolumeCs *cs = a->cs;
  float scale = (float)(1 / sqrt (w->samples));
  gsize size = (gsize)w->bins * OCT_CPU_VOLUME_CS_BLOCK;

  cpu_axial_begin (cs, number, w);
  oct_lanes_fft_run_real (cs->to_depths, w->b, w->x, 0, w->bins, w->fft);
  for (gsize i = 0; i < size; i++)
    w->x[i] *= scale / w->scale[i % OCT_LANES];
  memset (w->z, 0, size * sizeof (float));
  for (guint step = 1; step <= a->steps; step++) {
    take_step (cs, w);
    if ((step % 2 == 0 || step == a->steps)
        && cpu_volume_cs_axial_judge (a, number, w, step))
      return;
  }
}

static void
cpu_axial_solve_groups (gpointer data, guint first, guint end, guint thread)
{
  const Axial *a = data;
  Group group = cpu_axial_get_group (a->cs, thread);

  for (guint number = first; number < end; number++)
    cpu_axial_solve (a, number, &group);
}

void
oct_cpu_volume_cs_axial (OctVolumeCs *cs, guint steps)
{
  Axial axial = { cs, steps };
  guint groups = (cs->params.mask->count + OCT_LANES - 1) / OCT_LANES;

  oct_parallel_for (
      groups, 1, oct_cpu_threads (cs->threads), cpu_axial_solve_groups, &axial);
}
