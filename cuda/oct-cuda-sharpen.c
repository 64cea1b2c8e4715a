/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Images with sharper edges: plans.
 */
#include "oct-cuda-private.h"
#include "oct-operation.h"

#include <math.h>
#include <string.h>

#define NAME "sharpen"

G_STATIC_ASSERT (OCT_CUDA_SHARPEN_REACH == OCT_SHARPEN_REACH);

struct _OctPlan {
  OctSharpenParams params;
  OctCudaSharpen sharpen; /* without the planes of a frame */
  gboolean overlap;
};

static gboolean
cuda_sharpen_check (const OctSharpenParams *params, GError **error)
{
  if (!oct_operation_check (OCT_OPERATION_SHARPEN, params, error)
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

/* All but the memory. */
static void
cuda_sharpen_set (OctPlan *plan, const OctSharpenParams *params)
{
  OctCudaSharpen *s = &plan->sharpen;
  double radius = params->radius, sum = 0;

  plan->params = *params;
  s->width = (int)params->width;
  s->height = (int)(params->height / OCT_BSCANS (params));
  s->bscans = OCT_BSCANS (params);
  s->pixel_size = params->format == OCT_IMAGE_RGBA ? 4 : 1;
  s->amount = (float)params->amount;
  s->reach = (int)ceil (4 * radius);
  memset (s->weights, 0, sizeof s->weights);
  for (int d = -s->reach; d <= s->reach; d++)
    sum += exp (-d * d / (2 * radius * radius));
  for (int d = 0; d <= s->reach; d++)
    s->weights[d] = (float)(exp (-d * d / (2 * radius * radius)) / sum);
}

static void
cuda_sharpen_destroy (OctPlan *plan)
{
  oct_cuda_free (plan->sharpen.means);
  g_free (plan);
}

static OctPlan *
cuda_sharpen_create (gconstpointer data, GError **error)
{
  const OctSharpenParams *params = data;
  OctPlan *plan;

  if (!cuda_sharpen_check (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->overlap = oct_cuda_can_overlap ();
  plan->sharpen.means = oct_cuda_alloc (
      (gsize)params->width * params->height * sizeof (float), NAME, error);
  if (plan->sharpen.means == NULL) {
    cuda_sharpen_destroy (plan);
    return NULL;
  }
  cuda_sharpen_set (plan, params);
  return plan;
}

static gboolean
cuda_sharpen_update (OctPlan *plan, gconstpointer data)
{
  const OctSharpenParams *params = data;

  if (!cuda_sharpen_check (params, NULL) || params->width != plan->params.width
      || params->height != plan->params.height)
    return FALSE;
  cuda_sharpen_set (plan, params);
  return TRUE;
}

static gboolean
cuda_sharpen_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctSharpenParams *params = &plan->params;
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaSharpen s = plan->sharpen;
  gsize row = (gsize)params->width * s.pixel_size;

  s.in = in->planes[0].data;
  s.in_stride = in->planes[0].stride;
  s.out = out->planes[0].data;
  s.out_stride = out->planes[0].stride;
  return oct_cuda_check_plane (&in->planes[0], row, 1, error)
         && oct_cuda_check_plane (&out->planes[0], row, s.pixel_size, error)
         && (params->format != OCT_IMAGE_NV12
             || oct_cuda_clear_chroma (&out->planes[1], params->width,
                 params->height, NAME, stream, error))
         && oct_cuda_check (oct_cuda_launch_sharpen (&s, queue), NAME, error);
}

const OctOperationTable oct_cuda_sharpen = {
  .create = cuda_sharpen_create,
  .update = cuda_sharpen_update,
  .run = cuda_sharpen_run,
  .destroy = cuda_sharpen_destroy,
};
