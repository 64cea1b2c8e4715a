/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images the right way round: plans.
 */
#include "oct-flip.h"
#include "oct-cuda-private.h"

#include <string.h>

#define NAME "flip"

struct _OctPlan {
  OctFlipParams params;
  gboolean overlap;
  OctCudaTable table; /* the maps, one after the other */
  struct {
    guint width;
    gsize start, first, weights; /* bytes into the table */
  } maps[2][2];                  /* [of the chroma][on the way back] */
};

static void
cuda_flip_destroy (OctPlan *plan)
{
  oct_cuda_table_clear (&plan->table);
  g_free (plan);
}

/* Number of maps for one way: also for the chroma, or not. */
static guint
count_planes (const OctFlipParams *params)
{
  return params->format == OCT_IMAGE_NV12 ? 2 : 1;
}

/* Puts `count` values of 4 bytes at the end of `bytes`; where they begin. */
static gsize
cuda_flip_append (GByteArray *bytes, gconstpointer values, guint count)
{
  gsize at = bytes->len;

  g_byte_array_append (bytes, values, 4 * count);
  return at;
}

static gboolean
cuda_flip_make_tables (OctPlan *plan, GError **error)
{
  const OctFlipParams *params = &plan->params;
  GByteArray *bytes = g_byte_array_new ();
  gpointer table = NULL;

  for (guint i = 0; i < count_planes (params); i++)
    for (guint back = 0; back < 2; back++) {
      OctFlipMap map;

      oct_flip_map_init (&map, params,
          i == 0 ? params->width : oct_chroma_size (params->width), back);
      plan->maps[i][back].width = map.width;
      plan->maps[i][back].start =
          cuda_flip_append (bytes, map.start, map.width + 1);
      plan->maps[i][back].first =
          cuda_flip_append (bytes, map.first, map.width);
      plan->maps[i][back].weights =
          cuda_flip_append (bytes, map.weights, map.taps);
      oct_flip_map_clear (&map);
    }
  if (oct_cuda_table_init (&plan->table, bytes->len, NAME, error))
    table = oct_cuda_table_edit (&plan->table, NAME, error);
  if (table != NULL)
    memcpy (table, bytes->data, bytes->len);
  g_byte_array_unref (bytes);
  return table != NULL;
}

static OctPlan *
cuda_flip_create (gconstpointer data, GError **error)
{
  const OctFlipParams *params = data;
  OctPlan *plan;

  if (!oct_check_flip (params, error)
      || !oct_cuda_check_grey (params->format, NAME, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *params;
  plan->overlap = oct_cuda_can_overlap ();
  if (cuda_flip_make_tables (plan, error))
    return plan;
  cuda_flip_destroy (plan);
  return NULL;
}

/* As that of the CPU. */
static gboolean
cuda_flip_update (OctPlan *plan, gconstpointer data)
{
  const OctFlipParams *params = data;

  if (!oct_check_flip (params, NULL)
      || !oct_flip_has_same_maps (params, &plan->params))
    return FALSE;
  plan->params = *params;
  return TRUE;
}

static gboolean
cuda_flip_plane (OctPlan *plan, guint i, const OctPlane *in,
    const OctPlane *out, gpointer stream, GError **error)
{
  const OctFlipParams *params = &plan->params;
  const guint8 *table = plan->table.device;
  OctCudaQueue queue = { stream, plan->overlap };
  guint rows = i == 0 ? params->height : oct_chroma_size (params->height);
  OctCudaFlip f = { .in = in->data,
    .in_stride = in->stride,
    .out = out->data,
    .out_stride = out->stride,
    .width = plan->maps[i][0].width,
    .rows = rows,
    .height = rows / OCT_BSCANS (params),
    .pixel_size = i == 1                             ? 2
                  : params->format == OCT_IMAGE_RGBA ? 4
                                                     : 1,
    .depth = params->depth != 0,
    .every_second = params->way_back != OCT_WAY_BACK_NONE,
    .odd = params->way_back == OCT_WAY_BACK_ODD,
    .first = params->first,
    .volume = params->volume };
  gsize row = (gsize)f.width * f.pixel_size;

  for (guint back = 0; back < 2; back++)
    f.maps[back] = (OctCudaFlipMap){
      (const uint32_t *)(gconstpointer)(table + plan->maps[i][back].start),
      (const uint32_t *)(gconstpointer)(table + plan->maps[i][back].first),
      (const float *)(gconstpointer)(table + plan->maps[i][back].weights)
    };
  return oct_cuda_check_plane (in, row, f.pixel_size, error)
         && oct_cuda_check_plane (out, row, f.pixel_size, error)
         && oct_cuda_check (oct_cuda_launch_flip (&f, queue), NAME, error);
}

static gboolean
cuda_flip_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  if (!oct_cuda_table_upload (&plan->table, NAME, stream, error))
    return FALSE;
  for (guint i = 0; i < count_planes (&plan->params); i++)
    if (!cuda_flip_plane (
            plan, i, &in->planes[i], &out->planes[i], stream, error))
      return FALSE;
  return TRUE;
}

const OctOperationTable oct_cuda_flip = {
  .create = cuda_flip_create,
  .update = cuda_flip_update,
  .run = cuda_flip_run,
  .destroy = cuda_flip_destroy,
};
