/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Flips images, row by row, every pixel by the table of its column.
 */
#include "oct-cpu-private.h"
#include "oct-flip.h"

#include <math.h>
#include <string.h>

struct _OctPlan {
  OctFlipParams params;
  OctFlipMap maps[2][2]; /* [of the chroma][on the way back] */
};

static void
cpu_flip_destroy (OctPlan *plan)
{
  for (guint i = 0; i < 4; i++)
    oct_flip_map_clear (&plan->maps[i / 2][i % 2]);
  g_free (plan);
}

static OctPlan *
cpu_flip_create (gconstpointer data, GError **error)
{
  const OctFlipParams *params = data;
  OctPlan *plan;

  if (!oct_check_flip (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *params;
  for (guint back = 0; back < 2; back++) {
    oct_flip_map_init (&plan->maps[0][back], params, params->width, back);
    if (params->format == OCT_IMAGE_NV12)
      oct_flip_map_init (
          &plan->maps[1][back], params, oct_chroma_size (params->width), back);
  }
  return plan;
}

/* The direction of the sweep may change with every frame; that costs nothing.
 */
static gboolean
cpu_flip_update (OctPlan *plan, gconstpointer data)
{
  const OctFlipParams *params = data;

  if (!oct_check_flip (params, NULL)
      || !oct_flip_has_same_maps (params, &plan->params))
    return FALSE;
  plan->params = *params;
  return TRUE;
}

/* One plane: pixels of `size` bytes, `parts` values each. */
typedef struct {
  const OctPlan *plan;
  const OctFlipMap *maps; /* [2] */
  const OctPlane *from, *to;
  guint height; /* of one B-scan */
  guint parts;
  gboolean wide; /* values of 16 bit */
} Plane;

static void
copy_pixels (
    const Plane *p, const OctFlipMap *map, const guint8 *in, guint8 *to)
{
  guint size = p->parts * (p->wide ? 2 : 1);

  for (guint x = 0; x < map->width; x++)
    memcpy (to + (gsize)x * size, in + (gsize)map->first[x] * size, size);
}

#define DEFINE_WEIGH(name, type)                                               \
  static void name (                                                           \
      const Plane *p, const OctFlipMap *map, const type *in, type *to)         \
  {                                                                            \
    for (guint x = 0; x < map->width; x++, to += p->parts)                     \
      for (guint part = 0; part < p->parts; part++) {                          \
        const type *from = in + (gsize)map->first[x] * p->parts + part;        \
        float sum = 0;                                                         \
                                                                               \
        for (guint i = map->start[x]; i < map->start[x + 1];                   \
             i++, from += p->parts)                                            \
          sum += map->weights[i] * *from;                                      \
        to[part] = (type)lrintf (MIN (sum, (float)(type) ~(type)0));           \
      }                                                                        \
  }
DEFINE_WEIGH (weigh_bytes, guint8)
DEFINE_WEIGH (weigh_words, guint16)

static void
cpu_flip_rows (gpointer data, guint first, guint end, guint thread)
{
  const Plane *p = data;
  const OctFlipParams *params = &p->plan->params;

  for (guint y = first; y < end; y++) {
    guint bscan = y / p->height, row = y % p->height;
    const OctFlipMap *map = &p->maps[oct_flip_is_way_back (params, bscan)];
    guint source = params->depth ? p->height - 1 - row : row;
    guint8 *in = oct_cpu_row (p->from, (gsize)bscan * p->height + source);
    guint8 *to = oct_cpu_row (p->to, y);

    if (map->is_copy)
      copy_pixels (p, map, in, to);
    else if (p->wide)
      weigh_words (p, map, (guint16 *)(gpointer)in, (guint16 *)(gpointer)to);
    else
      weigh_bytes (p, map, in, to);
  }
}

static gboolean
cpu_flip_plane (const Plane *p, guint rows, GError **error)
{
  gsize row = (gsize)p->maps[0].width * p->parts * (p->wide ? 2 : 1);

  if (!oct_cpu_check_plane (p->from, row, error)
      || !oct_cpu_check_plane (p->to, row, error))
    return FALSE;
  oct_parallel_for (rows, OCT_CPU_GRAIN, oct_cpu_threads (G_MAXUINT),
      cpu_flip_rows, (gpointer)p);
  return TRUE;
}

static gboolean
cpu_flip_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctFlipParams *params = &plan->params;
  guint rows = oct_chroma_size (params->height);
  Plane image = { plan, plan->maps[0], &in->planes[0], &out->planes[0],
    params->height / OCT_BSCANS (params),
    params->format == OCT_IMAGE_RGBA ? 4 : 1,
    params->format == OCT_IMAGE_GRAY16 };
  Plane chroma = { plan, plan->maps[1], &in->planes[1], &out->planes[1], rows,
    2, FALSE };

  return cpu_flip_plane (&image, params->height, error)
         && (params->format != OCT_IMAGE_NV12
             || cpu_flip_plane (&chroma, rows, error));
}

const OctOperationTable oct_cpu_flip = {
  .create = cpu_flip_create,
  .update = cpu_flip_update,
  .run = cpu_flip_run,
  .destroy = cpu_flip_destroy,
};
