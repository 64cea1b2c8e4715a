/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * The exact transform of samples at any positions: plans.
 * A dense product by cuBLAS, see oct-cuda-nudft.cu.
 */
#include "oct-cuda-blas.h"
#include "oct-nufft.h"

#include <math.h>
#include <string.h>

#define NAME "nudft"
#define WORKSPACE ((gsize)32 << 20) /* what cuBLAS likes on Hopper */
/* Terms of one product: tensor cores cut the sums off instead of rounding them,
 * so that the error grows with their number (relative l2 of 1.3e-5 for 36 000
 * on an H200).  A multiple of 8. */
#define MAX_TERMS 12288
/* the largest element of the matrix lies between this and its half */
#define LARGEST 16.0

struct _OctPlan {
  OctSampleFormat format;
  guint samples, lines;
  gint depth_start;
  guint depth_bins;
  guint rows, columns; /* of the matrix, real numbers */
  guint pitch;         /* columns and what makes them a multiple of 8 */
  gboolean overlap;
  gint scale_exponent; /* the matrix is times 2^this */
  gboolean changed;    /* the matrix has to be made again */
  OctCudaTable nodes;  /* double [2][samples], nodes and window */
  gpointer matrix;     /* halves [rows][3][pitch] */
  gpointer halves;     /* [lines][3][pitch] */
  gint32 *exponents;   /* [lines] */
  gpointer workspace;
  const OctCudaBlas *blas;
  cublasHandle_t handle;
};

static gboolean
cuda_nudft_apply_params (
    OctPlan *plan, const OctNufftParams *params, GError **error)
{
  double *nodes = oct_cuda_table_edit (&plan->nodes, NAME, error);
  double largest = 0;
  int exponent;

  if (nodes == NULL)
    return FALSE;
  memcpy (nodes, params->nodes, plan->samples * sizeof (double));
  memcpy (
      nodes + plan->samples, params->window, plan->samples * sizeof (double));
  for (guint i = 0; i < plan->samples; i++)
    largest = MAX (largest, fabs (params->window[i]));
  frexp (largest / sqrt (plan->samples) / LARGEST, &exponent);
  plan->scale_exponent = largest > 0 ? -exponent : 0;
  plan->depth_start = params->depth_start;
  plan->changed = TRUE;
  return TRUE;
}

static gboolean
make_product (OctPlan *plan, GError **error)
{
  gsize row = 3 * (gsize)plan->pitch * 2;

  return (plan->blas = oct_cuda_blas (error)) != NULL
         && oct_cuda_check_blas (
             plan->blas->create (&plan->handle), NAME, error)
         && (plan->matrix = oct_cuda_alloc (plan->rows * row, NAME, error))
                != NULL
         && (plan->halves = oct_cuda_alloc (plan->lines * row, NAME, error))
                != NULL
         && (plan->exponents =
                    oct_cuda_alloc (plan->lines * sizeof (gint32), NAME, error))
                != NULL
         && (plan->workspace = oct_cuda_alloc (WORKSPACE, NAME, error)) != NULL
         && oct_cuda_table_init (
             &plan->nodes, 2 * plan->samples * sizeof (double), NAME, error);
}

static void
cuda_nudft_destroy (OctPlan *plan)
{
  if (plan->handle != NULL)
    plan->blas->destroy (plan->handle);
  oct_cuda_table_clear (&plan->nodes);
  oct_cuda_free (plan->matrix);
  oct_cuda_free (plan->halves);
  oct_cuda_free (plan->exponents);
  oct_cuda_free (plan->workspace);
  g_free (plan);
}

