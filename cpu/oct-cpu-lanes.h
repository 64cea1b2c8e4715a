/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Blocks of 16 A-lines side by side: [sample][lane].  What has to be read at
 * other positions than it came is a plain vector operation there, the same for
 * all A-lines of the block, and no A-line can touch another.
 */
#pragma once

#include "oct-cpu-vector.h"

#define OCT_LANES 16
/* samples that are transposed at a time: a cache line of every A-line */
#define OCT_LANES_CHUNK 16

/* One value of every A-line of the block. */
typedef float OctLanes
    __attribute__ ((vector_size (4 * OCT_LANES), aligned (64), may_alias));

typedef gint32 OctLaneSelection __attribute__ ((vector_size (4 * OCT_LANES)));

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

/* ----------------------------------------------------- complex A-lines
 * 8 side by side, [sample][lane][2], real and imaginary part next to each
 * other as in the A-line: a transposition of pairs has half the steps. */

#define OCT_PAIR_LANES (OCT_LANES / 2)

typedef double OctPairs
    __attribute__ ((vector_size (32), aligned (4), may_alias));
typedef gint64 OctPairSelection __attribute__ ((vector_size (32)));

#define OCT_PICK_PAIRS(a, b, ...)                                              \
  __builtin_shuffle (a, b, (OctPairSelection){ __VA_ARGS__ })

/* to[i][k] = from[k][i] of pairs, 4 x 4 */
OCT_INLINE void
oct_transpose_pairs (const float *const from[4], float *const to[4])
{
  OctPairs a[4];

  for (guint i = 0; i < 4; i += 2) {
    OctPairs even = *(const OctPairs *)from[i];
    OctPairs odd = *(const OctPairs *)from[i + 1];
    a[i] = OCT_PICK_PAIRS (even, odd, 0, 4, 2, 6);
    a[i + 1] = OCT_PICK_PAIRS (even, odd, 1, 5, 3, 7);
  }
  for (guint i = 0; i < 2; i++) {
    *(OctPairs *)to[i] = OCT_PICK_PAIRS (a[i], a[i + 2], 0, 1, 4, 5);
    *(OctPairs *)to[i + 2] = OCT_PICK_PAIRS (a[i], a[i + 2], 2, 3, 6, 7);
  }
}

/* values[i][lane] = lines[lane][i] of pairs */
OCT_INLINE void
oct_lanes_gather_pairs (const float *const *lines, guint samples, float *values)
{
  guint i = 0;

  for (; i + 4 <= samples; i += 4) {
    for (guint lane = 0; lane < OCT_PAIR_LANES; lane += 4) {
      const float *from[4];
      float *to[4];
      for (guint k = 0; k < 4; k++) {
        from[k] = lines[lane + k] + 2 * (gsize)i;
        to[k] = values + (gsize)(i + k) * OCT_LANES + 2 * lane;
      }
      oct_transpose_pairs (from, to);
    }
  }
  for (; i < samples; i++)
    for (guint lane = 0; lane < OCT_PAIR_LANES; lane++)
      for (guint part = 0; part < 2; part++)
        values[(gsize)i * OCT_LANES + 2 * lane + part] =
            lines[lane][2 * (gsize)i + part];
}

/* lines[lane][at + i] = tile[i][lane] of pairs, i < count */
OCT_INLINE void
oct_lanes_scatter_pairs (
    const float *tile, guint count, float *const *lines, gsize at)
{
  guint i = 0;

  for (; i + 4 <= count; i += 4) {
    for (guint lane = 0; lane < OCT_PAIR_LANES; lane += 4) {
      const float *from[4];
      float *to[4];
      for (guint k = 0; k < 4; k++) {
        from[k] = tile + (gsize)(i + k) * OCT_LANES + 2 * lane;
        to[k] = lines[lane + k] + 2 * (at + i);
      }
      oct_transpose_pairs (from, to);
    }
  }
  for (; i < count; i++)
    for (guint lane = 0; lane < OCT_PAIR_LANES; lane++)
      for (guint part = 0; part < 2; part++)
        lines[lane][2 * (at + i) + part] =
            tile[(gsize)i * OCT_LANES + 2 * lane + part];
}
