/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Motion in repeated B-scans: plans.
 */
#include "oct-angio.h"
#include "oct-cuda-private.h"
#include "oct-cuda-repeats.h"

#define NAME "angio"

struct _OctPlan {
  OctAngioParams params; /* lines: of one B-scan */
  OctAngioState state;
  guint shown; /* repeats in the last image */
  gboolean overlap;
  gboolean cleared;              /* statistics */
  gpointer ring;                 /* on the device, as those of the CPU */
  gpointer mean, power, other;   /* the same */
  gpointer R, I, O;              /* the same */
  OctCudaAngioFound *statistics; /* on the device */
};

static void
cuda_angio_destroy (OctPlan *plan)
{
  oct_cuda_free (plan->ring);
  oct_cuda_free (plan->mean);
  oct_cuda_free (plan->power);
  oct_cuda_free (plan->other);
  oct_cuda_free (plan->R);
  oct_cuda_free (plan->I);
  oct_cuda_free (plan->O);
  oct_cuda_free (plan->statistics);
  g_free (plan);
}

static void
cuda_angio_set_params (OctPlan *plan, const OctAngioParams *params)
{
  plan->params = *params;
  plan->params.bscans = OCT_BSCANS (params);
  plan->params.lines = params->lines / plan->params.bscans;
}

static gboolean
cuda_angio_alloc (OctPlan *plan, GError **error)
{
  const OctAngioParams *params = &plan->params;
  gsize values = (gsize)params->lines * params->depth_bins;
  gpointer *const planes[] = { &plan->mean, &plan->power, &plan->other,
    &plan->R, &plan->I, &plan->O };

  plan->ring = oct_cuda_alloc (
      params->repeats * values * 2 * sizeof (float), NAME, error);
  if (plan->ring == NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (planes); i++) {
    *planes[i] = oct_cuda_alloc (values * sizeof (float), NAME, error);
    if (*planes[i] == NULL)
      return FALSE;
  }
  plan->statistics = oct_cuda_alloc (sizeof *plan->statistics, NAME, error);
  return plan->statistics != NULL;
}

