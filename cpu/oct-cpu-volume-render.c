/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Pictures of a volume on the CPU: rays by all cores, two rows at a time.
 */
#include "oct-cpu-volume-sampler.h"

#include "oct-bt709.h"
#include "oct-simd.h"
#include "oct-volume-ray.h"

#include <math.h>
#include <string.h>

typedef struct {
  const OctVolume *volume;
  const OctVolumePicture *picture;
  OctRaySampler sampler;
  OctVolumeMode mode;
  guint coarseness;
  guint width, height; /* of one eye, in rays */
  guint8 *pixels;      /* RGBA, [height][n_eyes width] */
  gsize stride;
} Render;

static guint8
to_byte (float a)
{
  return (guint8)(255 * oct_ray_clamp (a) + 0.5f);
}

/* A mode is a constant in each of them, which the compiler makes much of. */
#define DEFINE_TRACE(name, MODE)                                               \
  OCT_VECTORISED static void name (                                            \
      const Render *r, const OctVolumeEye *eye, guint y, guint8 *to)           \
  {                                                                            \
    for (guint x = 0; x < r->width; x++, to += 4) {                            \
      OctPoint c = oct_ray_trace (MODE, &r->volume->scene, &r->sampler, eye,   \
          (int)x, (int)y, (int)r->width, (int)r->height);                      \
                                                                               \
      to[0] = to_byte (c.x);                                                   \
      to[1] = to_byte (c.y);                                                   \
      to[2] = to_byte (c.z);                                                   \
      to[3] = 255;                                                             \
    }                                                                          \
  }

DEFINE_TRACE (trace_full, OCT_VOLUME_FULL)
DEFINE_TRACE (trace_once, OCT_VOLUME_ONCE)
DEFINE_TRACE (trace_alpha, OCT_VOLUME_ALPHA)
DEFINE_TRACE (trace_mip, OCT_VOLUME_MIP)
DEFINE_TRACE (trace_mean, OCT_VOLUME_MEAN)

static void (*const traces[OCT_N_VOLUME_MODES]) (
    const Render *r, const OctVolumeEye *eye, guint y, guint8 *to) = {
  [OCT_VOLUME_FULL] = trace_full,
  [OCT_VOLUME_ONCE] = trace_once,
  [OCT_VOLUME_ALPHA] = trace_alpha,
  [OCT_VOLUME_MIP] = trace_mip,
  [OCT_VOLUME_MEAN] = trace_mean,
};

static void
cast_rows (gpointer data, guint first, guint end, guint thread)
{
  const Render *r = data;

  for (guint y = first; y < end; y++)
    for (guint eye = 0; eye < r->picture->n_eyes; eye++)
      traces[r->mode](r, &r->picture->eyes[eye], y,
          r->pixels + y * r->stride + (gsize)eye * r->width * 4);
}

/* ------------------------------------------------------------------- formats
 */

/* Row y of the whole picture: linear between the rays of each eye. */
static void
scale_row (const Render *r, guint y, guint8 *to)
{
  guint eye_width = r->picture->width / r->picture->n_eyes;
  float fy = CLAMP (
      (y + 0.5f) * r->height / r->picture->height - 0.5f, 0, r->height - 1.0f);
  guint iy = MIN ((guint)fy, r->height - 1);
  const guint8 *a = r->pixels + iy * r->stride;
  const guint8 *b = r->pixels + MIN (iy + 1, r->height - 1) * r->stride;

  fy -= iy;
  for (guint x = 0; x < eye_width * r->picture->n_eyes; x++) {
    guint eye = x / eye_width;
    float fx = CLAMP ((x % eye_width + 0.5f) * r->width / eye_width - 0.5f, 0,
        r->width - 1.0f);
    guint ix = (guint)fx, next = ix + 1 < r->width ? 4 : 0;
    gsize at = 4 * ((gsize)eye * r->width + ix);

    fx -= ix;
    for (guint k = 0; k < 4; k++)
      to[4 * x + k] =
          (guint8)(oct_cpu_lerp (oct_cpu_lerp (a[at + k], a[at + next + k], fx),
                       oct_cpu_lerp (b[at + k], b[at + next + k], fx), fy)
                   + 0.5f);
  }
}

static void
cpu_volume_render_write_luma (const guint8 *rgba, guint n, guint8 *to)
{
  for (guint i = 0; i < n; i++, rgba += 4)
    to[i] = oct_bt709_luma (rgba[0], rgba[1], rgba[2]);
}

/* The chroma of squares of two by two pixels; sums of four. */
static void
cpu_volume_render_write_chroma (
    const guint8 *a, const guint8 *b, guint n, guint8 *to)
{
  for (guint i = 0; i < n; i += 2, a += 8, b += 8, to += 2) {
    guint right = i + 1 < n ? 4 : 0;
    gint red = a[0] + a[right] + b[0] + b[right];
    gint green = a[1] + a[right + 1] + b[1] + b[right + 1];
    gint blue = a[2] + a[right + 2] + b[2] + b[right + 2];

    to[0] = oct_bt709_chroma (oct_bt709_blue (red, green, blue));
    to[1] = oct_bt709_chroma (oct_bt709_red (red, green, blue));
  }
}

static const guint8 *
cpu_volume_render_get_row (const Render *r, guint y, guint8 *scratch)
{
  if (r->coarseness == 1)
    return r->pixels + y * r->stride;
  scale_row (r, y, scratch);
  return scratch;
}

