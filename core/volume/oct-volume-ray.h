/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Ray casting through a volume, written once for CPU and GPU, so that both make
 * the same picture.
 *
 * A file that includes this header first defines OCT_RAY, how functions are
 * declared, and OctRaySampler with functions that read the volume, at positions
 * in voxel space:
 *   float oct_ray_value (const OctRaySampler *, float x, float y, float z)
 *     0 .. 1, linear between voxels, the outermost ones beyond them;
 *   OctTransferEntry oct_ray_transfer (const OctRaySampler *, float value);
 *   void oct_ray_light (const OctRaySampler *, OctPoint, float *shadow,
 *     float *occlusion) 0 dark .. 1;
 *   int oct_ray_distance (const OctRaySampler *, int x, int y, int z) and
 *   int oct_ray_highest (...)
 *     of a block: how many blocks around are empty, 0: it is not (see
 *     OCT_VOLUME_FAR); its largest value, 0 .. 255.
 *
 * Emission and absorption as of N. Max, IEEE Trans. Vis. Comput. Graph. 1, 99
 * (1995), front to back; light as of B.-T. Phong, Commun. ACM 18, 311 (1975) at
 * the slope of the values (M. Levoy, IEEE Comput. Graph. Appl. 8, 29 (1988)).
 *
 * Sample i of a ray lies at from + (i + phase) dt, whether or not those before
 * it were left out: leaving out empty space changes no picture.
 */
#pragma once

#include "oct-volume-types.h"

#include <math.h>

/* Where there is something faster. */
#ifndef OCT_RAY_EXP
#  define OCT_RAY_EXP(x) expf (x)
#  define OCT_RAY_RSQRT(x) (1.0f / sqrtf (x))
#  define OCT_RAY_MAX(a, b) fmaxf (a, b)
#  define OCT_RAY_MIN(a, b) fminf (a, b)
#endif

/* A ray is done where this part of its light is left. */
#define OCT_RAY_END .015f
/* ONCE: the light is that of where this part is left. */
#define OCT_RAY_HIT .6f
/* A face is as opaque as this length of its tissue, mm. */
#define OCT_RAY_FACE .2f

OCT_RAY OctPoint
oct_ray_point (float x, float y, float z)
{
  OctPoint p;

  p.x = x;
  p.y = y;
  p.z = z;
  return p;
}

OCT_RAY OctPoint
oct_ray_along (OctPoint p, OctPoint d, float t)
{
  return oct_ray_point (p.x + d.x * t, p.y + d.y * t, p.z + d.z * t);
}

OCT_RAY OctPoint
oct_ray_times (OctPoint a, OctPoint b)
{
  return oct_ray_point (a.x * b.x, a.y * b.y, a.z * b.z);
}

