/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * How rays read a volume on the CPU, see oct-volume-ray.h.
 */
#pragma once

#include "oct-cpu-vector.h"
#include "oct-cpu-volume-parts.h"

#define OCT_RAY OCT_INLINE
#define OCT_RAY_EXP(x) oct_cpu_exp (x)
#define OCT_RAY_RSQRT(x) (1.0f / __builtin_sqrtf (x))
/* there are no NaNs, for which the functions are slow */
#define OCT_RAY_MAX(a, b) oct_cpu_max (a, b)
#define OCT_RAY_MIN(a, b) oct_cpu_min (a, b)

OCT_INLINE float
oct_cpu_max (float a, float b)
{
  return a > b ? a : b;
}

OCT_INLINE float
oct_cpu_min (float a, float b)
{
  return a < b ? a : b;
}

/* exp (x) for x <= 0, right to 2e-7 of 1: 2^f by a polynomial that was fitted
 * for the least largest relative error on [-1/2, 1/2], 2^n by the exponent. */
OCT_INLINE float
oct_cpu_exp (float x)
{
  union {
    float value;
    gint32 bits;
  } power;
  float y = x > -80.0f ? x * 1.44269504f : -115.0f, f, sum;
  gint32 n = (gint32)(y - 0.5f);

  f = y - n;
  sum = 1.32764686e-3f;
  sum = sum * f + 9.67554135e-3f;
  sum = sum * f + 5.55071329e-2f;
  sum = sum * f + 2.40221197e-1f;
  sum = sum * f + 6.93146967e-1f;
  sum = sum * f + 1.00000007f;
  power.bits = (n + 127) << 23;
  return sum * power.value;
}

typedef struct {
  const guint8 *voxels;
  gsize row, slice;
  float last_x, last_y, last_z; /* of the voxels */
  const OctTransferEntry *transfer;
  const guint8 *distance, *high;
  gint gx, gz;
  const guint8 *light;
  const float *extinction;
  OctPoint light_scale; /* voxels to cells of the coarse grid */
} OctRaySampler;

OCT_INLINE float
oct_cpu_limit (float a, float high)
{
  a = a > 0 ? a : 0;
  return a < high ? a : high;
}

OCT_INLINE float
oct_cpu_lerp (float a, float b, float t)
{
  return a + (b - a) * t;
}

OCT_INLINE float
oct_ray_value (const OctRaySampler *s, float x, float y, float z)
{
  float a, b;
  gint ix, iy, iz;
  const guint8 *p, *q;

  x = oct_cpu_limit (x - 0.5f, s->last_x);
  y = oct_cpu_limit (y - 0.5f, s->last_y);
  z = oct_cpu_limit (z - 0.5f, s->last_z);
  ix = (gint)x;
  iy = (gint)y;
  iz = (gint)z;
  x -= ix;
  y -= iy;
  z -= iz;
  p = s->voxels + iy * s->slice + iz * s->row + ix;
  q = p + s->slice;
  a = oct_cpu_lerp (oct_cpu_lerp (p[0], p[1], x),
      oct_cpu_lerp (p[s->row], p[s->row + 1], x), z);
  b = oct_cpu_lerp (oct_cpu_lerp (q[0], q[1], x),
      oct_cpu_lerp (q[s->row], q[s->row + 1], x), z);
  return oct_cpu_lerp (a, b, y) * (1 / 255.f);
}

OCT_INLINE OctTransferEntry
oct_ray_transfer (const OctRaySampler *s, float value)
{
  return s->transfer[(gint)(value * (OCT_TRANSFER_SIZE - 1) + 0.5f)];
}

OCT_INLINE int
oct_ray_distance (const OctRaySampler *s, int x, int y, int z)
{
  return s->distance[((gsize)y * s->gz + z) * s->gx + x];
}

OCT_INLINE int
oct_ray_highest (const OctRaySampler *s, int x, int y, int z)
{
  return s->high[((gsize)y * s->gz + z) * s->gx + x];
}

/* The cell a of n such that the point is between a and a + 1; *x: 0 .. 1 from a
 * to a + 1. */
OCT_INLINE gint
oct_cpu_between (float *x, gint n)
{
  gint i;

  *x = oct_cpu_limit (*x - 0.5f, n - 1);
  i = MIN ((gint)*x, n - 2);
  *x -= i;
  return i;
}

