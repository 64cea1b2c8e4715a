/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images with less speckle: plans.
 */
#include "oct-speckle.h"
#include "oct-cuda-private.h"

#define NAME "speckle"
#define LOG2_E 1.4426950408889634

G_STATIC_ASSERT (OCT_SPECKLE_BILATERAL == 0 && OCT_SPECKLE_MEDIAN == 1
                 && OCT_SPECKLE_LEE == 2);

struct _OctPlan {
  OctSpeckleParams params;
  gboolean overlap;
};

static gboolean
cuda_speckle_check (const OctSpeckleParams *params, GError **error)
{
  if (!oct_check_speckle (params, error)
      || !oct_cuda_check_grey (params->format, NAME, error))
    return FALSE;
  /* of a grid, in the third direction */
  if (OCT_BSCANS (params) <= 65535)
    return TRUE;
  g_set_error (error, OCT_ERROR, OCT_ERROR_SETTINGS,
      "%u images stand below each other in a buffer; set at most 65535.",
      params->bscans);
  return FALSE;
}

static OctPlan *
cuda_speckle_create (gconstpointer data, GError **error)
{
  OctPlan *plan;

  if (!cuda_speckle_check (data, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->params = *(const OctSpeckleParams *)data;
  plan->overlap = oct_cuda_can_overlap ();
  return plan;
}

static gboolean
cuda_speckle_update (OctPlan *plan, gconstpointer data)
{
  if (!cuda_speckle_check (data, NULL))
    return FALSE;
  plan->params = *(const OctSpeckleParams *)data;
  return TRUE;
}

static void
cuda_speckle_destroy (OctPlan *plan)
{
  g_free (plan);
}

static gboolean
cuda_speckle_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctSpeckleParams *p = &plan->params;
  guint pixel_size = p->format == OCT_IMAGE_RGBA ? 4 : 1;
  gsize row = (gsize)p->width * pixel_size;
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaSpeckle s = { .in = in->planes[0].data,
    .in_stride = in->planes[0].stride,
    .out = out->planes[0].data,
    .out_stride = out->planes[0].stride,
    .width = (int)p->width,
    .height = (int)(p->height / OCT_BSCANS (p)),
    .bscans = OCT_BSCANS (p),
    .pixel_size = pixel_size,
    .method = p->method,
    .size = p->size,
    .difference = (float)(-0.5 * LOG2_E / (p->sigma * p->sigma)),
    .apart = (float)(-0.5 * LOG2_E / (p->spatial_sigma * p->spatial_sigma)),
    .noise = (float)(p->sigma * p->sigma) };

  return oct_cuda_check_plane (&in->planes[0], row, 1, error)
         && oct_cuda_check_plane (&out->planes[0], row, pixel_size, error)
         && (p->format != OCT_IMAGE_NV12
             || oct_cuda_clear_chroma (
                 &out->planes[1], p->width, p->height, NAME, stream, error))
         && oct_cuda_check (oct_cuda_launch_speckle (&s, queue), NAME, error);
}

const OctOperationTable oct_cuda_speckle = {
  .create = cuda_speckle_create,
  .update = cuda_speckle_update,
  .run = cuda_speckle_run,
  .destroy = cuda_speckle_destroy,
};
