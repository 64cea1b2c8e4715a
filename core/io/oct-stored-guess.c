/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which type the values of a raw file seem to have. */
#include "oct-stored.h"

#include <math.h>
#include <string.h>

/* Differences of whole numbers above these parts of their range do not come
 * from a spectrometer: on average, and of more samples than one in a thousand. */
#define LARGE_STEP (1.0 / 16)
#define JUMP 0.5
#define MANY_JUMPS 1e-3

/* The mean square of differences over twice the variance (von Neumann's ratio):
 * 1 where each sample has nothing to do with the one before it. */
#define ROUGH 0.5
#define SMOOTH 0.1

/* Another type has to be so much smoother. */
#define MUCH 0.25

/* Two values of the largest type. */
#define LEAST_BYTES (2 * sizeof (double))

typedef struct {
  gboolean possible; /* no floats that nothing measures */
  double step;       /* mean difference of neighbours */
  double jumps;      /* part of them above half of the range */
  double ratio;      /* von Neumann's */
} Roughness;

static float *
load_values (const OctStoredType *type, const guint8 *bytes, gsize count)
{
  float *values = g_new (float, count);

  if (type->delivered == OCT_SAMPLE_F32) {
    if (type->load != NULL)
      type->load (bytes, count, values);
    else
      memcpy (values, bytes, count * sizeof *values);
  } else if (type->size == 1) {
    for (gsize i = 0; i < count; i++)
      values[i] = bytes[i];
  } else {
    for (gsize i = 0; i < count; i++)
      values[i] = type->swapped ? bytes[2 * i] << 8 | bytes[2 * i + 1]
                                : bytes[2 * i + 1] << 8 | bytes[2 * i];
  }
  return values;
}

/* Mean and variance of every `step`-th value from `first` on. */
static void
find_moments (const float *values, gsize first, gsize count, gsize step,
    double *mean, double *variance)
{
  double sum = 0.0, squares = 0.0;
  gsize n = 0;

  for (gsize i = first; i < count; i += step, n++)
    sum += values[i];
  *mean = n > 0 ? sum / n : 0.0;
  for (gsize i = first; i < count; i += step)
    squares += (values[i] - *mean) * (values[i] - *mean);
  *variance = n > 0 ? squares / n : 0.0;
}

static double
find_ratio (const float *values, gsize count, gsize lag)
{
  double mean, variance, squares = 0.0;

  find_moments (values, 0, count, 1, &mean, &variance);
  for (gsize i = lag; i < count; i++) {
    double difference = (double)values[i] - values[i - lag];

    squares += difference * difference;
  }
  return variance > 0.0 ? squares / (count - lag) / (2.0 * variance) : 0.0;
}

/* Floats of a camera are neither so small nor so large; bytes of another type
 * read as floats nearly always are. */
static gboolean
are_possible (const OctStoredType *type, const float *values, gsize count)
{
  float most = 0.0f;

  for (gsize i = 0; i < count; i++) {
    if (!isfinite (values[i]))
      return FALSE;
    most = MAX (most, fabsf (values[i]));
  }
  return type->kind != 'f' || most == 0.0f || (most > 1e-12f && most < 1e12f);
}

static Roughness
measure_roughness (OctStored stored, const guint8 *bytes, gsize size)
{
  const OctStoredType *type = oct_stored_get (stored);
  gsize count = size / type->size;
  g_autofree float *values = load_values (type, bytes, count);
  Roughness found = { .possible = are_possible (type, values, count) };
  double range = exp2 (8.0 * type->size);

  if (!found.possible || count < 2)
    return found;
  for (gsize i = 1; i < count; i++) {
    double step = fabs ((double)values[i] - values[i - 1]);

    found.step += step / (count - 1);
    if (type->kind != 'f' && step > JUMP * range)
      found.jumps += 1.0 / (count - 1);
  }
  found.ratio = find_ratio (values, count, 1);
  return found;
}

/* Whether `parts` neighbouring values are the parts of one: then they differ,
 * while samples of a fringe of any period are alike on average, and every
 * `parts`-th ones follow each other as smoothly as the fringe. */
static gboolean
are_parts (OctStored stored, guint parts, const guint8 *bytes, gsize size)
{
  const OctStoredType *type = oct_stored_get (stored);
  gsize count = size / type->size;
  g_autofree float *values = load_values (type, bytes, count);
  double mean, all, within = 0.0;

  if (!are_possible (type, values, count)
      || find_ratio (values, count, parts) > ROUGH)
    return TRUE;
  find_moments (values, 0, count, 1, &mean, &all);
  for (guint i = 0; i < parts; i++) {
    double variance;

    find_moments (values, i, count, parts, &mean, &variance);
    within += variance / parts;
  }
  return all - within > ROUGH * within;
}

/* The bits of a float rise with it, so they are smooth as a whole number too:
 * of these two, the first in the table is more likely. */
static gboolean
is_alike (const OctStoredType *a, const OctStoredType *b)
{
  return a->size == b->size && a->swapped == b->swapped
         && (a->kind == 'f') != (b->kind == 'f');
}

OctStored
oct_stored_guess (OctStored stored, const guint8 *bytes, gsize size)
{
  const OctStoredType *set = oct_stored_get (stored);
  Roughness found;
  double least;
  OctStored best = stored;

  /* not two values of every type: nothing to compare */
  if (size < LEAST_BYTES)
    return stored;
  found = measure_roughness (stored, bytes, size);
  least = MUCH * found.step;
  /* wrong order of bytes, or wrong sign: the same units, and smaller steps */
  if (set->kind != 'f'
      && (found.jumps > MANY_JUMPS
          || found.step > LARGE_STEP * exp2 (8.0 * set->size)))
    for (guint i = 0; i < OCT_STORED_COUNT; i++) {
      const OctStoredType *type = oct_stored_get ((OctStored)i);
      Roughness other;

      if (type->kind == 'f' || type->size != set->size || i == stored)
        continue;
      other = measure_roughness ((OctStored)i, bytes, size);
      if (other.step >= least)
        continue;
      least = other.step / 2;
      best = (OctStored)i;
    }
  if (best != stored || (found.possible && found.ratio < ROUGH))
    return best;
  least = SMOOTH;
  for (guint i = 0; i < OCT_STORED_COUNT; i++) {
    const OctStoredType *type = oct_stored_get ((OctStored)i);
    Roughness other;

    if (i == stored
        || (best != stored && is_alike (type, oct_stored_get (best)))
        || (type->size > set->size
            && !are_parts (stored, type->size / set->size, bytes, size)))
      continue;
    other = measure_roughness ((OctStored)i, bytes, size);
    if (!other.possible || other.step == 0.0 || other.ratio >= least)
      continue;
    least = other.ratio / 2;
    best = (OctStored)i;
  }
  return best;
}