OCT_INLINE void
oct_ray_light (
    const OctRaySampler *s, OctPoint p, float *shadow, float *occlusion)
{
  float x = p.x * s->light_scale.x, y = p.y * s->light_scale.y,
        z = p.z * s->light_scale.z;
  gint ix = oct_cpu_between (&x, OCT_VOLUME_LIGHT_X);
  gint iy = oct_cpu_between (&y, OCT_VOLUME_LIGHT_Y);
  gint iz = oct_cpu_between (&z, OCT_VOLUME_LIGHT_Z);
  const gint row = 2 * OCT_VOLUME_LIGHT_X, slice = row * OCT_VOLUME_LIGHT_Z;
  const guint8 *l = s->light + (gsize)iy * slice + iz * row + 2 * ix;
  float found[2];

  for (gint k = 0; k < 2; k++, l++) {
    const guint8 *m = l + slice;
    float a = oct_cpu_lerp (
        oct_cpu_lerp (l[0], l[2], x), oct_cpu_lerp (l[row], l[row + 2], x), z);
    float b = oct_cpu_lerp (
        oct_cpu_lerp (m[0], m[2], x), oct_cpu_lerp (m[row], m[row + 2], x), z);

    found[k] = oct_cpu_lerp (a, b, y) * (1 / 255.f);
  }
  *shadow = found[0];
  *occlusion = found[1];
}

/* [y][z][x], with a border of zeros around it. */
#define OCT_CPU_LIGHT_ROW (OCT_VOLUME_LIGHT_X + 2)
#define OCT_CPU_LIGHT_SLICE (OCT_CPU_LIGHT_ROW * (OCT_VOLUME_LIGHT_Z + 2))

OCT_INLINE float
oct_ray_extinction (const OctRaySampler *s, float x, float y, float z)
{
  gint ix, iy, iz;
  const float *p, *q;
  float a, b;

  x = oct_cpu_limit (
      x * OCT_VOLUME_LIGHT_X + 0.5f, OCT_VOLUME_LIGHT_X + 0.999f);
  y = oct_cpu_limit (
      y * OCT_VOLUME_LIGHT_Y + 0.5f, OCT_VOLUME_LIGHT_Y + 0.999f);
  z = oct_cpu_limit (
      z * OCT_VOLUME_LIGHT_Z + 0.5f, OCT_VOLUME_LIGHT_Z + 0.999f);
  ix = (gint)x;
  iy = (gint)y;
  iz = (gint)z;
  x -= ix;
  y -= iy;
  z -= iz;
  p = s->extinction + iy * OCT_CPU_LIGHT_SLICE + iz * OCT_CPU_LIGHT_ROW + ix;
  q = p + OCT_CPU_LIGHT_SLICE;
  a = oct_cpu_lerp (oct_cpu_lerp (p[0], p[1], x),
      oct_cpu_lerp (p[OCT_CPU_LIGHT_ROW], p[OCT_CPU_LIGHT_ROW + 1], x), z);
  b = oct_cpu_lerp (oct_cpu_lerp (q[0], q[1], x),
      oct_cpu_lerp (q[OCT_CPU_LIGHT_ROW], q[OCT_CPU_LIGHT_ROW + 1], x), z);
  return oct_cpu_lerp (a, b, y);
}

static inline void
oct_cpu_sampler_init (OctRaySampler *s, const OctVolume *volume)
{
  *s = (OctRaySampler){ .voxels = volume->voxels,
    .row = volume->row,
    .slice = volume->slice,
    .last_x = volume->nx - 1,
    .last_y = volume->ny - 1,
    .last_z = volume->nz - 1,
    .transfer = volume->transfer.entries,
    .distance = volume->distance,
    .high = volume->high,
    .gx = (gint)volume->gx,
    .gz = (gint)volume->gz,
    .light = volume->light,
    .extinction = volume->extinction,
    .light_scale = { (float)OCT_VOLUME_LIGHT_X / volume->nx,
        (float)OCT_VOLUME_LIGHT_Y / volume->ny,
        (float)OCT_VOLUME_LIGHT_Z / volume->nz } };
}