static OctPlan *
cuda_nudft_create (gconstpointer data, GError **error)
{
  const OctNufftParams *params = data;
  OctPlan *plan;

  if (!oct_nufft_check (params, FALSE, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->format = params->format;
  plan->samples = params->samples;
  plan->lines = params->lines;
  plan->depth_bins = params->depth_bins;
  plan->rows = params->depth_bins * 2;
  plan->columns = params->samples * (params->format == OCT_SAMPLE_CF32 ? 2 : 1);
  plan->pitch = (plan->columns + 7) / 8 * 8;
  plan->overlap = oct_cuda_can_overlap ();
  if (!make_product (plan, error)
      || !cuda_nudft_apply_params (plan, params, error)) {
    cuda_nudft_destroy (plan);
    return NULL;
  }
  return plan;
}

static gboolean
cuda_nudft_update (OctPlan *plan, gconstpointer data)
{
  const OctNufftParams *params = data;

  return params->format == plan->format && params->samples == plan->samples
         && params->lines == plan->lines
         && params->depth_bins == plan->depth_bins
         && oct_nufft_check (params, FALSE, NULL)
         && cuda_nudft_apply_params (plan, params, NULL);
}

static gboolean
cuda_nudft_prepare (OctPlan *plan, OctCudaQueue queue, GError **error)
{
  const double *nodes = plan->nodes.device;
  OctCudaNudftMatrix matrix = {
    .samples = plan->samples,
    .depth_start = plan->depth_start,
    .depth_bins = plan->depth_bins,
    .parts = plan->format == OCT_SAMPLE_CF32 ? 2 : 1,
    .pitch = plan->pitch,
    .scale = ldexp (1 / sqrt (plan->samples), plan->scale_exponent),
    .nodes = nodes,
    .window = nodes + plan->samples,
    .matrix = plan->matrix,
  };

  if (!plan->changed)
    return TRUE;
  if (!oct_cuda_table_upload (&plan->nodes, NAME, queue.stream, error)
      || !oct_cuda_check (
          oct_cuda_launch_nudft_matrix (&matrix, queue), NAME, error))
    return FALSE;
  plan->changed = FALSE;
  return TRUE;
}

/* Adds terms `begin` to before `end` of the product to `to`, or begins it. */
static gboolean
multiply_terms (OctPlan *plan, guint lines, const OctPlane *to, gint begin,
    gint end, GError **error)
{
  const float alpha = (float)ldexp (1, -plan->scale_exponent);
  const float beta = begin > 0 ? 1 : 0;
  gint row = (gint)(3 * plan->pitch);
  cublasStatus_t status =
      plan->blas->gemm (plan->handle, CUBLAS_OP_T, CUBLAS_OP_N, (int)plan->rows,
          (int)lines, end - begin, &alpha, (guint16 *)plan->matrix + begin,
          CUDA_R_16F, row, (guint16 *)plan->halves + begin, CUDA_R_16F, row,
          &beta, to->data, CUDA_R_32F, (int)(to->stride / sizeof (float)),
          CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);

  return oct_cuda_check_blas (status, NAME, error);
}

static gboolean
cuda_nudft_multiply (OctPlan *plan, guint lines, const OctPlane *to,
    OctCudaQueue queue, GError **error)
{
  gint terms = (gint)(3 * plan->pitch);

  if (!oct_cuda_check_blas (
          plan->blas->set_stream (plan->handle, queue.stream), NAME, error)
      /* which the stream has reset */
      || !oct_cuda_check_blas (
          plan->blas->set_workspace (plan->handle, plan->workspace, WORKSPACE),
          NAME, error))
    return FALSE;
  for (gint begin = 0; begin < terms; begin += MAX_TERMS)
    if (!multiply_terms (
            plan, lines, to, begin, MIN (begin + MAX_TERMS, terms), error))
      return FALSE;
  return TRUE;
}

static gboolean
cuda_nudft_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  gsize from_size = oct_sample_format_size (plan->format);
  guint lines = oct_frame_count_lines (in, plan->lines);
  OctCudaQueue queue = { stream, plan->overlap };

  return oct_cuda_check_plane (
             from, plan->columns * sizeof (float), from_size, error)
         && oct_cuda_check_plane (
             to, plan->rows * sizeof (float), sizeof (float2), error)
         && cuda_nudft_prepare (plan, queue, error)
         && oct_cuda_check (
             oct_cuda_launch_nudft_split (from->data, from->stride,
                 plan->columns, lines, plan->halves, plan->pitch,
                 plan->exponents, queue),
             NAME, error)
         && cuda_nudft_multiply (plan, lines, to, queue, error)
         && oct_cuda_check (oct_cuda_launch_nudft_rescale (to->data, to->stride,
                                plan->rows, lines, plan->exponents, queue),
             NAME, error);
}

const OctOperationTable oct_cuda_nudft = {
  .create = cuda_nudft_create,
  .update = cuda_nudft_update,
  .run = cuda_nudft_run,
  .destroy = cuda_nudft_destroy,
};