static void
cpu_volume_render_write_rows (
    gpointer data, guint first, guint end, guint thread)
{
  const Render *r = data;
  const OctVolumePicture *p = r->picture;
  guint8 scratch[2][4 * OCT_VOLUME_MAX_PICTURE];

  for (guint pair = first; pair < end; pair++) {
    guint y = 2 * pair;
    const guint8 *a, *b;

    if (r->coarseness == 1)
      cast_rows (data, y, MIN (y + 2, p->height), thread);
    a = cpu_volume_render_get_row (r, y, scratch[0]);
    b = y + 1 < p->height ? cpu_volume_render_get_row (r, y + 1, scratch[1])
                          : a;
    if (p->format == OCT_IMAGE_NV12) {
      cpu_volume_render_write_luma (
          a, p->width, oct_cpu_row (&p->frame.planes[0], y));
      if (y + 1 < p->height)
        cpu_volume_render_write_luma (
            b, p->width, oct_cpu_row (&p->frame.planes[0], y + 1));
      cpu_volume_render_write_chroma (
          a, b, p->width, oct_cpu_row (&p->frame.planes[1], pair));
    } else if (r->coarseness > 1) {
      memcpy (oct_cpu_row (&p->frame.planes[0], y), a, 4 * (gsize)p->width);
      if (y + 1 < p->height)
        memcpy (
            oct_cpu_row (&p->frame.planes[0], y + 1), b, 4 * (gsize)p->width);
    }
  }
}

static gboolean
cpu_volume_render_check_frame (const OctVolumePicture *p, GError **error)
{
  gboolean is_nv12 = p->format == OCT_IMAGE_NV12;

  return oct_cpu_check_plane (&p->frame.planes[0],
             is_nv12 ? p->width : 4 * (gsize)p->width, error)
         && (!is_nv12
             || oct_cpu_check_plane (
                 &p->frame.planes[1], ((gsize)p->width + 1) / 2 * 2, error));
}

/* Distances and light of another look are not valid. */
static void
take_look (OctVolume *volume, const OctVolumeLook *look)
{
  OctVolumeScene scene;

  oct_volume_scene_init (&scene, &volume->params, look);
  if (memcmp (&volume->transfer, look->transfer, sizeof volume->transfer)
      != 0) {
    volume->transfer = *look->transfer;
    volume->has_distance = volume->has_light = FALSE;
  }
  if (memcmp (&volume->scene.half, &scene.half, sizeof scene.half) != 0
      || volume->scene.low.z != scene.low.z)
    volume->has_light = FALSE;
  volume->scene = scene;
  if (look->mode != OCT_VOLUME_MIP && look->mode != OCT_VOLUME_MEAN)
    oct_cpu_volume_find_distances (volume);
  if (look->mode == OCT_VOLUME_FULL || look->mode == OCT_VOLUME_ONCE)
    oct_cpu_volume_find_light (volume);
}

static gboolean
find_pixels (OctVolume *volume, Render *r, GError **error)
{
  const OctVolumePicture *p = r->picture;
  gsize size;

  r->stride = (gsize)r->width * p->n_eyes * 4;
  if (p->format == OCT_IMAGE_RGBA && r->coarseness == 1) {
    r->pixels = p->frame.planes[0].data;
    r->stride = p->frame.planes[0].stride;
    return TRUE;
  }
  size = r->stride * r->height;
  if (size > volume->small_size) {
    oct_cpu_free (volume->small);
    volume->small_size = 0;
    volume->small = oct_cpu_alloc (size, 1, error);
    if (volume->small == NULL)
      return FALSE;
    volume->small_size = size;
  }
  r->pixels = volume->small;
  return TRUE;
}

gboolean
oct_cpu_volume_render (OctVolume *volume, const OctVolumeLook *look,
    const OctVolumePicture *picture, GError **error)
{
  gint64 began = g_get_monotonic_time (), ready;
  guint threads = oct_cpu_threads (G_MAXUINT);
  Render r = { .volume = volume,
    .picture = picture,
    .mode = look->mode,
    .coarseness = look->coarseness };
  double rays;
  guint eye_width = picture->width / MAX (1, picture->n_eyes);

  if (!oct_volume_look_check (look, error)
      || !oct_volume_picture_check (picture, error)
      || !cpu_volume_render_check_frame (picture, error))
    return FALSE;
  r.width = (eye_width + r.coarseness - 1) / r.coarseness;
  r.height = (picture->height + r.coarseness - 1) / r.coarseness;
  if (!find_pixels (volume, &r, error))
    return FALSE;
  take_look (volume, look);
  ready = g_get_monotonic_time ();
  oct_cpu_sampler_init (&r.sampler, volume);
  if (r.coarseness > 1)
    oct_parallel_for (r.height, 2, threads, cast_rows, &r);
  rays = (g_get_monotonic_time () - ready) * 1e-6;
  oct_parallel_for (
      (picture->height + 1) / 2, 2, threads, cpu_volume_render_write_rows, &r);
  volume->time = (g_get_monotonic_time () - began) * 1e-6;
  /* of coarse pictures what is made of the rays, too */
  volume->fixed_time =
      r.coarseness > 1 ? volume->time - rays : (ready - began) * 1e-6;
  return TRUE;
}
