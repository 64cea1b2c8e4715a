/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The light in a volume, written once for CPU and GPU: what dims it on its way,
 * found on a coarse grid.
 *
 * Beside what oct-volume-ray.h asks for, and only here:
 *   float oct_ray_extinction (const OctRaySampler *, float x, float y, float z)
 *     of the coarse grid, per mm, linear between its points, at 0 .. 1 along
 *     the volume; 0 outside.
 */
#pragma once

#include "oct-volume-ray.h"

/* The mean extinction of cell x, y, z of the coarse grid; `voxels`: in one.
 * Voxels cropped off above dim no light: the rows near zero delay would be a
 * lid. */
OCT_RAY float
oct_ray_mean_extinction (const OctVolumeScene *scene, const OctRaySampler *s,
    OctPoint voxels, int x, int y, int z)
{
  float top = (scene->low.z + scene->half.z) * scene->per_mm.z, sum = 0;

  for (int k = 0; k < 8; k++) {
    float depth = (z + .25f + .5f * (k >> 1 & 1)) * voxels.z;
    float value;

    if (depth < top)
      continue;
    value = oct_ray_value (s, (x + .25f + .5f * (k & 1)) * voxels.x,
        (y + .25f + .5f * (k >> 2)) * voxels.y, depth);
    sum += oct_ray_transfer (s, value).extinction;
  }
  return sum / 8;
}

/* This part of the dimmed light is missing: light is scattered onward as well.
 */
#define OCT_RAY_SHADOW .7f
#define OCT_RAY_OCCLUSION .6f

/* Shadow and occlusion, 0 dark .. 1, at p, 0 .. 1 along the volume; `per_mm`:
 * such units in one mm. */
OCT_RAY void
oct_ray_find_light (const OctVolumeScene *scene, const OctRaySampler *s,
    const OctPoint *directions, OctPoint p, OctPoint per_mm, float *shadow,
    float *occlusion)
{
  OctPoint d = oct_ray_times (scene->light, per_mm);
  float sum = 0, open = 0;

  for (int k = 0; k < OCT_VOLUME_SHADOW_STEPS; k++) {
    OctPoint q = oct_ray_along (p, d, (k + .75f) * OCT_VOLUME_SHADOW_STEP);

    sum += oct_ray_extinction (s, q.x, q.y, q.z);
  }
  *shadow = OCT_RAY_EXP (-OCT_RAY_SHADOW * OCT_VOLUME_SHADOW_STEP * sum);
  for (int i = 0; i < OCT_VOLUME_DIRECTIONS; i++) {
    float t = .045f, width = .06f;

    d = oct_ray_times (directions[i], per_mm);
    sum = 0;
    for (int k = 0; k < OCT_VOLUME_OCCLUSION_STEPS; k++) {
      OctPoint q = oct_ray_along (p, d, t);

      sum += oct_ray_extinction (s, q.x, q.y, q.z) * width;
      t += width * 1.3f;
      width *= 1.6f;
    }
    open += OCT_RAY_EXP (-OCT_RAY_OCCLUSION * sum);
  }
  *occlusion = open / OCT_VOLUME_DIRECTIONS;
}
