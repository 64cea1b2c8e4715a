/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * Resampling along the A-line: plans, weights and the FFT upsampling.
 */
#include "oct-cuda-transform.h"
#include "oct-params.h"

#include <math.h>

#define NAME "resample"
#define LANCZOS_A 4
/* working rows of A-lines that do not fit the shared memory of a block */
#define SCRATCH_ROWS 128

struct _OctPlan {
  OctResampleMethod method;
  guint samples, lines;
  guint length; /* samples x upsample */
  gboolean overlap, fits;
  OctCudaTable first;   /* gint32 [samples], see OctCudaResample */
  OctCudaTable weights; /* float, see OctCudaResample */
  float *scratch;       /* [SCRATCH_ROWS][row], where rows do not fit */
  /* upsample 2 only */
  OctCudaTransform forward;  /* of the A-lines */
  OctCudaTransform backward; /* to [lines][length] float */
};

static double
cuda_resample_sinc (double x)
{
  return x == 0 ? 1 : sin (G_PI * x) / (G_PI * x);
}

/* The weights of the samples from base - 3 on, 0 outside of the A-line. */
static void
cuda_resample_lanczos_weights (
    double position, gint base, gint length, double *weights)
{
  double total = 0;

  for (gint tap = 0; tap < OCT_CUDA_LANCZOS_TAPS; tap++) {
    gint i = base + 1 - LANCZOS_A + tap;
    double distance = position - i;
    gboolean inside = i >= 0 && i < length && fabs (distance) < LANCZOS_A;
    weights[tap] = inside ? cuda_resample_sinc (distance)
                                * cuda_resample_sinc (distance / LANCZOS_A)
                          : 0;
    total += weights[tap];
  }
  for (gint tap = 0; tap < OCT_CUDA_LANCZOS_TAPS; tap++)
    weights[tap] /= total;
}

/* The weights of the B-spline coefficients from base - 1 on.  Natural ends:
 * c[-1] = 2 c[0] - c[1], c[n] = 2 c[n-1] - c[n-2]. */
static void
cuda_resample_cubic_weights (
    double position, gint base, gint length, double *weights)
{
  double f = position - base, g = 1 - f;

  weights[0] = g * g * g / 6;
  weights[1] = (4 - 3 * f * f * (2 - f)) / 6;
  weights[2] = (4 - 3 * g * g * (2 - g)) / 6;
  weights[3] = f * f * f / 6;
  if (base == 0) {
    weights[1] += 2 * weights[0];
    weights[2] -= weights[0];
    weights[0] = 0;
  }
  if (base == length - 2) {
    weights[2] += 2 * weights[3];
    weights[1] -= weights[3];
    weights[3] = 0;
  }
}

/* The taps of output j; returns the first of them. */
static gint
cuda_resample_find_taps (const OctPlan *plan, double position, double *weights)
{
  gint base = (gint)position, length = (gint)plan->length;

  if (plan->method == OCT_RESAMPLE_LANCZOS) {
    cuda_resample_lanczos_weights (position, base, length, weights);
    return base + 1 - LANCZOS_A;
  }
  base = MAX (0, MIN (base, length - 2)); /* last interval closed at its end */
  if (plan->method == OCT_RESAMPLE_CUBIC) {
    cuda_resample_cubic_weights (position, base, length, weights);
    return base - 1;
  }
  weights[0] = 1 - (position - base);
  weights[1] = position - base;
  return base;
}

static guint
number_of_taps (OctResampleMethod method)
{
  switch (method) {
  case OCT_RESAMPLE_LINEAR:
    return 2;
  case OCT_RESAMPLE_LANCZOS:
    return OCT_CUDA_LANCZOS_TAPS;
  default:
    return 4;
  }
}

static gboolean
set_positions (OctPlan *plan, const OctResampleParams *params, GError **error)
{
  gint32 *first = oct_cuda_table_edit (&plan->first, NAME, error);
  float *table = oct_cuda_table_edit (&plan->weights, NAME, error);
  guint taps = number_of_taps (plan->method), group = MIN (taps, 4);
  /* upsampling leaves out the factor of its transforms */
  double scale = params->upsample == 1 ? 1 : 1. / plan->samples;

  if (first == NULL || table == NULL)
    return FALSE;
  for (guint j = 0; j < plan->samples; j++) {
    double position =
        params->upsample * CLAMP (params->positions[j], 0, plan->samples - 1);
    double weights[OCT_CUDA_LANCZOS_TAPS];

    first[j] = cuda_resample_find_taps (plan, position, weights);
    for (guint tap = 0; tap < taps; tap++)
      table[((gsize)(tap / group) * plan->samples + j) * group + tap % group] =
          (float)(scale * weights[tap]);
  }
  return TRUE;
}

static gboolean
make_upsampling (OctPlan *plan, GError **error)
{
  return oct_cuda_transform_init (&plan->forward, OCT_SAMPLE_F32, plan->samples,
             plan->lines, FALSE, NAME, error)
         && oct_cuda_transform_init (&plan->backward, OCT_SAMPLE_F32,
             plan->length, plan->lines, TRUE, NAME, error);
}