static OctPlan *
cuda_angio_create (gconstpointer data, GError **error)
{
  OctPlan *plan;

  if (!oct_check_angio (data, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  cuda_angio_set_params (plan, data);
  plan->overlap = oct_cuda_can_overlap ();
  if (cuda_angio_alloc (plan, error))
    return plan;
  cuda_angio_destroy (plan);
  return NULL;
}

static gboolean
cuda_angio_update (OctPlan *plan, gconstpointer data)
{
  OctAngioParams mine = plan->params;

  mine.lines *= mine.bscans;
  if (!oct_check_angio (data, NULL) || !oct_angio_is_same (&mine, data))
    return FALSE;
  cuda_angio_set_params (plan, data);
  return TRUE;
}

static void
cuda_angio_reset (OctPlan *plan)
{
  plan->state = (OctAngioState){ 0 };
}

static double
cuda_angio_get_found (OctPlan *plan)
{
  return plan->shown;
}

static gsize
cuda_angio_pixel_size (const OctAngioParams *params)
{
  return params->format == OCT_IMAGE_RGBA     ? 4
         : params->format == OCT_IMAGE_GRAY16 ? 2
                                              : 1;
}

static gboolean
cuda_angio_check (const OctPlan *plan, const OctFrame *in, const OctFrame *out,
    GError **error)
{
  const OctAngioParams *params = &plan->params;
  gsize pixel_size = cuda_angio_pixel_size (params);

  if (!oct_cuda_check_plane (&in->planes[0],
          params->depth_bins * 2 * sizeof (float), 2 * sizeof (float), error))
    return FALSE;
  for (guint i = 0; i < params->bscans; i++)
    if (!oct_cuda_check_plane (
            &out[i].planes[0], params->lines * pixel_size, pixel_size, error)
        || (params->format == OCT_IMAGE_NV12
            && !oct_cuda_check_plane (
                &out[i].planes[1], (params->lines + 1) / 2 * 2, 1, error)))
      return FALSE;
  return TRUE;
}

static OctCudaAngio
cuda_angio_make (const OctPlan *plan, const OctAngioTurn *turn,
    const OctPlane *in, const OctPlane *out)
{
  const OctAngioParams *params = &plan->params;
  OctAngioShow show = oct_angio_get_show (params->method);
  gboolean is_log = oct_angio_is_log (params->method);
  double full = params->format == OCT_IMAGE_GRAY16 ? 65535 : 255;

  return (OctCudaAngio){ .in = in->data,
    .in_stride = in->stride,
    .ring = plan->ring,
    .first = turn->first,
    .count = turn->count,
    .place = turn->place,
    /* a block that is complete is not read again */
    .keeps = params->mode == OCT_AVERAGE_RUNNING,
    .repeats = params->repeats,
    .lines = params->lines,
    .depth_bins = params->depth_bins,
    .is_difference = params->method == OCT_ANGIO_COMPLEX_DIFFERENCE,
    .is_amplitude = params->method == OCT_ANGIO_SPECKLE_VARIANCE,
    .is_product = oct_angio_needs_products (show),
    .is_unit = params->method == OCT_ANGIO_PHASE_VARIANCE,
    .mean = plan->mean,
    .power = plan->power,
    .other = plan->other,
    .R = plan->R,
    .I = plan->I,
    .O = plan->O,
    .window_lines = params->window_lines,
    .window_bins = params->window_bins,
    .statistics = plan->statistics,
    .noise = params->noise,
    .least_still = params->still,
    .show = show,
    .is_log = is_log,
    .is_black = !turn->shown,
    .mapping = oct_cuda_make_mapping (
        is_log, full, is_log ? params->min : 0, is_log ? params->max : 1),
    .pixel_size = (guint32)cuda_angio_pixel_size (params),
    .out = out->data,
    .out_stride = out->stride };
}

/* Into the ring alone. */
static gboolean
cuda_angio_keep (const OctPlan *plan, const OctCudaAngio *a,
    cudaStream_t stream, GError **error)
{
  gsize row = (gsize)a->depth_bins * sizeof *a->ring;

  return oct_cuda_check (
      cudaMemcpy2DAsync (a->ring + (gsize)a->place * a->lines * a->depth_bins,
          row, a->in, a->in_stride, row, a->lines, cudaMemcpyDeviceToDevice,
          stream),
      NAME, error);
}

static gboolean
cuda_angio_run_one (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    cudaStream_t stream, GError **error)
{
  const OctAngioParams *params = &plan->params;
  OctCudaQueue queue = { stream, plan->overlap };
  OctAngioTurn turn = oct_angio_next (&plan->state, params);
  OctCudaAngio a =
      cuda_angio_make (plan, &turn, &in->planes[0], &out->planes[0]);

  plan->shown = turn.count;
  if (turn.shown
          ? !oct_cuda_check (
                oct_cuda_launch_angio_find (&a, queue), NAME, error)
                || !oct_cuda_check (
                    oct_cuda_launch_angio_windows (&a, queue), NAME, error)
          : !cuda_angio_keep (plan, &a, stream, error))
    return FALSE;
  return oct_cuda_check (oct_cuda_launch_angio_show (&a, queue), NAME, error)
         && (params->format != OCT_IMAGE_NV12
             || oct_cuda_clear_chroma (&out->planes[1], params->lines,
                 params->depth_bins, NAME, stream, error));
}

static gboolean
cuda_angio_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  if (!cuda_angio_check (plan, in, out, error))
    return FALSE;
  if (!plan->cleared
      && !oct_cuda_check (cudaMemsetAsync (plan->statistics, 0,
                              sizeof *plan->statistics, stream),
          NAME, error))
    return FALSE;
  plan->cleared = TRUE;
  for (guint bscan = 0; bscan < plan->params.bscans; bscan++) {
    OctFrame from = oct_frame_get_bscan (in, bscan, plan->params.lines, 0);

    if (!cuda_angio_run_one (plan, &from, &out[bscan], stream, error))
      return FALSE;
  }
  return TRUE;
}

const OctOperationTable oct_cuda_angio = {
  .create = cuda_angio_create,
  .update = cuda_angio_update,
  .run = cuda_angio_run,
  .reset = cuda_angio_reset,
  .get_found = cuda_angio_get_found,
  .destroy = cuda_angio_destroy,
};
