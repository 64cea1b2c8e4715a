/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-cpu-block.h"

#include "oct-simd.h"

#define LANES OCT_LANES
#define VECTORS (LANES / OCT_VECTOR)

/* Eight samples of eight A-lines at a time, in the registers. */
#define DEFINE_LOAD(name, type)                                                \
  OCT_VECTORISED static void name (gconstpointer const *rows, guint samples,   \
      const float *high, const float *low, float *values)                      \
  {                                                                            \
    guint i = 0;                                                               \
                                                                               \
    for (; i + OCT_VECTOR <= samples; i += OCT_VECTOR) {                       \
      for (guint lane = 0; lane < LANES; lane += OCT_VECTOR) {                 \
        float tile[OCT_VECTOR][OCT_VECTOR] __attribute__ ((aligned (32)));     \
        const float *from[OCT_VECTOR];                                         \
        float *to[OCT_VECTOR];                                                 \
        for (guint k = 0; k < OCT_VECTOR; k++) {                               \
          const type *row = (const type *)rows[lane + k] + i;                  \
          for (guint n = 0; n < OCT_VECTOR; n++)                               \
            tile[k][n] = ((float)row[n] - high[i + n]) - low[i + n];           \
          from[k] = tile[k];                                                   \
          to[k] = values + (gsize)(i + k) * LANES + lane;                      \
        }                                                                      \
        oct_transpose (from, to);                                              \
      }                                                                        \
    }                                                                          \
    for (; i < samples; i++)                                                   \
      for (guint lane = 0; lane < LANES; lane++)                               \
        values[(gsize)i * LANES + lane] =                                      \
            ((float)((const type *)rows[lane])[i] - high[i]) - low[i];         \
  }

DEFINE_LOAD (load_u8, guint8)
DEFINE_LOAD (load_u16, guint16)
DEFINE_LOAD (load_f32, float)

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
oct_cpu_block_gather (
    const float *const rows[OCT_LANES], guint count, float *values)
{
  oct_lanes_gather (rows, count, values);
}

OCT_VECTORISED void
oct_cpu_block_scatter (
    const float *values, guint count, float *const rows[OCT_LANES])
{
  for (guint i = 0; i < count; i += OCT_LANES_CHUNK)
    oct_lanes_scatter (
        values + (gsize)i * LANES, MIN (OCT_LANES_CHUNK, count - i), rows, i);
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
oct_cpu_block_turn (
    const float *values, const float *factors, guint count, float *out)
{
  const OctVector *v = (const OctVector *)values;
  OctVector *to = (OctVector *)out;

  for (gsize i = 0; i < count; i++)
    for (guint k = 0; k < VECTORS; k++) {
      OctVector value = v[i * VECTORS + k];

      to[i * 2 * VECTORS + k] = value * factors[2 * i];
      to[i * 2 * VECTORS + VECTORS + k] = value * factors[2 * i + 1];
    }
}
