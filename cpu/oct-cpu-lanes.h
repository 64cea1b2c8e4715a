/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Blocks of 16 A-lines side by side: [sample][lane].  Reading at other
 * positions is a plain vector operation in this layout, the same for all
 * A-lines of the block, and A-lines are independent of each other.
 *
 * Complex A-lines are [sample][2][lane]: they are treated like real A-lines of
 * 2 `samples` floats.
 */
#pragma once

#include "oct-cpu-vector.h"

#define OCT_LANES 16
/* samples that are transposed at a time: a cache line of every A-line */
#define OCT_LANES_CHUNK 16

/* One value of every A-line of the block. */
typedef float OctLanes
    __attribute__ ((vector_size (4 * OCT_LANES), aligned (64), may_alias));

/* values[i][lane] = lines[lane][i] */
OCT_INLINE void
oct_lanes_gather (const float *const *lines, guint samples, float *values)
{
  guint i = 0;

  for (; i + OCT_LANES_CHUNK <= samples; i += OCT_LANES_CHUNK) {
    for (guint lane = 0; lane < OCT_LANES; lane += OCT_VECTOR) {
      for (guint at = i; at < i + OCT_LANES_CHUNK; at += OCT_VECTOR) {
        const float *from[OCT_VECTOR];
        float *to[OCT_VECTOR];
        for (guint k = 0; k < OCT_VECTOR; k++) {
          from[k] = lines[lane + k] + at;
          to[k] = values + (gsize)(at + k) * OCT_LANES + lane;
        }
        oct_transpose (from, to);
      }
    }
  }
  for (; i < samples; i++)
    for (guint lane = 0; lane < OCT_LANES; lane++)
      values[(gsize)i * OCT_LANES + lane] = lines[lane][i];
}

/* values[i][lane] = factors[i] lines[lane][i] */
OCT_INLINE void
oct_lanes_gather_scaled (const float *const *lines, const float *factors,
    guint samples, float *values)
{
  guint i = 0;

  for (; i + OCT_LANES_CHUNK <= samples; i += OCT_LANES_CHUNK) {
    for (guint lane = 0; lane < OCT_LANES; lane += OCT_VECTOR) {
      for (guint at = i; at < i + OCT_LANES_CHUNK; at += OCT_VECTOR) {
        OctVector factor = *(const OctVector *)(factors + at);
        OctVector scaled[OCT_VECTOR];
        const float *from[OCT_VECTOR];
        float *to[OCT_VECTOR];
        for (guint k = 0; k < OCT_VECTOR; k++) {
          scaled[k] = factor * *(const OctVector *)(lines[lane + k] + at);
          from[k] = (const float *)&scaled[k];
          to[k] = values + (gsize)(at + k) * OCT_LANES + lane;
        }
        oct_transpose (from, to);
      }
    }
  }
  for (; i < samples; i++)
    for (guint lane = 0; lane < OCT_LANES; lane++)
      values[(gsize)i * OCT_LANES + lane] = factors[i] * lines[lane][i];
}

/* lines[lane][at + i] = tile[i][lane], i < count <= OCT_LANES_CHUNK */
OCT_INLINE void
oct_lanes_scatter (
    const float *tile, guint count, float *const *lines, gsize at)
{
  if (count < OCT_LANES_CHUNK) {
    for (guint lane = 0; lane < OCT_LANES; lane++)
      for (guint i = 0; i < count; i++)
        lines[lane][at + i] = tile[i * OCT_LANES + lane];
    return;
  }
  for (guint lane = 0; lane < OCT_LANES; lane += OCT_VECTOR) {
    for (guint i = 0; i < OCT_LANES_CHUNK; i += OCT_VECTOR) {
      const float *from[OCT_VECTOR];
      float *to[OCT_VECTOR];
      for (guint k = 0; k < OCT_VECTOR; k++) {
        from[k] = tile + (i + k) * OCT_LANES + lane;
        to[k] = lines[lane + k] + at + i;
      }
      oct_transpose (from, to);
    }
  }
}

/* lines[lane][i] = values[i][lane] */
OCT_INLINE void
oct_lanes_scatter_all (const float *values, guint samples, float *const *lines)
{
  for (guint i = 0; i < samples; i += OCT_LANES_CHUNK)
    oct_lanes_scatter (values + (gsize)i * OCT_LANES,
        MIN (OCT_LANES_CHUNK, samples - i), lines, i);
}