static void
cuda_resample_destroy (OctPlan *plan)
{
  oct_cuda_transform_clear (&plan->forward);
  oct_cuda_transform_clear (&plan->backward);
  oct_cuda_table_clear (&plan->first);
  oct_cuda_table_clear (&plan->weights);
  oct_cuda_free (plan->scratch);
  g_free (plan);
}

static gboolean
cuda_resample_make_tables (
    OctPlan *plan, const OctResampleParams *params, GError **error)
{
  gsize samples = plan->samples;
  int fits = 0;

  if (!oct_cuda_check (
          oct_cuda_resample_prepare (plan->length, &fits), NAME, error)
      || !oct_cuda_table_init (
          &plan->first, samples * sizeof (gint32), NAME, error)
      || !oct_cuda_table_init (&plan->weights,
          number_of_taps (plan->method) * samples * sizeof (float), NAME,
          error))
    return FALSE;
  plan->fits = fits;
  if (!fits) {
    gsize row = oct_cuda_resample_row (plan->length);
    plan->scratch =
        oct_cuda_alloc (SCRATCH_ROWS * row * sizeof (float), NAME, error);
    if (plan->scratch == NULL)
      return FALSE;
  }
  return set_positions (plan, params, error);
}

static OctPlan *
cuda_resample_create (gconstpointer data, GError **error)
{
  const OctResampleParams *params = data;
  OctPlan *plan;

  if (!oct_check_resample (params, error))
    return NULL;
  plan = g_new0 (OctPlan, 1);
  plan->samples = params->samples;
  plan->lines = params->lines;
  plan->method = params->method;
  plan->length = params->samples * params->upsample;
  plan->overlap = oct_cuda_can_overlap ();
  if (!cuda_resample_make_tables (plan, params, error)
      || (params->upsample == 2 && !make_upsampling (plan, error))) {
    cuda_resample_destroy (plan);
    return NULL;
  }
  return plan;
}

/* Doubles the length of all A-lines by zero padding of their transforms
 * [S 4.6]; the factor 1 / samples is left to the weights. */
static gboolean
cuda_resample_upsample (
    OctPlan *plan, OctCudaRows *rows, OctCudaQueue queue, GError **error)
{
  OctCudaTransform *forward = &plan->forward, *backward = &plan->backward;
  OctCudaFft copy = { .rows = *rows, .length = plan->samples };
  gpointer values = (gpointer)rows->in;

  /* a copy costs a pass over memory; there may be no more than these A-lines */
  if (forward->is_complex || rows->lines < plan->lines
      || (gsize)values % sizeof (float2) != 0
      || rows->in_stride != plan->samples * sizeof (float)) {
    values = forward->values;
    if (!oct_cuda_check (
            oct_cuda_launch_window (&copy, values, forward->is_complex, queue),
            NAME, error))
      return FALSE;
  }
  if (!oct_cuda_transform_run_on (forward, values, queue.stream, NAME, error)
      || !oct_cuda_check (
          oct_cuda_launch_pad_spectrum (forward->spectra, forward->pitch,
              backward->spectra, plan->samples, plan->lines, queue),
          NAME, error)
      || !oct_cuda_transform_run (backward, queue.stream, NAME, error))
    return FALSE;
  rows->in = backward->values;
  rows->in_stride = plan->length * sizeof (float);
  return TRUE;
}

static OctCudaResampleMethod
kernel_method (OctResampleMethod method)
{
  switch (method) {
  case OCT_RESAMPLE_LINEAR:
    return OCT_CUDA_RESAMPLE_LINEAR;
  case OCT_RESAMPLE_LANCZOS:
    return OCT_CUDA_RESAMPLE_LANCZOS;
  default:
    return OCT_CUDA_RESAMPLE_CUBIC;
  }
}

static gboolean
cuda_resample_run (OctPlan *plan, const OctFrame *in, const OctFrame *out,
    gpointer stream, GError **error)
{
  const OctPlane *from = &in->planes[0], *to = &out->planes[0];
  gsize row_bytes = plan->samples * sizeof (float);
  guint lines = oct_frame_count_lines (in, plan->lines);
  OctCudaQueue queue = { stream, plan->overlap };
  OctCudaResample resample = {
    .rows = { from->data, from->stride, to->data, to->stride, lines,
        plan->samples },
    .length = plan->length,
    .method = kernel_method (plan->method),
    .first = plan->first.device,
    .weights = plan->weights.device,
    .scratch = plan->scratch,
    .blocks = MIN (lines, SCRATCH_ROWS),
  };

  return oct_cuda_check_plane (from, row_bytes, sizeof (float), error)
         && oct_cuda_check_plane (to, row_bytes, sizeof (float), error)
         && oct_cuda_table_upload (&plan->first, NAME, stream, error)
         && oct_cuda_table_upload (&plan->weights, NAME, stream, error)
         && (plan->length == plan->samples
             || cuda_resample_upsample (plan, &resample.rows, queue, error))
         && oct_cuda_check (
             oct_cuda_launch_resample (&resample, queue), NAME, error);
}

const OctOperationTable oct_cuda_resample = {
  .create = cuda_resample_create,
  .run = cuda_resample_run,
  .destroy = cuda_resample_destroy,
};
