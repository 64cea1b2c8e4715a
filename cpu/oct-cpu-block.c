/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cpu-block.h"

#include "oct-simd.h"

#define LANES OCT_LANES
#define VECTORS (LANES / OCT_VECTOR)

typedef guint8 Counts8
    __attribute__ ((vector_size (OCT_VECTOR), aligned (1), may_alias));
typedef guint16 Counts16
    __attribute__ ((vector_size (2 * OCT_VECTOR), aligned (2), may_alias));

/* through 32-bit integers, for which processors have an instruction */
#define COUNTS_TO_FLOAT(vector)                                                \
  __builtin_convertvector(                                                     \
      __builtin_convertvector(vector, OctSelection), OctVector)

/* Eight samples of eight A-lines at a time, in the registers.  A cache line of
 * each row is read to its end before the next eight rows: rows a power of two
 * apart share cache sets. */
#define DEFINE_LOAD(name, type, vector_type, to_float)                         \
  OCT_INLINE void name##_tile (gconstpointer const *rows, guint at,            \
      const float *high, const float *low, float *values)                      \
  {                                                                            \
    OctVector h = *(const OctVector *)(high + at);                             \
    OctVector l = *(const OctVector *)(low + at);                              \
    OctVector tile[OCT_VECTOR];                                                \
    float *to[OCT_VECTOR];                                                     \
                                                                               \
    for (guint k = 0; k < OCT_VECTOR; k++) {                                   \
      const type *row = (const type *)rows[k] + at;                            \
      tile[k] = (to_float (*(const vector_type *)row) - h) - l;                \
      to[k] = values + (gsize)(at + k) * LANES;                                \
    }                                                                          \
    oct_transpose_rows (tile, to);                                             \
  }                                                                            \
                                                                               \
  OCT_VECTORISED static void name (gconstpointer const *rows, guint samples,   \
      const float *high, const float *low, float *values)                      \
  {                                                                            \
    const guint chunk = 64 / sizeof (type);                                    \
    guint whole = samples / OCT_VECTOR * OCT_VECTOR;                           \
                                                                               \
    for (guint i = 0; i < whole; i += chunk)                                   \
      for (guint lane = 0; lane < LANES; lane += OCT_VECTOR)                   \
        for (guint at = i; at < MIN (i + chunk, whole); at += OCT_VECTOR)      \
          name##_tile (rows + lane, at, high, low, values + lane);             \
    for (guint i = whole; i < samples; i++)                                    \
      for (guint lane = 0; lane < LANES; lane++)                               \
        values[(gsize)i * LANES + lane] =                                      \
            ((float)((const type *)rows[lane])[i] - high[i]) - low[i];         \
  }

DEFINE_LOAD (load_u8, guint8, Counts8, COUNTS_TO_FLOAT)
DEFINE_LOAD (load_u16, guint16, Counts16, COUNTS_TO_FLOAT)
DEFINE_LOAD (load_f32, float, OctVector, )

void
oct_cpu_block_load (OctSampleFormat format, gconstpointer const rows[OCT_LANES],
    guint samples, const float *high, const float *low, float *values)
{
  if (format == OCT_SAMPLE_U8)
    load_u8 (rows, samples, high, low, values);
  else if (format == OCT_SAMPLE_U16)
    load_u16 (rows, samples, high, low, values);
  else
    load_f32 (rows, samples, high, low, values);
}

OCT_VECTORISED void
oct_cpu_block_fit (float *values, guint samples, const float *high,
    const float *x, const float *e)
{
  OctVector *v = (OctVector *)values;
  const OctVector *fit = (const OctVector *)e;

  for (guint i = 0; i < samples; i++)
    for (guint k = 0; k < VECTORS; k++)
      v[(gsize)i * VECTORS + k] -=
          (fit[k] + x[i] * (fit[VECTORS + k] + x[i] * fit[2 * VECTORS + k]))
          * high[i];
}

OCT_VECTORISED void
oct_cpu_block_gather (
    const float *const rows[OCT_LANES], guint count, float *values)
{
  oct_lanes_gather (rows, count, values);
}

OCT_VECTORISED void
oct_cpu_block_scatter (
    const float *values, guint count, float *const rows[OCT_LANES])
{
  oct_lanes_scatter_all (values, count, rows);
}

OCT_VECTORISED void
oct_cpu_block_scale (float *values, const float *factors, guint count)
{
  OctVector *v = (OctVector *)values;

  for (gsize i = 0; i < count; i++)
    for (guint k = 0; k < VECTORS; k++)
      v[i * VECTORS + k] *= factors[i];
}

OCT_VECTORISED void
oct_cpu_block_scale_complex (float *values, const float *factors, guint count)
{
  OctVector *v = (OctVector *)values;

  for (gsize i = 0; i < count; i++)
    for (guint k = 0; k < 2 * VECTORS; k++)
      v[i * 2 * VECTORS + k] *= factors[i];
}

OCT_VECTORISED void
oct_cpu_block_turn (const float *values, const float *factors, guint start,
    guint step, guint count, float *out)
{
  const OctVector *v = (const OctVector *)values;
  OctVector *to = (OctVector *)out;

  for (guint i = 0; i < count; i++, to += 2 * VECTORS) {
    gsize j = start + (gsize)i * step;

    for (guint k = 0; k < VECTORS; k++) {
      OctVector value = v[j * VECTORS + k];

      to[k] = value * factors[2 * j];
      to[VECTORS + k] = value * factors[2 * j + 1];
    }
  }
}
