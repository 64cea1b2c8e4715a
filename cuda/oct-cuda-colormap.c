/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images in colours: plans.
 */
#include "oct-colormap.h"
#include "oct-cuda-private.h"

#include <stddef.h>

#define NAME "colormap"

struct _OctPlan {
  guint width, height, pixel_size;
  OctImageFormat format;
  gboolean overlap;
  OctCudaTable table; /* OctColormapTable */
};

static gboolean
cuda_colormap_apply_params (
    OctPlan *plan, const OctColormapParams *params, GError **error)
{
  OctColormapTable *table = oct_cuda_table_edit (&plan->table, NAME, error);

  if (table == NULL)
    return FALSE;
  oct_colormap_make_table (params, table);
  plan->width = params->width;
  plan->height = params->height;
  plan->pixel_size = params->pixel_size;
  plan->format = params->format;
  return TRUE;
}

static void
cuda_colormap_destroy (OctPlan *plan)
{
  oct_cuda_table_clear (&plan->table);
  g_free (plan);
}

static OctPlan *
cuda_colormap_create (gconstpointer data, GError **error)
{
  OctPlan *plan;

  if (!oct_check_colormap (data, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->overlap = oct_cuda_can_overlap ();
  if (!oct_cuda_table_init (
          &plan->table, sizeof (OctColormapTable), NAME, error)
      || !cuda_colormap_apply_params (plan, data, error)) {
    cuda_colormap_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
cuda_colormap_update (OctPlan *plan, gconstpointer data)
{
  return oct_check_colormap (data, NULL)
         && cuda_colormap_apply_params (plan, data, NULL);
}

static gboolean
cuda_colormap_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const guint8 *table = plan->table.device;
  gboolean nv12 = plan->format == OCT_IMAGE_NV12;
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaColormap c = { .in = in->planes[0].data,
    .in_stride = in->planes[0].stride,
    .width = plan->width,
    .height = plan->height,
    .pixel_size = plan->pixel_size,
    .planes = { out->planes[0].data, out->planes[1].data },
    .strides = { out->planes[0].stride, out->planes[1].stride },
    .is_nv12 = nv12,
    .rgba = (const uchar4 *)(table + offsetof (OctColormapTable, rgba)),
    .luma = table + offsetof (OctColormapTable, luma),
    .blue = (const int32_t *)(table + offsetof (OctColormapTable, blue)),
    .red = (const int32_t *)(table + offsetof (OctColormapTable, red)) };

  return oct_cuda_check_plane (
             &in->planes[0], (gsize)plan->width * plan->pixel_size, 1, error)
         && oct_cuda_check_plane (&out->planes[0],
             (gsize)plan->width * (nv12 ? 1 : 4), nv12 ? 1 : 4, error)
         && (!nv12
             || oct_cuda_check_plane (
                 &out->planes[1], ((gsize)plan->width + 1) / 2 * 2, 1, error))
         && oct_cuda_table_upload (&plan->table, NAME, stream, error)
         && oct_cuda_check (oct_cuda_launch_colormap (&c, queue), NAME, error);
}

const OctOperationTable oct_cuda_colormap = {
  .create = cuda_colormap_create,
  .update = cuda_colormap_update,
  .run = cuda_colormap_run,
  .destroy = cuda_colormap_destroy,
};