OCT_RAY float
oct_ray_dot (OctPoint a, OctPoint b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

OCT_RAY OctPoint
oct_ray_normalize (OctPoint a)
{
  float scale = OCT_RAY_RSQRT (oct_ray_dot (a, a));

  return oct_ray_point (a.x * scale, a.y * scale, a.z * scale);
}

OCT_RAY float
oct_ray_clamp (float a)
{
  return a < 0 ? 0.0f : a > 1 ? 1.0f : a;
}

OCT_RAY float
oct_ray_mix (float a, float b, float t)
{
  return a + (b - a) * t;
}

OCT_RAY float
oct_ray_smooth (float low, float high, float x)
{
  x = oct_ray_clamp ((x - low) / (high - low));
  return x * x * (3 - 2 * x);
}

OCT_RAY OctPoint
oct_ray_mix_point (OctPoint a, OctPoint b, float t)
{
  return oct_ray_point (oct_ray_mix (a.x, b.x, t), oct_ray_mix (a.y, b.y, t),
      oct_ray_mix (a.z, b.z, t));
}

/* Where the first sample of a pixel's ray lies, of a step: neighbours differ,
 * so that steps draw no contours (J. Jimenez, SIGGRAPH courses (2014),
 * interleaved gradient noise). */
OCT_RAY float
oct_ray_phase (int x, int y)
{
  float f = .06711056f * x + .00583715f * y;

  f = 52.9829189f * (f - floorf (f));
  return f - floorf (f);
}

/* ---------------------------------------------------------------------- rays
 */

typedef struct {
  OctPoint origin, direction;     /* world */
  OctPoint from, per_mm, inverse; /* voxel space */
  float dt;                       /* mm */
} OctRay;

/* Light and values collected along a ray. */
typedef struct {
  OctPoint colour;
  float left;           /* the part of light from further on that is seen */
  float best, sum;      /* of MIP and MEAN */
  float diffuse, white; /* light: colour diffuse + white */
  OctPoint hit;         /* ONCE; x < 0: not yet */
  OctPoint face;        /* ONCE: of cuts, which are not lit */
} OctRayState;

OCT_RAY void
oct_ray_clip (
    float origin, float inverse, float low, float high, float *t0, float *t1)
{
  float a = (low - origin) * inverse, b = (high - origin) * inverse;

  *t0 = OCT_RAY_MAX (*t0, OCT_RAY_MIN (a, b));
  *t1 = OCT_RAY_MIN (*t1, OCT_RAY_MAX (a, b));
}

OCT_RAY void
oct_ray_clip_box (
    const OctRay *ray, OctPoint low, OctPoint high, float *t0, float *t1)
{
  oct_ray_clip (ray->origin.x, 1 / ray->direction.x, low.x, high.x, t0, t1);
  oct_ray_clip (ray->origin.y, 1 / ray->direction.y, low.y, high.y, t0, t1);
  oct_ray_clip (ray->origin.z, 1 / ray->direction.z, low.z, high.z, t0, t1);
}

/* No direction is 0 in any coordinate, so that there are no infinities. */
OCT_RAY float
oct_ray_nudge (float a)
{
  return fabsf (a) < 1e-6f ? (a < 0 ? -1e-6f : 1e-6f) : a;
}

OCT_RAY void
oct_ray_begin (OctRay *ray, const OctVolumeScene *scene,
    const OctVolumeEye *eye, float u, float w)
{
  OctPoint d = eye->forward;

  ray->origin = eye->origin;
  if (eye->parallel)
    ray->origin =
        oct_ray_along (oct_ray_along (ray->origin, eye->right, u), eye->up, w);
  else
    d = oct_ray_along (oct_ray_along (d, eye->right, u), eye->up, w);
  d = oct_ray_normalize (d);
  d = oct_ray_point (
      oct_ray_nudge (d.x), oct_ray_nudge (d.y), oct_ray_nudge (d.z));
  ray->direction = d;
  ray->from = oct_ray_times (
      oct_ray_along (ray->origin, scene->half, 1), scene->per_mm);
  ray->per_mm = oct_ray_times (d, scene->per_mm);
  ray->inverse =
      oct_ray_point (1 / ray->per_mm.x, 1 / ray->per_mm.y, 1 / ray->per_mm.z);
  ray->dt =
      scene->step
      / OCT_RAY_MAX (OCT_RAY_MAX (fabsf (ray->per_mm.x), fabsf (ray->per_mm.y)),
          fabsf (ray->per_mm.z));
}

/* --------------------------------------------------------------------- light
 */

/* Per mm, over a physical length. */
OCT_RAY OctPoint
oct_ray_slope (const OctVolumeScene *scene, const OctRaySampler *s, OctPoint p)
{
  OctPoint h = scene->reach;

  return oct_ray_times (
      oct_ray_point (oct_ray_value (s, p.x + h.x, p.y, p.z)
                         - oct_ray_value (s, p.x - h.x, p.y, p.z),
          oct_ray_value (s, p.x, p.y + h.y, p.z)
              - oct_ray_value (s, p.x, p.y - h.y, p.z),
          oct_ray_value (s, p.x, p.y, p.z + h.z)
              - oct_ray_value (s, p.x, p.y, p.z - h.z)),
      scene->per_reach);
}

/* The light at a point of value `value`; `colour` becomes that of the tissue
 * below the surface, which a blurred boundary hides. */
OCT_RAY void
oct_ray_light_at (const OctVolumeScene *scene, const OctRaySampler *s,
    const OctRay *ray, OctRayState *state, OctPoint p, float value,
    OctPoint *colour)
{
  OctPoint g = oct_ray_slope (scene, s, p), normal, between, q;
  float length2 = oct_ray_dot (g, g),
        inverse = OCT_RAY_RSQRT (length2 + 1e-12f);
  float surface = oct_ray_smooth (
      scene->gradient_low, scene->gradient_high, length2 * inverse);
  float facing, toward, diffuse, highlight, shadow, occlusion, edge;

  normal = oct_ray_point (-g.x * inverse, -g.y * inverse, -g.z * inverse);
  if (colour != 0) {
    OctTransferEntry inner;

    q = oct_ray_times (normal, scene->per_mm);
    q = oct_ray_along (p, q, -scene->inside);
    inner = oct_ray_transfer (
        s, OCT_RAY_MAX (value, oct_ray_value (s, q.x, q.y, q.z)));
    *colour = oct_ray_point (inner.red, inner.green, inner.blue);
  }
  facing = -oct_ray_dot (normal, ray->direction);
  toward = oct_ray_dot (normal, scene->light);
  diffuse =
      oct_ray_mix (.55f, OCT_RAY_MAX (0.0f, .75f * toward + .25f), surface);
  between =
      oct_ray_normalize (oct_ray_along (scene->light, ray->direction, -1));
  /* a layer seen from its inner side does not shine */
  highlight =
      toward > 0 && facing > 0
          ? surface
                * OCT_RAY_EXP (
                    scene->shininess
                    * (OCT_RAY_MAX (0.0f, oct_ray_dot (normal, between)) - 1))
          : 0.0f;
  q = oct_ray_times (normal, scene->per_mm);
  oct_ray_light (s, oct_ray_along (p, q, scene->light_bias * surface), &shadow,
      &occlusion);
  shadow = oct_ray_mix (1, shadow, scene->shadow);
  occlusion = oct_ray_mix (1, occlusion, scene->occlusion);
  /* outlines are a little darker */
  edge = oct_ray_mix (
      1, .72f + .28f * oct_ray_clamp (fabsf (facing) * 2), surface);
  state->diffuse =
      (scene->ambient * occlusion + scene->diffuse * diffuse * shadow) * edge;
  state->white = scene->specular * highlight * shadow * edge;
}

/* Warm above, cold below, as bright as before. */
OCT_RAY OctPoint
oct_ray_hue (const OctVolumeScene *scene, OctPoint colour, float voxel_z)
{
  float z = voxel_z * scene->mm.z - scene->half.z;
  float f =
      oct_ray_clamp ((z - scene->hue_low) / (scene->hue_high - scene->hue_low));
  float luma = .35f * colour.x + .5f * colour.y + .15f * colour.z;
  OctPoint warm = oct_ray_point (1.30f, .90f, .52f);
  OctPoint middle = oct_ray_point (1.06f, .99f, .93f);
  OctPoint cold = oct_ray_point (.50f, .92f, 1.65f);
  OctPoint h = f < .5f ? oct_ray_mix_point (warm, middle, 2 * f)
                       : oct_ray_mix_point (middle, cold, 2 * f - 1);

  return oct_ray_mix_point (colour,
      oct_ray_point (h.x * luma, h.y * luma, h.z * luma), scene->depth_hue);
}

/* ------------------------------------------------------------------- samples
 */

OCT_RAY void
oct_ray_blend (OctRayState *state, OctPoint colour, float opacity)
{
  state->colour = oct_ray_along (state->colour, colour, state->left * opacity);
  state->left *= 1 - opacity;
}

OCT_RAY void
oct_ray_sample (OctVolumeMode mode, const OctVolumeScene *scene,
    const OctRaySampler *s, const OctRay *ray, OctRayState *state, OctPoint p)
{
  float value = oct_ray_value (s, p.x, p.y, p.z), opacity;
  OctTransferEntry entry;
  OctPoint colour;

  if (mode == OCT_VOLUME_MIP) {
    state->best = OCT_RAY_MAX (state->best, value);
    return;
  }
  if (mode == OCT_VOLUME_MEAN) {
    state->sum += OCT_RAY_MAX (value - scene->mean_low, 0.0f);
    return;
  }
  entry = oct_ray_transfer (s, value);
  if (entry.extinction <= 0)
    return;
  opacity = 1 - OCT_RAY_EXP (-entry.extinction * ray->dt);
  colour = oct_ray_point (entry.red, entry.green, entry.blue);
  if (mode == OCT_VOLUME_ONCE) {
    oct_ray_blend (state, colour, opacity);
    if (state->hit.x < 0 && state->left < OCT_RAY_HIT) {
      state->hit = p;
      state->best = value;
    }
    return;
  }
  if (mode == OCT_VOLUME_FULL) {
    if (state->left * opacity > scene->relight)
      oct_ray_light_at (scene, s, ray, state, p, value, &colour);
    colour = oct_ray_point (colour.x * state->diffuse + state->white,
        colour.y * state->diffuse + state->white,
        colour.z * state->diffuse + state->white);
  }
  if (scene->depth_hue > 0)
    colour = oct_ray_hue (scene, colour, p.z);
  oct_ray_blend (state, colour, opacity);
}

/* The face of a cut shows the image there, as opaque as a little of the tissue
 * below it: levels that the transfer function hides are not on a face. */
OCT_RAY void
oct_ray_face (OctVolumeMode mode, const OctVolumeScene *scene,
    const OctRaySampler *s, const OctRay *ray, OctRayState *state, float t)
{
  OctPoint p = oct_ray_along (ray->from, ray->per_mm, t + .5f * ray->dt);
  float value = oct_ray_value (s, p.x, p.y, p.z);
  float extinction = oct_ray_transfer (s, value).extinction;
  float opacity = 1 - OCT_RAY_EXP (-extinction * OCT_RAY_FACE);
  float grey =
      .06f + .98f * oct_ray_smooth (scene->face_low, scene->face_high, value);
  OctPoint colour = oct_ray_point (grey, grey * .985f, grey * .95f);

  if (mode == OCT_VOLUME_ONCE) {
    state->face = oct_ray_along (state->face, colour, state->left * opacity);
    state->left *= 1 - opacity;
  } else {
    oct_ray_blend (state, colour, opacity);
  }
}

/* Blocks around this one that a ray need not read; 0: it must read this one. */
OCT_RAY int
oct_ray_empty (OctVolumeMode mode, const OctRaySampler *s,
    const OctRayState *state, int x, int y, int z)
{
  if (mode == OCT_VOLUME_MIP)
    return oct_ray_highest (s, x, y, z) * (1 / 255.f) <= state->best ? 1 : 0;
  return oct_ray_distance (s, x, y, z);
}

OCT_RAY int
oct_ray_cell (float a, int n)
{
  int i = (int)floorf (a);

  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Samples from `from`, t = 0 of them, to t1. */
OCT_RAY void
oct_ray_march (OctVolumeMode mode, const OctVolumeScene *scene,
    const OctRaySampler *s, const OctRay *ray, OctRayState *state, float from,
    float t1, float phase)
{
  const float dt = ray->dt, cell = OCT_VOLUME_CELL;
  float i = phase, t = from + i * dt, end = t1;

  while (t < t1 && state->left > OCT_RAY_END) {
    if (!scene->everywhere && mode != OCT_VOLUME_MEAN) {
      OctPoint q = oct_ray_along (ray->from, ray->per_mm, t);
      int x = oct_ray_cell ((q.x - .5f) / cell, scene->gx);
      int y = oct_ray_cell ((q.y - .5f) / cell, scene->gy);
      int z = oct_ray_cell ((q.z - .5f) / cell, scene->gz);
      int empty = oct_ray_empty (mode, s, state, x, y, z);
      int r = empty > 1 ? empty : 1;
      /* where it leaves the blocks x - r + 1 .. x + r - 1, and so on */
      float ex = (ray->per_mm.x > 0 ? x + r : x - r + 1) * cell + .5f;
      float ey = (ray->per_mm.y > 0 ? y + r : y - r + 1) * cell + .5f;
      float ez = (ray->per_mm.z > 0 ? z + r : z - r + 1) * cell + .5f;

      ex = (ex - ray->from.x) * ray->inverse.x;
      ey = (ey - ray->from.y) * ray->inverse.y;
      ez = (ez - ray->from.z) * ray->inverse.z;
      end = OCT_RAY_MIN (OCT_RAY_MIN (ex, ey), OCT_RAY_MIN (ez, t1));
      if (empty > 0) {
        i += OCT_RAY_MAX (ceilf ((end - t) / dt), 1.0f);
        t = from + i * dt;
        continue;
      }
    }
    do {
      oct_ray_sample (mode, scene, s, ray, state,
          oct_ray_along (ray->from, ray->per_mm, t));
      i += 1;
      t = from + i * dt;
    } while (t < end && state->left > OCT_RAY_END);
  }
}

/* ------------------------------------------------------------------ pictures
 */

OCT_RAY OctPoint
oct_ray_finish (OctVolumeMode mode, const OctVolumeScene *scene,
    const OctRaySampler *s, const OctRay *ray, OctRayState *state,
    OctPoint back)
{
  OctPoint c;

  if (mode == OCT_VOLUME_MIP || mode == OCT_VOLUME_MEAN) {
    float x = mode == OCT_VOLUME_MIP ? (state->best - scene->mip_low)
                                           / (scene->mip_high - scene->mip_low)
                                     : state->sum * ray->dt * scene->mean_gain;

    x = oct_ray_clamp (x);
    return oct_ray_mix_point (
        back, oct_ray_point (x, x, x), oct_ray_clamp (4 * x));
  }
  c = state->colour;
  if (mode == OCT_VOLUME_ONCE) {
    float seen = 1 - state->left;

    if (state->hit.x < 0) {
      state->diffuse = scene->ambient + .4f * scene->diffuse;
    } else {
      oct_ray_light_at (
          scene, s, ray, state, state->hit, state->best, (OctPoint *)0);
      if (scene->depth_hue > 0)
        c = oct_ray_hue (scene, c, state->hit.z);
    }
    c = oct_ray_point (
        c.x * state->diffuse + state->white * seen + state->face.x,
        c.y * state->diffuse + state->white * seen + state->face.y,
        c.z * state->diffuse + state->white * seen + state->face.z);
  }
  return oct_ray_along (c, back, state->left);
}

/* Whether the ray, which enters at t0, enters through a clip plane or a side of
 * the volume: the tissue there is cut through. */
OCT_RAY int
oct_ray_is_cut (const OctVolumeScene *scene, const OctRay *ray, float t0)
{
  float a = (-scene->half.z - ray->origin.z) / ray->direction.z;
  float b = (scene->half.z - ray->origin.z) / ray->direction.z;

  /* entered through the top or bottom, it is not */
  return t0 > OCT_RAY_MIN (a, b) + 1e-5f;
}

/* The part of a ray within planes: `in` and `out` are the normals of those that
 * it enters and leaves through, divided by their products with its direction;
 * 0: none. */
typedef struct {
  float t0, t1;
  OctPoint in, out;
} OctRaySpan;

OCT_RAY void
oct_ray_enter (OctRaySpan *span, float t, OctPoint normal)
{
  if (t > span->t0) {
    span->t0 = t;
    span->in = normal;
  }
}

OCT_RAY void
oct_ray_leave (OctRaySpan *span, float t, OctPoint normal)
{
  if (t < span->t1) {
    span->t1 = t;
    span->out = normal;
  }
}

OCT_RAY void
oct_ray_cross (
    OctRaySpan *span, float origin, float low, float high, OctPoint normal)
{
  float inverse = normal.x + normal.y + normal.z; /* two of them are 0 */
  float a = (low - origin) * inverse, b = (high - origin) * inverse;

  oct_ray_enter (span, OCT_RAY_MIN (a, b), normal);
  oct_ray_leave (span, OCT_RAY_MAX (a, b), normal);
}

/* The part of the volume that is shown; not the box that is taken out. */
OCT_RAY void
oct_ray_find_span (
    OctRaySpan *span, const OctVolumeScene *scene, const OctRay *ray)
{
  OctPoint o = ray->origin, d = ray->direction;

  span->t0 = 0;
  span->t1 = 1e9f;
  span->in = span->out = oct_ray_point (0, 0, 0);
  oct_ray_cross (
      span, o.x, scene->low.x, scene->high.x, oct_ray_point (1 / d.x, 0, 0));
  oct_ray_cross (
      span, o.y, scene->low.y, scene->high.y, oct_ray_point (0, 1 / d.y, 0));
  oct_ray_cross (
      span, o.z, scene->low.z, scene->high.z, oct_ray_point (0, 0, 1 / d.z));
  for (int i = 0; i < scene->n_planes; i++) {
    const float *p = scene->planes[i];
    OctPoint n = oct_ray_point (p[0], p[1], p[2]);
    float scale = 1 / oct_ray_nudge (oct_ray_dot (n, d));
    float t = (p[3] - oct_ray_dot (n, o)) * scale;

    n = oct_ray_point (n.x * scale, n.y * scale, n.z * scale);
    if (scale < 0)
      oct_ray_enter (span, t, n);
    else
      oct_ray_leave (span, t, n);
  }
}

/* How much of a pixel the volume covers, to smooth its outline: 1/2 where the
 * ray meets an edge of it, 0 and 1 half a pixel beside.  *u and *w, whose
 * pixels have the size (du, dw), move to half a pixel inside of an edge that is
 * nearer: what is there has the colour of the part that is covered.
 *
 * A ray meets the edge between two planes where it enters one as it leaves the
 * other.  1 / t of a plane is linear in u and w, and t itself if rays are
 * parallel, so this distance to the edge is exact. */
OCT_RAY float
oct_ray_cover (const OctRaySpan *span, const OctVolumeEye *eye, float *u,
    float *w, float du, float dw)
{
  float a = 1, b = 1, along, across, scale, distance;
  OctPoint m;

  if (!eye->parallel) {
    OctPoint d = oct_ray_along (
        oct_ray_along (eye->forward, eye->right, *u), eye->up, *w);
    float k = OCT_RAY_RSQRT (oct_ray_dot (d, d)); /* t is of a unit vector */

    a = span->t1 * k;
    b = span->t0 * k;
  }
  m = oct_ray_point (span->in.x * a - span->out.x * b,
      span->in.y * a - span->out.y * b, span->in.z * a - span->out.z * b);
  along = oct_ray_dot (m, eye->right) * du;
  across = oct_ray_dot (m, eye->up) * dw;
  scale = OCT_RAY_RSQRT (along * along + across * across + 1e-30f);
  distance = (span->t1 - span->t0) * scale;
  if (distance < .5f) {
    *u += (.5f - distance) * along * scale * du;
    *w += (.5f - distance) * across * scale * dw;
  }
  return oct_ray_clamp (.5f + distance);
}

/* The colour of pixel (x, y) of a picture of this size, 0 .. 1 and a little
 * more. */
OCT_RAY OctPoint
oct_ray_trace (OctVolumeMode mode, const OctVolumeScene *scene,
    const OctRaySampler *s, const OctVolumeEye *eye, int x, int y, int width,
    int height)
{
  float du = 2.0f / width, dw = 2.0f / height;
  float u = (x + .5f) * du - 1, w = 1 - (y + .5f) * dw;
  float phase = oct_ray_phase (x, y), covered;
  float t0, t1, a = 0, b = 1e9f, c0, c1;
  int shows_faces = mode != OCT_VOLUME_MIP && mode != OCT_VOLUME_MEAN;
  OctPoint back = oct_ray_mix_point (
      scene->back_bottom, scene->back_top, oct_ray_clamp (.5f + .5f * w));
  OctPoint zero = oct_ray_point (0, 0, 0);
  OctRayState state;
  OctRaySpan span;
  OctRay ray;

  oct_ray_begin (&ray, scene, eye, u, w);
  oct_ray_find_span (&span, scene, &ray);
  covered = oct_ray_cover (&span, eye, &u, &w, du, dw);
  if (covered > 0 && covered < 1) {
    oct_ray_begin (&ray, scene, eye, u, w);
    oct_ray_find_span (&span, scene, &ray);
  }
  t0 = span.t0;
  t1 = span.t1;
  if (!(covered > 0 && t0 < t1))
    return back;
  state.colour = state.face = zero;
  state.hit = oct_ray_point (-1, 0, 0);
  state.left = 1;
  state.best = state.sum = state.white = 0;
  state.diffuse = scene->ambient + .55f * scene->diffuse;
  c0 = c1 = t1;
  if (scene->has_cut) {
    oct_ray_clip_box (&ray, scene->cut_low, scene->cut_high, &a, &b);
    if (a < b) {
      c0 = OCT_RAY_MIN (OCT_RAY_MAX (a, t0), t1);
      c1 = OCT_RAY_MIN (OCT_RAY_MAX (b, t0), t1);
    }
  }
  if (c0 > t0) {
    if (shows_faces && oct_ray_is_cut (scene, &ray, t0))
      oct_ray_face (mode, scene, s, &ray, &state, t0);
    oct_ray_march (mode, scene, s, &ray, &state, t0, c0, phase);
  }
  if (c1 < t1 && state.left > OCT_RAY_END) {
    if (shows_faces)
      oct_ray_face (mode, scene, s, &ray, &state, c1);
    oct_ray_march (mode, scene, s, &ray, &state, c1, t1, phase);
  }
  return oct_ray_mix_point (
      back, oct_ray_finish (mode, scene, s, &ray, &state, back), covered);
}
